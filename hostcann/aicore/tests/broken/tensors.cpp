// Operands that begin beyond the end of their own tensor, or leave it, where another tensor lies: nothing on the device
// notices. The right twins do what is legal with lengths, types and parts of a tensor.
#include "common.h"

namespace {

constexpr uint32_t ROW = 256;

// Two rows of 1024 bytes, one after the other.
struct Rows {
    __aicore__ inline Rows(TPipe* pipe, GM_ADDR x1, GM_ADDR x2, GM_ADDR y)
    {
        gx1.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), ROW);
        gx2.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x2), ROW);
        gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), ROW);
        pipe->InitBuffer(xBuffer, ROW * sizeof(float));
        pipe->InitBuffer(otherBuffer, ROW * sizeof(float));
        x = xBuffer.Get<float>();
        other = otherBuffer.Get<float>();
        DataCopy(x, gx1, ROW);
        DataCopy(other, gx2, ROW);
        Sync<HardEvent::MTE2_S>();
        Sync<HardEvent::MTE2_V>();
    }
    __aicore__ inline void CopyOut(const LocalTensor<float>& result)
    {
        Sync<HardEvent::V_MTE3>();
        DataCopy(gy, result, 64);
    }
    TBuf<TPosition::VECCALC> xBuffer, otherBuffer;
    GlobalTensor<float> gx1, gx2, gy;
    LocalTensor<float> x, other;
};

} // namespace

#define KERNEL(name)       \
    template <bool broken> \
    __global__ __aicore__ void name(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)

KERNEL(source_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    Muls(rows.other, rows.x[broken ? ROW : 0], 2.0f, 64); // FAULT(source_at_end): BufferBounds
    rows.CopyOut(rows.other);
}

KERNEL(result_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    Muls(rows.x[broken ? ROW : 64], rows.x, 2.0f, 64); // FAULT(result_at_end): BufferBounds
    rows.CopyOut(rows.x[64]);
}

KERNEL(result_far_beyond)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    Muls(rows.x[broken ? ROW + 64 : 0], rows.x, 2.0f, 64); // FAULT(result_far_beyond): BufferBounds
    rows.CopyOut(rows.x);
}

// A tile index that counts from one: offset - 8 is a large number.
KERNEL(result_before_begin)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    const uint32_t offset = broken ? 0 : 8;
    Muls(rows.other[offset - 8], rows.x, 2.0f, 64); // FAULT(result_before_begin): BufferBounds
    rows.CopyOut(rows.other);
}

KERNEL(copied_out_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    Muls(rows.x, rows.x, 2.0f, ROW);
    Sync<HardEvent::V_MTE3>();
    DataCopy(rows.gy, rows.x[broken ? ROW : 0], 64); // FAULT(copied_out_at_end): BufferBounds
}

KERNEL(copied_in_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    DataCopyPad(rows.x[broken ? ROW : ROW - 8], rows.gx1, Bytes(5), NoPad()); // FAULT(copied_in_at_end): BufferBounds
    Sync<HardEvent::MTE2_V>();
    Muls(rows.x, rows.x, 2.0f, 64);
    // Of no length: never an access.
    Muls(rows.x[ROW], rows.x, 2.0f, 0);
    rows.CopyOut(rows.x);
}

KERNEL(value_read_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    const float two = rows.x.GetValue(broken ? ROW : 1); // FAULT(value_read_at_end): BufferBounds
    Muls(rows.other, rows.x, two, 64);
    rows.CopyOut(rows.other);
}

KERNEL(value_set_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    rows.x.SetValue(broken ? ROW : ROW - 1, 1.0f); // FAULT(value_set_at_end): BufferBounds
    Muls(rows.other, rows.x, 2.0f, 64);
    rows.CopyOut(rows.other);
}

KERNEL(value_before_begin)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    const uint32_t last = broken ? 0 : 2;
    const float two = rows.other.GetValue(last - 1); // FAULT(value_before_begin): BufferBounds
    Muls(rows.other, rows.x, two - 1.0f, 64);
    rows.CopyOut(rows.other);
}

// Half of a TBuf, and what lies in the other half.
KERNEL(leaves_its_part)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    const LocalTensor<float> left = rows.otherBuffer.Get<float>(32);
    const LocalTensor<float> right = rows.otherBuffer.GetWithOffset<float>(32, 128);
    Muls(right, rows.x[32], 2.0f, 32);
    Muls(left, rows.x, 2.0f, broken ? 64 : 32); // FAULT(leaves_its_part): BufferBounds
    rows.CopyOut(rows.otherBuffer.Get<float>());
}

KERNEL(part_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    const LocalTensor<float> right = rows.otherBuffer.GetWithOffset<float>(64, 128);
    Muls(right[broken ? 64 : 32], rows.x[32], 2.0f, 32); // FAULT(part_at_end): BufferBounds
    Muls(right, rows.x, 2.0f, 32);
    rows.CopyOut(right);
}

// SetSize changes what GetSize returns, and nothing else.
KERNEL(size_set_larger)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    LocalTensor<float> x = rows.x;
    x.SetSize(broken ? 2 * ROW : 8);
    Muls(x, x, 2.0f, broken ? ROW + 64 : 64); // FAULT(size_set_larger): BufferBounds
    rows.CopyOut(x);
}

KERNEL(reinterpreted_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    const LocalTensor<half> halves = rows.x.ReinterpretCast<half>();
    const LocalTensor<float> x = halves[broken ? 2 * ROW : 128].ReinterpretCast<float>();
    Muls(x, rows.x, 2.0f, 64); // FAULT(reinterpreted_at_end): BufferBounds
    rows.CopyOut(x);
}

KERNEL(address_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    LocalTensor<float> x;
    x.SetAddrWithOffset(rows.x, broken ? ROW : 0);
    Muls(rows.other, x, 2.0f, 64); // FAULT(address_at_end): BufferBounds
    rows.CopyOut(rows.other);
}

// The first buffer of a queue runs on into the second.
KERNEL(next_buffer_of_queue)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(out, 2, 256);
    LocalTensor<float> result = out.AllocTensor<float>();
    Muls(result, rows.x, 2.0f, 64);
    if (broken) {
        Muls(result[64], rows.x, 2.0f, 64); // FAULT(next_buffer_of_queue): BufferBounds
    }
    out.EnQue(result);
    result = out.DeQue<float>();
    DataCopy(rows.gy, result, 64);
    out.FreeTensor(result);
}

// Without a TPipe. The kernel ends each tensor where it likes; copies write whole blocks.
KERNEL(allocated_at_end)
{
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), ROW);
    gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), ROW);
    LocalMemAllocator<Hardware::UB> ub;
    const LocalTensor<float> x = ub.Alloc<float, 64>();
    const LocalTensor<float> result = ub.Alloc<float, 64>();
    const LocalTensor<float> few(TPosition::VECCALC, ub.GetCurAddr(), 5);
    DataCopy(x, gx, 64);
    DataCopyPad(few, gx, Bytes(5), NoPad());
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(result, 0.0f, 64);
    Muls(result, x[broken ? 64 : 0], 2.0f, 64); // FAULT(allocated_at_end): BufferBounds
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gy, result, 64);
}

// Offsets in elements of a table that has bytes in mind, and the other way round: they reach the next tensor.
KERNEL(gathered_from_neighbour)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    TBuf<TPosition::VECCALC> indexBuffer;
    pipe.InitBuffer(indexBuffer, 256);
    const LocalTensor<int32_t> index = indexBuffer.Get<int32_t>();
    CreateVecIndex(index, 0, 64);
    Muls(index, index, broken ? 32 : 4, 64);
    const LocalTensor<uint32_t> offsets = index.ReinterpretCast<uint32_t>();
    const LocalTensor<float> result = rows.other[ROW - 64];
    Gather(result, rows.x, offsets, 0, 64); // FAULT(gathered_from_neighbour): BufferBounds
    Muls(result, result, 2.0f, 64);
    rows.CopyOut(result);
}

// The fourth list of a merge has a place of its own in the instruction.
KERNEL(fourth_list_at_end)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    TBuf<TPosition::VECCALC> nextBuffer, mergedBuffer;
    pipe.InitBuffer(nextBuffer, 256);
    pipe.InitBuffer(mergedBuffer, 256);
    const LocalTensor<float> lists = rows.other;
    Duplicate(lists, 1.0f, ROW);
    Duplicate(nextBuffer.Get<float>(), 1.0f, 64);
    // Eight elements of two words.
    const uint16_t lengths[4] = {8, 8, 8, 8};
    const MrgSortSrcList<float> sources(lists, lists[16], lists[32], lists[broken ? ROW : 48]);
    const LocalTensor<float> merged = mergedBuffer.Get<float>();
    MrgSort(merged, sources, MrgSort4Info(lengths, false, 15, 1)); // FAULT(fourth_list_at_end): BufferBounds
    Muls(rows.other, rows.x, 2.0f, 64);
    rows.CopyOut(rows.other);
}

namespace {

// Two rounds of one queue; `first` is the tensor of the first one.
template <bool broken, bool scalar>
__aicore__ inline void Rounds(GM_ADDR x1, GM_ADDR x2, GM_ADDR y)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    TQue<TPosition::VECIN, 1> in;
    pipe.InitBuffer(in, 2, 256);
    LocalTensor<float> first;
    for (uint32_t i = 0; i < 3; ++i) {
        LocalTensor<float> x = in.AllocTensor<float>();
        DataCopy(x, rows.gx1, 64);
        in.EnQue(x);
        // DeQue goes on with the tensor of AllocTensor: both names are right.
        LocalTensor<float> same = in.DeQue<float>();
        if (i == 0) {
            first = x;
        }
        // The third round has the first one's buffer.
        const LocalTensor<float>& used = broken && i == 2 ? first : i % 2 == 0 ? x : same;
        if (scalar) {
            Sync<HardEvent::MTE2_S>();
            Adds(rows.other, x, used.GetValue(0) - 1.0f, 64); // FAULT(value_of_first_round): Freed
        } else {
            Adds(rows.other, used, 0.0f, 64); // FAULT(tensor_of_first_round): Freed
        }
        in.FreeTensor(same);
    }
    Muls(rows.other, rows.other, 2.0f, 64);
    rows.CopyOut(rows.other);
}

} // namespace

KERNEL(tensor_of_first_round) { Rounds<broken, false>(x1, x2, y); }
KERNEL(value_of_first_round) { Rounds<broken, true>(x1, x2, y); }

// The register of Compare, which no Compare has set.
KERNEL(selected_by_nothing)
{
    TPipe pipe;
    Rows rows(&pipe, x1, x2, y);
    const uint64_t mask = 64;
    Duplicate(rows.other, 0.0f, 64);
    if (!broken) {
        Compare(rows.x, rows.other, CMPMODE::GT, mask, {1, 1, 1, 8, 8, 8});
    }
    constexpr SELMODE byRegister = SELMODE::VSEL_CMPMASK_SPR;
    const LocalTensor<float> result = rows.other;
    const BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
    Select<float, byRegister>(result, rows.x, result, 1, dense); // FAULT(selected_by_nothing): Uninitialized
    Muls(result, result, 2.0f, 64);
    rows.CopyOut(result);
}
