// A remainder kernel in the shape operators have: TPipe, queues, double buffering, DataCopyPad, Div-Cast-Mul-Sub.
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

using namespace AscendC;

struct ModTiling {
    uint32_t total;
    uint32_t tile;
};

template <typename T>
class Mod {
public:
    __aicore__ inline explicit Mod(TPipe* pipe) : pipe_(pipe) {}

    __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const ModTiling& tiling)
    {
        const uint32_t blocks = static_cast<uint32_t>(GetBlockNum());
        // Whole 32-byte blocks per core: two cores must not write into one.
        const uint32_t unit = 32 / sizeof(T);
        const uint32_t perBlock = ((tiling.total + blocks - 1) / blocks + unit - 1) / unit * unit;
        const uint32_t from = perBlock * static_cast<uint32_t>(GetBlockIdx());
        length_ = from >= tiling.total ? 0 : (tiling.total - from < perBlock ? tiling.total - from : perBlock);
        tile_ = tiling.tile;
        x1_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1) + from, length_);
        x2_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2) + from, length_);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + from, length_);
        pipe_->InitBuffer(x1Queue_, 2, tile_ * sizeof(T));
        pipe_->InitBuffer(x2Queue_, 2, tile_ * sizeof(T));
        pipe_->InitBuffer(yQueue_, 2, tile_ * sizeof(T));
        if constexpr (!std::is_same_v<T, float>) {
            pipe_->InitBuffer(wide_, 2 * tile_ * sizeof(float));
        }
        pipe_->InitBuffer(quotient_, tile_ * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < length_; at += tile_) {
            const uint32_t n = length_ - at < tile_ ? length_ - at : tile_;
            CopyIn(at, n);
            Compute(static_cast<int32_t>(n));
            CopyOut(at, n);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n)
    {
        const DataCopyExtParams params{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
        const DataCopyPadExtParams<T> pad{false, 0, 0, T{}};
        LocalTensor<T> x1 = x1Queue_.template AllocTensor<T>();
        DataCopyPad(x1, x1_[at], params, pad);
        x1Queue_.EnQue(x1);
        LocalTensor<T> x2 = x2Queue_.template AllocTensor<T>();
        DataCopyPad(x2, x2_[at], params, pad);
        x2Queue_.EnQue(x2);
    }

    __aicore__ inline void Compute(int32_t n)
    {
        LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
        LocalTensor<T> x2 = x2Queue_.template DeQue<T>();
        LocalTensor<T> y = yQueue_.template AllocTensor<T>();
        LocalTensor<float> q = quotient_.Get<float>();
        if constexpr (std::is_same_v<T, float>) {
            Remainder(y, x1, x2, q, n);
        } else {
            LocalTensor<float> a = wide_.Get<float>();
            LocalTensor<float> b = a[tile_];
            Cast(a, x1, RoundMode::CAST_NONE, n);
            Cast(b, x2, RoundMode::CAST_NONE, n);
            Remainder(a, a, b, q, n);
            Cast(y, a, RoundMode::CAST_RINT, n);
        }
        yQueue_.EnQue(y);
        x1Queue_.FreeTensor(x1);
        x2Queue_.FreeTensor(x2);
    }

    __aicore__ inline void Remainder(const LocalTensor<float>& r, const LocalTensor<float>& a,
                                     const LocalTensor<float>& b, const LocalTensor<float>& q, int32_t n)
    {
        Div(q, a, b, n);
        Cast(q, q, RoundMode::CAST_TRUNC, n);
        Mul(q, q, b, n);
        Sub(r, a, q, n);
    }

    __aicore__ inline void CopyOut(uint32_t at, uint32_t n)
    {
        LocalTensor<T> y = yQueue_.template DeQue<T>();
        DataCopyPad(y_[at], y, {1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0});
        yQueue_.FreeTensor(y);
    }

    TPipe* pipe_;
    TQue<TPosition::VECIN, 1> x1Queue_, x2Queue_;
    TQue<TPosition::VECOUT, 1> yQueue_;
    TBuf<TPosition::VECCALC> wide_, quotient_;
    GlobalTensor<T> x1_, x2_, y_;
    uint32_t length_ = 0;
    uint32_t tile_ = 0;
};

template <typename T>
__global__ __aicore__ void ModKernel(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(ModTiling);
    GET_TILING_DATA_WITH_STRUCT(ModTiling, tilingData, tiling);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    (void)workspace;
    TPipe pipe;
    Mod<T> op(&pipe);
    op.Init(x1, x2, y, tilingData);
    op.Process();
}

template <typename T>
static void Entry(void* const* args)
{
    ModKernel<T>(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]), static_cast<GM_ADDR>(args[2]),
                 static_cast<GM_ADDR>(args[3]), static_cast<GM_ADDR>(args[4]));
}

extern "C" void mod_f32(void* const* args) { Entry<float>(args); }
extern "C" void mod_f16(void* const* args) { Entry<half>(args); }
extern "C" void mod_bf16(void* const* args) { Entry<bfloat16_t>(args); }
