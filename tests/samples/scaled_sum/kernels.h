#pragma once
#include <cstdint>

#include "acl/acl.h"

struct Scaling {
    float scale;
    uint32_t count; // of a block
};

void LaunchScale(uint32_t blocks, aclrtStream stream, float* x, Scaling scaling);
