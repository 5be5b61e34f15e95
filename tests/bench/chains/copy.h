// The kernels that make a tensor contiguous, or put contiguous results into a strided one: rows with gaps on one side.
#ifndef FMOD_CHAINS_COPY_H
#define FMOD_CHAINS_COPY_H

#include "kernel_operator.h"
#include "shape.h"

struct CopyPlan {
    int64_t rows;
    int64_t rowBytes;
    int64_t fromPitch; // bytes
    int64_t toPitch;
    int64_t block; // rows of a core
    int64_t tile;  // rows of a copy
};

// Two buffers of 48 KiB at most: copies of 16 KiB and more move at nearly the full rate.
constexpr int64_t COPY_BYTES = 49152;

inline CopyPlan PlanCopy(int64_t rows, int64_t rowBytes, int64_t fromPitch, int64_t toPitch, int64_t coreNum)
{
    CopyPlan plan{rows, rowBytes, fromPitch, toPitch, CeilDiv(rows, std::min(coreNum, rows)), 0};
    plan.tile = std::min(plan.block, std::max<int64_t>(1, COPY_BYTES / rowBytes));
    return plan;
}

class RowsCopy {
public:
    __aicore__ inline RowsCopy(__gm__ uint8_t* from, __gm__ uint8_t* to, const CopyPlan& plan) : plan_(plan)
    {
        from_.SetGlobalBuffer(from);
        to_.SetGlobalBuffer(to);
        pipe_.InitBuffer(queue_, 2, static_cast<uint32_t>(plan.tile * plan.rowBytes));
    }

    __aicore__ inline void Run()
    {
        const int64_t begin = AscendC::GetBlockIdx() * plan_.block;
        const int64_t end = begin + plan_.block < plan_.rows ? begin + plan_.block : plan_.rows;
        for (int64_t at = begin; at < end; at += plan_.tile) {
            Tile(at, static_cast<uint16_t>(end - at < plan_.tile ? end - at : plan_.tile));
        }
    }

private:
    __aicore__ inline void Tile(int64_t at, uint16_t rows)
    {
        const uint32_t bytes = static_cast<uint32_t>(plan_.rowBytes);
        const uint32_t fromGap = static_cast<uint32_t>(plan_.fromPitch - plan_.rowBytes);
        const uint32_t toGap = static_cast<uint32_t>(plan_.toPitch - plan_.rowBytes);
        AscendC::LocalTensor<uint8_t> local = queue_.AllocTensor<uint8_t>();
        DataCopyPad(local, from_[at * plan_.fromPitch], AscendC::DataCopyExtParams{rows, bytes, fromGap, 0, 0},
                    AscendC::DataCopyPadExtParams<uint8_t>{});
        queue_.EnQue(local);
        local = queue_.DeQue<uint8_t>();
        DataCopyPad(to_[at * plan_.toPitch], local, AscendC::DataCopyExtParams{rows, bytes, 0, toGap, 0});
        queue_.FreeTensor(local);
    }

    CopyPlan plan_;
    AscendC::TPipe pipe_;
    AscendC::GlobalTensor<uint8_t> from_;
    AscendC::GlobalTensor<uint8_t> to_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 2> queue_;
};

#endif // FMOD_CHAINS_COPY_H
