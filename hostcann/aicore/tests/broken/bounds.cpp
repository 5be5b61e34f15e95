// Instructions that leave their buffer, the unified buffer, or the storage of a tensor.
#include "common.h"

// Two buffers each for two queues: with a third of the unified buffer for each of them the last one lies beyond it.
template <bool broken>
__global__ __aicore__ void beyond_budget(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    const uint32_t bytes = (broken ? 196352 / 3 : 196352 / 4) / 256 * 256;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, bytes);
    pipe.InitBuffer(out, 2, bytes);
    const uint32_t tile = bytes / sizeof(float);
    for (uint32_t at = 0; at < io.n; at += tile) {
        const uint32_t n = Smaller(tile, io.n - at);
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopyPad(x, io.gx1[at], Bytes(n), NoPad());
        in.EnQue(x);
        x = in.DeQue<float>();
        LocalTensor<float> twice = out.AllocTensor<float>();
        Muls(twice, x, 2.0f, static_cast<int32_t>(n)); // FAULT(beyond_budget): OutOfRange
        in.FreeTensor(x);
        out.EnQue(twice);
        twice = out.DeQue<float>();
        DataCopyPad(io.gy[at], twice, Bytes(n));
        out.FreeTensor(twice);
    }
}

// As before, with so little data that the last buffer is never used.
template <bool broken>
__global__ __aicore__ void beyond_budget_unused(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    const uint32_t bytes = (broken ? 196352 / 3 : 196352 / 4) / 256 * 256;
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> both;
    TBuf<TPosition::VECCALC> more, last;
    pipe.InitBuffer(both, 2, bytes);
    pipe.InitBuffer(more, bytes);
    pipe.InitBuffer(last, bytes); // FAULT(beyond_budget_unused): BufferSpace
    LocalTensor<float> x = both.AllocTensor<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    both.EnQue(x);
    x = both.DeQue<float>();
    Sync<HardEvent::MTE2_V>();
    Muls(x, x, 2.0f, static_cast<int32_t>(io.n));
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, x, Bytes(io.n));
    both.FreeTensor(x);
}

// Select with a tensor mask uses the last 8 KiB as scratch; a tiling that spends all bytes collides with it.
template <bool broken>
__global__ __aicore__ void reserved_area(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    const uint32_t bytes = ((broken ? 196352 : 196608 - 8192) - 2048) / 3 / 256 * 256;
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuffer, bBuffer, resultBuffer, maskBuffer;
    pipe.InitBuffer(aBuffer, bytes);
    pipe.InitBuffer(bBuffer, bytes);
    pipe.InitBuffer(resultBuffer, bytes);
    pipe.InitBuffer(maskBuffer, 2048);
    const LocalTensor<float> a = aBuffer.Get<float>();
    const LocalTensor<float> b = bBuffer.Get<float>();
    const LocalTensor<float> result = resultBuffer.Get<float>();
    const LocalTensor<uint8_t> larger = maskBuffer.Get<uint8_t>();
    DataCopyPad(a, io.gx1, Bytes(io.n), NoPad());
    DataCopyPad(b, io.gx2, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    Compare(larger, a, b, CMPMODE::GT, (io.n + 63) / 64 * 64);
    Select(result, larger, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, io.n); // FAULT(reserved_area): ReservedUb
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, result, Bytes(io.n));
}

// The buffers hold a tile; the count was rounded up to whole repeats.
template <bool broken>
__global__ __aicore__ void count_beyond_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuffer, bBuffer, sumBuffer;
    const uint32_t elements = broken ? io.n : (io.n + 63) / 64 * 64;
    pipe.InitBuffer(sumBuffer, elements * sizeof(float));
    pipe.InitBuffer(aBuffer, elements * sizeof(float));
    pipe.InitBuffer(bBuffer, elements * sizeof(float));
    const LocalTensor<float> a = aBuffer.Get<float>();
    const LocalTensor<float> b = bBuffer.Get<float>();
    const LocalTensor<float> sum = sumBuffer.Get<float>();
    DataCopyPad(a, io.gx1, Bytes(io.n), NoPad());
    DataCopyPad(b, io.gx2, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    Add(sum, a, b, static_cast<int32_t>((io.n + 63) / 64 * 64)); // FAULT(count_beyond_buffer): BufferBounds
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, sum, Bytes(io.n));
}

// Repeats of 64 floats over rows of 65.
template <bool broken>
__global__ __aicore__ void stride_beyond_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer, otherBuffer;
    pipe.InitBuffer(xBuffer, 16 * 64 * sizeof(float));
    pipe.InitBuffer(otherBuffer, 4096);
    const LocalTensor<float> x = xBuffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(1024), NoPad());
    Sync<HardEvent::MTE2_V>();
    const uint8_t stride = broken ? 9 : 8;
    Muls(x, x, 2.0f, 64, 16, {1, 1, stride, stride}); // FAULT(stride_beyond_buffer): BufferBounds
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, x, Bytes(1024));
}

// A copy longer than the buffer of the queue: the tail tile is not shortened, the first tile is not shortened either.
template <bool broken>
__global__ __aicore__ void copy_beyond_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    // The length in elements where InitBuffer wants bytes.
    pipe.InitBuffer(queue, 2, broken ? io.tile : io.tile * sizeof(float));
    for (uint32_t at = 0; at < io.n; at += io.tile) {
        const uint32_t n = Smaller(io.tile, io.n - at);
        LocalTensor<float> x = queue.AllocTensor<float>();
        DataCopyPad(x, io.gx1[at], Bytes(n), NoPad()); // FAULT(copy_beyond_buffer): BufferBounds
        queue.EnQue(x);
        x = queue.DeQue<float>();
        DataCopyPad(io.gy[at], x, Bytes(n));
        queue.FreeTensor(x);
    }
}

// One bit per element, in bytes: the mask of 1000 elements needs 125 of them, and compares run over whole repeats.
template <bool broken>
__global__ __aicore__ void mask_beyond_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> maskBuffer, aBuffer, bBuffer;
    pipe.InitBuffer(maskBuffer, broken ? io.n / 16 : io.n / 8 + 32);
    pipe.InitBuffer(aBuffer, 4096);
    pipe.InitBuffer(bBuffer, 4096);
    const LocalTensor<float> a = aBuffer.Get<float>();
    const LocalTensor<float> b = bBuffer.Get<float>();
    const LocalTensor<uint8_t> larger = maskBuffer.Get<uint8_t>();
    DataCopyPad(a, io.gx1, Bytes(io.n), NoPad());
    DataCopyPad(b, io.gx2, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    Compare(larger, a, b, CMPMODE::GT, 1024); // FAULT(mask_beyond_buffer): BufferBounds
    Select(a, larger, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, io.n);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, a, Bytes(io.n));
}

// The work buffer of a reduction: one element per repeat.
template <bool broken>
__global__ __aicore__ void work_beyond_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> workBuffer, xBuffer, resultBuffer;
    pipe.InitBuffer(workBuffer, broken ? 32 : 128);
    pipe.InitBuffer(xBuffer, 4096);
    pipe.InitBuffer(resultBuffer, 32);
    const LocalTensor<float> x = xBuffer.Get<float>();
    const LocalTensor<float> result = resultBuffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_V>();
    const LocalTensor<float> work = workBuffer.Get<float>();
    ReduceMax(result, x, work, static_cast<int32_t>(io.n)); // FAULT(work_beyond_buffer): BufferBounds
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, result, Bytes(1));
}

// A scalar behind the last buffer.
template <bool broken>
__global__ __aicore__ void scalar_beyond_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(64), NoPad());
    Sync<HardEvent::MTE2_S>();
    x.SetValue(broken ? 64 : 63, -1.0f); // FAULT(scalar_beyond_buffer): BufferBounds
    Sync<HardEvent::S_MTE3>();
    DataCopyPad(io.gy, x, Bytes(64));
}

// The tail tile is stored at the length of a full tile, past the end of the output.
template <bool broken>
__global__ __aicore__ void store_beyond_tensor(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, io.tile * sizeof(float));
    pipe.InitBuffer(out, 2, io.tile * sizeof(float));
    for (uint32_t at = 0; at < io.n; at += io.tile) {
        const uint32_t n = Smaller(io.tile, io.n - at);
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopyPad(x, io.gx1[at], Bytes(n), NoPad());
        in.EnQue(x);
        x = in.DeQue<float>();
        LocalTensor<float> twice = out.AllocTensor<float>();
        Duplicate(twice, 0.0f, static_cast<int32_t>(io.tile));
        Muls(twice, x, 2.0f, static_cast<int32_t>(n));
        in.FreeTensor(x);
        out.EnQue(twice);
        twice = out.DeQue<float>();
        DataCopyPad(io.gy[at], twice, Bytes(broken ? io.tile : n)); // FAULT(store_beyond_tensor): GmBounds
        out.FreeTensor(twice);
    }
}

// Every core reads as much as the first one; the last one runs past the end of the input.
template <bool broken>
__global__ __aicore__ void load_beyond_tensor(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    const Part part = PartOf(io.n, 64);
    const auto cores = static_cast<uint32_t>(GetBlockNum());
    const uint32_t each = ((io.n + 63) / 64 + cores - 1) / cores * 64;
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, each * sizeof(float));
    LocalTensor<float> x = queue.AllocTensor<float>();
    const DataCopyExtParams in = Bytes(broken ? each : part.length);
    DataCopyPad(x, io.gx1[part.from], in, NoPad()); // FAULT(load_beyond_tensor): GmBounds
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy[part.from], x, Bytes(part.length));
    queue.FreeTensor(x);
}

// The scalar unit leaves the tensor as well.
template <bool broken>
__global__ __aicore__ void scalar_beyond_tensor(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> row = buffer.Get<float>();
    const float last = io.gx1.GetValue(broken ? io.n + 16 : io.n - 1); // FAULT(scalar_beyond_tensor): GmBounds
    Duplicate(row, last, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, row, Bytes(64));
}

// Writes its result over the first input.
template <bool broken>
__global__ __aicore__ void store_into_input(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> x = buffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(64), NoPad());
    Sync<HardEvent::MTE2_V>();
    Muls(x, x, 2.0f, 64);
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(broken ? io.gx1 : io.gy, x, Bytes(64)); // FAULT(store_into_input): GmBounds
}
