// Temporary space and tiling of Transpose and TransData, for tiling functions.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_TRANSPOSE_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_TRANSPOSE_TILING_H

#include "ascendc/block_sizes.h" // as the toolkit's confusion_transpose_tiling.h
#include "ascendc/host_api/tiling/adv_tmp_size.h"
#include "ascendc/host_api/tiling/reduce_tmp_size.h"
#include "ascendc/host_api/tiling/tiling_classes.h"
#include "ascendc/trans_data_format.h"

namespace AscendC {

// Types 1 to 7; others leave the sizes as they are.
inline void GetTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                      const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue)
{
    if (transposeTypeIn == 1 || transposeTypeIn == 2) {
        const auto rows = static_cast<uint32_t>(srcShape.GetDim(2));
        maxValue = hostcann::RoundUp(rows, 16) * 16 * typeSize;
        minValue = 256 * typeSize;
    } else if (transposeTypeIn >= 3 && transposeTypeIn <= 6) {
        maxValue = minValue = 512 * typeSize;
    } else if (transposeTypeIn == 7) {
        maxValue = minValue = 0;
    }
}
inline void GetConfusionTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                               const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue)
{
    GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}

// The kernel needs the type and the four axes: B, N, S and H / N, or 1, 1, H and W of a matrix. The fields have no
// meaning of their own on the page.
inline void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t, const uint32_t,
                                   const uint32_t transposeTypeIn, tiling::ConfusionTransposeTiling& tiling)
{
    const size_t axes = transposeTypeIn == 7 ? 2 : 4;
    if (srcShape.GetDimNum() != axes) {
        return;
    }
    const auto axis = [&](size_t i) {
        const size_t missing = 4 - axes;
        return i < missing ? 1u : static_cast<uint32_t>(srcShape.GetDim(i - missing));
    };
    tiling.param0 = transposeTypeIn;
    tiling.param1 = axis(0);
    tiling.param2 = axis(1);
    tiling.param3 = axis(2);
    tiling.param4 = axis(3);
}
inline void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                   const uint32_t transposeTypeIn, optiling::ConfusionTransposeTiling& tiling)
{
    tiling::ConfusionTransposeTiling plain;
    GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, plain);
    hostcann::ToClass(plain, tiling);
}
template <typename Tiling>
inline void GetConfusionTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                            const uint32_t typeSize, const uint32_t transposeTypeIn, Tiling& tiling)
{
    GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
template <typename Tiling>
inline void GetConfusionTransposeOnlyTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                                const uint32_t typeSize, Tiling& tiling)
{
    GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 7, tiling);
}

// False when the shapes, the type or the layouts do not fit each other.
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                      const TensorShape& dstShape, const TensorDataType dataType,
                                      const TransDataConfig& config, uint32_t& maxValue, uint32_t& minValue)
{
    const bool toBlocks = hostcann::TransDataToBlocks(config);
    const bool isFractal = hostcann::TransDataIsFractal(config);
    const bool is16Bits = dataType == ge::DT_FLOAT16 || dataType == ge::DT_BF16 || dataType == ge::DT_UINT16 ||
                          dataType == ge::DT_INT16;
    const TensorShape& rows = toBlocks ? srcShape : dstShape;
    const TensorShape& blocks = toBlocks ? dstShape : srcShape;
    if (!is16Bits || !(toBlocks || hostcann::TransDataFromBlocks(config)) || rows.GetDimNum() != 5) {
        return false;
    }
    const int64_t n = rows.GetDim(0);
    const int64_t c = rows.GetDim(1);
    const int64_t d = rows.GetDim(2);
    const int64_t h = rows.GetDim(3);
    const int64_t w = rows.GetDim(4);
    const hostcann::TransDataShape shape{static_cast<uint32_t>(n), static_cast<uint32_t>(c), static_cast<uint32_t>(d),
                                         static_cast<uint32_t>(h * w)};
    const std::vector<int64_t> wanted = isFractal ? std::vector<int64_t>{d, shape.C1(), h, w, shape.N1(), 16, 16} :
                                                    std::vector<int64_t>{n, d, shape.C1(), h, w, 16};
    if (hostcann::Elements(rows) == 0 || blocks.GetDims() != wanted) {
        return false;
    }
    maxValue = minValue = shape.Tmp(toBlocks, isFractal);
    return true;
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_TRANSPOSE_TILING_H
