use crate::{
    base::ins::{Dtype, Form, Opcode, VecIns},
    testkit::{A, B, Bench, DST},
};
use half::f16;

#[test]
fn max_min_with_index() {
    for n in [1usize, 5, 64, 65, 1000] {
        let x: Vec<f32> = (0..n).map(|i| ((i * 37) % 101) as f32 - 50.0).collect();
        let mut t = Bench::new();
        let max = x.iter().copied().fold(f32::MIN, f32::max);
        let min = x.iter().copied().fold(f32::MAX, f32::min);
        for (op, want) in [(Opcode::ReduceMax, max), (Opcode::ReduceMin, min)] {
            let r = t.reduce(op, Dtype::F32, true, &x);
            assert_eq!(r[0], want, "{op:?} {n}");
            assert_eq!(r[1].to_bits() as usize, x.iter().position(|v| *v == want).unwrap());
            assert_eq!(t.core.machine.spr.read(2).unwrap(), want.to_bits() as u64);
        }
        let h: Vec<u16> = x.iter().map(|v| f16::from_f32(*v).to_bits()).collect();
        let r = t.reduce(Opcode::ReduceMax, Dtype::F16, true, &h);
        assert_eq!(r[0], f16::from_f32(max).to_bits());
        assert_eq!(r[1] as usize, x.iter().position(|v| *v == max).unwrap());
    }
    let mut t = Bench::new();
    let r = t.reduce(Opcode::ReduceMax, Dtype::F32, true, &[1.0, f32::NAN, f32::INFINITY]);
    assert_eq!((r[0].to_bits(), r[1].to_bits()), (crate::base::float::F32_NAN, 1));
    // The same in whole repeats, which take another path; equal zeros keep the first one.
    let mut x = [-0.0f32; 128];
    x[3] = 0.0;
    assert_eq!(t.reduce(Opcode::ReduceMax, Dtype::F32, true, &x).map_bits(), [0x8000_0000, 0]);
    x[100] = f32::NAN;
    x[90] = f32::NAN;
    assert_eq!(t.reduce(Opcode::ReduceMin, Dtype::F32, true, &x).map_bits(), [crate::base::float::F32_NAN, 90]);
    let x = [f32::NEG_INFINITY; 64];
    assert_eq!(t.reduce(Opcode::ReduceMax, Dtype::F32, true, &x).map_bits(), [0xff80_0000, 0]);
}

trait Bits {
    fn map_bits(&self) -> Vec<u32>;
}
impl Bits for Vec<f32> {
    fn map_bits(&self) -> Vec<u32> {
        self.iter().map(|v| v.to_bits()).collect()
    }
}

#[test]
fn sum_is_a_tree_per_repeat() {
    let mut t = Bench::new();
    // 2^24 + 1 + 1: a tree adds the ones first, a running sum would lose them.
    let x = [16777216.0f32, 0.0, 1.0, 1.0];
    assert_eq!(t.reduce(Opcode::ReduceSum, Dtype::F32, false, &x)[0], 16777218.0);
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    assert_eq!(t.reduce(Opcode::ReduceSum, Dtype::F32, false, &x)[0], 499500.0);
    assert_eq!(t.core.machine.spr.read(1).unwrap(), 499500.0f32.to_bits() as u64);
    // Over a count the results of the repeats are added one after the other, with a mask they form a tree.
    let mut x = vec![0.0f32; 256];
    (x[0], x[64], x[128], x[192]) = (16777216.0, 0.0, 1.0, 1.0);
    assert_eq!(t.reduce(Opcode::ReduceSum, Dtype::F32, false, &x)[0], 16777216.0);
    let r: Vec<f32> = t.run(&masked(Opcode::ReduceSum, Dtype::F32, 64, 4), 1).unwrap();
    assert_eq!(r, [16777218.0]);
    assert_eq!(t.get::<f32>(B, 4), [16777216.0, 0.0, 1.0, 1.0]);
}

/// Every repeat of dense strides with the first `mask` lanes on. Operands as in [`Bench::ins`].
fn masked(op: Opcode, t: Dtype, mask: u64, repeats: usize) -> VecIns {
    VecIns { form: Form::MaskCount as u8, mask: [mask, 0], rep: [1, 8, 8, 8], ..Bench::ins(op, t, t, repeats) }
}

#[test]
fn whole_repeats_in_every_order() {
    let mut t = Bench::new();
    let x: Vec<f32> = (0..256).map(|i| ((i * 29) % 97) as f32).collect();
    t.put(A, &x);
    let best = |r: usize, n: usize| {
        let lane = &x[r * 64..r * 64 + n];
        let max = lane.iter().copied().fold(f32::MIN, f32::max);
        (max.to_bits(), lane.iter().position(|v| *v == max).unwrap() as u32)
    };
    for n in [64usize, 50, 1] {
        let ins = |mode| VecIns { mode, ..masked(Opcode::WholeReduceMax, Dtype::F32, n as u64, 4) };
        let want: Vec<u32> = (0..4).flat_map(|r| [best(r, n).0, best(r, n).1]).collect();
        assert_eq!(t.run::<u32>(&ins(0), 8).unwrap(), want);
        let want: Vec<u32> = (0..4).flat_map(|r| [best(r, n).1, best(r, n).0]).collect();
        assert_eq!(t.run::<u32>(&ins(1), 8).unwrap(), want);
        let want: Vec<u32> = (0..4).map(|r| best(r, n).0).collect();
        assert_eq!(t.run::<u32>(&ins(2), 4).unwrap(), want);
        let want: Vec<u32> = (0..4).map(|r| best(r, n).1).collect();
        assert_eq!(t.run::<u32>(&ins(3), 4).unwrap(), want);
    }
    // The results keep the distance of the stride, and the register holds the extreme of all repeats.
    let ins = VecIns { mode: 2, rep: [3, 8, 8, 8], ..masked(Opcode::WholeReduceMin, Dtype::F32, 64, 2) };
    t.put(DST, &[7.0f32; 4]);
    t.core.issue(&ins).unwrap();
    assert_eq!(t.get::<f32>(DST, 4), [0.0, 7.0, 7.0, 0.0]);
    assert_eq!((t.core.machine.spr.read(2).unwrap(), t.core.machine.spr.read(3).unwrap()), (0, 0));
    // half: an index is 16 bits beside a value and 32 bits alone.
    let h: Vec<u16> = (0..256).map(|i| f16::from_f32(((i * 29) % 199) as f32).to_bits()).collect();
    t.put(A, &h);
    let at = (0..128).position(|i| (i * 29) % 199 == 198).unwrap() as u16;
    let value = f16::from_f32(198.0).to_bits();
    let ins = masked(Opcode::WholeReduceMax, Dtype::F16, 128, 1);
    assert_eq!(t.run::<u16>(&ins, 2).unwrap(), [value, at]);
    assert_eq!(t.run::<u32>(&VecIns { mode: 3, ..ins }, 1).unwrap(), [at as u32]);
}

#[test]
fn sums_of_repeats_blocks_and_pairs() {
    let mut t = Bench::new();
    let x: Vec<f32> = (0..128).map(|i| i as f32).collect();
    t.put(A, &x);
    let sum = |from: usize, to: usize| x[from..to].iter().sum::<f32>();
    let r: Vec<f32> = t.run(&masked(Opcode::WholeReduceSum, Dtype::F32, 64, 2), 2).unwrap();
    assert_eq!(r, [sum(0, 64), sum(64, 128)]);
    let r: Vec<f32> = t.run(&masked(Opcode::WholeReduceSum, Dtype::F32, 3, 2), 2).unwrap();
    assert_eq!(r, [3.0, sum(64, 67)]);
    let r: Vec<f32> = t.run(&masked(Opcode::BlockReduceSum, Dtype::F32, 64, 2), 16).unwrap();
    assert_eq!(r, (0..16).map(|k| sum(8 * k, 8 * k + 8)).collect::<Vec<_>>());
    let r: Vec<f32> = t.run(&masked(Opcode::BlockReduceMax, Dtype::F32, 10, 1), 2).unwrap();
    assert_eq!(r, [7.0, 9.0]);
    let r: Vec<f32> = t.run(&masked(Opcode::BlockReduceMin, Dtype::F32, 64, 1), 8).unwrap();
    assert_eq!(r, (0..8).map(|k| 8.0 * k as f32).collect::<Vec<_>>());
    let r: Vec<f32> = t.run(&masked(Opcode::PairReduceSum, Dtype::F32, 64, 2), 64).unwrap();
    assert_eq!(r, (0..64).map(|i| x[2 * i] + x[2 * i + 1]).collect::<Vec<_>>());
    let r: Vec<f32> = t.run(&masked(Opcode::PairReduceSum, Dtype::F32, 5, 1), 3).unwrap();
    assert_eq!(r, [1.0, 5.0, 4.0]);
    // A block or a pair without active lanes leaves dst alone.
    t.put(DST, &[-1.0f32; 8]);
    let ins = VecIns {
        form: Form::MaskBits as u8,
        mask: [0x00ff_0000_0000_0101, 0],
        ..masked(Opcode::BlockReduceSum, Dtype::F32, 0, 1)
    };
    t.core.issue(&ins).unwrap();
    assert_eq!(t.get::<f32>(DST, 8), [0.0, 8.0, -1.0, -1.0, -1.0, -1.0, sum(48, 56), -1.0]);
    // Every second block of the source.
    let ins = VecIns { blk: [1, 2, 1, 1], ..masked(Opcode::BlockReduceSum, Dtype::F32, 64, 1) };
    let r: Vec<f32> = t.run(&ins, 8).unwrap();
    assert_eq!(r, (0..8).map(|k| sum(16 * k, 16 * k + 8)).collect::<Vec<_>>());
    let h: Vec<u16> = (0..128).map(|i| f16::from_f32(i as f32).to_bits()).collect();
    t.put(A, &h);
    let r: Vec<u16> = t.run(&masked(Opcode::BlockReduceSum, Dtype::F16, 128, 1), 8).unwrap();
    assert_eq!(
        r,
        (0..8).map(|k| f16::from_f32((0..16).map(|j| (16 * k + j) as f32).sum()).to_bits()).collect::<Vec<_>>()
    );
}

#[test]
fn tensors_with_a_mask() {
    let mut t = Bench::new();
    // Rows of 16 blocks, 40 elements of each.
    let x: Vec<f32> = (0..512).map(|i| if i % 128 >= 40 { 1e6 } else { ((i * 31) % 257) as f32 }).collect();
    t.put(A, &x);
    let ins = VecIns { flags: 1, rep: [1, 16, 8, 8], ..masked(Opcode::ReduceMax, Dtype::F32, 40, 4) };
    let r: Vec<f32> = t.run(&ins, 2).unwrap();
    let (mut max, mut at) = (f32::MIN, 0);
    for i in (0..512).filter(|i| i % 128 < 40) {
        if x[i] > max {
            (max, at) = (x[i], i);
        }
    }
    assert_eq!((r[0], r[1].to_bits() as usize), (max, at));
    // More repeats than an instruction has.
    let ones = vec![1.0f32; 300 * 8];
    t.put(A, &ones);
    let ins = VecIns { rep: [1, 1, 8, 8], ..masked(Opcode::ReduceSum, Dtype::F32, 8, 300) };
    assert_eq!(t.run::<f32>(&ins, 1).unwrap(), [2400.0]);
}

#[test]
fn faults_name_the_operand() {
    let mut t = Bench::new();
    let e = t.core.issue(&masked(Opcode::WholeReduceSum, Dtype::F32, 64, 256)).unwrap_err();
    assert!(e.expected.contains("0 to 255") && e.operand.as_deref() == Some("repeatTime"), "{e:?}");
    let mut ins = masked(Opcode::WholeReduceMax, Dtype::F32, 64, 1);
    ins.dst.addr = 4;
    let e = t.core.issue(&ins).unwrap_err();
    assert!(e.expected.contains("multiple of 8"), "{e:?}");
    ins.mode = 2;
    t.core.issue(&ins).unwrap();
    let e = t.core.issue(&Bench::ins(Opcode::ReduceMax, Dtype::I32, Dtype::I32, 8)).unwrap_err();
    assert!(e.expected.contains("half, float"), "{e:?}");
    let e = t.core.issue(&Bench::ins(Opcode::ReduceMax, Dtype::F32, Dtype::F32, -1i32 as usize)).unwrap_err();
    assert_eq!(e.operand.as_deref(), Some("count"));
}

#[test]
fn in_saturation_mode_every_repeat_is_saturated_before_they_meet() {
    // Boundary tables 35 and 38 to 41, half: one or two special values among ones.
    let (inf, nan) = (f16::INFINITY, f16::NAN);
    let row = |n: usize, special: &[f16]| {
        let mut x = vec![f16::ONE; n];
        x[..special.len()].copy_from_slice(special);
        x.into_iter().map(f16::to_bits).collect::<Vec<u16>>()
    };
    let mut t = Bench::new();
    t.core.machine.ctrl.0 = 0;
    for (special, max, min, sum) in [
        (&[inf, -inf, nan][..], 1.0, 0.0, 252.0),
        (&[inf, -inf], 65504.0, -65504.0, 254.0),
        (&[inf, nan], 1.0, 0.0, 254.0),
        (&[-inf, nan], 1.0, 0.0, 254.0),
        (&[inf], 65504.0, 1.0, 65504.0),
        (&[-inf], 1.0, -65504.0, -65248.0),
        (&[nan], 1.0, 0.0, 254.0),
    ] {
        for (op, want) in [(Opcode::ReduceMax, max), (Opcode::ReduceMin, min), (Opcode::ReduceSum, sum)] {
            let got = t.reduce(op, Dtype::F16, false, &row(256, special))[0];
            assert_eq!(f16::from_bits(got).to_f32(), want, "{op:?} {special:?}");
        }
    }
    for (special, sum) in [(-inf, -65376.0), (nan, 126.0)] {
        t.put(A, &row(128, &[special]));
        let ins = VecIns {
            form: Form::MaskCount as u8,
            mask: [128, 0],
            rep: [1, 8, 0, 0],
            ..Bench::ins(Opcode::WholeReduceSum, Dtype::F16, Dtype::F16, 1)
        };
        t.core.issue(&ins).unwrap();
        assert_eq!(f16::from_bits(t.get::<u16>(DST, 1)[0]).to_f32(), sum, "{special}");
    }
}
