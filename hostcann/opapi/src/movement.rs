//! Operators that only move elements: the output, or a part of it, is another view of the input.

use crate::call::{Call, Outcome, Task, expect_cast, promote, refuse};
use crate::data_type::Width;
use crate::map::convert;
use crate::view::{View, expect_apart};

/// Copies each of the pairs from its first view to its second.
fn moves(pairs: Vec<(View, View)>) -> Outcome<Task> {
    Task::new(move |memory| pairs.iter().for_each(|(from, to)| convert(from, to, memory)))
}

/// torch's rule: a tensor of shape [0] joins any others.
fn is_nothing(view: &View) -> bool {
    view.dims == [0]
}

pub fn cat(call: &Call) -> Outcome<Task> {
    let (views, out) = (call.tensors("tensors")?, call.tensor("out")?);
    let Some(first) = views.iter().find(|view| !is_nothing(view)).or(views.first()) else {
        refuse!("argument [tensors]: expected at least one tensor");
    };
    let dim = call.dim("dim", first, call.integer("dim")?)?;
    if first.dims.is_empty() {
        refuse!("argument [tensors]: a tensor without dims cannot be joined to others");
    }
    let mut dims = first.dims.clone();
    dims[dim] = 0;
    let mut starts = Vec::new();
    let mut promoted = first.data_type;
    for (i, view) in views.iter().enumerate().filter(|(_, view)| !is_nothing(view)) {
        let fits = |(at, (a, b)): (usize, (&i64, &i64))| at == dim || a == b;
        if view.dims.len() != dims.len() || !view.dims.iter().zip(&first.dims).enumerate().all(fits) {
            refuse!(
                "argument [tensors]: shape {:?} of tensor {i} differs from {:?} in other dims than {dim}",
                view.dims,
                first.dims
            );
        }
        promoted = promote(promoted, view.data_type)?;
        starts.push((view, dims[dim]));
        dims[dim] += view.dims[dim];
    }
    call.expect_dims("out", out, &dims)?;
    expect_cast("out", promoted, out.data_type)?;
    let out = out.clone();
    let pairs: Vec<(View, View)> =
        starts.into_iter().map(|(view, at)| (view.clone(), out.part(dim, at, view.dims[dim], 1))).collect();
    Task::fallible(move |memory| {
        expect_apart("tensors", pairs.iter().map(|(from, _)| from), &out, memory)?;
        pairs.iter().for_each(|(from, to)| convert(from, to, memory));
        Ok(())
    })
}

pub fn stack(call: &Call) -> Outcome<Task> {
    let (views, out) = (call.tensors("tensors")?, call.tensor("out")?);
    let Some(first) = views.first() else {
        refuse!("argument [tensors]: expected at least one tensor");
    };
    let mut dims = first.dims.clone();
    dims.insert(0, 0);
    let dim = call.dim("dim", &View { dims, ..first.clone() }, call.integer("dim")?)?;
    let mut promoted = first.data_type;
    for (i, view) in views.iter().enumerate() {
        if view.dims != first.dims {
            refuse!("argument [tensors]: shape {:?} of tensor {i} differs from {:?}", view.dims, first.dims);
        }
        promoted = promote(promoted, view.data_type)?;
    }
    let mut dims = first.dims.clone();
    dims.insert(dim, views.len() as i64);
    call.expect_dims("out", out, &dims)?;
    expect_cast("out", promoted, out.data_type)?;
    moves(views.iter().enumerate().map(|(i, view)| (view.clone(), out.select(dim, i as i64))).collect())
}

/// From `self` to `out`, which has the view's shape.
fn to_out(call: &Call, from: View) -> Outcome<Task> {
    let out = call.tensor("out")?;
    call.expect_dims("out", out, &from.dims)?;
    call.expect_type("out", out, from.data_type)?;
    moves(vec![(from, out.clone())])
}

/// Start and end as page aclnnSlice bounds them.
pub fn slice(call: &Call) -> Outcome<Task> {
    let view = call.tensor("self")?;
    let dim = call.dim("dim", view, call.integer("dim")?)?;
    let (start, end, step) = (call.integer("start")?, call.integer("end")?, call.integer("step")?);
    let Some(&length) = view.dims.get(dim) else {
        refuse!("argument [self]: expected at least one dim");
    };
    if step <= 0 {
        refuse!("argument [step]: expected 1 or more, got {step}");
    }
    let within = |at: i64| if at < 0 { (at.saturating_add(length)).max(0) } else { at.min(length) };
    let start = within(start);
    let end = within(end).max(start);
    to_out(call, view.part(dim, start, (end - start + step - 1) / step, step))
}

pub fn permute(call: &Call) -> Outcome<Task> {
    let view = call.tensor("self")?;
    let dims = call.ints("dims")?;
    let order = dims.iter().map(|&dim| call.dim("dims", view, dim)).collect::<Outcome<Vec<usize>>>()?;
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..view.dims.len()).collect::<Vec<_>>() {
        refuse!("argument [dims]: expected every dim of shape {:?} once, got {dims:?}", view.dims);
    }
    to_out(call, view.permute(&order))
}

/// -1 keeps a dim.
pub fn expand(call: &Call) -> Outcome<Task> {
    let (view, size) = (call.tensor("self")?, call.ints("size")?);
    let Some(added) = size.len().checked_sub(view.dims.len()) else {
        refuse!("argument [size]: expected at least {} dims, got {size:?}", view.dims.len());
    };
    let own = |i: usize| i.checked_sub(added).map(|at| view.dims[at]);
    let dims: Vec<i64> =
        size.iter().enumerate().map(|(i, &dim)| if dim == -1 { own(i).unwrap_or(dim) } else { dim }).collect();
    if dims.iter().enumerate().any(|(i, &dim)| dim < 0 || own(i).is_some_and(|own| own != 1 && own != dim)) {
        refuse!("argument [size]: shape {:?} cannot be expanded to {size:?}", view.dims);
    }
    to_out(call, view.expand(&dims))
}

/// The output's dims, split into repetition and element, are the input's with strides of 0.
pub fn repeat(call: &Call) -> Outcome<Task> {
    let (view, repeats, out) = (call.tensor("self")?, call.ints("repeats")?, call.tensor("out")?);
    let Some(added) = repeats.len().checked_sub(view.dims.len()) else {
        refuse!("argument [repeats]: expected at least {} numbers, got {repeats:?}", view.dims.len());
    };
    if repeats.iter().any(|&n| n < 0) {
        refuse!("argument [repeats]: expected 0 or more, got {repeats:?}");
    }
    let mut from = View { dims: Vec::new(), strides: Vec::new(), ..view.clone() };
    let mut to = View { dims: Vec::new(), strides: Vec::new(), ..out.clone() };
    let mut dims = Vec::new();
    for (i, &times) in repeats.iter().enumerate() {
        let (dim, stride) = i.checked_sub(added).map_or((1, 0), |at| (view.dims[at], view.strides[at]));
        dims.push(times * dim);
        from.dims.extend([times, dim]);
        from.strides.extend([0, stride]);
        if let Some(&out_stride) = out.strides.get(i) {
            to.strides.extend([out_stride * dim, out_stride]);
        }
    }
    to.dims.clone_from(&from.dims);
    call.expect_dims("out", out, &dims)?;
    call.expect_type("out", out, view.data_type)?;
    moves(vec![(from, to)])
}

pub fn flip(call: &Call) -> Outcome<Task> {
    let mut view = call.tensor("self")?.clone();
    for &dim in call.ints("dims")? {
        let dim = call.dim("dims", &view, dim)?;
        if let Some(&length) = view.dims.get(dim).filter(|length| **length > 0) {
            view = view.part(dim, length - 1, length, -1);
        }
    }
    to_out(call, view)
}

/// Without dims, the elements in a row; else every dim is a pair of parts that change places.
pub fn roll(call: &Call) -> Outcome<Task> {
    let (view, out) = (call.tensor("x")?, call.tensor("out")?);
    let (shifts, dims) = (call.ints("shifts")?, call.ints("dims")?);
    call.expect_dims("out", out, &view.dims)?;
    call.expect_type("out", out, view.data_type)?;
    if shifts.len() != dims.len().max(1) {
        refuse!("argument [shifts]: expected {} numbers, got {shifts:?}", dims.len().max(1));
    }
    if dims.is_empty() {
        let (view, out, shift) = (view.raw(), out.raw(), shifts[0]);
        return Task::new(move |memory| {
            let mut values: Vec<i64> = view.load(memory, Width::Double);
            if !values.is_empty() {
                let right = shift.rem_euclid(values.len() as i64) as usize;
                values.rotate_right(right);
            }
            out.store(memory, &values);
        });
    }
    let mut pairs = vec![(view.clone(), out.clone())];
    for (&shift, &dim) in shifts.iter().zip(dims) {
        let dim = call.dim("dims", view, dim)?;
        let length = view.dims.get(dim).copied().unwrap_or(1);
        if length > 1 {
            let right = shift.rem_euclid(length);
            let split = |(from, to): (View, View)| {
                let rest = length - right;
                let first = (from.part(dim, 0, rest, 1), to.part(dim, right, rest, 1));
                [first, (from.part(dim, rest, right, 1), to.part(dim, 0, right, 1))]
            };
            pairs = pairs.into_iter().flat_map(split).collect();
        }
    }
    moves(pairs)
}
