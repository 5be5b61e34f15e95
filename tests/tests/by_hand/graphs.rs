//! What the operators compute, as graphs.

use anyhow::{Result, bail};
use ascgraph::build::{Builder, View, fused};
use ascgraph::dtype::DType;
use ascgraph::model::{FusedGraph, NodeId};

use super::EPSILON;

/// A graph over rows and columns, computed in float.
struct Rows {
    b: Builder,
    dtype: DType,
    all: View,
    narrow: View,
    row: View,
}

impl Rows {
    fn new(name: &str, dtype: DType) -> Rows {
        let mut b = Builder::new(name);
        let [rows, columns] = ["s0", "s1"].map(|name| b.create_size_var(name));
        let axes = [b.create_axis("z0", rows), b.create_axis("z1", columns)];
        b.sched_axis(&axes);
        let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
        let row = b.broadcast_along(&axes, &axes[..1]);
        Rows { b, dtype, all, narrow, row }
    }

    fn input(&mut self, index: i64, view: &View) -> NodeId {
        let data = self.b.data(&format!("x{index}"), index, self.dtype);
        let load = self.b.load(&format!("load{index}"), data, view);
        match self.dtype {
            DType::Float32 => load,
            _ => self.b.cast(&format!("float{index}"), load, DType::Float32, view),
        }
    }

    fn wide(&mut self, node_type: &str, name: &str, from: &[NodeId]) -> NodeId {
        let all = self.all.clone();
        self.b.node(node_type, name, from, Some(&all))
    }

    fn once(&mut self, node_type: &str, name: &str, from: &[NodeId]) -> NodeId {
        let narrow = self.narrow.clone();
        self.b.node(node_type, name, from, Some(&narrow))
    }

    fn output(&mut self, index: i64, node: NodeId, dtype: DType, view: &View) {
        let mut last = node;
        if dtype != DType::Float32 {
            last = self.b.cast(&format!("back{index}"), node, dtype, view);
        }
        let store = self.b.store(&format!("store{index}"), last, view);
        self.b.output(&format!("out{index}"), index, store, dtype);
    }

    /// 1 / sqrt(variance + epsilon).
    fn scale(&mut self, variance: NodeId) -> NodeId {
        let small = self.b.scalar("small", &format!("{EPSILON}"), DType::Float32);
        let small = self.once("Broadcast", "wide_small", &[small]);
        let sum = self.once("Add", "above", &[variance, small]);
        self.once("Rsqrt", "scale", &[sum])
    }
}

pub fn graph(name: &str, what: &str, dtype: DType) -> Result<FusedGraph> {
    let mut g = Rows::new(name, dtype);
    let (all, narrow, row) = (g.all.clone(), g.narrow.clone(), g.row.clone());
    match what {
        "rms_norm" => {
            let x = g.input(0, &all);
            let square = g.wide("Mul", "square", &[x, x]);
            let mean = g.once("Mean", "mean", &[square]);
            let scale = g.scale(mean);
            let wide = g.wide("Broadcast", "wide_scale", &[scale]);
            let scaled = g.wide("Mul", "scaled", &[x, wide]);
            let weight = g.input(1, &row);
            let weight = g.wide("Broadcast", "wide_weight", &[weight]);
            let last = g.wide("Mul", "weighed", &[scaled, weight]);
            g.output(0, last, dtype, &all);
            g.output(1, scale, DType::Float32, &narrow);
        }
        "layer_norm" => {
            let x = g.input(0, &all);
            let mean = g.once("Mean", "mean", &[x]);
            let wide = g.wide("Broadcast", "wide_mean", &[mean]);
            let less = g.wide("Sub", "less", &[x, wide]);
            let square = g.wide("Mul", "square", &[less, less]);
            let variance = g.once("Mean", "variance", &[square]);
            let scale = g.scale(variance);
            let many = g.wide("Broadcast", "wide_scale", &[scale]);
            let scaled = g.wide("Mul", "scaled", &[less, many]);
            let (weight, bias) = (g.input(1, &row), g.input(2, &row));
            let weight = g.wide("Broadcast", "wide_weight", &[weight]);
            let bias = g.wide("Broadcast", "wide_bias", &[bias]);
            let weighed = g.wide("Mul", "weighed", &[scaled, weight]);
            let last = g.wide("Add", "last", &[weighed, bias]);
            g.output(0, last, dtype, &all);
            g.output(1, mean, DType::Float32, &narrow);
            g.output(2, scale, DType::Float32, &narrow);
        }
        "softmax" => {
            let x = g.input(0, &all);
            let most = g.once("Max", "most", &[x]);
            let wide = g.wide("Broadcast", "wide_most", &[most]);
            let less = g.wide("Sub", "less", &[x, wide]);
            let exp = g.wide("Exp", "exp", &[less]);
            let sum = g.once("Sum", "sum", &[exp]);
            let wide = g.wide("Broadcast", "wide_sum", &[sum]);
            let last = g.wide("Div", "quotient", &[exp, wide]);
            g.output(0, last, dtype, &all);
        }
        "swiglu" => {
            let (x, gate) = (g.input(0, &all), g.input(1, &all));
            let sigmoid = g.wide("Sigmoid", "sigmoid", &[x]);
            let silu = g.wide("Mul", "silu", &[x, sigmoid]);
            let last = g.wide("Mul", "last", &[silu, gate]);
            g.output(0, last, dtype, &all);
        }
        "add_mul" => {
            let (x, y, z) = (g.input(0, &all), g.input(1, &all), g.input(2, &all));
            let sum = g.wide("Add", "sum", &[x, y]);
            let last = g.wide("Mul", "last", &[sum, z]);
            g.output(0, last, dtype, &all);
        }
        _ => bail!("{what} has no graph"),
    }
    Ok(fused(name, g.b.graph()))
}
