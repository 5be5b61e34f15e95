//! What a step costs by itself, under the parameters of a replay.

use super::{
    params::{ParamError, Params},
    program::{CopyWork, LINE, Scalar, StepInfo, StepKind},
    result::ConflictKind,
    work::VectorWork,
};
use crate::base::{
    ins::{Dtype, Opcode},
    lanes::BLOCK,
    pipe::Pipe,
};
use crate::machine::observe::Product;

/// A vector instruction: `fixed + ii * repeats + conflicts` cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct VectorCost {
    pub fixed: f64,
    /// More where it does not follow another instruction at once.
    pub first: f64,
    pub ii: f64,
    pub repeats: u64,
    pub conflicts: f64,
    pub kind: Option<ConflictKind>,
    /// Repeats that need more than one pass, at least.
    pub conflict_repeats: u64,
}

impl VectorCost {
    pub fn cycles(&self) -> f64 {
        self.fixed + self.ii * self.repeats as f64 + self.conflicts
    }
}

/// A copy: its engine's own limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CopyCost {
    pub bytes: f64,
    /// Cycles of the data with nobody else there.
    pub data: f64,
    pub issue: f64,
    /// Factor on what comes from memory.
    pub memory: f64,
}

/// The cost of one kind of step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    /// On the scalar unit.
    pub scalar: f64,
    pub vector: VectorCost,
}

pub(super) fn of(p: &Params, info: &StepInfo, ignore_conflicts: bool) -> Result<Cost, ParamError> {
    let cost = Cost::default();
    Ok(match &info.what {
        StepKind::Vector(w) => Cost { scalar: issue(p, w), vector: vector(p, w, ignore_conflicts)? },
        StepKind::Copy(w) if w.pipe == Pipe::V => Cost { scalar: p.scalar_vector, vector: inside(p, w)? },
        StepKind::Copy(_) => Cost { scalar: p.scalar_copy, ..cost },
        StepKind::SetFlag { .. } | StepKind::WaitFlag { .. } | StepKind::Barrier(_) | StepKind::Await => {
            Cost { scalar: p.scalar_flag, ..cost }
        }
        StepKind::SyncAll
        | StepKind::CrossSet { .. }
        | StepKind::CrossWait { .. }
        | StepKind::Post(_)
        | StepKind::Until { .. } => Cost { scalar: p.scalar_flag, ..cost },
        StepKind::Product(w) => Cost { scalar: product(p, w), ..cost },
        StepKind::Scalar(s) => Cost { scalar: scalar(p, *s), ..cost },
    })
}

/// A multiplication, coarsely: what takes longest of the cube unit, the operands' way to L1 and the result's way out, for each
/// of the cores that the cube core serves in turn. A block of A comes anew for every block of columns. An object's first one waits
/// for what Init and the first call compute.
fn product(p: &Params, w: &Product) -> f64 {
    let [m, n, k] = w.size.map(f64::from);
    let size = if w.dtype == Dtype::I4 { 0.5 } else { w.dtype.size() as f64 };
    let fractals = |v: f64, of: f64| (v / of).ceil();
    let passes = if w.dtype == Dtype::F32 && !w.hf32 { p.cube_float } else { 1.0 };
    let cube = fractals(m, 16.0) * fractals(n, 16.0) * fractals(k, 32.0 / size) * passes;
    let blocks = |axis: usize| fractals(f64::from(w.size[axis]), f64::from(w.base[axis].max(1)));
    let read = |vectors: f64, row: u32| vectors * k * size * (1.0 / p.cube_read + p.cube_row / f64::from(row.max(1)));
    let operands = read(m * blocks(1), w.row[0]) + read(n * if w.b_stays { 1.0 } else { blocks(0) }, w.row[1]);
    let result = m * n * f64::from(w.out) / p.cube_write;
    let start = if w.is_first { p.cube_start } else { 0.0 };
    start + p.cube_latency + f64::from(w.share) * cube.max(operands).max(result)
}

/// The scalar unit's part of a vector call. CreateVecIndex is a function here: it writes the first 32 bytes one by one, and gives
/// an Adds and a barrier for each of the other seven blocks of the first repeat and for every further repeat.
fn issue(p: &Params, w: &VectorWork) -> f64 {
    if w.head.op != Opcode::CreateVecIndex {
        return p.scalar_vector;
    }
    let values = BLOCK / w.head.dtype.size();
    values as f64 * p.scalar_ub_write + (w.repeats + 6) as f64 * (p.scalar_vector + p.scalar_flag)
}

fn scalar(p: &Params, s: Scalar) -> f64 {
    match s {
        Scalar::Alloc | Scalar::Enque | Scalar::Deque | Scalar::Free => p.scalar_queue,
        Scalar::Mask => p.scalar_mask,
        Scalar::UbRead => p.scalar_ub_read,
        Scalar::UbWrite => p.scalar_ub_write,
        Scalar::GmAccess => p.scalar_gm_hit,
        Scalar::CleanCache => p.scalar_gm_hit,
        // By lines, see `Core::tiling`.
        Scalar::Tiling => 0.0,
        // A copy of 32 bytes and the wait for it.
        Scalar::Look => p.mte2_issue + p.mte2_latency + BLOCK as f64 / p.mte2_rate,
        Scalar::Signal => p.mte3_issue + p.mte3_latency + BLOCK as f64 / p.mte3_rate,
    }
}

fn vector(p: &Params, w: &VectorWork, ignore_conflicts: bool) -> Result<VectorCost, ParamError> {
    let row = p.row(&w.head).ok_or_else(|| ParamError(format!("[[instruction]] has no row for {}", w.head.name())))?;
    let (mut fixed, mut first) = (row.fixed * f64::from(w.calls), 0.0);
    if w.count_form && !row.function {
        fixed += p.vector_count_next + if w.partial { p.vector_partial } else { 0.0 };
        first = (p.vector_count_form - p.vector_count_next).max(0.0);
    }
    let mut cost = VectorCost { fixed, first, ii: row.ii, repeats: w.repeats, ..VectorCost::default() };
    let Some(passes) = w.passes else { return Ok(cost) };
    // Blocks of one operand meet whatever the others do; the rest is a matter of where the operands lie.
    let (read, write, alone) =
        (passes.read - passes.repeats, passes.write - passes.repeats, passes.alone - passes.repeats);
    let busy = (read as f64 * row.ii).max(write as f64);
    let strides = alone as f64 * row.ii;
    let clash = passes.clash as f64 * p.vector_write_clash;
    cost.conflicts = busy + clash;
    if ignore_conflicts {
        cost.conflicts = cost.conflicts.min(if w.one_source() { busy } else { strides });
    }
    let most = [
        (ConflictKind::Stride, strides, alone),
        (ConflictKind::ReadRead, busy - strides, read.saturating_sub(alone)),
        (ConflictKind::ReadWrite, clash, passes.clash),
    ];
    let most =
        most.into_iter().fold(
            (None, 0.0, 0),
            |best, (kind, cycles, repeats)| {
                if cycles > best.1 { (Some(kind), cycles, repeats) } else { best }
            },
        );
    if cost.conflicts > 0.0 {
        (cost.kind, cost.conflict_repeats) = (most.0, most.2.min(passes.repeats));
    }
    Ok(cost)
}

/// A copy inside of the unified buffer: rows of whole blocks, 256 bytes a cycle.
fn inside(p: &Params, w: &CopyWork) -> Result<VectorCost, ParamError> {
    let row = p.row_of("DataCopy", Dtype::U8, Dtype::U8);
    let row = row.ok_or_else(|| ParamError("[[instruction]] has no row for DataCopy".to_owned()))?;
    let repeats = u64::from(w.rows) * u64::from(w.row_bytes).div_ceil(256);
    Ok(VectorCost { fixed: row.fixed, ii: row.ii, repeats, ..VectorCost::default() })
}

/// A copy from or to an address that is `offset` bytes into a line.
pub(super) fn copy(p: &Params, w: &CopyWork, offset: u64) -> CopyCost {
    let (rate, issue) = if w.pipe == Pipe::MTE2 { (p.mte2_rate, p.mte2_issue) } else { (p.mte3_rate, p.mte3_issue) };
    let off = |unit: u64| !offset.is_multiple_of(unit) || w.rows > 1 && !w.pitch.is_multiple_of(unit);
    let line = if off(LINE) { p.unaligned_line } else { 1.0 };
    let least = if w.rows > 1 { p.burst } else { 0.0 };
    let mut cost = CopyCost { issue, memory: if off(32) { p.unaligned_block } else { 1.0 }, ..CopyCost::default() };
    let row_bytes = u64::from(w.row_bytes);
    let mut add = |rows: u64, at: u64| {
        let bytes = requested(at % LINE, row_bytes) as f64;
        cost.bytes += rows as f64 * bytes;
        cost.data += rows as f64 * (bytes * line / rate).max(least);
    };
    if w.pitch.is_multiple_of(LINE) {
        add(u64::from(w.rows), offset);
    } else {
        (0..u64::from(w.rows)).for_each(|row| add(1, offset + row * w.pitch));
    }
    cost
}

/// Bytes of the requests for a row: it is cut at the lines, and a piece takes 128, 256 or 512 bytes.
fn requested(phase: u64, bytes: u64) -> u64 {
    let piece = |n: u64| if n == 0 { 0 } else { n.next_power_of_two().max(128) };
    let first = bytes.min(LINE - phase);
    let rest = bytes - first;
    piece(first) + rest / LINE * LINE + piece(rest % LINE)
}

#[cfg(test)]
#[path = "product_tests.rs"]
mod tests;
