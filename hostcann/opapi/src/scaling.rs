//! What the gradient scaler of mixed precision calls.

use crate::call::{Call, Outcome, Task, refuse};
use crate::data_type::{DataType, Width};

/// The lists' tensors times `invScale`, in place; `foundInf` becomes 1 where an element is not finite before.
pub fn unscale(call: &Call) -> Outcome<Task> {
    let grads = call.tensors("scaledGrads")?.to_vec();
    let (found, inverse) = (call.tensor("foundInf")?.clone(), call.tensor("invScale")?.clone());
    for (name, view) in [("foundInf", &found), ("invScale", &inverse)] {
        call.expect_type(name, view, DataType::F32)?;
        if view.count() != 1 {
            refuse!("argument [{name}]: expected one element, got shape {:?}", view.dims);
        }
    }
    for grad in &grads {
        if !call.operator.types.contains(&grad.data_type) {
            refuse!("argument [scaledGrads]: expected float32, float16 or bfloat16, got {}", grad.data_type.name());
        }
    }
    Task::new(move |memory| {
        let scale = inverse.load::<f64>(memory, Width::Double)[0];
        let mut finite = true;
        for grad in &grads {
            let mut lanes: Vec<f64> = grad.load(memory, Width::Double);
            finite &= lanes.iter().all(|lane| lane.is_finite());
            lanes.iter_mut().for_each(|lane| *lane *= scale);
            grad.store(memory, &lanes);
        }
        if !finite {
            found.store(memory, &[1.0]);
        }
    })
}

/// After a step that found an infinity the scale shrinks; after `growthInterval` steps without one it grows.
pub fn update(call: &Call) -> Outcome<Task> {
    let [scale, tracker, found] = ["currentScale", "growthTracker", "foundInf"].map(|name| call.tensor(name).cloned());
    let [scale_out, tracker_out] = ["updatedScale", "updatedGrowthTracker"].map(|name| call.tensor(name).cloned());
    let (scale, tracker, found, scale_out, tracker_out) = (scale?, tracker?, found?, scale_out?, tracker_out?);
    for view in [&scale, &tracker, &found, &scale_out, &tracker_out] {
        if view.count() != 1 {
            refuse!("arguments: expected tensors of one element, got shape {:?}", view.dims);
        }
    }
    let (growth, backoff) = (call.number("growthFactor")?.real(), call.number("backoffFactor")?.real());
    let interval = call.integer("growthInterval")?;
    Task::new(move |memory| {
        let before = scale.load::<f64>(memory, Width::Double)[0];
        let steps = tracker.load::<i64>(memory, Width::Double)[0] + 1;
        let grown = scale_out.data_type.settle(before * growth);
        let (after, steps) = match found.load::<f64>(memory, Width::Double)[0] {
            inf if inf != 0.0 => (before * backoff, 0),
            _ if steps == interval && grown.is_finite() => (grown, 0),
            _ if steps == interval => (before, 0),
            _ => (before, steps),
        };
        scale_out.store(memory, &[after]);
        tracker_out.store(memory, &[steps]);
    })
}
