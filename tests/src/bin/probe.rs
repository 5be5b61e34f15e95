//! Helper process of the tests: does in a process of its own what would disturb other tests, and prints what it saw.
//!
//! * `fmod-probe bits <seed> <count>`   results of tensor and scalar API on generated data, one hexadecimal word per line
//! * `fmod-probe sweep <last> <step>`   tensor and scalar API on every multiple of step up to last, ± 1, against the golden
//! * `fmod-probe load`                  loads the package, prints its path
//! * `fmod-probe lifecycle`             status codes of repeated aclInit and aclFinalize
//! * `fmod-probe leaks <rounds>`        object counters before and after many calls and refusals
//! * `fmod-probe deferred`              drops a buffer whose memory is gone, prints what the next call says

use std::process::ExitCode;

use fmod_tests::generate::ordinary;
use fmod_tests::golden::Mode;
use fmod_tests::host::Call;
use fmod_tests::{Device, DynType, Error, Layout, Number, Runtime, Stream, Tensor, TensorMut, fmod_tensor};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["bits", seed, count] => match (seed.parse(), count.parse()) {
            (Ok(seed), Ok(count)) => bits(seed, count),
            _ => return usage(),
        },
        ["sweep", last, step] => match (last.parse(), step.parse()) {
            (Ok(last), Ok(step)) if step > 1 => return sweep(last, step),
            _ => return usage(),
        },
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
        "usage: fmod-probe bits <seed> <count> | sweep <last> <step> | load | lifecycle | leaks <rounds> | deferred"
    );
    ExitCode::from(2)
}

fn bits(seed: u64, count: usize) -> Result<(), Error> {
    let stream = Device::open(0)?.stream()?;
    let (x, y) = ordinary(seed, count);
    let mut text = String::new();
    for call in [Call::tensor(&x, &y), Call::scalar(&x, Number::F32(1.1)), Call::tensor(&x, &y).in_place()] {
        for value in &call.run(&stream)?[..count] {
            text.push_str(&format!("{:08x}\n", value.to_bits()));
        }
    }
    print!("{text}");
    Ok(())
}

fn sweep(last: usize, step: usize) -> ExitCode {
    let (x, y) = ordinary(9, last + 1);
    let check = |stream: &Stream, size: usize| {
        let (x, y) = (&x[..size], &y[..size]);
        Call::tensor(x, y).check(stream, Mode::Tbe)?;
        Call::scalar(x, Number::F32(1.7)).check(stream, Mode::Tbe)
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
    let self_ = Tensor::with_type(&wrong, DynType::I64, &strided)?;
    let mut out = TensorMut::new(&mut out, &strided)?;
    match fmod_tensor(&self_, &self_, &mut out) {
        Err(Error { code: Some(161002), .. }) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(Error::refused("leaks", "an int64 tensor was accepted")),
    }
}
