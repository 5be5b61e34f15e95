// Cast.
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
                            (std::is_same<S, half>::value && IsOneOf<D, int8_t, uint8_t, int16_t, int32_t, float>) ||
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

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_CAST_H
