// Kernels that do several things wrong.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
constexpr uint32_t TILE = 64;

GlobalTensor<float> Gm(void* p)
{
    GlobalTensor<float> t;
    t.SetGlobalBuffer(static_cast<float*>(p));
    return t;
}

template <HardEvent event>
void Sync()
{
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}
} // namespace

// args: float x[256], y[256]; four tiles of 64. No event between the copy and Adds, a second buffer that nobody wrote,
// a flag that stays; core 2 reads far behind x as well, and the tile of core 3 goes to that of core 1.
extern "C" void several(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    TBuf<> other;
    pipe.InitBuffer(buf, TILE * sizeof(float));
    pipe.InitBuffer(other, TILE * sizeof(float));
    const auto core = static_cast<uint32_t>(GetBlockIdx());
    LocalTensor<float> t = buf.Get<float>();
    LocalTensor<float> u = other.Get<float>();
    GlobalTensor<float> x = Gm(args[0]);
    GlobalTensor<float> y = Gm(args[1]);
    for (uint32_t round = 0; round < 3; ++round) {
        DataCopy(t, x[core * TILE], TILE);
        Adds(t, t, 1.0f, TILE); // RACE
        Sync<HardEvent::V_MTE3>();
        Muls(t, t, 2.0f, TILE);
        Sync<HardEvent::V_MTE3>();
        DataCopy(y[(core == 3 ? 1 : core) * TILE], t, TILE); // MEET
        Sync<HardEvent::MTE3_MTE2>();
    }
    if (core == 2) {
        DataCopy(t, x[512], TILE); // BEYOND
    }
    PipeBarrier<PIPE_MTE3>();
    DataCopy(y[core * TILE], u, TILE);     // UNWRITTEN
    SetFlag<HardEvent::MTE3_V>(EVENT_ID1); // LEFT
}

// args: float x[64], int32 flag[16]. Core 0 leaves x, core 1 waits for a flag that it does not set.
extern "C" void waits_for_a_dead_core(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, TILE * sizeof(float));
    LocalTensor<float> t = buf.Get<float>();
    GlobalTensor<int32_t> flag;
    flag.SetGlobalBuffer(static_cast<int32_t*>(args[1]));
    if (GetBlockIdx() == 0) {
        DataCopy(t, Gm(nullptr), TILE); // NULL
        return;
    }
    do {
        DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(flag);
    } while (flag.GetValue(0) == 0);
}

// args: float x[84], y[84]. 84 floats are 336 bytes, ten and a half blocks: in and out again.
extern "C" void copies_half_a_block(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 352);
    LocalTensor<float> t = buf.Get<float>();
    DataCopy(t, Gm(args[0]), 84);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(Gm(args[1]), t, 84);
}

// args: float x[128], uint8_t y[32]. 100 floats are one repeat and a half; the bits of the other 36 stay.
extern "C" void compares_half_a_repeat(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    TBuf<> bits;
    pipe.InitBuffer(buf, 512);
    pipe.InitBuffer(bits, 32);
    LocalTensor<float> t = buf.Get<float>();
    LocalTensor<uint8_t> m = bits.Get<uint8_t>();
    LocalTensor<uint16_t> all = bits.Get<uint16_t>();
    GlobalTensor<uint8_t> y;
    y.SetGlobalBuffer(static_cast<uint8_t*>(args[1]));
    Duplicate(all, static_cast<uint16_t>(0x5555), 16);
    DataCopy(t, Gm(args[0]), 128);
    Sync<HardEvent::MTE2_V>();
    CompareScalar(m, t, 0.0f, CMPMODE::GE, 100);
    Sync<HardEvent::V_MTE3>();
    DataCopy(y, m, 32);
}

// args: float x[64], y[64]. MTE2_V id 0 is set while a queue's own flag is up, as the queue took the same id.
extern "C" void sets_the_flag_of_a_queue(void* const* args)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 256);
    pipe.InitBuffer(out, 1, 256);
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, Gm(args[0]), TILE);
    in.EnQue(a); // ENQUE
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    a = in.DeQue<float>();
    LocalTensor<float> b = out.AllocTensor<float>();
    Adds(b, a, 1.0f, TILE);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(Gm(args[1]), b, TILE);
    out.FreeTensor(b);
}

// args: float x[64], int32 y[16]. One race 30 000 times, and then a value.
extern "C" void races_all_the_time(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, TILE * sizeof(float));
    LocalTensor<float> t = buf.Get<float>();
    GlobalTensor<float> x = Gm(args[0]);
    GlobalTensor<float> y = Gm(args[1]);
    for (uint32_t i = 0; i < 30000; ++i) {
        DataCopy(t, x, TILE);
        Adds(t, t, 1.0f, TILE);
        Sync<HardEvent::V_MTE2>();
    }
    y.SetValue(0, 1.0f);
}

// args: float x[64]. A buffer that does not fit, and an instruction behind the end of memory.
extern "C" void goes_over_the_end(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    TBuf<> large;
    pipe.InitBuffer(buf, 256);
    pipe.InitBuffer(large, 200 * 1024); // LARGE
    LocalTensor<float> t = large.Get<float>();
    DataCopy(t, Gm(args[0]), TILE);
    Sync<HardEvent::MTE2_V>();
    Duplicate(t[48 * 1024], 0.0f, TILE); // OVER
}

// args: int32 x[16], y[16]. Two flags stay, and two words are read that nobody wrote.
extern "C" void leaves_and_reads_twice(void* const* args)
{
    TPipe pipe;
    GlobalTensor<int32_t> y;
    y.SetGlobalBuffer(static_cast<int32_t*>(args[1]));
    int32_t sum = y.GetValue(0); // READ 0
    sum += y.GetValue(1);        // READ 1
    if (sum != 0) {
        return;
    }
    SetFlag<HardEvent::MTE3_V>(EVENT_ID1); // LEFT 0
    SetFlag<HardEvent::V_S>(EVENT_ID2);    // LEFT 1
}
