//! Graphs that read tensors whose axes are in another order than the loops.

use ascgraph::build::{Builder, View, fused};
use ascgraph::dtype::DType;
use ascgraph::model::{AxisId, FusedGraph};

/// Loops over an axis for each of `order`: a tensor in their order, and one whose axes lie in this.
fn views(b: &mut Builder, order: &[usize]) -> (View, View) {
    let sizes: Vec<_> = (0..order.len()).map(|at| b.create_size_var(&format!("s{at}"))).collect();
    let axes: Vec<AxisId> =
        sizes.into_iter().enumerate().map(|(at, size)| b.create_axis(&format!("z{at}"), size)).collect();
    b.sched_axis(&axes);
    let moved: Vec<AxisId> = order.iter().map(|at| axes[*at]).collect();
    (b.contiguous(&axes), b.contiguous(&moved))
}

/// `x` as it lies in memory, its axes in the order of `order`, and a Transpose behind it, as torch_npu writes it; `y` in the order
/// of the loops. Their sum, computed in float; of `y` alone the absolute value.
pub fn sum(dtype: DType, order: &[usize]) -> FusedGraph {
    let name = format!("turned_{dtype}_{}", order.iter().map(usize::to_string).collect::<String>());
    let mut b = Builder::new(&name);
    let (all, lying) = views(&mut b, order);
    let floats = [DType::Float32, DType::Int32].contains(&dtype);
    let data = [0, 1].map(|index| b.data(&format!("x{index}"), index, dtype));
    let mut x = b.load("load_x", data[0], &lying);
    let mut y = b.load("load_y", data[1], &all);
    if !floats {
        x = b.cast("float_x", x, DType::Float32, &lying);
        y = b.cast("float_y", y, DType::Float32, &all);
    }
    let x = b.node("Transpose", "transpose", &[x], Some(&all));
    let abs = b.node("Abs", "abs", &[y], Some(&all));
    let sum = b.node("Add", "sum", &[x, y], Some(&all));
    for (index, node) in [sum, abs].into_iter().enumerate() {
        let node = if floats { node } else { b.cast(&format!("back{index}"), node, dtype, &all) };
        let store = b.store(&format!("store{index}"), node, &all);
        b.output(&format!("out{index}"), index as i64, store, dtype);
    }
    fused(&name, b.graph())
}

/// A tensor in another order and nothing else: what torch_npu makes a kernel of its own of.
pub fn copy(dtype: DType, order: &[usize]) -> FusedGraph {
    let name = format!("copied_{dtype}_{}", order.iter().map(usize::to_string).collect::<String>());
    let mut b = Builder::new(&name);
    let (all, lying) = views(&mut b, order);
    let data = b.data("x", 0, dtype);
    let x = b.load("load", data, &lying);
    let x = b.node("Transpose", "transpose", &[x], Some(&all));
    let store = b.store("store", x, &all);
    b.output("out", 0, store, dtype);
    fused(&name, b.graph())
}

/// A matrix that lies in columns, less the largest element of each row or column, and these.
pub fn reduced(dtype: DType, along: usize) -> FusedGraph {
    let name = format!("reduced_{dtype}_{along}");
    let mut b = Builder::new(&name);
    let sizes = ["s0", "s1"].map(|name| b.create_size_var(name));
    let [z0, z1] = [("z0", &sizes[0]), ("z1", &sizes[1])].map(|(name, size)| b.create_axis(name, size.clone()));
    b.sched_axis(&[z0, z1]);
    let (all, lying) = (b.contiguous(&[z0, z1]), b.contiguous(&[z1, z0]));
    let once = b.broadcast_along(&[z0, z1], &[[z0, z1][along]]);
    let data = b.data("x", 0, dtype);
    let x = b.load("load", data, &lying);
    let x = b.node("Transpose", "transpose", &[x], Some(&all));
    let most = b.node("Max", "most", &[x], Some(&once));
    let wide = b.node("Broadcast", "wide", &[most], Some(&all));
    let less = b.node("Sub", "less", &[x, wide], Some(&all));
    for (index, (node, view)) in [(less, &all), (most, &once)].into_iter().enumerate() {
        let store = b.store(&format!("store{index}"), node, view);
        b.output(&format!("out{index}"), index as i64, store, dtype);
    }
    fused(&name, b.graph())
}

/// Graphs, and sizes for their symbols.
pub fn all() -> Vec<(FusedGraph, Vec<Vec<i64>>)> {
    use DType::{BFloat16, Float16, Float32, Int8, Int32};
    let three: Vec<Vec<i64>> = [[1, 1, 1], [2, 9, 20], [9, 2, 64], [5, 1, 9], [1, 41, 70]].map(Vec::from).into();
    let four: Vec<Vec<i64>> = [[2, 3, 4, 5], [1, 9, 1, 35], [3, 5, 17, 8]].map(Vec::from).into();
    let mut all = Vec::new();
    // The elements that lie side by side stay so.
    for dtype in [Float32, Float16, BFloat16, Int32] {
        all.push((sum(dtype, &[1, 0, 2]), three.clone()));
        all.push((sum(dtype, &[0, 2, 1, 3]), four.clone()));
    }
    // They do not, and the tile is turned.
    let two: Vec<Vec<i64>> =
        [[1, 1], [3, 70], [70, 3], [9, 64], [33, 21], [200, 2], [2, 200], [65, 129]].map(Vec::from).into();
    for dtype in [Float32, Float16, BFloat16, Int32] {
        all.push((sum(dtype, &[1, 0]), two.clone()));
        all.push((sum(dtype, &[0, 1, 3, 2]), four.clone()));
        all.push((copy(dtype, &[2, 1, 0]), three.clone()));
    }
    for dtype in [Float32, Float16] {
        all.extend([0, 1].map(|along| (reduced(dtype, along), two.clone())));
    }
    all.push((sum(Float32, &[2, 0, 1]), three.clone()));
    all.push((sum(Float16, &[3, 1, 2, 0]), four.clone()));
    all.push((copy(Int8, &[1, 0, 2]), three.clone()));
    all.push((copy(Float16, &[0, 2, 1, 3]), four.clone()));
    all
}
