// Temporary space of the high-level functions, for tiling functions: Get<Name>MaxMinTmpSize and
// Get<Name>TmpBufferFactorSize with the sizes of A2. Nothing here knows of a function that hostcann does not have.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_ADV_TMP_SIZE_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_ADV_TMP_SIZE_H

#include <algorithm>
#include <cstdint>
#include <string>

#include "ascendc/adv_factors.h"
#include "ascendc/reduce_pattern.h"
#include "graph/tensor.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

using TensorShape = ge::Shape;

namespace hostcann {

inline uint32_t Elements(const TensorShape& shape)
{
    const int64_t n = shape.GetShapeSize();
    return n > 0 ? static_cast<uint32_t>(n) : 0;
}

// An empty or unknown shape leaves the sizes as they are, as in the toolkit.
inline void TmpSize(uint32_t factor, const TensorShape& shape, uint32_t typeSize, uint32_t& maxValue,
                    uint32_t& minValue, uint32_t least = 256)
{
    const uint32_t n = Elements(shape);
    if (n == 0) {
        return;
    }
    minValue = factor * 256;
    maxValue = factor * std::max(n * typeSize, least);
}

} // namespace hostcann

// Acosh reserves 256 elements where the others reserve 256 bytes; Lgamma counts half as one node and needs it twice.
#define HOSTCANN_ADV_TMP_SIZE(Name, forHalf, forFloat, forReuse)                                           \
    inline void Get##Name##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,             \
                                         const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) \
    {                                                                                                      \
        const uint32_t factor = typeSize != sizeof(float) ? forHalf : isReuseSource ? forReuse : forFloat; \
        const uint32_t least = std::string(#Name) == "Acosh" ? 256 * typeSize / factor : 256;              \
        hostcann::TmpSize(factor, srcShape, typeSize, maxValue, minValue, least);                          \
    }                                                                                                      \
    inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,        \
                                               uint32_t& extraBuf)                                         \
    {                                                                                                      \
        const bool isTwice = std::string(#Name) == "Lgamma";                                               \
        maxLiveNodeCount = typeSize == sizeof(float) ? forFloat : isTwice ? forHalf / 2 : forHalf;         \
        extraBuf = 0;                                                                                      \
    }
HOSTCANN_ADV_FACTORS(HOSTCANN_ADV_TMP_SIZE)
#undef HOSTCANN_ADV_TMP_SIZE

// Functions with a rule of their own.
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                  const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                                  uint32_t& minValue)
{
    GetRoundMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,
                                        uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    GetRoundTmpBufferFactorSize(typeSize, maxLiveNodeCount, extraBuf);
}

inline void GetLogMaxMinTmpSize(const TensorShape&, const uint32_t, const bool, uint32_t& maxValue, uint32_t& minValue)
{
    maxValue = minValue = 0;
}
inline void GetLogTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = extraBuf = 0;
}
inline void GetLog10MaxMinTmpSize(const TensorShape&, const uint32_t, const bool, uint32_t& maxValue,
                                  uint32_t& minValue)
{
    maxValue = minValue = 0;
}
inline void GetLog10TmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = extraBuf = 0;
}
inline void GetLog2MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue)
{
    const uint32_t n = hostcann::Elements(srcShape);
    if (n != 0) {
        const bool isHalf = typeSize == 2;
        minValue = isHalf ? 256 : 0;
        maxValue = isHalf ? std::max(n * 4, uint32_t{256}) : 0;
    }
}
inline void GetLog2TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = typeSize == sizeof(float) ? 0 : 2;
    extraBuf = 0;
}

inline bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                uint32_t& maxValue, uint32_t& minValue)
{
    const uint32_t n = hostcann::Elements(srcShape);
    if (n == 0) {
        return false;
    }
    const uint32_t buffers = typeSize != sizeof(float) ? 4 : isReuseSource ? 2 : 3;
    minValue = buffers * 256;
    maxValue = buffers * std::max(n * 4, uint32_t{256});
    return true;
}
inline void GetExpTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = typeSize == sizeof(float) ? 3 : 8;
    extraBuf = 0;
}

inline void GetClampMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue)
{
    const uint32_t n = hostcann::Elements(srcShape);
    if (n != 0) {
        minValue = typeSize == sizeof(float) ? 64 : 128;
        maxValue = std::max(n, minValue);
    }
}
inline void GetClampTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuf)
{
    maxLiveNodeCount = 1;
    extraBuf = 0;
}

inline void GetSigmoidMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, bool, uint32_t& maxValue,
                                    uint32_t& minValue)
{
    hostcann::TmpSize(1, srcShape, typeSize, maxValue, minValue);
}

namespace hostcann {
// Factors of Power: by type, and whether both operands are tensors.
inline uint32_t PowerFactor(bool tensors, bool typeIsInt, uint32_t typeSize)
{
    return typeIsInt ? (tensors ? 6 : 7) : typeSize == sizeof(float) ? (tensors ? 4 : 5) : 14;
}
inline bool IsTensor(const TensorShape& shape) { return shape.GetDimNum() != 1 || shape.GetDim(0) != 1; }
} // namespace hostcann

// A shape of [1] is a scalar.
inline void GetPowerMaxMinTmpSize(const TensorShape& srcShape1, const TensorShape& srcShape2, const bool typeIsInt,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue)
{
    const bool first = hostcann::IsTensor(srcShape1);
    const uint32_t factor = hostcann::PowerFactor(first && hostcann::IsTensor(srcShape2), typeIsInt, typeSize);
    const uint32_t n = hostcann::Elements(first ? srcShape1 : srcShape2);
    const uint32_t least = typeSize == sizeof(float) ? 256 : 128;
    const uint32_t extra = typeIsInt ? 0 : 256;
    minValue = factor * least + extra;
    maxValue = factor * std::max(n * typeSize, least) + extra;
}
inline void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt,
                                        const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer)
{
    maxLiveNodeCount = hostcann::PowerFactor(baseIsTensor && expIsTensor, typeIsInt, typeSize);
    extraBuffer = typeIsInt ? 0 : 256;
}

inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }

// n: elements of a row.
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t& maxSize,
                                uint32_t& minSize)
{
    if (n != 0 && typeSize != 0) {
        const uint32_t repeats = hostcann::RoundUp(n * typeSize, 256) / 256;
        maxSize = minSize = hostcann::RoundUp(repeats * typeSize, 32);
    }
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool,
                                 uint32_t& maxSize, uint32_t& minSize)
{
    if (n != 0 && srcTypeSize != 0) {
        const uint32_t repeats = hostcann::RoundUp(n * accTypeSize, 256) / 256;
        const uint32_t inner = hostcann::RoundUp(n * srcTypeSize, 32) / srcTypeSize;
        maxSize = minSize = hostcann::RoundUp(repeats, 32) + (srcTypeSize == accTypeSize ? 0 : inner * 4);
    }
}
inline void GetMeanTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer)
{
    maxLiveNodeCount = 1;
    extraBuffer = 0;
}

// srcShape: rows and columns; columns fill whole 32-byte blocks.
inline void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isLastAxis,
                                   const bool, uint32_t& maxValue, uint32_t& minValue)
{
    const uint32_t rows = static_cast<uint32_t>(srcShape.GetDim(0));
    const uint32_t columns = static_cast<uint32_t>(srcShape.GetDim(1));
    const uint32_t wide = typeSize == 2 ? 1 : 0;
    if (isLastAxis) {
        minValue = columns * 16 * typeSize * (2 + wide);
        maxValue = columns * hostcann::RoundUp(rows, 16) * typeSize * (2 + wide);
    } else {
        maxValue = minValue = wide * rows * columns * 4;
    }
}

// Two dimensions, or one. A row that spreads down needs one block; 8-bit types are widened to 16 bits first.
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                      const TensorShape& dstShape, uint32_t typeSize, const bool, uint32_t& maxValue,
                                      uint32_t& minValue)
{
    const uint32_t from = hostcann::Elements(srcShape);
    const uint32_t to = hostcann::Elements(dstShape);
    if (from == 0 || to == 0 || typeSize == 0) {
        return;
    }
    const bool isByte = typeSize == 1;
    const uint32_t cast = isByte ? (hostcann::RoundUp(from, 16) + hostcann::RoundUp(to, 16)) * 2 : 0;
    if (from == to || from == 1) {
        maxValue = minValue = isByte ? cast + 32 : 0;
        return;
    }
    if (srcShape.GetDim(1) != 1) {
        maxValue = minValue = 32 + cast;
        return;
    }
    const uint32_t size = isByte ? 2 : typeSize;
    const uint32_t perBlock = 32 / size;
    const uint32_t rows = static_cast<uint32_t>(dstShape.GetDim(0));
    const uint32_t columns = static_cast<uint32_t>(dstShape.GetDim(1));
    const uint32_t whole = hostcann::RoundUp(columns, perBlock);
    minValue = perBlock * 32 + cast;
    maxValue = hostcann::RoundUp(rows, 8) * 32 + cast;
    if (whole != columns) {
        minValue += perBlock * whole * size;
        maxValue += rows * whole * size;
    }
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_ADV_TMP_SIZE_H
