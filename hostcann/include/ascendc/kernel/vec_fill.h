// Duplicate, CreateVecIndex, Brcb, Copy.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_FILL_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_FILL_H

#include "ascendc/kernel/emit.h"

namespace AscendC {

namespace hostcann {
template <typename T>
constexpr bool IsMoved = IsOneOf<T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>;
} // namespace hostcann

template <typename T>
HOSTCANN_API void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count)
{
    static_assert(hostcann::IsMoved<T>, "Duplicate: 16 and 32-bit types only on A2; use ReinterpretCast");
    hostcann::Vec<T>(AIC_OP_Duplicate, dst).Scalar(hostcann::Bits(scalarValue)).Count(count);
}
template <typename T, bool isSetMask = true>
HOSTCANN_API void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask,
                            const hostcann::RepeatTime repeatTime, const hostcann::NarrowArg<uint16_t> dstBlockStride,
                            const hostcann::NarrowArg<uint8_t> dstRepeatStride)
{
    static_assert(hostcann::IsMoved<T>, "Duplicate: 16 and 32-bit types only on A2; use ReinterpretCast");
    hostcann::Vec<T> v(AIC_OP_Duplicate, dst);
    v.Scalar(hostcann::Bits(scalarValue));
    v.ins.blk[0] = v.Field("dstBlockStride", dstBlockStride);
    v.ins.rep[0] = v.Field("dstRepeatStride", dstRepeatStride);
    v.template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, bool isSetMask = true>
HOSTCANN_API void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[],
                            const hostcann::RepeatTime repeatTime, const hostcann::NarrowArg<uint16_t> dstBlockStride,
                            const hostcann::NarrowArg<uint8_t> dstRepeatStride)
{
    static_assert(hostcann::IsMoved<T>, "Duplicate: 16 and 32-bit types only on A2; use ReinterpretCast");
    hostcann::Vec<T> v(AIC_OP_Duplicate, dst);
    v.Scalar(hostcann::Bits(scalarValue));
    v.ins.blk[0] = v.Field("dstBlockStride", dstBlockStride);
    v.ins.rep[0] = v.Field("dstRepeatStride", dstRepeatStride);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

template <typename T>
HOSTCANN_API void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count)
{
    static_assert(hostcann::IsOneOf<T, int16_t, half, int32_t, float>, "CreateVecIndex has no such data type on A2");
    hostcann::Vec<T>(AIC_OP_CreateVecIndex, dst).Scalar(hostcann::Bits(firstValue)).Count(count);
}

// A non-const reference here, by value above: as upstream.
template <typename T>
HOSTCANN_API void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask,
                                 hostcann::RepeatTime repeatTime, hostcann::NarrowArg<uint16_t> dstBlkStride,
                                 hostcann::NarrowArg<uint8_t> dstRepStride)
{
    static_assert(hostcann::IsOneOf<T, int16_t, half, int32_t, float>, "CreateVecIndex has no such data type on A2");
    hostcann::Vec<T> v(AIC_OP_CreateVecIndex, dst);
    v.Scalar(hostcann::Bits(firstValue));
    v.ins.blk[0] = v.Field("dstBlkStride", dstBlkStride);
    v.ins.rep[0] = v.Field("dstRepStride", dstRepStride);
    v.template Repeat<true>(mask, repeatTime);
}
template <typename T>
HOSTCANN_API void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[],
                                 hostcann::RepeatTime repeatTime, hostcann::NarrowArg<uint16_t> dstBlkStride,
                                 hostcann::NarrowArg<uint8_t> dstRepStride)
{
    static_assert(hostcann::IsOneOf<T, int16_t, half, int32_t, float>, "CreateVecIndex has no such data type on A2");
    hostcann::Vec<T> v(AIC_OP_CreateVecIndex, dst);
    v.Scalar(hostcann::Bits(firstValue));
    v.ins.blk[0] = v.Field("dstBlkStride", dstBlkStride);
    v.ins.rep[0] = v.Field("dstRepStride", dstRepStride);
    v.template Repeat<true>(mask, repeatTime);
}

template <typename T>
HOSTCANN_API void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const hostcann::RepeatTime repeatTime,
                       const BrcbRepeatParams& repeatParams)
{
    static_assert(hostcann::IsMoved<T>, "Brcb: 16 and 32-bit types only on A2");
    hostcann::Vec<T> v(AIC_OP_Brcb, dst);
    v.Src(0, src).Strides(repeatParams);
    v.template Repeat<false>(uint64_t{0}, repeatTime);
}

template <typename T, bool isSetMask = true>
HOSTCANN_API void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask,
                       const hostcann::RepeatTime repeatTime, const CopyRepeatParams& repeatParams)
{
    static_assert(hostcann::IsMoved<T>, "Copy: 16 and 32-bit types only on A2");
    hostcann::Vec<T> v(AIC_OP_Copy, dst);
    v.Src(0, src).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, bool isSetMask = true>
HOSTCANN_API void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                       const hostcann::RepeatTime repeatTime, const CopyRepeatParams& repeatParams)
{
    static_assert(hostcann::IsMoved<T>, "Copy: 16 and 32-bit types only on A2");
    hostcann::Vec<T> v(AIC_OP_Copy, dst);
    v.Src(0, src).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_FILL_H
