//! Casts with the rules of A2 (Ascend C API docs, Cast and the boundary value tables): to nearest even between float
//! types, toward zero and saturating from float to integer with NaN giving 0, wrapping between integers.
//! Pairs without an instruction of their own (integers and double to 16-bit floats) go through float32, as the
//! device's casts do.

use crate::base::dtype::DType;
use half::{bf16, f16};

/// Casts `count` elements from `src` to `dst`.
pub type CastFn = unsafe fn(dst: *mut u8, src: *const u8, count: usize, saturate: bool);

trait Source: Copy {
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    fn to_i64(self) -> i64;
    fn is_set(self) -> bool;
    /// Clamps a value that does not fit: only float sources do.
    const CLAMPS: bool;
}

macro_rules! integer_source {
    ($($t:ty),+) => {$(
        impl Source for $t {
            fn to_f32(self) -> f32 { self as f32 }
            fn to_f64(self) -> f64 { self as f64 }
            fn to_i64(self) -> i64 { self as i64 }
            fn is_set(self) -> bool { self != 0 }
            const CLAMPS: bool = false;
        }
    )+};
}
integer_source!(i8, u8, i16, i32, i64);

macro_rules! float_source {
    ($t:ty, $x:ident, $f32:expr, $f64:expr) => {
        impl Source for $t {
            fn to_f32(self) -> f32 {
                let $x = self;
                $f32
            }
            fn to_f64(self) -> f64 {
                let $x = self;
                $f64
            }
            fn to_i64(self) -> i64 {
                self.to_f64() as i64
            }
            fn is_set(self) -> bool {
                self.to_f64() != 0.0
            }
            const CLAMPS: bool = true;
        }
    };
}
float_source!(f16, x, x.to_f32(), f64::from(x.to_f32()));
float_source!(bf16, x, x.to_f32(), f64::from(x.to_f32()));
float_source!(f32, x, x, f64::from(x));
float_source!(f64, x, x as f32, x);

/// A byte in memory that counts as true when it is not 0.
#[derive(Clone, Copy)]
struct Flag(u8);
impl Source for Flag {
    fn to_f32(self) -> f32 {
        f32::from(u8::from(self.is_set()))
    }
    fn to_f64(self) -> f64 {
        f64::from(self.to_f32())
    }
    fn to_i64(self) -> i64 {
        i64::from(self.is_set())
    }
    fn is_set(self) -> bool {
        self.0 != 0
    }
    const CLAMPS: bool = false;
}

trait Target: Copy {
    fn cast_from<S: Source>(value: S, saturate: bool) -> Self;
}

macro_rules! integer_target {
    ($($t:ty),+) => {$(
        impl Target for $t {
            fn cast_from<S: Source>(value: S, _: bool) -> $t {
                if S::CLAMPS { value.to_f64() as $t } else { value.to_i64() as $t }
            }
        }
    )+};
}
integer_target!(i8, u8, i16, i32, i64);

macro_rules! narrow_target {
    ($($t:ty),+) => {$(
        impl Target for $t {
            /// `saturate`: the mode in which overflow gives the largest finite value and NaN gives 0.
            fn cast_from<S: Source>(value: S, saturate: bool) -> $t {
                let result = <$t>::from_f32(value.to_f32());
                if !saturate || result.is_finite() {
                    result
                } else if result.is_nan() {
                    <$t>::ZERO
                } else if result.is_sign_negative() {
                    <$t>::MIN
                } else {
                    <$t>::MAX
                }
            }
        }
    )+};
}
narrow_target!(f16, bf16);

impl Target for f32 {
    fn cast_from<S: Source>(value: S, _: bool) -> f32 {
        value.to_f32()
    }
}
impl Target for f64 {
    fn cast_from<S: Source>(value: S, _: bool) -> f64 {
        value.to_f64()
    }
}
impl Target for Flag {
    fn cast_from<S: Source>(value: S, _: bool) -> Flag {
        Flag(u8::from(value.is_set()))
    }
}

/// # Safety
/// `src` and `dst` hold `count` elements each, at any alignment.
unsafe fn cast<S: Source, T: Target>(dst: *mut u8, src: *const u8, count: usize, saturate: bool) {
    let (src, dst) = (src.cast::<S>(), dst.cast::<T>());
    for i in 0..count {
        // SAFETY: by this function's contract.
        unsafe { dst.add(i).write_unaligned(T::cast_from(src.add(i).read_unaligned(), saturate)) };
    }
}

fn to<T: Target>(from: DType) -> Option<CastFn> {
    Some(match from {
        DType::Bool => cast::<Flag, T>,
        DType::I8 => cast::<i8, T>,
        DType::U8 => cast::<u8, T>,
        DType::I16 => cast::<i16, T>,
        DType::I32 => cast::<i32, T>,
        DType::I64 => cast::<i64, T>,
        DType::F16 => cast::<f16, T>,
        DType::Bf16 => cast::<bf16, T>,
        DType::F32 => cast::<f32, T>,
        DType::F64 => cast::<f64, T>,
        _ => return None,
    })
}

/// None: the pair is not supported.
pub fn find(from: DType, target: DType) -> Option<CastFn> {
    match target {
        DType::Bool => to::<Flag>(from),
        DType::I8 => to::<i8>(from),
        DType::U8 => to::<u8>(from),
        DType::I16 => to::<i16>(from),
        DType::I32 => to::<i32>(from),
        DType::I64 => to::<i64>(from),
        DType::F16 => to::<f16>(from),
        DType::Bf16 => to::<bf16>(from),
        DType::F32 => to::<f32>(from),
        DType::F64 => to::<f64>(from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::*;

    fn bytes<T>(values: &[T]) -> Vec<u8> {
        // SAFETY: numbers without padding, read as the bytes that they are.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }.to_vec()
    }

    fn run(from: DType, to: DType, input: &[u8], saturate: bool) -> Vec<u8> {
        let count = input.len() / from.size();
        let mut out = vec![0xEE; count * to.size()];
        // SAFETY: both buffers hold `count` elements of their type.
        unsafe { find(from, to).unwrap()(out.as_mut_ptr(), input.as_ptr(), count, saturate) };
        out
    }

    #[test]
    fn float_to_integer_truncates_saturates_and_maps_nan_to_zero() {
        let x = [1.9f32, -1.9, 3e9, -3e9, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0];
        assert_eq!(run(F32, I32, &bytes(&x), false), bytes(&[1i32, -1, i32::MAX, i32::MIN, 0, i32::MAX, i32::MIN, 0]));
        assert_eq!(run(F32, I16, &bytes(&[40000f32, -40000.0, 32767.9]), false), bytes(&[i16::MAX, i16::MIN, 32767]));
        assert_eq!(run(F32, U8, &bytes(&[-1f32, 256.0, 255.5]), false), [0, 255, 255]);
        assert_eq!(run(F32, I8, &bytes(&[-200f32, 127.9]), false), bytes(&[i8::MIN, 127]));
        let big = [9.3e18f64, -9.3e18, 9007199254740993.0];
        assert_eq!(run(F64, I64, &bytes(&big), false), bytes(&[i64::MAX, i64::MIN, 9007199254740992]));
        let halves = [f16::from_f32(-2.5), f16::INFINITY, f16::NAN];
        assert_eq!(run(F16, I16, &bytes(&halves), false), bytes(&[-2i16, i16::MAX, 0]));
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(run(I32, I16, &bytes(&[65537i32, 32768, -32769]), false), bytes(&[1i16, i16::MIN, 32767]));
        assert_eq!(run(I64, I32, &bytes(&[1i64 << 32 | 5, -1]), false), bytes(&[5i32, -1]));
        assert_eq!(run(I8, U8, &bytes(&[-1i8]), false), [255]);
        assert_eq!(run(U8, I16, &[255], false), bytes(&[255i16]));
    }

    #[test]
    fn narrowing_rounds_to_nearest_even() {
        let ulp = 2f32.powi(-10);
        let x = [1.0 + ulp / 2.0, 1.0 + 1.5 * ulp, 65519.9, 65520.0, -0.0, 2f32.powi(-25), 1.5 * 2f32.powi(-24)];
        let want: [u16; 7] = [0x3c00, 0x3c02, 0x7bff, 0x7c00, 0x8000, 0x0000, 0x0002];
        assert_eq!(run(F32, F16, &bytes(&x), false), bytes(&want));
        let y = [1.0f32 + 2f32.powi(-8), 1.0 + 3.0 * 2f32.powi(-8), f32::MAX, -0.0];
        assert_eq!(run(F32, Bf16, &bytes(&y), false), bytes(&[0x3f80u16, 0x3f82, 0x7f80, 0x8000]));
        let z = [1.0f64 + 2f64.powi(-24), 1.0 + 3.0 * 2f64.powi(-24), 1e300];
        assert_eq!(run(F64, F32, &bytes(&z), false), bytes(&[1.0f32, f32::from_bits(0x3f80_0002), f32::INFINITY]));
    }

    #[test]
    fn narrowing_a_nan_stays_a_nan() {
        let out = run(F32, F16, &bytes(&[f32::NAN]), false);
        assert!(f16::from_le_bytes([out[0], out[1]]).is_nan());
    }

    #[test]
    fn saturation_mode_has_neither_infinity_nor_nan() {
        let x = [1e6f32, -1e6, f32::NAN, f32::INFINITY, 1.0];
        assert_eq!(run(F32, F16, &bytes(&x), true), bytes(&[0x7bffu16, 0xfbff, 0, 0x7bff, 0x3c00]));
        let y = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        assert_eq!(run(F32, Bf16, &bytes(&y), true), bytes(&[0x7f7fu16, 0xff7f, 0]));
    }

    #[test]
    fn integers_to_float() {
        assert_eq!(run(I32, F32, &bytes(&[16777217i32, 16777219]), false), bytes(&[16777216f32, 16777220.0]));
        assert_eq!(run(I64, F16, &bytes(&[65519i64, 65520, -70000]), false), bytes(&[0x7bffu16, 0x7c00, 0xfc00]));
        assert_eq!(run(I16, Bf16, &bytes(&[257i16]), false), bytes(&[bf16::from_f32(256.0)]));
    }

    #[test]
    fn bool_is_zero_or_one() {
        assert_eq!(run(Bool, F32, &[0, 1, 7], false), bytes(&[0f32, 1.0, 1.0]));
        assert_eq!(run(F32, Bool, &bytes(&[0f32, -0.0, 0.5, f32::NAN]), false), [0, 0, 1, 1]);
        assert_eq!(run(I64, Bool, &bytes(&[0i64, 1 << 40]), false), [0, 1]);
    }

    #[test]
    fn every_sixteen_bit_pattern_widens_exactly() {
        for bits in 0..=u16::MAX {
            let input = bits.to_le_bytes();
            for (dtype, want) in [(F16, f16::from_bits(bits).to_f64()), (Bf16, bf16::from_bits(bits).to_f64())] {
                let out = f32::from_le_bytes(run(dtype, F32, &input, false).try_into().unwrap());
                assert!(f64::from(out) == want || out.is_nan() && want.is_nan(), "{dtype:?} {bits:#x}");
            }
        }
    }

    #[test]
    fn unsupported_pairs() {
        assert!(find(C64, F32).is_none());
        assert!(find(F32, U32).is_none());
        assert!(find(F32, F32).is_some());
    }
}
