use super::*;
use crate::base::ins::Direction;
use crate::{
    base::ins::Operand,
    testkit::{A, Bench, DST},
};

fn copy(direction: Direction, kind: CopyKind, t: Dtype, gm: *const u8, count: u32, len: u32) -> CopyIns {
    CopyIns {
        direction: direction as u8,
        kind: kind as u8,
        dtype: t as u8,
        is_pad: 0,
        left_pad: 0,
        right_pad: 0,
        cache: 0,
        block_count: count,
        block_len: len,
        src_stride: 0,
        dst_stride: 0,
        pad_value: 0,
        gm: gm as *mut _,
        ub: Operand::new(DST, 0),
        ub_src: Operand::new(A, 0),
    }
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + 1) as u8).collect()
}

#[test]
fn contiguous_round_trip_of_every_length() {
    let mut t = Bench::new();
    for n in (1..200).chain([4096, 100_000]) {
        let src = bytes(n);
        t.put(DST, &vec![0x5cu8; n + 64]);
        execute(&mut t.core, &copy(Direction::GmToUb, CopyKind::Pad, Dtype::U8, src.as_ptr(), 1, n as u32)).unwrap();
        let got: Vec<u8> = t.get(DST, n + 64);
        assert_eq!(got[..n], src[..]);
        let unit = n.next_multiple_of(32);
        assert!(got[n..unit].iter().all(|b| *b == src[0]), "filler repeats the first element");
        assert!(got[unit..].iter().all(|b| *b == 0x5c));
        let mut out = vec![0x77u8; n + 8];
        execute(&mut t.core, &copy(Direction::UbToGm, CopyKind::Pad, Dtype::U8, out.as_mut_ptr(), 1, n as u32))
            .unwrap();
        assert_eq!(out[..n], src[..]);
        assert_eq!(out[n..], [0x77; 8]);
    }
}

#[test]
fn strided_blocks_both_ways() {
    let mut t = Bench::new();
    let src = bytes(1000);
    t.put(DST, &[0x5cu8; 1024]);
    // Five blocks of 20 bytes, 30 bytes apart in GM, one spare 32-byte block apart in UB.
    let ins = CopyIns {
        src_stride: 10,
        dst_stride: 1,
        ..copy(Direction::GmToUb, CopyKind::Pad, Dtype::F16, src.as_ptr(), 5, 20)
    };
    execute(&mut t.core, &ins).unwrap();
    let got: Vec<u8> = t.get(DST, 1024);
    for b in 0..5 {
        assert_eq!(got[b * 64..b * 64 + 20], src[b * 30..b * 30 + 20]);
        assert!(got[b * 64 + 20..b * 64 + 32].chunks(2).all(|c| *c == src[b * 30..b * 30 + 2]));
        assert!(got[b * 64 + 32..(b + 1) * 64].iter().all(|v| *v == 0x5c));
    }
    let mut out = vec![0u8; 200];
    let ins = CopyIns {
        src_stride: 1,
        dst_stride: 4,
        ..copy(Direction::UbToGm, CopyKind::PadShort, Dtype::F16, out.as_mut_ptr(), 5, 20)
    };
    execute(&mut t.core, &ins).unwrap();
    for b in 0..5 {
        assert_eq!(out[b * 24..b * 24 + 20], src[b * 30..b * 30 + 20]);
        assert_eq!(out[b * 24 + 20..b * 24 + 24], [0; 4]);
    }
    // Dense multiples of 32 bytes.
    execute(&mut t.core, &copy(Direction::GmToUb, CopyKind::Pad, Dtype::F32, src.as_ptr(), 7, 64)).unwrap();
    assert_eq!(t.get::<u8>(DST, 448), src[..448]);
}

#[test]
fn padding_values() {
    let mut t = Bench::new();
    let src: Vec<u32> = (1..=10).collect();
    let base = CopyIns {
        is_pad: 1,
        left_pad: 2,
        right_pad: 3,
        pad_value: 99,
        ..copy(Direction::GmToUb, CopyKind::Pad, Dtype::U32, src.as_ptr() as *const u8, 2, 20)
    };
    execute(&mut t.core, &base).unwrap();
    // 2 + 5 + 3 = 10 elements, rounded up to 16.
    let got: Vec<u32> = t.get(DST, 32);
    assert_eq!(got[..10], [99, 99, 1, 2, 3, 4, 5, 99, 99, 99]);
    assert_eq!(got[16..26], [99, 99, 6, 7, 8, 9, 10, 99, 99, 99]);
    // The dummy bytes, too, are "paddingValue, otherwise" (DataCopyPad page, on lengths that are no whole blocks).
    assert_eq!((&got[10..16], &got[26..32]), (&[99; 6][..], &[99; 6][..]));
    execute(&mut t.core, &CopyIns { is_pad: 0, ..base }).unwrap();
    let got: Vec<u32> = t.get(DST, 16);
    assert_eq!((&got[..3], &got[7..]), (&[0xa5a5_a5a5, 0xa5a5_a5a5, 1][..], &[0xa5a5_a5a5; 9][..]));
    // What SetPadValue set stands for random values until a copy brings a value of its own.
    t.core.machine.pad_value = Some(5);
    execute(&mut t.core, &CopyIns { is_pad: 0, ..base }).unwrap();
    assert_eq!(t.get::<u32>(DST, 16), [5, 5, 1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
    execute(&mut t.core, &base).unwrap();
    execute(&mut t.core, &CopyIns { is_pad: 0, ..base }).unwrap();
    assert_eq!(t.get::<u32>(DST, 1), [0xa5a5_a5a5]);
    // Without pads the filler is the first element all the same.
    t.core.machine.pad_value = Some(5);
    execute(&mut t.core, &CopyIns { is_pad: 0, left_pad: 0, right_pad: 0, ..base }).unwrap();
    assert_eq!(t.get::<u32>(DST, 8), [1, 2, 3, 4, 5, 1, 1, 1]);
    t.core.machine.pad_value = None;
    for (bad, text) in [
        (CopyIns { left_pad: 9, ..base }, "leftPadding"),
        (CopyIns { dtype: Dtype::I64 as u8, left_pad: 0, right_pad: 0, block_len: 16, ..base }, "paddingValue"),
        (CopyIns { block_len: 21, ..base }, "blockLen"),
        (CopyIns { block_len: 2_097_152, ..base }, "blockLen"),
        (CopyIns { block_count: 4096, ..base }, "blockCount"),
    ] {
        assert_eq!(execute(&mut t.core, &bad).unwrap_err().operand.as_deref(), Some(text));
    }
}

#[test]
fn data_copy_counts_blocks() {
    let mut t = Bench::new();
    let src = bytes(4096);
    // DataCopyParams: 3 blocks of 64 bytes, gap of one 32-byte block in GM, two in UB.
    let ins = CopyIns {
        src_stride: 1,
        dst_stride: 2,
        ..copy(Direction::GmToUb, CopyKind::Blocks, Dtype::F32, src.as_ptr(), 3, 64)
    };
    execute(&mut t.core, &ins).unwrap();
    for b in 0..3 {
        assert_eq!(t.get::<u8>(DST + b * 128, 64), src[b as usize * 96..b as usize * 96 + 64]);
    }
    t.put(A, &src[..256]);
    let ins = copy(Direction::UbToUb, CopyKind::Count, Dtype::F32, std::ptr::null(), 1, 256);
    execute(&mut t.core, &ins).unwrap();
    assert_eq!(t.get::<u8>(DST, 256), src[..256]);
}

#[test]
fn faults() {
    let mut t = Bench::new();
    let src = bytes(4096);
    let ok = copy(Direction::GmToUb, CopyKind::Count, Dtype::F32, src.as_ptr(), 1, 64);
    // A count is rounded down to whole blocks.
    for (len, whole) in [(36, 32), (31, 0), (95, 64)] {
        t.put(DST, &[0x77u8; 128]);
        execute(&mut t.core, &CopyIns { block_len: len, ub: Operand::new(DST, 0), ..ok }).unwrap();
        assert_eq!(t.get::<u8>(DST, 128), [&src[..whole], &vec![0x77; 128 - whole]].concat(), "{len}");
    }
    let at = |addr| Operand::new(addr, 0);
    assert_eq!(execute(&mut t.core, &CopyIns { ub: at(4), ..ok }).unwrap_err().class, FaultClass::Alignment);
    assert_eq!(execute(&mut t.core, &CopyIns { ub: at(196576), ..ok }).unwrap_err().class, FaultClass::OutOfRange);
    assert_eq!(
        execute(&mut t.core, &CopyIns { gm: std::ptr::null_mut(), ..ok }).unwrap_err().class,
        FaultClass::NullPointer
    );
    let e = execute(&mut t.core, &CopyIns { gm: src.as_ptr().wrapping_add(2) as *mut _, ..ok }).unwrap_err();
    assert_eq!((e.class, e.pipe), (FaultClass::Alignment, Pipe::MTE2));
    // Nothing to move is no fault.
    execute(&mut t.core, &CopyIns { block_len: 0, gm: std::ptr::null_mut(), ..ok }).unwrap();
    // A stride that leaves the buffer.
    let far = CopyIns {
        block_count: 3,
        dst_stride: 4000,
        ..copy(Direction::GmToUb, CopyKind::Pad, Dtype::F32, src.as_ptr(), 1, 64)
    };
    let e = execute(&mut t.core, &far).unwrap_err();
    assert_eq!(e.class, FaultClass::OutOfRange);
    let units = "; this copy has blockCount 3, blockLen 64 bytes, srcStride 0 bytes, dstStride 4000 blocks of 32 bytes";
    assert!(e.fix.ends_with(units), "{}", e.fix);
    let e = execute(&mut t.core, &CopyIns { kind: CopyKind::Blocks as u8, ..far }).unwrap_err();
    let units = "blockLen 2, srcStride 0 and dstStride 4000, all in blocks of 32 bytes";
    assert!(e.fix.ends_with(units), "{}", e.fix);
    // One block has no stride.
    let one = CopyIns { block_count: 1, kind: CopyKind::Count as u8, ub: at(196576), ..far };
    assert!(!execute(&mut t.core, &one).unwrap_err().fix.contains("blockCount"));
}
