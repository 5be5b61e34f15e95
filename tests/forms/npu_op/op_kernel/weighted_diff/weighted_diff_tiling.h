#ifndef WEIGHTED_DIFF_TILING_H
#define WEIGHTED_DIFF_TILING_H

#include <cstdint>

struct WeightedDiffTiling {
    uint32_t total;
    uint32_t share;
    float weight;
};

#endif
