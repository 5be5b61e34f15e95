#ifndef ASCGRAPH_CPP_PIECES_H
#define ASCGRAPH_CPP_PIECES_H

#include "reduce.h"

// The lanes of a row take its next piece, element after element as in ReduceRows. All pieces but the last have whole
// lanes.
template <Reduction KIND, typename T>
__aicore__ inline void TakePiece(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& piece,
                                 uint32_t length, bool isFirst)
{
    constexpr uint32_t n = LANES<T>;
    uint32_t at = 0;
    if (isFirst) {
        at = length < n ? length : n;
        AscendC::Copy(lanes, piece, static_cast<uint64_t>(at), 1, AscendC::CopyRepeatParams(1, 1, 8, 8));
    }
    while (at + n <= length) {
        const uint32_t whole = (length - at) / n;
        const uint32_t repeats = whole < MOST_REPEATS ? whole : MOST_REPEATS;
        Fold<KIND>(lanes, piece[at], n, repeats, AscendC::BinaryRepeatParams(1, 1, 1, 0, 8, 0));
        at += repeats * n;
    }
    if (at < length) {
        Fold<KIND>(lanes, piece[at], length - at, 1, AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    }
}

// The lanes of a row of `length` elements meet.
template <Reduction KIND, typename T>
__aicore__ inline void MeetLanes(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& lanes,
                                 int64_t length)
{
    ReduceRepeats<KIND>(to, lanes, static_cast<uint32_t>(length < LANES<T> ? length : LANES<T>), 1, LANES<T>);
}

template <typename T>
__aicore__ inline void MeanOfLanes(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& lanes,
                                   int64_t length, int64_t count)
{
    MeetLanes<Reduction::SUM>(to, lanes, length);
    AscendC::Duplicate(lanes, static_cast<T>(static_cast<float>(count)), 1);
    AscendC::Div(to, to, lanes, 1);
}
#endif // ASCGRAPH_CPP_PIECES_H
