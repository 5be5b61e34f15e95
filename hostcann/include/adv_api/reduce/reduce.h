// Reductions of a matrix along its rows (AR) or its columns (RA). Rows start on whole 32-byte blocks.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_REDUCE_REDUCE_H
#define HOSTCANN_ADV_API_REDUCE_REDUCE_H

#include "ascendc/kernel/adv_rows.h"

namespace AscendC {
namespace hostcann {

// What a call reduces: `first` rows of `last` elements, `pitch` apart.
struct ReduceShape {
    uint32_t first;
    uint32_t last;
    uint32_t pitch;
    ReduceTmp tmp;
    bool isAR;
};

template <typename T, typename pattern, bool reuse>
HOSTCANN_API ReduceShape ShapeOf(const char* name, const uint32_t srcShape[], bool srcInnerPad)
{
    constexpr bool AR = std::is_same<pattern, Pattern::Reduce::AR>::value;
    static_assert(AR || std::is_same<pattern, Pattern::Reduce::RA>::value,
                  "pattern reduction: Pattern::Reduce::AR or RA");
    if (!srcInnerPad) {
        aic_misuse(name, "srcInnerPad", "rows that are not padded to 32 bytes", "true on A2", srcInnerPad,
                   "pad the inner axis to whole blocks");
    }
    if (srcShape[0] == 0 || srcShape[1] == 0) {
        aic_misuse(name, "srcShape", "an axis without elements", "1 or more", 0, "skip the call");
    }
    const uint32_t pitch = RoundUp(srcShape[1], 32 / sizeof(T));
    return {srcShape[0], srcShape[1], pitch, {srcShape[0], srcShape[1], reuse}, AR};
}

template <typename T>
HOSTCANN_API void CheckReduce(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint8_t>& tmp, const ReduceShape& s, uint32_t tmpBytes)
{
    AdvCall(name, Used(dst, s.isAR ? s.first : s.last), Used(src, uint64_t{s.first} * s.pitch), {}, tmp, tmpBytes);
}

// All rows folded onto one, the last step into dst.
template <typename F, typename T>
HOSTCANN_API void ReduceColumns(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                                const ReduceShape& s)
{
    uint32_t rows = s.first;
    uint32_t half = ReduceTmp::Folded(rows, rows > 1);
    LocalTensor<T> x = src;
    if (!s.tmp.reuse && rows > 2) {
        x = tmp.template ReinterpretCast<T>();
        if (rows == 2 * half) {
            F::Run(x, src, src[half * s.pitch], half * s.pitch);
        } else {
            DataCopy(x, src, half * s.pitch);
            Ordered();
            F::Run(x, x, src[half * s.pitch], (rows - half) * s.pitch);
        }
        Ordered();
        rows = half;
        half /= 2;
    }
    for (; rows > 2; rows = half, half /= 2) {
        F::Run(x, x, x[half * s.pitch], (rows - half) * s.pitch);
        Ordered();
    }
    if (rows == 2) {
        F::Run(dst, x, x[s.pitch], s.last);
    } else {
        // A single row: whole blocks, of which dst has them.
        DataCopy(dst, x, s.pitch);
    }
    Ordered();
}

// Rows longer than a repeat are brought down to one.
template <typename F, typename R, typename T>
HOSTCANN_API void ReduceRowsTo(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                               const ReduceShape& s)
{
    constexpr uint32_t LANES = 256 / sizeof(T);
    if (s.last <= LANES) {
        EachRow<R>(dst, src, s.last, s.first, s.pitch);
        return;
    }
    const LocalTensor<T> x = s.tmp.reuse ? src : tmp.template ReinterpretCast<T>();
    const uint32_t pitch = s.tmp.reuse ? s.pitch : LANES;
    for (uint32_t row = 0; row < s.first; ++row) {
        const LocalTensor<T> from = src[row * s.pitch];
        const LocalTensor<T> to = x[row * pitch];
        if (!s.tmp.reuse) {
            DataCopy(to, from, LANES);
            Ordered();
        }
        for (uint32_t at = LANES; at < s.last; at += LANES) {
            F::Run(to, to, from[at], s.last - at < LANES ? s.last - at : LANES);
            Ordered();
        }
    }
    EachRow<R>(dst, x, LANES, s.first, pitch);
}

template <typename F, typename R, typename T, typename pattern, bool reuse>
HOSTCANN_API void ReduceMaxMin(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint8_t>& tmp, const uint32_t srcShape[], bool srcInnerPad)
{
    const ReduceShape s = ShapeOf<T, pattern, reuse>(name, srcShape, srcInnerPad);
    CheckReduce(name, dst, src, tmp, s, s.tmp.MaxMin(s.isAR, sizeof(T)));
    if (s.isAR) {
        ReduceRowsTo<F, R>(dst, src, tmp, s);
    } else {
        ReduceColumns<F>(dst, src, tmp, s);
    }
}

// Sums by halves, so that errors grow with the logarithm of the length.
template <typename pattern, bool reuse>
HOSTCANN_API ReduceShape ReduceSums(const char* name, const LocalTensor<float>& dst, const LocalTensor<float>& src,
                                    const LocalTensor<uint8_t>& tmp, const uint32_t srcShape[], bool srcInnerPad)
{
    const ReduceShape s = ShapeOf<float, pattern, reuse>(name, srcShape, srcInnerPad);
    CheckReduce(name, dst, src, tmp, s, s.tmp.Sum(s.isAR));
    if (!s.isAR) {
        ReduceColumns<FoldAdd>(dst, src, tmp, s);
        return s;
    }
    if (s.last <= 64) {
        EachRow<RowSum>(dst, src, s.last, s.first, s.pitch);
        return s;
    }
    const LocalTensor<float> x = reuse ? src : tmp.ReinterpretCast<float>();
    const uint32_t pitch = reuse ? s.pitch : ReduceTmp::Folded(s.last, true);
    for (uint32_t row = 0; row < s.first; ++row) {
        if (reuse) {
            Fold<FoldAdd>(x[row * pitch], s.last, 64);
        } else {
            FoldInto<FoldAdd>(x[row * pitch], src[row * s.pitch], s.last, 64);
        }
    }
    EachRow<RowSum>(dst, x, 64, s.first, pitch);
    return s;
}

// The products of up to 8 rows of 8 elements, `pitch` apart: even and odd elements are multiplied until one is left.
// `lanes` is one repeat of room.
HOSTCANN_API void MultiplyLanes(const LocalTensor<float>& dst, const LocalTensor<float>& x,
                                const LocalTensor<float>& lanes, uint32_t rows, uint32_t pitch)
{
    uint64_t kept = 0;
    GatherMaskParams params(1, 0, 0, 0);
    params.repeatTimes = rows;
    params.src0RepeatStride = pitch / 8;
    GatherMask(lanes, x, 1, true, 8, params, kept);
    GatherMask(lanes[32], x, 2, true, 8, params, kept);
    Ordered();
    Mul(lanes, lanes, lanes[32], static_cast<int32_t>(4 * rows));
    Ordered();
    const GatherMaskParams once(1, 1, 8, 0);
    GatherMask(lanes[32], lanes, 1, true, 4 * rows, once, kept);
    GatherMask(lanes[48], lanes, 2, true, 4 * rows, once, kept);
    Ordered();
    Mul(lanes, lanes[32], lanes[48], static_cast<int32_t>(2 * rows));
    Ordered();
    GatherMask(lanes[32], lanes, 1, true, 2 * rows, once, kept);
    GatherMask(lanes[48], lanes, 2, true, 2 * rows, once, kept);
    Ordered();
    Mul(dst, lanes[32], lanes[48], static_cast<int32_t>(rows));
    Ordered();
}

template <typename pattern, bool reuse>
HOSTCANN_API void ReduceProducts(const LocalTensor<float>& dst, const LocalTensor<float>& src,
                                 const LocalTensor<uint8_t>& tmp, const uint32_t srcShape[], bool srcInnerPad)
{
    const ReduceShape s = ShapeOf<float, pattern, reuse>("ReduceProd", srcShape, srcInnerPad);
    CheckReduce("ReduceProd", dst, src, tmp, s, s.tmp.Prod(s.isAR));
    if (!s.isAR) {
        ReduceColumns<FoldMul>(dst, src, tmp, s);
        return;
    }
    const LocalTensor<float> lanes = tmp.ReinterpretCast<float>();
    const uint32_t folded = ReduceTmp::Folded(s.last, true);
    const LocalTensor<float> row = lanes[64];
    const LocalTensor<float> ends = row[folded < 8 ? 8 : folded];
    for (uint32_t i = 0; i < s.first; ++i) {
        const LocalTensor<float> from = src[i * s.pitch];
        const LocalTensor<float> end = reuse ? from : ends[i * 8];
        if (s.last < 8) {
            if (!reuse) {
                DataCopy(end, from, 8);
                Ordered();
            }
            uint64_t rest[2] = {0xFFu & ~((1u << s.last) - 1), 0};
            Duplicate(end, 1.0f, rest, 1, 1, 8);
        } else if (reuse) {
            Fold<FoldMul>(from, s.last, 8);
        } else if (s.last == 8) {
            DataCopy(end, from, 8);
        } else {
            FoldInto<FoldMul>(row, from, s.last, 8);
            DataCopy(end, row, 8);
        }
        Ordered();
    }
    for (uint32_t i = 0; i < s.first; i += 8) {
        const uint32_t rows = s.first - i < 8 ? s.first - i : 8;
        MultiplyLanes(dst[i], reuse ? src[i * s.pitch] : ends[i * 8], lanes, rows, reuse ? s.pitch : 8);
    }
}

// Bytes of 0 and 1: columns by bits, rows as half numbers.
template <typename F, typename R, typename B, typename pattern, bool reuse>
HOSTCANN_API void ReduceBytes(const char* name, const LocalTensor<uint8_t>& dst, const LocalTensor<uint8_t>& src,
                              const LocalTensor<uint8_t>& tmp, const uint32_t srcShape[], bool srcInnerPad)
{
    ReduceShape s = ShapeOf<uint8_t, pattern, reuse>(name, srcShape, srcInnerPad);
    CheckReduce(name, dst, src, tmp, s, s.tmp.Bytes(s.isAR));
    if (!s.isAR) {
        s.last = (s.last + 1) / 2;
        s.pitch /= 2;
        ReduceColumns<B>(dst.ReinterpretCast<uint16_t>(), src.ReinterpretCast<uint16_t>(), tmp, s);
        return;
    }
    const LocalTensor<half> row = tmp.ReinterpretCast<half>();
    const LocalTensor<half> ends = row[s.pitch];
    for (uint32_t i = 0; i < s.first; ++i) {
        Cast(row, src[i * s.pitch], RoundMode::CAST_NONE, s.last);
        Ordered();
        Fold<F>(row, s.last, s.last < 128 ? s.last : 128);
        EachRow<R>(ends[i], row, s.last < 128 ? s.last : 128, 1, 128);
    }
    Cast(dst, ends, RoundMode::CAST_TRUNC, s.first);
}

template <typename F, typename R, typename B, typename T, typename pattern, bool reuse>
HOSTCANN_API void ReduceLogic(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint8_t>& tmp, const uint32_t srcShape[], bool srcInnerPad)
{
    static_assert(IsOneOf<T, float, uint8_t>, "ReduceAny, ReduceAll: float or uint8_t");
    if constexpr (std::is_same<T, float>::value) {
        ReduceMaxMin<F, R, T, pattern, reuse>(name, dst, src, tmp, srcShape, srcInnerPad);
    } else {
        ReduceBytes<F, R, B, pattern, reuse>(name, dst, src, tmp, srcShape, srcInnerPad);
    }
}

} // namespace hostcann

// Each with temporary space of the caller's, and with that of the pipe.
#define HOSTCANN_REDUCE_PATTERN(Name)                                                                        \
    template <class T, class pattern, bool isReuseSource = false>                                            \
    HOSTCANN_API void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                 \
                           const uint32_t srcShape[], bool srcInnerPad)                                      \
    {                                                                                                        \
        Name<T, pattern, isReuseSource>(dstTensor, srcTensor, hostcann::AdvStack(1), srcShape, srcInnerPad); \
    }

template <class T, class pattern, bool isReuseSource = false>
HOSTCANN_API void ReduceSum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad)
{
    static_assert(std::is_same<T, float>::value, "ReduceSum over a pattern: float on A2");
    hostcann::ReduceSums<pattern, isReuseSource>("ReduceSum", dstTensor, srcTensor, sharedTmpBuffer, srcShape,
                                                 srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
HOSTCANN_API void ReduceMean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                             const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad)
{
    static_assert(std::is_same<T, float>::value, "ReduceMean: float");
    const hostcann::ReduceShape s = hostcann::ReduceSums<pattern, isReuseSource>(
        "ReduceMean", dstTensor, srcTensor, sharedTmpBuffer, srcShape, srcInnerPad);
    const float part = 1.0f / static_cast<float>(s.isAR ? s.last : s.first);
    Muls(dstTensor, dstTensor, part, static_cast<int32_t>(s.isAR ? s.first : s.last));
}
template <class T, class pattern, bool isReuseSource = false>
HOSTCANN_API void ReduceProd(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                             const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad)
{
    static_assert(std::is_same<T, float>::value, "ReduceProd: float");
    hostcann::ReduceProducts<pattern, isReuseSource>(dstTensor, srcTensor, sharedTmpBuffer, srcShape, srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
HOSTCANN_API void ReduceMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "ReduceMax over a pattern: half or float on A2");
    hostcann::ReduceMaxMin<hostcann::FoldMax, hostcann::RowMax, T, pattern, isReuseSource>(
        "ReduceMax", dstTensor, srcTensor, sharedTmpBuffer, srcShape, srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
HOSTCANN_API void ReduceMin(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "ReduceMin over a pattern: half or float on A2");
    hostcann::ReduceMaxMin<hostcann::FoldMin, hostcann::RowMin, T, pattern, isReuseSource>(
        "ReduceMin", dstTensor, srcTensor, sharedTmpBuffer, srcShape, srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
HOSTCANN_API void ReduceAny(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad)
{
    hostcann::ReduceLogic<hostcann::FoldMax, hostcann::RowMax, hostcann::FoldOr, T, pattern, isReuseSource>(
        "ReduceAny", dstTensor, srcTensor, sharedTmpBuffer, srcShape, srcInnerPad);
}
template <class T, class pattern, bool isReuseSource = false>
HOSTCANN_API void ReduceAll(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad)
{
    hostcann::ReduceLogic<hostcann::FoldMin, hostcann::RowMin, hostcann::FoldAnd, T, pattern, isReuseSource>(
        "ReduceAll", dstTensor, srcTensor, sharedTmpBuffer, srcShape, srcInnerPad);
}
HOSTCANN_REDUCE_PATTERN(ReduceSum)
HOSTCANN_REDUCE_PATTERN(ReduceMean)
HOSTCANN_REDUCE_PATTERN(ReduceProd)
HOSTCANN_REDUCE_PATTERN(ReduceMax)
HOSTCANN_REDUCE_PATTERN(ReduceMin)
HOSTCANN_REDUCE_PATTERN(ReduceAny)
HOSTCANN_REDUCE_PATTERN(ReduceAll)
#undef HOSTCANN_REDUCE_PATTERN

} // namespace AscendC

#endif // HOSTCANN_ADV_API_REDUCE_REDUCE_H
