//! Graphs that reduce rows of int32, of which the vector core has no instruction.

use ascgraph::build::{Builder, View, contiguous_strides, fused};
use ascgraph::dtype::DType::Int32;
use ascgraph::model::FusedGraph;

use super::{long, many_rows, rows};

pub const KINDS: [&str; 3] = ["Sum", "Max", "Min"];

/// Parts of s1 and s2 integers side by side, and the sum, the largest and the smallest of the first.
pub fn summed() -> FusedGraph {
    let mut b = Builder::new("summed");
    let sizes = ["s0", "s1", "s2"].map(|name| b.create_size_var(name));
    let axes = [b.create_axis("z0", sizes[0].clone()), b.create_axis("z1", sizes[1].plus(&sizes[2]))];
    b.sched_axis(&axes);
    let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
    let parts = [1, 2].map(|at: usize| {
        let size = vec![sizes[0].clone(), sizes[at].clone()];
        let view = View { axis: axes.to_vec(), strides: contiguous_strides(&size), size };
        let data = b.data(&format!("x{at}"), at as i64 - 1, Int32);
        let load = b.load(&format!("load{at}"), data, &view);
        b.node("Add", &format!("twice{at}"), &[load, load], Some(&view))
    });
    let join = b.node("Concat", "join", &parts, Some(&all));
    let reduced = KINDS.map(|kind| (b.node(kind, &kind.to_lowercase(), &parts[..1], Some(&narrow)), &narrow));
    for (index, (node, view)) in std::iter::once((join, &all)).chain(reduced).enumerate() {
        let store = b.store(&format!("store{index}"), node, view);
        b.output(&format!("out{index}"), index as i64, store, Int32);
    }
    fused("summed", b.graph())
}

/// With sizes for their symbols.
pub fn all() -> Vec<(FusedGraph, Vec<Vec<i64>>)> {
    let two = [[1, 1], [300, 3], [77, 130], [5, 2049], [2, 700], [1000, 64], [9, 8]].map(Vec::from).into();
    let three = [[1, 1, 1], [33, 5, 700], [900, 5, 251], [7, 64, 3], [9, 70, 1], [300, 2, 1]].map(Vec::from).into();
    vec![
        (rows(Int32, &KINDS), two),
        (many_rows(Int32), [[1500, 3], [1000, 7], [500, 130]].map(Vec::from).into()),
        (long::bare(Int32, &KINDS), [[1000, 7], [3, 1]].map(Vec::from).into()),
        (summed(), three),
    ]
}
