// Temporary space of the reductions over a pattern, for tiling functions. The largest size is the smallest one.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_REDUCE_TMP_SIZE_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_REDUCE_TMP_SIZE_H

#include "ascendc/host_api/tiling/adv_tmp_size.h"

namespace AscendC {

using TensorDataType = ge::DataType;

// What A2 does not have leaves the sizes as they are, as in the toolkit: another type or pattern, not two dimensions.
#define HOSTCANN_REDUCE_TMP_SIZE(Name, isType, bytes)                                                           \
    inline void Get##Name##MaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType,            \
                                         ReducePattern pattern, bool isSrcInnerPad, bool isReuseSource,         \
                                         uint32_t& maxValue, uint32_t& minValue)                                \
    {                                                                                                           \
        const bool isAR = pattern == ReducePattern::AR;                                                         \
        if ((isType) && (isAR || pattern == ReducePattern::RA) && isSrcInnerPad && srcShape.GetDimNum() == 2 && \
            srcShape.GetDim(0) > 0 && srcShape.GetDim(1) > 0) {                                                 \
            const hostcann::ReduceTmp tmp{static_cast<uint32_t>(srcShape.GetDim(0)),                            \
                                          static_cast<uint32_t>(srcShape.GetDim(1)), isReuseSource};            \
            maxValue = minValue = bytes;                                                                        \
        }                                                                                                       \
    }
HOSTCANN_REDUCE_TMP_SIZE(ReduceSum, dataType == ge::DT_FLOAT, tmp.Sum(isAR))
HOSTCANN_REDUCE_TMP_SIZE(ReduceMean, dataType == ge::DT_FLOAT, tmp.Sum(isAR))
HOSTCANN_REDUCE_TMP_SIZE(ReduceProd, dataType == ge::DT_FLOAT, tmp.Prod(isAR))
HOSTCANN_REDUCE_TMP_SIZE(ReduceMax, dataType == ge::DT_FLOAT || dataType == ge::DT_FLOAT16,
                         tmp.MaxMin(isAR, dataType == ge::DT_FLOAT ? 4 : 2))
HOSTCANN_REDUCE_TMP_SIZE(ReduceMin, dataType == ge::DT_FLOAT || dataType == ge::DT_FLOAT16,
                         tmp.MaxMin(isAR, dataType == ge::DT_FLOAT ? 4 : 2))
HOSTCANN_REDUCE_TMP_SIZE(ReduceAny, dataType == ge::DT_FLOAT || dataType == ge::DT_UINT8,
                         dataType == ge::DT_FLOAT ? tmp.MaxMin(isAR, 4) : tmp.Bytes(isAR))
HOSTCANN_REDUCE_TMP_SIZE(ReduceAll, dataType == ge::DT_FLOAT || dataType == ge::DT_UINT8,
                         dataType == ge::DT_FLOAT ? tmp.MaxMin(isAR, 4) : tmp.Bytes(isAR))
#undef HOSTCANN_REDUCE_TMP_SIZE

inline void GetReduceXorSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                         uint32_t& maxValue, uint32_t& minValue)
{
    const uint32_t n = hostcann::Elements(srcShape);
    if (n != 0 && typeSize == 2) {
        maxValue = minValue = hostcann::XorSumTmp(n, isReuseSource);
    }
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_REDUCE_TMP_SIZE_H
