// What the compiler's automatic sync repairs, compiled without it (--cce-auto-sync=off): order between vector
// instructions, and between the scalar unit and the other pipes.
#include "common.h"

namespace {

struct Row {
    __aicore__ inline Row(TPipe* pipe, GM_ADDR x1, GM_ADDR y, GM_ADDR tiling)
    {
        GET_TILING_DATA_WITH_STRUCT(BrokenTiling, tilingData, tiling);
        n = tilingData.length;
        gx.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), n);
        gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), n);
        pipe->InitBuffer(xBuffer_, n * sizeof(float));
        pipe->InitBuffer(workBuffer_, n * sizeof(float));
        pipe->InitBuffer(resultBuffer_, n * sizeof(float));
        x = xBuffer_.Get<float>();
        result = resultBuffer_.Get<float>();
        work = workBuffer_.Get<float>();
    }
    __aicore__ inline void CopyIn() { DataCopyPad(x, gx, Bytes(n), {false, 0, 0, 0.0f}); }

    uint32_t n;
    GlobalTensor<float> gx, gy;
    LocalTensor<float> x, work, result;

private:
    TBuf<TPosition::VECCALC> xBuffer_, workBuffer_, resultBuffer_;
};

} // namespace

// The second instruction reads what the first one writes.
template <bool broken>
__global__ __aicore__ void vector_raw(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    row.CopyIn();
    Sync<HardEvent::MTE2_V>();
    Adds(row.work, row.x, 0.0f, row.n); // FIRST(vector_raw)
    if constexpr (!broken) {
        PipeBarrier<PIPE_V>();
    }
    Muls(row.result, row.work, 2.0f, row.n); // FAULT(vector_raw): Race
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, row.result, Bytes(row.n));
}

// The second instruction overwrites what the first one still reads.
template <bool broken>
__global__ __aicore__ void vector_war(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    row.CopyIn();
    Sync<HardEvent::MTE2_V>();
    Muls(row.work, row.x, 2.0f, row.n); // FIRST(vector_war)
    if constexpr (!broken) {
        PipeBarrier<PIPE_V>();
    }
    Duplicate(row.x, 1.0f, row.n); // FAULT(vector_war): Race
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, row.work, Bytes(row.n));
}

// Both instructions write the same elements.
template <bool broken>
__global__ __aicore__ void vector_waw(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    row.CopyIn();
    Sync<HardEvent::MTE2_V>();
    Duplicate(row.work, 0.0f, row.n); // FIRST(vector_waw)
    if constexpr (!broken) {
        PipeBarrier<PIPE_V>();
    }
    Muls(row.work, row.x, 2.0f, row.n); // FAULT(vector_waw): Race
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, row.work, Bytes(row.n));
}

// A factor read from the tile that was just copied in.
template <bool broken>
__global__ __aicore__ void scalar_after_copy(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    row.CopyIn();
    if constexpr (!broken) {
        Sync<HardEvent::MTE2_S>();
    }
    const float factor = row.x.GetValue(1); // FAULT(scalar_after_copy): Race
    Sync<HardEvent::MTE2_V>();
    Muls(row.work, row.x, factor, row.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, row.work, Bytes(row.n));
}

// The largest element, read as soon as the reduction is issued.
template <bool broken>
__global__ __aicore__ void scalar_after_vector(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    TBuf<TPosition::VECCALC> scratch;
    pipe.InitBuffer(scratch, 512);
    const LocalTensor<float> largest = scratch.GetWithOffset<float>(8, 0);
    row.CopyIn();
    Sync<HardEvent::MTE2_V>();
    const LocalTensor<float> tmp = scratch.GetWithOffset<float>(64, 256);
    ReduceMax(largest, row.x, tmp, static_cast<int32_t>(row.n)); // FIRST(scalar_after_vector)
    if constexpr (!broken) {
        Sync<HardEvent::V_S>();
    }
    const float value = largest.GetValue(0); // FAULT(scalar_after_vector): Race
    Muls(row.work, row.x, value / 97.0f * 2.0f, row.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, row.work, Bytes(row.n));
}

// Element 0 replaced by the scalar unit, then read by a vector instruction.
template <bool broken>
__global__ __aicore__ void vector_after_scalar(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    row.CopyIn();
    Sync<HardEvent::MTE2_S>();
    row.x.SetValue(0, 1.0f); // FIRST(vector_after_scalar)
    Sync<HardEvent::MTE2_V>();
    if constexpr (!broken) {
        Sync<HardEvent::S_V>();
    }
    Muls(row.work, row.x, 2.0f, row.n); // FAULT(vector_after_scalar): Race
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, row.work, Bytes(row.n));
}

// The result patched by the scalar unit, then copied out.
template <bool broken>
__global__ __aicore__ void copy_out_after_scalar(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    row.CopyIn();
    Sync<HardEvent::MTE2_V>();
    Muls(row.work, row.x, 2.0f, row.n);
    Sync<HardEvent::V_S>();
    row.work.SetValue(0, 2.0f); // FIRST(copy_out_after_scalar)
    Sync<HardEvent::V_MTE3>();
    if constexpr (!broken) {
        Sync<HardEvent::S_MTE3>();
    }
    DataCopyPad(row.gy, row.work, Bytes(row.n)); // FAULT(copy_out_after_scalar): Race
}

// A scalar read whose buffer the next copy overwrites.
template <bool broken>
__global__ __aicore__ void copy_in_after_scalar(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    row.x.SetValue(0, 5.0f); // FIRST(copy_in_after_scalar)
    if constexpr (!broken) {
        Sync<HardEvent::S_MTE2>();
    }
    DataCopyPad(row.x, row.gx, Bytes(row.n), {false, 0, 0, 0.0f}); // FAULT(copy_in_after_scalar): Race
    Sync<HardEvent::MTE2_V>();
    Muls(row.work, row.x, 2.0f, row.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, row.work, Bytes(row.n));
}
