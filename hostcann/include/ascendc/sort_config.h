// What kernels and tiling functions share about Sort and TopK: how they sort, and the temporary space of TopK.
#ifndef HOSTCANN_ASCENDC_SORT_CONFIG_H
#define HOSTCANN_ASCENDC_SORT_CONFIG_H

#include <cstdint>

#include "ascendc/constexpr.h"

namespace AscendC {

// Of Ascend 950; host and kernel sources name it on every chip.
enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
    SortType type = SortType::RADIX_SORT;
    bool isDescend = false;
    bool hasSrcIndex = false;
    bool hasDstIndex = false;
};

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
enum class TopKAlgo { RADIX_SELECT, MERGE_SORT };
enum class TopKOrder { UNSET, LARGEST, SMALLEST };
struct TopKConfig {
    TopKAlgo algo = TopKAlgo::MERGE_SORT;
    TopKOrder order = TopKOrder::UNSET;
    bool sorted = true;
};
constexpr TopKConfig defaultTopKConfig = {};

namespace hostcann {

// Bytes. Normal: a row of sorted elements twice, and its indices. Small: all rows once, their indices, their negated
// values, and two masks (TopK Tiling page, toolkit's tiling sources).
HOSTCANN_CONSTEXPR uint32_t TopKTmp(uint32_t inner, uint32_t outter, bool hasIndex, TopKMode mode, bool isLargest)
{
    const uint32_t all = inner * outter;
    return mode == TopKMode::TOPK_NORMAL ? inner * 16 + (hasIndex ? 0 : inner * 4) :
                                           all * 8 + (hasIndex ? 0 : all * 4) + (isLargest ? 0 : all * 4) + 64;
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_SORT_CONFIG_H
