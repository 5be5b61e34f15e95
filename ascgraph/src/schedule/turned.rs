//! Tensors whose axes are in another order than the loops: an element is known by its place along each axis, whatever their
//! order, so every tensor gets the order of the schedule, and nobody reads a Transpose. What lies side by side in a tensor along
//! another axis than the last is copied as it lies, and turned in the unified buffer: a Transpose behind the Load does that.

use super::{Role, Scheduled, Unsupported, unsupported};
use crate::build::contiguous_strides;
use crate::expr::Expr;
use crate::ir::{self, ComputeType};
use crate::model::{AxisId, Graph, Input, Node, NodeId, TensorAttr};
use crate::transform::Transform;

/// The type of what turns a tile.
pub const TURN: &str = "Transpose";

/// The first state of an impl graph: all axes in the order of the schedule, in which the axis along which a turned tensor's
/// elements lie side by side is the last but one.
pub fn in_order(hint: &Graph) -> Transform {
    let mut transform = Transform::new(hint);
    for id in 0..hint.nodes.len() {
        for which in 0..hint.nodes[id].inputs.len() {
            if let Some(from) = hint.nodes[id].inputs[which].from.filter(|from| is_transpose(hint, *from)) {
                transform.turn(id, which, source(hint, from));
            }
        }
        reorder(&mut transform, id);
    }
    let loads = turned(transform.graph());
    let Some(axis) = loads.first().map(|load| load.1).filter(|axis| loads.iter().all(|load| load.1 == *axis)) else {
        return transform;
    };
    let last = last(transform.graph());
    let mut order: Vec<AxisId> = transform.graph().sched.axis.iter().copied().filter(|id| *id != axis).collect();
    order.insert(order.iter().position(|id| *id == last).unwrap_or_default(), axis);
    if transform.apply_sched_reorder(&order).is_ok() {
        for id in 0..hint.nodes.len() {
            reorder(&mut transform, id);
        }
        for (load, _) in loads {
            insert(&mut transform, load);
        }
    }
    transform
}

/// A result's axes in the order of the schedule. In memory an element stays where it is; what has its tile in the unified buffer
/// only is dense.
fn reorder(transform: &mut Transform, node: NodeId) {
    let graph = transform.graph();
    let (sched, y) = (&graph.sched.axis, &graph.nodes[node].y);
    let mut order: Vec<usize> = (0..y.axis.len()).collect();
    order.sort_by_key(|at| sched.iter().position(|axis| *axis == y.axis[*at]));
    if order.is_sorted() {
        return;
    }
    let moves = ["Load", "Store"].contains(&graph.nodes[node].node_type.as_str());
    transform.begin();
    let y = transform.tensor(node);
    let known = |list: &[Expr]| order.iter().filter_map(|at| list.get(*at).cloned()).collect::<Vec<Expr>>();
    y.axis = order.iter().map(|at| y.axis[*at]).collect();
    (y.size, y.strides) = (known(&y.size), known(&y.strides));
    if !moves {
        y.strides = contiguous_strides(&y.size);
    }
}

/// The last axis that has more than one element.
pub(super) fn last(graph: &Graph) -> AxisId {
    let all = &graph.sched.axis;
    let many = all.iter().rev().find(|axis| !graph.axis[**axis].size.is(1));
    many.or(all.last()).copied().unwrap_or_default()
}

/// A Transpose between a Load and its readers.
fn insert(transform: &mut Transform, load: NodeId) {
    let graph = transform.graph();
    let readers = graph.consumers(load);
    let y = TensorAttr { strides: contiguous_strides(&graph.nodes[load].y.size), ..graph.nodes[load].y.clone() };
    let mut name = format!("{}_turned", graph.nodes[load].name);
    while graph.node(&name).is_some() {
        name.push('_');
    }
    let x = Input { name: "x".to_owned(), from: Some(load), view: None };
    let turn = Node { name, node_type: TURN.to_owned(), ir_attr: Default::default(), inputs: vec![x], y };
    let turn = transform.insert(turn);
    for reader in readers {
        for which in 0..transform.graph().nodes[reader].inputs.len() {
            if transform.graph().nodes[reader].inputs[which].from == Some(load) {
                transform.turn(reader, which, turn);
            }
        }
    }
}

/// Loads with steps along the last axis, and the axis along which their elements lie side by side.
fn turned(graph: &Graph) -> Vec<(NodeId, AxisId)> {
    let (alive, last) = (graph.alive(), last(graph));
    let axis = |node: &Node| {
        let stride = |axis: AxisId| {
            let at = node.y.axis.iter().position(|id| *id == axis).filter(|at| !node.y.size[*at].is(1))?;
            node.y.strides.get(at)
        };
        stride(last).filter(|stride| !stride.is(1))?;
        node.y.axis.iter().copied().find(|axis| stride(*axis).is_some_and(|stride| stride.is(1)))
    };
    let loads = graph.nodes.iter().enumerate().filter(|(id, node)| alive[*id] && node.node_type == "Load");
    loads.filter_map(|(id, node)| Some((id, axis(node)?))).collect()
}

/// Is there a tile to be turned?
pub(super) fn has_turned(graph: &Graph) -> bool {
    let alive = graph.alive();
    (0..graph.nodes.len()).any(|id| alive[id] && is_transpose(graph, id))
}

fn is_transpose(graph: &Graph, id: NodeId) -> bool {
    graph
        .nodes
        .get(id)
        .is_some_and(|node| ir::find(&node.node_type).is_some_and(|ir| ir.compute_type == ComputeType::Transpose))
}

/// What a node has the elements of, behind all Transposes.
fn source(hint: &Graph, mut id: NodeId) -> NodeId {
    while is_transpose(hint, id)
        && let Some(from) = hint.nodes[id].inputs.first().and_then(|input| input.from)
    {
        id = from;
    }
    id
}

/// Does a Load have a Transpose behind it that turns its tile?
pub(super) fn is_turned(graph: &Graph, alive: &[bool], load: NodeId) -> bool {
    graph.nodes[load].node_type == "Load"
        && graph.consumers(load).iter().any(|id| alive[*id] && is_transpose(graph, *id))
}

/// What turns a tile; in whole rows, or rows of some columns, and by Gather.
///
/// # Errors
///
/// The tile is not of such, or Gather has no such data type.
pub(super) fn role(node: &Node, is_wide: bool) -> Result<Role, Unsupported> {
    let dtype = node.y.dtype.filter(|dtype| ![2, 4].contains(&dtype.size()));
    match dtype {
        _ if !is_wide => {
            Err(unsupported(node, "its elements lie side by side along an axis that a tile does not have"))
        }
        Some(dtype) => Err(unsupported(node, format!("Gather has no {dtype}"))),
        None => Ok(Role::Turn),
    }
}

impl Scheduled {
    /// Is a Load's tile as the tensor lies, to be turned by what reads it?
    pub fn is_turned(&self, load: NodeId) -> bool {
        self.roles[load] == Role::Load && self.graph.consumers(load).iter().any(|id| self.roles[*id] == Role::Turn)
    }
}
