//! Operators that make values.

use crate::call::{Call, Number, Outcome, Task, refuse};
use crate::data_type::Width;
use crate::map::fill;
use crate::view::{Memory, View};

fn constant(call: &Call, number: Number) -> Outcome<Task> {
    let out = call.tensor("selfRef")?.clone();
    Task::new(move |memory| fill(&out, memory, number))
}

pub fn zero(call: &Call) -> Outcome<Task> {
    constant(call, Number::Integer(0))
}

pub fn one(call: &Call) -> Outcome<Task> {
    constant(call, Number::Integer(1))
}

/// `count` values, each from the start.
fn series(out: &View, start: Number, step: Number) -> Outcome<Task> {
    let out = out.clone();
    Task::new(move |memory| {
        let count = out.count();
        if let (Number::Bool(_) | Number::Integer(_), Number::Bool(_) | Number::Integer(_)) = (start, step) {
            let value = |i: i64| start.integer().wrapping_add(i.wrapping_mul(step.integer()));
            out.store(memory, &(0..count as i64).map(value).collect::<Vec<_>>());
        } else {
            let value = |i: usize| start.real() + i as f64 * step.real();
            out.store(memory, &(0..count).map(value).collect::<Vec<_>>());
        }
    })
}

fn expect_count(call: &Call, steps: f64) -> Outcome<&View> {
    let out = call.tensor("out")?;
    if out.dims.len() != 1 || out.dims[0] as f64 != steps {
        refuse!("argument [out]: expected shape [{steps}], got {:?}", out.dims);
    }
    Ok(out)
}

/// Steps from start to end, rounded up for a range without the end and down for one with it.
fn steps(call: &Call, up: bool) -> Outcome<f64> {
    let numbers = [call.number("start")?, call.number("end")?, call.number("step")?];
    let [start, end, step] = numbers.map(Number::real);
    if step == 0.0 || !step.is_finite() {
        refuse!("argument [step]: expected a finite number other than 0, got {step}");
    }
    let steps = if numbers.iter().any(|number| matches!(number, Number::Real(_))) {
        let steps = (end - start) / step;
        if up { steps.ceil() } else { steps.floor() }
    } else {
        let [start, end, step] = numbers.map(|number| i128::from(number.integer()));
        let rounding = if up { step - step.signum() } else { 0 };
        if (end - start) * step < 0 { -1.0 } else { ((end - start + rounding) / step) as f64 }
    };
    if steps.is_nan() || steps < 0.0 {
        refuse!("argument [step]: steps of {step} do not lead from {start} to {end}");
    }
    Ok(steps)
}

/// Without the end.
pub fn arange(call: &Call) -> Outcome<Task> {
    let out = expect_count(call, steps(call, true)?)?;
    series(out, call.number("start")?, call.number("step")?)
}

/// With the end.
pub fn range(call: &Call) -> Outcome<Task> {
    let out = expect_count(call, steps(call, false)? + 1.0)?;
    series(out, call.number("start")?, call.number("step")?)
}

/// From both ends to the middle, as torch's linspace, so that the last value is exact.
pub fn linspace(call: &Call) -> Outcome<Task> {
    let (start, end) = (call.number("start")?.real(), call.number("end")?.real());
    let count = call.integer("steps")?;
    let out = expect_count(call, count as f64)?.clone();
    let width = if out.data_type.is_real() { out.data_type.width() } else { Width::Double };
    Task::new(move |memory: Memory| {
        let step = if count > 1 { width.round((end - start) / (count - 1) as f64) } else { 0.0 };
        let value = |i: i64| {
            if i < count / 2 || count == 1 { start + step * i as f64 } else { end - step * (count - 1 - i) as f64 }
        };
        out.store(memory, &(0..count).map(value).collect::<Vec<f64>>());
    })
}

pub fn eye(call: &Call) -> Outcome<Task> {
    let (n, m, out) = (call.integer("n")?, call.integer("m")?, call.tensor("out")?);
    call.expect_dims("out", out, &[n, m])?;
    let out = out.clone();
    Task::new(move |memory| {
        fill(&out, memory, Number::Integer(0));
        let diagonal = View { dims: vec![n.min(m)], strides: vec![out.strides[0] + out.strides[1]], ..out.clone() };
        fill(&diagonal, memory, Number::Integer(1));
    })
}

/// Elements above (`upper`) or below the diagonal become 0.
fn triangle(call: &Call, upper: bool) -> Outcome<Task> {
    let (name, out) = call.result()?;
    let view = if name == "selfRef" { out } else { call.tensor("self")? };
    call.expect_dims(name, out, &view.dims)?;
    call.expect_type(name, out, view.data_type)?;
    let diagonal = call.integer("diagonal")?;
    let [.., rows, columns] = view.dims[..] else {
        refuse!("argument [self]: expected at least two dims, got shape {:?}", view.dims);
    };
    let (view, out) = (view.raw(), out.raw());
    Task::new(move |memory| {
        let mut values = view.load::<i64>(memory, Width::Double);
        for (i, value) in values.iter_mut().enumerate() {
            let (row, column) = (i as i64 / columns % rows, i as i64 % columns);
            let kept = if upper { column - row >= diagonal } else { column - row <= diagonal };
            if !kept {
                *value = 0;
            }
        }
        out.store(memory, &values);
    })
}

pub fn lower(call: &Call) -> Outcome<Task> {
    triangle(call, false)
}

pub fn upper(call: &Call) -> Outcome<Task> {
    triangle(call, true)
}
