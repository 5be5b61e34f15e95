//! What the installed kernels ask of the vector unit: f32-equivalent vector instructions per element, as the core model
//! of the host toolkit counts them. Another toolkit cannot, and the test says so.

use std::ffi::{CString, c_char, c_void};
use std::fmt::Write;
use std::ptr::null_mut;

use anyhow::{Context, Result, ensure};
use fmod_tests::sys::{aclOpExecutor, aclScalar, aclTensor};
use fmod_tests::{DataType, Device, Layout, Number, Runtime, Scalar, Stream, Tensor, TensorMut};
use half::{bf16, f16};
use libloading::{Library, Symbol};

const TBE: i8 = 0;
const EXACT: i8 = 1;
/// Enough whole tiles for every core of every SoC; both sizes share the number of blocks, so that the difference of
/// their counts is free of what a block does once.
const SIZES: [usize; 2] = [1 << 20, 1 << 21];
/// Opcodes of the probes in the exact mode, which bring a tile's extremes to the scalar unit.
const PROBE: [&str; 4] = ["Max", "Min", "ReduceMax", "ReduceMin"];
const OPCODES: [&str; 37] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Max",
    "Min",
    "And",
    "Or",
    "MulAddDst",
    "FusedMulAdd",
    "Adds",
    "Muls",
    "Maxs",
    "Mins",
    "ShiftLeft",
    "ShiftRight",
    "Axpy",
    "Abs",
    "Exp",
    "Ln",
    "Sqrt",
    "Reciprocal",
    "Rsqrt",
    "Relu",
    "Not",
    "Duplicate",
    "CreateVecIndex",
    "Brcb",
    "Copy",
    "Gather",
    "Cast",
    "Compare",
    "CompareScalar",
    "Select",
    "ReduceMax",
    "ReduceMin",
    "ReduceSum",
];

/// `hc_launch_stats`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct LaunchStats {
    launches: u64,
    blocks: u64,
    vector_instructions: u64,
    vector_lanes: u64,
    f32_equivalents: u64,
    mte2_bytes: u64,
    mte2_bursts: u64,
    mte3_bytes: u64,
    mte3_bursts: u64,
    ub_copy_bytes: u64,
    set_flags: u64,
    wait_flags: u64,
    barriers: u64,
}

/// `hc_opcode_stats`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct OpcodeStats {
    instructions: u64,
    lanes: u64,
    f32_equivalents: u64,
}

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

    /// In halves, as counted.
    fn opcode(&self, name: &str) -> Result<u64> {
        let read = self.get::<unsafe extern "C" fn(*const c_char, *mut OpcodeStats) -> i32>("hc_stats_read_opcode")?;
        let mut stats = OpcodeStats::default();
        let text = CString::new(name)?;
        // SAFETY: a C string and a valid structure.
        ensure!(unsafe { read(text.as_ptr(), &mut stats) } == 0, "hc_stats_read_opcode({name}) failed");
        Ok(stats.f32_equivalents)
    }
}

type Executor = *mut *mut aclOpExecutor;
type TensorPhaseOne =
    unsafe extern "C" fn(*const aclTensor, *const aclTensor, i8, *mut aclTensor, *mut u64, Executor) -> i32;
type ScalarPhaseOne =
    unsafe extern "C" fn(*const aclTensor, *const aclScalar, i8, *mut aclTensor, *mut u64, Executor) -> i32;
type PhaseTwo = unsafe extern "C" fn(*mut c_void, u64, *mut aclOpExecutor, *mut c_void) -> i32;

/// The V2 entries of the installed package, which take the precision mode.
struct Package(Library);

impl Package {
    fn open(runtime: &Runtime) -> Result<Package> {
        // SAFETY: the runtime has loaded this library already.
        Ok(Package(unsafe { Library::new(runtime.path()) }?))
    }

    fn run(&self, stream: &Stream, mode: i8, x: &Tensor, y: Divisor<'_>, out: &mut TensorMut) -> Result<()> {
        let (mut bytes, mut executor) = (0, null_mut());
        let (sizes, plan) = (&mut bytes, &mut executor);
        // SAFETY: live handles; the types are those of aclnn_fmod_tensor_v2.h and aclnn_fmod_scalar_v2.h.
        let (code, phase_two) = unsafe {
            match y {
                Divisor::Tensor(y) => {
                    let phase_one = self.0.get::<TensorPhaseOne>(b"aclnnFmodTensorV2GetWorkspaceSize")?;
                    let code = phase_one(x.as_raw(), y.as_raw(), mode, out.as_raw(), sizes, plan);
                    (code, self.0.get::<PhaseTwo>(b"aclnnFmodTensorV2")?)
                }
                Divisor::Scalar(y) => {
                    let phase_one = self.0.get::<ScalarPhaseOne>(b"aclnnFmodScalarV2GetWorkspaceSize")?;
                    let code = phase_one(x.as_raw(), y.as_raw(), mode, out.as_raw(), sizes, plan);
                    (code, self.0.get::<PhaseTwo>(b"aclnnFmodScalarV2")?)
                }
            }
        };
        ensure!(code == 0, "phase one: status {code}");
        let workspace = stream.device().alloc::<u8>(bytes as usize)?;
        // SAFETY: the executor of phase one; every buffer lives until the stream was waited for.
        let code = unsafe { phase_two(workspace.as_ptr(), bytes, executor, stream.as_raw().cast()) };
        ensure!(code == 0, "phase two: status {code}");
        Ok(stream.synchronize()?)
    }
}

#[derive(Clone, Copy)]
enum Divisor<'a> {
    Tensor(&'a Tensor<'a>),
    Scalar(&'a Scalar),
}

/// Counts of one call in halves: by opcode, and the total.
fn count<T: DataType>(
    bench: &Bench,
    scalar: Option<Number>,
    mode: i8,
    x: &[T],
    y: &[T],
) -> Result<(Vec<u64>, LaunchStats)> {
    let device = bench.stream.device();
    let layout = Layout::contiguous(&[x.len() as i64]);
    let (self_, other) = (device.upload(x)?, device.upload(y)?);
    let mut result = device.alloc::<T>(x.len())?;
    let (self_, other) = (Tensor::new(&self_, &layout)?, Tensor::new(&other, &layout)?);
    let mut out = TensorMut::new(&mut result, &layout)?;
    let number = scalar.map(|number| Scalar::new(&device, number)).transpose()?;
    let divisor = number.as_ref().map_or(Divisor::Tensor(&other), Divisor::Scalar);
    bench.counters.reset()?;
    bench.counters.enable(true)?;
    bench.package.run(&bench.stream, mode, &self_, divisor, &mut out)?;
    bench.counters.enable(false)?;
    let counts = OPCODES.iter().map(|name| bench.counters.opcode(name)).collect::<Result<_>>()?;
    Ok((counts, bench.counters.total()?))
}

struct Bench {
    counters: Counters,
    package: Package,
    stream: Stream,
    report: String,
    wrong: String,
}

impl Bench {
    /// `want`: instructions per element without the probe; `probe`: the most that the probe may cost, 0 without one.
    /// Its cost depends on the tile length: a tile of n elements is halved until one reduction is cheap.
    fn case<T: DataType>(&mut self, name: &str, scalar: Option<Number>, mode: i8, want: f64, probe: f64) -> Result<()> {
        let mut counts = Vec::new();
        for size in SIZES {
            // Quotients below 2^12 without special values: the exact mode stays on its short path.
            let ring = |low: usize, step: usize, length: usize| -> Vec<T> {
                let values: Vec<T> = (0..length).map(|i| T::from_f64((low + i * step % length) as f64)).collect();
                values.into_iter().cycle().take(size).collect()
            };
            let (x, y) = (ring(0, 37, 101), ring(1, 3, 7));
            let (opcodes, stats) = count(self, scalar, mode, &x, &y)?;
            let bytes = (size * size_of::<T>()) as u64;
            let read = if scalar.is_some() { bytes } else { 2 * bytes };
            ensure!(stats.launches == 1, "{name}: {stats:?}");
            ensure!((stats.mte2_bytes, stats.mte3_bytes) == (read, bytes), "{name}: {stats:?}");
            ensure!(stats.set_flags == stats.wait_flags, "{name}: {stats:?}");
            counts.push((opcodes, stats.blocks));
        }
        let [(small, small_blocks), (large, large_blocks)] = &counts[..] else { unreachable!() };
        ensure!(small_blocks == large_blocks, "{name}: {small_blocks} and {large_blocks} blocks");
        let elements = (SIZES[1] - SIZES[0]) as f64;
        let per_element = |halves: u64| halves as f64 / 2.0 / elements;
        let (mut main, mut probes, mut parts) = (0, 0, String::new());
        for ((opcode, small), large) in OPCODES.iter().zip(small).zip(large) {
            let halves = large - small;
            let is_probe = probe > 0.0 && PROBE.contains(opcode);
            *(if is_probe { &mut probes } else { &mut main }) += halves;
            if halves != 0 && !is_probe {
                write!(parts, " {opcode} {}", per_element(halves))?;
            }
        }
        let (got, got_probe) = (per_element(main), per_element(probes));
        writeln!(self.report, "{name:<28} {got:>5} + {got_probe:.4} probe  ({})", parts.trim_start())?;
        if got != want {
            writeln!(self.wrong, "{name}: {got} instructions per element, expected {want}")?;
        }
        if got_probe > probe {
            writeln!(self.wrong, "{name}: the probe costs {got_probe}, at most {probe} expected")?;
        }
        Ok(())
    }
}

#[test]
fn vector_instructions_per_element() -> Result<()> {
    let runtime = Runtime::get()?;
    let stream = Device::open(0)?.stream()?;
    let Some(counters) = Counters::open(runtime) else {
        eprintln!("skipped: this toolkit does not count instructions");
        return Ok(());
    };
    let package = Package::open(runtime)?;
    let mut b = Bench { counters, package, stream, report: String::new(), wrong: String::new() };
    let float = Some(Number::F32(3.0));
    let int = Some(Number::I32(3));
    b.case::<f32>("tbe fp32 tensor", None, TBE, 4.0, 0.0)?;
    b.case::<f32>("tbe fp32 scalar", float, TBE, 4.0, 0.0)?;
    b.case::<f16>("tbe fp16 tensor", None, TBE, 7.0, 0.0)?;
    b.case::<f16>("tbe fp16 scalar", float, TBE, 6.0, 0.0)?;
    b.case::<bf16>("tbe bf16 tensor", None, TBE, 7.0, 0.0)?;
    b.case::<bf16>("tbe bf16 scalar", float, TBE, 6.0, 0.0)?;
    b.case::<f32>("exact fp32 tensor", None, EXACT, 19.0, 3.25)?;
    b.case::<f32>("exact fp32 scalar", float, EXACT, 14.0, 1.05)?;
    b.case::<f16>("exact fp16 tensor", None, EXACT, 13.0, 1.05)?;
    b.case::<f16>("exact fp16 scalar", float, EXACT, 9.5, 1.05)?;
    b.case::<bf16>("exact bf16 tensor", None, EXACT, 13.0, 3.25)?;
    b.case::<bf16>("exact bf16 scalar", float, EXACT, 9.5, 1.05)?;
    b.case::<i16>("int16 tensor", None, TBE, 8.0, 0.0)?;
    b.case::<i16>("int16 scalar", int, TBE, 6.0, 0.0)?;
    b.case::<i32>("int32 tensor", None, TBE, 21.0, 0.0)?;
    b.case::<i32>("int32 scalar", int, TBE, 17.0, 0.0)?;
    b.case::<i8>("int8 tensor", None, TBE, 5.0, 0.0)?;
    b.case::<i8>("int8 scalar", int, TBE, 3.5, 0.0)?;
    b.case::<u8>("uint8 tensor", None, TBE, 4.5, 0.0)?;
    b.case::<u8>("uint8 scalar", int, TBE, 3.5, 0.0)?;
    print!("{}", b.report);
    assert!(b.wrong.is_empty(), "\n{}\n{}", b.wrong, b.report);
    Ok(())
}
