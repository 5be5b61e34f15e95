//! Which type a call computes in: opdev's table for two tensors, torch's category rule for a tensor and a scalar.

use crate::data::Data;
use crate::dtype::DynType;
use crate::scalar::Number;

/// opdev's PromoteType for the supported types.
pub fn promote(a: DynType, b: DynType) -> DynType {
    use DynType::{BF16, F16, F32, I8, I16, I32, U8};
    match (a, b) {
        (a, b) if a == b => a,
        (F32, _) | (_, F32) | (F16, BF16) | (BF16, F16) => F32,
        (F16, _) | (_, F16) => F16,
        (BF16, _) | (_, BF16) => BF16,
        (I32, _) | (_, I32) => I32,
        (I16, _) | (_, I16) | (I8, U8) | (U8, I8) => I16,
        (a, b) => panic!("no promotion of {a:?} and {b:?} here"),
    }
}

/// A tensor keeps its type, unless it is integral and the scalar is floating or too large: then the smallest type takes
/// over that holds both, `I64` at last. (The operator computes the same results in narrower types.)
pub fn promote_scalar(tensor: DynType, scalar: Number) -> DynType {
    if tensor.is_floating() {
        return tensor;
    }
    let Some(value) = scalar.to_i64() else {
        return DynType::F32;
    };
    let wider = [tensor, DynType::I16, DynType::I32].into_iter().find(|dtype| holds(*dtype, value));
    wider.map_or(DynType::I64, |wider| promote(tensor, wider))
}

fn holds(dtype: DynType, value: i64) -> bool {
    dtype.decode(dtype.encode(value as f64)) as i64 == value
}

/// The scalar in the type of the computation, rounded once; `None` when that is `I64`, which has no [`Data`].
pub fn convert(number: Number, to: DynType) -> Option<Data> {
    if !to.is_floating() {
        let value = number.to_i64()?;
        return (to != DynType::I64).then(|| Data::encode(to, [value as f64]));
    }
    let value = match number {
        Number::I64(value) => sticky(value),
        number => number.to_f64(),
    };
    Some(Data::encode(to, [value]))
}

/// Rounded to odd: a second rounding, to a shorter type, then gives what one rounding would have.
fn sticky(value: i64) -> f64 {
    let near = value as f64;
    let exact = near as i128 == i128::from(value);
    if exact || near.to_bits() & 1 == 1 {
        return near;
    }
    let is_beyond = (near as i128).abs() > i128::from(value).abs();
    f64::from_bits(if is_beyond { near.to_bits() - 1 } else { near.to_bits() + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn promotion_of_the_table() {
        use DynType::{BF16, F16, F32, I8, I16, I32, U8};
        for (a, b, want) in [
            (F16, BF16, F32),
            (I16, F16, F16),
            (I32, BF16, BF16),
            (I8, U8, I16),
            (U8, I16, I16),
            (I8, I32, I32),
            (I8, F32, F32),
            (U8, U8, U8),
        ] {
            assert_eq!((promote(a, b), promote(b, a)), (want, want), "{a:?} {b:?}");
        }
        assert_eq!(promote_scalar(I16, Number::F64(2.5)), F32);
        assert_eq!(promote_scalar(I16, Number::Bool(true)), I16);
        assert_eq!(promote_scalar(BF16, Number::F64(2.5)), BF16);
        assert_eq!(promote_scalar(I8, Number::I64(127)), I8);
        assert_eq!(promote_scalar(I8, Number::I64(128)), I16);
        assert_eq!(promote_scalar(U8, Number::I64(-1)), I16);
        assert_eq!(promote_scalar(U8, Number::I64(1 << 15)), I32);
        assert_eq!(promote_scalar(I16, Number::I64(-(1 << 31))), I32);
        assert_eq!(promote_scalar(I32, Number::I64(1 << 31)), DynType::I64);
    }

    #[test]
    fn scalars_are_rounded_once() {
        let float = |number| convert(number, DynType::F32).unwrap().to_vec::<f32>()[0];
        assert_eq!(float(Number::I64((1 << 60) + (1 << 36) + 1)), 1_152_921_642_045_800_448.0);
        assert_eq!(float(Number::I64(i64::MIN)), -9_223_372_036_854_775_808.0);
        let half = |number| convert(number, DynType::F16).unwrap().to_vec::<f16>()[0].to_bits();
        assert_eq!(half(Number::F64(1.1)), 0x3c66);
        assert_eq!(half(Number::F64(1.0 + 2f64.powi(-11) + 2f64.powi(-40))), 0x3c01);
        assert!(convert(Number::I64(1), DynType::I64).is_none());
        assert_eq!(convert(Number::I64(-128), DynType::I8).unwrap().bits, [0x80]);
        assert_eq!(convert(Number::Bool(true), DynType::I16).unwrap().bits, [1]);
    }
}
