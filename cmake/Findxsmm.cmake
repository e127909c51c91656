# libxsmm, which exists for x86-64 only. Defines xsmm::xsmm.
find_path(xsmm_INCLUDE_DIR libxsmm.h)
find_library(xsmm_LIBRARY xsmm)
find_library(xsmm_NOBLAS_LIBRARY xsmmnoblas)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xsmm REQUIRED_VARS xsmm_LIBRARY xsmm_NOBLAS_LIBRARY xsmm_INCLUDE_DIR)
if(xsmm_FOUND AND NOT TARGET xsmm::xsmm)
  find_package(Threads REQUIRED)
  add_library(xsmm::xsmm UNKNOWN IMPORTED)
  set_target_properties(
    xsmm::xsmm
    PROPERTIES IMPORTED_LOCATION ${xsmm_LIBRARY}
               INTERFACE_INCLUDE_DIRECTORIES ${xsmm_INCLUDE_DIR}
               INTERFACE_LINK_LIBRARIES "${xsmm_NOBLAS_LIBRARY};Threads::Threads;${CMAKE_DL_LIBS};m")
endif()
