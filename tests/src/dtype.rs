//! Element types: those the operator computes with (as Rust types) and those an argument may wrongly have (as a name).

use std::fmt::Debug;

use half::{bf16, f16};
use serde::Deserialize;

use crate::sys::aclDataType;

/// A Rust type that is a device element type. Any bit pattern is a value, and the all-zero one is the default.
pub trait DataType: Copy + Default + Debug + PartialEq + Send + Sync + 'static {
    const TYPE: DynType;

    /// Rounded once, to nearest even; integers saturate and drop the fraction.
    fn from_f64(value: f64) -> Self;
    /// The low bits of `bits`.
    fn from_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
    /// Exact.
    fn to_f64(self) -> f64;
    fn is_nan(self) -> bool;

    /// Same bits, or both NaN: which NaN an operation makes is not specified.
    fn same(self, other: Self) -> bool {
        self.bits() == other.bits() || (self.is_nan() && other.is_nan())
    }
}

macro_rules! float {
    ($type:ty, $bits:ty, $name:ident, |$value:ident| $from:expr) => {
        impl DataType for $type {
            const TYPE: DynType = DynType::$name;
            fn from_f64($value: f64) -> Self {
                $from
            }
            fn from_bits(bits: u64) -> Self {
                <$type>::from_bits(bits as $bits)
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn is_nan(self) -> bool {
                <$type>::is_nan(self)
            }
        }
    };
}

float!(f32, u32, F32, |value| value as f32);
float!(f16, u16, F16, |value| f16::from_f32(to_odd(value)));
float!(bf16, u16, BF16, |value| bf16::from_f32(to_odd(value)));

/// Rounded to odd: a second rounding, to 16 bits, then gives what one rounding would have. (half's own conversions
/// from f64 drop the low word.)
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) == value || value.is_nan() || near.to_bits() & 1 == 1 {
        return near;
    }
    let is_beyond = f64::from(near).abs() > value.abs();
    f32::from_bits(if is_beyond { near.to_bits() - 1 } else { near.to_bits() + 1 })
}

macro_rules! int {
    ($type:ty, $bits:ty, $name:ident) => {
        impl DataType for $type {
            const TYPE: DynType = DynType::$name;
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            fn from_bits(bits: u64) -> Self {
                bits as $bits as $type
            }
            fn bits(self) -> u64 {
                (self as $bits).into()
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn is_nan(self) -> bool {
                false
            }
        }
    };
}

int!(i8, u8, I8);
int!(u8, u8, U8);
int!(i16, u16, I16);
int!(i32, u32, I32);

/// A device element type known at run time only; names are those of the YAML tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DynType {
    F32,
    F16,
    BF16,
    I8,
    U8,
    I16,
    I32,
    F64,
    I64,
    U16,
    U32,
    U64,
    Bool,
    C64,
}

impl DynType {
    /// The types that the operator computes with, in the order of its documentation.
    pub const SUPPORTED: [DynType; 7] =
        [DynType::BF16, DynType::F16, DynType::F32, DynType::I16, DynType::I32, DynType::I8, DynType::U8];

    pub fn acl(self) -> aclDataType {
        match self {
            DynType::F32 => aclDataType::ACL_FLOAT,
            DynType::F16 => aclDataType::ACL_FLOAT16,
            DynType::BF16 => aclDataType::ACL_BF16,
            DynType::I8 => aclDataType::ACL_INT8,
            DynType::U8 => aclDataType::ACL_UINT8,
            DynType::I16 => aclDataType::ACL_INT16,
            DynType::I32 => aclDataType::ACL_INT32,
            DynType::F64 => aclDataType::ACL_DOUBLE,
            DynType::I64 => aclDataType::ACL_INT64,
            DynType::U16 => aclDataType::ACL_UINT16,
            DynType::U32 => aclDataType::ACL_UINT32,
            DynType::U64 => aclDataType::ACL_UINT64,
            DynType::Bool => aclDataType::ACL_BOOL,
            DynType::C64 => aclDataType::ACL_COMPLEX64,
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            DynType::I8 | DynType::U8 | DynType::Bool => 1,
            DynType::F16 | DynType::BF16 | DynType::I16 | DynType::U16 => 2,
            DynType::F32 | DynType::I32 | DynType::U32 => 4,
            DynType::F64 | DynType::I64 | DynType::U64 | DynType::C64 => 8,
        }
    }

    pub fn is_floating(self) -> bool {
        matches!(self, DynType::F32 | DynType::F16 | DynType::BF16 | DynType::F64)
    }

    /// Bits of the number as [`DataType::from_f64`] converts it. Only for [`DynType::SUPPORTED`].
    pub fn encode(self, value: f64) -> u32 {
        with_type!(self, T => <T as DataType>::from_f64(value).bits() as u32)
    }

    /// The number with these bits, exactly. Only for [`DynType::SUPPORTED`].
    pub fn decode(self, bits: u32) -> f64 {
        with_type!(self, T => from_word::<T>(bits).to_f64())
    }

    /// Only for [`DynType::SUPPORTED`].
    pub fn is_nan(self, bits: u32) -> bool {
        with_type!(self, T => from_word::<T>(bits).is_nan())
    }
}

/// The element with these bits. A function, because the types have a `from_bits` of their own that hides the trait's.
pub(crate) fn from_word<T: DataType>(bits: u32) -> T {
    T::from_bits(bits.into())
}

/// `with_type!(dtype, T => expression)`: the expression with `T` as the Rust type of a [`DynType::SUPPORTED`] type.
#[macro_export]
macro_rules! with_type {
    ($dtype:expr, $type:ident => $body:expr) => {
        match $dtype {
            $crate::DynType::BF16 => {
                type $type = ::half::bf16;
                $body
            }
            $crate::DynType::F16 => {
                type $type = ::half::f16;
                $body
            }
            $crate::DynType::F32 => {
                type $type = f32;
                $body
            }
            $crate::DynType::I16 => {
                type $type = i16;
                $body
            }
            $crate::DynType::I32 => {
                type $type = i32;
                $body
            }
            $crate::DynType::I8 => {
                type $type = i8;
                $body
            }
            $crate::DynType::U8 => {
                type $type = u8;
                $body
            }
            other => panic!("the operator does not compute with {other:?}"),
        }
    };
}
use with_type;

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: DataType>(value: f64, bits: u64) {
        assert_eq!(T::from_f64(value).bits(), bits, "{value} as {:?}", T::TYPE);
        assert!(T::from_bits(bits).same(T::from_f64(value)));
        assert_eq!(T::TYPE.bytes(), size_of::<T>());
    }

    #[test]
    fn conversions_give_these_bits() {
        check::<f32>(5.3, 0x40a9_999a);
        check::<f16>(1.1, 0x3c66);
        check::<bf16>(1.1, 0x3f8d);
        check::<f16>(1.0 + 2f64.powi(-11) + 2f64.powi(-40), 0x3c01);
        check::<f16>(1.0 + 2f64.powi(-11), 0x3c00);
        check::<f16>(1e300, 0x7c00);
        check::<bf16>(-1e-300, 0x8000);
        check::<i8>(-1.0, 0xff);
        check::<u8>(255.0, 0xff);
        check::<i16>(-32768.0, 0x8000);
        check::<i32>(-2.0, 0xffff_fffe);
    }

    #[test]
    fn same_tells_zeros_apart_and_nans_not() {
        assert!(!0f32.same(-0.0));
        assert!(f32::NAN.same(-f32::NAN));
        assert!(!f16::ZERO.same(f16::NEG_ZERO));
    }
}
