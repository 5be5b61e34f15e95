//! Graphs that tests run, with sizes for their symbols. Each test takes what it needs.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

use ascgraph::build::fmod_example;
use ascgraph::codegen::pattern;
use ascgraph::expr::Values;
use ascgraph::interp::Buffer;
use ascgraph::load::load;
use ascgraph::model::{FusedGraph, Graph};

pub const RECORDED: [&str; 17] = [
    "0_div",
    "0_mul_sub",
    "11_mul_where",
    "12_add_t",
    "13_cat_mul",
    "14_add_remainder",
    "15_add_exp",
    "1_div",
    "1_mul_sub",
    "2_abs_add",
    "3_mul",
    "4_add_mul_relu",
    "5_abs_add_mul",
    "6__to_copy_mul",
    "7_abs_sum",
    "8__softmax",
    "9_native_layer_norm",
];

pub fn recorded(name: &str) -> FusedGraph {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/corpus/{name}.json"));
    load(&std::fs::read_to_string(path).expect("text")).expect("loads").fused
}

/// By the shapes that the Loads see.
pub fn inputs(hint: &Graph, sizes: &Values) -> BTreeMap<i64, Buffer> {
    let mut all = BTreeMap::new();
    for (_, node) in hint.of_type("Load") {
        let data = &hint.nodes[node.inputs[0].from.expect("Data")];
        let length: i64 = node.y.size.iter().map(|size| size.eval(sizes).expect("a size")).product();
        let (index, dtype) = (data.index().expect("an index"), data.y.dtype.expect("a type"));
        all.insert(index, pattern(dtype, index as u64 + 1, length as usize));
    }
    all
}

pub fn all() -> Vec<(FusedGraph, Vec<Vec<i64>>)> {
    let mut all = Vec::new();
    for name in RECORDED {
        let symbols = recorded(name).graphs[0].size_vars.len();
        let shapes =
            if symbols == 0 { vec![vec![]] } else { vec![vec![6, 40], vec![77, 130], vec![3, 9001], vec![300, 3]] };
        all.push((recorded(name), shapes));
    }
    all.push((fmod_example(), vec![vec![97, 1000], vec![1, 1], vec![1000, 5], vec![5, 2049]]));
    all
}
