//! Reductions, in the order in which the vector core takes the elements.

use super::{elewise, from_f32, to_f32, to_int};
use crate::dtype::DType;

/// What a reduction goes along, which decides how its elements meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// The last axis: lanes of an instruction, which are 256 bytes.
    Row,
    /// Another axis: whole rows of a tile are added, to [`ROW_LANES`] of them.
    Column,
}

/// Rows that a reduction along another axis than the last has of partial results.
pub const ROW_LANES: usize = 8;

impl Along {
    fn lanes(self, dtype: DType) -> usize {
        match self {
            Along::Row => 256 / dtype.size(),
            Along::Column => ROW_LANES,
        }
    }
}

/// Elements to one: lane j takes elements j, j + n, j + 2n, … of each `length` of them, one after the other; then the lanes
/// meet. `None` where there are no elements, and for types that are no reduction.
pub fn reduce(node_type: &str, elements: &[u64], length: usize, dtype: DType, along: Along) -> Option<u64> {
    let mut lanes = Lanes::new(dtype, along);
    for part in elements.chunks(length.max(1)) {
        lanes.take(node_type, 0, part)?;
    }
    lanes.meet(node_type)
}

/// The lanes of a reduction as far as it is known: elements may come in pieces.
pub struct Lanes {
    dtype: DType,
    along: Along,
    lanes: Vec<u64>,
    count: usize,
}

impl Lanes {
    pub fn new(dtype: DType, along: Along) -> Lanes {
        Lanes { dtype, along, lanes: Vec::new(), count: 0 }
    }

    /// The elements from this one on.
    pub fn take(&mut self, node_type: &str, begin: usize, piece: &[u64]) -> Option<()> {
        let step = step_of(node_type)?;
        let width = self.along.lanes(self.dtype);
        for (at, next) in piece.iter().enumerate() {
            match self.lanes.get_mut((begin + at) % width) {
                Some(lane) => *lane = elewise(step, &[*next, *lane], self.dtype, self.dtype)?,
                None => self.lanes.push(*next),
            }
        }
        self.count += piece.len();
        Some(())
    }

    pub fn meet(self, node_type: &str) -> Option<u64> {
        let Lanes { dtype, along, lanes, count } = self;
        let step = step_of(node_type)?;
        let result = match along {
            Along::Row => row(lanes, count, dtype, step)?,
            Along::Column => column(lanes, dtype, step)?,
        };
        if node_type != "Mean" {
            return Some(result);
        }
        elewise("Div", &[result, from_f32(count as f32, dtype)], dtype, dtype)
    }
}

/// Of a sum neighbours first, then neighbours of neighbours, and so on.
fn row(mut lanes: Vec<u64>, count: usize, dtype: DType, step: &str) -> Option<u64> {
    if let ([only], 1, true) = (lanes.as_slice(), count, dtype.is_float()) {
        return Some(from_f32(to_f32(*only, dtype), dtype));
    }
    if step != "Add" {
        return extreme(&lanes, dtype, step == "Maximum");
    }
    while lanes.len() > 1 {
        let add = |pair: &[u64]| match pair {
            [a, b] => elewise("Add", &[*a, *b], dtype, dtype),
            _ => pair.first().copied(),
        };
        lanes = lanes.chunks(2).map(add).collect::<Option<_>>()?;
    }
    lanes.first().copied()
}

/// The last half is added to the first. One row alone keeps its bits.
fn column(mut lanes: Vec<u64>, dtype: DType, step: &str) -> Option<u64> {
    while lanes.len() > 1 {
        let half = lanes.len().div_ceil(2);
        let last = lanes.split_off(half);
        for (lane, other) in lanes.iter_mut().zip(last) {
            *lane = elewise(step, &[*lane, other], dtype, dtype)?;
        }
    }
    lanes.first().copied()
}

/// What two elements of a reduction become.
fn step_of(node_type: &str) -> Option<&'static str> {
    match node_type {
        "Sum" | "Mean" => Some("Add"),
        "Max" => Some("Maximum"),
        "Min" => Some("Minimum"),
        _ => None,
    }
}

/// The first of the largest or smallest values; a NaN is above all.
fn extreme(lanes: &[u64], dtype: DType, largest: bool) -> Option<u64> {
    if !dtype.is_float() {
        let key = |bits: &&u64| to_int(**bits, dtype);
        return if largest { lanes.iter().max_by_key(key) } else { lanes.iter().min_by_key(key) }.copied();
    }
    let mut best = *lanes.first()?;
    for next in lanes {
        let (known, x) = (to_f32(best, dtype), to_f32(*next, dtype));
        let better = if largest { x > known } else { x < known };
        if !known.is_nan() && (x.is_nan() || better) {
            best = *next;
        }
    }
    Some(from_f32(to_f32(best, dtype), dtype))
}
