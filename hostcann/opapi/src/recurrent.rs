//! Long short-term memory: the passes of its layers and directions, and their gradients. Gates stand in torch's order in weights:
//! input, forget, cell, output. Sums are in double precision; the state is rounded after each step.

use crate::call::{Outcome, Task};
use crate::data_type::{DataType, Width};
use crate::view::{Memory, View};

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn load(view: &View, memory: Memory) -> Vec<f64> {
    view.load(memory, Width::Double)
}

/// Passes over the steps of an input: one for each direction of each layer.
pub struct Network {
    pub time: usize,
    pub batch: usize,
    pub hidden: usize,
    pub directions: usize,
    /// A pass of the only direction goes from the last step to the first.
    pub reversed: bool,
    pub data_type: DataType,
    /// Time, batch, element.
    pub input: View,
    /// Hidden states and cell states before the first step, of all passes; none: zeros.
    pub start: Vec<View>,
    /// Of each pass: for the input, for the hidden state, and biases, all with the gates first.
    pub weights: Vec<Vec<View>>,
}

impl Network {
    pub fn passes(&self) -> usize {
        self.weights.len()
    }

    /// The dims of a value for each step.
    pub fn steps_dims(&self) -> [i64; 3] {
        [self.time, self.batch, self.hidden].map(|size| size as i64)
    }

    /// The dims of a state of all passes.
    pub fn state_dims(&self) -> [i64; 3] {
        [self.passes(), self.batch, self.hidden].map(|size| size as i64)
    }

    fn weights_of(&self, pass: usize, memory: Memory) -> Vec<Vec<f64>> {
        self.weights[pass].iter().map(|weight| load(weight, memory)).collect()
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
        let backwards = self.reversed || (self.directions == 2 && pass % 2 == 1);
        if backwards { (0..self.time).rev().collect() } else { (0..self.time).collect() }
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
    fn pass(&self, pass: usize, input: &[f64], memory: Memory) -> (Kept, [Vec<f64>; 2]) {
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

/// Gradients of what goes into a pass.
struct PassGradients {
    input: Vec<f64>,
    hidden: Vec<f64>,
    cell: Vec<f64>,
    /// For the input, for the hidden state, and of a bias: two biases have the same.
    weights: [Vec<f64>; 3],
}

impl Network {
    /// `grads` are those of the layer's output, and `last` of the states after the last step.
    fn pass_back(
        &self,
        pass: usize,
        (input, kept): (&[f64], &Kept),
        grads: &[f64],
        last: [Vec<f64>; 2],
        memory: Memory,
    ) -> PassGradients {
        let (weights, [first_hidden, first_cell]) = (self.weights_of(pass, memory), self.start_of(pass, memory));
        let (size, row) = (self.hidden, self.batch * self.hidden);
        let width = input.len() / (self.time * self.batch).max(1);
        let [mut of_hidden, mut of_cell] = last;
        let mut of_input = vec![0.0; input.len()];
        let mut of_weights = [vec![0.0; weights[0].len()], vec![0.0; weights[1].len()], vec![0.0; 4 * size]];
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
                of_weights[2].iter_mut().zip(&of_gates).for_each(|(bias, gate)| *bias += gate);
            }
        }
        PassGradients { input: of_input, hidden: of_hidden, cell: of_cell, weights: of_weights }
    }
}

/// Where the forward pass writes.
pub struct Outputs {
    /// Time, batch, and the hidden elements of all directions.
    pub out: Option<View>,
    /// The states after the last step, of all passes.
    pub ends: Vec<View>,
    /// What each step keeps: gates input, cell, forget and output, the hidden state, the cell state and its tanh; of each a view
    /// for every pass, or none.
    pub kept: Vec<Vec<View>>,
}

/// What the backward pass reads and writes; the kept values are those of the forward pass.
pub struct Gradients {
    pub kept: Vec<Vec<View>>,
    /// Of the output; none: zeros.
    pub grads: Option<View>,
    /// Of the states after the last step.
    pub last: [Option<View>; 2],
    /// Of the states before the first step.
    pub first: Vec<Option<View>>,
    pub input: View,
    pub weights: Vec<Vec<View>>,
}

impl Network {
    pub fn forward(self, to: Outputs) -> Outcome<Task> {
        Task::new(move |memory| {
            let mut input = load(&self.input, memory);
            for layer in 0..self.passes() / self.directions {
                let mut outputs = Vec::new();
                for pass in layer * self.directions..(layer + 1) * self.directions {
                    let (kept, last) = self.pass(pass, &input, memory);
                    for (list, lanes) in to.kept.iter().zip(kept.all()) {
                        list.get(pass).iter().for_each(|view| view.store(memory, lanes));
                    }
                    to.ends.iter().zip(&last).for_each(|(end, lanes)| end.select(0, pass as i64).store(memory, lanes));
                    outputs.push(kept.hidden);
                }
                input = self.join(&outputs);
            }
            to.out.iter().for_each(|out| out.store(memory, &input));
        })
    }

    pub fn backward(self, of: Gradients) -> Outcome<Task> {
        Task::new(move |memory| {
            let kept: Vec<Kept> = (0..self.passes())
                .map(|pass| {
                    let [input, cell, forget, output, hidden, state, tanh] =
                        [0, 1, 2, 3, 4, 5, 6].map(|place| load(&of.kept[place][pass], memory));
                    Kept { input, forget, cell, output, hidden, state, tanh }
                })
                .collect();
            let directions = self.directions;
            let width = self.time * self.batch * self.hidden * directions;
            let mut grads = of.grads.as_ref().map_or_else(|| vec![0.0; width], |view| load(view, memory));
            for layer in (0..self.passes() / directions).rev() {
                let input = match layer {
                    0 => load(&self.input, memory),
                    _ => {
                        let below: Vec<Vec<f64>> = kept[(layer - 1) * directions..layer * directions]
                            .iter()
                            .map(|kept| kept.hidden.clone())
                            .collect();
                        self.join(&below)
                    }
                };
                let mut below = vec![0.0; input.len()];
                for (pass, kept) in kept.iter().enumerate().skip(layer * directions).take(directions) {
                    let last = [0, 1].map(|which| match &of.last[which] {
                        Some(view) => load(&view.select(0, pass as i64), memory),
                        None => vec![0.0; self.batch * self.hidden],
                    });
                    let made = self.pass_back(pass, (&input, kept), &grads, last, memory);
                    below.iter_mut().zip(&made.input).for_each(|(sum, grad)| *sum += grad);
                    for (view, lanes) in of.first.iter().zip([&made.hidden, &made.cell]) {
                        view.iter().for_each(|view| view.select(0, pass as i64).store(memory, lanes));
                    }
                    let [of_input, of_hidden, of_bias] = &made.weights;
                    for (view, lanes) in of.weights[pass].iter().zip([of_input, of_hidden, of_bias, of_bias]) {
                        view.store(memory, lanes);
                    }
                }
                grads = below;
            }
            of.input.store(memory, &grads);
        })
    }
}
