# Tiling data described with BEGIN_TILING_DATA_DEF: a header with the structs a kernel reads, made from the library with
# the op's tiling functions.

# result: the header, empty when the op describes none.
function(op_tiling_structs name library result)
    set(${result} "" PARENT_SCOPE)
    get_property(dir GLOBAL PROPERTY OP_DIR_${name})
    get_property(type GLOBAL PROPERTY OP_TYPE_${name})
    set(described FALSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/op_host/*.h ${dir}/op_host/*.cpp ${dir}/op_kernel/*.h)
    foreach(source IN LISTS sources)
        file(STRINGS ${source} found REGEX "REGISTER_TILING_DATA_CLASS" LIMIT_COUNT 1)
        if(found)
            set(described TRUE)
            break()
        endif()
    endforeach()
    # One header may describe those of several ops (ops-nn activation/swi_glu, foreach/foreach_utils).
    get_property(tiling GLOBAL PROPERTY OP_TILING_SOURCES)
    list(TRANSFORM tiling REPLACE "/[^/]*$" "")
    list(REMOVE_DUPLICATES tiling)
    foreach(place IN LISTS tiling)
        if(NOT described)
            file(GLOB sources CONFIGURE_DEPENDS ${place}/*.h ${place}/*.cpp)
            foreach(source IN LISTS sources)
                file(STRINGS ${source} found REGEX "REGISTER_TILING_DATA_CLASS\\( *${type} *," LIMIT_COUNT 1)
                if(found)
                    set(described TRUE)
                endif()
            endforeach()
        endif()
    endforeach()
    if(NOT described AND type)
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/op_host/*.h ${dir}/op_host/*.cpp)
        op_described_elsewhere(${dir} ${type} "${sources}" described)
    endif()
    if(NOT described OR NOT type)
        return()
    endif()
    set(header ${CMAKE_BINARY_DIR}/autogen/${name}/${name}_tiling_structs.h)
    add_custom_command(
        OUTPUT ${header}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/autogen/${name}
        COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${ASCEND_HOME_PATH}/lib64
            ${ASCEND_HOME_PATH}/tools/opbuild/tiling_structs $<TARGET_FILE:${library}> ${type} ${header}.new
        COMMAND ${CMAKE_COMMAND} -E copy_if_different ${header}.new ${header}
        DEPENDS ${library} ${ASCEND_HOME_PATH}/tools/opbuild/tiling_structs
        COMMENT "tiling structs of ${name}"
        VERBATIM
    )
    set(${result} ${header} PARENT_SCOPE)
endfunction()

# Whether a header of another operator that these sources include describes the data of both.
function(op_described_elsewhere dir type sources result)
    set(${result} FALSE PARENT_SCOPE)
    op_checkout(${dir} checkout)
    foreach(source IN LISTS sources)
        get_filename_component(beside ${source} DIRECTORY)
        file(STRINGS ${source} lines REGEX "^ *# *include +\"[^\"]*/op_host/")
        foreach(line IN LISTS lines)
            string(REGEX MATCH "\"([^\"]+)\"" ignored "${line}")
            foreach(header ${beside}/${CMAKE_MATCH_1} ${checkout}/${CMAKE_MATCH_1})
                if(EXISTS ${header})
                    file(STRINGS ${header} found REGEX "REGISTER_TILING_DATA_CLASS\\( *${type} *," LIMIT_COUNT 1)
                    if(found)
                        set(${result} TRUE PARENT_SCOPE)
                        return()
                    endif()
                endif()
            endforeach()
        endforeach()
    endforeach()
endfunction()
