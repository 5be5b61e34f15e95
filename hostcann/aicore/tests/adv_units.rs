//! Gelu and gated units, quantisation, DropOut and Select against values computed in double or, where nothing but
//! single operations round, bit by bit (pages of these names). Checked without automatic synchronisation, in the least
//! temporary space of the pages unless a row says otherwise.

use crate::support::reals::{Real, eighths};
use crate::support::{Aligned, Object};
use aicore::{
    CoreSpec, Engine, Fault, FaultClass, Launch, Switches,
    check::{LaunchInfo, Options},
};
use half::{bf16, f16};
use std::{ffi::c_void, sync::OnceLock};

/// As in the kernels.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Case {
    bytes: [u32; 4],
    tmp: u32,
    n: [u32; 6],
    x: [f32; 2],
}

/// Values as bytes in whole blocks.
fn bytes<T: Copy>(values: &[T]) -> Aligned<u8> {
    let len = size_of_val(values);
    let mut b = Aligned::new(len.div_ceil(32) * 32);
    // SAFETY: plain numbers, read as bytes within their slice.
    b[..len].copy_from_slice(unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), len) });
    b
}

/// Runs a kernel; the output has `len` elements and starts as all ones.
fn run<A: Copy, B: Copy, C: Copy, D: Copy>(
    name: &str,
    case: Case,
    inputs: (&[A], &[B], &[C]),
    len: usize,
) -> Result<Vec<D>, Fault> {
    static O: OnceLock<Object> = OnceLock::new();
    let kernel = O.get_or_init(|| Object::build("units.cpp")).kernel(name);
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let info = LaunchInfo { options: Options { auto_sync: false, ..Options::default() }, ..LaunchInfo::default() };
    let mut memory = [bytes(inputs.0), bytes(inputs.1), bytes(inputs.2), bytes(&vec![0xffu8; len * size_of::<D>()])];
    let lengths = memory.each_ref().map(|m| m.len() as u32);
    let mut case = Case { bytes: lengths.map(|n| n.max(32)), ..case };
    let mut args = vec![&mut case as *mut Case as *mut c_void];
    args.extend(memory.iter_mut().map(|m| m.as_mut_ptr().cast::<c_void>()));
    e.run(&Launch { check: Some(&info), ..Launch::new(kernel, name, 0, 1, &args) })?;
    // SAFETY: the buffer holds `len` elements, of any bits.
    Ok(unsafe { std::slice::from_raw_parts(memory[3].as_ptr().cast::<D>(), len) }.to_vec())
}

const PAD: [f32; 8] = [0.0; 8];

/// A function of one or two sources over 1000 elements; `tolerance` in ulp of the result and in itself.
fn map<T: Real>(
    name: &str,
    tmp: u32,
    beta: f32,
    f: impl Fn(f64, f64) -> f64,
    tolerance: impl Fn(f64, f64) -> (f64, f64),
) {
    const N: usize = 1000;
    let of = |seed| (0..N).map(|i| T::of(eighths(i, seed, -6, 6))).collect::<Vec<_>>();
    let (a, b) = (of(5), of(6));
    let case = Case { tmp, n: [N as u32, 0, 0, 0, 0, 0], x: [beta, 0.0], ..Case::default() };
    let name = format!("{name}_{}", T::NAME);
    let got: Vec<T> = run(&name, case, (&a, &b, &PAD), N).unwrap_or_else(|f| panic!("{f}"));
    for i in 0..N {
        let (x, y) = (a[i].get(), b[i].get());
        let (want, (ulps, more)) = (f(x, y), tolerance(x, y));
        let room = ulps * T::ulp(want) + more;
        assert!((got[i].get() - want).abs() <= room, "{name} {x} {y}: {}, expected {want}, {room}", got[i].get());
    }
}

fn tanh_argument(x: f64) -> f64 {
    1.5957691216057308 * (x + 0.044715 * x.powi(3))
}
fn gelu(x: f64) -> f64 {
    x / (1.0 + (-tanh_argument(x)).exp())
}
fn faster(x: f64) -> f64 {
    x / (1.0 + (-1.702 * x).exp())
}
fn clipped(x: f64) -> f64 {
    let sign = if x == 0.0 { 1.0 } else { x.signum() };
    x * (sign * (-0.1444 * ((x * 7071.0 / 10000.0).abs().min(1.769) - 1.769).powi(2) + 0.5) + 0.5)
}

/// The argument of e^y carries up to five roundings of its own size, twice for Gelu's two exponentials; four more
/// operations follow. In float, a half rounds once.
#[test]
fn gelu_functions() {
    let exp = |y: f64, n: f64| (n * y.abs() + 6.0, 0.0);
    let wide = |y: f64| (0.51 + (5.0 * y.abs() + 6.0) / 4096.0, 0.0);
    map::<f32>("gelu", 768, 0.0, |x, _| gelu(x), |x, _| exp(tanh_argument(x), 6.0));
    map::<f16>("gelu", 768, 0.0, |x, _| gelu(x), |x, _| exp(tanh_argument(x), 6.0));
    map::<f16>("gelu_high", 768, 0.0, |x, _| gelu(x), |x, _| wide(tanh_argument(x)));
    // The page Reciprocal gives 1e-4 for float.
    map::<f32>("gelu_fast", 768, 0.0, |x, _| gelu(x), |x, _| (exp(tanh_argument(x), 6.0).0, 1.1e-4 * gelu(x).abs()));
    map::<f32>("faster", 768, 0.0, |x, _| faster(x), |x, _| exp(1.702 * x, 2.0));
    map::<f16>("faster", 768, 0.0, |x, _| faster(x), |x, _| exp(1.702 * x, 2.0));
    map::<f16>("faster_high", 768, 0.0, |x, _| faster(x), |x, _| wide(1.702 * x));
    // The clipped square and the two halves cancel: an absolute error of a few roundings of numbers up to 2.
    let cancelled = |x: f64, eps: f64| (2.0, x.abs() * 8.0 * eps);
    map::<f32>("clipped", 768, 0.0, |x, _| clipped(x), |x, _| cancelled(x, 2f64.powi(-24)));
    map::<f16>("clipped", 768, 0.0, |x, _| clipped(x), |x, _| cancelled(x, 2f64.powi(-11)));
    map::<f16>("clipped_high", 768, 0.0, |x, _| clipped(x), |x, _| (0.51, x.abs() * 8.0 * 2f64.powi(-24)));
}

#[test]
fn gated_units() {
    let ge = |x: f64| -0.0713548162726 * x * (22.363860002236 + x * x);
    let unit = |x: f64, y: f64, t: f64| x * y / (1.0 + t.exp());
    let wide = |t: f64| (0.51 + (4.0 * t.abs() + 6.0) / 4096.0, 0.0);
    map::<f32>("geglu", 32, 0.0, |x, y| unit(x, y, ge(y)), |_, y| (5.0 * ge(y).abs() + 6.0, 0.0));
    map::<f16>("geglu", 1024, 0.0, |x, y| unit(x, y, ge(y)), |_, y| wide(ge(y)));
    map::<f32>("swiglu", 32, 1.5, |x, y| unit(x, y, -1.5 * y), |_, y| (2.0 * y.abs() + 6.0, 0.0));
    map::<f16>("swiglu", 1536, 1.5, |x, y| unit(x, y, -1.5 * y), |_, y| wide(1.5 * y));
    map::<f32>("reglu", 256, 0.0, |x, y| x * y.max(0.0), |_, _| (0.0, 0.0));
    map::<f16>("reglu", 1536, 0.0, |x, y| x * y.max(0.0), |_, _| (0.5, 0.0));
    let of = |seed| (0..500).map(|i| bf16::from_f64(eighths(i, seed, -6, 6))).collect::<Vec<_>>();
    let (a, b) = (of(1), of(2));
    let case = Case { tmp: 32, n: [500, 0, 0, 0, 0, 0], ..Case::default() };
    let got: Vec<bf16> = run("reglu_bf16", case, (&a, &b, &PAD), 500).unwrap_or_else(|f| panic!("{f}"));
    let want = |i: usize| bf16::from_f32(a[i].to_f32() * b[i].to_f32().max(0.0));
    (0..500).for_each(|i| assert_eq!(got[i], want(i), "reglu bf16 {i}"));
}

/// Every step in half, the last one to the nearest even integer that fits.
fn quantised(x: f16, scale: f16, offset: f16) -> i8 {
    let scaled = f16::from_f32(x.to_f32() * scale.to_f32());
    f16::from_f32(scaled.to_f32() + offset.to_f32()).to_f32().round_ties_even().clamp(-128.0, 127.0) as i8
}

#[test]
fn quant_by_one_scale() {
    let x: Vec<f32> = (0..480).map(|i| eighths(i, 7, -70, 70) as f32 + 0.01).collect();
    let half: Vec<f16> = x.iter().map(|x| f16::from_f32(*x)).collect();
    let want: Vec<i8> = half.iter().map(|x| quantised(*x, f16::from_f32(2.3), f16::from_f32(0.9))).collect();
    assert!(want.contains(&127) && want.contains(&-128));
    let case = |tmp, n| Case { tmp, n: [n, 0, 0, 0, 0, 0], x: [2.3, 0.9], ..Case::default() };
    let checked = |got: Result<Vec<i8>, Fault>| got.unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(checked(run("quant_f32", case(512, 480), (&x, &PAD, &PAD), 480)), want);
    assert_eq!(checked(run("quant_f16", case(32, 480), (&half, &PAD, &PAD), 480)), want);
    assert_eq!(checked(run("quant_in_place_f16", case(512, 480), (&half, &PAD, &PAD), 480)), want);
    let got = checked(run("quant_constant_f16", case(512, 480), (&half, &PAD, &PAD), 480));
    assert_eq!((&got[..96], &got[96..]), (&want[..96], &[-1i8; 384][..]));
}

#[test]
fn quant_by_channels() {
    const N: usize = 160;
    let values = |seed, low, high| (0..N).map(|i| eighths(i, seed, low, high) as f32 + 0.3).collect::<Vec<f32>>();
    let (scale, offset) = (values(8, -3, 3), values(9, -9, 9));
    let x: Vec<f32> = (0..3 * N).map(|i| eighths(i, 10, -9, 9) as f32).collect();
    let half = |v: &[f32]| v.iter().map(|x| f16::from_f32(*x)).collect::<Vec<f16>>();
    let (hx, hs, ho) = (half(&x), half(&scale), half(&offset));
    let want: Vec<i8> = (0..3 * N).map(|i| quantised(hx[i], hs[i % N], ho[i % N])).collect();
    let case = |tmp| Case { tmp, n: [3 * N as u32, N as u32, 0, 0, 0, 0], x: [0.0, 1.3], ..Case::default() };
    let checked = |got: Result<Vec<i8>, Fault>| got.unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(checked(run("quant_channels_f32", case(512), (&x, &scale, &offset), 3 * N)), want);
    assert_eq!(checked(run("quant_channels_f16", case(32), (&hx, &hs, &ho), 3 * N)), want);
    let want: Vec<i8> = (0..3 * N).map(|i| quantised(hx[i], hs[i % N], f16::from_f32(1.3))).collect();
    assert_eq!(checked(run("quant_offset_f16", case(512), (&hx, &hs, &ho), 3 * N)), want);
}

/// int32 to float, times a float, to the type of the result; what lies behind calCount in a row is not compared.
#[test]
fn dequant() {
    fn check<S: Copy, D: Copy + PartialEq + std::fmt::Debug>(
        name: &str,
        [m, n, count]: [u32; 3],
        scales: &[S],
        scale: impl Fn(usize) -> f32,
        of: impl Fn(f32) -> D,
    ) {
        let src: Vec<i32> = (0..m * n).map(|i| eighths(i as usize, 11, -999, 999) as i32).collect();
        let pitch = (n as usize * size_of::<D>()).div_ceil(32) * 32 / size_of::<D>();
        let tmp = 4 * (64 + n + n + 8);
        let case = Case { tmp, n: [m, n, count, 0, 0, 0], x: [0.75, 0.0], ..Case::default() };
        let got: Vec<D> = run(name, case, (&src, scales, &PAD), m as usize * pitch).unwrap_or_else(|f| panic!("{f}"));
        for r in 0..m as usize {
            for c in 0..count as usize {
                let want = of(src[r * n as usize + c] as f32 * scale(c));
                assert_eq!(got[r * pitch + c], want, "{name} {m} {n} {count} at {r} {c}");
            }
        }
    }
    let f: Vec<f32> = (0..128).map(|i| eighths(i, 12, -9, 9) as f32 * 0.1).collect();
    let b: Vec<bf16> = f.iter().map(|x| bf16::from_f32(*x)).collect();
    let u: Vec<u64> = f.iter().map(|x| x.to_bits() as u64 | 0xdead << 32).collect();
    for shape in [[4, 8, 4], [3, 104, 101], [1, 32, 32], [5, 128, 128]] {
        check("dequant_f32", shape, &f, |c| f[c], |x| x);
        check("dequant_bf16", shape, &b, |c| b[c].to_f32(), bf16::from_f32);
        check("dequant_f16", shape, &u, |c| f[c], f16::from_f32);
        check("dequant_number_f32", shape, &f, |_| 0.75, |x| x);
        check("dequant_one_row_f32", shape, &f, |c| f[c], |x| x);
    }
    check("dequant_older_f32", [3, 64, 64], &f[..64], |c| f[c], |x| x);
    // DEQUANT_WITH_SINGLE_ROW: {1, 64, 16} is {4, 16, 16}; with MULTI_ROW the rest of the row stays.
    let src: Vec<i32> = (0..64).collect();
    let case = Case { tmp: 1024, n: [1, 64, 16, 0, 0, 0], ..Case::default() };
    let got: Vec<f32> = run("dequant_f32", case, (&src, &f[..16], &PAD), 64).unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(got, (0..64).map(|i| i as f32 * f[i % 16]).collect::<Vec<_>>());
    let got: Vec<u32> = run("dequant_one_row_f32", case, (&src, &f[..16], &PAD), 64).unwrap_or_else(|f| panic!("{f}"));
    assert_eq!((got[15], got[16]), ((15.0 * f[15]).to_bits(), u32::MAX));
}

/// half: Add and Mul in half. bfloat16: both in float, rounded once.
#[test]
fn antiquant() {
    trait Anti: Copy + PartialEq + std::fmt::Debug {
        const NAME: &str;
        fn of(x: f32) -> Self;
        fn apply(x: i8, offset: Self, scale: Self) -> Self;
    }
    impl Anti for f16 {
        const NAME: &str = "f16";
        fn of(x: f32) -> f16 {
            f16::from_f32(x)
        }
        fn apply(x: i8, offset: f16, scale: f16) -> f16 {
            f16::from_f32(f16::from_f32(x as f32 + offset.to_f32()).to_f32() * scale.to_f32())
        }
    }
    impl Anti for bf16 {
        const NAME: &str = "bf16";
        fn of(x: f32) -> bf16 {
            bf16::from_f32(x)
        }
        fn apply(x: i8, offset: bf16, scale: bf16) -> bf16 {
            bf16::from_f32((x as f32 + offset.to_f32()) * scale.to_f32())
        }
    }
    fn check<T: Anti>() {
        let (k, n, groups) = (64, 96, 2);
        let src: Vec<i8> = (0..k * n).map(|i| eighths(i, 13, -128, 128) as i8).collect();
        let values = |seed| (0..groups * n).map(|i| T::of(eighths(i, seed, -9, 9) as f32 * 0.3)).collect::<Vec<T>>();
        let (offset, scale) = (values(14), values(15));
        let case =
            Case { tmp: 1024, n: [k as u32, n as u32, groups as u32, 0, 0, 0], x: [3.3, 0.7], ..Case::default() };
        let go = |name: &str| {
            let name = format!("anti_{name}{}", T::NAME);
            run::<i8, T, T, T>(&name, case, (&src, &offset, &scale), k * n).unwrap_or_else(|f| panic!("{f}"))
        };
        let want = |value: &dyn Fn(usize) -> (T, T)| -> Vec<T> {
            (0..k * n).map(|i| (value(i), src[i])).map(|((o, s), x)| T::apply(x, o, s)).collect()
        };
        let group = k / groups;
        let of_column = |i: usize| i / n / group * n + i % n;
        assert_eq!(go(""), want(&|i| (offset[of_column(i)], scale[of_column(i)])), "{}", T::NAME);
        assert_eq!(go("offset_"), want(&|i| (offset[of_column(i)], scale[of_column(i)])), "{}", T::NAME);
        assert_eq!(go("bare_"), want(&|i| (offset[i % n], scale[i % n])), "{}", T::NAME);
        assert_eq!(go("scale_"), want(&|i| (T::of(0.0), scale[of_column(i)])), "{}", T::NAME);
        assert_eq!(go("number_"), want(&|_| (T::of(3.3), T::of(0.7))), "{}", T::NAME);
        let of_row = |i: usize| i / k * groups + i % k / group;
        assert_eq!(go("turned_"), want(&|i| (offset[of_row(i)], scale[of_row(i)])), "{}", T::NAME);
    }
    check::<f16>();
    check::<bf16>();
}

#[test]
fn drop_out() {
    fn check<T: Real>(name: &str, [rows, columns, pitch]: [usize; 3], bits: bool) {
        let x: Vec<T> = (0..rows * columns).map(|i| T::of(eighths(i, 16, -9, 9) + 9.5)).collect();
        let mask: Vec<u8> = (0..rows * pitch).map(|i| (i * 37 % 251) as u8 & if bits { 255 } else { 1 }).collect();
        let case = Case {
            tmp: 512,
            n: [rows as u32, columns as u32, pitch as u32, 0, 0, 0],
            x: [0.7, 0.0],
            ..Case::default()
        };
        let name = format!("{name}_{}", T::NAME);
        let got: Vec<T> = run(&name, case, (&x, &mask, &PAD), rows * columns).unwrap_or_else(|f| panic!("{f}"));
        let inverse = T::of((1.0 / 0.7f32) as f64).get();
        for (i, got) in got.iter().enumerate() {
            let (r, c) = (i / columns, i % columns);
            let kept = if bits { mask[r * pitch + c / 8] >> (c % 8) & 1 } else { mask[r * pitch + c] } != 0;
            let want = if kept { T::of(x[i].get() * inverse).get() } else { 0.0 };
            assert_eq!(got.get(), want, "{name} {rows} {columns} {pitch} at {r} {c}");
        }
    }
    // Bytes, padded bytes, bits, padded bits: mode 0 tells them apart by the last axis of the mask.
    for (shape, bits) in [([4, 96, 96], false), ([3, 64, 96], false), ([4, 256, 32], true), ([3, 200, 32], true)] {
        check::<f32>("drop", shape, bits);
    }
    check::<f16>("drop", [5, 160, 160], false);
    check::<f16>("drop", [2, 512, 64], true);
    // 256 columns and 64 bytes of mask would be taken for bytes of padding at the end of the row.
    check::<f32>("drop_padded_bits", [3, 256, 64], true);
}

#[test]
fn select_by_integers() {
    fn check<T: Real, U: Copy>(
        name: &str,
        value: impl Fn(usize) -> U,
        zero: impl Fn(usize) -> bool,
        scalar_first: bool,
    ) {
        for [rows, columns, pitch] in [[3, 160, 160], [4, 48, 64], [1, 5008, 5008]] {
            let x: Vec<T> = (0..rows * columns).map(|i| T::of(eighths(i, 17, -9, 9))).collect();
            let mask: Vec<U> = (0..rows * pitch).map(&value).collect();
            let tmp = 1024.max(2 * (rows * columns).min(4096) + 512) as u32;
            let case =
                Case { tmp, n: [rows as u32, columns as u32, pitch as u32, 0, 0, 0], x: [2.5, 0.0], ..Case::default() };
            let got: Vec<T> = run(name, case, (&x, &mask, &PAD), rows * columns).unwrap_or_else(|f| panic!("{f}"));
            for (i, got) in got.iter().enumerate() {
                let tensor = zero(i / columns * pitch + i % columns) != scalar_first;
                assert_eq!(got.get(), if tensor { x[i].get() } else { 2.5 }, "{name} {rows} {columns} {pitch} at {i}");
            }
        }
    }
    let third = |i: usize| i.is_multiple_of(3);
    check::<f32, u8>("choose_f32_u8", |i| if third(i) { 0 } else { 200 }, third, false);
    check::<f16, bool>("choose_f16_bool", |i| !third(i), third, true);
    check::<f16, i16>("choose_f16_i16", |i| if third(i) { 0 } else { -32767 }, third, false);
    check::<f32, u16>("choose_f32_u16", |i| if third(i) { 0 } else { 65535 }, third, true);
    check::<f32, i32>("choose_f32_i32", |i| if third(i) { 0 } else { i32::MIN + 1 }, third, false);
    check::<f16, u32>("choose_f16_u32", |i| if third(i) { 0 } else { 1 }, third, true);
}

#[test]
fn what_the_units_refuse() {
    let case = |tmp, n: [u32; 3]| Case { tmp, n: [n[0], n[1], n[2], 0, 0, 0], ..Case::default() };
    let h = vec![f16::ONE; 128];
    let (f, i) = (vec![1f32; 128], vec![1i32; 128]);
    for (name, fault, class, text) in [
        (
            "gelu",
            run::<_, _, _, f32>("fault_gelu_tmp", case(352, [64, 0, 0]), (&f, &f, &f), 128),
            FaultClass::BufferSpace,
            "at least 384 bytes",
        ),
        (
            "counts",
            run("fault_quant_counts", case(512, [100, 32, 0]), (&h, &h, &h), 128),
            FaultClass::Argument,
            "operand calCount",
        ),
        (
            "scales",
            run("fault_quant_counts", case(512, [96, 24, 0]), (&h, &h, &h), 128),
            FaultClass::Argument,
            "operand scaleCount",
        ),
        (
            "row",
            run("fault_dequant_row", case(512, [2, 12, 4]), (&i, &f, &f), 128),
            FaultClass::Argument,
            "operand params.n",
        ),
        (
            "count",
            run("fault_dequant_row", case(512, [2, 16, 17]), (&i, &f, &f), 128),
            FaultClass::Argument,
            "operand params.calCount",
        ),
        (
            "width",
            run("fault_anti_width", case(512, [4, 0, 0]), (&[1i8; 128], &h, &h), 128),
            FaultClass::Argument,
            "operand shapeInfo",
        ),
        (
            "shape",
            run("fault_anti_shape", case(512, [4, 0, 0]), (&[1i8; 128], &h, &h), 128),
            FaultClass::Argument,
            "operand shapeInfo",
        ),
    ] {
        let fault = fault.expect_err(name);
        assert!(fault.class == class && fault.message.contains(text), "{name}: {fault}");
        assert!(fault.location.as_ref().is_some_and(|l| l.file.ends_with("units.cpp")), "{fault}");
    }
}
