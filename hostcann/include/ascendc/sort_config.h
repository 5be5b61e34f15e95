// How Sort of Ascend 950 sorts; host and kernel sources name it on every chip.
#ifndef HOSTCANN_ASCENDC_SORT_CONFIG_H
#define HOSTCANN_ASCENDC_SORT_CONFIG_H

namespace AscendC {

enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
    SortType type = SortType::RADIX_SORT;
    bool isDescend = false;
    bool hasSrcIndex = false;
    bool hasDstIndex = false;
};

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_SORT_CONFIG_H
