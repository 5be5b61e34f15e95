//! Reductions: an element of the output from all elements of some dims.

use crate::call::{Call, Outcome, Task, Value, expect_cast, refuse};
use crate::data_type::{DataType, Lane, Width};
use crate::kernels::{Integers, Reduce, maximum, minimum};
use crate::view::{Memory, View};

/// Kept dims and reduced ones.
struct Split {
    kept: Vec<usize>,
    reduced: Vec<usize>,
}

impl Split {
    fn new(view: &View, dims: &[usize]) -> Split {
        let (reduced, kept) = (0..view.dims.len()).partition(|dim| dims.contains(dim));
        Split { kept, reduced }
    }

    fn out_dims(&self, view: &View, keep: bool) -> Vec<i64> {
        let dim = |i: usize| match (self.reduced.contains(&i), keep) {
            (false, _) => Some(view.dims[i]),
            (true, true) => Some(1),
            (true, false) => None,
        };
        (0..view.dims.len()).filter_map(dim).collect()
    }

    /// The view with the reduced dims last, and the number of elements that are reduced to one.
    fn rows(&self, view: &View) -> (View, usize) {
        let order: Vec<usize> = self.kept.iter().chain(&self.reduced).copied().collect();
        (view.permute(&order), self.reduced.iter().map(|&i| view.dims[i] as usize).product())
    }
}

/// The dims of an array, or of a number; none: all of them.
fn wanted_dims(call: &Call, view: &View) -> Outcome<Vec<usize>> {
    let mut wanted = Vec::new();
    for name in ["dim", "dims"] {
        let dims: &[i64] = match call.value(name) {
            Ok(Value::Ints(dims)) => dims,
            Ok(Value::Number(number)) => &[number.integer()],
            _ => continue,
        };
        for &dim in dims {
            let dim = call.dim(name, view, dim)?;
            if wanted.contains(&dim) {
                refuse!("argument [{name}]: dim {dim} appears twice in {dims:?}");
            }
            wanted.push(dim);
        }
    }
    if wanted.is_empty() {
        wanted = (0..view.dims.len()).collect();
    }
    Ok(wanted)
}

fn keeps(call: &Call) -> bool {
    ["keepDim", "keepdim", "keepDims"].iter().any(|name| call.flag(name).is_ok_and(|keep| keep))
}

impl Reduce {
    pub fn plan(&'static self, call: &Call) -> Outcome<Task> {
        let (view, (out_name, out)) = (call.tensor("self")?, call.result()?);
        let split = Split::new(view, &wanted_dims(call, view)?);
        call.expect_dims(out_name, out, &split.out_dims(view, keeps(call)))?;
        let compute = self.compute_type(call, view, out)?;
        if self.integers != Integers::Truth {
            expect_cast(out_name, compute, out.data_type)?;
        }
        let (rows, length) = split.rows(view);
        if length == 0 && out.count() > 0 && !self.empty {
            refuse!("argument [self]: shape {:?} has no elements to reduce", view.dims);
        }
        let out = out.clone();
        Task::new(move |memory| {
            let width = compute.width();
            if compute.is_real() {
                each_row::<f64, f64>(&rows, length, &out, memory, compute, |row| (self.real)(width, row));
            } else {
                each_row::<i64, i64>(&rows, length, &out, memory, compute, |row| (self.int)(row));
            }
        })
    }

    fn compute_type(&self, call: &Call, view: &View, out: &View) -> Outcome<DataType> {
        let (name, wanted) = match call.value("dtype") {
            Ok(_) => ("dtype", call.data_type("dtype")?),
            Err(_) => ("out", out.data_type),
        };
        Ok(match self.integers {
            Integers::Own | Integers::Truth => view.data_type,
            Integers::Wanted => wanted,
            Integers::Real if wanted.is_real() => wanted,
            Integers::Real => refuse!("argument [{name}]: expected a floating type, got {}", wanted.name()),
        })
    }
}

/// `rows` has the rows of `length` elements one behind the other; the results go to `out` in the same order.
pub fn each_row<L: Lane, R: Lane>(
    rows: &View,
    length: usize,
    out: &View,
    memory: Memory,
    compute: DataType,
    mut function: impl FnMut(&[L]) -> R,
) {
    let mut walk = rows.walk(memory);
    let mut row = vec![L::default(); length];
    let mut results = Vec::with_capacity(out.count());
    for _ in 0..out.count() {
        walk.load(compute.width(), &mut row);
        if rows.data_type != compute {
            row.iter_mut().for_each(|lane| *lane = compute.settle(*lane));
        }
        results.push(function(&row));
    }
    out.store(memory, &results);
}

/// The first place of the largest (`sign` 1) or smallest (-1) value; a NaN is before all of them.
fn best<L: Lane + PartialOrd>(row: &[L], largest: bool) -> usize {
    let mut best = 0;
    for (i, value) in row.iter().enumerate() {
        let old = &row[best];
        let is_nan = |x: &L| x.partial_cmp(x).is_none();
        let wins = if largest { value > old } else { value < old };
        if !is_nan(old) && (wins || is_nan(value)) {
            best = i;
        }
    }
    best
}

fn extreme(call: &Call, largest: bool) -> Outcome<Task> {
    let view = call.tensor("self")?;
    let (_, out) = call.result()?;
    let with_values = call.value("indices").is_ok();
    let (name, indices) = if with_values { ("indices", call.tensor("indices")?) } else { ("out", out) };
    if !matches!(indices.data_type, DataType::I32 | DataType::I64) {
        refuse!("argument [{name}]: expected data type int32 or int64, got {}", indices.data_type.name());
    }
    let dim = call.dim("dim", view, call.integer("dim")?)?;
    let split = Split::new(view, &[dim]);
    let dims = split.out_dims(view, keeps(call));
    let (rows, length) = split.rows(view);
    call.expect_dims(name, indices, &dims)?;
    if with_values {
        call.expect_dims("out", out, &dims)?;
        call.expect_type("out", out, view.data_type)?;
    }
    if length == 0 && indices.count() > 0 {
        refuse!("argument [self]: dim {dim} of shape {:?} has no elements to choose from", view.dims);
    }
    let (values, indices) = (with_values.then(|| out.clone()), indices.clone());
    Task::new(move |memory| {
        let compute = rows.data_type;
        if compute.is_real() {
            place_and_value::<f64>(&rows, length, (&indices, values.as_ref()), memory, largest);
        } else {
            place_and_value::<i64>(&rows, length, (&indices, values.as_ref()), memory, largest);
        }
    })
}

fn place_and_value<L: Lane + PartialOrd>(
    rows: &View,
    length: usize,
    (indices, values): (&View, Option<&View>),
    memory: Memory,
    largest: bool,
) {
    let mut chosen = Vec::with_capacity(indices.count());
    each_row::<L, i64>(rows, length, indices, memory, rows.data_type, |row| {
        let place = best(row, largest);
        chosen.push(row[place]);
        place as i64
    });
    if let Some(values) = values {
        values.store(memory, &chosen);
    }
}

pub fn largest(call: &Call) -> Outcome<Task> {
    extreme(call, true)
}

pub fn smallest(call: &Call) -> Outcome<Task> {
    extreme(call, false)
}

/// Variance and standard deviation: the squares of the distances from the mean, over the number less the correction.
fn spread(call: &Call, root: bool) -> Outcome<Task> {
    let (view, (out_name, out)) = (call.tensor("self")?, call.result()?);
    let split = Split::new(view, &wanted_dims(call, view)?);
    call.expect_dims(out_name, out, &split.out_dims(view, keeps(call)))?;
    call.expect_type(out_name, out, view.data_type)?;
    let correction = call.integer("correction")? as f64;
    let (rows, length) = split.rows(view);
    let out = out.clone();
    Task::new(move |memory| {
        each_row::<f64, f64>(&rows, length, &out, memory, rows.data_type, |row| {
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            let squares: f64 = row.iter().map(|x| (x - mean) * (x - mean)).sum();
            let variance = squares / (row.len() as f64 - correction).max(0.0);
            if root { variance.sqrt() } else { variance }
        });
    })
}

pub fn variance(call: &Call) -> Outcome<Task> {
    spread(call, false)
}

pub fn deviation(call: &Call) -> Outcome<Task> {
    spread(call, true)
}

/// The root of the sum of powers; order 0 counts what is not 0, infinity takes the largest.
pub fn norm(call: &Call) -> Outcome<Task> {
    let (view, out) = (call.tensor("self")?, call.tensor("out")?);
    let order = match (call.value("pScalar"), call.value("ord")) {
        (Ok(Value::Number(order)), _) | (_, Ok(Value::Number(order))) => order.real(),
        _ => 2.0,
    };
    let split = Split::new(view, &wanted_dims(call, view)?);
    call.expect_dims("out", out, &split.out_dims(view, keeps(call)))?;
    if !out.data_type.is_real() {
        refuse!("argument [out]: expected a floating type, got {}", out.data_type.name());
    }
    let (rows, length) = split.rows(view);
    let out = out.clone();
    Task::new(move |memory| {
        each_row::<f64, f64>(&rows, length, &out, memory, rows.data_type, |row| {
            let sizes = row.iter().map(|x| x.abs());
            match order {
                0.0 => sizes.filter(|x| *x != 0.0).count() as f64,
                1.0 => sizes.sum(),
                2.0 => sizes.map(|x| x * x).sum::<f64>().sqrt(),
                f64::INFINITY => sizes.fold(0.0, maximum),
                f64::NEG_INFINITY => sizes.fold(f64::INFINITY, minimum),
                order => sizes.map(|x| x.powf(order)).sum::<f64>().powf(1.0 / order),
            }
        });
    })
}

/// Whether two tensors are the same, shapes included.
pub fn equal(call: &Call) -> Outcome<Task> {
    let (a, b, out) = (call.tensor("self")?.clone(), call.tensor("other")?.clone(), call.tensor("out")?.clone());
    call.expect_type("out", &out, DataType::Bool)?;
    if out.count() != 1 {
        refuse!("argument [out]: expected one element, got shape {:?}", out.dims);
    }
    Task::new(move |memory| {
        let same = a.dims == b.dims
            && if a.data_type.is_real() || b.data_type.is_real() {
                a.load::<f64>(memory, Width::Double) == b.load::<f64>(memory, Width::Double)
            } else {
                a.load::<i64>(memory, Width::Double) == b.load::<i64>(memory, Width::Double)
            };
        out.store(memory, &[i64::from(same)]);
    })
}
