//! Operators that write to places that an index names. They go in the order of the index, and what is added up is rounded at
//! each step: a result depends on neither the host nor the number of its threads.

use crate::call::{Call, Number, Outcome, Task, Value, refuse};
use crate::data_type::{DataType, Lane, Width};
use crate::index::{along, expect_index, expect_within, places, with_dim};
use crate::view::{Memory, View, count};

#[derive(Clone, Copy)]
enum Mode {
    Put,
    Add,
    Multiply,
}

enum Source {
    /// Of the shape of the index.
    Tensor(View),
    Number(Number),
}

/// Elements of `base`, changed where `index` says along `dim`, to `out`.
struct Scatter {
    base: View,
    index: View,
    source: Source,
    out: View,
    dim: usize,
    mode: Mode,
    /// What the source is multiplied by first.
    factor: Number,
}

/// The view without gaps, from its first element on.
fn dense(view: &View) -> View {
    let strides = (0..view.dims.len()).map(|dim| view.dims[dim + 1..].iter().product()).collect();
    View { strides, skip: 0, ..view.clone() }
}

impl Scatter {
    fn task(self) -> Outcome<Task> {
        let real = self.out.data_type.is_real();
        Task::fallible(move |memory| match real {
            true => self.run::<f64>(memory, Number::real, |a, b| a + b, |a, b| a * b),
            false => self.run::<i64>(memory, Number::integer, i64::wrapping_add, i64::wrapping_mul),
        })
    }

    fn run<L: Lane>(
        &self,
        memory: Memory,
        number: fn(Number) -> L,
        add: fn(L, L) -> L,
        multiply: fn(L, L) -> L,
    ) -> Result<(), String> {
        let settle = |lane: L| self.out.data_type.settle(lane);
        let mut lanes: Vec<L> = self.base.load(memory, Width::Double);
        let mut values: Vec<L> = match &self.source {
            Source::Tensor(view) => view.load(memory, Width::Double),
            Source::Number(value) => vec![settle(number(*value)); self.index.count()],
        };
        if !matches!(self.factor, Number::Integer(1)) {
            values.iter_mut().for_each(|value| *value = settle(multiply(*value, number(self.factor))));
        }
        along((&dense(&self.base), &self.index, self.dim), memory, |i, offset| {
            let lane = &mut lanes[offset as usize];
            *lane = match self.mode {
                Mode::Put => values[i],
                Mode::Add => settle(add(*lane, values[i])),
                Mode::Multiply => settle(multiply(*lane, values[i])),
            };
        })?;
        self.out.store(memory, &lanes);
        Ok(())
    }
}

/// What is written: a result in place, or `out` made from `self`.
fn target(call: &Call) -> Outcome<(View, View)> {
    let (name, out) = call.result()?;
    let base = if name == "out" { call.tensor("self")? } else { out };
    call.expect_dims(name, out, &base.dims)?;
    call.expect_type(name, out, base.data_type)?;
    Ok((with_dim(base), with_dim(out)))
}

/// `source` is the name of a tensor or of a number.
fn plan(call: &Call, source: &str, mode: Mode) -> Outcome<Task> {
    let ((base, out), index) = (target(call)?, call.tensor("index")?);
    let dim = call.dim("dim", &base, call.integer("dim")?)?;
    expect_index("index", index)?;
    let index = with_dim(index);
    if index.count() > 0 {
        expect_within(&base, &index, dim)?;
    }
    let source = match call.value(source)? {
        Value::Number(number) => Source::Number(*number),
        _ => {
            let view = call.tensor(source)?;
            call.expect_type(source, view, base.data_type)?;
            let view = with_dim(view);
            if index.count() > 0 {
                expect_within(&view, &index, index.dims.len())?;
            }
            // What of the source the index has.
            Source::Tensor(View { dims: index.dims.clone(), ..view })
        }
    };
    Scatter { base, index, source, out, dim, mode, factor: Number::Integer(1) }.task()
}

pub fn scatter_add(call: &Call) -> Outcome<Task> {
    plan(call, "src", Mode::Add)
}

/// `reduce` (page aclnnScatter): 0 none, 1 add, 2 multiply.
fn mode(call: &Call) -> Outcome<Mode> {
    Ok(match call.integer("reduce")? {
        0 => Mode::Put,
        1 => Mode::Add,
        2 => Mode::Multiply,
        reduce => refuse!("argument [reduce]: expected 0 (none), 1 (add) or 2 (multiply), got {reduce}"),
    })
}

pub fn scatter(call: &Call) -> Outcome<Task> {
    plan(call, "src", mode(call)?)
}

pub fn scatter_value(call: &Call) -> Outcome<Task> {
    plan(call, "value", mode(call)?)
}

/// Parts of `source` along `dim`, times alpha, added to the parts that the index names.
pub fn index_add(call: &Call) -> Outcome<Task> {
    let ((base, out), index, source) = (target(call)?, call.tensor("index")?, with_dim(call.tensor("source")?));
    let dim = call.dim("dim", &base, call.integer("dim")?)?;
    expect_index("index", index)?;
    call.expect_type("source", &source, base.data_type)?;
    if index.dims.len() > 1 {
        refuse!("argument [index]: expected at most one dim, got shape {:?}", index.dims);
    }
    let mut dims = base.dims.clone();
    dims[dim] = index.count() as i64;
    call.expect_dims("source", &source, &dims)?;
    let mut strides = vec![0; dims.len()];
    strides[dim] = index.strides.first().copied().unwrap_or(0);
    let index = View { dims, strides, ..index.clone() };
    let factor = call.number("alpha")?;
    Scatter { base, index, source: Source::Tensor(source), out, dim, mode: Mode::Add, factor }.task()
}

/// Rows of `grad` added to the rows of a table of zeros that the indices name; `paddingIdx` gets none. With
/// `scaleGradByFreq` each row is divided by how often its index stands there.
pub fn embedding_backward(call: &Call) -> Outcome<Task> {
    let [grad, indices, out] = ["grad", "indices", "out"].map(|name| call.tensor(name).cloned());
    let (grad, indices, out) = (grad?, indices?, out?);
    expect_index("indices", &indices)?;
    let (rows, padding, by_count) =
        (call.integer("numWeights")?, call.integer("paddingIdx")?, call.flag("scaleGradByFreq")?);
    let Some(&width) = grad.dims.last() else {
        refuse!("argument [grad]: expected 1 dim or more, got none");
    };
    call.expect_dims("out", &out, &[rows, width])?;
    if count(&grad.dims) != indices.count() * width as usize {
        refuse!("argument [grad]: expected a row for each of {} indices, got shape {:?}", indices.count(), grad.dims);
    }
    let (width, data_type): (usize, DataType) = (width as usize, out.data_type);
    Task::fallible(move |memory| {
        let (grads, chosen) = (grad.load::<f64>(memory, Width::Double), places("indices", &indices, memory, rows)?);
        let mut often = vec![0.0; rows as usize];
        chosen.iter().for_each(|&at| often[at as usize] += 1.0);
        let mut sums = vec![0.0; out.count()];
        for (i, &at) in chosen.iter().enumerate().filter(|(_, at)| **at != padding) {
            let scale = if by_count { often[at as usize] } else { 1.0 };
            let row = &mut sums[at as usize * width..][..width];
            row.iter_mut()
                .zip(&grads[i * width..])
                .for_each(|(sum, grad)| *sum = data_type.settle(*sum + grad / scale));
        }
        out.store(memory, &sums);
        Ok(())
    })
}
