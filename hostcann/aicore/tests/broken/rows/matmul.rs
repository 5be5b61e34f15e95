//! Misuse of Matmul objects.

use super::{Row, row, x1, x2};
use aicore::{
    FaultClass::{Argument, Leak, Race, Tiling, Uninitialized},
    Pipe::{MTE2, S},
};

const SIDE: usize = 32;

fn product(_: usize) -> Vec<f32> {
    let one = |i: usize, j: usize| (0..SIDE).map(|k| x1(i * SIDE + k) * x2(k * SIDE + j)).sum();
    (0..SIDE * SIDE).map(|at| one(at / SIDE, at % SIDE)).collect()
}

pub fn rows() -> Vec<Row> {
    let rows = vec![
        row("single_beyond_matrix", Tiling, S, "Matmul::Iterate", &["singleCoreK", "at most K = 32", "SetOrgShape"]),
        row("base_beyond_l0c", Tiling, S, "Matmul::Init", &["does not fit L0C", "baseM * baseN * 4", "262144 bytes"]),
        row("bias_without_tiling", Tiling, S, "Matmul::SetBias", &["isBias", "EnableBias(true)"]),
        row("not_ended", Leak, S, "Matmul::IterateAll", &["another object has not been ended", "matmul.cpp:", "End"]),
        row("all_not_ended", Leak, S, "Matmul::IterateAll", &["another object has not been ended", "matmul.cpp:"])
            .rule(),
        row("end_missing", Leak, S, "Matmul::End", &["returns without End"]).rule(),
        row("a_in_buffer", Argument, S, "Matmul::SetTensorA", &["a GlobalTensor", "TPosition", "got a LocalTensor"]),
        row("no_b", Argument, S, "Matmul::Iterate", &["without SetTensorB"]),
        row("transposed", Argument, S, "Matmul::SetTensorA", &["to be transposed", "fourth argument"]),
        row("a_unwritten", Uninitialized, MTE2, "Matmul", &["depends on never-written bytes", "workspace"]),
        row(
            "read_before_wait",
            Race,
            S,
            "DataCopy<float> GM->UB",
            &["may still write", "WaitIterateAll", "matmul.cpp:"],
        ),
        row("no_workspace", Argument, S, "Matmul::Iterate", &["SetWorkspace with 4096 bytes", "no SetWorkspace"]),
        row("workspace_too_small", Argument, S, "Matmul::Iterate", &["4096 bytes", "got 4092 bytes"]),
        row("get_without_iterate", Argument, S, "Matmul::GetTensorC", &["no block to get", "while (mm.Iterate())"]),
    ];
    rows.into_iter().map(|row| row.size(SIDE * SIDE, 256).on(1).want(product)).collect()
}
