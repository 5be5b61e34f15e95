// Reductions: tensors, repeats, 32-byte blocks, pairs. The page names of 9.x and the older ones.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_REDUCE_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_REDUCE_H

#include "ascendc/kernel/emit.h"

namespace AscendC {

template <typename T>
HOSTCANN_API void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                            const int32_t count, bool calIndex = 0)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "ReduceMax: half and float only on A2");
    hostcann::Vec<T>(AIC_OP_ReduceMax, dst).Src(0, src).Src(1, sharedTmpBuffer).Flag(calIndex).Count(count);
}
template <typename T>
HOSTCANN_API void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                            const int32_t count, bool calIndex = 0)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "ReduceMin: half and float only on A2");
    hostcann::Vec<T>(AIC_OP_ReduceMin, dst).Src(0, src).Src(1, sharedTmpBuffer).Flag(calIndex).Count(count);
}
template <typename T, bool isSetMask = true>
HOSTCANN_API void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                            const int32_t count)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "ReduceSum: half and float only on A2");
    hostcann::Vec<T> v(AIC_OP_ReduceSum, dst);
    v.Src(0, src).Src(1, sharedTmpBuffer);
    if (isSetMask) {
        v.Count(count);
    } else {
        v.template Reduce<false>(0, 1);
    }
}

// One row of a tensor after the other, srcRepStride blocks apart.
#define HOSTCANN_REDUCE_TENSOR(Name, Mask, ...)                                                   \
    template <typename T>                                                                         \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                  \
                           const LocalTensor<T>& sharedTmpBuffer, Mask, const int32_t repeatTime, \
                           const int32_t srcRepStride __VA_OPT__(, bool calIndex = 0))            \
    {                                                                                             \
        static_assert(hostcann::IsOneOf<T, half, float>, #Name ": half and float only on A2");    \
        hostcann::Vec<T> v(AIC_OP_##Name, dst);                                                   \
        v.Src(0, src).Src(1, sharedTmpBuffer) __VA_OPT__(.Flag(calIndex));                        \
        v.ins.rep[1] = v.Field("srcRepStride", hostcann::Narrow<uint16_t>(srcRepStride));         \
        v.template Reduce<true>(mask, repeatTime);                                                \
    }
HOSTCANN_REDUCE_TENSOR(ReduceMax, const int32_t mask, index)
HOSTCANN_REDUCE_TENSOR(ReduceMax, const uint64_t mask[], index)
HOSTCANN_REDUCE_TENSOR(ReduceMin, const int32_t mask, index)
HOSTCANN_REDUCE_TENSOR(ReduceMin, const uint64_t mask[], index)
HOSTCANN_REDUCE_TENSOR(ReduceSum, const int32_t mask)
HOSTCANN_REDUCE_TENSOR(ReduceSum, const uint64_t mask[])
#undef HOSTCANN_REDUCE_TENSOR

namespace hostcann {

template <bool isSetMask, typename T, typename M>
HOSTCANN_API void IssueReduce(uint16_t opcode, const LocalTensor<T>& dst, const LocalTensor<T>& src, const M& mask,
                              const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                              const int32_t srcRepStride, const ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    static_assert(IsOneOf<T, half, float>, "reductions have half and float only on A2");
    Vec<T> v(opcode, dst);
    v.Src(0, src).Mode(static_cast<uint8_t>(order));
    v.ins.rep[0] = v.Field("dstRepStride", Narrow<uint16_t>(dstRepStride));
    v.ins.blk[1] = v.Field("srcBlkStride", Narrow<uint16_t>(srcBlkStride));
    v.ins.rep[1] = v.Field("srcRepStride", Narrow<uint16_t>(srcRepStride));
    v.template Reduce<isSetMask>(mask, repeatTime);
}

constexpr uint16_t ReduceOpcode(ReduceType type, uint16_t sum, uint16_t max, uint16_t min)
{
    return type == ReduceType::SUM ? sum : type == ReduceType::MAX ? max : min;
}

} // namespace hostcann

// A result per repeat. The older names take mask and repeatTime in this order, those of blocks and pairs the other way.
#define HOSTCANN_REDUCE_REPEAT(Name, Mask)                                                                       \
    template <typename T, bool isSetMask = true>                                                                 \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask, const int32_t repeatTime, \
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,   \
                           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)                                   \
    {                                                                                                            \
        hostcann::IssueReduce<isSetMask>(AIC_OP_##Name, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,  \
                                         srcRepStride, order);                                                   \
    }
HOSTCANN_REDUCE_REPEAT(WholeReduceMax, const int32_t mask)
HOSTCANN_REDUCE_REPEAT(WholeReduceMax, const uint64_t mask[])
HOSTCANN_REDUCE_REPEAT(WholeReduceMin, const int32_t mask)
HOSTCANN_REDUCE_REPEAT(WholeReduceMin, const uint64_t mask[])
#undef HOSTCANN_REDUCE_REPEAT

template <typename T, bool isSetMask = true>
HOSTCANN_API void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,
                                 const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                 const int32_t srcRepStride)
{
    hostcann::IssueReduce<isSetMask>(AIC_OP_WholeReduceSum, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,
                                     srcRepStride);
}
template <typename T, bool isSetMask = true>
HOSTCANN_API void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                                 const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                 const int32_t srcRepStride)
{
    hostcann::IssueReduce<isSetMask>(AIC_OP_WholeReduceSum, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,
                                     srcRepStride);
}
// dstBlkStride is not used.
template <typename T, bool isSetMask = true>
HOSTCANN_API void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                                  const int32_t mask, const int32_t, const int32_t srcBlkStride,
                                  const int32_t dstRepStride, const int32_t srcRepStride)
{
    hostcann::IssueReduce<isSetMask>(AIC_OP_WholeReduceSum, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,
                                     srcRepStride);
}

#define HOSTCANN_REDUCE_PART(Name, Mask)                                                                         \
    template <typename T, bool isSetMask = true>                                                                 \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, Mask, \
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride)   \
    {                                                                                                            \
        hostcann::IssueReduce<isSetMask>(AIC_OP_##Name, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,  \
                                         srcRepStride);                                                          \
    }
HOSTCANN_REDUCE_PART(BlockReduceMax, const int32_t mask)
HOSTCANN_REDUCE_PART(BlockReduceMax, const uint64_t mask[])
HOSTCANN_REDUCE_PART(BlockReduceMin, const int32_t mask)
HOSTCANN_REDUCE_PART(BlockReduceMin, const uint64_t mask[])
HOSTCANN_REDUCE_PART(BlockReduceSum, const int32_t mask)
HOSTCANN_REDUCE_PART(BlockReduceSum, const uint64_t mask[])
HOSTCANN_REDUCE_PART(PairReduceSum, const int32_t mask)
HOSTCANN_REDUCE_PART(PairReduceSum, const uint64_t mask[])
#undef HOSTCANN_REDUCE_PART

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename M>
HOSTCANN_API void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, const M& mask,
                               const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                               const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)
{
    static_assert(std::is_same<T, U>::value, "ReduceRepeat: dst and src have one type on A2");
    constexpr uint16_t op = hostcann::ReduceOpcode(reduceType, AIC_OP_WholeReduceSum, AIC_OP_WholeReduceMax,
                                                   AIC_OP_WholeReduceMin);
    hostcann::IssueReduce<isSetMask>(op, dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, order);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename M>
HOSTCANN_API void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, const M& mask,
                                  const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                  const int32_t srcRepStride)
{
    static_assert(std::is_same<T, U>::value, "ReduceDataBlock: dst and src have one type on A2");
    constexpr uint16_t op = hostcann::ReduceOpcode(reduceType, AIC_OP_BlockReduceSum, AIC_OP_BlockReduceMax,
                                                   AIC_OP_BlockReduceMin);
    hostcann::IssueReduce<isSetMask>(op, dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true, typename M>
HOSTCANN_API void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, const M& mask,
                                 const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                 const int32_t srcRepStride)
{
    static_assert(std::is_same<T, U>::value && reduceType == ReduceType::SUM,
                  "ReducePairElem: sums only, dst and src of one type on A2");
    hostcann::IssueReduce<isSetMask>(AIC_OP_PairReduceSum, dst, src, mask, repeatTime, dstRepStride, srcBlkStride,
                                     srcRepStride);
}

// Results that the last reduction left in registers. The index is stored in the element type, like in dst.
template <typename T>
HOSTCANN_API void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "GetReduceRepeatMaxMinSpr: half and float only");
    maxMinValue = hostcann::FromBits<T>(aic_spr(AIC_SPR_MAX_MIN));
    maxMinIndex = hostcann::FromBits<T>(aic_spr(AIC_SPR_MAX_MIN_INDEX));
}
template <typename T>
HOSTCANN_API void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex)
{
    GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex);
}
template <typename T>
HOSTCANN_API T GetReduceRepeatSumSpr()
{
    static_assert(hostcann::IsOneOf<T, half, float>, "GetReduceRepeatSumSpr: half and float only");
    return hostcann::FromBits<T>(aic_spr(AIC_SPR_ACC_VAL));
}
template <typename T>
HOSTCANN_API T GetAccVal()
{
    return GetReduceRepeatSumSpr<T>();
}
// The bits of the sum, of either type.
HOSTCANN_API int64_t GetReduceRepeatSumSpr() { return static_cast<int64_t>(aic_spr(AIC_SPR_ACC_VAL)); }
HOSTCANN_API int64_t GetAccVal() { return static_cast<int64_t>(aic_spr(AIC_SPR_ACC_VAL)); }

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_REDUCE_H
