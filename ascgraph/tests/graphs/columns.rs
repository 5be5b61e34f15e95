//! Graphs that reduce other axes than the last, and several: as models have them.

use ascgraph::build::{Builder, View, fused};
use ascgraph::dtype::DType;
use ascgraph::model::{AxisId, FusedGraph, NodeId};

/// Loops of sizes s0, s1, …, some of them reduced.
pub struct Axes {
    pub b: Builder,
    pub axes: Vec<AxisId>,
    all: View,
    once: View,
}

impl Axes {
    pub fn new(name: &str, count: usize, reduced: &[usize]) -> Axes {
        let mut b = Builder::new(name);
        let sizes: Vec<_> = (0..count).map(|at| b.create_size_var(&format!("s{at}"))).collect();
        let axes: Vec<AxisId> =
            sizes.into_iter().enumerate().map(|(at, size)| b.create_axis(&format!("z{at}"), size)).collect();
        b.sched_axis(&axes);
        let reduced: Vec<AxisId> = reduced.iter().map(|at| axes[*at]).collect();
        let (all, once) = (b.contiguous(&axes), b.broadcast_along(&axes, &reduced));
        Axes { b, axes, all, once }
    }

    /// Computed in float. Size 1 along some axes, and repeated along them.
    fn load(&mut self, index: i64, dtype: DType, ones: &[usize]) -> NodeId {
        let ones: Vec<AxisId> = ones.iter().map(|at| self.axes[*at]).collect();
        let view = self.b.broadcast_along(&self.axes, &ones);
        let data = self.b.data(&format!("x{index}"), index, dtype);
        let mut last = self.b.load(&format!("load{index}"), data, &view);
        if dtype != DType::Float32 {
            last = self.b.cast(&format!("float{index}"), last, DType::Float32, &view);
        }
        let mut left = ones.clone();
        while left.pop().is_some() {
            let view = self.b.broadcast_along(&self.axes, &left);
            last = self.b.node("Broadcast", &format!("wide{index}_{}", left.len()), &[last], Some(&view));
        }
        last
    }

    fn wide(&mut self, node_type: &str, name: &str, from: &[NodeId]) -> NodeId {
        let all = self.all.clone();
        self.b.node(node_type, name, from, Some(&all))
    }

    pub fn once(&mut self, node_type: &str, name: &str, from: &[NodeId]) -> NodeId {
        let once = self.once.clone();
        self.b.node(node_type, name, from, Some(&once))
    }

    /// A reduced value for every element, by one Broadcast as torch_npu writes it.
    fn many(&mut self, name: &str, from: NodeId) -> NodeId {
        self.wide("Broadcast", name, &[from])
    }

    fn store(&mut self, index: i64, node: NodeId, dtype: DType, is_once: bool) {
        let view = if is_once { self.once.clone() } else { self.all.clone() };
        let mut last = node;
        if dtype != DType::Float32 {
            last = self.b.cast(&format!("back{index}"), node, dtype, &view);
        }
        let store = self.b.store(&format!("store{index}"), last, &view);
        self.b.output(&format!("out{index}"), index, store, dtype);
    }
}

fn name(what: &str, count: usize, reduced: &[usize]) -> String {
    let axes: String = reduced.iter().map(usize::to_string).collect();
    format!("{what}_{axes}_of_{count}")
}

/// Reductions and nothing else.
pub fn bare(dtype: DType, reductions: &[&str], count: usize, reduced: &[usize]) -> FusedGraph {
    let name = name(&format!("sums_{dtype}"), count, reduced);
    let mut g = Axes::new(&name, count, reduced);
    let (all, once) = (g.all.clone(), g.once.clone());
    let data = g.b.data("x", 0, dtype);
    let x = g.b.load("load", data, &all);
    for (at, reduction) in reductions.iter().enumerate() {
        let result = g.once(reduction, &format!("reduced{at}"), &[x]);
        let store = g.b.store(&format!("store{at}"), result, &once);
        g.b.output(&format!("out{at}"), at as i64, store, dtype);
    }
    fused(&name, g.b.graph())
}

/// The quotients, and the logarithm of the sums: three passes, and a result between them.
pub fn softmax(dtype: DType, count: usize, reduced: &[usize]) -> FusedGraph {
    let name = name(&format!("softmax_{dtype}"), count, reduced);
    let mut g = Axes::new(&name, count, reduced);
    let x = g.load(0, dtype, &[]);
    let most = g.once("Max", "most", &[x]);
    let wide = g.many("wide_most", most);
    let less = g.wide("Sub", "less", &[x, wide]);
    let exp = g.wide("Exp", "exp", &[less]);
    let sum = g.once("Sum", "sum", &[exp]);
    let many = g.many("wide_sum", sum);
    let quotient = g.wide("Div", "quotient", &[exp, many]);
    let log = g.once("Ln", "log", &[sum]);
    let log = g.once("Add", "log_sum", &[log, most]);
    g.store(0, quotient, dtype, false);
    g.store(1, log, DType::Float32, true);
    fused(&name, g.b.graph())
}

/// Mean and variance, as a normalization over any axes has them; a value that is the same along the reduced axes, one that is
/// the same along all others, and a mask.
pub fn norm(dtype: DType, count: usize, reduced: &[usize]) -> FusedGraph {
    let name = name(&format!("norm_{dtype}"), count, reduced);
    let mut g = Axes::new(&name, count, reduced);
    let others: Vec<usize> = (0..count).filter(|at| !reduced.contains(at)).collect();
    let x = g.load(0, dtype, &[]);
    let bias = g.load(1, dtype, reduced);
    let weight = g.load(2, dtype, &others);
    let data = g.b.data("mask", 3, DType::UInt8);
    let all = g.all.clone();
    let mask = g.b.load("load_mask", data, &all);
    let chosen = g.wide("Where", "chosen", &[mask, x, weight]);
    let mean = g.once("Mean", "mean", &[chosen]);
    let wide = g.many("wide_mean", mean);
    let less = g.wide("Sub", "less", &[chosen, wide]);
    let square = g.wide("Mul", "square", &[less, less]);
    let variance = g.once("Mean", "variance", &[square]);
    let root = g.once("Sqrt", "root", &[variance]);
    let scale = g.many("scale", root);
    let scaled = g.wide("Mul", "scaled", &[less, scale]);
    let weighed = g.wide("Mul", "weighed", &[scaled, weight]);
    let last = g.wide("Add", "last", &[weighed, bias]);
    g.store(0, last, dtype, false);
    fused(&name, g.b.graph())
}

/// The gradients of a weight and a bias that all rows share.
pub fn gradients(dtype: DType) -> FusedGraph {
    let name = format!("gradients_{dtype}");
    let mut g = Axes::new(&name, 2, &[0]);
    let gradient = g.load(0, dtype, &[]);
    let x = g.load(1, dtype, &[]);
    let mean = g.load(2, DType::Float32, &[1]);
    let less = g.wide("Sub", "less", &[x, mean]);
    let product = g.wide("Mul", "product", &[gradient, less]);
    let weight = g.once("Sum", "weight", &[product]);
    let bias = g.once("Sum", "bias", &[gradient]);
    g.store(0, weight, dtype, true);
    g.store(1, bias, dtype, true);
    fused(&name, g.b.graph())
}

/// A constant tile where a mask is not set.
pub fn masked(count: usize, reduced: &[usize]) -> FusedGraph {
    let name = name("masked", count, reduced);
    let mut g = Axes::new(&name, count, reduced);
    let x = g.load(0, DType::Float32, &[]);
    let data = g.b.data("mask", 1, DType::UInt8);
    let all = g.all.clone();
    let mask = g.b.load("load_mask", data, &all);
    let half = g.b.scalar("half", "0.5", DType::Float32);
    let half = g.many("wide_half", half);
    let chosen = g.wide("Where", "chosen", &[mask, x, half]);
    let sum = g.once("Sum", "sum", &[chosen]);
    g.store(0, sum, DType::Float32, true);
    fused(&name, g.b.graph())
}

/// Graphs whose reductions have tiles of columns, and those of several axes with the last, with sizes for their symbols.
pub fn all() -> Vec<(FusedGraph, Vec<Vec<i64>>)> {
    use DType::{BFloat16, Float16, Float32, Int32};
    let two: Vec<Vec<i64>> = [[1, 1], [3, 70], [8, 5], [9, 64], [21, 33], [100, 2]].map(Vec::from).into();
    let three: Vec<Vec<i64>> = [[1, 1, 1], [2, 9, 20], [2, 3, 64], [5, 1, 9], [1, 41, 9]].map(Vec::from).into();
    let four: Vec<Vec<i64>> = [[2, 3, 4, 5], [1, 9, 1, 35], [3, 1, 17, 8]].map(Vec::from).into();
    let floats = ["Sum", "Max", "Min", "Mean"];
    let mut all = Vec::new();
    for (count, reduced, shapes) in [
        (2, &[0][..], &two),
        (3, &[1], &three),
        (3, &[0, 1], &three),
        (3, &[0, 2], &three),
        (4, &[0, 2], &four),
        (4, &[1, 3], &four),
    ] {
        all.push((bare(Float32, &floats, count, reduced), shapes.clone()));
        all.push((softmax(Float32, count, reduced), shapes.clone()));
        all.push((norm(Float16, count, reduced), shapes.clone()));
    }
    // Segments in each of two rows.
    all.push((bare(Float32, &["Sum"], 3, &[0, 2]), vec![vec![2, 1, 16_500]]));
    all.push((bare(Float16, &["Max", "Min"], 2, &[0]), two.clone()));
    all.push((bare(Int32, &floats[..3], 2, &[0]), two.clone()));
    all.push((bare(Int32, &floats[..3], 3, &[0, 2]), three.clone()));
    all.push((masked(2, &[0]), two.clone()));
    all.push((masked(3, &[1]), three.clone()));
    all.push((softmax(BFloat16, 3, &[1]), three));
    all.push((norm(Float32, 2, &[0]), two.clone()));
    for dtype in [Float32, Float16] {
        all.push((gradients(dtype), two.clone()));
    }
    all
}
