// Small kernels: one per programming-model feature or fault.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
using Input = TQue<TPosition::VECIN, 1>;

struct Witness {
    int32_t* destroyed;
    ~Witness() { ++*destroyed; }
};
} // namespace

// Faults in block 2 while a TPipe and another object with a destructor are alive. args: int32 counter.
extern "C" void fault_misaligned(void* const* args)
{
    TPipe pipe;
    Witness witness{static_cast<int32_t*>(args[0])};
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    LocalTensor<float> x = buf.Get<float>();
    Duplicate(x, 1.0f, 64);
    if (GetBlockIdx() == 2) {
        Add(x, x, x[5], 64);
    }
}

extern "C" void fault_no_free_buffer(void* const*)
{
    TPipe pipe;
    Input q;
    pipe.InitBuffer(q, 1, 256);
    LocalTensor<float> a = q.AllocTensor<float>();
    LocalTensor<float> b = q.AllocTensor<float>();
    (void)a;
    (void)b;
}

extern "C" void fault_bf16_round_none(void* const*)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 1024);
    Cast(buf.GetWithOffset<bfloat16_t>(64, 512), buf.Get<float>(64), RoundMode::CAST_NONE, 64);
}

// Count forms that keep the mask registers as they are. args: float[256] out.
extern "C" void registers_decide(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    const LocalTensor<float> x = buf.GetWithOffset<float>(256, 0);
    const LocalTensor<float> sum = buf.GetWithOffset<float>(8, 1024);
    const LocalTensor<float> work = buf.GetWithOffset<float>(64, 2048);
    Duplicate(x, 0.0f, 256);
    AscendCUtils::SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(100);
    Adds<float, false>(x, x, 1.0f, 256);
    Muls<float, float, false>(x, x, 3.0f, 256);
    ReduceSum<float, false>(sum, x, work, 256);
    AscendCUtils::SetMaskNorm();
    SetVectorMask<float>(0, 0xf);
    Adds<float, false>(x, x, 1.0f, 256);
    ReduceSum<float, false>(sum[0], x, work, 256);
    ResetMask();
    GlobalTensor<float> out;
    out.SetGlobalBuffer(static_cast<float*>(args[0]));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, x, 256);
    SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
    out.SetValue(255, sum.GetValue(0));
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(out[255]);
}

extern "C" void fault_wait(void* const*) { WaitFlag<HardEvent::V_S>(EVENT_ID3); }
extern "C" void fault_cross_core(void* const*) { CrossCoreSetFlag<0x1, PIPE_MTE3>(3); }
extern "C" void fault_null_gm(void* const*)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 1024);
    GlobalTensor<float> g;
    DataCopy(buf.Get<float>(), g, 64);
}
extern "C" void fault_no_tiling(void* const*)
{
    int tiling;
    AscendC::hostcann::LoadTiling(&tiling, nullptr);
}
// args: int32 out[16 * blockNum], a cache line per core. Scalar accesses, events, masks.
extern "C" void identity(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 2048);
    GlobalTensor<int32_t> out;
    out.SetGlobalBuffer(static_cast<int32_t*>(args[0]));
    LocalTensor<int32_t> x = buf.Get<int32_t>(64);
    Duplicate(x, static_cast<int32_t>(GetBlockIdx()), 64);
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(id);
    WaitFlag<HardEvent::V_S>(id);
    x.SetValue(1, 1000);
    uint64_t lanes[2] = {2, 0};
    Adds(x, x, 1, lanes, 1, {1, 1, 8, 8});
    // Lane 1 only: 1001; lane 0 keeps the block index.
    if (TILING_KEY_IS(7)) {
        const int64_t at = 16 * GetBlockIdx();
        out.SetValue(at, x.GetValue(0) * 100000 + x.GetValue(1) * 10 + static_cast<int32_t>(GetBlockNum()));
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(out[at]);
    }
}

// args: float in[], float out[]; copy-only through TQueBind.
extern "C" void copy_bind(void* const* args)
{
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q;
    pipe.InitBuffer(q, 2, 256);
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer(static_cast<float*>(args[0]), 640);
    out.SetGlobalBuffer(static_cast<float*>(args[1]), 640);
    for (uint32_t i = 0; i < 10; ++i) {
        LocalTensor<float> t = q.AllocTensor<float>();
        DataCopy(t, in[i * 64], 64);
        q.EnQue(t);
        t = q.DeQue<float>();
        DataCopy(out[i * 64], t, 64);
        q.FreeTensor(t);
    }
}

// args: float result[]. Level-0 broadcast, compare, select, reduce.
extern "C" void mixture(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 16384);
    LocalTensor<float> index = buf.Get<float>(512);
    LocalTensor<float> rows = buf.GetWithOffset<float>(64, 2048);
    LocalTensor<float> sum = buf.GetWithOffset<float>(512, 4096);
    LocalTensor<uint8_t> mask = buf.GetWithOffset<uint8_t>(64, 6144);
    LocalTensor<float> tmp = buf.GetWithOffset<float>(64, 8192);
    CreateVecIndex(index, 0.0f, 512);
    Brcb(rows, index, 1, {1, 8});
    // Row r of 64 elements gets r added: block stride 0 repeats one 32-byte block.
    Add(sum, index, rows, 64, 8, {1, 1, 0, 8, 8, 1});
    CompareScalar(mask, sum, 100.0f, CMPMODE::GE, 512);
    Select(sum, mask, sum, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 512);
    ReduceMax(tmp, sum, tmp[32], 512, true);
    GlobalTensor<float> out;
    out.SetGlobalBuffer(static_cast<float*>(args[0]), 514);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(out, sum, 512);
    DataCopyPad(out[512], tmp, {1, 8, 0, 0, 0});
}

// args: int32 out[5], tiling. Every way to read tiling data.
struct Inner {
    int32_t a;
    int32_t b;
};
struct Outer {
    int32_t head;
    Inner inner;
};
extern "C" void tiling_forms(void* const* args)
{
    REGISTER_TILING_DEFAULT(Outer);
    REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 1", Outer);
    GM_ADDR tiling = static_cast<GM_ADDR>(args[1]);
    GET_TILING_DATA(whole, tiling);
    GET_TILING_DATA_WITH_STRUCT(Outer, named, tiling);
    GET_TILING_DATA_MEMBER(Outer, inner, member, tiling);
    GET_TILING_DATA_PTR_WITH_STRUCT(Outer, pointer, tiling);
    COPY_TILING_WITH_STRUCT(Inner, &pointer->inner, copy);
    auto* out = static_cast<int32_t*>(args[0]);
    out[0] = whole.head;
    out[1] = named.inner.a;
    out[2] = member.b;
    out[3] = pointer->head;
    out[4] = copy->b;
}
