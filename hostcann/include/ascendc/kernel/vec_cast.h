// Cast, arithmetic with a conversion, and the scales of dequantisation.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_CAST_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_CAST_H

#include "ascendc/kernel/emit.h"

namespace AscendC {

namespace hostcann {

// The Cast table of A2. An illegal mode of a legal pair is a run-time fault.
template <typename D, typename S>
constexpr bool IsCastPair = (std::is_same<S, int8_t>::value && IsOneOf<D, half>) ||
                            (std::is_same<S, uint8_t>::value && IsOneOf<D, half>) ||
                            (std::is_same<S, int16_t>::value && IsOneOf<D, half, float>) ||
                            (std::is_same<S, int4b_t>::value && IsOneOf<D, half>) ||
                            (std::is_same<S, half>::value &&
                             IsOneOf<D, int4b_t, int8_t, uint8_t, int16_t, int32_t, float>) ||
                            (std::is_same<S, bfloat16_t>::value && IsOneOf<D, int32_t, float>) ||
                            (std::is_same<S, int32_t>::value && IsOneOf<D, int16_t, half, float, int64_t>) ||
                            (std::is_same<S, float>::value &&
                             IsOneOf<D, int16_t, half, bfloat16_t, int32_t, float, int64_t>) ||
                            (std::is_same<S, int64_t>::value && IsOneOf<D, int32_t, float>);

} // namespace hostcann

template <typename T, typename U>
HOSTCANN_API void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                       const uint32_t count)
{
    static_assert(hostcann::IsCastPair<T, U>, "Cast: no conversion between these types on A2");
    hostcann::Vec<T, U>(AIC_OP_Cast, dst).Src(0, src).Mode(static_cast<uint8_t>(roundMode)).Count(count);
}
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                       const uint64_t mask, const hostcann::RepeatTime repeatTime,
                       const UnaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsCastPair<T, U>, "Cast: no conversion between these types on A2");
    hostcann::Vec<T, U> v(AIC_OP_Cast, dst);
    v.Src(0, src).Mode(static_cast<uint8_t>(roundMode)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                       const uint64_t mask[], const hostcann::RepeatTime repeatTime,
                       const UnaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsCastPair<T, U>, "Cast: no conversion between these types on A2");
    hostcann::Vec<T, U> v(AIC_OP_Cast, dst);
    v.Src(0, src).Mode(static_cast<uint8_t>(roundMode)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

namespace hostcann {

template <typename D, typename S>
constexpr bool IsReluCast = (std::is_same<S, half>::value && IsOneOf<D, int8_t>) ||
                            (std::is_same<S, int16_t>::value && IsOneOf<D, int8_t>) ||
                            (std::is_same<S, float>::value && IsOneOf<D, half>);
template <typename D, typename S>
constexpr bool IsMulCast = std::is_same<S, half>::value && IsOneOf<D, int8_t, uint8_t>;
template <typename D, typename S>
constexpr bool IsAddDeqRelu = std::is_same<S, int32_t>::value && IsOneOf<D, half>;
template <typename D, typename S>
constexpr bool IsDequant = (std::is_same<S, int32_t>::value && IsOneOf<D, half>) ||
                           (std::is_same<S, int16_t>::value && IsOneOf<D, int8_t, uint8_t>);

} // namespace hostcann

#define HOSTCANN_FUSED_CAST(Name, IsPair, CountType)                                                          \
    template <typename T, typename U>                                                                         \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, \
                           CountType count)                                                                   \
    {                                                                                                         \
        static_assert(hostcann::IsPair<T, U>, #Name ": no such pair of types on A2");                         \
        hostcann::Vec<T, U>(AIC_OP_##Name, dst).Src(0, src0).Src(1, src1).Count(count);                       \
    }                                                                                                         \
    template <typename T, typename U, bool isSetMask = true>                                                  \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, \
                           uint64_t mask, const hostcann::RepeatTime repeatTime,                              \
                           const BinaryRepeatParams& repeatParams)                                            \
    {                                                                                                         \
        static_assert(hostcann::IsPair<T, U>, #Name ": no such pair of types on A2");                         \
        hostcann::Vec<T, U> v(AIC_OP_##Name, dst);                                                            \
        v.Src(0, src0).Src(1, src1).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);       \
    }                                                                                                         \
    template <typename T, typename U, bool isSetMask = true>                                                  \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, \
                           uint64_t mask[], const hostcann::RepeatTime repeatTime,                            \
                           const BinaryRepeatParams& repeatParams)                                            \
    {                                                                                                         \
        static_assert(hostcann::IsPair<T, U>, #Name ": no such pair of types on A2");                         \
        hostcann::Vec<T, U> v(AIC_OP_##Name, dst);                                                            \
        v.Src(0, src0).Src(1, src1).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);       \
    }
HOSTCANN_FUSED_CAST(AddReluCast, IsReluCast, const uint32_t)
HOSTCANN_FUSED_CAST(SubReluCast, IsReluCast, const uint32_t)
HOSTCANN_FUSED_CAST(MulCast, IsMulCast, const uint32_t)
HOSTCANN_FUSED_CAST(AddDeqRelu, IsAddDeqRelu, const int32_t&)
#undef HOSTCANN_FUSED_CAST

// Without types of its own, isSetMask comes first.
template <bool isSetMask>
HOSTCANN_API void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                             const LocalTensor<int32_t>& src1, uint64_t mask, const hostcann::RepeatTime repeatTime,
                             const BinaryRepeatParams& repeatParams)
{
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}
template <bool isSetMask>
HOSTCANN_API void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0,
                             const LocalTensor<int32_t>& src1, uint64_t mask[], const hostcann::RepeatTime repeatTime,
                             const BinaryRepeatParams& repeatParams)
{
    AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams);
}

// halfBlock: 8-bit results go into the second half of every block.
template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>
HOSTCANN_API void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count)
{
    static_assert(hostcann::IsDequant<T, U>, "CastDequant: no such pair of types on A2");
    hostcann::Vec<T, U>(AIC_OP_CastDequant, dst)
        .Src(0, src)
        .Mode((isVecDeq ? 1 : 0) | (halfBlock ? 2 : 0))
        .Count(count);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
HOSTCANN_API void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                              const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsDequant<T, U>, "CastDequant: no such pair of types on A2");
    hostcann::Vec<T, U> v(AIC_OP_CastDequant, dst);
    v.Src(0, src).Mode((isVecDeq ? 1 : 0) | (halfBlock ? 2 : 0)).Strides(repeatParams);
    v.template Repeat<isSetMask>(static_cast<uint64_t>(mask), repeatTime);
}
template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>
HOSTCANN_API void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],
                              const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsDequant<T, U>, "CastDequant: no such pair of types on A2");
    hostcann::Vec<T, U> v(AIC_OP_CastDequant, dst);
    v.Src(0, src).Mode((isVecDeq ? 1 : 0) | (halfBlock ? 2 : 0)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

constexpr int32_t VDEQ_TENSOR_SIZE = 16;

struct VdeqInfo {
    VdeqInfo() = default;
    VdeqInfo(const float vdeqScaleIn[VDEQ_TENSOR_SIZE], const int16_t vdeqOffsetIn[VDEQ_TENSOR_SIZE],
             const bool vdeqSignModeIn[VDEQ_TENSOR_SIZE])
    {
        for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
            vdeqScale[i] = vdeqScaleIn[i];
            vdeqOffset[i] = vdeqOffsetIn[i];
            vdeqSignMode[i] = vdeqSignModeIn[i];
        }
    }
    float vdeqScale[VDEQ_TENSOR_SIZE] = {};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
};

namespace hostcann {

// The DEQSCALE register (SetDeqScale page, table 1): the scale, nine bits of offset from bit 37, the sign in bit 46.
HOSTCANN_API uint64_t DeqConfig(float scale, int16_t offset, bool signMode)
{
    return Bits(scale) | (static_cast<uint64_t>(offset) & 0x1ff) << 37 | uint64_t{signMode} << 46;
}

} // namespace hostcann

HOSTCANN_API void SetDeqScale(half scale) { aic_deq_scale(hostcann::Bits(scale)); }
HOSTCANN_API void SetDeqScale(float scale, int16_t offset, bool signMode)
{
    aic_deq_scale(hostcann::DeqConfig(scale, offset, signMode));
}
// Sixteen sets of parameters go into vdeq, whose address goes into the register.
template <typename T>
HOSTCANN_API void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo)
{
    static_assert(std::is_same<T, uint64_t>::value, "SetDeqScale: vdeq holds uint64_t");
    for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
        vdeq.SetValue(i, hostcann::DeqConfig(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]));
    }
    aic_deq_scale(vdeq.GetPhyAddr() / 32);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_CAST_H
