// SoftmaxGrad and SoftmaxGradFront. half computes in float.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_GRAD_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_GRAD_H

#include "ascendc/kernel/adv_softmax_pass.h"

namespace AscendC {
namespace hostcann {

// One pass of (grad - sum(grad * src)) * src, or of the sums alone, a block of them per row.
template <typename T, bool isNZ>
class GradPass {
    static_assert(IsOneOf<T, half, float>, "SoftmaxGrad: half or float on A2");
    static constexpr bool IS_WIDENED = sizeof(T) == sizeof(half);

public:
    HOSTCANN_API GradPass(const LocalTensor<uint8_t>& tmp, const SoftMaxShapeInfo& shape, uint32_t most)
        : shape_(shape), whole_(LayoutOf<isNZ>(shape.srcM, shape.srcK))
    {
        const LocalTensor<float> room = tmp.template ReinterpretCast<float>();
        const uint32_t size = most * shape.srcK;
        product_ = room;
        grad_ = room[size];
        src_ = room[2 * size];
        reduced_ = room[(IS_WIDENED ? 3 : 1) * size];
        work_ = reduced_[8 * most];
    }

    static HOSTCANN_API uint32_t Bytes(const SoftMaxShapeInfo& shape, uint32_t rows)
    {
        const uint32_t width = isNZ ? 16 : 64;
        const uint32_t fold = shape.oriSrcK > width ? width * rows : 0;
        const uint32_t blocks = (rows + 7) / 8 * 64;
        const uint32_t narrowed = IS_WIDENED ? 24 * rows : 0;
        const uint32_t most = fold > blocks ? fold : blocks;
        return 4 * ((IS_WIDENED ? 3 : 1) * rows * shape.srcK + 8 * rows + (most > narrowed ? most : narrowed));
    }

    HOSTCANN_API void Begin(uint32_t first, uint32_t rows)
    {
        first_ = first;
        rows_ = rows;
        part_ = LayoutOf<isNZ>(rows, shape_.srcK);
        layout_ = IS_WIDENED ? part_ : whole_;
    }

    // The products, and a block of their sum per row.
    HOSTCANN_API void Sums(const LocalTensor<T>& grad, const LocalTensor<T>& src)
    {
        const uint32_t at = first_ * whole_.pitch;
        if constexpr (IS_WIDENED) {
            Stretches(whole_, [&](uint32_t from, uint32_t to, uint32_t n) HOSTCANN_API_LAMBDA {
                Cast(grad_[to], grad[at + from], RoundMode::CAST_NONE, n);
                Cast(src_[to], src[at + from], RoundMode::CAST_NONE, n);
            });
        } else {
            grad_ = grad[at];
            src_ = src[at];
        }
        Stretches(layout_, [&](uint32_t from, uint32_t to, uint32_t n) HOSTCANN_API_LAMBDA {
            Mul(product_[to], grad_[from], src_[from], static_cast<int32_t>(n));
        });
        ReduceRows<false>(reduced_, product_, part_, rows_, shape_.oriSrcK, work_);
        SpreadBlocks(work_, reduced_, rows_);
    }
    HOSTCANN_API void WriteSums(const LocalTensor<T>& dst)
    {
        WriteStat<false>(StatAt<T, false>(dst, first_), work_, work_[8 * rows_], rows_);
    }
    HOSTCANN_API void WriteGradients(const LocalTensor<T>& dst)
    {
        const uint32_t at = first_ * whole_.pitch;
        ApplyToRows<false>(product_, part_, grad_, layout_, work_, rows_, shape_.srcK);
        if constexpr (IS_WIDENED) {
            Stretches(part_, [&](uint32_t i, uint32_t, uint32_t n) HOSTCANN_API_LAMBDA {
                Mul(product_[i], product_[i], src_[i], static_cast<int32_t>(n));
            });
            Stretches(whole_, [&](uint32_t to, uint32_t from, uint32_t n)
                                  HOSTCANN_API_LAMBDA { Cast(dst[at + to], product_[from], RoundMode::CAST_NONE, n); });
        } else {
            Stretches(whole_, [&](uint32_t to, uint32_t from, uint32_t n) HOSTCANN_API_LAMBDA {
                Mul(dst[at + to], product_[from], src_[to], static_cast<int32_t>(n));
            });
        }
    }

private:
    template <typename Run>
    HOSTCANN_API void Stretches(const RowLayout& big, const Run& run)
    {
        EachStretch<isNZ>(big, part_, rows_, shape_.srcK, run);
        Ordered();
    }

    SoftMaxShapeInfo shape_;
    RowLayout whole_;
    RowLayout part_{};
    RowLayout layout_{}; // of grad_ and src_
    LocalTensor<float> product_;
    LocalTensor<float> grad_;
    LocalTensor<float> src_;
    LocalTensor<float> reduced_;
    LocalTensor<float> work_;
    uint32_t first_ = 0;
    uint32_t rows_ = 0;
};

template <typename T, bool isNZ>
HOSTCANN_API void SoftmaxGradOf(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& grad,
                                const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp, const SoftMaxTiling& tiling,
                                bool isFront, const SoftMaxShapeInfo& shapeInfo)
{
    using Pass = GradPass<T, isNZ>;
    const SoftMaxShapeInfo shape = SoftmaxShapeOf<SOFTMAX_DEFAULT_CFG>(name, src, shapeInfo);
    const SoftmaxShape s{shape.srcM, shape.srcK, sizeof(T)};
    const uint32_t own = SoftmaxPassRows(s, tmp.GetSize() / 4, SoftmaxGradRoom(s, isFront));
    const uint32_t rows = SoftmaxRowsOf<SOFTMAX_DEFAULT_CFG>(name, tiling, shape, own);
    SoftmaxPasses<Pass>(name, src, grad, tmp, shape, rows, [&](Pass& p) HOSTCANN_API_LAMBDA {
        p.Sums(grad, src);
        if (isFront) {
            p.WriteSums(dst);
        } else {
            p.WriteGradients(dst);
        }
    });
}

} // namespace hostcann

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
HOSTCANN_API void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                              const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                              const SoftMaxTiling& tiling, bool isFront = false,
                              const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SoftmaxGradOf<T, isDataFormatNZ>("SoftmaxGrad", dstTensor, gradTensor, srcTensor, sharedTmpBuffer, tiling,
                                               isFront, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
HOSTCANN_API void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                              const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling, bool isFront = false,
                              const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SoftmaxGradOf<T, isDataFormatNZ>("SoftmaxGrad", dstTensor, gradTensor, srcTensor, hostcann::AdvStack(1),
                                               tiling, isFront, softmaxShapeInfo);
}

template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
HOSTCANN_API void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                                   const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                   const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SoftmaxGradOf<T, isDataFormatNZ>("SoftmaxGradFront", dstTensor, gradTensor, srcTensor, sharedTmpBuffer,
                                               tiling, true, softmaxShapeInfo);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
HOSTCANN_API void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                                   const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                                   const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SoftmaxGradOf<T, isDataFormatNZ>("SoftmaxGradFront", dstTensor, gradTensor, srcTensor,
                                               hostcann::AdvStack(1), tiling, true, softmaxShapeInfo);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_GRAD_H
