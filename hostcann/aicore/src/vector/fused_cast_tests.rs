use super::*;
use crate::{
    base::ins::{Form, VecIns},
    testkit::{A, B, Bench, C, DST},
};
use half::f16;

fn bits(x: &[f32]) -> Vec<u16> {
    x.iter().map(|x| f16::from_f32(*x).to_bits()).collect()
}

fn fused<S: Copy, D: Copy>(t: &mut Bench, op: Opcode, s: Dtype, d: Dtype, a: &[S], b: &[S]) -> Vec<D> {
    t.put(A, a);
    t.put(B, b);
    t.run(&Bench::ins(op, d, s, a.len()), a.len()).unwrap()
}

#[test]
fn relu_casts_follow_their_boundary_tables() {
    // Tables 26 and 27.
    let (inf, nan, max) = (f32::INFINITY, f32::NAN, 65504.0);
    let mut t = Bench::new();
    let (a, b) = ([0.0, -0.0, inf, -inf, nan, max, 1.5, -3.0], [0.0, -0.0, max, inf, 1.0, 0.0, 2.25, 1.0]);
    let half = |x: f32| f16::from_f32(x).to_bits();
    let got: Vec<u16> = fused(&mut t, Opcode::AddReluCast, Dtype::F32, Dtype::F16, &a, &b);
    assert_eq!(got, [0.0, 0.0, inf, 0.0, 0.0, max, 3.75, 0.0].map(half));
    let got: Vec<u16> = fused(&mut t, Opcode::SubReluCast, Dtype::F32, Dtype::F16, &a, &b);
    assert_eq!(got, [0.0, 0.0, inf, 0.0, 0.0, max, 0.0, 0.0].map(half));
    let got: Vec<i8> = fused(&mut t, Opcode::AddReluCast, Dtype::F16, Dtype::I8, &bits(&a), &bits(&b));
    assert_eq!(got, [0, 0, 127, 0, 0, 127, 4, 0]);
    let got: Vec<i8> = fused(&mut t, Opcode::SubReluCast, Dtype::F16, Dtype::I8, &bits(&b), &bits(&a));
    assert_eq!(got, [0, 0, 0, 127, 0, 0, 1, 4]);
    let (a, b) = ([i16::MAX, i16::MIN, 100, 5], [i16::MAX, i16::MIN, 20, -9]);
    let got: Vec<i8> = fused(&mut t, Opcode::AddReluCast, Dtype::I16, Dtype::I8, &a, &b);
    assert_eq!(got, [127, 0, 120, 0]);
    let got: Vec<i8> = fused(&mut t, Opcode::SubReluCast, Dtype::I16, Dtype::I8, &a, &[i16::MIN, i16::MAX, 20, -9]);
    assert_eq!(got, [127, 0, 80, 14]);
}

#[test]
fn products_become_bytes() {
    // Table 28.
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let (a, b) =
        (bits(&[0.0, 65504.0, -inf, nan, 0.0, 10.5, -7.0]), bits(&[-0.0, 65504.0, 65504.0, 2.0, inf, 3.0, 30.0]));
    let mut t = Bench::new();
    let got: Vec<i8> = fused(&mut t, Opcode::MulCast, Dtype::F16, Dtype::I8, &a, &b);
    assert_eq!(got, [0, 127, -128, 0, 0, 32, -128]);
    let got: Vec<u8> = fused(&mut t, Opcode::MulCast, Dtype::F16, Dtype::U8, &a, &b);
    assert_eq!(got, [0, 255, 0, 0, 0, 32, 0]);
    // A repeat has 128 halves and fills four blocks (the note on dstRepStride of the MulCast page).
    let x: Vec<u16> = bits(&(0..256).map(|i| (i % 11) as f32).collect::<Vec<_>>());
    t.put(A, &x);
    t.put(B, &x);
    let ins = VecIns {
        form: Form::MaskCount as u8,
        mask: [128, 0],
        repeat: 2,
        rep: [4, 8, 8, 0],
        ..Bench::ins(Opcode::MulCast, Dtype::I8, Dtype::F16, 0)
    };
    let got: Vec<i8> = t.run(&ins, 256).unwrap();
    assert_eq!(got, (0..256).map(|i| (i % 11 * (i % 11)) as i8).collect::<Vec<_>>());
}

#[test]
fn add_deq_relu_scales_the_sum() {
    let mut t = Bench::new();
    let (a, b) = ([100, -100, i32::MAX / 2, 3], [50, 20, 1, 4]);
    t.put(A, &a);
    t.put(B, &b);
    let ins = Bench::ins(Opcode::AddDeqRelu, Dtype::F16, Dtype::I32, 4);
    assert!(t.core.issue(&ins).unwrap_err().expected.contains("SetDeqScale"));
    t.core.machine.deq_scale = Some(f16::from_f32(0.25).to_bits() as u64);
    assert_eq!(t.run::<u16>(&ins, 4).unwrap(), bits(&[37.5, 0.0, f32::INFINITY, 1.75]));
    t.core.machine.ctrl.0 = 0;
    assert_eq!(t.run::<u16>(&ins, 4).unwrap()[2], f16::MAX.to_bits());
}

fn config(scale: f32, offset: i16, signed: bool) -> u64 {
    scale.to_bits() as u64 | (offset as u64 & 0x1ff) << 37 | (signed as u64) << 46
}

#[test]
fn the_register_holds_scale_offset_and_sign() {
    // SetDeqScale page, table 1: ten bits of the fraction count.
    let q = Quant::of(config(f32::from_bits(0x3fbf_ffff), -3, true));
    assert_eq!(q, Quant { scale: f32::from_bits(0x3fbf_e000) as f64, offset: -3, signed: true });
    assert_eq!(Quant::of(config(1.0, 255, false)).offset, 255);
}

#[test]
fn dequant_fills_half_of_every_block() {
    let x: Vec<i16> = (0..256).map(|i| i * 3 - 300).collect();
    let sat = |v: f64, signed: bool| {
        let v = v.round_ties_even();
        if signed { v.clamp(-128.0, 127.0) as i8 as u8 } else { v.clamp(0.0, 255.0) as u8 }
    };
    for (high, signed) in [(false, true), (true, false)] {
        let mut t = Bench::new();
        t.put(A, &x);
        t.put(DST, &[9u8; 512]);
        t.core.machine.deq_scale = Some(config(0.5, 7, signed));
        let d = if signed { Dtype::I8 } else { Dtype::U8 };
        let ins = VecIns { mode: 2 * high as u8, ..Bench::ins(Opcode::CastDequant, d, Dtype::I16, 250) };
        t.core.issue(&ins).unwrap();
        let mut want = [9u8; 512];
        for (i, v) in x[..250].iter().enumerate() {
            want[i / 16 * 32 + 16 * high as usize + i % 16] = sat(*v as f64 * 0.5 + 7.0, signed);
        }
        assert_eq!(t.get::<u8>(DST, 512), want, "{high}");
    }
}

#[test]
fn dequant_with_a_tensor_has_parameters_for_every_column() {
    let x: Vec<i16> = (0..128).map(|i| i - 64).collect();
    let mut t = Bench::new();
    t.put(A, &x);
    t.put(DST, &[9u8; 256]);
    let parameters: Vec<u64> = (0..16).map(|j| config(j as f32 / 4.0, -j, j % 2 == 0)).collect();
    t.put(C, &parameters);
    t.core.machine.deq_scale = Some(C as u64 >> 5);
    // Every second block of 16 elements, no gap in between at the destination.
    let ins = VecIns {
        form: Form::MaskBits as u8,
        mask: [0xffff_0000_ffff, 0],
        mode: 1,
        blk: [1, 1, 0, 0],
        ..Bench::ins(Opcode::CastDequant, Dtype::I8, Dtype::I16, 0)
    };
    t.core.issue(&ins).unwrap();
    let mut want = [9u8; 256];
    for (i, v) in x.iter().enumerate().filter(|(i, _)| [0, 2].contains(&(i / 16))) {
        let j = (i % 16) as f64;
        let y = (*v as f64 * j / 4.0 - j).round_ties_even();
        want[i / 16 * 32 + i % 16] =
            if i % 2 == 0 { y.clamp(-128.0, 127.0) as i8 as u8 } else { y.clamp(0.0, 255.0) as u8 };
    }
    assert_eq!(t.get::<u8>(DST, 256), want);
    // int32 to half is a Cast with the scale of the first form.
    t.put(A, &[7i32, -9]);
    t.core.machine.deq_scale = Some(f16::from_f32(2.0).to_bits() as u64);
    let ins = Bench::ins(Opcode::CastDequant, Dtype::F16, Dtype::I32, 2);
    assert_eq!(t.run::<u16>(&ins, 2).unwrap(), bits(&[14.0, -18.0]));
}
