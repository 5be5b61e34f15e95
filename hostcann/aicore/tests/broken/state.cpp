// State that outlives an instruction, and operands that overlap.
#include "common.h"

namespace {

struct Row {
    __aicore__ inline Row(TPipe* pipe, GM_ADDR x1, GM_ADDR y, GM_ADDR tiling)
    {
        GET_TILING_DATA_WITH_STRUCT(BrokenTiling, tilingData, tiling);
        n = tilingData.length;
        gx.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x1), n);
        gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), n);
        pipe->InitBuffer(xBuffer_, 2 * n * sizeof(float));
        pipe->InitBuffer(workBuffer_, 2 * n * sizeof(float));
        x = xBuffer_.Get<float>();
        work = workBuffer_.Get<float>();
        DataCopyPad(x, gx, Bytes(n), {false, 0, 0, 0.0f});
        Sync<HardEvent::MTE2_V>();
    }
    __aicore__ inline void CopyOut(const LocalTensor<float>& result)
    {
        Sync<HardEvent::V_MTE3>();
        DataCopyPad(gy, result, Bytes(n)); // FAULT(mask_of_other_type): Uninitialized
    }

    uint32_t n;
    GlobalTensor<float> gx, gy;
    LocalTensor<float> x, work;

private:
    TBuf<TPosition::VECCALC> xBuffer_, workBuffer_;
};

} // namespace

// A count form resets the mask registers; the instruction after it relies on them.
template <bool broken>
__global__ __aicore__ void mask_reset_by_count_form(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                    GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    if constexpr (broken) {
        SetVectorMask<float, MaskMode::NORMAL>(0, 0xffffffff);
        Duplicate(row.work, 0.0f, static_cast<int32_t>(row.n));
    } else {
        Duplicate(row.work, 0.0f, static_cast<int32_t>(row.n));
        SetVectorMask<float, MaskMode::NORMAL>(0, 0xffffffff);
    }
    // The first 32 elements of every 64.
    const auto repeats = static_cast<uint8_t>(row.n / 64);
    // clang-format off
    Muls<float, false>(row.work, row.x, 2.0f, MASK_PLACEHOLDER, repeats, {1, 1, 8, 8}); // FAULT(mask_reset_by_count_form): MaskState
    // clang-format on
    ResetMask();
    row.CopyOut(row.work);
}

// Lanes per repeat: 64 floats, not the 128 of half.
template <bool broken>
__global__ __aicore__ void mask_of_other_type(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const uint64_t mask = broken ? 128 : 64;
    const auto repeats = static_cast<uint8_t>(row.n / mask);
    const uint8_t stride = broken ? 16 : 8;
    Muls(row.work, row.x, 2.0f, mask, repeats, {1, 1, stride, stride});
    row.CopyOut(row.work);
}

// The second mask word belongs to 16-bit types.
template <bool broken>
__global__ __aicore__ void second_mask_word(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    uint64_t mask[2] = {~uint64_t{0}, broken ? ~uint64_t{0} : 0};
    const auto repeats = static_cast<uint8_t>(row.n / 64);
    Muls(row.work, row.x, 2.0f, mask, repeats, {1, 1, 8, 8}); // FAULT(second_mask_word): Argument
    row.CopyOut(row.work);
}

// A destination block stride of 0.
template <bool broken>
__global__ __aicore__ void dst_stride_zero(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const uint16_t step = broken ? 0 : 1;
    const auto repeats = static_cast<uint8_t>(row.n / 64);
    Muls(row.work, row.x, 2.0f, 64, repeats, {step, 1, 8, 8}); // FAULT(dst_stride_zero): Undocumented
    row.CopyOut(row.work);
}

// Shifts a row by one block in place: the result of one repeat is the source of the next.
template <bool broken>
__global__ __aicore__ void shifted_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    if constexpr (broken) {
        Muls(row.x[8], row.x, 2.0f, static_cast<int32_t>(row.n)); // FAULT(shifted_in_place): Overlap
        Adds(row.work, row.x[8], 0.0f, static_cast<int32_t>(row.n));
    } else {
        Muls(row.work, row.x, 2.0f, static_cast<int32_t>(row.n));
    }
    row.CopyOut(row.work);
}

// Widens in place: the result of the first repeats overwrites the sources of the next.
template <bool broken>
__global__ __aicore__ void widened_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const LocalTensor<half> narrow = row.work.ReinterpretCast<half>();
    Muls(row.x, row.x, 2.0f, static_cast<int32_t>(row.n));
    Cast(narrow, row.x, RoundMode::CAST_NONE, row.n);
    const LocalTensor<float> wide = broken ? row.work : row.x;
    Cast(wide, narrow, RoundMode::CAST_NONE, row.n); // FAULT(widened_in_place): Overlap
    row.CopyOut(wide);
}

// Gathers a row into the tensor it gathers from, or behind it: element i is taken from place at(i, n).
template <typename Place>
__aicore__ inline void Gathered(GM_ADDR x1, GM_ADDR y, GM_ADDR tiling, bool inPlace, const Place& at)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const auto index = row.work.ReinterpretCast<uint32_t>();
    const LocalTensor<float> to = inPlace ? row.x : row.x[row.n];
    for (uint32_t i = 0; i < row.n; ++i) {
        index.SetValue(i, 4 * at(i, row.n));
    }
    Sync<HardEvent::S_V>();
    Gather(to, row.x, index, 0, row.n); // FAULT(gathered_in_place, gathered_by_blocks): Overlap
    row.CopyOut(to);
}
// The second half comes from what the first half has overwritten; and every element from its own block.
template <bool broken>
__global__ __aicore__ void gathered_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Gathered(x1, y, tiling, broken, [](uint32_t i, uint32_t n) { return n - 1 - i; });
}
template <bool broken>
__global__ __aicore__ void gathered_by_blocks(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Gathered(x1, y, tiling, broken, [](uint32_t i, uint32_t) { return i ^ 7; });
}
// Spreads eight elements over the tensor that holds them.
template <bool broken>
__global__ __aicore__ void spread_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const LocalTensor<float> wide = broken ? row.x : row.work;
    Brcb(wide, row.x, 1, {1, 8}); // FAULT(spread_in_place): Overlap
    Sync<HardEvent::V_MTE3>();
    DataCopyPad(row.gy, wide, Bytes(64));
}

// Doubles and moves by one repeat in one instruction: a repeat reads what the one before it wrote.
template <bool broken>
__global__ __aicore__ void repeat_feeds_next(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const auto repeats = static_cast<uint8_t>(row.n / 64);
    const LocalTensor<float> moved = broken ? row.x[64] : row.work;
    Muls(moved, row.x, 2.0f, 64, repeats, {1, 1, 8, 8}); // FAULT(repeat_feeds_next): Overlap
    row.CopyOut(moved);
}

// A call with a mask of its own replaces the one of the kernel.
template <bool broken>
__global__ __aicore__ void mask_of_masked_call(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    Duplicate(row.work, 0.0f, static_cast<int32_t>(row.n));
    SetVectorMask<float, MaskMode::NORMAL>(0, 0xffffffff);
    if constexpr (broken) {
        Adds(row.x, row.x, 0.0f, 64, 1, {1, 1, 8, 8}); // FIRST(mask_of_masked_call)
    }
    const auto repeats = static_cast<uint8_t>(row.n / 64);
    // clang-format off
    Muls<float, false>(row.work, row.x, 2.0f, MASK_PLACEHOLDER, repeats, {1, 1, 8, 8}); // FAULT(mask_of_masked_call): MaskState
    // clang-format on
    ResetMask();
    row.CopyOut(row.work);
}

// In counter mode a mask is the number of all elements and repeatTime is ignored.
template <bool broken>
__global__ __aicore__ void counter_mode_left_on(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    SetMaskCount(); // FIRST(counter_mode_left_on)
    SetVectorMask<float, MaskMode::COUNTER>(row.n);
    Adds<float, false>(row.work, row.x, 0.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    if constexpr (!broken) {
        SetMaskNorm();
    }
    ResetMask();
    const auto repeats = static_cast<uint8_t>(row.n / 64);
    Muls(row.work, row.work, 2.0f, 64, repeats, {1, 1, 8, 8}); // FAULT(counter_mode_left_on): MaskState
    SetMaskNorm();
    row.CopyOut(row.work);
}

template <bool broken>
__global__ __aicore__ void counter_mode_at_end(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    SetMaskCount(); // FAULT(counter_mode_at_end): MaskState
    SetVectorMask<float, MaskMode::COUNTER>(row.n);
    Muls<float, false>(row.work, row.x, 2.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    if constexpr (!broken) {
        SetMaskNorm();
    }
    ResetMask();
    row.CopyOut(row.work);
}

// Doubles by adding to what is there.
template <bool broken>
__global__ __aicore__ void atomic_mode_at_end(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    Adds(row.work, row.x, 0.0f, static_cast<int32_t>(row.n));
    row.CopyOut(row.work);
    PipeBarrier<PIPE_MTE3>();
    SetAtomicAdd<float>(); // FAULT(atomic_mode_at_end): AtomicMode
    DataCopyPad(row.gy, row.work, Bytes(row.n));
    if constexpr (!broken) {
        SetAtomicNone();
    }
}

// The mode adds halves, the tensor holds floats.
template <bool broken>
__global__ __aicore__ void atomic_of_other_type(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    Adds(row.work, row.x, 0.0f, static_cast<int32_t>(row.n));
    row.CopyOut(row.work);
    PipeBarrier<PIPE_MTE3>();
    if constexpr (broken) {
        SetAtomicAdd<half>(); // FIRST(atomic_of_other_type)
    } else {
        SetAtomicAdd<float>();
    }
    DataCopyPad(row.gy, row.work, Bytes(row.n)); // FAULT(atomic_of_other_type): AtomicMode
    SetAtomicNone();
}

// Merges two sorted lists over the first one.
template <bool broken>
__global__ __aicore__ void merged_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    TBuf<TPosition::VECCALC> indexBuffer, sortedBuffer, mergedBuffer;
    pipe.InitBuffer(indexBuffer, 256);
    pipe.InitBuffer(sortedBuffer, 512);
    pipe.InitBuffer(mergedBuffer, 512);
    const LocalTensor<uint32_t> index = indexBuffer.Get<uint32_t>();
    const LocalTensor<float> sorted = sortedBuffer.Get<float>();
    const LocalTensor<float> merged = mergedBuffer.Get<float>();
    Duplicate(index, 0u, 64);
    Sort32(sorted, row.x, index, 2);
    const uint16_t lengths[4] = {32, 32, 0, 0};
    const MrgSortSrcList<float> lists(sorted, sorted[64], sorted, sorted);
    const LocalTensor<float> to = broken ? sorted : merged;
    MrgSort(to, lists, MrgSort4Info(lengths, false, 3, 1)); // FAULT(merged_in_place): Overlap
    Extract(row.work, index, to, 2);
    row.CopyOut(row.work);
}

// High-level functions: their pages allow no overlap, and ask for temporary space.
template <bool broken>
__global__ __aicore__ void rounded_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const LocalTensor<float> result = broken ? row.x : row.work;
    Floor(result, row.x, row.n); // FAULT(rounded_in_place): Overlap
    row.CopyOut(result);
}

// Frac subtracts what it has written from its source.
template <bool broken>
__global__ __aicore__ void fraction_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    Adds(row.x, row.x, 0.5f, static_cast<int32_t>(row.n));
    const LocalTensor<float> result = broken ? row.x : row.work;
    Frac(result, row.x, row.n); // FAULT(fraction_in_place): Overlap
    row.CopyOut(result);
}

// The tiling function gave a part of what GetSignMaxMinTmpSize asks for.
template <bool broken>
__global__ __aicore__ void temporary_too_small(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    TBuf<TPosition::VECCALC> space;
    pipe.InitBuffer(space, broken ? 384 : 1024);
    Sign(row.work, row.x, space.Get<uint8_t>(), row.n); // FAULT(temporary_too_small): BufferSpace
    row.CopyOut(row.work);
}

// A narrower result on the place of its source.
template <bool broken>
__global__ __aicore__ void narrowed_in_place(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    const LocalTensor<half> narrow = (broken ? row.x : row.work).ReinterpretCast<half>();
    Cast(narrow, row.x, RoundMode::CAST_NONE, row.n); // FAULT(narrowed_in_place): Overlap
    Cast(row.work[row.n], narrow, RoundMode::CAST_NONE, row.n);
    row.CopyOut(row.work[row.n]);
}

// A member that never gets its buffer: it lies at the start of the unified buffer, over the first tensor.
template <bool broken>
__global__ __aicore__ void tensor_without_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    LocalTensor<uint8_t> mask;
    if constexpr (!broken) {
        mask = row.work[row.n].ReinterpretCast<uint8_t>();
    }
    CompareScalar(mask, row.x, 50.0f, CMPMODE::GE, row.n); // FAULT(tensor_without_buffer): BufferBounds
    Select(row.work, mask, row.x, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, row.n);
    row.CopyOut(row.work);
}

// Sorts each 32 elements; each operand lies so many elements behind the begin of its buffer.
__aicore__ inline void SortEach32(GM_ADDR x1, GM_ADDR y, GM_ADDR tiling, uint32_t dst, uint32_t src0, uint32_t src1)
{
    TPipe pipe;
    Row row(&pipe, x1, y, tiling);
    TBuf<TPosition::VECCALC> scoreBuffer, indexBuffer, sortedBuffer;
    pipe.InitBuffer(scoreBuffer, 512);
    pipe.InitBuffer(indexBuffer, 512);
    pipe.InitBuffer(sortedBuffer, 768);
    const LocalTensor<float> scores = scoreBuffer.Get<float>()[src0], sorted = sortedBuffer.Get<float>()[dst];
    const LocalTensor<uint32_t> index = indexBuffer.Get<uint32_t>()[src1];
    Adds(scores, row.x, 0.0f, 64);
    Duplicate(index, 0u, 64);
    Sort32(sorted, scores, index, 2); // FAULT(sorted_result, sorted_scores, sorted_indices): Alignment
    Extract(row.work, index, sorted, 2);
    row.CopyOut(row.work);
}

template <bool broken>
__global__ __aicore__ void sorted_result(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    SortEach32(x1, y, tiling, broken ? 32 : 64, 32, 32);
}

template <bool broken>
__global__ __aicore__ void sorted_scores(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    SortEach32(x1, y, tiling, 0, broken ? 16 : 32, 0);
}

template <bool broken>
__global__ __aicore__ void sorted_indices(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    SortEach32(x1, y, tiling, 0, 0, broken ? 16 : 32);
}

// Fill takes what no buffer has.
template <bool broken>
__global__ __aicore__ void filled_after_init_buffer(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                    GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(BrokenTiling, tilingData, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> gy;
    gy.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), tilingData.length);
    if constexpr (broken) {
        pipe.InitBuffer(buffer, 256);
    }
    InitGlobalMemory(gy, tilingData.length, 1.0f); // FAULT(filled_after_init_buffer): BufferSpace
    if constexpr (!broken) {
        pipe.InitBuffer(buffer, 256);
    }
}
