// Event misuse. The operator adds two tensors tile by tile with hand-written events around TBufs.
#include "common.h"

namespace {

enum class Bug {
    NONE,
    SET_ONLY_IN_FULL_TILES,
    ONE_ID_FOR_TWO_COPIES,
    FETCH_DOES_NOT_RESERVE,
    ID_FROM_TILE_INDEX,
    ID_PER_TILE,
    RELEASE_OF_FETCHED,
    FLAG_OF_LAST_TILE,
    ID_KEPT,
    CUBE_EVENT,
};

template <Bug bug>
class AddTiles {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const BrokenTiling& tiling)
    {
        pipe_ = pipe;
        tiling_ = tiling;
        x1_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), tiling.length);
        x2_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x2), tiling.length);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), tiling.length);
        pipe->InitBuffer(buffer_, 3 * tiling.tile * sizeof(float));
        a_ = buffer_.Get<float>(tiling.tile);
        b_ = buffer_.GetWithOffset<float>(tiling.tile, tiling.tile * sizeof(float));
        sum_ = buffer_.GetWithOffset<float>(tiling.tile, 2 * tiling.tile * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = 0, i = 0; at < tiling_.length; at += tiling_.tile, ++i) {
            const uint32_t n = Smaller(tiling_.tile, tiling_.length - at);
            if (i > 0) {
                WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
            }
            DataCopyPad(a_, x1_[at], Bytes(n), {false, 0, 0, 0.0f});
            DataCopyPad(b_, x2_[at], Bytes(n), {false, 0, 0, 0.0f});
            CopiesBeforeAdd(n, i);
            if (i > 0) {
                Sync<HardEvent::MTE3_V>();
            }
            Add(sum_, a_, b_, static_cast<int32_t>(n));
            if (bug == Bug::FLAG_OF_LAST_TILE || at + n < tiling_.length) {
                SetFlag<HardEvent::V_MTE2>(EVENT_ID0); // FAULT(flag_of_last_tile): Leak
            }
            AddBeforeCopyOut();
            DataCopyPad(y_[at], sum_, Bytes(n));
        }
    }

private:
    __aicore__ inline void CopiesBeforeAdd(uint32_t n, uint32_t i)
    {
        if constexpr (bug == Bug::SET_ONLY_IN_FULL_TILES) {
            if (n == tiling_.tile) {
                SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
            }
            WaitFlag<HardEvent::MTE2_V>(EVENT_ID1); // FAULT(set_only_in_full_tiles): Event
        } else if constexpr (bug == Bug::ONE_ID_FOR_TWO_COPIES) {
            SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
            SetFlag<HardEvent::MTE2_V>(EVENT_ID1); // FAULT(one_id_for_two_copies): Event
            WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
        } else if constexpr (bug == Bug::FETCH_DOES_NOT_RESERVE) {
            const auto first = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));
            SetFlag<HardEvent::MTE2_V>(first);
            const auto second = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));
            SetFlag<HardEvent::MTE2_V>(second); // FAULT(fetch_does_not_reserve): Event
            WaitFlag<HardEvent::MTE2_V>(first);
            WaitFlag<HardEvent::MTE2_V>(second);
        } else if constexpr (bug == Bug::ID_FROM_TILE_INDEX) {
            SetFlag<HardEvent::MTE2_V>(static_cast<int32_t>(i)); // FAULT(id_from_tile_index): Event
            WaitFlag<HardEvent::MTE2_V>(static_cast<int32_t>(i));
        } else if constexpr (bug == Bug::ID_PER_TILE) {
            const TEventID id = pipe_->AllocEventID<HardEvent::MTE2_V>(); // FAULT(id_per_tile): Event
            SetFlag<HardEvent::MTE2_V>(id);
            WaitFlag<HardEvent::MTE2_V>(id);
        } else if constexpr (bug == Bug::RELEASE_OF_FETCHED) {
            const TEventID id = pipe_->FetchEventID(HardEvent::MTE2_V);
            SetFlag<HardEvent::MTE2_V>(id);
            WaitFlag<HardEvent::MTE2_V>(id);
            pipe_->ReleaseEventID<HardEvent::MTE2_V>(id); // FAULT(release_of_fetched): Event
        } else if constexpr (bug == Bug::ID_KEPT) {
            if (i == 0) {
                kept_ = pipe_->AllocEventID<HardEvent::MTE2_V>(); // FAULT(id_kept): Leak
            }
            SetFlag<HardEvent::MTE2_V>(kept_);
            WaitFlag<HardEvent::MTE2_V>(kept_);
        } else {
            const TEventID id = pipe_->AllocEventID<HardEvent::MTE2_V>();
            SetFlag<HardEvent::MTE2_V>(id);
            WaitFlag<HardEvent::MTE2_V>(id);
            pipe_->ReleaseEventID<HardEvent::MTE2_V>(id);
        }
    }

    __aicore__ inline void AddBeforeCopyOut()
    {
        if constexpr (bug == Bug::CUBE_EVENT) {
            SetFlag<HardEvent::V_MTE1>(EVENT_ID2); // FAULT(cube_event): Event
            WaitFlag<HardEvent::V_MTE1>(EVENT_ID2);
        } else {
            SetFlag<HardEvent::V_MTE3>(EVENT_ID2);
            WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
        }
    }

    TPipe* pipe_ = nullptr;
    TBuf<TPosition::VECCALC> buffer_;
    LocalTensor<float> a_, b_, sum_;
    GlobalTensor<float> x1_, x2_, y_;
    BrokenTiling tiling_;
    TEventID kept_ = 0;
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

PAIR(set_only_in_full_tiles, Bug::SET_ONLY_IN_FULL_TILES)
PAIR(one_id_for_two_copies, Bug::ONE_ID_FOR_TWO_COPIES)
PAIR(fetch_does_not_reserve, Bug::FETCH_DOES_NOT_RESERVE)
PAIR(id_from_tile_index, Bug::ID_FROM_TILE_INDEX)
PAIR(id_per_tile, Bug::ID_PER_TILE)
PAIR(release_of_fetched, Bug::RELEASE_OF_FETCHED)
PAIR(flag_of_last_tile, Bug::FLAG_OF_LAST_TILE)
PAIR(id_kept, Bug::ID_KEPT)
PAIR(cube_event, Bug::CUBE_EVENT)
