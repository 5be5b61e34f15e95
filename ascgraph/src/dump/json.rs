//! The file that `load` reads, one line for each node.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use crate::expr::Expr;
use crate::load::VERSION;
use crate::model::{AttrValue, FusedGraph, FusedNode, Graph, Node, TensorAttr};

/// Hint graphs; the impl form is made anew from them.
pub fn json(fused: &FusedGraph) -> String {
    let mut text = format!("{{\"ascgraph\": {VERSION},\n \"name\": {},\n \"graphs\": [", json!(fused.name));
    for (at, graph) in fused.graphs.iter().enumerate() {
        text.push_str(if at == 0 { "\n" } else { ",\n" });
        graph_json(&mut text, graph);
    }
    text.push_str("],\n \"nodes\": [");
    for (at, node) in fused.nodes.iter().enumerate() {
        let value = match node {
            FusedNode::Data { name, index } => json!({"name": name, "type": "Data", "index": index}),
            FusedNode::AscBackend { name, graph, inputs } => {
                let graph = fused.graphs.get(*graph).map(|graph| &graph.name);
                json!({"name": name, "type": "AscBackend", "graph": graph, "inputs": inputs})
            }
            FusedNode::Output { name, index, input } => {
                json!({"name": name, "type": "Output", "index": index, "input": input})
            }
        };
        let _ = write!(text, "{}\n  {value}", if at == 0 { "" } else { "," });
    }
    text.push_str("]}\n");
    text
}

fn graph_json(text: &mut String, graph: &Graph) {
    let vars: Vec<&str> = graph.size_vars.iter().map(|var| var.name.as_str()).collect();
    let axes: Vec<Value> = graph.axis.iter().map(|axis| json!({"name": axis.name, "size": expr(&axis.size)})).collect();
    let sched: Vec<&str> = graph.sched.axis.iter().map(|id| graph.axis_name(*id)).collect();
    let _ = writeln!(text, "  {{\"name\": {}, \"type\": {},", json!(graph.name), json!(graph.graph_type.name()));
    let _ = write!(text, "   \"size_vars\": {},\n   \"axis\": {},\n", json!(vars), json!(axes));
    let _ = write!(text, "   \"sched\": {},\n   \"nodes\": [", json!({"axis": sched}));
    for (at, node) in graph.nodes.iter().enumerate() {
        let _ = write!(text, "{}\n    {}", if at == 0 { "" } else { "," }, node_json(graph, node));
    }
    text.push_str("]}");
}

fn expr(expr: &Expr) -> Value {
    expr.constant().map_or_else(|| json!(expr.to_string()), |value| json!(value))
}

fn node_json(graph: &Graph, node: &Node) -> Value {
    let attrs: Map<String, Value> = node.ir_attr.iter().map(|(name, value)| (name.clone(), attr(value))).collect();
    let inputs: Vec<Value> = node
        .inputs
        .iter()
        .map(|input| {
            let source = input.from.and_then(|from| graph.nodes.get(from));
            let mut all = json!({"name": input.name, "from": source.map(|source| &source.name)});
            // Both ends are written, so that a reader can compare them.
            if let Some(view) = input.view.as_ref().or(source.map(|source| &source.y)) {
                all["tensor"] = tensor(graph, view);
            }
            all
        })
        .collect();
    json!({"name": node.name, "type": node.node_type, "ir_attr": attrs, "inputs": inputs, "y": tensor(graph, &node.y)})
}

fn attr(value: &AttrValue) -> Value {
    match value {
        AttrValue::Int(value) => json!(value),
        AttrValue::Text(text) => json!(text),
        AttrValue::Expr(value) => expr(value),
    }
}

fn tensor(graph: &Graph, tensor: &TensorAttr) -> Value {
    let axis: Vec<&str> = tensor.axis.iter().map(|id| graph.axis_name(*id)).collect();
    let exprs = |list: &[Expr]| list.iter().map(expr).collect::<Vec<_>>();
    let dtype = tensor.dtype.map(|dtype| dtype.name());
    json!({"dtype": dtype, "axis": axis, "size": exprs(&tensor.size), "strides": exprs(&tensor.strides)})
}
