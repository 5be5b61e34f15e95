// Missing order in other shapes: two writers of one buffer, copies without computation, round trips through global
// memory, and queues used out of order.
#include "common.h"

// A buffer filled with -1 before a shorter row is copied over it.
template <bool broken>
__global__ __aicore__ void fill_then_copy(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, io.n * sizeof(float));
    const LocalTensor<float> row = buffer.Get<float>();
    Duplicate(row, -1.0f, io.n); // FIRST(fill_then_copy)
    if constexpr (!broken) {
        Sync<HardEvent::V_MTE2>();
    }
    DataCopyPad(row, io.gx1, Bytes(io.n - 24), NoPad()); // FAULT(fill_then_copy): Race
    Sync<HardEvent::V_MTE3>();
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy, row, Bytes(io.n));
}

// A row copied in, then zeros over its second half.
template <bool broken>
__global__ __aicore__ void copy_then_fill(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, io.n * sizeof(float));
    const LocalTensor<float> row = buffer.Get<float>();
    DataCopyPad(row, io.gx1, Bytes(io.n), NoPad()); // FIRST(copy_then_fill)
    if constexpr (!broken) {
        Sync<HardEvent::MTE2_V>();
    }
    Duplicate(row[io.n / 2], 0.0f, io.n / 2); // FAULT(copy_then_fill): Race
    Sync<HardEvent::V_MTE3>();
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy, row, Bytes(io.n));
}

// Copies one tensor to another, tile by tile, without a queue.
template <bool broken>
__global__ __aicore__ void copy_through(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECIN> buffer;
    pipe.InitBuffer(buffer, io.tile * sizeof(float));
    const LocalTensor<float> x = buffer.Get<float>();
    for (uint32_t at = 0; at < io.n; at += io.tile) {
        const uint32_t n = Smaller(io.tile, io.n - at);
        if (at > 0) {
            Sync<HardEvent::MTE3_MTE2>();
        }
        DataCopyPad(x, io.gx1[at], Bytes(n), NoPad()); // FIRST(copy_through)
        if constexpr (!broken) {
            Sync<HardEvent::MTE2_MTE3>();
        }
        DataCopyPad(io.gy[at], x, Bytes(n)); // FAULT(copy_through): Race
    }
}
template <bool broken>
__global__ __aicore__ void copy_through_again(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECIN> buffer;
    pipe.InitBuffer(buffer, io.tile * sizeof(float));
    const LocalTensor<float> x = buffer.Get<float>();
    for (uint32_t at = 0; at < io.n; at += io.tile) {
        const uint32_t n = Smaller(io.tile, io.n - at);
        if (!broken && at > 0) {
            Sync<HardEvent::MTE3_MTE2>();
        }
        DataCopyPad(x, io.gx1[at], Bytes(n), NoPad()); // FAULT(copy_through_again): Race
        Sync<HardEvent::MTE2_MTE3>();
        DataCopyPad(io.gy[at], x, Bytes(n)); // FIRST(copy_through_again)
    }
}

// Two copies into one buffer: the second one replaces the head of the first.
template <bool broken>
__global__ __aicore__ void patch_head(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, io.n * sizeof(float));
    LocalTensor<float> x = queue.AllocTensor<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad()); // FIRST(patch_head)
    if constexpr (!broken) {
        PipeBarrier<PIPE_MTE2>();
    }
    DataCopyPad(x, io.gx2, Bytes(64), NoPad()); // FAULT(patch_head): Race
    queue.EnQue(x);
    x = queue.DeQue<float>();
    DataCopyPad(io.gy, x, Bytes(io.n));
    queue.FreeTensor(x);
}

// Zeros the output, then writes the first half of it.
template <bool broken>
__global__ __aicore__ void zero_then_write(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> zeroBuffer, buffer;
    pipe.InitBuffer(zeroBuffer, io.n * sizeof(float));
    pipe.InitBuffer(buffer, io.n * sizeof(float));
    const LocalTensor<float> zero = zeroBuffer.Get<float>();
    const LocalTensor<float> x = buffer.Get<float>();
    Duplicate(zero, 0.0f, io.n);
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::V_MTE3>();
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy, zero, Bytes(io.n)); // FIRST(zero_then_write)
    if constexpr (!broken) {
        PipeBarrier<PIPE_MTE3>();
    }
    DataCopyPad(io.gy, x, Bytes(io.n / 2)); // FAULT(zero_then_write): Race
}

// A partial result that goes through the workspace and comes back.
template <bool broken>
__global__ __aicore__ void workspace_round_trip(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    GlobalTensor<float> partial;
    partial.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace), io.n);
    TPipe pipe;
    TBuf<TPosition::VECCALC> firstBuffer, secondBuffer;
    pipe.InitBuffer(firstBuffer, io.n * sizeof(float));
    pipe.InitBuffer(secondBuffer, io.n * sizeof(float));
    const LocalTensor<float> first = firstBuffer.Get<float>();
    const LocalTensor<float> second = secondBuffer.Get<float>();
    DataCopyPad(first, io.gx1, Bytes(io.n), NoPad());
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(partial, first, Bytes(io.n)); // FIRST(workspace_round_trip)
    if constexpr (!broken) {
        Sync<HardEvent::MTE3_MTE2>();
    }
    DataCopyPad(second, partial, Bytes(io.n), NoPad()); // FAULT(workspace_round_trip): Race
    Sync<HardEvent::MTE2_MTE3>();
    DataCopyPad(io.gy, second, Bytes(io.n));
}

// Doubles a tensor in place. The tail tile steps back to a full tile: it reads elements that are already doubled.
template <bool broken>
__global__ __aicore__ void step_back_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, io.tile * sizeof(float));
    pipe.InitBuffer(out, 2, io.tile * sizeof(float));
    // The output starts as a copy of the input.
    for (uint32_t pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < io.n; i += io.tile) {
            const bool last = i + io.tile > io.n;
            const uint32_t at = broken && pass == 1 && last ? io.n - io.tile : i;
            const uint32_t n = Smaller(io.tile, io.n - at);
            LocalTensor<float> x = in.AllocTensor<float>();
            DataCopyPad(x, (pass == 0 ? io.gx1 : io.gy)[at], Bytes(n), NoPad()); // FAULT(step_back_in_place): Race
            in.EnQue(x);
            x = in.DeQue<float>();
            LocalTensor<float> twice = out.AllocTensor<float>();
            Muls(twice, x, pass == 0 ? 1.0f : 2.0f, static_cast<int32_t>(n));
            in.FreeTensor(x);
            out.EnQue(twice);
            twice = out.DeQue<float>();
            DataCopyPad(io.gy[at], twice, Bytes(n)); // FIRST(step_back_in_place)
            out.FreeTensor(twice);
        }
        if (pass == 0) {
            Sync<HardEvent::MTE3_MTE2>();
        }
    }
}

// Uses the tensor of AllocTensor after EnQue: only DeQue waits for the copy.
template <bool broken>
__global__ __aicore__ void no_deque(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, io.n * sizeof(float));
    pipe.InitBuffer(out, 1, io.n * sizeof(float));
    LocalTensor<float> x = in.AllocTensor<float>();
    LocalTensor<float> twice = out.AllocTensor<float>();
    DataCopyPad(x, io.gx1, Bytes(io.n), NoPad()); // FIRST(no_deque)
    in.EnQue(x);
    if constexpr (!broken) {
        x = in.DeQue<float>();
    }
    Muls(twice, x, 2.0f, static_cast<int32_t>(io.n)); // FAULT(no_deque): Race
    if constexpr (broken) {
        x = in.DeQue<float>();
    }
    in.FreeTensor(x);
    out.EnQue(twice);
    twice = out.DeQue<float>();
    DataCopyPad(io.gy, twice, Bytes(io.n));
    out.FreeTensor(twice);
}

// Frees the input before its last use: the copy of the tile after the next one may overwrite it.
template <bool broken>
__global__ __aicore__ void freed_too_early(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
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
        if constexpr (broken) {
            in.FreeTensor(x); // FIRST(freed_too_early)
        }
        Muls(twice, x, 2.0f, static_cast<int32_t>(n)); // FAULT(freed_too_early): Freed
        if constexpr (!broken) {
            in.FreeTensor(x);
        }
        out.EnQue(twice);
        twice = out.DeQue<float>();
        DataCopyPad(io.gy[at], twice, Bytes(n));
        out.FreeTensor(twice);
    }
}

// Frees the output before it is copied out: the computation of a later tile may overwrite it.
template <bool broken>
__global__ __aicore__ void freed_before_copy_out(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Io io(x1, x2, y, tiling);
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, io.tile * sizeof(float));
    pipe.InitBuffer(out, 1, io.tile * sizeof(float));
    for (uint32_t at = 0; at < io.n; at += io.tile) {
        const uint32_t n = Smaller(io.tile, io.n - at);
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopyPad(x, io.gx1[at], Bytes(n), NoPad());
        in.EnQue(x);
        x = in.DeQue<float>();
        LocalTensor<float> twice = out.AllocTensor<float>();
        Muls(twice, x, 2.0f, static_cast<int32_t>(n));
        in.FreeTensor(x);
        out.EnQue(twice);
        twice = out.DeQue<float>();
        if constexpr (broken) {
            out.FreeTensor(twice); // FIRST(freed_before_copy_out)
        }
        DataCopyPad(io.gy[at], twice, Bytes(n)); // FAULT(freed_before_copy_out): Freed
        if constexpr (!broken) {
            out.FreeTensor(twice);
        }
    }
}
