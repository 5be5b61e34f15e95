// Temporary space and tiling of BatchNorm and GroupNorm, for tiling functions.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_NORM_GROUP_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_NORM_GROUP_TILING_H

#include "ascendc/host_api/tiling/norm_tiling.h"

namespace AscendC {

// srcShape: B in whole blocks, S, H; originSrcShape has B as it counts. A basic block: batches by 8, features by 64.
inline bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                      const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue,
                                      const bool isBasicBlock = false)
{
    if (!hostcann::IsNormShape(srcShape, 3, typeSize) || !hostcann::IsNormShape(originSrcShape, 3, typeSize)) {
        return false;
    }
    const uint32_t b = hostcann::Dim(originSrcShape, 0);
    const uint32_t features = hostcann::Dim(srcShape, 1) * hostcann::Dim(srcShape, 2);
    if (isBasicBlock && (features % 64 != 0 || b % 8 != 0)) {
        return false;
    }
    hostcann::Put(hostcann::BatchNormTmp(b, features, typeSize, isBasicBlock), maxValue, minValue);
    return true;
}
inline bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                     const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                     const bool isReuseSource, tiling::BatchNormTiling& tilling,
                                     const bool isBasicBlock = false)
{
    uint32_t max = 0;
    uint32_t min = 0;
    if (!GetBatchNormMaxMinTmpSize(srcShape, originSrcShape, typeSize, isReuseSource, max, min, isBasicBlock) ||
        stackBufferByteSize < min) {
        return false;
    }
    const uint32_t b = hostcann::Dim(originSrcShape, 0);
    const uint32_t features = hostcann::Dim(srcShape, 1) * hostcann::Dim(srcShape, 2);
    if (features * typeSize % 32 != 0) {
        return false;
    }
    // Features at a time: three times all batches of them, in blocks of the input's type, 64 in a basic block.
    const uint32_t statistics = hostcann::RoundUp(features, 8);
    const uint32_t kept = typeSize == 4 ? 0 : 2 * statistics;
    const uint32_t floats = stackBufferByteSize / 4;
    const uint32_t block = typeSize == 4 ? 8 : 16;
    uint32_t one = std::min((floats - kept) / 3 / (b * block) * block, features);
    if (isBasicBlock) {
        one = one / 64 * 64;
    }
    if (one == 0) {
        return false;
    }
    tilling.originalBLength = b;
    tilling.meanVarSize = features;
    tilling.varianceTmpTensorPos = statistics;
    tilling.tmpBufSize = floats;
    tilling.oneTmpSize = tilling.bshCurLength = one * b;
    tilling.firstTmpStartPos = kept;
    tilling.secondTmpStartPos = kept + one * b;
    tilling.thirdTmpStartPos = kept + 2 * one * b;
    tilling.loopRound = features / one;
    tilling.inputTailPos = features - features % one;
    tilling.inputTailSize = features % one * b;
    tilling.meanVarTailSize = features % one;
    tilling.meanVarTailPos = features - features % one;
    tilling.shCurLength = one;
    tilling.firstDimValueBack = 1.0f / static_cast<float>(b);
    tilling.castHalfRepStride = 4;
    tilling.shCurLengthBlockNum = one / 8;
    tilling.castHalfOutRepStride = features / 16;
    return true;
}

// srcShape: N, C, H, W.
inline void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      const uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue)
{
    if (hostcann::IsNormShape(srcShape, 4, typeSize) && groupNum != 0) {
        hostcann::Put(hostcann::GroupNormTmp(hostcann::Dim(srcShape, 0), hostcann::Dim(srcShape, 1),
                                             hostcann::Dim(srcShape, 2) * hostcann::Dim(srcShape, 3), groupNum,
                                             typeSize, isReuseSource),
                      maxValue, minValue);
    }
}
inline void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool isReuseSource, const uint32_t groupNum,
                                     tiling::GroupNormTiling& tiling)
{
    if (!hostcann::IsNormShape(srcShape, 4, typeSize) || groupNum == 0 || hostcann::Dim(srcShape, 1) < groupNum) {
        return;
    }
    const uint32_t groups = hostcann::Dim(srcShape, 0) * groupNum;
    const uint32_t d = hostcann::Dim(srcShape, 1) / groupNum;
    const uint32_t hw = hostcann::Dim(srcShape, 2) * hostcann::Dim(srcShape, 3);
    const uint32_t pitch = hostcann::RoundUp(hw, 32 / typeSize);
    const uint32_t statistics = hostcann::RoundUp(groups, 8);
    if (!hostcann::Rounds(tiling, groups, d * pitch, isReuseSource && typeSize == 4 ? 2 : 3, stackBufferSize / 4,
                          typeSize == 4 ? 0 : 2 * statistics)) {
        return;
    }
    tiling.n = hostcann::Dim(srcShape, 0);
    tiling.c = hostcann::Dim(srcShape, 1);
    tiling.hw = hw;
    tiling.g = groupNum;
    tiling.d = d;
    tiling.hwAlignSize = pitch;
    tiling.dhwAlignSize = d * pitch;
    tiling.meanTmpTensorSize = tiling.varianceTmpTensorPos = tiling.varianceTmpTensorSize = statistics;
    tiling.bshCurLength = tiling.inputRoundSize;
    tiling.bsCurLength = tiling.meanVarRoundSize;
    tiling.factor = 1.0f / static_cast<float>(d * hw);
}

HOSTCANN_NORM_CLASS(GetGroupNormNDTilingInfo, GroupNormTiling,
                    (const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                     const bool isReuseSource, const uint32_t groupNum, optiling::GroupNormTiling& tiling),
                    srcShape, stackBufferSize, typeSize, isReuseSource, groupNum)
inline bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                     const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                     const bool isReuseSource, optiling::BatchNormTiling& tilling,
                                     const bool isBasicBlock = false)
{
    tiling::BatchNormTiling plain;
    const bool done = GetBatchNormNDTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize, isReuseSource,
                                               plain, isBasicBlock);
    hostcann::ToClass(plain, tilling);
    return done;
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_NORM_GROUP_TILING_H
