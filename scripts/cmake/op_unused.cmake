# Commands of an op's CMakeLists.txt that have nothing to do here.

# Upstream makes these targets with the first source; here they are there from the start (op_begin).
function(add_tiling_modules)
endfunction()
function(add_infer_modules)
endfunction()
function(add_opapi_modules)
endfunction()
function(add_aicpu_kernel_modules)
endfunction()
# Bookkeeping of upstream's build.
function(add_op_to_compiled_list)
endfunction()
# Build knobs of upstream that change nothing for kernels that run on the host.
function(add_ops_compile_options)
endfunction()
function(add_graph_plugin_sources)
endfunction()
function(add_op_graph_sources)
endfunction()
function(add_onnx_plugin_sources)
endfunction()
function(add_tf_plugin_sources)
endfunction()
# A directory that adds tests/ with the others; unit tests have a build of their own (op_ut.cmake).
function(add_modules_ut_sources)
endfunction()
# A list of ops and their dependencies that upstream's build reads; an op's op_graph/CMakeLists.txt may add to it, and
# without a name it would write into its own directory.
set(ASCEND_SUB_CONFIG_PATH ${CMAKE_BINARY_DIR}/ops_config.txt)
