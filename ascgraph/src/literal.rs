//! Values of `Scalar`: text to the bits of a data type, exactly as far as the type goes.

use half::{bf16, f16};

use crate::dtype::DType;

/// Little-endian bits in the low bytes; `None` for what is no value of the type.
pub fn bits(text: &str, dtype: DType) -> Option<u64> {
    let text = text.trim();
    if dtype.is_float() {
        let value = float(text)?;
        return Some(match dtype {
            DType::Float16 => u64::from(f16::from_f64(value).to_bits()),
            DType::BFloat16 => u64::from(bf16::from_f64(value).to_bits()),
            _ => u64::from((value as f32).to_bits()),
        });
    }
    // The front end writes integers of a float type's value, too: `2.0`.
    let value = match text.parse::<i128>() {
        Ok(value) => value,
        Err(_) => float(text).filter(|value| value.fract() == 0.0 && value.abs() < 1e18)? as i128,
    };
    let fits = |low: i128, high: i128| (low..=high).contains(&value);
    let good = match dtype {
        DType::Int8 => fits(i8::MIN.into(), i8::MAX.into()),
        DType::UInt8 => fits(0, u8::MAX.into()),
        DType::Int16 => fits(i16::MIN.into(), i16::MAX.into()),
        DType::UInt16 => fits(0, u16::MAX.into()),
        DType::Int32 => fits(i32::MIN.into(), i32::MAX.into()),
        DType::UInt32 => fits(0, u32::MAX.into()),
        DType::Int64 => fits(i64::MIN.into(), i64::MAX.into()),
        _ => fits(0, u64::MAX.into()),
    };
    let mask = if dtype.size() == 8 { u64::MAX } else { (1 << (8 * dtype.size())) - 1 };
    good.then_some(value as u64 & mask)
}

fn float(text: &str) -> Option<f64> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    match rest {
        "inf" | "Infinity" => Some(sign * f64::INFINITY),
        "nan" | "NaN" => Some(f64::NAN),
        rest if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') => Some(sign * rest.parse::<f64>().ok()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(bits("2.0", DType::Float32), Some(0x4000_0000));
        assert_eq!(bits("1e-05", DType::Float32), Some(u64::from(1e-5f32.to_bits())));
        assert_eq!(bits("-inf", DType::Float16), Some(0xfc00));
        assert_eq!(bits("1.5", DType::BFloat16), Some(0x3fc0));
        assert_eq!(bits("7", DType::Int32), Some(7));
        assert_eq!(bits("-1", DType::Int16), Some(0xffff));
        assert_eq!(bits("2.0", DType::Int32), Some(2));
        for (text, dtype) in [("", DType::Float32), ("x", DType::Float32), ("300", DType::UInt8), ("1.5", DType::Int32)]
        {
            assert_eq!(bits(text, dtype), None, "{text}");
        }
    }
}
