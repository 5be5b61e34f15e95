#ifndef ASCGRAPH_CPP_COLUMNS_H
#define ASCGRAPH_CPP_COLUMNS_H

#include "reduce.h"

constexpr uint32_t ROW_LANES = 8; // rows of partial results

// Row j of the lanes takes rows j, j + 8, j + 16, … of its columns, one after the other. All pieces but the last have
// whole lanes, so the bits are the same however rows are cut. Rows are `stride` elements apart.
template <Reduction KIND, typename T>
__aicore__ inline void TakeRows(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& piece,
                                uint32_t rows, uint32_t stride, bool isFirst)
{
    uint32_t row = 0;
    if (isFirst) {
        row = rows < ROW_LANES ? rows : ROW_LANES;
        AscendC::DataCopy(lanes, piece, row * stride);
    }
    for (; row < rows; row += ROW_LANES) {
        const uint32_t count = rows - row < ROW_LANES ? rows - row : ROW_LANES;
        FoldTile<KIND>(lanes, piece[row * stride], count * stride);
    }
}

// The last half of the lanes of `height` rows is added to the first, until one is left.
template <Reduction KIND, typename T>
__aicore__ inline void MeetRows(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& lanes, int64_t height,
                                uint32_t stride)
{
    uint32_t left = static_cast<uint32_t>(height < ROW_LANES ? height : ROW_LANES);
    while (left > 1) {
        const uint32_t half = (left + 1) / 2;
        FoldTile<KIND>(lanes, lanes[half * stride], (left - half) * stride);
        left = half;
    }
    AscendC::DataCopy(to, lanes, stride);
}

template <typename T>
__aicore__ inline void MeanOfColumns(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& lanes,
                                     int64_t height, int64_t count, uint32_t stride)
{
    MeetRows<Reduction::SUM>(to, lanes, height, stride);
    AscendC::Duplicate(lanes, static_cast<T>(static_cast<float>(count)), static_cast<int32_t>(stride));
    AscendC::Div(to, to, lanes, static_cast<int32_t>(stride));
}
#endif // ASCGRAPH_CPP_COLUMNS_H
