//! What the operator must return, in Rust arithmetic that shares nothing with the operator or the host toolkit.
//!
//! * [`Mode::Tbe`]: `self - trunc(self / other) * other` in fp32, each step rounded to nearest even, as the built-in
//!   operator computes it. The truncation is the vector core's float-to-float Cast, which on A2 turns −0 into +0.
//!   16-bit floats are widened exactly and the result is rounded once.
//! * [`Mode::Exact`]: C's `fmodf`, by integer arithmetic on the significands.
//! * Integers are exact in both modes; a zero divisor gives 0 (numpy's convention).
//! * Operands of different types are cast to the type that [`crate::promote`] chooses, results to the type of `out`.

use half::{bf16, f16};
use serde::Deserialize;

use crate::data::Data;
use crate::dtype::{DataType, DynType, from_word};
use crate::with_type;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Tbe,
    Exact,
}

impl Mode {
    pub const ALL: [Mode; 2] = [Mode::Tbe, Mode::Exact];

    /// The value of `precisionMode`.
    pub fn raw(self) -> i8 {
        match self {
            Mode::Tbe => 0,
            Mode::Exact => 1,
        }
    }
}

/// The operator on whole operands: cast to `computed`, divided, cast to `out`.
pub fn results(x: &Data, y: &Data, computed: DynType, out: DynType, mode: Mode) -> Data {
    results_on(x, y, computed, out, mode, 0)
}

/// [`results`] on hardware whose Div misses every finite quotient but 0 by `ulps` units in the last place of its magnitude.
/// Only [`Mode::Tbe`] of the floating types may follow it.
pub fn results_on(x: &Data, y: &Data, computed: DynType, out: DynType, mode: Mode, ulps: i32) -> Data {
    let (x, y) = (x.cast(computed), y.cast(computed));
    let bits = with_type!(computed, T => {
        let one = |(x, y): (&u32, &u32)| from_word::<T>(*x).fmod_on(from_word::<T>(*y), mode, ulps).bits() as u32;
        x.bits.iter().zip(&y.bits).map(one).collect()
    });
    Data { dtype: computed, bits }.cast(out)
}

/// An element type with a reference result.
pub trait Golden: DataType {
    fn fmod(self, other: Self, mode: Mode) -> Self {
        self.fmod_on(other, mode, 0)
    }

    /// On hardware whose Div is off by `ulps`, see [`results_on`].
    fn fmod_on(self, other: Self, mode: Mode, ulps: i32) -> Self;
}

impl Golden for f32 {
    fn fmod_on(self, other: f32, mode: Mode, ulps: i32) -> f32 {
        match mode {
            Mode::Tbe => tbe(self, other, ulps),
            Mode::Exact => exact(self, other),
        }
    }
}

impl Golden for f16 {
    fn fmod_on(self, other: f16, mode: Mode, ulps: i32) -> f16 {
        f16::from_f32(self.to_f32().fmod_on(other.to_f32(), mode, ulps))
    }
}

impl Golden for bf16 {
    fn fmod_on(self, other: bf16, mode: Mode, ulps: i32) -> bf16 {
        bf16::from_f32(self.to_f32().fmod_on(other.to_f32(), mode, ulps))
    }
}

macro_rules! integer {
    ($($type:ty),*) => {$(
        impl Golden for $type {
            fn fmod_on(self, other: $type, _: Mode, _: i32) -> $type {
                // wrapping: MIN % -1 is 0, not an overflow
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }
        }
    )*};
}

integer!(i8, u8, i16, i32);

fn tbe(x: f32, y: f32, ulps: i32) -> f32 {
    let truncated = moved(x / y, ulps).trunc() + 0.0; // −0 + 0 = +0, everything else stays
    x - truncated * y
}

/// A step that would reach 0 or infinity is not taken.
fn moved(quotient: f32, ulps: i32) -> f32 {
    if !quotient.is_finite() || quotient == 0.0 {
        return quotient;
    }
    let moved = f32::from_bits(quotient.to_bits().wrapping_add_signed(ulps));
    if moved.is_finite() && moved != 0.0 { moved } else { quotient }
}

const FRACTION_BITS: u32 = 23;
const FRACTION: u32 = (1 << FRACTION_BITS) - 1;
const SIGN: u32 = 1 << 31;

/// `|value| = significand · 2^exponent`, for finite values; subnormals keep the smallest exponent.
fn decompose(bits: u32) -> (u64, i32) {
    let (biased, fraction) = ((bits & !SIGN) >> FRACTION_BITS, bits & FRACTION);
    match biased {
        0 => (fraction.into(), -149),
        _ => ((fraction | 1 << FRACTION_BITS).into(), biased as i32 - 150),
    }
}

/// C's fmodf.
pub fn exact(x: f32, y: f32) -> f32 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f32::NAN;
    }
    if y.is_infinite() || x == 0.0 {
        return x;
    }
    let (mut remainder, x_exponent) = decompose(x.to_bits());
    let (divisor, y_exponent) = decompose(y.to_bits());
    if x_exponent < y_exponent {
        return x; // y is normal here, so |x| < 2^24 · 2^x_exponent <= |y|
    }
    // x mod y = ((significand of x) · 2^gap mod (significand of y)) · 2^y_exponent, forty bits of the gap at a time
    remainder %= divisor;
    let mut gap = x_exponent - y_exponent;
    while gap > 0 && remainder != 0 {
        let step = gap.min(40); // the remainder has at most 24 bits
        remainder = (remainder << step) % divisor;
        gap -= step;
    }
    f32::from_bits(compose(remainder as u32, y_exponent) | (x.to_bits() & SIGN))
}

/// Bits of `significand · 2^exponent`; exact, because the significand has at most 24 bits and the exponent is a float's.
fn compose(significand: u32, exponent: i32) -> u32 {
    if significand == 0 {
        return 0;
    }
    let shift = (significand.leading_zeros() as i32 - 8).min(exponent + 149);
    let normalised = significand << shift;
    let biased = exponent - shift + 150;
    if normalised & (1 << FRACTION_BITS) == 0 {
        normalised
    } else {
        (biased as u32) << FRACTION_BITS | normalised & FRACTION
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{CLASSES, Rng, class};

    unsafe extern "C" {
        safe fn fmodf(x: f32, y: f32) -> f32;
    }

    fn assert_same<T: DataType>(got: T, want: T, what: &str) {
        assert!(got.same(want), "{what}: got {got:?} ({:#x}), expected {want:?} ({:#x})", got.bits(), want.bits());
    }

    #[test]
    fn exact_is_libm_fmodf_on_every_vector_class() {
        for name in CLASSES {
            for (x, y) in class(name).unwrap() {
                assert_same(exact(x, y), fmodf(x, y), &format!("{name} fmod({x:e}, {y:e})"));
            }
        }
    }

    #[test]
    fn exact_is_libm_fmodf_on_random_bits() {
        let mut rng = Rng::new(1);
        for _ in 0..300_000 {
            let (x, y) = (f32::from_bits(rng.next_u32()), f32::from_bits(rng.next_u32()));
            assert_same(exact(x, y), fmodf(x, y), &format!("fmod({x:e}, {y:e})"));
        }
    }

    // Rows of the semantics table: values of C and of the TBE chain.
    #[test]
    fn tbe_differs_from_c_where_it_is_known_to() {
        for (x, y, c, chain) in [
            (5.3f32, 2.0f32, 1.3000002f32, 1.3000002f32),
            (-5.3, 2.0, -1.3000002, -1.3000002),
            (5.3, -2.0, 1.3000002, 1.3000002),
            (-5.3, -2.0, -1.3000002, -1.3000002),
            (5.5, 1.1, 1.0999999, 0.0),
            (3.3, 1.1, 1.0999999, -2.3841858e-7),
            (-6.0, 3.0, -0.0, 0.0),
            (-0.0, 3.0, -0.0, -0.0),
            (-0.0, -3.0, -0.0, 0.0),
            (0.0, -3.0, 0.0, 0.0),
            (3.0, f32::INFINITY, 3.0, f32::NAN),
            (f32::INFINITY, 3.0, f32::NAN, f32::NAN),
            (1.0, 0.0, f32::NAN, f32::NAN),
            (1e10, 3.0, 1.0, 0.0),
            (1e38, 1e-38, fmodf(1e38, 1e-38), f32::NEG_INFINITY),
        ] {
            assert_same(x.fmod(y, Mode::Exact), c, &format!("exact {x}, {y}"));
            assert_same(x.fmod(y, Mode::Tbe), chain, &format!("tbe {x}, {y}"));
        }
    }

    #[test]
    fn a_divider_that_misses_moves_the_chain_and_nothing_else() {
        for (x, y, ulps, chain) in [
            (6.0f32, 3.0f32, -1, 3.0f32),
            (6.0, 3.0, 1, 0.0),
            (5.9999995, 2.0, 1, -4.7683716e-7),
            (1e-45, 1.0, -1, 1e-45),
            (1.0, 0.0, 1, f32::NAN),
        ] {
            assert_same(x.fmod_on(y, Mode::Tbe, ulps), chain, &format!("tbe {x}, {y}, {ulps} ulp"));
            assert_same(x.fmod_on(y, Mode::Exact, ulps), fmodf(x, y), &format!("exact {x}, {y}, {ulps} ulp"));
        }
    }

    #[test]
    fn sixteen_bit_floats_round_the_scalar_first() {
        let (x, y) = (f16::from_f32(5.5), f16::from_f32(1.1));
        assert_same(x.fmod(y, Mode::Exact), f16::from_f32(0.001953125), "f16");
        let (x, y) = (bf16::from_f32(5.5), bf16::from_f32(1.1));
        assert_same(x.fmod(y, Mode::Exact), bf16::from_f32(1.09375), "bf16");
    }

    #[test]
    fn integers() {
        assert_eq!((-5i32).fmod(3, Mode::Tbe), -2);
        assert_eq!(5i32.fmod(-3, Mode::Tbe), 2);
        assert_eq!(7i32.fmod(0, Mode::Tbe), 0);
        assert_eq!(i32::MIN.fmod(-1, Mode::Exact), 0);
        assert_eq!(i16::MIN.fmod(-1, Mode::Exact), 0);
        assert_eq!(i8::MIN.fmod(-1, Mode::Tbe), 0);
        assert_eq!(255u8.fmod(16, Mode::Tbe), 15);
    }
}
