//! Case P: a row that does not lie in the unified buffer as a whole goes by in pieces. It goes by once for each reduction
//! that waits for another, and once more for what is computed of the last one: softmax takes three passes, for the largest
//! element, the sum, and the quotients. What two passes need is computed in both.

use std::collections::BTreeMap;

use super::{Case, Role, Scheduled, Unsupported, is_one, unsupported};
use crate::ir::{self, ComputeType};
use crate::model::{AxisId, Graph, NodeId};
use crate::transform::Transform;

/// When each node works.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    pub count: usize,
    /// The pass with whose pieces a node works. A reduction takes the pieces, and has its result behind the pass.
    pub of: Vec<Option<usize>>,
    /// Where a node's code stands: behind `n` passes at `2 n`, in pass `n` at `2 n + 1`.
    pub sections: Vec<usize>,
}

impl Passes {
    pub fn sections(&self) -> std::ops::Range<usize> {
        0..2 * self.count + 1
    }
}

fn class(graph: &Graph, id: NodeId) -> Option<ComputeType> {
    ir::find(&graph.nodes[id].node_type).map(|ir| ir.compute_type)
}

/// What the passes are made of: by node.
struct Rows {
    /// It has many elements along a reduced axis.
    wide: Vec<bool>,
    /// Passes that are over before it can be computed.
    level: Vec<usize>,
    order: Vec<NodeId>,
}

impl Rows {
    fn of(graph: &Graph, reduced: &[AxisId], alive: &[bool], constant: &[bool]) -> Rows {
        let count = graph.nodes.len();
        let mut rows = Rows { wide: vec![false; count], level: vec![0; count], order: graph.topological() };
        rows.order.retain(|id| alive[*id] && !constant[*id]);
        for id in rows.order.iter().copied() {
            let y = &graph.nodes[id].y;
            rows.wide[id] = reduced.iter().any(|axis| y.axis.contains(axis) && !is_one(graph, y, *axis));
            let from = || graph.nodes[id].inputs.iter().filter_map(|input| input.from);
            let before = from().map(|from| rows.level[from]).max().unwrap_or(0);
            let ends = rows.reduces(graph, id);
            rows.level[id] = before + usize::from(ends);
        }
        rows
    }

    fn reduces(&self, graph: &Graph, id: NodeId) -> bool {
        let from = graph.nodes[id].inputs.first().and_then(|input| input.from);
        class(graph, id) == Some(ComputeType::Reduce) && !self.wide[id] && from.is_some_and(|from| self.wide[from])
    }

    /// What a pass is for: reductions, and what is stored of the row.
    fn roots(&self, graph: &Graph, pass: usize) -> Vec<NodeId> {
        let is_root = |id: &NodeId| match class(graph, *id) {
            Some(ComputeType::Store) => self.wide[*id] && self.level[*id] == pass,
            _ => self.reduces(graph, *id) && self.level[*id] == pass + 1,
        };
        self.order.iter().copied().filter(is_root).collect()
    }

    /// What a pass computes for its roots of the pieces, and they themselves, in order.
    fn members(&self, graph: &Graph, roots: &[NodeId]) -> Vec<NodeId> {
        let mut found = vec![false; graph.nodes.len()];
        let mut open = roots.to_vec();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut found[id], true) {
                continue;
            }
            let from = graph.nodes[id].inputs.iter().filter_map(|input| input.from);
            open.extend(from.filter(|from| self.wide[*from]));
        }
        self.order.iter().copied().filter(|id| found[*id]).collect()
    }
}

/// Every pass gets nodes of its own: what was in an earlier one is there once more.
pub fn split(
    transform: &mut Transform,
    reduced: &[AxisId],
    alive: &[bool],
    constant: &[bool],
) -> Result<Passes, Unsupported> {
    let hint = transform.graph().clone();
    let nodes = hint.nodes.iter().enumerate();
    if let Some((_, node)) = nodes.clone().find(|(id, node)| alive[*id] && node.node_type == "Concat") {
        return Err(unsupported(node, "it joins whole rows; cut its tensors along the last axis"));
    }
    let rows = Rows::of(&hint, reduced, alive, constant);
    let passes: Vec<Vec<NodeId>> = (0..)
        .map(|pass| rows.roots(&hint, pass))
        .take_while(|roots| !roots.is_empty())
        .map(|roots| rows.members(&hint, &roots))
        .collect();
    let mut of: Vec<Option<usize>> = vec![None; hint.nodes.len()];
    let mut level = rows.level.clone();
    for (pass, members) in passes.iter().enumerate() {
        let mut own: BTreeMap<NodeId, NodeId> = BTreeMap::new();
        for id in members.iter().copied() {
            let here = if of[id].is_none() { id } else { transform.insert_again(id, pass) };
            of.resize(of.len().max(here + 1), None);
            level.resize(of.len(), pass);
            of[here] = Some(pass);
            own.insert(id, here);
            for (which, input) in hint.nodes[id].inputs.iter().enumerate() {
                if let Some(from) = input.from.and_then(|from| own.get(&from)) {
                    transform.turn(here, which, *from);
                }
            }
        }
    }
    // A queue for what goes to memory is not held while a row goes by once more.
    for (store, node) in hint.nodes.iter().enumerate().filter(|(id, node)| alive[*id] && node.node_type == "Store") {
        let again = node.inputs[0].from.is_some_and(|from| hint.consumers(from).len() > 1);
        if again && !rows.wide[store] {
            transform.insert_copy(store, 0);
            of.push(None);
            level.push(level[store]);
        }
    }
    let sections = sections(transform.graph(), &of, &level);
    Ok(Passes { count: passes.len(), of, sections })
}

/// What works once a row does so as soon as it can, but for what comes from memory: that waits for its first reader, and
/// takes no tile before.
fn sections(graph: &Graph, of: &[Option<usize>], level: &[usize]) -> Vec<usize> {
    let own = |id: NodeId| of[id].map_or(2 * level[id], |pass| 2 * pass + 1);
    let mut all: Vec<usize> = (0..graph.nodes.len()).map(own).collect();
    for id in 0..all.len() {
        if of[id].is_none() && class(graph, id) == Some(ComputeType::Load) {
            let first = graph.consumers(id).into_iter().map(own).min();
            all[id] = first.map_or(0, |first| first / 2 * 2);
        }
    }
    all
}

impl Scheduled {
    /// As [`Passes::sections`]; 0 where there are no passes.
    pub fn section(&self, id: NodeId) -> usize {
        self.passes.sections.get(id).copied().unwrap_or(0)
    }

    /// The pass that a node works in, piece after piece.
    pub fn pass(&self, id: NodeId) -> Option<usize> {
        self.passes.of.get(id).copied().flatten()
    }

    /// Does it reduce rows of a type that no instruction reduces?
    pub fn folds(&self, id: NodeId) -> bool {
        self.roles[id] == Role::Reduce && self.case != Case::C && ir::is_folded(self.graph.nodes[id].y.dtype)
    }

    /// Is its result a piece of a row, and not what a row has once?
    pub fn is_piece(&self, id: NodeId) -> bool {
        self.pass(id).is_some() && self.roles[id] != Role::Reduce
    }

    /// May several cores have parts of a row? Not where loops are around its pieces, nor of columns.
    pub fn shares_rows(&self) -> bool {
        self.case == Case::P && self.around == 0
    }

    /// The reductions of a pass.
    fn reductions(&self, pass: usize) -> impl Iterator<Item = NodeId> {
        (0..self.roles.len()).filter(move |id| self.roles[*id] == Role::Reduce && self.pass(*id) == Some(pass))
    }

    /// As many reductions at most take pieces at the same time.
    pub fn accumulators(&self) -> usize {
        (0..self.passes.count).map(|pass| self.reductions(pass).count()).max().unwrap_or(0)
    }

    /// Which of them a reduction is.
    pub fn accumulator(&self, id: NodeId) -> usize {
        self.pass(id).and_then(|pass| self.reductions(pass).position(|other| other == id)).unwrap_or(0)
    }
}
