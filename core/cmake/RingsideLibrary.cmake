# ringside_library(core|sim SOURCES... LINK targets...): static library ringside_NAME, exported as
# ringside::NAME. All headers of the room are its public, self-sufficient interface.
function(ringside_library room)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp)
  set(target ringside_${room})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(ringside::${room} ALIAS ${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}
                                  FILES ${headers})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${arg_LINK}
                                  PRIVATE $<BUILD_INTERFACE:ringside_parsing> fmt::fmt
                                          pugixml::pugixml)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room} POSITION_INDEPENDENT_CODE ON)
  install(TARGETS ${target} EXPORT ringside
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ringside)
endfunction()

# A program that calls libraries which leak: under AddressSanitizer only our own leaks count.
function(ringside_forgive_libraries program)
  if(RINGSIDE_SANITIZERS MATCHES address)
    target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/core/cmake/leaks_of_libraries.cpp)
  endif()
endfunction()

# find_package(ringside) finds ringside::core and ringside::sim.
function(ringside_install_package)
  include(CMakePackageConfigHelpers)
  set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/ringside)
  install(EXPORT ringside NAMESPACE ringside:: DESTINATION ${destination}
          FILE ringside-targets.cmake)
  file(CONFIGURE OUTPUT ringside-config.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(tl-expected)
find_dependency(fmt)
find_dependency(pugixml)
include(${CMAKE_CURRENT_LIST_DIR}/ringside-targets.cmake)
]])
  write_basic_package_version_file(ringside-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ringside-config.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/ringside-config-version.cmake
          DESTINATION ${destination})
endfunction()
