// y = rounds * (sum of weights[i] * x[i]) + bias; x is a list of tensors.
#include "kernel_operator.h"
#include "weighted_stack_tiling_data.h"

using namespace AscendC;

constexpr uint32_t TILE = 256;
constexpr uint32_t ONE_BITS = 0x3f800000;
// Merged kernels have such constants: no constant expression, but the device's compiler folds it.
const float ONE = *(float*)(&ONE_BITS);
// What the host's tiling function chooses from.
struct StackKey {
    static constexpr uint64_t PLAIN = 0;
    static constexpr uint64_t BIASED = PLAIN + 1;
};

template <typename T>
class WeightedStackKernel {
public:
    __aicore__ inline void Init(GM_ADDR list, GM_ADDR bias, GM_ADDR y, const WeightedStackTilingData& tiling,
                                TPipe* pipe)
    {
        tiling_ = tiling;
        list_ = list;
        bias_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(bias));
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
        pipe->InitBuffer(in_, 1, TILE * sizeof(T));
        pipe->InitBuffer(out_, 1, TILE * sizeof(T));
    }

    __aicore__ inline void Process(bool biased)
    {
        ListTensorDesc list(reinterpret_cast<__gm__ void*>(list_));
        for (int64_t at = GetBlockIdx() * TILE; at < tiling_.elements; at += GetBlockNum() * TILE) {
            const int64_t left = tiling_.elements - at;
            const uint32_t count = left < TILE ? static_cast<uint32_t>(left) : TILE;
            LocalTensor<T> sum = out_.AllocTensor<T>();
            Duplicate(sum, static_cast<T>(0), TILE);
            for (int32_t i = 0; i < tiling_.count; ++i) {
                GlobalTensor<T> x;
                x.SetGlobalBuffer(list.GetDataPtr<T>(i));
                Accumulate(sum, x[at], static_cast<T>(tiling_.weights[i] * tiling_.rounds), count);
            }
            if (biased) {
                Accumulate(sum, bias_[at], static_cast<T>(ONE), count);
            }
            out_.EnQue(sum);
            sum = out_.DeQue<T>();
            DataCopyPad(y_[at], sum, Extent(count));
            out_.FreeTensor(sum);
        }
    }

private:
    __aicore__ inline DataCopyExtParams Extent(uint32_t count)
    {
        return {1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    }

    __aicore__ inline void Accumulate(LocalTensor<T>& sum, GlobalTensor<T> from, T weight, uint32_t count)
    {
        LocalTensor<T> x = in_.AllocTensor<T>();
        DataCopyPad(x, from, Extent(count), DataCopyPadExtParams<T>{false, 0, 0, 0});
        in_.EnQue(x);
        x = in_.DeQue<T>();
        Muls(x, x, weight, count);
        Add(sum, sum, x, count);
        in_.FreeTensor(x);
    }

    WeightedStackTilingData tiling_;
    GM_ADDR list_;
    GlobalTensor<T> bias_, y_;
    TQue<QuePosition::VECIN, 1> in_;
    TQue<QuePosition::VECOUT, 1> out_;
};

extern "C" __global__ __aicore__ void weighted_stack(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                                     GM_ADDR tiling)
{
    (void)workspace;
    REGISTER_TILING_DEFAULT(WeightedStackTilingData);
    GET_TILING_DATA_WITH_STRUCT(WeightedStackTilingData, data, tiling);
    TPipe pipe;
    WeightedStackKernel<DTYPE_X> op;
    op.Init(x, bias, y, data, &pipe);
    if (TILING_KEY_IS(StackKey::PLAIN)) {
        op.Process(false);
    } else if (TILING_KEY_IS(StackKey::BIASED)) {
        op.Process(true);
    }
}
