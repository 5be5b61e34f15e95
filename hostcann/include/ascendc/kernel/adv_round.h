// High-level functions that are a known sequence of basic instructions: rounding, remainder, clamping, exclusive or.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_ROUND_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_ROUND_H

#include "ascendc/kernel/adv_base.h"

namespace AscendC {

namespace hostcann {

// float: one Cast. half has no such Cast: widen, round, narrow, as much at a time as fits the temporary space.
template <typename T>
HOSTCANN_API void RoundTo(RoundMode mode, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const LocalTensor<uint8_t>& tmp, uint32_t count)
{
    if constexpr (std::is_same<T, float>::value) {
        Cast(dst, src, mode, count);
    } else {
        const LocalTensor<float> wide = tmp.template ReinterpretCast<float>();
        const uint32_t chunk = AdvChunk<float>(tmp, 1);
        for (uint32_t i = 0; i < count; i += chunk) {
            const uint32_t n = count - i < chunk ? count - i : chunk;
            Cast(wide, src[i], RoundMode::CAST_NONE, n);
            Cast(wide, wide, mode, n);
            Cast(dst[i], wide, RoundMode::CAST_NONE, n);
        }
    }
}

template <typename T>
HOSTCANN_API void AdvRound(const char* name, RoundMode mode, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const LocalTensor<uint8_t>& tmp, const AdvTmp& bytes, uint32_t count, uint32_t overlap)
{
    static_assert(IsOneOf<T, half, float>, "high-level rounding: half or float on A2");
    AdvCall(name, Used(dst, count), Used(src, count), {}, tmp, bytes, overlap);
    RoundTo(mode, dst, src, tmp, count);
}

#define HOSTCANN_ADV_ROUND(Name, mode, overlap)                                                                       \
    template <typename T, bool isReuseSource>                                                                         \
    HOSTCANN_API void Name##Of(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp, \
                               uint32_t count)                                                                        \
    {                                                                                                                 \
        AdvRound(#Name, RoundMode::mode, dst, src, tmp, ADV_##Name.Tmp<T>(), count, overlap);                         \
    }
HOSTCANN_ADV_ROUND(Ceil, CAST_CEIL, ADV_READS_FIRST)
HOSTCANN_ADV_ROUND(Floor, CAST_FLOOR, ADV_READS_FIRST)
// Half to even, although the page says half away from zero: the toolkit uses CAST_RINT on A2.
HOSTCANN_ADV_ROUND(Round, CAST_RINT, ADV_IN_PLACE)
HOSTCANN_ADV_ROUND(Trunc, CAST_TRUNC, ADV_IN_PLACE)
#undef HOSTCANN_ADV_ROUND

// What is left of x after truncation. half computes in float.
template <typename T, bool isReuseSource>
HOSTCANN_API void FracOf(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                         uint32_t count)
{
    static_assert(IsOneOf<T, half, float>, "Frac: half or float on A2");
    AdvCall("Frac", Used(dst, count), Used(src, count), {}, tmp, ADV_Frac.Tmp<T>());
    if constexpr (std::is_same<T, float>::value) {
        Cast(dst, src, RoundMode::CAST_TRUNC, count);
        Sub(dst, src, dst, count);
    } else {
        const uint32_t chunk = AdvChunk<float>(tmp, 2);
        const LocalTensor<float> x = tmp.template ReinterpretCast<float>();
        const LocalTensor<float> whole = x[chunk];
        for (uint32_t i = 0; i < count; i += chunk) {
            const uint32_t n = count - i < chunk ? count - i : chunk;
            Cast(x, src[i], RoundMode::CAST_NONE, n);
            Cast(whole, x, RoundMode::CAST_TRUNC, n);
            Sub(whole, x, whole, n);
            Cast(dst[i], whole, RoundMode::CAST_NONE, n);
        }
    }
}

// x - trunc(x / y) * y in float, nothing corrected: wrong for large quotients, as on the device.
HOSTCANN_API void FmodFloat(const LocalTensor<float>& dst, const LocalTensor<float>& x, const LocalTensor<float>& y,
                            uint32_t count)
{
    Div(dst, x, y, count);
    Cast(dst, dst, RoundMode::CAST_TRUNC, count);
    Mul(dst, dst, y, count);
    Sub(dst, x, dst, count);
}

template <typename T, bool isReuseSource>
HOSTCANN_API void FmodOf(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                         const LocalTensor<uint8_t>& tmp, uint32_t count)
{
    static_assert(IsOneOf<T, half, float>, "Fmod: half or float on A2");
    AdvCall("Fmod", Used(dst, count), Used(src0, count), Used(src1, count), tmp, ADV_Fmod.Tmp<T>());
    if constexpr (std::is_same<T, float>::value) {
        FmodFloat(dst, src0, src1, count);
    } else {
        const uint32_t chunk = AdvChunk<float>(tmp, 4);
        const LocalTensor<float> x = tmp.template ReinterpretCast<float>();
        const LocalTensor<float> y = x[chunk];
        const LocalTensor<float> r = x[2 * chunk];
        for (uint32_t i = 0; i < count; i += chunk) {
            const uint32_t n = count - i < chunk ? count - i : chunk;
            Cast(x, src0[i], RoundMode::CAST_NONE, n);
            Cast(y, src1[i], RoundMode::CAST_NONE, n);
            FmodFloat(r, x, y, n);
            Cast(dst[i], r, RoundMode::CAST_NONE, n);
        }
    }
}

// (a | b) & ~(a & b)
template <typename T, bool isReuseSource>
HOSTCANN_API void XorOf(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                        const LocalTensor<uint8_t>& tmp, uint32_t count)
{
    static_assert(IsOneOf<T, int16_t, uint16_t>, "Xor: int16_t or uint16_t on A2");
    AdvCall("Xor", Used(dst, count), Used(src0, count), Used(src1, count), tmp, ADV_Xor.Tmp<T>());
    const LocalTensor<T> either = tmp.template ReinterpretCast<T>();
    const uint32_t chunk = AdvChunk<T>(tmp, 1);
    for (uint32_t i = 0; i < count; i += chunk) {
        const int32_t n = static_cast<int32_t>(count - i < chunk ? count - i : chunk);
        And(dst[i], src0[i], src1[i], n);
        Or(either, src0[i], src1[i], n);
        Not(dst[i], dst[i], n);
        And(dst[i], either, dst[i], n);
    }
}

} // namespace hostcann

HOSTCANN_ADV_UNARY(Ceil, hostcann::CeilOf, (hostcann::ADV_Ceil.MinBytes<T>()))
HOSTCANN_ADV_UNARY(Floor, hostcann::FloorOf, (hostcann::ADV_Floor.MinBytes<T>()))
HOSTCANN_ADV_UNARY(Round, hostcann::RoundOf, (hostcann::ADV_Round.MinBytes<T>()))
HOSTCANN_ADV_UNARY_WHOLE(Trunc, hostcann::TruncOf, (hostcann::ADV_Trunc.MinBytes<T>()))
HOSTCANN_ADV_UNARY_WHOLE(Frac, hostcann::FracOf, (hostcann::ADV_Frac.MinBytes<T>()))
HOSTCANN_ADV_BINARY_WHOLE(Fmod, hostcann::FmodOf, (hostcann::ADV_Fmod.MinBytes<T>()))
HOSTCANN_ADV_BINARY_WHOLE(Xor, hostcann::XorOf, (hostcann::ADV_Xor.MinBytes<T>()))

#define HOSTCANN_CLAMP(Name, Call)                                                                               \
    template <typename T, bool isReuseSource = false>                                                            \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                     \
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount) \
    {                                                                                                            \
        static_assert(hostcann::IsOneOf<T, half, float>, #Name ": half or float on A2");                         \
        hostcann::AdvCall(#Name, hostcann::Used(dstTensor, calCount), hostcann::Used(srcTensor, calCount), {},   \
                          sharedTmpBuffer, 0);                                                                   \
        Call(dstTensor, srcTensor, scalar, static_cast<int32_t>(calCount));                                      \
    }                                                                                                            \
    template <typename T, bool isReuseSource = false>                                                            \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,     \
                           const uint32_t calCount)                                                              \
    {                                                                                                            \
        Name<T, isReuseSource>(dstTensor, srcTensor, LocalTensor<uint8_t>(), scalar, calCount);                  \
    }
HOSTCANN_CLAMP(ClampMax, Mins)
HOSTCANN_CLAMP(ClampMin, Maxs)
#undef HOSTCANN_CLAMP

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_ROUND_H
