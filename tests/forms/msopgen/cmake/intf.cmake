# What every library of the package is compiled and linked with.
add_library(intf_pub INTERFACE)
target_compile_features(intf_pub INTERFACE cxx_std_11)
target_compile_options(intf_pub INTERFACE -fPIC -fvisibility=hidden -fstack-protector-strong)
target_compile_definitions(intf_pub INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
target_include_directories(intf_pub INTERFACE ${ASCEND_CANN_PACKAGE_PATH}/include ${CMAKE_SOURCE_DIR}/op_kernel)
target_link_directories(intf_pub INTERFACE ${ASCEND_CANN_PACKAGE_PATH}/lib64)
target_link_options(intf_pub INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)

# Definitions, tiling and inference: the registry belongs to the library as a whole.
add_library(intf_host INTERFACE)
target_link_libraries(intf_host INTERFACE
    intf_pub exe_graph register tiling_api -Wl,--whole-archive rt2_registry -Wl,--no-whole-archive)
