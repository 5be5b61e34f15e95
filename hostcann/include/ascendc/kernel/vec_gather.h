// Gather, Gatherb, GatherMask.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_GATHER_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_GATHER_H

#include "ascendc/kernel/system.h"
#include "ascendc/kernel/vec_fill.h"

namespace AscendC {

// Offsets in bytes from the start of src plus srcBaseOffset. Other types than 16 and 32-bit ones compile upstream and
// issue nothing; here they fault at run time.
template <typename T>
HOSTCANN_API void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                         const uint32_t srcBaseOffset, const uint32_t count)
{
    hostcann::Vec<T> v(AIC_OP_Gather, dst);
    v.ins.base = srcBaseOffset;
    v.Src(0, src).Src(1, srcOffset).Count(count);
}
template <typename T>
HOSTCANN_API void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                         const uint32_t srcBaseOffset, const uint64_t mask, const hostcann::RepeatTime repeatTime,
                         const hostcann::NarrowArg<uint16_t> dstRepStride)
{
    hostcann::Vec<T> v(AIC_OP_Gather, dst);
    v.ins.base = srcBaseOffset;
    v.ins.rep[0] = v.Field("dstRepStride", dstRepStride);
    v.Src(0, src).Src(1, srcOffset).template Repeat<true>(mask, repeatTime);
}
template <typename T>
HOSTCANN_API void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                         const uint32_t srcBaseOffset, const uint64_t mask[], const hostcann::RepeatTime repeatTime,
                         const hostcann::NarrowArg<uint16_t> dstRepStride)
{
    hostcann::Vec<T> v(AIC_OP_Gather, dst);
    v.ins.base = srcBaseOffset;
    v.ins.rep[0] = v.Field("dstRepStride", dstRepStride);
    v.Src(0, src).Src(1, srcOffset).template Repeat<true>(mask, repeatTime);
}

// One offset in bytes per 32-byte block.
template <typename T>
HOSTCANN_API void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offset,
                          const hostcann::RepeatTime repeatTime, const GatherRepeatParams& repeatParams)
{
    static_assert(hostcann::IsOneOf<T, uint16_t, uint32_t>, "Gatherb: uint16_t and uint32_t only on A2");
    hostcann::Vec<T> v(AIC_OP_Gatherb, dst);
    v.ins.blk[0] = v.Field("dstBlkStride", repeatParams.dstBlkStride);
    v.ins.rep[0] = v.Field("dstRepStride", repeatParams.dstRepStride);
    v.Src(0, src).Src(1, offset).template Repeat<false>(uint64_t{0}, repeatTime);
}

namespace hostcann {
template <typename T>
HOSTCANN_API uint64_t IssueGatherMask(Vec<T>& v, const bool reduceMode, const uint32_t mask, const GatherMaskParams& p)
{
    v.Flag(reduceMode);
    v.ins.form = AIC_FORM_MASK_REGISTER;
    v.ins.base = mask;
    v.ins.count = v.Field("repeatTimes", p.repeatTimes);
    v.ins.blk[1] = v.Field("src0BlockStride", p.src0BlockStride);
    v.ins.rep[1] = v.Field("src0RepeatStride", p.src0RepeatStride);
    v.ins.rep[2] = v.Field("src1RepeatStride", p.src1RepeatStride);
    aic_vector(&v.ins);
    return aic_spr(AIC_SPR_RSVD_CNT);
}
} // namespace hostcann

// rsvdCnt: how many elements were kept. The mask mode is normal afterwards.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
HOSTCANN_API void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                             const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                             uint64_t& rsvdCnt)
{
    static_assert(hostcann::IsMoved<T> && hostcann::IsOneOf<U, uint16_t, uint32_t> && sizeof(T) == sizeof(U),
                  "GatherMask: 16-bit types with a uint16_t pattern, 32-bit types with uint32_t on A2");
    hostcann::Vec<T> v(AIC_OP_GatherMask, dst);
    v.Src(0, src0).Src(1, src1Pattern).Mode(0);
    rsvdCnt = hostcann::IssueGatherMask(v, reduceMode, mask, gatherMaskParams);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
HOSTCANN_API void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                             const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                             uint64_t& rsvdCnt)
{
    static_assert(hostcann::IsMoved<T>, "GatherMask: 16 and 32-bit types only on A2");
    hostcann::Vec<T> v(AIC_OP_GatherMask, dst);
    // 0 would stand for a tensor of bits.
    v.Src(0, src0).Mode(src1Pattern == 0 ? 255 : src1Pattern);
    rsvdCnt = hostcann::IssueGatherMask(v, reduceMode, mask, gatherMaskParams);
}

// The few members kernels use of the toolkit's own helpers.
class AscendCUtils {
public:
    // Elements the last GatherMask kept.
    HOSTCANN_API static uint64_t GetRsvdCnt() { return aic_spr(AIC_SPR_RSVD_CNT); }
    HOSTCANN_API static void ResetMask() { aic_mask_reset(); }
    template <typename T, bool isSetMask = true>
    HOSTCANN_API static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow)
    {
        if (isSetMask) {
            aic_mask_set(maskHigh, maskLow);
        }
    }
    // The first n elements of a repeat, all of them for more than it has.
    template <typename T, bool isSetMask = true>
    HOSTCANN_API static void SetMask(int32_t n)
    {
        const auto first = [](int32_t bits) HOSTCANN_API_LAMBDA {
            return bits >= 64 ? ~uint64_t{0} : bits <= 0 ? 0 : (uint64_t{1} << bits) - 1;
        };
        SetMask<T, isSetMask>(first(n - 64), first(n));
    }
    // The mask is a number of elements, or of bits as after SetMaskNorm.
    template <typename T = void>
    HOSTCANN_API static void SetMaskCount()
    {
        ::AscendC::SetMaskCount();
    }
    template <typename T = void>
    HOSTCANN_API static void SetMaskNorm()
    {
        ::AscendC::SetMaskNorm();
    }
    // 1: infinities and NaN; 0: saturates.
    HOSTCANN_API static void SetOverflow(uint64_t mode) { SetCtrlSpr<48, 48>(mode == 1); }
    HOSTCANN_API static constexpr int32_t GetBitSize(int32_t byteSize) { return byteSize * 8; }
    // Elements of a block of 32 bytes.
    HOSTCANN_API static constexpr int32_t GetC0Count(int32_t dtypeSize) { return 32 / dtypeSize; }
};

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_GATHER_H
