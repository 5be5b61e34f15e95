# How tests and their harness are compiled; ASCEND_HOME_PATH and OP_DEBUG as in CMakeLists.txt.

if(NOT OP_DEBUG)
    set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1") # built more often than run; a debugger wants OP_DEBUG
endif()
set(ut_source_dir ${CMAKE_CURRENT_LIST_DIR}/src)
set(ut_include_dir ${CMAKE_CURRENT_LIST_DIR}/include)

include(${CMAKE_CURRENT_LIST_DIR}/gtest/gtest.cmake)

# Tests see the op's own private parts, as upstream's do. SYSTEM: warnings are about the tests, not the harness.
add_library(ut_flags INTERFACE)
target_include_directories(ut_flags SYSTEM INTERFACE
    ${gtest_include_dirs}
    ${ut_include_dir}
    ${ut_include_dir}/common
    ${ut_include_dir}/op_kernel
    ${ASCEND_HOME_PATH}/include/base/context_builder
    ${ASCEND_HOME_PATH}/include
    ${ASCEND_HOME_PATH}/include/aclnn
    ${ASCEND_HOME_PATH}/include/aclnnop
    ${ASCEND_HOME_PATH}/include/exe_graph
    ${ASCEND_HOME_PATH}/include/tiling
    ${ASCEND_HOME_PATH}/include/op_common
    ${ASCEND_HOME_PATH}/include/op_common/op_host
)
target_compile_options(ut_flags INTERFACE -Wall -Wextra -fno-access-control)
target_compile_definitions(ut_flags INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
target_link_directories(ut_flags INTERFACE ${ASCEND_HOME_PATH}/lib64)
target_link_options(ut_flags INTERFACE -Wl,-rpath-link=${ASCEND_HOME_PATH}/lib64)
target_link_libraries(ut_flags INTERFACE -lnnopbase -lascendcl ${CMAKE_DL_LIBS} Threads::Threads)
