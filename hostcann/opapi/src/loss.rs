//! The mean square error and its gradient. `reduction`: 0 none, 1 the mean, 2 the sum (page aclnnMseLoss).

use crate::call::{Call, Outcome, Task, broadcast_all, refuse};
use crate::data_type::Width;
use crate::view::{View, count};

fn reduction(call: &Call) -> Outcome<i64> {
    match call.integer("reduction")? {
        reduction @ 0..=2 => Ok(reduction),
        reduction => refuse!("argument [reduction]: expected 0 (none), 1 (mean) or 2 (sum), got {reduction}"),
    }
}

/// `self` and `target` of one shape.
fn operands(call: &Call) -> Outcome<(View, View)> {
    let (value, target) = (call.tensor("self")?, call.tensor("target")?);
    let dims = broadcast_all([("self", value), ("target", target)].into_iter())?;
    Ok((value.expand(&dims), target.expand(&dims)))
}

pub fn mse(call: &Call) -> Outcome<Task> {
    let (reduction, (value, target), out) = (reduction(call)?, operands(call)?, call.tensor("out")?);
    let dims: &[i64] = if reduction == 0 { &value.dims } else { &[] };
    call.expect_dims("out", out, dims)?;
    let out = out.clone();
    Task::new(move |memory| {
        let values: Vec<f64> = value.load(memory, Width::Double);
        let targets: Vec<f64> = target.load(memory, Width::Double);
        let squares: Vec<f64> = values.iter().zip(&targets).map(|(x, y)| (x - y) * (x - y)).collect();
        let sum: f64 = squares.iter().sum();
        match reduction {
            0 => out.store(memory, &squares),
            1 => out.store(memory, &[sum / squares.len() as f64]),
            _ => out.store(memory, &[sum]),
        }
    })
}

pub fn mse_backward(call: &Call) -> Outcome<Task> {
    let (reduction, (value, target), out) = (reduction(call)?, operands(call)?, call.tensor("out")?);
    let grad = call.tensor("gradOutput")?;
    let both = broadcast_all([("self", &value), ("gradOutput", grad)].into_iter())?;
    call.expect_dims("gradOutput", &View { dims: both, ..grad.clone() }, &value.dims)?;
    call.expect_dims("out", out, &value.dims)?;
    let (grad, out) = (grad.expand(&value.dims), out.clone());
    let scale = if reduction == 1 { 2.0 / count(&value.dims) as f64 } else { 2.0 };
    Task::new(move |memory| {
        let values: Vec<f64> = value.load(memory, Width::Double);
        let targets: Vec<f64> = target.load(memory, Width::Double);
        let grads: Vec<f64> = grad.load(memory, Width::Double);
        let result = values.iter().zip(&targets).zip(&grads).map(|((x, y), grad)| scale * (x - y) * grad);
        out.store(memory, &result.collect::<Vec<f64>>());
    })
}
