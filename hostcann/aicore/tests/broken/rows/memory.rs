//! Bytes nobody wrote, buffers and tensors that are left, cores that meet, state and overlap.

use super::{Row, row, x1, x2};
use aicore::{
    FaultClass::{
        Alignment, Argument, AtomicMode, BufferBounds, BufferSpace, Event, GmBounds, MaskState, MultiCore, OutOfRange,
        OutputUnwritten, Overlap, ReservedUb, ScalarCache, SharedBlock, Undocumented, Uninitialized,
    },
    Pipe::{MTE2, MTE3, S, V},
};

const IN: &str = "DataCopyPad<float> GM->UB";
const OUT: &str = "DataCopyPad<float> UB->GM";

fn copy(n: usize) -> Vec<f32> {
    (0..n).map(x1).collect()
}
fn copy_256(_: usize) -> Vec<f32> {
    copy(256)
}
fn doubled(n: usize) -> Vec<f32> {
    (0..n).map(|i| 2.0 * x1(i)).collect()
}
fn doubled_64(_: usize) -> Vec<f32> {
    doubled(64)
}
fn doubled_200(_: usize) -> Vec<f32> {
    doubled(200)
}
fn tile_sums(n: usize) -> Vec<f32> {
    (0..256).map(|i| (i..n).step_by(256).map(x1).sum()).collect()
}
fn total(n: usize) -> Vec<f32> {
    vec![(0..n).map(x1).sum()]
}
fn padded_row(_: usize) -> Vec<f32> {
    (0..64).map(|i| if i < 61 { x1(i) } else { 0.0 }).collect()
}
fn reversed(_: usize) -> Vec<f32> {
    (0..64).map(|i| x1(63 - i)).collect()
}
fn reversed_blocks(n: usize) -> Vec<f32> {
    (0..n).map(|i| x1(i ^ 7)).collect()
}
fn larger_or_zero(n: usize) -> Vec<f32> {
    (0..n).map(|i| if x1(i) >= 50.0 { x1(i) } else { 0.0 }).collect()
}
fn larger(n: usize) -> Vec<f32> {
    (0..n).map(|i| x1(i).max(x2(i))).collect()
}
fn largest(n: usize) -> Vec<f32> {
    vec![(0..n).map(x1).fold(0.0, f32::max)]
}
fn last_replaced(_: usize) -> Vec<f32> {
    (0..64).map(|i| if i < 63 { x1(i) } else { -1.0 }).collect()
}
fn last_of_all(n: usize) -> Vec<f32> {
    vec![x1(n - 1); 64]
}
fn every_second_half(n: usize) -> Vec<f32> {
    (0..n).map(|i| if i % 64 < 32 { 2.0 * x1(i) } else { 0.0 }).collect()
}
/// Four cores, one line each.
fn line_per_core(_: usize) -> Vec<f32> {
    (0..49).map(|i| if i % 16 == 0 { (i / 16 + 1) as f32 } else { super::UNTOUCHED }).collect()
}
fn line_of_next_core(_: usize) -> Vec<f32> {
    (0..49).map(|i| if i % 16 == 0 { ((i / 16 + 1) % 4) as f32 } else { super::UNTOUCHED }).collect()
}
fn three(_: usize) -> Vec<f32> {
    vec![3.0; 64]
}
fn three_16(_: usize) -> Vec<f32> {
    vec![3.0; 16]
}
fn three_and_one(_: usize) -> Vec<f32> {
    (0..9).map(|i| if i < 8 { 3.0 } else { 1.0 }).collect()
}
fn falling(_: usize) -> Vec<f32> {
    let mut all: Vec<f32> = (0..64).map(x1).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    all
}
fn places_of_falling(n: usize) -> Vec<f32> {
    (0..n).rev().map(|i| i as f32).collect()
}
fn falling_halves(_: usize) -> Vec<f32> {
    (0..64).map(|i| x1(i / 32 * 32 + 31 - i % 32)).collect()
}
fn identity(n: usize) -> Vec<f32> {
    (0..n).map(|i| if i % 9 == 0 { 1.0 } else { 0.0 }).collect()
}
fn eight_blocks(_: usize) -> Vec<f32> {
    (0..64).map(|i| x1(i / 8)).collect()
}
fn halves(n: usize) -> Vec<f32> {
    vec![0.5; n]
}
fn ones(n: usize) -> Vec<f32> {
    vec![1.0; n]
}
fn sum_of_cores(_: usize) -> Vec<f32> {
    vec![10.0; 64]
}

pub fn unwritten() -> Vec<Row> {
    vec![
        row("sum_not_cleared", Uninitialized, MTE3, "DataCopy<float> UB->GM", &["Add<float>"])
            .size(1024, 256)
            .want(tile_sums),
        row("reduced_tail", Uninitialized, V, "ReduceSum<float>", &["src"]).size(100, 0).want(total),
        row("stored_padding", Uninitialized, MTE3, OUT, &["src"]).want(padded_row),
        row("workspace_not_written", Uninitialized, MTE3, OUT, &["src"]).want(copy),
        row("half_an_index", Uninitialized, V, "Gather<float>", &["srcOffset"]).want(reversed),
        row("short_mask", Uninitialized, MTE3, OUT, &["src"]).size(200, 0).want(larger_or_zero),
        row("scalar_of_tail", Uninitialized, S, "LocalTensor::GetValue", &["UB byte 4092"])
            .size(1000, 1024)
            .want(doubled),
        row("full_tile_out", Uninitialized, MTE3, OUT, &["src"]).want(doubled_200),
        row("cast_length", Uninitialized, MTE3, OUT, &["src"]).size(20_000, 0).want(copy),
        row("repeat_cut_to_zero", Uninitialized, MTE3, OUT, &["repeatTime of 0", "Muls<float>"])
            .size(16_384, 0)
            .want(doubled),
        row("compared_beyond_buffer", Uninitialized, MTE3, OUT, &["CompareScalar<uint8_t, float>"])
            .size(96, 0)
            .want(larger_or_zero),
        row("diagonal_only", OutputUnwritten, S, "kernel end", &["output 0 y", "byte 4"]).size(64, 0).want(identity),
        row("sorted_tail", Uninitialized, MTE3, OUT, &["src"]).size(40, 0).want(places_of_falling),
        row("tail_not_computed", Uninitialized, MTE3, OUT, &["src"]).want(doubled),
    ]
}

pub fn bounds() -> Vec<Row> {
    vec![
        row(
            "beyond_budget",
            OutOfRange,
            V,
            "Muls<float>",
            &["dst", "at most 196608", "261120 bytes: 2 x 65280 at ", "which goes over", "shrink the tile"],
        )
        .size(40_000, 0)
        .want(doubled),
        row("beyond_budget_unused", BufferSpace, S, "InitBuffer", &["196608", "261120", "shrink the tile"])
            .rule()
            .size(10_000, 0)
            .want(doubled),
        row("reserved_area", ReservedUb, V, "Select<float>", &["188416", "8 KiB"]).want(larger),
        row("count_beyond_buffer", BufferBounds, V, "Add<float>", &["dst", "4096"]),
        row("stride_beyond_buffer", BufferBounds, V, "Muls<float>", &["4096"]).size(1024, 0).want(doubled),
        row("copy_beyond_buffer", BufferBounds, MTE2, IN, &["dst", "1024"]).want(copy),
        row("mask_beyond_buffer", BufferBounds, V, "Compare<uint8_t, float>", &["dst", "128"]).want(larger),
        row("work_beyond_buffer", BufferBounds, V, "ReduceMax<float>", &["sharedTmpBuffer"]).want(largest),
        row("scalar_beyond_buffer", BufferBounds, S, "LocalTensor::SetValue", &["256"]).want(last_replaced),
        row("store_beyond_tensor", GmBounds, MTE3, OUT, &["output 0 y", "4000"]).want(doubled),
        row("load_beyond_tensor", GmBounds, MTE2, IN, &["input 0 x1", "4000"]).cores(3, 2).want(copy),
        row("scalar_beyond_tensor", GmBounds, S, "GlobalTensor::GetValue", &["input 0 x1"]).want(last_of_all),
        row("store_into_input", GmBounds, MTE3, OUT, &["input 0 x1"]).want(doubled_64),
    ]
}

pub fn cores() -> Vec<Row> {
    vec![
        row("parts_share_a_block", SharedBlock, MTE3, OUT, &["32", "core 0", "core 1", "output 0 y"]).on(4).want(copy),
        row("parts_rounded_up", MultiCore, MTE3, OUT, &["core 0", "core 1"]).on(4).want(copy),
        row("no_split", MultiCore, MTE3, OUT, &["core 0", "core 1"]).on(2).want(copy),
        row("scalars_share_a_line", ScalarCache, S, "GlobalTensor::SetValue", &["64"]).on(4).want(line_per_core),
        row("line_not_cleaned", ScalarCache, MTE2, IN, &["SetValue", "DataCacheCleanAndInvalid", "before SyncAll"])
            .on(4)
            .want(line_of_next_core),
        row("line_under_way", ScalarCache, S, "GlobalTensor::SetValue", &["64-byte line", "MTE3_S"])
            .want(three_and_one),
        row(
            "line_fetched_before",
            ScalarCache,
            S,
            "GlobalTensor::SetValue",
            &["older than global memory", "got the line of bytes 0 to 64 of "],
        )
        .want(three_and_one),
        row(
            "stale_line",
            ScalarCache,
            S,
            "GlobalTensor::GetValue",
            &["DataCacheCleanAndInvalid", "got the line of bytes "],
        )
        .want(three),
        row("partial_without_sync", MultiCore, MTE2, "DataCopy<float> GM->UB", &["SyncAll", "workspace"])
            .on(4)
            .want(sum_of_cores),
        row("flag_not_awaited", MultiCore, MTE3, "DataCopy<float> UB->GM", &["SyncAll", "workspace"])
            .on(4)
            .want(copy_256),
        // Four cores, work for three.
        row("idle_core_leaves", Event, S, "SyncAll", &["core 3 left", "hangs"]).size(150, 0).on(4).want(copy),
        row("sum_into_uncleared", Uninitialized, MTE3, "DataCopy<float> UB->GM", &["atomic", "output 0 y"])
            .on(4)
            .want(sum_of_cores),
        row("atomic_mode_left_on", Uninitialized, MTE3, "DataCopy<float> UB->GM", &["atomic", "output 0 y"])
            .want(three),
        row(
            "copy_past_cache",
            ScalarCache,
            MTE2,
            "DataCopy<float> GM->UB",
            &["got the line of bytes ", "data cache", "DataCacheCleanAndInvalid"],
        )
        .want(three_16),
    ]
}

pub fn state() -> Vec<Row> {
    vec![
        row("mask_reset_by_count_form", MaskState, V, "Muls<float>", &["Duplicate"])
            .size(1024, 0)
            .want(every_second_half),
        row("mask_of_other_type", Uninitialized, MTE3, OUT, &["src"]).size(1024, 0).want(doubled),
        row("second_mask_word", Argument, V, "Muls<float>", &["mask[1]"]).rule().size(1024, 0).want(doubled),
        row("mask_of_masked_call", MaskState, V, "Muls<float>", &["Adds<float>", "brought with it"])
            .size(1024, 0)
            .want(every_second_half),
        row(
            "counter_mode_left_on",
            MaskState,
            V,
            "Muls<float>",
            &["repeatTime", "SetMaskNorm", "mask 64, repeatTime 16"],
        )
        .size(1024, 0)
        .want(doubled),
        row("counter_mode_at_end", MaskState, S, "SetMaskCount", &["left on"]).rule().size(1024, 0).want(doubled),
        row("atomic_mode_at_end", AtomicMode, S, "SetAtomicAdd", &["left on", "SetAtomicNone"])
            .rule()
            .size(64, 0)
            .want(doubled),
        row("atomic_of_other_type", AtomicMode, MTE3, OUT, &["elements of half", "elements of float"])
            .size(64, 0)
            .want(doubled),
        row("merged_in_place", Overlap, V, "MrgSort<float>", &["dst", "a list that is merged"])
            .size(64, 0)
            .want(falling),
        row("dst_stride_zero", Undocumented, V, "Muls<float>", &["dstBlkStride", "1 or more"])
            .size(1024, 0)
            .want(doubled),
        row("shifted_in_place", Overlap, V, "Muls<float>", &["dst", "src"]).size(1024, 0).want(doubled),
        row("widened_in_place", Overlap, V, "Cast<float, half>", &["dst", "src"]).size(1024, 0).want(doubled),
        row("gathered_in_place", Overlap, V, "Gather<float>", &["dst", "src"]).size(64, 0).want(reversed),
        row("gathered_by_blocks", Overlap, V, "Gather<float>", &["dst", "src"])
            .size(64, 0)
            .rule()
            .want(reversed_blocks),
        row("spread_in_place", Overlap, V, "Brcb<float>", &["dst", "src"]).size(1024, 0).want(eight_blocks),
        row("repeat_feeds_next", Overlap, V, "Muls<float>", &["dst", "src"]).size(1024, 0).want(doubled),
        row("rounded_in_place", Overlap, V, "Floor", &["src0", "a buffer of its own"]).rule().want(copy),
        row("fraction_in_place", Overlap, V, "Frac", &["src0", "a buffer of its own"]).want(halves),
        row("narrowed_in_place", Overlap, V, "Cast<half, float>", &["another element size"]).rule().want(copy),
        row("temporary_too_small", BufferSpace, V, "Sign", &["768", "384", "GetSignMaxMinTmpSize"]).rule().want(ones),
        row("sorted_result", Alignment, V, "Sort32<float>", &["dst", "a multiple of 256", "UB offset 2176"])
            .rule()
            .size(64, 0)
            .want(falling_halves),
        row("sorted_scores", Alignment, V, "Sort32<float>", &["src0", "a multiple of 128", "UB offset 1088"])
            .rule()
            .size(64, 0)
            .want(falling_halves),
        row("sorted_indices", Alignment, V, "Sort32<float>", &["src1", "a multiple of 128", "UB offset 1600"])
            .rule()
            .size(64, 0)
            .want(falling_halves),
        row("filled_after_init_buffer", BufferSpace, S, "Fill", &["before the first InitBuffer", "UB byte 256"])
            .rule()
            .want(ones),
        row("tensor_without_buffer", BufferBounds, V, "CompareScalar<uint8_t, float>", &["dst", "Get<T>()"])
            .size(1024, 0)
            .want(larger_or_zero),
    ]
}
