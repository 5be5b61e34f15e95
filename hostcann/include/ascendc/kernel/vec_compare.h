// Compare, Compares (CompareScalar), Select and the CMPMASK register.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_COMPARE_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_COMPARE_H

#include "ascendc/kernel/emit.h"

namespace AscendC {

namespace hostcann {

// The pages list types of the mask tensor, too; the device headers take its address whatever the type, and kernels pass
// a tensor of floats that they use for something else before.
template <typename T>
constexpr bool IsCompare = IsOneOf<T, half, float, int32_t>;
template <typename T>
constexpr bool IsSelect = IsOneOf<T, half, float>;
template <typename U>
HOSTCANN_API LocalTensor<uint8_t> MaskBytes(const LocalTensor<U>& mask)
{
    return mask.template ReinterpretCast<uint8_t>();
}

} // namespace hostcann

template <typename T, typename U>
HOSTCANN_API void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                          CMPMODE cmpMode, uint32_t count)
{
    static_assert(hostcann::IsCompare<T>, "Compare: half, float or int32_t on A2");
    hostcann::Vec<uint8_t, T> v(AIC_OP_Compare, hostcann::MaskBytes(dst));
    v.Src(0, src0).Src(1, src1).Mode(static_cast<uint8_t>(cmpMode)).Count(count);
}
// The masks of these forms are accepted and ignored on A2.
#define HOSTCANN_COMPARE(Mask)                                                                                   \
    template <typename T, typename U, bool isSetMask = true>                                                     \
    HOSTCANN_API void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                              CMPMODE cmpMode, Mask, const hostcann::RepeatTime repeatTime,                      \
                              const BinaryRepeatParams& repeatParams)                                            \
    {                                                                                                            \
        static_assert(hostcann::IsCompare<T>, "Compare: half, float or int32_t on A2");                          \
        hostcann::Vec<uint8_t, T> v(AIC_OP_Compare, hostcann::MaskBytes(dst));                                   \
        v.Src(0, src0).Src(1, src1).Mode(static_cast<uint8_t>(cmpMode)).Strides(repeatParams);                   \
        v.template Repeat<isSetMask>(mask, repeatTime);                                                          \
    }
HOSTCANN_COMPARE(const uint64_t mask)
HOSTCANN_COMPARE(const uint64_t mask[])
#undef HOSTCANN_COMPARE

// One repeat, the result in the CMPMASK register.
#define HOSTCANN_COMPARE_REGISTER(Mask)                                                                      \
    template <typename T, bool isSetMask = true>                                                             \
    HOSTCANN_API void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, Mask, \
                              const BinaryRepeatParams& repeatParams)                                        \
    {                                                                                                        \
        static_assert(hostcann::IsOneOf<T, half, float>, "Compare into the register: half and float only");  \
        hostcann::Vec<T> v(AIC_OP_Compare, LocalTensor<T>());                                                \
        v.Src(0, src0).Src(1, src1).Mode(static_cast<uint8_t>(cmpMode)).Strides(repeatParams);               \
        v.ins.flags = AIC_FLAG_REGISTER;                                                                     \
        v.template Repeat<isSetMask>(mask, 1);                                                               \
    }
HOSTCANN_COMPARE_REGISTER(const uint64_t mask)
HOSTCANN_COMPARE_REGISTER(const uint64_t mask[])
#undef HOSTCANN_COMPARE_REGISTER

template <typename T>
HOSTCANN_API void GetCmpMask(const LocalTensor<T>& dst)
{
    hostcann::Vec<T>(AIC_OP_GetCmpMask, dst).template Repeat<false>(uint64_t{0}, 1);
}
template <typename T>
HOSTCANN_API void SetCmpMask(const LocalTensor<T>& src)
{
    hostcann::Vec<T>(AIC_OP_SetCmpMask, src).Src(0, src).template Repeat<false>(uint64_t{0}, 1);
}

// Compares is the name of 9.x.
#define HOSTCANN_COMPARE_SCALAR(Name)                                                                                  \
    template <typename T, typename U>                                                                                  \
    HOSTCANN_API void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                           uint32_t count)                                                                             \
    {                                                                                                                  \
        static_assert(hostcann::IsCompare<T>, #Name ": half, float or int32_t on A2");                                 \
        hostcann::Vec<uint8_t, T> v(AIC_OP_CompareScalar, hostcann::MaskBytes(dst));                                   \
        v.Src(0, src0).Scalar(hostcann::Bits(src1Scalar)).Mode(static_cast<uint8_t>(cmpMode)).Count(count);            \
    }
#define HOSTCANN_COMPARE_SCALAR_REPEAT(Name, Mask)                                                                     \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    HOSTCANN_API void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                           Mask, const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)         \
    {                                                                                                                  \
        static_assert(hostcann::IsCompare<T>, #Name ": half, float or int32_t on A2");                                 \
        hostcann::Vec<uint8_t, T> v(AIC_OP_CompareScalar, hostcann::MaskBytes(dst));                                   \
        v.Src(0, src0).Scalar(hostcann::Bits(src1Scalar)).Mode(static_cast<uint8_t>(cmpMode)).Strides(repeatParams);   \
        v.template Repeat<isSetMask>(mask, repeatTime);                                                                \
    }
HOSTCANN_COMPARE_SCALAR(CompareScalar)
HOSTCANN_COMPARE_SCALAR_REPEAT(CompareScalar, const uint64_t mask)
HOSTCANN_COMPARE_SCALAR_REPEAT(CompareScalar, const uint64_t mask[])
HOSTCANN_COMPARE_SCALAR(Compares)
HOSTCANN_COMPARE_SCALAR_REPEAT(Compares, const uint64_t mask)
HOSTCANN_COMPARE_SCALAR_REPEAT(Compares, const uint64_t mask[])
#undef HOSTCANN_COMPARE_SCALAR
#undef HOSTCANN_COMPARE_SCALAR_REPEAT

// A set mask bit takes src0, a clear one src1.
template <typename T, typename U>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                         const LocalTensor<T>& src1, SELMODE selMode, uint32_t count)
{
    static_assert(hostcann::IsSelect<T>, "Select: half or float on A2");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(0, selMask).Src(1, src0).Src(2, src1).Mode(static_cast<uint8_t>(selMode)).Count(count);
}
template <typename T, typename U>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                         SELMODE selMode, uint32_t count)
{
    static_assert(hostcann::IsSelect<T>, "Select: half or float on A2");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(0, selMask).Src(1, src0).Scalar(hostcann::Bits(src1)).Flag(true).Mode(static_cast<uint8_t>(selMode));
    v.Count(count);
}
#define HOSTCANN_SELECT(Mask)                                                                                          \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,     \
                             const LocalTensor<T>& src1, SELMODE selMode, Mask, const hostcann::RepeatTime repeatTime, \
                             const BinaryRepeatParams& repeatParams)                                                   \
    {                                                                                                                  \
        static_assert(hostcann::IsSelect<T>, "Select: half or float on A2");                                           \
        hostcann::Vec<T> v(AIC_OP_Select, dst);                                                                        \
        v.Src(0, selMask).Src(1, src0).Src(2, src1).Mode(static_cast<uint8_t>(selMode)).Strides(repeatParams);         \
        v.template Repeat<isSetMask>(mask, repeatTime);                                                                \
    }                                                                                                                  \
    template <typename T, typename U, bool isSetMask = true>                                                           \
    HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,     \
                             T src1, SELMODE selMode, Mask, const hostcann::RepeatTime repeatTime,                     \
                             const BinaryRepeatParams& repeatParams)                                                   \
    {                                                                                                                  \
        static_assert(hostcann::IsSelect<T>, "Select: half or float on A2");                                           \
        hostcann::Vec<T> v(AIC_OP_Select, dst);                                                                        \
        v.Src(0, selMask).Src(1, src0).Scalar(hostcann::Bits(src1)).Flag(true).Mode(static_cast<uint8_t>(selMode));    \
        v.Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);                                          \
    }
HOSTCANN_SELECT(uint64_t mask)
HOSTCANN_SELECT(uint64_t mask[])
#undef HOSTCANN_SELECT

// Without a mask argument: the mask register as the kernel set it, and CMPMASK with what SetCmpMask or Compare put
// there. Modes 0 and 2.
template <typename T, SELMODE selMode>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                         const hostcann::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "Select: half or float on A2");
    static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE, "Select with a scalar takes a selMask tensor");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(1, src0).Src(2, src1).Mode(static_cast<uint8_t>(selMode)).Strides(repeatParams);
    v.ins.flags = AIC_FLAG_REGISTER;
    v.template Repeat<false>(uint64_t{0}, repeatTime);
}
// Mode 1: the scalar is in the register.
template <typename T, typename U>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                         const hostcann::RepeatTime repeatTime, const BinaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsSelect<T>, "Select: half or float on A2");
    hostcann::Vec<T> v(AIC_OP_Select, dst);
    v.Src(0, selMask).Src(1, src0).Mode(static_cast<uint8_t>(SELMODE::VSEL_TENSOR_SCALAR_MODE)).Strides(repeatParams);
    v.ins.flags = AIC_FLAG_REGISTER;
    v.template Repeat<false>(uint64_t{0}, repeatTime);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_COMPARE_H
