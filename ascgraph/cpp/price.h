#ifndef ASCGRAPH_CPP_PRICE_H
#define ASCGRAPH_CPP_PRICE_H

#include "solve.h"

constexpr int64_t MOST_TICKS = 1LL << 61;
constexpr int64_t PER_ROW = 3;
constexpr int64_t MORE_TILES = 8;

// Copies of one direction, in parts of a cycle, 1024 to each: of a tile, of a row; for 1024 bytes of a core, of one of
// two in an AI core, of the chip from the L2 and from memory. Then bytes of an element, a row, an element of one row.
struct Side {
    int64_t fixed;
    int64_t burst;
    int64_t rate;
    int64_t pair;
    int64_t l2;
    int64_t memory;
    int64_t wide;
    int64_t narrow;
    int64_t once;
};

// Instructions: of a tile, of 1024 elements, of 1024 rows, of each of those that are given for a row or 64 columns;
// then the scalar unit, for a tile and for each of those.
struct Work {
    int64_t fixed;
    int64_t wide;
    int64_t narrow;
    int64_t each;
    int64_t scalar;
    int64_t scalarEach;
};

// What the kernel costs by the timing model of the host toolkit.
struct Cost {
    int64_t aiCores;
    int64_t l2Bytes;
    int64_t step;
    int64_t pairEntry;
    int64_t pairLatency;
    Side read;
    Side write;
    // Of each tile, and once in front of the first.
    Work tile;
    Work first;
    int64_t firstRead;
    int64_t firstRow;
    // Of rows in pieces: what several cores of a row pay for the meetings behind passes.
    int64_t meet;
    // Of tiles that are turned: for each row of memory, of which a tile has as many as a row of it has elements.
    int64_t turned;
};

inline int64_t VectorOf(const Work& work, int64_t wide, int64_t rows, int64_t each)
{
    return work.fixed + ((wide * work.wide) >> 10) + ((rows * work.narrow) >> 10) + work.each * each;
}

inline int64_t ScalarOf(const Work& work, int64_t each) { return work.scalar + work.scalarEach * each; }

inline int64_t MovedOf(const Side& side, int64_t wide, int64_t rows, int64_t row, int64_t blocks, int64_t pair,
                       bool pairs, bool memory, int64_t& chip)
{
    const int64_t bytes = wide * side.wide + rows * side.narrow + row * side.once;
    const int64_t alone = MostOf((bytes * (pairs ? side.pair : side.rate)) >> 10, rows * side.burst);
    chip = ((bytes * (memory ? side.memory : side.l2)) >> 10) * blocks;
    return side.fixed + (side.fixed > 0 && pairs ? pair : 0) + MostOf(alone, chip);
}

inline int64_t PriceOf(const Cost& cost, const Need& need, const Tiling& tiling)
{
    const int64_t units = LeastOf(tiling.tile, need.row);
    const bool whole = need.stride > 0;
    const int64_t wide = whole ? units * need.stride : units;
    const int64_t rows = whole ? units : 0;
    const int64_t row = whole ? need.stride : 0;
    const bool pairs = tiling.blockDim > cost.aiCores;
    const int64_t all = need.rows * need.row * MostOf(need.stride, 1);
    const bool memory = all > cost.l2Bytes / MostOf(cost.read.wide + cost.write.wide, 1);
    int64_t readChip = 0;
    int64_t writeChip = 0;
    const int64_t read = MostOf(
        MovedOf(cost.read, wide, rows, row, tiling.blockDim, cost.pairLatency, pairs, memory, readChip),
        cost.read.fixed + rows * cost.read.burst + row * cost.turned);
    const int64_t write = MovedOf(cost.write, wide, rows, row, tiling.blockDim, cost.pairLatency, pairs, memory,
                                  writeChip);
    const int64_t each = LeastOf(PER_ROW * rows, CeilDiv(row, 64));
    const int64_t vector = VectorOf(cost.tile, wide, rows, each);
    const int64_t scalar = ScalarOf(cost.tile, each);
    const int64_t first = cost.firstRead + ((row * cost.firstRow) >> 10) +
                          MostOf(VectorOf(cost.first, wide, rows, each), ScalarOf(cost.first, each));
    const int64_t chip = memory ? readChip + writeChip : MostOf(readChip, writeChip);
    const int64_t longest = MostOf(MostOf(MostOf(read, write), MostOf(vector, chip)), MostOf(scalar, 1));
    const int64_t more = tiling.coreTiles - 1;
    return tiling.blockDim * cost.step + (pairs ? cost.pairEntry : 0) + first + read + MostOf(vector, scalar) + write +
           (more > MOST_TICKS / longest ? MOST_TICKS : more * longest);
}

// Of rows in pieces: a core has parts of rows one after the other, and the pieces of a part go by as tiles do.
inline int64_t PriceOfPieces(const Cost& cost, const Need& need, const Tiling& tiling)
{
    const int64_t segment = SegmentOf(need.length);
    const int64_t share = LeastOf(need.length, CeilDiv(CeilDiv(need.length, segment), tiling.parts) * segment);
    const int64_t units = LeastOf(tiling.stride, share);
    const bool pairs = tiling.blockDim > cost.aiCores;
    const int64_t all = need.rows * need.row * need.length;
    const bool memory = all > cost.l2Bytes / MostOf(cost.read.wide + cost.write.wide, 1);
    int64_t readChip = 0;
    int64_t writeChip = 0;
    const int64_t read = MovedOf(cost.read, units, 0, 0, tiling.blockDim, cost.pairLatency, pairs, memory, readChip);
    const int64_t write = MovedOf(cost.write, units, 0, 0, tiling.blockDim, cost.pairLatency, pairs, memory, writeChip);
    const int64_t vector = VectorOf(cost.tile, units, 0, 0);
    const int64_t scalar = ScalarOf(cost.tile, 0);
    const int64_t chip = memory ? readChip + writeChip : MostOf(readChip, writeChip);
    const int64_t longest = MostOf(MostOf(MostOf(read, write), MostOf(vector, chip)), MostOf(scalar, 1));
    const int64_t more = CeilDiv(share, units) - 1;
    const int64_t part = cost.firstRead + MostOf(VectorOf(cost.first, 0, 0, 0), ScalarOf(cost.first, 0)) + read +
                         MostOf(vector, scalar) + write + (more > MOST_TICKS / longest ? MOST_TICKS : more * longest);
    return tiling.blockDim * cost.step + (pairs ? cost.pairEntry : 0) +
           (tiling.coreTiles > MOST_TICKS / part ? MOST_TICKS : tiling.coreTiles * part) +
           (tiling.parts > 1 ? cost.meet : 0);
}

// Of columns of which some rows go by at a time, to be turned.
inline int64_t PriceOfColumns(const Cost& cost, const Need& need, const Tiling& tiling)
{
    const int64_t rows = LeastOf(tiling.stride, need.height);
    const int64_t row = tiling.tile;
    const bool pairs = tiling.blockDim > cost.aiCores;
    const bool memory = need.rows * need.row * need.height > cost.l2Bytes / MostOf(cost.read.wide + cost.write.wide, 1);
    int64_t readChip = 0;
    int64_t writeChip = 0;
    const int64_t read = MostOf(
        MovedOf(cost.read, rows * row, rows, row, tiling.blockDim, cost.pairLatency, pairs, memory, readChip),
        cost.read.fixed + rows * cost.read.burst + row * cost.turned);
    const int64_t write = MovedOf(cost.write, rows * row, rows, row, tiling.blockDim, cost.pairLatency, pairs, memory,
                                  writeChip);
    const int64_t each = LeastOf(PER_ROW * rows, CeilDiv(row, 64));
    const int64_t vector = VectorOf(cost.tile, rows * row, rows, each);
    const int64_t scalar = ScalarOf(cost.tile, each);
    const int64_t first = cost.firstRead +
                          MostOf(VectorOf(cost.first, rows * row, rows, each), ScalarOf(cost.first, each));
    const int64_t chip = memory ? readChip + writeChip : MostOf(readChip, writeChip);
    const int64_t longest = MostOf(MostOf(MostOf(read, write), MostOf(vector, chip)), MostOf(scalar, 1));
    const int64_t pieces = MostOf(CeilDiv(need.height, tiling.stride), 1);
    const int64_t tile = pieces > MOST_TICKS / longest ? MOST_TICKS : pieces * longest;
    const int64_t tiles = tiling.coreTiles > MOST_TICKS / tile ? MOST_TICKS : tiling.coreTiles * tile;
    return tiling.blockDim * cost.step + (pairs ? cost.pairEntry : 0) + first + read + MostOf(vector, scalar) + write +
           tiles - longest;
}

// The cheapest number of cores for each row. Rows that no cores share run where nothing else fits.
inline void SolvePieces(const Need& need, const Cost& cost, int64_t cores, int64_t aivNum, int64_t ubSize,
                        Tiling& tiling, int64_t& price)
{
    const int64_t known = PriceOfPieces(cost, need, tiling);
    int64_t least = known - known / 64;
    for (int64_t used = UsedCores(cores, aivNum); used > 1; used = (used + 1) / 2) {
        const int64_t parts = used / MostOf(need.rows * need.row, 1);
        Tiling other;
        if (parts < 2 || !SplitRows(need, cores, aivNum, ubSize, parts, other)) {
            continue;
        }
        const int64_t ticks = PriceOfPieces(cost, need, other);
        if (ticks < least) {
            tiling = other;
            least = ticks;
        }
    }
    price = tiling.parts > 1 ? least : INT64_MAX;
}

// The cheapest of some tilings, and what it costs: the largest tile unless another is better by a part in 64.
inline bool SolvePriced(const Need& need, const Cost& cost, int64_t cores, int64_t aivNum, int64_t ubSize,
                        Tiling& tiling, int64_t& price)
{
    if (!SolveTiling(need, cores, aivNum, ubSize, tiling)) {
        return false;
    }
    if (need.height >= 0 && cost.turned > 0) {
        price = PriceOfColumns(cost, need, tiling);
        return true;
    }
    if (need.pieces && need.sums < 1) {
        // Only where nothing else fits.
        price = INT64_MAX;
        return true;
    }
    if (need.pieces) {
        SolvePieces(need, cost, cores, aivNum, ubSize, tiling, price);
        return true;
    }
    price = PriceOf(cost, need, tiling);
    int64_t least = price - price / 64;
    const int64_t largest = LargestTile(need, ubSize);
    const int64_t rows = MostOf(need.rows, 1);
    const int64_t fewest = rows * CeilDiv(need.row, largest);
    int64_t used = UsedCores(cores, aivNum);
    while (true) {
        const int64_t first = MostOf(CeilDiv(fewest, used), 1);
        for (int64_t tiles = first; tiles < first + MORE_TILES; tiles++) {
            const int64_t parts = MostOf(tiles * used / rows, 1);
            const int64_t tile = AlignUp(CeilDiv(need.row, parts), need.step);
            const Tiling other = SpreadTiles(need, LeastOf(MostOf(tile, need.step), largest), used);
            const int64_t ticks = PriceOf(cost, need, other);
            if (ticks < least) {
                tiling = other;
                least = ticks;
                price = ticks;
            }
        }
        if (used == 1) {
            return true;
        }
        used = (used + 1) / 2;
    }
}
#endif // ASCGRAPH_CPP_PRICE_H
