//! High-level functions that are compositions of basic instructions: their values against the pages' formulas in f64,
//! within the error that the formula's own roundings explain, and with the checker, which sees every instruction:
//! temporary space of exactly the documented size, dependent instructions in order without the compiler's help.

#[path = "adv_lib/norm.rs"]
mod norm;
#[path = "adv_lib/pad.rs"]
mod pad;
#[path = "adv_lib/topk.rs"]
mod topk;
#[path = "adv_lib/transpose.rs"]
mod transpose;
#[path = "adv_lib/welford.rs"]
mod welford;

use crate::support::Object;
use aicore::{
    CoreSpec, Engine, Fault, FaultClass, Launch, Switches,
    check::{LaunchInfo, Options},
};
use half::f16;
use std::{ffi::c_void, sync::OnceLock};

const EPS: f64 = f32::EPSILON as f64;

fn launch(name: &str, args: &[*mut c_void]) -> Result<(), Fault> {
    static O: OnceLock<Object> = OnceLock::new();
    launch_of(O.get_or_init(|| Object::build("adv_lib.cpp")), name, args)
}

fn launch_of(object: &Object, name: &str, args: &[*mut c_void]) -> Result<(), Fault> {
    let kernel = object.kernel(name);
    let engine = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let info = LaunchInfo { options: Options { auto_sync: false, ..Options::default() }, ..LaunchInfo::default() };
    engine.run(&Launch { check: Some(&info), ..Launch::new(kernel, name, 0, 1, args) })
}

/// Runs a kernel over sizes, inputs and one output that starts as `untouched`.
fn run<T: Copy, U: Copy>(name: &str, sizes: &[u32], inputs: &[&[T]], n: usize, untouched: U) -> Result<Vec<U>, Fault> {
    let mut out = vec![untouched; n];
    let mut args = vec![sizes.as_ptr() as *mut c_void];
    args.extend(inputs.iter().map(|x| x.as_ptr() as *mut c_void));
    args.push(out.as_mut_ptr().cast());
    launch(name, &args).map(|()| out)
}

/// Numbers of mixed size and sign that repeat nowhere near.
fn noise(i: usize) -> f32 {
    let bits = (i as u32).wrapping_mul(2_654_435_761) ^ 0x9e37_79b9;
    let unit = (bits >> 8) as f32 / (1 << 24) as f32;
    (unit - 0.4) * [1.0, 4.0, 0.25][i % 3]
}

/// The elements of each reduced group of a matrix of `rows` x `columns`.
fn groups(ar: bool, rows: usize, columns: usize) -> Vec<Vec<(usize, usize)>> {
    if ar {
        (0..rows).map(|r| (0..columns).map(|c| (r, c)).collect()).collect()
    } else {
        (0..columns).map(|c| (0..rows).map(|r| (r, c)).collect()).collect()
    }
}

/// Rows of 1 to 5 repeats with tails, and around every power of two.
const SHAPES: [(usize, usize); 14] = [
    (1, 1),
    (2, 8),
    (2, 5),
    (3, 7),
    (9, 9),
    (1, 64),
    (4, 65),
    (5, 128),
    (1, 128),
    (7, 200),
    (300, 3),
    (17, 64),
    (1, 1000),
    (3, 513),
];

struct Reduced<T> {
    kernel: &'static str,
    bytes: fn(bool, bool, u32, u32) -> u32,
    value: fn(usize) -> T,
}

impl<T: Copy + Default> Reduced<T> {
    /// Every shape, both patterns, with and without the source's own space; `check(got, group's elements, at)`.
    fn each(&self, check: impl Fn(T, &[T], &str)) {
        for (rows, columns) in SHAPES {
            for (suffix, ar, reuse) in
                [("ar", true, false), ("ra", false, false), ("ar_reuse", true, true), ("ra_reuse", false, true)]
            {
                let pitch = (columns * size_of::<T>()).next_multiple_of(32) / size_of::<T>();
                let x: Vec<T> = (0..rows * pitch).map(self.value).collect();
                let tmp = (self.bytes)(ar, reuse, rows as u32, columns as u32);
                let name = format!("{}_{suffix}", self.kernel);
                let wanted = groups(ar, rows, columns);
                let at = format!("{name} {rows} x {columns}");
                let got = run(&name, &[rows as u32, columns as u32, tmp], &[&x], wanted.len(), T::default())
                    .unwrap_or_else(|f| panic!("{at}: {f}"));
                for (y, group) in got.into_iter().zip(&wanted) {
                    let elements: Vec<T> = group.iter().map(|(r, c)| x[r * pitch + c]).collect();
                    check(y, &elements, &at);
                }
                if tmp > 0 {
                    let sizes = [rows as u32, columns as u32, tmp - 32];
                    let fault = run::<T, T>(&name, &sizes, &[&x], wanted.len(), T::default()).err();
                    let class = fault.map(|f| (f.class, f.message.contains(&format!("at least {tmp} bytes"))));
                    assert_eq!(class, Some((FaultClass::BufferSpace, true)), "{at}");
                }
            }
        }
    }
}

fn folded(n: u32, halve: bool) -> u32 {
    let k = 1 << n.ilog2();
    if k == n && halve { k / 2 } else { k }
}
fn columns_tmp(reuse: bool, rows: u32, columns: u32, size: u32) -> u32 {
    if reuse { 0 } else { folded(rows, rows > 1) * (columns * size).next_multiple_of(32) }
}
fn sum_tmp(ar: bool, reuse: bool, rows: u32, columns: u32) -> u32 {
    match ar {
        true if reuse || columns <= 64 => 0,
        true => rows * folded(columns, rows > 1) * 4,
        false => columns_tmp(reuse, rows, columns, 4),
    }
}

#[test]
fn sums_and_means() {
    // Each element goes through at most log2(n) + 1 additions.
    let bound = |x: &[f32]| {
        let depth = (x.len() as f64).log2().ceil() + 1.0;
        depth * EPS * x.iter().map(|v| v.abs() as f64).sum::<f64>()
    };
    let sum = |x: &[f32]| x.iter().map(|v| *v as f64).sum::<f64>();
    Reduced { kernel: "sum", bytes: sum_tmp, value: noise }.each(|y, x, at| {
        assert!((y as f64 - sum(x)).abs() <= bound(x), "{at}: {y} expected {}", sum(x));
    });
    Reduced { kernel: "mean", bytes: sum_tmp, value: noise }.each(|y, x, at| {
        let n = x.len() as f64;
        // Multiplied by the rounded 1/n: two more roundings.
        let most = (bound(x) + 2.0 * EPS * sum(x).abs()) / n;
        assert!((y as f64 - sum(x) / n).abs() <= most, "{at}: {y} expected {}", sum(x) / n);
    });
    let x: Vec<f32> = (0..400).map(noise).collect();
    let got: Vec<f32> = run("sum_of_stack", &[2, 200], &[&x], 2, 0.0).unwrap_or_else(|f| panic!("{f}"));
    assert!((got[1] as f64 - sum(&x[200..])).abs() <= bound(&x[200..]), "{got:?}");
}

#[test]
fn products() {
    let bytes = |ar: bool, reuse: bool, rows: u32, columns: u32| match ar {
        true if reuse => 256,
        true => (folded(columns, rows > 1).max(8) + rows * 8) * 4 + 256,
        false => columns_tmp(reuse, rows, columns, 4),
    };
    let value = |i: usize| 1.0 + 0.5 * noise(i).rem_euclid(1.0) - 0.25 * (i % 2) as f32;
    Reduced { kernel: "prod", bytes, value }.each(|y, x, at| {
        let want = x.iter().map(|v| *v as f64).product::<f64>();
        let most = want.abs() * x.len() as f64 * EPS + f32::MIN_POSITIVE as f64;
        assert!((y as f64 - want).abs() <= most || want > f32::MAX as f64, "{at}: {y} expected {want}");
    });
}

#[test]
fn largest_and_smallest() {
    fn bytes(size: u32) -> impl Fn(bool, bool, u32, u32) -> u32 {
        move |ar, reuse, rows, columns| match ar {
            true if reuse || columns * size <= 32 => 0,
            true if columns * size < 256 => rows * 32,
            true => rows * 256,
            false => columns_tmp(reuse, rows, columns, size),
        }
    }
    Reduced { kernel: "max_f32", bytes: |a, u, r, c| bytes(4)(a, u, r, c), value: noise }
        .each(|y, x, at| assert_eq!(y, x.iter().copied().fold(f32::MIN, f32::max), "{at}"));
    Reduced { kernel: "min_f32", bytes: |a, u, r, c| bytes(4)(a, u, r, c), value: noise }
        .each(|y, x, at| assert_eq!(y, x.iter().copied().fold(f32::MAX, f32::min), "{at}"));
    Reduced { kernel: "max_f16", bytes: |a, u, r, c| bytes(2)(a, u, r, c), value: |i| f16::from_f32(noise(i)) }
        .each(|y, x, at| assert_eq!(y, x.iter().copied().fold(f16::MIN, f16::max), "{at}"));
    Reduced { kernel: "any_f32", bytes: |a, u, r, c| bytes(4)(a, u, r, c), value: |i| (i % 37 == 5) as u8 as f32 }
        .each(|y, x, at| assert_eq!(y == 1.0, x.contains(&1.0), "{at}"));
}

#[test]
fn logic_on_bytes() {
    let bytes = |ar: bool, reuse: bool, rows: u32, columns: u32| match ar {
        true => columns.next_multiple_of(32) * 2 + rows * 32,
        false => columns_tmp(reuse, rows, columns, 1),
    };
    Reduced { kernel: "any_u8", bytes, value: |i| (i % 37 == 5) as u8 }
        .each(|y: u8, x, at| assert_eq!(y, x.contains(&1) as u8, "{at}"));
    Reduced { kernel: "all_u8", bytes, value: |i| (i % 37 != 5) as u8 }
        .each(|y: u8, x, at| assert_eq!(y, !x.contains(&0) as u8, "{at}"));
}

#[test]
fn exclusive_ors_are_summed_up_to_the_limits_of_the_type() {
    for n in [1, 15, 16, 100, 128, 129, 300, 1000] {
        for spread in [7u32, 0x7fff] {
            let value = |i: usize| (i as u32).wrapping_mul(0x9e37_79b9).rotate_left(7) % spread;
            let x: Vec<i16> = (0..n).map(|i| value(i) as i16 - 3).collect();
            let y: Vec<i16> = (0..n).map(|i| value(i + 77) as i16 - 3).collect();
            let sum: i64 = x.iter().zip(&y).map(|(a, b)| i64::from(a ^ b)).sum();
            for (name, parts) in [("xor_sum", 3), ("xor_sum_reuse", 2)] {
                let tmp = parts * (2 * n as u32).max(256);
                let got = run(name, &[n as u32, tmp], &[&x, &y], 1, 0i16).unwrap_or_else(|f| panic!("{name} {n}: {f}"));
                assert_eq!(i64::from(got[0]), sum.clamp(-32768, 32767), "{name} {n}");
            }
        }
    }
}
