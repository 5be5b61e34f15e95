#ifndef KEPT_ELEMENTS_TILING_DATA_H
#define KEPT_ELEMENTS_TILING_DATA_H

#include <cstdint>

constexpr int64_t KEPT_ELEMENTS_MAX = 512;

struct KeptElementsTilingData {
    uint32_t elements;
};

#endif
