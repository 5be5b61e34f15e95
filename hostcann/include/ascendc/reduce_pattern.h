// Which axes of a shape a reduction runs over, by name and by type. For kernels and for tiling functions.
#ifndef HOSTCANN_ASCENDC_REDUCE_PATTERN_H
#define HOSTCANN_ASCENDC_REDUCE_PATTERN_H

#include <cstdint>

#include "ascendc/constexpr.h"

namespace AscendC {

// A stays, R is reduced; A2 has AR and RA (GetReduceSumMaxMinTmpSize page).
enum class ReducePattern : uint32_t {
    AR = 0,
    RA = 1,
    R,
    ARA,
    ARAR,
    ARARA,
    ARARAR,
    ARARARA,
    ARARARAR,
    ARARARARA,
    RAR,
    RARA,
    RARAR,
    RARARA,
    RARARAR,
    RARARARA,
};

namespace Pattern {
namespace Reduce {
struct AR {};
struct RA {};
} // namespace Reduce
} // namespace Pattern

namespace hostcann {

// The largest power of two that is not above n.
HOSTCANN_CONSTEXPR uint32_t PowerOfTwoIn(uint32_t n)
{
    uint32_t power = 1;
    while (n > 1) {
        power *= 2;
        n /= 2;
    }
    return power;
}

HOSTCANN_CONSTEXPR uint32_t RoundUp(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

// Temporary space of the reductions of `first` rows of `last` elements (Get...MaxMinTmpSize pages, toolkit's tiling
// sources). Where the source may be overwritten it is used instead.
struct ReduceTmp {
    uint32_t first;
    uint32_t last;
    bool reuse;

    // Half of the reduced axis, rounded to a power of two; `alone`: a single element or row is halved too.
    static HOSTCANN_CONSTEXPR uint32_t Folded(uint32_t n, bool halve)
    {
        return PowerOfTwoIn(n) == n && halve ? n / 2 : PowerOfTwoIn(n);
    }

    HOSTCANN_CONSTEXPR uint32_t Columns(uint32_t size) const
    {
        return reuse ? 0 : Folded(first, first > 1) * RoundUp(last * size, 32);
    }
    HOSTCANN_CONSTEXPR uint32_t Sum(bool isAR) const
    {
        return !isAR ? Columns(4) : reuse || last <= 64 ? 0 : first * Folded(last, first > 1) * 4;
    }
    HOSTCANN_CONSTEXPR uint32_t MaxMin(bool isAR, uint32_t size) const
    {
        return !isAR ? Columns(size) : reuse || last * size <= 32 ? 0 : last * size < 256 ? first * 32 : first * 256;
    }
    HOSTCANN_CONSTEXPR uint32_t Prod(bool isAR) const
    {
        if (!isAR) {
            return Columns(4);
        }
        const uint32_t folded = Folded(last, first > 1);
        return 256 + (reuse ? 0 : ((folded < 8 ? 8 : folded) + first * 8) * 4);
    }
    // Logic on bytes that are 0 or 1.
    HOSTCANN_CONSTEXPR uint32_t Bytes(bool isAR) const
    {
        return isAR ? RoundUp(last, 32) * 2 + first * 32 : Columns(1);
    }
};

// ReduceXorSum of n elements: their exclusive or, and room to sum it.
HOSTCANN_CONSTEXPR uint32_t XorSumTmp(uint32_t n, bool reuse) { return (reuse ? 2 : 3) * (n < 128 ? 256 : n * 2); }

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_REDUCE_PATTERN_H
