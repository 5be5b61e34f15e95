//! Bit operations and shifts.

use crate::{
    core::Core,
    fault::{FaultClass, Raise},
    ins::{Dtype, Opcode},
    lanes::Op,
    pipe::Pipe,
    vector::{Binary, Head, Shift, Unary, bad_dtype},
};

#[derive(Clone, Copy)]
struct And16;
#[derive(Clone, Copy)]
struct Or16;
#[derive(Clone, Copy)]
struct Not16;

macro_rules! bit_op {
    ($name:ident, $b:ty, |$x:pat_param, $y:pat_param| $e:expr) => {
        impl Op for $name {
            type D = u16;
            type A = u16;
            type B = $b;
            type C = ();
            #[inline(always)]
            fn f(self, $x: u16, $y: $b, _: ()) -> u16 {
                $e
            }
        }
    };
}
bit_op!(And16, u16, |a, b| a & b);
bit_op!(Or16, u16, |a, b| a | b);
bit_op!(Not16, (), |a, _| !a);

/// Shift by a distance below the width; `round` adds half of the discarded weight first.
macro_rules! shifts {
    ($($left:ident $right:ident $t:ty, $wide:ty;)+) => { $(
        #[derive(Clone, Copy)]
        struct $left { by: u32 }
        impl Op for $left {
            type D = $t;
            type A = $t;
            type B = ();
            type C = ();
            #[inline(always)]
            fn f(self, a: $t, _: (), _: ()) -> $t {
                if self.by >= <$t>::BITS { 0 } else { a << self.by }
            }
        }
        #[derive(Clone, Copy)]
        struct $right { by: u32, round: bool }
        impl Op for $right {
            type D = $t;
            type A = $t;
            type B = ();
            type C = ();
            #[inline(always)]
            fn f(self, a: $t, _: (), _: ()) -> $t {
                let half: $wide = if self.round { (1 << self.by) >> 1 } else { 0 };
                ((a as $wide + half) >> self.by) as $t
            }
        }
    )+ };
}
shifts! {
    ShlI16 ShrI16 i16, i32;
    ShlU16 ShrU16 u16, u32;
    ShlI32 ShrI32 i32, i64;
    ShlU32 ShrU32 u32, u64;
}

const BITS16: &[Dtype] = &[Dtype::I16, Dtype::U16];
const SHIFTS: &[Dtype] = &[Dtype::I16, Dtype::U16, Dtype::I32, Dtype::U32];

pub(crate) fn binary(core: &mut Core, ins: &Binary) -> Result<(), Raise> {
    check_width(&ins.head)?;
    match ins.head.op {
        Opcode::And => core.lanes(ins.lanes(), And16),
        _ => core.lanes(ins.lanes(), Or16),
    }
}

pub(crate) fn not(core: &mut Core, ins: &Unary) -> Result<(), Raise> {
    check_width(&ins.head)?;
    core.lanes(ins.lanes(), Not16)
}

/// The count form compiles for every type and works on count 16-bit lanes.
fn check_width(head: &Head) -> Result<(), Raise> {
    if BITS16.contains(&head.dtype) {
        return Ok(());
    }
    let fix = match head.dtype.size() {
        1 => "ReinterpretCast both sides to uint16_t and halve the count",
        4 => "ReinterpretCast both sides to uint16_t and double the count",
        _ => "ReinterpretCast both sides to uint16_t and count 16-bit lanes",
    };
    Err(bad_dtype(head, BITS16).silent().fix(fix))
}

pub(crate) fn shift(core: &mut Core, ins: &Shift) -> Result<(), Raise> {
    let t = ins.head.dtype;
    if !SHIFTS.contains(&t) {
        return Err(bad_dtype(&ins.head, SHIFTS));
    }
    let width = t.size() as u64 * 8;
    if ins.distance > width {
        return Err(Raise::new(FaultClass::Argument, Pipe::V, ins.head.name(), "shift distance out of range")
            .operand("scalarValue")
            .expected(format!("0 to {width}"))
            .got((ins.distance as i64).to_string())
            .fix("shift by at most the width of the type"));
    }
    let (by, round) = (ins.distance as u32, ins.round);
    let signed = matches!(t, Dtype::I16 | Dtype::I32);
    if round && !signed {
        return Err(Raise::new(FaultClass::Argument, Pipe::V, ins.head.name(), "roundEn is for signed types")
            .operand("roundEn")
            .expected("false")
            .got("true")
            .fix("leave roundEn at false for unsigned types"));
    }
    let lanes = ins.lanes();
    match (t, ins.head.op == Opcode::ShiftLeft) {
        (Dtype::I16, true) => core.lanes(lanes, ShlI16 { by }),
        (Dtype::I16, false) => core.lanes(lanes, ShrI16 { by, round }),
        (Dtype::U16, true) => core.lanes(lanes, ShlU16 { by }),
        (Dtype::U16, false) => core.lanes(lanes, ShrU16 { by, round }),
        (Dtype::I32, true) => core.lanes(lanes, ShlI32 { by }),
        (Dtype::I32, false) => core.lanes(lanes, ShrI32 { by, round }),
        (_, true) => core.lanes(lanes, ShlU32 { by }),
        (_, false) => core.lanes(lanes, ShrU32 { by, round }),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        fault::FaultOwner,
        ins::{Dtype, Opcode},
        testkit::Bench,
    };

    #[test]
    fn and_or_not() {
        for n in [1u32, 7, 127, 128, 129, 1000] {
            let a: Vec<u16> = (0..n).map(|i| (i * 40503) as u16).collect();
            let b: Vec<u16> = (0..n).map(|i| (i * 30011 + 7) as u16).collect();
            let mut t = Bench::new();
            for (op, want) in [
                (Opcode::And, a.iter().zip(&b).map(|(x, y)| x & y).collect::<Vec<_>>()),
                (Opcode::Or, a.iter().zip(&b).map(|(x, y)| x | y).collect()),
                (Opcode::Not, a.iter().map(|x| !x).collect()),
            ] {
                assert_eq!(t.binary(op, Dtype::U16, &a, &b), want, "{op:?} {n}");
                assert_eq!(t.binary(op, Dtype::I16, &a, &b), want, "{op:?} {n}");
            }
        }
    }

    #[test]
    fn a_count_form_of_other_widths_is_refused() {
        let mut t = Bench::new();
        let e = t.try_unary(Opcode::Not, Dtype::I32, 0, &[1i32; 8]).unwrap_err();
        assert_eq!(e.owner, FaultOwner::UpstreamSilent);
        assert!(e.fix.contains("double the count"));
        t.put(crate::testkit::B, &[1u8; 8]);
        let e = t.try_unary(Opcode::Or, Dtype::U8, 0, &[1u8; 8]).unwrap_err();
        assert!(e.owner == FaultOwner::UpstreamSilent && e.fix.contains("halve the count"), "{e:?}");
    }

    #[test]
    fn shifts_of_every_type_and_distance() {
        let mut t = Bench::new();
        let x: Vec<i32> = (0..300).map(|i: i32| i.wrapping_mul(-0x61c88647)).chain([i32::MIN, i32::MAX, -1]).collect();
        for by in 0..=32u64 {
            let want: Vec<i32> = x.iter().map(|v| ((*v as i64) >> by) as i32).collect();
            assert_eq!(t.unary(Opcode::ShiftRight, Dtype::I32, by, &x), want, "{by}");
            let want: Vec<i32> = x.iter().map(|v| ((*v as u32 as u64) >> by) as i32).collect();
            assert_eq!(t.unary(Opcode::ShiftRight, Dtype::U32, by, &x), want, "{by}");
            let want: Vec<i32> = x.iter().map(|v| ((*v as u32 as u64) << by) as i32).collect();
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::I32, by, &x), want, "{by}");
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::U32, by, &x), want, "{by}");
        }
        let x: Vec<i16> = (0..=u16::MAX).step_by(7).map(|v| v as i16).collect();
        for by in 0..=16u64 {
            let want: Vec<i16> = x.iter().map(|v| ((*v as i32) >> by) as i16).collect();
            assert_eq!(t.unary(Opcode::ShiftRight, Dtype::I16, by, &x), want, "{by}");
            let want: Vec<i16> = x.iter().map(|v| ((*v as u16 as u32) >> by) as i16).collect();
            assert_eq!(t.unary(Opcode::ShiftRight, Dtype::U16, by, &x), want, "{by}");
            let want: Vec<i16> = x.iter().map(|v| ((*v as u16 as u32) << by) as i16).collect();
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::U16, by, &x), want, "{by}");
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::I16, by, &x), want, "{by}");
        }
        assert!(t.try_unary(Opcode::ShiftLeft, Dtype::I16, 17, &[1i16]).is_err());
    }
}
