//! The single operators of recurrent networks (DynamicRNN, DynamicRNNV2 and their gradients): one layer, one direction. A
//! matrix of weights has a row for each element of the input, and of the hidden state, and the gates of all of them next to
//! each other.

use crate::attributes::Attributes;
use crate::call::{Call, Outcome, Task, refuse};
use crate::recurrent::{Gradients, Network, Outputs};
use crate::view::View;

/// Attributes with their defaults, and what the host computes; another value is refused.
const FIXED: [(&str, &str, &[&str]); 11] = [
    // torch_npu gives DynamicRNNGrad a flag in place of the name, and 0 and -1 for the two that follow.
    ("cell_type", "LSTM", &["LSTM", "1"]),
    ("cell_depth", "1", &["1", "0"]),
    ("keep_prob", "1", &["1", "-1"]),
    ("use_peephole", "0", &["0"]),
    ("cell_clip", "-1", &["-1"]),
    ("num_proj", "0", &["0"]),
    ("time_major", "1", &["1"]),
    ("activation", "tanh", &["tanh"]),
    ("forget_bias", "0", &["0"]),
    // The cell is j to some operators, c to others.
    ("gate_order", "ijfo", &["ifjo", "ifco"]),
    ("direction", "UNIDIRECTIONAL", &["UNIDIRECTIONAL", "REDIRECTIONAL"]),
];

/// Gates first: the rows `from` to `to` of a matrix of weights.
fn rows(weight: &View, from: i64, to: i64) -> View {
    weight.part(0, from, to - from, 1).permute(&[1, 0])
}

/// The matrices for input and hidden state: one above the other in `names[0]`, or a tensor each.
fn matrices(call: &Call, names: &[&str], width: i64, hidden: i64) -> Outcome<Vec<View>> {
    let first = call.tensor(names[0])?;
    if let [_, second] = names {
        let second = call.tensor(second)?;
        call.expect_dims(names[0], first, &[width, 4 * hidden])?;
        call.expect_dims(names[1], second, &[hidden, 4 * hidden])?;
        return Ok(vec![rows(first, 0, width), rows(second, 0, hidden)]);
    }
    call.expect_dims(names[0], first, &[width + hidden, 4 * hidden])?;
    Ok(vec![rows(first, 0, width), rows(first, width, width + hidden)])
}

/// A dim of one in front of two: torch_npu leaves it out of some operands of a single step, and of states.
fn with_time(view: &View) -> View {
    match view.dims[..] {
        [first, second] => {
            let strides = [&[0], &view.strides[..]].concat();
            View { dims: vec![1, first, second], strides, ..view.clone() }
        }
        _ => view.clone(),
    }
}

/// A state of the one pass.
fn state(call: &Call, name: &str, batch: i64, hidden: i64) -> Outcome<Option<View>> {
    let Some(view) = call.tensor_or_none(name)?.map(with_time) else { return Ok(None) };
    call.expect_dims(name, &view, &[1, batch, hidden])?;
    Ok(Some(view))
}

/// The value of each step, of the shape of the hidden states.
fn steps(call: &Call, name: &str, network: &Network) -> Outcome<View> {
    let view = with_time(call.tensor(name)?);
    call.expect_dims(name, &view, &network.steps_dims())?;
    Ok(view)
}

fn network(call: &Call, attributes: &Attributes, weights: &[&str], bias: Option<&str>) -> Outcome<Network> {
    for (name, default, values) in FIXED {
        attributes.expect(name, default, values)?;
    }
    for name in ["seq_length", "mask", "wci", "wcf", "wco"] {
        // Frameworks give one element where the operator has no room for none.
        if call.tensor_or_none(name)?.is_some_and(|view| view.count() > 1) {
            refuse!("argument [{name}]: not supported on the host, expected none");
        }
    }
    let input = with_time(call.tensor("x")?);
    let gates = call.tensor(weights[0])?.dims.get(1).copied().unwrap_or(0);
    let [time, batch, width] = input.dims[..] else {
        refuse!("argument [x]: expected 2 or 3 dims, got shape {:?}", input.dims);
    };
    if !input.data_type.is_real() {
        refuse!("argument [x]: expected a floating type, got {}", input.data_type.name());
    }
    let hidden = gates / 4;
    let mut all = matrices(call, weights, width, hidden)?;
    if let Some(bias) = bias.map(|name| call.tensor_or_none(name)).transpose()?.flatten() {
        call.expect_dims("b", bias, &[gates])?;
        all.push(bias.clone());
    }
    let mut start = Vec::new();
    for name in ["init_h", "init_c"] {
        start.extend(state(call, name, batch, hidden)?);
    }
    if start.len() == 1 {
        refuse!("arguments [init_h] and [init_c]: expected both or none");
    }
    Ok(Network {
        time: time as usize,
        batch: batch as usize,
        hidden: hidden as usize,
        directions: 1,
        reversed: attributes.get("direction") == Some("REDIRECTIONAL"),
        data_type: input.data_type,
        input,
        start,
        weights: vec![all],
    })
}

fn forward_of(call: &Call, attributes: &Attributes, weights: &[&str]) -> Outcome<Task> {
    let network = network(call, attributes, weights, Some("b"))?;
    let names = ["i", "j", "f", "o", "output_h", "output_c", "tanhc"];
    let kept = names.into_iter().map(|name| Ok(vec![steps(call, name, &network)?])).collect::<Outcome<_>>()?;
    let out = Some(steps(call, "y", &network)?);
    network.forward(Outputs { out, ends: Vec::new(), kept })
}

pub fn forward(call: &Call, attributes: &Attributes) -> Outcome<Task> {
    forward_of(call, attributes, &["w"])
}

pub fn forward_v2(call: &Call, attributes: &Attributes) -> Outcome<Task> {
    forward_of(call, attributes, &["weight_input", "weight_hidden"])
}

fn backward_of(call: &Call, attributes: &Attributes, weights: &[&str], outs: &[&str]) -> Outcome<Task> {
    // A bias takes no part in the gradients of anything but itself: its values are not read.
    let network = network(call, attributes, weights, None)?;
    let [_, batch, hidden] = network.steps_dims();
    let names = ["i", "j", "f", "o", "h", "c", "tanhct"];
    let kept = names.into_iter().map(|name| Ok(vec![steps(call, name, &network)?])).collect::<Outcome<_>>()?;
    let width = network.input.dims[2];
    let mut of_weights = matrices(call, outs, width, hidden)?;
    let bias = call.tensor("db")?;
    call.expect_dims("db", bias, &[4 * hidden])?;
    of_weights.push(bias.clone());
    let input = with_time(call.tensor("dx")?);
    call.expect_dims("dx", &input, &network.input.dims)?;
    let grads = Some(steps(call, "dy", &network)?);
    let last = [state(call, "dh", batch, hidden)?, state(call, "dc", batch, hidden)?];
    let first = vec![state(call, "dh_prev", batch, hidden)?, state(call, "dc_prev", batch, hidden)?];
    network.backward(Gradients { kept, grads, last, first, input, weights: vec![of_weights] })
}

pub fn backward(call: &Call, attributes: &Attributes) -> Outcome<Task> {
    backward_of(call, attributes, &["w"], &["dw"])
}

pub fn backward_v2(call: &Call, attributes: &Attributes) -> Outcome<Task> {
    backward_of(call, attributes, &["w_x", "w_h"], &["dw_x", "dw_h"])
}
