//! Element-wise operators, against arithmetic on the elements' own types.

mod toolkit;

use half::{bf16, f16};
use toolkit::{Element, INVALID, Tensor, Toolkit, contiguous, places, scalar, toolkit};

/// Layouts of a 4 x 6 view: dims that broadcast to it, strides, offset, elements of the storage.
const LAYOUTS: [(&[i64], &[i64], i64, usize); 6] = [
    (&[4, 6], &[6, 1], 0, 24),
    (&[4, 6], &[1, 4], 0, 24),
    (&[4, 6], &[20, 3], 7, 83),
    (&[6], &[2], 1, 12),
    (&[4, 1], &[1, 1], 3, 7),
    (&[], &[], 2, 3),
];

/// The operand at every place of the result.
fn expanded<T: Copy>(storage: &[T], (dims, strides, offset, _): (&[i64], &[i64], i64, usize), to: &[i64]) -> Vec<T> {
    let mut full = vec![0; to.len() - dims.len()];
    full.extend(dims.iter().zip(strides).map(|(&dim, &stride)| if dim == 1 { 0 } else { stride }));
    places(to, &full).into_iter().map(|at| storage[(offset + at) as usize]).collect()
}

/// An operator of two tensors for all pairs of layouts, into a result with gaps.
fn check<T: Element, R: Element>(
    kit: &Toolkit,
    name: &str,
    values: impl Fn(usize) -> T,
    more: &[usize],
    filler: R,
    expected: impl Fn(T, T) -> R,
) {
    let out_dims = [4, 6];
    for (i, a) in LAYOUTS.iter().enumerate() {
        for (j, b) in LAYOUTS.iter().enumerate().filter(|(j, _)| i < 3 || *j < 3) {
            let x: Vec<T> = (0..a.3).map(&values).collect();
            let y: Vec<T> = (0..b.3).map(|k| values(k * 7 + 3)).collect();
            let (tx, ty) = (Tensor::view(kit, &x, a.0, a.1, a.2), Tensor::view(kit, &y, b.0, b.1, b.2));
            let out = Tensor::view(kit, &[filler; 64], &out_dims, &[13, 2], 5);
            let what = format!("{name} of data type {}, layouts {i} and {j}", T::DTYPE);
            let mut args = vec![tx.handle, ty.handle];
            args.extend(more);
            args.push(out.handle);
            kit.run(name, &args).unwrap_or_else(|e| panic!("{what}: {e:?}"));
            let (x, y) = (expanded(&x, *a, &out_dims), expanded(&y, *b, &out_dims));
            let golden: Vec<R> = x.into_iter().zip(y).map(|(x, y)| expected(x, y)).collect();
            out.expect(kit, &what, &golden);
            let storage = out.storage(kit);
            let own: Vec<i64> = places(&out_dims, &[13, 2]).iter().map(|at| at + 5).collect();
            let spared = (0..64).filter(|at| !own.contains(at)).all(|at| storage[at as usize].same(filler));
            assert!(spared, "{what}: wrote between the elements of the result");
        }
    }
}

fn spread(i: usize) -> i64 {
    const ODD: [i64; 12] = [0, 1, -1, 2, -7, 127, -128, 300, i64::MAX, i64::MIN, 65537, -99];
    ODD[i % ODD.len()].wrapping_add(i as i64 / 12)
}

macro_rules! integers {
    ($kit:expr; $($ty:ty),+) => {$({
        let values = |i: usize| spread(i) as $ty;
        let alpha = scalar($kit, 3i64);
        check($kit, "aclnnAdd", values, &[alpha], 77, |a: $ty, b| a.wrapping_add(b.wrapping_mul(3)));
        check($kit, "aclnnSub", values, &[alpha], 77, |a: $ty, b| a.wrapping_sub(b.wrapping_mul(3)));
        check($kit, "aclnnMul", values, &[], 77, |a: $ty, b| a.wrapping_mul(b));
        check($kit, "aclnnMaximum", values, &[], 77, |a: $ty, b| a.max(b));
        check($kit, "aclnnBitwiseAndTensor", values, &[], 77, |a: $ty, b| a & b);
        check($kit, "aclnnBitwiseXorTensor", values, &[], 77, |a: $ty, b| a ^ b);
        check($kit, "aclnnLtTensor", values, &[], false, |a: $ty, b| a < b);
        check($kit, "aclnnEqTensor", values, &[], false, |a: $ty, b| a == b);
        check($kit, "aclnnLogicalAnd", values, &[], false, |a: $ty, b| a != 0 && b != 0);
        let divisor = |i: usize| match spread(i) as $ty { 0 => 5, other => other };
        check($kit, "aclnnDivMod", divisor, &[1], 77, |a: $ty, b| a.wrapping_div(b));
        check($kit, "aclnnFloorDivide", divisor, &[], 77, |a: $ty, b| {
            let down = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
            a.wrapping_div(b) - <$ty>::from(down)
        });
        check($kit, "aclnnRemainderTensorTensor", divisor, &[], 77, |a: $ty, b| {
            let rest = a.wrapping_rem(b);
            if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
        });
        // A quotient of integers is a float.
        check($kit, "aclnnDiv", values, &[], 0f32, |a: $ty, b| a as f32 / b as f32);
    })+};
}

#[test]
#[allow(unused_comparisons, clippy::absurd_extreme_comparisons)]
fn integers_wrap() {
    let Some(kit) = toolkit() else { return };
    integers!(kit; i8, i16, i32, i64);
    check(kit, "aclnnMul", |i| spread(i) as u8, &[], 77, |a: u8, b| a.wrapping_mul(b));
    check(kit, "aclnnDivMod", |i| (spread(i) as u8).max(1), &[2], 77, |a: u8, b| a / b);
}

macro_rules! floats {
    ($kit:expr; $($ty:ty, $round:expr, $wide:expr;)+) => {$({
        let (round, wide): (fn(f32) -> $ty, fn($ty) -> f32) = ($round, $wide);
        let odd = [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::NAN, 65504.0, 6.1e-5, 1e-8, 3.4e38, -2.75, 0.1];
        let values = move |i: usize| round(odd[i % odd.len()] + (i / odd.len()) as f32 * 0.37);
        let one = scalar($kit, 1.0f64);
        check($kit, "aclnnAdd", values, &[one], round(7.0), |a, b| round(wide(a) + wide(b)));
        check($kit, "aclnnSub", values, &[one], round(7.0), |a, b| round(wide(a) - wide(b)));
        check($kit, "aclnnMul", values, &[], round(7.0), |a, b| round(wide(a) * wide(b)));
        check($kit, "aclnnDiv", values, &[], round(7.0), |a, b| round(wide(a) / wide(b)));
        check($kit, "aclnnDivMod", values, &[1], round(7.0), |a, b| round((wide(a) / wide(b)).trunc()));
        check($kit, "aclnnGeTensor", values, &[], false, |a, b| a >= b);
        check($kit, "aclnnNeTensor", values, &[], false, |a, b| a != b);
        check($kit, "aclnnLogicalOr", values, &[], false, |a, b| wide(a) != 0.0 || wide(b) != 0.0);
        check($kit, "aclnnMaximum", values, &[], round(7.0), |a, b| {
            if a.is_nan() || b.is_nan() { round(f32::NAN) } else if a > b { a } else { b }
        });
        check($kit, "aclnnRemainderTensorTensor", values, &[], round(7.0), |a, b| {
            let (a, b) = (wide(a), wide(b));
            let rest = a % b;
            round(if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest })
        });
    })+};
}

/// One rounding to the type of the elements; 16-bit types compute in float.
#[test]
fn floats_round_once() {
    let Some(kit) = toolkit() else { return };
    floats! { kit;
        f32, |x| x, |x| x;
        f16, f16::from_f32, f16::to_f32;
        bf16, bf16::from_f32, bf16::to_f32;
    }
    let values = |i: usize| (i as f64 - 5.3) * 1e-3;
    check(kit, "aclnnMul", values, &[], 7.0, |a: f64, b| a * b);
    check(kit, "aclnnDiv", values, &[], 7.0, |a: f64, b| a / b);
}

/// Types of operands and result that differ: the page of the deduction relationship.
#[test]
fn types_promote_and_results_are_cast() {
    let Some(kit) = toolkit() else { return };
    let (dims, half) = ([3i64], f16::from_f32);
    let halves = Tensor::new(kit, &dims, &[half(0.1), half(2.0), half(0.1)]);
    let wide = Tensor::new(kit, &dims, &[1i64, 70_000, 2049]);
    let floats = Tensor::filled(kit, &dims, 0f32);
    // float16 and int64 are float16: 70000 is infinite there, 2049 is 2048.
    kit.run("aclnnMul", &[halves.handle, wide.handle, floats.handle]).expect("aclnnMul");
    floats.expect(kit, "float16 x int64", &[f32::from(half(0.1)), f32::INFINITY, 204.75]);
    // float16 and bfloat16 are float32.
    let brains = Tensor::new(kit, &dims, &[bf16::from_f32(0.3), bf16::from_f32(1e30), bf16::ZERO]);
    kit.run("aclnnMul", &[halves.handle, brains.handle, floats.handle]).expect("aclnnMul");
    let product = |a: f32, b: f32| f32::from(half(a)) * f32::from(bf16::from_f32(b));
    floats.expect(kit, "float16 x bfloat16", &[product(0.1, 0.3), product(2.0, 1e30), 0.0]);
    // int64 and float32: each integer is rounded once.
    let large = Tensor::new(kit, &dims, &[(1i64 << 60) + (1 << 36) + 1, 16_777_217, -1]);
    let ones = Tensor::filled(kit, &dims, 1f32);
    kit.run("aclnnMul", &[large.handle, ones.handle, floats.handle]).expect("aclnnMul");
    floats.expect(kit, "int64 x float32", &[((1i64 << 60) + (1 << 36) + 1) as f32, 16_777_216.0, -1.0]);
    // bool and bool: + is or, x is and.
    let (yes, no) = (Tensor::new(kit, &dims, &[true, true, false]), Tensor::new(kit, &dims, &[true, false, false]));
    let out = Tensor::filled(kit, &dims, false);
    kit.run("aclnnAdd", &[yes.handle, no.handle, scalar(kit, 1i64), out.handle]).expect("aclnnAdd");
    out.expect(kit, "bool + bool", &[true, true, false]);
    kit.run("aclnnBitwiseNot", &[yes.handle, out.handle]).expect("aclnnBitwiseNot");
    out.expect(kit, "not bool", &[false, false, true]);
    // A floating result does not go into integers.
    let (code, text) = kit.run("aclnnMul", &[wide.handle, ones.handle, large.handle]).expect_err("float32 into int64");
    assert_eq!(code, INVALID);
    assert!(text.contains("aclnnMul: argument [out]: a result of data type float32 cannot be cast to int64"), "{text}");
}

#[test]
fn scalars_widen_only_to_a_higher_kind() {
    let Some(kit) = toolkit() else { return };
    let small = Tensor::new(kit, &[2], &[100i8, -3]);
    let out = Tensor::filled(kit, &[2], 0i8);
    let one = scalar(kit, 1i64);
    kit.run("aclnnAdds", &[small.handle, scalar(kit, 100i64), one, out.handle]).expect("aclnnAdds");
    out.expect(kit, "int8 + int64 scalar", &[-56, 97]);
    let floats = Tensor::filled(kit, &[2], 0f32);
    kit.run("aclnnMuls", &[small.handle, scalar(kit, 0.1f64), floats.handle]).expect("aclnnMuls");
    floats.expect(kit, "int8 x double scalar", &[100.0 * 0.1, -3.0 * 0.1]);
    // In float, as torch's scalars of 16-bit tensors are; a comparison rounds the scalar first.
    let halves = Tensor::new(kit, &[2], &[f16::from_f32(0.1), f16::from_f32(3.0)]);
    let result = Tensor::filled(kit, &[2], f16::ZERO);
    kit.run("aclnnMuls", &[halves.handle, scalar(kit, 0.1f64), result.handle]).expect("aclnnMuls");
    let times = |x: f32| f16::from_f32(f16::from_f32(x).to_f32() * 0.1f32);
    result.expect(kit, "float16 x double scalar", &[times(0.1), times(3.0)]);
    let same = Tensor::filled(kit, &[2], false);
    kit.run("aclnnEqScalar", &[halves.handle, scalar(kit, 0.1f64), same.handle]).expect("aclnnEqScalar");
    same.expect(kit, "float16 == double scalar", &[true, false]);
    // In place: the result has the tensor's own type.
    kit.run("aclnnInplaceMuls", &[small.handle, scalar(kit, 2i64)]).expect("aclnnInplaceMuls");
    small.expect(kit, "int8 *= 2", &[-56, -6]);
    let (code, _) = kit.run("aclnnInplaceMuls", &[small.handle, scalar(kit, 0.5f64)]).expect_err("int8 *= 0.5");
    assert_eq!(code, INVALID);
    let (code, text) = kit.run("aclnnAdds", &[small.handle, one, scalar(kit, 0.5f64), out.handle]).expect_err("alpha");
    assert_eq!(code, INVALID);
    assert!(text.contains("argument [alpha]: 0.5 cannot be cast to int8"), "{text}");
}

#[test]
fn clamp_where_and_masks() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::new(kit, &[5], &[-2.0f32, -0.5, 0.25, 3.0, f32::NAN]);
    let out = Tensor::filled(kit, &[5], 0f32);
    let (low, high) = (scalar(kit, -1.0f64), scalar(kit, 1.0f64));
    kit.run("aclnnClamp", &[x.handle, low, high, out.handle]).expect("aclnnClamp");
    out.expect(kit, "clamp", &[-1.0, -0.5, 0.25, 1.0, f32::NAN]);
    kit.run("aclnnClamp", &[x.handle, 0, high, out.handle]).expect("without a lower bound");
    out.expect(kit, "clamp max", &[-2.0, -0.5, 0.25, 1.0, f32::NAN]);
    let low = Tensor::new(kit, &[5], &[-1.0f32, -0.25, f32::NAN, 4.0, 0.0]);
    let high = Tensor::new(kit, &[1], &[0.5f32]);
    kit.run("aclnnClampTensor", &[x.handle, low.handle, high.handle, out.handle]).expect("between tensors");
    out.expect(kit, "clamp tensor", &[-1.0, -0.25, f32::NAN, 0.5, f32::NAN]);
    kit.run("aclnnClampTensor", &[x.handle, low.handle, 0, out.handle]).expect("without an upper tensor");
    out.expect(kit, "clamp min tensor", &[-1.0, -0.25, f32::NAN, 4.0, f32::NAN]);
    kit.run("aclnnClampTensor", &[x.handle, 0, high.handle, out.handle]).expect("without a lower tensor");
    out.expect(kit, "clamp max tensor", &[-2.0, -0.5, 0.25, 0.5, f32::NAN]);
    let (code, text) = kit.run("aclnnClampTensor", &[x.handle, 0, 0, out.handle]).expect_err("no bound");
    assert!(code == INVALID && text.contains("expected a tensor for one, got nullptr for both"), "{code} {text}");
    let mask = Tensor::new(kit, &[5], &[true, false, true, false, true]);
    let other = Tensor::new(kit, &[1], &[9.0f32]);
    kit.run("aclnnSWhere", &[mask.handle, x.handle, other.handle, out.handle]).expect("aclnnSWhere");
    out.expect(kit, "where", &[-2.0, 9.0, 0.25, 9.0, f32::NAN]);
    kit.run("aclnnInplaceMaskedFillScalar", &[out.handle, mask.handle, scalar(kit, 4i64)]).expect("masked fill");
    out.expect(kit, "masked fill", &[4.0, 9.0, 4.0, 9.0, 4.0]);
    let (code, text) = kit.run("aclnnSWhere", &[x.handle, x.handle, x.handle, out.handle]).expect_err("a float mask");
    assert_eq!(code, INVALID);
    assert!(text.contains("argument [condition]: expected data type bool or uint8, got float32"), "{text}");
}

#[test]
fn replacements_of_what_is_not_finite() {
    let Some(kit) = toolkit() else { return };
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let x = Tensor::new(kit, &[5], &[1.5f32, nan, inf, -inf, -0.0]);
    let out = Tensor::filled(kit, &[5], 0f32);
    kit.run_with("aclnnNanToNum", [0.25, 7.0, -9.0], &[x.handle, out.handle]).expect("aclnnNanToNum");
    out.expect(kit, "float32", &[1.5, 0.25, 7.0, -9.0, -0.0]);
    // A replacement is rounded to the type of the elements.
    let half = Tensor::new(kit, &[3], &[f16::NAN, f16::INFINITY, f16::NEG_INFINITY]);
    kit.run_with("aclnnInplaceNanToNum", [0.1, 1e6, -65504.0], &[half.handle]).expect("aclnnInplaceNanToNum");
    half.expect(kit, "float16", &[f16::from_f32(0.1), f16::INFINITY, f16::MIN]);
    let whole = Tensor::new(kit, &[2], &[i64::MAX, -3]);
    kit.run_with("aclnnInplaceNanToNum", [0.5; 3], &[whole.handle]).expect("integers are finite");
    whole.expect(kit, "int64", &[i64::MAX, -3]);
}

/// The first half of a dim times the sigmoid of the second one, in a view with gaps.
#[test]
fn gates() {
    let Some(kit) = toolkit() else { return };
    let x = Tensor::view(kit, &[1f32, 9.0, 3f32.ln(), 9.0, -2.0, 9.0, 1000.0], &[2, 2], &[4, 2], 0);
    let out = Tensor::filled(kit, &[2, 1], 0f32);
    kit.run("aclnnGlu", &[x.handle, -1isize as usize, out.handle]).expect("aclnnGlu");
    out.expect(kit, "glu", &[0.75, -2.0]);
    let (grad, back) = (Tensor::new(kit, &[2, 1], &[4f32, 5.0]), Tensor::filled(kit, &[2, 2], 7f32));
    kit.run("aclnnGluBackward", &[grad.handle, x.handle, 1, back.handle]).expect("aclnnGluBackward");
    back.expect(kit, "gradient", &[3.0, 0.75, 5.0, -0.0]);
    let odd = Tensor::filled(kit, &[3, 2], 0f32);
    let (code, text) = kit.run("aclnnGlu", &[odd.handle, 0, out.handle]).expect_err("three rows");
    assert_eq!(code, INVALID);
    assert!(text.contains("[self]: expected an even number of elements along dim 0, got shape [3, 2]"), "{text}");
}

type Function<T> = (&'static str, fn(T) -> T);

/// Within one unit in the last place of the double result.
#[test]
fn functions_of_one_operand() {
    let Some(kit) = toolkit() else { return };
    let values: Vec<f32> = (-40..40).map(|i| i as f32 * 0.173).chain([f32::INFINITY, f32::NAN, 0.0, 1e-30]).collect();
    let dims = [values.len() as i64];
    let x = Tensor::new(kit, &dims, &values);
    let near: [Function<f64>; 12] = [
        ("aclnnExp", f64::exp),
        ("aclnnLog", f64::ln),
        ("aclnnLog1p", f64::ln_1p),
        ("aclnnSin", f64::sin),
        ("aclnnCos", f64::cos),
        ("aclnnTan", f64::tan),
        ("aclnnTanh", f64::tanh),
        ("aclnnAtan", f64::atan),
        ("aclnnSinh", f64::sinh),
        ("aclnnSigmoid", |x| 1.0 / (1.0 + (-x).exp())),
        ("aclnnSilu", |x| x / (1.0 + (-x).exp())),
        ("aclnnExpm1", f64::exp_m1),
    ];
    for (name, function) in near {
        let out = Tensor::filled(kit, &dims, 0f32);
        kit.run(name, &[x.handle, out.handle]).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        for (got, &x) in out.read(kit).into_iter().zip(&values) {
            let expected = function(f64::from(x)) as f32;
            let distance = (i64::from(got.to_bits()) - i64::from(expected.to_bits())).abs();
            assert!(distance <= 1 || (got.is_nan() && expected.is_nan()), "{name}({x}): {got}, expected {expected}");
        }
    }
    let exact: [Function<f32>; 8] = [
        ("aclnnAbs", f32::abs),
        ("aclnnNeg", |x| -x),
        ("aclnnTrunc", f32::trunc),
        ("aclnnFloor", f32::floor),
        ("aclnnCeil", f32::ceil),
        ("aclnnRound", f32::round_ties_even),
        ("aclnnSqrt", f32::sqrt),
        ("aclnnReciprocal", |x| 1.0 / x),
    ];
    for (name, function) in exact {
        let out = Tensor::filled(kit, &dims, 0f32);
        kit.run(name, &[x.handle, out.handle]).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        out.expect(kit, name, &values.iter().map(|x| function(*x)).collect::<Vec<_>>());
    }
}

/// Truncation, low bits, and half by way of float.
#[test]
fn casts_are_those_of_torch() {
    let Some(kit) = toolkit() else { return };
    let values = [1.9f32, -1.9, 300.0, -0.0, f32::NAN, 65520.0];
    let x = Tensor::new(kit, &[6], &values);
    macro_rules! cast {
        ($($ty:ty, $zero:expr, $expected:expr;)+) => {$({
            let out = Tensor::<$ty>::filled(kit, &[6], $zero);
            kit.run("aclnnCast", &[x.handle, <$ty>::DTYPE as usize, out.handle]).expect("aclnnCast");
            out.expect(kit, stringify!($ty), &$expected);
        })+};
    }
    cast! {
        i8, 0, [1, -1, 44, 0, 0, -16];
        i32, 0, [1, -1, 300, 0, 0, 65520];
        bool, false, [true, true, true, false, true, true];
        f64, 0.0, values.map(f64::from);
        f16, f16::ZERO, values.map(f16::from_f32);
        bf16, bf16::ZERO, values.map(bf16::from_f32);
    }
    // Two roundings: just above the middle of two halves is the middle in float.
    let double = Tensor::new(kit, &[1], &[1.0 + 2f64.powi(-11) + 2f64.powi(-40)]);
    let half = Tensor::filled(kit, &[1], f16::ZERO);
    kit.run("aclnnInplaceCopy", &[half.handle, double.handle]).expect("aclnnInplaceCopy");
    half.expect(kit, "float64 to float16", &[f16::ONE]);
    let large = Tensor::new(kit, &[2], &[i64::MAX, (1 << 53) + 1]);
    let copy = Tensor::filled(kit, &[2], 0i64);
    kit.run("aclnnInplaceCopy", &[copy.handle, large.handle]).expect("aclnnInplaceCopy");
    copy.expect(kit, "int64 to int64", &[i64::MAX, (1 << 53) + 1]);
}

/// Operands that overlap the result are read before it is written.
#[test]
fn operands_may_overlap_the_result() {
    let Some(kit) = toolkit() else { return };
    let many = 5000i64;
    let values: Vec<i32> = (0..many as i32).collect();
    let x = Tensor::new(kit, &[many], &values);
    let shifted = Tensor::<i32>::at(kit, x.memory, many as usize, &[many - 1], &[1], 1);
    let first = Tensor::<i32>::at(kit, x.memory, many as usize, &[many - 1], &[1], 0);
    kit.run("aclnnInplaceAdd", &[shifted.handle, first.handle, scalar(kit, 1i64)]).expect("aclnnInplaceAdd");
    let expected: Vec<i32> = (0..many as i32).map(|i| if i == 0 { 0 } else { 2 * i - 1 }).collect();
    x.expect(kit, "x[1:] += x[:-1]", &expected);
    // In place, transposed.
    let square = Tensor::new(kit, &[2, 3], &[1i32, 2, 3, 4, 5, 6]);
    kit.run("aclnnInplaceMul", &[square.handle, square.handle]).expect("aclnnInplaceMul");
    square.expect(kit, "x *= x", &[1, 4, 9, 16, 25, 36]);
}

#[test]
fn empty_and_single_tensors() {
    let Some(kit) = toolkit() else { return };
    let none = Tensor::<f32>::new(kit, &[0, 3], &[]);
    let out = Tensor::<f32>::new(kit, &[0, 3], &[]);
    let row = Tensor::new(kit, &[3], &[1f32, 2.0, 3.0]);
    kit.run("aclnnMul", &[none.handle, row.handle, out.handle]).expect("empty");
    let (a, b) = (Tensor::new(kit, &[], &[6f32]), Tensor::new(kit, &[], &[7f32]));
    let single = Tensor::new(kit, &[], &[0f32]);
    kit.run("aclnnMul", &[a.handle, b.handle, single.handle]).expect("no dims");
    single.expect(kit, "no dims", &[42.0]);
    let eight = [1, 2, 1, 2, 1, 2, 1, 2];
    let x = Tensor::new(kit, &eight, &(0..16).map(|i| i as f32).collect::<Vec<_>>());
    let y = Tensor::view(kit, &x.read(kit), &eight, &contiguous(&eight), 0);
    kit.run("aclnnInplaceSub", &[y.handle, x.handle, scalar(kit, 1i64)]).expect("eight dims");
    y.expect(kit, "eight dims", &[0.0; 16]);
}
