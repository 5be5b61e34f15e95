//! A step of long short-term memory after its products of matrices (page aclnnThnnFusedLstmCell), and the gradients. Gates
//! stand in torch's order: input, forget, cell, output.

use crate::call::{Call, Outcome, Task};
use crate::data_type::Width;
use crate::recurrent::sigmoid;
use crate::view::{Memory, View};

fn load(view: &View, memory: Memory) -> Vec<f64> {
    view.load(memory, Width::Double)
}

/// A tensor of this shape; None where it may be null and is.
fn shaped(call: &Call, name: &str, dims: &[i64]) -> Outcome<Option<View>> {
    let view = call.tensor_or_none(name)?;
    view.map_or(Ok(()), |view| call.expect_dims(name, view, dims))?;
    Ok(view.cloned())
}

/// Dims of the state and of the gates.
fn sizes(call: &Call) -> Outcome<([i64; 2], [i64; 2])> {
    let state = call.tensor("cx")?;
    let [batch, hidden] = state.dims[..] else {
        crate::call::refuse!("argument [cx]: expected 2 dims, got shape {:?}", state.dims);
    };
    Ok(([batch, hidden], [batch, 4 * hidden]))
}

pub fn forward(call: &Call) -> Outcome<Task> {
    let (state, gates) = sizes(call)?;
    let width = gates[1] as usize;
    let mut added = Vec::new();
    for (name, dims) in [("inputGates", &gates[..]), ("hiddenGates", &gates)] {
        added.extend(shaped(call, name, dims)?);
    }
    for name in ["inputBiasOptional", "hiddenBiasOptional"] {
        added.extend(shaped(call, name, &gates[1..])?);
    }
    let cell = call.tensor("cx")?.clone();
    let outs = [("hyOut", &state), ("cyOut", &state), ("storageOut", &gates)];
    let outs = outs.map(|(name, dims)| shaped(call, name, dims));
    let [hidden_out, cell_out, storage_out] = outs;
    let outs = [hidden_out?, cell_out?, storage_out?];
    Task::new(move |memory| {
        let added: Vec<Vec<f64>> = added.iter().map(|view| load(view, memory)).collect();
        // The biases are rows that all samples share.
        let gate = |place: usize| added.iter().map(|one| one[place % one.len()]).sum::<f64>();
        let mut cell = load(&cell, memory);
        let (mut hidden, mut storage) = (vec![0.0; cell.len()], vec![0.0; 4 * cell.len()]);
        let size = width / 4;
        for e in 0..cell.len() {
            let first = e / size * width + e % size;
            let [input, forget, output] = [0, 1, 3].map(|which| sigmoid(gate(first + which * size)));
            let new = gate(first + 2 * size).tanh();
            [input, forget, new, output]
                .into_iter()
                .enumerate()
                .for_each(|(i, value)| storage[first + i * size] = value);
            cell[e] = forget * cell[e] + input * new;
            hidden[e] = output * cell[e].tanh();
        }
        for (out, lanes) in outs.iter().zip([&hidden, &cell, &storage]) {
            out.iter().for_each(|out| out.store(memory, lanes));
        }
    })
}

pub fn backward(call: &Call) -> Outcome<Task> {
    let (state, gates) = sizes(call)?;
    let grads = [shaped(call, "gradHyOptional", &state)?, shaped(call, "gradCOptional", &state)?];
    let (cell, storage) = (call.tensor("cx")?.clone(), call.tensor("storage")?.clone());
    call.expect_dims("storage", &storage, &gates)?;
    let Some(new_cell) = shaped(call, "cy", &state)? else {
        crate::call::refuse!("argument [cy]: expected a non-null pointer, got nullptr");
    };
    let (of_gates, of_cell) = (shaped(call, "gradGatesOut", &gates)?, shaped(call, "gradCxOut", &state)?);
    let of_bias = if call.flag("hasBias")? { shaped(call, "gradBiasOut", &gates[1..])? } else { None };
    let size = state[1] as usize;
    Task::new(move |memory| {
        let (cell, new_cell, storage) = (load(&cell, memory), load(&new_cell, memory), load(&storage, memory));
        let [of_hidden, after] = grads.each_ref().map(|grad| match grad {
            Some(grad) => load(grad, memory),
            None => vec![0.0; cell.len()],
        });
        let (mut made, mut before) = (vec![0.0; storage.len()], vec![0.0; cell.len()]);
        for e in 0..cell.len() {
            let first = e / size * 4 * size + e % size;
            let [input, forget, new, output] = [0, 1, 2, 3].map(|which| storage[first + which * size]);
            let tanh = new_cell[e].tanh();
            let through = of_hidden[e] * output * (1.0 - tanh * tanh) + after[e];
            let gates = [
                through * new * input * (1.0 - input),
                through * cell[e] * forget * (1.0 - forget),
                through * input * (1.0 - new * new),
                of_hidden[e] * tanh * output * (1.0 - output),
            ];
            gates.into_iter().enumerate().for_each(|(i, value)| made[first + i * size] = value);
            before[e] = through * forget;
        }
        let mut bias = vec![0.0; 4 * size];
        made.iter().enumerate().for_each(|(e, value)| bias[e % (4 * size)] += value);
        for (out, lanes) in [(&of_gates, &made), (&of_cell, &before), (&of_bias, &bias)] {
            out.iter().for_each(|out| out.store(memory, lanes));
        }
    })
}
