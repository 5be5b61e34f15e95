// Identity, clock, workspace, descriptors, printing and filling of global memory.
#include "kernel_operator.h"
#include "utils/debug/asc_time.h"

using namespace AscendC;

// args: T out[], uint64 count. Each of 3 cores fills its third.
template <typename T, typename Write>
void FillThirds(void* const* args, const Write& write)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 190000);
    const uint64_t part = *static_cast<uint64_t*>(args[1]) / 3;
    GlobalTensor<T> out;
    out.SetGlobalBuffer(static_cast<T*>(args[0]) + GetBlockIdx() * part);
    write(out, part, static_cast<T>(GetBlockIdx() + 1));
}
extern "C" void fill_f32(void* const* args)
{
    FillThirds<float>(args, [](GlobalTensor<float>& out, uint64_t n, float v) { InitGlobalMemory(out, n, v); });
}
extern "C" void fill_f16(void* const* args)
{
    FillThirds<half>(args, [](GlobalTensor<half>& out, uint64_t n, half v) { Fill(out, n, v); });
}
// args: float out[64], value of the second fill: nothing orders it with the copies of the first.
extern "C" void fill_twice(void* const* args)
{
    TPipe pipe;
    GlobalTensor<float> out;
    out.SetGlobalBuffer(static_cast<float*>(args[0]));
    InitOutput(out, 32, 0.0f);
    InitOutput(out[32], 32, *static_cast<float*>(args[1]));
}
extern "C" void fill_i32(void* const* args)
{
    FillThirds<int32_t>(
        args, [](GlobalTensor<int32_t>& out, uint64_t n, int32_t v) { InitOutput(out, static_cast<uint32_t>(n), v); });
}

// args: int64 out[8], workspace.
extern "C" void identity2(void* const* args)
{
    int64_t* out = static_cast<int64_t*>(args[0]);
    GM_ADDR workspace = static_cast<GM_ADDR>(args[1]);
    out[0] = GetSubBlockIdx() + 10 * GetSubBlockNum() + 100 * GetTaskRatio() + 1000 * GetTaskRation();
    const int64_t from = GetSystemCycle();
    const auto now = static_cast<int64_t>(clock());
    out[1] = from <= now && now <= GetSystemCycle() && now != 0;
    out[2] = GetSysWorkSpacePtr() == nullptr;
    SetSysWorkspace(workspace);
    AscendC::SetSysWorkspace(workspace + 64);
    out[3] = GetSysWorkSpacePtr() - workspace;
    out[4] = GetUserWorkspace(workspace) - workspace + (GetUserWorkspace(nullptr) == nullptr);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 1000);
    LocalTensor<int16_t> rest;
    out[5] = PopStackBuffer<int16_t, TPosition::VECCALC>(rest);
    out[6] = static_cast<int64_t>(rest.GetPhyAddr());
    out[7] = rest.GetSize();
}

// args: uint32 register, startAddr, endAddr, kinds, who touches eight elements, where, whether it is switched off
// before; float gm[8].
extern "C" void watched(void* const* args)
{
    const auto* n = static_cast<const uint32_t*>(args[0]);
    TPipe pipe;
    TBuf<> buf;
    TBuf<> other;
    pipe.InitBuffer(buf, 1024);
    pipe.InitBuffer(other, 32);
    const LocalTensor<float> x = buf.Get<float>()[n[5]];
    const LocalTensor<float> y = other.Get<float>();
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer(static_cast<float*>(args[1]), 8);
    const auto is = [&](uint32_t bit) { return (n[3] >> bit & 1) != 0; };
    const auto index = static_cast<uint8_t>(n[0]);
    CheckLocalMemoryIA({index, n[1], n[2], is(0), is(1), is(2), is(3), is(4), is(5), true});
    // Another register watches nothing.
    CheckLocalMemoryIA(
        {static_cast<uint8_t>((index + 1) % 4), 0, 65535, false, false, false, false, false, false, true});
    if (n[6] != 0) {
        CheckLocalMemoryIA({index, n[1], n[2], is(0), is(1), is(2), is(3), is(4), is(5), false});
    }
    switch (n[4]) {
        case 0:
            x.GetValue(0);
            break;
        case 1:
            x.SetValue(0, 1.0f);
            break;
        case 2:
            Adds(y, x, 1.0f, 8);
            break;
        case 3:
            Duplicate(x, 1.0f, 8);
            break;
        case 4:
            DataCopy(gm, x, 8);
            break;
        default:
            DataCopy(x, gm, 8);
            break;
    }
}

extern "C" void fault_no_stack(void* const*)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 196480);
    LocalTensor<int16_t> rest;
    PopStackBuffer<int16_t, TPosition::VECCALC>(rest);
}

// args: descriptor, uint64 out[]. Sizes and addresses of every tensor.
extern "C" void describe(void* const* args)
{
    ListTensorDesc list(args[0]);
    uint64_t* out = static_cast<uint64_t*>(args[1]);
    *out++ = list.GetSize();
    for (uint32_t i = 0; i < list.GetSize(); ++i) {
        TensorDesc<float> desc;
        uint64_t shape[8];
        desc.SetShapeAddr(shape);
        list.GetDesc(desc, i);
        *out++ = desc.GetIndex();
        *out++ = desc.GetDim();
        for (uint32_t d = 0; d < desc.GetDim(); ++d) {
            *out++ = desc.GetShape(d);
        }
        *out++ = reinterpret_cast<uint64_t>(list.GetDataPtr<float>(i));
        *out++ = desc.GetDataObj().GetSize();
    }
}
extern "C" void fault_describe(void* const* args)
{
    ListTensorDesc list;
    list.Init(args[0]);
    list.GetDataPtr<float>(list.GetSize());
}

extern "C" void prints(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<half> x = buf.Get<half>(64);
    Duplicate(x, static_cast<half>(1.5), 64);
    GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer(static_cast<int32_t*>(args[0]));
    AscendC::printf("half %f, int %d, text %s\n", x.GetValue(3), 7, "abc");
    PRINTF("no arguments\n");
    DumpTensor(x, 11, 4);
    const uint32_t shape[] = {2, 2};
    DumpTensor(gm, 12, 3, ShapeInfo(2, shape));
    DumpAccChkPoint(gm, 13, 1, 2);
    asc_dump((__ubuf__ half*)x.GetPhyAddr(16), 14, 1);
    asc_dump(const_cast<int32_t*>(gm.GetPhyAddr()), 15, 1);
    TRACE_START(0x2);
    TRACE_STOP(0x2);
    ASSERT(GetBlockNum() == 1);
    ASCENDC_ASSERT(GetBlockIdx() == 0, { KERNEL_LOG(KERNEL_ERROR, "never shown\n"); });
    KERNEL_LOG(KERNEL_INFO, "never shown\n");
    ascendc_assert(GetBlockNum() == 1, "never shown\n");
}

extern "C" void fault_assert(void* const*)
{
    const int32_t flag = 10;
    ascendc_assert(flag != 10, "The flag value is %d.\n", flag);
}
extern "C" void fault_assert_bare(void* const*) { ascendc_assert(GetBlockIdx() > 5); }
extern "C" void fault_trap(void* const*) { Trap(); }

extern "C" void fault_upper_assert(void* const*) { ASSERT(GetBlockNum() > 7 && "too few"); }
extern "C" void fault_assert_msg(void* const*) { ASSERT_MSG(GetBlockNum() > 8, "of %d cores\n", 9); }
extern "C" void fault_ascendc_assert(void* const*)
{
    ASCENDC_ASSERT(GetBlockIdx() > 5, { KERNEL_LOG(KERNEL_ERROR, "core %d is too low\n", 0); });
}
extern "C" void fault_plain_assert(void* const*) { assert(GetBlockIdx() > 6, "index %d\n", 3); }

// args: float gm[4 * 8], zero; uint16 out[8].
extern "C" void atomic_state(void* const* args)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 32);
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer(static_cast<float*>(args[0]));
    uint16_t* out = static_cast<uint16_t*>(args[1]);
    LocalTensor<float> x = buf.Get<float>();
    Duplicate(x, 2.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    GetStoreAtomicConfig(out[0], out[1]);
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_F32, AtomicOp::ATOMIC_SUM>();
    GetStoreAtomicConfig(out[2], out[3]);
    DataCopy(gm, x, 8);
    PipeBarrier<PIPE_MTE3>();
    DataCopy(gm, x, 8);
    SetAtomicMax<half>();
    SetAtomicType<float>();
    GetStoreAtomicConfig(out[4], out[5]);
    DataCopy(gm[8], x, 8);
    DisableDmaAtomic();
    SetAtomicType<int16_t>();
    GetStoreAtomicConfig(out[6], out[7]);
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_NONE, AtomicOp::ATOMIC_SUM>();
    DataCopy(gm[16], x, 8);
}

extern "C" void fault_atomic_type(void* const*) { SetAtomicAdd<uint8_t>(); }

// args: float out[8]. Names that kernels take from the toolkit's own headers.
constexpr TQueConfig PLAIN = {false, false, false, 0, 1, 0, {TPosition::MAX}};
extern "C" void names_of_the_toolkit(void* const* args)
{
    TPipe pipe;
    TQue<QuePosition::VECOUT, 1, &PLAIN> queue;
    pipe.InitBuffer(queue, PLAIN.bufferNumber, 32);
    LocalTensor<float> x = queue.AllocTensor<float>();
    Duplicate(x, ToFloat(half(0.1f)) + ToFloat(0.1f), 8);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer(static_cast<float*>(args[0]));
    DataCopy(gm, x, 8);
    queue.FreeTensor(x);
}

namespace {
void Cube(int32_t* out) { *out = 100; }
void Vector(int32_t* out, int32_t value) { *out += value; }
} // namespace

// args: int32 word[16], zero. Core 0 waits in a loop for what core 1 writes.
extern "C" void past_the_cache(void* const* args)
{
    int32_t* word = static_cast<int32_t*>(args[0]);
    GlobalTensor<uint64_t> line;
    line.SetGlobalBuffer(reinterpret_cast<uint64_t*>(word));
    DataCachePreload(line, int64_t{0});
    ICachePreLoad(2);
    if (GetBlockIdx() == 1) {
        WriteGmByPassDCache<int32_t>(word + 1, 41);
        DataSyncBarrier<MemDsbT::DDR>();
        WriteGmByPassDCache<int32_t>(word, 7);
        return;
    }
    while (ReadGmByPassDCache<int32_t>(word) != 7) {
    }
    int32_t value = 0;
    Async<EngineType::AIC, Cube>(&value);
    Async<EngineType::AIV, Vector>(&value, ReadGmByPassDCache<int32_t>(word + 1) + GetICachePreloadStatus());
    MetricsProfStart();
    MetricsProfStop();
    PrintTimeStamp(65577);
    WriteGmByPassDCache<int32_t>(word + 2, value + (GetProgramCounter() != 0));
}

struct ArrayTiling {
    uint64_t first;
    uint64_t values[3];
};
// args: uint64 out[2], tiling.
extern "C" void array_tiling(void* const* args)
{
    GET_TILING_DATA_PTR_WITH_STRUCT(ArrayTiling, tiling, args[1]);
    COPY_TILING_WITH_ARRAY(uint64_t, 3, tiling->values, copied);
    static_cast<uint64_t*>(args[0])[0] = (*copied)[0] + (*copied)[2];
    static_cast<uint64_t*>(args[0])[1] = sizeof(*copied);
}
