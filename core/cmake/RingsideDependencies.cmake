# Third-party code. Installed headers need tl::expected; everything else stays in .cpp files.

# ringside_require(PACKAGE DEBIAN_PACKAGE)
macro(ringside_require package debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "Ringside needs ${package}: apt-get install ${debian} "
                        "(or let ./ringside do it).")
  endif()
endmacro()

ringside_require(tl-expected libexpected-dev)
ringside_require(nlohmann_json nlohmann-json3-dev)
ringside_require(fmt libfmt-dev)
ringside_require(pugixml libpugixml-dev)
find_path(RINGSIDE_TOMLPLUSPLUS toml++/toml.h)
if(NOT RINGSIDE_TOMLPLUSPLUS)
  message(FATAL_ERROR "Ringside needs toml++: apt-get install libtomlplusplus-dev "
                      "(or let ./ringside do it).")
endif()
mark_as_advanced(RINGSIDE_TOMLPLUSPLUS)

# What .cpp files may include. Header-only, so users of the installed libraries never meet it; fmt and
# pugixml are compiled libraries (header-only, fmt would cost two seconds a file).
add_library(ringside_parsing INTERFACE)
target_link_libraries(ringside_parsing INTERFACE nlohmann_json::nlohmann_json)
target_include_directories(ringside_parsing SYSTEM INTERFACE ${RINGSIDE_TOMLPLUSPLUS})
target_compile_definitions(ringside_parsing INTERFACE TOML_HEADER_ONLY=1)

# Two architectures: 80 runs on 86 and 89 as well, and drivers translate 90's PTX for what came
# later. -DCMAKE_CUDA_ARCHITECTURES=native builds for the GPUs at hand.
if(RINGSIDE_HAS_CUDA)
  find_package(CUDAToolkit QUIET REQUIRED)  # for all folders: the probe kept it for itself
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  endif()
  if(NOT CMAKE_CUDA_HOST_COMPILER)
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  if(NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "GPUs that the kernels are compiled for")
  set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  enable_language(CUDA)
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 knows nvcc up to C++17
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
endif()
