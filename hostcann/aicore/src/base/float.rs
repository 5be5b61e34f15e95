//! Lane types and scalar conversions. All are branch-light integer code: they vectorise, and give the same bits on
//! every instruction set. A NaN result is the canonical one (positive, quiet, no payload).

/// A value that may be copied as bytes.
///
/// # Safety
/// Every bit pattern is a valid value and the type has no padding.
pub(crate) unsafe trait Pod: Copy + 'static {}

macro_rules! pod {
    ($($t:ty),*) => { $(
        // SAFETY: a plain number, a wrapper of one, or nothing.
        unsafe impl Pod for $t {}
    )* };
}
pod!((), u8, i8, u16, i16, u32, i32, u64, i64, f32, F16, Bf16);

/// IEEE binary16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct F16(pub u16);

/// bfloat16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Bf16(pub u16);

pub(crate) const F32_NAN: u32 = 0x7fc0_0000;
pub(crate) const F16_NAN: u16 = 0x7e00;
pub(crate) const BF16_NAN: u16 = 0x7fc0;

/// Rounding modes with the values of `RoundMode`. `NONE` on a lossy pair acts as `RINT`.
pub(crate) mod round {
    pub const NONE: u8 = 0;
    pub const RINT: u8 = 1;
    pub const FLOOR: u8 = 2;
    pub const CEIL: u8 = 3;
    pub const ROUND: u8 = 4;
    pub const TRUNC: u8 = 5;
    pub const ODD: u8 = 6;
    pub const NAMES: [&str; 7] =
        ["CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"];
}

/// The canonical NaN for any NaN. Tests the bits: a compiler may treat a floating-point test as saying nothing about
/// which NaN it is, and drop the replacement.
#[inline(always)]
pub(crate) fn canon(x: f32) -> f32 {
    let b = x.to_bits();
    f32::from_bits(if b & 0x7fff_ffff > 0x7f80_0000 { F32_NAN } else { b })
}

/// Zero of the same sign for a subnormal, anything else unchanged.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    let b = x.to_bits();
    f32::from_bits(if b & 0x7fff_ffff < 0x0080_0000 { b & 0x8000_0000 } else { b })
}

#[inline(always)]
pub(crate) fn f16_to_f32(h: F16) -> f32 {
    let h = h.0 as u32;
    let abs = h & 0x7fff;
    // A subnormal is an integer times 2^-24. Scaling its bits as a float would meet float subnormals, which are slow.
    let normal = (abs << 13) + (112 << 23);
    let subnormal = (abs as i32 as f32 * f32::from_bits(0x3380_0000)).to_bits();
    let finite = if abs < 0x0400 { subnormal } else { normal };
    let special = if abs > 0x7c00 { F32_NAN } else { 0x7f80_0000 };
    let bits = if abs >= 0x7c00 { special } else { finite };
    let sign = if abs > 0x7c00 { 0 } else { (h & 0x8000) << 16 };
    f32::from_bits(bits | sign)
}

#[inline(always)]
pub(crate) fn bf16_to_f32(b: Bf16) -> f32 {
    canon(f32::from_bits((b.0 as u32) << 16))
}

/// 1 when a magnitude `q` with discarded bits `rem` (half-way point `half`) goes to the next magnitude.
#[inline(always)]
fn step<const R: u8>(q: u32, rem: u32, half: u32, neg: bool) -> u32 {
    (match R {
        round::FLOOR => neg & (rem != 0),
        round::CEIL => !neg & (rem != 0),
        round::ROUND => rem >= half,
        round::TRUNC => false,
        round::ODD => (rem != 0) & (q & 1 == 0),
        _ => (rem > half) | ((rem == half) & (q & 1 == 1)),
    }) as u32
}

/// float -> half. Magnitudes from 2^16 are outside the format and become infinity in every mode (boundary table 32).
#[inline(always)]
pub(crate) fn f32_to_f16<const R: u8, const SAT: bool>(x: f32) -> F16 {
    let bits = x.to_bits();
    let neg = bits >> 31 != 0;
    let sign = ((bits >> 16) & 0x8000) as u16;
    let abs = bits & 0x7fff_ffff;
    let exp = (abs >> 23).max(1);
    let m = (abs & 0x007f_ffff) | if abs >= 0x0080_0000 { 0x0080_0000 } else { 0 };
    // Half's smallest normal exponent is -14 (biased 113); below it every step costs one more bit.
    let shift = (13 + 113u32.saturating_sub(exp)).min(26);
    let q = m >> shift;
    let rem = m & ((1 << shift) - 1);
    let q = q + step::<R>(q, rem, 1 << (shift - 1), neg);
    // For normal numbers q holds the hidden bit, which adds the missing 1 to the exponent; a carry does the same.
    let r = q + (exp.saturating_sub(113) << 10);
    let r = if abs >= 0x4780_0000 { 0x7c00 } else { r.min(0x7c00) };
    let r = if SAT && r == 0x7c00 { 0x7bff } else { r } as u16;
    let nan = if SAT { 0 } else { F16_NAN };
    F16(if abs > 0x7f80_0000 { nan } else { r | sign })
}

/// float -> bfloat16: the upper half of the word, rounded; a carry reaches infinity by itself.
#[inline(always)]
pub(crate) fn f32_to_bf16<const R: u8, const SAT: bool>(x: f32) -> Bf16 {
    let bits = x.to_bits();
    let neg = bits >> 31 != 0;
    let abs = bits & 0x7fff_ffff;
    let q = abs >> 16;
    let r = q + step::<R>(q, abs & 0xffff, 0x8000, neg);
    let r = if SAT && r >= 0x7f80 { 0x7f7f } else { r } as u16;
    let nan = if SAT { 0 } else { BF16_NAN };
    Bf16(if abs > 0x7f80_0000 { nan } else { r | ((bits >> 16) & 0x8000) as u16 })
}

/// Rounds to an integral value; zero results keep the sign of the operand here.
#[inline(always)]
pub(crate) fn integral<const R: u8>(x: f32) -> f32 {
    match R {
        round::FLOOR => x.floor(),
        round::CEIL => x.ceil(),
        round::ROUND => x.round(),
        round::TRUNC => x.trunc(),
        _ => x.round_ties_even(),
    }
}

/// `x as i32`: saturates, NaN gives 0. Written as comparisons, because compilers do not vectorise the operator.
#[inline(always)]
pub(crate) fn to_i32(x: f32) -> i32 {
    const END: f32 = 2147483648.0;
    let inside = if x < END { x } else { 0.0 };
    let inside = if x < -END { 0.0 } else { inside };
    // SAFETY: in range, and not NaN.
    let r = unsafe { inside.to_int_unchecked::<i32>() };
    let r = if x >= END { i32::MAX } else { r };
    if x < -END { i32::MIN } else { r }
}

/// [`to_i32`] into a range inside that of `i16` or `u8`; the caller's cast to that type keeps the value.
#[inline(always)]
pub(crate) fn to_i16(x: f32, low: f32, high: f32) -> i16 {
    debug_assert!(low >= i16::MIN as f32 && high <= i16::MAX as f32);
    let r = if x > high { high } else { x };
    let r = if r < low { low } else { r };
    let r = if x.is_nan() { 0.0 } else { r };
    // SAFETY: between low and high, and not NaN.
    unsafe { r.to_int_unchecked::<i32>() as i16 }
}

/// Integer -> float in any mode.
#[inline(always)]
pub(crate) fn int_to_f32<const R: u8>(x: i64) -> f32 {
    let neg = x < 0;
    let mag = x.unsigned_abs();
    let shift = (64 - mag.leading_zeros()).saturating_sub(24);
    let q = (mag >> shift) as u32;
    let rem = mag & ((1u64 << shift) - 1);
    let half = if shift == 0 { 0 } else { 1u64 << (shift - 1) };
    let up = match R {
        round::FLOOR => neg && rem != 0,
        round::CEIL => !neg && rem != 0,
        round::ROUND => shift != 0 && rem >= half,
        round::TRUNC => false,
        _ => rem > half || (shift != 0 && rem == half && q & 1 == 1),
    };
    let r = (q + up as u32) as f32 * (1u64 << shift) as f32;
    if neg { -r } else { r }
}

/// double -> half with one rounding (to nearest even): through a float rounded to odd.
#[inline(always)]
pub(crate) fn f64_to_f16<const SAT: bool>(v: f64) -> F16 {
    let r = v as f32;
    if r as f64 == v || !r.is_finite() {
        return f32_to_f16::<{ round::RINT }, SAT>(r);
    }
    let toward_zero = if (r as f64).abs() > v.abs() { r.to_bits() - 1 } else { r.to_bits() };
    f32_to_f16::<{ round::RINT }, SAT>(f32::from_bits(toward_zero | 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_to_float_is_exact() {
        for b in 0..=u16::MAX {
            let (want, got) = (half::f16::from_bits(b).to_f32(), f16_to_f32(F16(b)));
            if want.is_nan() {
                assert_eq!(got.to_bits(), F32_NAN, "{b:04x}");
            } else {
                assert_eq!(got.to_bits(), want.to_bits(), "{b:04x}");
            }
            let (want, got) = (half::bf16::from_bits(b).to_f32(), bf16_to_f32(Bf16(b)));
            assert!(got.to_bits() == want.to_bits() || (want.is_nan() && got.to_bits() == F32_NAN), "{b:04x}");
        }
    }

    #[test]
    fn float_to_half_rounds_to_nearest_like_the_half_crate() {
        // Every half, its neighbours around each midpoint, and a sweep over the float range.
        let near = (0..=0x7c00u32).flat_map(|h| {
            let b = f16_to_f32(F16(h as u16)).to_bits();
            [b.wrapping_sub(1), b, b + 1, b + 0xfff, b + 0x1000, b + 0x1001]
        });
        for b in near.chain((0..u32::MAX).step_by(65521)) {
            for b in [b, b ^ 0x8000_0000] {
                let x = f32::from_bits(b);
                let (got, want) = (f32_to_f16::<1, false>(x), half::f16::from_f32(x));
                if x.is_nan() {
                    assert_eq!(got.0, F16_NAN);
                } else {
                    assert_eq!(got.0, want.to_bits(), "{x:e}");
                }
                let (got, want) = (f32_to_bf16::<1, false>(x), half::bf16::from_f32(x));
                assert!(x.is_nan() || got.0 == want.to_bits(), "{x:e}");
            }
        }
    }

    #[test]
    fn directed_modes_bracket_the_value() {
        for b in (0..0x4780_0000u32).step_by(4099) {
            for b in [b, b ^ 0x8000_0000] {
                let x = f32::from_bits(b);
                let lo = f16_to_f32(f32_to_f16::<2, false>(x));
                let hi = f16_to_f32(f32_to_f16::<3, false>(x));
                let tz = f16_to_f32(f32_to_f16::<5, false>(x));
                let odd = f32_to_f16::<6, false>(x);
                assert!(lo <= x && x <= hi, "{x:e} {lo:e} {hi:e}");
                assert_eq!(tz, if x < 0.0 { hi } else { lo });
                if lo == hi {
                    assert_eq!(f16_to_f32(odd), x);
                } else {
                    assert_eq!(odd.0 & 1, 1, "{x:e}");
                    assert!([lo, hi].contains(&f16_to_f32(odd)));
                }
                let nearest = f16_to_f32(f32_to_f16::<4, false>(x));
                // Infinity stands where 65536 would be.
                let end = |v: f32| {
                    if v.is_infinite() { 65536f64.copysign(v as f64) } else { v as f64 }
                };
                let (dl, dh) = (x as f64 - end(lo), end(hi) - x as f64);
                let want = if dl == dh {
                    if x < 0.0 { lo } else { hi }
                } else if dl < dh {
                    lo
                } else {
                    hi
                };
                assert_eq!(nearest, want, "{x:e}");
            }
        }
    }

    #[test]
    fn float_to_integer_is_the_operator() {
        let special = [0.0, f32::INFINITY, f32::NAN, 2147483520.0, 2147483648.0, 32767.5, 32768.0, 127.9, 128.0, 255.5];
        let sweep = (0..u32::MAX).step_by(9973).map(f32::from_bits);
        for x in sweep.chain(special).flat_map(|x| [x, -x]) {
            assert_eq!(to_i32(x), x as i32, "{x:e}");
            assert_eq!(to_i16(x, i16::MIN as f32, i16::MAX as f32), x as i16, "{x:e}");
            assert_eq!(to_i16(x, i8::MIN as f32, i8::MAX as f32) as i8, x as i8, "{x:e}");
            assert_eq!(to_i16(x, 0.0, u8::MAX as f32) as u8, x as u8, "{x:e}");
        }
    }

    #[test]
    fn integers_to_float() {
        for x in [
            0,
            1,
            -1,
            16777217,
            16777219,
            -16777217,
            i32::MAX as i64,
            i32::MIN as i64,
            i64::MAX,
            i64::MIN,
            33554434,
            33554438,
        ] {
            assert_eq!(int_to_f32::<1>(x), x as f32, "{x}");
            assert!(int_to_f32::<2>(x) as f64 <= x as f64 && int_to_f32::<3>(x) as f64 >= x as f64);
            assert!((int_to_f32::<5>(x) as f64).abs() <= (x as f64).abs());
        }
        assert_eq!(int_to_f32::<4>(16777217), 16777218.0);
        assert_eq!(int_to_f32::<5>(i32::MAX as i64), 2147483520.0);
    }

    #[test]
    fn double_to_half_rounds_once() {
        // 1 + 2^-11 is a tie; a bit far below a float's precision breaks it.
        assert_eq!(f64_to_f16::<false>(1.0 + 2f64.powi(-11)).0, 0x3c00);
        assert_eq!(f64_to_f16::<false>(1.0 + 2f64.powi(-11) + 2f64.powi(-40)).0, 0x3c01);
        assert_eq!(f64_to_f16::<false>(1e9).0, 0x7c00);
        assert_eq!(f64_to_f16::<true>(f64::NEG_INFINITY).0, 0xfbff);
        assert_eq!(f64_to_f16::<true>(f64::NAN).0, 0);
    }
}
