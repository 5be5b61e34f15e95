// What the device compiler knows without a header and outside of any namespace.
#ifndef HOSTCANN_ASCENDC_KERNEL_DEVICE_H
#define HOSTCANN_ASCENDC_KERNEL_DEVICE_H

#include <type_traits>

#include "ascendc/kernel/macros.h"
#include "ascendc/kernel/scalar_types.h"

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

// dim and a temporary array for functions that take a shape.
#define ASCENDC_SHAPE(dimValue, ...) \
    dimValue, (const uint32_t[]) { __VA_ARGS__ }

// Scalar functions. Templates, so that they give way to the overloads of <math.h> when a kernel includes it.
template <typename T, typename = std::enable_if_t<std::is_same<T, float>::value>>
HOSTCANN_API T sqrt(T x)
{
    return __builtin_sqrtf(x);
}
template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value && std::is_signed<T>::value>>
HOSTCANN_API constexpr T abs(T x)
{
    return x < 0 ? -x : x == 0 ? T{} : x;
}
template <typename T, typename U>
HOSTCANN_API constexpr std::common_type_t<T, U> min(T a, U b)
{
    return b < a ? b : a;
}
template <typename T, typename U>
HOSTCANN_API constexpr std::common_type_t<T, U> max(T a, U b)
{
    return a < b ? b : a;
}

#endif // HOSTCANN_ASCENDC_KERNEL_DEVICE_H
