//! Bank groups of the unified buffer: sources of one instruction that begin in one half of them are read at half rate.

use super::{BLOCK, Bytes, Memory, Part, Place, QUEUE_BUFFERS};
use crate::lower::steps::{self, Step, Tile};
use crate::model::{NodeId, Position};
use crate::schedule::{Case, Role, Scheduled};
use crate::tiling::{MASK_STEP, NARROW_STEP, TILE_STEP};

/// Bytes between tiles in one half of the bank groups and those in the other (the operator's `FMOD_BANK_GAP_BYTES`).
pub const BANK_GAP: usize = 256;

/// Bytes from a bank group to the same again: tiles are a multiple of them where halves count.
pub const BANK_PERIOD: usize = 512;

/// Parts that begin in the upper half: those that meet one of the lower half in an instruction.
pub(super) fn upper(s: &Scheduled, memory: &Memory) -> Vec<Part> {
    let mut halves = vec![(Part::Lanes, false)];
    for id in s.order.iter().copied() {
        for [a, b] in meetings(s, memory, id) {
            let known = |part: Part| halves.iter().find(|half| half.0 == part).map(|half| half.1);
            let (first, second) = match (known(a), known(b)) {
                _ if a == b => continue,
                (None, None) => (false, true),
                (Some(half), None) => (half, !half),
                (None, Some(half)) => (!half, half),
                (Some(first), Some(second)) => (first, second),
            };
            let new: Vec<_> = [(a, first), (b, second)].into_iter().filter(|half| known(half.0).is_none()).collect();
            halves.extend(new);
        }
    }
    // A row that is its tile.
    for id in s.order.iter().copied().filter(|id| s.repeats_once(*id)) {
        let row = s.graph.nodes[id].inputs[0].from.map(|from| s.root(from));
        let [tile, row] = [Some(id), row].map(|id| memory.places[id?].map(Part::Tile));
        let half = halves.iter().find(|half| Some(half.0) == tile).map(|half| half.1);
        halves.extend(row.zip(half));
    }
    halves.retain(|half| half.1);
    halves.into_iter().map(|half| half.0).collect()
}

/// Pairs of sources of a node's instructions.
fn meetings(s: &Scheduled, memory: &Memory, id: NodeId) -> Vec<[Part; 2]> {
    let node = &s.graph.nodes[id];
    let part = |tile: &Tile| match tile {
        Tile::Result => memory.places[id].map(Part::Tile),
        Tile::Operand(at) => memory.places[s.root(node.inputs.get(*at)?.from?)].map(Part::Tile),
        Tile::Scratch(_) => Some(Part::Scratch),
    };
    let pair = |a: &Tile, b: &Tile| Some([part(a)?, part(b)?]);
    match s.roles[id] {
        // Lanes of columns are rows.
        Role::Reduce if s.case == Case::C => {
            return part(&Tile::Operand(0)).map(|x| [x, Part::Lanes]).into_iter().collect();
        }
        Role::Compute => {}
        _ => return Vec::new(),
    }
    let [x1, x2, x3] = [0, 1, 2].map(Tile::Operand);
    let of_step = |step: &Step| match step {
        Step::Call { from, .. } => from.first().zip(from.get(1)).and_then(|(a, b)| pair(a, b)),
        Step::Choose => pair(&x2, &x3),
        Step::CompareFloats { .. } | Step::CompareInts { .. } | Step::Function { work: None, .. } => pair(&x1, &x2),
        _ => None,
    };
    // Fmod has a class instead of steps.
    let Some(steps) = steps::of(node, &s.graph) else { return pair(&x1, &x2).into_iter().collect() };
    steps.iter().filter_map(of_step).collect()
}

impl Memory {
    /// Do tiles, or the lanes behind them, begin in a half of their own?
    pub fn has_halves(&self) -> bool {
        self.lanes || !self.upper.is_empty()
    }

    /// Elements that a tile is a multiple of. What a class of [`fmod`](super::fmod) computes in begins with a bank group, as
    /// it does in the operator by hand, if tiles of floats are a multiple of [`BANK_PERIOD`].
    pub(super) fn class_step(&self) -> i64 {
        if self.fmod.is_empty() { TILE_STEP } else { MASK_STEP }
    }

    /// The gaps, and what tiles are longer for [`BANK_PERIOD`].
    pub(super) fn bank_bytes(&self) -> usize {
        if !self.has_halves() {
            return 0;
        }
        let queues = self.vec_in.iter().chain(&self.vec_out).map(|bytes| (*bytes, QUEUE_BUFFERS));
        let buffers = self.buffers.iter().chain([&self.scratch]).map(|bytes| (*bytes, 1));
        let gaps = if self.upper.is_empty() { 0 } else { 2 * BANK_GAP };
        queues.chain(buffers).fold(gaps, |sum, (bytes, times)| sum + times * rest(bytes, self.class_step()))
    }

    /// Queues, buffers and the work memory of one half, in their order.
    pub fn half(&self, upper: bool) -> impl Iterator<Item = Part> {
        let places = |position, count| (0..count).map(move |id| Part::Tile(Place { position, id }));
        let queues = places(Position::VecIn, self.vec_in.len()).chain(places(Position::VecOut, self.vec_out.len()));
        let all = queues.chain(places(Position::VecCalc, self.buffers.len())).chain([Part::Scratch]);
        all.filter(move |part| self.upper.contains(part) == upper)
    }
}

/// Bytes that a tile may be longer for: its own are a multiple of some.
fn rest(Bytes { wide, narrow, row }: Bytes, step: i64) -> usize {
    let sizes = [wide * step as usize, narrow * NARROW_STEP as usize, row * TILE_STEP as usize];
    let unit = sizes.into_iter().filter(|size| *size > 0).map(|size| 1 << size.trailing_zeros()).min();
    unit.map_or(0, |unit: usize| BANK_PERIOD.saturating_sub(unit.max(BLOCK)))
}
