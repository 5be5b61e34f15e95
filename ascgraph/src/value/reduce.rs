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

/// Longer rows are reduced in segments, so that several cores share one: a length of elements that the row alone decides.
const WHOLE_SEGMENT: i64 = 16384;
const SEGMENT_LEAST: i64 = 2048;
pub const MOST_SEGMENTS: i64 = 120;
const SEGMENT_STEP: i64 = 128;

/// Elements of a segment of a row, of which each has lanes of its own; they meet in the order of the row.
pub fn segment(length: i64) -> i64 {
    if length <= WHOLE_SEGMENT {
        return length.max(1);
    }
    let least = (length + MOST_SEGMENTS - 1) / MOST_SEGMENTS;
    ((least + SEGMENT_STEP - 1) / SEGMENT_STEP * SEGMENT_STEP).max(SEGMENT_LEAST)
}

impl Along {
    fn lanes(self, dtype: DType) -> usize {
        match self {
            Along::Row => 256 / dtype.size(),
            Along::Column => ROW_LANES,
        }
    }
}

/// Elements to one: lane j takes elements j, j + n, j + 2n, … of each `length` of them, one after the other; then the lanes
/// meet. Along rows each of them has segments ([`segment`]) with lanes of their own, and those of each segment are
/// taken by those of all before it. `None` where there are no elements, and for types that are no reduction.
pub fn reduce(node_type: &str, elements: &[u64], length: usize, dtype: DType, along: Along) -> Option<u64> {
    let mut lanes = Lanes::new(dtype, along, length);
    lanes.take(node_type, elements)?;
    lanes.meet(node_type)
}

/// The lanes of a reduction as far as it is known: elements may come in pieces, and parts of them may be others'.
#[derive(Clone, Debug)]
pub struct Lanes {
    dtype: DType,
    along: Along,
    length: usize,
    /// Along columns there is one.
    segments: Vec<Vec<u64>>,
    count: usize,
}

impl Lanes {
    /// Of one row after the other, each of `length` elements, or of a part of one that begins with a segment.
    pub fn new(dtype: DType, along: Along, length: usize) -> Lanes {
        Lanes { dtype, along, length: length.max(1), segments: Vec::new(), count: 0 }
    }

    /// The next elements.
    pub fn take(&mut self, node_type: &str, piece: &[u64]) -> Option<()> {
        let step = step_of(node_type)?;
        let width = self.along.lanes(self.dtype);
        let segment = segment(self.length as i64) as usize;
        for next in piece {
            let inside = self.count % self.length;
            let (begins, inside) = match self.along {
                Along::Row => (inside.is_multiple_of(segment), inside % segment),
                Along::Column => (self.count == 0, inside),
            };
            if begins {
                self.segments.push(Vec::new());
            }
            let lanes = self.segments.last_mut()?;
            match lanes.get_mut(inside % width) {
                Some(lane) => *lane = elewise(step, &[*next, *lane], self.dtype, self.dtype)?,
                None => lanes.push(*next),
            }
            self.count += 1;
        }
        Some(())
    }

    /// The part of the row that follows.
    pub fn join(&mut self, next: &Lanes) {
        self.segments.extend(next.segments.iter().cloned());
        self.count += next.count;
    }

    pub fn meet(self, node_type: &str) -> Option<u64> {
        let Lanes { dtype, along, segments, count, .. } = self;
        let step = step_of(node_type)?;
        let mut all = segments.into_iter();
        let mut lanes = all.next()?;
        for segment in all {
            for (lane, next) in lanes.iter_mut().zip(segment) {
                *lane = elewise(step, &[next, *lane], dtype, dtype)?;
            }
        }
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
