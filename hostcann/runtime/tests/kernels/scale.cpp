// Kernels for the tests of check mode: inputs x1, x2, output y, workspace, tiling.
#include "kernel_operator.h"

using namespace AscendC;

struct ScaleTiling {
    uint8_t kind;
    uint32_t count; // behind three bytes of padding
    float scale;
    uint32_t unused;
};
struct LongTiling {
    ScaleTiling head;
    uint64_t more[2];
};

template <typename Compute>
static void OneTile(void* const* args, uint32_t count, const Compute& compute)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    constexpr uint32_t BYTES = 4096;
    pipe.InitBuffer(in, 1, 2 * BYTES);
    pipe.InitBuffer(out, 1, BYTES);
    GlobalTensor<float> x1, x2, y;
    x1.SetGlobalBuffer(static_cast<float*>(args[0]));
    x2.SetGlobalBuffer(static_cast<float*>(args[1]));
    y.SetGlobalBuffer(static_cast<float*>(args[2]));
    DataCopyExtParams bytes{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
    LocalTensor<float> a = in.AllocTensor<float>();
    LocalTensor<float> b = a[BYTES / sizeof(float)];
    DataCopyPad(a, x1, bytes, DataCopyPadExtParams<float>{});
    if (args[1] != nullptr) {
        DataCopyPad(b, x2, bytes, DataCopyPadExtParams<float>{});
    }
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> c = out.AllocTensor<float>();
    compute(c, a, b);
    out.EnQue(c);
    c = out.DeQue<float>();
    DataCopyPad(y, c, bytes);
    out.FreeTensor(c);
    in.FreeTensor(a);
}

using Tensor = LocalTensor<float>;

// y = x1 * scale
extern "C" void Scale_k_0(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor&) { Muls(y, a, t.scale, t.count); });
}

// y = x * x, launched with <<<…>>>: the only argument holds both addresses.
extern "C" void Squared(void* const* args)
{
    void* const* at = static_cast<void* const*>(args[0]);
    void* const own[] = {at[0], nullptr, at[1]};
    OneTile(own, 512, [&](Tensor& y, Tensor& a, Tensor&) { Mul(y, a, a, 512); });
}

// y = x1 / x2
extern "C" void Scale_k_1(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor& b) { Div(y, a, b, t.count); });
}

// The struct is longer than what the tiling function writes.
extern "C" void Scale_k_2(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(LongTiling, t, args[4]);
    OneTile(args, t.head.count, [&](Tensor& y, Tensor& a, Tensor&) { Muls(y, a, 1.0f, t.head.count); });
}

// The first field alone.
extern "C" void Scale_k_3(void* const* args)
{
    GET_TILING_DATA_MEMBER(ScaleTiling, count, count, static_cast<uint8_t*>(args[4]));
    OneTile(args, count, [&](Tensor& y, Tensor& a, Tensor&) { Muls(y, a, 1.0f, count); });
}

// Reads through a pointer.
extern "C" void Scale_k_4(void* const* args)
{
    GET_TILING_DATA_PTR_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t->count, [&](Tensor& y, Tensor& a, Tensor&) { Muls(y, a, t->scale, t->count); });
}

// Writes the workspace at 1024.
extern "C" void Scale_k_5(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor&) { Muls(y, a, 1.0f, t.count); });
    GlobalTensor<int32_t> workspace;
    workspace.SetGlobalBuffer(static_cast<int32_t*>(args[3]) + 256);
    workspace.SetValue(0, 1);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(workspace);
}

// y = x1 * x2 + x1, in an instruction of which no document says whether it rounds the product.
extern "C" void Scale_k_6(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor& b) {
        Adds(y, b, 0.0f, t.count);
        FusedMulAdd(y, a, a, t.count);
    });
}

// The same in two instructions.
extern "C" void Scale_k_7(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor& b) {
        Mul(y, a, b, t.count);
        Add(y, y, a, t.count);
    });
}

// x1 rounded to half: values beyond its range depend on the saturation mode.
extern "C" void Scale_k_8(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor&) {
        const LocalTensor<half> narrow = a[512].ReinterpretCast<half>();
        Cast(narrow, a, RoundMode::CAST_NONE, t.count);
        Cast(y, narrow, RoundMode::CAST_NONE, t.count);
    });
}

// The same, clamped to the range of half first.
extern "C" void Scale_k_9(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor&) {
        const LocalTensor<half> narrow = a[512].ReinterpretCast<half>();
        Mins(a, a, 65504.0f, t.count);
        Maxs(a, a, -65504.0f, t.count);
        Cast(narrow, a, RoundMode::CAST_NONE, t.count);
        Cast(y, narrow, RoundMode::CAST_NONE, t.count);
    });
}

// Two mistakes: no event before Adds, and a copy of a buffer that nobody wrote.
extern "C" void Scale_k_10(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    TPipe pipe;
    TBuf<> tile;
    TBuf<> rest;
    pipe.InitBuffer(tile, 4096);
    pipe.InitBuffer(rest, 4096);
    Tensor a = tile.Get<float>();
    Tensor b = rest.Get<float>();
    GlobalTensor<float> x1, y;
    x1.SetGlobalBuffer(static_cast<float*>(args[0]));
    y.SetGlobalBuffer(static_cast<float*>(args[2]));
    DataCopyExtParams bytes{1, static_cast<uint32_t>(t.count * sizeof(float)), 0, 0, 0};
    DataCopyPad(a, x1, bytes, DataCopyPadExtParams<float>{});
    Adds(a, a, t.scale, t.count); // RACE
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(y, a, bytes);
    PipeBarrier<PIPE_MTE3>();
    DataCopyPad(y, b, bytes); // UNWRITTEN
}

// Sets a flag twice and waits for it twice.
extern "C" void Scale_k_11(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor&) {
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        Muls(y, a, t.scale, t.count);
    });
}

// Scalars between vector instructions, without events: four of them, which the compiler orders.
extern "C" void Scale_k_13(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    OneTile(args, t.count, [&](Tensor& y, Tensor& a, Tensor&) {
        Muls(y, a, t.scale, t.count);
        y.SetValue(0, 1.0f); // FIRST PLACE
        Adds(y, y, 1.0f, t.count);
        y.SetValue(1, 1.0f);
        Adds(y, y, 1.0f, t.count);
    });
}

// Every core adds its element of x1 to all of y.
extern "C" void Scale_k_12(void* const* args)
{
    GET_TILING_DATA_WITH_STRUCT(ScaleTiling, t, args[4]);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 4096);
    Tensor tile = buf.Get<float>();
    GlobalTensor<float> x1, y;
    x1.SetGlobalBuffer(static_cast<float*>(args[0]));
    y.SetGlobalBuffer(static_cast<float*>(args[2]));
    Duplicate(tile, x1.GetValue(GetBlockIdx()), t.count);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetAtomicAdd<float>();
    DataCopyPad(y, tile, DataCopyExtParams{1, static_cast<uint32_t>(t.count * sizeof(float)), 0, 0, 0});
    SetAtomicNone();
}
