// High-level functions over rows and columns: Broadcast, Sum, Mean, CumSum, and arithmetic progressions.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_SHAPE_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_SHAPE_H

#include "ascendc/kernel/adv_base.h"

namespace AscendC {

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner; // n rounded up to 32 bytes
    uint32_t n;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};

enum class CumSumAlgorithm : uint8_t { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true, CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0}; // whole 32-byte blocks
};

namespace hostcann {

// An instruction over `rows` rows that start every `pitch` elements and hold `columns` each.
template <typename D, typename S>
HOSTCANN_API Vec<D, S> AdvRows(uint16_t opcode, const LocalTensor<D>& dst, const LocalTensor<S>& src, uint32_t rows,
                               uint32_t pitch, uint32_t columns, const LocalTensor<uint8_t>& tmp, uint32_t minBytes)
{
    Vec<D, S> v(opcode, dst);
    v.Src(0, src).Src(2, tmp).Scalar(minBytes);
    v.ins.mask[0] = rows;
    v.ins.mask[1] = columns;
    v.ins.base = pitch;
    return v;
}

HOSTCANN_API void CheckRow(const char* name, uint32_t inner, uint32_t n, uint32_t size)
{
    if (inner * size % 32 != 0 || n == 0 || n > inner) {
        aic_misuse(name, inner * size % 32 != 0 ? "inner" : "n", "the row does not fit its blocks",
                   "inner in whole 32-byte blocks, n of 1 to inner", inner * size % 32 != 0 ? inner : n,
                   "inner is n rounded up to 32 bytes");
    }
}

template <typename T>
constexpr uint32_t SumTmp(uint32_t n)
{
    const uint32_t repeats = (n * sizeof(T) + 255) / 256;
    return (repeats * sizeof(T) + 31) / 32 * 32;
}

} // namespace hostcann

// The sum of the first n elements of each row.
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
HOSTCANN_API void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const SumParams& sumParams)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "Sum: half or float on A2");
    hostcann::CheckRow("Sum", sumParams.inner, sumParams.n, sizeof(T));
    hostcann::AdvCall("Sum", hostcann::Used(dstTensor, sumParams.outter),
                      hostcann::Used(srcTensor, uint64_t{sumParams.outter} * sumParams.inner), {}, sharedTmpBuffer,
                      hostcann::SumTmp<T>(sumParams.n));
    hostcann::AdvRows(AIC_OP_Sum, dstTensor, srcTensor, sumParams.outter, sumParams.inner, sumParams.n, sharedTmpBuffer,
                      hostcann::SumTmp<T>(sumParams.n))
        .Count(1);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
HOSTCANN_API void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SumParams& sumParams)
{
    Sum<T, reduceDim, isReuseSource, isBasicBlock>(dstTensor, srcTensor, hostcann::AdvStack(1), sumParams);
}

// The mean of the first n elements of each row; accType float sums half in float.
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
HOSTCANN_API void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                       const LocalTensor<uint8_t>& sharedTmpBuffer, const MeanParams& meanParams)
{
    static_assert(
        hostcann::IsOneOf<T, half, float> && (std::is_same<accType, T>::value || std::is_same<accType, float>::value),
        "Mean: half, float, or half summed in float on A2");
    hostcann::CheckRow("Mean", meanParams.inner, meanParams.n, sizeof(T));
    const uint32_t repeats = static_cast<uint32_t>((meanParams.n * sizeof(accType) + 255) / 256);
    const uint32_t widened = sizeof(accType) == sizeof(T) ? 0 : meanParams.inner * 4;
    const uint32_t minBytes = (repeats + 31) / 32 * 32 + widened;
    hostcann::AdvCall("Mean", hostcann::Used(dstTensor, meanParams.outter),
                      hostcann::Used(srcTensor, uint64_t{meanParams.outter} * meanParams.inner), {}, sharedTmpBuffer,
                      minBytes);
    hostcann::AdvRows(AIC_OP_Mean, dstTensor, srcTensor, meanParams.outter, meanParams.inner, meanParams.n,
                      sharedTmpBuffer, minBytes)
        .Flag(sizeof(accType) != sizeof(T))
        .Count(1);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
HOSTCANN_API void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const MeanParams& meanParams)
{
    Mean<T, accType, isReuseSource, isBasicBlock, reduceDim>(dstTensor, srcTensor, hostcann::AdvStack(1), meanParams);
}

// Running sums down the columns, or along the rows (isLastAxis). half adds in float.
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
HOSTCANN_API void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                         LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "CumSum: half or float on A2");
    static_assert(config.algorithm == CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                  "CumSum: the Sklansky algorithm does not exist on A2");
    const uint32_t inner = cumSumInfo.inner;
    hostcann::CheckRow("CumSum", inner, inner, sizeof(T));
    const uint32_t wide = sizeof(T) == sizeof(half) ? 1 : 0;
    const uint32_t minBytes = config.isLastAxis ? inner * 16 * static_cast<uint32_t>(sizeof(T)) * (2 + wide) :
                                                  wide * cumSumInfo.outter * inner * 4;
    const uint64_t all = uint64_t{cumSumInfo.outter} * inner;
    hostcann::AdvCall("CumSum", hostcann::Used(dstTensor, all), hostcann::Used(srcTensor, all), {}, sharedTmpBuffer,
                      minBytes, true);
    hostcann::AdvRows(AIC_OP_CumSum, dstTensor, srcTensor, cumSumInfo.outter, inner, inner, sharedTmpBuffer, minBytes)
        .Flag(config.isLastAxis)
        .Count(1);
    if (config.outputLastRow) {
        DataCopy(lastRowTensor, dstTensor[(cumSumInfo.outter - 1) * inner], inner);
    }
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
HOSTCANN_API void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                         const CumSumInfo& cumSumInfo)
{
    LocalTensor<uint8_t> tmp = hostcann::AdvStack(1);
    CumSum<T, config>(dstTensor, lastRowTensor, srcTensor, tmp, cumSumInfo);
}

namespace hostcann {

// Rows and columns of a shape of one or two dimensions; a vector that spreads along axis 0 is one column.
template <int32_t dim, int32_t axis, typename T>
HOSTCANN_API void BroadcastOf(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[],
                              const uint32_t srcShape[], const LocalTensor<uint8_t>& tmp)
{
    static_assert(dim == 1 || dim == 2, "Broadcast: one or two dimensions on A2");
    static_assert(axis >= 0 && axis < dim, "Broadcast: axis is 0, or 1 with two dimensions");
    static_assert(sizeof(T) <= 4, "Broadcast: 8, 16 and 32-bit types only on A2");
    const uint32_t rows = dstShape[0];
    const uint32_t columns = dim == 2 ? dstShape[dim - 1] : 1;
    const uint32_t srcRows = srcShape[0];
    const uint32_t srcColumns = dim == 2 ? srcShape[dim - 1] : 1;
    for (int32_t i = 0; i < dim; ++i) {
        if (srcShape[i] != dstShape[i] && srcShape[i] != 1) {
            aic_misuse("Broadcast", "srcShape", "the source does not spread to the destination",
                       "1 or the destination's length in every dimension", srcShape[i], "check both shapes");
        }
    }
    const bool down = axis == 0 && dim == 2 && srcRows != rows;
    if (down && srcColumns * sizeof(T) % 32 != 0) {
        aic_misuse("Broadcast", "srcShape[1]", "rows that are copied whole must fill their blocks",
                   "a multiple of 32 bytes (got: elements)", srcColumns, "pad the inner dimension");
    }
    AdvCall("Broadcast", Used(dst, uint64_t{rows} * columns), Used(src, uint64_t{srcRows} * srcColumns), {}, tmp, 0);
    Vec<T> v = AdvRows(AIC_OP_Broadcast, dst, src, rows, columns, columns, tmp, 0);
    v.ins.rep[0] = srcRows == 1 ? 0 : 1;
    v.ins.rep[1] = srcColumns == 1 ? 0 : 1;
    v.Count(1);
}

} // namespace hostcann

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
HOSTCANN_API void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                            const uint32_t dstShape[dim], const uint32_t srcShape[dim],
                            LocalTensor<uint8_t>& sharedTmpBuffer)
{
    hostcann::BroadcastOf<dim, axis>(dstLocal, srcLocal, dstShape, srcShape, sharedTmpBuffer);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
HOSTCANN_API void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                            const uint32_t dstShape[dim], const uint32_t srcShape[dim])
{
    hostcann::BroadcastOf<dim, axis>(dstLocal, srcLocal, dstShape, srcShape, LocalTensor<uint8_t>());
}
// Tiling for shapes of up to nine dimensions, which Ascend 950 has; headers of A2 declare both calls without a body.
struct BroadcastTiling {
    uint32_t oriRank;
    uint32_t rank;
    uint32_t dstSize;
    uint32_t srcSize;
    uint32_t loopNum = 0;
    uint32_t oriSrcShape[9];
    uint32_t oriDstShape[9];
    uint32_t dstShape[9];
    uint32_t dstStride[9];
    uint32_t srcStride[10];
};
template <typename T, int constRank = -1, uint32_t* constDstShape = nullptr, uint32_t* constSrcShape = nullptr>
HOSTCANN_API void GetBroadcastTilingInfo(uint32_t rank, const uint32_t*, const uint32_t*, bool, BroadcastTiling&)
{
    aic_misuse("GetBroadcastTilingInfo", "tiling", "this call does nothing on A2, the tiling stays as it is",
               "a shape of one or two dimensions (got: rank)", rank,
               "call Broadcast<T, dim, axis> with the temporary space of GetBroadCastMaxMinTmpSize");
}
template <typename T, int constRank = -1, uint32_t* constDstShape = nullptr, uint32_t* constSrcShape = nullptr,
          bool constSrcInnerPad = false>
HOSTCANN_API void Broadcast(const LocalTensor<T>&, const LocalTensor<T>&, const uint32_t*, const uint32_t*,
                            BroadcastTiling* tiling)
{
    aic_misuse("Broadcast", "tiling", "Broadcast with a BroadcastTiling does nothing on A2, dst stays as it is",
               "a shape of one or two dimensions (got: rank)", tiling == nullptr ? 0 : tiling->oriRank,
               "call Broadcast<T, dim, axis> with the temporary space of GetBroadCastMaxMinTmpSize");
}
// The older spelling.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
HOSTCANN_API void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                            const uint32_t dstShape[dim], const uint32_t srcShape[dim],
                            LocalTensor<uint8_t>& sharedTmpBuffer)
{
    hostcann::BroadcastOf<dim, axis>(dstLocal, srcLocal, dstShape, srcShape, sharedTmpBuffer);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
HOSTCANN_API void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                            const uint32_t dstShape[dim], const uint32_t srcShape[dim])
{
    hostcann::BroadcastOf<dim, axis>(dstLocal, srcLocal, dstShape, srcShape, LocalTensor<uint8_t>());
}

// first, first + diff, first + 2 diff, …: the scalar unit writes one block, Adds extends it to a repeat and from there
// repeat by repeat (Arange page), so that floats carry the rounding of each step. Whole blocks are written.
template <typename T>
HOSTCANN_API void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count)
{
    static_assert(hostcann::IsOneOf<T, int16_t, int32_t, half, float>, "Arange: int16_t, int32_t, half or float on A2");
    using Wide = std::conditional_t<std::is_same<T, half>::value, float, T>;
    constexpr int32_t BLOCK = 32 / sizeof(T);
    constexpr int32_t REPEAT = 256 / sizeof(T);
    const auto step = [diffValue](int32_t n) {
        using Step = std::conditional_t<std::is_integral<T>::value, int64_t, float>;
        return static_cast<T>(static_cast<Step>(diffValue) * static_cast<Step>(n));
    };
    const TEventID toS = GetTPipePtr()->FetchEventID(HardEvent::V_S);
    SetFlag<HardEvent::V_S>(toS);
    WaitFlag<HardEvent::V_S>(toS);
    for (int32_t i = 0; i < count && i < BLOCK; ++i) {
        dst.SetValue(
            i, static_cast<T>(static_cast<Wide>(firstValue) + static_cast<Wide>(diffValue) * static_cast<Wide>(i)));
    }
    const TEventID toV = GetTPipePtr()->FetchEventID(HardEvent::S_V);
    SetFlag<HardEvent::S_V>(toV);
    WaitFlag<HardEvent::S_V>(toV);
    const int32_t first = count < REPEAT ? count : REPEAT;
    for (int32_t done = BLOCK; done < first; done += BLOCK) {
        Adds(dst[done], dst[done - BLOCK], step(BLOCK), BLOCK);
        PipeBarrier<PIPE_V>();
    }
    for (int32_t done = REPEAT; done < count; done += REPEAT) {
        const int32_t rest = (count - done + BLOCK - 1) / BLOCK * BLOCK;
        Adds(dst[done], dst[done - REPEAT], step(REPEAT), rest < REPEAT ? rest : REPEAT);
        PipeBarrier<PIPE_V>();
    }
}
template <typename T>
HOSTCANN_API void ArithProgression(const LocalTensor<T>& dstLocal, const T firstValue, const T diffValue,
                                   const int32_t count)
{
    Arange(dstLocal, firstValue, diffValue, count);
}

// dst += scalar * src with temporary space: half computes in float.
template <typename T, typename U, bool isReuseSource = false>
HOSTCANN_API void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor, const U scalarValue,
                       const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
{
    hostcann::AdvCall("Axpy", hostcann::Used(dstTensor, calCount), hostcann::Used(srcTensor, calCount), {},
                      sharedTmpBuffer, hostcann::ADV_Axpy.Tmp<T>());
    if constexpr (std::is_same<T, half>::value) {
        const uint32_t chunk = hostcann::AdvChunk<float>(sharedTmpBuffer, 2);
        const LocalTensor<float> sum = sharedTmpBuffer.ReinterpretCast<float>();
        const LocalTensor<float> x = sum[chunk];
        for (uint32_t i = 0; i < calCount; i += chunk) {
            const uint32_t n = calCount - i < chunk ? calCount - i : chunk;
            Cast(sum, dstTensor[i], RoundMode::CAST_NONE, n);
            Cast(x, srcTensor[i], RoundMode::CAST_NONE, n);
            Axpy(sum, x, static_cast<float>(scalarValue), static_cast<int32_t>(n));
            Cast(dstTensor[i], sum, RoundMode::CAST_NONE, n);
        }
    } else {
        Axpy(dstTensor, srcTensor, scalarValue, static_cast<int32_t>(calCount));
    }
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_SHAPE_H
