use super::*;
use crate::{
    base::ins::{CopyIns, CopyKind, Direction, Operand},
    machine::mte,
    testkit::Bench,
};

fn store(b: &mut Bench, t: Dtype, src: &[u8], gm: &mut [u8]) -> Result<(), Raise> {
    b.put(0, src);
    mte::execute(
        &mut b.core,
        &CopyIns {
            direction: Direction::UbToGm as u8,
            kind: CopyKind::Pad as u8,
            dtype: t as u8,
            is_pad: 0,
            left_pad: 0,
            right_pad: 0,
            cache: 0,
            block_count: 1,
            block_len: src.len() as u32,
            src_stride: 0,
            dst_stride: 0,
            pad_value: 0,
            gm: gm.as_mut_ptr().cast(),
            ub: Operand::new(0, 256),
            ub_src: Operand::default(),
        },
    )
}

#[repr(align(64))]
struct Gm([u8; 64]);

/// Combines two elements and gives the result of each.
fn combined(op: AtomicOp, t: Dtype, old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut gm = Gm([0x77; 64]);
    gm.0[..old.len()].copy_from_slice(old);
    let mut b = Bench::new();
    b.core.machine.atomic = Some(Atomic { op, dtype: t });
    store(&mut b, t, new, &mut gm.0[..]).unwrap();
    assert!(gm.0[old.len()..].iter().all(|b| *b == 0x77), "wrote past the block");
    gm.0[..old.len()].to_vec()
}

macro_rules! check {
    ($t:ty, $dtype:ident, $old:expr, $new:expr, $add:expr, $max:expr, $min:expr) => {
        for (op, want) in [(AtomicOp::Add, $add), (AtomicOp::Max, $max), (AtomicOp::Min, $min)] {
            let bytes = |v: &[$t]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
            let want: &[$t] = &want;
            assert_eq!(
                combined(op, Dtype::$dtype, &bytes(&$old), &bytes(&$new)),
                bytes(want),
                "{op:?} {}",
                stringify!($dtype)
            );
        }
    };
}

#[test]
fn integers_wrap() {
    check!(i8, I8, [100, -3, 5], [100, -4, 5], [-56, -7, 10], [100, -3, 5], [100, -4, 5]);
    check!(i16, I16, [32767, -3], [1, 4], [-32768, 1], [32767, 4], [1, -3]);
    check!(i32, I32, [i32::MIN, 7], [-1, -9], [i32::MAX, -2], [-1, 7], [i32::MIN, -9]);
}

#[test]
fn floats_round_to_nearest_even() {
    check!(
        f32,
        F32,
        [16777216.0, 1.5, -0.0, f32::INFINITY],
        [1.0, -4.0, 0.0, f32::MAX],
        [16777216.0, -2.5, 0.0, f32::INFINITY],
        [16777216.0, 1.5, 0.0, f32::INFINITY],
        [1.0, -4.0, -0.0, f32::MAX]
    );
    let h = |x: f32| half::f16::from_f32(x).to_bits();
    check!(
        u16,
        F16,
        [h(2048.0), h(-1.5), h(65504.0)],
        [h(1.0), h(0.25), h(65504.0)],
        [h(2048.0), h(-1.25), h(f32::INFINITY)],
        [h(2048.0), h(0.25), h(65504.0)],
        [h(1.0), h(-1.5), h(65504.0)]
    );
    let b = |x: f32| half::bf16::from_f32(x).to_bits();
    check!(
        u16,
        Bf16,
        [b(256.0), b(-3.0)],
        [b(1.0), b(-5.0)],
        [b(256.0), b(-8.0)],
        [b(256.0), b(-3.0)],
        [b(1.0), b(-5.0)]
    );
    let nan = f32::NAN.to_bits().to_le_bytes();
    for op in [AtomicOp::Add, AtomicOp::Max, AtomicOp::Min] {
        assert_eq!(combined(op, Dtype::F32, &nan, &1.0f32.to_le_bytes()), nan, "{op:?}");
    }
}

#[test]
fn a_sum_of_halves_is_rounded_once() {
    // Every pair of a coarse grid against the sum in double.
    for a in (0..0x7c00u16).step_by(97) {
        for c in (0..0x7c00u16).step_by(89) {
            let c = c | 0x8000;
            let exact = half::f16::from_bits(a).to_f64() + half::f16::from_bits(c).to_f64();
            assert_eq!(super::half(AtomicOp::Add, a, c), half::f16::from_f64(exact).to_bits(), "{a:04x} {c:04x}");
        }
    }
}

#[test]
fn part_of_an_element_is_refused() {
    let mut b = Bench::new();
    b.core.machine.atomic = Some(Atomic { op: AtomicOp::Add, dtype: Dtype::F32 });
    let mut gm = Gm([0; 64]);
    let f = store(&mut b, Dtype::F16, &[0; 6], &mut gm.0[..]).unwrap_err();
    assert_eq!((f.class, f.got.starts_with("6 bytes")), (FaultClass::Argument, true));
    assert!(f.what.contains("SetAtomicAdd<float>"), "{}", f.what);
}
