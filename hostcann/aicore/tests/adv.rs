//! High-level functions in kernels compiled by g++: values, chunks of the temporary space, and what they refuse.

use crate::support::Object;
use aicore::{CoreSpec, Engine, Fault, FaultClass, Launch, Switches};
use half::f16;
use std::{ffi::c_void, sync::OnceLock};

const COUNT: usize = 1000;

fn launch(name: &str, args: &[*mut c_void]) -> Result<(), Fault> {
    static O: OnceLock<Object> = OnceLock::new();
    let kernel = O.get_or_init(|| Object::build("adv.cpp")).kernel(name);
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    e.run(&Launch::new(kernel, name, 0, 1, args))
}

fn map<T: Copy>(name: &str, x: &[T], y: &[T], z: T) -> Vec<T> {
    let mut out = vec![z; COUNT];
    let args = [x.as_ptr() as *mut c_void, y.as_ptr() as *mut c_void, out.as_mut_ptr() as *mut c_void];
    launch(name, &args).unwrap_or_else(|f| panic!("{f}"));
    out
}

/// -125.0 to 124.75 in quarters: exact in both float types.
fn x(i: usize) -> f32 {
    (i as f32 - 500.0) / 4.0
}
fn y(i: usize) -> f32 {
    [3.0, -2.5, 0.75, 7.0][i % 4]
}

/// Compares a function of both float types with one of float; `+ 0.0` makes every zero positive.
fn check(name: &str, f: impl Fn(f32, f32) -> f32) {
    let (xs, ys): (Vec<f32>, Vec<f32>) = (0..COUNT).map(|i| (x(i), y(i))).unzip();
    let got = map(&format!("{name}_f32"), &xs, &ys, 1.0);
    for i in 0..COUNT {
        assert_eq!(got[i].to_bits(), f(xs[i], ys[i]).to_bits(), "{name} float {} {}: {}", xs[i], ys[i], got[i]);
    }
    let half = |v: &[f32]| v.iter().map(|v| f16::from_f32(*v)).collect::<Vec<_>>();
    let got = map(&format!("{name}_f16"), &half(&xs), &half(&ys), f16::ONE);
    for i in 0..COUNT {
        let want = f16::from_f32(f(xs[i], ys[i]));
        let same = got[i].to_bits() == want.to_bits() || (want.is_nan() && got[i].is_nan());
        assert!(same, "{name} half {} {}: {} expected {want}", xs[i], ys[i], got[i]);
    }
}

#[test]
fn rounding_and_remainders() {
    check("ceil", |x, _| x.ceil() + 0.0);
    check("floor", |x, _| x.floor() + 0.0);
    check("round", |x, _| x.round_ties_even() + 0.0);
    check("trunc", |x, _| x.trunc() + 0.0);
    check("frac", |x, _| x - (x.trunc() + 0.0));
    check("fmod", |x, y| x - ((x / y).trunc() + 0.0) * y);
    check("clamp", |x, _| x.clamp(-1.5, 2.0));
    check("sign", |x, _| if x == 0.0 { 0.0 } else { x.signum() });
    check("axpy", |x, _| 1.0 + 3.0 * x);
}

#[test]
fn mathematics() {
    check("sin", |x, _| (x as f64).sin() as f32);
    check("sin_stack", |x, _| (x as f64).sin() as f32);
    let nan = f32::from_bits(0x7fc0_0000);
    let canon = |v: f32| if v.is_nan() { nan } else { v };
    check("log", |x, _| canon((x as f64).ln() as f32));
    check("exp", |x, _| (x as f64).exp() as f32);
    check("power", |x, y| canon((x as f64).powf(y as f64) as f32));
    check("power_scalar", |x, _| x * x);
}

/// Values of the Digamma page, closed forms, and what ties neighbours together: the page has no other values.
#[test]
fn gamma_functions() {
    let mut xs = vec![0.5f32; COUNT];
    let known = [5.3675685, 0.26528683, -2.872628, 2.9387941, 9.001339, 1.0, 0.5, -1.0, 0.0, f32::INFINITY];
    xs[..10].copy_from_slice(&known);
    (10..COUNT).for_each(|i| xs[i] = x(i) / 4.0 + 0.03125);
    let got = map("digamma_f32", &xs, &xs, 1.0);
    let page = [1.5843406, -3.978809, -6.2081366, 0.8983184, 2.1407988];
    for (got, want) in got.iter().zip(page) {
        // The page's own values come from a device, which is a few last places off.
        assert!((got - want).abs() <= 5.0 * f32::EPSILON * want.abs(), "{got} {want}");
    }
    const EULER: f64 = 0.577_215_664_901_532_9;
    assert_eq!(got[5], -EULER as f32);
    assert_eq!(got[6], (-EULER - 2.0 * 2f64.ln()) as f32);
    assert!(got[7].is_nan() && got[8] == f32::NEG_INFINITY && got[9] == f32::INFINITY, "{:?}", &got[7..10]);
    // psi(x + 1) = psi(x) + 1 / x, and psi(1 - x) = psi(x) + pi / tan(pi x).
    let near =
        |a: f64, b: f64, size: f64, at: f32| assert!((a - b).abs() <= size * f32::EPSILON as f64, "{at}: {a} {b}");
    let up = map("digamma_f32", &xs.iter().map(|x| x + 1.0).collect::<Vec<_>>(), &xs, 1.0);
    let other = map("digamma_f32", &xs.iter().map(|x| 1.0 - x).collect::<Vec<_>>(), &xs, 1.0);
    let (lg, lg_up) = (
        map("lgamma_f32", &xs, &xs, 1.0),
        map("lgamma_f32", &xs.iter().map(|x| x + 1.0).collect::<Vec<_>>(), &xs, 1.0),
    );
    for i in 10..COUNT {
        let (x, psi) = (xs[i] as f64, got[i] as f64);
        let cot = std::f64::consts::PI / (std::f64::consts::PI * (x - x.floor())).tan();
        near(up[i] as f64, psi + 1.0 / x, psi.abs() + up[i].abs() as f64, xs[i]);
        near(other[i] as f64, psi + cot, psi.abs() + cot.abs() + other[i].abs() as f64, xs[i]);
        near(lg_up[i] as f64, lg[i] as f64 + x.abs().ln(), lg[i].abs() as f64 + lg_up[i].abs() as f64 + 1.0, xs[i]);
    }
    assert_eq!(
        (lg[5], lg[6], lg[8], lg[9]),
        (0.0, std::f64::consts::PI.sqrt().ln() as f32, f32::INFINITY, f32::INFINITY)
    );
    let halves: Vec<f16> = [0.0, 0.01, 0.02].iter().map(|v| f16::from_f32(*v)).cycle().take(COUNT).collect();
    let got = map("lgamma_f16", &halves, &halves, f16::ONE);
    assert_eq!(&got[..3], &[f16::INFINITY, f16::from_f32(4.59948), f16::from_f32(3.900805)]);
}

/// Less than the minimum of the pages is enough: one part of 32 elements per part of the temporary space.
#[test]
fn one_part_of_temporary_space_is_enough() {
    check("sin_least", |x, _| (x as f64).sin() as f32);
    check("trunc_least", |x, _| x.trunc() + 0.0);
    check("fmod_least", |x, y| x - ((x / y).trunc() + 0.0) * y);
}

#[test]
fn integers() {
    let a: Vec<i16> = (0..COUNT).map(|i| (i as i16).wrapping_mul(331) ^ -257).collect();
    let b: Vec<i16> = (0..COUNT).map(|i| (i as i16).wrapping_mul(-77)).collect();
    let want: Vec<i16> = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
    assert_eq!(map("xor_i16", &a, &b, 0), want);
    let a: Vec<i32> = (0..COUNT).map(|i| i as i32 % 19 - 9).collect();
    let b: Vec<i32> = (0..COUNT).map(|i| i as i32 % 13).collect();
    let want: Vec<i32> = a.iter().zip(&b).map(|(a, b)| a.wrapping_pow(*b as u32)).collect();
    assert_eq!(map("power_i32", &a, &b, 0), want);
}

#[test]
fn rows() {
    // Small integers: every order of addition gives the same float, and the same half below 2048.
    let v = |i: usize| (i % 7) as f32 - 3.0;
    let xs: Vec<f32> = (0..COUNT).map(v).collect();
    let h: Vec<f16> = xs.iter().map(|v| f16::from_f32(*v)).collect();
    let sums: Vec<f32> = (0..4).map(|r| (0..201).map(|c| v(r * 208 + c)).sum()).collect();
    assert_eq!(map("sum_f32", &xs, &xs, 9.0)[..5], [&sums[..], &[9.0]].concat());
    assert_eq!(map("sum_f16", &h, &h, f16::ONE)[..4], sums.iter().map(|s| f16::from_f32(*s)).collect::<Vec<_>>());
    let mean = |s: &f32| s * (1.0 / 201.0);
    assert_eq!(map("mean_f32", &xs, &xs, 9.0)[..4], sums.iter().map(mean).collect::<Vec<_>>());
    let wide: Vec<f16> = sums.iter().map(|s| f16::from_f32(mean(s))).collect();
    assert_eq!(map("mean_wide", &h, &h, f16::ONE)[..4], wide);
    let narrow = |s: &f32| f16::from_f32(s * f16::from_f32(1.0 / 201.0).to_f32());
    assert_eq!(map("mean_f16", &h, &h, f16::ONE)[..4], sums.iter().map(narrow).collect::<Vec<_>>());
    for (name, along) in [("cumsum", true), ("cumsum_down", false)] {
        let at = |r: usize, c: usize| v(r * 16 + c);
        let want = |i: usize| {
            let (r, c) = (i / 16, i % 16);
            if along { (0..=c).map(|c| at(r, c)).sum::<f32>() } else { (0..=r).map(|r| at(r, c)).sum() }
        };
        let want: Vec<f32> = (0..960).map(want).collect();
        assert_eq!(map(&format!("{name}_f32"), &xs, &xs, 9.0)[..960], want, "{name}");
        let half: Vec<f16> = want.iter().map(|v| f16::from_f32(*v)).collect();
        assert_eq!(map(&format!("{name}_f16"), &h, &h, f16::ONE)[..960], half, "{name}");
    }
}

#[test]
fn shapes_spread() {
    let xs: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let h: Vec<f16> = xs.iter().map(|v| f16::from_f32(*v)).collect();
    for (name, n, from) in [
        ("spread_column", 12 * 33, (|i| i / 33) as fn(usize) -> usize),
        ("spread_row", 12 * 32, |i| i % 32),
        ("spread_one", 77, |_| 0),
    ] {
        let want: Vec<f32> = (0..n).map(|i| xs[from(i)]).collect();
        let got = map(&format!("{name}_f32"), &xs, &xs, -1.0);
        assert_eq!((&got[..n], got[n]), (&want[..], -1.0), "{name}");
        let got = map(&format!("{name}_f16"), &h, &h, f16::NEG_ONE);
        assert_eq!(got[..n], (0..n).map(|i| h[from(i)]).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn progressions() {
    fn run<T: Copy + PartialEq + std::fmt::Debug>(name: &str, zero: T, block: usize, want: impl Fn(usize) -> T) {
        for n in [1, 7, 8, 9, 16, 63, 64, 65, 128, 130, 1000] {
            let mut out = vec![zero; n];
            let mut count = [n as i32];
            let args = [out.as_mut_ptr() as *mut c_void, count.as_mut_ptr() as *mut c_void];
            launch(name, &args).unwrap_or_else(|f| panic!("{f}"));
            assert_eq!(out, (0..n).map(&want).collect::<Vec<_>>(), "{name} {n} {block}");
        }
    }
    run("arange_i32", 0, 8, |i| -7 + 3 * i as i32);
    run("arange_i16", 0, 16, |i| 5 + 2 * i as i16);
    // Each block adds to the one before: 8 elements, up to 64, then by 64.
    fn f32_at(i: usize) -> f32 {
        match i {
            0..8 => 0.1 + 0.1 * i as f32,
            8..64 => f32_at(i - 8) + 0.1 * 8.0,
            _ => f32_at(i - 64) + 0.1 * 64.0,
        }
    }
    run("arange_f32", 0.0, 8, f32_at);
    run("arange_f16", f16::ZERO, 16, |i| f16::from_f32(0.5 + 0.25 * i as f32));
}

#[test]
fn what_the_functions_refuse() {
    for (name, class, text) in [
        ("fault_small_tmp", FaultClass::BufferSpace, "expected at least 640 bytes; got 639 bytes"),
        ("fault_no_room", FaultClass::BufferSpace, "expected at least 640 bytes; got 512 bytes"),
        ("fault_tmp_over_source", FaultClass::Argument, "bytes outside of src0, 256 to 512; got bytes 480 to 1504"),
        ("fault_row", FaultClass::Argument, "operand inner"),
    ] {
        let f = launch(name, &[]).unwrap_err();
        assert!(f.class == class && f.message.contains(text), "{f}");
        assert!(f.location.as_ref().is_some_and(|l| l.file.ends_with("adv.cpp")), "{f}");
    }
}

/// Not on A2, or not with these types.
#[test]
fn calls_that_a2_does_not_have_are_rejected() {
    let source = |body: &str| {
        format!(
            "#include \"kernel_operator.h\"\nusing namespace AscendC;\nvoid k() {{ LocalTensor<float> f; LocalTensor<half> h; \
             LocalTensor<int32_t> i; LocalTensor<bfloat16_t> b; (void)f; (void)h; (void)i; (void)b; {body} }}\n"
        )
    };
    let fine = "Sin(f, f); Tan<half>(h, h, 64); Erf<float, false>(f, f, f.ReinterpretCast<uint8_t>(), 64); Log2(h, h); \
                Power(f, 2.0f, f); Floor(f, f, 64); Sigmoid(f, f); Tanh(h, h); Sum(f, f, SumParams{1, 8, 8});";
    crate::support::check_cpp("adv_fine", &source(fine)).unwrap();
    for body in [
        "Sin(i, i, 64);",
        "Sin(b, b, 64);",
        "Rint(f, f, 64);",
        "Fma(f, f, f, f, 64);",
        "Hypot(f, f, f, 64);",
        "Ceil(f, f);",
        "Power(b, b, b);",
        "Xor(f, f, f, 64);",
        "SinCos(f, f, f, 64);",
        "Clamp(f, f, 0.0f, 1.0f, 64);",
        "IsNan(f, f, 64);",
    ] {
        assert!(crate::support::check_cpp("adv_rejected", &source(body)).is_err(), "{body} compiles");
    }
}
