//! Load: host threads with several streams each, thousands of launches of mixed types, shapes, layouts and precisions.
//! Every result is compared bit by bit, and memory must not grow.
//!
//! `fmod-load [--threads 8] [--streams 4] [--launches 10000] [--growth 5]`, launches per stream; exit status 0 when every
//! result is right and the resident set stays within 5 % of what it was after the warm-up (the first tenth).

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fmod_tests::data::Data;
use fmod_tests::generate::{Rng, varied};
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::staged::{Bound, Staged};
use fmod_tests::{Device, DeviceBuffer, DynType, Error, Layout, Number, Runtime, Stream};

/// Launches queued on one stream before it is waited for.
const BATCH: u64 = 20;
struct Size {
    threads: u64,
    streams: u64,
    launches: u64,
    /// How much the resident set may grow after the warm-up, in percent.
    growth: u64,
}

fn main() -> ExitCode {
    match parse().and_then(|size| load(&size)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("fmod-load: {why}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Size, String> {
    let mut size = Size { threads: 8, streams: 4, launches: 10_000, growth: 5 };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let slot = match name.as_str() {
            "--threads" => &mut size.threads,
            "--streams" => &mut size.streams,
            "--launches" => &mut size.launches,
            "--growth" => &mut size.growth,
            _ => {
                return Err(format!("unknown argument `{name}`; there are --threads, --streams, --launches, --growth"));
            }
        };
        let value = arguments.next().and_then(|value| value.parse().ok()).filter(|&value| value > 0);
        *slot = value.ok_or_else(|| format!("{name} needs a number from 1"))?;
    }
    Ok(size)
}

/// A call, its operands on the device, and the bits it must leave in the written storage.
struct Case {
    name: String,
    staged: Staged,
    want: Vec<u8>,
}

fn load(size: &Size) -> Result<String, String> {
    let device = Device::open(0).map_err(text)?;
    let runtime = Runtime::get().map_err(text)?;
    let cases = cases(&device)?;
    let live = || COUNTERS.map(|name| runtime.counter(name));
    let before = live();
    let (done, start) = (AtomicU64::new(0), Instant::now());
    let total = size.threads * size.streams * size.launches;
    let samples = thread::scope(|scope| {
        let (cases, done) = (&cases, &done);
        let workers: Vec<_> =
            (1..=size.threads).map(|seed| scope.spawn(move || worker(size, seed, cases, done))).collect();
        let mut samples = Vec::new();
        while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
            samples.push((done.load(Ordering::Relaxed), resident()?));
            thread::sleep(Duration::from_millis(10));
        }
        for worker in workers {
            worker.join().map_err(|_| "a thread panicked".to_owned())??;
        }
        Ok::<_, String>(samples)
    })?;
    let after = live();
    if after != before {
        return Err(format!("objects left over: {COUNTERS:?} were {before:?} before and are {after:?} after"));
    }
    let launched = done.load(Ordering::Relaxed);
    if launched != total {
        return Err(format!("{launched} launches were compared, expected {total}"));
    }
    let seconds = start.elapsed().as_secs_f64();
    let (settled, peak) = judge(&samples, total, size.growth)?;
    let (Size { threads, streams, launches, .. }, cases) = (size, cases.len());
    Ok(format!(
        "{threads} threads x {streams} streams x {launches} launches of {cases} cases: {total} results right in \
         {seconds:.1} s; resident set {:.1} MiB after warm-up, at most {:.1} MiB later",
        mib(settled),
        mib(peak)
    ))
}

const COUNTERS: [&str; 4] = ["hc_live_executors", "hc_live_tensors", "hc_live_allocations", "hc_live_bytes"];

/// The median of the second tenth of the run, after the warm-up, and the largest median of a later tenth. Medians, because
/// the outputs that happen to be in flight come and go.
fn judge(samples: &[(u64, u64)], total: u64, growth: u64) -> Result<(u64, u64), String> {
    let median = |tenth: u64| {
        let inside = samples.iter().filter(|(done, _)| done * 10 / total == tenth);
        let mut sizes: Vec<u64> = inside.map(|(_, resident)| *resident).collect();
        sizes.sort_unstable();
        sizes.get(sizes.len() / 2).copied()
    };
    let (Some(settled), Some(later)) = (median(1), (2..10).filter_map(median).max()) else {
        return Err("the run was too short to judge its memory; take more launches".to_owned());
    };
    if later * 100 > settled * (100 + growth) {
        let (settled, later) = (mib(settled), mib(later));
        return Err(format!("the resident set grew from {settled:.1} MiB after warm-up to {later:.1} MiB"));
    }
    Ok((settled, later))
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn resident() -> Result<u64, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| format!("/proc/self/status: {error}"))?;
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next()?.parse().ok());
    kib.map(|kib: u64| kib << 10).ok_or_else(|| "/proc/self/status has no VmRSS".to_owned())
}

fn worker(size: &Size, seed: u64, cases: &[Case], done: &AtomicU64) -> Result<(), String> {
    let device = Device::open(0).map_err(text)?;
    let streams: Result<Vec<Stream>, Error> = (0..size.streams).map(|_| device.stream()).collect();
    let (streams, mut rng) = (streams.map_err(text)?, Rng::new(seed));
    let mut left = size.launches;
    while left > 0 {
        let count = left.min(BATCH);
        let mut pick = || &cases[rng.range(0, cases.len() as i32 - 1) as usize];
        let chosen: Vec<&Case> = (0..count * size.streams).map(|_| pick()).collect();
        let targets: Result<Vec<_>, Error> = chosen.iter().map(|case| case.staged.target()).collect();
        let mut targets = targets.map_err(text)?;
        run(&streams, &chosen, &mut targets).map_err(text)?;
        for (case, target) in chosen.iter().zip(&targets) {
            if target.to_vec().map_err(text)? != case.want {
                return Err(format!("thread {seed}: wrong result: {}", case.name));
            }
        }
        done.fetch_add(count * size.streams, Ordering::Relaxed);
        left -= count;
    }
    Ok(())
}

/// Launches the same number of cases on every stream and waits for all of them.
fn run(streams: &[Stream], cases: &[&Case], targets: &mut [DeviceBuffer<u8>]) -> Result<(), Error> {
    let bound: Result<Vec<Bound>, Error> =
        cases.iter().zip(targets.iter_mut()).map(|(case, target)| case.staged.bind(target)).collect();
    queue(streams, &mut bound?)
}

fn queue(streams: &[Stream], bound: &mut [Bound]) -> Result<(), Error> {
    let Some((stream, others)) = streams.split_first() else {
        return Ok(());
    };
    let (own, rest) = bound.split_at_mut(bound.len() / streams.len());
    stream.scope(|scope| {
        own.iter_mut().try_for_each(|bound| scope.launch(bound.plan()?))?;
        queue(others, rest)
    })
}

/// Every type and precision in small sizes, so that launching and not computing is what is loaded.
fn cases(device: &Device) -> Result<Vec<Case>, String> {
    let stream = device.stream().map_err(text)?;
    let stage = |(name, call): (String, Call)| {
        call.check(&stream).map_err(|failure| format!("{name}: {failure}"))?;
        // The model's bits are the same every time, those of a NaN included.
        let want = call.run(&stream).map_err(text)?.to_bytes();
        Ok(Case { name, staged: Staged::new(device, &call).map_err(text)?, want })
    };
    let kinds = DynType::SUPPORTED.into_iter().flat_map(|dtype| Mode::ALL.map(|mode| (dtype, mode)));
    kinds.flat_map(|(dtype, mode)| calls(dtype, mode)).map(stage).collect()
}

fn calls(dtype: DynType, mode: Mode) -> Vec<(String, Call)> {
    let data = |seed: u64, count: usize| varied(seed, dtype, count);
    let shaped = |seed: u64, layout: Layout| {
        let values: Data = data(seed, layout.numel());
        Operand::of(layout, &values)
    };
    let flat = |x: Data, y: Data| Call::on(Operand::flat(&x), Divisor::Tensor(Operand::flat(&y)));
    let row = |shape: &[i64]| Layout::contiguous(shape);
    let strided = || Layout::contiguous(&[11, 17]).strides(&[40, 1]).flat_storage();
    let list = [
        ("1", flat(data(1, 1), data(2, 1))),
        ("63", flat(data(3, 63), data(4, 63))),
        ("2000", flat(data(5, 2000), data(6, 2000))),
        ("300 in place", flat(data(7, 300), data(8, 300)).in_place()),
        ("scalar", Call::on(Operand::flat(&data(9, 777)), Divisor::Scalar(Number::I64(7)))),
        ("scalar in place", Call::on(Operand::flat(&data(10, 45)), Divisor::Scalar(Number::I64(3))).in_place()),
        ("broadcast", Call::on(shaped(11, row(&[13, 1, 9])), Divisor::Tensor(shaped(12, row(&[21, 1]))))),
        ("strided", Call::on(shaped(13, strided()), Divisor::Tensor(shaped(14, row(&[11, 17]))))),
    ];
    list.map(|(name, call)| (format!("{dtype:?} {mode:?} {name}"), call.with(mode))).into()
}

fn text(error: Error) -> String {
    error.to_string()
}
