# It came with the toolkit.
set(CMAKE_ASC_COMPILER_WORKS 1 CACHE INTERNAL "")
