//! Matmul objects against sums in double: integers exactly, floats within the error of their sums.

#[path = "matmul/values.rs"]
mod values;

use crate::support::{Aligned, Object};
use aicore::{
    CoreSpec, Engine, Fault, Launch, MatmulOrder, Switches, Watch,
    check::LaunchInfo,
    model::{LaunchTime, Model, ParamFile, Params, Replay},
};
use std::{
    ffi::c_void,
    sync::{Arc, Mutex, OnceLock},
};
use values::{Bf, Half, Lane, eighths, fractals, number, product, tensor, turned, values, whole};

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("matmul.cpp"))
}

fn engine(order: MatmulOrder) -> Engine {
    let spec = CoreSpec::npu_2201("Ascend910B3", 196608).with_vector_cores(40);
    Engine::new(spec, Switches { matmul_order: order, ..Switches::default() }, 2)
}

/// As in tests/kernels/matmul.cpp.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Case {
    used: i32,
    /// M, N, Ka, Kb.
    shape: [i32; 4],
    single: [i32; 3],
    base: [i32; 3],
    depth: [i32; 2],
    step: [i32; 2],
    is_bias: i32,
    rest: [i32; 10],
    step_k: [i32; 2],
    cache: [i32; 2],
    double: [i32; 3],
    layouts: [i32; 16],
    end: i32,
    org: [i32; 5],
    tail: [i32; 3],
    has_bias: i32,
    has_quant: i32,
    atomic: i32,
    hf32: i32,
    parts: i32,
    scale: u64,
}

impl Case {
    fn new(m: usize, n: usize, k: usize, base: [i32; 3]) -> Case {
        let [m, n, k] = [m, n, k].map(|v| v as i32);
        Case {
            used: 1,
            shape: [m, n, k, k],
            single: [m, n, k],
            base,
            depth: [1, 1],
            step: [1, 1],
            step_k: [1, 1],
            double: [1, 1, 1],
            ..Case::default()
        }
    }
}

fn ptr<T: Copy>(v: &mut Aligned<T>) -> *mut c_void {
    v.as_mut_ptr().cast()
}

fn launch(name: &str, blocks: u32, args: &[*mut c_void], order: MatmulOrder, check: bool) -> Result<(), Fault> {
    let info = LaunchInfo::default();
    let launch = Launch { check: check.then_some(&info), ..Launch::new(kernels().kernel(name), name, 0, blocks, args) };
    engine(order).run(&launch)
}

/// A launch whose checker finds nothing.
fn run(name: &str, blocks: u32, args: &[*mut c_void]) {
    launch(name, blocks, args, MatmulOrder::Ascending, true).unwrap_or_else(|f| panic!("{f}"));
}

/// Runs a kernel of half A and B with values whose sums are exact, and compares.
struct Run<'a> {
    name: &'a str,
    case: Case,
    size: (usize, usize, usize),
}

impl Run<'_> {
    fn exact<A: Lane, C: Lane>(&self, a: &[f64], b: &[f64], bias: Option<&[f64]>, out: usize) -> Vec<f64> {
        let (mut a, mut b) = (tensor::<A>(a), tensor::<A>(b));
        let mut bias = tensor::<f32>(bias.unwrap_or(&[0.0]));
        let (mut c, mut quant) = (Aligned::<C>::new(out), Aligned::<u64>::new(self.size.1));
        let mut case = self.case;
        let case_at = (&raw mut case).cast();
        run(self.name, 1, &[ptr(&mut a), ptr(&mut b), ptr(&mut bias), ptr(&mut c), ptr(&mut quant), case_at]);
        values(&c)
    }
}

#[test]
fn floats_of_every_type_and_layout() {
    // Tails in every direction; base blocks of 16 x 32 x 16.
    let size @ (m, n, k) = (40, 72, 50);
    let (a, b, bias) = (eighths(1, m * k), eighths(2, k * n), eighths(3, n));
    let case = Case::new(m, n, k, [16, 32, 16]);
    let run = |name, case| Run { name, case, size };
    let plain = product(&a, &b, None, size);
    assert_eq!(run("half_float", case).exact::<Half, f32>(&a, &b, None, m * n), plain);
    assert_eq!(run("half_mdl", case).exact::<Half, f32>(&a, &b, None, m * n), plain);
    assert_eq!(run("floats", case).exact::<f32, f32>(&a, &b, None, m * n), plain);
    assert_eq!(run("half_at", case).exact::<Half, f32>(&turned(&a, k, m), &b, None, m * n), plain);
    assert_eq!(run("half_bt", case).exact::<Half, f32>(&a, &turned(&b, n, k), None, m * n), plain);
    let biased = Case { is_bias: 1, has_bias: 1, ..case };
    let with_bias = product(&a, &b, Some(&bias), size);
    assert_eq!(run("half_float", biased).exact::<Half, f32>(&a, &b, Some(&bias), m * n), with_bias);
    let rounded: Vec<f64> = with_bias.iter().map(|x| Bf::of(*x).value()).collect();
    assert_eq!(run("bfloat", biased).exact::<Bf, Bf>(&a, &b, Some(&bias), m * n), rounded);
    let rounded: Vec<f64> = plain.iter().map(|x| Half::of(*x).value()).collect();
    assert_eq!(run("half_half", case).exact::<Half, Half>(&a, &b, None, m * n), rounded);
    // Fractals.
    let (fa, fb) = (fractals(&a, m, k, 16), fractals(&b, k, n, 16));
    let out = fractals(&with_bias, m, n, 16);
    assert_eq!(run("half_nz", biased).exact::<Half, f32>(&fa, &fb, Some(&bias), out.len()), out);
    let (fa, fb) = (fractals(&turned(&a, k, m), k, m, 16), fractals(&turned(&b, n, k), n, k, 16));
    assert_eq!(run("half_nzt", case).exact::<Half, f32>(&fa, &fb, None, m * n), plain);
}

#[test]
fn a_part_of_a_larger_matrix() {
    let (m, n, k) = (20, 24, 32);
    let (rows, columns, depth) = (24, 40, 48);
    let (a, b) = (eighths(4, rows * depth), eighths(5, depth * columns));
    let part = |v: &[f64], r: usize, c: usize, pitch: usize| -> Vec<f64> {
        (0..r * c).map(|i| v[i / c * pitch + i % c]).collect()
    };
    let want = product(&part(&a, m, k, depth), &part(&b, k, n, columns), None, (m, n, k));
    let case = Case {
        org: [rows as i32, columns as i32, depth as i32, depth as i32, 64],
        tail: [m as i32, n as i32, k as i32],
        ..Case::new(rows, columns, depth, [16, 16, 16])
    };
    let got = Run { name: "half_float", case, size: (m, n, k) }.exact::<Half, f32>(&a, &b, None, rows * 64);
    assert_eq!(part(&got, m, n, 64), want);
    assert!(got.iter().enumerate().all(|(i, x)| i / 64 < m && i % 64 < n || *x == 0.0), "nothing beside the part");
}

#[test]
fn integers_are_exact_and_quantised() {
    let size @ (m, n, k) = (32, 32, 64);
    let (a, b) = (whole(6, m * k, 256), whole(7, k * n, 256));
    let case = Case::new(m, n, k, [16, 16, 32]);
    let run = |name, case| Run { name, case, size };
    let plain = product(&a, &b, None, size);
    assert_eq!(run("ints", case).exact::<i8, i32>(&a, &turned(&b, n, k), None, m * n), plain);
    let quantised = Case { has_quant: 1, scale: u64::from(0.00048828125f32.to_bits()), ..case };
    let half: Vec<f64> = plain.iter().map(|x| Half::of(x * 0.00048828125).value()).collect();
    assert_eq!(run("int_half", quantised).exact::<i8, Half>(&a, &b, None, m * n), half);
    let bytes: Vec<f64> = plain.iter().map(|x| (x * 0.00048828125).round_ties_even().clamp(-128.0, 127.0)).collect();
    assert_eq!(run("int_int", quantised).exact::<i8, i8>(&a, &b, None, m * n), bytes);
    // Two elements of four bits share a byte, the first one in its low half.
    let (a, b) = (whole(8, m * k, 16), whole(9, k * n, 16));
    let packed =
        |v: &[f64]| -> Vec<f64> { v.chunks(2).map(|p| f64::from(p[0] as i8 & 15 | (p[1] as i8) << 4)).collect() };
    let got = run("int4s", Case::new(m, n, k, [16, 16, 64])).exact::<i8, i32>(&packed(&a), &packed(&b), None, m * n);
    assert_eq!(got, product(&a, &b, None, size));
}

#[test]
fn sums_stay_within_their_error_in_both_orders() {
    let size @ (m, n, k) = (16, 16, 512);
    let of = |seed, n: usize| -> Vec<f64> {
        (0..n).map(|i| f64::from(number(seed, i, 1 << 20) as f32 / (1 << 19) as f32 - 1.0)).collect()
    };
    let (a, b) = (of(10, m * k), of(11, k * n));
    let want = product(&a, &b, None, size);
    let magnitude = product(
        &a.iter().map(|x| x.abs()).collect::<Vec<_>>(),
        &b.iter().map(|x| x.abs()).collect::<Vec<_>>(),
        None,
        size,
    );
    let results = [MatmulOrder::Ascending, MatmulOrder::Descending].map(|order| {
        let (mut ta, mut tb, mut c) = (tensor::<f32>(&a), tensor::<f32>(&b), Aligned::<f32>::new(m * n));
        let (mut none, mut case) = (Aligned::<f32>::new(1), Case::new(m, n, k, [16, 16, 64]));
        let at = [ptr(&mut ta), ptr(&mut tb), ptr(&mut none), ptr(&mut c), ptr(&mut none), (&raw mut case).cast()];
        launch("floats", 1, &at, order, true).unwrap_or_else(|f| panic!("{f}"));
        values(&c)
    });
    for got in &results {
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let bound = magnitude[i] * (k as f64 + 1.0) * f64::from(f32::EPSILON) / 2.0;
            assert!((got - want).abs() <= bound, "{i}: {got} for {want} ± {bound}");
        }
    }
    assert_ne!(results[0], results[1]);
}

#[test]
fn hf32_drops_bits() {
    let size @ (m, n, k) = (16, 16, 16);
    let a: Vec<f64> = (0..m * k).map(|i| f64::from(1.0f32 + i as f32 * f32::EPSILON * 512.0)).collect();
    let b: Vec<f64> = (0..k * n).map(|i| f64::from(u8::from(i / n == i % n))).collect();
    let case = Case { hf32: 1, ..Case::new(m, n, k, [16, 16, 16]) };
    let got = Run { name: "floats", case, size }.exact::<f32, f32>(&a, &b, None, m * n);
    let cut: Vec<f64> = a.iter().map(|x| (x * 1024.0).round_ties_even() / 1024.0).collect();
    assert_eq!(got, cut);
}

#[test]
fn parts_of_k_add_up_in_l0c() {
    let size @ (m, n, k) = (32, 16, 96);
    let (a, b) = (eighths(12, m * k), eighths(13, k * n));
    let case = Case { parts: 3, ..Case::new(m, n, k, [32, 16, 32]) };
    let got = Run { name: "partial", case, size }.exact::<Half, f32>(&a, &b, None, m * n);
    assert_eq!(got, product(&a, &b, None, size));
}

#[test]
fn atomic_results_add_to_what_is_there() {
    let size @ (m, n, k) = (16, 16, 16);
    let (a, b) = (eighths(14, m * k), eighths(15, k * n));
    let (mut ta, mut tb) = (tensor::<Half>(&a), tensor::<Half>(&b));
    let (mut c, mut none) = (tensor::<f32>(&vec![1.0; m * n]), Aligned::<f32>::new(1));
    let mut case = Case { atomic: 1, ..Case::new(m, n, k, [16, 16, 16]) };
    run(
        "half_float",
        1,
        &[ptr(&mut ta), ptr(&mut tb), ptr(&mut none), ptr(&mut c), ptr(&mut none), (&raw mut case).cast()],
    );
    let want: Vec<f64> = product(&a, &b, None, size).iter().map(|x| x + 1.0).collect();
    assert_eq!(values(&c), want);
}

#[test]
fn blocks_go_through_the_unified_buffer() {
    // One block of two vector cores, each with half of M.
    let size @ (m, n, k) = (128, 64, 32);
    let (a, b, bias) = (eighths(16, m * k), eighths(17, k * n), eighths(18, n));
    let (mut ta, mut tb, mut tbias) = (tensor::<Half>(&a), tensor::<Half>(&b), tensor::<f32>(&bias));
    let (mut c, mut none) = (Aligned::<f32>::new(m * n), Aligned::<f32>::new(1));
    let mut case = Case { single: [64, 64, 32], is_bias: 1, ..Case::new(m, n, k, [32, 32, 32]) };
    run(
        "leaky",
        1,
        &[ptr(&mut ta), ptr(&mut tb), ptr(&mut tbias), ptr(&mut c), ptr(&mut none), (&raw mut case).cast()],
    );
    let twice: Vec<f64> = a.iter().map(|x| x * 2.0).collect();
    let want: Vec<f64> =
        product(&twice, &b, Some(&bias), size).iter().map(|x| if *x < 0.0 { x / 2.0 } else { *x }).collect();
    assert_eq!(values(&c), want);
}

#[test]
fn an_asynchronous_iterate_keeps_its_blocks() {
    let size @ (m, n, k) = (32, 64, 16);
    let (a, b) = (eighths(19, m * k), eighths(20, k * n));
    let (mut ta, mut tb) = (tensor::<Half>(&a), tensor::<Half>(&b));
    let (mut c, mut work, mut none) = (Aligned::<f32>::new(m * n), Aligned::<f32>::new(m * n), Aligned::<f32>::new(1));
    let mut case = Case::new(m, n, k, [16, 32, 16]);
    run("later", 1, &[ptr(&mut ta), ptr(&mut tb), ptr(&mut none), ptr(&mut c), ptr(&mut work), (&raw mut case).cast()]);
    let all = product(&a, &b, None, size);
    // Blocks in the order of M, then N, each dense.
    let at = |i: usize| {
        let (block, inside) = (i / 512, i % 512);
        (block % 2 * 16 + inside / 32) * n + block / 2 * 32 + inside % 32
    };
    assert_eq!(values(&c), (0..m * n).map(|i| all[at(i)]).collect::<Vec<_>>());
}

#[test]
fn a_cube_core_and_its_vector_cores_meet_by_flags() {
    let size @ (m, n, k) = (64, 32, 16);
    let (a, b) = (eighths(21, m * k), eighths(22, k * n));
    let (mut ta, mut tb) = (tensor::<Half>(&a), tensor::<Half>(&b));
    let (mut c, mut work, mut none) = (Aligned::<f32>::new(m * n), Aligned::<f32>::new(m * n), Aligned::<f32>::new(1));
    let mut case = Case { single: [32, 32, 16], ..Case::new(m, n, k, [32, 32, 16]) };
    let at = [ptr(&mut ta), ptr(&mut tb), ptr(&mut none), ptr(&mut c), ptr(&mut work), (&raw mut case).cast()];
    run("by_flags", 2, &at);
    let last = m * n * 3 / 4;
    let want: Vec<f64> =
        product(&a, &b, None, size).iter().enumerate().map(|(i, x)| x + if i < last { 1.0 } else { 2.0 }).collect();
    assert_eq!(values(&c), want);
}

#[test]
fn a_mixed_launch_has_all_its_cores() {
    let (mut out, mut none) = (Aligned::<i32>::new(16 * 9), Aligned::<i32>::new(1));
    let at = [ptr(&mut none), ptr(&mut none), ptr(&mut none), ptr(&mut out)];
    run("who", 3, &at);
    let cores: Vec<i32> = out.iter().step_by(16).copied().collect();
    assert_eq!(cores, [1, 102, 3, 104, 5, 106, 1, 2, 3]);
    let fault = launch("late", 1, &at, MatmulOrder::Ascending, false).expect_err("too late");
    assert!(fault.message.contains("before the kernel named its type"), "{fault}");
}

/// What the timing model says of a launch.
fn priced(name: &str, blocks: u32, args: &[*mut c_void]) -> LaunchTime {
    let file: ParamFile = toml::from_str(include_str!("../../soc/timing/model.toml")).unwrap();
    let params = Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap();
    let found = Arc::new(Mutex::new(None));
    let into = found.clone();
    let watch: Arc<dyn Watch> = Arc::new(Model::new(move |r| *into.lock().unwrap() = Some(r)));
    let launch = Launch { watch: &[watch], ..Launch::new(kernels().kernel(name), name, 0, blocks, args) };
    engine(MatmulOrder::Ascending).run(&launch).unwrap();
    found.lock().unwrap().take().unwrap().replay(&params, &Replay::default()).unwrap()
}

#[test]
fn products_have_a_coarse_price() {
    let cycles = |k: usize| {
        let (mut a, mut b) = (Aligned::<Half>::new(128 * k), Aligned::<Half>::new(k * 128));
        let (mut c, mut none) = (Aligned::<f32>::new(128 * 128), Aligned::<f32>::new(1));
        let mut case = Case::new(128, 128, k, [128, 128, 64]);
        let at = [ptr(&mut a), ptr(&mut b), ptr(&mut none), ptr(&mut c), ptr(&mut none), (&raw mut case).cast()];
        let time = priced("half_float", 1, &at);
        assert_eq!((time.error.class, time.error.percent), ("matrix products, coarse", Some(32.0)));
        assert!(time.notes.iter().any(|note| note.contains("coarsely")), "{:?}", time.notes);
        time.cycles
    };
    // 512 more columns of A in rows of 64 halfs and rows of B with 128, each with its bytes and 2.6 cycles more, which takes
    // longer than 32 fractals of each of the 64 blocks; two vector cores share the cube core.
    let rows = |bytes: f64| 128.0 * 512.0 * 2.0 * (1.0 / 110.0 + 2.6 / bytes);
    let more = 2.0 * (rows(128.0) + rows(256.0));
    let got = cycles(1024) - cycles(512);
    assert!((got - more).abs() < 1.0, "{got} for {more}");
}

#[test]
fn vector_cores_wait_for_the_cube_core_in_the_model() {
    let (m, n, k) = (64, 32, 16);
    let (mut a, mut b) = (Aligned::<Half>::new(m * k), Aligned::<Half>::new(k * n));
    let (mut c, mut work, mut none) = (Aligned::<f32>::new(m * n), Aligned::<f32>::new(m * n), Aligned::<f32>::new(1));
    let mut case = Case { single: [32, 32, 16], ..Case::new(m, n, k, [32, 32, 16]) };
    let at = [ptr(&mut a), ptr(&mut b), ptr(&mut none), ptr(&mut c), ptr(&mut work), (&raw mut case).cast()];
    let time = priced("by_flags", 2, &at);
    let end = |core: usize| time.core[core].end;
    assert_eq!(time.core.len(), 6);
    assert!((0..4).all(|vector| end(vector) > end(4).min(end(5))), "{:?}", (0..6).map(end).collect::<Vec<_>>());
}
