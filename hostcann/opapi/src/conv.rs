//! Convolutions of one to three dims, their transposes and their gradients. All of them are sums over the same triples of
//! an element of the wide side, one of the kernel and one of the narrow side; sums are in double precision, rounded once.
//! `cubeMathType` chooses among a device's precisions and has no effect here.

use crate::call::{Call, Outcome, Task, refuse};
use crate::data_type::Width;
use crate::view::{View, count};

/// A convolution goes from the wide side to the narrow one, its transpose back. Dims that are not there have size 1.
struct Geometry {
    batch: usize,
    groups: usize,
    /// Channels of a group on the wide and on the narrow side.
    channels: [usize; 2],
    wide: [usize; 3],
    narrow: [usize; 3],
    kernel: [usize; 3],
    stride: [usize; 3],
    padding: [usize; 3],
    dilation: [usize; 3],
}

/// Elements that meet one element of the kernel: `length` of the narrow side one after the other, and of the wide side.
struct Meeting {
    wide: usize,
    kernel: usize,
    narrow: usize,
    length: usize,
}

/// Sizes of the last dims, in front of them ones.
fn three(sizes: impl ExactSizeIterator<Item = usize>, missing: usize) -> [usize; 3] {
    let mut all = [missing; 3];
    let from = 3 - sizes.len();
    all[from..].iter_mut().zip(sizes).for_each(|(to, size)| *to = size);
    all
}

fn spatial(view: &View) -> [usize; 3] {
    three(view.dims[2..].iter().map(|&dim| dim as usize), 1)
}

/// One number for all dims, or one for each.
fn numbers(call: &Call, name: &str, rank: usize, least: i64) -> Outcome<Vec<usize>> {
    let given = call.ints(name)?;
    if (given.len() != 1 && given.len() != rank) || given.iter().any(|&number| number < least) {
        refuse!("argument [{name}]: expected 1 or {rank} numbers of {least} or more, got {given:?}");
    }
    Ok((0..rank).map(|dim| given[if given.len() == 1 { 0 } else { dim }] as usize).collect())
}

impl Geometry {
    /// `input` and `output` as the operator has them: a transpose goes from the narrow side to the wide one.
    fn of(call: &Call, input: &View, output: (&str, &View), transposed: bool) -> Outcome<Geometry> {
        let weight = call.tensor("weight")?;
        let rank = weight.dims.len().saturating_sub(2);
        if !(1..=3).contains(&rank) {
            refuse!("argument [weight]: expected 3 to 5 dims, got shape {:?}", weight.dims);
        }
        for (name, view) in [("input", input), output] {
            if view.dims.len() != rank + 2 {
                refuse!("argument [{name}]: expected {} dims as [weight] has, got shape {:?}", rank + 2, view.dims);
            }
        }
        let groups = call.integer("groups")?;
        if groups < 1 || weight.dims[0] % groups != 0 {
            refuse!(
                "argument [groups]: expected a divisor of {}, the first dim of [weight], got {groups}",
                weight.dims[0]
            );
        }
        let (wide, narrow) = if transposed { (output.1, input) } else { (input, output.1) };
        let take = |name: &str, least| numbers(call, name, rank, least);
        let (stride, padding, dilation) = (take("stride", 1)?, take("padding", 0)?, take("dilation", 1)?);
        let extra = if transposed { take("outputPadding", 0)? } else { vec![0; rank] };
        let channels = [weight.dims[1], weight.dims[0] / groups];
        let mut expected = vec![input.dims[0], if transposed { channels[0] * groups } else { weight.dims[0] }];
        for dim in 0..rank {
            let (size, reach) = (input.dims[2 + dim], dilation[dim] as i64 * (weight.dims[2 + dim] - 1) + 1);
            let (step, border) = (stride[dim] as i64, 2 * padding[dim] as i64);
            expected.push(match transposed {
                true => (size - 1) * step - border + reach + extra[dim] as i64,
                false => (size + border - reach).div_euclid(step) + 1,
            });
        }
        let given = if transposed { weight.dims[0] } else { channels[0] * groups };
        if input.dims[1] != given {
            refuse!("argument [input]: expected {given} channels by [weight] and [groups], got shape {:?}", input.dims);
        }
        call.expect_dims(output.0, output.1, &expected)?;
        Ok(Geometry {
            batch: input.dims[0] as usize,
            groups: groups as usize,
            channels: channels.map(|channels| channels as usize),
            wide: spatial(wide),
            narrow: spatial(narrow),
            kernel: spatial(weight),
            stride: three(stride.into_iter(), 1),
            padding: three(padding.into_iter(), 0),
            dilation: three(dilation.into_iter(), 1),
        })
    }

    /// Places of the narrow side, along a dim, that the element `at` of the kernel meets in the wide side.
    fn range(&self, dim: usize, at: usize) -> std::ops::Range<usize> {
        let (shift, padding, stride) = (at * self.dilation[dim], self.padding[dim], self.stride[dim]);
        let from = padding.saturating_sub(shift).div_ceil(stride);
        let to = (self.wide[dim] + padding).saturating_sub(shift).div_ceil(stride).min(self.narrow[dim]);
        from..to.max(from)
    }

    /// The place in the wide side; both are in range.
    fn place(&self, dim: usize, at: usize, narrow: usize) -> usize {
        narrow * self.stride[dim] + at * self.dilation[dim] - self.padding[dim]
    }

    fn each(&self, mut meet: impl FnMut(&Meeting)) {
        let [wide, narrow] = [self.wide, self.narrow].map(|sizes| sizes.iter().product::<usize>());
        let kernel: usize = self.kernel.iter().product();
        let [from, to] = self.channels;
        for place in 0..self.batch * self.groups * to * from {
            let (source, rest) = (place % from, place / from);
            let (target, rest) = (rest % to, rest / to);
            let (group, part) = (rest % self.groups, rest);
            let starts = [(part * from + source) * wide, ((group * to + target) * from + source) * kernel];
            for at in 0..kernel {
                let k =
                    [at / (self.kernel[1] * self.kernel[2]), at / self.kernel[2] % self.kernel[1], at % self.kernel[2]];
                let line = self.range(2, k[2]);
                if line.is_empty() {
                    continue;
                }
                for z in self.range(0, k[0]) {
                    for y in self.range(1, k[1]) {
                        let row = self.place(0, k[0], z) * self.wide[1] + self.place(1, k[1], y);
                        meet(&Meeting {
                            wide: starts[0] + row * self.wide[2] + self.place(2, k[2], line.start),
                            kernel: starts[1] + at,
                            narrow: (part * to + target) * narrow
                                + (z * self.narrow[1] + y) * self.narrow[2]
                                + line.start,
                            length: line.len(),
                        });
                    }
                }
            }
        }
    }

    fn to_narrow(&self, wide: &[f64], kernel: &[f64], narrow: &mut [f64]) {
        let step = self.stride[2];
        self.each(|m| {
            let factor = kernel[m.kernel];
            let to = &mut narrow[m.narrow..][..m.length];
            to.iter_mut().zip(wide[m.wide..].iter().step_by(step)).for_each(|(to, x)| *to += factor * x);
        });
    }

    fn to_wide(&self, narrow: &[f64], kernel: &[f64], wide: &mut [f64]) {
        let step = self.stride[2];
        self.each(|m| {
            let factor = kernel[m.kernel];
            let from = &narrow[m.narrow..][..m.length];
            wide[m.wide..].iter_mut().step_by(step).zip(from).for_each(|(to, x)| *to += factor * x);
        });
    }

    fn to_kernel(&self, wide: &[f64], narrow: &[f64], kernel: &mut [f64]) {
        let step = self.stride[2];
        self.each(|m| {
            let from = &narrow[m.narrow..][..m.length];
            kernel[m.kernel] += from.iter().zip(wide[m.wide..].iter().step_by(step)).map(|(a, b)| a * b).sum::<f64>();
        });
    }
}

pub fn forward(call: &Call) -> Outcome<Task> {
    let (input, weight, out) =
        (call.tensor("input")?.clone(), call.tensor("weight")?.clone(), call.tensor("output")?.clone());
    let (bias, transposed) = (call.tensor_or_none("bias")?.cloned(), call.flag("transposed")?);
    let geometry = Geometry::of(call, &input, ("output", &out), transposed)?;
    if let Some(bias) = &bias {
        call.expect_dims("bias", bias, &[out.dims[1]])?;
    }
    Task::new(move |memory| {
        let mut results = vec![0.0; out.count()];
        if let Some(bias) = &bias {
            let (bias, inner) = (bias.load::<f64>(memory, Width::Double), count(&out.dims[2..]).max(1));
            results.iter_mut().enumerate().for_each(|(e, value)| *value = bias[e / inner % bias.len()]);
        }
        let [input, weight] = [&input, &weight].map(|view| view.load::<f64>(memory, Width::Double));
        match transposed {
            true => geometry.to_wide(&input, &weight, &mut results),
            false => geometry.to_narrow(&input, &weight, &mut results),
        }
        out.store(memory, &results);
    })
}

pub fn backward(call: &Call) -> Outcome<Task> {
    let [grad, input, weight] = ["gradOutput", "input", "weight"].map(|name| call.tensor(name).cloned());
    let (grad, input, weight, transposed) = (grad?, input?, weight?, call.flag("transposed")?);
    let geometry = Geometry::of(call, &input, ("gradOutput", &grad), transposed)?;
    let mut outs = [const { None }; 3];
    let dims = [input.dims.clone(), weight.dims.clone(), vec![grad.dims[1]]];
    for (place, name) in ["gradInput", "gradWeight", "gradBias"].into_iter().enumerate() {
        if call.wanted("outputMask", place)?
            && let Some(out) = call.tensor_or_none(name)?
        {
            call.expect_dims(name, out, &dims[place])?;
            outs[place] = Some(out.clone());
        }
    }
    Task::new(move |memory| {
        let load = |view: &View| view.load::<f64>(memory, Width::Double);
        let (grads, [of_input, of_weight, of_bias]) = (load(&grad), &outs);
        if let Some(out) = of_input {
            let mut results = vec![0.0; out.count()];
            match transposed {
                true => geometry.to_narrow(&grads, &load(&weight), &mut results),
                false => geometry.to_wide(&grads, &load(&weight), &mut results),
            }
            out.store(memory, &results);
        }
        if let Some(out) = of_weight {
            let mut results = vec![0.0; out.count()];
            match transposed {
                true => geometry.to_kernel(&grads, &load(&input), &mut results),
                false => geometry.to_kernel(&load(&input), &grads, &mut results),
            }
            out.store(memory, &results);
        }
        if let Some(out) = of_bias {
            let mut results = vec![0.0; out.count()];
            let inner = count(&grad.dims[2..]).max(1);
            grads.iter().enumerate().for_each(|(e, value)| results[e / inner % grad.dims[1] as usize] += value);
            out.store(memory, &results);
        }
    })
}
