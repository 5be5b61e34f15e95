//! Limits of single vector instructions.

use super::{Row, row, x1, x2};
use aicore::{
    FaultClass::{Alignment, Argument, CastMode, Dtype, NullPointer},
    Pipe::{MTE2, MTE3, V},
};

fn first(n: usize) -> Vec<f32> {
    (0..n).map(x1).collect()
}
fn eightfold(n: usize) -> Vec<f32> {
    (0..n).map(|i| 8.0 * x1(i)).collect()
}
fn larger_part(n: usize) -> Vec<f32> {
    (0..n).map(|i| if x1(i) >= 50.0 { x1(i) } else { x2(i) }).collect()
}
fn larger_or_zero(n: usize) -> Vec<f32> {
    (0..n).map(|i| if x1(i) >= 50.0 { x1(i) } else { 0.0 }).collect()
}
fn row_scalars(n: usize) -> Vec<f32> {
    (0..n).map(|i| x1(i) + x2(i / 64)).collect()
}

pub fn rows() -> Vec<Row> {
    vec![
        row("row_pitch", Alignment, V, "Add<float>", &["dst", "multiple of 32", "UB offset"]),
        row(
            "dropped_tail",
            Argument,
            MTE3,
            "DataCopy<float> UB->GM",
            &["drops the rest", "1001 elements", "DataCopyPad"],
        )
        .size(1001, 0),
        row("dropped_tail_in", Argument, MTE2, "DataCopy<float> GM->UB", &["1003 elements (4012 bytes)"]).size(1003, 0),
        row(
            "compare_tail",
            Argument,
            V,
            "CompareScalar<uint8_t, float>",
            &["whole repeats", "multiple of 64", "round count up"],
        )
        .want(larger_part),
        row(
            "cast_none_bf16",
            CastMode,
            V,
            "Cast<bfloat16_t, float>",
            &["leaves dst as it was", "CAST_RINT", "CAST_NONE"],
        )
        .want(first),
        row("cast_none_int32", CastMode, V, "Cast<int32_t, float>", &["CAST_TRUNC"]).want(first),
        row("cast_none_int16", CastMode, V, "Cast<int16_t, half>", &["CAST_RINT"]).want(first),
        row("no_deq_scale", Argument, V, "Cast<half, int32_t>", &["SetDeqScale"]).want(first),
        row("shift_distance", Argument, V, "ShiftLeft<int32_t>", &["scalarValue", "0 to 32", "-3"]).want(eightfold),
        row("compare_int", Dtype, V, "CompareScalar<uint8_t, int32_t>", &["CMPMODE::EQ", "GE"]).want(larger_part),
        row("gather_offsets", Alignment, V, "Gather<float>", &["srcOffset[1]", "multiple of 4", "in bytes"])
            .want(first),
        row("select_mode", Argument, V, "Select<float>", &["selMode", "VSEL_TENSOR_SCALAR_MODE"]).want(larger_or_zero),
        row("brcb_stride", Argument, V, "Brcb<float>", &["dstBlkStride", "1 or more"]).size(1024, 0).want(row_scalars),
        row("negative_count", Argument, V, "Add<float>", &["count", "-24"]),
        row("absent_input", NullPointer, MTE2, "DataCopyPad<float> GM->UB", &["null", "SetGlobalBuffer"]).want(first),
    ]
}
