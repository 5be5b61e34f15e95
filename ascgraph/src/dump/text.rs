//! The listing: Graph, Sizes, Axis, Nodes.

use std::fmt::Write;

use crate::expr::list;
use crate::model::{AxisType, FusedGraph, FusedNode, Graph, GraphType, Node, Position};

pub fn text(fused: &FusedGraph) -> String {
    let mut text = format!("FusedGraph: {}\n", fused.name);
    for node in &fused.nodes {
        let line = match node {
            FusedNode::Data { name, index } => format!("{name}: Data index {index}"),
            FusedNode::AscBackend { name, graph, inputs } => {
                let graph = fused.graphs.get(*graph).map_or("?", |graph| &graph.name);
                format!("{name}: AscBackend {graph}({})", inputs.join(", "))
            }
            FusedNode::Output { name, index, input } => format!("{name}: Output index {index} of {input}"),
        };
        let _ = writeln!(text, "  {line}");
    }
    for graph in &fused.graphs {
        text.push_str(&graph_text(graph));
    }
    text
}

pub fn graph_text(graph: &Graph) -> String {
    let mut text = format!("Graph: {} ({})\n", graph.name, graph.graph_type.name());
    if let Some(key) = graph.tiling_key {
        let _ = writeln!(text, "TilingKey: {key}");
    }
    let _ = writeln!(text, "Sizes:");
    for var in &graph.size_vars {
        let _ = writeln!(text, "  {}", var.name);
    }
    let _ = writeln!(text, "Axis:");
    for axis in &graph.axis {
        let from =
            if axis.from.is_empty() { String::new() } else { format!(", from [{}]", graph.axis_names(&axis.from)) };
        let peer = axis.split_pair_other_id.map_or_else(String::new, |id| format!(", peer {}", graph.axis_name(id)));
        let _ =
            writeln!(text, "  {}({}): {}, {}{from}{peer}", axis.name, axis.id, axis.size, type_name(axis.axis_type));
    }
    let _ = writeln!(text, "Sched: axis [{}]", graph.axis_names(&graph.sched.axis));
    if let Some(id) = graph.sched.loop_axis {
        let _ = writeln!(text, "  loop_axis {}", graph.axis_name(id));
    }
    let _ = writeln!(text, "Nodes:");
    for node in &graph.nodes {
        node_text(&mut text, graph, node);
    }
    text
}

fn node_text(text: &mut String, graph: &Graph, node: &Node) {
    let operand = |from: Option<usize>| from.and_then(|id| graph.nodes.get(id)).map_or("?", |node| &node.name);
    let inputs: Vec<String> =
        node.inputs.iter().map(|input| format!("{}={}", input.name, operand(input.from))).collect();
    let attrs: Vec<String> = node.ir_attr.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let all = [inputs, attrs].concat().join(", ");
    let _ = writeln!(text, "  {}: {}({all}) -> {}", node.name, node.node_type, graph.tensor_text(&node.y));
    if !node.y.vectorized_axis.is_empty() {
        let (axis, strides) = (graph.axis_names(&node.y.vectorized_axis), list(&node.y.vectorized_strides));
        let _ = writeln!(text, "    vectorized [{axis}] strides [{strides}]");
    }
    if let Some(mem) = node.y.mem.filter(|_| graph.graph_type == GraphType::Impl) {
        let place = match (mem.que, mem.buf) {
            (Some(que), _) => format!("que {que}"),
            (_, Some(buf)) => format!("buf {buf}"),
            _ => "no buffer".to_owned(),
        };
        let position = match mem.position {
            Position::Gm => "GM",
            Position::VecIn => "VECIN",
            Position::VecOut => "VECOUT",
            Position::VecCalc => "VECCALC",
        };
        let _ = writeln!(text, "    tensor {} in {position}, {place}", mem.tensor_id);
    }
}

fn type_name(axis_type: AxisType) -> &'static str {
    match axis_type {
        AxisType::Original => "Original",
        AxisType::BlockOuter => "BlockOuter",
        AxisType::BlockInner => "BlockInner",
        AxisType::TileOuter => "TileOuter",
        AxisType::TileInner => "TileInner",
        AxisType::Merged => "Merged",
    }
}
