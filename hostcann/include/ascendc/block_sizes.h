// Sizes of a block that kernels and tiling functions use by name.
#ifndef HOSTCANN_ASCENDC_BLOCK_SIZES_H
#define HOSTCANN_ASCENDC_BLOCK_SIZES_H

#include <cstdint>

namespace AscendC {

constexpr uint16_t ONE_BLK_SIZE = 32; // bytes of a block of the unified buffer
constexpr int32_t BLOCK_CUBE = 16;    // rows and columns of a block of the cube core

} // namespace AscendC

#endif
