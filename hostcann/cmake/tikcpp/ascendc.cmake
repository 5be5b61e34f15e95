# ascendc_library() and the functions next to it: libraries of kernels that a host program launches by
# ACLRT_LAUNCH_KERNEL(kernel)(blocks, stream, ...). RUN_MODE cpu, sim and npu are the same here.
include_guard(GLOBAL)

set(hostcann_root "${CMAKE_CURRENT_LIST_DIR}")
while(NOT EXISTS "${hostcann_root}/hostcann.toml")
    get_filename_component(hostcann_up "${hostcann_root}" DIRECTORY)
    if(hostcann_up STREQUAL hostcann_root)
        message(FATAL_ERROR "${CMAKE_CURRENT_LIST_DIR} lies in no toolkit: no directory above it has hostcann.toml")
    endif()
    set(hostcann_root "${hostcann_up}")
endwhile()
set(HOSTCANN_LIBRARY_ROOT "${hostcann_root}" CACHE INTERNAL "The toolkit of ascendc_library")

if(SOC_VERSION AND NOT SOC_VERSION MATCHES "^[Aa]scend910(b|B|_93)")
    message(FATAL_ERROR
        "SOC_VERSION=${SOC_VERSION}: hostcann models the vector cores of Ascend910B and Ascend910_93; pass -DSOC_VERSION=Ascend910B1")
endif()

# What host programs of the samples link.
if(NOT TARGET host_intf_pub)
    add_library(host_intf_pub INTERFACE)
    target_include_directories(host_intf_pub INTERFACE "${hostcann_root}/include")
    target_link_libraries(host_intf_pub INTERFACE
        "${hostcann_root}/lib64/libascendcl.so" "${hostcann_root}/lib64/libnnopbase.so")
endif()

# Compiles ${sources} into ${objects} with the definitions, directories and options of the target ${name}; ${launch} says how
# their kernels are launched.
macro(hostcann_compile_kernels)
    if(POLICY CMP0116)
        cmake_policy(SET CMP0116 NEW)
    endif()
    set(bisheng "${HOSTCANN_LIBRARY_ROOT}/bin/bisheng")
    set(work "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels")
    file(MAKE_DIRECTORY "${work}")

    set(directories "$<FILTER:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>,EXCLUDE,^$>")
    set(definitions "$<FILTER:$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>,EXCLUDE,^$>")
    set(options "$<TARGET_GENEX_EVAL:${name},$<TARGET_PROPERTY:${name},HOSTCANN_KERNEL_OPTIONS>>")
    set(objects)
    set(number 0)
    foreach(source IN LISTS sources)
        get_filename_component(source "${source}" ABSOLUTE)
        get_filename_component(stem "${source}" NAME)
        set(object "${work}/${number}_${stem}.o")
        math(EXPR number "${number} + 1")
        set(depfile)
        set(depfile_flags)
        if(NOT CMAKE_VERSION VERSION_LESS 3.20)
            set(depfile DEPFILE "${object}.d")
            set(depfile_flags -MD -MT "${object}" -MF "${object}.d")
        endif()
        add_custom_command(OUTPUT "${object}"
            # Unqualified calls with template arguments, which the device's compiler takes, are C++20 for g++.
            COMMAND "${bisheng}" -std=c++20
                "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
                "$<$<BOOL:${directories}>:-I$<JOIN:${directories},;-I>>"
                "${options}" ${depfile_flags} "${launch}"
                -c --asc-aicore-lang "${source}" -o "${object}"
            DEPENDS "${source}" "${bisheng}"
            ${depfile}
            COMMENT "Kernels of ${stem}"
            COMMAND_EXPAND_LISTS VERBATIM)
        list(APPEND objects "${object}")
    endforeach()
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
endmacro()

function(ascendc_library name type)
    string(TOUPPER "${type}" type)
    if(NOT type MATCHES "^(SHARED|STATIC|OBJECT)$")
        message(FATAL_ERROR
            "ascendc_library(${name} ${type}): expected SHARED, STATIC or OBJECT after the name of the library")
    endif()
    if(NOT ARGN)
        message(FATAL_ERROR "ascendc_library(${name} ${type}): expected source files of kernels after the type")
    endif()
    set(headers "${CMAKE_BINARY_DIR}/include/${name}")
    file(MAKE_DIRECTORY "${headers}")
    set(sources ${ARGN})
    set(launch "--asc-launch-headers=${headers}")
    hostcann_compile_kernels()

    add_library(${name} ${type} ${objects})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    set_property(TARGET ${name} APPEND PROPERTY LINK_LIBRARIES
        "${HOSTCANN_LIBRARY_ROOT}/lib64/libascendcl.so" "${HOSTCANN_LIBRARY_ROOT}/lib64/libnnopbase.so")
    set_property(TARGET ${name} APPEND PROPERTY INTERFACE_LINK_LIBRARIES "$<BUILD_INTERFACE:host_intf_pub>")
    set_property(TARGET ${name} APPEND PROPERTY INTERFACE_LINK_DIRECTORIES
        "$<BUILD_INTERFACE:${HOSTCANN_LIBRARY_ROOT}/lib64>")
    set_property(TARGET ${name} APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${headers}>")
    if(type STREQUAL "OBJECT")
        # CMake gives whoever links an OBJECT library the objects that it compiles, not these.
        set_property(TARGET ${name} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${objects})
    else()
        install(TARGETS ${name} LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
    endif()
    install(DIRECTORY "${headers}" DESTINATION include)
endfunction()

# The words after an optional scope.
macro(hostcann_without_scope)
    set(words ${ARGN})
    list(FILTER words EXCLUDE REGEX "^(PRIVATE|PUBLIC|INTERFACE)$")
endmacro()

function(ascendc_compile_definitions name)
    hostcann_without_scope(${ARGN})
    target_compile_definitions(${name} PRIVATE ${words})
endfunction()

function(ascendc_include_directories name)
    hostcann_without_scope(${ARGN})
    target_include_directories(${name} PRIVATE ${words})
endfunction()

# Options of the kernels alone: those of the directory are for the host's compiler.
function(ascendc_compile_options name)
    hostcann_without_scope(${ARGN})
    set_property(TARGET ${name} APPEND PROPERTY HOSTCANN_KERNEL_OPTIONS ${words})
endfunction()

# A file of kernels for aclrtBinaryLoadFromFile: ${CMAKE_INSTALL_PREFIX}/fatbin/NAME/NAME.o.
function(ascendc_fatbin_library name)
    if(NOT ARGN)
        message(FATAL_ERROR "ascendc_fatbin_library(${name}): expected source files of kernels after the name")
    endif()
    set(sources ${ARGN})
    set(launch "--asc-kernel-binary")
    hostcann_compile_kernels()
    add_library(${name} MODULE ${objects})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX PREFIX "" SUFFIX ".o"
        LIBRARY_OUTPUT_DIRECTORY "${CMAKE_INSTALL_PREFIX}/fatbin/${name}")
    set_property(TARGET ${name} APPEND PROPERTY LINK_LIBRARIES
        "${HOSTCANN_LIBRARY_ROOT}/lib64/libascendcl.so" "${HOSTCANN_LIBRARY_ROOT}/lib64/libnnopbase.so")
endfunction()
