// What a chain works on, and how it is cut.
#ifndef FMOD_CHAINS_SHAPE_H
#define FMOD_CHAINS_SHAPE_H

#include <algorithm>
#include <cstdint>

// How an operand moves with the rows and columns of the result.
enum class Form : uint32_t {
    TILE,   // along both
    ROW,    // along the columns; the next row of it after `group` rows of the result
    COLUMN, // along the rows
    VALUE,  // not at all
};

struct Shape {
    int64_t rows;
    int64_t columns;
    int64_t group; // rows of the result that share a row of a ROW operand
    Form x;
    Form y;
    bool flat; // both are TILE: one axis
};

// Elements, or rows where the shape is not flat.
struct Cut {
    int64_t block; // of a core
    int64_t tile;
    uint32_t cores;
    // A core with one tile has nothing to overlap.
    uint32_t Buffers() const { return tile < block ? 2 : 1; }
};

constexpr int64_t UB_BYTES = 188416;      // 8 KiB are the compiler's
constexpr int64_t REPEAT_ELEMENTS = 128;  // the factors of TBE's flat cut are multiples of it
constexpr int64_t BROADCAST_BYTES = 8192; // short operands and what Brcb makes of them

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

inline int64_t FloorTo(int64_t value, int64_t unit) { return value / unit * unit; }

// TBE's cut of elementwise operators, as public sources of its auto-tiling have it: every core gets ceil(elements /
// cores), rounded up to 128 elements; small shapes stay on one core. The unified buffer is divided by the tensors that
// live at once, each counted in the widest type, and by two again where a core needs more than one tile; the tiles of a
// core are made even. Two numbers are ours: six tensors live at once (x, y, the quotient, zero, a bound and its rounded
// form), and a core with one tile has 26 bytes an element, as many as this kernel needs.
inline Cut CutAsTbe(const Shape& shape, int64_t coreNum, int64_t elementBytes)
{
    constexpr int64_t twice = UB_BYTES / 2 / 6 / 4;
    constexpr int64_t once = 26;
    if (shape.flat) {
        const int64_t total = shape.rows * shape.columns;
        const int64_t cores = total < 32 / elementBytes * coreNum * 2 ? 1 : coreNum;
        const int64_t block = CeilDiv(CeilDiv(total, cores), REPEAT_ELEMENTS) * REPEAT_ELEMENTS;
        int64_t tile = block;
        if (block > FloorTo(UB_BYTES / once, REPEAT_ELEMENTS)) {
            const int64_t times = CeilDiv(block, FloorTo(twice, REPEAT_ELEMENTS));
            tile = CeilDiv(CeilDiv(block, times), REPEAT_ELEMENTS) * REPEAT_ELEMENTS;
        }
        return {block, tile, static_cast<uint32_t>(CeilDiv(total, block))};
    }
    // Broadcasting keeps two axes: the outer one is dealt to the cores, and a tile takes as many rows as fit.
    const int64_t block = CeilDiv(shape.rows, std::min(coreNum, shape.rows));
    const bool one = block * shape.columns <= (UB_BYTES - BROADCAST_BYTES) / once;
    const int64_t rows = std::max<int64_t>(1, twice / shape.columns);
    const int64_t tile = one ? block : CeilDiv(block, CeilDiv(block, rows));
    return {block, tile, static_cast<uint32_t>(CeilDiv(shape.rows, block))};
}

#endif // FMOD_CHAINS_SHAPE_H
