"""The builder that torch_npu's Inductor back end `ascendc` calls, as a recorder: it keeps what a program builds."""
