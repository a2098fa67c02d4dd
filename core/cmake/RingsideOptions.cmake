# What this build may use beyond a compiler and the header libraries.
#
#   RINGSIDE_WITH_X = AUTO  use X where its toolkit is installed (a toolkit, never a GPU, decides)
#                     ON    use X, or stop with a sentence that says what is missing
#                     OFF   do without

set(ringside_features "")

# ringside_feature(NAME "what it is" "how to get it")
# Probes with ringside_probe_NAME(found version).
macro(ringside_feature name what remedy)
  set(RINGSIDE_WITH_${name} AUTO CACHE STRING "${what}: AUTO, ON or OFF")
  set_property(CACHE RINGSIDE_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
  ringside_probe_feature(${name} "${what}" "${remedy}")
  list(APPEND ringside_features ${name})
endmacro()

function(ringside_probe_feature name what remedy)
  set(wish ${RINGSIDE_WITH_${name}})
  if(NOT wish MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "RINGSIDE_WITH_${name} is AUTO, ON or OFF, not '${wish}'.")
  endif()
  set(state "off, as asked")
  set(found FALSE)
  if(NOT wish STREQUAL "OFF")
    cmake_language(CALL ringside_probe_${name} found version)
    if(found)
      set(state "found ${version}")
    else()
      set(state "not found (${remedy})")
    endif()
  endif()
  if(wish STREQUAL "ON" AND NOT found)
    message(FATAL_ERROR "RINGSIDE_WITH_${name}=ON, but ${what} was not found: ${remedy}, "
                        "or configure with -DRINGSIDE_WITH_${name}=OFF.")
  endif()
  set(RINGSIDE_HAS_${name} ${found} PARENT_SCOPE)
  set(ringside_state_${name} "${what}: ${state}" PARENT_SCOPE)
endfunction()

# nvcc and the shared runtime: without both nothing is built from CUDA.
function(ringside_probe_CUDA found version)
  find_package(CUDAToolkit 12.2 QUIET)
  if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE AND TARGET CUDA::cudart)
    set(${found} TRUE PARENT_SCOPE)
    set(${version} "${CUDAToolkit_VERSION}" PARENT_SCOPE)
  endif()
endfunction()

# It calls CUDA and is found beside it, or among the system's libraries.
function(ringside_probe_NCCL found version)
  if(NOT RINGSIDE_HAS_CUDA)
    return()
  endif()
  find_package(CUDAToolkit QUIET)
  find_path(RINGSIDE_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  find_library(RINGSIDE_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
  mark_as_advanced(RINGSIDE_NCCL_INCLUDE RINGSIDE_NCCL_LIBRARY)
  if(RINGSIDE_NCCL_INCLUDE AND RINGSIDE_NCCL_LIBRARY)
    set(${found} TRUE PARENT_SCOPE)
    set(${version} "in ${RINGSIDE_NCCL_INCLUDE}" PARENT_SCOPE)
  endif()
endfunction()

# The compiler wrapper's presence is enough to know; find_package(MPI) costs seconds of compiling.
function(ringside_probe_MPI found version)
  find_program(RINGSIDE_MPI_COMPILER NAMES mpicxx mpic++)
  mark_as_advanced(RINGSIDE_MPI_COMPILER)
  if(RINGSIDE_MPI_COMPILER)
    set(${found} TRUE PARENT_SCOPE)
    set(${version} "${RINGSIDE_MPI_COMPILER}" PARENT_SCOPE)
  endif()
endfunction()

function(ringside_probe_VIZ found version)
  find_package(SFML 2.5 QUIET COMPONENTS graphics window system)
  find_package(OpenGL QUIET COMPONENTS OpenGL)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(RINGSIDE_IMGUI QUIET IMPORTED_TARGET imgui>=1.86)
  endif()
  if(SFML_FOUND AND TARGET OpenGL::OpenGL AND RINGSIDE_IMGUI_FOUND)
    set(${found} TRUE PARENT_SCOPE)
    set(${version} "SFML ${SFML_VERSION}, ImGui ${RINGSIDE_IMGUI_VERSION}" PARENT_SCOPE)
  endif()
endfunction()

ringside_feature(CUDA "CUDA toolkit" "install CUDA Toolkit 12.2 or later from NVIDIA")
ringside_feature(NCCL "NCCL" "install libnccl-dev from NVIDIA")
ringside_feature(MPI "Open MPI" "apt-get install libopenmpi-dev")
ringside_feature(VIZ "SFML and Dear ImGui" "apt-get install libsfml-dev libimgui-dev libopengl-dev")

# Options of the C++ compiler, none with a comma in it: nvcc hands them on to it.
function(ringside_compile_options)
  foreach(option IN LISTS ARGN)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${option}>"
                        "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${option}>")
  endforeach()
endfunction()

set(RINGSIDE_SANITIZERS "" CACHE STRING
    "Sanitizers for everything that is built, e.g. address,undefined or thread")
if(RINGSIDE_SANITIZERS)
  string(REPLACE "," ";-fsanitize=" sanitize "-fsanitize=${RINGSIDE_SANITIZERS}")
  ringside_compile_options(${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # With it, g++ takes a function's address for no constant, and kernels are named by theirs.
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-sanitize=undefined>")
  add_link_options(-fsanitize=${RINGSIDE_SANITIZERS})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # Optimising, g++ takes the value of an empty std::optional for one that is read.
  ringside_compile_options(-Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12's own stable_sort calls what C++17 deprecates, and clang blames the caller.
  ringside_compile_options(-Wno-deprecated-declarations)
endif()
option(RINGSIDE_FUZZ "Build the parsers' fuzz targets (clang's libFuzzer; preset fuzz)" OFF)
if(RINGSIDE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "RINGSIDE_FUZZ=ON needs clang's libFuzzer, and the compiler is "
                        "${CMAKE_CXX_COMPILER_ID}: configure with --preset fuzz.")
  endif()
  ringside_compile_options(-fsanitize=fuzzer-no-link)
endif()

function(ringside_print_summary)
  message(STATUS "Ringside ${PROJECT_VERSION}: core, simulator, terminal program"
                 " (${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION})")
  foreach(name IN LISTS ringside_features)
    message(STATUS "  ${ringside_state_${name}}")
  endforeach()
endfunction()
