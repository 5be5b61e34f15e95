// Temporary space and tiling of the normalizations, for tiling functions.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_NORM_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_NORM_TILING_H

#include "ascendc/host_api/tiling/adv_tmp_size.h"
#include "ascendc/host_api/tiling/tiling_classes.h"
#include "ascendc/norm_tmp.h"

namespace AscendC {
namespace hostcann {

inline uint32_t Dim(const TensorShape& shape, size_t i) { return static_cast<uint32_t>(shape.GetDim(i)); }

// Shapes of `dims` dimensions without an empty one, elements of 2 or 4 bytes.
inline bool IsNormShape(const TensorShape& shape, size_t dims, uint32_t typeSize)
{
    return shape.GetDimNum() == dims && Elements(shape) != 0 && (typeSize == 2 || typeSize == 4);
}

inline void Put(const TmpRange& range, uint32_t& maxValue, uint32_t& minValue)
{
    maxValue = range.max;
    minValue = range.min;
}

// Work in rounds: `one` elements of rows of `pitch` at a time, as many as `floats` of room hold `buffers` times. False
// when there is no room for a row.
template <typename Tiling>
bool Rounds(Tiling& t, uint32_t rows, uint32_t pitch, uint32_t buffers, uint32_t floats, uint32_t statistics)
{
    const uint32_t all = rows * pitch;
    const uint32_t room = floats > statistics ? (floats - statistics) / buffers / pitch * pitch : 0;
    const uint32_t one = std::min(room, all);
    if (one == 0) {
        return false;
    }
    t.inputXSize = all;
    t.meanVarSize = rows;
    t.numberOfTmpBuf = buffers;
    t.tmpBufSize = floats;
    t.oneTmpSize = one;
    t.firstTmpStartPos = statistics;
    t.secondTmpStartPos = statistics + one;
    t.thirdTmpStartPos = statistics + 2 * one;
    t.loopRound = all / one;
    t.inputRoundSize = one;
    t.inputTailSize = all % one;
    t.inputTailPos = all - all % one;
    t.meanVarRoundSize = one / pitch;
    t.meanVarTailSize = all % one / pitch;
    t.meanVarTailPos = rows - all % one / pitch;
    return true;
}

// LayerNorm and DeepNorm.
template <typename Tiling>
bool RowTiling(Tiling& t, uint32_t b, uint32_t s, uint32_t h, uint32_t originH, uint32_t bytes, uint32_t typeSize,
               bool reuse)
{
    const uint32_t statistics = RoundUp(b * s, 8);
    if (!Rounds(t, b * s, h, reuse && typeSize == 4 ? 2 : 3, bytes / 4, typeSize == 4 ? 0 : 2 * statistics)) {
        return false;
    }
    t.bLength = b;
    t.sLength = s;
    t.hLength = h;
    t.originalHLength = originH;
    t.meanTmpTensorSize = t.varianceTmpTensorPos = t.varianceTmpTensorSize = statistics;
    t.bshCurLength = t.inputRoundSize;
    t.bsCurLength = t.meanVarRoundSize;
    t.lastDimValueBack = 1.0f / static_cast<float>(originH);
    return true;
}

} // namespace hostcann

// srcShape: B, S, H in whole blocks, H as it counts.
inline void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      uint32_t& maxValue, uint32_t& minValue)
{
    if (hostcann::IsNormShape(srcShape, 4, typeSize)) {
        hostcann::Put(hostcann::LayerNormTmp(hostcann::Dim(srcShape, 0) * hostcann::Dim(srcShape, 1),
                                             hostcann::Dim(srcShape, 2), typeSize, isReuseSource),
                      maxValue, minValue);
    }
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool isReuseSource, tiling::LayerNormTiling& tiling)
{
    if (hostcann::IsNormShape(srcShape, 4, typeSize)) {
        hostcann::RowTiling(tiling, hostcann::Dim(srcShape, 0), hostcann::Dim(srcShape, 1), hostcann::Dim(srcShape, 2),
                            hostcann::Dim(srcShape, 3), stackBufferSize, typeSize, isReuseSource);
    }
}

// srcShape: A, R.
inline void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const bool,
                                      const bool isOnlyOutput, uint32_t& maxValue, uint32_t& minValue)
{
    if (hostcann::IsNormShape(srcShape, 2, typeSize) && !isOnlyOutput) {
        const uint32_t r = hostcann::RoundUp(hostcann::Dim(srcShape, 1), 32 / typeSize);
        hostcann::Put(hostcann::LayerNormRstdTmp(hostcann::Dim(srcShape, 0), r, typeSize), maxValue, minValue);
    }
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool, const bool,
                                     tiling::LayerNormSeparateTiling& tiling)
{
    if (!hostcann::IsNormShape(srcShape, 2, typeSize)) {
        return;
    }
    const uint32_t a = hostcann::Dim(srcShape, 0);
    const uint32_t r = hostcann::Dim(srcShape, 1);
    const uint32_t statistics = hostcann::RoundUp(a, 8);
    if (hostcann::Rounds(tiling, a, hostcann::RoundUp(r, 32 / typeSize), 2, stackBufferSize / 4, statistics)) {
        tiling.aLength = a;
        tiling.rLength = r;
        tiling.varianceTmpTensorSize = statistics;
        tiling.thirdTmpStartPos = 0;
        tiling.arCurLength = tiling.inputRoundSize;
        tiling.aCurLength = tiling.meanVarRoundSize;
        tiling.rValueBack = 1.0f / static_cast<float>(r);
    }
}

inline void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeU, const uint32_t typeSizeT,
                                      const bool, const bool, const bool isOnlyOutput, uint32_t& maxValue,
                                      uint32_t& minValue)
{
    if (hostcann::IsNormShape(srcShape, 2, typeSizeT) && !isOnlyOutput) {
        const uint32_t r = hostcann::RoundUp(hostcann::Dim(srcShape, 1), 32 / typeSizeT);
        hostcann::Put(hostcann::NormalizeTmp(hostcann::Dim(srcShape, 0), r, typeSizeU), maxValue, minValue);
    }
}

// srcShape: rnLength, abLength.
inline void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeT, const uint32_t,
                                          const bool isReuseSource, const bool, uint32_t& maxValue, uint32_t& minValue)
{
    if (hostcann::IsNormShape(srcShape, 2, typeSizeT)) {
        hostcann::Put(hostcann::WelfordUpdateTmp(hostcann::Elements(srcShape), typeSizeT, isReuseSource), maxValue,
                      minValue);
    }
}
// srcShape: abLength.
inline void GetWelfordFinalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                            uint32_t& minValue)
{
    if (srcShape.GetDimNum() != 0 && srcShape.GetDim(0) > 0 && srcShape.GetDim(0) % 8 == 0) {
        hostcann::Put(hostcann::WelfordFinalizeTmp(hostcann::Dim(srcShape, 0)), maxValue, minValue);
    }
}

// srcShape: B, S, H in whole blocks. A basic block has rows of 64, not 2048 or more, in groups of 8.
namespace hostcann {
inline bool IsRmsBlock(const TensorShape& shape)
{
    return Dim(shape, 2) % 64 == 0 && Dim(shape, 2) < 2048 && Dim(shape, 0) * Dim(shape, 1) % 8 == 0;
}
} // namespace hostcann
inline bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                    uint32_t& minValue, const bool isBasicBlock = false)
{
    if (!hostcann::IsNormShape(srcShape, 3, typeSize) || (isBasicBlock && !hostcann::IsRmsBlock(srcShape))) {
        return false;
    }
    hostcann::Put(hostcann::RmsNormTmp(hostcann::Dim(srcShape, 0) * hostcann::Dim(srcShape, 1),
                                       hostcann::Dim(srcShape, 2), typeSize),
                  maxValue, minValue);
    return true;
}
inline bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                 const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                 tiling::RmsNormTiling& tiling, const bool isBasicBlock = false)
{
    uint32_t max = 0;
    uint32_t min = 0;
    if (!hostcann::IsNormShape(originSrcShape, 3, typeSize) ||
        !GetRmsNormMaxMinTmpSize(srcShape, typeSize, max, min, isBasicBlock) || stackBufferByteSize < min) {
        return false;
    }
    const uint32_t b = hostcann::Dim(srcShape, 0);
    const uint32_t s = hostcann::Dim(srcShape, 1);
    const uint32_t h = hostcann::Dim(srcShape, 2);
    const uint32_t n = hostcann::Dim(originSrcShape, 2);
    if (b != hostcann::Dim(originSrcShape, 0) || s != hostcann::Dim(originSrcShape, 1) || h < n ||
        h * typeSize % 32 != 0) {
        return false;
    }
    // Rows that fit together with their sums, in an instruction's repeats; basic blocks in groups of 8.
    const uint32_t floats = stackBufferByteSize / 4;
    const uint32_t perRow = h * (typeSize == 4 ? 1 : 2);
    uint32_t rows = 1;
    while (rows < b * s && floats >= (rows + 1) * perRow + hostcann::RoundUp(rows + 1, 8)) {
        ++rows;
    }
    if (isBasicBlock) {
        rows = rows < 8 ? rows : rows / 8 * 8;
    } else {
        rows = std::min(rows, 255U);
    }
    tiling.bLength = b;
    tiling.sLength = s;
    tiling.hLength = h;
    tiling.originalHLength = n;
    tiling.reciprocalOfHLength = 1.0f / static_cast<float>(n);
    tiling.mainBshLength = rows * h;
    tiling.mainBsLength = rows;
    tiling.mainBsLengthAlign = hostcann::RoundUp(rows, 8);
    tiling.loopRound = b * s / rows;
    tiling.tailBsLength = b * s % rows;
    tiling.tailBshLength = tiling.tailBsLength * h;
    tiling.inputTailPos = b * s * h - tiling.tailBshLength;
    return true;
}

// srcShape: B, S, H in whole blocks.
inline bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                     const bool isBasicBlock, uint32_t& maxValue, uint32_t& minValue)
{
    if (!hostcann::IsNormShape(srcShape, 3, typeSize) || hostcann::Dim(srcShape, 2) * typeSize % 32 != 0 ||
        (isBasicBlock && !hostcann::IsRmsBlock(srcShape))) {
        return false;
    }
    hostcann::Put(hostcann::LayerNormTmp(hostcann::Dim(srcShape, 0) * hostcann::Dim(srcShape, 1),
                                         hostcann::Dim(srcShape, 2), typeSize, isReuseSource),
                  maxValue, minValue);
    return true;
}
inline bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                  const uint32_t stackBufferSize, const uint32_t typeSize, const bool isReuseSource,
                                  const bool isBasicBlock, tiling::DeepNormTiling& tiling)
{
    uint32_t max = 0;
    uint32_t min = 0;
    if (!GetDeepNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, isBasicBlock, max, min) || stackBufferSize < min ||
        !hostcann::IsNormShape(originSrcShape, 3, typeSize) ||
        hostcann::Dim(originSrcShape, 2) > hostcann::Dim(srcShape, 2)) {
        return false;
    }
    return hostcann::RowTiling(tiling, hostcann::Dim(srcShape, 0), hostcann::Dim(srcShape, 1),
                               hostcann::Dim(srcShape, 2), hostcann::Dim(originSrcShape, 2), stackBufferSize, typeSize,
                               isReuseSource);
}

// The same into the classes of tiling data.
#define HOSTCANN_NORM_CLASS(Function, Struct, Parameters, ...) \
    inline void Function Parameters                            \
    {                                                          \
        tiling::Struct plain;                                  \
        Function(__VA_ARGS__, plain);                          \
        hostcann::ToClass(plain, tiling);                      \
    }
HOSTCANN_NORM_CLASS(GetLayerNormNDTilingInfo, LayerNormTiling,
                    (const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                     const bool isReuseSource, optiling::LayerNormTiling& tiling),
                    srcShape, stackBufferSize, typeSize, isReuseSource)
HOSTCANN_NORM_CLASS(GetLayerNormNDTilingInfo, LayerNormSeparateTiling,
                    (const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                     const bool isReuseSource, const bool isComputeRstd, optiling::LayerNormSeparateTiling& tiling),
                    srcShape, stackBufferSize, typeSize, isReuseSource, isComputeRstd)
// The older spelling.
inline void GetLayerNormNDTillingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                      const uint32_t typeSize, const bool isReuseSource,
                                      optiling::LayerNormTiling& tilling)
{
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}
inline bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                 const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                 optiling::RmsNormTiling& tiling, const bool isBasicBlock = false)
{
    tiling::RmsNormTiling plain;
    const bool done = GetRmsNormTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize, plain,
                                           isBasicBlock);
    hostcann::ToClass(plain, tiling);
    return done;
}
inline bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                  const uint32_t stackBufferSize, const uint32_t typeSize, const bool isReuseSource,
                                  const bool isBasicBlock, optiling::DeepNormTiling& tiling)
{
    tiling::DeepNormTiling plain;
    const bool done = GetDeepNormTilingInfo(srcShape, originSrcShape, stackBufferSize, typeSize, isReuseSource,
                                            isBasicBlock, plain);
    hostcann::ToClass(plain, tiling);
    return done;
}
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_NORM_TILING_H
