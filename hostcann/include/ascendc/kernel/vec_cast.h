// Cast, Compare, CompareScalar and Select.
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

template <typename T, typename U>
constexpr bool IsCompare = IsOneOf<T, half, float, int32_t> && IsOneOf<U, int8_t, uint8_t>;

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

template <typename T, typename U>
HOSTCANN_API void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                          CMPMODE cmpMode, uint32_t count)
{
    static_assert(hostcann::IsCompare<T, U>, "Compare: half, float or int32_t to int8_t or uint8_t on A2");
    hostcann::Vec<U, T> v(AIC_OP_Compare, dst);
    v.Src(0, src0).Src(1, src1).Mode(static_cast<uint8_t>(cmpMode)).Count(count);
}
// The masks of these forms are accepted and ignored on A2.
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                          CMPMODE cmpMode, const uint64_t mask, const hostcann::RepeatTime repeatTime,
                          const BinaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsCompare<T, U>, "Compare: half, float or int32_t to int8_t or uint8_t on A2");
    hostcann::Vec<U, T> v(AIC_OP_Compare, dst);
    v.Src(0, src0).Src(1, src1).Mode(static_cast<uint8_t>(cmpMode)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

template <typename T, typename U>
HOSTCANN_API void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,
                                CMPMODE cmpMode, uint32_t count)
{
    static_assert(hostcann::IsOneOf<T, half, float, int32_t> && std::is_same<U, uint8_t>::value,
                  "CompareScalar: half, float or int32_t to uint8_t on A2");
    hostcann::Vec<U, T> v(AIC_OP_CompareScalar, dst);
    v.Src(0, src0).Scalar(hostcann::Bits(src1Scalar)).Mode(static_cast<uint8_t>(cmpMode)).Count(count);
}
template <typename T, typename U>
HOSTCANN_API void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                           uint32_t count)
{
    CompareScalar(dst, src0, src1Scalar, cmpMode, count);
}
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,
                                CMPMODE cmpMode, const uint64_t mask, const hostcann::RepeatTime repeatTime,
                                const UnaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsOneOf<T, half, float, int32_t> && std::is_same<U, uint8_t>::value,
                  "CompareScalar: half, float or int32_t to uint8_t on A2");
    hostcann::Vec<U, T> v(AIC_OP_CompareScalar, dst);
    v.Src(0, src0).Scalar(hostcann::Bits(src1Scalar)).Mode(static_cast<uint8_t>(cmpMode)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

namespace hostcann {
template <typename T, typename U>
constexpr bool IsSelect = IsOneOf<T, half, float> && IsOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>;
} // namespace hostcann

// A set mask bit takes src0, a clear one src1.
template <typename T, typename U>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                         const LocalTensor<T>& src1, SELMODE selMode, uint32_t count)
{
    static_assert(hostcann::IsSelect<T, U>, "Select: half or float, with a mask of unsigned integers, on A2");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(0, selMask).Src(1, src0).Src(2, src1).Mode(static_cast<uint8_t>(selMode)).Count(count);
}
template <typename T, typename U>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                         SELMODE selMode, uint32_t count)
{
    static_assert(hostcann::IsSelect<T, U>, "Select: half or float, with a mask of unsigned integers, on A2");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(0, selMask).Src(1, src0).Scalar(hostcann::Bits(src1)).Flag(true).Mode(static_cast<uint8_t>(selMode));
    v.Count(count);
}
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                         const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask,
                         const hostcann::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsSelect<T, U>, "Select: half or float, with a mask of unsigned integers, on A2");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(0, selMask).Src(1, src0).Src(2, src1).Mode(static_cast<uint8_t>(selMode)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                         SELMODE selMode, uint64_t mask, const hostcann::RepeatTime repeatTime,
                         const BinaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsSelect<T, U>, "Select: half or float, with a mask of unsigned integers, on A2");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(0, selMask).Src(1, src0).Scalar(hostcann::Bits(src1)).Flag(true).Mode(static_cast<uint8_t>(selMode));
    v.Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_CAST_H
