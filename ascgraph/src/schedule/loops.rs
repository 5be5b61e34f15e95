//! Which loops a graph's reductions go along, and what that makes of the others.

use super::turned::{self, last};
use super::{Case, Role, Scheduled, Span, Unsupported, roles, row_step_holds, unsupported};
use crate::expr::Expr;
use crate::ir::{self, ComputeType};
use crate::model::{AxisId, AxisType, Graph, Node, NodeId};
use crate::transform::Transform;
use crate::value::Along;

/// Loops by what a tile of a kernel has of them; axes of the merged graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loops {
    /// Neither reduced nor `last`.
    pub kept: Vec<AxisId>,
    /// Reduced, around the innermost of these.
    pub around: Vec<AxisId>,
    /// The innermost axis that is reduced.
    pub reduced: Option<AxisId>,
    /// The elements that lie side by side: the last axis that has more than one.
    pub last: AxisId,
}

impl Loops {
    /// Of a graph with an axis.
    ///
    /// # Errors
    ///
    /// Two reductions go along other axes.
    pub fn of(graph: &Graph, alive: &[bool]) -> Result<Loops, Unsupported> {
        let all = &graph.sched.axis;
        let mut axes: Vec<AxisId> = Vec::new();
        let mut first: Option<&Node> = None;
        for (_, node) in graph.nodes.iter().enumerate().filter(|(id, node)| alive[*id] && is_reduction(node)) {
            let own = along(graph, node);
            match first {
                _ if own.is_empty() => {}
                Some(other) if own != axes => {
                    let (name, names) = (&other.name, [&own, &axes].map(|axes| graph.axis_names(axes)));
                    let why = format!(
                        "it reduces {}, and {name} reduces {}; one kernel reduces the same",
                        names[0], names[1]
                    );
                    return Err(unsupported(node, why));
                }
                Some(_) => {}
                None => (first, axes) = (Some(node), own),
            }
        }
        let last = last(graph);
        let reduced = axes.pop();
        let kept = all.iter().copied().filter(|axis| !axes.contains(axis) && Some(*axis) != reduced && *axis != last);
        Ok(Loops { kept: kept.collect(), around: axes, reduced, last })
    }

    /// Is the innermost reduced axis the one whose elements lie side by side?
    pub fn reduces_rows(&self) -> bool {
        self.reduced.is_none_or(|axis| axis == self.last)
    }

    /// The axis that is cut, or whose rows are pieces, and the one that a tile has the elements of. The schedule gets their
    /// order: tiles, loops around pieces, what a tile has.
    ///
    /// # Errors
    ///
    /// The case is not for what is reduced.
    pub fn cut(&mut self, transform: &mut Transform, case: Case) -> Result<(AxisId, Option<AxisId>), String> {
        if case == Case::C {
            let turned = if turned::has_turned(transform.graph()) { self.kept.last().copied() } else { None };
            let row = match self.reduced {
                None => turned.inspect(|axis| self.kept.retain(|kept| kept != axis)),
                Some(_) => self.reduced.filter(|_| !self.reduces_rows()),
            };
            let Some(row) = row else {
                return Err("no axis but the last is reduced".to_owned());
            };
            transform.apply_sched_reorder(&[&self.kept[..], &[self.last], &self.around, &[row]].concat())?;
            return Ok((row, Some(self.last)));
        }
        if !self.reduces_rows() || case != Case::P && !self.around.is_empty() {
            return Err("it reduces an axis that is not the last".to_owned());
        }
        let all = transform.graph().sched.axis.clone();
        if !matches!(case, Case::Y0 | Case::P) {
            self.kept = all[..all.len() - 1].to_vec();
            return Ok((all[all.len() - 1], None));
        }
        let last = match self.reduced {
            Some(last) => last,
            None => {
                self.kept = all[..all.len() - 1].to_vec();
                all[all.len() - 1]
            }
        };
        let many = self.kept.iter().rposition(|axis| !transform.graph().axis[*axis].size.is(1));
        let row = match many.or(self.kept.len().checked_sub(1)) {
            Some(at) => self.kept.remove(at),
            None => transform.unit_axis(),
        };
        transform.apply_sched_reorder(&[&self.kept[..], &[row], &self.around, &[last]].concat())?;
        Ok((row, Some(last)))
    }

    pub fn is_reduced(&self, axis: AxisId) -> bool {
        self.around.contains(&axis) || self.reduced == Some(axis)
    }
}

/// The cases of a graph that reduces or joins, by the axes that it reduces.
pub(super) fn reducing(hint: &Graph) -> &'static [Case] {
    let mut transform = turned::in_order(hint);
    let (alive, _, shaped) = shapes(transform.graph());
    let merged = merge_loops(&mut transform, &shaped).is_ok();
    match Loops::of(transform.graph(), &alive) {
        Ok(loops) if merged && !loops.reduces_rows() => &[Case::C],
        Ok(loops) if merged && !loops.around.is_empty() => &[Case::P],
        _ => &[Case::Y0, Case::P],
    }
}

/// What an Output needs; what is everywhere the same; and what has a shape of its own, neither an end nor such a value.
pub(super) fn shapes(graph: &Graph) -> (Vec<bool>, Vec<bool>, Vec<NodeId>) {
    let (alive, constant) = (graph.alive(), roles::constants(graph));
    let of_shape = |id: &NodeId| alive[*id] && !constant[*id] && !graph.nodes[*id].y.axis.is_empty();
    let shaped = (0..graph.nodes.len()).filter(of_shape).collect();
    (alive, constant, shaped)
}

/// Neighbours that every result walks with one stride.
pub(super) fn merge_loops(transform: &mut Transform, shaped: &[NodeId]) -> Result<(), String> {
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

fn is_reduction(node: &Node) -> bool {
    ir::find(&node.node_type).is_some_and(|ir| ir.compute_type == ComputeType::Reduce)
}

/// The loops whose elements a reduction makes one of.
fn along(graph: &Graph, node: &Node) -> Vec<AxisId> {
    let Some(from) = node.inputs.first().and_then(|input| graph.nodes.get(input.from?)) else { return Vec::new() };
    let size = |node: &Node, axis: AxisId| {
        let at = node.y.axis.iter().position(|other| *other == axis);
        at.map(|at| node.y.size[at].clone())
    };
    let ends = |axis: &AxisId| match (size(from, *axis), size(node, *axis)) {
        (Some(from), Some(to)) => to.is(1) && !from.is(1),
        _ => false,
    };
    graph.sched.axis.iter().copied().filter(ends).collect()
}

/// The order in which a reduction takes its elements: what it goes along, and the axes of the hint graph that its innermost
/// loop is made of.
pub fn orders(hint: &Graph) -> Vec<Option<(Along, Vec<AxisId>)>> {
    let mut transform = turned::in_order(hint);
    let (_, _, shaped) = shapes(transform.graph());
    let graph = transform.graph();
    if shaped.iter().all(|id| graph.nodes[*id].y.axis == graph.sched.axis) {
        // What cannot be merged stays apart.
        let _ = merge_loops(&mut transform, &shaped);
    }
    let graph = transform.graph();
    let order = |id: NodeId| {
        let node = graph.nodes.get(id).filter(|node| is_reduction(node))?;
        let axis = along(graph, node).pop()?;
        let along = if axis == last(graph) { Along::Row } else { Along::Column };
        Some((along, originals(graph, axis)))
    };
    (0..hint.nodes.len()).map(order).collect()
}

fn originals(graph: &Graph, axis: AxisId) -> Vec<AxisId> {
    match graph.axis[axis].axis_type {
        AxisType::Merged => graph.axis[axis].from.iter().flat_map(|axis| originals(graph, *axis)).collect(),
        _ => vec![axis],
    }
}

impl Scheduled {
    /// Y0 and C: steps from row to row in memory and lengths of the rows, of each copy of several rows. A copy has gaps between
    /// its rows, of less than 4 GB: shorter steps and longer ones are no tiling.
    pub fn row_steps(&self) -> Vec<(Expr, Expr)> {
        let mut all = Vec::new();
        if !matches!(self.case, Case::Y0 | Case::C) {
            return all;
        }
        for (id, role) in self.roles.iter().enumerate() {
            let pieces = match role {
                // Its rows in memory are the columns of the tile.
                Role::Load if self.is_turned(id) => {
                    let (step, length) = (&self.steps[id][self.outer.len() + 1], &self.graph.axis[self.row].size);
                    if step != length && !row_step_holds(step.constant(), length.constant()) {
                        all.push((step.clone(), length.clone()));
                    }
                    continue;
                }
                Role::Load if self.spans[id] == Span::Wide => vec![self.lengths[id].clone()],
                Role::Store => {
                    let wide = self.pieces(id).into_iter().filter(|piece| self.spans[piece.node] == Span::Wide);
                    wide.map(|piece| piece.length).collect()
                }
                _ => continue,
            };
            let step = &self.steps[id][self.outer.len()];
            let holds = |length: &Expr| step == length || row_step_holds(step.constant(), length.constant());
            all.extend(pieces.into_iter().filter(|length| !holds(length)).map(|length| (step.clone(), length)));
        }
        all.sort();
        all.dedup();
        all
    }

    /// Sizes of the loops around the pieces of a pass.
    pub fn around(&self) -> impl Iterator<Item = &Expr> {
        self.outer[self.outer.len() - self.around..].iter().map(|axis| &self.graph.axis[*axis].size)
    }

    /// What a tiling is of: tiles' loops, the axis that is cut, what a tile has whole or in pieces.
    pub fn demanded(&self) -> [Expr; 3] {
        let size = |axis: AxisId| self.graph.axis[axis].size.clone();
        let kept = &self.outer[..self.outer.len() - self.around];
        let rows = kept.iter().fold(Expr::from(1), |rows, axis| rows.times(&size(*axis)));
        let columns = self.columns.map_or_else(|| Expr::from(1), size);
        if self.case == Case::C { [rows, columns, size(self.row)] } else { [rows, size(self.row), columns] }
    }

    /// Elements of 32 bytes of the smallest type: rows of a tile begin at multiples of 32 bytes whatever the type.
    pub fn align(&self) -> usize {
        let alive = |id: &NodeId| self.roles[*id] != Role::None;
        let sizes = (0..self.graph.nodes.len()).filter(alive).filter_map(|id| self.graph.nodes[id].y.dtype);
        32 / sizes.map(crate::dtype::DType::size).min().unwrap_or(4)
    }
}
