use super::*;
use crate::{
    base::ins::{Opcode, VecIns},
    instruction::decode::{SCALAR_BASE, SCALAR_EXPONENT},
};
use crate::{base::switches::Switches, testkit::Bench};

/// Values across the range of a function, both signs.
fn sweep() -> Vec<f32> {
    let mut v: Vec<f32> = (0..0x7f80_0000u32).step_by(999_983).map(f32::from_bits).collect();
    v.extend([0.0, 0.5, 1.0, 2.0, 10.0, 0.1, 8.0, 1000.0, f32::MIN_POSITIVE, 1e-40, f32::MAX, f32::INFINITY]);
    let negative: Vec<f32> = v.iter().map(|x| -x).collect();
    v.extend(negative);
    v.push(f32::NAN);
    v
}

/// The nearest half, the even one of two. `half::f16::from_f64` rounds twice on some hosts; its neighbours decide.
fn nearest_half(x: f64) -> half::f16 {
    let guess = half::f16::from_f64(x);
    if guess.is_nan() || x.is_infinite() {
        return guess;
    }
    // Infinity stands for the next power of two.
    let value = |b: u16| if b & 0x7fff == 0x7c00 { 65536f64.copysign(x) } else { half::f16::from_bits(b).to_f64() };
    let bits = guess.to_bits();
    let near =
        [bits, bits.saturating_sub(1), bits + 1].into_iter().filter(|b| b & 0x7fff <= 0x7c00 && b >> 15 == bits >> 15);
    let distance = |b: &u16| (value(*b) - x).abs();
    let best = near.min_by(|a, b| distance(a).total_cmp(&distance(b)).then((a & 1).cmp(&(b & 1))));
    half::f16::from_bits(best.unwrap_or(bits))
}

fn canonical(x: f64) -> u32 {
    canon(x as f32).to_bits()
}

type Function = fn(f64) -> f64;

#[test]
fn every_function_is_the_exact_value_rounded_once() {
    // The standard library's functions are an independent implementation.
    let table: [(Opcode, Function); 16] = [
        (Opcode::Sin, f64::sin),
        (Opcode::Cos, f64::cos),
        (Opcode::Tan, f64::tan),
        (Opcode::Asin, f64::asin),
        (Opcode::Acos, f64::acos),
        (Opcode::Atan, f64::atan),
        (Opcode::Sinh, f64::sinh),
        (Opcode::Cosh, f64::cosh),
        (Opcode::Tanh, f64::tanh),
        (Opcode::Acosh, f64::acosh),
        (Opcode::Log2, f64::log2),
        (Opcode::Log10, f64::log10),
        (Opcode::Sign, |x| {
            if x > 0.0 {
                1.0
            } else if x < 0.0 {
                -1.0
            } else {
                0.0
            }
        }),
        (Opcode::Sigmoid, |x| 1.0 / (1.0 + (-x).exp())),
        (Opcode::Silu, |x| if x == f64::NEG_INFINITY { -0.0 } else { x / (1.0 + (-x).exp()) }),
        (Opcode::Swish, |x| if x == f64::NEG_INFINITY { -0.0 } else { x / (1.0 + (-2.0 * x).exp()) }),
    ];
    let all = sweep();
    for (op, f) in table {
        // Sin and Cos have a domain (their pages); the next test looks beyond it.
        let bounded = matches!(op, Opcode::Sin | Opcode::Cos);
        let x: Vec<f32> = all.iter().copied().filter(|x| !bounded || x.is_nan() || x.abs() <= 65504.0).collect();
        let scalar = 2f32.to_bits() as u64;
        let got = Bench::new().unary(op, Dtype::F32, scalar, &x);
        for (x, got) in x.iter().zip(got) {
            assert_eq!(got.to_bits(), canonical(f(*x as f64)), "{} {x:e}: {got:e}", op.name());
        }
        let h: Vec<u16> = (0..=u16::MAX).step_by(7).collect();
        let scalar = half::f16::from_f32(2.0).to_bits() as u64;
        let got = Bench::new().unary(op, Dtype::F16, scalar, &h);
        for (h, got) in h.iter().zip(got) {
            let want = nearest_half(f(half::f16::from_bits(*h).to_f64()));
            let same = got == want.to_bits() || (want.is_nan() && got == 0x7e00);
            assert!(same, "{} {h:04x}: {got:04x}, expected {:04x}", op.name(), want.to_bits());
        }
    }
}

/// Functions that the standard library has not, or has with errors of their own, against known values.
#[test]
fn known_values() {
    let one = |op, x: f32| Bench::new().unary(op, Dtype::F32, 0, &[x])[0];
    // Abramowitz and Stegun, tables 7.1 and 4.17; A&S 26.2 for the tails.
    assert_eq!(one(Opcode::Erf, 0.5), 0.520_499_9);
    assert_eq!(one(Opcode::Erf, 1.0), 0.842_700_8);
    assert_eq!(one(Opcode::Erf, -2.0), -0.995_322_3);
    assert_eq!(one(Opcode::Erf, f32::INFINITY), 1.0);
    assert_eq!(one(Opcode::Erfc, 0.5), 0.479_500_12);
    assert_eq!(one(Opcode::Erfc, 3.0), 2.209_049_7e-5);
    assert_eq!(one(Opcode::Erfc, -1.0), 1.842_700_8);
    assert_eq!(one(Opcode::Asinh, 1.0), 0.881_373_6);
    assert_eq!(one(Opcode::Asinh, -1e-20), -1e-20);
    assert_eq!(one(Opcode::Atanh, 0.5), 0.549_306_15);
    assert_eq!(one(Opcode::Atanh, 1.0), f32::INFINITY);
    assert!(one(Opcode::Atanh, 1.5).is_nan() && one(Opcode::Acos, 1.5).is_nan());
    assert_eq!(one(Opcode::Sin, 0.0).to_bits(), 0);
    assert_eq!(one(Opcode::Sin, -0.0).to_bits(), 0x8000_0000);
    for op in [Opcode::Sin, Opcode::Cos] {
        assert!(one(op, 65504.0).is_finite() && one(op, -65504.0).is_finite(), "{op:?}");
        assert!(one(op, 65505.0).is_nan() && one(op, -65505.0).is_nan(), "{op:?}");
    }
}

#[test]
fn powers() {
    let mut b = Bench::new();
    let (x, y) = ([2f32, 9.0, -2.0, -2.0, 0.0, 10.0], [10f32, 0.5, 3.0, 0.5, 0.0, 40.0]);
    let got = b.binary(Opcode::Power, Dtype::F32, &x, &y);
    assert_eq!(got[..3], [1024.0, 3.0, -8.0]);
    assert!(got[3].is_nan());
    assert_eq!(got[4..], [1.0, f32::INFINITY]);
    let got = b.binary(Opcode::Power, Dtype::I32, &[3, -3, 2, 1, -1, 0, 5], &[4, 3, 31, -7, -7, 0, -1]);
    assert_eq!(got, [81, -27, i32::MIN, 1, -1, 1, 0]);
    // 3^21 wraps.
    assert_eq!(b.binary(Opcode::Power, Dtype::I32, &[3], &[21]), [3i32.wrapping_pow(21)]);
    for (mode, want) in [(SCALAR_EXPONENT, [4f32, 9.0, 16.0]), (SCALAR_BASE, [4f32, 8.0, 16.0])] {
        b.put(crate::testkit::A, &[2f32, 3.0, 4.0]);
        let scalar = 2f32.to_bits() as u64;
        let ins = VecIns { mode, scalar, ..Bench::ins(Opcode::Power, Dtype::F32, Dtype::F32, 3) };
        assert_eq!(b.run::<f32>(&ins, 3).unwrap(), want);
    }
    assert!(b.try_unary(Opcode::Sin, Dtype::I32, 0, &[1i32]).unwrap_err().expected.contains("half, float"));
}

#[test]
fn the_switches_hold() {
    let ftz = Switches { ftz: Ftz::On, ..Switches::default() };
    assert_eq!(Bench::with(ftz).unary(Opcode::Sin, Dtype::F32, 0, &[1e-40f32]), [0.0]);
    let sat = Switches { saturation: crate::Saturation::Saturate, ..Switches::default() };
    assert_eq!(
        Bench::with(sat).unary(Opcode::Cosh, Dtype::F16, 0, &[half::f16::from_f32(20.0).to_bits()]),
        [0x7bffu16]
    );
}

#[test]
fn the_temporary_space_is_checked() {
    let call = |tmp: Operand, tmp_min| AdvCall {
        name: c"Sin".as_ptr(),
        operands: [Operand::new(64, 64), Operand::new(128, 64), Operand::default()],
        tmp,
        tmp_min,
        tmp_document: tmp_min,
        flags: 0,
    };
    // SAFETY: the name is a C string.
    let check = |c: AdvCall| unsafe { c.announce(&mut Bench::new().core) };
    let f = check(call(Operand::new(1024, 700), 768)).unwrap_err();
    assert_eq!((f.class, f.got.as_str()), (FaultClass::BufferSpace, "700 bytes"));
    assert!(f.fix.contains("GetSinMaxMinTmpSize"));
    let f = check(call(Operand::new(160, 768), 768)).unwrap_err();
    assert!(f.expected.contains("src0, 128 to 192"), "{}", f.expected);
    check(call(Operand::new(192, 768), 768)).unwrap();
    check(call(Operand::new(0, 64), 64)).unwrap();
    // Not needed, so not touched.
    check(call(Operand::new(64, 64), 0)).unwrap();
}
