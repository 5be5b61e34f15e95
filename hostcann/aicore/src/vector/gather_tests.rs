use crate::{
    base::{
        fault::FaultClass,
        ins::{Dtype, Form, Opcode, VecIns},
    },
    testkit::{A, B, Bench, DST},
};

#[test]
fn gather_by_count_and_by_mask() {
    let mut t = Bench::new();
    let x: Vec<u32> = (0..500).map(|i| i * 3).collect();
    let index: Vec<u32> = (0..200).map(|i| (i * 7 + 3) % 500).collect();
    t.put(A, &x);
    t.put(B, &index.iter().map(|i| i * 4).collect::<Vec<u32>>());
    let ins = Bench::ins(Opcode::Gather, Dtype::F32, Dtype::F32, 200);
    let want: Vec<u32> = index.iter().map(|i| x[*i as usize]).collect();
    assert_eq!(t.run::<u32>(&ins, 200).unwrap(), want);
    let shifted = VecIns { base: 32, count: 3, ..ins };
    assert_eq!(t.run::<u32>(&shifted, 3).unwrap(), [x[11], x[18], x[25]]);
    // Two repeats of 50 lanes; the second starts 10 blocks on and takes the 64th offset.
    let ins = VecIns {
        form: Form::MaskCount as u8,
        mask: [50, 0],
        repeat: 2,
        rep: [10, 8, 8, 8],
        ..Bench::ins(Opcode::Gather, Dtype::U32, Dtype::U32, 0)
    };
    t.put(DST, &[9u32; 160]);
    t.core.issue(&ins).unwrap();
    let got = t.get::<u32>(DST, 160);
    for (i, g) in got.iter().enumerate() {
        let want = match i {
            0..50 => want[i],
            80..130 => want[i - 80 + 64],
            _ => 9,
        };
        assert_eq!(*g, want, "{i}");
    }
    // 16-bit elements: 128 lanes a repeat.
    let h: Vec<u16> = (0..300).map(|i| i * 5).collect();
    t.put(A, &h);
    t.put(B, &(0..128).map(|i| (i * 11) % 300 * 2).collect::<Vec<u32>>());
    let ins =
        VecIns { form: Form::MaskCount as u8, mask: [128, 0], ..Bench::ins(Opcode::Gather, Dtype::F16, Dtype::F16, 0) };
    let want: Vec<u16> = (0..128).map(|i| h[(i * 11) % 300]).collect();
    assert_eq!(t.run::<u16>(&ins, 128).unwrap(), want);
}

#[test]
fn gather_reads_a_block_before_it_writes_it() {
    let mut t = Bench::new();
    // Neighbours change places, by count with a short last block, and by mask.
    t.put(B, &(0..128).map(|i| (i ^ 1) * 4).collect::<Vec<u32>>());
    let ins = VecIns {
        src: [DST, B, 0].map(|at| crate::base::ins::Operand::new(at, 4096)),
        ..Bench::ins(Opcode::Gather, Dtype::U32, Dtype::U32, 100)
    };
    let masked = VecIns { form: Form::MaskCount as u8, mask: [50, 0], repeat: 2, ..ins };
    for (ins, count) in [(ins, 100), (VecIns { count: 0, ..masked }, 50)] {
        t.put(DST, &(0..128).collect::<Vec<u32>>());
        t.core.issue(&ins).unwrap();
        let got = t.get::<u32>(DST, 128);
        let is_taken = |i| if count == 100 { i < 100 } else { i % 64 < count };
        let swapped = |i: usize| if is_taken(i) { i ^ 1 } else { i };
        assert_eq!(got, (0..128).map(|i| swapped(i) as u32).collect::<Vec<_>>(), "{count}");
    }
}

#[test]
fn gather_faults() {
    let mut t = Bench::new();
    t.put(B, &[0u32, 2, 4]);
    let ins = Bench::ins(Opcode::Gather, Dtype::F32, Dtype::F32, 3);
    let e = t.core.issue(&ins).unwrap_err();
    assert_eq!((e.class, e.operand.as_deref()), (FaultClass::Alignment, Some("srcOffset[1]")));
    t.put(B, &[0u32, 4, 200_000]);
    let e = t.core.issue(&ins).unwrap_err();
    assert_eq!((e.class, e.operand.as_deref()), (FaultClass::OutOfRange, Some("src at srcOffset[2] = 200000")));
    let e = t.core.issue(&Bench::ins(Opcode::Gather, Dtype::U8, Dtype::U8, 3)).unwrap_err();
    assert_eq!((e.class, e.owner), (FaultClass::Dtype, crate::FaultOwner::UpstreamSilent));
}

#[test]
fn gatherb_moves_blocks() {
    let mut t = Bench::new();
    let x: Vec<u16> = (0..1600).collect();
    t.put(A, &x);
    let blocks: Vec<u32> = (0..16).map(|i| (i * 37 + 5) % 100).collect();
    t.put(B, &blocks.iter().map(|b| b * 32).collect::<Vec<u32>>());
    let ins = VecIns { repeat: 2, ..Bench::ins(Opcode::Gatherb, Dtype::U16, Dtype::U16, 0) };
    let want: Vec<u16> = blocks.iter().flat_map(|b| (0..16).map(move |j| (b * 16 + j) as u16)).collect();
    assert_eq!(t.run::<u16>(&ins, 256).unwrap(), want);
    // A block stride of 0 is 1; repeats 16 blocks apart.
    let ins = VecIns { blk: [0, 1, 1, 1], rep: [16, 8, 8, 8], ..ins };
    t.put(DST, &[7u16; 384]);
    t.core.issue(&ins).unwrap();
    let got = t.get::<u16>(DST, 384);
    assert_eq!((&got[..128], &got[256..], got[200]), (&want[..128], &want[128..], 7));
    let e = t.core.issue(&Bench::ins(Opcode::Gatherb, Dtype::F32, Dtype::F32, 0)).unwrap_err();
    assert!(e.fix.contains("ReinterpretCast"), "{e:?}");
    t.put(B, &[16u32]);
    assert_eq!(t.core.issue(&ins).unwrap_err().operand.as_deref(), Some("offset[0]"));
}

fn mask(pattern: u8, reduce: Option<u32>, t: Dtype, repeats: usize) -> VecIns {
    VecIns {
        form: Form::MaskRegister as u8,
        mode: pattern,
        flags: reduce.is_some() as u8,
        base: reduce.unwrap_or(0),
        ..Bench::ins(Opcode::GatherMask, t, t, repeats)
    }
}

#[test]
fn gather_mask_patterns() {
    let mut t = Bench::new();
    let x: Vec<u32> = (0..256).map(|i| i + 1).collect();
    t.put(A, &x);
    let rules: [fn(usize) -> bool; 7] =
        [|i| i % 2 == 0, |i| i % 2 == 1, |i| i % 4 == 0, |i| i % 4 == 1, |i| i % 4 == 2, |i| i % 4 == 3, |_| true];
    for (p, rule) in rules.iter().enumerate() {
        let want: Vec<u32> = (0..256).filter(|i| rule(*i)).map(|i| x[i]).collect();
        let ins = mask(p as u8 + 1, None, Dtype::F32, 4);
        assert_eq!(t.run::<u32>(&ins, want.len()).unwrap(), want, "{p}");
        assert_eq!(t.core.machine.spr.read(0).unwrap(), want.len() as u64);
        // 70 elements per repeat, repeats 8 blocks apart (the GatherMask page's example has them overlap).
        let want: Vec<u32> =
            (0..2).flat_map(|r| (0..70).filter(|i| rule(*i)).map(move |i| r * 64 + i as u32 + 1)).collect();
        let ins = mask(p as u8 + 1, Some(70), Dtype::I32, 2);
        assert_eq!(t.run::<u32>(&ins, want.len()).unwrap(), want, "{p}");
        assert_eq!((t.core.machine.mask.counter, t.core.machine.mask.bits), (false, [70, 0]));
    }
    let h: Vec<u16> = (0..256).collect();
    t.put(A, &h);
    let want: Vec<u16> = (0..128).map(|i| 2 * i + 1).collect();
    assert_eq!(t.run::<u16>(&mask(2, None, Dtype::Bf16, 2), 128).unwrap(), want);
    // In place, as kernels do.
    t.put(DST, &h);
    let mut ins = mask(1, None, Dtype::U16, 2);
    ins.src[0] = ins.dst;
    t.core.issue(&ins).unwrap();
    assert_eq!(t.get::<u16>(DST, 128), (0..128).map(|i| 2 * i).collect::<Vec<u16>>());
    assert!(t.core.issue(&mask(8, None, Dtype::F32, 1)).is_err());
}

#[test]
fn gather_mask_with_bits() {
    let mut t = Bench::new();
    let x: Vec<u32> = (0..512).collect();
    t.put(A, &x);
    let bits: Vec<u8> = (0..64).map(|i| (i * 73 + 19) as u8).collect();
    t.put(B, &bits);
    let bit = |i: usize| bits[i / 8] >> (i % 8) & 1 != 0;
    // Normal mode: 64 bits a repeat, one block apart.
    let ins = VecIns { rep: [8, 8, 1, 8], ..mask(0, None, Dtype::F32, 2) };
    let want: Vec<u32> =
        (0..2).flat_map(|r| (0..64).filter(move |i| bit(r * 256 + i)).map(move |i| (r * 64 + i) as u32)).collect();
    assert_eq!(t.run::<u32>(&ins, want.len()).unwrap(), want);
    // Reduce mode: 70 elements, the same bits for every repeat, every second block of src0.
    let ins = VecIns { rep: [8, 16, 0, 8], blk: [1, 2, 1, 1], ..mask(0, Some(70), Dtype::F32, 2) };
    let want: Vec<u32> =
        (0..2).flat_map(|r| (0..70).filter(|i| bit(*i)).map(move |i| (r * 128 + i / 8 * 16 + i % 8) as u32)).collect();
    assert_eq!(t.run::<u32>(&ins, want.len()).unwrap(), want);
    assert_eq!(t.core.machine.spr.read(0).unwrap(), want.len() as u64);
    // Nothing kept.
    t.put(B, &[0u8; 64]);
    assert_eq!(t.run::<u32>(&ins, 0).unwrap(), []);
    assert_eq!(t.core.machine.spr.read(0).unwrap(), 0);
}
