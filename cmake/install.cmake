# cmake --install: the headers, the library, and the files by which other projects find them, with
# CMake (heed-config.cmake) or pkg-config (heed.pc).
include(CMakePackageConfigHelpers)

set(heed_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heed)
set(heed_pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set_target_properties(heed PROPERTIES VERSION ${PROJECT_VERSION}
                                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Only what is listed is for others; the rest may change at any time.
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt heed_public_headers)
foreach(header ${heed_public_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(TARGETS heed EXPORT heed-targets)
install(EXPORT heed-targets NAMESPACE heed:: DESTINATION ${heed_package_dir})

# Whoever links libheed.a also links what it uses, so its package file finds that too.
get_target_property(heed_library_type heed TYPE)
if(heed_library_type STREQUAL STATIC_LIBRARY)
  set(heed_is_static ON)
else()
  set(heed_is_static OFF)
endif()
if(TARGET xsmm::xsmm)
  set(heed_uses_xsmm ON)
else()
  set(heed_uses_xsmm OFF)
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/heed-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/heed-config.cmake
  INSTALL_DESTINATION ${heed_package_dir})
# Before 1.0 a new minor version may change anything.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/heed-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heed-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/heed-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/Findonednn.cmake
              ${PROJECT_SOURCE_DIR}/cmake/Findxsmm.cmake
        DESTINATION ${heed_package_dir})

# heed.pc knows where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH heed_pc_prefix /prefix/${heed_pkgconfig_dir} /prefix)
# Not through the package files of libsndfile and libpng: those name codecs that a program that links
# the shared libraries does not need to have.
set(heed_pc_libraries_private
    "-ldnnl -lsndfile -lsoxr -lkissfft-float -lpng -ljpeg")
if(heed_uses_xsmm)
  # Not through libxsmmnoblas.pc: that puts the archives in an order that does not link.
  string(APPEND heed_pc_libraries_private " -lxsmm -lxsmmnoblas -ldl -lm")
endif()
string(APPEND heed_pc_libraries_private " ${OpenMP_CXX_FLAGS} -pthread")
configure_file(${PROJECT_SOURCE_DIR}/cmake/heed.pc.in ${CMAKE_CURRENT_BINARY_DIR}/heed.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heed.pc DESTINATION ${heed_pkgconfig_dir})

# What cli/CMakeLists.txt lets the program write about itself.
set(heed_words_dir ${PROJECT_BINARY_DIR}/cli)
install(FILES ${heed_words_dir}/heed.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${heed_words_dir}/heed.bash RENAME heed
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${heed_words_dir}/_heed DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
