//! One element of one node: bits in, bits out, rounded once as the vector core does it. half computes in float. A NaN
//! that is computed is the positive quiet one; a conversion to an integer saturates, and NaN becomes 0.

mod powers;
mod reduce;

use half::{bf16, f16};

use crate::dtype::DType;
use crate::ir;
use crate::model::Node;

pub use reduce::{Along, Lanes, MOST_SEGMENTS, ROW_LANES, reduce, segment};

const F32_NAN: u32 = 0x7fc0_0000;

fn canon(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(F32_NAN) } else { x }
}

/// The value of a float type.
pub fn to_f32(bits: u64, dtype: DType) -> f32 {
    match dtype {
        DType::Float16 => canon(f16::from_bits(bits as u16).to_f32()),
        DType::BFloat16 => canon(bf16::from_bits(bits as u16).to_f32()),
        _ => f32::from_bits(bits as u32),
    }
}

/// Rounded to nearest even.
pub fn from_f32(value: f32, dtype: DType) -> u64 {
    match dtype {
        DType::Float16 if value.is_nan() => 0x7e00,
        DType::BFloat16 if value.is_nan() => 0x7fc0,
        DType::Float16 => u64::from(f16::from_f32(value).to_bits()),
        DType::BFloat16 => u64::from(bf16::from_f32(value).to_bits()),
        _ => u64::from(canon(value).to_bits()),
    }
}

/// The value of an integer type.
pub fn to_int(bits: u64, dtype: DType) -> i128 {
    match dtype {
        DType::Int8 => (bits as i8).into(),
        DType::UInt8 => (bits as u8).into(),
        DType::Int16 => (bits as i16).into(),
        DType::UInt16 => (bits as u16).into(),
        DType::Int32 => (bits as i32).into(),
        DType::UInt32 => (bits as u32).into(),
        DType::Int64 => (bits as i64).into(),
        _ => bits.into(),
    }
}

/// Wraps around.
fn from_int(value: i128, dtype: DType) -> u64 {
    let mask = if dtype.size() == 8 { u64::MAX } else { (1 << (8 * dtype.size())) - 1 };
    value as u64 & mask
}

/// Max and Min of the vector core: NaN wins, +0 is above -0.
fn max_f(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if a == b {
        f32::from_bits(a.to_bits() & b.to_bits())
    } else if a > b {
        a
    } else {
        b
    }
}

fn min_f(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if a == b {
        f32::from_bits(a.to_bits() | b.to_bits())
    } else if a < b {
        a
    } else {
        b
    }
}

/// Towards zero; a result of zero is +0, as Cast from float to float has it on this core.
pub fn trunc(x: f32) -> f32 {
    let x = x.trunc();
    if x == 0.0 { 0.0 } else { canon(x) }
}

/// Downwards; a result of zero is +0, too.
fn floor(x: f32) -> f32 {
    let x = x.floor();
    if x == 0.0 { 0.0 } else { canon(x) }
}

fn range(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size();
    if [DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64].contains(&dtype) {
        (0, (1 << bits) - 1)
    } else {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    }
}

/// A conversion, as Cast of an AscGraph means it: to an integer towards zero, to a smaller float to nearest even.
pub fn cast(bits: u64, from: DType, to: DType) -> u64 {
    if from == to {
        return bits;
    }
    match (from.is_float(), to.is_float()) {
        (true, true) => from_f32(to_f32(bits, from), to),
        (true, false) => {
            let (low, high) = range(to);
            let x = to_f32(bits, from).trunc();
            let value = if x.is_nan() { 0 } else { (x as i128).clamp(low, high) };
            from_int(value, to)
        }
        (false, true) => from_f32(to_int(bits, from) as f32, to),
        // Between signs of one size the bits stay; to a smaller type it saturates.
        (false, false) if to.size() < from.size() => {
            let (low, high) = range(to);
            from_int(to_int(bits, from).clamp(low, high), to)
        }
        (false, false) => from_int(to_int(bits, from), to),
    }
}

/// Fmod with the precision 1.
const FMOD_EXACT: &str = "Fmod of fmodf";

/// What [`elewise`] calls the node's type.
pub fn name_of(node: &Node) -> &str {
    if ir::is_exact(node) { FMOD_EXACT } else { &node.node_type }
}

/// No rounding at all; the sign, also of NaN, is the dividend's.
fn fmod_exact(operands: &[u64], dtype: DType) -> Option<u64> {
    let [a, b] = operands else { return None };
    let sign = 1 << (8 * dtype.size() - 1);
    let size = from_f32(to_f32(a & !sign, dtype) % to_f32(b & !sign, dtype), dtype);
    dtype.is_float().then_some(size & !sign | a & sign)
}

/// A size as an element.
pub fn of_size(size: i64, dtype: DType) -> u64 {
    cast(from_int(size.into(), DType::Int64), DType::Int64, dtype)
}

/// An element-wise node; `None` where the type has no meaning here. `operands` are of `from`, the result of `to`.
pub fn elewise(node_type: &str, operands: &[u64], from: DType, to: DType) -> Option<u64> {
    if ["Where", "Select"].contains(&node_type) {
        let [mask, a, b] = operands else { return None };
        return Some(if *mask != 0 { *a } else { *b });
    }
    if node_type == "Ub2ub" {
        return operands.first().copied();
    }
    if node_type == "Cast" {
        return Some(cast(*operands.first()?, from, to));
    }
    if node_type == FMOD_EXACT {
        return fmod_exact(operands, from);
    }
    if from.is_float() || node_type == "TrueDiv" {
        let as_float = |bits: &u64| if from.is_float() { to_f32(*bits, from) } else { to_int(*bits, from) as f32 };
        let x: Vec<f32> = operands.iter().map(as_float).collect();
        // A bit operation: a NaN keeps what it has.
        if node_type == "Abs" {
            return Some(operands[0] & !(1 << (8 * from.size() - 1)));
        }
        if node_type == "Isnan" {
            return Some(x.first()?.is_nan().into());
        }
        if let (Some(yes), true) = (compare(node_type, x.first()?.partial_cmp(x.get(1).unwrap_or(&0.0))), x.len() == 2)
        {
            return Some(yes.into());
        }
        return Some(from_f32(float(node_type, &x, from)?, to));
    }
    let x: Vec<i128> = operands.iter().map(|bits| to_int(*bits, from)).collect();
    if let (Some(yes), true) = (compare(node_type, Some(x.first()?.cmp(x.get(1).unwrap_or(&0)))), x.len() == 2) {
        return Some(yes.into());
    }
    Some(from_int(integer(node_type, &x)?, to))
}

fn compare(node_type: &str, order: Option<std::cmp::Ordering>) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(match node_type {
        "Eq" => order == Some(Equal),
        "Ne" => order != Some(Equal),
        "Ge" => matches!(order, Some(Greater | Equal)),
        "Gt" => order == Some(Greater),
        "Le" => matches!(order, Some(Less | Equal)),
        "Lt" => order == Some(Less),
        _ => return None,
    })
}

fn exp(x: f32) -> f32 {
    f64::from(x).exp() as f32
}

fn float(node_type: &str, x: &[f32], dtype: DType) -> Option<f32> {
    // Between two steps of one node the value has the node's type again.
    let round = |value: f32| to_f32(from_f32(value, dtype), dtype);
    Some(match (node_type, x) {
        ("Add", [a, b]) => a + b,
        ("Sub", [a, b]) => a - b,
        ("Mul", [a, b]) => a * b,
        ("Div" | "TrueDiv", [a, b]) => a / b,
        ("Maximum", [a, b]) => max_f(*a, *b),
        ("Minimum", [a, b]) => min_f(*a, *b),
        // In float, whatever the type.
        ("Fmod", [a, b]) => a - trunc(a / b) * b,
        ("FloorDiv", [a, b]) => floor(round(a / b)),
        ("Remainder", [a, b]) => a - round(floor(round(a / b)) * b),
        ("Neg", [a]) => -a,
        ("Relu", [a]) => max_f(*a, 0.0),
        ("Trunc", [a]) => trunc(*a),
        ("Exp", [a]) => exp(*a),
        ("Ln", [a]) => f64::from(*a).ln() as f32,
        ("Sqrt", [a]) => a.sqrt(),
        ("Rsqrt", [a]) => 1.0 / round(a.sqrt()),
        ("Reciprocal", [a]) => 1.0 / a,
        // These in float, too.
        ("Sigmoid", [a]) => 1.0 / (1.0 + exp(-a)),
        ("Tanh", [a]) => {
            let e = exp(2.0 * max_f(min_f(*a, 15.0), -15.0));
            (e - 1.0) / (e + 1.0)
        }
        ("Erf", [a]) => powers::erf(*a),
        ("Pow", [a, b]) => powers::pow(*a, *b),
        ("Sign", [a]) => f32::from(i8::from(*a > 0.0) - i8::from(*a < 0.0)),
        _ => return None,
    })
}

fn integer(node_type: &str, x: &[i128]) -> Option<i128> {
    Some(match (node_type, x) {
        ("Add", [a, b]) => a + b,
        ("Sub", [a, b]) => a - b,
        ("Mul", [a, b]) => a * b,
        ("Maximum", [a, b]) => *a.max(b),
        ("Minimum", [a, b]) => *a.min(b),
        // The remainder has the sign of the divisor; by 0 it is 0.
        ("Remainder", [_, 0]) => 0,
        ("Remainder", [a, b]) => {
            let rest = a % b;
            if rest != 0 && (rest < 0) != (*b < 0) { rest + b } else { rest }
        }
        ("Neg", [a]) => -a,
        ("Abs", [a]) => a.abs(),
        ("Relu", [a]) => *a.max(&0),
        ("Sign", [a]) => a.signum(),
        ("BitwiseAnd", [a, b]) => a & b,
        ("LogicalAnd", [a, b]) => (*a != 0 && *b != 0).into(),
        ("LogicalOr", [a, b]) => (*a != 0 || *b != 0).into(),
        ("LogicalNot", [a]) => (*a == 0).into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32_of(node_type: &str, x: &[f32]) -> u32 {
        let bits: Vec<u64> = x.iter().map(|x| u64::from(x.to_bits())).collect();
        elewise(node_type, &bits, DType::Float32, DType::Float32).expect("a value") as u32
    }

    #[test]
    fn every_element_wise_type_has_a_value() {
        use crate::ir::{ComputeType, Dtypes, Inputs};
        for ir in ir::all().filter(|ir| ir.compute_type == ComputeType::Elewise) {
            let Inputs::Named(names) = ir.inputs else { panic!("{}", ir.name) };
            let rows = match ir.dtypes {
                Dtypes::Same(list) | Dtypes::Selected(list) => list.iter().map(|t| (*t, *t)).collect(),
                Dtypes::Mapped(list) => list.to_vec(),
                Dtypes::None => Vec::new(),
            };
            for (from, to) in rows {
                assert!(elewise(ir.name, &vec![1; names.len()], from, to).is_some(), "{} {from} {to}", ir.name);
            }
        }
    }

    #[test]
    fn the_ends_of_the_formats() {
        assert_eq!(f32_of("Trunc", &[-0.5]), 0);
        assert_eq!(f32_of("Abs", &[-0.0]), 0);
        assert_eq!(f32_of("Sub", &[f32::INFINITY, f32::INFINITY]), F32_NAN);
        assert_eq!(f32_of("Relu", &[-0.0]), 0);
        assert_eq!(f32_of("Maximum", &[-0.0, 0.0]), 0);
        assert_eq!(f32_of("Minimum", &[0.0, -0.0]), 1 << 31);
        assert_eq!(f32_of("Fmod", &[-5.5, 2.0]), (-1.5f32).to_bits());
        // 0.1 / 0.1 truncates to 1, and 5 / 0.1 to 50: what is left is not the remainder of the exact quotient.
        assert_eq!(f32_of("Fmod", &[5.0, 0.1]), 0);
        assert_eq!(cast(u64::from(3e9f32.to_bits()), DType::Float32, DType::Int32), 0x7fff_ffff);
        assert_eq!(cast(40000, DType::Int32, DType::Int16), 0x7fff);
        assert_eq!(cast(u64::from(F32_NAN), DType::Float32, DType::Int32), 0);
        assert_eq!(cast(u64::from(65520f32.to_bits()), DType::Float32, DType::Float16), 0x7c00);
        assert_eq!(cast(0xffff, DType::Int16, DType::Int32), 0xffff_ffff);
    }

    #[test]
    fn half_rounds_after_every_step() {
        let h = |x: f32| u64::from(f16::from_f32(x).to_bits());
        assert_eq!(elewise("Add", &[h(2048.0), h(1.0)], DType::Float16, DType::Float16), Some(h(2048.0)));
        assert_eq!(elewise("Mul", &[h(300.0), h(300.0)], DType::Float16, DType::Float16), Some(0x7c00));
        let pair = [from_int(-7, DType::Int32), 3];
        assert_eq!(elewise("Remainder", &pair, DType::Int32, DType::Int32), Some(2));
        assert_eq!(elewise("Add", &[0x7fff, 1], DType::Int16, DType::Int16), Some(0x8000));
    }
}
