//! Bit operations and shifts.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{Dtype, Form, Opcode},
        lanes::Op,
        pipe::Pipe,
    },
    instruction::vector::{Binary, Head, Shift, Unary, bad_dtype},
    machine::core::Core,
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

/// Shift by at most the width. A left shift keeps the sign bit of a signed type (ShiftLeft page: 0xaaaa by 1 is 0xd554);
/// `round` of a right shift adds half of the discarded weight first.
macro_rules! shifts {
    ($($left:ident $right:ident $t:ty, $wide:ty, sign $sign:literal;)+) => { $(
        #[derive(Clone, Copy)]
        struct $left { by: u32 }
        impl Op for $left {
            type D = $t;
            type A = $t;
            type B = ();
            type C = ();
            #[inline(always)]
            fn f(self, a: $t, _: (), _: ()) -> $t {
                let shifted = if self.by >= <$t>::BITS { 0 } else { a << self.by };
                shifted & !$sign as $t | a & $sign as $t
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
    ShlI16 ShrI16 i16, i32, sign 0x8000u16;
    ShlU16 ShrU16 u16, u32, sign 0u16;
    ShlI32 ShrI32 i32, i64, sign 0x8000_0000u32;
    ShlU32 ShrU32 u32, u64, sign 0u32;
}

const BITS16: &[Dtype] = &[Dtype::I16, Dtype::U16];
const SHIFTS: &[Dtype] = &[Dtype::I16, Dtype::U16, Dtype::I32, Dtype::U32];

/// The count form takes 32-bit tensors too, and still counts lanes of 16 bits (And page: the count is to be doubled).
pub(crate) fn binary(core: &mut Core, ins: &Binary) -> Result<(), Raise> {
    if ins.head.form != Form::Count || ins.head.dtype.size() != 4 {
        check_width(&ins.head)?;
    }
    match ins.head.op {
        Opcode::And => core.lanes(ins.lanes(), And16),
        _ => core.lanes(ins.lanes(), Or16),
    }
}

pub(crate) fn not(core: &mut Core, ins: &Unary) -> Result<(), Raise> {
    check_width(&ins.head)?;
    core.lanes(ins.lanes(), Not16)
}

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
    // roundEn has an effect on signed types only (ShiftRight page).
    let (by, round) = (ins.distance as u32, ins.round && matches!(t, Dtype::I16 | Dtype::I32));
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
        base::{
            fault::FaultOwner,
            ins::{Dtype, Form, Opcode, VecIns},
        },
        testkit::{A, B, Bench, DST},
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
    fn rounding_has_no_effect_on_unsigned_types() {
        // The example of the ShiftRight page: 17 by 5 with rounding is 1.
        let mut t = Bench::new();
        let mut shift = |d: Dtype, x: u64| {
            t.put(A, &[x]);
            let ins = VecIns { scalar: 5, flags: 1, ..Bench::ins(Opcode::ShiftRight, d, d, 1) };
            t.core.issue(&ins).unwrap();
            t.get::<u16>(DST, 1)[0]
        };
        assert_eq!([Dtype::I16, Dtype::I32, Dtype::U16, Dtype::U32].map(|d| shift(d, 17)), [1, 1, 0, 0]);
    }

    #[test]
    fn a_count_form_on_32_bits_counts_16_bit_lanes() {
        // And, Or pages: legal on A2 with twice the count.
        let mut t = Bench::new();
        let (a, b) = ([0x0f0f_f0f0u32, 7, 0xffff_0000, 1], [0x00ff_ff00u32, 12, 0x1234_5678, 0]);
        for d in [Dtype::I32, Dtype::U32] {
            t.put(A, &a);
            t.put(B, &b);
            let got: Vec<u32> = t.run(&Bench::ins(Opcode::And, d, d, 8), 4).unwrap();
            assert_eq!(got, [0x000f_f000, 4, 0x1234_0000, 0]);
            let got: Vec<u32> = t.run(&Bench::ins(Opcode::Or, d, d, 4), 2).unwrap();
            assert_eq!(got, [0x0fff_fff0, 15]);
            let masked = VecIns { form: Form::MaskCount as u8, ..Bench::ins(Opcode::And, d, d, 8) };
            assert!(t.core.issue(&masked).unwrap_err().fix.contains("double the count"));
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
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::U32, by, &x), want, "{by}");
            let want: Vec<i32> = x.iter().zip(&want).map(|(x, w)| x & i32::MIN | w & i32::MAX).collect();
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::I32, by, &x), want, "{by}");
        }
        let x: Vec<i16> = (0..=u16::MAX).step_by(7).map(|v| v as i16).collect();
        for by in 0..=16u64 {
            let want: Vec<i16> = x.iter().map(|v| ((*v as i32) >> by) as i16).collect();
            assert_eq!(t.unary(Opcode::ShiftRight, Dtype::I16, by, &x), want, "{by}");
            let want: Vec<i16> = x.iter().map(|v| ((*v as u16 as u32) >> by) as i16).collect();
            assert_eq!(t.unary(Opcode::ShiftRight, Dtype::U16, by, &x), want, "{by}");
            let want: Vec<i16> = x.iter().map(|v| ((*v as u16 as u32) << by) as i16).collect();
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::U16, by, &x), want, "{by}");
            let want: Vec<i16> = x.iter().zip(&want).map(|(x, w)| x & i16::MIN | w & i16::MAX).collect();
            assert_eq!(t.unary(Opcode::ShiftLeft, Dtype::I16, by, &x), want, "{by}");
        }
        // The examples of the ShiftLeft page.
        let left = |t: &mut Bench, d, by| t.unary(Opcode::ShiftLeft, d, by, &[0xaaaau16])[0];
        assert_eq!(left(&mut t, Dtype::U16, 1), 0x5554);
        assert_eq!((left(&mut t, Dtype::I16, 1), left(&mut t, Dtype::I16, 3)), (0xd554, 0xd550));
        assert!(t.try_unary(Opcode::ShiftLeft, Dtype::I16, 17, &[1i16]).is_err());
    }
}
