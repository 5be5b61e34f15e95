//! Arithmetic with a conversion in the same instruction: AddReluCast, SubReluCast, MulCast, AddDeqRelu, CastDequant.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{F16, Pod, f16_to_f32, f32_to_f16, f64_to_f16, integral, round, to_i16},
        ins::{Dtype, Opcode, Operand},
        lanes::{BLOCK, Op, REPEAT, Stride, Walk},
        pipe::Pipe,
    },
    instruction::{
        shape::Shape,
        vector::{Binary, CastDequant, Head, bad_dtype},
    },
    machine::core::Core,
};
use std::marker::PhantomData;

/// A pair of source and destination of the fused instructions. `SAT`: half results saturate.
trait Fused: Pod {
    type D: Pod;
    /// Cast(Relu(self + other)), or with the difference.
    fn relu<const SUB: bool, const SAT: bool>(self, other: Self) -> Self::D;
}

impl Fused for f32 {
    type D = F16;
    fn relu<const SUB: bool, const SAT: bool>(self, other: f32) -> F16 {
        let x = if SUB { self - other } else { self + other };
        // A NaN gives +0 (boundary tables 26, 27), and so does every other number that is not above 0.
        f32_to_f16::<{ round::RINT }, SAT>(if x > 0.0 { x } else { 0.0 })
    }
}
impl Fused for F16 {
    type D = i8;
    fn relu<const SUB: bool, const SAT: bool>(self, other: F16) -> i8 {
        let (a, b) = (f16_to_f32(self), f16_to_f32(other));
        let x = f16_to_f32(f32_to_f16::<{ round::RINT }, SAT>(if SUB { a - b } else { a + b }));
        to_i16(integral::<{ round::RINT }>(x), 0.0, i8::MAX as f32) as i8
    }
}
impl Fused for i16 {
    type D = i8;
    fn relu<const SUB: bool, const SAT: bool>(self, other: i16) -> i8 {
        let (a, b) = (self as i32, other as i32);
        (if SUB { a - b } else { a + b }).clamp(0, i8::MAX as i32) as i8
    }
}

#[derive(Clone, Copy)]
struct ReluCast<S, const SUB: bool, const SAT: bool>(PhantomData<S>);
impl<S: Fused, const SUB: bool, const SAT: bool> Op for ReluCast<S, SUB, SAT> {
    type D = S::D;
    type A = S;
    type B = S;
    type C = ();
    fn f(self, a: S, b: S, _: ()) -> S::D {
        a.relu::<SUB, SAT>(b)
    }
}

/// The product is a half before it becomes an integer.
#[derive(Clone, Copy)]
struct MulCast<D, const SAT: bool>(PhantomData<D>);
trait Byte: Pod {
    const LOW: f32;
    const HIGH: f32;
    fn of(x: i16) -> Self;
}
impl Byte for i8 {
    const LOW: f32 = i8::MIN as f32;
    const HIGH: f32 = i8::MAX as f32;
    fn of(x: i16) -> i8 {
        x as i8
    }
}
impl Byte for u8 {
    const LOW: f32 = 0.0;
    const HIGH: f32 = u8::MAX as f32;
    fn of(x: i16) -> u8 {
        x as u8
    }
}
impl<D: Byte, const SAT: bool> Op for MulCast<D, SAT> {
    type D = D;
    type A = F16;
    type B = F16;
    type C = ();
    fn f(self, a: F16, b: F16, _: ()) -> D {
        let x = f16_to_f32(f32_to_f16::<{ round::RINT }, SAT>(f16_to_f32(a) * f16_to_f32(b)));
        D::of(to_i16(integral::<{ round::RINT }>(x), D::LOW, D::HIGH))
    }
}

/// The sum of two int32 times the scale, as a half that is not negative.
#[derive(Clone, Copy)]
struct AddDeqRelu<const SAT: bool>(f64);
impl<const SAT: bool> Op for AddDeqRelu<SAT> {
    type D = F16;
    type A = i32;
    type B = i32;
    type C = ();
    fn f(self, a: i32, b: i32, _: ()) -> F16 {
        let x = a.wrapping_add(b) as f64 * self.0;
        f64_to_f16::<SAT>(if x > 0.0 { x } else { 0.0 })
    }
}

pub(crate) fn binary(core: &mut Core, ins: &Binary) -> Result<(), Raise> {
    use Dtype::*;
    let sat = core.machine.ctrl.float_saturates();
    let lanes = ins.lanes();
    macro_rules! go {
        ($op:ident::<$($t:tt),+>) => {
            if sat {
                core.lanes_plain(lanes, $op::<$($t),+, true>(PhantomData))
            } else {
                core.lanes_plain(lanes, $op::<$($t),+, false>(PhantomData))
            }
        };
    }
    match (ins.head.op, ins.head.stype, ins.head.dtype) {
        (Opcode::AddReluCast, F32, F16) => go!(ReluCast::<f32, false>),
        (Opcode::AddReluCast, F16, I8) => go!(ReluCast::<HalfLane, false>),
        (Opcode::AddReluCast, I16, I8) => go!(ReluCast::<i16, false>),
        (Opcode::SubReluCast, F32, F16) => go!(ReluCast::<f32, true>),
        (Opcode::SubReluCast, F16, I8) => go!(ReluCast::<HalfLane, true>),
        (Opcode::SubReluCast, I16, I8) => go!(ReluCast::<i16, true>),
        (Opcode::MulCast, F16, I8) => go!(MulCast::<i8>),
        (Opcode::MulCast, F16, U8) => go!(MulCast::<u8>),
        (Opcode::AddDeqRelu, I32, F16) => {
            let scale = half_scale(core, &ins.head)?;
            if sat {
                core.lanes_plain(lanes, AddDeqRelu::<true>(scale))
            } else {
                core.lanes_plain(lanes, AddDeqRelu::<false>(scale))
            }
        }
        _ => Err(bad_dtype(&ins.head, &[F16, I8])),
    }
}

type HalfLane = F16;

/// The scale of SetDeqScale(half).
pub(crate) fn half_scale(core: &Core, head: &Head) -> Result<f64, Raise> {
    let bits = register(core, head, "SetDeqScale(half) before this instruction")?;
    Ok(f16_to_f32(F16(bits as u16)) as f64)
}

fn register(core: &Core, head: &Head, expected: &str) -> Result<u64, Raise> {
    core.machine.deq_scale.ok_or_else(|| {
        Raise::new(FaultClass::Argument, Pipe::V, head.name(), "no dequantisation scale is set")
            .expected(expected)
            .got("none")
            .fix("call SetDeqScale first, for a scale of 1: SetDeqScale(static_cast<half>(1.0))")
    })
}

/// One set of quantisation parameters, as the bits of DEQSCALE hold it (SetDeqScale page, table 1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Quant {
    scale: f64,
    offset: i32,
    signed: bool,
}

impl Quant {
    fn of(bits: u64) -> Quant {
        // The hardware takes ten bits of the fraction; nine bits of offset have a sign.
        let scale = f32::from_bits(bits as u32 & !0x1fff) as f64;
        let offset = (bits >> 37 & 0x1ff) as i32;
        Quant { scale, offset: (offset ^ 0x100) - 0x100, signed: bits >> 46 & 1 != 0 }
    }

    fn byte(self, x: i16) -> u8 {
        let y = (x as f64 * self.scale + self.offset as f64).round_ties_even();
        if self.signed { y.clamp(-128.0, 127.0) as i8 as u8 } else { y.clamp(0.0, 255.0) as u8 }
    }
}

/// Bytes of the parameters of the sixteen columns of a block.
const VDEQ: usize = 128;

/// int16 to 8 bits: a source block becomes half of a destination block, the other half stays.
pub(crate) fn dequant(core: &mut Core, ins: &CastDequant) -> Result<(), Raise> {
    let head = &ins.head;
    if !matches!((head.stype, head.dtype), (Dtype::I16, Dtype::I8 | Dtype::U8)) {
        return Err(bad_dtype(head, &[Dtype::F16, Dtype::I8, Dtype::U8]));
    }
    const LANES: usize = REPEAT / 2;
    const PER: usize = BLOCK / 2;
    let dense = Stride { blk: BLOCK, rep: REPEAT };
    let walk = core.machine.walk(&ins.span, LANES);
    let (repeats, to, from) = match walk {
        Walk::Count(n) => (n.div_ceil(LANES), dense, dense),
        Walk::Repeats { n, dst, src, .. } => (n, dst, src[0]),
    };
    let shape = Shape::of(&walk, from, 2, LANES);
    if shape.extent() == 0 {
        return Ok(());
    }
    let quant = quants(core, ins)?;
    let src = core.read(head, "src0", ins.src, shape)? as *const i16;
    for r in 0..repeats {
        let on = match walk {
            Walk::Count(n) => crate::base::lanes::first((n - r * LANES).min(LANES)),
            Walk::Repeats { mask, .. } => mask.at(r, LANES),
        };
        let mut bytes = [[0u8; PER]; 8];
        let is_on = |i: usize| on[i / 64] >> (i % 64) & 1 != 0;
        for i in (0..LANES).filter(|i| is_on(*i)) {
            // SAFETY: an active lane inside the extent.
            let x = unsafe { src.byte_add(r * from.rep + i / PER * from.blk).add(i % PER).read() };
            bytes[i / PER][i % PER] = quant[i % PER].byte(x);
        }
        for (k, block) in bytes.iter().enumerate() {
            let Some(last) = (0..PER).rfind(|j| is_on(k * PER + j)) else { continue };
            let addr = ins.dst.addr as usize + r * to.rep + k * to.blk + if ins.high { PER } else { 0 };
            let place = Operand::new(addr.min(u32::MAX as usize) as u32, PER as u32);
            let dst = core.write(head, "dst", place.aligned(PER), Shape::Bytes(last + 1))?;
            for j in (0..PER).filter(|j| is_on(k * PER + j)) {
                // SAFETY: up to the last active lane.
                unsafe { dst.add(j).write(block[j]) };
            }
        }
    }
    Ok(())
}

/// The parameters of each column: one set for all, or those of the tensor that the register points to.
fn quants(core: &mut Core, ins: &CastDequant) -> Result<[Quant; BLOCK / 2], Raise> {
    let form = if ins.by_tensor { "SetDeqScale(vdeq, vdeqInfo)" } else { "SetDeqScale(scale, offset, signMode)" };
    let bits = register(core, &ins.head, form)?;
    if !ins.by_tensor {
        return Ok([Quant::of(bits); BLOCK / 2]);
    }
    let place = Operand::new((bits as u32 & 0x3fff) * BLOCK as u32, VDEQ as u32);
    let at = core.read(&ins.head, "vdeq", place, Shape::Bytes(VDEQ))? as *const u64;
    // SAFETY: the extent was checked.
    Ok(std::array::from_fn(|i| Quant::of(unsafe { at.add(i).read() })))
}

#[cfg(test)]
#[path = "fused_cast_tests.rs"]
mod tests;
