//! The file as it is written, before names become nodes and axes. Upstream calls `size` repeats, and its guide says
//! stride of `strides`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A size: a number, or the text of an expression.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Size {
    Number(i64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Looked at before the rest is read.
    #[serde(rename = "ascgraph")]
    pub _version: i64,
    #[serde(default)]
    pub name: String,
    pub graphs: Vec<Graph>,
    #[serde(default)]
    pub nodes: Vec<FusedNode>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    pub name: String,
    #[serde(rename = "type", default = "hint")]
    pub graph_type: String,
    #[serde(default)]
    pub size_vars: Vec<String>,
    pub axis: Vec<Axis>,
    pub sched: Sched,
    pub nodes: Vec<Node>,
}

fn hint() -> String {
    "HintGraph".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    pub name: String,
    pub size: Size,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sched {
    pub axis: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    pub name: String,
    #[serde(rename = "type")]
    pub node_type: String,
    #[serde(default)]
    pub ir_attr: BTreeMap<String, Size>,
    #[serde(default)]
    pub inputs: Vec<Input>,
    #[serde(default)]
    pub y: Tensor,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub name: String,
    pub from: Option<String>,
    pub tensor: Option<Tensor>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tensor {
    #[serde(default)]
    pub dtype: Option<String>,
    #[serde(default)]
    pub axis: Vec<String>,
    #[serde(default, alias = "repeats")]
    pub size: Vec<Size>,
    #[serde(default, alias = "stride")]
    pub strides: Vec<Size>,
}

#[derive(Deserialize)]
#[serde(tag = "type", deny_unknown_fields)]
pub enum FusedNode {
    Data { name: String, index: i64 },
    AscBackend { name: String, graph: String, inputs: Vec<String> },
    Output { name: String, index: i64, input: String },
}
