use super::*;
use crate::base::ins::{Dtype, Opcode, VecIns};
use crate::{
    abi::Form,
    testkit::{A, Bench, DST},
};
use half::f16;

#[test]
fn duplicate_every_type_and_length() {
    let mut t = Bench::new();
    for n in [1usize, 15, 16, 64, 127, 128, 129, 1000] {
        for d in MOVES {
            let ins = VecIns { scalar: 0x1234_5678, ..Bench::ins(Opcode::Duplicate, *d, *d, n) };
            if d.size() == 2 {
                assert_eq!(t.run::<u16>(&ins, n).unwrap(), vec![0x5678; n]);
            } else {
                assert_eq!(t.run::<u32>(&ins, n).unwrap(), vec![0x1234_5678; n]);
            }
        }
    }
    for d in [Dtype::I8, Dtype::I64, Dtype::Bool] {
        assert!(t.core.issue(&Bench::ins(Opcode::Duplicate, d, d, 64)).is_err());
    }
}

#[test]
fn duplicate_with_mask_and_strides() {
    let mut t = Bench::new();
    t.put(DST, &[0u32; 256]);
    let ins = VecIns {
        form: Form::MaskBits as u8,
        mask: [0x101, 0],
        repeat: 2,
        scalar: 9,
        blk: [2, 1, 1, 1],
        rep: [16, 0, 0, 0],
        ..Bench::ins(Opcode::Duplicate, Dtype::U32, Dtype::U32, 0)
    };
    t.core.issue(&ins).unwrap();
    let got = t.get::<u32>(DST, 256);
    let on: Vec<usize> = (0..256).filter(|i| got[*i] == 9).collect();
    assert_eq!(on, [0, 16, 128, 144]);
}

#[test]
fn vector_index() {
    let mut t = Bench::new();
    let n = 300;
    let run = |t: &mut Bench, d: Dtype, scalar: u64| {
        t.core.issue(&VecIns { scalar, ..Bench::ins(Opcode::CreateVecIndex, d, d, n) }).unwrap()
    };
    run(&mut t, Dtype::I32, 5);
    assert_eq!(t.get::<i32>(DST, n), (5..5 + n as i32).collect::<Vec<_>>());
    run(&mut t, Dtype::I16, 32700);
    assert_eq!(t.get::<i16>(DST, n), (0..n as i16).map(|i| 32700i16.wrapping_add(i)).collect::<Vec<_>>());
    run(&mut t, Dtype::F32, 1.5f32.to_bits() as u64);
    assert_eq!(t.get::<f32>(DST, n), (0..n).map(|i| 1.5 + i as f32).collect::<Vec<_>>());
    run(&mut t, Dtype::F16, f16::from_f32(2000.0).to_bits() as u64);
    assert_eq!(t.get::<u16>(DST, n), (0..n).map(|i| f16::from_f32(2000.0 + i as f32).to_bits()).collect::<Vec<_>>());
}

#[test]
fn brcb_fills_one_block_per_element() {
    let mut t = Bench::new();
    let x: Vec<u32> = (0..16).collect();
    t.put(A, &x);
    let ins =
        VecIns { form: Form::MaskRegister as u8, repeat: 2, ..Bench::ins(Opcode::Brcb, Dtype::F32, Dtype::F32, 0) };
    t.core.issue(&ins).unwrap();
    assert_eq!(t.get::<u32>(DST, 128), (0..128).map(|i| i / 8).collect::<Vec<_>>());
    let x: Vec<u16> = (0..8).collect();
    t.put(A, &x);
    let ins = VecIns { repeat: 1, ..Bench::ins(Opcode::Brcb, Dtype::Bf16, Dtype::Bf16, 0) };
    t.core.issue(&ins).unwrap();
    assert_eq!(t.get::<u16>(DST, 128), (0..128).map(|i| i / 16).collect::<Vec<_>>());
    assert!(t.core.issue(&VecIns { blk: [0; 4], ..ins }).is_err());
}

#[test]
fn copy_moves_blocks() {
    let mut t = Bench::new();
    let x: Vec<u32> = (0..256).collect();
    t.put(A, &x);
    t.put(DST, &[0u32; 256]);
    // One source block for the whole repeat, second repeat from the next block.
    let ins = VecIns {
        form: Form::MaskCount as u8,
        mask: [64, 0],
        repeat: 2,
        blk: [1, 0, 0, 0],
        rep: [8, 1, 0, 0],
        ..Bench::ins(Opcode::Copy, Dtype::F32, Dtype::F32, 0)
    };
    t.core.issue(&ins).unwrap();
    assert_eq!(t.get::<u32>(DST, 128), (0..128).map(|i| i / 64 * 8 + i % 8).collect::<Vec<_>>());
}

#[test]
fn in_counter_mode_copy_takes_the_mask_per_repeat() {
    // Copy page: "the mask is the number of elements of every repeat, and the iterations count". The mask of the call,
    // and the register with isSetMask = false.
    for form in [Form::MaskCount, Form::MaskBits, Form::MaskRegister] {
        let mut t = Bench::new();
        t.put(A, &(0..192u32).collect::<Vec<_>>());
        t.put(DST, &[u32::MAX; 192]);
        t.core.machine.mask = MaskRegs { counter: true, bits: [11, 0] };
        let mask = if form == Form::MaskRegister { [64, 0] } else { [11, 0] };
        let ins = VecIns { form: form as u8, mask, repeat: 3, ..Bench::ins(Opcode::Copy, Dtype::U32, Dtype::U32, 0) };
        t.core.issue(&ins).unwrap();
        let want: Vec<u32> = (0..192).map(|i| if i % 64 < 11 { i } else { u32::MAX }).collect();
        assert_eq!(t.get::<u32>(DST, 192), want, "{form:?}");
        assert!(
            t.core.machine.mask.counter && t.core.machine.mask.bits == [11, 0],
            "{form:?}: {:?}",
            t.core.machine.mask
        );
    }
}

#[test]
fn repeat_strides_of_copy_have_12_bits() {
    let mut t = Bench::new();
    let copy = |rep| VecIns {
        form: Form::MaskCount as u8,
        mask: [64, 0],
        repeat: 1,
        rep,
        ..Bench::ins(Opcode::Copy, Dtype::F32, Dtype::F32, 0)
    };
    t.core.issue(&copy([4095, 4095, 0, 0])).unwrap();
    for (rep, name) in [([4096, 8, 0, 0], "dstRepeatSize"), ([8, 4096, 0, 0], "srcRepeatSize")] {
        let e = t.core.issue(&copy(rep)).unwrap_err();
        assert_eq!((e.operand.as_deref(), e.got.as_str()), (Some(name), "4096"));
    }
}

#[test]
fn create_vec_index_with_a_mask() {
    let mut t = Bench::new();
    t.put(DST, &[-1i32; 192]);
    // Two repeats 12 blocks apart, blocks dense, 20 lanes on.
    let ins = VecIns {
        form: Form::MaskCount as u8,
        mask: [20, 0],
        repeat: 2,
        scalar: 5,
        rep: [12, 8, 8, 8],
        ..Bench::ins(Opcode::CreateVecIndex, Dtype::I32, Dtype::I32, 0)
    };
    t.core.issue(&ins).unwrap();
    let got = t.get::<i32>(DST, 192);
    for (i, g) in got.iter().enumerate() {
        let want = match i {
            0..20 => 5 + i as i32,
            96..116 => 5 + 64 + (i - 96) as i32,
            _ => -1,
        };
        assert_eq!(*g, want, "{i}");
    }
    // half counts 128 lanes a repeat, and every second bit.
    let ins = VecIns {
        form: Form::MaskBits as u8,
        mask: [0x5555, 0],
        scalar: 0x3c00,
        repeat: 1,
        rep: [8; 4],
        ..Bench::ins(Opcode::CreateVecIndex, Dtype::F16, Dtype::F16, 0)
    };
    t.put(DST, &[0u16; 16]);
    t.core.issue(&ins).unwrap();
    let want: Vec<u16> =
        (0..16).map(|i| if i % 2 == 0 { half::f16::from_f32(1.0 + i as f32).to_bits() } else { 0 }).collect();
    assert_eq!(t.get::<u16>(DST, 16), want);
}
