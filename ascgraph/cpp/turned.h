#ifndef ASCGRAPH_CPP_TURNED_H
#define ASCGRAPH_CPP_TURNED_H

#include "rows.h"

constexpr uint32_t MOST_COPIED = 4095; // rows of one DataCopyPad

// `length` rows of `rows` elements each, `step` elements apart in memory and `pitch` in the tile.
template <typename T>
__aicore__ inline void LoadTurned(const AscendC::LocalTensor<T>& to, const AscendC::GlobalTensor<T>& from,
                                  uint32_t rows, int64_t length, int64_t step, uint32_t pitch)
{
    for (int64_t first = 0; first < length; first += MOST_COPIED) {
        const int64_t left = length - first;
        LoadRows(to[static_cast<uint32_t>(first) * pitch], from[first * step],
                 static_cast<uint32_t>(left < MOST_COPIED ? left : MOST_COPIED), rows, step, pitch);
    }
}

// For Gather: where the elements of rows of `stride` are, in bytes, in a tile whose rows are their columns.
__aicore__ inline void TurnPlaces(const AscendC::LocalTensor<int32_t>& to, uint32_t rows, uint32_t stride,
                                  uint32_t pitch, uint32_t size)
{
    AscendC::CreateVecIndex(to, static_cast<int32_t>(0), stride);
    AscendC::Muls(to, to, static_cast<int32_t>(pitch * size), static_cast<int32_t>(stride));
    for (uint32_t row = 1; row < rows; row++) {
        AscendC::Adds(to[row * stride], to, static_cast<int32_t>(row * size), static_cast<int32_t>(stride));
    }
}
#endif // ASCGRAPH_CPP_TURNED_H
