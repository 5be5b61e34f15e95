use super::*;
use crate::base::ins::{Dtype, Form, Opcode, VecIns};
use crate::testkit::{A, B, Bench, C, DST};
use half::f16;

fn values(n: usize, salt: usize) -> Vec<f32> {
    let special = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-45];
    (0..n)
        .map(|i| if i < 64 { special[if salt == 0 { i / 8 } else { i % 8 }] } else { ((i * (7 + salt)) % 19) as f32 })
        .collect()
}

fn rule(mode: u8, a: f32, b: f32) -> bool {
    if a.is_nan() || b.is_nan() {
        return false;
    }
    match mode {
        0 => a < b,
        1 => a > b,
        2 => a == b,
        3 => a <= b,
        4 => a >= b,
        _ => a != b,
    }
}

fn packed(v: impl Iterator<Item = bool>) -> Vec<u8> {
    let bits: Vec<bool> = v.collect();
    bits.chunks(8).map(|c| c.iter().enumerate().fold(0, |m, (i, b)| m | (*b as u8) << i)).collect()
}

#[test]
fn compare_every_mode() {
    let mut t = Bench::new();
    for n in [64, 128, 640] {
        let (a, b) = (values(n, 0), values(n, 1));
        t.put(A, &a);
        t.put(B, &b);
        for mode in 0..6 {
            let ins = VecIns { mode, ..Bench::ins(Opcode::Compare, Dtype::U8, Dtype::F32, n) };
            let want = packed(a.iter().zip(&b).map(|(x, y)| rule(mode, *x, *y)));
            assert_eq!(t.run::<u8>(&ins, n / 8).unwrap(), want, "{mode} {n}");
            let s = VecIns {
                mode,
                scalar: 1f32.to_bits() as u64,
                ..Bench::ins(Opcode::CompareScalar, Dtype::U8, Dtype::F32, n)
            };
            let want = packed(a.iter().map(|x| rule(mode, *x, 1.0)));
            assert_eq!(t.run::<u8>(&s, n / 8).unwrap(), want, "{mode} {n}");
        }
    }
    let h = |v: Vec<f32>| v.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>();
    let (a, b) = (h(values(256, 0)), h(values(256, 1)));
    t.put(A, &a);
    t.put(B, &b);
    for mode in 0..6 {
        let ins = VecIns { mode, ..Bench::ins(Opcode::Compare, Dtype::I8, Dtype::F16, 256) };
        let want = packed(a.iter().zip(&b).map(|(x, y)| rule(mode, x.to_f32(), y.to_f32())));
        assert_eq!(t.run::<u8>(&ins, 32).unwrap(), want, "{mode}");
    }
    let i: Vec<i32> = (0..128).map(|i| i % 5).collect();
    t.put(A, &i);
    let ins = VecIns { mode: 2, scalar: 3, ..Bench::ins(Opcode::CompareScalar, Dtype::U8, Dtype::I32, 128) };
    assert_eq!(t.run::<u8>(&ins, 16).unwrap(), packed(i.iter().map(|x| *x == 3)));
    t.put(B, &(0..128).map(|i| i % 3).collect::<Vec<i32>>());
    let ins = VecIns { mode: 2, ..Bench::ins(Opcode::Compare, Dtype::U8, Dtype::I32, 128) };
    assert_eq!(t.run::<u8>(&ins, 16).unwrap(), packed((0..128).map(|i| i % 5 == i % 3)));
}

#[test]
fn compare_faults() {
    let mut t = Bench::new();
    // What is no whole repeat takes no part.
    t.put(A, &[1.0f32; 128]);
    t.put(B, &[1.0f32; 128]);
    for (elements, dtype, bytes) in
        [(65, Dtype::F32, 8), (127, Dtype::F32, 8), (63, Dtype::F32, 0), (64, Dtype::F16, 0)]
    {
        t.put(DST, &[0x55u8; 16]);
        t.core.issue(&VecIns { mode: 2, ..Bench::ins(Opcode::Compare, Dtype::U8, dtype, elements) }).unwrap();
        let want: Vec<u8> = (0..16).map(|i| if i < bytes { 0xff } else { 0x55 }).collect();
        assert_eq!(t.get::<u8>(DST, 16), want, "{elements}");
    }
    let e = t.core.issue(&Bench::ins(Opcode::Compare, Dtype::U8, Dtype::I32, 64)).unwrap_err();
    assert!(e.expected.contains("EQ"));
    assert!(t.core.issue(&Bench::ins(Opcode::Compare, Dtype::U8, Dtype::I16, 128)).is_err());
}

fn select(mode: SelMode, t: Dtype, n: usize) -> VecIns {
    VecIns { mode: mode as u8, flags: (mode == SelMode::TensorScalar) as u8, ..Bench::ins(Opcode::Select, t, t, n) }
}

#[test]
fn select_modes() {
    let mut t = Bench::new();
    for n in [1usize, 5, 64, 65, 1000] {
        let mask: Vec<u8> = (0..n.div_ceil(8)).map(|i| (i * 37 + 11) as u8).collect();
        let bit = |i: usize| mask[i / 8] >> (i % 8) & 1 != 0;
        let (a, b): (Vec<u32>, Vec<u32>) = (0..n as u32).map(|i| (i, !i)).unzip();
        t.put(A, &mask);
        t.put(B, &a);
        t.put(C, &b);
        let want: Vec<u32> = (0..n).map(|i| if bit(i) { a[i] } else { b[i] }).collect();
        assert_eq!(t.run::<u32>(&select(SelMode::TensorTensor, Dtype::F32, n), n).unwrap(), want);
        // NaN patterns pass unchanged: a select moves bits.
        let s = VecIns { scalar: 0xffff_1234, ..select(SelMode::TensorScalar, Dtype::F32, n) };
        let want: Vec<u32> = (0..n).map(|i| if bit(i) { a[i] } else { 0xffff_1234 }).collect();
        assert_eq!(t.run::<u32>(&s, n).unwrap(), want);
        let want: Vec<u32> = (0..n).map(|i| if bit(i % 64) { a[i] } else { b[i] }).collect();
        assert_eq!(t.run::<u32>(&select(SelMode::CmpMaskSpr, Dtype::F32, n), n).unwrap(), want);
        let (ha, hb): (Vec<u16>, Vec<u16>) = (0..n as u16).map(|i| (i, !i)).unzip();
        t.put(B, &ha);
        t.put(C, &hb);
        let want: Vec<u16> = (0..n).map(|i| if bit(i) { ha[i] } else { hb[i] }).collect();
        assert_eq!(t.run::<u16>(&select(SelMode::TensorTensor, Dtype::F16, n), n).unwrap(), want);
    }
}

#[test]
fn select_in_place_and_strided() {
    let mut t = Bench::new();
    let x: Vec<u32> = (0..640).collect();
    t.put(A, &[0x0fu8; 80]);
    t.put(DST, &x);
    t.put(C, &[7u32; 640]);
    let mut ins = select(SelMode::TensorTensor, Dtype::F32, 640);
    ins.src[1] = ins.dst;
    t.core.issue(&ins).unwrap();
    let want: Vec<u32> = (0..640).map(|i| if i % 8 < 4 { i } else { 7 }).collect();
    assert_eq!(t.get::<u32>(DST, 640), want);
    // Repeat form, src1 one block for all rows.
    t.put(B, &x);
    t.put(C, &[100u32, 101, 102, 103, 104, 105, 106, 107]);
    t.put(DST, &[0u32; 128]);
    let ins = VecIns {
        form: Form::MaskCount as u8,
        mask: [16, 0],
        repeat: 2,
        blk: [1, 1, 0, 0],
        rep: [8, 8, 0, 0],
        ..select(SelMode::TensorTensor, Dtype::F32, 0)
    };
    t.core.issue(&ins).unwrap();
    let got = t.get::<u32>(DST, 128);
    for (i, g) in got.iter().enumerate() {
        let want = if i % 64 >= 16 {
            0
        } else if i % 8 < 4 {
            i as u32
        } else {
            100 + i as u32 % 8
        };
        assert_eq!(*g, want, "{i}");
    }
}

#[test]
fn select_overwrites_the_reserved_area() {
    // 32 elements from 184 KiB on: the address of the mask, or the scalar (kernel_operator_vec_cmpsel_impl.h).
    const SCRATCH: u32 = 188416;
    let mut t = Bench::new();
    let lost = |t: &mut Bench, ins: &VecIns| {
        t.put(SCRATCH, &[7u32; 40]);
        t.core.issue(ins).unwrap();
        t.get::<u32>(SCRATCH, 40)
    };
    let tensor = select(SelMode::TensorTensor, Dtype::F32, 64);
    let expect = |value: u32| [[value; 32].as_slice(), &[7; 8]].concat();
    assert_eq!(lost(&mut t, &tensor), expect(tensor.src[0].addr));
    let scalar = VecIns { scalar: 5.0f32.to_bits() as u64, ..select(SelMode::TensorScalar, Dtype::F32, 64) };
    assert_eq!(lost(&mut t, &scalar), expect(5.0f32.to_bits()));
    let half = VecIns { scalar: 0x4500, ..select(SelMode::TensorScalar, Dtype::F16, 64) };
    assert_eq!(lost(&mut t, &half), [[0x4500_4500; 16].as_slice(), &[7; 24]].concat());
    assert_eq!(lost(&mut t, &select(SelMode::CmpMaskSpr, Dtype::F32, 64)), [7; 40]);
    let e = t.core.issue(&VecIns { flags: 1, ..tensor }).unwrap_err();
    assert!(e.what.contains("does not fit"), "{e:?}");
}

#[test]
fn the_cmpmask_register() {
    let mut t = Bench::new();
    let (a, b): (Vec<f32>, Vec<f32>) = (0..64).map(|i| ((i * 7 % 13) as f32, 6.0)).unzip();
    t.put(A, &a);
    t.put(B, &b);
    let register = |op, mode: u8| VecIns {
        mode,
        flags: 2,
        form: Form::MaskCount as u8,
        mask: [60, 0],
        ..Bench::ins(op, Dtype::F32, Dtype::F32, 0)
    };
    t.core.issue(&register(Opcode::Compare, 0)).unwrap();
    let want: Vec<u8> = packed((0..64).map(|i| i < 60 && a[i] < 6.0));
    t.core.issue(&Bench::ins(Opcode::GetCmpMask, Dtype::U8, Dtype::U8, 0)).unwrap();
    assert_eq!(t.get::<u8>(DST, 16), [want.clone(), vec![0; 8]].concat());
    // Mode 0 reuses the bits for every repeat. Sources are src0 = src[1], src1 = src[2].
    let x: Vec<u32> = (0..128).collect();
    t.put(B, &x);
    t.put(C, &x.iter().map(|v| v + 1000).collect::<Vec<_>>());
    let bit = |i: usize| want[i / 8] >> (i % 8) & 1 != 0;
    let select = VecIns { mask: [64, 0], repeat: 2, ..register(Opcode::Select, 0) };
    let expected: Vec<u32> = (0..128).map(|i| i as u32 + if bit(i % 64) { 0 } else { 1000 }).collect();
    assert_eq!(t.run::<u32>(&select, 128).unwrap(), expected);
    // Mode 2: the register holds the address of the bits, which are used up repeat by repeat.
    let bits: Vec<u8> = (0..16).map(|i| (i * 91 + 5) as u8).collect();
    t.put(A + 1024, &bits);
    t.put(A, &[A as u64 + 1024, 0]);
    t.core.issue(&Bench::ins(Opcode::SetCmpMask, Dtype::U64, Dtype::U64, 0)).unwrap();
    let bit = |i: usize| bits[i / 8] >> (i % 8) & 1 != 0;
    let expected: Vec<u32> = (0..128).map(|i| i as u32 + if bit(i) { 0 } else { 1000 }).collect();
    assert_eq!(t.run::<u32>(&VecIns { mode: 2, ..select }, 128).unwrap(), expected);
    // Mode 1: the register holds the scalar, the bits are a tensor.
    t.put(A, &[77u32, 0, 0, 0]);
    t.core.issue(&Bench::ins(Opcode::SetCmpMask, Dtype::U32, Dtype::U32, 0)).unwrap();
    let mut ins = VecIns { mode: 1, ..select };
    ins.src[0].addr = A + 1024;
    let expected: Vec<u32> = (0..128).map(|i| if bit(i) { i as u32 } else { 77 }).collect();
    assert_eq!(t.run::<u32>(&ins, 128).unwrap(), expected);
}

#[test]
fn in_saturation_mode_a_scalar_nan_differs_from_every_number() {
    // Boundary table 31, half, NE against nan; table 30 has no such column for two tensors, and float does not saturate.
    let x: Vec<u16> = [f16::MIN, f16::MAX, f16::ZERO, f16::NEG_ZERO, f16::NAN, f16::INFINITY, f16::NEG_INFINITY]
        .map(f16::to_bits)
        .into_iter()
        .cycle()
        .take(128)
        .collect();
    let (nan, one) = (f16::NAN.to_bits(), f16::ONE.to_bits());
    let first = |t: &mut Bench, op, mode, scalar: u16| {
        t.put(A, &x);
        t.put(B, &[scalar; 128]);
        let ins = VecIns { mode, scalar: scalar as u64, ..Bench::ins(op, Dtype::U8, Dtype::F16, 128) };
        t.run::<u8>(&ins, 16).unwrap()[0] & 0x7f
    };
    let mut t = Bench::new();
    assert_eq!(first(&mut t, Opcode::CompareScalar, 5, nan), 0);
    t.core.machine.ctrl.0 = 0;
    assert_eq!(first(&mut t, Opcode::CompareScalar, 5, nan), 0b000_1111);
    assert_eq!(first(&mut t, Opcode::CompareScalar, 5, one), 0b110_1111);
    assert_eq!(first(&mut t, Opcode::CompareScalar, 2, nan), 0);
    assert_eq!(first(&mut t, Opcode::Compare, 5, nan), 0);
}
