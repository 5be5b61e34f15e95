#ifndef CHECKED_SCALE_TILING_DATA_H
#define CHECKED_SCALE_TILING_DATA_H

#include <cstdint>

constexpr int64_t CHECKED_SCALE_MAX = 512;

struct CheckedScaleTilingData {
    uint32_t elements;
    float factor;
};

#endif
