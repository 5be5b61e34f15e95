//! Bit operations and shifts.

use crate::{
    core::{Core, bad_dtype},
    fault::{FaultClass, Raise},
    ins::{Dtype, Opcode, VecIns},
    lanes::Op,
    pipe::Pipe,
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

const SRC: [usize; 3] = [0, 1, 2];
const BITS16: &[Dtype] = &[Dtype::I16, Dtype::U16];
const SHIFTS: &[Dtype] = &[Dtype::I16, Dtype::U16, Dtype::I32, Dtype::U32];

pub(crate) fn execute(core: &mut Core, ins: &VecIns, op: Opcode) -> Result<(), Raise> {
    match op {
        Opcode::And | Opcode::Or | Opcode::Not => {
            let t = ins.dst_type();
            if !matches!(t, Some(Dtype::I16 | Dtype::U16)) {
                // The count form compiles for every type and works on count 16-bit lanes.
                let fix = match t.map_or(2, Dtype::size) {
                    1 => "ReinterpretCast both sides to uint16_t and halve the count",
                    4 => "ReinterpretCast both sides to uint16_t and double the count",
                    _ => "ReinterpretCast both sides to uint16_t and count 16-bit lanes",
                };
                return Err(bad_dtype(ins, BITS16).silent().fix(fix));
            }
            match op {
                Opcode::And => core.lanes(ins, SRC, And16),
                Opcode::Or => core.lanes(ins, SRC, Or16),
                _ => core.lanes(ins, SRC, Not16),
            }
        }
        _ => shift(core, ins, op == Opcode::ShiftLeft),
    }
}

fn shift(core: &mut Core, ins: &VecIns, left: bool) -> Result<(), Raise> {
    let Some(t) = ins.dst_type().filter(|t| SHIFTS.contains(t)) else {
        return Err(bad_dtype(ins, SHIFTS));
    };
    let width = t.size() as u64 * 8;
    if ins.scalar > width {
        return Err(Raise::new(FaultClass::Argument, Pipe::V, ins.name(), "shift distance out of range")
            .operand("scalarValue")
            .expected(format!("0 to {width}"))
            .got((ins.scalar as i64).to_string())
            .fix("shift by at most the width of the type"));
    }
    let by = ins.scalar as u32;
    let signed = matches!(t, Dtype::I16 | Dtype::I32);
    let round = ins.flags & 1 != 0;
    if round && !signed {
        return Err(Raise::new(FaultClass::Argument, Pipe::V, ins.name(), "roundEn is for signed types")
            .operand("roundEn")
            .expected("false")
            .got("true")
            .fix("leave roundEn at false for unsigned types"));
    }
    match (t, left) {
        (Dtype::I16, true) => core.lanes(ins, SRC, ShlI16 { by }),
        (Dtype::I16, false) => core.lanes(ins, SRC, ShrI16 { by, round }),
        (Dtype::U16, true) => core.lanes(ins, SRC, ShlU16 { by }),
        (Dtype::U16, false) => core.lanes(ins, SRC, ShrU16 { by, round }),
        (Dtype::I32, true) => core.lanes(ins, SRC, ShlI32 { by }),
        (Dtype::I32, false) => core.lanes(ins, SRC, ShrI32 { by, round }),
        (_, true) => core.lanes(ins, SRC, ShlU32 { by }),
        (_, false) => core.lanes(ins, SRC, ShrU32 { by, round }),
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
