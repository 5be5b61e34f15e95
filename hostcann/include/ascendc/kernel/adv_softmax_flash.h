// SoftmaxFlash and SoftmaxFlashV2: the Softmax of rows that come in several parts, each with the sums and maxima of the
// parts before.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_FLASH_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_FLASH_H

#include "ascendc/kernel/adv_softmax_pass.h"

namespace AscendC {
namespace hostcann {

// What a flash function reads and writes besides the matrix.
template <typename T, typename U>
struct FlashStats {
    LocalTensor<U> sum;
    LocalTensor<U> max;
    LocalTensor<T> expMax;
    LocalTensor<U> inSum;
    LocalTensor<U> inMax;
};

// The row maxima, those of the parts before included, and the matrix less them; e^(inMax - max) in the result, which
// holds until the next reduction.
template <bool isUpdate, bool isPacked, typename Pass, typename T, typename U>
HOSTCANN_API LocalTensor<float> FlashMax(Pass& p, const FlashStats<T, U>& stats)
{
    const LocalTensor<float> max = isPacked ? p.Reduced() : p.Work();
    const LocalTensor<float> factor = isPacked ? p.Work() : p.Reduced();
    LocalTensor<float> before;
    if constexpr (!isPacked) {
        p.Spread();
    }
    if constexpr (isUpdate) {
        before = p.Read(stats.inMax);
        Max(max, max, before, p.Lanes());
        Ordered();
    }
    if constexpr (isPacked) {
        p.Spread();
    }
    p.Subtract(p.Work());
    if constexpr (isUpdate) {
        Sub(factor, before, max, p.Lanes());
        Ordered();
        Exp(factor, factor, p.Lanes());
        Ordered();
    }
    p.Write(stats.max, max);
    return factor;
}

// factor * inSum, in the sums where those are floats.
template <typename Pass, typename T, typename U>
HOSTCANN_API LocalTensor<float> FlashSumBefore(Pass& p, const FlashStats<T, U>& stats, const LocalTensor<float>& factor)
{
    const LocalTensor<float> before = p.Read(stats.inSum);
    LocalTensor<float> kept = p.Stat();
    if constexpr (std::is_same<U, float>::value) {
        kept = p.At(stats.sum);
    }
    Mul(kept, factor, before, p.Lanes());
    Ordered();
    return kept;
}

template <typename T, typename U, bool isUpdate, bool isNZ, bool isPacked, bool hasFirstMax,
          const SoftmaxConfig& config>
HOSTCANN_API void FlashV2Of(const LocalTensor<T>& dst, const LocalTensor<U>& firstMax, const FlashStats<T, U>& stats,
                            const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp, const SoftMaxTiling& tiling,
                            const SoftMaxShapeInfo& shapeInfo, bool isBasicBlock)
{
    static_assert(!isNZ || !isPacked, "SoftmaxFlashV2: NZ goes with SoftmaxMode::SOFTMAX_NORMAL only");
    using Pass = SoftmaxPass<T, U, isNZ, isPacked>;
    const SoftMaxShapeInfo shape = SoftmaxShapeOf<config>("SoftmaxFlashV2", src, shapeInfo);
    const uint32_t own = SoftmaxFlashV2PassRows({shape.srcM, shape.srcK, sizeof(U)}, sizeof(T), tmp.GetSize() / 4,
                                                isBasicBlock, isPacked);
    const uint32_t rows = SoftmaxRowsOf<config>("SoftmaxFlashV2", tiling, shape, own);
    SoftmaxPasses<Pass>("SoftmaxFlashV2", dst, src, tmp, shape, rows, [&](Pass& p) HOSTCANN_API_LAMBDA {
        p.Load(dst, src);
        p.RowMax();
        if constexpr (hasFirstMax && isUpdate) {
            p.Write(firstMax, p.Reduced());
        }
        const LocalTensor<float> factor = FlashMax<isUpdate, isPacked>(p, stats);
        p.Exponentials();
        LocalTensor<float> before;
        if constexpr (isUpdate) {
            before = FlashSumBefore(p, stats, factor);
            p.Write(stats.expMax, factor);
        }
        p.RowSum();
        if constexpr (!isPacked) {
            p.Spread();
        }
        const LocalTensor<float> sum = isPacked ? p.Reduced() : p.Work();
        if constexpr (isUpdate) {
            Add(sum, sum, before, p.Lanes());
            Ordered();
        }
        p.Write(stats.sum, sum);
        p.Store(dst);
    });
}

// The first version divides by the sums at once.
template <typename T, typename U, bool isUpdate>
HOSTCANN_API void FlashOf(const LocalTensor<T>& dst, const FlashStats<T, U>& stats, const LocalTensor<T>& src,
                          const LocalTensor<uint8_t>& tmp, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& shapeInfo)
{
    using Pass = SoftmaxPass<T, U, false>;
    const SoftMaxShapeInfo shape = SoftmaxShapeOf<SOFTMAX_DEFAULT_CFG>("SoftmaxFlash", src, shapeInfo);
    const SoftmaxShape s{shape.srcM, shape.srcK, sizeof(U)};
    const uint32_t own = SoftmaxPassRows(s, tmp.GetSize() / 4, SoftmaxFlashRoom(s, isUpdate));
    const uint32_t rows = SoftmaxRowsOf<SOFTMAX_DEFAULT_CFG>("SoftmaxFlash", tiling, shape, own);
    SoftmaxPasses<Pass>("SoftmaxFlash", dst, src, tmp, shape, rows, [&](Pass& p) HOSTCANN_API_LAMBDA {
        p.Load(dst, src);
        p.RowMax();
        const LocalTensor<float> factor = FlashMax<isUpdate, false>(p, stats);
        p.Exponentials();
        LocalTensor<float> before;
        if constexpr (isUpdate) {
            before = FlashSumBefore(p, stats, factor);
        }
        p.RowSum();
        p.Spread();
        if constexpr (isUpdate) {
            Add(p.Work(), p.Work(), before, p.Lanes());
            Ordered();
            Div(p.Reduced(), before, p.Work(), p.Lanes());
            Ordered();
            p.Write(stats.expMax, p.Reduced());
        }
        p.Write(stats.sum, p.Work());
        p.Divide(p.Work());
        p.Store(dst);
    });
}

template <typename T, typename U>
HOSTCANN_API void FlashOf(const LocalTensor<T>& dst, const FlashStats<T, U>& stats, const LocalTensor<T>& src,
                          const LocalTensor<uint8_t>& tmp, const SoftMaxTiling& tiling, bool isUpdate,
                          const SoftMaxShapeInfo& shapeInfo)
{
    if (isUpdate) {
        FlashOf<T, U, true>(dst, stats, src, tmp, tiling, shapeInfo);
    } else {
        FlashOf<T, U, false>(dst, stats, src, tmp, tiling, shapeInfo);
    }
}

} // namespace hostcann

// Type: of the matrix; Stat: of the sums and maxima.
#define HOSTCANN_SOFTMAX_FLASH(Type, Stat)                                                                            \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                      \
    HOSTCANN_API void SoftmaxFlash(const LocalTensor<Type>& dstTensor, const LocalTensor<Stat>& sumTensor,            \
                                   const LocalTensor<Stat>& maxTensor, const LocalTensor<Type>& srcTensor,            \
                                   const LocalTensor<Type>& expMaxTensor, const LocalTensor<Stat>& inSumTensor,       \
                                   const LocalTensor<Stat>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer, \
                                   const SoftMaxTiling& tiling, bool isUpdate = false,                                \
                                   const SoftMaxShapeInfo& softmaxShapeInfo = {})                                     \
    {                                                                                                                 \
        hostcann::FlashOf<Type, Stat>(dstTensor, {sumTensor, maxTensor, expMaxTensor, inSumTensor, inMaxTensor},      \
                                      srcTensor, sharedTmpBuffer, tiling, isUpdate, softmaxShapeInfo);                \
    }                                                                                                                 \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                      \
    HOSTCANN_API void SoftmaxFlash(const LocalTensor<Type>& dstTensor, const LocalTensor<Stat>& sumTensor,            \
                                   const LocalTensor<Stat>& maxTensor, const LocalTensor<Type>& srcTensor,            \
                                   const LocalTensor<Type>& expMaxTensor, const LocalTensor<Stat>& inSumTensor,       \
                                   const LocalTensor<Stat>& inMaxTensor, const SoftMaxTiling& tiling,                 \
                                   bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {})              \
    {                                                                                                                 \
        hostcann::FlashOf<Type, Stat>(dstTensor, {sumTensor, maxTensor, expMaxTensor, inSumTensor, inMaxTensor},      \
                                      srcTensor, hostcann::AdvStack(1), tiling, isUpdate, softmaxShapeInfo);          \
    }
HOSTCANN_SOFTMAX_FLASH(T, T)
HOSTCANN_SOFTMAX_FLASH(half, float)
#undef HOSTCANN_SOFTMAX_FLASH

// With SOFTMAX_OUTPUT_WITHOUT_BRC sums and maxima have one element per row.
#define HOSTCANN_SOFTMAX_FLASH_V2(Type, Stat)                                                                        \
    template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,              \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                        \
    HOSTCANN_API void SoftmaxFlashV2(const LocalTensor<Type>& dstTensor, const LocalTensor<Stat>& expSumTensor,      \
                                     const LocalTensor<Stat>& maxTensor, const LocalTensor<Type>& srcTensor,         \
                                     const LocalTensor<Type>& expMaxTensor, const LocalTensor<Stat>& inExpSumTensor, \
                                     const LocalTensor<Stat>& inMaxTensor,                                           \
                                     const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,       \
                                     const SoftMaxShapeInfo& softmaxShapeInfo = {})                                  \
    {                                                                                                                \
        constexpr bool isPacked = config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;                            \
        hostcann::FlashV2Of<Type, Stat, isUpdate, isDataFormatNZ, isPacked, false, config>(                          \
            dstTensor, maxTensor, {expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor}, srcTensor,   \
            sharedTmpBuffer, tiling, softmaxShapeInfo, isBasicBlock);                                                \
    }                                                                                                                \
    template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,              \
              bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                        \
    HOSTCANN_API void SoftmaxFlashV2(const LocalTensor<Type>& dstTensor, const LocalTensor<Stat>& expSumTensor,      \
                                     const LocalTensor<Stat>& maxTensor, const LocalTensor<Type>& srcTensor,         \
                                     const LocalTensor<Type>& expMaxTensor, const LocalTensor<Stat>& inExpSumTensor, \
                                     const LocalTensor<Stat>& inMaxTensor, const SoftMaxTiling& tiling,              \
                                     const SoftMaxShapeInfo& softmaxShapeInfo = {})                                  \
    {                                                                                                                \
        SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(                            \
            dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor, inMaxTensor,                \
            hostcann::AdvStack(1), tiling, softmaxShapeInfo);                                                        \
    }
HOSTCANN_SOFTMAX_FLASH_V2(T, T)
HOSTCANN_SOFTMAX_FLASH_V2(half, float)
#undef HOSTCANN_SOFTMAX_FLASH_V2

// With the row maxima of this part alone. Upstream does nothing in the mode SOFTMAX_NORMAL; here that does not compile.
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& outReduceMax,
                                 const LocalTensor<T>& outExpSum, const LocalTensor<T>& outMax,
                                 const LocalTensor<T>& srcTensor, const LocalTensor<T>& outExpMax,
                                 const LocalTensor<T>& inExpSum, const LocalTensor<T>& inMax,
                                 const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                                 const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    static_assert(config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC && !isDataFormatNZ,
                  "SoftmaxFlashV2 with outReduceMax: ND and SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC only");
    hostcann::FlashV2Of<T, T, isUpdate, false, true, true, config>(
        dstTensor, outReduceMax, {outExpSum, outMax, outExpMax, inExpSum, inMax}, srcTensor, sharedTmpBuffer, tiling,
        softmaxShapeInfo, isBasicBlock);
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftmaxFlashV2(const LocalTensor<T>& dstTensor, const LocalTensor<T>& outReduceMax,
                                 const LocalTensor<T>& outExpSum, const LocalTensor<T>& outMax,
                                 const LocalTensor<T>& srcTensor, const LocalTensor<T>& outExpMax,
                                 const LocalTensor<T>& inExpSum, const LocalTensor<T>& inMax,
                                 const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(
        dstTensor, outReduceMax, outExpSum, outMax, srcTensor, outExpMax, inExpSum, inMax, hostcann::AdvStack(1),
        tiling, softmaxShapeInfo);
}

// The tiling of another shape than the host's. By this name attention kernels ask for a space of elements of float.
HOSTCANN_API constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(
    const uint32_t srcM, const uint32_t srcK, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
    const uint32_t localWorkSpaceSize, const bool isUpdate = false, const bool isBasicBlock = false,
    const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false)
{
    (void)isUpdate;
    (void)isDataFormatNZ;
    const hostcann::SoftmaxShape s{srcM, srcK, dataTypeSize2};
    return hostcann::SoftmaxSplit(
        s, hostcann::SoftmaxFlashV2PassRows(s, dataTypeSize1, localWorkSpaceSize, isBasicBlock, isFlashOutputBrc));
}
// The space in bytes.
HOSTCANN_API constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(
    const SoftMaxShapeInfo& shapeInfo, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
    const uint32_t localWorkSpaceSize, const bool isUpdate = false, const bool isBasicBlock = false,
    const bool isDataFormatNZ = false, const bool isFlashOutputBrc = false)
{
    return SoftMaxFlashV2TilingFuncImpl(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize1, dataTypeSize2,
                                        localWorkSpaceSize / 4, isUpdate, isBasicBlock, isDataFormatNZ,
                                        isFlashOutputBrc);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_FLASH_H
