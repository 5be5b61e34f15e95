//! Graphs that join rows, and one of many inputs.

use ascgraph::build::{Builder, View, contiguous_strides, fused};
use ascgraph::dtype::DType;
use ascgraph::expr::Expr;
use ascgraph::model::FusedGraph;

/// Parts of s1 and s2 elements side by side, the first unchanged and once more at the end.
pub fn joined(dtype: DType) -> FusedGraph {
    let mut b = Builder::new(&format!("joined_{dtype}"));
    let sizes = ["s0", "s1", "s2"].map(|name| b.create_size_var(name));
    let whole = sizes[1].plus(&sizes[2]).plus(&sizes[1]);
    let axes = [b.create_axis("z0", sizes[0].clone()), b.create_axis("z1", whole)];
    b.sched_axis(&axes);
    let all = b.contiguous(&axes);
    let part = |size: &Expr| {
        let size = vec![sizes[0].clone(), size.clone()];
        View { axis: axes.to_vec(), strides: contiguous_strides(&size), size }
    };
    let (one, two) = (part(&sizes[1]), part(&sizes[2]));
    let (x, y) = (b.data("x", 0, dtype), b.data("y", 1, dtype));
    let (x, y) = (b.load("load_x", x, &one), b.load("load_y", y, &two));
    let square = b.node("Mul", "square", &[y, y], Some(&two));
    let join = b.node("Concat", "join", &[x, square, x], Some(&all));
    let store = b.store("store", join, &all);
    b.output("out", 0, store, dtype);
    fused(&format!("joined_{dtype}"), b.graph())
}

/// s1 elements of each row, and behind them five times a value: what a constant pads.
pub fn padded(dtype: DType) -> FusedGraph {
    let mut b = Builder::new(&format!("padded_{dtype}"));
    let sizes = [b.create_size_var("s0"), b.create_size_var("s1"), Expr::from(5)];
    let axes = [b.create_axis("z0", sizes[0].clone()), b.create_axis("z1", sizes[1].plus(&sizes[2]))];
    b.sched_axis(&axes);
    let all = b.contiguous(&axes);
    let [one, two] = [1, 2].map(|at| {
        let size = vec![sizes[0].clone(), sizes[at].clone()];
        View { axis: axes.to_vec(), strides: contiguous_strides(&size), size }
    });
    let x = b.data("x", 0, dtype);
    let x = b.load("load_x", x, &one);
    let abs = b.node("Abs", "abs", &[x], Some(&one));
    let value = b.scalar("value", "7", dtype);
    let mut rows = two.clone();
    (rows.size[1], rows.strides) = (Expr::from(1), vec![Expr::from(1), Expr::from(0)]);
    let value = b.node("Broadcast", "rows", &[value], Some(&rows));
    let value = b.node("Broadcast", "many", &[value], Some(&two));
    let join = b.node("Concat", "join", &[abs, value], Some(&all));
    let store = b.store("store", join, &all);
    b.output("out", 0, store, dtype);
    fused(&format!("padded_{dtype}"), b.graph())
}

/// Rotated positions as a transformer has them: x cos + cat(-x2, x1) sin, of the halves x1 and x2 of rows x; and the larger of a
/// number and what is joined, times a value for each row.
pub fn rotated(dtype: DType) -> FusedGraph {
    let name = format!("rotated_{dtype}");
    let mut b = Builder::new(&name);
    let sizes = ["s0", "s1"].map(|name| b.create_size_var(name));
    let whole = sizes[1].plus(&sizes[1]);
    let axes = [b.create_axis("z0", sizes[0].clone()), b.create_axis("z1", whole)];
    b.sched_axis(&axes);
    let (all, row, column) =
        (b.contiguous(&axes), b.broadcast_along(&axes, &axes[..1]), b.broadcast_along(&axes, &axes[1..]));
    let size = vec![sizes[0].clone(), sizes[1].clone()];
    let half = View { axis: axes.to_vec(), strides: contiguous_strides(&size), size };
    let (first, second, x) = (b.data("x1", 0, dtype), b.data("x2", 1, dtype), b.data("x", 2, dtype));
    let (first, second, whole) =
        (b.load("first", first, &half), b.load("second", second, &half), b.load("whole", x, &all));
    let negative = b.node("Neg", "negative", &[second], Some(&half));
    let join = b.node("Concat", "join", &[negative, first], Some(&all));
    let (cos, sin, by) = (b.data("cos", 3, dtype), b.data("sin", 4, dtype), b.data("by", 5, dtype));
    let (cos, sin, by) = (b.load("load_cos", cos, &row), b.load("load_sin", sin, &all), b.load("load_by", by, &column));
    let cos = b.node("Broadcast", "wide_cos", &[cos], Some(&all));
    let straight = b.node("Mul", "straight", &[whole, cos], Some(&all));
    let turned = b.node("Mul", "turned", &[join, sin], Some(&all));
    let sum = b.node("Add", "sum", &[straight, turned], Some(&all));
    let by = b.node("Broadcast", "wide_by", &[by], Some(&all));
    let two = b.scalar("two", "2", dtype);
    let two = b.node("Broadcast", "a_two", &[two], Some(&column));
    let two = b.node("Broadcast", "twos", &[two], Some(&all));
    let scaled = b.node("Mul", "scaled", &[join, by], Some(&all));
    let last = b.node("Maximum", "last", &[scaled, two], Some(&all));
    for (at, node) in [sum, last, join].into_iter().enumerate() {
        let store = b.store(&format!("store{at}"), node, &all);
        b.output(&format!("out{at}"), at as i64, store, dtype);
    }
    fused(&name, b.graph())
}

/// The sum of many inputs, and `again` times each of them.
pub fn wide(count: usize, again: bool) -> FusedGraph {
    let mut b = Builder::new("wide");
    let n = b.create_size_var("n");
    let z = b.create_axis("z", n);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let loads: Vec<usize> = (0..count)
        .map(|at| {
            let x = b.data(&format!("x{at}"), at as i64, DType::Float32);
            b.load(&format!("load{at}"), x, &all)
        })
        .collect();
    let mut sum = loads[0];
    for (at, load) in loads[1..].iter().enumerate() {
        sum = b.node("Add", &format!("add{at}"), &[sum, *load], Some(&all));
    }
    for (at, load) in loads.iter().enumerate().filter(|_| again) {
        sum = b.node("Mul", &format!("mul{at}"), &[sum, *load], Some(&all));
    }
    let store = b.store("store", sum, &all);
    b.output("out", 0, store, DType::Float32);
    fused("wide", b.graph())
}
