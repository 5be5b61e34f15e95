use super::*;
use crate::{
    base::ins::{Opcode, VecIns},
    testkit::{A, B, Bench, DST},
};

fn five(t: Dtype) -> VecIns {
    VecIns {
        rep: [0; 4],
        form: crate::base::ins::Form::MaskRegister as u8,
        ..Bench::ins(Opcode::TransDataTo5HD, t, t, 0)
    }
}

/// Sixteen addresses `step` bytes apart.
fn list(start: u32, step: u32) -> [u64; 16] {
    std::array::from_fn(|i| (start + i as u32 * step) as u64)
}

#[test]
fn sixteen_blocks_become_their_columns() {
    // The three examples of the TransDataTo5HD page.
    let mut t = Bench::new();
    t.core.machine.spr.address_lists = [list(DST, 32), list(A, 32)];
    let x: Vec<u16> = (0..256).collect();
    t.put(A, &x);
    let want: Vec<u16> = (0..256).map(|i| i % 16 * 16 + i / 16).collect();
    for d in [Dtype::I16, Dtype::U16, Dtype::F16] {
        assert_eq!(t.run::<u16>(&five(d), 256).unwrap(), want);
    }
    let x: Vec<u32> = (0..128).collect();
    t.put(A, &x);
    let want: Vec<u32> = (0..128).map(|i| i % 16 * 8 + i / 16).collect();
    for d in [Dtype::I32, Dtype::U32, Dtype::F32] {
        assert_eq!(t.run::<u32>(&five(d), 128).unwrap(), want);
    }
    for d in [Dtype::Bf16, Dtype::I64, Dtype::Bool] {
        assert_eq!(t.core.issue(&five(d)).unwrap_err().class, FaultClass::Dtype);
    }
}

#[test]
fn bytes_use_half_of_every_block() {
    let x: Vec<u8> = (0..512).map(|i| (i % 256) as u8).collect();
    for (mode, to, from) in [(0, 0, 0), (1, 16, 0), (2, 0, 16), (3, 16, 16)] {
        let mut t = Bench::new();
        t.core.machine.spr.address_lists = [list(DST, 32), list(A, 32)];
        t.put(A, &x);
        t.put(DST, &[0xeeu8; 512]);
        t.core.issue(&VecIns { mode, ..five(Dtype::I8) }).unwrap();
        let mut want = vec![0xee; 512];
        for i in 0..16 {
            for j in 0..16 {
                want[i * 32 + to + j] = x[j * 32 + from + i];
            }
        }
        assert_eq!(t.get::<u8>(DST, 512), want, "mode {mode}");
    }
}

#[test]
fn repeats_move_on_and_a_single_one_starts_a_stride_further() {
    // NCHW to NC1HWC0 with an image of 4 blocks: rows 128 bytes apart, one block in, sixteen blocks out.
    let x: Vec<u16> = (0..16 * 64).collect();
    let nchw = VecIns { repeat: 4, rep: [16, 1, 0, 0], ..five(Dtype::F16) };
    let mut t = Bench::new();
    t.core.machine.spr.address_lists = [list(DST, 32), list(A, 128)];
    t.put(A, &x);
    let want: Vec<u16> = (0..16 * 64).map(|i| i % 16 * 64 + i / 16).collect();
    assert_eq!(t.run::<u16>(&nchw, 1024).unwrap(), want);
    // repeatTimes 1: "list start plus repeat stride".
    t.put(DST, &[0u16; 512]);
    t.core.issue(&VecIns { repeat: 1, ..nchw }).unwrap();
    let got = t.get::<u16>(DST, 512);
    assert_eq!(got[..256], [0; 256]);
    assert_eq!(got[256..], want[256..512]);
    // repeatTimes 0 does nothing.
    t.put(DST, &[7u16; 256]);
    t.core.issue(&VecIns { repeat: 0, ..nchw }).unwrap();
    assert_eq!(t.get::<u16>(DST, 256), [7; 256]);
}

#[test]
fn addresses_are_aligned_and_inside() {
    for (list_at, addr, class) in [
        (0, 8, FaultClass::Alignment),
        (1, 48, FaultClass::Alignment),
        (1, 196_608, FaultClass::OutOfRange),
        (0, 1 << 40, FaultClass::OutOfRange),
    ] {
        let mut t = Bench::new();
        t.core.machine.spr.address_lists = [list(DST, 32), list(A, 32)];
        t.core.machine.spr.address_lists[list_at][5] = addr;
        let e = t.core.issue(&five(Dtype::F16)).unwrap_err();
        let name = ["dstList", "srcList"][list_at];
        assert_eq!((e.class, e.operand.as_deref()), (class, Some(name)), "{addr}");
    }
}

#[test]
fn a_square_in_place() {
    let mut t = Bench::new();
    let x: Vec<u16> = (0..256).collect();
    t.put(DST, &x);
    let src = [Operand::new(DST, 512), Operand::default(), Operand::default()];
    let square = |d| VecIns { mode: 10, src, ..Bench::ins(Opcode::Transpose, d, d, 1) };
    t.core.issue(&square(Dtype::U16)).unwrap();
    assert_eq!(t.get::<u16>(DST, 256), (0..256).map(|i| i % 16 * 16 + i / 16).collect::<Vec<u16>>());
    assert_eq!(t.core.issue(&square(Dtype::F32)).unwrap_err().class, FaultClass::Dtype);
}

#[test]
fn images_with_channels_first_and_last() {
    // 2 images, 3 channels, 16 pixels.
    let ins =
        |mode, d: Dtype| VecIns { mode, mask: [3, 16], scalar: 5 * 512, ..Bench::ins(Opcode::Transpose, d, d, 2) };
    let x: Vec<u32> = (0..96).collect();
    let last: Vec<u32> = (0..96).map(|i| i / 48 * 48 + i % 3 * 16 + i % 48 / 3).collect();
    let mut t = Bench::new();
    t.put(A, &x);
    assert_eq!(t.run::<u32>(&ins(11, Dtype::F32), 96).unwrap(), last);
    t.put(A, &last);
    assert_eq!(t.run::<u32>(&ins(12, Dtype::I32), 96).unwrap(), x);
    t.put(B, &[0u8]);
    // 12 pixels of 2 bytes are no whole blocks; 4096 channels are too many.
    let e = t.core.issue(&VecIns { mask: [3, 12], ..ins(11, Dtype::F16) }).unwrap_err();
    assert_eq!((e.operand.as_deref(), e.got.as_str()), (Some("hSize * wSize"), "12"));
    let e = t.core.issue(&VecIns { mask: [4096, 16], ..ins(11, Dtype::F16) }).unwrap_err();
    assert_eq!((e.operand.as_deref(), e.got.as_str()), (Some("cSize"), "4096"));
    let e = t.core.issue(&VecIns { mode: 7, ..ins(11, Dtype::F16) }).unwrap_err();
    assert_eq!(e.what, "not implemented by hostcann: TransposeType 7");
}
