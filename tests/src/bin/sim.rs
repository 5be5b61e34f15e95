//! The op's side of `cargo xtask bench sim`: calls the installed op as a caller would, under the toolkit's timing model, one
//! call for a line of input.
//!
//! * `call <dtype> <case> <data> <elements> <mode>`   launches it and answers `launched`
//! * `random <seed> <number>`   the same with the broadcast or strided call of that number, drawn from the seed
//!
//! A case is one of `CASES`; data are ordinary quotients, hard ones or wide integers. An answer that begins with `error ` ends the
//! benchmark. The results are compared elsewhere: here only the steps of the kernel are of interest.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use fmod_tests::data::Data;
use fmod_tests::generate::Rng;
use fmod_tests::golden::Mode;
use fmod_tests::{
    Device, DeviceBuffer, DynType, Layout, Number, Scalar, Stream, Tensor, TensorMut, fmod_scalar_v2, fmod_tensor_v2,
};

/// Columns of every case that has rows.
const COLUMNS: i64 = 1024;
/// Of the case `both`: x1 is `[OUTER, 1, COLUMNS]`, x2 `[OUTER, rows, 1]`.
const OUTER: i64 = 8;
/// Elements from row to row of a strided tensor: one of two halves.
const PITCH: i64 = 2048;
/// Elements after which operands repeat.
const PERIOD: usize = 1 << 16;

fn main() -> ExitCode {
    let mut side = match Side::new() {
        Ok(side) => side,
        Err(error) => {
            println!("error {}", error.to_string().replace('\n', " "));
            return ExitCode::FAILURE;
        }
    };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return ExitCode::FAILURE };
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match side.answer(&words) {
            Ok(()) => "launched".to_owned(),
            Err(why) => format!("error {}", why.replace('\n', " ")),
        };
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// What operands are like: see `pattern`.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ordinary,
    Hard,
    Wide,
}

struct Side {
    device: Device,
    stream: Stream,
    operands: Option<Operands>,
}

/// Two operands and a result, filled for one type and kind of data; as large as the largest call so far.
struct Operands {
    dtype: DynType,
    kind: Kind,
    elements: usize,
    x: DeviceBuffer<u8>,
    y: DeviceBuffer<u8>,
    out: DeviceBuffer<u8>,
}

/// How the three tensors of a call lie; without a second one the divisor is a scalar.
struct Call {
    x: Layout,
    y: Option<Layout>,
    out: Layout,
}

impl Side {
    fn new() -> fmod_tests::Result<Side> {
        let device = Device::open(0)?;
        Ok(Side { device, stream: device.stream()?, operands: None })
    }

    fn answer(&mut self, words: &[&str]) -> Result<(), String> {
        if let ["random", seed, which] = *words {
            let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is no number"));
            let (dtype, mode, call) = random(number(seed)?, number(which)?);
            return self.launch(dtype, Kind::Ordinary, &call, mode);
        }
        let ["call", dtype, case, data, elements, mode] = *words else {
            return Err(format!("unknown line `{}`", words.join(" ")));
        };
        let dtype = dtype_of(dtype)?;
        let kind = match data {
            "ordinary" => Kind::Ordinary,
            "hard" => Kind::Hard,
            "wide" => Kind::Wide,
            _ => return Err(format!("data `{data}`; there are ordinary, hard and wide")),
        };
        let elements = elements.parse().map_err(|_| format!("`{elements}` is no number of elements"))?;
        let mode = match mode {
            "tbe" => Mode::Tbe,
            "exact" => Mode::Exact,
            _ => return Err(format!("mode `{mode}`; there are tbe and exact")),
        };
        let call = layouts(case, elements)?;
        self.launch(dtype, kind, &call, mode)
    }

    fn launch(&mut self, dtype: DynType, kind: Kind, call: &Call, mode: Mode) -> Result<(), String> {
        let longest = [Some(&call.x), call.y.as_ref(), Some(&call.out)].into_iter().flatten();
        let elements = longest.map(Layout::storage_len).max().unwrap_or(0);
        let fits = |had: &Operands| had.dtype == dtype && had.kind == kind && had.elements >= elements;
        if !self.operands.as_ref().is_some_and(fits) {
            self.operands = None;
            self.operands = Some(self.fill(dtype, kind, elements).map_err(text)?);
        }
        let Some(Operands { x, y, out, .. }) = &mut self.operands else { return Err("no operands".to_owned()) };
        let x = Tensor::with_type(x, dtype, &call.x).map_err(text)?;
        let mut out = TensorMut::with_type(out, dtype, &call.out).map_err(text)?;
        let Some(layout) = &call.y else {
            let number = if dtype.is_floating() { Number::F32(1.7) } else { Number::I32(7) };
            let scalar = Scalar::new(&self.device, number).map_err(text)?;
            return fmod_scalar_v2(&x, &scalar, mode, &mut out).and_then(|plan| plan.run(&self.stream)).map_err(text);
        };
        let y = Tensor::with_type(y, dtype, layout).map_err(text)?;
        fmod_tensor_v2(&x, &y, mode, &mut out).and_then(|plan| plan.run(&self.stream)).map_err(text)
    }

    fn fill(&self, dtype: DynType, kind: Kind, elements: usize) -> fmod_tests::Result<Operands> {
        let (x, y) = pattern(dtype, kind);
        let bytes = elements * dtype.bytes();
        let upload = |pattern: &[u8]| {
            let mut all = pattern.repeat(bytes.div_ceil(pattern.len()));
            all.truncate(bytes);
            self.device.upload(&all)
        };
        let (x, y, out) = (upload(&x)?, upload(&y)?, self.device.alloc(bytes)?);
        Ok(Operands { dtype, kind, elements, x, y, out })
    }
}

/// Ordinary: dividends in [-100, 100], divisors of 0.125 to 16 with either sign; integers over their range by 1 to 1000.
/// Wide: int32 of any value by any odd one.
/// Hard: besides, every 64th quotient is far beyond what one division can give, so that every tile has some.
fn pattern(dtype: DynType, kind: Kind) -> (Vec<u8>, Vec<u8>) {
    let mut rng = Rng::new(1);
    let (mut x, mut y) = (Vec::with_capacity(PERIOD), Vec::with_capacity(PERIOD));
    for i in 0..PERIOD {
        let sign = if rng.next_u32() & 1 == 0 { 1.0 } else { -1.0 };
        if dtype.is_floating() {
            let far = kind == Kind::Hard && i % 64 == 0;
            x.push(if far { 60000.0 } else { rng.uniform(-100.0, 100.0) });
            y.push(if far { 0.000_061_1 } else { rng.uniform(0.125, 16.0) * sign });
        } else if kind == Kind::Wide {
            x.push(f64::from(rng.next_u32() as i32));
            y.push(f64::from(rng.next_u32() as i32 | 1));
        } else {
            x.push(f64::from(rng.range(-32768, 32767)));
            y.push(f64::from(rng.range(1, 1000)) * sign);
        }
    }
    (Data::encode(dtype, x).to_bytes(), Data::encode(dtype, y).to_bytes())
}

/// A broadcast or strided call of 2^10 to 2^22 elements: two to four axes of any lengths, of which each operand may lack some,
/// or rows that lie apart in memory. It is for comparing two versions on shapes that nobody has looked at.
fn random(seed: u64, number: u64) -> (DynType, Mode, Call) {
    const DTYPES: [DynType; 7] =
        [DynType::F32, DynType::F16, DynType::BF16, DynType::I16, DynType::I32, DynType::I8, DynType::U8];
    let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
    let mut below = |limit: i64| (rng.next_u64() % limit as u64) as i64;
    let (dtype, mode) = (DTYPES[below(7) as usize], Mode::ALL[below(2) as usize]);
    let bits = 10 + below(13);
    let rank = 2 + below(3) as usize;
    let mut shape = vec![1; rank];
    let mut left = 1i64 << bits;
    for axis in (0..rank).rev() {
        let share = if axis == 0 { left } else { 1 + below(left.min(1 << (bits * 2 / rank as i64))) };
        shape[axis] = share.max(1);
        left = (left / shape[axis]).max(1);
    }
    if number % 3 == 2 {
        let columns = shape[rank - 1].max(64);
        let all = [shape[..rank - 1].iter().product(), columns];
        let mut rows =
            || Layout::contiguous(&all).strides(&[columns + below(3) * (8 + below(columns)), 1]).flat_storage();
        return (dtype, mode, Call { x: rows(), y: Some(rows()), out: rows() });
    }
    let lacks = (1 + below((1 << rank) - 1), if below(2) == 0 { 0 } else { below(1 << rank) });
    let without = |axes: i64| {
        let dims = shape.iter().enumerate().map(|(axis, dim)| if axes >> axis & 1 == 1 { 1 } else { *dim });
        Layout::contiguous(&dims.collect::<Vec<_>>())
    };
    let other = lacks.1 & !lacks.0; // every axis is somebody's
    let (x, y) =
        if number.is_multiple_of(2) { (without(other), without(lacks.0)) } else { (without(lacks.0), without(other)) };
    (dtype, mode, Call { x, y: Some(y), out: Layout::contiguous(&shape) })
}

fn layouts(case: &str, elements: i64) -> Result<Call, String> {
    let rows = elements / COLUMNS;
    if case != "same" && case != "scalar" && (elements % (COLUMNS * OUTER) != 0 || rows < OUTER) {
        return Err(format!("{elements} elements of {case} are no multiple of {}", COLUMNS * OUTER));
    }
    let dense = Layout::contiguous;
    let all = dense(&[rows, COLUMNS]);
    let call = |x: Layout, y: Layout, out: Layout| Call { x, y: Some(y), out };
    let strided = || dense(&[rows, COLUMNS]).strides(&[PITCH, 1]).storage(&[rows * PITCH]);
    Ok(match case {
        "same" => call(dense(&[elements]), dense(&[elements]), dense(&[elements])),
        "scalar" => Call { x: dense(&[elements]), y: None, out: dense(&[elements]) },
        "row" => call(all.clone(), dense(&[COLUMNS]), all),
        "column" => call(all.clone(), dense(&[rows, 1]), all),
        "both" => {
            call(dense(&[OUTER, 1, COLUMNS]), dense(&[OUTER, rows / OUTER, 1]), dense(&[OUTER, rows / OUTER, COLUMNS]))
        }
        "strided" => call(strided(), all, strided()),
        _ => return Err(format!("case `{case}`; there are same, scalar, row, column, both, strided")),
    })
}

fn dtype_of(name: &str) -> Result<DynType, String> {
    match name {
        "f32" => Ok(DynType::F32),
        "f16" => Ok(DynType::F16),
        "bf16" => Ok(DynType::BF16),
        "i16" => Ok(DynType::I16),
        "i32" => Ok(DynType::I32),
        "i8" => Ok(DynType::I8),
        "u8" => Ok(DynType::U8),
        _ => Err(format!("dtype `{name}`; there are f32, f16, bf16, i16, i32, i8, u8")),
    }
}

fn text(error: fmod_tests::Error) -> String {
    error.to_string()
}
