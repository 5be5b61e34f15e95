//! Long short-term memory and its gradients (pages aclnnLSTM, aclnnLstmBackward, aclnnThnnFusedLstmCell). Gates stand in
//! torch's order in weights: input, forget, cell, output. Sums are in double precision; the state is rounded after each step.

use crate::call::{Call, Outcome, Task, Value, refuse};
use crate::data_type::{DataType, Width};
use crate::view::{Memory, View};

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn load(view: &View, memory: Memory) -> Vec<f64> {
    view.load(memory, Width::Double)
}

/// Sizes of a call, and the parts of it that both passes have.
struct Network {
    time: usize,
    batch: usize,
    hidden: usize,
    /// Layers times directions.
    passes: usize,
    directions: usize,
    biases: bool,
    data_type: DataType,
    /// Time, batch, element.
    input: View,
    start: Vec<View>,
    weights: Vec<View>,
}

/// A view with time first.
fn time_first(call: &Call, name: &str, view: &View) -> Outcome<View> {
    if view.dims.len() != 3 {
        refuse!("argument [{name}]: expected 3 dims, got shape {:?}", view.dims);
    }
    Ok(if call.flag("batchFirst")? { view.permute(&[1, 0, 2]) } else { view.clone() })
}

impl Network {
    fn of(call: &Call, packed: &str) -> Outcome<Network> {
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
            passes,
            directions,
            biases,
            data_type: given.data_type,
            input,
            start,
            weights,
        })
    }

    fn weights_of(&self, pass: usize, memory: Memory) -> Vec<Vec<f64>> {
        let each = if self.biases { 4 } else { 2 };
        self.weights[pass * each..][..each].iter().map(|weight| load(weight, memory)).collect()
    }

    /// The states before the first step: hidden, cell.
    fn start_of(&self, pass: usize, memory: Memory) -> [Vec<f64>; 2] {
        [0, 1].map(|which| match self.start.get(which) {
            Some(state) => load(&state.select(0, pass as i64), memory),
            None => vec![0.0; self.batch * self.hidden],
        })
    }

    /// Steps of a pass in the order of its direction.
    fn steps(&self, pass: usize) -> Vec<usize> {
        let backwards = self.directions == 2 && pass % 2 == 1;
        if backwards { (0..self.time).rev().collect() } else { (0..self.time).collect() }
    }

    /// Of a list for the backward pass or from the forward pass: none where nothing is kept.
    fn kept(&self, call: &Call, name: &str) -> Outcome<Vec<View>> {
        let views = match call.value(name)? {
            Value::Absent => return Ok(Vec::new()),
            _ => call.tensors(name)?,
        };
        if views.is_empty() {
            return Ok(Vec::new());
        }
        if views.len() != self.passes {
            refuse!("argument [{name}]: expected {} tensors, got {}", self.passes, views.len());
        }
        for view in views {
            call.expect_dims(name, view, &[self.time as i64, self.batch as i64, self.hidden as i64])?;
        }
        Ok(views.to_vec())
    }

    /// What all passes of a layer give, side by side: the input of the next one.
    fn join(&self, outputs: &[Vec<f64>]) -> Vec<f64> {
        let rows = self.time * self.batch;
        (0..rows)
            .flat_map(|row| outputs.iter().flat_map(move |one| one[row * self.hidden..][..self.hidden].to_vec()))
            .collect()
    }
}

/// What a pass keeps for the gradients, each of time, batch and hidden elements.
#[derive(Default)]
struct Kept {
    input: Vec<f64>,
    forget: Vec<f64>,
    cell: Vec<f64>,
    output: Vec<f64>,
    hidden: Vec<f64>,
    state: Vec<f64>,
    tanh: Vec<f64>,
}

impl Kept {
    fn new(size: usize) -> Kept {
        let zeros = || vec![0.0; size];
        Kept {
            input: zeros(),
            forget: zeros(),
            cell: zeros(),
            output: zeros(),
            hidden: zeros(),
            state: zeros(),
            tanh: zeros(),
        }
    }

    fn all(&self) -> [&Vec<f64>; 7] {
        [&self.input, &self.cell, &self.forget, &self.output, &self.hidden, &self.state, &self.tanh]
    }
}

/// Rows of `matrix` times `vector`, added to `sums`.
fn multiply(matrix: &[f64], vector: &[f64], sums: &mut [f64]) {
    for (sum, row) in sums.iter_mut().zip(matrix.chunks(vector.len().max(1))) {
        *sum += row.iter().zip(vector).map(|(a, b)| a * b).sum::<f64>();
    }
}

/// Columns of `matrix` times `vector`, added to `sums`.
fn multiply_back(matrix: &[f64], vector: &[f64], sums: &mut [f64]) {
    for (factor, row) in vector.iter().zip(matrix.chunks(sums.len().max(1))) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
    }
}

/// A gradient of a matrix: `left` times `right` transposed, added to `sums`.
fn outer(left: &[f64], right: &[f64], sums: &mut [f64]) {
    for (factor, row) in left.iter().zip(sums.chunks_mut(right.len().max(1))) {
        row.iter_mut().zip(right).for_each(|(sum, value)| *sum += factor * value);
    }
}

impl Network {
    fn forward(&self, pass: usize, input: &[f64], memory: Memory) -> (Kept, [Vec<f64>; 2]) {
        let (weights, [mut hidden, mut cell]) = (self.weights_of(pass, memory), self.start_of(pass, memory));
        let (size, row) = (self.hidden, self.batch * self.hidden);
        let width = input.len() / (self.time * self.batch).max(1);
        let mut kept = Kept::new(self.time * row);
        for step in self.steps(pass) {
            for sample in 0..self.batch {
                let mut gates = vec![0.0; 4 * size];
                multiply(&weights[0], &input[(step * self.batch + sample) * width..][..width], &mut gates);
                multiply(&weights[1], &hidden[sample * size..][..size], &mut gates);
                weights[2..].iter().for_each(|bias| gates.iter_mut().zip(bias).for_each(|(gate, b)| *gate += b));
                for i in 0..size {
                    let (at, own) = (step * row + sample * size + i, sample * size + i);
                    let settle = |value| self.data_type.settle::<f64>(value);
                    kept.input[at] = sigmoid(gates[i]);
                    kept.forget[at] = sigmoid(gates[size + i]);
                    kept.cell[at] = gates[2 * size + i].tanh();
                    kept.output[at] = sigmoid(gates[3 * size + i]);
                    cell[own] = settle(kept.forget[at] * cell[own] + kept.input[at] * kept.cell[at]);
                    kept.state[at] = cell[own];
                    kept.tanh[at] = cell[own].tanh();
                    kept.hidden[at] = settle(kept.output[at] * kept.tanh[at]);
                }
            }
            hidden.copy_from_slice(&kept.hidden[step * row..][..row]);
        }
        (kept, [hidden, cell])
    }
}

pub fn forward(call: &Call) -> Outcome<Task> {
    let network = Network::of(call, "batchSizes")?;
    let out = time_first(call, "output", call.tensor("output")?)?;
    let [time, batch, hidden, passes] =
        [network.time, network.batch, network.hidden, network.passes].map(|size| size as i64);
    call.expect_dims("output", &out, &[time, batch, hidden * network.directions as i64])?;
    let [last_hidden, last_cell] = ["hy", "cy"].map(|name| call.tensor(name).cloned());
    let ends = [last_hidden?, last_cell?];
    for (name, end) in ["hy", "cy"].into_iter().zip(&ends) {
        call.expect_dims(name, end, &[passes, batch, hidden])?;
    }
    let names = ["iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut"];
    let lists = names.into_iter().map(|name| network.kept(call, name)).collect::<Outcome<Vec<_>>>()?;
    Task::new(move |memory| {
        let mut input = load(&network.input, memory);
        for layer in 0..network.passes / network.directions {
            let mut outputs = Vec::new();
            for pass in layer * network.directions..(layer + 1) * network.directions {
                let (kept, last) = network.forward(pass, &input, memory);
                for (list, lanes) in lists.iter().zip(kept.all()) {
                    list.get(pass).iter().for_each(|view| view.store(memory, lanes));
                }
                ends.iter().zip(&last).for_each(|(end, lanes)| end.select(0, pass as i64).store(memory, lanes));
                outputs.push(kept.hidden);
            }
            input = network.join(&outputs);
        }
        out.store(memory, &input);
    })
}

/// Gradients of what goes into a pass.
struct Gradients {
    input: Vec<f64>,
    hidden: Vec<f64>,
    cell: Vec<f64>,
    weights: Vec<Vec<f64>>,
}

impl Network {
    /// `grads` are those of the layer's output, and `last` of the states after the last step.
    fn backward(
        &self,
        pass: usize,
        (input, kept): (&[f64], &Kept),
        grads: &[f64],
        last: [Vec<f64>; 2],
        memory: Memory,
    ) -> Gradients {
        let (weights, [first_hidden, first_cell]) = (self.weights_of(pass, memory), self.start_of(pass, memory));
        let (size, row) = (self.hidden, self.batch * self.hidden);
        let width = input.len() / (self.time * self.batch).max(1);
        let [mut of_hidden, mut of_cell] = last;
        let mut of_input = vec![0.0; input.len()];
        let mut of_weights: Vec<Vec<f64>> = weights.iter().map(|weight| vec![0.0; weight.len()]).collect();
        let steps = self.steps(pass);
        for (order, &step) in steps.iter().enumerate().rev() {
            let before = order.checked_sub(1).map(|earlier| steps[earlier]);
            for sample in 0..self.batch {
                let own = sample * size..(sample + 1) * size;
                let past = |first: &Vec<f64>, all: &Vec<f64>| match before {
                    Some(step) => all[step * row + own.start..][..size].to_vec(),
                    None => first[own.clone()].to_vec(),
                };
                let (hidden, cell) = (past(&first_hidden, &kept.hidden), past(&first_cell, &kept.state));
                let mut of_gates = vec![0.0; 4 * size];
                for i in 0..size {
                    let at = step * row + own.start + i;
                    let (input, forget, output) = (kept.input[at], kept.forget[at], kept.output[at]);
                    let place = ((step * self.batch + sample) * self.directions + pass % self.directions) * size + i;
                    let grad = grads[place] + of_hidden[own.start + i];
                    let through = grad * output * (1.0 - kept.tanh[at] * kept.tanh[at]) + of_cell[own.start + i];
                    of_gates[i] = through * kept.cell[at] * input * (1.0 - input);
                    of_gates[size + i] = through * cell[i] * forget * (1.0 - forget);
                    of_gates[2 * size + i] = through * input * (1.0 - kept.cell[at] * kept.cell[at]);
                    of_gates[3 * size + i] = grad * kept.tanh[at] * output * (1.0 - output);
                    of_cell[own.start + i] = through * forget;
                }
                let place = (step * self.batch + sample) * width..(step * self.batch + sample + 1) * width;
                multiply_back(&weights[0], &of_gates, &mut of_input[place.clone()]);
                of_hidden[own.clone()].fill(0.0);
                multiply_back(&weights[1], &of_gates, &mut of_hidden[own]);
                outer(&of_gates, &input[place], &mut of_weights[0]);
                outer(&of_gates, &hidden, &mut of_weights[1]);
                of_weights[2..].iter_mut().for_each(|bias| bias.iter_mut().zip(&of_gates).for_each(|(b, g)| *b += g));
            }
        }
        Gradients { input: of_input, hidden: of_hidden, cell: of_cell, weights: of_weights }
    }
}

pub fn backward(call: &Call) -> Outcome<Task> {
    let network = Network::of(call, "batchSizesOptional")?;
    let names = ["i", "g", "f", "o", "h", "c", "tanhc"];
    let lists = names.into_iter().map(|name| network.kept(call, name)).collect::<Outcome<Vec<_>>>()?;
    if let Some(at) = lists.iter().position(Vec::is_empty) {
        refuse!("argument [{}]: expected {} tensors of the forward pass, got none", names[at], network.passes);
    }
    let [time, batch, hidden, passes] =
        [network.time, network.batch, network.hidden, network.passes].map(|size| size as i64);
    let grads = call.tensor_or_none("dy")?.map(|dy| time_first(call, "dy", dy)).transpose()?;
    if let Some(grads) = &grads {
        call.expect_dims("dy", grads, &[time, batch, hidden * network.directions as i64])?;
    }
    let states = |names: [&'static str; 2]| -> Outcome<Vec<Option<View>>> {
        let one = |name: &'static str| {
            let view = call.tensor_or_none(name)?;
            view.map_or(Ok(()), |view| call.expect_dims(name, view, &[passes, batch, hidden]))?;
            Ok(view.cloned())
        };
        names.into_iter().map(one).collect()
    };
    let (last, first) = (states(["dh", "dc"])?, states(["dhPrevOut", "dcPrevOut"])?);
    let of_input = time_first(call, "dxOut", call.tensor("dxOut")?)?;
    call.expect_dims("dxOut", &of_input, &network.input.dims)?;
    let of_weights = call.tensors("dparamsOut")?.to_vec();
    if of_weights.iter().map(|view| &view.dims).ne(network.weights.iter().map(|view| &view.dims)) {
        refuse!("argument [dparamsOut]: expected the shapes of [params]");
    }
    Task::new(move |memory| {
        let kept: Vec<Kept> = (0..network.passes)
            .map(|pass| {
                let [input, cell, forget, output, hidden, state, tanh] =
                    [0, 1, 2, 3, 4, 5, 6].map(|place| load(&lists[place][pass], memory));
                Kept { input, forget, cell, output, hidden, state, tanh }
            })
            .collect();
        let directions = network.directions;
        let width = network.time * network.batch * network.hidden * directions;
        let mut grads = grads.as_ref().map_or_else(|| vec![0.0; width], |view| load(view, memory));
        for layer in (0..network.passes / directions).rev() {
            let input = match layer {
                0 => load(&network.input, memory),
                _ => {
                    let below: Vec<Vec<f64>> = kept[(layer - 1) * directions..layer * directions]
                        .iter()
                        .map(|kept| kept.hidden.clone())
                        .collect();
                    network.join(&below)
                }
            };
            let mut below = vec![0.0; input.len()];
            for pass in layer * directions..(layer + 1) * directions {
                let last = [0, 1].map(|which| match &last[which] {
                    Some(view) => load(&view.select(0, pass as i64), memory),
                    None => vec![0.0; network.batch * network.hidden],
                });
                let made = network.backward(pass, (&input, &kept[pass]), &grads, last, memory);
                below.iter_mut().zip(&made.input).for_each(|(sum, grad)| *sum += grad);
                for (view, lanes) in first.iter().zip([&made.hidden, &made.cell]) {
                    view.iter().for_each(|view| view.select(0, pass as i64).store(memory, lanes));
                }
                let each = made.weights.len();
                for (view, lanes) in of_weights[pass * each..].iter().zip(&made.weights) {
                    view.store(memory, lanes);
                }
            }
            grads = below;
        }
        of_input.store(memory, &grads);
    })
}
