// Several cores on the same memory.
#include "common.h"

namespace {

struct Shared : Io {
    __aicore__ inline Shared(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
        : Io(x1, x2, y, tiling)
    {
        gw.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace), n);
    }
    GlobalTensor<float> gw;
};

} // namespace

// Equal parts of 250 elements: the parts of two neighbours meet inside a 32-byte block.
template <bool broken>
__global__ __aicore__ void parts_share_a_block(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const Part part = PartOf(io.n, broken ? 1 : 8);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 4096);
    LocalTensor<float> x = queue.AllocTensor<float>();
    DataCopyPad(x, io.gx1[part.from], Bytes(part.length), NoPad());
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy[part.from], x, Bytes(part.length)); // FAULT(parts_share_a_block): SharedBlock
    queue.FreeTensor(x);
}

// Parts rounded up to whole blocks on the way out: each core overwrites the head of its neighbour.
template <bool broken>
__global__ __aicore__ void parts_rounded_up(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const Part part = PartOf(io.n, 64);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 4096);
    LocalTensor<float> x = queue.AllocTensor<float>();
    const bool last = part.from + part.length >= io.n;
    const uint32_t n = broken && !last ? part.length + 8 : part.length;
    DataCopyPad(x, io.gx1[part.from], Bytes(n), NoPad());
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy[part.from], x, Bytes(n)); // FAULT(parts_rounded_up): MultiCore
    queue.FreeTensor(x);
}

// Every core writes all of the output.
template <bool broken>
__global__ __aicore__ void no_split(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const Part part = broken ? Part{0, io.n} : PartOf(io.n, 64);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 4096);
    LocalTensor<float> x = queue.AllocTensor<float>();
    DataCopyPad(x, io.gx1[part.from], Bytes(part.length), NoPad());
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy[part.from], x, Bytes(part.length)); // FAULT(no_split): MultiCore
    queue.FreeTensor(x);
}

// One scalar result per core, side by side in one line of the scalar cache.
template <bool broken>
__global__ __aicore__ void scalars_share_a_line(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const auto core = static_cast<uint32_t>(GetBlockIdx());
    // A line holds 16 floats.
    const uint32_t at = core * (broken ? 1 : 16);
    io.gy.SetValue(at, static_cast<float>(core) + 1.0f); // FAULT(scalars_share_a_line): ScalarCache
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(io.gy[at]);
}

// Every core leaves a value for its neighbour, in its own scalar cache.
template <bool broken>
__global__ __aicore__ void line_not_cleaned(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const auto core = static_cast<uint32_t>(GetBlockIdx());
    const uint32_t next = (core + 1) % static_cast<uint32_t>(GetBlockNum());
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<float> x = buffer.Get<float>();
    io.gw.SetValue(core * 16, static_cast<float>(core)); // FIRST(line_not_cleaned)
    if constexpr (!broken) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(io.gw[core * 16]);
    }
    SyncAll();
    DataCopyPad(x, io.gw[next * 16], Bytes(1), NoPad()); // FAULT(line_not_cleaned): ScalarCache
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy[core * 16], x, Bytes(1));
}

// Eight elements by a copy and the ninth by SetValue: its line is fetched while the copy is on its way.
template <bool broken>
__global__ __aicore__ void line_under_way(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<float> x = buffer.Get<float>();
    Duplicate(x, 3.0f, 8);
    Sync<HardEvent::V_MTE3>();
    DataCopy(io.gy, x, 8); // FIRST(line_under_way)
    if constexpr (!broken) {
        Sync<HardEvent::MTE3_S>();
    }
    io.gy.SetValue(8, 1.0f); // FAULT(line_under_way): ScalarCache
}

// The same in order, but the line has been in the cache since before the copy.
template <bool broken>
__global__ __aicore__ void line_fetched_before(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 32);
    const LocalTensor<float> x = buffer.Get<float>();
    io.gy.SetValue(8, 0.0f);
    const float before = io.gy.GetValue(8);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(io.gy);
    if constexpr (broken) {
        io.gy.GetValue(8);
    }
    Duplicate(x, 3.0f + before, 8);
    Sync<HardEvent::V_MTE3>();
    DataCopy(io.gy, x, 8); // FIRST(line_fetched_before)
    Sync<HardEvent::MTE3_S>();
    io.gy.SetValue(8, 1.0f); // FAULT(line_fetched_before): ScalarCache
}

// A value in the workspace, copied there by MTE3 and read back through the scalar cache, which holds the old line.
template <bool broken>
__global__ __aicore__ void stale_line(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    Duplicate(x, 1.0f, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopy(io.gw, x, 64);
    Sync<HardEvent::MTE3_S>();
    const float before = io.gw.GetValue(0);
    Sync<HardEvent::MTE3_V>();
    Duplicate(x, 2.0f, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopy(io.gw, x, 64);
    Sync<HardEvent::MTE3_S>();
    if constexpr (!broken) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(io.gw);
    }
    const float after = io.gw.GetValue(0); // FAULT(stale_line): ScalarCache
    Sync<HardEvent::MTE3_V>();
    Duplicate(x, before + after, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopy(io.gy, x, 64);
}

// Each core leaves a partial result in the workspace; the last one adds them up.
template <bool broken>
__global__ __aicore__ void partial_without_sync(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const auto core = static_cast<uint32_t>(GetBlockIdx());
    const auto cores = static_cast<uint32_t>(GetBlockNum());
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer, sumBuffer;
    pipe.InitBuffer(buffer, 256);
    pipe.InitBuffer(sumBuffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    const LocalTensor<float> sum = sumBuffer.Get<float>();
    Duplicate(x, static_cast<float>(core) + 1.0f, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopy(io.gw[core * 64], x, 64);
    if constexpr (!broken) {
        SyncAll();
    }
    if (core + 1 == cores) {
        Duplicate(sum, 0.0f, 64);
        for (uint32_t i = 0; i < cores; ++i) {
            Sync<HardEvent::MTE3_MTE2>();
            Sync<HardEvent::V_MTE2>();
            DataCopy(x, io.gw[i * 64], 64); // FAULT(partial_without_sync): MultiCore
            Sync<HardEvent::MTE2_V>();
            Add(sum, sum, x, 64);
        }
        Sync<HardEvent::V_MTE3>();
        DataCopy(io.gy, sum, 64);
    }
}

// Cores without work return before the barrier the others wait at.
template <bool broken>
__global__ __aicore__ void idle_core_leaves(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const Part part = PartOf(io.n, 64);
    if (broken && part.length == 0) {
        return;
    }
    if (part.length > 0) {
        TPipe pipe;
        TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
        pipe.InitBuffer(queue, 1, 4096);
        LocalTensor<float> x = queue.AllocTensor<float>();
        DataCopyPad(x, io.gx1[part.from], Bytes(part.length), NoPad());
        queue.EnQue(x);
        x = queue.DeQue<float>();
        DataCopyPad(io.gy[part.from], x, Bytes(part.length));
        queue.FreeTensor(x);
    }
    SyncAll(); // FAULT(idle_core_leaves): Event
}

// Every core adds its number to an output that nobody cleared.
template <bool broken>
__global__ __aicore__ void sum_into_uncleared(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    if constexpr (!broken) {
        if (GetBlockIdx() == 0) {
            Duplicate(x, 0.0f, 64);
            Sync<HardEvent::V_MTE3>();
            DataCopy(io.gy, x, 64);
            Sync<HardEvent::MTE3_V>();
        }
        SyncAll();
    }
    Duplicate(x, static_cast<float>(GetBlockIdx()) + 1.0f, 64);
    Sync<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(io.gy, x, 64); // FAULT(sum_into_uncleared): Uninitialized
    SetAtomicNone();
}

// The atomic mode of a sum in the workspace is still on when the result is stored.
template <bool broken>
__global__ __aicore__ void atomic_mode_left_on(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    Duplicate(x, 3.0f, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopy(io.gw, x, 64);
    PipeBarrier<PIPE_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(io.gw, x, 64);
    if constexpr (!broken) {
        SetAtomicNone();
    }
    DataCopy(io.gy, x, 64); // FAULT(atomic_mode_left_on): Uninitialized
    SetAtomicNone();
}

// A copy reads what the scalar unit has only put into its cache.
template <bool broken>
__global__ __aicore__ void copy_past_cache(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 64);
    const LocalTensor<float> x = buffer.Get<float>();
    for (uint32_t i = 0; i < 16; ++i) {
        io.gw.SetValue(i, 3.0f);
    }
    if constexpr (!broken) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(io.gw);
    }
    Sync<HardEvent::S_MTE2>();
    DataCopy(x, io.gw, 16); // FAULT(copy_past_cache): ScalarCache
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(io.gy, x, 16);
}

// Every core leaves 64 elements in the workspace and sets a flag; the first one collects them.
template <bool broken>
__global__ __aicore__ void flag_not_awaited(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Shared io(x1, x2, y, workspace, tiling);
    const auto core = static_cast<uint32_t>(GetBlockIdx());
    const auto cores = static_cast<uint32_t>(GetBlockNum());
    const auto set = [&](float value) {
        io.gw.SetValue(512 + core * 16, value);
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(io.gw[512 + core * 16]);
    };
    set(0.0f);
    SyncAll();
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    const LocalTensor<float> x = buffer.Get<float>();
    DataCopy(x, io.gx1[core * 64], 64);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(io.gw[core * 64], x, 64); // FAULT(flag_not_awaited): MultiCore
    Sync<HardEvent::MTE3_S>();
    set(1.0f);
    if (core != 0) {
        return;
    }
    for (uint32_t i = 1; !broken && i < cores; ++i) {
        do {
            DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(io.gw[512 + i * 16]);
        } while (io.gw.GetValue(512 + i * 16) != 1.0f);
    }
    Sync<HardEvent::MTE3_MTE2>();
    DataCopy(x, io.gw, cores * 64); // FIRST(flag_not_awaited)
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(io.gy, x, cores * 64);
}
