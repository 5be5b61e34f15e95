#ifndef ASCGRAPH_CPP_SOLVE_H
#define ASCGRAPH_CPP_SOLVE_H

#include <cstdint>

constexpr int64_t NARROW_STEP = 128;
constexpr int64_t MOST_ROWS = 4095;
constexpr int64_t LEAST_ROWS = 8;
constexpr int64_t MOST_ELEMENTS = 1LL << 48;
constexpr int64_t WHOLE_SEGMENT = 16384;
constexpr int64_t SEGMENT_LEAST = 2048;
constexpr int64_t MOST_SEGMENTS = 120;
constexpr int64_t SEGMENT_STEP = 128;
constexpr int64_t KEPT_BYTES = MOST_SEGMENTS * 256;

struct Demand {
    bool wholeRows;
    bool pieces;
    bool columns;
    int64_t wide;
    int64_t narrow;
    int64_t once;
    bool lanes;
    int64_t fixed;
    int64_t sums;
    int64_t step;
    int64_t align;
    int64_t repeated;
};

struct Need {
    int64_t rows;
    int64_t row;
    int64_t unit;
    int64_t fixed;
    int64_t step;
    int64_t most;
    int64_t stride;
    bool pieces;
    // Where columns are reduced: their rows (or -1), bytes of an element, a row, a column, and what a tile is a
    // multiple of.
    int64_t height;
    int64_t wide;
    int64_t narrow;
    int64_t once;
    int64_t part;
    // Of rows in pieces: their elements, and the reductions of a pass that cores may share.
    int64_t length;
    int64_t sums;
    // Bytes that a tile of one row has less.
    int64_t spare;
};

struct Tiling {
    int64_t blockDim;
    int64_t tile;
    int64_t rowTiles;
    int64_t coreTiles;
    int64_t tiles;
    int64_t stride;
    int64_t parts;
};

inline int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

inline int64_t AlignUp(int64_t a, int64_t to) { return CeilDiv(a, to) * to; }

inline int64_t LeastOf(int64_t a, int64_t b) { return a < b ? a : b; }

inline int64_t MostOf(int64_t a, int64_t b) { return a > b ? a : b; }

// Elements of a segment of a row, of which each has lanes of its own; they meet in the order of the row.
inline int64_t SegmentOf(int64_t length)
{
    if (length <= WHOLE_SEGMENT) {
        return MostOf(length, 1);
    }
    return MostOf(AlignUp(CeilDiv(length, MOST_SEGMENTS), SEGMENT_STEP), SEGMENT_LEAST);
}

// `rows` times `row` units along the axis that is cut; with whole rows each unit is a row of `columns` elements. Where
// columns are reduced, `columns` are the rows of each.
inline bool NeedOf(const Demand& demand, int64_t rows, int64_t row, int64_t columns, Need& need)
{
    if (!demand.wholeRows) {
        columns = 1;
    }
    if (rows < 0 || row < 0 || columns < 0 || columns > MOST_ELEMENTS || (row != 0 && rows > MOST_ELEMENTS / row) ||
        rows * row > MOST_ELEMENTS / MostOf(columns, 1)) {
        return false;
    }
    if (!demand.wholeRows) {
        need = Need{rows, row, demand.wide, demand.fixed, demand.step, MOST_ELEMENTS, 0, false, -1, 0, 0, 0, 0, 0,
                    0,    0};
        return true;
    }
    if (columns == 0 && demand.lanes) {
        return false;
    }
    if (demand.columns) {
        const int64_t least = MostOf(LeastOf(columns, LEAST_ROWS), 1);
        need = Need{
            columns == 0 ? 0 : rows,
            row,
            demand.wide * least + demand.once,
            demand.fixed + (demand.wide + demand.once) * (demand.step - 1) + demand.narrow * (NARROW_STEP - 1 + least),
            demand.align,
            AlignUp(MostOf(row, 1), demand.align),
            0,
            true,
            columns,
            demand.wide,
            demand.narrow,
            demand.once,
            demand.step,
            0,
            0,
            0};
        return true;
    }
    if (demand.pieces) {
        need = Need{rows,
                    columns == 0 ? 0 : row,
                    demand.wide + demand.once,
                    demand.fixed + demand.narrow * NARROW_STEP,
                    demand.step,
                    AlignUp(MostOf(columns, 1), demand.step),
                    0,
                    true,
                    -1,
                    0,
                    0,
                    0,
                    0,
                    MostOf(columns, 1),
                    demand.sums,
                    0};
        return true;
    }
    const int64_t stride = AlignUp(MostOf(columns, 1), demand.align);
    const int64_t lanes = demand.lanes ? LeastOf(4 * stride, 256) : 0;
    const int64_t slack = demand.wide * (demand.step - 1) + demand.narrow * (NARROW_STEP - 1) +
                          demand.once * AlignUp(stride, demand.step) + (demand.lanes ? 256 : 0);
    need = Need{rows,
                columns == 0 ? 0 : row,
                demand.wide * stride + demand.narrow + lanes,
                demand.fixed + slack,
                1,
                MOST_ROWS,
                stride,
                false,
                -1,
                0,
                0,
                0,
                0,
                0,
                0,
                demand.repeated * stride};
    return true;
}

inline int64_t UsedCores(int64_t cores, int64_t aivNum) { return aivNum > 0 && aivNum < cores ? aivNum : cores; }

inline int64_t LargestTile(const Need& need, int64_t ubSize)
{
    const int64_t room = ubSize - need.fixed;
    const int64_t fits = LeastOf(room / need.unit, need.most) / need.step * need.step;
    return fits < 1 && need.spare > 0 && room + need.spare >= need.unit ? 1 : fits;
}

// Tiles of this size on these cores, in equal shares.
inline Tiling SpreadTiles(const Need& need, int64_t tile, int64_t cores)
{
    const int64_t rowTiles = CeilDiv(need.row, tile);
    const int64_t tiles = need.rows * rowTiles;
    const int64_t coreTiles = MostOf(CeilDiv(tiles, cores), 1);
    return Tiling{MostOf(CeilDiv(tiles, coreTiles), 1), tile, rowTiles, coreTiles, tiles, need.stride, 1};
}

// Rows in pieces of one length, but for the last, each shared by as many cores or fewer, of which each has one part;
// false where there is no such tiling.
inline bool SplitRows(const Need& need, int64_t cores, int64_t aivNum, int64_t ubSize, int64_t parts, Tiling& tiling)
{
    const int64_t segments = CeilDiv(need.length, SegmentOf(need.length));
    const int64_t share = CeilDiv(segments, parts);
    parts = CeilDiv(segments, share);
    const int64_t used = UsedCores(cores, aivNum);
    const int64_t most = LeastOf(need.most, AlignUp(share * SegmentOf(need.length), need.step));
    const int64_t kept = parts > 1 ? KEPT_BYTES : 0;
    const int64_t largest = LeastOf((ubSize - need.fixed - kept) / need.unit, most) / need.step * need.step;
    const int64_t tiles = need.rows * need.row * parts;
    if (largest < need.step || (parts > 1 && (need.sums < 1 || need.sums * share > MOST_SEGMENTS || tiles > used))) {
        return false;
    }
    const int64_t coreTiles = MostOf(CeilDiv(tiles, used), 1);
    const int64_t piece = AlignUp(CeilDiv(most, CeilDiv(most, largest)), need.step);
    tiling = Tiling{MostOf(CeilDiv(tiles, coreTiles), 1), 1, need.row, coreTiles, tiles, piece, parts};
    return true;
}

// As many columns as give every core some, and as many of their rows at a time as fit then.
inline Tiling ColumnTiles(const Need& need, int64_t largest, int64_t cores, int64_t ubSize)
{
    const int64_t share = LeastOf(
        AlignUp(CeilDiv(MostOf(need.row, 1), CeilDiv(cores, MostOf(need.rows, 1))), need.part), need.most);
    // Less than a part is a whole row, or all that fits.
    const int64_t fits = largest < need.part ? largest : largest / need.part * need.part;
    const int64_t tile = largest >= need.most ? share : LeastOf(share, fits);
    Tiling tiling = SpreadTiles(need, tile, cores);
    tiling.stride = MostOf(need.height, 1);
    if (need.height > LEAST_ROWS) {
        // Pieces of one height, but for the last.
        const int64_t room = ubSize - need.fixed + need.narrow * LEAST_ROWS - need.once * tile;
        const int64_t rows = LeastOf(room / (need.wide * tile + need.narrow), MOST_ROWS) / LEAST_ROWS * LEAST_ROWS;
        tiling.stride = AlignUp(CeilDiv(need.height, CeilDiv(need.height, MostOf(rows, LEAST_ROWS))), LEAST_ROWS);
    }
    return tiling;
}

// The largest tile that fits, and smaller where cores would be idle; false where the machine allows no tiling.
inline bool SolveTiling(const Need& need, int64_t cores, int64_t aivNum, int64_t ubSize, Tiling& tiling)
{
    cores = UsedCores(cores, aivNum);
    if (cores < 1 || need.unit < 1) {
        return false;
    }
    const int64_t largest = LargestTile(need, ubSize);
    if (largest < need.step) {
        return false;
    }
    if (need.height >= 0) {
        tiling = ColumnTiles(need, largest, cores, ubSize);
        return true;
    }
    if (need.pieces) {
        return SplitRows(need, cores, 0, ubSize, 1, tiling);
    }
    const int64_t coresPerRow = CeilDiv(cores, MostOf(need.rows, 1));
    const int64_t part = AlignUp(CeilDiv(need.row, coresPerRow), need.step);
    tiling = SpreadTiles(need, LeastOf(MostOf(part, need.step), largest), cores);
    return true;
}
#endif // ASCGRAPH_CPP_SOLVE_H
