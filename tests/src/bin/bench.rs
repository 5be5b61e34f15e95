//! One side of `cargo xtask bench host`: the installed op, driven line by line over stdin and stdout. The other side,
//! `np.fmod`, is `bench/numpy_side.py` and speaks the same lines.
//!
//! * `about`                                     what this side is, for the report
//! * `checker`                                   `on` when the toolkit checks kernels in this process, else `off`
//! * `make <dtype> <elements> <dir>`             writes operands, `x.bin` and `y.bin`
//! * `load <dtype> <elements> <mode> <dir>`      reads them, makes the output, runs once
//! * `run`                                       one call, its time in nanoseconds
//! * `check`                                     compares the latest output with the golden model
//! * `compare <file>`                            number of elements that differ from the file's, NaN equal to NaN
//!
//! An answer is one line; one that begins with `error ` ends the benchmark.

use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use fmod_tests::data::Data;
use fmod_tests::generate::Rng;
use fmod_tests::golden::{Mode, results};
use fmod_tests::{
    Device, DeviceBuffer, DynType, Layout, Runtime, Stream, Tensor, TensorMut, fmod_tensor, fmod_tensor_v2,
};

type Answer = Result<String, String>;

fn main() -> ExitCode {
    let mut side = Side { stream: None, loaded: None };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return ExitCode::FAILURE };
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = side.answer(&words).unwrap_or_else(|why| format!("error {}", why.replace('\n', " ")));
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

struct Side {
    stream: Option<Stream>,
    loaded: Option<Loaded>,
}

struct Loaded {
    dtype: DynType,
    mode: Mode,
    layout: Layout,
    x: DeviceBuffer<u8>,
    y: DeviceBuffer<u8>,
    out: DeviceBuffer<u8>,
}

impl Side {
    fn answer(&mut self, words: &[&str]) -> Answer {
        match *words {
            ["about"] => about(),
            ["checker"] => checker(),
            ["make", dtype, elements, dir] => make(dtype_of(dtype)?, count(elements)?, Path::new(dir)),
            ["load", dtype, elements, mode, dir] => {
                self.load(dtype_of(dtype)?, count(elements)?, mode_of(mode)?, Path::new(dir))
            }
            ["run"] => self.run(),
            ["check"] => self.check(),
            ["compare", file] => self.compare(Path::new(file)),
            _ => Err(format!("unknown line `{}`", words.join(" "))),
        }
    }

    fn load(&mut self, dtype: DynType, elements: usize, mode: Mode, dir: &Path) -> Answer {
        self.loaded = None;
        let device = Device::open(0).map_err(text)?;
        if self.stream.is_none() {
            self.stream = Some(device.stream().map_err(text)?);
        }
        let operand = |name: &str| {
            let path = dir.join(name);
            let bytes = fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
            if bytes.len() != elements * dtype.bytes() {
                return Err(format!("{} has {} bytes, expected {elements} elements", path.display(), bytes.len()));
            }
            device.upload(&bytes).map_err(text)
        };
        let (x, y) = (operand("x.bin")?, operand("y.bin")?);
        let out = device.alloc(elements * dtype.bytes()).map_err(text)?;
        self.loaded = Some(Loaded { dtype, mode, layout: Layout::contiguous(&[elements as i64]), x, y, out });
        self.run().map(|_| "loaded".to_owned())
    }

    fn loaded(&self) -> Result<&Loaded, String> {
        self.loaded.as_ref().ok_or_else(|| "nothing is loaded".to_owned())
    }

    /// Both phases and the wait, as a caller that needs the result sees them; the descriptors are made before.
    fn run(&mut self) -> Answer {
        let (Some(stream), Some(Loaded { dtype, mode, layout, x, y, out })) = (&self.stream, &mut self.loaded) else {
            return Err("nothing is loaded".to_owned());
        };
        let (x, y) = (Tensor::with_type(x, *dtype, layout), Tensor::with_type(y, *dtype, layout));
        let (x, y) = (x.map_err(text)?, y.map_err(text)?);
        let mut out = TensorMut::with_type(out, *dtype, layout).map_err(text)?;
        let start = Instant::now();
        let plan = match mode {
            Mode::Tbe => fmod_tensor(&x, &y, &mut out),
            Mode::Exact => fmod_tensor_v2(&x, &y, Mode::Exact, &mut out),
        };
        plan.and_then(|plan| plan.run(stream)).map_err(text)?;
        Ok(start.elapsed().as_nanos().to_string())
    }

    fn check(&self) -> Answer {
        let Loaded { dtype, mode, x, y, out, .. } = self.loaded()?;
        let data = |buffer: &DeviceBuffer<u8>| Ok(Data::from_bytes(*dtype, &buffer.to_vec()?));
        let data = |buffer| data(buffer).map_err(text);
        let want = results(&data(x)?, &data(y)?, *dtype, *dtype, *mode);
        match differing(&data(out)?, &want) {
            0 => Ok("right".to_owned()),
            wrong => Err(format!("{wrong} of {} results differ from the golden model", want.len())),
        }
    }

    fn compare(&self, file: &Path) -> Answer {
        let Loaded { dtype, out, .. } = self.loaded()?;
        let bytes = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let (own, other) = (Data::from_bytes(*dtype, &out.to_vec().map_err(text)?), Data::from_bytes(*dtype, &bytes));
        if own.len() != other.len() {
            return Err(format!("{} has {} elements, expected {}", file.display(), other.len(), own.len()));
        }
        Ok(differing(&own, &other).to_string())
    }
}

fn differing(a: &Data, b: &Data) -> usize {
    let nan = |bits: &u32| a.dtype.is_nan(*bits);
    a.bits.iter().zip(&b.bits).filter(|(a, b)| a != b && !(nan(a) && nan(b))).count()
}

fn about() -> Answer {
    Runtime::get().map_err(text)?;
    let set = std::env::var("HOSTCANN_THREADS").ok().and_then(|value| value.parse().ok());
    let threads = set.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    Ok(format!("installed op, {threads} host thread{}", if threads == 1 { "" } else { "s" }))
}

/// Asked from the toolkit and not from the environment: a toolkit that ignores `HOSTCANN_CHECK` must not look fast.
fn checker() -> Answer {
    let on = Runtime::get().map_err(text)?.counter("hc_check_enabled").is_some_and(|on| on != 0);
    Ok(if on { "on" } else { "off" }.to_owned())
}

/// Dividends over the type's useful range, divisors that are never 0: quotients from 0 to some thousand.
fn make(dtype: DynType, elements: usize, dir: &Path) -> Answer {
    let mut rng = Rng::new(1);
    let (mut x, mut y) = (Vec::with_capacity(elements), Vec::with_capacity(elements));
    for _ in 0..elements {
        if dtype.is_floating() {
            x.push(rng.uniform(-100.0, 100.0));
            y.push(rng.uniform(0.125, 16.0) * if rng.next_u32() & 1 == 0 { 1.0 } else { -1.0 });
        } else {
            x.push(f64::from(rng.range(-32768, 32767)));
            y.push(f64::from(rng.range(1, 1000) * if rng.next_u32() & 1 == 0 { 1 } else { -1 }));
        }
    }
    for (name, numbers) in [("x.bin", x), ("y.bin", y)] {
        let path = dir.join(name);
        let bytes = Data::encode(dtype, numbers).to_bytes();
        fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok("made".to_owned())
}

fn dtype_of(name: &str) -> Result<DynType, String> {
    match name {
        "f32" => Ok(DynType::F32),
        "f16" => Ok(DynType::F16),
        "i16" => Ok(DynType::I16),
        _ => Err(format!("dtype `{name}`; allowed are f32, f16, i16")),
    }
}

fn mode_of(name: &str) -> Result<Mode, String> {
    match name {
        "tbe" => Ok(Mode::Tbe),
        "exact" => Ok(Mode::Exact),
        _ => Err(format!("mode `{name}`; allowed are tbe, exact")),
    }
}

fn count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or_else(|| format!("`{text}` is no number of elements"))
}

fn text(error: fmod_tests::Error) -> String {
    error.to_string()
}
