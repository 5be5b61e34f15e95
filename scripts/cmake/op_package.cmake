# Turns the collected sources into packages/vendors/<vendor>_math, the tree that goes into the package.

set(vendor_dir ${CMAKE_BINARY_DIR}/packages/vendors/${VENDOR_NAME}_math)
set(tbe_dir ${vendor_dir}/op_impl/ai_core/tbe)
set(host_arch ${CMAKE_HOST_SYSTEM_PROCESSOR})

# Says why: a definition may be there whose CMakeLists.txt says nothing, or something about another directory.
function(op_nothing_registered)
    foreach(dir IN LISTS OP_DIRS)
        file(GLOB defs ${dir}/op_host/*_def*.cpp)
        if(defs)
            message(FATAL_ERROR "${dir}: no operator is registered, although there is ${defs}. Its CMakeLists.txt has to call "
                                "add_modules_sources(OPTYPE <name> ...) from the operator's own directory")
        endif()
    endforeach()
    message(FATAL_ERROR "no op_host/*_def*.cpp in ${OP_DIRS}")
endfunction()

function(op_finish)
    op_resolve_l0()
    op_check_definitions()
    op_common_sources()
    op_collect(OP_AICPU_SOURCES ${OP_AICPU_KERNELS})
    op_host_libraries()
    op_public_headers()
    get_property(names GLOBAL PROPERTY OP_NAMES)
    get_property(aicpu GLOBAL PROPERTY OP_AICPU_SOURCES)
    if(NOT names AND NOT aicpu)
        op_nothing_registered()
    endif()
    set(all_inis)
    set(all_stamps)
    foreach(name IN LISTS names)
        op_info(${name} inis)
        op_kernels(${name} "${inis}" stamp)
        list(APPEND all_inis ${inis})
        list(APPEND all_stamps ${stamp})
    endforeach()
    if(names)
        op_metadata("${all_inis}" "${all_stamps}")
    endif()
    op_remove_leftovers()
endfunction()

# op_library(<target> <flags> <file> <directory> <object library>...)
function(op_library target flags output dir)
    set(objects)
    foreach(library IN LISTS ARGN)
        list(APPEND objects $<TARGET_OBJECTS:${library}>)
    endforeach()
    add_library(${target} SHARED ${objects})
    target_link_libraries(${target} PRIVATE ${flags})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output} LIBRARY_OUTPUT_DIRECTORY ${dir})
endfunction()

function(op_host_libraries)
    get_property(api GLOBAL PROPERTY OP_API_SOURCES)
    get_property(tiling GLOBAL PROPERTY OP_TILING_SOURCES)
    get_property(infer GLOBAL PROPERTY OP_INFER_SOURCES)
    op_foreign_sources(${api} ${tiling} ${infer})
    op_fill(opapi has_api ${api})
    op_fill(tiling has_tiling ${tiling})
    op_fill(infer has_infer ${infer})
    if(has_api)
        op_library(cust_opapi op_api_flags cust_opapi ${vendor_dir}/op_api/lib ${OPHOST_NAME}_opapi_obj)
    endif()
    if(has_tiling OR has_infer)
        op_library(cust_opmaster op_host_flags cust_opmaster_rt2.0
            ${tbe_dir}/op_tiling/lib/linux/${host_arch} ${OPHOST_NAME}_tiling_obj ${OPHOST_NAME}_infer_obj)
    endif()
    if(has_infer)
        op_library(cust_opsproto op_host_flags cust_opsproto_rt2.0 ${vendor_dir}/op_proto/lib/linux/${host_arch}
            ${OPHOST_NAME}_infer_obj)
    endif()
    get_property(aicpu GLOBAL PROPERTY OP_AICPU_SOURCES)
    op_fill(aicpu has_aicpu ${aicpu})
    if(has_aicpu)
        op_library(cust_aicpu op_aicpu_flags ${PKG_NAME}_aicpu_kernels ${vendor_dir}/op_impl/cpu/aicpu_kernel/impl
            ${OPHOST_NAME}_aicpu_obj)
    else()
        file(REMOVE_RECURSE ${vendor_dir}/op_impl/cpu)
    endif()
    if(TARGET cust_opmaster)
        add_custom_command(TARGET cust_opmaster POST_BUILD
            COMMAND ${CMAKE_COMMAND} -E create_symlink lib/linux/${host_arch}/libcust_opmaster_rt2.0.so
                ${tbe_dir}/op_tiling/liboptiling.so
        )
    endif()
endfunction()

# Headers lie flat in op_api/include, with one master header over all of them.
function(op_public_headers)
    get_property(headers GLOBAL PROPERTY OP_API_HEADERS)
    get_property(protos GLOBAL PROPERTY OP_PROTO_HEADERS)
    string(TOUPPER "ACLNN_OPS_MATH_${VENDOR_NAME}_H" guard)
    set(master "#ifndef ${guard}\n#define ${guard}\n\n")
    foreach(header IN LISTS headers)
        get_filename_component(file ${header} NAME)
        string(APPEND master "#include \"${file}\"\n")
    endforeach()
    string(APPEND master "\n#endif\n")
    file(CONFIGURE OUTPUT ${vendor_dir}/op_api/include/aclnn_ops_math_${VENDOR_NAME}.h CONTENT "${master}" @ONLY)
    op_keep(op_api/include/aclnn_ops_math_${VENDOR_NAME}.h)
    op_copy(op_api/include ${headers})
    op_copy(op_proto/inc ${protos})
endfunction()

# Copies files into a directory of the package during the build.
function(op_copy where)
    foreach(file IN LISTS ARGN)
        get_filename_component(name ${file} NAME)
        get_property(taken GLOBAL PROPERTY OP_COPY_${where}/${name})
        if(taken)
            message(FATAL_ERROR "${taken} and ${file} would both be installed as ${where}/${name}")
        endif()
        set_property(GLOBAL PROPERTY OP_COPY_${where}/${name} ${file})
        add_custom_command(
            OUTPUT ${vendor_dir}/${where}/${name}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${vendor_dir}/${where}
            COMMAND ${CMAKE_COMMAND} -E copy_if_different ${file} ${vendor_dir}/${where}/${name}
            DEPENDS ${file}
            VERBATIM
        )
        string(MAKE_C_IDENTIFIER "copy_${where}_${name}" target)
        add_custom_target(${target} ALL DEPENDS ${vendor_dir}/${where}/${name})
        op_keep(${where}/${name})
    endforeach()
endfunction()

function(op_keep)
    set_property(GLOBAL APPEND PROPERTY OP_KEPT ${ARGN})
endfunction()

# Copied files whose source has gone.
function(op_remove_leftovers)
    get_property(kept GLOBAL PROPERTY OP_KEPT)
    file(GLOB_RECURSE there RELATIVE ${vendor_dir}
        ${vendor_dir}/op_api/include/* ${vendor_dir}/op_proto/inc/* ${tbe_dir}/${VENDOR_NAME}_math_impl/*)
    foreach(file IN LISTS there)
        if(NOT file IN_LIST kept)
            file(REMOVE ${vendor_dir}/${file})
        endif()
    endforeach()
endfunction()

# Definition -> plugin -> op_build -> aic-<soc>-ops-info.ini. Result: a list of <soc>=<file>.
function(op_info name result)
    get_property(defs GLOBAL PROPERTY OP_DEFS_${name})
    op_configured_socs("${defs}" socs)
    op_conditional_socs("${defs}" conditional)
    # The definition is read by op_build only and stays out of the package.
    add_library(op_def_${name} SHARED ${defs})
    target_link_libraries(op_def_${name} PRIVATE op_flags)
    get_property(project GLOBAL PROPERTY OP_ACLNN_PROJECT_${name})
    get_property(generated GLOBAL PROPERTY OP_ACLNN_FILES_${name})
    set(dir ${CMAKE_BINARY_DIR}/autogen/${name})
    set(fresh ${dir}/new)
    set(generate 0)
    set(files)
    set(pairs)
    set(copies)
    foreach(file IN LISTS generated)
        set(generate 1)
        get_filename_component(base ${file} NAME)
        list(APPEND files ${file})
        list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy_if_different ${fresh}/${base} ${file})
    endforeach()
    foreach(soc IN LISTS socs)
        if(soc IN_LIST conditional AND NOT soc IN_LIST ASCEND_COMPUTE_UNIT)
            continue()
        endif()
        set(ini aic-${soc}-ops-info.ini)
        list(APPEND files ${dir}/${ini})
        list(APPEND pairs ${soc}=${dir}/${ini})
        list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy_if_different ${fresh}/${ini} ${dir}/${ini})
    endforeach()
    # op_build writes beside the real files: an unchanged ini keeps its time and nothing behind it runs.
    add_custom_command(
        OUTPUT ${files}
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${fresh}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${fresh}
        COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${ASCEND_HOME_PATH}/lib64
            OPS_PROTO_SEPARATE=1 OPS_PROJECT_NAME=${project} OPS_ACLNN_GEN=${generate}
            OPS_PRODUCT_NAME=${VENDOR_NAME} ${ASCEND_HOME_PATH}/tools/opbuild/op_build $<TARGET_FILE:op_def_${name}> ${fresh}
        ${copies}
        DEPENDS op_def_${name} ${ASCEND_HOME_PATH}/tools/opbuild/op_build
        COMMENT "op_build ${name}"
        VERBATIM
    )
    add_custom_target(op_info_${name} ALL DEPENDS ${files})
    if(NOT TARGET op_infos)
        add_custom_target(op_infos)
    endif()
    add_dependencies(op_infos op_info_${name})
    set(${result} ${pairs} PARENT_SCOPE)
endfunction()

# Kernels of one op, for every SoC that was asked for.
function(op_kernels name inis result)
    get_property(dir GLOBAL PROPERTY OP_DIR_${name})
    set(work ${CMAKE_BINARY_DIR}/kernels/${name})
    set(stamp ${work}.stamp)
    set(ini_args)
    set(ini_files)
    set(units)
    foreach(pair IN LISTS inis)
        string(REGEX MATCH "^([^=]+)=(.*)$" ignored "${pair}")
        list(APPEND ini_args --def-ini ${pair})
        list(APPEND ini_files ${CMAKE_MATCH_2})
        if(CMAKE_MATCH_1 IN_LIST ASCEND_COMPUTE_UNIT)
            set(unit ${CMAKE_MATCH_1})
            list(APPEND units --soc ${unit})
            op_combinations(${dir} ${unit} combinations)
            list(APPEND units ${combinations})
            get_property(source GLOBAL PROPERTY OP_KERNEL_SRC_${name}_${unit})
            if(source)
                list(APPEND units --kernel-src ${unit}=${dir}/op_kernel/${source})
            endif()
            get_property(options GLOBAL PROPERTY OP_KERNEL_OPTIONS_${name}_${unit})
            foreach(option IN LISTS options)
                list(APPEND units --option=${option})
            endforeach()
        endif()
    endforeach()
    if(NOT units)
        message(FATAL_ERROR "${name} has no AddConfig for any of ${ASCEND_COMPUTE_UNIT}")
    endif()
    foreach(definition IN LISTS OP_DEFINITIONS)
        list(APPEND units --option=-D${definition})
    endforeach()
    get_property(combination_files GLOBAL PROPERTY OP_COMBINATION_FILES_${name})
    set(structs)
    if(TARGET cust_opmaster)
        op_tiling_structs(${name} cust_opmaster structs)
    endif()
    set(struct_args)
    if(structs)
        set(struct_args --tiling-structs ${structs})
    endif()
    set(debug_arg)
    if(OP_DEBUG)
        set(debug_arg --debug)
    endif()
    op_checkout(${dir} checkout)
    # Kernels name opbase's helpers as op_kernel/<file>.
    set(include_args --include ${ASCEND_HOME_PATH}/include/op_common)
    if(checkout)
        op_checkout_includes(${checkout} includes)
        foreach(include IN LISTS includes ITEMS ${checkout}/common/include/op_kernel)
            list(APPEND include_args --include ${include})
        endforeach()
    endif()
    add_custom_command(
        OUTPUT ${stamp}
        COMMAND ${XTASK} opc kernel ${ini_args} ${units} --kernel-dir ${dir}/op_kernel --out ${tbe_dir} --work ${work}
            --root ${ASCEND_HOME_PATH} --depfile ${work}.d --stamp ${stamp} ${struct_args} ${include_args} ${debug_arg}
        DEPENDS ${ini_files} ${KERNEL_COMPILER_STAMP} ${structs} ${combination_files}
        DEPFILE ${work}.d
        COMMENT "kernels of ${name}"
        VERBATIM
    )
    add_custom_target(op_kernels_${name} ALL DEPENDS ${stamp})

    # Kernel sources travel with the package; binaries of this package come from them.
    file(GLOB_RECURSE sources RELATIVE ${dir}/op_kernel CONFIGURE_DEPENDS ${dir}/op_kernel/*.h ${dir}/op_kernel/*.cpp)
    foreach(source IN LISTS sources)
        get_filename_component(below ${source} DIRECTORY)
        set(where op_impl/ai_core/tbe/${VENDOR_NAME}_math_impl/ascendc/${name})
        if(below)
            string(APPEND where /${below})
        endif()
        op_copy(${where} ${dir}/op_kernel/${source})
    endforeach()
    file(CONFIGURE OUTPUT ${tbe_dir}/${VENDOR_NAME}_math_impl/dynamic/${name}.py CONTENT
"# Online compilation needs CANN. This package was built for a host toolkit and holds finished kernels only.
raise RuntimeError('${name}: this package holds host kernels; build it with CANN to compile online')
" @ONLY)
    op_keep(op_impl/ai_core/tbe/${VENDOR_NAME}_math_impl/dynamic/${name}.py)
    set(${result} ${stamp} PARENT_SCOPE)
endfunction()

# The arguments for op_host/config/<soc>/<op>_binary.json, where the op has one; a change of it makes kernels again.
function(op_combinations dir soc result)
    get_filename_component(name ${dir} NAME)
    set(file ${dir}/op_host/config/${soc}/${name}_binary.json)
    set(${result} "" PARENT_SCOPE)
    if(EXISTS ${file})
        set(${result} --combinations ${soc}=${file} PARENT_SCOPE)
        set_property(GLOBAL APPEND PROPERTY OP_COMBINATIONS --combinations ${soc}=${file})
        set_property(GLOBAL APPEND PROPERTY OP_COMBINATION_FILES_${name} ${file})
    endif()
endfunction()

function(op_metadata inis stamps)
    set(ini_args)
    set(ini_files)
    get_property(combinations GLOBAL PROPERTY OP_COMBINATIONS)
    foreach(pair IN LISTS inis)
        string(REGEX REPLACE "^[^=]+=" "" file "${pair}")
        list(APPEND ini_args --def-ini ${pair})
        list(APPEND ini_files ${file})
    endforeach()
    set(stamp ${CMAKE_BINARY_DIR}/metadata.stamp)
    add_custom_command(
        OUTPUT ${stamp}
        COMMAND ${XTASK} opc info ${ini_args} ${combinations} --out ${tbe_dir} --stamp ${stamp}
        DEPENDS ${ini_files} ${stamps} ${KERNEL_COMPILER_STAMP}
        COMMENT "op info library"
        VERBATIM
    )
    add_custom_target(op_metadata ALL DEPENDS ${stamp})
endfunction()
