// Temporary space of the normalizations in bytes: what their rows need (pages "... Tiling", toolkit's tiling sources).
// The minimum holds one row at a time, the maximum all of them.
#ifndef HOSTCANN_ASCENDC_NORM_TMP_H
#define HOSTCANN_ASCENDC_NORM_TMP_H

#include "ascendc/constexpr.h"
#include "ascendc/reduce_pattern.h"

namespace AscendC {
namespace hostcann {

struct TmpRange {
    uint32_t min;
    uint32_t max;
};

// Rows of h elements with statistics per row: LayerNorm, DeepNorm.
HOSTCANN_CONSTEXPR TmpRange LayerNormTmp(uint32_t rows, uint32_t h, uint32_t size, bool reuse)
{
    const uint32_t buffers = reuse && size == 4 ? 2 : 3;
    const uint32_t statistics = 2 * RoundUp(rows * 4, 32);
    return {buffers * RoundUp(h * 4, 32) + statistics, buffers * RoundUp(rows * h * 4, 32) + statistics};
}

// r: elements of a row in whole blocks; size: of gamma and beta.
HOSTCANN_CONSTEXPR TmpRange NormalizeTmp(uint32_t a, uint32_t r, uint32_t size)
{
    const uint32_t row = RoundUp(r * 4, 32);
    const uint32_t rows = (size == 4 ? 2 : 4) * row;
    const uint32_t column = RoundUp(a * 4, 32);
    return {column > rows ? column : rows, 2 * row + 2 * RoundUp(RoundUp(a, 8) * r * 4, 32)};
}

HOSTCANN_CONSTEXPR TmpRange LayerNormRstdTmp(uint32_t a, uint32_t r, uint32_t size)
{
    const TmpRange rest = NormalizeTmp(a, r, size);
    const uint32_t statistics = RoundUp(a * 4, 32);
    const uint32_t min = 2 * RoundUp(r * 4, 32);
    const uint32_t max = 2 * RoundUp(a * r * 4, 32);
    return {statistics + (min > rest.min ? min : rest.min), statistics + (max > rest.max ? max : rest.max)};
}

HOSTCANN_CONSTEXPR TmpRange RmsNormTmp(uint32_t rows, uint32_t h, uint32_t size)
{
    const uint32_t buffers = size == 2 ? 2 : 1;
    return {(h * buffers + 8) * 4, (rows * h * buffers + RoundUp(rows, 32 / size)) * 4};
}

HOSTCANN_CONSTEXPR TmpRange LayerNormGradTmp(uint32_t rows, uint32_t h, uint32_t size, bool reuse)
{
    const uint32_t buffers = size == 2 ? 9 : reuse ? 4 : 6;
    const uint32_t all = rows * h;
    const uint32_t square = h * h;
    return {(all < square ? all : square) * buffers * size, (all > square ? all : square) * buffers * size};
}

HOSTCANN_CONSTEXPR TmpRange LayerNormGradBetaTmp(uint32_t rows, uint32_t h, uint32_t size)
{
    const uint32_t buffers = size == 2 ? 4 : 2;
    return {buffers * h * 4, buffers * rows * h * 4};
}

// b batches of n features.
HOSTCANN_CONSTEXPR TmpRange BatchNormTmp(uint32_t b, uint32_t n, uint32_t size, bool isBasicBlock)
{
    const uint32_t statistics = 2 * RoundUp(n * 4, 32);
    return {3 * b * (isBasicBlock ? 256 : size == 2 ? 64 : 32) + statistics, 3 * RoundUp(b * n * 4, 32) + statistics};
}

// d channels of hw elements, each in whole blocks, are a group.
HOSTCANN_CONSTEXPR TmpRange GroupNormTmp(uint32_t n, uint32_t c, uint32_t hw, uint32_t groups, uint32_t size,
                                         bool reuse)
{
    const uint32_t buffers = reuse && size == 4 ? 2 : 3;
    const uint32_t channel = RoundUp(hw * size, 32) / size * 4;
    const uint32_t statistics = 2 * RoundUp(n * groups * 4, 32);
    return {buffers * (c / groups) * channel + statistics, buffers * n * c * channel + statistics};
}

HOSTCANN_CONSTEXPR TmpRange WelfordUpdateTmp(uint32_t n, uint32_t size, bool reuse)
{
    const uint32_t min = 256 * (size == 2 ? 3 : reuse ? 1 : 2);
    return {min, (n + 63) / 64 * min};
}

HOSTCANN_CONSTEXPR TmpRange WelfordFinalizeTmp(uint32_t n) { return {1024, n <= 64 ? 1024 : (128 + n * 2) * 4}; }

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_NORM_TMP_H
