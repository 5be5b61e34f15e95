// Names of data types and formats. The kernel compiler makes them numbers, so that `#if ORIG_DTYPE_X == DT_FLOAT16`
// works; in unit tests, which include host headers as well, they are enumerators.
#ifndef HOSTCANN_ASCENDC_KERNEL_KERNEL_TYPE_H
#define HOSTCANN_ASCENDC_KERNEL_KERNEL_TYPE_H

#ifdef HOSTCANN_KERNEL_COMPILER

#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_COMPLEX64 16
#define DT_COMPLEX128 17
#define DT_BF16 27
#define DT_UNDEFINED 28
#define DT_INT4 29
#define DT_COMPLEX32 33

#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_HWCN 16
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_NC 35
#define FORMAT_NCL 47

#else

namespace AscendC {

enum DataType {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_UINT8 = 4,
    DT_INT16 = 6,
    DT_UINT16 = 7,
    DT_UINT32 = 8,
    DT_INT64 = 9,
    DT_UINT64 = 10,
    DT_DOUBLE = 11,
    DT_BOOL = 12,
    DT_COMPLEX64 = 16,
    DT_COMPLEX128 = 17,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_COMPLEX32 = 33,
};

} // namespace AscendC

#endif

#endif // HOSTCANN_ASCENDC_KERNEL_KERNEL_TYPE_H
