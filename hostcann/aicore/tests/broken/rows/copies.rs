//! Limits of copies, and values that a narrower field or parameter cuts off.

use super::{Row, row, x1};
use aicore::{
    FaultClass::{Argument, BufferBounds, GmBounds},
    Pipe::{MTE2, MTE3, V},
};

const IN: &str = "DataCopyPad<float> GM->UB";
const BLOCKS_IN: &str = "DataCopy<float> GM->UB";
const BLOCKS_OUT: &str = "DataCopy<float> UB->GM";

fn copy(n: usize) -> Vec<f32> {
    (0..n).map(x1).collect()
}
fn start(_: usize) -> Vec<f32> {
    copy(64)
}
/// 32 floats, 64 that are left out, and 32 more.
fn two_parts(_: usize) -> Vec<f32> {
    (0..64).map(|i| x1(if i < 32 { i } else { i + 64 })).collect()
}
fn plus_one(n: usize) -> Vec<f32> {
    (0..n).map(|i| x1(i) + 1.0).collect()
}
fn padded_row(_: usize) -> Vec<f32> {
    (0..64).map(|i| if i < 50 { x1(i) } else { -1.0 }).collect()
}
fn padded_pairs(_: usize) -> Vec<f32> {
    (0..64).map(|i| if i < 62 { x1(i) } else { 0.0 }).collect()
}
fn two_rows(n: usize) -> Vec<f32> {
    (0..128).map(|i| x1(if i < 64 { i } else { n / 2 + i - 64 })).collect()
}
/// The first 64 elements of row 0 added to those of every other row of 2112.
fn first_row_added(n: usize) -> Vec<f32> {
    (0..n).map(|i| x1(i) + if i >= 2112 && i % 2112 < 64 { x1(i % 2112) } else { 0.0 }).collect()
}

pub fn rows() -> Vec<Row> {
    vec![
        row("too_many_blocks", Argument, MTE2, IN, &["blockCount", "1 to 4095", "got 5000"]).size(5000, 0).want(copy),
        row("length_in_elements", Argument, MTE2, IN, &["blockLen", "multiple of 4", "1001 bytes"])
            .size(1001, 0)
            .want(copy),
        row("whole_tensor", Argument, MTE2, IN, &["blockLen", "2097151", "2400000 bytes"]).size(600_000, 0).want(copy),
        row("long_padding", Argument, MTE2, IN, &["rightPadding", "at most 8 elements", "got 14"]).want(padded_row),
        row("wide_padding", Argument, MTE2, "DataCopyPad<int64_t> GM->UB", &["paddingValue", "zero only"])
            .want(padded_pairs),
        row(
            "length_of_16_bits",
            Argument,
            MTE2,
            IN,
            &["blockLen", "0 to 65535", "80000, which becomes 14464", "DataCopyExtParams"],
        )
        .size(20_000, 0)
        .want(copy),
        row("gap_of_16_bits", Argument, MTE2, IN, &["srcStride", "79744, which becomes 14208"])
            .size(40_000, 0)
            .want(two_rows),
        row("repeats_of_8_bits", Argument, V, "Adds<float>", &["repeatTime", "0 to 255", "256, which becomes 0"])
            .size(16_384, 0)
            .want(plus_one),
        row("stride_of_8_bits", Argument, V, "Add<float>", &["dstRepStride", "264, which becomes 8"])
            .size(8448, 0)
            .want(first_row_added),
        row(
            "block_in_bytes",
            BufferBounds,
            MTE2,
            BLOCKS_IN,
            &["blockLen 256, srcStride 0 and dstStride 0, all in blocks of 32 bytes"],
        )
        .size(4096, 0)
        .want(start),
        row(
            "block_out_in_bytes",
            GmBounds,
            MTE3,
            BLOCKS_OUT,
            &["blockCount 1, blockLen 256, srcStride 0 and dstStride 0, all in blocks of 32 bytes"],
        )
        .size(64, 0)
        .want(start),
        row(
            "gap_in_bytes",
            BufferBounds,
            MTE2,
            BLOCKS_IN,
            &["blockLen 4, srcStride 0 and dstStride 256, all in blocks of 32 bytes"],
        )
        .size(4096, 0)
        .want(start),
        row(
            "gap_of_rows_in_bytes",
            GmBounds,
            MTE2,
            BLOCKS_IN,
            &["blockLen 4, srcStride 256 and dstStride 0, all in blocks of 32 bytes"],
        )
        .size(256, 0)
        .want(two_parts),
    ]
}
