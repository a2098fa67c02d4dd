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
