//! What a tiling costs by the timing model, and the cheapest of some: in integers, here and in `cpp/price.h` for the
//! operator's host side. A core reads a tile, computes and writes it, and does the three for different tiles at a time.

mod cpp;
mod pieces;

use crate::dtype::DType;
use crate::ir::{self, Reduction};
use crate::lower::instructions::{self, Instruction};
use crate::memory::Memory;
use crate::model::NodeId;
use crate::schedule::{Case, Role, Scheduled, Span};
use crate::tiling::{self, Limits, Need, Tiling, ceil, largest, spread};
use crate::timing::{Engine, Timing};

pub use cpp::value as cpp_value;

/// Parts of a cycle.
const TICKS: f64 = 1024.0;

/// Copies of one direction, in ticks; rates are ticks for 1024 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Of a tile, whatever its size; and of each row of it.
    pub fixed: i64,
    pub burst: i64,
    /// A core whose AI core runs one, and both.
    pub rate: i64,
    pub pair: i64,
    /// The whole chip: from the L2, and past it.
    pub l2: i64,
    pub memory: i64,
    /// Bytes for each element of a tile, each of its rows, each element of one row.
    pub wide: i64,
    pub narrow: i64,
    pub once: i64,
}

/// What a kernel costs on a chip, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub ai_cores: i64,
    pub l2_bytes: i64,
    /// Each core starts so much after the one before.
    pub step: i64,
    /// More where both cores of an AI core run: at the start, and for each copy.
    pub pair_entry: i64,
    pub pair_latency: i64,
    pub read: Side,
    pub write: Side,
    /// Of each tile, and of what works once in front of the first.
    pub tile: Work,
    pub first: Work,
    /// What is read in front of the first tile: whatever its size, and for 1024 elements of a row.
    pub first_read: i64,
    pub first_row: i64,
    /// Of rows in pieces: what several cores of a row pay for the meetings behind passes.
    pub meet: i64,
    /// Of tiles that are turned: for each row of memory, of which a tile has as many as a row of it has elements.
    pub turned: i64,
}

/// Instructions, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Of a tile; of 1024 elements, of 1024 rows; and those that are given some times for each row, or for each 64
    /// elements of a row where that is less.
    pub fixed: i64,
    pub wide: i64,
    pub narrow: i64,
    pub each: i64,
    /// The scalar unit, for each tile, and for each of those instructions.
    pub scalar: i64,
    pub scalar_each: i64,
}

fn ticks(cycles: f64) -> i64 {
    (cycles * TICKS).round() as i64
}

/// Bytes a cycle to ticks for 1024 bytes.
fn per_kib(rate: f64) -> i64 {
    (1024.0 * TICKS / rate).ceil() as i64
}

impl Side {
    fn of(engine: Engine, pair: f64, l2: f64, memory: f64) -> Side {
        let rate = per_kib(engine.rate);
        Side { rate, pair: rate.max(per_kib(pair)), l2: per_kib(l2), memory: per_kib(memory), ..Side::default() }
    }

    fn copy(&mut self, engine: Engine, span: Span, bytes: i64, burst: f64, whole_rows: bool) {
        // The latencies of copies that follow each other lie under one another.
        self.fixed += ticks(engine.issue) + if self.fixed == 0 { ticks(engine.latency) } else { 0 };
        match span {
            Span::Narrow => self.narrow += bytes,
            Span::Row => self.once += bytes,
            Span::Wide | Span::One => {
                self.wide += bytes;
                self.burst += if whole_rows { ticks(burst) } else { 0 };
            }
        }
    }
}

impl Cost {
    /// `None` where the model has no number for an instruction.
    pub fn of(s: &Scheduled, memory: &Memory, timing: &Timing) -> Option<Cost> {
        // Of pieces there are prices where cores share rows, and where tiles are turned and nothing is reduced.
        let turns = s.roles.contains(&Role::Turn) && !s.roles.contains(&Role::Reduce);
        if s.case.has_passes() && !s.shares_rows() && !turns {
            return Some(Cost::default());
        }
        let (mut read, mut write) = (
            Side::of(timing.mte2, timing.pair_read / 2.0, timing.l2_read, timing.hbm_read),
            Side::of(timing.mte3, timing.mte3.rate, timing.l2_write, timing.hbm_write),
        );
        let mut cost = Cost {
            ai_cores: timing.ai_cores,
            l2_bytes: timing.l2_bytes,
            step: ticks(timing.launch_step),
            pair_entry: ticks(timing.entry_pair),
            pair_latency: ticks(timing.latency_pair),
            ..Cost::default()
        };
        let (mut tile, mut first) = (Work::default(), Work::default());
        let queues = memory.vec_in.len() + memory.vec_out.len();
        // A tile is allocated, put into its queue, taken out of it and freed.
        tile.scalar = ticks(queues as f64 * 4.0 * timing.scalar_queue);
        for id in s.order.iter().copied() {
            let bytes = s.graph.nodes[id].y.dtype.map_or(4, DType::size) as i64;
            // A row in pieces is a tile, and what it has once works in front of the pieces.
            let once = s.is_hoisted(id) || s.case == Case::P && s.pass(id).is_none();
            let work = if once { &mut first } else { &mut tile };
            match s.roles[id] {
                Role::Store if once => {
                    cost.first_read += ticks(timing.mte3.issue + timing.mte3.latency);
                    work.scalar += ticks(timing.scalar_copy);
                }
                Role::Load if once => {
                    let latency = if cost.first_read == 0 { timing.mte2.latency } else { 0.0 };
                    cost.first_read += ticks(timing.mte2.issue + latency);
                    cost.first_row += bytes * read.rate;
                    work.scalar += ticks(timing.scalar_copy);
                }
                Role::Load => {
                    let turned = s.is_turned(id);
                    read.copy(timing.mte2, s.spans[id], bytes, timing.burst, s.columns.is_some() && !turned);
                    cost.turned += if turned { ticks(timing.burst) } else { 0 };
                    work.scalar += ticks(timing.scalar_copy);
                }
                Role::Store => {
                    let pieces = s.pieces(id);
                    for (at, piece) in pieces.iter().enumerate() {
                        let bytes = s.graph.nodes[piece.node].y.dtype.map_or(4, DType::size) as i64;
                        // What is joined is one row.
                        let bytes = if at == 0 { bytes } else { 0 };
                        write.copy(timing.mte3, s.spans[piece.node], bytes, timing.burst, s.columns.is_some());
                        work.scalar += ticks(timing.scalar_copy);
                    }
                }
                Role::LoadElement => work.scalar += ticks(timing.scalar_read),
                Role::Compute | Role::Turn | Role::Repeat | Role::RepeatColumns | Role::RepeatRows | Role::Reduce => {
                    let calls = work.vector(s, id, timing)?;
                    work.scalar += ticks(calls * timing.scalar_vector);
                    if s.folds(id) {
                        // Lanes of a row in pieces meet once.
                        let work = if s.case == Case::P { &mut first } else { &mut tile };
                        let calls = work.meet(&s.graph.nodes[id].node_type, timing)?;
                        work.scalar += ticks(calls * timing.scalar_vector);
                    }
                }
                Role::None | Role::Constant | Role::Join | Role::Alias(_) | Role::Column => {}
            }
        }
        if !memory.turns.is_empty() {
            // The places: an instruction for each row.
            let (ii, fixed) = timing.instruction(Instruction { name: "Adds", to: DType::Int32, from: DType::Int32 })?;
            let kinds = memory.turns.len() as f64;
            first.wide += ticks(kinds * ii * 1024.0 / 64.0);
            first.narrow += ticks(kinds * (fixed + timing.count_next) * 1024.0);
        }
        for work in [&mut tile, &mut first].into_iter().filter(|work| work.fixed > 0) {
            work.fixed += ticks(timing.count_first);
        }
        Some(Cost { read, write, tile, first, meet: pieces::meetings(s, timing), ..cost })
    }
}

impl Work {
    /// The vector unit and the scalar unit for as many elements and rows, with `each` instructions of those for a row.
    fn of(&self, [wide, rows, _]: [i64; 3], each: i64) -> (i64, i64) {
        let vector = self.fixed + ((wide * self.wide) >> 10) + ((rows * self.narrow) >> 10) + self.each * each;
        (vector, self.scalar + self.scalar_each * each)
    }

    /// Adds the instructions of a node; how many there are.
    fn vector(&mut self, s: &Scheduled, id: NodeId, timing: &Timing) -> Option<f64> {
        let node = &s.graph.nodes[id];
        let dtype = node.y.dtype?;
        let one = |name| Instruction { name, to: dtype, from: dtype };
        let lanes = |instruction: Instruction| 256.0 / instruction.to.size().max(instruction.from.size()) as f64;
        let price = |instruction: Instruction| timing.instruction(instruction);
        // A column is repeated by copies, or by the instruction that reads it.
        let column = match s.roles[id] {
            Role::RepeatColumns => Some("Copy"),
            _ => s.column(id).map(|(_, name)| name),
        };
        if let Some(name) = column {
            self.scalar_each += ticks(timing.scalar_vector);
            let ((ii, fixed), brcb) = (price(one(name))?, price(one("Brcb"))?);
            self.wide += ticks(ii * 1024.0 / lanes(one(name)));
            self.each += ticks(fixed);
            self.fixed += ticks(brcb.1);
            self.narrow += ticks(brcb.0 * 1024.0 / 8.0);
            return Some(2.0);
        }
        match s.roles[id] {
            Role::RepeatRows => {
                self.scalar_each += ticks(timing.scalar_vector);
                let (ii, fixed) = price(one("Copy"))?;
                self.wide += ticks(ii * 1024.0 / lanes(one("Copy")));
                self.each += ticks(fixed);
                return Some(1.0);
            }
            Role::Reduce => {
                self.scalar_each += ticks(timing.scalar_vector);
                let (fold, whole) = calls(&node.node_type);
                let (ii, fixed) = price(one(fold))?;
                self.wide += ticks(ii * 1024.0 / lanes(one(fold)));
                self.each += ticks(fixed);
                if s.folds(id) {
                    self.fixed += ticks(fixed);
                    return Some(1.0);
                }
                let last = price(one(whole))?;
                self.fixed += ticks(last.1);
                self.narrow += ticks(last.0 * 1024.0);
                return Some(2.0);
            }
            _ => {}
        }
        let all = match s.roles[id] {
            Role::Repeat => vec![one("Duplicate")],
            Role::Turn => vec![one("Gather")],
            _ => instructions::of(node, &s.graph)?,
        };
        for instruction in &all {
            let (ii, fixed) = price(*instruction)?;
            self.fixed += ticks(fixed + timing.count_next);
            let each = ticks(ii * 1024.0 / lanes(*instruction));
            match s.spans[id] {
                Span::Wide => self.wide += each,
                Span::Narrow => self.narrow += each,
                Span::Row | Span::One => {}
            }
        }
        Some(all.len() as f64)
    }

    /// Adds those with which the lanes of int32 meet (`cpp/fold.h`); how many there are.
    fn meet(&mut self, node_type: &str, timing: &Timing) -> Option<f64> {
        let (fold, _) = calls(node_type);
        let mut calls = 0.0;
        // How often, and of how many elements of a row in all: 8 lanes, which take 8 blocks, and three times both halves of them.
        for (name, times, elements) in [
            ("Duplicate", 1.0, 8.0),
            (fold, 8.0, 64.0),
            ("GatherMask", 6.0, 28.0),
            (fold, 3.0, 7.0),
            ("DataCopy", 1.0, 1.0),
        ] {
            let (ii, fixed) = timing.instruction(Instruction { name, to: DType::Int32, from: DType::Int32 })?;
            self.fixed += ticks(times * fixed);
            self.narrow += ticks(ii * elements / 64.0 * 1024.0);
            calls += times;
        }
        Some(calls)
    }
}

/// How elements meet in lanes, and lanes in one element.
fn calls(node_type: &str) -> (&'static str, &'static str) {
    match ir::reduction(node_type).0 {
        Reduction::Max => ("Max", "WholeReduceMax"),
        Reduction::Min => ("Min", "WholeReduceMin"),
        Reduction::Sum => ("Add", "WholeReduceSum"),
    }
}

/// Of a tile, and what all cores together make of the chip.
fn moved(side: &Side, [wide, rows, row]: [i64; 3], blocks: i64, pair: Option<i64>, memory: bool) -> (i64, i64) {
    let bytes = wide * side.wide + rows * side.narrow + row * side.once;
    let own = if pair.is_some() { side.pair } else { side.rate };
    let alone = ((bytes * own) >> 10).max(rows * side.burst);
    let chip = ((bytes * if memory { side.memory } else { side.l2 }) >> 10) * blocks;
    let late = if side.fixed > 0 { pair.unwrap_or(0) } else { 0 };
    (side.fixed + late + alone.max(chip), chip)
}

/// Ticks from the first core's start to the end of the last, without what every launch has.
pub fn price(cost: &Cost, need: &Need, t: &Tiling) -> i64 {
    let units = t.tile.min(need.row);
    let size = if need.stride > 0 { [units * need.stride, units, need.stride] } else { [units, 0, 0] };
    let pair = (t.block_dim > cost.ai_cores).then_some(cost.pair_latency);
    let all = need.rows * need.row * need.stride.max(1);
    let memory = all > cost.l2_bytes / (cost.read.wide + cost.write.wide).max(1);
    let (read, read_chip) = moved(&cost.read, size, t.block_dim, pair, memory);
    let (write, write_chip) = moved(&cost.write, size, t.block_dim, pair, memory);
    let read = read.max(cost.read.fixed + size[1] * cost.read.burst + size[2] * cost.turned);
    let each = (PER_ROW * size[1]).min(ceil(size[2], 64));
    let (vector, scalar) = cost.tile.of(size, each);
    let first = cost.first.of(size, each);
    let first = cost.first_read + ((size[2] * cost.first_row) >> 10) + first.0.max(first.1);
    let chip = if memory { read_chip + write_chip } else { read_chip.max(write_chip) };
    let longest = read.max(write).max(vector).max(chip).max(scalar).max(1);
    let once =
        t.block_dim * cost.step + pair.map_or(0, |_| cost.pair_entry) + first + read + vector.max(scalar) + write;
    let more = t.core_tiles - 1;
    once + if more > MOST_TICKS / longest { MOST_TICKS } else { more * longest }
}

const MOST_TICKS: i64 = 1 << 61;

/// Instructions for a row of a reduction or a repetition that goes row by row.
const PER_ROW: i64 = 3;

/// Tiles of a core that are tried beside the fewest.
const MORE_TILES: i64 = 8;

/// The cheapest tiling, and what it costs. Without a cost that is the one with the largest tile, and it costs as much as a
/// core has tiles. One that is not better by a part in 64 is not taken. Rows in pieces cost more than all else.
///
/// # Errors
///
/// There is no tiling: [`tiling::solve`] says why.
pub fn solve(need: &Need, limits: Limits, cost: Option<&Cost>) -> Result<(Tiling, i64), String> {
    let plain = tiling::solve(need, limits)?;
    let Some(cost) = cost else { return Ok((plain, plain.core_tiles)) };
    if let Some(columns) = need.columns.filter(|_| cost.turned > 0) {
        return Ok((plain, pieces::price_columns(cost, need, &plain, columns.height)));
    }
    if need.pieces && need.sums < 1 {
        return Ok((plain, i64::MAX));
    }
    if need.pieces {
        return Ok(pieces::solve(need, limits, cost, plain));
    }
    let known = price(cost, need, &plain);
    let (mut best, mut least) = (plain, known - known / 64);
    let (largest, rows) = (largest(need, limits), need.rows.max(1));
    let fewest = rows * ceil(need.row, largest);
    let mut cores = limits.used();
    loop {
        let first = ceil(fewest, cores).max(1);
        for tiles in first..first + MORE_TILES {
            let parts = (tiles * cores / rows).max(1);
            let tile = (ceil(ceil(need.row, parts), need.step) * need.step).max(need.step).min(largest);
            let tiling = spread(need, tile, cores);
            let ticks = price(cost, need, &tiling);
            if ticks < least {
                (best, least) = (tiling, ticks);
            }
        }
        if cores == 1 {
            break;
        }
        cores = (cores + 1) / 2;
    }
    let ticks = if best == plain { known } else { least };
    Ok((best, ticks))
}

/// Of several kernels the cheapest, and the first of those; why none, where there is none.
///
/// # Errors
///
/// None of the kernels has a tiling; the message is that of the last one.
pub fn choose(needs: &[(Result<Need, String>, Option<Cost>)], limits: Limits) -> Result<(usize, Tiling), String> {
    let mut best: Option<(usize, Tiling, i64)> = None;
    let mut wrong = String::new();
    for (at, (need, cost)) in needs.iter().enumerate() {
        match need.clone().and_then(|need| solve(&need, limits, cost.as_ref())) {
            Ok((tiling, price)) if best.is_none_or(|(.., known)| price < known) => best = Some((at, tiling, price)),
            Ok(_) => {}
            Err(why) => wrong = why,
        }
    }
    best.map(|(at, tiling, _)| (at, tiling)).ok_or(wrong)
}
