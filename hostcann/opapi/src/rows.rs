//! Operators that work along one dim: a row of the output from rows of the inputs.

use crate::call::{Call, Outcome, Task, expect_cast, refuse};
use crate::data_type::{DataType, Lane, Width};
use crate::kernels::{maximum, sigmoid};
use crate::view::{Memory, View};
use std::cmp::Ordering;

/// The view with `dim` last, as rows of this length; a tensor without dims is a row of one.
fn rows(view: &View, dim: usize) -> (View, usize) {
    let Some(&length) = view.dims.get(dim) else { return (view.clone(), 1) };
    let order: Vec<usize> = (0..view.dims.len()).filter(|&d| d != dim).chain([dim]).collect();
    (view.permute(&order), length as usize)
}

/// A function of rows of floating lanes: of the first input and of the second, if there is one.
fn map_rows(call: &Call, inputs: &[&str], function: fn(&[f64], &[f64]) -> Vec<f64>) -> Outcome<Task> {
    let (name, out) = call.result()?;
    let first = call.tensor(inputs[0])?;
    let dim = call.dim("dim", first, call.integer("dim")?)?;
    call.expect_dims(name, out, &first.dims)?;
    if !out.data_type.is_real() {
        refuse!("argument [{name}]: expected a floating type, got {}", out.data_type.name());
    }
    let mut views = Vec::new();
    for input in inputs {
        let view = call.tensor(input)?;
        call.expect_dims(input, view, &first.dims)?;
        views.push(rows(view, dim).0);
    }
    let (out, length) = rows(out, dim);
    Task::new(move |memory| {
        let lanes: Vec<Vec<f64>> = views.iter().map(|view| view.load(memory, Width::Double)).collect();
        let none = Vec::new();
        let mut results = Vec::with_capacity(out.count());
        for start in (0..out.count()).step_by(length.max(1)) {
            let row = start..start + length;
            let second = lanes.get(1).map_or(&none[..], |lanes| &lanes[row.clone()]);
            results.extend(function(&lanes[0][row], second));
        }
        out.store(memory, &results);
    })
}

/// e to the power of the distance from the largest, and their sum.
fn powers(row: &[f64]) -> (Vec<f64>, f64, f64) {
    let most = row.iter().fold(f64::NEG_INFINITY, |a, b| maximum(a, *b));
    let powers: Vec<f64> = row.iter().map(|x| (x - most).exp()).collect();
    let sum = powers.iter().sum();
    (powers, sum, most)
}

pub fn softmax(call: &Call) -> Outcome<Task> {
    map_rows(call, &["self"], |row, _| {
        let (powers, sum, _) = powers(row);
        powers.iter().map(|x| x / sum).collect()
    })
}

pub fn log_softmax(call: &Call) -> Outcome<Task> {
    map_rows(call, &["self"], |row, _| {
        let (_, sum, most) = powers(row);
        row.iter().map(|x| x - most - sum.ln()).collect()
    })
}

pub fn softmax_backward(call: &Call) -> Outcome<Task> {
    map_rows(call, &["gradOutput", "output"], |grad, output| {
        let sum: f64 = grad.iter().zip(output).map(|(g, y)| g * y).sum();
        grad.iter().zip(output).map(|(g, y)| (g - sum) * y).collect()
    })
}

pub fn log_softmax_backward(call: &Call) -> Outcome<Task> {
    map_rows(call, &["gradOutput", "output"], |grad, output| {
        let sum: f64 = grad.iter().sum();
        grad.iter().zip(output).map(|(g, y)| g - y.exp() * sum).collect()
    })
}

/// The halves along a dim of even length: what a gated linear unit lets through, and the gate.
fn halves(view: &View, dim: usize) -> Outcome<[View; 2]> {
    match view.dims.get(dim) {
        Some(length) if length % 2 == 0 => {
            Ok([view.part(dim, 0, length / 2, 1), view.part(dim, length / 2, length / 2, 1)])
        }
        _ => refuse!("argument [self]: expected an even number of elements along dim {dim}, got shape {:?}", view.dims),
    }
}

pub fn gated(call: &Call) -> Outcome<Task> {
    let (view, out) = (call.tensor("self")?, call.tensor("out")?);
    let [value, gate] = halves(view, call.dim("dim", view, call.integer("dim")?)?)?;
    call.expect_dims("out", out, &value.dims)?;
    expect_cast("out", view.data_type, out.data_type)?;
    let out = out.clone();
    Task::new(move |memory| {
        let (values, gates): (Vec<f64>, Vec<f64>) =
            (value.load(memory, Width::Double), gate.load(memory, Width::Double));
        let results: Vec<f64> = values.iter().zip(&gates).map(|(x, gate)| x * sigmoid(*gate)).collect();
        out.store(memory, &results);
    })
}

pub fn gated_backward(call: &Call) -> Outcome<Task> {
    let (grad, view, out) = (call.tensor("gradOut")?, call.tensor("self")?, call.tensor("out")?);
    let dim = call.dim("dim", view, call.integer("dim")?)?;
    let [value, gate] = halves(view, dim)?;
    call.expect_dims("gradOut", grad, &value.dims)?;
    call.expect_type("gradOut", grad, view.data_type)?;
    call.expect_dims("out", out, &view.dims)?;
    call.expect_type("out", out, view.data_type)?;
    let ([to_value, to_gate], grad) = (halves(out, dim)?, grad.clone());
    Task::new(move |memory| {
        let mut values: Vec<f64> = value.load(memory, Width::Double);
        let mut gates: Vec<f64> = gate.load(memory, Width::Double);
        let grads: Vec<f64> = grad.load(memory, Width::Double);
        for ((x, gate), grad) in values.iter_mut().zip(&mut gates).zip(&grads) {
            let share = sigmoid(*gate);
            (*x, *gate) = (grad * share, grad * share * (1.0 - share) * *x);
        }
        to_value.store(memory, &values);
        to_gate.store(memory, &gates);
    })
}

/// In the order of the elements.
pub fn cumsum(call: &Call) -> Outcome<Task> {
    let (view, out) = (call.tensor("self")?, call.tensor("out")?);
    let dim = call.dim("dim", view, call.integer("dim")?)?;
    let compute = call.data_type("dtype")?;
    call.expect_dims("out", out, &view.dims)?;
    expect_cast("out", compute, out.data_type)?;
    let ((view, length), (out, _)) = (rows(view, dim), rows(out, dim));
    Task::new(move |memory| {
        if compute.is_real() {
            let mut lanes: Vec<f64> = view.load(memory, compute.width());
            lanes.iter_mut().for_each(|lane| *lane = compute.settle(*lane));
            sum_rows(&mut lanes, length, |a, b| a + b);
            out.store(memory, &lanes);
        } else {
            let mut lanes: Vec<i64> = view.load(memory, Width::Double);
            sum_rows(&mut lanes, length, i64::wrapping_add);
            out.store(memory, &lanes);
        }
    })
}

fn sum_rows<L: Lane>(lanes: &mut [L], length: usize, add: impl Fn(L, L) -> L) {
    for row in lanes.chunks_mut(length.max(1)) {
        for i in 1..row.len() {
            row[i] = add(row[i - 1], row[i]);
        }
    }
}

/// Places of the first `count` elements of each row in order, NaN as the largest; equal ones keep their order.
struct Order {
    view: View,
    length: usize,
    values: View,
    indices: View,
    count: usize,
    descending: bool,
}

impl Order {
    fn plan(call: &Call, count: i64, descending: bool) -> Outcome<Task> {
        let (view, values, indices) = (call.tensor("self")?, call.tensor("valuesOut")?, call.tensor("indicesOut")?);
        let dim = call.dim("dim", view, call.integer("dim")?)?;
        let length = view.dims.get(dim).copied().unwrap_or(1);
        let count = if count < 0 { length } else { count };
        if count > length {
            refuse!("argument [k]: expected at most {length}, got {count}");
        }
        let mut dims = view.dims.clone();
        if let Some(dim) = dims.get_mut(dim) {
            *dim = count;
        }
        call.expect_dims("valuesOut", values, &dims)?;
        call.expect_dims("indicesOut", indices, &dims)?;
        call.expect_type("valuesOut", values, view.data_type)?;
        call.expect_type("indicesOut", indices, DataType::I64)?;
        let order = Order {
            view: rows(view, dim).0,
            length: length as usize,
            values: rows(values, dim).0,
            indices: rows(indices, dim).0,
            count: count as usize,
            descending,
        };
        Task::new(
            move |memory| {
                if order.view.data_type.is_real() { order.run::<f64>(memory) } else { order.run::<i64>(memory) }
            },
        )
    }

    fn run<L: Lane + PartialOrd>(&self, memory: Memory) {
        let lanes: Vec<L> = self.view.load(memory, Width::Double);
        let (mut values, mut indices) = (Vec::new(), Vec::new());
        for row in lanes.chunks(self.length.max(1)) {
            let mut places: Vec<usize> = (0..row.len()).collect();
            places.sort_by(|&a, &b| {
                let ordered = compare(&row[a], &row[b]);
                if self.descending { ordered.reverse() } else { ordered }
            });
            places.truncate(self.count);
            values.extend(places.iter().map(|&at| row[at]));
            indices.extend(places.iter().map(|&at| at as i64));
        }
        self.values.store(memory, &values);
        self.indices.store(memory, &indices);
    }
}

fn compare<L: PartialOrd>(a: &L, b: &L) -> Ordering {
    let is_nan = |x: &L| x.partial_cmp(x).is_none();
    a.partial_cmp(b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)))
}

pub fn sort(call: &Call) -> Outcome<Task> {
    Order::plan(call, -1, call.flag("descending")?)
}

pub fn top_k(call: &Call) -> Outcome<Task> {
    let k = call.integer("k")?;
    if k < 0 {
        refuse!("argument [k]: expected 0 or more, got {k}");
    }
    Order::plan(call, k, call.flag("largest")?)
}
