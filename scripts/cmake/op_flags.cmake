# Compile and link flags of upstream's host build (ops-math cmake/intf_pub_linux.cmake, cmake/func.cmake).

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(OP_DEBUG)
    set(CMAKE_CXX_FLAGS_RELEASE "-O0 -g")
else()
    set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -gz") # lines for crashes in tiling functions
endif()
# The package must not name a directory of the build machine.
set(CMAKE_SKIP_RPATH ON)

string(TOUPPER "OPS_MATH_${VENDOR_NAME}" submodule_name)

add_library(op_flags INTERFACE)
target_compile_options(op_flags INTERFACE
    -Wall -Wextra -Wshadow -Wformat=2 -Wformat-signedness -Wno-class-memaccess -Werror
    -ftrapv -fstack-protector-all
)
# Log lines name sources without the build machine's directories; a debugger has to find them.
if(NOT OP_DEBUG)
    target_compile_options(op_flags INTERFACE
        -ffile-prefix-map=${CMAKE_BINARY_DIR}= -ffile-prefix-map=${CMAKE_BINARY_DIR}/=
        -ffile-prefix-map=${ASCEND_HOME_PATH}/=)
    foreach(dir IN LISTS OP_DIRS)
        get_filename_component(parent ${dir} DIRECTORY)
        target_compile_options(op_flags INTERFACE -ffile-prefix-map=${parent}/=)
    endforeach()
endif()
target_compile_definitions(op_flags INTERFACE
    _GLIBCXX_USE_CXX11_ABI=0 OP_SUBMOD_NAME="${submodule_name}" ${OP_DEFINITIONS})
# SYSTEM: warnings are about the op, not the toolkit.
target_include_directories(op_flags SYSTEM INTERFACE
    ${ASCEND_HOME_PATH}/include
    ${ASCEND_HOME_PATH}/include/aclnn
    ${ASCEND_HOME_PATH}/include/exe_graph
    ${ASCEND_HOME_PATH}/include/tiling
    ${ASCEND_HOME_PATH}/include/op_common
    ${ASCEND_HOME_PATH}/include/op_common/op_host
    ${ASCEND_HOME_PATH}/include/base # ops-transformer cmake/obj_func.cmake
    ${OP_JSON}
)
# The checkout of an operator repository that an op directory lies in.
function(op_checkout dir result)
    set(${result} "" PARENT_SCOPE)
    while(TRUE)
        get_filename_component(parent ${dir} DIRECTORY)
        if(parent STREQUAL dir)
            return()
        endif()
        set(dir ${parent})
        foreach(mark common/inc/op_host common/inc/op_api common/include)
            if(EXISTS ${dir}/${mark})
                set(${result} ${dir} PARENT_SCOPE)
                return()
            endif()
        endforeach()
    endwhile()
endfunction()
# Its headers, behind most of the toolkit's (cmake/variables.cmake of ops-math and ops-nn).
function(op_checkout_includes checkout result)
    set(found ${checkout})
    foreach(dir common/inc common/inc/op_api common/inc/op_host common/inc/common common/include common/include/op_api
            common/include/op_host utils/inc mc2/common/utils mc2/3rd)
        if(IS_DIRECTORY ${checkout}/${dir})
            list(APPEND found ${checkout}/${dir})
        endif()
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()
foreach(dir IN LISTS OP_DIRS)
    op_checkout(${dir} checkout)
    if(checkout)
        op_checkout_includes(${checkout} includes)
        target_include_directories(op_flags SYSTEM INTERFACE ${includes})
        if(EXISTS ${checkout}/common/src/legacy_common_manager.cpp)
            # ops-nn cmake/func.cmake, for packages of single operators: what the built-in ones share is looked up in a
            # library of theirs; where that is not installed, a log line says so.
            target_compile_definitions(op_flags INTERFACE NN_ENABLE_DLOPEN_LEGACY)
        endif()
    endif()
endforeach()
# And those of its neighbours, by the name of the directory (ops-nn experimental/loss/mse_loss_grad).
foreach(dir IN LISTS OP_DIRS)
    get_filename_component(parent ${dir} DIRECTORY)
    target_include_directories(op_flags SYSTEM INTERFACE ${parent})
endforeach()
# Behind them: ops-nn has an aclnn_util.h of its own (cmake/variables.cmake names no aclnnop).
target_include_directories(op_flags SYSTEM INTERFACE ${ASCEND_HOME_PATH}/include/aclnnop)
target_link_directories(op_flags INTERFACE ${ASCEND_HOME_PATH}/lib64)
# Both stay NEEDED: who opens a package library finds every acl symbol through it.
target_link_options(op_flags INTERFACE
    -Wl,--no-as-needed -Wl,--no-undefined -Wl,-z,relro -Wl,-z,now -Wl,-rpath-link=${ASCEND_HOME_PATH}/lib64
)
target_link_libraries(op_flags INTERFACE -lnnopbase -lascendcl)

add_library(op_api_flags INTERFACE)
target_link_libraries(op_api_flags INTERFACE op_flags)
target_compile_definitions(op_api_flags INTERFACE ACLNN_LOG_FMT_CHECK OP_LOG_LIBOPAPI_ONLY)

add_library(op_host_flags INTERFACE)
target_link_libraries(op_host_flags INTERFACE op_flags)
target_compile_options(op_host_flags INTERFACE -fvisibility=hidden)
target_compile_definitions(op_host_flags INTERFACE google=ascend_private DISABLE_COMPILE_V1)

# Headers of AI CPU kernels have names such as log.h and stand before the others. Warnings are their authors'.
add_library(op_aicpu_flags INTERFACE)
target_include_directories(op_aicpu_flags SYSTEM BEFORE INTERFACE
    ${ASCEND_HOME_PATH}/include/aicpu_common/context
    ${ASCEND_HOME_PATH}/include/aicpu_common/context/common
    ${ASCEND_HOME_PATH}/include/aicpu_common/context/cpu_proto
    ${ASCEND_HOME_PATH}/include/aicpu_common/context/utils
    ${OP_EIGEN}
)
target_link_libraries(op_aicpu_flags INTERFACE op_host_flags)
target_compile_options(op_aicpu_flags INTERFACE -Wno-error -fno-trapv)
