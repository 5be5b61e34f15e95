# find_package(ASC): the language ASC for project() and enable_language(), and npu_op_package() with the functions next to it.
# It lies in <toolkit>/lib64/cmake/asc.
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/modules")
include("${CMAKE_CURRENT_LIST_DIR}/npu_op.cmake")
set(ASC_FOUND TRUE)
