// Temporary space of Gelu and gated units, quantisation, DropOut and Select by integers, for tiling functions: the
// sizes of A2 from the pages Get...TmpSize and the toolkit's tiling sources.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_UNITS_TMP_SIZE_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_UNITS_TMP_SIZE_H

#include "ascendc/host_api/tiling/adv_tmp_size.h"
#include "graph/types.h"

namespace AscendC {

using TensorDataType = ge::DataType;

inline uint32_t GetGeluMinTmpSize(const TensorShape&, const uint32_t) { return 3 * 256; }
inline uint32_t GetGeluMaxTmpSize(const TensorShape& srcShape, const uint32_t)
{
    return std::max(3 * 4 * hostcann::Elements(srcShape), uint32_t{3 * 256});
}
inline void GetGeluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue)
{
    maxValue = GetGeluMaxTmpSize(srcShape, typeSize);
    minValue = GetGeluMinTmpSize(srcShape, typeSize);
}

// float works in the result.
inline void GetGeGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue)
{
    hostcann::TmpSize(typeSize == sizeof(float) ? 0 : 4, srcShape, typeSize, maxValue, minValue);
}
inline void GetGeGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = typeSize == sizeof(float) ? 0 : 4;
    extraBuf = 0;
}
inline void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue, const bool)
{
    hostcann::TmpSize(typeSize == sizeof(float) ? 0 : 6, srcShape, typeSize, maxValue, minValue);
}
inline void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer)
{
    maxLiveNodeCount = typeSize == sizeof(float) ? 0 : 6;
    extraBuffer = 0;
}
inline void GetReGluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue)
{
    const bool isFloat = typeSize == sizeof(float);
    minValue = isFloat ? 256 : 6 * 256;
    maxValue = isFloat ? 256 : std::max(6 * typeSize * hostcann::Elements(srcShape), minValue);
}

// Silu and Swish work in the result.
inline void GetSiluTmpSize(const TensorShape&, const uint32_t, const bool, uint32_t& maxValue, uint32_t& minValue)
{
    maxValue = minValue = 0;
}
inline void GetSwishTmpSize(const TensorShape&, const uint32_t, const bool, uint32_t& maxValue, uint32_t& minValue)
{
    maxValue = minValue = 0;
}

inline void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                        uint32_t& minValue)
{
    minValue = 2 * 256;
    maxValue = hostcann::RoundUp(std::max(2 * hostcann::Elements(srcShape), minValue), 32);
}
inline void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = 2;
    extraBuf = 0;
}

// One axis or two: the elements as floats (of one row for the minimum), the scales, a repeat more. The scales of a row
// of bfloat16_t may be a block longer than the row.
inline void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                          uint32_t& minValue)
{
    const uint32_t elements = hostcann::Elements(srcShape);
    if (elements == 0 || srcShape.GetDimNum() > 2) {
        return;
    }
    const uint32_t n = static_cast<uint32_t>(srcShape.GetDim(srcShape.GetDimNum() - 1));
    maxValue = 4 * (elements + n + 8 + 64);
    minValue = 4 * (n + n + 8 + 64);
}
inline void GetAscendDequantTmpBufferFactorSize(const TensorShape& srcShape, uint32_t& maxLiveNodeCount,
                                                uint32_t& extraBuf)
{
    const size_t axes = srcShape.GetDimNum();
    maxLiveNodeCount = axes == 2 ? 1 : axes == 1 ? 2 : 0;
    extraBuf = axes == 2 ? 8 + 64 + static_cast<uint32_t>(srcShape.GetDim(1)) : axes == 1 ? 8 + 64 : 0;
}

namespace hostcann {
// A scale of [1] is one for all. half needs no space; transposed scales take 80 floats each, others two and 64 more
// per row of the source.
inline bool IsPerChannel(const TensorShape& scaleShape) { return Elements(scaleShape) != 1; }
inline uint32_t AntiChannelSize(const TensorShape& srcShape, const TensorShape& scaleShape, bool isTranspose)
{
    const uint32_t scales = Elements(scaleShape);
    return 4 * (isTranspose ? 80 * scales : 2 * scales + 64 * static_cast<uint32_t>(srcShape.GetDim(0)));
}
} // namespace hostcann

inline uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                             bool isTranspose, TensorDataType, TensorDataType outputDataType)
{
    return outputDataType == ge::DT_FLOAT16   ? 0 :
           hostcann::IsPerChannel(scaleShape) ? hostcann::AntiChannelSize(srcShape, scaleShape, isTranspose) :
                                                4 * hostcann::Elements(srcShape);
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                             bool isTranspose, TensorDataType, TensorDataType outputDataType)
{
    return outputDataType == ge::DT_FLOAT16   ? 0 :
           hostcann::IsPerChannel(scaleShape) ? hostcann::AntiChannelSize(srcShape, scaleShape, isTranspose) :
                                                1024;
}
inline void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                            bool isTranspose, TensorDataType inputDataType,
                                            TensorDataType outputDataType, uint32_t& maxValue, uint32_t& minValue)
{
    maxValue = GetAscendAntiQuantMaxTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType);
    minValue = GetAscendAntiQuantMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType);
}
inline void GetAscendAntiQuantTmpBufferFactorSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                                  bool isTranspose, TensorDataType, TensorDataType outputDataType,
                                                  uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    const bool isHalf = outputDataType == ge::DT_FLOAT16;
    const bool isPerChannel = hostcann::IsPerChannel(scaleShape);
    maxLiveNodeCount = isHalf || isPerChannel ? 0 : 1;
    extraBuf = isHalf || !isPerChannel ? 0 : hostcann::AntiChannelSize(srcShape, scaleShape, isTranspose);
}

// Quantize, Dequantize and AntiQuantize run on Ascend 950; the toolkit counts their space on every chip.
inline void GetQuantizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                     uint32_t& minValue)
{
    if (hostcann::Elements(srcShape) > 0) {
        GetAscendQuantMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
    }
}
inline void GetQuantizeTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    GetAscendQuantTmpBufferFactorSize(maxLiveNodeCount, extraBuf);
}
inline void GetDequantizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                       uint32_t& minValue)
{
    GetAscendDequantMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
}
inline void GetDequantizeTmpBufferFactorSize(const TensorShape& srcShape, uint32_t& maxLiveNodeCnt, uint32_t& extraBuf)
{
    GetAscendDequantTmpBufferFactorSize(srcShape, maxLiveNodeCnt, extraBuf);
}
inline void GetAntiQuantizeMaxMinTmpSize(const TensorShape&, const TensorShape&, bool, TensorDataType, TensorDataType,
                                         uint32_t& maxValue, uint32_t& minValue)
{
    maxValue = minValue = 0;
}
inline void GetAntiQuantizeTmpBufferFactorSize(const TensorShape&, const TensorShape&, TensorDataType, TensorDataType,
                                               uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = extraBuf = 0;
}

inline uint32_t GetDropOutMinTmpSize(const TensorShape&, const uint32_t, const bool) { return 2 * 256; }
inline uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape, const uint32_t, const bool)
{
    return std::max(2 * 4 * hostcann::Elements(srcShape), uint32_t{2 * 256});
}
inline void GetDropOutMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                    uint32_t& maxValue, uint32_t& minValue)
{
    maxValue = GetDropOutMaxTmpSize(srcShape, typeSize, isReuseSource);
    minValue = GetDropOutMinTmpSize(srcShape, typeSize, isReuseSource);
}

namespace hostcann {
// The mask as half, 4096 elements of it at least, and 512 bytes; a copy of a padded mask that has to stay as it is.
inline uint32_t SelectSize(const TensorShape& src0, const TensorShape& src1, const TensorShape& mask,
                           uint32_t maskTypeSize, bool isReuseMask, uint32_t most)
{
    const bool isScalar = src0.GetDimNum() == 0 || src0.GetShapeSize() == 1;
    const TensorShape& src = isScalar ? src1 : src0;
    const uint32_t elements = Elements(src);
    const int64_t columns = src.GetDimNum() == 0 ? 1 : src.GetDim(src.GetDimNum() - 1);
    const int64_t maskColumns = mask.GetDimNum() == 0 ? 1 : mask.GetDim(mask.GetDimNum() - 1);
    const uint32_t size = std::max(RoundUp(std::min(elements, most), 32) * 2 + 512, uint32_t{1024});
    const bool isCopied = maskColumns != columns && !isReuseMask && maskColumns > 1;
    return size + (isCopied ? RoundUp(elements * maskTypeSize, 32) : 0);
}
} // namespace hostcann

// The second name of each is the older one.
#define HOSTCANN_SELECT_TMP_SIZE(Name)                                                                                \
    inline uint32_t Get##Name##MaxTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t, \
                                          const TensorShape& maskShape, const uint32_t maskTypeSize,                  \
                                          const bool isReuseMask)                                                     \
    {                                                                                                                 \
        return hostcann::SelectSize(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, UINT32_MAX);          \
    }                                                                                                                 \
    inline uint32_t Get##Name##MinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t, \
                                          const TensorShape& maskShape, const uint32_t maskTypeSize,                  \
                                          const bool isReuseMask)                                                     \
    {                                                                                                                 \
        return hostcann::SelectSize(src0Shape, src1Shape, maskShape, maskTypeSize, isReuseMask, 4096);                \
    }                                                                                                                 \
    inline void Get##Name##MaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,                  \
                                         const uint32_t srcTypeSize, const TensorShape& maskShape,                    \
                                         const uint32_t maskTypeSize, const bool isReuseMask, uint32_t& maxValue,     \
                                         uint32_t& minValue)                                                          \
    {                                                                                                                 \
        maxValue = Get##Name##MaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);    \
        minValue = Get##Name##MinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);    \
    }
HOSTCANN_SELECT_TMP_SIZE(Select)
HOSTCANN_SELECT_TMP_SIZE(SelectWithBytesMask)
#undef HOSTCANN_SELECT_TMP_SIZE

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_UNITS_TMP_SIZE_H
