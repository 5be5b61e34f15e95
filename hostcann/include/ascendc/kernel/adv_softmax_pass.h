// One pass of a Softmax function: the rows that fit its temporary space, step by step. half computes in float.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_PASS_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_PASS_H

#include "ascendc/kernel/adv_matrix.h"
#include "ascendc/softmax_split.h"

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

// srcK in whole 32-byte blocks; oriSrcK columns count for the sums and maxima.
struct SoftMaxShapeInfo {
    constexpr SoftMaxShapeInfo() = default;
    constexpr SoftMaxShapeInfo(uint32_t m, uint32_t k, uint32_t oriM, uint32_t oriK)
        : srcM(m), srcK(k), oriSrcM(oriM), oriSrcK(oriK)
    {
    }
    uint32_t srcM = 0;
    uint32_t srcK = 0;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
};

namespace hostcann {

// The shape of a call, of its source when the call has none. The constants of `config` go before both.
template <const SoftmaxConfig& config, typename T>
HOSTCANN_API SoftMaxShapeInfo SoftmaxShapeOf(const char* name, const LocalTensor<T>& src, SoftMaxShapeInfo s)
{
    if (s.srcM == 0 && s.srcK == 0) {
        const ShapeInfo of = src.GetShapeInfo();
        if (of.shapeDim != 0 && of.originalShapeDim != 0) {
            s.srcM = s.oriSrcM = 1;
            s.srcK = of.shape[of.shapeDim - 1];
            s.oriSrcK = of.originalShape[of.originalShapeDim - 1];
            for (uint32_t i = 0; i + 1 < of.shapeDim; ++i) {
                s.srcM *= of.shape[i];
            }
            for (uint32_t i = 0; i + 1 < of.originalShapeDim; ++i) {
                s.oriSrcM *= of.originalShape[i];
            }
        }
    }
    if (config.oriSrcM != 0 && config.oriSrcK != 0) {
        s.oriSrcM = config.oriSrcM;
        s.oriSrcK = config.oriSrcK;
    }
    if (s.srcM == 0 || s.srcK == 0 || s.srcK * sizeof(T) % 32 != 0) {
        aic_misuse(name, s.srcM == 0 ? "softmaxShapeInfo.srcM" : "softmaxShapeInfo.srcK", "there is no such shape",
                   "rows, and columns in whole 32-byte blocks", s.srcM == 0 ? s.srcM : s.srcK,
                   "give the call the shape of its source");
    }
    if (s.oriSrcM == 0 || s.oriSrcM > s.srcM || s.oriSrcK == 0 || s.oriSrcK > s.srcK) {
        const bool rows = s.oriSrcM == 0 || s.oriSrcM > s.srcM;
        aic_misuse(name, rows ? "softmaxShapeInfo.oriSrcM" : "softmaxShapeInfo.oriSrcK",
                   "the original shape does not fit the padded one", rows ? "1 to srcM" : "1 to srcK",
                   rows ? s.oriSrcM : s.oriSrcK, "srcM and srcK are oriSrcM and oriSrcK rounded up");
    }
    return s;
}

// Rows of a pass. A tiling of another shape gives way to `own`.
template <const SoftmaxConfig& config>
HOSTCANN_API uint32_t SoftmaxRowsOf(const char* name, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape,
                                    uint32_t own)
{
    const bool isOther = tiling.srcM != shape.srcM || tiling.srcK != shape.srcK;
    const uint32_t rows = config.isCheckTiling && isOther ? own : tiling.splitM;
    if (rows == 0) {
        aic_misuse(name, "tiling.splitM", "the temporary space has no room for a row", "1 row or more", rows,
                   "give the tiling function at least the minimum that its Get...TmpSize gives");
    }
    return rows < shape.srcM ? rows : shape.srcM;
}

// T: type of the matrix, U: of the sums and maxima.
template <typename T, typename U, bool isNZ, bool isPacked = false>
class SoftmaxPass {
    static_assert(IsOneOf<T, half, float> && (std::is_same<U, T>::value || std::is_same<U, float>::value),
                  "Softmax functions: half, float, or half with float sums and maxima on A2");
    static constexpr bool IS_WIDENED = sizeof(T) == sizeof(half);

public:
    HOSTCANN_API SoftmaxPass(const LocalTensor<uint8_t>& tmp, const SoftMaxShapeInfo& shape, uint32_t most)
        : shape_(shape), whole_(LayoutOf<isNZ>(shape.srcM, shape.srcK))
    {
        const LocalTensor<float> room = tmp.template ReinterpretCast<float>();
        const uint32_t wide = IS_WIDENED ? most * shape.srcK : 0;
        const uint32_t stats = sizeof(U) == sizeof(half) ? 8 * most : 0;
        wide_ = room;
        reduced_ = room[wide];
        stat_ = room[wide + 8 * most];
        work_ = room[wide + 8 * most + stats];
    }

    // Bytes of temporary space for `rows` rows.
    static HOSTCANN_API uint32_t Bytes(const SoftMaxShapeInfo& shape, uint32_t rows)
    {
        const uint32_t width = isNZ ? 16 : 64;
        const uint32_t fold = shape.oriSrcK > width ? width * rows : 0;
        const uint32_t blocks = (rows + 7) / 8 * 64;
        const uint32_t narrowed = IS_WIDENED && !isPacked ? 24 * rows : 0;
        const uint32_t most = fold > blocks ? fold : blocks;
        const uint32_t wide = IS_WIDENED ? rows * shape.srcK : 0;
        const uint32_t stats = sizeof(U) == sizeof(half) ? 8 * rows : 0;
        return 4 * (wide + 8 * rows + stats + (most > narrowed ? most : narrowed));
    }

    HOSTCANN_API void Begin(uint32_t first, uint32_t rows)
    {
        first_ = first;
        rows_ = rows;
        part_ = IS_WIDENED ? LayoutOf<isNZ>(rows, shape_.srcK) : whole_;
    }

    HOSTCANN_API void Load(const LocalTensor<T>& dst, const LocalTensor<T>& src)
    {
        const uint32_t at = first_ * whole_.pitch;
        if constexpr (IS_WIDENED) {
            out_ = in_ = wide_;
            EachStretch<isNZ>(whole_, part_, rows_, shape_.srcK,
                              [&](uint32_t from, uint32_t to, uint32_t n)
                                  HOSTCANN_API_LAMBDA { Cast(wide_[to], src[at + from], RoundMode::CAST_NONE, n); });
            Ordered();
        } else {
            in_ = src[at];
            out_ = dst[at];
        }
    }
    HOSTCANN_API void Store(const LocalTensor<T>& dst)
    {
        if constexpr (IS_WIDENED) {
            const uint32_t at = first_ * whole_.pitch;
            EachStretch<isNZ>(whole_, part_, rows_, shape_.srcK,
                              [&](uint32_t to, uint32_t from, uint32_t n)
                                  HOSTCANN_API_LAMBDA { Cast(dst[at + to], wide_[from], RoundMode::CAST_NONE, n); });
            Ordered();
        }
    }

    // One value per row into Reduced().
    HOSTCANN_API void RowMax() { ReduceRows<true>(reduced_, in_, part_, rows_, shape_.oriSrcK, work_); }
    HOSTCANN_API void RowSum() { ReduceRows<false>(reduced_, out_, part_, rows_, shape_.oriSrcK, work_); }
    // A block per row of those into Work().
    HOSTCANN_API void Spread() { SpreadBlocks(work_, reduced_, rows_); }

    HOSTCANN_API void Subtract(const LocalTensor<float>& blocks)
    {
        ApplyToRows<false>(out_, part_, in_, part_, blocks, rows_, shape_.srcK);
    }
    HOSTCANN_API void Divide(const LocalTensor<float>& blocks)
    {
        ApplyToRows<true>(out_, part_, out_, part_, blocks, rows_, shape_.srcK);
    }
    // run(tensor, elements): an instruction over all results.
    template <typename Run>
    HOSTCANN_API void EachResult(const Run& run)
    {
        EachStretch<isNZ>(part_, part_, rows_, shape_.srcK, [&](uint32_t at, uint32_t, uint32_t n) HOSTCANN_API_LAMBDA {
            run(out_[at], static_cast<int32_t>(n));
        });
        Ordered();
    }
    HOSTCANN_API void Exponentials()
    {
        EachResult([](const LocalTensor<float>& x, int32_t n) HOSTCANN_API_LAMBDA { Exp(x, x, n); });
    }

    template <typename S>
    HOSTCANN_API LocalTensor<S> At(const LocalTensor<S>& tensor) const
    {
        return StatAt<S, isPacked>(tensor, first_);
    }
    HOSTCANN_API LocalTensor<float> Read(const LocalTensor<U>& tensor) const
    {
        return ReadStat<isPacked>(At(tensor), stat_, rows_);
    }
    // `from` does not lie in Spare().
    template <typename S>
    HOSTCANN_API void Write(const LocalTensor<S>& tensor, const LocalTensor<float>& from) const
    {
        WriteStat<isPacked>(At(tensor), from, Spare(), rows_);
    }

    HOSTCANN_API const LocalTensor<float>& Reduced() const { return reduced_; }
    HOSTCANN_API const LocalTensor<float>& Work() const { return work_; }
    HOSTCANN_API LocalTensor<float> Spare() const { return work_[8 * rows_]; }
    HOSTCANN_API const LocalTensor<float>& Stat() const { return stat_; }
    HOSTCANN_API const LocalTensor<float>& Result() const { return out_; }
    HOSTCANN_API const RowLayout& Layout() const { return part_; }
    HOSTCANN_API uint32_t Rows() const { return rows_; }
    // Lanes of statistics.
    HOSTCANN_API int32_t Lanes() const { return static_cast<int32_t>(rows_ * StatLanes<isPacked>); }

private:
    SoftMaxShapeInfo shape_;
    RowLayout whole_;
    RowLayout part_{};
    LocalTensor<float> wide_;    // half as float
    LocalTensor<float> reduced_; // 8 floats per row, of which a reduction takes one
    LocalTensor<float> stat_;    // 8 floats per row where statistics are half
    LocalTensor<float> work_;
    LocalTensor<float> in_;
    LocalTensor<float> out_;
    uint32_t first_ = 0;
    uint32_t rows_ = 0;
};

// Checks the temporary space of a call and runs its passes.
template <typename Pass, typename T, typename Run>
HOSTCANN_API void SoftmaxPasses(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                const LocalTensor<uint8_t>& tmp, const SoftMaxShapeInfo& shape, uint32_t rows,
                                const Run& run)
{
    const uint64_t elements = uint64_t{shape.srcM} * shape.srcK;
    AdvCall(name, Used(dst, elements), Used(src, elements), {}, tmp, Pass::Bytes(shape, rows), true);
    Pass pass(tmp, shape, rows);
    for (uint32_t first = 0; first < shape.srcM; first += rows) {
        pass.Begin(first, shape.srcM - first < rows ? shape.srcM - first : rows);
        run(pass);
    }
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_PASS_H
