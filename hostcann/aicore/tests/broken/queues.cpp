// Queue and buffer misuse. The operator adds two tensors tile by tile through queues.
#include "common.h"

namespace {

enum class Bug {
    NONE,
    INPUT_NOT_FREED,
    FREED_INTO_OTHER_QUEUE,
    TBUF_INTO_QUEUE,
    FREED_TWICE,
    ENQUE_BEYOND_DEPTH,
    ENQUE_TWICE,
    DEQUE_WITHOUT_ENQUE,
    NINE_INPUT_BUFFERS,
    SECOND_PIPE,
    TBUF_TOO_SHORT,
    TENSOR_LONGER,
    TILE_OF_ZERO,
    BUFFER_PER_ROW,
    OUTPUT_LEFT_IN_QUEUE,
    OUTPUT_NOT_FREED,
    READ_AFTER_FREE,
    WRITTEN_AFTER_FREE,
};

template <Bug bug>
class AddQueued {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const BrokenTiling& tiling)
    {
        pipe_ = pipe;
        length_ = tiling.length;
        tile_ = tiling.tile;
        x1_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), length_);
        x2_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x2), length_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), length_);
        const uint32_t bytes = tile_ * sizeof(float);
        pipe->InitBuffer(aQueue_, bug == Bug::INPUT_NOT_FREED ? 4 : 2, bytes);
        if constexpr (bug == Bug::TILE_OF_ZERO) {
            // Integer division: a tile of less than 1024 elements gives no bytes at all.
            pipe->InitBuffer(bQueue_, 2, tile_ / 1024 * 4096); // FAULT(tile_of_zero): Queue
        }
        pipe->InitBuffer(bQueue_, 2, bytes);
        pipe->InitBuffer(sumQueue_, 2, bytes);
        pipe->InitBuffer(scratch_, bug == Bug::TBUF_TOO_SHORT ? bytes / 2 : bytes);
        if constexpr (bug == Bug::BUFFER_PER_ROW) {
            for (auto& row : rows_) {
                pipe->InitBuffer(row, 32); // FAULT(buffer_per_row): Queue
            }
        }
    }

    __aicore__ inline void Process()
    {
        if constexpr (bug == Bug::NINE_INPUT_BUFFERS) {
            ReadAhead();
        }
        for (uint32_t at = 0; at < length_; at += tile_) {
            const uint32_t n = Smaller(tile_, length_ - at);
            CopyIn(at, n);
            Compute(static_cast<int32_t>(n));
            if (bug == Bug::OUTPUT_LEFT_IN_QUEUE && at + n == length_) {
                return;
            }
            CopyOut(at, n);
        }
    }

private:
    // Nine small buffers, all freed before one of them is used again.
    __aicore__ inline void ReadAhead()
    {
        TQue<TPosition::VECIN, 1> ahead;
        pipe_->InitBuffer(ahead, 9, 32);
        LocalTensor<float> part[9];
        for (auto& p : part) {
            p = ahead.AllocTensor<float>();
        }
        for (auto& p : part) {
            ahead.FreeTensor(p); // FAULT(nine_input_buffers): Event
        }
    }

    __aicore__ inline void CopyIn(uint32_t at, uint32_t n)
    {
        LocalTensor<float> a = aQueue_.AllocTensor<float>(); // FAULT(input_not_freed): Queue
        DataCopyPad(a, x1_[at], Bytes(n), {false, 0, 0, 0.0f});
        aQueue_.EnQue(a);
        LocalTensor<float> b = bQueue_.AllocTensor<float>();
        DataCopyPad(b, x2_[at], Bytes(n), {false, 0, 0, 0.0f});
        if constexpr (bug != Bug::DEQUE_WITHOUT_ENQUE) {
            bQueue_.EnQue(b);
        }
        if constexpr (bug == Bug::ENQUE_TWICE) {
            bQueue_.EnQue(b); // FAULT(enque_twice): Queue
        }
        if constexpr (bug == Bug::ENQUE_BEYOND_DEPTH) {
            LocalTensor<float> next = bQueue_.AllocTensor<float>();
            DataCopyPad(next, x2_[at], Bytes(n), {false, 0, 0, 0.0f});
            bQueue_.EnQue(next); // FAULT(enque_beyond_depth): Queue
        }
    }

    __aicore__ inline void Compute(int32_t n)
    {
        LocalTensor<float> a = aQueue_.DeQue<float>();
        LocalTensor<float> b = bQueue_.DeQue<float>(); // FAULT(deque_without_enque): Queue
        LocalTensor<float> sum = sumQueue_.AllocTensor<float>();
        const uint32_t room = bug == Bug::TENSOR_LONGER ? tile_ + 8 : tile_;
        LocalTensor<float> twice = scratch_.Get<float>(room); // FAULT(tensor_longer_than_tbuf): BufferBounds
        Adds(twice, a, 0.0f, n);                              // FAULT(tbuf_too_short): BufferBounds
        Add(sum, twice, b, n);
        sumQueue_.EnQue(sum); // FAULT(output_left_in_queue): Leak
        if constexpr (bug == Bug::FREED_INTO_OTHER_QUEUE) {
            bQueue_.FreeTensor(a); // FAULT(freed_into_other_queue): Queue
        } else if constexpr (bug == Bug::TBUF_INTO_QUEUE) {
            aQueue_.FreeTensor(twice); // FAULT(tbuf_into_queue): Queue
        } else if constexpr (bug != Bug::INPUT_NOT_FREED) {
            aQueue_.FreeTensor(a);
        }
        bQueue_.FreeTensor(b);
        if constexpr (bug == Bug::FREED_TWICE) {
            bQueue_.FreeTensor(b); // FAULT(freed_twice): Queue
        }
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t n)
    {
        const bool last = at + n == length_;
        if constexpr (bug == Bug::READ_AFTER_FREE) {
            // The last tile: nobody takes the buffer again.
            LocalTensor<float> sum = sumQueue_.DeQue<float>();
            if (last) {
                sumQueue_.FreeTensor(sum);
            }
            DataCopyPad(y_[at], sum, Bytes(n)); // FAULT(read_after_free): Freed
            if (!last) {
                sumQueue_.FreeTensor(sum);
            }
            return;
        }
        LocalTensor<float> sum = sumQueue_.DeQue<float>(); // FAULT(output_not_freed): Leak
        DataCopyPad(y_[at], sum, Bytes(n));
        if (bug == Bug::OUTPUT_NOT_FREED && last) {
            return;
        }
        sumQueue_.FreeTensor(sum);
        if (bug == Bug::WRITTEN_AFTER_FREE && last) {
            PipeBarrier<PIPE_ALL>();
            Duplicate(sum, 0.0f, static_cast<int32_t>(n)); // FAULT(written_after_free): Freed
        }
    }

    TPipe* pipe_ = nullptr;
    TQue<TPosition::VECIN, 1> aQueue_, bQueue_;
    TQue<TPosition::VECOUT, 1> sumQueue_;
    TBuf<TPosition::VECCALC> scratch_;
    TBuf<TPosition::VECCALC> rows_[60];
    GlobalTensor<float> x1_, x2_, y_;
    uint32_t length_ = 0;
    uint32_t tile_ = 0;
};

template <Bug bug>
__aicore__ inline void Run(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(BrokenTiling, tilingData, tiling);
    TPipe pipe;
    if constexpr (bug == Bug::SECOND_PIPE) {
        TPipe own; // FAULT(second_pipe): Queue
    }
    AddQueued<bug> op;
    op.Init(&pipe, x1, x2, y, tilingData);
    op.Process();
}

} // namespace

PAIR(input_not_freed, Bug::INPUT_NOT_FREED)
PAIR(freed_into_other_queue, Bug::FREED_INTO_OTHER_QUEUE)
PAIR(tbuf_into_queue, Bug::TBUF_INTO_QUEUE)
PAIR(freed_twice, Bug::FREED_TWICE)
PAIR(enque_beyond_depth, Bug::ENQUE_BEYOND_DEPTH)
PAIR(enque_twice, Bug::ENQUE_TWICE)
PAIR(deque_without_enque, Bug::DEQUE_WITHOUT_ENQUE)
PAIR(nine_input_buffers, Bug::NINE_INPUT_BUFFERS)
PAIR(second_pipe, Bug::SECOND_PIPE)
PAIR(tbuf_too_short, Bug::TBUF_TOO_SHORT)
PAIR(tensor_longer_than_tbuf, Bug::TENSOR_LONGER)
PAIR(tile_of_zero, Bug::TILE_OF_ZERO)
PAIR(buffer_per_row, Bug::BUFFER_PER_ROW)
PAIR(output_left_in_queue, Bug::OUTPUT_LEFT_IN_QUEUE)
PAIR(output_not_freed, Bug::OUTPUT_NOT_FREED)
PAIR(read_after_free, Bug::READ_AFTER_FREE)
PAIR(written_after_free, Bug::WRITTEN_AFTER_FREE)
