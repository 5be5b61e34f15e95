//! What is computed of joined rows is computed of each part, and the results are joined: the bits are the same, and rows that
//! are joined need no tile.

use std::collections::BTreeMap;

use super::{Unsupported, unsupported};
use crate::build::contiguous_strides;
use crate::expr::Expr;
use crate::ir::{self, ComputeType};
use crate::model::{AttrValue, AxisId, Graph, Node, NodeId};
use crate::transform::Transform;

/// A part of an axis: where it begins, and how long it is.
type Part = (Expr, Expr);

/// Moves every Concat behind what is computed of it, element by element.
///
/// # Errors
///
/// An operand has no such parts: a Concat of others, or a reduction.
pub fn move_behind(transform: &mut Transform) -> Result<(), Unsupported> {
    let mut known = BTreeMap::new();
    while let Some((id, join)) = computed(transform.graph()) {
        let Some((axis, parts)) = parts(transform.graph(), join) else { return Ok(()) };
        let mut results = Vec::new();
        for part in &parts {
            results.push(of_part(transform, id, axis, part, &mut known)?);
        }
        let graph = transform.graph();
        let mut behind = graph.nodes[join].clone();
        behind.name = format!("{}_joined", graph.nodes[id].name);
        behind.y = graph.nodes[id].y.clone();
        for (input, from) in behind.inputs.iter_mut().zip(results) {
            (input.from, input.view) = (Some(from), None);
        }
        let behind = transform.insert(behind);
        for reader in transform.graph().consumers(id) {
            for which in 0..transform.graph().nodes[reader].inputs.len() {
                if transform.graph().nodes[reader].inputs[which].from == Some(id) {
                    transform.turn(reader, which, behind);
                }
            }
        }
    }
    Ok(())
}

fn class(node: &Node) -> Option<ComputeType> {
    ir::find(&node.node_type).map(|ir| ir.compute_type)
}

/// The first node that computes with what a Concat has joined, and the Concat.
fn computed(graph: &Graph) -> Option<(NodeId, NodeId)> {
    let alive = graph.alive();
    let is_join = |id: &NodeId| class(&graph.nodes[*id]) == Some(ComputeType::Concat);
    (0..graph.nodes.len()).filter(|id| alive[*id] && class(&graph.nodes[*id]) == Some(ComputeType::Elewise)).find_map(
        |id| {
            let join = graph.nodes[id].inputs.iter().filter_map(|input| input.from).find(is_join)?;
            Some((id, join))
        },
    )
}

/// The axis that a Concat joins, and the parts of it.
fn parts(graph: &Graph, join: NodeId) -> Option<(AxisId, Vec<Part>)> {
    let node = &graph.nodes[join];
    let sources: Vec<&Node> = node.inputs.iter().filter_map(|input| Some(&graph.nodes[input.from?])).collect();
    let differs = |at: &usize| sources.iter().any(|source| source.y.size.get(*at) != node.y.size.get(*at));
    let at = (0..node.y.axis.len()).find(differs)?;
    let mut begin = Expr::from(0);
    let mut all = Vec::new();
    for source in sources {
        let length = source.y.size.get(at)?.clone();
        let end = begin.plus(&length);
        all.push((begin, length));
        begin = end;
    }
    Some((node.y.axis[at], all))
}

/// The node that has this part of a node's result; the node itself where it has one element along the axis.
fn of_part(
    transform: &mut Transform,
    id: NodeId,
    axis: AxisId,
    part: &Part,
    known: &mut BTreeMap<(NodeId, Part), NodeId>,
) -> Result<NodeId, Unsupported> {
    let node = transform.graph().nodes[id].clone();
    let Some(at) = node.y.axis.iter().position(|other| *other == axis).filter(|at| !node.y.size[*at].is(1)) else {
        return Ok(id);
    };
    let key = (id, part.clone());
    if let Some(known) = known.get(&key) {
        return Ok(*known);
    }
    let mut new = node.clone();
    new.y.size[at] = part.1.clone();
    new.inputs.iter_mut().for_each(|input| input.view = None);
    match class(&node) {
        Some(ComputeType::Concat) => {
            let own = parts(transform.graph(), id).filter(|own| own.0 == axis);
            let which = own.and_then(|(_, own)| own.iter().position(|other| other == part));
            return match which.and_then(|which| node.inputs[which].from) {
                Some(from) => Ok(from),
                None => Err(unsupported(&node, "it is computed with another Concat, of other parts")),
            };
        }
        Some(ComputeType::Load) => {
            let begin = part.0.times(&node.y.strides[at]);
            let offset = match node.ir_attr.get("offset") {
                Some(AttrValue::Expr(offset)) => offset.plus(&begin),
                Some(AttrValue::Int(offset)) => begin.plus(&Expr::from(*offset)),
                _ => begin,
            };
            new.ir_attr.insert("offset".to_owned(), AttrValue::Expr(offset));
        }
        Some(ComputeType::Elewise | ComputeType::Broadcast) => {
            new.y.strides = contiguous_strides(&new.y.size);
            for which in 0..node.inputs.len() {
                let Some(from) = node.inputs[which].from else { continue };
                new.inputs[which].from = Some(of_part(transform, from, axis, part, known)?);
            }
        }
        _ => return Err(unsupported(&node, "a part of it is joined with a Concat's, and it has no parts")),
    }
    let mut name = format!("{}_part{}", node.name, known.len());
    while transform.graph().node(&name).is_some() {
        name.push('_');
    }
    new.name = name;
    let new = transform.insert(new);
    known.insert(key, new);
    Ok(new)
}
