//! Columns that an instruction reads by a stride of 0 between blocks: they have no tile.

use super::{Case, Role, Scheduled, Span};
use crate::lower::steps::{self, Step, Tile};
use crate::model::NodeId;

/// Interfaces of two tiles with strides of their own.
const BINARY: [&str; 6] = ["Add", "Sub", "Mul", "Div", "Max", "Min"];

impl Scheduled {
    /// A column that only such instructions read is none of those that are written out. Pieces of rows have theirs.
    pub(super) fn spread(&mut self) {
        for id in 0..self.roles.len() {
            let readers = self.readers(id);
            let all = !readers.is_empty() && readers.iter().all(|reader| self.takes_column(*reader, id));
            if self.case == Case::Y0 && self.roles[id] == Role::RepeatColumns && all {
                self.roles[id] = Role::Column;
            }
        }
    }

    /// Does it read this column beside a tile?
    fn takes_column(&self, reader: NodeId, column: NodeId) -> bool {
        let inputs = self.graph.nodes[reader].inputs.iter().filter_map(|input| input.from);
        let other: Vec<NodeId> = inputs.map(|from| self.root(from)).filter(|from| *from != column).collect();
        let is_tile = |id: &NodeId| self.spans[*id] == Span::Wide && self.roles[*id] != Role::Column;
        self.binary(reader).is_some() && other.len() == 1 && other.iter().all(is_tile)
    }

    fn binary(&self, id: NodeId) -> Option<&'static str> {
        let steps = steps::of(&self.graph.nodes[id], &self.graph).filter(|_| self.roles[id] == Role::Compute)?;
        match steps.as_slice() {
            [Step::Call { name, to: Tile::Result, from, .. }] if BINARY.contains(name) => {
                (*from == [Tile::Operand(0), Tile::Operand(1)]).then_some(*name)
            }
            _ => None,
        }
    }

    /// Which operand of a node is a column, and the interface that takes it.
    pub fn column(&self, id: NodeId) -> Option<(usize, &'static str)> {
        let inputs = &self.graph.nodes[id].inputs;
        let at = inputs
            .iter()
            .position(|input| input.from.is_some_and(|from| self.roles[self.root(from)] == Role::Column))?;
        Some((at, self.binary(id)?))
    }

    /// Where an operand's elements lie: the tile of a column is what it repeats.
    pub fn tile_of(&self, from: NodeId) -> NodeId {
        let root = self.root(from);
        match (&self.roles[root], self.graph.nodes[root].inputs.first()) {
            (Role::Column, Some(input)) => input.from.map_or(root, |from| self.root(from)),
            _ => root,
        }
    }
}
