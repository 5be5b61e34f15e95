// Temporary space and tiling of LayerNormGrad and LayerNormGradBeta, for tiling functions.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_NORM_GRAD_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_NORM_GRAD_TILING_H

#include "ascendc/host_api/tiling/norm_tiling.h"

namespace AscendC {

// srcShape: B, S, H in whole blocks, H as it counts.
inline void GetLayerNormGradMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                          const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue)
{
    if (hostcann::IsNormShape(srcShape, 4, typeSize)) {
        hostcann::Put(hostcann::LayerNormGradTmp(hostcann::Dim(srcShape, 0) * hostcann::Dim(srcShape, 1),
                                                 hostcann::Dim(srcShape, 2), typeSize, isReuseSource),
                      maxValue, minValue);
    }
}
inline void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,
                                         const uint32_t typeSize, const bool isReuseSource,
                                         tiling::LayerNormGradTiling& tiling)
{
    if (!hostcann::IsNormShape(srcShape, 4, typeSize)) {
        return;
    }
    const uint32_t h = hostcann::Dim(srcShape, 2);
    const uint32_t all = hostcann::Dim(srcShape, 0) * hostcann::Dim(srcShape, 1) * h;
    const uint32_t buffers = typeSize == 2 ? 9 : isReuseSource ? 4 : 6;
    const uint32_t rows = hostcann::RoundUp(stackBufferSize / 4 / buffers / h, 32 / typeSize);
    if (rows == 0) {
        return;
    }
    const float back = 1.0f / static_cast<float>(hostcann::Dim(srcShape, 3));
    const float twice = 2.0f / static_cast<float>(hostcann::Dim(srcShape, 3));
    tiling.stackBufferSize = stackBufferSize;
    tiling.bLength = hostcann::Dim(srcShape, 0);
    tiling.sLength = hostcann::Dim(srcShape, 1);
    tiling.hLength = h;
    tiling.originalHLength = hostcann::Dim(srcShape, 3);
    tiling.oneCalSize = rows * h;
    tiling.nohCalSize = rows;
    tiling.loopNum = all / tiling.oneCalSize;
    tiling.tailSize = all % tiling.oneCalSize;
    tiling.nohTailSize = tiling.tailSize / h;
    // Floats, stored as their bits.
    std::memcpy(&tiling.lastDimValueBack, &back, sizeof(back));
    std::memcpy(&tiling.lastDimValueBackMulTwo, &twice, sizeof(twice));
}

inline void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool,
                                              uint32_t& maxValue, uint32_t& minValue)
{
    if (hostcann::IsNormShape(srcShape, 4, typeSize)) {
        hostcann::Put(hostcann::LayerNormGradBetaTmp(hostcann::Dim(srcShape, 0) * hostcann::Dim(srcShape, 1),
                                                     hostcann::Dim(srcShape, 2), typeSize),
                      maxValue, minValue);
    }
}
inline void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,
                                             const uint32_t typeSize, const bool,
                                             tiling::LayerNormGradBetaTiling& tiling)
{
    if (!hostcann::IsNormShape(srcShape, 4, typeSize)) {
        return;
    }
    const uint32_t rows = hostcann::Dim(srcShape, 0) * hostcann::Dim(srcShape, 1);
    const uint32_t h = hostcann::Dim(srcShape, 2);
    const uint32_t floats = stackBufferSize / 4;
    const bool isHalf = typeSize == 2;
    const uint32_t room = isHalf ? (floats > 2 * h ? (floats - 2 * h) / 2 : 0) : floats;
    const uint32_t one = std::min(room / h * h, rows * h);
    if (floats < 2 * h || one == 0) {
        return;
    }
    tiling.stackBufferSize = floats;
    tiling.bLength = hostcann::Dim(srcShape, 0);
    tiling.sLength = hostcann::Dim(srcShape, 1);
    tiling.hLength = h;
    tiling.originalHLength = hostcann::Dim(srcShape, 3);
    tiling.bshLength = rows * h;
    tiling.bsLength = rows;
    tiling.oneCalSize = tiling.bshCurLength = one;
    tiling.numberOfTmpBuf = isHalf ? 2 : 1;
    tiling.loopRound = rows * h / one;
    tiling.inputTailSize = rows * h % one;
    tiling.inputTailPos = rows * h - tiling.inputTailSize;
    tiling.bsTailSize = tiling.inputTailSize / h;
    tiling.bsCurLength = one / h;
    if (isHalf) {
        tiling.betaTempTensorPos = h;
        tiling.inputDyTmpTensorPos = 2 * h;
        tiling.resForGammaTmpTensorPos = 2 * h + one;
    }
}

HOSTCANN_NORM_CLASS(GetLayerNormGradNDTilingInfo, LayerNormGradTiling,
                    (const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                     const bool isReuseSource, optiling::LayerNormGradTiling& tiling),
                    srcShape, stackBufferSize, typeSize, isReuseSource)
HOSTCANN_NORM_CLASS(GetLayerNormGradBetaNDTilingInfo, LayerNormGradBetaTiling,
                    (const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                     const bool isReuseSource, optiling::LayerNormGradBetaTiling& tiling),
                    srcShape, stackBufferSize, typeSize, isReuseSource)

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_NORM_GRAD_TILING_H
