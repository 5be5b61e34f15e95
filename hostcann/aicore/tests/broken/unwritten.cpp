// Bytes that nobody wrote reach global memory, a scalar, a reduction or an address. FIRST marks the instruction
// that reads them first, which the text has to name as well.
#include "common.h"

// Adds the tiles of a tensor up. The sum has to start from zero.
template <bool broken>
__global__ __aicore__ void sum_not_cleared(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, io.tile * sizeof(float));
    pipe.InitBuffer(out, 1, io.tile * sizeof(float));
    LocalTensor<float> sum = out.AllocTensor<float>();
    if constexpr (!broken) {
        Duplicate(sum, 0.0f, io.tile);
    }
    for (uint32_t at = 0; at < io.n; at += io.tile) {
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopy(x, io.gx1[at], io.tile);
        in.EnQue(x);
        x = in.DeQue<float>();
        Add(sum, sum, x, io.tile); // FIRST(sum_not_cleared)
        in.FreeTensor(x);
    }
    out.EnQue(sum);
    sum = out.DeQue<float>();
    DataCopy(io.gy, sum, io.tile); // FAULT(sum_not_cleared): Uninitialized
    out.FreeTensor(sum);
}

// The sum of a row of 100: the reduction must not run over the rest of the tile.
template <bool broken>
__global__ __aicore__ void reduced_tail(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer, scratch;
    pipe.InitBuffer(buffer, 512);
    pipe.InitBuffer(scratch, 512);
    const LocalTensor<float> row = buffer.Get<float>();
    const LocalTensor<float> sum = scratch.GetWithOffset<float>(8, 0);
    DataCopyPad(row, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    const int32_t count = static_cast<int32_t>(broken ? 128 : io.n);
    ReduceSum(sum, row, scratch.GetWithOffset<float>(64, 256), count); // FAULT(reduced_tail): Uninitialized
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, sum, Bytes(1));
}

// A row copied out at its padded length: with isPad = false the pad cells hold nothing.
template <bool broken>
__global__ __aicore__ void stored_padding(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> row = queue.AllocTensor<float>();
    DataCopyPad(row, io.gx1, Bytes(61), {!broken, 0, 3, 0.0f});
    queue.EnQue(row);
    row = queue.DeQue<float>();
    DataCopyPad(io.gy, row, Bytes(64)); // FAULT(stored_padding): Uninitialized
    queue.FreeTensor(row);
}

// Partial sums that the workspace has to hold already: nobody wrote them.
template <bool broken>
__global__ __aicore__ void workspace_not_written(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    GlobalTensor<float> partial;
    partial.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace), io.n);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, sumBuffer;
    pipe.InitBuffer(xBuffer, io.n * sizeof(float));
    pipe.InitBuffer(sumBuffer, io.n * sizeof(float));
    const LocalTensor<float> x = xBuffer.Get<float>();
    const LocalTensor<float> sum = sumBuffer.Get<float>();
    if constexpr (!broken) {
        Duplicate(sum, 0.0f, io.n);
        Sync<HardEvent::V_MTE3>();
        DataCopyPad(partial, sum, Bytes(io.n));
        Sync<HardEvent::MTE3_MTE2>();
    }
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    DataCopyPad(sum, partial, Bytes(io.n), NoPad()); // FIRST(workspace_not_written)
    Sync<HardEvent::MTE2_V>();
    Add(sum, sum, x, io.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, sum, Bytes(io.n)); // FAULT(workspace_not_written): Uninitialized
}

// Reverses the first 64 elements with a table of offsets, half of which is missing.
template <bool broken>
__global__ __aicore__ void half_an_index(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, indexBuffer, resultBuffer;
    pipe.InitBuffer(xBuffer, 256);
    pipe.InitBuffer(indexBuffer, 256);
    pipe.InitBuffer(resultBuffer, 256);
    const LocalTensor<float> x = xBuffer.Get<float>();
    const LocalTensor<int32_t> index = indexBuffer.Get<int32_t>();
    const LocalTensor<float> result = resultBuffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(64), NoPad());
    CreateVecIndex(index, 0, broken ? 32 : 64);
    Muls(index, index, -4, broken ? 32 : 64);
    Adds(index, index, 63 * 4, broken ? 32 : 64);
    Sync<HardEvent::MTE2_V>();
    Gather(result, x, index.ReinterpretCast<uint32_t>(), 0, 64); // FAULT(half_an_index): Uninitialized
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, result, Bytes(64));
}

// Selects 200 elements with a mask of which only 192 bits were compared.
template <bool broken>
__global__ __aicore__ void short_mask(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, maskBuffer;
    pipe.InitBuffer(xBuffer, 1024);
    pipe.InitBuffer(maskBuffer, 32);
    const LocalTensor<float> x = xBuffer.Get<float>();
    const LocalTensor<uint8_t> chosen = maskBuffer.Get<uint8_t>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    const uint32_t whole = broken ? io.n / 64 * 64 : (io.n + 63) / 64 * 64;
    CompareScalar(chosen, x, 50.0f, CMPMODE::GE, whole);
    Select(x, chosen, x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, io.n); // FIRST(short_mask)
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, x, Bytes(io.n)); // FAULT(short_mask): Uninitialized
}

// The last element of a tile, read by its index in a full tile.
template <bool broken>
__global__ __aicore__ void scalar_of_tail(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, io.tile * sizeof(float));
    const LocalTensor<float> x = buffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_S>();
    const float last = x.GetValue((broken ? io.tile : io.n) - 1); // FAULT(scalar_of_tail): Uninitialized
    Sync<HardEvent::MTE2_V>();
    Muls(x, x, last * 0.0f + 2.0f, io.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, x, Bytes(io.n));
}

// The tail tile is copied out at the length of a full one (the output is long enough).
template <bool broken>
__global__ __aicore__ void full_tile_out(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, io.tile * sizeof(float));
    pipe.InitBuffer(out, 1, io.tile * sizeof(float));
    // Works on the first 200 elements only.
    for (uint32_t at = 0; at < 200; at += io.tile) {
        const uint32_t n = Smaller(io.tile, 200 - at);
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopyPad(x, io.gx1[at], Bytes(n), NoPad());
        in.EnQue(x);
        x = in.DeQue<float>();
        LocalTensor<float> twice = out.AllocTensor<float>();
        Muls(twice, x, 2.0f, static_cast<int32_t>(n));
        in.FreeTensor(x);
        out.EnQue(twice);
        twice = out.DeQue<float>();
        DataCopyPad(io.gy[at], twice, Bytes(broken ? io.tile : n)); // FAULT(full_tile_out): Uninitialized
        out.FreeTensor(twice);
    }
}

// The author casts the length to 16 bits himself: 14464 of 80000 bytes arrive, the rest of the tile is what it was.
template <bool broken>
__global__ __aicore__ void cast_length(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, io.n * sizeof(float));
    LocalTensor<float> x = queue.AllocTensor<float>();
    if constexpr (broken) {
        DataCopyPad(x, io.gx1, {1, static_cast<uint16_t>(io.n * sizeof(float)), 0, 0}, DataCopyPadParams());
    } else {
        DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    }
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy, x, Bytes(io.n)); // FAULT(cast_length): Uninitialized
    queue.FreeTensor(x);
}

// The compute step skips the tail that the copies handle.
template <bool broken>
__global__ __aicore__ void tail_not_computed(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, 4096);
    pipe.InitBuffer(out, 1, 4096);
    LocalTensor<float> x = in.AllocTensor<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    in.EnQue(x);
    x = in.DeQue<float>();
    LocalTensor<float> twice = out.AllocTensor<float>();
    const auto repeats = static_cast<uint8_t>(broken ? io.n / 64 : (io.n + 63) / 64);
    Muls(twice, x, 2.0f, 64, repeats, {1, 1, 8, 8});
    in.FreeTensor(x);
    out.EnQue(twice);
    twice = out.DeQue<float>();
    DataCopyPad(io.gy, twice, Bytes(io.n)); // FAULT(tail_not_computed): Uninitialized
    out.FreeTensor(twice);
}

// 256 repeats do not fit into a byte.
template <bool broken>
__global__ __aicore__ void repeat_cut_to_zero(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, resultBuffer;
    pipe.InitBuffer(xBuffer, io.n * sizeof(float));
    pipe.InitBuffer(resultBuffer, io.n * sizeof(float));
    const LocalTensor<float> x = xBuffer.Get<float>();
    const LocalTensor<float> result = resultBuffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    const uint32_t repeats = io.n / 64;
    const auto first = static_cast<uint8_t>(broken ? repeats : repeats / 2);
    Muls(result, x, 2.0f, 64, first, {1, 1, 8, 8}); // FIRST(repeat_cut_to_zero)
    if constexpr (!broken) {
        const uint32_t half = io.n / 2;
        Muls(result[half], x[half], 2.0f, 64, first, {1, 1, 8, 8});
    }
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, result, Bytes(io.n)); // FAULT(repeat_cut_to_zero): Uninitialized
}

// Comparing takes whole repeats of 64 floats and runs over the end of the buffer; the bits of what lies there are used.
template <bool broken>
__global__ __aicore__ void compared_beyond_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, maskBuffer, resultBuffer;
    pipe.InitBuffer(xBuffer, io.n * sizeof(float));
    pipe.InitBuffer(maskBuffer, 32);
    pipe.InitBuffer(resultBuffer, 512);
    const LocalTensor<float> x = xBuffer.Get<float>();
    const LocalTensor<float> result = resultBuffer.Get<float>();
    const LocalTensor<uint8_t> chosen = maskBuffer.Get<uint8_t>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    CompareScalar(chosen, x, 50.0f, CMPMODE::GE, 128); // FIRST(compared_beyond_buffer)
    Duplicate(result, 1.0f, 128);
    if constexpr (!broken) {
        Adds(result, x, 0.0f, static_cast<int32_t>(io.n));
    } else {
        Adds(result[32], x, 0.0f, static_cast<int32_t>(io.n));
    }
    // The broken one selects by the bits 32 to 127, of which 96 and up belong to nobody.
    Select(result, chosen, result, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, broken ? 128 : io.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, result[broken ? 32 : 0], Bytes(io.n)); // FAULT(compared_beyond_buffer): Uninitialized
}

// An identity matrix of 8 columns: the kernel writes its diagonal and takes the rest to be zero.
template <bool broken>
__global__ __aicore__ void diagonal_only(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> oneBuffer, zeroBuffer;
    pipe.InitBuffer(oneBuffer, 32);
    pipe.InitBuffer(zeroBuffer, io.n * sizeof(float));
    const LocalTensor<float> one = oneBuffer.Get<float>();
    const LocalTensor<float> zero = zeroBuffer.Get<float>();
    Duplicate(one, 1.0f, 8);
    Duplicate(zero, 0.0f, static_cast<int32_t>(io.n));
    Sync<HardEvent::V_MTE3>();
    if constexpr (!broken) {
        DataCopyPad(io.gy, zero, Bytes(io.n));
        PipeBarrier<PIPE_MTE3>();
    }
    for (uint32_t at = 0; at < io.n; at += 9) {
        DataCopyPad(io.gy[at], one, Bytes(1));
    }
} // FAULT(diagonal_only): OutputUnwritten

// Indices of 40 elements in the order of their scores, from two lists of 32. What fills the second list up needs a
// score that goes to the end; an index it may do without.
template <bool broken>
__global__ __aicore__ void sorted_tail(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, indexBuffer, sortedBuffer, mergedBuffer;
    pipe.InitBuffer(sortedBuffer, 512);
    pipe.InitBuffer(mergedBuffer, 512);
    pipe.InitBuffer(xBuffer, 256);
    pipe.InitBuffer(indexBuffer, 256);
    const LocalTensor<float> x = xBuffer.Get<float>();
    const LocalTensor<uint32_t> index = indexBuffer.Get<uint32_t>();
    const LocalTensor<float> sorted = sortedBuffer.Get<float>();
    const LocalTensor<float> merged = mergedBuffer.Get<float>();
    if constexpr (!broken) {
        Duplicate(x[32], -1.0f, 32);
        Sync<HardEvent::V_MTE2>();
    }
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    CreateVecIndex(index.ReinterpretCast<int32_t>(), 0, io.n);
    Sort32(sorted, x, index, 2); // FIRST(sorted_tail)
    const uint16_t lengths[4] = {32, 32, 0, 0};
    MrgSort(merged, {sorted, sorted[64], sorted, sorted}, MrgSort4Info(lengths, false, 3, 1));
    Extract(x, index, merged, 2);
    Cast(x, index.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, io.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, x, Bytes(io.n)); // FAULT(sorted_tail): Uninitialized
}
