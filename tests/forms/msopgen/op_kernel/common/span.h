// The elements of one core, tile by tile.
#ifndef SPAN_H
#define SPAN_H

#include "kernel_operator.h"

constexpr uint32_t TILE = 1024;

template <typename T, typename Compute>
class Span {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t share)
    {
        const uint32_t begin = AscendC::GetBlockIdx() * share;
        length_ = total - begin < share ? total - begin : share;
        from_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + begin, length_);
        to_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + begin, length_);
        pipe_.InitBuffer(in_, 2, TILE * sizeof(T));
        pipe_.InitBuffer(out_, 2, TILE * sizeof(T));
    }

    __aicore__ inline void Process(const Compute& compute)
    {
        for (uint32_t at = 0; at < length_; at += TILE) {
            const uint32_t count = length_ - at < TILE ? length_ - at : TILE;
            const AscendC::DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
            AscendC::LocalTensor<T> x = in_.template AllocTensor<T>();
            AscendC::DataCopyPad(x, from_[at], bytes, AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});
            in_.EnQue(x);
            x = in_.template DeQue<T>();
            AscendC::LocalTensor<T> y = out_.template AllocTensor<T>();
            compute(y, x, count);
            out_.EnQue(y);
            in_.FreeTensor(x);
            y = out_.template DeQue<T>();
            AscendC::DataCopyPad(to_[at], y, bytes);
            out_.FreeTensor(y);
        }
    }

private:
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 2> in_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 2> out_;
    AscendC::GlobalTensor<T> from_, to_;
    uint32_t length_ = 0;
};

#endif
