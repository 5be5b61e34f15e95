//! Load: host threads with several streams each, thousands of launches of mixed types, shapes, layouts and precisions.
//! Every result is compared bit by bit, and nothing may be left over.
//!
//! `fmod-load [--threads 8] [--streams 4] [--launches 10000]`, launches per stream; exit status 0 when every result is right
//! and no object stays behind. Preloaded with `tests/load/live_heap.cpp` it counts the blocks on the process's heap after
//! each of five rounds, when all threads have ended: what a round leaves behind is exact, unlike the resident set.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use fmod_tests::data::Data;
use fmod_tests::generate::{Rng, varied};
use fmod_tests::golden::Mode;
use fmod_tests::host::{Call, Divisor, Operand};
use fmod_tests::staged::{Bound, Staged};
use fmod_tests::{Device, DeviceBuffer, DynType, Error, Layout, Number, Runtime, Stream};

/// Launches queued on one stream before it is waited for.
const BATCH: u64 = 20;
/// Each does the same with threads and streams of its own; the first fills the caches that live on.
const ROUNDS: u64 = 5;
/// One block left behind in 100 launches is a leak; what comes and goes by chance stays far below half of that.
const LAUNCHES_PER_BLOCK: u64 = 200;

struct Size {
    threads: u64,
    streams: u64,
    launches: u64,
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
    let mut size = Size { threads: 8, streams: 4, launches: 10_000 };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let slot = match name.as_str() {
            "--threads" => &mut size.threads,
            "--streams" => &mut size.streams,
            "--launches" => &mut size.launches,
            _ => return Err(format!("unknown argument `{name}`; there are --threads, --streams, --launches")),
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
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        // The rest goes to the first round, which is not judged.
        let launches = size.launches / ROUNDS + if round == 0 { size.launches % ROUNDS } else { 0 };
        run_round(&Size { launches, ..*size }, round, &cases, &done)?;
        rounds.push(HEAP.map(heap));
    }
    let after = live();
    if after != before {
        return Err(format!("objects left over: {COUNTERS:?} were {before:?} before and are {after:?} after"));
    }
    let (launched, total) = (done.load(Ordering::Relaxed), size.threads * size.streams * size.launches);
    if launched != total {
        return Err(format!("{launched} launches were compared, expected {total}"));
    }
    let heap = judge(&rounds, size.threads * size.streams * (size.launches / ROUNDS))?;
    let (Size { threads, streams, launches }, cases) = (size, cases.len());
    let seconds = start.elapsed().as_secs_f64();
    Ok(format!(
        "{threads} threads x {streams} streams x {launches} launches of {cases} cases: {total} results right in \
         {seconds:.1} s; {heap}"
    ))
}

fn run_round(size: &Size, round: u64, cases: &[Case], done: &AtomicU64) -> Result<(), String> {
    thread::scope(|scope| {
        let seeds = (1..=size.threads).map(|thread| round * size.threads + thread);
        let workers: Vec<_> = seeds.map(|seed| scope.spawn(move || worker(size, seed, cases, done))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread panicked".to_owned())?)
    })
}

const COUNTERS: [&str; 4] = ["hc_live_executors", "hc_live_tensors", "hc_live_allocations", "hc_live_bytes"];

const HEAP: [&str; 2] = ["live_heap_blocks", "live_heap_bytes"];

/// A counter of the preloaded library; `None` without it.
fn heap(name: &str) -> Option<u64> {
    let process = libloading::os::unix::Library::this();
    // SAFETY: the library's functions have no arguments and only read.
    unsafe { process.get::<unsafe extern "C" fn() -> u64>(name.as_bytes()).ok().map(|counter| counter()) }
}

/// What rounds of `launches` leave on the heap: the least of the last two against the most of the first two, so that what
/// comes late or goes late by chance does not count.
fn judge(rounds: &[[Option<u64>; 2]], launches: u64) -> Result<String, String> {
    let blocks: Vec<u64> = rounds.iter().filter_map(|[blocks, _]| *blocks).collect();
    let bytes: Vec<u64> = rounds.iter().filter_map(|[_, bytes]| *bytes).collect();
    let [a, b, .., y, z] = blocks[..] else {
        return Ok("the heap was not counted".to_owned());
    };
    let text = format!("on the heap after each round {blocks:?} blocks, {bytes:?} bytes");
    let between = launches * (ROUNDS - 3);
    if y.min(z).saturating_sub(a.max(b)) > between / LAUNCHES_PER_BLOCK {
        return Err(format!("{between} launches leave something behind: {text}"));
    }
    Ok(text)
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
