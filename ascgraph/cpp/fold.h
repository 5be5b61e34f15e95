#ifndef ASCGRAPH_CPP_FOLD_H
#define ASCGRAPH_CPP_FOLD_H

#include "reduce.h"

// int32, which WholeReduce does not have: lanes meet by the instructions of elements.

constexpr uint32_t ROWS_OF_REPEATS = 32; // whose lanes are whole repeats until two are left of each
constexpr uint8_t EVEN = 1;              // patterns of GatherMask
constexpr uint8_t ODD = 2;

// Changes no other element.
template <Reduction KIND>
constexpr int32_t NEUTRAL = KIND == Reduction::SUM ? 0 :
                            KIND == Reduction::MAX ? INT32_MIN :
                                                     INT32_MAX;

// Elements of every second place, `count` of them before.
__aicore__ inline void TakeSeconds(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& from,
                                   uint8_t which, uint32_t count)
{
    uint64_t taken = 0;
    AscendC::GatherMask(to, from, which, false, 0,
                        AscendC::GatherMaskParams(1, static_cast<uint16_t>(count / LANES<int32_t>), 8, 0), taken);
}

// Rows of up to LANES elements, less than 256 apart, to one each: `work` takes a block of 8 lanes for each of them, 8
// rows to a repeat, then neighbours meet. It has 64 bytes for each row, in steps of 32 rows; a tile has fewer rows than
// 8 * MOST_REPEATS.
template <Reduction KIND>
__aicore__ inline void MeetBlocks(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& from,
                                  const AscendC::LocalTensor<int32_t>& work, uint32_t rows, uint32_t length,
                                  uint32_t stride)
{
    constexpr uint32_t n = BLOCK<int32_t>;
    const uint32_t size = (rows + ROWS_OF_REPEATS - 1) / ROWS_OF_REPEATS * ROWS_OF_REPEATS * n;
    AscendC::Duplicate(work, NEUTRAL<KIND>, static_cast<int32_t>(size));
    const AscendC::BinaryRepeatParams params(1, static_cast<uint8_t>(stride / n), 1, 8, static_cast<uint8_t>(stride),
                                             8);
    const uint32_t eights = rows / 8;
    const uint32_t rest = rows % 8;
    for (uint32_t at = 0; at < length; at += n) {
        // A byte of the mask for each row, a bit for each of its elements.
        const uint64_t row = length - at < n ? (uint64_t{1} << (length - at)) - 1 : 0xff;
        uint64_t mask[2] = {row * 0x0101010101010101, 0};
        if (eights > 0) {
            Fold<KIND>(work, from[at], mask, eights, params);
        }
        if (rest > 0) {
            mask[0] >>= 8 * (8 - rest);
            Fold<KIND>(work[eights * LANES<int32_t>], from[eights * 8 * stride + at], mask, 1, params);
        }
    }
    AscendC::LocalTensor<int32_t> lanes = work;
    AscendC::LocalTensor<int32_t> next = work[size];
    for (uint32_t count = size; count > size / n; count /= 2) {
        TakeSeconds(next, lanes, EVEN, count);
        TakeSeconds(next[count / 2], lanes, ODD, count);
        FoldTile<KIND>(next, next[count / 2], count / 2);
        const AscendC::LocalTensor<int32_t> free = lanes;
        lanes = next;
        next = free;
    }
    AscendC::DataCopy(to, lanes, size / n);
}

// As ReduceRows; `work` as above.
template <Reduction KIND>
__aicore__ inline void FoldRows(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& from,
                                const AscendC::LocalTensor<int32_t>& lanes, const AscendC::LocalTensor<int32_t>& work,
                                uint32_t rows, uint32_t length, uint32_t stride, uint32_t segment)
{
    constexpr uint32_t n = LANES<int32_t>;
    if (length > n) {
        LanesOfRows<KIND>(lanes, from, rows, length, stride, segment);
        MeetBlocks<KIND>(to, lanes, work, rows, n, n);
    } else if (stride > UINT8_MAX) {
        // Parts of longer rows, further apart than repeats can be; of those a tile has fewer than MOST_REPEATS.
        AscendC::Copy(lanes, from, static_cast<uint64_t>(length), static_cast<uint8_t>(rows),
                      AscendC::CopyRepeatParams(1, 1, 8, static_cast<uint16_t>(stride / BLOCK<int32_t>)));
        MeetBlocks<KIND>(to, lanes, work, rows, length, n);
    } else {
        MeetBlocks<KIND>(to, from, work, rows, length, stride);
    }
}

// As MeetLanes.
template <Reduction KIND>
__aicore__ inline void FoldLanes(const AscendC::LocalTensor<int32_t>& to, const AscendC::LocalTensor<int32_t>& lanes,
                                 const AscendC::LocalTensor<int32_t>& work, int64_t length)
{
    constexpr uint32_t n = LANES<int32_t>;
    MeetBlocks<KIND>(to, lanes[n], work, 1, static_cast<uint32_t>(length < n ? length : n), n);
}
#endif // ASCGRAPH_CPP_FOLD_H
