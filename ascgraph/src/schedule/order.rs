//! In which order nodes work, and what works once in front of all tiles.

use super::{Role, Scheduled, Span};
use crate::model::NodeId;
use crate::transform::COPY;

impl Scheduled {
    /// Marks what is the same for all tiles: a Load that no loop moves, and what is computed or repeated of such results and
    /// constants only. What is stored has a tile of a queue, and pieces of a row are others each time.
    pub fn hoist(&mut self) {
        self.hoisted = vec![false; self.roles.len()];
        for id in self.graph.topological().into_iter().filter(|_| !self.case.has_passes()).collect::<Vec<_>>() {
            let node = &self.graph.nodes[id];
            let known = |from: NodeId| self.hoisted[self.root(from)] || self.roles[self.root(from)] == Role::Constant;
            let same = match self.roles[id] {
                Role::Load => {
                    self.spans[id] == Span::Row && self.steps[id][..=self.outer.len()].iter().all(|step| step.is(0))
                }
                Role::LoadElement => self.steps[id].iter().all(|step| step.is(0)),
                // Its class has work memory for a tile.
                Role::Compute if node.node_type == "Fmod" => false,
                Role::Compute | Role::Repeat | Role::RepeatRows => {
                    node.inputs.iter().filter_map(|input| input.from).all(known)
                }
                _ => false,
            };
            let stored = self.readers(id).iter().any(|reader| self.roles[*reader] == Role::Store);
            self.hoisted[id] = same && !stored;
        }
        // Copies that follow each other wait for memory once.
        let mut order = std::mem::take(&mut self.order);
        order.sort_by_key(|id| self.roles[*id] != Role::Load);
        self.in_sections(&mut order);
        self.order = order;
    }

    /// Code of one pass, or between two of them, stands together, and what is the same for all tiles in front.
    pub(super) fn in_sections(&self, order: &mut [NodeId]) {
        order.sort_by_key(|id| (!self.is_hoisted(*id), self.section(*id)));
    }

    /// Does it work once, in front of the first tile?
    pub fn is_hoisted(&self, id: NodeId) -> bool {
        self.hoisted.get(id).copied().unwrap_or(false)
    }

    /// Is it a tile of one row, repeated once and for all? A tile of one row is that row.
    pub fn repeats_once(&self, id: NodeId) -> bool {
        self.roles[id] == Role::RepeatRows && self.is_hoisted(id)
    }

    /// Is it read in front of the first tile, and over there?
    pub fn is_brief(&self, id: NodeId) -> bool {
        let ends = |reader: &NodeId| self.is_hoisted(*reader) && self.roles[*reader] != Role::RepeatRows;
        self.roles[id] == Role::Load && self.is_hoisted(id) && self.readers(id).iter().all(ends)
    }

    /// As many nodes of the order work in front of the first tile.
    pub fn first(&self) -> usize {
        self.order.iter().take_while(|id| self.is_hoisted(**id)).count()
    }

    /// The order in which every Load, and every copy of a tile, comes in front of its first reader.
    pub fn late_loads(&self) -> Vec<NodeId> {
        let is_late = |id: &NodeId| self.roles[*id] == Role::Load || self.graph.nodes[*id].node_type == COPY;
        let late: Vec<NodeId> = self.order.iter().copied().filter(is_late).collect();
        let mut order = Vec::new();
        for id in self.order.iter().copied().filter(|id| !is_late(id)) {
            self.after(id, &late, &mut order);
        }
        self.in_sections(&mut order);
        order
    }

    /// A node, behind those of `late` that it reads.
    fn after(&self, id: NodeId, late: &[NodeId], order: &mut Vec<NodeId>) {
        for from in late.iter().copied().filter(|from| self.readers(*from).contains(&id)) {
            if !order.contains(&from) {
                self.after(from, late, order);
            }
        }
        order.push(id);
    }
}
