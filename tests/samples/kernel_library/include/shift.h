// What the host and the kernels share.
#ifndef KERNEL_LIBRARY_SHIFT_H
#define KERNEL_LIBRARY_SHIFT_H

#include <cstdint>

constexpr uint32_t TILE = 256;

struct Shift {
    float first;
    float second;
};

#endif // KERNEL_LIBRARY_SHIFT_H
