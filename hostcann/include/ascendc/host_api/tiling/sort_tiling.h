// Temporary space and tiling of sorting, for tiling functions.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_SORT_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_SORT_TILING_H

#include <cstdio>

#include "ascendc/host_api/tiling/adv_tmp_size.h"
#include "ascendc/host_api/tiling/tiling_classes.h"
#include "ascendc/host_api/tiling/units_tmp_size.h"
#include "ascendc/sort_config.h"

namespace AscendC {

// Concat copies nothing on A2; a sorted element has 8 bytes.
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t, const uint32_t) { return 0; }
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, const uint32_t)
{
    return elemCount * 8;
}

// Sort by a SortConfig runs on Ascend 950: for A2 the toolkit refuses and leaves the sizes as they are.
inline void GetSortMaxMinTmpSize(const TensorShape&, TensorDataType, TensorDataType, bool, const SortConfig&, uint32_t&,
                                 uint32_t&)
{
    std::fputs(
        "[ERROR] GetSortMaxMinTmpSize: no Sort by a SortConfig on A2, the sizes stay as they are. Expected "
        "Ascend 950. Fix: use Sort<T, isFullSort> with GetSortTmpSize\n",
        stderr);
}

inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                                 const bool, const bool isInitIndex, enum TopKMode mode, const bool isLargest,
                                 const uint32_t, uint32_t& maxValue, uint32_t& minValue)
{
    if (inner <= 0 || inner % 32 != 0 || outter <= 0) {
        return false;
    }
    maxValue = minValue = hostcann::TopKTmp(static_cast<uint32_t>(inner), static_cast<uint32_t>(outter), isInitIndex,
                                            mode, isLargest);
    return true;
}

// The kernel takes the shape from TopKInfo; fields that describe steps of the toolkit's own merge stay 0.
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner,
                           const int32_t outter, const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex,
                           enum TopKMode mode, const bool isLargest, tiling::TopkTiling& topKTiling)
{
    uint32_t max = 0;
    uint32_t min = 0;
    if (!GetTopKMaxMinTmpSize(ascendcPlatform, inner, outter, false, isInitIndex, mode, isLargest, dataTypeSize, max,
                              min) ||
        k < 1 || k > inner || (dataTypeSize != 2 && dataTypeSize != 4)) {
        return false;
    }
    topKTiling.tmpLocalSize = static_cast<int32_t>(min / dataTypeSize);
    topKTiling.allDataSize = inner * outter;
    topKTiling.innerDataSize = inner * 8 / static_cast<int32_t>(dataTypeSize);
    topKTiling.sortRepeat = static_cast<uint32_t>(inner) / 32;
    topKTiling.kAlignFourBytes = (k + 7) / 8 * 8;
    topKTiling.kAlignTwoBytes = (k + 15) / 16 * 16;
    return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner,
                           const int32_t outter, const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex,
                           enum TopKMode mode, const bool isLargest, optiling::TopkTiling& topKTiling)
{
    tiling::TopkTiling plain;
    const bool done = TopKTilingFunc(ascendcPlatform, inner, outter, k, dataTypeSize, isInitIndex, mode, isLargest,
                                     plain);
    hostcann::ToClass(plain, topKTiling);
    return done;
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_SORT_TILING_H
