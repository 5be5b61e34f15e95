#ifndef HOSTCANN_OP_COMMON_UTIL_MATH_UTIL_H
#define HOSTCANN_OP_COMMON_UTIL_MATH_UTIL_H

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "op_common/op_host/util/opbase_export.h"

namespace Ops {
namespace Base {
template <typename T>
using IfIntegral = typename std::enable_if<std::is_integral<T>::value, T>::type;

// x / y, x for y == 0.
template <typename T>
IfIntegral<T> FloorDiv(T x, T y)
{
    return y == 0 ? x : static_cast<T>(x / y);
}

// The multiple of align at or below |x|, 0 for align == 0.
template <typename T>
IfIntegral<T> FloorAlign(T x, T align)
{
    return align == 0 ? 0 : static_cast<T>(x / align * align);
}

// x / y rounded up; x for y == 0. Operands of different sign round towards zero.
template <typename T>
IfIntegral<T> CeilDiv(T x, T y)
{
    if (y == 0 || x == 0) {
        return x;
    }
    const T quotient = static_cast<T>(x / y);
    const bool up = x % y != 0 && ((x < 0) == (y < 0));
    return static_cast<T>(quotient + (up ? 1 : 0));
}

// The next multiple of align, saturated at the type's maximum; 0 for align == 0.
template <typename T>
IfIntegral<T> CeilAlign(T x, T align)
{
    if (align == 0) {
        return 0;
    }
    T aligned = 0;
    return __builtin_mul_overflow(CeilDiv(x, align), align, &aligned) ? std::numeric_limits<T>::max() : aligned;
}

template <typename T>
typename std::enable_if<std::is_floating_point<T>::value, bool>::type IsFloatEqual(T a, T b)
{
    if (std::isnan(a) || std::isnan(b)) {
        return false;
    }
    if (std::isinf(a) || std::isinf(b)) {
        return a == b;
    }
    return std::fabs(a - b) <= std::numeric_limits<T>::epsilon();
}

// Largest power of two at or below n, 1 for 0.
OPBASE_API uint64_t LastPow2(uint64_t n);
} // namespace Base
} // namespace Ops

#endif
