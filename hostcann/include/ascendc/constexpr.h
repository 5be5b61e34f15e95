// Functions that kernels evaluate while they are compiled, and that tiling functions of older projects include with
// -std=c++11.
#ifndef HOSTCANN_ASCENDC_CONSTEXPR_H
#define HOSTCANN_ASCENDC_CONSTEXPR_H

#if __cplusplus >= 201402L
#define HOSTCANN_CONSTEXPR constexpr
#else
#define HOSTCANN_CONSTEXPR inline
#endif

#endif
