#ifndef HOSTCANN_OP_COMMON_OP_KERNEL_MATH_UTIL_H
#define HOSTCANN_OP_COMMON_OP_KERNEL_MATH_UTIL_H

#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"

namespace Ops {
namespace Base {
// What the rounding up is calculated in: no overflow of a type of 8 or 16 bits on the way.
template <typename T>
using RoundUpType = typename std::conditional<sizeof(T) <= sizeof(uint16_t), uint32_t, uint64_t>::type;

template <typename T>
__aicore__ inline T CeilDiv(T a, T b)
{
    using Wide = RoundUpType<T>;
    return static_cast<T>((static_cast<Wide>(a) + static_cast<Wide>(b) - 1) / static_cast<Wide>(b));
}
template <typename T>
__aicore__ inline T FloorDiv(T a, T b)
{
    return a / b;
}
template <typename T>
__aicore__ inline T CeilAlign(T a, T b)
{
    using Wide = RoundUpType<T>;
    const Wide step = static_cast<Wide>(b);
    return static_cast<T>((static_cast<Wide>(a) + step - 1) / step * step);
}
template <typename T>
__aicore__ inline T FloorAlign(T a, T b)
{
    return a / b * b;
}
} // namespace Base
} // namespace Ops

#endif
