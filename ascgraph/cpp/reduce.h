#ifndef ASCGRAPH_CPP_REDUCE_H
#define ASCGRAPH_CPP_REDUCE_H

#include "rows.h"

enum class Reduction { SUM, MAX, MIN };

// MASK: a number of elements, or bits.
template <Reduction KIND, typename T, typename MASK>
__aicore__ inline void Fold(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& x, MASK mask,
                            uint32_t repeats, const AscendC::BinaryRepeatParams& params)
{
    const uint8_t times = static_cast<uint8_t>(repeats);
    if constexpr (KIND == Reduction::SUM) {
        AscendC::Add(lanes, x, lanes, mask, times, params);
    } else if constexpr (KIND == Reduction::MAX) {
        AscendC::Max(lanes, x, lanes, mask, times, params);
    } else {
        AscendC::Min(lanes, x, lanes, mask, times, params);
    }
}

template <Reduction KIND, typename T>
__aicore__ inline void FoldTile(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& x, uint32_t count)
{
    if constexpr (KIND == Reduction::SUM) {
        AscendC::Add(to, x, to, static_cast<int32_t>(count));
    } else if constexpr (KIND == Reduction::MAX) {
        AscendC::Max(to, x, to, static_cast<int32_t>(count));
    } else {
        AscendC::Min(to, x, to, static_cast<int32_t>(count));
    }
}

// One repeat of each row: neighbours first, then neighbours of neighbours.
template <Reduction KIND, typename T>
__aicore__ inline void ReduceRepeats(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                     uint32_t mask, uint32_t rows, uint32_t stride)
{
    const int32_t on = static_cast<int32_t>(mask);
    const int32_t blocks = static_cast<int32_t>(stride / BLOCK<T>);
    for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
        const int32_t repeats = static_cast<int32_t>(rows - row < MOST_REPEATS ? rows - row : MOST_REPEATS);
        if constexpr (KIND == Reduction::SUM) {
            AscendC::WholeReduceSum(to[row], from[row * stride], on, repeats, 1, 1, blocks);
        } else if constexpr (KIND == Reduction::MAX) {
            AscendC::WholeReduceMax(to[row], from[row * stride], on, repeats, 1, 1, blocks,
                                    AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        } else {
            AscendC::WholeReduceMin(to[row], from[row * stride], on, repeats, 1, 1, blocks,
                                    AscendC::ReduceOrder::ORDER_ONLY_VALUE);
        }
    }
}

// Lanes take the whole repeats of x, and then what is left.
template <Reduction KIND, typename T>
__aicore__ inline void FoldAll(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& x, uint32_t length)
{
    const uint32_t whole = length / LANES<T>;
    const uint32_t rest = length % LANES<T>;
    for (uint32_t at = 0; at < whole; at += MOST_REPEATS) {
        const uint32_t repeats = whole - at < MOST_REPEATS ? whole - at : MOST_REPEATS;
        Fold<KIND>(lanes, x[at * LANES<T>], LANES<T>, repeats, AscendC::BinaryRepeatParams(1, 1, 1, 0, 8, 0));
    }
    if (rest > 0) {
        Fold<KIND>(lanes, x[whole * LANES<T>], rest, 1, AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    }
}

// Lane j of a row of LANES elements or more takes elements j, j + LANES, j + 2 * LANES, …, one after the other. A row
// that is longer than a segment has lanes for each of them, which are taken one after the other. So the bits are the
// same however rows are cut into tiles. `lanes` has 256 bytes for each row, and 256 more.
template <Reduction KIND, typename T>
__aicore__ inline void LanesOfRows(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& from,
                                   uint32_t rows, uint32_t length, uint32_t stride, uint32_t segment)
{
    constexpr uint32_t n = LANES<T>;
    const uint32_t blocks = stride / BLOCK<T>;
    const uint32_t whole = length / n;
    const uint32_t rest = length % n;
    if (blocks <= 255 && whole < 3 * rows) {
        // All rows of n columns after the other.
        for (uint32_t row = 0; row < rows; row += MOST_REPEATS) {
            const uint32_t repeats = rows - row < MOST_REPEATS ? rows - row : MOST_REPEATS;
            const AscendC::BinaryRepeatParams params(1, 1, 1, 8, static_cast<uint8_t>(blocks), 8);
            AscendC::Copy(lanes[row * n], from[row * stride], static_cast<uint64_t>(n), static_cast<uint8_t>(repeats),
                          AscendC::CopyRepeatParams(1, 1, 8, static_cast<uint16_t>(blocks)));
            for (uint32_t at = 1; at < whole; at++) {
                Fold<KIND>(lanes[row * n], from[row * stride + at * n], n, repeats, params);
            }
            if (rest > 0) {
                Fold<KIND>(lanes[row * n], from[row * stride + whole * n], rest, repeats, params);
            }
        }
    } else {
        // One row after the other; the lanes stay where they are from repeat to repeat.
        for (uint32_t row = 0; row < rows; row++) {
            const auto own = lanes[row * n];
            AscendC::DataCopy(own, from[row * stride], n);
            FoldAll<KIND>(own, from[row * stride + n], (length < segment ? length : segment) - n);
            for (uint32_t begin = segment; begin < length; begin += segment) {
                const uint32_t left = length - begin;
                if (left <= n) {
                    FoldAll<KIND>(own, from[row * stride + begin], left);
                    continue;
                }
                AscendC::DataCopy(lanes[rows * n], from[row * stride + begin], n);
                FoldAll<KIND>(lanes[rows * n], from[row * stride + begin + n], (left < segment ? left : segment) - n);
                FoldAll<KIND>(own, lanes[rows * n], n);
            }
        }
    }
}

// The lanes of each row, or its elements where they are no more, meet.
template <Reduction KIND, typename T>
__aicore__ inline void ReduceRows(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                  const AscendC::LocalTensor<T>& lanes, uint32_t rows, uint32_t length, uint32_t stride,
                                  uint32_t segment)
{
    constexpr uint32_t n = LANES<T>;
    if (length <= n) {
        ReduceRepeats<KIND>(to, from, length, rows, stride);
    } else {
        LanesOfRows<KIND>(lanes, from, rows, length, stride, segment);
        ReduceRepeats<KIND>(to, lanes, n, rows, n);
    }
}

// The sum divided by the number of elements.
template <typename T>
__aicore__ inline void MeanOfRows(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from,
                                  const AscendC::LocalTensor<T>& lanes, uint32_t rows, uint32_t length, uint32_t stride,
                                  uint32_t segment)
{
    ReduceRows<Reduction::SUM>(to, from, lanes, rows, length, stride, segment);
    AscendC::Duplicate(lanes, static_cast<T>(static_cast<float>(length)), static_cast<int32_t>(rows));
    AscendC::Div(to, to, lanes, static_cast<int32_t>(rows));
}
#endif // ASCGRAPH_CPP_REDUCE_H
