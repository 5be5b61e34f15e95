# The compiler of this toolkit, whatever lies in PATH.
get_filename_component(asc_root "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
set(CMAKE_ASC_COMPILER "${asc_root}/bin/bisheng" CACHE FILEPATH "Compiler of Ascend C")
mark_as_advanced(CMAKE_ASC_COMPILER)
if(NOT EXISTS "${CMAKE_ASC_COMPILER}")
    message(FATAL_ERROR "${CMAKE_ASC_COMPILER} does not exist: `cargo xtask build` completes the toolkit")
endif()
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in"
    "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
