//! Losses and their gradients: those of single points, and the negative log likelihood. `reduction`: 0 none, 1 the mean, 2 the
//! sum (page aclnnMseLoss).

use crate::activations::softplus;
use crate::call::{Call, Kind, Outcome, Task, Value, broadcast_all, expect_cast, promote, refuse};
use crate::data_type::Width;
use crate::kernels::{maximum, sigmoid};
use crate::view::{Memory, View, broadcast, count};

fn reduction(call: &Call) -> Outcome<i64> {
    match call.integer("reduction")? {
        reduction @ 0..=2 => Ok(reduction),
        reduction => refuse!("argument [reduction]: expected 0 (none), 1 (mean) or 2 (sum), got {reduction}"),
    }
}

/// What a loss of single points, or its gradient, is made of: its tensors in the order of the parameters, of one shape.
struct Points {
    reduction: i64,
    dims: Vec<i64>,
    /// None: a weight that was not given.
    operands: Vec<Option<View>>,
    out: View,
}

impl Points {
    fn of(call: &Call) -> Outcome<Points> {
        let (reduction, (out_name, out)) = (reduction(call)?, call.result()?);
        let mut inputs = Vec::new();
        for (param, value) in call.operator.params.iter().zip(&call.values) {
            match value {
                Value::Tensor(view) if param.kind == Kind::Tensor => inputs.push((param, Some(view))),
                Value::Absent => inputs.push((param, None)),
                _ => {}
            }
        }
        let required = inputs.iter().filter(|(param, _)| !param.optional);
        let dims = broadcast_all(required.filter_map(|(param, view)| view.map(|view| (param.name, view))))?;
        let mut data_type = call.tensor("self")?.data_type;
        for (param, view) in &inputs {
            let Some(view) = view else { continue };
            // A weight does not enlarge the result.
            if broadcast(&dims, &view.dims).as_ref() != Some(&dims) {
                refuse!("argument [{}]: shape {:?} cannot be broadcast to {dims:?}", param.name, view.dims);
            }
            data_type = promote(data_type, view.data_type)?;
        }
        expect_cast(out_name, data_type, out.data_type)?;
        let operands = inputs.iter().map(|(_, view)| view.map(|view| view.expand(&dims))).collect();
        Ok(Points { reduction, operands, dims, out: out.clone() })
    }

    /// The function of every point: of its operands, 1 for a weight that was not given.
    fn each(&self, memory: Memory, function: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        let load = |view: &Option<View>| view.as_ref().map(|view| view.load(memory, Width::Double));
        let lanes: Vec<Option<Vec<f64>>> = self.operands.iter().map(load).collect();
        let mut point = vec![1.0; lanes.len()];
        let one = |i: usize| {
            for (value, lanes) in point.iter_mut().zip(&lanes) {
                *value = lanes.as_ref().map_or(1.0, |lanes| lanes[i]);
            }
            function(&point)
        };
        (0..count(&self.dims)).map(one).collect()
    }
}

/// A function of self, target and weights.
fn loss(call: &Call, function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Outcome<Task> {
    let points = Points::of(call)?;
    let (name, out) = call.result()?;
    // Pages have a mean or sum without dims or with one, torch_npu has it without.
    if points.reduction == 0 || out.dims != [1] {
        call.expect_dims(name, out, if points.reduction == 0 { &points.dims } else { &[] })?;
    }
    Task::new(move |memory| {
        let losses = points.each(memory, &function);
        let sum: f64 = losses.iter().sum();
        match points.reduction {
            0 => points.out.store(memory, &losses),
            1 => points.out.store(memory, &[sum / losses.len() as f64]),
            _ => points.out.store(memory, &[sum]),
        }
    })
}

/// A function of the gradient of the result, self, target and weights.
fn gradient(call: &Call, function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Outcome<Task> {
    let points = Points::of(call)?;
    call.expect_dims(call.result()?.0, &points.out, &points.dims)?;
    let parts = if points.reduction == 1 { count(&points.dims) as f64 } else { 1.0 };
    Task::new(move |memory| points.out.store(memory, &points.each(memory, |v| function(v) / parts)))
}

pub fn mse(call: &Call) -> Outcome<Task> {
    loss(call, |v| (v[0] - v[1]) * (v[0] - v[1]))
}

pub fn mse_backward(call: &Call) -> Outcome<Task> {
    gradient(call, |v| 2.0 * (v[1] - v[2]) * v[0])
}

/// 0 also of a NaN, as torch has it.
fn sign(x: f64) -> f64 {
    f64::from(i8::from(x > 0.0) - i8::from(x < 0.0))
}

pub fn absolute(call: &Call) -> Outcome<Task> {
    loss(call, |v| (v[0] - v[1]).abs())
}

pub fn absolute_backward(call: &Call) -> Outcome<Task> {
    gradient(call, |v| v[0] * sign(v[1] - v[2]))
}

/// Where squares end and distances begin.
fn beta(call: &Call) -> Outcome<f64> {
    match call.number("beta")?.real() {
        beta if beta >= 0.0 => Ok(beta),
        beta => refuse!("argument [beta]: expected 0 or more, got {beta}"),
    }
}

pub fn smooth(call: &Call) -> Outcome<Task> {
    let beta = beta(call)?;
    loss(call, move |v| match (v[0] - v[1]).abs() {
        distance if distance >= beta => distance - 0.5 * beta,
        distance => 0.5 * distance * distance / beta,
    })
}

pub fn smooth_backward(call: &Call) -> Outcome<Task> {
    let beta = beta(call)?;
    gradient(call, move |v| match v[1] - v[2] {
        distance if distance.abs() >= beta => v[0] * sign(distance),
        distance => v[0] * distance / beta,
    })
}

/// Of probabilities. A logarithm is -100 at least, and what the gradient is divided by is 1e-12 at least, as in torch.
pub fn entropy(call: &Call) -> Outcome<Task> {
    expect_alike(call)?;
    loss(call, |v| {
        let (x, y, weight) = (v[0], v[1], v[2]);
        weight * ((y - 1.0) * maximum((-x).ln_1p(), -100.0) - y * maximum(x.ln(), -100.0))
    })
}

pub fn entropy_backward(call: &Call) -> Outcome<Task> {
    gradient(call, |v| {
        let (grad, x, y, weight) = (v[0], v[1], v[2], v[3]);
        grad * weight * (x - y) / maximum((1.0 - x) * x, 1e-12)
    })
}

/// Of what a sigmoid makes probabilities of; the last weight is that of the positive class.
pub fn entropy_of_logits(call: &Call) -> Outcome<Task> {
    expect_alike(call)?;
    loss(call, |v| {
        let (x, y, weight, positive) = (v[0], v[1], v[2], v[3]);
        weight * ((1.0 - y) * x + (1.0 + (positive - 1.0) * y) * softplus(-x))
    })
}

pub fn entropy_of_logits_backward(call: &Call) -> Outcome<Task> {
    expect_alike(call)?;
    gradient(call, |v| {
        let (grad, x, y, weight, positive) = (v[0], v[1], v[2], v[3], v[4]);
        grad * weight * ((positive * y + 1.0 - y) * sigmoid(x) - positive * y)
    })
}

fn expect_alike(call: &Call) -> Outcome<()> {
    call.expect_dims("target", call.tensor("target")?, &call.tensor("self")?.dims)
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
