//! For Graphviz: `dot -Tsvg`.

use std::fmt::Write;

use crate::ir::{self, ComputeUnit};
use crate::model::{FusedGraph, Graph, Node};

pub fn dot(fused: &FusedGraph) -> String {
    let mut text =
        format!("digraph {} {{\n  node [shape=box, style=filled, fontname=monospace]\n", quoted(&fused.name));
    for (at, graph) in fused.graphs.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{at} {{\n    label={}", quoted(&graph.name));
        for (id, node) in graph.nodes.iter().enumerate() {
            let label = quoted(&format!("{}\n{}{}", node.name, node.node_type, attrs(node)));
            let _ = writeln!(text, "    g{at}n{id} [label={label}, fillcolor={}]", colour(node));
        }
        edges(&mut text, at, graph);
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

fn edges(text: &mut String, at: usize, graph: &Graph) {
    for (id, node) in graph.nodes.iter().enumerate() {
        for input in &node.inputs {
            if let Some((from, source)) = input.from.and_then(|from| Some((from, graph.nodes.get(from)?))) {
                let label = quoted(&graph.tensor_text(&source.y));
                let _ = writeln!(text, "    g{at}n{from} -> g{at}n{id} [label={label}]");
            }
        }
    }
}

fn attrs(node: &Node) -> String {
    node.ir_attr.iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

/// By the pipe that executes it.
fn colour(node: &Node) -> &'static str {
    match ir::find(&node.node_type).map(|ir| ir.unit) {
        Some(ComputeUnit::Mte2) => "lightblue",
        Some(ComputeUnit::Vector) => "lightyellow",
        Some(ComputeUnit::Mte3) => "lightgreen",
        Some(ComputeUnit::None) => "white",
        None => "salmon",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
