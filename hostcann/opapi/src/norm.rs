//! Normalisations and their gradients. Elements share a mean and a variance by sets: the rows of a layer, the groups of
//! channels, a channel of a batch. Sums are in double precision, results are rounded once.

use crate::call::{Call, Outcome, Task, refuse};
use crate::data_type::Width;
use crate::view::{Memory, View, count};

/// Where the element at place `e` belongs: set `e / set.0 % set.1`, weight `e / weight.0 % weight.1`.
#[derive(Clone, Copy)]
struct Grid {
    set: (usize, usize),
    weight: (usize, usize),
    /// Without it, nothing is subtracted: the root mean square.
    centred: bool,
}

/// Of each set: the mean, and the reciprocal of the deviation.
struct Statistics {
    mean: Vec<f64>,
    rstd: Vec<f64>,
}

impl Grid {
    /// Rows of the last dims, which have the shape `tail`.
    fn rows(name: &str, view: &View, tail: &[i64], centred: bool) -> Outcome<Grid> {
        if tail.is_empty() || !view.dims.ends_with(tail) {
            refuse!("argument [{name}]: expected a shape that ends with {tail:?}, got {:?}", view.dims);
        }
        let (length, rows) = (count(tail), count(&view.dims[..view.dims.len() - tail.len()]));
        Ok(Grid { set: (length.max(1), rows.max(1)), weight: (1, length.max(1)), centred })
    }

    /// The channels of dim 1.
    fn channels(name: &str, view: &View) -> Outcome<Grid> {
        if view.dims.len() < 2 {
            refuse!("argument [{name}]: expected 2 dims or more, got shape {:?}", view.dims);
        }
        let channel = (count(&view.dims[2..]).max(1), (view.dims[1] as usize).max(1));
        Ok(Grid { set: channel, weight: channel, centred: true })
    }

    /// Page aclnnGroupNorm: N, C and HxW are the sizes of `view`, C is a multiple of `group`.
    fn groups(call: &Call, name: &str, view: &View) -> Outcome<Grid> {
        let sizes = [call.integer("N")?, call.integer("C")?, call.integer("HxW")?, call.integer("group")?];
        let [batch, channels, inner, group] = sizes;
        let product = batch.checked_mul(channels).and_then(|n| n.checked_mul(inner));
        if product != Some(view.count() as i64) || group <= 0 || channels % group != 0 || inner < 0 {
            refuse!(
                "argument [{name}]: expected N * C * HxW elements and C a multiple of group, got shape {:?}, N {batch}, \
                 C {channels}, HxW {inner}, group {group}",
                view.dims
            );
        }
        let [batch, channels, inner, group] = sizes.map(|size| size as usize);
        let set = (channels / group * inner).max(1);
        Ok(Grid { set: (set, (batch * group).max(1)), weight: (inner.max(1), channels.max(1)), centred: true })
    }

    fn set_of(&self, element: usize) -> usize {
        element / self.set.0 % self.set.1
    }

    fn weight_of(&self, element: usize) -> usize {
        element / self.weight.0 % self.weight.1
    }

    /// Elements of a set.
    fn length(&self, total: usize) -> f64 {
        (total / self.set.1) as f64
    }

    /// Mean and variance of each set; the variance divides by the number of elements.
    fn moments(&self, values: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut mean, mut variance) = (vec![0.0; self.set.1], vec![0.0; self.set.1]);
        let length = self.length(values.len());
        if self.centred {
            values.iter().enumerate().for_each(|(e, x)| mean[self.set_of(e)] += x);
            mean.iter_mut().for_each(|sum| *sum /= length);
        }
        for (e, x) in values.iter().enumerate() {
            let distance = x - mean[self.set_of(e)];
            variance[self.set_of(e)] += distance * distance;
        }
        variance.iter_mut().for_each(|sum| *sum /= length);
        (mean, variance)
    }

    fn apply(&self, values: &[f64], by: &Statistics, weight: Option<&[f64]>, bias: Option<&[f64]>) -> Vec<f64> {
        let one = |(e, x): (usize, &f64)| {
            let (set, at) = (self.set_of(e), self.weight_of(e));
            (x - by.mean[set]) * by.rstd[set] * weight.map_or(1.0, |w| w[at]) + bias.map_or(0.0, |b| b[at])
        };
        values.iter().enumerate().map(one).collect()
    }

    /// Gradients of the values, the weight and the bias. `fixed`: the statistics do not depend on the values.
    fn gradients(
        &self,
        [grads, values]: [&[f64]; 2],
        by: &Statistics,
        weight: Option<&[f64]>,
        fixed: bool,
    ) -> [Vec<f64>; 3] {
        let normal = |e: usize| (values[e] - by.mean[self.set_of(e)]) * by.rstd[self.set_of(e)];
        let weighted = |e: usize| grads[e] * weight.map_or(1.0, |w| w[self.weight_of(e)]);
        let (mut of_weight, mut of_bias) = (vec![0.0; self.weight.1], vec![0.0; self.weight.1]);
        let (mut sum, mut product) = (vec![0.0; self.set.1], vec![0.0; self.set.1]);
        for (e, grad) in grads.iter().enumerate() {
            let (set, at) = (self.set_of(e), self.weight_of(e));
            of_weight[at] += grad * normal(e);
            of_bias[at] += grad;
            sum[set] += weighted(e);
            product[set] += weighted(e) * normal(e);
        }
        let length = self.length(values.len());
        let one = |e: usize| {
            let set = self.set_of(e);
            let mean = if self.centred { sum[set] / length } else { 0.0 };
            let through = if fixed { 0.0 } else { mean + normal(e) * product[set] / length };
            (weighted(e) - through) * by.rstd[set]
        };
        [(0..values.len()).map(one).collect(), of_weight, of_bias]
    }
}

fn load(view: &View, memory: Memory) -> Vec<f64> {
    view.load(memory, Width::Double)
}

fn load_some(view: Option<&View>, memory: Memory) -> Option<Vec<f64>> {
    view.map(|view| load(view, memory))
}

/// A tensor of so many elements, in any shape; None where it may be null and is.
fn sized(call: &Call, name: &str, elements: usize) -> Outcome<Option<View>> {
    let view = call.tensor_or_none(name)?;
    if let Some(view) = view
        && view.count() != elements
    {
        refuse!("argument [{name}]: expected {elements} elements, got shape {:?}", view.dims);
    }
    Ok(view.cloned())
}

/// What a normalisation along rows or groups reads and writes.
struct Names {
    input: &'static str,
    weight: &'static str,
    bias: Option<&'static str>,
    epsilon: &'static str,
    out: &'static str,
    mean: Option<&'static str>,
    rstd: &'static str,
}

fn forward(call: &Call, grid: Grid, names: &Names) -> Outcome<Task> {
    let (input, out) = (call.tensor(names.input)?.clone(), call.tensor(names.out)?.clone());
    call.expect_dims(names.out, &out, &input.dims)?;
    let weight = sized(call, names.weight, grid.weight.1)?;
    let bias = names.bias.map_or(Ok(None), |name| sized(call, name, grid.weight.1))?;
    let epsilon = call.number(names.epsilon)?.real();
    let statistics = |name| if input.count() == 0 { Ok(None) } else { sized(call, name, grid.set.1) };
    let mean_out = names.mean.map_or(Ok(None), statistics)?;
    let rstd_out = statistics(names.rstd)?;
    Task::new(move |memory| {
        let values = load(&input, memory);
        if values.is_empty() {
            return;
        }
        let (mean, variance) = grid.moments(&values);
        let by = Statistics { mean, rstd: variance.iter().map(|v| 1.0 / (v + epsilon).sqrt()).collect() };
        let (weight, bias) = (load_some(weight.as_ref(), memory), load_some(bias.as_ref(), memory));
        out.store(memory, &grid.apply(&values, &by, weight.as_deref(), bias.as_deref()));
        for (view, lanes) in [(&mean_out, &by.mean), (&rstd_out, &by.rstd)] {
            view.iter().for_each(|view| view.store(memory, lanes));
        }
    })
}

/// Inputs and outputs of a gradient; an output that is not asked for may be null.
struct Backward {
    grid: Grid,
    grad: View,
    input: View,
    weight: Option<View>,
    outs: [Option<View>; 3],
}

impl Backward {
    /// `names`: the gradient of the result, the input, the weight, then the three outputs.
    fn of(call: &Call, grid: Grid, names: [&'static str; 6], mask: Option<&str>) -> Outcome<Backward> {
        let [grad, input, weight, ..] = names;
        let (grad_view, input) = (call.tensor(grad)?.clone(), call.tensor(input)?.clone());
        call.expect_dims(grad, &grad_view, &input.dims)?;
        let weight = sized(call, weight, grid.weight.1)?;
        let sizes = [input.count(), grid.weight.1, grid.weight.1];
        let mut outs = [const { None }; 3];
        for (place, out) in outs.iter_mut().enumerate() {
            let name = names[3 + place];
            if !name.is_empty() && mask.map_or(Ok(true), |mask| call.wanted(mask, place))? {
                *out = sized(call, name, sizes[place])?;
            }
        }
        Ok(Backward { grid, grad: grad_view, input, weight, outs })
    }

    fn run(&self, memory: Memory, by: &Statistics, fixed: bool) {
        let (grads, values) = (load(&self.grad, memory), load(&self.input, memory));
        let weight = load_some(self.weight.as_ref(), memory);
        let results = self.grid.gradients([&grads, &values], by, weight.as_deref(), fixed);
        for (out, lanes) in self.outs.iter().zip(&results) {
            out.iter().for_each(|out| out.store(memory, lanes));
        }
    }

    /// With the statistics that the forward pass has left in two tensors, or in one.
    fn task(self, call: &Call, mean: Option<&str>, rstd: &str) -> Outcome<Task> {
        let sets = self.grid.set.1;
        let read = |name: &str| if self.input.count() == 0 { Ok(None) } else { sized(call, name, sets) };
        let (mean, rstd) = (mean.map_or(Ok(None), read)?, read(rstd)?);
        Task::new(move |memory| {
            let of = |view: &Option<View>, fallback: f64| {
                load_some(view.as_ref(), memory).unwrap_or_else(|| vec![fallback; sets])
            };
            self.run(memory, &Statistics { mean: of(&mean, 0.0), rstd: of(&rstd, 1.0) }, false);
        })
    }
}

pub fn layer(call: &Call) -> Outcome<Task> {
    let grid = Grid::rows("input", call.tensor("input")?, call.ints("normalizedShape")?, true)?;
    let names = Names {
        input: "input",
        weight: "weightOptional",
        bias: Some("biasOptional"),
        epsilon: "eps",
        out: "out",
        mean: Some("meanOutOptional"),
        rstd: "rstdOutOptional",
    };
    forward(call, grid, &names)
}

pub fn layer_backward(call: &Call) -> Outcome<Task> {
    let grid = Grid::rows("input", call.tensor("input")?, call.ints("normalizedShape")?, true)?;
    let names = ["gradOut", "input", "weightOptional", "gradInputOut", "gradWeightOut", "gradBiasOut"];
    Backward::of(call, grid, names, Some("outputMask"))?.task(call, Some("mean"), "rstd")
}

pub fn group(call: &Call) -> Outcome<Task> {
    let grid = Grid::groups(call, "self", call.tensor("self")?)?;
    let names = Names {
        input: "self",
        weight: "gamma",
        bias: Some("beta"),
        epsilon: "eps",
        out: "out",
        mean: Some("meanOut"),
        rstd: "rstdOut",
    };
    forward(call, grid, &names)
}

pub fn group_backward(call: &Call) -> Outcome<Task> {
    let grid = Grid::groups(call, "input", call.tensor("input")?)?;
    let names = ["gradOut", "input", "gamma", "gradInput", "gradGammaOut", "gradBetaOut"];
    Backward::of(call, grid, names, Some("outputMask"))?.task(call, Some("mean"), "rstd")
}

pub fn root_mean_square(call: &Call) -> Outcome<Task> {
    let grid = Grid::rows("x", call.tensor("x")?, &call.tensor("gamma")?.dims, false)?;
    let names =
        Names { input: "x", weight: "gamma", bias: None, epsilon: "epsilon", out: "yOut", mean: None, rstd: "rstdOut" };
    forward(call, grid, &names)
}

pub fn root_mean_square_backward(call: &Call) -> Outcome<Task> {
    let grid = Grid::rows("x", call.tensor("x")?, &call.tensor("gamma")?.dims, false)?;
    let names = ["dy", "x", "gamma", "dxOut", "dgammaOut", ""];
    Backward::of(call, grid, names, None)?.task(call, None, "rstd")
}

/// In training the statistics are those of the batch, and the running ones move towards them by `momentum`.
pub fn batch(call: &Call) -> Outcome<Task> {
    let (input, out) = (call.tensor("input")?.clone(), call.tensor("output")?.clone());
    call.expect_dims("output", &out, &input.dims)?;
    let grid = Grid::channels("input", &input)?;
    let channels = grid.set.1;
    let tensor = |name| sized(call, name, channels);
    let (weight, bias) = (tensor("weight")?, tensor("bias")?);
    let running = [tensor("runningMean")?, tensor("runningVar")?];
    let (mean_out, rstd_out) = (tensor("saveMean")?, tensor("saveInvstd")?);
    let (training, momentum) = (call.flag("training")?, call.number("momentum")?.real());
    let epsilon = call.number("eps")?.real();
    if !training && running.iter().any(Option::is_none) {
        refuse!("arguments [runningMean] and [runningVar]: expected tensors where [training] is false, got nullptr");
    }
    Task::new(move |memory| {
        let values = load(&input, memory);
        let before = running.each_ref().map(|view| load_some(view.as_ref(), memory));
        let (mean, variance) = match (training, &before) {
            (false, [Some(mean), Some(variance)]) => (mean.clone(), variance.clone()),
            _ => grid.moments(&values),
        };
        if training {
            let length = grid.length(values.len());
            let unbiased: Vec<f64> = variance.iter().map(|v| v * length / (length - 1.0)).collect();
            for ((view, before), now) in running.iter().zip(&before).zip([&mean, &unbiased]) {
                if let (Some(view), Some(before)) = (view, before) {
                    let moved = before.iter().zip(now).map(|(old, new)| (1.0 - momentum) * old + momentum * new);
                    view.store(memory, &moved.collect::<Vec<f64>>());
                }
            }
        }
        let by = Statistics { mean, rstd: variance.iter().map(|v| 1.0 / (v + epsilon).sqrt()).collect() };
        let (weight, bias) = (load_some(weight.as_ref(), memory), load_some(bias.as_ref(), memory));
        out.store(memory, &grid.apply(&values, &by, weight.as_deref(), bias.as_deref()));
        for (view, lanes) in [(&mean_out, &by.mean), (&rstd_out, &by.rstd)] {
            view.iter().for_each(|view| view.store(memory, lanes));
        }
    })
}

pub fn batch_backward(call: &Call) -> Outcome<Task> {
    let grid = Grid::channels("input", call.tensor("input")?)?;
    let names = ["gradOut", "input", "weight", "gradInput", "gradWeight", "gradBias"];
    let backward = Backward::of(call, grid, names, Some("outputMask"))?;
    if call.flag("training")? {
        return backward.task(call, Some("saveMean"), "saveInvstd");
    }
    let epsilon = call.number("eps")?.real();
    let (Some(mean), Some(variance)) =
        (sized(call, "runningMean", grid.set.1)?, sized(call, "runningVar", grid.set.1)?)
    else {
        refuse!("arguments [runningMean] and [runningVar]: expected tensors where [training] is false, got nullptr");
    };
    Task::new(move |memory| {
        let rstd = load(&variance, memory).iter().map(|v| 1.0 / (v + epsilon).sqrt()).collect();
        backward.run(memory, &Statistics { mean: load(&mean, memory), rstd }, true);
    })
}
