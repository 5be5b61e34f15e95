# opbuild(<definition>...): op info libraries, aclnn interfaces and prototypes, in ASCEND_AUTOGEN_PATH.
function(opbuild)
    set(library ${ASCEND_AUTOGEN_PATH}/libascend_all_ops.so)
    execute_process(
        COMMAND ${CMAKE_CXX_COMPILER} -std=c++11 -g -fPIC -shared -D_GLIBCXX_USE_CXX11_ABI=0 ${ARGN}
            -I ${ASCEND_CANN_PACKAGE_PATH}/include -I ${CMAKE_SOURCE_DIR}/op_kernel
            -L ${ASCEND_CANN_PACKAGE_PATH}/lib64 -lexe_graph -lregister -ltiling_api -o ${library}
        RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "the definitions do not compile")
    endif()
    execute_process(
        COMMAND ${ASCEND_CANN_PACKAGE_PATH}/toolkit/tools/opbuild/op_build ${library} ${ASCEND_AUTOGEN_PATH}
        RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "op_build refuses the definitions")
    endif()
endfunction()

# Op info library and kernels of a compute unit.
function(add_kernels unit)
    set(ini ${ASCEND_AUTOGEN_PATH}/aic-${unit}-ops-info.ini)
    set(json ${CMAKE_CURRENT_BINARY_DIR}/config/${unit}/aic-${unit}-ops-info.json)
    set(kernels ${CMAKE_CURRENT_BINARY_DIR}/kernel)
    set(script ${ASCEND_PYTHON_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/util/kernels.py)
    add_custom_command(OUTPUT ${json} COMMAND ${script} info ${ini} ${json} DEPENDS ${ini} VERBATIM)
    add_custom_target(ops_info_${unit} ALL DEPENDS ${json})
    add_custom_target(kernels_${unit}
        COMMAND ${script} compile ${json} ${unit} ${CMAKE_CURRENT_SOURCE_DIR} $<TARGET_FILE:cust_optiling> ${kernels}
        DEPENDS ${json} cust_optiling
        VERBATIM)
    add_dependencies(binary kernels_${unit})
    install(FILES ${json} DESTINATION ${TBE_DIR}/config/${unit})
    install(DIRECTORY ${kernels} DESTINATION ${TBE_DIR})
endfunction()
