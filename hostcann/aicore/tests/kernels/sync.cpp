// Kernels whose cores meet, and copies that combine with what they find.
#include "kernel_operator.h"

using namespace AscendC;

namespace {
GlobalTensor<int32_t> Gm(void* p)
{
    GlobalTensor<int32_t> t;
    t.SetGlobalBuffer(static_cast<int32_t*>(p));
    return t;
}

// Writes value into 8 elements at GM.
void Put(TBuf<>& buf, const GlobalTensor<int32_t>& at, int32_t value)
{
    LocalTensor<int32_t> x = buf.Get<int32_t>(8);
    Duplicate(x, value, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(at, x, 8);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
}

int32_t SumOfAll(TBuf<>& buf, const GlobalTensor<int32_t>& from)
{
    LocalTensor<int32_t> x = buf.Get<int32_t>(8);
    int32_t sum = 0;
    for (int32_t i = 0; i < GetBlockNum(); ++i) {
        DataCopy(x, from[i * 8], 8);
        SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
        sum += x.GetValue(7);
        SetFlag<HardEvent::S_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::S_MTE2>(EVENT_ID0);
    }
    return sum;
}

template <typename Meet>
void TwoPhases(void* const* args, const Meet& meet)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    GlobalTensor<int32_t> slots = Gm(args[0]);
    GlobalTensor<int32_t> out = Gm(args[1]);
    const int32_t me = static_cast<int32_t>(GetBlockIdx());
    for (int32_t round = 1; round <= 3; ++round) {
        Put(buf, slots[me * 8], round * (me + 1));
        meet(pipe);
        const int32_t sum = SumOfAll(buf, slots);
        meet(pipe);
        Put(buf, out[(me * 3 + round - 1) * 8], sum);
    }
}
} // namespace

// args: int32 slots[8 * blocks], int32 out[24 * blocks]. Every core sums what all cores wrote, three times.
extern "C" void all_see_all(void* const* args)
{
    TwoPhases(args, [](TPipe&) { SyncAll(); });
}

// args: as above, then int32 workspace[8 * blocks], zero.
extern "C" void all_see_all_soft(void* const* args)
{
    TBuf<> ub;
    bool first = true;
    TwoPhases(args, [&](TPipe& pipe) {
        if (first) {
            pipe.InitBuffer(ub, static_cast<uint32_t>(GetBlockNum()) * 32);
            first = false;
        }
        SyncAll(Gm(args[2]), ub.Get<int32_t>());
    });
}

// args: slots, out, workspace. Three cores meet, the others return at once.
extern "C" void some_meet(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    TBuf<> ub;
    pipe.InitBuffer(buf, 256);
    pipe.InitBuffer(ub, 96);
    const int32_t me = static_cast<int32_t>(GetBlockIdx());
    if (me >= 3) {
        return;
    }
    Put(buf, Gm(args[0])[me * 8], me + 10);
    SyncAll(Gm(args[2]), ub.Get<int32_t>(), 3);
    LocalTensor<int32_t> x = buf.Get<int32_t>(24);
    DataCopy(x, Gm(args[0]), 24);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(Gm(args[1])[me * 24], x, 24);
}

extern "C" void fault_one_leaves(void* const*)
{
    if (GetBlockIdx() != 5) {
        SyncAll();
    }
}
extern "C" void fault_one_leaves_late(void* const*)
{
    for (int32_t i = 0; i < (GetBlockIdx() == 2 ? 1 : 2); ++i) {
        SyncAll();
    }
}

namespace {
struct Witness {
    void* counter;
    ~Witness() { __atomic_fetch_add(static_cast<int32_t*>(counter), 1, __ATOMIC_RELAXED); }
};
} // namespace

// args: int32 counter. Core 3 faults while the others wait; their destructors run.
extern "C" void fault_while_waiting(void* const* args)
{
    TPipe pipe;
    Witness witness{args[0]};
    if (GetBlockIdx() == 3) {
        WaitFlag<HardEvent::V_S>(EVENT_ID3);
    }
    SyncAll();
}

// args: workspace. Half of the cores wait at the hardware barrier, half at a software one.
extern "C" void fault_crossed(void* const* args)
{
    TPipe pipe;
    TBuf<> ub;
    pipe.InitBuffer(ub, 1024);
    if (GetBlockIdx() % 2 == 0) {
        SyncAll();
    } else {
        SyncAll(Gm(args[0]), ub.Get<int32_t>());
    }
}

// args: workspace.
extern "C" void soft(void* const* args)
{
    TPipe pipe;
    TBuf<> ub;
    pipe.InitBuffer(ub, 64);
    SyncAll(Gm(args[0]), ub.Get<int32_t>());
}

// args: T out[64]. Every core adds 1 to 61 elements, 100 times; then core 0 stores plainly beyond them.
template <typename T>
void AddOnes(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    GlobalTensor<T> out;
    out.SetGlobalBuffer(static_cast<T*>(args[0]));
    LocalTensor<T> x = buf.Get<T>(64);
    for (int32_t i = 0; i < 64; ++i) {
        x.SetValue(i, static_cast<T>(1));
    }
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    SetAtomicAdd<T>();
    const DataCopyExtParams part{1, 61 * sizeof(T), 0, 0, 0};
    for (int32_t i = 0; i < 100; ++i) {
        DataCopyPad(out, x, part);
    }
    SetAtomicNone();
    if (GetBlockIdx() == 0) {
        DataCopyPad(out[61], x, DataCopyExtParams{1, 3 * sizeof(T), 0, 0, 0});
    }
}
extern "C" void add_ones_i8(void* const* args) { AddOnes<int8_t>(args); }
extern "C" void add_ones_i16(void* const* args) { AddOnes<int16_t>(args); }
extern "C" void add_ones_i32(void* const* args) { AddOnes<int32_t>(args); }
extern "C" void add_ones_f16(void* const* args) { AddOnes<half>(args); }
extern "C" void add_ones_f32(void* const* args) { AddOnes<float>(args); }

// args: int32 max[8], int32 min[8], int32 last[8].
extern "C" void extremes(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    const int32_t me = static_cast<int32_t>(GetBlockIdx());
    SetAtomicMax<int32_t>();
    Put(buf, Gm(args[0]), me * 7 % 31);
    SetAtomicMin<int32_t>();
    Put(buf, Gm(args[1]), me * 7 % 31);
    InitSocState();
    if (me == 0) {
        Put(buf, Gm(args[2]), -5);
    }
}
