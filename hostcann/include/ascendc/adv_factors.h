// Temporary space of the high-level functions on A2, for kernels and for tiling functions alike.
//
// A function with factor f needs at least f * 256 bytes, and f times its input (256 bytes or more) to work in one go.
// Facts from the pages Get...MaxMinTmpSize and the toolkit's tiling sources.
#ifndef HOSTCANN_ASCENDC_ADV_FACTORS_H
#define HOSTCANN_ASCENDC_ADV_FACTORS_H

// X(function, factor for half, for float, for float with isReuseSource)
#define HOSTCANN_ADV_FACTORS(X) \
    X(Acos, 6, 2, 2)            \
    X(Acosh, 2, 1, 1)           \
    X(Asin, 6, 2, 2)            \
    X(Asinh, 3, 3, 3)           \
    X(Atan, 12, 5, 5)           \
    X(Atanh, 4, 1, 1)           \
    X(Axpy, 4, 1, 1)            \
    X(Ceil, 2, 1, 1)            \
    X(Cos, 8, 3, 2)             \
    X(Cosh, 6, 2, 2)            \
    X(Digamma, 16, 7, 6)        \
    X(Erf, 8, 3, 3)             \
    X(Erfc, 16, 7, 7)           \
    X(Floor, 2, 0, 0)           \
    X(Fmod, 8, 1, 1)            \
    X(Frac, 4, 0, 0)            \
    X(Lgamma, 26, 8, 7)         \
    X(Round, 1, 0, 0)           \
    X(Sign, 3, 3, 3)            \
    X(Sin, 8, 3, 2)             \
    X(Sinh, 4, 1, 1)            \
    X(Tan, 10, 4, 4)            \
    X(Tanh, 4, 1, 1)            \
    X(Trunc, 2, 1, 1)           \
    X(Xor, 1, 1, 1)

#endif // HOSTCANN_ASCENDC_ADV_FACTORS_H
