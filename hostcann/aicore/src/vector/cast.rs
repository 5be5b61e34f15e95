//! Type conversion. Legal pairs and modes are those of the Cast page for A2; values follow boundary table 32.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{
            Bf16, F16, Pod, bf16_to_f32, canon, f16_to_f32, f32_to_bf16, f32_to_f16, f64_to_f16, int_to_f32, integral,
            round, to_i16, to_i32,
        },
        ins::{Dtype, round_name},
        lanes::Op,
        pipe::Pipe,
    },
    instruction::vector::Cast,
    machine::core::Core,
    vector::{cast_int4, fused_cast::half_scale},
};
use std::marker::PhantomData;

macro_rules! cast_op {
    ($($name:ident: $s:ty => $d:ty, |$x:ident| $e:expr;)+) => { $(
        #[derive(Clone, Copy)]
        struct $name<const R: u8, const SAT: bool>;
        impl<const R: u8, const SAT: bool> Op for $name<R, SAT> {
            type D = $d;
            type A = $s;
            type B = ();
            type C = ();
            #[inline(always)]
            fn f(self, $x: $s, _: (), _: ()) -> $d { $e }
        }
    )+ };
}

// float -> integer saturates and turns NaN into 0, as the tables ask.
cast_op! {
    F16ToF32: F16 => f32, |x| f16_to_f32(x);
    Bf16ToF32: Bf16 => f32, |x| bf16_to_f32(x);
    I16ToF32: i16 => f32, |x| x as f32;
    I8ToF16: i8 => F16, |x| f32_to_f16::<{ round::RINT }, SAT>(x as f32);
    U8ToF16: u8 => F16, |x| f32_to_f16::<{ round::RINT }, SAT>(x as f32);
    I16ToF16: i16 => F16, |x| f32_to_f16::<R, SAT>(x as f32);
    F16ToI8: F16 => i8, |x| to_i16(integral::<R>(f16_to_f32(x)), i8::MIN as f32, i8::MAX as f32) as i8;
    F16ToU8: F16 => u8, |x| to_i16(integral::<R>(f16_to_f32(x)), 0.0, u8::MAX as f32) as u8;
    F16ToI16: F16 => i16, |x| to_i16(integral::<R>(f16_to_f32(x)), i16::MIN as f32, i16::MAX as f32);
    F16ToI32: F16 => i32, |x| to_i32(integral::<R>(f16_to_f32(x)));
    Bf16ToI32: Bf16 => i32, |x| to_i32(integral::<R>(bf16_to_f32(x)));
    F32ToF16: f32 => F16, |x| f32_to_f16::<R, SAT>(x);
    F32ToBf16: f32 => Bf16, |x| f32_to_bf16::<R, SAT>(x);
    F32ToI16: f32 => i16, |x| to_i16(integral::<R>(x), i16::MIN as f32, i16::MAX as f32);
    F32ToI32: f32 => i32, |x| to_i32(integral::<R>(x));
    F32ToI64: f32 => i64, |x| integral::<R>(x) as i64;
    // Adding +0 turns -0 into +0: the documented deviation of float -> float, taken for every zero result.
    F32ToF32: f32 => f32, |x| canon(integral::<R>(x) + 0.0);
    I32ToI16: i32 => i16, |x| x.clamp(i16::MIN as i32, i16::MAX as i32) as i16;
    I32ToF32: i32 => f32, |x| if R <= round::RINT { x as f32 } else { int_to_f32::<R>(x as i64) };
    I32ToI64: i32 => i64, |x| x as i64;
    I64ToI32: i64 => i32, |x| x.clamp(i32::MIN as i64, i32::MAX as i64) as i32;
    I64ToF32: i64 => f32, |x| int_to_f32::<R>(x);
}

/// A conversion to an integer that keeps the low bits of what does not fit.
#[derive(Clone, Copy)]
struct Wrapping<S, D, const R: u8>(PhantomData<(S, D)>);
impl<S: ToInteger, D: FromInteger, const R: u8> Op for Wrapping<S, D, R> {
    type D = D;
    type A = S;
    type B = ();
    type C = ();
    fn f(self, x: S, _: (), _: ()) -> D {
        D::low_bits(x.integer::<R>())
    }
}

/// The low bits of an integral value; none of NaN, infinity and what is beyond them.
trait ToInteger: Pod {
    fn integer<const R: u8>(self) -> i64;
}
impl ToInteger for f32 {
    fn integer<const R: u8>(self) -> i64 {
        let x = integral::<R>(self);
        if x.abs() < 2f32.powi(100) { x as i128 as i64 } else { 0 }
    }
}
impl ToInteger for F16 {
    fn integer<const R: u8>(self) -> i64 {
        f16_to_f32(self).integer::<R>()
    }
}
impl ToInteger for Bf16 {
    fn integer<const R: u8>(self) -> i64 {
        bf16_to_f32(self).integer::<R>()
    }
}
trait FromInteger: Pod {
    fn low_bits(x: i64) -> Self;
}
macro_rules! integers {
    ($($t:ty),+) => { $(
        impl FromInteger for $t {
            fn low_bits(x: i64) -> $t { x as $t }
        }
        impl ToInteger for $t {
            fn integer<const R: u8>(self) -> i64 { self as i64 }
        }
    )+ };
}
integers!(i8, u8, i16, i32, i64);

/// int32 -> half times the scale of SetDeqScale, rounded once.
#[derive(Clone, Copy)]
struct Dequant<const SAT: bool>(f64);
impl<const SAT: bool> Op for Dequant<SAT> {
    type D = F16;
    type A = i32;
    type B = ();
    type C = ();
    fn f(self, x: i32, _: (), _: ()) -> F16 {
        f64_to_f16::<SAT>(x as f64 * self.0)
    }
}

const NONE: &[u8] = &[round::NONE];
const ROUNDED: &[u8] = &[round::RINT, round::FLOOR, round::CEIL, round::ROUND, round::TRUNC];
const NONE_OR_ROUNDED: &[u8] = &[round::NONE, round::RINT, round::FLOOR, round::CEIL, round::ROUND, round::TRUNC];
const WITH_ODD: &[u8] = &[round::NONE, round::RINT, round::FLOOR, round::CEIL, round::ROUND, round::TRUNC, round::ODD];

/// Modes of a (source, destination) pair; empty when the pair does not exist.
pub(crate) fn legal_modes(src: Dtype, dst: Dtype) -> &'static [u8] {
    use Dtype::*;
    match (src, dst) {
        (I4 | I8 | U8, F16) | (I16, F32) | (F16, F32) | (Bf16, F32) | (I32, I16) | (I32, I64) | (I64, I32) => NONE,
        (I16, F16) | (F16, I4 | I8 | U8) | (I32, F32) => NONE_OR_ROUNDED,
        (F16, I16 | I32) | (Bf16, I32) | (F32, I16 | Bf16 | I32 | F32 | I64) | (I64, F32) => ROUNDED,
        (F32, F16) | (I32, F16) => WITH_ODD,
        _ => &[],
    }
}

pub(crate) fn execute(core: &mut Core, ins: &Cast) -> Result<(), Raise> {
    use Dtype::*;
    let (dst, src) = (ins.head.dtype, ins.head.stype);
    let modes = legal_modes(src, dst);
    if modes.is_empty() {
        return Err(Raise::new(FaultClass::Dtype, Pipe::V, ins.head.name(), "no such conversion on this core")
            .expected("a pair of the Cast table")
            .got(format!("{} -> {}", src.name(), dst.name()))
            .fix("go through float or half"));
    }
    if !modes.contains(&ins.mode) && (src, dst) != (I32, F16) {
        let names: Vec<_> = modes.iter().map(|m| round_name(*m)).collect();
        return Err(Raise::new(
            FaultClass::CastMode,
            Pipe::V,
            ins.head.name(),
            "illegal round mode for this pair: the device issues no instruction and leaves dst as it was",
        )
        .operand("roundMode")
        .expected(names.join(", "))
        .got(round_name(ins.mode))
        .fix("pass one of the listed modes"));
    }
    let sat = core.machine.ctrl.float_saturates();
    macro_rules! one {
        ($op:ident) => {
            core.lanes(ins.lanes(), $op::<0, false>)
        };
    }
    macro_rules! by_mode {
        ($op:ident, $sat:literal, $run:ident) => {
            match ins.mode {
                round::FLOOR => core.$run(ins.lanes(), $op::<{ round::FLOOR }, $sat>),
                round::CEIL => core.$run(ins.lanes(), $op::<{ round::CEIL }, $sat>),
                round::ROUND => core.$run(ins.lanes(), $op::<{ round::ROUND }, $sat>),
                round::TRUNC => core.$run(ins.lanes(), $op::<{ round::TRUNC }, $sat>),
                round::ODD => core.$run(ins.lanes(), $op::<{ round::ODD }, $sat>),
                _ => core.$run(ins.lanes(), $op::<{ round::RINT }, $sat>),
            }
        };
    }
    macro_rules! to_float16 {
        ($op:ident) => {
            if sat { by_mode!($op, true, lanes_plain) } else { by_mode!($op, false, lanes) }
        };
    }
    macro_rules! wrap {
        ($s:ty => $d:ty) => {
            match ins.mode {
                round::FLOOR => core.lanes_plain(ins.lanes(), Wrapping::<$s, $d, { round::FLOOR }>(PhantomData)),
                round::CEIL => core.lanes_plain(ins.lanes(), Wrapping::<$s, $d, { round::CEIL }>(PhantomData)),
                round::ROUND => core.lanes_plain(ins.lanes(), Wrapping::<$s, $d, { round::ROUND }>(PhantomData)),
                round::TRUNC => core.lanes_plain(ins.lanes(), Wrapping::<$s, $d, { round::TRUNC }>(PhantomData)),
                _ => core.lanes_plain(ins.lanes(), Wrapping::<$s, $d, { round::RINT }>(PhantomData)),
            }
        };
    }
    if core.machine.ctrl.cast_wraps() {
        match (src, dst) {
            (F16, I8) => return wrap!(self::F16 => i8),
            (F16, U8) => return wrap!(self::F16 => u8),
            (F16, I16) => return wrap!(self::F16 => i16),
            (F16, I32) => return wrap!(self::F16 => i32),
            (Bf16, I32) => return wrap!(self::Bf16 => i32),
            (F32, I16) => return wrap!(f32 => i16),
            (F32, I32) => return wrap!(f32 => i32),
            (F32, I64) => return wrap!(f32 => i64),
            (I32, I16) => return wrap!(i32 => i16),
            (I64, I32) => return wrap!(i64 => i32),
            _ => {}
        }
    }
    match (src, dst) {
        (F16, I4) | (I4, F16) => cast_int4::execute(core, ins),
        (F16, F32) => one!(F16ToF32),
        (Bf16, F32) => one!(Bf16ToF32),
        (I16, F32) => one!(I16ToF32),
        (I8, F16) => one!(I8ToF16),
        (U8, F16) => one!(U8ToF16),
        (I16, F16) => to_float16!(I16ToF16),
        (F16, I8) => by_mode!(F16ToI8, false, lanes),
        (F16, U8) => by_mode!(F16ToU8, false, lanes),
        (F16, I16) => by_mode!(F16ToI16, false, lanes),
        (F16, I32) => by_mode!(F16ToI32, false, lanes),
        (Bf16, I32) => by_mode!(Bf16ToI32, false, lanes),
        (F32, F16) => to_float16!(F32ToF16),
        (F32, Bf16) => to_float16!(F32ToBf16),
        (F32, I16) => by_mode!(F32ToI16, false, lanes),
        (F32, I32) => by_mode!(F32ToI32, false, lanes),
        (F32, I64) => by_mode!(F32ToI64, false, lanes),
        (F32, F32) => by_mode!(F32ToF32, false, lanes),
        (I32, I16) => one!(I32ToI16),
        (I32, F32) => by_mode!(I32ToF32, false, lanes),
        (I32, I64) => one!(I32ToI64),
        (I64, I32) => one!(I64ToI32),
        (I64, F32) => by_mode!(I64ToF32, false, lanes_plain),
        (I32, F16) => {
            let scale = half_scale(core, &ins.head)?;
            if sat {
                core.lanes_plain(ins.lanes(), Dequant::<true>(scale))
            } else {
                core.lanes_plain(ins.lanes(), Dequant::<false>(scale))
            }
        }
        _ => Err(Raise::unsupported(Pipe::V, &ins.head.name())),
    }
}

#[cfg(test)]
#[path = "cast_tests.rs"]
mod tests;
