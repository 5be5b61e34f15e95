"""The module that torch_npu's Inductor back end `ascendc` asks for kernels: graphs are built here and become Ascend C by
`libautofuse.so`. `cargo xtask torch run` lets torch find both; docs/reference/ascgraph.md says what it can do.
"""
