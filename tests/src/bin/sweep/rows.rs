//! Results of one divisor for all dividends of a 16-bit or 8-bit type: `row[bits of x] = fmod(x, y)`.
//!
//! Made for speed and independent of `golden.rs`, which the tests below compare it with.

/// NaN of every 16-bit float; which NaN an operation gives is not specified.
const NAN: u16 = 0x7fff;
const SIGN: u16 = 0x8000;

/// A 16-bit binary float, by the number of its fraction bits.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    fraction: u32,
}

pub const F16: Format = Format { fraction: 10 };
pub const BF16: Format = Format { fraction: 7 };

impl Format {
    pub fn infinity(self) -> u16 {
        !SIGN >> self.fraction << self.fraction
    }

    /// `|value| = significand · 2^exponent`, up to a power of two that all finite values share.
    fn split(self, magnitude: u16) -> (u32, u32) {
        let (exponent, fraction) =
            (u32::from(magnitude >> self.fraction), u32::from(magnitude) & ((1 << self.fraction) - 1));
        if exponent == 0 { (fraction, 1) } else { (fraction | 1 << self.fraction, exponent) }
    }

    /// Inverse of [`Format::split`] for a significand that need not be normalised.
    fn join(self, significand: u32, exponent: u32) -> u16 {
        if significand == 0 {
            return 0;
        }
        let up = (significand.leading_zeros() + self.fraction - 31).min(exponent - 1);
        // The leading one of a normal significand raises the exponent field by one.
        ((exponent - up - 1) << self.fraction).wrapping_add(significand << up) as u16
    }

    /// C's fmod. With x = m·2^i and y = n·2^j the result is (m · (2^(i-j) mod n) mod n)·2^j.
    pub fn exact(self, y: u16, row: &mut [u16]) {
        let (infinity, divisor) = (self.infinity(), y & !SIGN);
        let (n, j) = self.split(divisor);
        let mut powers = [0u32; 256];
        if n > 0 {
            powers[0] = 1 % n;
            (1..powers.len()).for_each(|gap| powers[gap] = 2 * powers[gap - 1] % n);
        }
        let (positive, negative) = row.split_at_mut(usize::from(SIGN));
        for (dividend, (positive, negative)) in (0..SIGN).zip(positive.iter_mut().zip(negative)) {
            let remainder = if dividend >= infinity || divisor > infinity || divisor == 0 {
                NAN
            } else {
                let (m, i) = self.split(dividend);
                // i < j: y is normal and |x| < |y|
                if divisor == infinity || i < j { dividend } else { self.join(m * powers[(i - j) as usize] % n, j) }
            };
            *positive = remainder;
            *negative = remainder | SIGN;
        }
    }
}

/// The chain of the built-in TBE operator: `x - trunc(x / y) · y` in fp32, rounded once to 16 bits.
pub struct Chain {
    narrow: Narrow,
    dividends: Vec<f32>,
}

#[derive(Clone, Copy)]
enum Narrow {
    Half,
    Bfloat,
}

impl Chain {
    pub fn f16() -> Chain {
        Chain {
            narrow: Narrow::Half,
            dividends: (0..=u16::MAX).map(|bits| half::f16::from_bits(bits).to_f32()).collect(),
        }
    }

    pub fn bf16() -> Chain {
        let dividends = (0..=u16::MAX).map(|bits| f32::from_bits(u32::from(bits) << 16)).collect();
        Chain { narrow: Narrow::Bfloat, dividends }
    }

    pub fn row(&self, y: u16, row: &mut [u16]) {
        let y = self.dividends[usize::from(y)];
        match self.narrow {
            Narrow::Half => steps(&self.dividends, y, row, to_half),
            Narrow::Bfloat => steps(&self.dividends, y, row, to_bfloat),
        }
    }
}

/// Wider vectors where the machine has them; the arithmetic is the same.
fn steps(xs: &[f32], y: f32, row: &mut [u16], narrow: impl Fn(f32) -> u16) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the feature was detected.
        return unsafe { steps_avx2(xs, y, row, narrow) };
    }
    steps_anywhere(xs, y, row, narrow);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn steps_avx2(xs: &[f32], y: f32, row: &mut [u16], narrow: impl Fn(f32) -> u16) {
    steps_anywhere(xs, y, row, narrow);
}

#[inline(always)]
fn steps_anywhere(xs: &[f32], y: f32, row: &mut [u16], narrow: impl Fn(f32) -> u16) {
    for (x, result) in xs.iter().zip(row) {
        *result = narrow(tbe(*x, y));
    }
}

/// The chain on one fp32 pair. Cast's truncation gives +0 where the quotient is −0 or in (−1, 0).
#[inline(always)]
pub fn tbe(x: f32, y: f32) -> f32 {
    let quotient = (x / y).trunc() + 0.0;
    x - quotient * y
}

/// Round to nearest even.
#[inline(always)]
fn to_half(value: f32) -> u16 {
    const SMALLEST_NORMAL: u32 = 0x3880_0000; // 2^-14
    const BEYOND: u32 = 0x4780_0000; // 2^16
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // An ulp of 0.5 is the smallest subnormal: the addition rounds to it.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let rebias = 0u32.wrapping_sub(112 << 23);
    let normal = magnitude.wrapping_add(rebias).wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13;
    let special = if magnitude > f32::INFINITY.to_bits() { u32::from(NAN) } else { u32::from(F16.infinity()) };
    let finite = if magnitude < SMALLEST_NORMAL { subnormal } else { normal };
    (if magnitude >= BEYOND { special } else { finite } | bits >> 16 & u32::from(SIGN)) as u16
}

#[inline(always)]
fn to_bfloat(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    (if bits & 0x7fff_ffff > f32::INFINITY.to_bits() { u32::from(NAN) } else { rounded }) as u16
}

/// `x` counts up, so the remainder does too, without a division. A zero divisor gives 0.
pub fn int16(y: u16, row: &mut [u16]) {
    let divisor = (y as i16).unsigned_abs();
    let mut remainder = 0;
    for magnitude in 0..=SIGN {
        if remainder == divisor {
            remainder = 0;
        }
        if magnitude < SIGN {
            row[usize::from(magnitude)] = remainder;
        }
        row[usize::from(magnitude.wrapping_neg())] = remainder.wrapping_neg();
        remainder += u16::from(divisor != 0);
    }
}

pub fn int8(y: u8, row: &mut [u8]) {
    let divisor = i32::from(y as i8);
    for (x, result) in (0..=u8::MAX).zip(row) {
        *result = i32::from(x as i8).checked_rem(divisor).unwrap_or(0) as u8;
    }
}

pub fn uint8(y: u8, row: &mut [u8]) {
    for (x, result) in (0..=u8::MAX).zip(row) {
        *result = x.checked_rem(y).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use fmod_tests::DataType;
    use fmod_tests::generate::Rng;
    use fmod_tests::golden::{Golden, Mode};
    use half::{bf16, f16};

    use super::*;

    /// All dividends over edge divisors and `more` random ones.
    fn check<T: Golden>(mode: Mode, more: usize, row_of: impl Fn(u16, &mut [u16])) {
        let edges =
            [0, 1, 2, 3, 0x7f, 0x80, 0x3ff, 0x400, 0x3c00, 0x3f80, 0x7bff, 0x7c00, 0x7c01, 0x7f7f, 0x7f80, 0x7fff];
        let edges = edges.into_iter().flat_map(|y| [y, y | SIGN]);
        let mut rng = Rng::new(7);
        let random = (0..more).map(|_| rng.next_u32() as u16).collect::<Vec<_>>();
        let mut row = vec![0; 1 << 16];
        for y in edges.chain(random) {
            row_of(y, &mut row);
            for x in 0..=u16::MAX {
                let want = T::from_bits(x.into()).fmod(T::from_bits(y.into()), mode);
                let got = T::from_bits(row[usize::from(x)].into());
                assert!(got.same(want), "fmod({x:#06x}, {y:#06x}): row {got:?}, golden model {want:?}");
            }
        }
    }

    #[test]
    fn exact_rows_are_the_golden_model() {
        check::<f16>(Mode::Exact, 12, |y, row| F16.exact(y, row));
        check::<bf16>(Mode::Exact, 12, |y, row| BF16.exact(y, row));
    }

    #[test]
    fn chain_rows_are_the_golden_model() {
        let (f, b) = (Chain::f16(), Chain::bf16());
        check::<f16>(Mode::Tbe, 12, |y, row| f.row(y, row));
        check::<bf16>(Mode::Tbe, 12, |y, row| b.row(y, row));
    }

    #[test]
    fn integer_rows_are_the_golden_model() {
        check::<i16>(Mode::Exact, 12, int16);
        let mut row = [0; 256];
        for (x, y) in (0..=u8::MAX).flat_map(|y| (0..=u8::MAX).map(move |x| (x, y))) {
            int8(y, &mut row);
            assert_eq!(row[usize::from(x)] as i8, (x as i8).fmod(y as i8, Mode::Exact), "int8 {x} {y}");
            uint8(y, &mut row);
            assert_eq!(row[usize::from(x)], x.fmod(y, Mode::Exact), "uint8 {x} {y}");
        }
    }

    #[test]
    fn narrowing_rounds_as_half_does() {
        let mut rng = Rng::new(3);
        let edges = [65504.0, 65519.9, 65520.0, 65536.0, 6e-8, 2.9e-8, 2.98e-8, 3e-8, 6.1e-5, 0.0].map(f32::to_bits);
        for bits in edges.into_iter().chain((0..500_000).map(|_| rng.next_u32())) {
            let value = f32::from_bits(bits);
            assert!(f16::from_bits(to_half(value)).same(f16::from_f32(value)), "half {value:e}");
            assert!(bf16::from_bits(to_bfloat(value)).same(bf16::from_f32(value)), "bfloat16 {value:e}");
        }
    }
}
