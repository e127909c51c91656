# oneDNN's own package file asks for OpenCL's headers, which heed does not need. Defines onednn::onednn.
find_path(onednn_INCLUDE_DIR dnnl.h)
find_library(onednn_LIBRARY dnnl)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(onednn REQUIRED_VARS onednn_LIBRARY onednn_INCLUDE_DIR)
if(onednn_FOUND AND NOT TARGET onednn::onednn)
  add_library(onednn::onednn UNKNOWN IMPORTED)
  set_target_properties(
    onednn::onednn PROPERTIES IMPORTED_LOCATION ${onednn_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${onednn_INCLUDE_DIR})
endif()
