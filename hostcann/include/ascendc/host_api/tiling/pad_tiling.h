// Temporary space and tiling of Pad and UnPad, for tiling functions.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_PAD_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_PAD_TILING_H

#include "ascendc/host_api/tiling/adv_tmp_size.h"
#include "ascendc/host_api/tiling/tiling_classes.h"

namespace AscendC {
namespace hostcann {
inline bool IsPadShape(const TensorShape& shape, uint32_t typeSize)
{
    return shape.GetDimNum() == 2 && Elements(shape) != 0 && (typeSize == 2 || typeSize == 4);
}
} // namespace hostcann

// A block per element, twice: for 16 elements at least.
inline void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                uint32_t& minValue)
{
    if (hostcann::IsPadShape(srcShape, typeSize)) {
        maxValue = hostcann::RoundUp(hostcann::Elements(srcShape), 16) * 64;
        minValue = 1024;
    }
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                  const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue)
{
    if (hostcann::IsPadShape(srcShape, typeSize)) {
        maxValue = minValue = 0;
    }
}

// The kernel needs the shape; fields that describe steps of the toolkit's own algorithm stay 0.
inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t,
                          const uint32_t typeSize, tiling::PadTiling& tiling)
{
    if (hostcann::IsPadShape(srcShape, typeSize) && oriSrcShape.GetDimNum() == 2) {
        tiling.srcHeight = static_cast<uint32_t>(srcShape.GetDim(0));
        tiling.srcWidth = static_cast<uint32_t>(srcShape.GetDim(1));
        tiling.srcOriWidth = static_cast<uint32_t>(oriSrcShape.GetDim(1));
        tiling.blocksPerRow = tiling.srcWidth * typeSize / 32;
        tiling.widthWithoutLastBlock = tiling.srcWidth - 32 / typeSize;
    }
}
inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t, const uint32_t typeSize,
                            tiling::UnPadTiling& tiling)
{
    if (hostcann::IsPadShape(srcShape, typeSize)) {
        tiling.srcHeight = static_cast<uint32_t>(srcShape.GetDim(0));
        tiling.srcWidth = static_cast<uint32_t>(srcShape.GetDim(1));
    }
}
inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t stackBufferSize,
                          const uint32_t typeSize, optiling::PadTiling& tiling)
{
    tiling::PadTiling plain;
    PadTilingFunc(srcShape, oriSrcShape, stackBufferSize, typeSize, plain);
    hostcann::ToClass(plain, tiling);
}
inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                            optiling::UnPadTiling& tiling)
{
    tiling::UnPadTiling plain;
    UnPadTilingFunc(srcShape, stackBufferSize, typeSize, plain);
    hostcann::ToClass(plain, tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_PAD_TILING_H
