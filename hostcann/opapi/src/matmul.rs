//! Products of matrices: sums in double precision, rounded once. `cubeMathType` chooses among a device's precisions and
//! has no effect here.

use crate::call::{Call, Outcome, Task, expect_cast, promote, refuse};
use crate::data_type::Width;
use crate::view::{Memory, View, broadcast, count};

/// Matrices of the last two dims, over the broadcast dims before them.
struct Product {
    left: View,
    right: View,
    batch: Vec<i64>,
    /// Rows, what is summed, columns.
    sizes: [usize; 3],
}

impl Product {
    /// A vector is a row on the left and a column on the right; the result lacks that dim.
    fn new(left: &View, right: &View, names: [&str; 2]) -> Outcome<(Product, Vec<i64>)> {
        if left.dims.is_empty() || right.dims.is_empty() {
            refuse!("arguments [{}] and [{}]: expected at least one dim", names[0], names[1]);
        }
        let (mut a, mut b) = (left.clone(), right.clone());
        if left.dims.len() == 1 {
            a.dims.insert(0, 1);
            a.strides.insert(0, 0);
        }
        if right.dims.len() == 1 {
            b.dims.push(1);
            b.strides.push(0);
        }
        let (a_batch, b_batch) = (a.dims.len() - 2, b.dims.len() - 2);
        let [rows, summed] = [a.dims[a_batch], a.dims[a_batch + 1]];
        let [also_summed, columns] = [b.dims[b_batch], b.dims[b_batch + 1]];
        let batch = broadcast(&a.dims[..a_batch], &b.dims[..b_batch]).filter(|_| summed == also_summed);
        let Some(batch) = batch else {
            refuse!("argument [{}]: shape {:?} cannot be multiplied by {:?}", names[0], left.dims, right.dims);
        };
        let whole = |matrix: &View, tail: [i64; 2]| {
            let dims: Vec<i64> = batch.iter().copied().chain(tail).collect();
            matrix.expand(&dims)
        };
        let mut dims = batch.clone();
        dims.extend((left.dims.len() > 1).then_some(rows));
        dims.extend((right.dims.len() > 1).then_some(columns));
        let sizes = [rows as usize, summed as usize, columns as usize];
        Ok((Product { left: whole(&a, [rows, summed]), right: whole(&b, [summed, columns]), batch, sizes }, dims))
    }

    fn run(&self, memory: Memory) -> Vec<f64> {
        let [rows, summed, columns] = self.sizes;
        let left: Vec<f64> = self.left.load(memory, Width::Double);
        let right: Vec<f64> = self.right.load(memory, Width::Double);
        let mut results = vec![0.0; count(&self.batch) * rows * columns];
        for matrix in 0..count(&self.batch) {
            for row in 0..rows {
                let out = &mut results[(matrix * rows + row) * columns..][..columns];
                for k in 0..summed {
                    let factor = left[(matrix * rows + row) * summed + k];
                    let line = &right[(matrix * summed + k) * columns..][..columns];
                    out.iter_mut().zip(line).for_each(|(sum, value)| *sum += factor * value);
                }
            }
        }
        results
    }
}

/// Of `self` and another tensor, of these numbers of dims if any.
fn product(call: &Call, other: &'static str, ranks: Option<[usize; 2]>) -> Outcome<Task> {
    let (left, right, out) = (call.tensor("self")?, call.tensor(other)?, call.tensor("out")?);
    if let Some(ranks) = ranks {
        for ((name, view), rank) in [("self", left), (other, right)].into_iter().zip(ranks) {
            if rank != view.dims.len() {
                refuse!("argument [{name}]: expected {rank} dims, got shape {:?}", view.dims);
            }
        }
    }
    let (product, dims) = Product::new(left, right, ["self", other])?;
    call.expect_dims("out", out, &dims)?;
    expect_cast("out", promote(left.data_type, right.data_type)?, out.data_type)?;
    let out = out.clone();
    Task::new(move |memory| out.store(memory, &product.run(memory)))
}

pub fn matmul(call: &Call) -> Outcome<Task> {
    product(call, "mat2", None)
}

pub fn mm(call: &Call) -> Outcome<Task> {
    product(call, "mat2", Some([2, 2]))
}

pub fn batch_matmul(call: &Call) -> Outcome<Task> {
    product(call, "mat2", Some([3, 3]))
}

pub fn mv(call: &Call) -> Outcome<Task> {
    product(call, "vec", Some([2, 1]))
}

pub fn dot(call: &Call) -> Outcome<Task> {
    product(call, "tensor", Some([1, 1]))
}

/// beta * self + alpha * (mat1 @ mat2); with a beta of 0 self is not read.
pub fn addmm(call: &Call) -> Outcome<Task> {
    let (name, out) = call.result()?;
    let added = if name == "selfRef" { out } else { call.tensor("self")? };
    let (left, right) = (call.tensor("mat1")?, call.tensor("mat2")?);
    let (beta, alpha) = (call.number("beta")?.real(), call.number("alpha")?.real());
    let (product, dims) = Product::new(left, right, ["mat1", "mat2"])?;
    call.expect_dims(name, out, &dims)?;
    if broadcast(&added.dims, &dims).is_none_or(|both| both != dims) {
        refuse!("argument [self]: shape {:?} cannot be broadcast to {dims:?}", added.dims);
    }
    expect_cast(name, promote(left.data_type, right.data_type)?, out.data_type)?;
    let (added, out) = (added.expand(&dims), out.clone());
    Task::new(move |memory| {
        let mut results = product.run(memory);
        results.iter_mut().for_each(|value| *value *= alpha);
        if beta != 0.0 {
            let added: Vec<f64> = added.load(memory, Width::Double);
            results.iter_mut().zip(added).for_each(|(value, more)| *value += beta * more);
        }
        out.store(memory, &results);
    })
}
