//! Graphs from JSON files.

mod raw;

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::build::fused;
use crate::check::{Finding, Rule, check_after};
use crate::dtype::DType;
use crate::expr::Expr;
use crate::infer::infer_dtypes;
use crate::ir::{self, AttrKind};
use crate::model::{AttrValue, Axis, AxisId, AxisType, FusedGraph, FusedNode, Graph, Input, Node, SizeVar, TensorAttr};
use crate::parse::parse;

/// Of the file's form.
pub const VERSION: i64 = 1;

/// The file is none of ours; there is nothing to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    NotJson(String),
    Version(String),
    NoGraph,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NotJson(message) => write!(f, "no graph file: {message}"),
            LoadError::Version(found) => {
                write!(f, "\"ascgraph\" (the version of the file's form) is {found}, {VERSION} is expected")
            }
            LoadError::NoGraph => f.write_str("the file has no graph: \"graphs\" is empty"),
        }
    }
}

impl std::error::Error for LoadError {}

/// What was read, and what is wrong with it. With errors among the findings the graph is for looking at only.
#[derive(Debug)]
pub struct Loaded {
    pub fused: FusedGraph,
    pub findings: Vec<Finding>,
}

/// Reads and checks.
///
/// # Errors
///
/// `text` is no JSON of this form, has another version, or holds no graph; what is wrong in a graph is a finding.
pub fn load(text: &str) -> Result<Loaded, LoadError> {
    #[derive(Deserialize)]
    struct Head {
        ascgraph: Option<serde_json::Value>,
    }
    let not_json = |error: serde_json::Error| LoadError::NotJson(error.to_string());
    let head: Head = serde_json::from_str(text).map_err(not_json)?;
    match head.ascgraph {
        Some(version) if version == VERSION => {}
        Some(version) => return Err(LoadError::Version(version.to_string())),
        None => return Err(LoadError::Version("not there".to_owned())),
    }
    let file: raw::File = serde_json::from_str(text).map_err(not_json)?;
    if file.graphs.is_empty() {
        return Err(LoadError::NoGraph);
    }
    let mut findings = Vec::new();
    let graphs: Vec<Graph> = file.graphs.iter().map(|graph| Names::of(graph, &mut findings).graph(graph)).collect();
    let fused = if file.nodes.is_empty() && graphs.len() == 1 {
        fused(if file.name.is_empty() { &graphs[0].name } else { &file.name }.clone().as_str(), graphs[0].clone())
    } else {
        let nodes = file.nodes.iter().map(|node| fused_node(node, &graphs)).collect();
        FusedGraph { name: file.name, graphs, nodes }
    };
    let findings = check_after(&fused, findings);
    Ok(Loaded { fused, findings })
}

fn fused_node(node: &raw::FusedNode, graphs: &[Graph]) -> FusedNode {
    match node {
        raw::FusedNode::Data { name, index } => FusedNode::Data { name: name.clone(), index: *index },
        raw::FusedNode::AscBackend { name, graph, inputs } => FusedNode::AscBackend {
            name: name.clone(),
            // One that is not there is the check's to report.
            graph: graphs.iter().position(|known| known.name == *graph).unwrap_or(graphs.len()),
            inputs: inputs.clone(),
        },
        raw::FusedNode::Output { name, index, input } => {
            FusedNode::Output { name: name.clone(), index: *index, input: input.clone() }
        }
    }
}

/// What an attribute says of the result's data type.
fn result_type(node: &raw::Node) -> Option<DType> {
    let of_kind = |attr: &&(&str, AttrKind)| attr.1 == AttrKind::ResultType;
    match node.ir_attr.get(ir::find(&node.node_type)?.attrs.iter().find(of_kind)?.0)? {
        raw::Size::Text(name) => DType::of_name(name),
        raw::Size::Number(_) => None,
    }
}

/// What the names in a graph's file mean.
struct Names<'a> {
    graph: String,
    axes: BTreeMap<&'a str, AxisId>,
    nodes: BTreeMap<&'a str, usize>,
    findings: &'a mut Vec<Finding>,
}

impl<'a> Names<'a> {
    fn of(graph: &'a raw::Graph, findings: &'a mut Vec<Finding>) -> Names<'a> {
        let mut names = Names { graph: graph.name.clone(), axes: BTreeMap::new(), nodes: BTreeMap::new(), findings };
        for (id, axis) in graph.axis.iter().enumerate() {
            names.axes.entry(&axis.name).or_insert(id);
        }
        for (id, node) in graph.nodes.iter().enumerate() {
            names.nodes.entry(&node.name).or_insert(id);
        }
        names
    }

    fn add(&mut self, rule: Rule, node: &str, axis: &str, message: String) {
        let graph = self.graph.clone();
        self.findings.push(Finding { rule, graph, node: node.to_owned(), axis: axis.to_owned(), message });
    }

    fn expr(&mut self, size: &raw::Size, node: &str, axis: &str) -> Expr {
        match size {
            raw::Size::Number(value) => Expr::from(*value),
            raw::Size::Text(text) => parse(text).unwrap_or_else(|message| {
                self.add(Rule::Expression, node, axis, message);
                Expr::from(0)
            }),
        }
    }

    fn axis(&mut self, name: &str, node: &str) -> Option<AxisId> {
        let id = self.axes.get(name).copied();
        if id.is_none() {
            self.add(Rule::UnknownAxis, node, name, "the graph has no axis of this name".to_owned());
        }
        id
    }

    fn tensor(&mut self, tensor: &raw::Tensor, node: &str) -> TensorAttr {
        let dtype = tensor.dtype.as_ref().and_then(|name| {
            let dtype = DType::of_name(name);
            if dtype.is_none() {
                self.add(Rule::Dtype, node, "", format!("no data type has the name {name}"));
            }
            dtype
        });
        TensorAttr {
            dtype,
            // An axis that is not there must not make the lists differ in length, too.
            axis: tensor.axis.iter().map(|name| self.axis(name, node).unwrap_or(0)).collect(),
            size: tensor.size.iter().map(|size| self.expr(size, node, "")).collect(),
            strides: tensor.strides.iter().map(|stride| self.expr(stride, node, "")).collect(),
            ..TensorAttr::default()
        }
    }

    fn attr(&mut self, node: &raw::Node, name: &str, value: &raw::Size) -> AttrValue {
        let kind = ir::find(&node.node_type).and_then(|ir| ir.attrs.iter().find(|attr| attr.0 == name));
        match (kind.map(|attr| attr.1), value) {
            (Some(AttrKind::Offset | AttrKind::Size), value) => AttrValue::Expr(self.expr(value, &node.name, "")),
            (_, raw::Size::Number(value)) => AttrValue::Int(*value),
            (_, raw::Size::Text(text)) => AttrValue::Text(text.clone()),
        }
    }

    fn input(&mut self, node: &str, input: &raw::Input) -> Input {
        let from = input.from.as_ref().and_then(|name| {
            let id = self.nodes.get(name.as_str()).copied();
            if id.is_none() {
                self.add(Rule::MissingInput, node, "", format!("operand {} is {name}, which is no node", input.name));
            }
            id
        });
        let view = input.tensor.as_ref().map(|tensor| self.tensor(tensor, node));
        Input { name: input.name.clone(), from, view }
    }

    fn graph(mut self, raw: &raw::Graph) -> Graph {
        let mut graph = Graph::new(&raw.name);
        if raw.graph_type != "HintGraph" {
            let message = format!("type {}; only a HintGraph can be read", raw.graph_type);
            self.add(Rule::ImplField, "", "", message);
        }
        graph.size_vars =
            raw.size_vars.iter().enumerate().map(|(id, name)| SizeVar { id, name: name.clone() }).collect();
        for (id, axis) in raw.axis.iter().enumerate() {
            let size = self.expr(&axis.size, "", &axis.name);
            let (name, axis_type) = (axis.name.clone(), AxisType::Original);
            graph.axis.push(Axis { id, name, axis_type, size, from: Vec::new(), split_pair_other_id: None });
        }
        graph.sched.axis = raw.sched.axis.iter().filter_map(|name| self.axis(name, "")).collect();
        for node in &raw.nodes {
            let ir_attr =
                node.ir_attr.iter().map(|(name, value)| (name.clone(), self.attr(node, name, value))).collect();
            let inputs = node.inputs.iter().map(|input| self.input(&node.name, input)).collect();
            let mut y = self.tensor(&node.y, &node.name);
            if node.y.dtype.is_none() {
                y.dtype = result_type(node);
            }
            let (name, node_type) = (node.name.clone(), node.node_type.clone());
            graph.nodes.push(Node { name, node_type, ir_attr, inputs, y });
        }
        infer_dtypes(&mut graph);
        graph
    }
}
