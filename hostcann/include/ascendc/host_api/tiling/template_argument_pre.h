// The macros as text for the kernel compiler. DECL parameters are { name , kind , width , mode , values... }, SEL ones
// { name , kind , mode , values... }; mode is the UINT mode, 1 (a list) for every other kind. A SEL entry whose name is
// not declared (kernel_type, deterministic, tiling_struct) is no part of the key.
#ifndef HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_PRE_H
#define HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_PRE_H

#define ASCENDC_TPL_DTYPE_DECL(x, ...) {x, DTYPE, 8, 1, __VA_ARGS__}
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) {x, DATATYPE, 8, 1, __VA_ARGS__}
#define ASCENDC_TPL_FORMAT_DECL(x, ...) {x, FORMAT, 8, 1, __VA_ARGS__}
#define ASCENDC_TPL_UINT_DECL(x, bw, ...) {x, UINT, bw, __VA_ARGS__}
#define ASCENDC_TPL_BOOL_DECL(x, ...) {x, BOOL, 1, 1, __VA_ARGS__}
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) {x, KERNEL_TYPE, 8, 1, __VA_ARGS__}

#define ASCENDC_TPL_DTYPE_SEL(x, ...) {x, DTYPE, 1, __VA_ARGS__}
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) {x, DATATYPE, 1, __VA_ARGS__}
#define ASCENDC_TPL_FORMAT_SEL(x, ...) {x, FORMAT, 1, __VA_ARGS__}
#define ASCENDC_TPL_UINT_SEL(x, ...) {x, UINT, __VA_ARGS__}
#define ASCENDC_TPL_BOOL_SEL(x, ...) {x, BOOL, 1, __VA_ARGS__}
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) {x, KERNEL_TYPE, 1, __VA_ARGS__}
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) {kernel_type, KERNEL_TYPE, 1, __VA_ARGS__}
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) {deterministic, DETERMINISTIC, 1, __VA_ARGS__}
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) {tiling_struct, TILING_STRUCT, 1, __VA_ARGS__}

// clang-format off
#define ASCENDC_TPL_ARGS_DECL(x, ...) @@HC_TPL_DECL@@(x, __VA_ARGS__) @@END@@
// clang-format on
#define ASCENDC_TPL_ARGS_SEL(...) {__VA_ARGS__}
// clang-format off
#define ASCENDC_TPL_SEL(...) @@HC_TPL_SEL@@(__VA_ARGS__) @@END@@
// clang-format on

// Values are read as numbers, so the names of graph/c_types.h have to be gone by then.
#define C_DT_FLOAT 0
#define C_DT_FLOAT16 1
#define C_DT_INT8 2
#define C_DT_INT32 3
#define C_DT_UINT8 4
#define C_DT_INT16 6
#define C_DT_UINT16 7
#define C_DT_UINT32 8
#define C_DT_INT64 9
#define C_DT_UINT64 10
#define C_DT_DOUBLE 11
#define C_DT_BOOL 12
#define C_DT_COMPLEX64 16
#define C_DT_COMPLEX128 17
#define C_DT_BF16 27
#define C_DT_INT4 29
#define C_DT_UINT1 30
#define C_DT_INT2 31
#define C_DT_UINT2 32
#define C_DT_COMPLEX32 33
#define C_DT_HIFLOAT8 34
#define C_DT_FLOAT8_E5M2 35
#define C_DT_FLOAT8_E4M3FN 36
#define C_FORMAT_NCHW 0
#define C_FORMAT_NHWC 1
#define C_FORMAT_ND 2
#define C_FORMAT_NC1HWC0 3
#define C_FORMAT_FRACTAL_Z 4
#define C_FORMAT_FRACTAL_NZ 29

#endif
