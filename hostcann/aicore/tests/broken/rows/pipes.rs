//! Missing order between pipes, with the compiler's automatic sync and without.

use super::{Row, row, x1, x2};
use aicore::{
    FaultClass::{Freed, Race},
    Pipe::{MTE2, MTE3, S, V},
};

const IN: &str = "DataCopyPad<float> GM->UB";
const OUT: &str = "DataCopyPad<float> UB->GM";

fn copy(n: usize) -> Vec<f32> {
    (0..n).map(x1).collect()
}
fn doubled(n: usize) -> Vec<f32> {
    (0..n).map(|i| 2.0 * x1(i)).collect()
}
fn filled_tail(n: usize) -> Vec<f32> {
    (0..n).map(|i| if i + 24 < n { x1(i) } else { -1.0 }).collect()
}
fn zeroed_tail(n: usize) -> Vec<f32> {
    (0..n).map(|i| if i < n / 2 { x1(i) } else { 0.0 }).collect()
}
fn patched(n: usize) -> Vec<f32> {
    (0..n).map(|i| if i < 64 { x2(i) } else { x1(i) }).collect()
}

/// Events around TBufs.
pub fn manual() -> Vec<Row> {
    vec![
        row("no_mte2_v", Race, V, "Add<float>", &["src0", "MTE2_V", "DataCopyPad", "pipes.cpp:"]),
        row("no_v_mte2", Race, MTE2, IN, &["dst", "V_MTE2", "Add", "pipes.cpp:"]),
        row("no_v_mte3", Race, MTE3, OUT, &["src", "V_MTE3", "Add", "pipes.cpp:"]),
        row("no_mte3_v", Race, V, "Add<float>", &["dst", "MTE3_V", "DataCopyPad", "pipes.cpp:"]),
        row("opposite_event", Race, V, "Add<float>", &["src0", "MTE2_V"]),
        row("flag_before_copy", Race, V, "Add<float>", &["src0", "MTE2_V"]),
        row("barrier_for_event", Race, V, "Add<float>", &["src0", "MTE2_V"]),
        // Three full tiles pass.
        row("tail_without_event", Race, V, "Add<float>", &["src0", "MTE2_V"]),
        row("last_core_without_event", Race, V, "Add<float>", &["src0", "MTE2_V"]).size(1024, 256).cores(4, 3),
        // Two tiles pass: the third one is the first to come back to a buffer.
        row("ping_pong", Race, MTE2, IN, &["dst", "V_MTE2"]),
    ]
}

/// Two writers, copies, global memory, queues.
pub fn order() -> Vec<Row> {
    vec![
        row("fill_then_copy", Race, MTE2, IN, &["dst", "V_MTE2", "Duplicate"]).want(filled_tail),
        row("copy_then_fill", Race, V, "Duplicate<float>", &["dst", "MTE2_V", "DataCopyPad"])
            .size(1024, 0)
            .want(zeroed_tail),
        row("copy_through", Race, MTE3, OUT, &["src", "MTE2_MTE3", "TQueBind<VECIN, VECOUT>"]).want(copy),
        row("copy_through_again", Race, MTE2, IN, &["dst", "MTE3_MTE2"]).want(copy),
        row("patch_head", Race, MTE2, IN, &["dst", "PipeBarrier<PIPE_MTE2>"]).want(patched),
        row("zero_then_write", Race, MTE3, OUT, &["PipeBarrier<PIPE_MTE3>"]).want(zeroed_tail),
        row("workspace_round_trip", Race, MTE2, IN, &["MTE3_MTE2"]).want(copy),
        row("step_back_in_place", Race, MTE2, IN, &["MTE3_MTE2"]).want(doubled),
        row("no_deque", Race, V, "Muls<float>", &["src", "MTE2_V"]).want(doubled),
        row("freed_too_early", Freed, V, "Muls<float>", &["src", "given back by FreeTensor"]).want(doubled),
        row("freed_before_copy_out", Freed, MTE3, OUT, &["src", "given back by FreeTensor"]).want(doubled),
    ]
}

/// What only --cce-auto-sync=off makes a fault.
pub fn without_auto_sync() -> Vec<Row> {
    let rows = vec![
        row("vector_raw", Race, V, "Muls<float>", &["src", "PipeBarrier<PIPE_V>"]),
        row("vector_war", Race, V, "Duplicate<float>", &["dst", "PipeBarrier<PIPE_V>"]),
        row("vector_waw", Race, V, "Muls<float>", &["dst", "PipeBarrier<PIPE_V>"]),
        row("scalar_after_copy", Race, S, "LocalTensor::GetValue", &["MTE2_S"]),
        row("scalar_after_vector", Race, S, "LocalTensor::GetValue", &["V_S"]),
        row("vector_after_scalar", Race, V, "Muls<float>", &["src", "S_V"]),
        row("copy_out_after_scalar", Race, MTE3, OUT, &["src", "S_MTE3"]),
        row("copy_in_after_scalar", Race, MTE2, IN, &["dst", "S_MTE2"]),
    ];
    rows.into_iter().map(|row| row.want(doubled).without_auto_sync()).collect()
}
