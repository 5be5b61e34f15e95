//! Arithmetic of the vector unit. half computes in float and rounds once, which is exact for + - * / and sqrt.

use crate::{
    base::{
        fault::Raise,
        float::{F16, Pod, canon, f16_to_f32, f32_to_f16, f64_to_f16, flush, round},
        ins::{Dtype, Opcode},
        lanes::Op,
        switches::{DivUlp, Fma, Ftz, Reciprocal},
    },
    instruction::vector::{self, Binary, Head, Unary, bad_dtype},
    machine::core::Core,
};
use std::marker::PhantomData;

/// A float lane type. `M` is its rarely used mode: flush to zero for float, saturation for half.
trait Fl: Pod {
    /// The largest finite value.
    const MOST: f32;
    /// Relative error of Reciprocal and Rsqrt: more than 1/1000 or 1/10000 also after rounding.
    const COARSE: f64;
    fn up<const M: bool>(self) -> f32;
    fn down<const M: bool>(x: f32) -> Self;
    fn fma<const M: bool>(a: f32, b: f32, c: f32) -> Self;
    /// Moves a finite, nonzero magnitude by `d` units in the last place, but not to infinity or zero.
    fn nudge(self, d: i32) -> Self;
    fn bits(self) -> u32;
    fn from_scalar(bits: u64) -> Self;
    fn abs(self) -> Self;
}

impl Fl for f32 {
    const MOST: f32 = f32::MAX;
    const COARSE: f64 = 1.0 / 8192.0;
    #[inline(always)]
    fn up<const M: bool>(self) -> f32 {
        if M { flush(self) } else { self }
    }
    #[inline(always)]
    fn down<const M: bool>(x: f32) -> f32 {
        let x = canon(x);
        if M { flush(x) } else { x }
    }
    #[inline(always)]
    fn fma<const M: bool>(a: f32, b: f32, c: f32) -> f32 {
        Self::down::<M>(a.mul_add(b, c))
    }
    fn nudge(self, d: i32) -> f32 {
        let abs = self.to_bits() & 0x7fff_ffff;
        let moved = abs.wrapping_add(d as u32);
        let keep = abs == 0 || abs >= 0x7f80_0000 || moved == 0 || moved >= 0x7f80_0000;
        if keep { self } else { f32::from_bits(moved | (self.to_bits() & 0x8000_0000)) }
    }
    fn bits(self) -> u32 {
        self.to_bits()
    }
    fn from_scalar(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::from_bits(self.to_bits() & 0x7fff_ffff)
    }
}

impl Fl for F16 {
    const MOST: f32 = 65504.0;
    const COARSE: f64 = 1.0 / 512.0;
    #[inline(always)]
    fn up<const M: bool>(self) -> f32 {
        f16_to_f32(self)
    }
    #[inline(always)]
    fn down<const M: bool>(x: f32) -> F16 {
        f32_to_f16::<{ round::RINT }, M>(x)
    }
    #[inline(always)]
    fn fma<const M: bool>(a: f32, b: f32, c: f32) -> F16 {
        // Product and sum fit a double wherever the result is near a rounding boundary.
        f64_to_f16::<M>(a as f64 * b as f64 + c as f64)
    }
    fn nudge(self, d: i32) -> F16 {
        let abs = (self.0 & 0x7fff) as i32;
        let moved = abs + d;
        let keep = abs == 0 || abs >= 0x7c00 || moved == 0 || moved >= 0x7c00;
        if keep { self } else { F16(moved as u16 | (self.0 & 0x8000)) }
    }
    fn bits(self) -> u32 {
        self.0 as u32
    }
    fn from_scalar(bits: u64) -> F16 {
        F16(bits as u16)
    }
    #[inline(always)]
    fn abs(self) -> F16 {
        F16(self.0 & 0x7fff)
    }
}

/// NaN propagates, max(+0, -0) = +0 (boundary tables 13, 14).
#[inline(always)]
fn max_f(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() & b.to_bits());
    let r = if a > b { a } else { b };
    let r = if a == b { equal } else { r };
    if a.is_nan() { a } else { r }
}

/// NaN propagates, min(+0, -0) = -0.
#[inline(always)]
fn min_f(a: f32, b: f32) -> f32 {
    let equal = f32::from_bits(a.to_bits() | b.to_bits());
    let r = if a < b { a } else { b };
    let r = if a == b { equal } else { r };
    if a.is_nan() { a } else { r }
}

macro_rules! float_binary {
    ($($name:ident |$a:ident, $b:ident| $e:expr;)+) => { $(
        #[derive(Clone, Copy)]
        struct $name<T, const M: bool>(PhantomData<T>);
        impl<T: Fl, const M: bool> Op for $name<T, M> {
            type D = T;
            type A = T;
            type B = T;
            type C = ();
            #[inline(always)]
            fn f(self, a: T, b: T, _: ()) -> T {
                let ($a, $b) = (a.up::<M>(), b.up::<M>());
                T::down::<M>($e)
            }
        }
    )+ };
}

float_binary! {
    FAdd |a, b| a + b;
    FSub |a, b| a - b;
    FMul |a, b| a * b;
    FDiv |a, b| a / b;
    FMax |a, b| max_f(a, b);
    FMin |a, b| min_f(a, b);
    FAddRelu |a, b| max_f(T::down::<M>(a + b).up::<M>(), 0.0);
    FSubRelu |a, b| max_f(T::down::<M>(a - b).up::<M>(), 0.0);
    // A -0 counts as negative: -0 times a NaN is one (boundary table 19).
    FLeakyRelu |a, b| if a >= 0.0 && a.is_sign_positive() { a } else { a * b };
}

macro_rules! float_unary {
    ($($name:ident |$a:ident| $e:expr;)+) => { $(
        #[derive(Clone, Copy)]
        struct $name<T, const M: bool>(PhantomData<T>);
        impl<T: Fl, const M: bool> Op for $name<T, M> {
            type D = T;
            type A = T;
            type B = ();
            type C = ();
            #[inline(always)]
            fn f(self, a: T, _: (), _: ()) -> T {
                let $a = a.up::<M>();
                T::down::<M>($e)
            }
        }
    )+ };
}

// Exp, Ln, Reciprocal and Rsqrt have no published result bits; these round the exact value.
float_unary! {
    FExp |a| libm::exp(a as f64) as f32;
    FLn |a| libm::log(a as f64) as f32;
    FSqrt |a| a.sqrt();
    FRecip |a| 1.0 / a;
    FRsqrt |a| (1.0 / (a as f64).sqrt()) as f32;
    FRelu |a| max_f(a, 0.0);
}

/// [`FAbs`] of half in saturation mode, which has neither infinity nor NaN. Float does not saturate: so says the note on
/// all boundary tables, against one cell of table 4.
#[derive(Clone, Copy)]
struct FAbsSaturated<T>(PhantomData<T>);
impl<T: Fl> Op for FAbsSaturated<T> {
    type D = T;
    type A = T;
    type B = ();
    type C = ();
    fn f(self, a: T, _: (), _: ()) -> T {
        T::down::<true>(a.abs().up::<false>())
    }
}

/// Clears the sign bit; a bit operation, so nothing is flushed.
#[derive(Clone, Copy)]
struct FAbs<T>(PhantomData<T>);
impl<T: Fl> Op for FAbs<T> {
    type D = T;
    type A = T;
    type B = ();
    type C = ();
    #[inline(always)]
    fn f(self, a: T, _: (), _: ()) -> T {
        a.abs()
    }
}

/// Reciprocal, or Rsqrt, with the error that its page admits; exact where the boundary tables 5 and 7 give a value.
#[derive(Clone, Copy)]
struct FCoarse<T, const M: bool, const ROOT: bool>(PhantomData<T>);
impl<T: Fl, const M: bool, const ROOT: bool> Op for FCoarse<T, M, ROOT> {
    type D = T;
    type A = T;
    type B = ();
    type C = ();
    fn f(self, a: T, _: (), _: ()) -> T {
        let x = a.up::<M>();
        let y = if ROOT { 1.0 / (x as f64).sqrt() } else { 1.0 / x as f64 };
        let exact = T::down::<M>(y as f32);
        if !y.is_finite() || y == 0.0 || x.abs() == T::MOST {
            return exact;
        }
        let off = T::down::<M>((y * (1.0 + T::COARSE)) as f32);
        if off.up::<false>().is_finite() { off } else { exact }
    }
}

/// Division with the `div_ulp` switch on.
#[derive(Clone, Copy)]
struct FDivUlp<T, const M: bool>(DivUlp, PhantomData<T>);
impl<T: Fl, const M: bool> Op for FDivUlp<T, M> {
    type D = T;
    type A = T;
    type B = T;
    type C = ();
    fn f(self, a: T, b: T, _: ()) -> T {
        let q = FDiv::<T, M>(PhantomData).f(a, b, ());
        let r = q.nudge(match self.0 {
            DivUlp::Zero => 0,
            DivUlp::Plus => 1,
            DivUlp::Minus => -1,
            DivUlp::Random => {
                let mut h = (a.bits() as u64) << 32 | b.bits() as u64;
                // splitmix64 finaliser
                h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                ((h ^ (h >> 31)) % 3) as i32 - 1
            }
        });
        // A step below the normal range is flushed like any other result.
        if M && size_of::<T>() == 4 { T::down::<M>(r.up::<M>()) } else { r }
    }
}

/// A binary operation whose second source is a scalar.
#[derive(Clone, Copy)]
struct Scalar<O: Op>(O, O::B);
impl<O: Op<C = ()>> Op for Scalar<O> {
    type D = O::D;
    type A = O::A;
    type B = ();
    type C = ();
    #[inline(always)]
    fn f(self, a: O::A, _: (), _: ()) -> O::D {
        self.0.f(a, self.1, ())
    }
}

/// dst = a * b + c, rounded once (`FUSED`) or twice.
#[derive(Clone, Copy)]
struct Mad<T, S, const M: bool, const FUSED: bool>(PhantomData<(T, S)>);
impl<T: Fl, S: Fl, const M: bool, const FUSED: bool> Op for Mad<T, S, M, FUSED> {
    type D = T;
    type A = S;
    type B = S;
    type C = T;
    #[inline(always)]
    fn f(self, a: S, b: S, c: T) -> T {
        let (a, b, c) = (a.up::<M>(), b.up::<M>(), c.up::<M>());
        // In saturation mode +0 + -0 is -0, unless the +0 stands for a NaN (boundary tables 20 to 22).
        if M && size_of::<T>() == 2 && (a * b).to_bits() == 0 && c.to_bits() == 1 << 31 {
            return T::down::<M>(c);
        }
        if FUSED { T::fma::<M>(a, b, c) } else { T::down::<M>(T::down::<M>(a * b).up::<M>() + c) }
    }
}

/// [`Mad`] followed by Relu.
#[derive(Clone, Copy)]
struct MadRelu<T, const M: bool, const FUSED: bool>(PhantomData<T>);
impl<T: Fl, const M: bool, const FUSED: bool> Op for MadRelu<T, M, FUSED> {
    type D = T;
    type A = T;
    type B = T;
    type C = T;
    #[inline(always)]
    fn f(self, a: T, b: T, c: T) -> T {
        FRelu::<T, M>(PhantomData).f(Mad::<T, T, M, FUSED>(PhantomData).f(a, b, c), (), ())
    }
}

/// [`Mad`] whose second factor is a scalar.
#[derive(Clone, Copy)]
struct ScalarMad<T, S, const M: bool, const FUSED: bool>(S, PhantomData<T>);
impl<T: Fl, S: Fl, const M: bool, const FUSED: bool> Op for ScalarMad<T, S, M, FUSED> {
    type D = T;
    type A = S;
    type B = T;
    type C = ();
    #[inline(always)]
    fn f(self, a: S, c: T, _: ()) -> T {
        Mad::<T, S, M, FUSED>(PhantomData).f(a, self.0, c)
    }
}

trait Int: Pod {
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn add_saturated(self, b: Self) -> Self;
    fn sub_saturated(self, b: Self) -> Self;
    fn mul_saturated(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn from_scalar(bits: u64) -> Self;
}

macro_rules! int {
    ($($t:ty),+) => { $(
        impl Int for $t {
            #[inline(always)]
            fn add(self, b: Self) -> Self { self.wrapping_add(b) }
            #[inline(always)]
            fn sub(self, b: Self) -> Self { self.wrapping_sub(b) }
            #[inline(always)]
            fn mul(self, b: Self) -> Self { self.wrapping_mul(b) }
            fn add_saturated(self, b: Self) -> Self { self.saturating_add(b) }
            fn sub_saturated(self, b: Self) -> Self { self.saturating_sub(b) }
            fn mul_saturated(self, b: Self) -> Self { self.saturating_mul(b) }
            #[inline(always)]
            fn max(self, b: Self) -> Self { Ord::max(self, b) }
            #[inline(always)]
            fn min(self, b: Self) -> Self { Ord::min(self, b) }
            fn from_scalar(bits: u64) -> Self { bits as $t }
        }
    )+ };
}
int!(i16, i32);

macro_rules! int_binary {
    ($($name:ident |$a:ident, $b:ident| $e:expr;)+) => { $(
        #[derive(Clone, Copy)]
        struct $name<T>(PhantomData<T>);
        impl<T: Int> Op for $name<T> {
            type D = T;
            type A = T;
            type B = T;
            type C = ();
            #[inline(always)]
            fn f(self, $a: T, $b: T, _: ()) -> T { $e }
        }
    )+ };
}
int_binary! {
    IAdd |a, b| a.add(b);
    ISub |a, b| a.sub(b);
    IMul |a, b| a.mul(b);
    IMax |a, b| a.max(b);
    IMin |a, b| a.min(b);
    IAddRelu |a, b| a.add(b).max(T::from_scalar(0));
    ISubRelu |a, b| a.sub(b).max(T::from_scalar(0));
    ISatAdd |a, b| a.add_saturated(b);
    ISatSub |a, b| a.sub_saturated(b);
    ISatMul |a, b| a.mul_saturated(b);
}

const FLOATS: &[Dtype] = &[Dtype::F16, Dtype::F32];
const ALL: &[Dtype] = &[Dtype::F16, Dtype::F32, Dtype::I16, Dtype::I32];
/// Calls a function of a lane type and its mode by the data types of an instruction.
macro_rules! by_type {
    ($core:ident, $ins:ident, $float:ident, $int:ident) => {
        match ($ins.head.dtype, $ins.head.stype) {
            (Dtype::F32, Dtype::F32) if flushes($core, $ins.head.op) => $float::<f32, true>($core, $ins),
            (Dtype::F32, Dtype::F32) => $float::<f32, false>($core, $ins),
            (Dtype::F16, Dtype::F16) if saturates($core) => $float::<F16, true>($core, $ins),
            (Dtype::F16, Dtype::F16) => $float::<F16, false>($core, $ins),
            (Dtype::I16, Dtype::I16) => $int::<i16>($core, $ins),
            (Dtype::I32, Dtype::I32) => $int::<i32>($core, $ins),
            _ => refused(&$ins.head),
        }
    };
}

pub(crate) fn binary(core: &mut Core, ins: &Binary) -> Result<(), Raise> {
    if (ins.head.dtype, ins.head.stype, ins.head.op) == (Dtype::F32, Dtype::F16, Opcode::MulAddDst) {
        return mixed_mul_add(core, ins);
    }
    by_type!(core, ins, float_binary, int_binary)
}

pub(crate) fn unary(core: &mut Core, ins: &Unary) -> Result<(), Raise> {
    by_type!(core, ins, float_unary, int_unary)
}

pub(crate) fn scalar(core: &mut Core, ins: &vector::Scalar) -> Result<(), Raise> {
    if (ins.head.dtype, ins.head.stype, ins.head.op) == (Dtype::F32, Dtype::F16, Opcode::Axpy) {
        return mixed_axpy(core, ins);
    }
    by_type!(core, ins, float_scalar, int_scalar)
}

#[cold]
fn refused(head: &Head) -> Result<(), Raise> {
    Err(bad_dtype(head, allowed(head.op)))
}

fn saturates(core: &Core) -> bool {
    core.machine.ctrl.float_saturates()
}

/// Whether the `ftz` switch covers a float32 instruction.
fn flushes(core: &Core, op: Opcode) -> bool {
    match core.machine.switches.ftz {
        Ftz::Off => false,
        Ftz::Div => op == Opcode::Div,
        Ftz::On => true,
    }
}

fn allowed(op: Opcode) -> &'static [Dtype] {
    use Opcode::*;
    match op {
        Add | Sub | Mul | Max | Min | Adds | Muls | Maxs | Mins => ALL,
        Relu => &[Dtype::F16, Dtype::F32, Dtype::I32],
        AddRelu | SubRelu => &[Dtype::F16, Dtype::F32, Dtype::I16],
        _ => FLOATS,
    }
}

// Modes other than the default are test switches: one copy of their loops is enough.
macro_rules! go {
    ($core:ident, $lanes:expr, $o:expr) => {
        if M { $core.lanes_plain($lanes, $o) } else { $core.lanes($lanes, $o) }
    };
}

fn float_binary<T: Fl, const M: bool>(core: &mut Core, ins: &Binary) -> Result<(), Raise> {
    let t = PhantomData::<T>;
    let lanes = ins.lanes();
    let fused = core.machine.switches.fma == Fma::Fused;
    match ins.head.op {
        Opcode::Add => go!(core, lanes, FAdd::<T, M>(t)),
        Opcode::Sub => go!(core, lanes, FSub::<T, M>(t)),
        Opcode::Mul => go!(core, lanes, FMul::<T, M>(t)),
        Opcode::Div if core.machine.switches.div_ulp != DivUlp::Zero => {
            let ulp = core.machine.switches.div_ulp;
            core.lanes_plain(lanes, FDivUlp::<T, M>(ulp, t))
        }
        Opcode::Div => go!(core, lanes, FDiv::<T, M>(t)),
        Opcode::Max => go!(core, lanes, FMax::<T, M>(t)),
        Opcode::Min => go!(core, lanes, FMin::<T, M>(t)),
        // dst += src0 * src1
        Opcode::MulAddDst if fused => go!(core, lanes.from([0, 1, 3]), Mad::<T, T, M, true>(PhantomData)),
        Opcode::MulAddDst => go!(core, lanes.from([0, 1, 3]), Mad::<T, T, M, false>(PhantomData)),
        // dst = src0 * dst + src1
        Opcode::FusedMulAdd if fused => go!(core, lanes.from([0, 3, 1]), Mad::<T, T, M, true>(PhantomData)),
        Opcode::FusedMulAdd => go!(core, lanes.from([0, 3, 1]), Mad::<T, T, M, false>(PhantomData)),
        Opcode::FusedMulAddRelu if fused => core.lanes_plain(lanes.from([0, 3, 1]), MadRelu::<T, M, true>(t)),
        Opcode::FusedMulAddRelu => core.lanes_plain(lanes.from([0, 3, 1]), MadRelu::<T, M, false>(t)),
        Opcode::AddRelu => core.lanes_plain(lanes, FAddRelu::<T, M>(t)),
        Opcode::SubRelu => core.lanes_plain(lanes, FSubRelu::<T, M>(t)),
        _ => refused(&ins.head),
    }
}

fn float_unary<T: Fl, const M: bool>(core: &mut Core, ins: &Unary) -> Result<(), Raise> {
    let t = PhantomData::<T>;
    let coarse = core.machine.switches.reciprocal == Reciprocal::Documented;
    let lanes = ins.lanes();
    match ins.head.op {
        Opcode::Abs if size_of::<T>() == 2 && core.machine.ctrl.float_saturates() => {
            core.lanes_plain(lanes, FAbsSaturated(t))
        }
        Opcode::Abs => core.lanes(lanes, FAbs(t)),
        Opcode::Exp => core.lanes_plain(lanes, FExp::<T, M>(t)),
        Opcode::Ln => core.lanes_plain(lanes, FLn::<T, M>(t)),
        Opcode::Sqrt => go!(core, lanes, FSqrt::<T, M>(t)),
        Opcode::Reciprocal if coarse => core.lanes_plain(lanes, FCoarse::<T, M, false>(t)),
        Opcode::Rsqrt if coarse => core.lanes_plain(lanes, FCoarse::<T, M, true>(t)),
        Opcode::Reciprocal => go!(core, lanes, FRecip::<T, M>(t)),
        Opcode::Rsqrt => go!(core, lanes, FRsqrt::<T, M>(t)),
        Opcode::Relu => go!(core, lanes, FRelu::<T, M>(t)),
        _ => refused(&ins.head),
    }
}

fn float_scalar<T: Fl, const M: bool>(core: &mut Core, ins: &vector::Scalar) -> Result<(), Raise> {
    let t = PhantomData::<T>;
    let s = T::from_scalar(ins.scalar);
    let lanes = ins.lanes();
    match ins.head.op {
        Opcode::Adds => go!(core, lanes, Scalar(FAdd::<T, M>(t), s)),
        Opcode::Muls => go!(core, lanes, Scalar(FMul::<T, M>(t), s)),
        Opcode::Maxs => go!(core, lanes, Scalar(FMax::<T, M>(t), s)),
        Opcode::Mins => go!(core, lanes, Scalar(FMin::<T, M>(t), s)),
        Opcode::LeakyRelu => go!(core, lanes, Scalar(FLeakyRelu::<T, M>(t), s)),
        // dst += scalar * src
        Opcode::Axpy if core.machine.switches.fma == Fma::Fused => {
            go!(core, lanes.from([0, 3, 1]), ScalarMad::<T, T, M, true>(s, t))
        }
        Opcode::Axpy => go!(core, lanes.from([0, 3, 1]), ScalarMad::<T, T, M, false>(s, t)),
        _ => refused(&ins.head),
    }
}

/// float dst, half sources: the product of two halves is exact in float, so fused and unfused agree.
fn mixed_mul_add(core: &mut Core, ins: &Binary) -> Result<(), Raise> {
    let lanes = ins.lanes().from([0, 1, 3]);
    if flushes(core, ins.head.op) {
        core.lanes_plain(lanes, Mad::<f32, F16, true, false>(PhantomData))
    } else {
        core.lanes(lanes, Mad::<f32, F16, false, false>(PhantomData))
    }
}

/// As [`mixed_mul_add`].
fn mixed_axpy(core: &mut Core, ins: &vector::Scalar) -> Result<(), Raise> {
    let (lanes, s) = (ins.lanes().from([0, 3, 1]), F16(ins.scalar as u16));
    if flushes(core, ins.head.op) {
        core.lanes_plain(lanes, ScalarMad::<f32, F16, true, false>(s, PhantomData))
    } else {
        core.lanes(lanes, ScalarMad::<f32, F16, false, false>(s, PhantomData))
    }
}

fn int_binary<T: Int>(core: &mut Core, ins: &Binary) -> Result<(), Raise> {
    let t = PhantomData::<T>;
    let lanes = ins.lanes();
    match ins.head.op {
        Opcode::Add if core.machine.ctrl.int_saturates() => core.lanes_plain(lanes, ISatAdd::<T>(t)),
        Opcode::Sub if core.machine.ctrl.int_saturates() => core.lanes_plain(lanes, ISatSub::<T>(t)),
        Opcode::Mul if core.machine.ctrl.int_saturates() => core.lanes_plain(lanes, ISatMul::<T>(t)),
        Opcode::Add => core.lanes(lanes, IAdd::<T>(t)),
        Opcode::Sub => core.lanes(lanes, ISub::<T>(t)),
        Opcode::Mul => core.lanes(lanes, IMul::<T>(t)),
        Opcode::Max => core.lanes(lanes, IMax::<T>(t)),
        Opcode::Min => core.lanes(lanes, IMin::<T>(t)),
        Opcode::AddRelu if size_of::<T>() == 2 => core.lanes_plain(lanes, IAddRelu::<T>(t)),
        Opcode::SubRelu if size_of::<T>() == 2 => core.lanes_plain(lanes, ISubRelu::<T>(t)),
        _ => refused(&ins.head),
    }
}

fn int_unary<T: Int>(core: &mut Core, ins: &Unary) -> Result<(), Raise> {
    match ins.head.op {
        Opcode::Relu if size_of::<T>() == 4 => {
            core.lanes(ins.lanes(), Scalar(IMax::<T>(PhantomData), T::from_scalar(0)))
        }
        _ => refused(&ins.head),
    }
}

fn int_scalar<T: Int>(core: &mut Core, ins: &vector::Scalar) -> Result<(), Raise> {
    let t = PhantomData::<T>;
    let s = T::from_scalar(ins.scalar);
    let lanes = ins.lanes();
    match ins.head.op {
        Opcode::Adds if core.machine.ctrl.int_saturates() => core.lanes_plain(lanes, Scalar(ISatAdd::<T>(t), s)),
        Opcode::Muls if core.machine.ctrl.int_saturates() => core.lanes_plain(lanes, Scalar(ISatMul::<T>(t), s)),
        Opcode::Adds => core.lanes(lanes, Scalar(IAdd::<T>(t), s)),
        Opcode::Muls => core.lanes(lanes, Scalar(IMul::<T>(t), s)),
        Opcode::Maxs => core.lanes(lanes, Scalar(IMax::<T>(t), s)),
        Opcode::Mins => core.lanes(lanes, Scalar(IMin::<T>(t), s)),
        _ => refused(&ins.head),
    }
}

#[cfg(test)]
#[path = "vec_arith_tests.rs"]
mod tests;
