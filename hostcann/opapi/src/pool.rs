//! Pooling in two dims: the largest element of a window, its mean, and the gradients of both.

use crate::call::{Call, Outcome, Task, refuse};
use crate::data_type::{DataType, Width};
use crate::view::{View, count};

/// Windows of the last two dims; the dims before them are planes.
struct Windows {
    planes: usize,
    input: [i64; 2],
    output: [i64; 2],
    kernel: [i64; 2],
    stride: [i64; 2],
    padding: [i64; 2],
    dilation: [i64; 2],
}

/// One number for both dims, or one for each; none where the fallback is given.
fn pair(call: &Call, name: &str, least: i64, fallback: Option<[i64; 2]>) -> Outcome<[i64; 2]> {
    match (call.ints(name)?, fallback) {
        ([], Some(pair)) => Ok(pair),
        ([one], _) if *one >= least => Ok([*one; 2]),
        ([y, x], _) if *y >= least && *x >= least => Ok([*y, *x]),
        (given, _) => refuse!("argument [{name}]: expected 1 or 2 numbers of {least} or more, got {given:?}"),
    }
}

fn plane(name: &str, view: &View) -> Outcome<[i64; 2]> {
    match view.dims[..] {
        [.., y, x] if (3..=4).contains(&view.dims.len()) => Ok([y, x]),
        _ => refuse!("argument [{name}]: expected 3 or 4 dims, got shape {:?}", view.dims),
    }
}

impl Windows {
    /// `names`: of the strides and of the padding; pages differ.
    fn of(call: &Call, input: &View, output: (&str, &View), names: [&str; 2], dilated: bool) -> Outcome<Windows> {
        let kernel = pair(call, "kernelSize", 1, None)?;
        let (stride, padding) = (pair(call, names[0], 1, Some(kernel))?, pair(call, names[1], 0, None)?);
        let dilation = if dilated { pair(call, "dilation", 1, None)? } else { [1; 2] };
        let (size, up) = (plane("self", input)?, call.flag("ceilMode")?);
        let mut expected = input.dims.clone();
        for dim in 0..2 {
            let room = size[dim] + 2 * padding[dim] - dilation[dim] * (kernel[dim] - 1) - 1;
            let mut length = (room + if up { stride[dim] - 1 } else { 0 }).div_euclid(stride[dim]) + 1;
            // The last window begins in the input or in the padding before it.
            if up && (length - 1) * stride[dim] >= size[dim] + padding[dim] {
                length -= 1;
            }
            let at = expected.len() - 2 + dim;
            expected[at] = length;
        }
        call.expect_dims(output.0, output.1, &expected)?;
        let output = plane(output.0, output.1)?;
        let planes = count(&input.dims[..input.dims.len() - 2]);
        Ok(Windows { planes, input: size, output, kernel, stride, padding, dilation })
    }

    fn sizes(&self) -> [usize; 2] {
        [self.input, self.output].map(|size| count(&size))
    }

    /// Elements of a window: the place in the kernel, and in the plane.
    fn cells(&self, window: usize) -> impl Iterator<Item = (usize, usize)> {
        let [y, x] = [window as i64 / self.output[1], window as i64 % self.output[1]];
        (0..count(&self.kernel)).filter_map(move |at| {
            let k = [at as i64 / self.kernel[1], at as i64 % self.kernel[1]];
            let place = |dim: usize, window: i64| {
                let place = window * self.stride[dim] - self.padding[dim] + k[dim] * self.dilation[dim];
                (0..self.input[dim]).contains(&place).then_some(place)
            };
            Some((at, (place(0, y)? * self.input[1] + place(1, x)?) as usize))
        })
    }

    /// What the sum of a window is divided by (page aclnnAvgPool2d).
    fn divisor(&self, window: usize, inside: usize, with_padding: bool, given: i64) -> f64 {
        if given != 0 {
            return given as f64;
        }
        if !with_padding {
            return inside as f64;
        }
        let [y, x] = [window as i64 / self.output[1], window as i64 % self.output[1]];
        let reach = |dim: usize, window: i64| {
            let from = window * self.stride[dim] - self.padding[dim];
            (from + self.kernel[dim]).min(self.input[dim] + self.padding[dim]) - from
        };
        (reach(0, y) * reach(1, x)) as f64
    }
}

/// The first of the largest elements, as torch has it; NaN is larger than any.
fn largest(values: &[f64], cells: impl Iterator<Item = (usize, usize)>) -> Option<(usize, usize)> {
    cells.fold(None, |best, (at, place)| match best {
        Some((_, held)) if values[place] <= values[held] || (values[held].is_nan() && !values[place].is_nan()) => best,
        _ => Some((at, place)),
    })
}

/// Where the gradient goes: `indices` are places in the plane (int32), or bits (int8): for each element of the kernel a row,
/// and in it a bit for each window whose largest element it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    Places,
    Bits,
}

/// Bytes of a row of bits: page aclnnMaxPool2dWithMask.
fn row_bytes(windows: usize) -> usize {
    (windows.div_ceil(16) + 1) * 32
}

fn expect_chosen(call: &Call, windows: &Windows, leading: &[i64], dims: &[i64], chosen: Chosen) -> Outcome<View> {
    let indices = call.tensor("indices")?;
    match chosen {
        Chosen::Places => {
            call.expect_type("indices", indices, DataType::I32)?;
            call.expect_dims("indices", indices, dims)?;
        }
        Chosen::Bits => {
            call.expect_type("indices", indices, DataType::I8)?;
            let mask = [count(&windows.kernel) as i64, row_bytes(count(&windows.output)) as i64];
            call.expect_dims("indices", indices, &[leading, &mask].concat())?;
        }
    }
    Ok(indices.clone())
}

fn max(call: &Call, chosen: Chosen) -> Outcome<Task> {
    let (input, out) = (call.tensor("self")?.clone(), call.tensor("out")?.clone());
    let windows = Windows::of(call, &input, ("out", &out), ["stride", "padding"], true)?;
    let leading = &input.dims[..input.dims.len() - 2];
    let indices = expect_chosen(call, &windows, leading, &out.dims, chosen)?;
    Task::new(move |memory| {
        let values: Vec<f64> = input.load(memory, Width::Double);
        let ([size, number], row) = (windows.sizes(), row_bytes(count(&windows.output)));
        let mut results = Vec::with_capacity(out.count());
        let mut places = vec![0i64; indices.count()];
        for plane in 0..windows.planes {
            let values = &values[plane * size..][..size];
            for window in 0..number {
                let Some((at, place)) = largest(values, windows.cells(window)) else {
                    results.push(f64::NEG_INFINITY);
                    continue;
                };
                results.push(values[place]);
                match chosen {
                    Chosen::Places => places[plane * number + window] = place as i64,
                    Chosen::Bits => {
                        places[(plane * count(&windows.kernel) + at) * row + window / 8] |= 1 << (window % 8);
                    }
                }
            }
        }
        out.store(memory, &results);
        indices.store(memory, &places);
    })
}

fn max_backward(call: &Call, chosen: Chosen) -> Outcome<Task> {
    let [grad, input, out] = ["gradOutput", "self", "gradInput"].map(|name| call.tensor(name).cloned());
    let (grad, input, out) = (grad?, input?, out?);
    let windows = Windows::of(call, &input, ("gradOutput", &grad), ["stride", "padding"], true)?;
    call.expect_dims("gradInput", &out, &input.dims)?;
    let indices = expect_chosen(call, &windows, &input.dims[..input.dims.len() - 2], &grad.dims, chosen)?;
    Task::fallible(move |memory| {
        let grads: Vec<f64> = grad.load(memory, Width::Double);
        let places: Vec<i64> = indices.load(memory, Width::Double);
        let ([size, number], row) = (windows.sizes(), row_bytes(count(&windows.output)));
        let mut results = vec![0.0; out.count()];
        for plane in 0..windows.planes {
            for window in 0..number {
                let bit =
                    |at: usize| places[(plane * count(&windows.kernel) + at) * row + window / 8] >> (window % 8) & 1;
                let place = match chosen {
                    Chosen::Places => usize::try_from(places[plane * number + window]).ok(),
                    Chosen::Bits => windows.cells(window).find(|(at, _)| bit(*at) == 1).map(|(_, place)| place),
                };
                let Some(place) = place.filter(|place| *place < size) else {
                    return Err(format!("argument [indices]: expected a place below {size} for window {window}"));
                };
                results[plane * size + place] += grads[plane * number + window];
            }
        }
        out.store(memory, &results);
        Ok(())
    })
}

pub fn max_with_mask(call: &Call) -> Outcome<Task> {
    max(call, Chosen::Bits)
}

pub fn max_with_indices(call: &Call) -> Outcome<Task> {
    max(call, Chosen::Places)
}

pub fn max_with_mask_backward(call: &Call) -> Outcome<Task> {
    max_backward(call, Chosen::Bits)
}

pub fn max_with_indices_backward(call: &Call) -> Outcome<Task> {
    max_backward(call, Chosen::Places)
}

/// Windows as places and what their sum is divided by: of equal windows, or of windows that cover the plane.
type Means = Vec<(Vec<usize>, f64)>;

fn means(call: &Call, windows: &Windows) -> Outcome<Means> {
    let (with_padding, given) = (call.flag("countIncludePad")?, call.integer("divisorOverride")?);
    let one = |window| {
        let places: Vec<usize> = windows.cells(window).map(|(_, place)| place).collect();
        let divisor = windows.divisor(window, places.len(), with_padding, given);
        (places, divisor)
    };
    Ok((0..count(&windows.output)).map(one).collect())
}

/// Window `i` of `n` goes from i * size / n, rounded down, to (i + 1) * size / n, rounded up.
fn covering(input: [i64; 2], output: [i64; 2]) -> Means {
    let range = |dim: usize, i: i64| {
        let (size, windows) = (input[dim], output[dim]);
        (i * size / windows)..((i + 1) * size + windows - 1) / windows
    };
    let one = |window: i64| {
        let (rows, columns) = (range(0, window / output[1]), range(1, window % output[1]));
        let places: Vec<usize> = rows.flat_map(|y| columns.clone().map(move |x| (y * input[1] + x) as usize)).collect();
        let divisor = places.len() as f64;
        (places, divisor)
    };
    (0..output[0] * output[1]).map(one).collect()
}

fn average(input: &View, out: &View, means: Means) -> Outcome<Task> {
    let (input, out, size) = (input.clone(), out.clone(), count(&plane("self", input)?));
    Task::new(move |memory| {
        let values: Vec<f64> = input.load(memory, Width::Double);
        let mut results = Vec::with_capacity(out.count());
        for plane in values.chunks(size.max(1)) {
            results.extend(
                means.iter().map(|(places, divisor)| places.iter().map(|&at| plane[at]).sum::<f64>() / divisor),
            );
        }
        out.store(memory, &results);
    })
}

fn average_backward(grad: &View, out: &View, means: Means) -> Outcome<Task> {
    let (grad, out, size) = (grad.clone(), out.clone(), count(&plane("self", out)?));
    Task::new(move |memory| {
        let grads: Vec<f64> = grad.load(memory, Width::Double);
        let mut results = vec![0.0; out.count()];
        for (plane, grads) in results.chunks_mut(size.max(1)).zip(grads.chunks(means.len().max(1))) {
            for ((places, divisor), grad) in means.iter().zip(grads) {
                places.iter().for_each(|&at| plane[at] += grad / divisor);
            }
        }
        out.store(memory, &results);
    })
}

pub fn mean(call: &Call) -> Outcome<Task> {
    let (input, out) = (call.tensor("self")?, call.tensor("out")?);
    let windows = Windows::of(call, input, ("out", out), ["strides", "paddings"], false)?;
    average(input, out, means(call, &windows)?)
}

pub fn mean_backward(call: &Call) -> Outcome<Task> {
    let (grad, input, out) = (call.tensor("gradOutput")?, call.tensor("self")?, call.tensor("gradInput")?);
    let windows = Windows::of(call, input, ("gradOutput", grad), ["stride", "padding"], false)?;
    call.expect_dims("gradInput", out, &input.dims)?;
    average_backward(grad, out, means(call, &windows)?)
}

/// `small` has the planes of `large`, and windows in them.
fn adaptive((name, small): (&str, &View), large: &View) -> Outcome<Means> {
    let (input, output) = (plane("self", large)?, plane(name, small)?);
    let leading = large.dims.len() - 2;
    if small.dims.len() != large.dims.len() || small.dims[..leading] != large.dims[..leading] || output.contains(&0) {
        refuse!("argument [{name}]: expected the planes of {:?} with windows, got {:?}", large.dims, small.dims);
    }
    Ok(covering(input, output))
}

pub fn adaptive_mean(call: &Call) -> Outcome<Task> {
    let (input, out) = (call.tensor("self")?, call.tensor("out")?);
    average(input, out, adaptive(("out", out), input)?)
}

pub fn adaptive_mean_backward(call: &Call) -> Outcome<Task> {
    let (grad, input, out) = (call.tensor("gradOutput")?, call.tensor("self")?, call.tensor("out")?);
    call.expect_dims("out", out, &input.dims)?;
    average_backward(grad, out, adaptive(("gradOutput", grad), input)?)
}
