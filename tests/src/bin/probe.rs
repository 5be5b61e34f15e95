//! Helper process of the tests: does in a process of its own what would disturb other tests, and prints what it saw.
//!
//! * `fmod-probe sweep <last> <step>`   tensor and scalar API on every multiple of step up to last, ± 1, against the golden
//! * `fmod-probe battery`              a hash of the result of every call of the battery, one line each
//! * `fmod-probe switches`             the battery against the golden under the HOSTCANN_ switches of the environment
//! * `fmod-probe limits`                likewise, the calls around the limits of the exact kernels
//! * `fmod-probe load`                  loads the package, prints its path
//! * `fmod-probe lifecycle`             status codes of repeated aclInit and aclFinalize
//! * `fmod-probe leaks <rounds>`        object counters before and after many calls and refusals
//! * `fmod-probe deferred`              drops a buffer whose memory is gone, prints what the next call says

use std::process::ExitCode;

use fmod_tests::battery::calls;
use fmod_tests::data::Data;
use fmod_tests::generate::ordinary;
use fmod_tests::golden::Mode;
use fmod_tests::host::Call;
use fmod_tests::limits;
use fmod_tests::{Device, DynType, Error, Layout, Number, Runtime, Stream, Tensor, TensorMut, fmod_tensor};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["sweep", last, step] => match (last.parse(), step.parse()) {
            (Ok(last), Ok(step)) if step > 1 => return sweep(last, step),
            _ => return usage(),
        },
        ["battery"] => battery(),
        ["switches"] => return switches(all_calls()),
        ["limits"] => return switches(limits::calls()),
        ["load"] => Runtime::get().map(|runtime| println!("{}", runtime.path().display())),
        ["lifecycle"] => lifecycle(),
        ["deferred"] => deferred(),
        ["leaks", rounds] => match rounds.parse() {
            Ok(rounds) => leaks(rounds),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: fmod-probe sweep <last> <step> | battery | switches | limits | load | lifecycle | leaks <rounds> | deferred"
    );
    ExitCode::from(2)
}

fn sweep(last: usize, step: usize) -> ExitCode {
    let (x, y) = ordinary(9, last + 1);
    let check = |stream: &Stream, size: usize| {
        let (x, y) = (&x[..size], &y[..size]);
        Call::tensor(x, y).check(stream)?;
        Call::scalar(x, Number::F32(1.7)).check(stream)
    };
    let stream = match Device::open(0).and_then(|device| device.stream()) {
        Ok(stream) => stream,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for size in (step..=last).step_by(step).flat_map(|size| [size - 1, size, size + 1]) {
        if let Err(failure) = check(&stream, size) {
            eprintln!("{size} elements: {failure}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn all_calls() -> impl Iterator<Item = (String, Call)> {
    let kinds = DynType::SUPPORTED.into_iter().flat_map(|dtype| Mode::ALL.map(|mode| (dtype, mode)));
    kinds.flat_map(|(dtype, mode)| calls(dtype, mode))
}

/// FNV-1a of the result's bits; every NaN counts as the same one.
fn battery() -> Result<(), Error> {
    let stream = Device::open(0)?.stream()?;
    for (name, call) in all_calls() {
        let result = call.result(&stream)?;
        let word = |bits: &u32| if result.dtype.is_nan(*bits) { u64::from(u32::MAX) } else { u64::from(*bits) };
        let hash = |hash: u64, bits: &u32| (hash ^ word(bits)).wrapping_mul(0x0100_0000_01b3);
        println!("{name}: {:016x}", result.bits.iter().fold(0xcbf2_9ce4_8422_2325, hash));
    }
    Ok(())
}

/// What must hold whatever the hardware does: integers and exact mode never move; of tbe mode only the quotient does, by as
/// much as `HOSTCANN_DIV_ULP` says (`random`: by -1, 0 or 1 ulp, element by element), and nothing else follows. Left out are
/// * with `HOSTCANN_FTZ=on`, pairs with an operand or a result that is subnormal in fp32: nothing can give them back;
/// * with `HOSTCANN_FTZ=div`, in tbe mode, subnormal divisors, which divide like zero;
/// * with `HOSTCANN_SATURATION=saturate`, NaN and infinite results of the 16-bit types, which that mode replaces.
///
/// They stay in the data: their neighbours must be right. `HOSTCANN_FMA` leaves nothing out.
fn switches(calls: impl IntoIterator<Item = (String, Call)>) -> ExitCode {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|set| set == value);
    let (flushes, saturates) = (is("HOSTCANN_FTZ", "on"), is("HOSTCANN_SATURATION", "saturate"));
    let div_flushes = is("HOSTCANN_FTZ", "div");
    let ulps: &[i32] = match std::env::var("HOSTCANN_DIV_ULP").as_deref() {
        Ok("+1") => &[1],
        Ok("-1") => &[-1],
        Ok("random") => &[0, 1, -1],
        _ => &[0],
    };
    let stream = match Device::open(0).and_then(|device| device.stream()) {
        Ok(stream) => stream,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let subnormal = |number: f64| number != 0.0 && number.abs() < f64::from(f32::MIN_POSITIVE);
    let mut failures = 0;
    for (name, call) in calls {
        let dtype = call.computed();
        let is_tbe = dtype.is_floating() && call.mode == Some(Mode::Tbe);
        let replaces = saturates && matches!(dtype, DynType::F16 | DynType::BF16);
        let counts = |x: f64, y: f64, result: f64| {
            let flushed = flushes && dtype.is_floating() && [x, y, result].into_iter().any(subnormal);
            let divided = div_flushes && is_tbe && subnormal(y);
            let replaced = replaces && !result.is_finite();
            !(flushed || divided || replaced)
        };
        let ulps = if is_tbe { ulps } else { &[0] };
        let wants: Result<Vec<Data>, Error> = ulps.iter().map(|ulps| call.golden_on(*ulps)).collect();
        let checked = wants.map_err(Into::into).and_then(|wants| call.check_one_of(&stream, &wants, counts));
        if let Err(failure) = checked {
            eprintln!("{name}: {failure}");
            failures += 1;
        }
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn lifecycle() -> Result<(), Error> {
    let api = Runtime::loaded()?.api();
    // SAFETY: no other thread and no object of the library exists in this process.
    let codes = unsafe {
        [
            api.aclInit(std::ptr::null()),
            api.aclInit(std::ptr::null()),
            api.aclFinalize(),
            api.aclFinalize(),
            api.aclInit(std::ptr::null()),
        ]
    };
    println!("{}", codes.map(|code| code.to_string()).join(" "));
    Ok(())
}

fn deferred() -> Result<(), Error> {
    let device = Device::open(0)?;
    let buffer = device.alloc::<f32>(64)?;
    // SAFETY: a live device pointer; the buffer's own free, in its drop, is then the second and must fail.
    let code = unsafe { device.runtime().api().aclrtFree(buffer.as_ptr()) };
    println!("{code}");
    drop(buffer);
    for _ in 0..2 {
        println!("{}", device.bind().err().map_or("nothing", |error| error.call));
    }
    Ok(())
}

/// Counters of objects that exist, exported by the host toolkit for tests.
const COUNTERS: [&str; 4] = ["hc_live_executors", "hc_live_tensors", "hc_live_allocations", "hc_live_bytes"];

fn leaks(rounds: usize) -> Result<(), Error> {
    let device = Device::open(0)?;
    let show = |what: &str| {
        let counts = COUNTERS.map(|symbol| match device.runtime().counter(symbol) {
            Some(count) => format!("{symbol}={count}"),
            None => format!("{symbol}=absent"),
        });
        println!("{what} {}", counts.join(" "));
    };
    // The first calls may fill caches that live on.
    work(&device)?;
    show("before");
    for _ in 0..rounds {
        work(&device)?;
    }
    show("after");
    Ok(())
}

fn work(device: &Device) -> Result<(), Error> {
    let stream = device.stream()?;
    let (x, y) = ordinary(1, 100);
    let strided = Layout::contiguous(&[50]).strides(&[2]).flat_storage();
    let mut calls = vec![Call::tensor(&x, &y), Call::scalar(&x, Number::F64(3.0))];
    calls.extend([Call::tensor(&x, &y).in_place(), Call::scalar(&x, Number::I32(3)).in_place()]);
    for call in calls {
        call.run(&stream)?;
    }
    // A refusal must not keep its executor either.
    let wrong = device.upload(&[0u8; 800])?;
    let mut out = device.alloc::<f32>(100)?;
    let self_ = Tensor::with_type(&wrong, DynType::U64, &strided)?;
    let mut out = TensorMut::new(&mut out, &strided)?;
    match fmod_tensor(&self_, &self_, &mut out) {
        Err(Error { code: Some(161002), .. }) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(Error::refused("leaks", "a uint64 tensor was accepted")),
    }
}
