#include "kernel_operator.h"
#include "weighted_diff_tiling.h"

#ifndef TILE
#error "npu_op_kernel_options gives TILE"
#endif

class WeightedDiff {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const WeightedDiffTiling& tiling)
    {
        const uint32_t begin = AscendC::GetBlockIdx() * tiling.share;
        length_ = tiling.total - begin < tiling.share ? tiling.total - begin : tiling.share;
        weight_ = tiling.weight;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + begin, length_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + begin, length_);
        z_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z) + begin, length_);
        pipe_.InitBuffer(in_, 1, 2 * TILE * sizeof(float));
        pipe_.InitBuffer(out_, 1, TILE * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < length_; at += TILE) {
            const uint32_t count = length_ - at < TILE ? length_ - at : TILE;
            const AscendC::DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
            const AscendC::DataCopyPadExtParams<float> pad{false, 0, 0, 0};
            AscendC::LocalTensor<float> both = in_.AllocTensor<float>();
            AscendC::DataCopyPad(both, x_[at], bytes, pad);
            AscendC::DataCopyPad(both[TILE], y_[at], bytes, pad);
            in_.EnQue(both);
            both = in_.DeQue<float>();
            AscendC::LocalTensor<float> z = out_.AllocTensor<float>();
            AscendC::Sub(z, both, both[TILE], count);
            AscendC::Muls(z, z, weight_, static_cast<int32_t>(count));
            out_.EnQue(z);
            in_.FreeTensor(both);
            z = out_.DeQue<float>();
            AscendC::DataCopyPad(z_[at], z, bytes);
            out_.FreeTensor(z);
        }
    }

private:
    AscendC::TPipe pipe_;
    AscendC::TQue<AscendC::QuePosition::VECIN, 1> in_;
    AscendC::TQue<AscendC::QuePosition::VECOUT, 1> out_;
    AscendC::GlobalTensor<float> x_, y_, z_;
    uint32_t length_ = 0;
    float weight_ = 0.0F;
};

extern "C" __global__ __aicore__ void weighted_diff(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    (void)workspace;
    REGISTER_TILING_DEFAULT(WeightedDiffTiling);
    GET_TILING_DATA(data, tiling);
    WeightedDiff op;
    op.Init(x, y, z, data);
    op.Process();
}
