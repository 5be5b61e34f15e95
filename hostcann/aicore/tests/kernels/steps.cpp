// One step of each kind. args: float x[256], float y[256], float sum[32], int32 sync[16], tiling {uint32 length}.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
struct Tiling {
    uint32_t length;
};
} // namespace

extern "C" void steps(void* const* args)
{
    Tiling tiling;
    aic_load_tiling(&tiling, args[4], sizeof(tiling), nullptr);
    GlobalTensor<float> x;
    GlobalTensor<float> y;
    GlobalTensor<float> sum;
    x.SetGlobalBuffer(static_cast<__gm__ float*>(args[0]) + GetBlockIdx() * 64);
    y.SetGlobalBuffer(static_cast<__gm__ float*>(args[1]) + GetBlockIdx() * 64);
    sum.SetGlobalBuffer(static_cast<__gm__ float*>(args[2]));
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<> work;
    pipe.InitBuffer(in, 1, 256);
    pipe.InitBuffer(out, 1, 256);
    pipe.InitBuffer(work, 512);

    LocalTensor<float> a = in.AllocTensor<float>();
    const DataCopyExtParams whole{1, static_cast<uint32_t>(tiling.length * sizeof(float)), 0, 0, 0};
    DataCopyPad(a, x, whole, DataCopyPadExtParams<float>{true, 0, 4, 0.0f});
    in.EnQue(a);
    a = in.DeQue<float>();

    LocalTensor<float> b = out.AllocTensor<float>();
    Adds(b, a, 1.0f, 64);
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(60);
    Add<float, false>(b, b, a, MASK_PLACEHOLDER, 1, {1, 1, 1, 8, 8, 8});
    SetMaskNorm();
    ResetMask();
    Mul(b, b, a, 32, 2, {1, 1, 1, 4, 4, 4});
    PipeBarrier<PIPE_V>();
    WholeReduceMax(work.Get<float>(), b, 64, 1, 1, 1, 8);
    in.FreeTensor(a);

    const event_t ready = static_cast<event_t>(pipe.AllocEventID<HardEvent::V_S>());
    SetFlag<HardEvent::V_S>(ready);
    WaitFlag<HardEvent::V_S>(ready);
    pipe.ReleaseEventID<HardEvent::V_S>(ready);
    const float largest = work.Get<float>().GetValue(0);
    b.SetValue(0, largest);

    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopyPad(y, b, DataCopyParams{1, 240, 0, 0});
    SetAtomicAdd<float>();
    DataCopy(sum, b, 32);
    SetAtomicNone();
    out.FreeTensor(b);
    SyncAll();
    if (GetBlockIdx() == 0) {
        sum.SetValue(31, sum.GetValue(30));
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(sum[31]);
    }
}
