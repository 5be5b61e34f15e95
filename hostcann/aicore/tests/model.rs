//! The timing model against published measurements: kernels of our own with the structure of those that were measured.

#[path = "model/behaviour.rs"]
mod behaviour;

use crate::support::Object;
use aicore::{
    CoreSpec, Engine, Launch, Switches, Watch,
    model::{Caches, LaunchTime, Model, ParamFile, Params, Recording, Replay},
};
use std::{
    ffi::c_void,
    path::Path,
    sync::{Arc, Mutex, OnceLock},
};

const MIB: u64 = 1 << 20;

fn file() -> ParamFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../soc/timing/model.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn params(soc: &str, cores: u32, l2: u64) -> Params {
    Params::for_soc(&file(), soc, cores, l2 * MIB).unwrap()
}

/// Global memory that takes host memory only where it is written.
struct Gm(*mut c_void, usize);

impl Gm {
    fn new(bytes: usize) -> Gm {
        unsafe extern "C" {
            fn mmap(at: *mut c_void, len: usize, prot: i32, flags: i32, fd: i32, offset: i64) -> *mut c_void;
        }
        // Private, anonymous and without reserve; readable and writable.
        // SAFETY: a new mapping, which touches no other.
        let at = unsafe { mmap(std::ptr::null_mut(), bytes, 3, 0x4022, -1, 0) };
        assert_ne!(at as isize, -1);
        Gm(at, bytes)
    }
}

impl Drop for Gm {
    fn drop(&mut self) {
        unsafe extern "C" {
            fn munmap(at: *mut c_void, len: usize) -> i32;
        }
        // SAFETY: the mapping of `new`, unmapped once.
        unsafe { munmap(self.0, self.1) };
    }
}

#[repr(C)]
struct Tiling {
    total: u64,
    per_block: u64,
    tile: u32,
    mode: u32,
}

#[repr(C)]
struct CopyTiling {
    rows_total: u32,
    columns: u32,
    rows: u32,
    width: u32,
    rounds: u32,
}

/// Records a launch of a kernel of `model.cpp` with tensors of these sizes.
fn record<T>(kernel: &str, blocks: u32, bytes: [u64; 3], tiling: &T) -> Recording {
    record_on(kernel, blocks, bytes, tiling, 1, true)
}

fn record_on<T>(kernel: &str, blocks: u32, bytes: [u64; 3], tiling: &T, threads: usize, sampled: bool) -> Recording {
    static OBJECT: OnceLock<Object> = OnceLock::new();
    let function = OBJECT.get_or_init(|| Object::build("model.cpp")).kernel(kernel);
    let gm = bytes.map(|b| Gm::new((b as usize).max(1).next_multiple_of(4096)));
    let args = [gm[0].0, gm[1].0, gm[2].0, std::ptr::from_ref(tiling).cast_mut().cast()];
    let found = Arc::new(Mutex::new(None));
    let into = found.clone();
    let done = move |r| *into.lock().unwrap() = Some(r);
    let watch: Arc<dyn Watch> = Arc::new(if sampled { Model::sampled(done) } else { Model::new(done) });
    let engine = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), threads);
    engine.run(&Launch { watch: &[watch], ..Launch::new(function, kernel, 0, blocks, &args) }).unwrap();
    found.lock().unwrap().take().unwrap()
}

fn time(r: &Recording, p: &Params, cold: bool) -> LaunchTime {
    let caches = if cold { Caches::Cold } else { Caches::Warm };
    r.replay(p, &Replay { caches, ..Replay::default() }).unwrap()
}

/// A prediction and what was measured.
struct Point {
    what: String,
    us: f64,
    measured: f64,
    class: &'static str,
}

impl Point {
    fn error(&self) -> f64 {
        self.us / self.measured - 1.0
    }
}

/// The Task Duration of a launch.
fn point(what: &str, time: &LaunchTime, measured: f64) -> Point {
    value(what, time, time.task_us, measured)
}

/// Something else that a launch says.
fn value(what: &str, time: &LaunchTime, us: f64, measured: f64) -> Point {
    Point { what: what.to_owned(), us, measured, class: time.error.class }
}

/// Prints a series and holds it against its row of the table; its mean and its largest error are below these.
fn judge(series: &str, points: &[Point], mean_below: f64, most_below: f64) {
    let errors: Vec<f64> = points.iter().map(|p| p.error().abs()).collect();
    let (mean, most) = (errors.iter().sum::<f64>() / errors.len() as f64, errors.iter().copied().fold(0.0, f64::max));
    println!("{series}: mean error {:.1} %, largest {:.1} %", 100.0 * mean, 100.0 * most);
    for p in points {
        println!("  {:<28} model {:>9.2}  measured {:>9.2}  {:>+6.1} %", p.what, p.us, p.measured, 100.0 * p.error());
    }
    let row = file().error.into_iter().find(|row| row.series == series);
    let row = row.unwrap_or_else(|| panic!("model.toml has no [[error]] for the series {series}"));
    for p in points {
        assert_eq!(row.class, p.class, "[[error]] of the series {series}: class of {}", p.what);
    }
    let percent = |part: f64| (1000.0 * part).round() / 10.0;
    let found = (percent(mean), Some(percent(most)), Some(points.len() as u32), false);
    assert_eq!((row.mean, row.largest, row.points, row.held_out), found, "[[error]] of the series {series} is stale");
    assert!(mean <= mean_below && most <= most_below, "{series}: mean {mean}, largest {most}");
}

/// A test for every function of series, and one for the table: a row that no series recomputes fails.
macro_rules! calibration {
    ($($(#[$doc:meta])* $test:ident: $points:expr => [$(($series:literal, $mean:literal, $most:literal)),+];)+) => {
        $($(#[$doc])*
        #[test]
        fn $test() {
            let names = [$(($series, $mean, $most)),+];
            let found = $points;
            assert_eq!(found.len(), names.len());
            for ((series, mean, most), points) in names.into_iter().zip(found) {
                judge(series, &points, mean, most);
            }
        })+

        #[test]
        fn every_series_of_the_table_is_judged() {
            let mut judged = vec![$($($series),+),+];
            let rows = file().error;
            let mut rows: Vec<&str> = rows.iter().filter(|row| !row.held_out).map(|row| &*row.series).collect();
            judged.sort_unstable();
            rows.sort_unstable();
            assert_eq!(rows, judged);
        }
    };
}

calibration! {
    tiles_through_queues: queues() => [
        ("relu, TQue", 0.05, 0.07),
        ("mul, TQue", 0.05, 0.07),
        ("Relu, built-in", 0.05, 0.07),
        ("three Adds, TQue", 0.01, 0.01)
    ];
    two_inputs_on_all_cores: two_inputs() => [
        ("two inputs, all cores", 0.03, 0.03),
        ("as large as the L2", 0.03, 0.03),
        ("the smallest shape", 0.07, 0.07)
    ];
    larger_than_the_l2: from_memory() => [
        ("from memory", 0.05, 0.07),
        ("from memory, copies", 0.05, 0.07),
        ("from memory, short tiles", 0.17, 0.17)
    ];
    rows_that_all_cores_read: same_rows() => [
        ("same rows by rotated", 0.03, 0.03),
        ("same rows by rotated, MTE2", 0.17, 0.17)
    ];
    sigmoids_in_an_empty_l2: sigmoid() => [("Sigmoid, cold", 0.06, 0.12)];
}

/// The board of the published TQue kernels: 20 AI cores at 1.64 GHz.
fn board() -> Params {
    Params { clock: 1640.0, ..params("Ascend910B3", 40, 192) }
}

const SIZES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Kernels with queues of two buffers and tiles of 8192 elements, on at most 20 cores.
fn queue_series(kernel: &str, measured: [f64; 7]) -> Vec<Point> {
    let one = |(b, measured): (u64, f64)| {
        let total = b * 98304;
        let tiles = total / 8192;
        let per_core = tiles.div_ceil(20);
        let tiling = Tiling { total, per_block: per_core * 8192, tile: 8192, mode: 0 };
        let blocks = tiles.div_ceil(per_core) as u32;
        let r = record(kernel, blocks, [2 * total; 3], &tiling);
        point(&format!("{kernel} {total}"), &time(&r, &board(), false), measured)
    };
    SIZES.into_iter().zip(measured).map(one).collect()
}

/// A built-in operator: all cores, tiles as large as the unified buffer allows.
fn builtin(kernel: &str, total: u64, buffers: u64, bytes: u64) -> Recording {
    let per_block = total.div_ceil(40).next_multiple_of(16);
    let tile = (188_160 / buffers / bytes) as u32 / 128 * 128;
    record(kernel, 40, [bytes * total; 3], &Tiling { total, per_block, tile, mode: 0 })
}

fn builtin_series(kernel: &str, buffers: u64, measured: [f64; 7]) -> Vec<Point> {
    let one = |(b, measured): (u64, f64)| {
        let total = b * 98304;
        let r = builtin(kernel, total, buffers, 2);
        point(&format!("built-in {kernel} {total}"), &time(&r, &board(), false), measured)
    };
    SIZES.into_iter().zip(measured).map(one).collect()
}

fn queues() -> Vec<Vec<Point>> {
    vec![
        queue_series("relu", [1.94, 2.16, 2.44, 2.96, 3.96, 5.88, 9.48]),
        queue_series("mul", [2.14, 2.40, 2.80, 3.44, 4.74, 7.44, 12.64]),
        builtin_series("relu", 4, [2.60, 2.66, 2.78, 3.08, 3.58, 4.60, 6.52]),
        three_adds(),
    ]
}

/// Of a chain of three Adds on a tile of 8192 elements the busy cycles of V are published: `vector_count_next` was computed from them.
fn three_adds() -> Vec<Point> {
    let tiling = Tiling { total: 8 * 8192, per_block: 8 * 8192, tile: 8192, mode: 0 };
    let time = time(&record("adds", 1, [2 * tiling.total; 3], &tiling), &board(), false);
    vec![value("cycles of V a tile", &time, time.core[0].busy.vector / 8.0, 468.5)]
}

/// Two inputs on all cores, from the L2. Of the built-in Mul and Add the time of the smallest shape is published, and the bytes
/// a cycle of a core between two large ones. They and ReluGradV2 decided where `pair_read` is a limit, not how large it is.
fn two_inputs() -> Vec<Vec<Point>> {
    let of = |total: u64| time(&builtin("mul", total, 6, 2), &board(), false);
    let (small, half, whole) = (of(98304), of(32 * 98304), of(64 * 98304));
    let slope = (6 * 32 * 98304) as f64 / ((whole.task_us - half.task_us) * 1640.0 * 40.0);
    let grad = time(&builtin("mul_f32", 16 * MIB, 6, 4), &params("Ascend910B3", 40, 192), false);
    vec![
        vec![value("Mul, bytes a cycle", &whole, slope, 92.6), value("Add, bytes a cycle", &whole, slope, 91.2)],
        vec![point("ReluGradV2, 201 MB", &grad, 34.5)],
        vec![point("Mul", &small, 2.76), point("Add", &small, 2.74)],
    ]
}

/// msopprof clears the L2 before it runs a kernel ("msOpProf user guide", --replay-mode): it holds nothing of anybody.
fn flushed(p: Params) -> Params {
    Params { l2_cold_dirty: 0.0, ..p }
}

/// Kernels on a chip of 48 cores at 1.85 GHz whose data is larger than the L2, and Polar.
fn from_memory() -> Vec<Vec<Point>> {
    let p = flushed(params("Ascend910B1", 48, 192));
    let total = 8192 * 8192;
    let add = |what: &str, blocks: u64, tile: u32, mode, measured| {
        let tiling = Tiling { total, per_block: total.div_ceil(blocks).next_multiple_of(8192), tile, mode };
        point(what, &time(&record("add_study", blocks as u32, [2 * total; 3], &tiling), &p, true), measured)
    };
    let copy = |what: &str, columns: u32, rows: u32, width: u32, rounds: u32, measured| {
        let tiling = CopyTiling { rows_total: 256, columns, rows, width, rounds };
        let bytes = 2 * 12288 * u64::from(columns);
        point(what, &time(&record("copy_study", 48, [bytes, 1, 1], &tiling), &p, true), measured)
    };
    let b4 = params("Ascend910B4", 40, 96);
    let polar = {
        let total = 64 * MIB;
        let tiling = Tiling { total, per_block: total.div_ceil(40).next_multiple_of(8192), tile: 4096, mode: 0 };
        time(&record("polar", 40, [4 * total, 1, 8 * total], &tiling), &b4, false)
    };
    vec![
        vec![
            add("Add 8192 x 8192, 1 core", 1, 4096, 1, 6909.6),
            add("Add, larger tiles", 48, 16384, 1, 268.5),
            add("Add, two buffers", 48, 16384, 2, 264.0),
            add("Add, inputs past the L2", 48, 16384, 3, 187.7),
            add("Add, no bank conflicts", 48, 16256, 3, 184.5),
            point("Polar, 64 Mi elements", &polar, 1261.0),
        ],
        vec![
            copy("copies of 128 bytes", 12288, 1, 64, 1, 564.8),
            copy("rows off their blocks", 12287, 64, 1024, 1, 275.3),
            copy("four times 302 MB", 12288, 64, 1024, 4, 828.1),
        ],
        // Every copy waits for the one before it; how the latency grows while the memory is busy is not modelled.
        vec![add("Add, one buffer of 8 KiB", 48, 4096, 1, 306.6)],
    ]
}

/// Cores that read the same rows at the same time, past the L2, against cores that begin at different ones: `same_line_past_l2`
/// is fitted to the Task Duration. What such rows take at all is not modelled (328.9 us in the latter case).
fn same_rows() -> Vec<Vec<Point>> {
    let p = flushed(params("Ascend910B1", 48, 192));
    let read = |rounds| {
        let tiling = CopyTiling { rows_total: 6144, columns: 512, rows: 128, width: 64, rounds };
        time(&record_on("same_rows", 48, [2 * 6144 * 512, 1, 1], &tiling, 1, false), &p, true)
    };
    let (same, apart) = (read(0), read(1));
    let mte2 = |time: &LaunchTime| time.core.iter().map(|c| c.busy.mte2).sum::<f64>();
    vec![
        vec![value("Task Duration", &same, same.task_us / apart.task_us, 539.42 / 328.88)],
        // The cores drift apart here, and did not on the chip.
        vec![value("mean MTE2 time", &same, mte2(&same) / mte2(&apart), 474.717 / 307.38)],
    ]
}

/// The built-in Sigmoid on a 910B2 with an L2 that holds nothing of it.
fn sigmoid() -> Vec<Vec<Point>> {
    let p = params("Ascend910B2", 48, 192);
    let rows: [(&str, u64, bool, f64); 20] = [
        ("1024 x 1024 half", 1024 * 1024, false, 5.3),
        ("2048 x 2048 float", 2048 * 2048, true, 18.14),
        ("4096 x 4096 bfloat16", 4096 * 4096, false, 35.86),
        ("8192 x 8192 half", 8192 * 8192, false, 142.2),
        ("8192 x 8192 float", 8192 * 8192, true, 360.23),
        ("1023 x 1023 bfloat16", 1023 * 1023, false, 5.38),
        ("1009 x 1021 half", 1009 * 1021, false, 5.02),
        ("1537 x 769 float", 1537 * 769, true, 6.6),
        ("363 x 367 x 373 bfloat16", 363 * 367 * 373, false, 100.08),
        ("2049 x 513 half", 2049 * 513, false, 5.16),
        ("3 x 7 x 13 x 4001 float", 3 * 7 * 13 * 4001, true, 6.32),
        ("1000003 bfloat16", 1_000_003, false, 5.12),
        ("11 x 13 x 17 x 67 x 67 float", 11 * 13 * 17 * 67 * 67, true, 37.14),
        ("3 x 7 x 11 x 13 x 1009 half", 3 * 7 * 11 * 13 * 1009, false, 9.18),
        ("512 x 2049 float", 512 * 2049, true, 5.92),
        ("255 x 8193 bfloat16", 255 * 8193, false, 7.4),
        ("4097 x 511 half", 4097 * 511, false, 6.8),
        ("2 x 511 x 2049 float", 2 * 511 * 2049, true, 9.78),
        ("4 x 255 x 2049 bfloat16", 4 * 255 * 2049, false, 7.56),
        ("2 x 3 x 17 x 1024 x 101 float", 2 * 3 * 17 * 1024 * 101, true, 36.14),
    ];
    let points = rows.map(|(what, total, wide, measured)| {
        let (kernel, bytes, tile) = if wide { ("sigmoid_f32", 4, 7680) } else { ("sigmoid_b16", 2, 7680) };
        let per_block = total.div_ceil(48).next_multiple_of(32 / bytes);
        let r = record(kernel, 48, [bytes * total; 3], &Tiling { total, per_block, tile, mode: 0 });
        point(what, &time(&r, &p, true), measured)
    });
    vec![points.into()]
}
