//! Data types of case files: names, numbers of the C interface, and the values behind stored bytes.

use hostcann_types::DataType;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Float(Format),
    Signed,
    Unsigned,
    Bool,
    Complex(Format),
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the significand, the hidden one included.
    precision: i32,
    /// Exponent of the smallest normal number.
    least: i32,
    /// Exponent of the largest number.
    most: i32,
}

pub const F16: Format = Format { precision: 11, least: -14, most: 15 };
pub const BF16: Format = Format { precision: 8, least: -126, most: 127 };
pub const F32: Format = Format { precision: 24, least: -126, most: 127 };
pub const F64: Format = Format { precision: 53, least: -1022, most: 1023 };

impl Format {
    /// The nearest number of the format, ties to even.
    pub fn round(self, value: f64) -> f64 {
        if self == F64 || !value.is_finite() || value == 0.0 {
            return value;
        }
        let quantum = self.ulp(value);
        let near = (value / quantum).round_ties_even() * quantum;
        if near.abs() > self.max() { f64::INFINITY.copysign(value) } else { near }
    }

    /// The distance between numbers around a finite value.
    pub fn ulp(self, value: f64) -> f64 {
        // Of a subnormal double the biased exponent is 0: far below every other format's least.
        let biased = (value.to_bits() >> 52 & 0x7ff) as i32;
        let exponent = if value == 0.0 { self.least } else { (biased - 1023).max(self.least) };
        2.0_f64.powi(exponent - self.precision + 1)
    }

    pub fn max(self) -> f64 {
        (2.0 - 2.0_f64.powi(1 - self.precision)) * 2.0_f64.powi(self.most)
    }

    fn decode(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (F64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            (F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (BF16, &[a, b]) => f64::from(f32::from_le_bytes([0, 0, a, b])),
            (_, &[a, b]) => half(u16::from_le_bytes([a, b])),
            _ => f64::NAN,
        }
    }

    pub fn size(self) -> usize {
        match self {
            F64 => 8,
            F32 => 4,
            _ => 2,
        }
    }
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2.0_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2.0_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dtype {
    /// numpy's.
    pub name: &'static str,
    /// Of `aclDataType`.
    pub number: i32,
    pub size: usize,
    pub kind: Kind,
}

/// How the values of a type are read; None: case files do not have it.
fn kind(data_type: DataType) -> Option<Kind> {
    use DataType::{Bf16, Bool, C64, C128, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    Some(match data_type {
        F32 => Kind::Float(self::F32),
        F16 => Kind::Float(self::F16),
        F64 => Kind::Float(self::F64),
        Bf16 => Kind::Float(BF16),
        I8 | I16 | I32 | I64 => Kind::Signed,
        U8 | U16 | U32 | U64 => Kind::Unsigned,
        Bool => Kind::Bool,
        C64 => Kind::Complex(self::F32),
        C128 => Kind::Complex(self::F64),
        _ => return None,
    })
}

/// The data types of case files.
fn all() -> impl Iterator<Item = Dtype> {
    DataType::ALL.iter().filter_map(|&data_type| {
        let (name, number, size) = (data_type.numpy(), data_type.number(), data_type.size());
        kind(data_type).map(|kind| Dtype { name, number, size, kind })
    })
}

/// What case files call a type beside numpy's name.
const OTHER_NAMES: [(&str, &str); 2] = [("float", "float32"), ("double", "float64")];

impl Dtype {
    pub fn named(name: &str) -> Option<Dtype> {
        let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, name)| name);
        all().find(|dtype| dtype.name == name)
    }

    pub fn names() -> String {
        let others =
            |dtype: Dtype| OTHER_NAMES.iter().filter(move |(_, name)| *name == dtype.name).map(|(other, _)| *other);
        all().flat_map(|dtype| std::iter::once(dtype.name).chain(others(dtype))).collect::<Vec<_>>().join(", ")
    }

    /// Elements of a file; none when it does not hold whole ones.
    pub fn count(self, bytes: &[u8]) -> Option<usize> {
        bytes.len().is_multiple_of(self.size).then_some(bytes.len() / self.size)
    }
}

/// Floating-point numbers, the parts of complex ones one after the other.
pub fn floats(format: Format, bytes: &[u8]) -> impl Iterator<Item = f64> {
    bytes.chunks_exact(format.size()).map(move |chunk| format.decode(chunk))
}

/// Integers of `size` bytes.
pub fn integers(size: usize, signed: bool, bytes: &[u8]) -> impl Iterator<Item = i128> {
    bytes.chunks_exact(size).map(move |chunk| {
        let mut wide = [0_u8; 16];
        wide[..size].copy_from_slice(chunk);
        wrap(i128::from_le_bytes(wide), size, signed)
    })
}

/// What is left of a number in an integer of `size` bytes.
pub fn wrap(value: i128, size: usize, signed: bool) -> i128 {
    let unused = 128 - 8 * size as u32;
    let high = value << unused;
    if signed { high >> unused } else { (high as u128 >> unused) as i128 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_type() {
        let float = Dtype::named("float").expect("a type");
        assert_eq!((float.name, float.number, float.size), ("float32", 0, 4));
        assert_eq!(Dtype::named("double").map(|dtype| dtype.name), Some("float64"));
        assert_eq!(Dtype::named("bfloat16").map(|dtype| dtype.number), Some(27));
        assert_eq!(Dtype::named("Float"), None);
        assert_eq!(float.count(&[0; 12]), Some(3));
        assert_eq!(float.count(&[0; 13]), None);
    }

    #[test]
    fn bits_of_the_formats() {
        let of = |format, bytes: &[u8]| floats(format, bytes).collect::<Vec<_>>();
        assert_eq!(of(F16, &[0x00, 0x3c, 0x01, 0x00, 0xff, 0x7b]), [1.0, 2.0_f64.powi(-24), 65504.0]);
        assert_eq!(of(F16, &[0x00, 0xfc])[0], f64::NEG_INFINITY);
        assert!(of(F16, &[0x01, 0x7c])[0].is_nan());
        assert!(of(F16, &[0x00, 0x80])[0].is_sign_negative());
        assert_eq!(of(BF16, &[0x80, 0x3f, 0x7f, 0x7f]), [1.0, f64::from(f32::from_bits(0x7f7f_0000))]);
        assert_eq!(of(F32, &1.1_f32.to_le_bytes()), [f64::from(1.1_f32)]);
        assert_eq!([F16.max(), F32.max(), F64.max()], [65504.0, f64::from(f32::MAX), f64::MAX]);
    }

    #[test]
    fn rounding_to_a_format() {
        // The spacing of half in [1/1024, 1/512) is 2^-20, of its subnormal numbers 2^-24.
        assert_eq!(F16.round(0.001), 1049.0 * 2.0_f64.powi(-20));
        assert_eq!(F16.round(1e-9), 0.0);
        assert_eq!(F16.round(2.0_f64.powi(-25)), 0.0, "a tie, to even");
        assert_eq!(F16.round(65519.0), 65504.0);
        assert_eq!(F16.round(65520.0), f64::INFINITY);
        assert_eq!(BF16.round(0.004), 131.0 * 2.0_f64.powi(-15));
        for value in [0.1, 1.5e-42, -3.0e38, 1e-46, 16_777_217.0] {
            assert_eq!(F32.round(value), f64::from(value as f32), "{value}");
        }
        assert_eq!(F32.ulp(1.0), f64::from(f32::EPSILON));
        assert_eq!(F32.ulp(0.0), f64::from(f32::from_bits(1)));
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(integers(1, true, &[0x80, 0x7f]).collect::<Vec<_>>(), [-128, 127]);
        assert_eq!(integers(2, false, &[0xff, 0xff]).collect::<Vec<_>>(), [65535]);
        assert_eq!(wrap(127 - -128, 1, true), -1);
        assert_eq!(wrap(5 - 6, 1, false), 255);
        assert_eq!(integers(8, false, &[0xff; 8]).collect::<Vec<_>>(), [i128::from(u64::MAX)]);
    }
}
