// Limits of single instructions: alignment, counts, repeats, strides, masks, paddings. One core, one tile, TBufs; the
// operators differ in what they do between CopyIn and CopyOut.
#include "common.h"

namespace {

// CopyIn and CopyOut of an operator whose tensors fit into the unified buffer.
class OneTile {
public:
    __aicore__ inline OneTile(TPipe* pipe, GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR tiling, uint32_t scratchBytes)
    {
        GET_TILING_DATA_WITH_STRUCT(BrokenTiling, tilingData, tiling);
        n = tilingData.length;
        gx1.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), n);
        gx2.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x2), n);
        gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), n);
        const uint32_t bytes = (n + 63) / 64 * 256;
        pipe->InitBuffer(aBuffer_, bytes);
        pipe->InitBuffer(bBuffer_, bytes);
        pipe->InitBuffer(resultBuffer_, bytes);
        pipe->InitBuffer(scratch, scratchBytes);
        a = aBuffer_.Get<float>();
        b = bBuffer_.Get<float>();
        result = resultBuffer_.Get<float>();
    }
    __aicore__ inline void CopyIn()
    {
        DataCopyPad(a, gx1, Bytes(n), {false, 0, 0, 0.0f});
        DataCopyPad(b, gx2, Bytes(n), {false, 0, 0, 0.0f});
        Sync<HardEvent::MTE2_V>();
    }
    __aicore__ inline void CopyOut()
    {
        Sync<HardEvent::V_MTE3>();
        DataCopyPad(gy, result, Bytes(n));
    }

    uint32_t n;
    GlobalTensor<float> gx1, gx2, gy;
    LocalTensor<float> a, b, result;
    TBuf<TPosition::VECCALC> scratch;

private:
    TBuf<TPosition::VECCALC> aBuffer_, bBuffer_, resultBuffer_;
};

} // namespace

// Ten rows of a matrix, one Add per row. In the buffer every row starts on a 32-byte boundary.
template <bool broken>
__global__ __aicore__ void row_pitch(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 3 * 4480);
    const uint32_t columns = 100, pitch = 104, rows = op.n / columns;
    const DataCopyExtParams copy{static_cast<uint16_t>(rows), columns * 4, 0, 0, 0};
    const LocalTensor<float> a = op.scratch.GetWithOffset<float>(rows * pitch, 0);
    const LocalTensor<float> b = op.scratch.GetWithOffset<float>(rows * pitch, 4480);
    const LocalTensor<float> sum = op.scratch.GetWithOffset<float>(rows * pitch, 2 * 4480);
    DataCopyPad(a, op.gx1, copy, {false, 0, 0, 0.0f});
    DataCopyPad(b, op.gx2, copy, {false, 0, 0, 0.0f});
    Sync<HardEvent::MTE2_V>();
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t at = row * (broken ? columns : pitch);
        Add(sum[at], a[at], b[at], columns); // FAULT(row_pitch): Alignment
    }
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(op.gy, sum, copy);
}

// The tail of a tensor that is no multiple of 32 bytes.
template <bool broken>
__global__ __aicore__ void dropped_tail(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 32);
    op.CopyIn();
    Add(op.result, op.a, op.b, op.n);
    Sync<HardEvent::V_MTE3>();
    if constexpr (broken) {
        DataCopy(op.gy, op.result, op.n); // FAULT(dropped_tail): Argument
    } else {
        DataCopyPad(op.gy, op.result, Bytes(op.n));
    }
}
template <bool broken>
__global__ __aicore__ void dropped_tail_in(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 32);
    if constexpr (broken) {
        DataCopy(op.a, op.gx1, op.n); // FAULT(dropped_tail_in): Argument
        Sync<HardEvent::MTE2_V>();
    }
    op.CopyIn();
    Add(op.result, op.a, op.b, op.n);
    op.CopyOut();
}

// x1 where it is at least 50, else x2.
template <bool broken>
__global__ __aicore__ void compare_tail(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 256);
    const LocalTensor<uint8_t> chosen = op.scratch.Get<uint8_t>();
    op.CopyIn();
    const uint32_t count = broken ? op.n : (op.n + 63) / 64 * 64;
    CompareScalar(chosen, op.a, 50.0f, CMPMODE::GE, count); // FAULT(compare_tail): Argument
    Select(op.result, chosen, op.a, op.b, SELMODE::VSEL_TENSOR_TENSOR_MODE, op.n);
    op.CopyOut();
}

// Through a narrower type and back. The small integers of the inputs survive all of them.
template <bool broken>
__global__ __aicore__ void cast_none_bf16(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 4096);
    const LocalTensor<bfloat16_t> narrow = op.scratch.Get<bfloat16_t>();
    op.CopyIn();
    Cast(narrow, op.a, broken ? RoundMode::CAST_NONE : RoundMode::CAST_RINT, op.n); // FAULT(cast_none_bf16): CastMode
    Cast(op.result, narrow, RoundMode::CAST_NONE, op.n);
    op.CopyOut();
}
template <bool broken>
__global__ __aicore__ void cast_none_int32(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 4096);
    const LocalTensor<int32_t> whole = op.scratch.Get<int32_t>();
    op.CopyIn();
    Cast(whole, op.a, broken ? RoundMode::CAST_NONE : RoundMode::CAST_TRUNC, op.n); // FAULT(cast_none_int32): CastMode
    Cast(op.result, whole, RoundMode::CAST_NONE, op.n);
    op.CopyOut();
}
template <bool broken>
__global__ __aicore__ void cast_none_int16(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 8192);
    const LocalTensor<half> narrow = op.scratch.GetWithOffset<half>(2048, 0);
    const LocalTensor<int16_t> whole = op.scratch.GetWithOffset<int16_t>(2048, 4096);
    op.CopyIn();
    Cast(narrow, op.a, RoundMode::CAST_NONE, op.n);
    Cast(whole, narrow, broken ? RoundMode::CAST_NONE : RoundMode::CAST_RINT, op.n); // FAULT(cast_none_int16): CastMode
    Cast(op.result, whole, RoundMode::CAST_NONE, op.n);
    op.CopyOut();
}

// int32 to half multiplies with a scale that has to be set.
template <bool broken>
__global__ __aicore__ void no_deq_scale(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 8192);
    const LocalTensor<int32_t> whole = op.scratch.GetWithOffset<int32_t>(1024, 0);
    const LocalTensor<half> narrow = op.scratch.GetWithOffset<half>(1024, 4096);
    op.CopyIn();
    Cast(whole, op.a, RoundMode::CAST_RINT, op.n);
    if constexpr (!broken) {
        SetDeqScale(static_cast<half>(1.0f));
    }
    Cast(narrow, whole, RoundMode::CAST_NONE, op.n); // FAULT(no_deq_scale): Argument
    Cast(op.result, narrow, RoundMode::CAST_NONE, op.n);
    op.CopyOut();
}

// x1 * 2^k on integers, with the shift distance from an unsigned difference.
template <bool broken>
__global__ __aicore__ void shift_distance(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 4096);
    const LocalTensor<int32_t> whole = op.scratch.Get<int32_t>();
    op.CopyIn();
    Cast(whole, op.a, RoundMode::CAST_RINT, op.n);
    const int32_t distance = broken ? 1 - 4 : 4 - 1;
    ShiftLeft(whole, whole, distance, op.n); // FAULT(shift_distance): Argument
    Cast(op.result, whole, RoundMode::CAST_NONE, op.n);
    op.CopyOut();
}

// int32 compares for equality only.
template <bool broken>
__global__ __aicore__ void compare_int(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 4096 + 256);
    const LocalTensor<int32_t> whole = op.scratch.GetWithOffset<int32_t>(1024, 0);
    const LocalTensor<uint8_t> chosen = op.scratch.GetWithOffset<uint8_t>(256, 4096);
    op.CopyIn();
    const uint32_t count = (op.n + 63) / 64 * 64;
    if constexpr (broken) {
        Cast(whole, op.a, RoundMode::CAST_RINT, op.n);
        CompareScalar(chosen, whole, 50, CMPMODE::GE, count); // FAULT(compare_int): Dtype
    } else {
        CompareScalar(chosen, op.a, 50.0f, CMPMODE::GE, count);
    }
    Select(op.result, chosen, op.a, op.b, SELMODE::VSEL_TENSOR_TENSOR_MODE, op.n);
    op.CopyOut();
}

// y[i] = x1[0]: a gather whose offsets count elements, where the instruction wants bytes.
template <bool broken>
__global__ __aicore__ void gather_offsets(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 4096);
    const LocalTensor<int32_t> offsets = op.scratch.Get<int32_t>();
    op.CopyIn();
    CreateVecIndex(offsets, 0, op.n);
    if constexpr (!broken) {
        Muls(offsets, offsets, 4, op.n);
    }
    Gather(op.result, op.a, offsets.ReinterpretCast<uint32_t>(), 0, op.n); // FAULT(gather_offsets): Alignment
    op.CopyOut();
}

// A scalar second operand needs the scalar mode.
template <bool broken>
__global__ __aicore__ void select_mode(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 256);
    const LocalTensor<uint8_t> chosen = op.scratch.Get<uint8_t>();
    op.CopyIn();
    CompareScalar(chosen, op.a, 50.0f, CMPMODE::GE, (op.n + 63) / 64 * 64);
    const SELMODE mode = broken ? SELMODE::VSEL_TENSOR_TENSOR_MODE : SELMODE::VSEL_TENSOR_SCALAR_MODE;
    Select(op.result, chosen, op.a, 0.0f, mode, op.n); // FAULT(select_mode): Argument
    op.CopyOut();
}

// The blocks of Brcb must not all land on the first one.
template <bool broken>
__global__ __aicore__ void brcb_stride(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 2 * 32 * 8);
    const LocalTensor<float> rows = op.scratch.Get<float>();
    op.CopyIn();
    const uint16_t step = broken ? 0 : 1;
    Brcb(rows, op.b, 2, {step, 8}); // FAULT(brcb_stride): Argument
    // Row r of 64 elements gets x2[r] added.
    Add(op.result, op.a, rows, 64, static_cast<uint8_t>(op.n / 64), {1, 1, 0, 8, 8, 1});
    op.CopyOut();
}

// The length of the tail, computed from one tile too many.
template <bool broken>
__global__ __aicore__ void negative_count(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, x2, y, tiling, 32);
    op.CopyIn();
    const int32_t tile = 256, n = static_cast<int32_t>(op.n), tiles = (n + tile - 1) / tile;
    const int32_t tail = n - (broken ? tiles : tiles - 1) * tile;
    for (int32_t i = 0; i < tiles; ++i) {
        const int32_t count = i + 1 < tiles ? tile : tail;
        Add(op.result[i * tile], op.a[i * tile], op.b[i * tile], count); // FAULT(negative_count): Argument
    }
    op.CopyOut();
}

// An optional second input that is absent.
template <bool broken>
__global__ __aicore__ void absent_input(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    OneTile op(&pipe, x1, nullptr, y, tiling, 32);
    DataCopyPad(op.a, op.gx1, Bytes(op.n), {false, 0, 0, 0.0f});
    if constexpr (broken) {
        DataCopyPad(op.b, op.gx2, Bytes(op.n), {false, 0, 0, 0.0f}); // FAULT(absent_input): NullPointer
    }
    Sync<HardEvent::MTE2_V>();
    Adds(op.result, op.a, 0.0f, op.n);
    op.CopyOut();
}
