//! What happens to sums on their way out of L0C: a cast, or a multiplication by a quantisation parameter and a cast.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{canon, f32_to_bf16, f32_to_f16, round},
        ins::Dtype,
        pipe::Pipe,
    },
    machine::matmul::Sums,
};

/// A parameter for the whole matrix, or one for each of its columns.
pub(super) enum Quant {
    None,
    Scalar(u64),
    Columns(Vec<u64>),
}

impl Quant {
    fn of(&self, column: usize) -> Option<Parameter> {
        match self {
            Quant::None => None,
            Quant::Scalar(bits) => Some(Parameter::of(*bits)),
            Quant::Columns(all) => all.get(column).map(|bits| Parameter::of(*bits)),
        }
    }
}

/// SetQuantScalar page: the upper 19 bits of a float, and from bit 37 on an offset of 9 bits.
#[derive(Clone, Copy)]
struct Parameter {
    scale: f32,
    offset: i32,
}

impl Parameter {
    fn of(bits: u64) -> Parameter {
        let offset = (bits >> 37 & 0x1ff) as i32;
        Parameter { scale: f32::from_bits(bits as u32 & 0xffff_e000), offset: (offset << 23) >> 23 }
    }

    /// To nine bits, the offset, to eight bits: the steps are ours, the page gives none.
    fn to_i8(self, x: f32) -> i8 {
        let scaled = (x * self.scale).round_ties_even().clamp(-256.0, 255.0);
        (scaled as i32 + self.offset).clamp(-128, 127) as i8
    }
}

fn half(x: f32, saturates: bool) -> [u8; 2] {
    let h = if saturates { f32_to_f16::<{ round::RINT }, true>(x) } else { f32_to_f16::<{ round::RINT }, false>(x) };
    h.0.to_le_bytes()
}

fn bfloat(x: f32, saturates: bool) -> [u8; 2] {
    let b = if saturates { f32_to_bf16::<{ round::RINT }, true>(x) } else { f32_to_bf16::<{ round::RINT }, false>(x) };
    b.0.to_le_bytes()
}

/// The bytes of a block of `columns` columns in the type of C.
pub(super) fn out(sums: &Sums, to: Dtype, columns: usize, quant: &Quant, saturates: bool) -> Result<Vec<u8>, Raise> {
    let quantised = |f: &dyn Fn(usize, Parameter) -> Vec<u8>, n: usize| {
        let one = |i: usize| quant.of(i % columns).map(|p| f(i, p)).ok_or_else(|| needs_parameter(to));
        (0..n).map(one).collect::<Result<Vec<_>, Raise>>().map(|parts| parts.concat())
    };
    match (sums, to) {
        (Sums::Floats(v), Dtype::F32) => Ok(v.iter().flat_map(|x| canon(*x).to_le_bytes()).collect()),
        (Sums::Floats(v), Dtype::F16) => Ok(v.iter().flat_map(|x| half(*x, saturates)).collect()),
        (Sums::Floats(v), Dtype::Bf16) => Ok(v.iter().flat_map(|x| bfloat(*x, saturates)).collect()),
        (Sums::Floats(v), Dtype::I8) => quantised(&|i, p| vec![p.to_i8(v[i]) as u8], v.len()),
        (Sums::Integers(v), Dtype::I32) => Ok(v.iter().flat_map(|x| x.to_le_bytes()).collect()),
        (Sums::Integers(v), Dtype::F16) => quantised(&|i, p| half(v[i] as f32 * p.scale, saturates).to_vec(), v.len()),
        (Sums::Integers(v), Dtype::I8) => quantised(&|i, p| vec![p.to_i8(v[i] as f32) as u8], v.len()),
        (sums, _) => Err(no_such(sums, to)),
    }
}

#[cold]
fn needs_parameter(to: Dtype) -> Raise {
    Raise::new(FaultClass::Argument, Pipe::S, "Matmul", format!("a result of {} without a quantisation", to.name()))
        .operand("quantScalar")
        .expected("SetQuantScalar or SetQuantVector before Iterate and IterateAll, with a value for every column")
        .got("none")
        .fix("set the parameter, or take int32_t (float) results")
}

#[cold]
fn no_such(sums: &Sums, to: Dtype) -> Raise {
    let from = match sums {
        Sums::Floats(_) => "float",
        Sums::Integers(_) => "int32_t",
    };
    Raise::new(FaultClass::Argument, Pipe::S, "Matmul", "the cube core does not write sums in this type")
        .operand("C")
        .expected(match sums {
            Sums::Floats(_) => "float, half, bfloat16_t or int8_t",
            Sums::Integers(_) => "int32_t, half or int8_t",
        })
        .got(format!("{} from sums of {from}", to.name()))
        .fix("change the type of C in its MatmulType")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters() {
        let bits = |scale: f32, offset: i64| {
            u64::from(scale.to_bits() & 0xffff_e000) | 1 << 46 | ((offset & 0x1ff) as u64) << 37
        };
        let out = |v: Vec<i32>, to, quant| out(&Sums::Integers(v), to, 2, &quant, false).unwrap();
        // Columns take their own parameter; halves round to even, offsets are signed, results saturate.
        let both = Quant::Columns(vec![bits(0.5, 0), bits(1.0, -3)]);
        let got: Vec<i8> = out(vec![3, 10, -300, 500], Dtype::I8, both).iter().map(|b| *b as i8).collect();
        assert_eq!(got, [2, 7, -128, 127]);
        assert_eq!(out(vec![3, 1], Dtype::F16, Quant::Scalar(bits(0.5, 0))), [0x00, 0x3e, 0x00, 0x38]);
        let raise = super::out(&Sums::Integers(vec![1]), Dtype::F16, 1, &Quant::None, false).unwrap_err();
        assert!(raise.what.contains("without a quantisation"), "{}", raise.what);
    }
}
