use super::*;
use crate::{
    abi::{Dtype, Form, Operand},
    base::ins::VecIns,
    testkit::{A, B, Bench, DST},
};
use std::{cell::RefCell, rc::Rc};

/// A core that counts.
struct Counted {
    bench: Bench,
    counters: Rc<RefCell<Counters>>,
}

impl std::ops::Deref for Counted {
    type Target = Bench;
    fn deref(&self) -> &Bench {
        &self.bench
    }
}

impl std::ops::DerefMut for Counted {
    fn deref_mut(&mut self) -> &mut Bench {
        &mut self.bench
    }
}

struct Shared(Rc<RefCell<Counters>>);

impl Observer for Shared {
    fn step(&mut self, site: Site, step: &Step<'_>) -> Result<(), Raise> {
        self.0.borrow_mut().step(site, step)
    }
}

fn bench() -> Counted {
    let mut t = Counted { bench: Bench::new(), counters: Rc::default() };
    let counters = t.counters.clone();
    t.core.observation.observers.push(Box::new(Shared(counters)));
    t
}

fn total(t: &Counted) -> LaunchStats {
    t.counters.borrow().total
}

#[test]
fn count_forms_count_elements_and_halve_narrow_ones() {
    let mut t = bench();
    let issue = |t: &mut Counted, op, d, s, n| {
        let before = total(t);
        t.core.issue(&Bench::ins(op, d, s, n)).unwrap();
        let after = total(t);
        (after.vector_lanes - before.vector_lanes, after.f32_equivalents - before.f32_equivalents)
    };
    use Dtype::*;
    assert_eq!(issue(&mut t, Opcode::Div, F32, F32, 1000), (1000, 2000));
    assert_eq!(issue(&mut t, Opcode::Add, F16, F16, 1000), (1000, 1000));
    // And on the bits of n floats: 2n lanes of half a float each.
    assert_eq!(issue(&mut t, Opcode::And, I16, I16, 2000), (2000, 2000));
    assert_eq!(issue(&mut t, Opcode::Cast, F32, F16, 100), (100, 200));
    assert_eq!(issue(&mut t, Opcode::Cast, F16, I8, 100), (100, 100));
    assert_eq!(issue(&mut t, Opcode::MulAddDst, F32, F16, 64), (64, 128));
    assert_eq!(issue(&mut t, Opcode::CompareScalar, U8, F32, 64), (64, 128));
    assert_eq!(issue(&mut t, Opcode::ReduceMax, F32, F32, 300), (300, 600));
    assert_eq!(issue(&mut t, Opcode::Add, F32, F32, 0), (0, 0));
    assert_eq!(total(&t).vector_instructions, 9);
    let c = t.counters.borrow();
    assert_eq!(
        c.opcode(Opcode::Add),
        OpcodeStats { instructions: 2, lanes: 1000, f32_equivalents: 1000, read_conflicts: 8, write_conflicts: 0 }
    );
    assert_eq!(c.opcode(Opcode::Cast).lanes, 200);
    assert_eq!(c.opcode(Opcode::Sub), OpcodeStats::default());
}

#[test]
fn repeat_forms_count_active_lanes() {
    let mut t = bench();
    let ins = |form: Form, dtype: Dtype, mask| VecIns {
        form: form as u8,
        repeat: 3,
        mask,
        ..Bench::ins(Opcode::Add, dtype, dtype, 0)
    };
    let mut lanes = 0;
    let mut expect = |t: &mut Counted, ins: &VecIns, more: u64| {
        t.core.issue(ins).unwrap();
        lanes += more;
        assert_eq!(total(t).vector_lanes, lanes, "{ins:?}");
    };
    expect(&mut t, &ins(Form::MaskCount, Dtype::F32, [50, 0]), 150);
    expect(&mut t, &ins(Form::MaskCount, Dtype::F16, [100, 0]), 300);
    expect(&mut t, &ins(Form::MaskBits, Dtype::F32, [0xff, u64::MAX]), 24);
    expect(&mut t, &ins(Form::MaskBits, Dtype::F16, [0xff, 0xf]), 36);
    t.core.machine.mask.bits = [7, 0];
    expect(&mut t, &ins(Form::MaskRegister, Dtype::F32, [0, 0]), 9);
    // Counter mode: elements over all repeats.
    t.core.machine.mask.counter = true;
    t.core.machine.mask.bits = [130, 0];
    expect(&mut t, &ins(Form::MaskRegister, Dtype::F32, [0, 0]), 130);
    expect(&mut t, &ins(Form::MaskCount, Dtype::F32, [77, 0]), 77);
    t.core.machine.mask = MaskRegs::RESET;
    let brcb = VecIns { opcode: Opcode::Brcb as u16, ..ins(Form::MaskRegister, Dtype::F32, [0, 0]) };
    expect(&mut t, &brcb, 192);
    // Reductions count their repeats in `count`; a gather of halfs has 128 lanes in spite of its 32-bit offsets.
    let with = |op: Opcode, ins: VecIns| VecIns { opcode: op as u16, ..ins };
    expect(&mut t, &with(Opcode::WholeReduceSum, VecIns { count: 5, ..ins(Form::MaskCount, Dtype::F32, [10, 0]) }), 50);
    expect(&mut t, &with(Opcode::Gather, ins(Form::MaskCount, Dtype::F16, [128, 0])), 384);
    expect(&mut t, &with(Opcode::Gatherb, ins(Form::MaskRegister, Dtype::U16, [0, 0])), 384);
    let mask = |flags, base| VecIns { mode: 1, count: 2, flags, base, ..ins(Form::MaskRegister, Dtype::F32, [0, 0]) };
    expect(&mut t, &with(Opcode::GatherMask, mask(0, 0)), 128);
    expect(&mut t, &with(Opcode::GatherMask, mask(1, 70)), 140);
    expect(&mut t, &with(Opcode::Sort32, ins(Form::MaskRegister, Dtype::F32, [0, 0])), 96);
    let merge = VecIns { mode: 3, repeat: 1, ..ins(Form::MaskRegister, Dtype::F32, [5 << 16 | 7, 0]) };
    expect(&mut t, &with(Opcode::MrgSort, merge), 12);
}

#[test]
fn copies_events_and_text() {
    let mut t = bench();
    let mut gm = vec![0u32; 1024];
    let copy = CopyIns {
        direction: Direction::GmToUb as u8,
        kind: crate::abi::CopyKind::Pad as u8,
        dtype: Dtype::I32 as u8,
        is_pad: 0,
        left_pad: 0,
        right_pad: 0,
        cache: 0,
        block_count: 3,
        block_len: 100,
        src_stride: 0,
        dst_stride: 0,
        pad_value: 0,
        gm: gm.as_mut_ptr().cast(),
        ub: Operand::new(A, 4096),
        ub_src: Operand::new(B, 4096),
    };
    crate::machine::mte::execute(&mut t.core, &copy).unwrap();
    let out = CopyIns { direction: Direction::UbToGm as u8, block_count: 1, ..copy };
    crate::machine::mte::execute(&mut t.core, &out).unwrap();
    let moved = CopyIns { direction: Direction::UbToUb as u8, kind: 0, block_count: 1, block_len: 64, ..copy };
    crate::machine::mte::execute(&mut t.core, &moved).unwrap();
    t.core.set_flag(crate::machine::core::event_code("V_S"), 0).unwrap();
    t.core.wait_flag(crate::machine::core::event_code("V_S"), 0).unwrap();
    t.core.set_flag(crate::machine::core::event_code("V_V"), 0).unwrap();
    t.core.barrier(6).unwrap();
    t.core
        .issue(&VecIns { dst: Operand::new(DST, 400), ..Bench::ins(Opcode::Abs, Dtype::F32, Dtype::F32, 100) })
        .unwrap();
    let c = t.counters.borrow().clone();
    assert_eq!((c.total.mte2_bytes, c.total.mte2_bursts, c.total.mte3_bytes, c.total.mte3_bursts), (300, 3, 100, 1));
    assert_eq!((c.total.ub_copy_bytes, c.total.set_flags, c.total.wait_flags, c.total.barriers), (64, 1, 1, 1));
    let mut sums = Sums::default();
    sums.all.add(&c);
    sums.all.add(&c);
    let text = sums.to_string();
    assert!(text.contains("vector: 2 instructions, 200 lanes, 200 f32-equivalents\n"), "{text}");
    assert!(text.contains("MTE2: 600 bytes, 6 bursts\n"), "{text}");
    assert!(text.contains("  Abs                   2          200          200\n"), "{text}");
}
