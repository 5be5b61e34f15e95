//! The mean square error, the negative log likelihood and their gradients. `reduction`: 0 none, 1 the mean, 2 the sum
//! (page aclnnMseLoss).

use crate::call::{Call, Outcome, Task, broadcast_all, refuse};
use crate::data_type::Width;
use crate::view::{Memory, View, count};

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

/// What a negative log likelihood is made of: rows of classes, one label a row, and how much each class counts.
struct Labels {
    rows: usize,
    classes: usize,
    target: View,
    weight: Option<View>,
    ignored: i64,
}

impl Labels {
    fn of(call: &Call) -> Outcome<Labels> {
        let (value, target, weight) = (call.tensor("self")?, call.tensor("target")?, call.tensor_or_none("weight")?);
        let [outer @ .., classes] = value.dims.as_slice() else {
            refuse!("argument [self]: expected 1 or 2 dims, got none");
        };
        if outer.len() > 1 {
            refuse!("argument [self]: expected 1 or 2 dims, got {}", value.dims.len());
        }
        call.expect_dims("target", target, outer)?;
        if target.data_type.is_real() {
            refuse!("argument [target]: expected a data type of integers, got {}", target.data_type.name());
        }
        if let Some(weight) = weight {
            call.expect_dims("weight", weight, &[*classes])?;
        }
        let (rows, classes) = (count(outer), *classes as usize);
        let ignored = call.integer("ignoreIndex")?;
        Ok(Labels { rows, classes, target: target.clone(), weight: weight.cloned(), ignored })
    }

    /// The place of a row's label among all elements, and its weight; none for a row that does not count.
    fn read(&self, memory: Memory) -> Result<Vec<Option<(usize, f64)>>, String> {
        let targets: Vec<i64> = self.target.load(memory, Width::Double);
        let weights: Option<Vec<f64>> = self.weight.as_ref().map(|weight| weight.load(memory, Width::Double));
        let one = |(row, label): (usize, &i64)| match usize::try_from(*label) {
            _ if *label == self.ignored => Ok(None),
            Ok(class) if class < self.classes => {
                Ok(Some((row * self.classes + class, weights.as_ref().map_or(1.0, |weights| weights[class]))))
            }
            _ => Err(format!("label {label} is out of range, there are {} classes", self.classes)),
        };
        targets.iter().enumerate().map(one).collect()
    }

    fn result_dims(&self, reduction: i64) -> &[i64] {
        if reduction == 0 { &self.target.dims } else { &[] }
    }
}

pub fn likelihood(call: &Call) -> Outcome<Task> {
    let (reduction, labels, value) = (reduction(call)?, Labels::of(call)?, call.tensor("self")?.clone());
    let (out, total) = (call.tensor("out")?.clone(), call.tensor("totalWeightOut")?.clone());
    call.expect_dims("out", &out, labels.result_dims(reduction))?;
    call.expect_dims("totalWeightOut", &total, &[])?;
    Task::fallible(move |memory| {
        let values: Vec<f64> = value.load(memory, Width::Double);
        let places = labels.read(memory)?;
        let losses: Vec<f64> =
            places.iter().map(|one| one.map_or(0.0, |(place, weight)| -weight * values[place])).collect();
        let (sum, weights): (f64, f64) = (losses.iter().sum(), places.iter().flatten().map(|(_, weight)| weight).sum());
        match reduction {
            0 => out.store(memory, &losses),
            1 => out.store(memory, &[sum / weights]),
            _ => out.store(memory, &[sum]),
        }
        total.store(memory, &[weights]);
        Ok(())
    })
}

pub fn likelihood_backward(call: &Call) -> Outcome<Task> {
    let (reduction, labels, out) = (reduction(call)?, Labels::of(call)?, call.tensor("out")?.clone());
    let (grad, total) = (call.tensor("gradOutput")?.clone(), call.tensor("totalWeight")?.clone());
    call.expect_dims("gradOutput", &grad, labels.result_dims(reduction))?;
    call.expect_dims("out", &out, &call.tensor("self")?.dims)?;
    Task::fallible(move |memory| {
        let grads: Vec<f64> = grad.load(memory, Width::Double);
        let totals: Vec<f64> = total.load(memory, Width::Double);
        let mut result = vec![0.0; labels.rows * labels.classes];
        for (row, one) in labels.read(memory)?.into_iter().enumerate() {
            let Some((place, weight)) = one else { continue };
            result[place] = match reduction {
                0 => -weight * grads[row],
                1 => -weight * grads[0] / totals[0],
                _ => -weight * grads[0],
            };
        }
        out.store(memory, &result);
        Ok(())
    })
}
