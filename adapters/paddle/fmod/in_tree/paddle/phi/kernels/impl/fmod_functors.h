// paddle/phi/kernels/impl/fmod_functors.h: what one pair of elements gives. T
// is float, double or an integer; 16-bit types are computed in float.
#pragma once

#include <cmath>
#include <type_traits>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/float16.h"

namespace phi {
namespace funcs {

// What a type is computed in.
template <typename T>
using FmodWide = std::conditional_t<std::is_same_v<T, dtype::float16> || std::is_same_v<T, dtype::bfloat16>, float, T>;

template <typename T>
HOSTDEVICE T FmodOf(T x, T y)
{
    if constexpr (std::is_integral_v<T>) {
        // As the device: a remainder by zero is 0, and -1 overflows nothing.
        return y == 0 || y == static_cast<T>(-1) ? T{0} : static_cast<T>(x % y);
    } else {
        return std::fmod(x, y);
    }
}

template <typename T>
HOSTDEVICE T FmodGradX(T /* x */, T /* y */, T out_grad)
{
    return out_grad;
}

template <typename T>
HOSTDEVICE T FmodGradY(T x, T y, T out_grad)
{
    return -out_grad * std::trunc(x / y);
}

} // namespace funcs
} // namespace phi
