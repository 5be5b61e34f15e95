// SoftmaxFlashV3: a flash Softmax whose rows are first shifted towards the mean of eight parts of them (page
// «SoftmaxFlashV3», pseudo code).
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_FLASH_V3_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_FLASH_V3_H

#include "ascendc/kernel/adv_softmax_flash.h"

namespace AscendC {

struct SoftMaxParams {
    constexpr SoftMaxParams() = default;
    constexpr SoftMaxParams(uint32_t m, uint32_t k, uint32_t oriM, uint32_t oriK, uint32_t loops, uint32_t parts,
                            float alphaIn)
        : srcM(m), srcK(k), oriSrcM(oriM), oriSrcK(oriK), loopCnt(loops), splitMeanCnt(parts), alpha(alphaIn)
    {
    }
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    uint32_t loopCnt = 0;
    uint32_t splitMeanCnt = 0;
    float alpha = 0;
};

namespace hostcann {

// Three more statistics of 8 floats per row.
class FlashV3Pass : public SoftmaxPass<half, float, false> {
    using Base = SoftmaxPass<half, float, false>;

public:
    HOSTCANN_API FlashV3Pass(const LocalTensor<uint8_t>& tmp, const SoftMaxShapeInfo& shape, uint32_t most)
        : Base(tmp, shape, most), k_(shape.srcK)
    {
        parts_ = Work()[64 * most];
        mean_ = parts_[8 * most];
        other_ = mean_[8 * most];
    }
    static HOSTCANN_API uint32_t Bytes(const SoftMaxShapeInfo& shape, uint32_t rows)
    {
        return Base::Bytes(shape, rows) + 4 * 3 * 8 * rows;
    }

    // The mean of each row into Mean(), and the parts of the matrix less (mean - mean of the part) * factor. As the
    // page's code has it, columns from 512 on count for the part of their place in a repeat.
    HOSTCANN_API void ShiftToMean(float factor)
    {
        const LocalTensor<float>& x = Result();
        const RowLayout& layout = Layout();
        const uint32_t rows = Rows();
        const uint32_t part = k_ / 8;
        for (uint32_t r = 0; r < rows; ++r) {
            BlockReduceSum(Work()[r * 64], x[r * k_], 8, 64, 1, 1, 8);
        }
        const uint8_t from = static_cast<uint8_t>(layout.HasRepeats() ? k_ / 8 : 0);
        for (uint32_t c = 512; c < k_; c += 64) {
            Ordered();
            EachRepeats(rows, layout.HasRepeats(), [&](uint32_t r, uint32_t n) HOSTCANN_API_LAMBDA {
                Add(Work()[r * 64], Work()[r * 64], x[r * k_ + c], uint64_t{64}, n, {1, 1, 1, 8, 8, from});
            });
        }
        Ordered();
        SumBlocks(parts_, Work(), rows * 8);
        Muls(parts_, parts_, 1.0f / static_cast<float>(part), Lanes());
        Ordered();
        SumBlocks(Reduced(), parts_, rows);
        Spread();
        Muls(mean_, Work(), 0.125f, Lanes());
        Ordered();
        Sub(parts_, mean_, parts_, Lanes());
        Ordered();
        Muls(parts_, parts_, factor, Lanes());
        Ordered();
        SpreadBlocks(Work(), parts_, rows * 8);
        for (uint32_t p = 0; p < 8; ++p) {
            ApplyToRows<false>(x[p * part], layout, x[p * part], layout, Work()[p * 8], rows, part, 8);
        }
    }

    HOSTCANN_API const LocalTensor<float>& Mean() const { return mean_; }
    // Free once the rows are shifted.
    HOSTCANN_API const LocalTensor<float>& Parts() const { return parts_; }
    HOSTCANN_API const LocalTensor<float>& Other() const { return other_; }

private:
    // The sum of each of `blocks` blocks of 8.
    HOSTCANN_API void SumBlocks(const LocalTensor<float>& dst, const LocalTensor<float>& src, uint32_t blocks)
    {
        EachRepeats(blocks / 8, true, [&](uint32_t i, uint32_t n) HOSTCANN_API_LAMBDA {
            BlockReduceSum(dst[i * 8], src[i * 64], static_cast<int32_t>(n), 64, 1, 1, 8);
        });
        if (blocks % 8 != 0) {
            const uint32_t whole = blocks / 8;
            BlockReduceSum(dst[whole * 8], src[whole * 64], 1, static_cast<int32_t>(blocks % 8 * 8), 1, 1, 8);
        }
        Ordered();
    }

    uint32_t k_;
    LocalTensor<float> parts_;
    LocalTensor<float> mean_;
    LocalTensor<float> other_;
};

// What the parts before change: the mean, the maxima, and how far the rows are shifted. Returns what the matrix loses.
HOSTCANN_API const LocalTensor<float>& FlashV3Update(FlashV3Pass& p, const FlashStats<half, float>& stats,
                                                     const LocalTensor<float>& mean, const LocalTensor<float>& inMean,
                                                     float factor, uint32_t loops)
{
    const int32_t n = p.Lanes();
    const LocalTensor<float>& now = p.Mean();
    const LocalTensor<float>& before = p.Parts();
    const LocalTensor<float>& other = p.Other();
    Muls(other, p.At(inMean), static_cast<float>(loops) - 1.0f, n);
    Ordered();
    Add(other, other, now, n);
    Ordered();
    Muls(other, other, 1.0f / static_cast<float>(loops), n);
    Ordered();
    Sub(now, now, other, n);
    Sub(before, p.At(inMean), other, n);
    Ordered();
    Muls(now, now, factor, n);
    Muls(before, before, factor, n);
    p.Write(mean, other);
    Add(p.Work(), p.Work(), now, n);
    Add(other, p.At(stats.inMax), before, n);
    Ordered();
    Max(p.Work(), p.Work(), other, n);
    Ordered();
    Sub(p.Reduced(), p.At(stats.inMax), p.Work(), n);
    Ordered();
    Add(p.Reduced(), p.Reduced(), before, n);
    Ordered();
    Exp(p.Reduced(), p.Reduced(), n);
    Sub(other, p.Work(), now, n);
    Ordered();
    return other;
}

template <bool isUpdate>
HOSTCANN_API void FlashV3Of(const LocalTensor<half>& dst, const LocalTensor<float>& mean,
                            const FlashStats<half, float>& stats, const LocalTensor<half>& src,
                            const LocalTensor<float>& inMean, const LocalTensor<uint8_t>& tmp,
                            const SoftMaxTiling& tiling, const SoftMaxParams& params)
{
    const char* name = "SoftmaxFlashV3";
    if (params.srcK < 512 || params.srcK % 64 != 0 || params.srcM % 8 != 0 || params.splitMeanCnt != 8) {
        const bool isParts = params.splitMeanCnt != 8;
        const bool isRows = !isParts && params.srcM % 8 != 0;
        aic_misuse(name,
                   isParts ? "params.splitMeanCnt" :
                   isRows  ? "params.srcM" :
                             "params.srcK",
                   "the function has no such shape", "8 parts; rows a multiple of 8; columns of 512 or more, by 64",
                   isParts ? params.splitMeanCnt :
                   isRows  ? params.srcM :
                             params.srcK,
                   "pad the source");
    }
    const SoftMaxShapeInfo shape = SoftmaxShapeOf<SOFTMAX_DEFAULT_CFG>(
        name, src, {params.srcM, params.srcK, params.oriSrcM, params.oriSrcK});
    const uint32_t own = SoftmaxFlashV3PassRows({shape.srcM, shape.srcK, sizeof(float)}, tmp.GetSize() / 4);
    const uint32_t rows = SoftmaxRowsOf<SOFTMAX_DEFAULT_CFG>(name, tiling, shape, own);
    const float factor = params.alpha / (1.0f - params.alpha);
    SoftmaxPasses<FlashV3Pass>(name, dst, src, tmp, shape, rows, [&](FlashV3Pass& p) HOSTCANN_API_LAMBDA {
        p.Load(dst, src);
        p.ShiftToMean(factor);
        p.RowMax();
        p.Spread();
        LocalTensor<float> before;
        if constexpr (isUpdate) {
            p.Subtract(FlashV3Update(p, stats, mean, inMean, factor, params.loopCnt));
            before = FlashSumBefore(p, stats, p.Reduced());
        } else {
            p.Write(mean, p.Mean());
            p.Subtract(p.Work());
        }
        p.Write(stats.max, p.Work());
        if constexpr (isUpdate) {
            p.Write(stats.expMax, p.Reduced());
        }
        p.Exponentials();
        p.RowSum();
        p.Spread();
        if constexpr (isUpdate) {
            Add(p.Work(), p.Work(), before, p.Lanes());
            Ordered();
        }
        p.Write(stats.sum, p.Work());
        p.Store(dst);
    });
}

} // namespace hostcann

template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                                 const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                                 const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                                 const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                                 const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                 const SoftMaxTiling& tiling, const SoftMaxParams& params)
{
    static_assert(std::is_same<T, half>::value && std::is_same<U, float>::value && !isDataFormatNZ,
                  "SoftmaxFlashV3: a half matrix with float statistics, ND");
    hostcann::FlashV3Of<isUpdate>(dstTensor, meanTensor,
                                  {expSumTensor, maxTensor, expMaxTensor, inExpSumTensor, inMaxTensor}, srcTensor,
                                  inMeanTensor, sharedTmpBuffer, tiling, params);
}
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                                 const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                                 const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                                 const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                                 const LocalTensor<U>& inMaxTensor, const SoftMaxTiling& tiling,
                                 const SoftMaxParams& params)
{
    SoftmaxFlashV3<T, U, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(
        dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inMeanTensor, inExpSumTensor,
        inMaxTensor, hostcann::AdvStack(1), tiling, params);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_FLASH_V3_H
