// Missing order between pipes. The operator adds two tensors tile by tile through TBufs, which no queue orders: every
// event below is needed, and each broken kernel lacks one of them.
#include "common.h"

namespace {

enum class Bug {
    NONE,
    NO_MTE2_V,
    NO_V_MTE2,
    NO_V_MTE3,
    NO_MTE3_V,
    OPPOSITE_EVENT,
    FLAG_BEFORE_COPY,
    BARRIER_FOR_EVENT,
    TAIL_WITHOUT_EVENT,
    LAST_CORE_WITHOUT_EVENT,
    PING_PONG,
};

template <Bug bug>
class AddTiles {
public:
    // Two buffers per tensor in turn, or one.
    static constexpr uint32_t BUFFERS = bug == Bug::PING_PONG ? 2 : 1;

    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const BrokenTiling& tiling)
    {
        tile_ = tiling.tile;
        const Part part = PartOf(tiling.length, tile_);
        length_ = part.length;
        x1_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1) + part.from, length_);
        x2_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x2) + part.from, length_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + part.from, length_);
        for (uint32_t i = 0; i < BUFFERS; ++i) {
            pipe->InitBuffer(aBuffer_[i], tile_ * sizeof(float));
            pipe->InitBuffer(bBuffer_[i], tile_ * sizeof(float));
            pipe->InitBuffer(sumBuffer_[i], tile_ * sizeof(float));
        }
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = 0, i = 0; at < length_; at += tile_, ++i) {
            const uint32_t n = Smaller(tile_, length_ - at);
            LocalTensor<float> a = aBuffer_[i % BUFFERS].template Get<float>();
            LocalTensor<float> b = bBuffer_[i % BUFFERS].template Get<float>();
            LocalTensor<float> sum = sumBuffer_[i % BUFFERS].template Get<float>();
            if (bug != Bug::NO_V_MTE2 && bug != Bug::PING_PONG && i > 0) {
                Sync<HardEvent::V_MTE2>();
            }
            if constexpr (bug == Bug::FLAG_BEFORE_COPY) {
                SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
            }
            // The third tile comes back to the first pair of buffers.
            // clang-format off
            DataCopyPad(a, x1_[at], Bytes(n), NoPad()); // FAULT(no_v_mte2, ping_pong): Race // FIRST(no_mte2_v, opposite_event, flag_before_copy, barrier_for_event, tail_without_event, last_core_without_event)
            // clang-format on
            DataCopyPad(b, x2_[at], Bytes(n), NoPad());
            CopyInBeforeAdd(n);
            if (bug != Bug::NO_MTE3_V && i > 0) {
                Sync<HardEvent::MTE3_V>();
            }
            // clang-format off
            Add(sum, a, b, static_cast<int32_t>(n)); // FAULT(no_mte2_v, no_mte3_v, opposite_event, flag_before_copy, barrier_for_event, tail_without_event, last_core_without_event): Race // FIRST(no_v_mte2, no_v_mte3, ping_pong)
            // clang-format on
            if constexpr (bug != Bug::NO_V_MTE3) {
                Sync<HardEvent::V_MTE3>();
            }
            DataCopyPad(y_[at], sum, Bytes(n)); // FAULT(no_v_mte3): Race // FIRST(no_mte3_v)
        }
    }

private:
    __aicore__ inline void CopyInBeforeAdd(uint32_t n)
    {
        if constexpr (bug == Bug::NO_MTE2_V) {
            return;
        } else if constexpr (bug == Bug::OPPOSITE_EVENT) {
            Sync<HardEvent::V_MTE2>();
        } else if constexpr (bug == Bug::FLAG_BEFORE_COPY) {
            WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        } else if constexpr (bug == Bug::BARRIER_FOR_EVENT) {
            PipeBarrier<PIPE_V>();
        } else if constexpr (bug == Bug::TAIL_WITHOUT_EVENT) {
            if (n == tile_) {
                Sync<HardEvent::MTE2_V>();
            }
        } else if constexpr (bug == Bug::LAST_CORE_WITHOUT_EVENT) {
            if (GetBlockIdx() + 1 < GetBlockNum()) {
                Sync<HardEvent::MTE2_V>();
            }
        } else {
            Sync<HardEvent::MTE2_V>();
        }
    }

    TBuf<TPosition::VECCALC> aBuffer_[BUFFERS], bBuffer_[BUFFERS], sumBuffer_[BUFFERS];
    GlobalTensor<float> x1_, x2_, y_;
    uint32_t length_ = 0;
    uint32_t tile_ = 0;
};

template <Bug bug>
__aicore__ inline void Run(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(BrokenTiling, tilingData, tiling);
    TPipe pipe;
    AddTiles<bug> op;
    op.Init(&pipe, x1, x2, y, tilingData);
    op.Process();
}

} // namespace

PAIR(no_mte2_v, Bug::NO_MTE2_V)
PAIR(no_v_mte2, Bug::NO_V_MTE2)
PAIR(no_v_mte3, Bug::NO_V_MTE3)
PAIR(no_mte3_v, Bug::NO_MTE3_V)
PAIR(opposite_event, Bug::OPPOSITE_EVENT)
PAIR(flag_before_copy, Bug::FLAG_BEFORE_COPY)
PAIR(barrier_for_event, Bug::BARRIER_FOR_EVENT)
PAIR(tail_without_event, Bug::TAIL_WITHOUT_EVENT)
PAIR(last_core_without_event, Bug::LAST_CORE_WITHOUT_EVENT)
PAIR(ping_pong, Bug::PING_PONG)
