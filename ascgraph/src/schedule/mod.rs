//! From a hint graph to impl graphs: loops that can be one are merged, one of them is cut into tiles, and all tiles are
//! spread over the cores. Which one is cut is upstream's case: with one loop it is that (F); with several the last (Y1),
//! a call of the vector unit then works on a part of a row; or the one before it (Y0), a tile then has whole rows. What
//! reduces rows or joins them has whole ones, and rows too long for that are reduced in pieces (P). What reduces another axis
//! than the last has tiles of columns, whose rows go by in pieces (C).

mod bytes;
mod columns;
mod joins;
mod loops;
mod order;
mod passes;
mod roles;
mod turned;

use std::fmt;

use crate::expr::{Expr, Tri};
use crate::ir::{self, ComputeType};
use crate::model::{AxisId, Graph, Node, NodeId, TensorAttr};
use loops::{Loops, merge_loops, reducing, shapes};

pub use loops::orders;
pub use passes::Passes;

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
    /// The axis before the last is cut, and the last is whole in a tile.
    Y0,
    /// A tile is one row, which goes by in pieces.
    P,
    /// A tile is a part of the last axis, and the reduced rows go by in pieces.
    C,
}

impl Case {
    /// Does a tile go by in pieces, in passes?
    pub fn has_passes(self) -> bool {
        matches!(self, Case::P | Case::C)
    }
}

/// Which part of a tile a result has. Without whole rows a tile is one row: everything is `Wide` or `One`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    Wide,
    /// One element for each row.
    Narrow,
    /// One row for all.
    Row,
    One,
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
    /// The tile of a Load, turned.
    Turn,
    /// A tile of one element of memory.
    Repeat,
    /// Each row of one element, each row the same.
    RepeatColumns,
    RepeatRows,
    /// Each row of one element, which its readers take from where it is.
    Column,
    /// Rows to one element each.
    Reduce,
    /// Operands side by side: each is stored at its place.
    Join,
    /// The same bits as another node's: nothing is to be done.
    Alias(NodeId),
    Store,
}

#[derive(Debug)]
pub struct Scheduled {
    pub hint: Graph,
    /// Loops, tiles and what one call works on. The nodes are those of the hint graph, and copies behind them.
    pub graph: Graph,
    pub case: Case,
    /// The loops in front of the tiles, from the outermost.
    pub outer: Vec<AxisId>,
    /// As many of them, the last ones, are loops around the pieces of a pass: they are reduced, too.
    pub around: usize,
    /// The axis that is cut into tiles. C: the innermost reduced axis, in pieces.
    pub row: AxisId,
    /// Y0: the axis behind it, whole in a tile. P: the axis behind it, in pieces. C: the last axis, which is cut into tiles.
    pub columns: Option<AxisId>,
    /// P: how often a row goes by, and when each node works.
    pub passes: Passes,
    pub tile: AxisId,
    /// All tiles, as one loop; and its part on a core.
    pub tiles: AxisId,
    pub core: AxisId,
    pub roles: Vec<Role>,
    pub spans: Vec<Span>,
    /// With columns: elements of a row of each result.
    pub lengths: Vec<Expr>,
    /// Every node behind its operands.
    pub order: Vec<NodeId>,
    /// Strides of a Load or Store along `outer`, then along the row, then along the columns.
    pub steps: Vec<Vec<Expr>>,
    /// What is the same for all tiles, and works once in front of them.
    pub hoisted: Vec<bool>,
}

/// A part of what a Store writes: the tile, where its rows begin and how long they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub node: NodeId,
    pub column: Expr,
    pub length: Expr,
}

impl Scheduled {
    /// The node whose result it is, behind all aliases.
    pub fn root(&self, mut id: NodeId) -> NodeId {
        while let Role::Alias(from) = self.roles[id] {
            id = from;
        }
        id
    }

    /// The nodes that really read a node's result.
    pub fn readers(&self, id: NodeId) -> Vec<NodeId> {
        let mut all = Vec::new();
        for reader in self.graph.consumers(id) {
            match self.roles[reader] {
                Role::Alias(_) | Role::Join => all.extend(self.readers(reader)),
                Role::None => {}
                _ => all.push(reader),
            }
        }
        all
    }

    /// What a Store writes: one tile, or those that are joined.
    pub fn pieces(&self, store: NodeId) -> Vec<Piece> {
        let root = self.root(self.graph.nodes[store].inputs[0].from.unwrap_or(store));
        let mut column = Expr::from(0);
        if self.roles[root] != Role::Join {
            return vec![Piece { node: root, column, length: self.lengths[store].clone() }];
        }
        let mut all = Vec::new();
        for from in self.graph.nodes[root].inputs.iter().filter_map(|input| input.from) {
            let length = self.lengths[from].clone();
            let end = column.plus(&length);
            all.push(Piece { node: self.root(from), column, length });
            column = end;
        }
        all
    }
}

/// The impl graphs that a graph allows, by tiling key. A graph without errors is expected.
///
/// # Errors
///
/// No case can be scheduled.
pub fn schedules(hint: &Graph) -> Result<Vec<Scheduled>, Unsupported> {
    let of_rows = |node: &Node| {
        ir::find(&node.node_type).is_some_and(|ir| matches!(ir.compute_type, ComputeType::Reduce | ComputeType::Concat))
    };
    if hint.nodes.iter().zip(hint.alive()).any(|(node, alive)| alive && of_rows(node)) {
        let (mut all, mut wrong) = (Vec::new(), None);
        for case in reducing(hint) {
            match schedule(hint, *case) {
                // What joins rows has no pieces.
                Ok(s) if s.case == Case::P && s.passes.count == 0 => {}
                Ok(s) => all.push(s),
                Err(why) => wrong = wrong.or(Some(why)),
            }
        }
        if let (true, Some(why)) = (all.is_empty(), wrong) {
            return Err(why);
        }
        for (key, s) in all.iter_mut().enumerate() {
            s.graph.tiling_key = Some(key as u32);
        }
        return Ok(all);
    }
    if turned::has_turned(turned::in_order(hint).graph()) {
        // Whole rows, or parts of them, of which some go by at a time.
        let (whole, parts) = (schedule(hint, Case::Y0), schedule(hint, Case::C));
        let mut all: Vec<Scheduled> = match (whole, parts) {
            (Ok(whole), Ok(parts)) => vec![whole, parts],
            (Ok(one), Err(_)) | (Err(_), Ok(one)) => vec![one],
            (Err(why), Err(_)) => return Err(why),
        };
        all.iter_mut().zip(0..).for_each(|(s, key)| s.graph.tiling_key = Some(key));
        return Ok(all);
    }
    let parts = schedule(hint, Case::Y1);
    if parts.as_ref().is_ok_and(|s| s.case == Case::F) {
        return Ok(vec![parts?]);
    }
    match (parts, schedule(hint, Case::Y0)) {
        (Ok(parts), Ok(mut whole)) => {
            whole.graph.tiling_key = Some(1);
            Ok(vec![parts, whole])
        }
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok(vec![one]),
        (Err(why), Err(_)) => Err(why),
    }
}

/// One impl graph. Asked for Y1, a graph of one loop gives F.
///
/// # Errors
///
/// The graph has no axis or more than 2^48 elements, or a node of it cannot be scheduled in this case.
pub fn schedule(hint: &Graph, case: Case) -> Result<Scheduled, Unsupported> {
    scheduled(hint, case, false)
}

/// The same with a copy of every tile that is read or written, which leaves its queue at once: for graphs that have more of
/// them than there are queues.
///
/// # Errors
///
/// As of [`schedule`].
pub fn schedule_copied(hint: &Graph, case: Case) -> Result<Scheduled, Unsupported> {
    scheduled(hint, case, true)
}

fn scheduled(hint: &Graph, case: Case, copies: bool) -> Result<Scheduled, Unsupported> {
    let (whole_rows, pieces) = (matches!(case, Case::Y0 | Case::P | Case::C), case.has_passes());
    let refused = |why: String| Unsupported { node: hint.name.clone(), node_type: "graph".to_owned(), why };
    if hint.sched.axis.is_empty() {
        return Err(refused("it has no axis".to_owned()));
    }
    roles::fits(hint).map_err(refused)?;
    let mut transform = turned::in_order(hint);
    joins::move_behind(&mut transform)?;
    roles::insert_copies(&mut transform);
    if copies {
        roles::insert_copies_of_tiles(&mut transform);
    }
    let (alive, _, shaped) = shapes(transform.graph());
    for id in &shaped {
        let node = &transform.graph().nodes[*id];
        if node.y.axis != transform.graph().sched.axis {
            return Err(unsupported(node, "its axes are not those of the schedule"));
        }
    }
    merge_loops(&mut transform, &shaped).map_err(refused)?;
    let mut loops = Loops::of(transform.graph(), &alive)?;
    let (row, columns) = loops.cut(&mut transform, case).map_err(refused)?;
    bytes::repeat_as_half(&mut transform, case, row, columns);
    let (mut alive, mut constant, mut shaped) = shapes(transform.graph());
    let around = loops.around.len();
    let outer = [&loops.kept[..], &loops.around].concat();
    let loop_axes: Vec<AxisId> = outer.iter().copied().chain([row]).chain(columns).collect();
    let mut passes = Passes::default();
    if pieces {
        let inner = if case == Case::C { Some(row) } else { columns };
        let reduced: Vec<AxisId> = loops.around.iter().copied().chain(inner).collect();
        passes = passes::split(&mut transform, &reduced, &alive, &constant)?;
        (alive, constant, shaped) = shapes(transform.graph());
    }
    let mut spans = roles::spans(transform.graph(), row, columns);
    if case == Case::P {
        // A tile is one row: one row for all is a row like any other.
        spans.iter_mut().filter(|span| **span == Span::Row).for_each(|span| *span = Span::Wide);
    }
    let lengths = roles::lengths(transform.graph(), columns.unwrap_or(row));
    let parts = roles::Parts {
        spans: &spans,
        columns,
        is_column: case == Case::C,
        has_rows: matches!(case, Case::Y0 | Case::C),
    };
    let roles = roles::roles(transform.graph(), &alive, &constant, &parts)?;
    let steps = roles::steps(transform.graph(), &alive, &loop_axes, &|axis| loops.is_reduced(axis))?;
    if matches!(case, Case::Y0 | Case::C) {
        roles::check_narrow(transform.graph(), &spans, &steps, outer.len())?;
    }

    let (tile_outer, tile) = transform.tile_split(columns.filter(|_| pieces).unwrap_or(row)).map_err(refused)?;
    transform.apply_sched_split(tile_outer, tile).map_err(refused)?;
    for id in &shaped {
        transform.apply_tensor_split(*id, tile_outer, tile).map_err(refused)?;
    }
    if case == Case::C {
        let order = [&loops.kept[..], &[tile_outer], &loops.around, &[row, tile]].concat();
        transform.apply_sched_reorder(&order).map_err(refused)?;
    }
    let mut tiles = if case == Case::P { row } else { tile_outer };
    if !loops.kept.is_empty() {
        let all: Vec<AxisId> = loops.kept.iter().copied().chain([tiles]).collect();
        tiles = transform.merge_axis(&all).map_err(refused)?;
        transform.apply_sched_merge(tiles).map_err(refused)?;
    }
    let (block, core) = transform.block_split(tiles).map_err(refused)?;
    transform.apply_sched_split(block, core).map_err(refused)?;
    transform.set_loop_axis(core);
    let case = if whole_rows || !outer.is_empty() { case } else { Case::F };
    let order = transform.graph().topological();
    let mut s = Scheduled {
        hint: hint.clone(),
        graph: Graph::new(""),
        case,
        outer,
        around,
        row,
        columns,
        passes,
        tile,
        tiles,
        core,
        roles,
        spans,
        lengths,
        order,
        steps,
        hoisted: Vec::new(),
    };
    s.graph = transform.graph().clone();
    s.hoist();
    s.spread();
    let stride = s.graph.axis[columns.unwrap_or(row)].size.align(s.align() as i64);
    for id in &shaped {
        let (axes, strides) = match columns.filter(|_| !pieces) {
            _ if case == Case::C => (vec![row, tile], in_tile(s.spans[*id], &s.graph.axis[tile].size).to_vec()),
            Some(columns) => (vec![tile, columns], in_tile(s.spans[*id], &stride).to_vec()),
            None => {
                let many = if pieces { s.spans[*id] == Span::Wide } else { s.spans[*id] != Span::One };
                (vec![tile], vec![Expr::from(i64::from(many))])
            }
        };
        transform.vectorize(*id, &axes, &strides);
    }
    s.graph = transform.into_graph();
    s.graph.tiling_key = Some(0);
    Ok(s)
}

/// One row, or rows that do not overlap.
pub(crate) fn row_step_holds(step: Option<i64>, length: Option<i64>) -> bool {
    matches!((step, length), (Some(step), Some(length)) if step >= length && step < MOST_STEP)
}

/// Elements of 8 bytes in 4 GB.
pub(crate) const MOST_STEP: i64 = 1 << 29;

/// Strides in a tile of whole rows, from row to row and within one.
fn in_tile(span: Span, stride: &Expr) -> [Expr; 2] {
    match span {
        Span::Wide => [stride.clone(), Expr::from(1)],
        Span::Narrow => [Expr::from(1), Expr::from(0)],
        Span::Row => [Expr::from(0), Expr::from(1)],
        Span::One => [Expr::from(0), Expr::from(0)],
    }
}

/// Does a result have one element along an axis that has more?
fn is_one(graph: &Graph, y: &TensorAttr, axis: AxisId) -> bool {
    let at = y.axis.iter().position(|other| *other == axis);
    at.is_some_and(|at| y.size[at].is(1)) && !graph.axis[axis].size.is(1)
}

/// Does it have all elements along an axis?
fn is_whole(graph: &Graph, y: &TensorAttr, axis: AxisId) -> bool {
    let at = y.axis.iter().position(|other| *other == axis);
    at.is_some_and(|at| graph.axis[axis].size.static_eq(&y.size[at]) == Tri::True)
}
