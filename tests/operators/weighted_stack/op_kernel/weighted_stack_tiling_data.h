#ifndef WEIGHTED_STACK_TILING_DATA_H
#define WEIGHTED_STACK_TILING_DATA_H

#include <cstdint>

struct WeightedStackTilingData {
    int64_t elements;
    int32_t count;
    int32_t rounds;
    float weights[8];
};

#endif
