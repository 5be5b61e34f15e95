# find_package(ASC): the language ASC for project() and enable_language(). It lies in <toolkit>/lib64/cmake/asc.
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/modules")
set(ASC_FOUND TRUE)
