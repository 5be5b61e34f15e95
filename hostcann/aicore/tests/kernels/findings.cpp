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

// args: float x[256], y[256]; four tiles of 64. No event between the copy and Adds, a second buffer that nobody wrote, a
// flag that stays; core 2 reads far behind x as well, and the tile of core 3 goes to that of core 1.
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
    DataCopy(y[core * TILE], u, TILE); // UNWRITTEN
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
