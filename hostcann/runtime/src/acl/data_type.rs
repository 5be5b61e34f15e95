//! Data types: their sizes, and 16-bit floats of a host program.
//!
//! aclFloat16ToFloat and aclFloatToFloat16 are as upstream behaves: the top exponent is an ordinary one, so there are no
//! infinities or NaN (0x7c00 is 65536, 0x7e00 is 98304) and everything beyond the range becomes ±65504.
//! Not for numerics; `half::f16` is IEEE.

use crate::base::dtype::size_of_value;
use half::f16;

const EXPONENT: u16 = 0x7c00;
const MAX: u16 = 0x7bff;

/// Bytes of one element, 0 for types without a whole number of bytes.
#[unsafe(no_mangle)]
pub extern "C" fn aclDataTypeSize(data_type: i32) -> usize {
    size_of_value(data_type)
}

#[unsafe(no_mangle)]
pub extern "C" fn aclFloat16ToFloat(value: u16) -> f32 {
    if value & EXPONENT != EXPONENT {
        return f16::from_bits(value).to_f32();
    }
    let magnitude = 65536.0 * (1.0 + f32::from(value & 0x3ff) / 1024.0);
    if value & 0x8000 == 0 { magnitude } else { -magnitude }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclFloatToFloat16(value: f32) -> u16 {
    let half = f16::from_f32(value).to_bits();
    if half & EXPONENT == EXPONENT { half & 0x8000 | MAX } else { half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saturates_instead_of_infinity_and_nan() {
        for (input, want) in [
            (f32::INFINITY, 0x7bff),
            (f32::NEG_INFINITY, 0xfbff),
            (1e6, 0x7bff),
            (65520.0, 0x7bff),
            (1.0, 0x3c00),
            (-0.0, 0x8000),
        ] {
            assert_eq!(aclFloatToFloat16(input), want, "{input}");
        }
        assert_eq!(aclFloatToFloat16(f32::NAN) & 0x7fff, 0x7bff);
        assert_eq!(aclFloat16ToFloat(0x7c00), 65536.0);
        assert_eq!(aclFloat16ToFloat(0xfc00), -65536.0);
        assert_eq!(aclFloat16ToFloat(0x7e00), 98304.0);
        assert_eq!(aclFloat16ToFloat(0x0001), 5.960_464_5e-8);
    }

    #[test]
    fn finite_values_round_trip() {
        for bits in (0..=u16::MAX).filter(|b| b & EXPONENT != EXPONENT) {
            assert_eq!(aclFloatToFloat16(aclFloat16ToFloat(bits)), bits);
        }
    }
}
