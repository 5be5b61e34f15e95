//! High-level mathematics as single instructions. The pages of Sin, Erf, Power and the like give no algorithm that
//! could be followed bit by bit: the model computes in double and rounds once, so the device differs in the last places.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{F16, Pod, canon, f16_to_f32, f64_to_f16, flush},
        ins::{Dtype, Opcode, Operand},
        lanes::Op,
        pipe::Pipe,
        switches::Ftz,
    },
    instruction::{
        shape::Shape,
        vector::{Math, PowerScalar, bad_dtype},
    },
    machine::{core::Core, observe::Step},
};
use std::ffi::{CStr, c_char};

/// A float lane type, seen as a double.
pub(crate) trait Real: Pod {
    /// `m` is the rarely used mode: flush to zero for float, saturation for half.
    fn up(self, m: bool) -> f64;
    fn down(x: f64, m: bool) -> Self;
    fn from_scalar(bits: u64) -> Self;
}

impl Real for f32 {
    fn up(self, m: bool) -> f64 {
        (if m { flush(self) } else { self }) as f64
    }
    fn down(x: f64, m: bool) -> f32 {
        let x = canon(x as f32);
        if m { flush(x) } else { x }
    }
    fn from_scalar(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
}

impl Real for F16 {
    fn up(self, _: bool) -> f64 {
        f16_to_f32(self) as f64
    }
    fn down(x: f64, m: bool) -> F16 {
        if m { f64_to_f16::<true>(x) } else { f64_to_f16::<false>(x) }
    }
    fn from_scalar(bits: u64) -> F16 {
        F16(bits as u16)
    }
}

#[derive(Clone, Copy)]
struct Map<T> {
    f: fn(f64, f64) -> f64,
    scalar: T,
    mode: bool,
}

/// A function of the lane and the scalar.
impl<T: Real> Op for Map<T> {
    type D = T;
    type A = T;
    type B = ();
    type C = ();
    fn f(self, a: T, _: (), _: ()) -> T {
        T::down((self.f)(a.up(self.mode), self.scalar.up(self.mode)), self.mode)
    }
}

#[derive(Clone, Copy)]
struct Pow<T>(bool, std::marker::PhantomData<T>);
impl<T: Real> Op for Pow<T> {
    type D = T;
    type A = T;
    type B = T;
    type C = ();
    fn f(self, a: T, b: T, _: ()) -> T {
        T::down(libm::pow(a.up(self.0), b.up(self.0)), self.0)
    }
}

#[derive(Clone, Copy)]
struct IntPow;
impl Op for IntPow {
    type D = i32;
    type A = i32;
    type B = i32;
    type C = ();
    fn f(self, a: i32, b: i32, _: ()) -> i32 {
        int_pow(a, b)
    }
}

#[derive(Clone, Copy)]
struct IntPowScalar {
    scalar: i32,
    base: bool,
}
impl Op for IntPowScalar {
    type D = i32;
    type A = i32;
    type B = ();
    type C = ();
    fn f(self, a: i32, _: (), _: ()) -> i32 {
        if self.base { int_pow(self.scalar, a) } else { int_pow(a, self.scalar) }
    }
}

/// Wraps like Mul. A negative exponent gives the integer part of the real power; the page does not say.
fn int_pow(a: i32, b: i32) -> i32 {
    match (a, b) {
        (_, 0..) => a.wrapping_pow(b as u32),
        (1, _) => 1,
        (-1, _) => 1 - 2 * (b & 1),
        _ => 0,
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// x / (1 + e^-bx); 0 where the exponential overflows, not infinity times 0.
fn swish(x: f64, b: f64) -> f64 {
    if x == f64::NEG_INFINITY && b > 0.0 { -0.0 } else { x * sigmoid(b * x) }
}

/// NaN gives 0: both comparisons of the device's sequence are false.
fn sign(x: f64) -> f64 {
    (x > 0.0) as i32 as f64 - (x < 0.0) as i32 as f64
}

/// The logarithmic derivative of the gamma function: reflected into the right half, moved up to where the asymptotic
/// series is exact to a double. At its poles it has the sign of the reciprocal at 0, and no value at -1, -2, ...
fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return -1.0 / x;
    }
    if x < 0.0 {
        let down = x - libm::floor(x);
        return if down == 0.0 || x.is_infinite() {
            f64::NAN
        } else {
            digamma(1.0 - x) - std::f64::consts::PI / libm::tan(std::f64::consts::PI * down)
        };
    }
    let (mut x, mut moved) = (x, 0.0);
    while x < 12.0 {
        moved -= 1.0 / x;
        x += 1.0;
    }
    // Bernoulli numbers over 2k, from the highest term inwards.
    let terms = [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let square = 1.0 / (x * x);
    let series = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * square);
    moved + libm::log(x) - 0.5 / x - series
}

/// What Sin and Cos take (their pages). What the device gives outside is not documented: here a NaN, so that it shows.
fn in_domain(x: f64) -> bool {
    x.abs() <= 65504.0
}

/// The function of an opcode; the second argument is the scalar.
fn function(op: Opcode) -> Option<fn(f64, f64) -> f64> {
    use Opcode::*;
    Some(match op {
        Sin => |x, _| if in_domain(x) { libm::sin(x) } else { f64::NAN },
        Cos => |x, _| if in_domain(x) { libm::cos(x) } else { f64::NAN },
        Tan => |x, _| libm::tan(x),
        Asin => |x, _| libm::asin(x),
        Acos => |x, _| libm::acos(x),
        Atan => |x, _| libm::atan(x),
        Sinh => |x, _| libm::sinh(x),
        Cosh => |x, _| libm::cosh(x),
        Tanh => |x, _| libm::tanh(x),
        Asinh => |x, _| libm::asinh(x),
        // libm gives a number far below the domain.
        Acosh => |x, _| if x < 1.0 { f64::NAN } else { libm::acosh(x) },
        Atanh => |x, _| libm::atanh(x),
        Erf => |x, _| libm::erf(x),
        Erfc => |x, _| libm::erfc(x),
        Log2 => |x, _| libm::log2(x),
        Log10 => |x, _| libm::log10(x),
        Sign => |x, _| sign(x),
        Sigmoid => |x, _| sigmoid(x),
        Silu => |x, _| swish(x, 1.0),
        Swish => swish,
        Digamma => |x, _| digamma(x),
        Lgamma => |x, _| libm::lgamma(x),
        _ => return None,
    })
}

pub(crate) fn execute(core: &mut Core, ins: &Math) -> Result<(), Raise> {
    let (tmp, used) = ins.tmp;
    if used != 0 {
        core.write(&ins.head, "sharedTmpBuffer", tmp, Shape::Bytes(used))?;
    }
    match ins.head.dtype {
        Dtype::F32 => real::<f32>(core, ins, core.machine.switches.ftz == Ftz::On),
        Dtype::F16 => real::<F16>(core, ins, core.machine.ctrl.float_saturates()),
        Dtype::I32 if ins.head.op == Opcode::Power => {
            let scalar = ins.scalar as i32;
            match ins.power {
                PowerScalar::Exponent => core.lanes_plain(ins.lanes(), IntPowScalar { scalar, base: false }),
                PowerScalar::Base => core.lanes_plain(ins.lanes(), IntPowScalar { scalar, base: true }),
                PowerScalar::None => core.lanes_plain(ins.lanes(), IntPow),
            }
        }
        _ => Err(bad_dtype(&ins.head, &[Dtype::F16, Dtype::F32])),
    }
}

fn real<T: Real>(core: &mut Core, ins: &Math, mode: bool) -> Result<(), Raise> {
    let scalar = T::from_scalar(ins.scalar);
    let map = |f| Map { f, scalar, mode };
    match (ins.head.op, ins.power) {
        (Opcode::Power, PowerScalar::Exponent) => core.lanes_plain(ins.lanes(), map(libm::pow)),
        (Opcode::Power, PowerScalar::Base) => core.lanes_plain(ins.lanes(), map(|x, s| libm::pow(s, x))),
        (Opcode::Power, PowerScalar::None) => core.lanes_plain(ins.lanes(), Pow::<T>(mode, Default::default())),
        (op, _) => match function(op) {
            Some(f) => core.lanes_plain(ins.lanes(), map(f)),
            None => Err(Raise::unsupported(Pipe::V, &ins.head.name())),
        },
    }
}

/// The operands of one high-level call, checked before its instructions are issued.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AdvCall {
    pub name: *const c_char,
    /// dst, src0, src1 with the bytes the call works on; 0 bytes is no operand.
    pub operands: [Operand; 3],
    pub tmp: Operand,
    /// What the temporary space must hold at least.
    pub tmp_min: u32,
    /// The minimum that the function's page asks for.
    pub tmp_document: u32,
    /// Bit 0: dst may be the source; bit 1: it may not, and the source has been read by the time its place is written.
    pub flags: u32,
}

impl AdvCall {
    /// Checks the temporary space and tells the observers.
    ///
    /// # Safety
    /// `name` is a C string.
    pub(crate) unsafe fn announce(&self, core: &mut Core) -> Result<(), Raise> {
        // SAFETY: as promised by the caller.
        let name = || unsafe { CStr::from_ptr(self.name) }.to_string_lossy();
        if self.tmp.bytes < self.tmp_min {
            return Err(Raise::new(FaultClass::BufferSpace, Pipe::V, name(), "the temporary space is too small")
                .operand("sharedTmpBuffer")
                .expected(format!("at least {} bytes", self.tmp_min))
                .got(format!("{} bytes", self.tmp.bytes))
                .fix(format!("reserve what Get{}MaxMinTmpSize gives in the tiling function", name())));
        }
        // Without a minimum the space is not touched.
        let tmp = Operand { bytes: if self.tmp_min == 0 { 0 } else { self.tmp.bytes }, ..self.tmp };
        for (i, o) in self.operands.iter().enumerate() {
            if o.meets(tmp) {
                let operand = ["dst", "src0", "src1"][i];
                return Err(Raise::new(
                    FaultClass::Argument,
                    Pipe::V,
                    name(),
                    "the temporary space lies over an operand",
                )
                .silent()
                .operand("sharedTmpBuffer")
                .expected(format!("bytes outside of {operand}, {} to {}", o.addr, o.addr + o.bytes))
                .got(format!("bytes {} to {}", tmp.addr, tmp.addr + tmp.bytes))
                .fix("give the temporary space a buffer of its own"));
            }
        }
        if core.observed() {
            let (in_place, reads_first) = (self.flags & 1 != 0, self.flags & 2 != 0);
            let (operands, tmp, tmp_document) = (self.operands, self.tmp, self.tmp_document);
            core.observe(Step::Call { name: &name(), operands, tmp, tmp_document, in_place, reads_first })?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "adv_tests.rs"]
mod tests;
