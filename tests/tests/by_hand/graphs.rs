//! What the operators compute, as graphs.

use anyhow::{Result, bail};
use ascgraph::build::Rows;
use ascgraph::dtype::DType;
use ascgraph::model::{FusedGraph, NodeId};

use super::EPSILON;

/// 1 / sqrt(variance + epsilon).
fn scale(g: &mut Rows, variance: NodeId) -> NodeId {
    let small = g.b.scalar("small", &format!("{EPSILON}"), DType::Float32);
    let small = g.once("Broadcast", "wide_small", &[small]);
    let sum = g.once("Add", "above", &[variance, small]);
    g.once("Rsqrt", "scale", &[sum])
}

pub fn graph(name: &str, what: &str, dtype: DType) -> Result<FusedGraph> {
    let mut g = Rows::new(name);
    let (all, narrow, row) = (g.all.clone(), g.narrow.clone(), g.row.clone());
    match what {
        "rms_norm" => {
            let x = g.load(0, dtype, &all);
            let square = g.wide("Mul", "square", &[x, x]);
            let mean = g.once("Mean", "mean", &[square]);
            let scale = scale(&mut g, mean);
            let wide = g.wide("Broadcast", "wide_scale", &[scale]);
            let scaled = g.wide("Mul", "scaled", &[x, wide]);
            let weight = g.load(1, dtype, &row);
            let weight = g.wide("Broadcast", "wide_weight", &[weight]);
            let last = g.wide("Mul", "weighed", &[scaled, weight]);
            g.store(0, last, dtype, &all);
            g.store(1, scale, DType::Float32, &narrow);
        }
        "layer_norm" => {
            let x = g.load(0, dtype, &all);
            let mean = g.once("Mean", "mean", &[x]);
            let wide = g.wide("Broadcast", "wide_mean", &[mean]);
            let less = g.wide("Sub", "less", &[x, wide]);
            let square = g.wide("Mul", "square", &[less, less]);
            let variance = g.once("Mean", "variance", &[square]);
            let scale = scale(&mut g, variance);
            let many = g.wide("Broadcast", "wide_scale", &[scale]);
            let scaled = g.wide("Mul", "scaled", &[less, many]);
            let (weight, bias) = (g.load(1, dtype, &row), g.load(2, dtype, &row));
            let weight = g.wide("Broadcast", "wide_weight", &[weight]);
            let bias = g.wide("Broadcast", "wide_bias", &[bias]);
            let weighed = g.wide("Mul", "weighed", &[scaled, weight]);
            let last = g.wide("Add", "last", &[weighed, bias]);
            g.store(0, last, dtype, &all);
            g.store(1, mean, DType::Float32, &narrow);
            g.store(2, scale, DType::Float32, &narrow);
        }
        "softmax" => {
            let x = g.load(0, dtype, &all);
            let most = g.once("Max", "most", &[x]);
            let wide = g.wide("Broadcast", "wide_most", &[most]);
            let less = g.wide("Sub", "less", &[x, wide]);
            let exp = g.wide("Exp", "exp", &[less]);
            let sum = g.once("Sum", "sum", &[exp]);
            let wide = g.wide("Broadcast", "wide_sum", &[sum]);
            let last = g.wide("Div", "quotient", &[exp, wide]);
            g.store(0, last, dtype, &all);
        }
        "swiglu" => {
            let (x, gate) = (g.load(0, dtype, &all), g.load(1, dtype, &all));
            let sigmoid = g.wide("Sigmoid", "sigmoid", &[x]);
            let silu = g.wide("Mul", "silu", &[x, sigmoid]);
            let last = g.wide("Mul", "last", &[silu, gate]);
            g.store(0, last, dtype, &all);
        }
        "add_mul" => {
            let (x, y, z) = (g.load(0, dtype, &all), g.load(1, dtype, &all), g.load(2, dtype, &all));
            let sum = g.wide("Add", "sum", &[x, y]);
            let last = g.wide("Mul", "last", &[sum, z]);
            g.store(0, last, dtype, &all);
        }
        _ => bail!("{what} has no graph"),
    }
    Ok(g.done(name))
}
