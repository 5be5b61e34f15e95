//! Operators that read places of elements from tensors.

use crate::call::{Call, Outcome, Task, broadcast_all, refuse};
use crate::data_type::{DataType, Width};
use crate::view::{Memory, View, broadcast, count, expect_apart};

pub fn expect_index(name: &str, view: &View) -> Outcome<()> {
    if !matches!(view.data_type, DataType::I32 | DataType::I64) {
        refuse!("argument [{name}]: expected data type int32 or int64, got {}", view.data_type.name());
    }
    Ok(())
}

/// A negative place counts from the end.
fn place(name: &str, index: i64, length: i64) -> Result<i64, String> {
    if !(-length..length).contains(&index) {
        return Err(format!(
            "argument [{name}]: index {index} is out of range, expected {} to {}",
            -length,
            length - 1
        ));
    }
    Ok(if index < 0 { index + length } else { index })
}

pub fn places(name: &str, view: &View, memory: Memory, length: i64) -> Result<Vec<i64>, String> {
    view.load::<i64>(memory, Width::Double).into_iter().map(|index| place(name, index, length)).collect()
}

/// A tensor without dims as one of a dim.
pub fn with_dim(view: &View) -> View {
    match view.dims.is_empty() {
        true => View { dims: vec![1], strides: vec![1], ..view.clone() },
        false => view.clone(),
    }
}

pub fn index_select(call: &Call) -> Outcome<Task> {
    let (view, index, out) = (call.tensor("self")?, call.tensor("index")?, call.tensor("out")?);
    let dim = call.dim("dim", view, call.integer("dim")?)?;
    expect_index("index", index)?;
    if index.dims.len() > 1 {
        refuse!("argument [index]: expected at most one dim, got shape {:?}", index.dims);
    }
    call.expect_type("out", out, view.data_type)?;
    let (view, wanted) = (with_dim(view).raw(), with_dim(out).raw());
    let mut dims = view.dims.clone();
    dims[dim] = index.count() as i64;
    call.expect_dims("out", &wanted, &dims)?;
    let index = index.clone();
    Task::fallible(move |memory| {
        for (to, from) in places("index", &index, memory, view.dims[dim])?.into_iter().enumerate() {
            let row: Vec<i64> = view.select(dim, from).load(memory, Width::Double);
            wanted.select(dim, to as i64).store(memory, &row);
        }
        Ok(())
    })
}

/// By places in row-major order.
pub fn take(call: &Call) -> Outcome<Task> {
    let (view, index, out) = (call.tensor("self")?, call.tensor("index")?, call.tensor("out")?);
    expect_index("index", index)?;
    call.expect_dims("out", out, &index.dims)?;
    call.expect_type("out", out, view.data_type)?;
    let (view, index, out) = (view.raw(), index.clone(), out.raw());
    Task::fallible(move |memory| {
        let values: Vec<i64> = view.load(memory, Width::Double);
        let chosen = places("index", &index, memory, values.len() as i64)?;
        out.store(memory, &chosen.into_iter().map(|at| values[at as usize]).collect::<Vec<_>>());
        Ok(())
    })
}

/// Rows of a table.
pub fn embedding(call: &Call) -> Outcome<Task> {
    let (table, indices, out) = (call.tensor("weight")?, call.tensor("indices")?, call.tensor("out")?);
    call.expect_type("out", out, table.data_type)?;
    let advanced = Advanced::new(&table.raw(), std::slice::from_ref(indices), false)?;
    call.expect_dims("out", out, &advanced.dims())?;
    let out = out.raw();
    Task::fallible(move |memory| {
        advanced.each(&out, memory, |from, to| to.store(memory, &from.load::<i64>(memory, Width::Double)))
    })
}

/// Calls `each(element of index, offset in view)` in the order of the index: at its place, but in `dim` where it says.
pub fn along(
    (view, index, dim): (&View, &View, usize),
    memory: Memory,
    mut each: impl FnMut(usize, i64),
) -> Result<(), String> {
    let chosen = places("index", index, memory, view.dims[dim])?;
    let mut cell = vec![0i64; index.dims.len()];
    for (i, at) in chosen.into_iter().enumerate() {
        let offset = cell.iter().zip(&view.strides).enumerate();
        each(i, offset.map(|(d, (&own, &stride))| if d == dim { at * stride } else { own * stride }).sum());
        for (own, &length) in cell.iter_mut().zip(&index.dims).rev() {
            *own += 1;
            if *own < length {
                break;
            }
            *own = 0;
        }
    }
    Ok(())
}

pub fn expect_within(view: &View, index: &View, dim: usize) -> Outcome<()> {
    let fits = |(d, (own, length)): (usize, (&i64, &i64))| d == dim || own <= length;
    if index.dims.len() != view.dims.len() || !index.dims.iter().zip(&view.dims).enumerate().all(fits) {
        refuse!("argument [index]: shape {:?} exceeds {:?} of self in another dim than {dim}", index.dims, view.dims);
    }
    Ok(())
}

pub fn gather(call: &Call) -> Outcome<Task> {
    let (view, index, out) = (call.tensor("self")?, call.tensor("index")?, call.tensor("out")?);
    let dim = call.dim("dim", view, call.integer("dim")?)?;
    expect_index("index", index)?;
    call.expect_dims("out", out, &index.dims)?;
    call.expect_type("out", out, view.data_type)?;
    let (view, index, out) = (with_dim(view).raw(), with_dim(index), out.raw());
    if index.count() > 0 {
        expect_within(&view, &index, dim)?;
    }
    Task::fallible(move |memory| {
        expect_apart("self", std::iter::once(&view), &out, memory)?;
        expect_apart("index", std::iter::once(&index), &out, memory)?;
        let mut chosen = Vec::with_capacity(out.count());
        let one = View { dims: vec![], strides: vec![], ..view.clone() };
        along((&view, &index, dim), memory, |_, offset| {
            chosen.extend(View { skip: view.skip + offset, ..one.clone() }.load::<i64>(memory, Width::Double));
        })?;
        out.store(memory, &chosen);
        Ok(())
    })
}

/// A tensor with an index for some of its dims.
struct Advanced {
    view: View,
    /// Dims that have an index, and the indices, of one shape.
    indexed: Vec<(usize, View)>,
    /// The shape of the indices, and the result's dim that it begins at.
    shape: Vec<i64>,
    at: usize,
}

impl Advanced {
    /// An empty index stands for all of its dim, where the result has elements.
    fn new(view: &View, indices: &[View], has_elements: bool) -> Outcome<Advanced> {
        if indices.len() > view.dims.len() {
            refuse!("argument [indices]: expected at most {} tensors, got {}", view.dims.len(), indices.len());
        }
        let given: Vec<(usize, &View)> =
            indices.iter().enumerate().filter(|(_, index)| !(has_elements && index.dims == [0])).collect();
        for (_, index) in &given {
            expect_index("indices", index)?;
        }
        let shape = broadcast_all(given.iter().map(|(_, index)| ("indices", *index)))?;
        let together = given.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
        let at = if together { given.first().map_or(0, |(dim, _)| *dim) } else { 0 };
        let indexed = given.into_iter().map(|(dim, index)| (dim, index.expand(&shape))).collect();
        Ok(Advanced { view: view.clone(), indexed, shape, at })
    }

    fn rest(&self) -> Vec<usize> {
        (0..self.view.dims.len()).filter(|dim| self.indexed.iter().all(|(indexed, _)| indexed != dim)).collect()
    }

    fn dims(&self) -> Vec<i64> {
        let mut dims: Vec<i64> = self.rest().into_iter().map(|dim| self.view.dims[dim]).collect();
        dims.splice(self.at..self.at, self.shape.iter().copied());
        dims
    }

    /// The part of the view that the indices choose, and of `other`, which has the result's dims, for every place.
    fn each(&self, other: &View, memory: Memory, mut each: impl FnMut(View, View)) -> Result<(), String> {
        let rest = self.rest();
        let chosen = self.indexed.iter().map(|(dim, index)| places("indices", index, memory, self.view.dims[*dim]));
        let chosen = chosen.collect::<Result<Vec<_>, String>>()?;
        let shape = self.at..self.at + self.shape.len();
        let places = View {
            dims: other.dims[shape.clone()].to_vec(),
            strides: other.strides[shape.clone()].to_vec(),
            ..other.clone()
        };
        let mut part = other.clone();
        part.dims.drain(shape.clone());
        part.strides.drain(shape);
        let from = self.view.permute(&rest);
        for i in 0..count(&self.shape) {
            let offset: i64 =
                self.indexed.iter().zip(&chosen).map(|((dim, _), at)| at[i] * self.view.strides[*dim]).sum();
            each(
                View { skip: from.skip + offset, ..from.clone() },
                View { skip: part.skip + places.at(i), ..part.clone() },
            );
        }
        Ok(())
    }
}

pub fn index(call: &Call) -> Outcome<Task> {
    let (view, indices, out) = (call.tensor("self")?, call.tensors("indices")?, call.tensor("out")?);
    call.expect_type("out", out, view.data_type)?;
    let advanced = Advanced::new(&view.raw(), indices, out.count() > 0)?;
    call.expect_dims("out", out, &advanced.dims())?;
    let out = out.raw();
    Task::fallible(move |memory| {
        advanced.each(&out, memory, |from, to| to.store(memory, &from.load::<i64>(memory, Width::Double)))
    })
}

pub fn index_put(call: &Call) -> Outcome<Task> {
    let (view, indices, values) = (call.tensor("selfRef")?, call.tensors("indices")?, call.tensor("values")?);
    call.expect_type("values", values, view.data_type)?;
    let accumulate = call.flag("accumulate")?;
    let advanced = Advanced::new(view, indices, values.count() > 0)?;
    let dims = advanced.dims();
    if broadcast(&values.dims, &dims).is_none_or(|both| both != dims) {
        refuse!("argument [values]: shape {:?} cannot be broadcast to {dims:?}", values.dims);
    }
    let values = values.expand(&dims);
    Task::fallible(move |memory| {
        advanced.each(&values, memory, |to, from| match (accumulate, to.data_type.is_real()) {
            (false, _) => crate::map::convert(&from, &to, memory),
            (true, true) => {
                let mut sums = to.load::<f64>(memory, Width::Double);
                let added = from.load::<f64>(memory, Width::Double);
                sums.iter_mut().zip(added).for_each(|(sum, value)| *sum += value);
                to.store(memory, &sums);
            }
            (true, false) => {
                let mut sums = to.load::<i64>(memory, Width::Double);
                let added = from.load::<i64>(memory, Width::Double);
                sums.iter_mut().zip(added).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
                to.store(memory, &sums);
            }
        })
    })
}

/// The computed shape: rank and dims in the slot behind the outputs.
fn write_shape(memory: Memory, dims: &[i64]) {
    let Some(&words) = memory.0.last() else { return };
    let list = std::iter::once(dims.len() as i64).chain(dims.iter().copied());
    for (i, word) in list.enumerate() {
        // SAFETY: the slot has nine words, and a shape at most eight dims.
        unsafe { words.cast::<i64>().add(i).write_unaligned(word) };
    }
}

/// The chosen elements go to the front of `out`; the run says how many they are.
pub fn masked_select(call: &Call) -> Outcome<Task> {
    let (view, mask, out) = (call.tensor("self")?, call.tensor("mask")?, call.tensor("out")?);
    if !matches!(mask.data_type, DataType::Bool | DataType::U8) {
        refuse!("argument [mask]: expected data type bool or uint8, got {}", mask.data_type.name());
    }
    call.expect_type("out", out, view.data_type)?;
    let dims = broadcast_all([("self", view), ("mask", mask)].into_iter())?;
    call.expect_dims("out", out, &[count(&dims) as i64])?;
    let (view, mask, out) = (view.expand(&dims).raw(), mask.expand(&dims), out.raw());
    let mut task = Task::new(move |memory| {
        let values = view.load::<i64>(memory, Width::Double);
        let mask = mask.load::<i64>(memory, Width::Double);
        let chosen: Vec<i64> = values.into_iter().zip(mask).filter(|(_, m)| *m != 0).map(|(v, _)| v).collect();
        out.part(0, 0, chosen.len() as i64, 1).store(memory, &chosen);
        write_shape(memory, &[chosen.len() as i64]);
    })?;
    task.computes_shape = true;
    Ok(task)
}

/// Places of elements that are not 0, row by row; of NonzeroV2, the rows are dims.
fn find(call: &Call, by_dims: bool) -> Outcome<Task> {
    let (view, out) = (call.tensor("self")?, call.tensor("out")?);
    call.expect_type("out", out, DataType::I64)?;
    let rank = view.dims.len() as i64;
    let elements = view.count() as i64;
    let dims = if by_dims { [rank, elements] } else { [elements, rank] };
    call.expect_dims("out", out, &dims)?;
    // The places lie one behind the other whatever room there is: the shape that the run computes is contiguous.
    let out = View { dims: vec![elements * rank], strides: vec![1], ..out.clone() };
    let view = view.clone();
    let mut task = Task::new(move |memory| {
        let found: Vec<usize> = if view.data_type.is_real() {
            let values = view.load::<f64>(memory, Width::Double);
            (0..values.len()).filter(|&i| values[i] != 0.0).collect()
        } else {
            let values = view.load::<i64>(memory, Width::Double);
            (0..values.len()).filter(|&i| values[i] != 0).collect()
        };
        let coordinate = |place: usize, dim: usize| {
            let inner = count(&view.dims[dim + 1..]);
            (place / inner) as i64 % view.dims[dim]
        };
        let rank = view.dims.len();
        let list: Vec<i64> = if by_dims {
            (0..rank).flat_map(|dim| found.iter().map(move |&at| coordinate(at, dim))).collect()
        } else {
            found.iter().flat_map(|&at| (0..rank).map(move |dim| coordinate(at, dim))).collect()
        };
        out.part(0, 0, list.len() as i64, 1).store(memory, &list);
        let (found, rank) = (found.len() as i64, rank as i64);
        write_shape(memory, &if by_dims { [rank, found] } else { [found, rank] });
    })?;
    task.computes_shape = true;
    Ok(task)
}

pub fn nonzero(call: &Call) -> Outcome<Task> {
    find(call, false)
}

pub fn nonzero_by_dims(call: &Call) -> Outcome<Task> {
    find(call, true)
}
