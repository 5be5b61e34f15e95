#ifndef ASCGRAPH_CPP_PIECES_H
#define ASCGRAPH_CPP_PIECES_H

#include "reduce.h"

constexpr int64_t MOST_SEGMENTS_OF_ROW = 120; // of which a core keeps the lanes, 256 bytes each

// A row of `columns` elements in segments, and what a core has of it: elements from `first` on.
struct RowPart {
    int64_t columns;
    int64_t segment;
    int64_t first;
    bool isShared;
};

template <typename T>
__aicore__ inline void CopyLanes(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& from, uint32_t count)
{
    AscendC::Copy(to, from, static_cast<uint64_t>(count), 1, AscendC::CopyRepeatParams(1, 1, 8, 8));
}

// The lanes of a segment take the next piece of the row, which begins at element `at` of it, as in ReduceRows. Those of
// a segment that is over are taken by those behind them, or kept where other cores have segments, too. Of several rows
// that become one element all but the first continue.
template <Reduction KIND, typename T>
__aicore__ inline void TakePiece(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& kept,
                                 const AscendC::LocalTensor<T>& piece, uint32_t length, int64_t at, const RowPart& row,
                                 bool isFirst = true)
{
    constexpr uint32_t n = LANES<T>;
    uint32_t done = 0;
    while (done < length) {
        const int64_t inside = (at + done) % row.segment;
        const int64_t ahead = row.segment - inside;
        const uint32_t part = ahead < length - done ? static_cast<uint32_t>(ahead) : length - done;
        uint32_t begun = 0;
        if (inside == 0) {
            begun = part < n ? part : n;
            CopyLanes(lanes, piece[done], begun);
        }
        FoldAll<KIND>(lanes, piece[done + begun], part - begun);
        done += part;
        if (inside + part < row.segment && at + done < row.columns) {
            continue;
        }
        const uint32_t used = inside + part < n ? static_cast<uint32_t>(part) : n;
        const int64_t which = (at + done - 1) / row.segment - row.first / row.segment;
        if (row.isShared) {
            CopyLanes(kept[static_cast<uint32_t>(which) * n], lanes, used);
        } else if (which == 0 && isFirst) {
            CopyLanes(lanes[n], lanes, used);
        } else {
            FoldAll<KIND>(lanes[n], lanes, used);
        }
    }
}

// Bytes of the lanes of so many elements: those of the last segment may be fewer.
template <typename T>
__aicore__ inline uint32_t BytesOfLanes(int64_t elements, int64_t segment)
{
    const int64_t before = (elements - 1) / segment;
    const int64_t last = elements - before * segment;
    return static_cast<uint32_t>((before * LANES<T> + (last < LANES<T> ? last : LANES<T>)) * sizeof(T));
}

// Lanes of the segments that this core has, up to element `end` of the row.
template <typename T>
__aicore__ inline void StoreLanes(GM_ADDR to, const AscendC::LocalTensor<T>& kept, const RowPart& row, int64_t end)
{
    AscendC::GlobalTensor<T> memory;
    memory.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(to));
    AscendC::DataCopyPad(memory[row.first / row.segment * LANES<T>], kept,
                         AscendC::DataCopyExtParams{1, BytesOfLanes<T>(end - row.first, row.segment), 0, 0, 0});
}

// Lanes of all segments of a row, each taken by those before it.
template <Reduction KIND, typename T>
__aicore__ inline void LoadLanes(const AscendC::LocalTensor<T>& lanes, const AscendC::LocalTensor<T>& kept,
                                 GM_ADDR from, const RowPart& row)
{
    constexpr uint32_t n = LANES<T>;
    AscendC::GlobalTensor<T> memory;
    memory.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(from));
    const uint32_t bytes = BytesOfLanes<T>(row.columns, row.segment);
    const int32_t read = static_cast<int32_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_MTE2));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(read);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(read);
    AscendC::DataCopyPad(kept, memory, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0},
                         AscendC::DataCopyPadExtParams<T>{});
    const int32_t arrived = static_cast<int32_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::MTE2_V));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(arrived);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived);
    CopyLanes(lanes[n], kept, n);
    FoldAll<KIND>(lanes[n], kept[n], static_cast<uint32_t>(bytes / sizeof(T)) - n);
}

// The lanes of a row of `length` elements meet.
template <Reduction KIND, typename T>
__aicore__ inline void MeetLanes(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& lanes,
                                 int64_t length)
{
    ReduceRepeats<KIND>(to, lanes[LANES<T>], static_cast<uint32_t>(length < LANES<T> ? length : LANES<T>), 1, LANES<T>);
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
