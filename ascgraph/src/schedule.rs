//! From a hint graph to an impl graph of one shape of kernel: loops that can be one are merged, the last one is cut into
//! tiles, and all tiles of all rows are spread over the cores. A row has one tile after the other, and a call of the
//! vector unit works on one tile. With one axis left this is upstream's case F, with several Y1.

use std::fmt;

use crate::expr::{Expr, Tri};
use crate::ir::{self, ComputeType};
use crate::model::{AxisId, Graph, Node, NodeId};
use crate::transform::Transform;

/// What cannot be scheduled, by the node that stands in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub node: String,
    pub node_type: String,
    pub why: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) is not supported here: {}", self.node, self.node_type, self.why)
    }
}

impl std::error::Error for Unsupported {}

pub(crate) fn unsupported(node: &Node, why: impl Into<String>) -> Unsupported {
    Unsupported { node: node.name.clone(), node_type: node.node_type.clone(), why: why.into() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// One axis.
    F,
    /// Rows; the last axis is cut into tiles.
    Y1,
}

/// How a node becomes part of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Data, Output, and what no Output needs.
    None,
    /// A tile from memory.
    Load,
    /// One element from memory; the Broadcast behind it repeats it.
    LoadElement,
    /// A value for the whole kernel.
    Constant,
    Compute,
    /// A tile of one element of memory.
    Repeat,
    /// The same bits as another node's: nothing is to be done.
    Alias(NodeId),
    Store,
}

#[derive(Debug)]
pub struct Scheduled {
    pub hint: Graph,
    /// Loops, tiles and what one call works on. The nodes are those of the hint graph.
    pub graph: Graph,
    pub case: Case,
    /// The loops in front of the tiles, from the outermost; their sizes.
    pub outer: Vec<AxisId>,
    /// The axis that is cut into tiles.
    pub row: AxisId,
    pub tile: AxisId,
    /// All tiles, as one loop; and its part on a core.
    pub tiles: AxisId,
    pub core: AxisId,
    pub roles: Vec<Role>,
    /// Every node behind its operands.
    pub order: Vec<NodeId>,
    /// Strides of a Load or Store along `outer`, then along the row.
    pub steps: Vec<Vec<Expr>>,
}

impl Scheduled {
    /// The node whose result it is, behind all aliases.
    pub fn root(&self, mut id: NodeId) -> NodeId {
        while let Role::Alias(from) = self.roles[id] {
            id = from;
        }
        id
    }

    /// Who really reads a node's result.
    pub fn readers(&self, id: NodeId) -> Vec<NodeId> {
        let mut all = Vec::new();
        for reader in self.graph.consumers(id) {
            match self.roles[reader] {
                Role::Alias(_) => all.extend(self.readers(reader)),
                Role::None => {}
                _ => all.push(reader),
            }
        }
        all
    }
}

/// A graph without errors is expected.
pub fn schedule(hint: &Graph) -> Result<Scheduled, Unsupported> {
    let alive = hint.alive();
    let constant = constants(hint);
    let mut transform = Transform::new(hint);
    let refused = |why: String| Unsupported { node: hint.name.clone(), node_type: "graph".to_owned(), why };
    // What has a shape of its own: neither an end nor a value that is everywhere the same.
    let shaped: Vec<NodeId> =
        (0..hint.nodes.len()).filter(|id| alive[*id] && !constant[*id] && !hint.nodes[*id].y.axis.is_empty()).collect();
    let roles = roles(hint, &alive)?;
    if hint.sched.axis.is_empty() {
        return Err(refused("it has no axis".to_owned()));
    }
    for id in &shaped {
        if hint.nodes[*id].y.axis != hint.sched.axis {
            return Err(unsupported(&hint.nodes[*id], "its axes are not those of the schedule"));
        }
    }
    merge_loops(&mut transform, &shaped).map_err(refused)?;

    let loops = transform.graph().sched.axis.clone();
    let (outer, row) = (loops[..loops.len() - 1].to_vec(), loops[loops.len() - 1]);
    let steps = steps(transform.graph(), &roles, &outer, row)?;
    let roles = repeated(transform.graph(), roles, row)?;
    let (tile_outer, tile) = transform.tile_split(row).map_err(refused)?;
    transform.apply_sched_split(tile_outer, tile).map_err(refused)?;
    for id in &shaped {
        transform.apply_tensor_split(*id, tile_outer, tile).map_err(refused)?;
    }
    let mut tiles = tile_outer;
    if !outer.is_empty() {
        let all: Vec<AxisId> = outer.iter().copied().chain([tile_outer]).collect();
        tiles = transform.merge_axis(&all).map_err(refused)?;
        transform.apply_sched_merge(tiles).map_err(refused)?;
    }
    let (block, core) = transform.block_split(tiles).map_err(refused)?;
    transform.apply_sched_split(block, core).map_err(refused)?;
    transform.set_loop_axis(core);
    for id in &shaped {
        let y = &transform.graph().nodes[*id].y;
        let last = y.axis.iter().position(|axis| *axis == tile);
        let one = last.is_some_and(|at| y.size[at].is(1));
        transform.vectorize(*id, &[tile], &[Expr::from(i64::from(!one))]);
    }
    let case = if outer.is_empty() { Case::F } else { Case::Y1 };
    let order = transform.graph().topological();
    let mut graph = transform.into_graph();
    graph.tiling_key = Some(if case == Case::F { 0 } else { 1 });
    Ok(Scheduled { hint: hint.clone(), graph, case, outer, row, tile, tiles, core, roles, order, steps })
}

/// Scalars, and what only repeats one.
fn constants(graph: &Graph) -> Vec<bool> {
    let mut constant = vec![false; graph.nodes.len()];
    for id in graph.topological() {
        let node = &graph.nodes[id];
        let from = node.inputs.first().and_then(|input| input.from);
        constant[id] =
            node.node_type == "Scalar" || node.node_type == "Broadcast" && from.is_some_and(|from| constant[from]);
    }
    constant
}

fn roles(graph: &Graph, alive: &[bool]) -> Result<Vec<Role>, Unsupported> {
    let mut roles = vec![Role::None; graph.nodes.len()];
    for (id, node) in graph.nodes.iter().enumerate().filter(|(id, _)| alive[*id]) {
        let Some(ir) = ir::find(&node.node_type) else { return Err(unsupported(node, "no such type")) };
        let from = node.inputs.first().and_then(|input| input.from);
        let source = from.map(|from| &graph.nodes[from]);
        roles[id] = match (ir.compute_type, from) {
            (ComputeType::Invalid, None) if node.node_type == "Scalar" => Role::Constant,
            (ComputeType::Invalid, _) => Role::None,
            (ComputeType::Load, _) => Role::Load,
            (ComputeType::Store, _) => Role::Store,
            (ComputeType::Broadcast, Some(from)) => Role::Alias(from),
            (ComputeType::Elewise, Some(from))
                if node.node_type == "Cast" && source.is_some_and(|source| source.y.dtype == node.y.dtype) =>
            {
                Role::Alias(from)
            }
            (ComputeType::Elewise, _) if crate::codegen::calls::is_known(node, graph) => Role::Compute,
            (ComputeType::Elewise, _) => return Err(unsupported(node, "no instructions are known for its data types")),
            (ComputeType::Reduce | ComputeType::Concat, _) => {
                return Err(unsupported(node, "only element-wise nodes, Scalar, Cast and Broadcast are scheduled"));
            }
            (ComputeType::Broadcast, None) => return Err(unsupported(node, "it has no operand")),
        };
    }
    Ok(roles)
}

/// Neighbours that every result walks with one stride.
fn merge_loops(transform: &mut Transform, shaped: &[NodeId]) -> Result<(), String> {
    let mut at = 0;
    while at + 1 < transform.graph().sched.axis.len() {
        let pair = [transform.graph().sched.axis[at], transform.graph().sched.axis[at + 1]];
        if !shaped.iter().all(|id| transform.merges(*id, &pair)) {
            at += 1;
            continue;
        }
        let merged = transform.merge_axis(&pair)?;
        transform.apply_sched_merge(merged)?;
        for id in shaped {
            transform.apply_tensor_merge(*id, merged)?;
        }
    }
    Ok(())
}

/// Strides in memory, and whether the row can be copied in one piece.
fn steps(graph: &Graph, roles: &[Role], outer: &[AxisId], row: AxisId) -> Result<Vec<Vec<Expr>>, Unsupported> {
    let mut all = vec![Vec::new(); graph.nodes.len()];
    for (id, node) in graph.nodes.iter().enumerate().filter(|(id, _)| matches!(roles[*id], Role::Load | Role::Store)) {
        let y = &node.y;
        for axis in outer.iter().chain([&row]) {
            let at = y.axis.iter().position(|other| other == axis);
            let Some(at) = at else { return Err(unsupported(node, "its axes are not those of the schedule")) };
            let (size, stride) = (&y.size[at], &y.strides[at]);
            let one = size.is(1);
            if !one && graph.axis[*axis].size.static_eq(size) != Tri::True {
                let why =
                    format!("size {size} along axis {} of size {}", graph.axis_name(*axis), graph.axis[*axis].size);
                return Err(unsupported(node, why));
            }
            if *axis == row && !one && !stride.is(1) {
                return Err(unsupported(node, format!("stride {stride} along its last axis; only 1 is copied")));
            }
            if one && roles[id] == Role::Store && !graph.axis[*axis].size.is(1) {
                return Err(unsupported(
                    node,
                    format!("size 1 along axis {}: every iteration would write it", graph.axis_name(*axis)),
                ));
            }
            all[id].push(if one { Expr::from(0) } else { stride.clone() });
        }
    }
    Ok(all)
}

/// Size 1 along the row: one element is read, and a Broadcast repeats it.
fn repeated(graph: &Graph, mut roles: Vec<Role>, row: AxisId) -> Result<Vec<Role>, Unsupported> {
    if graph.axis[row].size.is(1) {
        return Ok(roles);
    }
    let one = |node: &Node| node.y.axis.iter().position(|axis| *axis == row).is_some_and(|at| node.y.size[at].is(1));
    for id in graph.topological() {
        let node = &graph.nodes[id];
        match roles[id].clone() {
            Role::Load if one(node) => roles[id] = Role::LoadElement,
            Role::Compute if one(node) => {
                return Err(unsupported(node, "it has size 1 along the last axis; only a Load may have that"));
            }
            Role::Alias(mut from) => {
                while let Role::Alias(next) = roles[from] {
                    from = next;
                }
                let wide = !one(node) && roles[from] == Role::LoadElement;
                if wide && node.node_type != "Broadcast" {
                    return Err(unsupported(node, "it stands between an element and its Broadcast"));
                }
                if wide && !node.y.dtype.is_some_and(crate::codegen::calls::is_repeated) {
                    return Err(unsupported(node, "Duplicate does not have its data type"));
                }
                if wide {
                    roles[id] = Role::Repeat;
                }
            }
            _ => {}
        }
    }
    Ok(roles)
}
