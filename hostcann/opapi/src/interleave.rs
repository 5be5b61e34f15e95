//! Elements, or slices of a dim, that stand in the output as often as a count says (pages aclnnRepeatInterleave…).

use crate::call::{Call, Outcome, Task, refuse};
use crate::data_type::Width;
use crate::index::expect_index;
use crate::view::{View, count, expect_apart};

enum Counts {
    /// For all.
    One(i64),
    /// For each, or a single one for all.
    Tensor(View),
}

impl Counts {
    fn of(call: &Call, length: i64) -> Outcome<Counts> {
        let repeats = call.tensor("repeats")?;
        expect_index("repeats", repeats)?;
        if repeats.dims.len() > 1 || (repeats.count() != 1 && repeats.count() as i64 != length) {
            refuse!("argument [repeats]: expected 1 or {length} numbers, got shape {:?}", repeats.dims);
        }
        Ok(Counts::Tensor(repeats.clone()))
    }

    fn integer(call: &Call, length: i64) -> Outcome<Counts> {
        let (repeats, size) = (call.integer("repeats")?, call.integer("outputSize")?);
        if repeats < 0 || repeats.checked_mul(length) != Some(size) {
            refuse!("argument [outputSize]: expected {length} times [repeats], 0 or more, got {size} for {repeats}");
        }
        Ok(Counts::One(repeats))
    }
}

/// The counts, one for each slice, make `size` slices.
fn expect_sum(counts: &[i64], size: i64) -> Result<(), String> {
    if let Some(negative) = counts.iter().find(|count| **count < 0) {
        return Err(format!("argument [repeats]: expected numbers of 0 or more, got {negative}"));
    }
    match counts.iter().try_fold(0i64, |sum, count| sum.checked_add(*count)) {
        Some(sum) if sum == size => Ok(()),
        Some(sum) => Err(format!("argument [outputSize]: expected {sum}, the sum of [repeats], got {size}")),
        None => Err("argument [repeats]: the sum of the numbers exceeds 64 bits".to_owned()),
    }
}

/// Of each block of `length` slices every slice as often as its count says, `size` of them.
fn repeat((from, to): (View, View), [length, inner]: [usize; 2], counts: Counts, size: i64) -> Outcome<Task> {
    Task::fallible(move |memory| {
        expect_apart("self", std::iter::once(&from), &to, memory)?;
        let mut each = match &counts {
            Counts::One(count) => vec![*count],
            Counts::Tensor(view) => view.load(memory, Width::Double),
        };
        if each.len() == 1 {
            each = vec![each[0]; length];
        }
        expect_sum(&each, size)?;
        let values: Vec<i64> = from.load(memory, Width::Double);
        let mut chosen = Vec::with_capacity(to.count());
        for block in values.chunks((length * inner).max(1)) {
            for (slice, &count) in block.chunks(inner.max(1)).zip(&each) {
                (0..count).for_each(|_| chosen.extend_from_slice(slice));
            }
        }
        to.store(memory, &chosen);
        Ok(())
    })
}

/// Row by row, whatever dims there are.
fn flat(call: &Call, counts: fn(&Call, i64) -> Outcome<Counts>) -> Outcome<Task> {
    let (view, out, size) = (call.tensor("self")?, call.tensor("out")?, call.integer("outputSize")?);
    call.expect_dims("out", out, &[size])?;
    call.expect_type("out", out, view.data_type)?;
    repeat((view.raw(), out.raw()), [view.count(), 1], counts(call, view.count() as i64)?, size)
}

fn along(call: &Call, counts: fn(&Call, i64) -> Outcome<Counts>) -> Outcome<Task> {
    let (view, out, size) = (call.tensor("self")?, call.tensor("out")?, call.integer("outputSize")?);
    if view.dims.is_empty() {
        refuse!("argument [self]: expected at least one dim");
    }
    let dim = call.dim("dim", view, call.integer("dim")?)?;
    let mut dims = view.dims.clone();
    let length = std::mem::replace(&mut dims[dim], size);
    call.expect_dims("out", out, &dims)?;
    call.expect_type("out", out, view.data_type)?;
    let inner = count(&view.dims[dim + 1..]);
    repeat((view.raw(), out.raw()), [length as usize, inner], counts(call, length)?, size)
}

pub fn elements(call: &Call) -> Outcome<Task> {
    flat(call, Counts::of)
}

pub fn elements_alike(call: &Call) -> Outcome<Task> {
    flat(call, Counts::integer)
}

pub fn slices(call: &Call) -> Outcome<Task> {
    along(call, Counts::of)
}

pub fn slices_alike(call: &Call) -> Outcome<Task> {
    along(call, Counts::integer)
}

/// Each place as often as the number there says.
pub fn places(call: &Call) -> Outcome<Task> {
    let (repeats, out, size) = (call.tensor("repeats")?, call.tensor("out")?, call.integer("outputSize")?);
    expect_index("repeats", repeats)?;
    if repeats.dims.len() != 1 {
        refuse!("argument [repeats]: expected 1 dim, got shape {:?}", repeats.dims);
    }
    call.expect_dims("out", out, &[size])?;
    call.expect_type("out", out, repeats.data_type)?;
    let (repeats, out) = (repeats.clone(), out.clone());
    Task::fallible(move |memory| {
        expect_apart("repeats", std::iter::once(&repeats), &out, memory)?;
        let each: Vec<i64> = repeats.load(memory, Width::Double);
        expect_sum(&each, size)?;
        let all = each.iter().enumerate().flat_map(|(place, &count)| std::iter::repeat_n(place as i64, count as usize));
        out.store(memory, &all.collect::<Vec<_>>());
        Ok(())
    })
}
