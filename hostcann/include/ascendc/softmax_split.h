// How the Softmax functions split their rows over the temporary space of A2, for kernels and for tiling functions
// alike. The room of a row: facts from the pages «SoftMax Tiling使用说明» and following and from the toolkit's tiling
// sources.
#ifndef HOSTCANN_ASCENDC_SOFTMAX_SPLIT_H
#define HOSTCANN_ASCENDC_SOFTMAX_SPLIT_H

#include "ascendc/constexpr.h"
#include "ascendc/tiling_structs.h"

namespace AscendC {
namespace hostcann {

HOSTCANN_CONSTEXPR uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Rows and columns; statSize is the size of an element of the sums and maxima, of which a row has a block of 32 bytes.
struct SoftmaxShape {
    uint32_t m;
    uint32_t k;
    uint32_t statSize;

    HOSTCANN_CONSTEXPR uint32_t Block() const { return 32 / statSize; }
};

// Floats of temporary space for one row.
HOSTCANN_CONSTEXPR uint32_t SoftmaxRoom(const SoftmaxShape& s) { return s.Block() + s.k + 64; }
HOSTCANN_CONSTEXPR uint32_t SoftmaxFlashRoom(const SoftmaxShape& s, bool isUpdate)
{
    return isUpdate ? 4 * s.Block() + 2 * s.k : SoftmaxRoom(s);
}
HOSTCANN_CONSTEXPR uint32_t SoftmaxFlashV2Room(const SoftmaxShape& s, uint32_t srcSize, bool isBasicBlock)
{
    const uint32_t blocks = !isBasicBlock && srcSize == 2 ? 2 : 1;
    const uint32_t fold = isBasicBlock && s.k == 1024 ? 128 : 64;
    return blocks * s.Block() + fold + (srcSize == 2 ? s.k : 0);
}
HOSTCANN_CONSTEXPR uint32_t SoftmaxFlashV3Room(const SoftmaxShape& s) { return 5 * s.Block() + 2 * s.k + 64; }
HOSTCANN_CONSTEXPR uint32_t SoftmaxGradRoom(const SoftmaxShape& s, bool isFront)
{
    return s.statSize == 2 ? 2 * s.Block() + 3 * s.k + 64 : (isFront ? 1 : 2) * s.Block() + s.k + 64;
}

// Basic blocks are groups of 8 rows whose columns fill whole repeats.
HOSTCANN_CONSTEXPR bool IsBasicShape(const SoftmaxShape& s) { return s.m % 8 == 0 && s.k % 64 == 0; }

// One instruction has at most 255 repeats of 64 columns.
HOSTCANN_CONSTEXPR uint32_t FitRepeats(uint32_t rows, uint32_t k)
{
    while (rows * k >= 64 * 256) {
        rows /= 2;
    }
    return rows;
}
// The most rows of a pass that divide a basic shape, whole groups of 8 of them.
HOSTCANN_CONSTEXPR uint32_t BasicRows(const SoftmaxShape& s, uint32_t rows)
{
    if (rows <= 8 || !IsBasicShape(s)) {
        return rows;
    }
    rows -= rows % 8;
    while (s.m % rows != 0) {
        rows -= 8;
    }
    return FitRepeats(rows, s.k);
}
HOSTCANN_CONSTEXPR uint32_t WholeGroups(const SoftmaxShape& s, uint32_t rows, uint32_t group)
{
    return rows < s.m && rows > group ? rows / group * group : rows;
}
HOSTCANN_CONSTEXPR uint32_t SoftmaxPassRows(const SoftmaxShape& s, uint32_t floats, uint32_t room)
{
    return BasicRows(s, WholeGroups(s, Least(floats / room, s.m), 8));
}
// isPacked: a statistic has one element a row and not a block of them, so that a pass has to fill whole blocks.
HOSTCANN_CONSTEXPR uint32_t SoftmaxFlashV2PassRows(const SoftmaxShape& s, uint32_t srcSize, uint32_t floats,
                                                   bool isBasicBlock, bool isPacked)
{
    const bool isBasic = isBasicBlock && IsBasicShape(s);
    const uint32_t rows = Least(floats / SoftmaxFlashV2Room(s, srcSize, isBasic), s.m);
    return WholeGroups(s, isBasic ? BasicRows(s, rows) : rows, isPacked && srcSize == 2 ? 16 : 8);
}
HOSTCANN_CONSTEXPR uint32_t SoftmaxFlashV3PassRows(const SoftmaxShape& s, uint32_t floats)
{
    return WholeGroups(s, Least(floats / SoftmaxFlashV3Room(s), s.m), 8);
}

HOSTCANN_CONSTEXPR SoftMaxTiling SoftmaxSplit(const SoftmaxShape& s, uint32_t rows)
{
    const uint32_t tail = rows == 0 ? 0 : s.m % rows;
    SoftMaxTiling t{};
    t.srcM = t.outMaxM = s.m;
    t.srcK = t.splitK = s.k;
    t.outMaxK = t.reduceK = s.Block();
    t.splitM = t.reduceM = rows;
    t.rangeM = rows == 0 ? 0 : s.m / rows;
    t.tailM = tail;
    t.srcSize = s.m * s.k;
    t.outMaxSize = s.m * s.Block();
    t.splitSize = rows * s.k;
    t.reduceSize = rows * s.Block();
    t.tailSplitSize = tail * s.k;
    t.tailReduceSize = tail * s.Block();
    return t;
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_SOFTMAX_SPLIT_H
