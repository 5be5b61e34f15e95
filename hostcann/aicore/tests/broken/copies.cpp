// Limits of copies, and lengths that the older 16-bit structs and 8-bit parameters cut off without a message.
#include "common.h"

// A column of a matrix, one block per element: more blocks than one call may have.
template <bool broken>
__global__ __aicore__ void too_many_blocks(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, io.n * 32);
    const LocalTensor<float> column = buffer.Get<float>();
    const uint32_t most = broken ? io.n : 4000;
    for (uint32_t at = 0; at < io.n; at += most) {
        const DataCopyExtParams blocks{static_cast<uint16_t>(Smaller(io.n - at, most)), 4, 0, 0, 0};
        DataCopyPad(column[at * 8], io.gx1[at], blocks, {false, 0, 0, 0.0f}); // FAULT(too_many_blocks): Argument
    }
    Sync<HardEvent::MTE2_MTE3>();
    for (uint32_t at = 0; at < io.n; at += 4000) {
        DataCopyPad(io.gy[at], column[at * 8], {static_cast<uint16_t>(Smaller(io.n - at, 4000)), 4, 0, 0, 0});
    }
}

// blockLen counts bytes.
template <bool broken>
__global__ __aicore__ void length_in_elements(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, io.n * sizeof(float));
    LocalTensor<float> x = queue.AllocTensor<float>();
    DataCopyExtParams copy{1, io.n, 0, 0, 0};
    if constexpr (!broken) {
        copy.blockLen *= sizeof(float);
    }
    DataCopyPad(x, io.gx1, copy, {false, 0, 0, 0.0f}); // FAULT(length_in_elements): Argument
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy, x, copy);
    queue.FreeTensor(x);
}

// A shape that was never split into tiles.
template <bool broken>
__global__ __aicore__ void whole_tensor(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    const uint32_t tile = 16384;
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, tile * sizeof(float));
    for (uint32_t at = 0; at < io.n; at += tile) {
        const uint32_t n = broken ? io.n : Smaller(io.n - at, tile);
        LocalTensor<float> x = queue.AllocTensor<float>();
        DataCopyPad(x, io.gx1[at], Bytes(n), {false, 0, 0, 0.0f}); // FAULT(whole_tensor): Argument
        queue.EnQue(x);
        x = queue.DeQue<float>();
        DataCopyPad(io.gy[at], x, Bytes(n));
        queue.FreeTensor(x);
    }
}

// A row of 50 floats, padded with -1 to 64: a pad holds 32 bytes at most.
template <bool broken>
__global__ __aicore__ void long_padding(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    const LocalTensor<float> row = buffer.Get<float>();
    const uint32_t columns = 50;
    if constexpr (!broken) {
        Duplicate(row, -1.0f, 64);
        Sync<HardEvent::V_MTE2>();
    }
    const DataCopyPadExtParams<float> pad{true, 0, broken ? 14 : 6, -1.0f};
    DataCopyPad(row, io.gx1, {1, columns * 4, 0, 0, 0}, pad); // FAULT(long_padding): Argument
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy, row, Bytes(64));
}

// 64-bit elements pad with zero only.
template <bool broken>
__global__ __aicore__ void wide_padding(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096);
    const LocalTensor<int64_t> pairs = buffer.Get<int64_t>();
    const DataCopyPadExtParams<int64_t> pad{true, 0, 1, broken ? -1 : 0};
    // 31 elements of 8 bytes are 62 floats.
    DataCopyPad(pairs, io.gx1.ReinterpretCast<int64_t>(), {1, 31 * 8, 0, 0, 0}, pad); // FAULT(wide_padding): Argument
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy.ReinterpretCast<int64_t>(), pairs, {1, 32 * 8, 0, 0, 0});
}

// 80000 bytes in a field of 16 bits: 14464 of them arrive.
template <bool broken>
__global__ __aicore__ void length_of_16_bits(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, io.n * sizeof(float));
    LocalTensor<float> x = queue.AllocTensor<float>();
    if constexpr (broken) {
        DataCopyParams copy;
        copy.blockLen = io.n * sizeof(float);
        DataCopyPad(x, io.gx1, copy, DataCopyPadParams()); // FAULT(length_of_16_bits): Argument
    } else {
        DataCopyPad(x, io.gx1, Bytes(io.n), {false, 0, 0, 0.0f});
    }
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy, x, Bytes(io.n));
    queue.FreeTensor(x);
}

// Two rows whose gap in bytes does not fit 16 bits.
template <bool broken>
__global__ __aicore__ void gap_of_16_bits(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 4096);
    const LocalTensor<float> rows = buffer.Get<float>();
    // Rows of 64 floats that lie n/2 floats apart.
    const uint32_t gap = (io.n / 2 - 64) * sizeof(float);
    if constexpr (broken) {
        DataCopyParams copy(2, 256, 0, 0);
        copy.srcStride = gap;
        DataCopyPad(rows, io.gx1, copy, DataCopyPadParams()); // FAULT(gap_of_16_bits): Argument
    } else {
        DataCopyPad(rows, io.gx1, {2, 256, gap, 0, 0}, {false, 0, 0, 0.0f});
    }
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy, rows, Bytes(128));
}

// 256 repeats of 64 floats in a parameter of 8 bits are none at all.
template <bool broken>
__global__ __aicore__ void repeats_of_8_bits(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, io.n * sizeof(float));
    const LocalTensor<float> x = buffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), {false, 0, 0, 0.0f});
    Sync<HardEvent::MTE2_V>();
    const uint32_t most = broken ? io.n / 64 : 255;
    for (uint32_t at = 0; at < io.n / 64; at += most) {
        const uint32_t repeats = Smaller(io.n / 64 - at, most);
        Adds(x[at * 64], x[at * 64], 1.0f, 64, repeats, {1, 1, 8, 8}); // FAULT(repeats_of_8_bits): Argument
    }
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, x, Bytes(io.n));
}

// Adds the first row to every row of a matrix whose rows are 264 blocks apart.
template <bool broken>
__global__ __aicore__ void stride_of_8_bits(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, io.n * sizeof(float));
    const LocalTensor<float> x = buffer.Get<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), {false, 0, 0, 0.0f});
    Sync<HardEvent::MTE2_V>();
    const uint32_t columns = 2112, rows = io.n / columns;
    if constexpr (broken) {
        BinaryRepeatParams strides;
        strides.dstRepStride = columns / 8;
        strides.src0RepStride = columns / 8;
        strides.src1RepStride = 0;
        Add(x[columns], x[columns], x, 64, rows - 1, strides); // FAULT(stride_of_8_bits): Argument
    } else {
        for (uint32_t row = 1; row < rows; ++row) {
            Add(x[row * columns], x[row * columns], x, 64);
        }
    }
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(io.gy, x, Bytes(io.n));
}

namespace {

// A buffer of 2 KiB and one of 16 KiB after it: what leaves the first is silent on a device.
struct Pads {
    __aicore__ inline explicit Pads(TPipe* pipe)
    {
        pipe->InitBuffer(xBuffer, 2048);
        pipe->InitBuffer(restBuffer, 16384);
        x = xBuffer.Get<float>();
        rest = restBuffer.Get<float>();
    }
    TBuf<TPosition::VECCALC> xBuffer, restBuffer;
    LocalTensor<float> x, rest;
};

} // namespace

// blockLen of DataCopy counts blocks of 32 bytes: 256 of them are 8 KiB.
template <bool broken>
__global__ __aicore__ void block_in_bytes(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    Pads pads(&pipe);
    DataCopy(pads.x, io.gx1, DataCopyParams{1, broken ? 256 : 8, 0, 0}); // FAULT(block_in_bytes): BufferBounds
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(io.gy, pads.x, 64);
}

template <bool broken>
__global__ __aicore__ void block_out_in_bytes(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    Pads pads(&pipe);
    DataCopy(pads.rest, io.gx1, 64);
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(io.gy, pads.rest, DataCopyParams{1, broken ? 256 : 8, 0, 0}); // FAULT(block_out_in_bytes): GmBounds
}

// Two rows of 128 bytes, 256 bytes apart in the buffer: a gap of 8 blocks.
template <bool broken>
__global__ __aicore__ void gap_in_bytes(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    Pads pads(&pipe);
    DataCopy(pads.x, io.gx1, DataCopyParams{2, 4, 0, broken ? 256 : 8}); // FAULT(gap_in_bytes): BufferBounds
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(io.gy, pads.x, DataCopyParams{2, 4, 8, 0});
}

// The same in global memory.
template <bool broken>
__global__ __aicore__ void gap_of_rows_in_bytes(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    Pads pads(&pipe);
    DataCopy(pads.x, io.gx1, DataCopyParams{2, 4, broken ? 256 : 8, 0}); // FAULT(gap_of_rows_in_bytes): GmBounds
    Sync<HardEvent::MTE2_MTE3>();
    DataCopy(io.gy, pads.x, 64);
}
