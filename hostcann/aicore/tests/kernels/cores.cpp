// How cores of a launch wait for each other, and waits that never end.
#include "global.h"

namespace {
constexpr int32_t EIGHT = 8;

GlobalTensor<int32_t> Gm(void* p) { return Global<int32_t>(p); }

void Put(const LocalTensor<int32_t>& x, const GlobalTensor<int32_t>& at, int32_t value)
{
    Duplicate(x, value, EIGHT);
    Order<HardEvent::V_MTE3>();
    DataCopy(at, x, EIGHT);
    Order<HardEvent::MTE3_MTE2>();
}

int32_t Look(const LocalTensor<int32_t>& x, const GlobalTensor<int32_t>& at)
{
    DataCopy(x, at, EIGHT);
    Order<HardEvent::MTE2_S>();
    const int32_t value = x.GetValue(3);
    Order<HardEvent::S_MTE2>();
    return value;
}
} // namespace

// args: int32 slots[8 * blocks], out[8 * blocks]. Three rounds in which all cores read all.
extern "C" void flags(void* const* args)
{
    LocalTensor<int32_t> x(TPosition::VECCALC, 0, EIGHT);
    const auto me = static_cast<int32_t>(GetBlockIdx());
    int32_t sum = 0;
    for (int32_t round = 1; round <= 3; ++round) {
        Order<HardEvent::S_V>();
        Put(x, Gm(args[0])[me * EIGHT], round * (me + 1));
        CrossCoreSetFlag<0, PIPE_MTE3>(5);
        CrossCoreWaitFlag(5);
        for (int32_t i = 0; i < GetBlockNum(); ++i) {
            sum += Look(x, Gm(args[0])[i * EIGHT]);
        }
        CrossCoreSetFlag<0, PIPE_MTE2>(22);
        CrossCoreWaitFlag(6);
    }
    Order<HardEvent::S_V>();
    Put(x, Gm(args[1])[me * EIGHT], sum);
}

// args: out[8], zero; workspace, zero. Each core adds its number to what the core before it left.
extern "C" void chain(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 64);
    LocalTensor<int32_t> x = buf.Get<int32_t>(EIGHT);
    LocalTensor<int32_t> sync = buf.GetWithOffset<int32_t>(EIGHT, 32);
    const auto me = static_cast<int32_t>(GetBlockIdx());
    if (me > 0) {
        IBWait(Gm(args[1]), sync, me - 1, 2);
    }
    const int32_t before = Look(x, Gm(args[0]));
    Order<HardEvent::S_V>();
    Put(x, Gm(args[0]), 10 * before + me + 1);
    if (me + 1 < GetBlockNum()) {
        IBSet(Gm(args[1]), sync, me, 2);
    }
}

// args: out[8], workspace of any contents. Two rounds, each in the order of the cores.
extern "C" void turns(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    TBuf<> work;
    pipe.InitBuffer(buf, 64);
    pipe.InitBuffer(work, static_cast<uint32_t>(GetBlockNum()) * 32 + 32);
    LocalTensor<int32_t> x = buf.Get<int32_t>(EIGHT);
    GlobalTensor<int32_t> gm = Gm(args[1]);
    LocalTensor<int32_t> ub = work.Get<int32_t>();
    InitDetermineComputeWorkspace(gm, ub);
    for (int32_t round = 0; round < 2; ++round) {
        WaitPreBlock(gm, ub);
        const int32_t before = Look(x, Gm(args[0]));
        Order<HardEvent::S_V>();
        Put(x, Gm(args[0]), 3 * before + static_cast<int32_t>(GetBlockIdx()) + 1);
        NotifyNextBlock(gm, ub);
    }
}

// args: slots[8 * 2], out[8 * 3], workspace, zero. Two cores arrive, three wait, twice.
extern "C" void groups(void* const* args)
{
    LocalTensor<int32_t> x(TPosition::VECCALC, 0, EIGHT);
    GroupBarrier<PipeMode::MTE3_MODE> barrier(static_cast<GM_ADDR>(args[2]), 2, 3);
    ascendc_assert(barrier.GetWorkspaceLen() == 1536);
    const auto me = static_cast<int32_t>(GetBlockIdx());
    if (me < 2) {
        Put(x, Gm(args[0])[me * EIGHT], me + 5);
        barrier.Arrive(me);
        barrier.Arrive(me);
        return;
    }
    barrier.Wait(me - 2);
    barrier.Wait(me - 2);
    const int32_t sum = Look(x, Gm(args[0])) + Look(x, Gm(args[0])[EIGHT]);
    Order<HardEvent::S_V>();
    Put(x, Gm(args[1])[(me - 2) * EIGHT], sum);
}
extern "C" void fault_group(void* const* args)
{
    GroupBarrier<PipeMode::MTE3_MODE> barrier(static_cast<GM_ADDR>(args[0]), 2, 3);
    barrier.Wait(3);
}

// The line is that of the call.
extern "C" void fault_nobody_sets(void* const*)
{
    if (GetBlockIdx() == 1) {
        CrossCoreSetFlag<0, PIPE_MTE3>(3);
    }
    CrossCoreWaitFlag(3);
}
extern "C" void fault_mixed(void* const* args)
{
    LocalTensor<int32_t> x(TPosition::VECCALC, 0, EIGHT);
    if (GetBlockIdx() < 2) {
        IBWait(Gm(args[0]), x, 7, 0);
    } else if (GetBlockIdx() < 5) {
        CrossCoreSetFlag<0, PIPE_V>(0);
        CrossCoreWaitFlag(0);
    }
}
extern "C" void fault_overflow(void* const*)
{
    for (int32_t i = 0; i < 16; ++i) {
        CrossCoreSetFlag<0, PIPE_V>(9);
    }
}
extern "C" void fault_mode(void* const*) { CrossCoreSetFlag<2, PIPE_MTE3>(0); }
extern "C" void fault_cube_pipe(void* const*) { CrossCoreSetFlag<0, PIPE_FIX>(0); }

// args: float out[8 * 3], seen[8 * blocks], int32 workspace. Every core adds to each row, the second after all have
// added to the first, the third after the core before it; `seen` is the first row after that.
extern "C" void sums(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 96);
    LocalTensor<float> x = buf.Get<float>(EIGHT);
    LocalTensor<float> y = buf.GetWithOffset<float>(EIGHT, 32);
    LocalTensor<int32_t> sync = buf.GetWithOffset<int32_t>(EIGHT, 64);
    GlobalTensor<float> out = Global<float>(args[0]);
    const auto me = static_cast<int32_t>(GetBlockIdx());
    const float values[] = {1.0f, 16777216.0f, 3.0f, 0.3f, -16777216.0f, 1e-3f, 7.0f, 1.1f};
    auto add = [&](int32_t row) __aicore__ {
        SetAtomicAdd<float>();
        DataCopy(out[row * EIGHT], x, EIGHT);
        PipeBarrier<PIPE_MTE3>();
        DataCopy(out[row * EIGHT], x, EIGHT);
        SetAtomicNone();
    };
    Duplicate(x, values[me % EIGHT] * (1.0f + 0.01f * static_cast<float>(me)), EIGHT);
    Order<HardEvent::V_MTE3>();
    add(0);
    SyncAll();
    DataCopy(y, out, EIGHT);
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(Global<float>(args[1])[me * EIGHT], y, EIGHT);
    add(1);
    CrossCoreSetFlag<0, PIPE_MTE3>(5);
    CrossCoreWaitFlag(5);
    if (me > 0) {
        IBWait(Gm(args[2]), sync, me - 1, 2);
    }
    add(2);
    PipeBarrier<PIPE_ALL>();
    if (me + 1 < GetBlockNum()) {
        IBSet(Gm(args[2]), sync, me, 2);
    }
}

// args: float out[8]. The sum of every core, with nothing that orders them; the first cores have the most to do before
// it.
extern "C" void late_sums(void* const* args)
{
    LocalTensor<float> x(TPosition::VECCALC, 0, EIGHT);
    const auto me = static_cast<int32_t>(GetBlockIdx());
    const float values[] = {1.0f, 16777216.0f, 3.0f, 0.3f, -16777216.0f, 1e-3f, 7.0f, 1.1f};
    for (int32_t i = 0; i < 400 * (GetBlockNum() - me); ++i) {
        Duplicate(x, 0.5f, EIGHT);
    }
    Duplicate(x, values[me % EIGHT] * (1.0f + 0.01f * static_cast<float>(me)), EIGHT);
    Order<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(Global<float>(args[0]), x, EIGHT);
    SetAtomicNone();
}
