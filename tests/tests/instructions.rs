//! What the installed kernels ask of the vector unit: f32-equivalent vector instructions per element and bank conflicts,
//! as the core model of the host toolkit counts them. Another toolkit cannot, and the test says so.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use fmod_tests::golden::Mode;
use fmod_tests::sys::{hc_launch_stats as LaunchStats, hc_opcode_stats as OpcodeStats};
use fmod_tests::{
    DataType, Device, Layout, Number, Runtime, Scalar, Stream, Tensor, TensorMut, fmod_scalar_v2, fmod_tensor_v2,
};
use half::{bf16, f16};
use libloading::{Library, Symbol};

/// Enough whole tiles for every core of every SoC; both sizes share the number of blocks, so that the difference of
/// their counts is free of what a block does once.
const SIZES: [usize; 2] = [1 << 20, 1 << 21];
/// Opcodes of the reductions in the exact mode, which bring a tile's extremes to the scalar unit.
const PROBE: [&str; 4] = ["BlockReduceMax", "BlockReduceMin", "WholeReduceMax", "WholeReduceMin"];
/// Elements between special values: less than a tile has.
const SPECIAL: usize = 4000;

struct Counters(Library);

impl Counters {
    /// None with a toolkit that is not the host toolkit; the host toolkit has to have them.
    fn open(runtime: &Runtime) -> Option<Counters> {
        // SAFETY: the runtime has loaded this library already.
        let library = unsafe { Library::new("libascendcl.so") }.ok()?;
        // SAFETY: only asks whether the symbol exists.
        let has = |symbol: &[u8]| unsafe { library.get::<unsafe extern "C" fn()>(symbol) }.is_ok();
        let is_host = runtime.is_host_toolkit();
        assert!(!is_host || has(b"hc_stats_enable"), "the host toolkit has lost hc_stats_enable");
        is_host.then_some(Counters(library))
    }

    fn get<F>(&self, name: &str) -> Result<Symbol<'_, F>> {
        // SAFETY: the types below are those of hostcann/stats.h.
        unsafe { self.0.get(name.as_bytes()) }.with_context(|| name.to_owned())
    }

    fn enable(&self, on: bool) -> Result<()> {
        let enable = self.get::<unsafe extern "C" fn(i32) -> i32>("hc_stats_enable")?;
        // SAFETY: no pointers.
        ensure!(unsafe { enable(on.into()) } == 0, "hc_stats_enable failed");
        Ok(())
    }

    fn reset(&self) -> Result<()> {
        let reset = self.get::<unsafe extern "C" fn() -> i32>("hc_stats_reset")?;
        // SAFETY: no pointers.
        ensure!(unsafe { reset() } == 0, "hc_stats_reset failed");
        Ok(())
    }

    fn total(&self) -> Result<LaunchStats> {
        let read = self.get::<unsafe extern "C" fn(*mut LaunchStats) -> i32>("hc_stats_read")?;
        let mut stats = LaunchStats::default();
        // SAFETY: a valid structure.
        ensure!(unsafe { read(&mut stats) } == 0, "hc_stats_read failed");
        Ok(stats)
    }

    /// Every vector instruction that the toolkit knows.
    fn opcodes(&self) -> Result<BTreeMap<String, OpcodeStats>> {
        let name = self.get::<unsafe extern "C" fn(u32) -> *const c_char>("hc_stats_opcode_name")?;
        let read = self.get::<unsafe extern "C" fn(*const c_char, *mut OpcodeStats) -> i32>("hc_stats_read_opcode")?;
        let mut all = BTreeMap::new();
        for index in 0.. {
            // SAFETY: no pointers.
            let text = unsafe { name(index) };
            if text.is_null() {
                break;
            }
            // SAFETY: a C string that lives as long as the library.
            let text: CString = unsafe { CStr::from_ptr(text) }.into();
            let mut stats = OpcodeStats::default();
            // SAFETY: a C string and a valid structure.
            ensure!(unsafe { read(text.as_ptr(), &mut stats) } == 0, "hc_stats_read_opcode({text:?}) failed");
            all.insert(text.to_string_lossy().into_owned(), stats);
        }
        Ok(all)
    }
}

/// The opcodes of one call, which are checked to be all that the call did, and its totals.
struct Counts {
    opcodes: BTreeMap<String, OpcodeStats>,
    total: LaunchStats,
}

impl Counts {
    fn read(counters: &Counters) -> Result<Counts> {
        let (opcodes, total) = (counters.opcodes()?, counters.total()?);
        let sum = |f: fn(&OpcodeStats) -> u64| opcodes.values().map(f).sum::<u64>();
        ensure!(sum(|o| o.f32_equivalents) == total.f32_equivalents, "{total:?} is not the sum of {opcodes:?}");
        ensure!(sum(|o| o.instructions) == total.vector_instructions, "{total:?} is not the sum of {opcodes:?}");
        ensure!(sum(|o| o.read_conflicts) == total.read_conflicts, "{total:?} is not the sum of {opcodes:?}");
        ensure!(sum(|o| o.write_conflicts) == total.write_conflicts, "{total:?} is not the sum of {opcodes:?}");
        Ok(Counts { opcodes, total })
    }
}

/// The operands of a call: flat tensors, or a tensor and a number.
enum Divisor<'a, T> {
    Tensor(&'a [T], Layout),
    Scalar(Number),
}

struct Bench {
    counters: Counters,
    stream: Stream,
    report: String,
    wrong: String,
}

/// Quotients below 2^12 without special values: the exact mode stays on its shortest path.
fn ring<T: DataType>(low: usize, step: usize, length: usize, size: usize) -> Vec<T> {
    let values: Vec<T> = (0..length).map(|i| T::from_f64((low + i * step % length) as f64)).collect();
    values.into_iter().cycle().take(size).collect()
}

/// Quotients of fp32 that reach beyond 2^12: the exact mode needs their lower halves, too. Other types stay as they are.
fn widen<T: DataType>(x: &mut [T]) {
    if size_of::<T>() == 4 {
        x.iter_mut().enumerate().for_each(|(i, value)| *value = T::from_f64((i * 37 % 101 * 10000) as f64));
    }
}

/// Dividends that fp32 does not divide exactly.
fn enlarge(x: &mut [i32]) {
    x.iter_mut().enumerate().for_each(|(i, value)| *value = (1 << 20) + i as i32 % 1000);
}

/// The same with divisors that leave quotients below 2^20.
fn wide(x: &mut [i32], y: &mut [i32]) {
    enlarge(x);
    y.iter_mut().for_each(|value| *value += 7);
}

/// Instructions per element and repeats of 64 lanes with a conflict per 64 elements, by opcode.
struct PerElement {
    instructions: BTreeMap<String, f64>,
    read_conflicts: BTreeMap<String, f64>,
    write_conflicts: BTreeMap<String, f64>,
}

impl PerElement {
    fn total(&self) -> f64 {
        self.instructions.values().sum()
    }

    fn probe(&self) -> f64 {
        PROBE.iter().filter_map(|opcode| self.instructions.get(*opcode)).sum()
    }
}

impl Bench {
    fn count<T: DataType>(&self, mode: Mode, x: &[T], layout: &Layout, y: &Divisor<T>) -> Result<Counts> {
        let device = self.stream.device();
        let self_ = device.upload(x)?;
        let self_ = Tensor::new(&self_, layout)?;
        let mut result = device.alloc::<T>(x.len())?;
        let mut out = TensorMut::new(&mut result, layout)?;
        self.counters.reset()?;
        self.counters.enable(true)?;
        match y {
            Divisor::Tensor(y, layout) => {
                let other = device.upload(y)?;
                fmod_tensor_v2(&self_, &Tensor::new(&other, layout)?, mode, &mut out)?.run(&self.stream)?;
            }
            Divisor::Scalar(number) => {
                fmod_scalar_v2(&self_, &Scalar::new(&device, *number)?, mode, &mut out)?.run(&self.stream)?;
            }
        }
        self.counters.enable(false)?;
        Counts::read(&self.counters)
    }

    /// Counts of flat calls; `spoil` sets special values.
    fn per_element<T: DataType>(
        &self,
        name: &str,
        scalar: Option<Number>,
        mode: Mode,
        spoil: impl Fn(&mut [T], &mut [T]),
    ) -> Result<PerElement> {
        let mut counts = Vec::new();
        for size in SIZES {
            let (mut x, mut y) = (ring::<T>(0, 37, 101, size), ring::<T>(1, 3, 7, size));
            spoil(&mut x, &mut y);
            let layout = Layout::contiguous(&[size as i64]);
            let divisor = scalar.map_or(Divisor::Tensor(&y, layout.clone()), Divisor::Scalar);
            let of_size = self.count(mode, &x, &layout, &divisor)?;
            let (stats, bytes) = (of_size.total, (size * size_of::<T>()) as u64);
            let read = if scalar.is_some() { bytes } else { 2 * bytes };
            ensure!(stats.launches == 1, "{name}: {stats:?}");
            ensure!((stats.mte2_bytes, stats.mte3_bytes) == (read, bytes), "{name}: {stats:?}");
            ensure!(stats.set_flags == stats.wait_flags, "{name}: {stats:?}");
            counts.push(of_size);
        }
        let [small, large] = &counts[..] else { unreachable!() };
        ensure!(small.total.blocks == large.total.blocks, "{name}: {:?} and {:?}", small.total, large.total);
        let elements = (SIZES[1] - SIZES[0]) as f64;
        let difference = |f: fn(&OpcodeStats) -> u64, unit: f64| {
            let of = |opcode: &String, stats: &OpcodeStats| f(&large.opcodes[opcode]) as f64 - f(stats) as f64;
            let all = small.opcodes.iter().map(|(opcode, stats)| (opcode.clone(), of(opcode, stats) / unit));
            // What as many instructions do for more elements fills a tile once a core, whose length depends on the size.
            let once = |opcode: &String| large.opcodes[opcode].instructions == small.opcodes[opcode].instructions;
            all.filter(|(opcode, count)| *count != 0.0 && !once(opcode)).collect::<BTreeMap<_, _>>()
        };
        Ok(PerElement {
            instructions: difference(|stats| stats.f32_equivalents, 2.0 * elements),
            read_conflicts: difference(|stats| stats.read_conflicts, elements / 64.0),
            write_conflicts: difference(|stats| stats.write_conflicts, elements / 64.0),
        })
    }

    fn case<T: DataType>(&mut self, name: &str, scalar: Option<Number>, mode: Mode, most: [f64; 3]) -> Result<()> {
        self.case_of::<T>(name, scalar, mode, |_, _| (), most)
    }

    /// `want`: instructions per element without the probe. `probe`: the most that the probe may cost, 0 without one; each of
    /// its steps leaves an eighth. `rows`: instructions that read one row of a mask again in every repeat, and so meet their
    /// source's bank groups in every second one. No other instruction with two sources does.
    fn case_of<T: DataType>(
        &mut self,
        name: &str,
        scalar: Option<Number>,
        mode: Mode,
        spoil: impl Fn(&mut [T], &mut [T]),
        [want, probe, rows]: [f64; 3],
    ) -> Result<()> {
        let counts = self.per_element::<T>(name, scalar, mode, spoil)?;
        let got_probe = if probe > 0.0 { counts.probe() } else { 0.0 };
        let got = counts.total() - got_probe;
        let mut parts = String::new();
        counts.instructions.iter().try_for_each(|(opcode, count)| write!(parts, " {opcode} {count}"))?;
        writeln!(self.report, "{name:<28} {got:>5} + {got_probe:.4} probe  ({})", parts.trim_start())?;
        writeln!(self.report, "    conflicts {:?} {:?}", counts.read_conflicts, counts.write_conflicts)?;
        if got != want {
            writeln!(self.wrong, "{name}: {got} instructions per element, expected {want}")?;
        }
        if got_probe > probe {
            writeln!(self.wrong, "{name}: the probe costs {got_probe}, at most {probe} expected")?;
        }
        for (opcode, conflicts) in &counts.read_conflicts {
            if !["And", "Or"].contains(&opcode.as_str()) {
                writeln!(self.wrong, "{name}: sources of {opcode} share bank groups in {conflicts} repeats")?;
            }
        }
        // Casts between widths move on at two speeds; everything else is in place or half the groups away.
        if counts.write_conflicts.keys().any(|opcode| opcode != "Cast") {
            writeln!(self.wrong, "{name}: writes meet reads in {:?}", counts.write_conflicts)?;
        }
        let with_rows: f64 = counts.read_conflicts.values().sum();
        if with_rows > rows / 2.0 + 0.05 {
            writeln!(self.wrong, "{name}: {with_rows} repeats with a mask conflict, expected half of {rows}")?;
        }
        Ok(())
    }

    /// One special value in every tile, or nothing else: at most 1.5 times the count of ordinary values that need all of the
    /// short way.
    fn special<T: DataType>(&mut self, name: &str, scalar: Option<Number>) -> Result<()> {
        let ordinary = self.per_element::<T>(name, scalar, Mode::Exact, |x, _| widen(x))?.total();
        let at = |values: &mut [T], number: f64| {
            values.iter_mut().skip(SPECIAL / 2).step_by(SPECIAL).for_each(|value| *value = T::from_f64(number));
        };
        let dividends = [("an infinite dividend", f64::INFINITY), ("a NaN dividend", f64::NAN)];
        let divisors = [("a zero divisor", 0.0), ("a NaN divisor", f64::NAN), ("an infinite divisor", f64::INFINITY)];
        let mut got = Vec::new();
        for (what, number) in dividends {
            got.push((what, self.per_element::<T>(name, scalar, Mode::Exact, |x, _| at(x, number))?));
        }
        for (what, number) in divisors {
            let scalar = scalar.map(|_| Number::F64(number));
            got.push((what, self.per_element::<T>(name, scalar, Mode::Exact, |_, y| at(y, number))?));
        }
        let all = |y: &mut [T]| y.fill(T::from_f64(f64::NAN));
        let all_of = scalar.map(|_| Number::F64(f64::NAN));
        got.push(("NaN divisors only", self.per_element::<T>(name, all_of, Mode::Exact, |_, y| all(y))?));
        for (what, counts) in got {
            let (total, times) = (counts.total(), counts.total() / ordinary);
            writeln!(self.report, "{name:<28} with {what}: {total:.2}, {times:.2} times {ordinary:.2}")?;
            if times > 1.5 {
                writeln!(self.wrong, "{name} with {what} in a tile: {total:.2}, {times:.2} times {ordinary:.2}")?;
            }
        }
        Ok(())
    }

    /// Two operands of rows, or one and a number: no sources but those of masks share bank groups in any layout.
    fn rows<T: DataType>(&mut self, name: &str, mode: Mode) -> Result<()> {
        const ROWS: i64 = 3000;
        const COLUMNS: i64 = 200;
        let x = ring::<T>(0, 37, 101, (ROWS * COLUMNS) as usize);
        let y = ring::<T>(1, 3, 7, (ROWS * COLUMNS) as usize);
        let flat = Layout::contiguous(&[ROWS, COLUMNS]);
        for (what, shape) in [("a row", [1, COLUMNS]), ("a column", [ROWS, 1]), ("a value", [1, 1])] {
            let length = (shape[0] * shape[1]) as usize;
            let counts = self.count(mode, &x, &flat, &Divisor::Tensor(&y[..length], Layout::contiguous(&shape)))?;
            for (opcode, stats) in counts.opcodes.iter().filter(|(_, stats)| stats.read_conflicts != 0) {
                if !["And", "Or"].contains(&opcode.as_str()) {
                    writeln!(self.wrong, "{name} by {what}: sources of {opcode} share bank groups: {stats:?}")?;
                }
            }
        }
        Ok(())
    }
}

#[test]
fn vector_instructions_per_element() -> Result<()> {
    with_bench(|b| {
        let (float, int) = (Some(Number::F32(3.0)), Some(Number::I32(3)));
        b.case::<f32>("tbe fp32 tensor", None, Mode::Tbe, [4.0, 0.0, 0.0])?;
        b.case::<f32>("tbe fp32 scalar", float, Mode::Tbe, [4.0, 0.0, 0.0])?;
        b.case::<f16>("tbe fp16 tensor", None, Mode::Tbe, [7.0, 0.0, 0.0])?;
        b.case::<f16>("tbe fp16 scalar", float, Mode::Tbe, [6.0, 0.0, 0.0])?;
        b.case::<bf16>("tbe bf16 tensor", None, Mode::Tbe, [7.0, 0.0, 0.0])?;
        b.case::<bf16>("tbe bf16 scalar", float, Mode::Tbe, [6.0, 0.0, 0.0])?;
        b.case::<f32>("exact fp32 tensor", None, Mode::Exact, [12.0, 3.46, 2.0])?;
        b.case::<f32>("exact fp32 scalar", float, Mode::Exact, [10.0, 1.15, 2.0])?;
        b.case_of::<f32>("exact fp32 tensor, 2^12", None, Mode::Exact, |x, _| widen(x), [23.0, 3.46, 3.0])?;
        b.case_of::<f32>("exact fp32 scalar, 2^12", float, Mode::Exact, |x, _| widen(x), [14.0, 1.15, 3.0])?;
        b.case::<f16>("exact fp16 tensor", None, Mode::Exact, [13.0, 1.15, 1.5])?;
        b.case::<f16>("exact fp16 scalar", float, Mode::Exact, [9.5, 1.15, 2.0])?;
        b.case::<bf16>("exact bf16 tensor", None, Mode::Exact, [13.0, 3.45, 1.5])?;
        b.case::<bf16>("exact bf16 scalar", float, Mode::Exact, [9.5, 1.15, 2.0])?;
        b.case::<i16>("int16 tensor", None, Mode::Tbe, [7.0, 0.0, 0.0])?;
        b.case::<i16>("int16 scalar", int, Mode::Tbe, [5.0, 0.0, 0.0])?;
        b.case::<i32>("int32 tensor", None, Mode::Tbe, [8.0, 1.16, 0.0])?;
        b.case::<i32>("int32 scalar", int, Mode::Tbe, [6.0, 1.15, 0.0])?;
        b.case_of::<i32>("int32 tensor, 2^20", None, Mode::Tbe, |x, _| enlarge(x), [26.0, 2.31, 0.0])?;
        b.case_of::<i32>("int32 tensor, wide", None, Mode::Tbe, wide, [19.0, 2.31, 0.0])?;
        b.case_of::<i32>("int32 scalar, 2^20", int, Mode::Tbe, |x, _| enlarge(x), [14.0, 1.15, 0.0])?;
        b.case::<i8>("int8 tensor", None, Mode::Tbe, [5.0, 0.0, 0.0])?;
        b.case::<i8>("int8 scalar", int, Mode::Tbe, [3.0, 0.0, 0.0])?;
        b.case::<u8>("uint8 tensor", None, Mode::Tbe, [4.5, 0.0, 0.0])?;
        b.case::<u8>("uint8 scalar", int, Mode::Tbe, [3.0, 0.0, 0.0])
    })
}

#[test]
fn special_values_cost_no_more_than_half() -> Result<()> {
    with_bench(|b| {
        b.special::<f32>("exact fp32 tensor", None)?;
        b.special::<f32>("exact fp32 scalar", Some(Number::F32(3.0)))?;
        b.special::<f16>("exact fp16 tensor", None)?;
        b.special::<f16>("exact fp16 scalar", Some(Number::F32(3.0)))?;
        b.special::<bf16>("exact bf16 tensor", None)?;
        b.special::<bf16>("exact bf16 scalar", Some(Number::F32(3.0)))
    })
}

#[test]
fn rows_keep_their_sources_in_different_bank_groups() -> Result<()> {
    with_bench(|b| {
        for mode in Mode::ALL {
            b.rows::<f32>("fp32", mode)?;
            b.rows::<f16>("fp16", mode)?;
            b.rows::<bf16>("bf16", mode)?;
        }
        b.rows::<i32>("int32", Mode::Tbe)?;
        b.rows::<i16>("int16", Mode::Tbe)?;
        b.rows::<i8>("int8", Mode::Tbe)
    })
}

/// The counters are the process's: one test at a time.
fn with_bench(test: impl FnOnce(&mut Bench) -> Result<()>) -> Result<()> {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = Runtime::get()?;
    let stream = Device::open(0)?.stream()?;
    let Some(counters) = Counters::open(runtime) else {
        eprintln!("skipped: this toolkit does not count instructions");
        return Ok(());
    };
    let mut bench = Bench { counters, stream, report: String::new(), wrong: String::new() };
    test(&mut bench)?;
    print!("{}", bench.report);
    assert!(bench.wrong.is_empty(), "\n{}\n{}", bench.wrong, bench.report);
    Ok(())
}
