# What the ops take from the checkout of the repository they lie in (op_flags.cmake finds it).

# L0 functions that the ops' sources call and neither they nor the toolkit define: their sources in the checkout, and
# where there are kernels for them, the whole op directory without its interfaces. The same for interfaces that the ops'
# examples and sources call, and kernels alone of op types that their L0 functions launch.
function(op_resolve_l0)
    list(GET OP_DIRS 0 dir)
    op_checkout(${dir} checkout)
    get_property(sources GLOBAL PROPERTY OP_API_SOURCES)
    get_property(headers GLOBAL PROPERTY OP_API_HEADERS)
    op_glob(examples ${dir}/examples/test_aclnn_*.cpp)
    if(NOT checkout OR NOT (sources OR examples))
        return()
    endif()
    list(JOIN ASCEND_COMPUTE_UNIT "," socs)
    set(arguments)
    # The one that the others build on, and the others; next to it, as directories.
    foreach(name ops-math ops-nn ops-cv ops-transformer)
        get_filename_component(beside ${checkout}/../${name} ABSOLUTE)
        if(IS_DIRECTORY ${beside} AND NOT beside STREQUAL checkout)
            list(APPEND arguments --beside ${beside})
            op_checkout_includes(${beside} includes)
            target_include_directories(op_flags SYSTEM INTERFACE ${includes}) # behind those of the op's own checkout
        endif()
    endforeach()
    target_include_directories(op_flags SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/checkout)
    foreach(source IN LISTS sources)
        list(APPEND arguments --source ${source})
    endforeach()
    foreach(header IN LISTS headers)
        list(APPEND arguments --interface ${header})
    endforeach()
    foreach(op_dir IN LISTS OP_DIRS)
        list(APPEND arguments --op-dir ${op_dir})
    endforeach()
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${examples})
    execute_process(
        COMMAND ${XTASK} opc l0 --checkout ${checkout} --soc ${socs} --root ${ASCEND_HOME_PATH} ${arguments}
            --headers ${CMAKE_BINARY_DIR}/checkout
        OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY
    )
    string(REGEX MATCHALL "[^\n]+" lines "${lines}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^([a-z]+) (.*)$" ignored "${line}")
        if(CMAKE_MATCH_1 STREQUAL "source")
            message(STATUS "L0 functions of ${CMAKE_MATCH_2}")
            op_collect(OP_API_SOURCES ${CMAKE_MATCH_2})
        elseif(CMAKE_MATCH_1 STREQUAL "interface")
            set(header ${CMAKE_MATCH_2})
            message(STATUS "The interface ${header}")
            string(REGEX REPLACE "\\.h$" ".cpp" source ${header})
            op_collect(OP_API_SOURCES ${source})
            get_filename_component(name ${header} NAME)
            if(NOT "${headers};" MATCHES "/${name};") # the op may have a copy
                op_collect(OP_API_HEADERS ${header})
            endif()
        elseif(CMAKE_MATCH_1 STREQUAL "infer")
            op_collect(OP_INFER_SOURCES ${CMAKE_MATCH_2})
        else()
            set(what ${CMAKE_MATCH_1})
            set(dir ${CMAKE_MATCH_2})
            get_filename_component(name ${dir} NAME)
            if(what STREQUAL "kernels")
                get_property(known GLOBAL PROPERTY OP_DIR_${name})
                if(known)
                    continue() # a dependency
                endif()
                set_property(GLOBAL PROPERTY OP_KERNELS_ONLY_${name} TRUE)
                message(STATUS "Kernels of ${dir}")
            else()
                message(STATUS "L0 functions and kernels of ${dir}")
            endif()
            set_property(GLOBAL PROPERTY OP_L0_ONLY_${name} TRUE)
            op_add_directory(${dir})
        endif()
    endforeach()
endfunction()

# Sources of the checkout's common/src, common/src/op_host and <category>/common/op_host that the ops' host sources need;
# interfaces have those of common/src and <category>/common/op_host/op_api.
function(op_common_sources)
    list(GET OP_DIRS 0 dir)
    op_checkout(${dir} checkout)
    if(NOT checkout)
        return()
    endif()
    get_property(api GLOBAL PROPERTY OP_API_SOURCES)
    get_property(tiling GLOBAL PROPERTY OP_TILING_SOURCES)
    get_property(infer GLOBAL PROPERTY OP_INFER_SOURCES)
    op_common_of(${checkout} found ${tiling} ${infer})
    op_collect(OP_TILING_SOURCES ${found})
    op_common_of(${checkout} found ${api})
    list(FILTER found INCLUDE REGEX "/common/(src/[^/]*|op_host/op_api/[^/]*)$")
    op_collect(OP_API_SOURCES ${found})
    set_source_files_properties(${found} PROPERTIES COMPILE_OPTIONS -UOP_LOG_LIBOPAPI_ONLY) # as upstream
endfunction()

function(op_common_of checkout result)
    set(arguments)
    foreach(source IN LISTS ARGN)
        list(APPEND arguments --source ${source})
    endforeach()
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
    execute_process(
        COMMAND ${XTASK} opc common --checkout ${checkout} ${arguments}
        OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY
    )
    string(REGEX MATCHALL "[^\n]+" sources "${lines}")
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Sources of another checkout find its headers before those of the ops' own: both have a util/shape_util.h, each with the
# namespace of its repository.
function(op_foreign_sources)
    list(GET OP_DIRS 0 dir)
    op_checkout(${dir} own)
    foreach(source IN LISTS ARGN)
        op_checkout(${source} checkout)
        if(own AND checkout AND NOT checkout STREQUAL own)
            op_checkout_includes(${checkout} includes)
            set_source_files_properties(${source} PROPERTIES INCLUDE_DIRECTORIES "${includes}"
                COMPILE_OPTIONS -Wno-error) # the warnings of its headers are its authors'
        endif()
    endforeach()
endfunction()
