// Steps that the normalizations share. They calculate in float, one row at a time.
#ifndef HOSTCANN_ASCENDC_KERNEL_NORM_ROWS_H
#define HOSTCANN_ASCENDC_KERNEL_NORM_ROWS_H

#include "ascendc/kernel/adv_rows.h"
#include "ascendc/norm_tmp.h"
#include "ascendc/tiling_structs.h"

namespace AscendC {
namespace hostcann {

template <typename T>
HOSTCANN_API void CheckNorm(const char* name, uint32_t columns, uint32_t used)
{
    static_assert(IsOneOf<T, half, float>, "normalization: half or float on A2");
    if (columns == 0 || columns * sizeof(T) % 32 != 0 || used == 0 || used > columns) {
        aic_misuse(name, "tiling", "the rows do not fill their blocks",
                   "rows of 1 element or more in whole 32-byte blocks (got: elements)", columns,
                   "take the tiling from the function Get...TilingInfo, with room for one row at least");
    }
}

// Elements as floats: themselves, or converted into `room`.
template <typename T>
HOSTCANN_API LocalTensor<float> Widen(const LocalTensor<float>& room, const LocalTensor<T>& x, uint32_t n)
{
    if constexpr (std::is_same<T, float>::value) {
        return x;
    } else {
        Cast(room, x, RoundMode::CAST_NONE, n);
        Ordered();
        return room;
    }
}

// Where a row of floats is to end up: in place, or in `room` until it is converted.
template <typename T>
HOSTCANN_API LocalTensor<float> Target(const LocalTensor<float>& room, const LocalTensor<T>& y)
{
    if constexpr (std::is_same<T, float>::value) {
        return y;
    } else {
        return room;
    }
}
template <typename T>
HOSTCANN_API void Narrowed(const LocalTensor<T>& y, const LocalTensor<float>& from, uint32_t n)
{
    if constexpr (!std::is_same<T, float>::value) {
        Cast(y, from, RoundMode::CAST_NONE, n);
        Ordered();
    }
}

// Statistics of a row, an element each: the mean of n elements, and the mean of the squares of their differences from
// it. The differences of all `columns` elements are left in `x0`; `work` is used up.
struct RowStatistics {
    LocalTensor<float> mean;
    LocalTensor<float> variance;

    HOSTCANN_API void Take(uint32_t row, const LocalTensor<float>& x, const LocalTensor<float>& x0,
                           const LocalTensor<float>& work, uint32_t n, uint32_t columns) const
    {
        const float part = 1.0f / static_cast<float>(n);
        Muls(work, x, part, static_cast<int32_t>(n));
        Ordered();
        SumOf(mean[row], work, n);
        Adds(x0, x, -ReadBack(mean, row), static_cast<int32_t>(columns));
        Ordered();
        Mul(work, x0, x0, static_cast<int32_t>(n));
        Ordered();
        Muls(work, work, part, static_cast<int32_t>(n));
        Ordered();
        SumOf(variance[row], work, n);
    }
};

// n times the root of value + epsilon.
HOSTCANN_API void Deviation(const LocalTensor<float>& dst, float value, uint32_t n)
{
    Duplicate(dst, value, static_cast<int32_t>(n));
    Ordered();
    Sqrt(dst, dst, static_cast<int32_t>(n));
    Ordered();
}

// y = x * gamma + beta over a row; `room` holds gamma and beta as floats where they are half.
template <typename U>
HOSTCANN_API void Scale(const LocalTensor<float>& y, const LocalTensor<float>& x, const LocalTensor<U>& gamma,
                        const LocalTensor<float>& room, uint32_t n)
{
    Mul(y, x, Widen(room, gamma, n), static_cast<int32_t>(n));
    Ordered();
}
template <typename U>
HOSTCANN_API void Shift(const LocalTensor<float>& y, const LocalTensor<float>& x, const LocalTensor<U>& beta,
                        const LocalTensor<float>& room, uint32_t n)
{
    Add(y, x, Widen(room, beta, n), static_cast<int32_t>(n));
    Ordered();
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_NORM_ROWS_H
