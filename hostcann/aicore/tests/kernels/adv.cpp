// High-level functions: how they are called, chunked and checked.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t COUNT = 1000;

// args: in0, in1, out; x and y come from global memory, the result goes there.
template <typename T, typename Compute>
void Map(void* const* args, const Compute& compute)
{
    TPipe pipe;
    TBuf<> bx;
    TBuf<> by;
    TBuf<> bz;
    TBuf<> bt;
    constexpr uint32_t BYTES = (COUNT * sizeof(T) + 31) / 32 * 32;
    pipe.InitBuffer(bx, BYTES);
    pipe.InitBuffer(by, BYTES);
    pipe.InitBuffer(bz, BYTES);
    pipe.InitBuffer(bt, 4096);
    LocalTensor<T> x = bx.Get<T>();
    LocalTensor<T> y = by.Get<T>();
    LocalTensor<T> z = bz.Get<T>();
    GlobalTensor<T> gx, gy, gz;
    gx.SetGlobalBuffer(static_cast<T*>(args[0]));
    gy.SetGlobalBuffer(static_cast<T*>(args[1]));
    gz.SetGlobalBuffer(static_cast<T*>(args[2]));
    const DataCopyExtParams all{1, COUNT * sizeof(T), 0, 0, 0};
    const DataCopyPadExtParams<T> pad{false, 0, 0, T()};
    DataCopyPad(x, gx, all, pad);
    DataCopyPad(y, gy, all, pad);
    DataCopyPad(z, gz, all, pad);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    LocalTensor<uint8_t> tmp = bt.Get<uint8_t>();
    compute(z, x, y, tmp);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(gz, z, all);
}
} // namespace

#define KERNEL(name, T, ...)                                                                       \
    extern "C" void name(void* const* args)                                                        \
    {                                                                                              \
        Map<T>(args, [](const LocalTensor<T>& z, const LocalTensor<T>& x, const LocalTensor<T>& y, \
                        LocalTensor<uint8_t>& tmp) {                                               \
            (void)y;                                                                               \
            (void)tmp;                                                                             \
            __VA_ARGS__;                                                                           \
        });                                                                                        \
    }
#define BOTH(name, ...)                    \
    KERNEL(name##_f32, float, __VA_ARGS__) \
    KERNEL(name##_f16, half, __VA_ARGS__)

BOTH(ceil, Ceil(z, x, tmp, COUNT))
BOTH(floor, Floor(z, x, tmp, COUNT))
BOTH(round, Round(z, x, COUNT))
BOTH(trunc, Trunc(z, x, tmp, COUNT))
BOTH(frac, Frac(z, x, tmp, COUNT))
BOTH(fmod, Fmod(z, x, y, tmp, COUNT))
BOTH(clamp, ClampMax(z, x, static_cast<decltype(z.GetValue(0))>(2), COUNT);
     ClampMin(z, z, tmp, static_cast<decltype(z.GetValue(0))>(-1.5), COUNT))
BOTH(sin, Sin(z, x, tmp, COUNT))
BOTH(sin_stack, Sin(z, x, COUNT))
// As little temporary space as the toolkit's algorithm takes.
template <typename T>
LocalTensor<uint8_t> Only(const LocalTensor<uint8_t>& tmp, uint32_t parts)
{
    LocalTensor<uint8_t> least = tmp;
    least.SetSize(32 * parts * sizeof(T));
    return least;
}
KERNEL(sin_least_f32, float, Sin(z, x, Only<float>(tmp, 3), COUNT))
KERNEL(sin_least_f16, half, Sin(z, x, Only<half>(tmp, 8), COUNT))
KERNEL(trunc_least_f32, float, Trunc(z, x, Only<float>(tmp, 1), COUNT))
KERNEL(trunc_least_f16, half, Trunc(z, x, Only<half>(tmp, 2), COUNT))
KERNEL(fmod_least_f32, float, Fmod(z, x, y, Only<float>(tmp, 1), COUNT))
KERNEL(fmod_least_f16, half, Fmod(z, x, y, Only<half>(tmp, 8), COUNT))
BOTH(log, Log(z, x, COUNT))
BOTH(exp, (Exp<std::decay_t<decltype(z.GetValue(0))>, 4>(z, x, COUNT)))
BOTH(power, Power(z, x, y, tmp, COUNT))
BOTH(power_scalar, Power(z, x, static_cast<decltype(z.GetValue(0))>(2), COUNT))
BOTH(digamma, Digamma(z, x, tmp, COUNT))
BOTH(lgamma, Lgamma(z, x, COUNT))
BOTH(sign, Sign(z, x, tmp, COUNT))
KERNEL(xor_i16, int16_t, Xor(z, x, y, tmp, COUNT))
KERNEL(power_i32, int32_t, (Power<int32_t, false>(z, x, y, tmp, COUNT)))
BOTH(axpy, (Axpy<std::decay_t<decltype(z.GetValue(0))>, std::decay_t<decltype(z.GetValue(0))>>(z, x, 3, tmp, COUNT)))
BOTH(sum, Sum(z, x, tmp, SumParams{4, 208, 201}))
BOTH(mean, Mean(z, x, tmp, MeanParams{4, 208, 201}))
KERNEL(mean_wide, half, (Mean<half, float>(z, x, tmp, MeanParams{4, 208, 201})))
constexpr CumSumConfig DOWN{false, false, false, CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
BOTH(cumsum, LocalTensor<std::decay_t<decltype(z.GetValue(0))>> d = z; auto last = x; CumSum(d, last, x, {60, 16}))
BOTH(cumsum_down, LocalTensor<std::decay_t<decltype(z.GetValue(0))>> d = z; auto last = x;
     (CumSum<std::decay_t<decltype(z.GetValue(0))>, DOWN>(d, last, x, {60, 16})))

// Shapes of Broadcast: a column, a row, one value, and an unchanged matrix.
BOTH(spread_column, const uint32_t to[] = {12, 33}; const uint32_t from[] = {12, 1};
     (BroadCast<std::decay_t<decltype(z.GetValue(0))>, 2, 1>(z, x, to, from)))
BOTH(spread_row, const uint32_t to[] = {12, 32}; const uint32_t from[] = {1, 32};
     (Broadcast<std::decay_t<decltype(z.GetValue(0))>, 2, 0>(z, x, to, from, tmp)))
BOTH(spread_one, const uint32_t to[] = {77}; const uint32_t from[] = {1};
     (Broadcast<std::decay_t<decltype(z.GetValue(0))>, 1, 0>(z, x, to, from)))

// The count comes from args[3].
#define PROGRESSION(name, T, first, diff)                                                                    \
    extern "C" void name(void* const* args)                                                                  \
    {                                                                                                        \
        TPipe pipe;                                                                                          \
        TBuf<> buf;                                                                                          \
        pipe.InitBuffer(buf, 4096);                                                                          \
        const int32_t n = *static_cast<int32_t*>(args[1]);                                                   \
        ArithProgression<T>(buf.Get<T>(), first, diff, n);                                                   \
        GlobalTensor<T> out;                                                                                 \
        out.SetGlobalBuffer(static_cast<T*>(args[0]));                                                       \
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);                                                               \
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);                                                              \
        DataCopyPad(out, buf.Get<T>(), DataCopyExtParams(1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0)); \
    }
PROGRESSION(arange_i32, int32_t, -7, 3)
PROGRESSION(arange_i16, int16_t, 5, 2)
PROGRESSION(arange_f32, float, 0.1f, 0.1f)
PROGRESSION(arange_f16, half, 0.5, 0.25)

extern "C" void fault_small_tmp(void* const*)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    Atan(buf.Get<float>(64), buf.GetWithOffset<float>(64, 256), buf.GetWithOffset<uint8_t>(639, 1024), 64);
}
extern "C" void fault_no_room(void* const*)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 196480 - 512);
    Atan(buf.Get<float>(64), buf.GetWithOffset<float>(64, 256), 64);
}
extern "C" void fault_tmp_over_source(void* const*)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    Sin(buf.Get<float>(64), buf.GetWithOffset<float>(64, 256), buf.GetWithOffset<uint8_t>(1024, 480), 64);
}
extern "C" void fault_row(void* const*)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    Sum(buf.Get<float>(64), buf.GetWithOffset<float>(64, 256), SumParams{1, 12, 12});
}
