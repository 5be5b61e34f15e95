// Steps that the high-level functions over rows share: folding a row, a sum per row, a value for the scalar unit.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_ROWS_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_ROWS_H

#include "ascendc/kernel/adv_base.h"
#include "ascendc/kernel/vec_gather.h"
#include "ascendc/kernel/vec_reduce.h"
#include "ascendc/reduce_pattern.h"

namespace AscendC {
namespace hostcann {

// The next vector instruction sees what the ones before wrote.
HOSTCANN_API void Ordered() { PipeBarrier<PIPE_V>(); }

template <HardEvent event>
HOSTCANN_API void Handover()
{
    const TEventID id = GetTPipePtr()->FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

// An element that a vector instruction has written, for the scalar unit.
template <typename T>
HOSTCANN_API T ReadBack(const LocalTensor<T>& from, uint32_t i)
{
    Handover<HardEvent::V_S>();
    const T value = from.GetValue(i);
    Handover<HardEvent::S_V>();
    return value;
}

#define HOSTCANN_FOLD(Call)                                                                                     \
    struct Fold##Call {                                                                                         \
        template <typename T>                                                                                   \
        HOSTCANN_API static void Run(const LocalTensor<T>& d, const LocalTensor<T>& a, const LocalTensor<T>& b, \
                                     uint32_t n)                                                                \
        {                                                                                                       \
            Call(d, a, b, static_cast<int32_t>(n));                                                             \
        }                                                                                                       \
    };
HOSTCANN_FOLD(Add)
HOSTCANN_FOLD(Mul)
HOSTCANN_FOLD(Max)
HOSTCANN_FOLD(Min)
HOSTCANN_FOLD(Or)
HOSTCANN_FOLD(And)
#undef HOSTCANN_FOLD

// Folds n elements into the first `keep`, the upper half onto the lower one each time. keep is a power of two of whole
// blocks, n is not below it.
template <typename F, typename T>
HOSTCANN_API void Fold(const LocalTensor<T>& x, uint32_t n, uint32_t keep)
{
    for (uint32_t half = PowerOfTwoIn(n) == n ? n / 2 : PowerOfTwoIn(n); n > keep; n = half, half /= 2) {
        F::Run(x, x, x[half], n - half);
        Ordered();
    }
}

// The same from another place: x takes the first half and needs no more room than that.
template <typename F, typename T>
HOSTCANN_API void FoldInto(const LocalTensor<T>& x, const LocalTensor<T>& from, uint32_t n, uint32_t keep)
{
    const uint32_t half = PowerOfTwoIn(n) == n ? n / 2 : PowerOfTwoIn(n);
    if (n == 2 * half) {
        F::Run(x, from, from[half], half);
    } else {
        DataCopy(x, from, half);
        Ordered();
        F::Run(x, x, from[half], n - half);
    }
    Ordered();
    Fold<F>(x, half, keep);
}

// A reduction of each of `rows` rows of at most one repeat; results one after the other.
template <typename R, typename T>
HOSTCANN_API void EachRow(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t n, uint32_t rows,
                          uint32_t pitch)
{
    constexpr uint32_t BLOCK = 32 / sizeof(T);
    for (uint32_t row = 0; row < rows; row += 255) {
        const int32_t now = static_cast<int32_t>(rows - row < 255 ? rows - row : 255);
        R::Run(dst[row], src[row * pitch], static_cast<int32_t>(n), now, static_cast<int32_t>(pitch / BLOCK));
    }
    Ordered();
}
struct RowSum {
    template <typename T>
    HOSTCANN_API static void Run(const LocalTensor<T>& d, const LocalTensor<T>& s, int32_t n, int32_t rows,
                                 int32_t stride)
    {
        WholeReduceSum(d, s, n, rows, 1, 1, stride);
    }
};
struct RowMax {
    template <typename T>
    HOSTCANN_API static void Run(const LocalTensor<T>& d, const LocalTensor<T>& s, int32_t n, int32_t rows,
                                 int32_t stride)
    {
        WholeReduceMax(d, s, n, rows, 1, 1, stride, ReduceOrder::ORDER_ONLY_VALUE);
    }
};
struct RowMin {
    template <typename T>
    HOSTCANN_API static void Run(const LocalTensor<T>& d, const LocalTensor<T>& s, int32_t n, int32_t rows,
                                 int32_t stride)
    {
        WholeReduceMin(d, s, n, rows, 1, 1, stride, ReduceOrder::ORDER_ONLY_VALUE);
    }
};

// The sum of n floats at x, which are used up, to a single element.
HOSTCANN_API void SumOf(const LocalTensor<float>& dst, const LocalTensor<float>& x, uint32_t n)
{
    if (n > 64) {
        Fold<FoldAdd>(x, n, 64);
    }
    EachRow<RowSum>(dst, x, n < 64 ? n : 64, 1, 64);
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_ROWS_H
