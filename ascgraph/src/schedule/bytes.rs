//! Masks that each row has one element of: no instruction repeats bytes, so they are repeated as half, which has all their
//! numbers.

use super::{Case, Span, roles};
use crate::dtype::DType;
use crate::model::{AxisId, Graph, Input, Node, NodeId};
use crate::transform::Transform;

/// In front of each such Broadcast a Cast, and one behind it. Of columns in pieces (C) no row has an element.
pub fn repeat_as_half(transform: &mut Transform, case: Case, row: AxisId, columns: Option<AxisId>) {
    let Some(columns) = columns.filter(|_| case != Case::C) else { return };
    let graph = transform.graph();
    let spans = roles::spans(graph, row, Some(columns));
    let (alive, constant) = (graph.alive(), roles::constants(graph));
    let operand = |id: NodeId| graph.nodes[id].inputs.first().and_then(|input| input.from);
    let is_narrow = |from: &NodeId| spans[*from] == Span::Narrow && !constant[*from];
    let of_bytes = |id: &NodeId| {
        let node = &graph.nodes[*id];
        alive[*id]
            && node.node_type == "Broadcast"
            && spans[*id] == Span::Wide
            && node.y.dtype.is_some_and(|dtype| dtype.size() == 1)
    };
    let found: Vec<(NodeId, NodeId)> =
        (0..graph.nodes.len()).filter(of_bytes).filter_map(|id| Some((id, operand(id).filter(is_narrow)?))).collect();
    for (id, from) in found {
        let half = add(transform, [from, from], "Cast", "half", DType::Float16);
        let wide = add(transform, [id, half], "Broadcast", "wide", DType::Float16);
        let dtype = transform.graph().nodes[id].y.dtype.unwrap_or(DType::UInt8);
        let last = add(transform, [id, wide], "Cast", "byte", dtype);
        for (reader, which) in readers(transform.graph(), id) {
            transform.turn(reader, which, last);
        }
    }
}

/// A node of one operand with the shape of `like`.
fn add(transform: &mut Transform, [like, from]: [NodeId; 2], node_type: &str, what: &str, dtype: DType) -> NodeId {
    let graph = transform.graph();
    let mut name = format!("{}_{what}", graph.nodes[like].name);
    while graph.node(&name).is_some() {
        name.push('_');
    }
    let mut y = graph.nodes[like].y.clone();
    y.dtype = Some(dtype);
    let x = Input { name: "x".to_owned(), from: Some(from), view: None };
    transform.insert(Node { name, node_type: node_type.to_owned(), ir_attr: Default::default(), inputs: vec![x], y })
}

fn readers(graph: &Graph, id: NodeId) -> Vec<(NodeId, usize)> {
    let inputs = |(reader, node): (NodeId, &Node)| {
        (0..node.inputs.len()).filter(|at| node.inputs[*at].from == Some(id)).map(|at| (reader, at)).collect::<Vec<_>>()
    };
    graph.nodes.iter().enumerate().flat_map(inputs).collect()
}
