// The layouts of TransData, for kernels and tiling functions.
#ifndef HOSTCANN_ASCENDC_TRANS_DATA_FORMAT_H
#define HOSTCANN_ASCENDC_TRANS_DATA_FORMAT_H

#include <cstdint>

#include "ascendc/constexpr.h"

namespace AscendC {

enum class DataFormat : uint8_t {
    ND = 0,
    NZ,
    NCHW,
    NC1HWC0,
    NHWC,
    NCDHW,
    NDC1HWC0,
    FRACTAL_Z_3D,
};

struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};

namespace hostcann {

// A batch of images: NCDHW with its rows of pixels (H * W) in whole blocks, and channels and images in sixteens.
struct TransDataShape {
    uint32_t n;
    uint32_t c;
    uint32_t d;
    uint32_t pixels;

    HOSTCANN_CONSTEXPR uint32_t N1() const { return (n + 15) / 16; }
    HOSTCANN_CONSTEXPR uint32_t C1() const { return (c + 15) / 16; }
    HOSTCANN_CONSTEXPR uint32_t Pitch() const { return (pixels + 15) / 16 * 16; }
    HOSTCANN_CONSTEXPR uint64_t Rows() const { return uint64_t{n} * c * d * Pitch(); }
    // NDC1HWC0, or FRACTAL_Z_3D whose images come in sixteens.
    HOSTCANN_CONSTEXPR uint64_t Blocks(bool isFractal) const
    {
        return uint64_t{isFractal ? N1() * 16 : n} * d * C1() * pixels * 16;
    }
    // Bytes that the toolkit's tiling function asks for.
    HOSTCANN_CONSTEXPR uint32_t Tmp(bool toBlocks, bool isFractal) const
    {
        const uint32_t blocks = d * C1() * 16 * Pitch() * 2;
        const uint32_t images = N1() * 16;
        if (!isFractal) {
            return blocks + (toBlocks ? d * Pitch() * 2 : 512);
        }
        if (!toBlocks) {
            return blocks * images * (n == images && c == C1() * 16 ? 1 : 2);
        }
        const uint32_t rows = c * d * Pitch() * 2;
        const uint32_t zeros = d * pixels * images * 2;
        return blocks * images + (rows > zeros ? rows : zeros);
    }
};

HOSTCANN_CONSTEXPR bool IsTransData(const TransDataConfig& config, DataFormat from, DataFormat to)
{
    return config.srcFormat == from && config.dstFormat == to;
}
HOSTCANN_CONSTEXPR bool TransDataToBlocks(const TransDataConfig& config)
{
    return IsTransData(config, DataFormat::NCDHW, DataFormat::NDC1HWC0) ||
           IsTransData(config, DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D);
}
HOSTCANN_CONSTEXPR bool TransDataFromBlocks(const TransDataConfig& config)
{
    return IsTransData(config, DataFormat::NDC1HWC0, DataFormat::NCDHW) ||
           IsTransData(config, DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW);
}
HOSTCANN_CONSTEXPR bool TransDataIsFractal(const TransDataConfig& config)
{
    return config.srcFormat == DataFormat::FRACTAL_Z_3D || config.dstFormat == DataFormat::FRACTAL_Z_3D;
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_TRANS_DATA_FORMAT_H
