//! Operands outside of their own tensor, tensors of earlier rounds, and a register nobody set.

use super::{Row, row, x1};
use aicore::{
    FaultClass::{BufferBounds, Freed, Uninitialized},
    Pipe::{MTE2, MTE3, S, V},
};

const AT_END: &str =
    "begins at byte 1024, at the end of its tensor of 1024 bytes of InitBuffer at op_kernel/tensors.cpp:";
const GET: &str = "LocalTensor::GetValue";
const OUT: &str = "DataCopy<float> UB->GM";

fn doubled(_: usize) -> Vec<f32> {
    (0..64).map(|i| 2.0 * x1(i)).collect()
}

pub fn rows() -> Vec<Row> {
    let muls = |kernel, words| row(kernel, BufferBounds, V, "Muls<float>", words);
    const MADE: &str = "bytes of InitBuffer at op_kernel/tensors.cpp:";
    let rows = vec![
        muls("source_at_end", &["operand src", AT_END, "UB bytes 0 to 1024", "UB bytes 1024 to 1280"]),
        muls("result_at_end", &["operand dst", AT_END]),
        muls("result_far_beyond", &["begins at byte 1280, 256 bytes beyond the end of its tensor of 1024 bytes", MADE]),
        muls("result_before_begin", &["operand dst", "begins 32 bytes before its tensor of 1024 bytes", MADE]),
        row("copied_out_at_end", BufferBounds, MTE3, OUT, &["operand src", AT_END]),
        row("copied_in_at_end", BufferBounds, MTE2, "DataCopyPad<float> GM->UB", &["operand dst", AT_END]),
        row("value_read_at_end", BufferBounds, S, GET, &["operand tensor", AT_END]),
        row("value_set_at_end", BufferBounds, S, "LocalTensor::SetValue", &["operand tensor", AT_END]),
        row("value_before_begin", BufferBounds, S, GET, &["begins 4 bytes before its tensor of 1024 bytes", MADE]),
        muls(
            "leaves_its_part",
            &[
                "operand dst",
                "leaves its tensor of 128 bytes",
                MADE,
                "its bytes 0 to 256",
                "block and repeat strides count blocks of 32 bytes",
            ],
        ),
        muls("part_at_end", &["begins at byte 256, at the end of its tensor of 256 bytes", "UB bytes 1152 to 1408"]),
        muls(
            "size_set_larger",
            &["operand dst", "leaves the buffer it starts in", "block and repeat strides count blocks of 32 bytes"],
        ),
        muls("reinterpreted_at_end", &["operand dst", AT_END]),
        muls("address_at_end", &["operand src", AT_END]),
        muls("next_buffer_of_queue", &["begins at byte 256, at the end of its tensor of 256 bytes", MADE]),
        muls("allocated_at_end", &["operand src", "begins at byte 256, at the end of its tensor of 256 bytes"]),
        row(
            "gathered_from_neighbour",
            BufferBounds,
            V,
            "Gather<float>",
            &["operand src at srcOffset[", "] = ", AT_END, "offsets are in bytes"],
        ),
        row("fourth_list_at_end", BufferBounds, V, "MrgSort<float>", &["operand src4", AT_END]),
        row("tensor_of_first_round", Freed, V, "Adds<float>", &["operand src", "earlier AllocTensor", "tensors.cpp:"]),
        row("value_of_first_round", Freed, S, GET, &["earlier AllocTensor", "tensors.cpp:"]),
        row("selected_by_nothing", Uninitialized, V, "Select<float>", &["register", "Compare"]),
    ];
    rows.into_iter().map(|row| row.size(256, 64).want(doubled)).collect()
}
