//! Long short-term memory as frameworks call it (pages aclnnLSTM, aclnnLstmBackward).

use crate::call::{Call, Outcome, Task, Value, refuse};
use crate::recurrent::{Gradients, Network, Outputs};
use crate::view::View;

/// A view with time first.
fn time_first(call: &Call, name: &str, view: &View) -> Outcome<View> {
    if view.dims.len() != 3 {
        refuse!("argument [{name}]: expected 3 dims, got shape {:?}", view.dims);
    }
    Ok(if call.flag("batchFirst")? { view.permute(&[1, 0, 2]) } else { view.clone() })
}

fn network(call: &Call, packed: &str) -> Outcome<Network> {
    let given = call.tensor("input")?;
    if call.tensor_or_none(packed)?.is_some_and(|sizes| sizes.count() > 0) {
        refuse!("argument [{packed}]: packed sequences are not supported on the host, expected nullptr");
    }
    let input = time_first(call, "input", given)?;
    let (layers, directions) = (call.integer("numLayers")?, if call.flag("bidirectional")? { 2 } else { 1 });
    let (biases, dropped) = (call.flag("hasBias")?, call.number("dropout")?.real());
    // Page aclnnLSTM: dropout between layers is not supported.
    if dropped != 0.0 && layers > 1 && call.flag("train")? {
        refuse!("argument [dropout]: expected 0 with {layers} layers in training, got {dropped}");
    }
    if layers < 1 {
        refuse!("argument [numLayers]: expected 1 or more, got {layers}");
    }
    let (passes, each) = (layers as usize * directions, if biases { 4 } else { 2 });
    let weights = call.tensors("params")?.to_vec();
    if weights.len() != passes * each {
        refuse!("argument [params]: expected {} tensors, got {}", passes * each, weights.len());
    }
    let gates = weights[0].dims.first().copied().unwrap_or(0);
    let hidden = gates / 4;
    for (place, weight) in weights.iter().enumerate() {
        let width = if place / each < directions { input.dims[2] } else { directions as i64 * hidden };
        let dims = [gates, if place % each == 0 { width } else { hidden }];
        let rank = if place % each < 2 { 2 } else { 1 };
        call.expect_dims(&format!("params[{place}]"), weight, &dims[..rank])?;
    }
    let start = match call.value("hx")? {
        Value::Absent => Vec::new(),
        _ => call.tensors("hx")?.to_vec(),
    };
    for (place, state) in start.iter().enumerate() {
        call.expect_dims(&format!("hx[{place}]"), state, &[passes as i64, input.dims[1], hidden])?;
    }
    Ok(Network {
        time: input.dims[0] as usize,
        batch: input.dims[1] as usize,
        hidden: hidden as usize,
        directions,
        reversed: false,
        data_type: given.data_type,
        input,
        start,
        weights: weights.chunks(each).map(<[View]>::to_vec).collect(),
    })
}

/// Of a list for the backward pass or from the forward pass: none where nothing is kept.
fn kept(network: &Network, call: &Call, name: &str) -> Outcome<Vec<View>> {
    let views = match call.value(name)? {
        Value::Absent => return Ok(Vec::new()),
        _ => call.tensors(name)?,
    };
    if views.is_empty() {
        return Ok(Vec::new());
    }
    if views.len() != network.passes() {
        refuse!("argument [{name}]: expected {} tensors, got {}", network.passes(), views.len());
    }
    for view in views {
        call.expect_dims(name, view, &network.steps_dims())?;
    }
    Ok(views.to_vec())
}

pub fn forward(call: &Call) -> Outcome<Task> {
    let network = network(call, "batchSizes")?;
    let out = time_first(call, "output", call.tensor("output")?)?;
    let [time, batch, hidden] = network.steps_dims();
    call.expect_dims("output", &out, &[time, batch, hidden * network.directions as i64])?;
    let mut ends = Vec::new();
    for name in ["hy", "cy"] {
        let end = call.tensor(name)?;
        call.expect_dims(name, end, &network.state_dims())?;
        ends.push(end.clone());
    }
    let names = ["iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut"];
    let kept = names.into_iter().map(|name| kept(&network, call, name)).collect::<Outcome<Vec<_>>>()?;
    network.forward(Outputs { out: Some(out), ends, kept })
}

pub fn backward(call: &Call) -> Outcome<Task> {
    let network = network(call, "batchSizesOptional")?;
    let names = ["i", "g", "f", "o", "h", "c", "tanhc"];
    let kept = names.into_iter().map(|name| kept(&network, call, name)).collect::<Outcome<Vec<_>>>()?;
    if let Some(at) = kept.iter().position(Vec::is_empty) {
        refuse!("argument [{}]: expected {} tensors of the forward pass, got none", names[at], network.passes());
    }
    let [time, batch, hidden] = network.steps_dims();
    let grads = call.tensor_or_none("dy")?.map(|dy| time_first(call, "dy", dy)).transpose()?;
    if let Some(grads) = &grads {
        call.expect_dims("dy", grads, &[time, batch, hidden * network.directions as i64])?;
    }
    let state = |name: &'static str| -> Outcome<Option<View>> {
        let view = call.tensor_or_none(name)?;
        view.map_or(Ok(()), |view| call.expect_dims(name, view, &network.state_dims()))?;
        Ok(view.cloned())
    };
    let (last, first) = ([state("dh")?, state("dc")?], vec![state("dhPrevOut")?, state("dcPrevOut")?]);
    let input = time_first(call, "dxOut", call.tensor("dxOut")?)?;
    call.expect_dims("dxOut", &input, &network.input.dims)?;
    let weights = call.tensors("dparamsOut")?;
    if weights.iter().map(|view| &view.dims).ne(network.weights.iter().flatten().map(|view| &view.dims)) {
        refuse!("argument [dparamsOut]: expected the shapes of [params]");
    }
    let weights = weights.chunks(network.weights[0].len()).map(<[View]>::to_vec).collect();
    network.backward(Gradients { kept, grads, last, first, input, weights })
}
