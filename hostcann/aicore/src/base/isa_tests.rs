//! Every instruction, in every type, mode and form that the core accepts, gives the same bytes on every instruction set.

use super::at_level;
use crate::{
    abi::Opcode,
    base::{
        ins::{Dtype, Form, Operand, VecIns},
        switches::{AtomicOrder, DivUlp, Fma, Ftz, MatmulOrder, Reciprocal, Saturation, Switches},
    },
    machine::task_type::Place,
    testkit::Bench,
};
use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
};

const LEVELS: [u8; 3] = [1, 2, 3];
/// The part of the unified buffer that is looked at: four operands.
const BYTES: usize = 48 * 1024;
const OPERANDS: [u32; 4] = [0, 12 * 1024, 24 * 1024, 36 * 1024];

/// Contents of the unified buffer before an instruction.
#[derive(Clone, Copy, Debug)]
enum Fill {
    /// Every bit random: all exponents, NaN, subnormal numbers, extreme integers.
    Bits,
    /// Signed numbers of everyday size as float, half or integers alternate by 32-byte block.
    Numbers,
    /// Multiples of 32 below 4096 as u32: legal offsets.
    Offsets,
}

fn image(fill: Fill) -> Vec<u8> {
    let bytes = BYTES;
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut image = Vec::with_capacity(bytes);
    while image.len() < bytes {
        let word = random();
        match fill {
            Fill::Bits => image.extend(word.to_le_bytes()),
            Fill::Offsets => image.extend(((word % 128 * 32) as u32).to_le_bytes()),
            Fill::Numbers => {
                let number = (word % 20_001) as f32 / 100.0 - 100.0;
                match image.len() / 32 % 3 {
                    0 => image.extend(number.to_le_bytes()),
                    1 => image.extend(half::f16::from_f32(number).to_le_bytes()),
                    _ => image.extend((number as i32).to_le_bytes()),
                }
                image.resize(image.len().min(bytes), 0);
            }
        }
    }
    image.truncate(bytes);
    image
}

/// What the instruction makes of the image; `None` when the core refuses it.
fn effect<'a>(bench: &'a mut Bench, ins: &VecIns, image: &[u8]) -> Option<&'a [u8]> {
    bench.core.reset("isa", Place { blocks: 1, ..Place::default() }, 0);
    bench.core.machine.deq_scale = Some(f32::to_bits(1.5) as u64);
    bench.put(0, image);
    bench.core.issue(ins).ok()?;
    // SAFETY: the buffer has 192 KiB, lives as long as the bench and is borrowed with it.
    Some(unsafe { std::slice::from_raw_parts(bench.core.machine.ub_at(0), BYTES) })
}

/// 1.5 in a floating type, 3 in an integer: a shift distance, too.
fn scalar(dtype: Dtype) -> u64 {
    match dtype {
        Dtype::F32 => u64::from(1.5f32.to_bits()),
        Dtype::F16 => u64::from(half::f16::from_f32(1.5).to_bits()),
        Dtype::Bf16 => u64::from(half::bf16::from_f32(1.5).to_bits()),
        _ => 3,
    }
}

/// Count forms with and without a tail, mask forms with gaps between lanes, blocks and repeats.
fn forms(base: VecIns) -> [VecIns; 5] {
    let strided = VecIns { repeat: 3, blk: [1, 2, 1, 1], rep: [8, 16, 9, 8], ..base };
    [
        VecIns { form: Form::Count as u8, count: 1152, ..base },
        VecIns { form: Form::Count as u8, count: 517, ..base },
        VecIns { form: Form::MaskCount as u8, mask: [29, 0], ..strided },
        VecIns { form: Form::MaskBits as u8, mask: [0x5555_f0f0_1234_ffff, 0x0f0f_3333_8001_7ffe], ..strided },
        VecIns { form: Form::MaskBits as u8, mask: [0x5555_f0f0_1234_ffff, 0], ..strided },
    ]
}

fn operand(index: usize) -> Operand {
    Operand::new(OPERANDS[index], 12 * 1024)
}

fn instructions(op: Opcode) -> impl Iterator<Item = VecIns> {
    let types = || Dtype::TABLE.iter().filter_map(|(_, code)| Dtype::from_code(*code));
    types().flat_map(move |d| types().map(move |s| (d, s))).flat_map(move |(d, s)| {
        // The values of TransposeType are apart from all other modes.
        let modes = if op == Opcode::Transpose { 10..13 } else { 0..8 };
        modes.flat_map(move |mode| {
            (0..2).flat_map(move |flags| {
                forms(VecIns {
                    opcode: op as u16,
                    dtype: d as u8,
                    stype: s as u8,
                    mode,
                    flags,
                    dst: operand(0),
                    src: [operand(1), operand(2), operand(3)],
                    scalar: scalar(s),
                    ..VecIns::default()
                })
            })
        })
    })
}

fn sweep(switches: Switches, fills: &[Fill]) {
    let images: Vec<Vec<u8>> = fills.iter().map(|fill| image(*fill)).collect();
    let (mut reference, mut other) = (Bench::with(switches), Bench::with(switches));
    let (hasher, mut compared, mut never) = (RandomState::new(), 0, Vec::new());
    for op in Opcode::TABLE.iter().filter_map(|(_, code)| Opcode::from_code(*code)) {
        let mut seen = HashSet::new();
        for ins in instructions(op) {
            let effects = images.iter().map(|image| {
                let effect = at_level(1, || effect(&mut reference, &ins, image).map(<[u8]>::to_vec));
                effect.expect("every host has level 1")
            });
            // Fields that an instruction ignores make no new loop.
            let effects: Vec<_> = effects.take_while(Option::is_some).flatten().collect();
            if effects.is_empty() || !seen.insert(hasher.hash_one(&effects)) {
                continue;
            }
            for level in LEVELS {
                for (image, want) in images.iter().zip(&effects) {
                    if let Some(got) = at_level(level, || effect(&mut other, &ins, image)) {
                        assert!(
                            got == Some(want.as_slice()),
                            "{} {ins:?}: level {level} differs, {switches:?}",
                            ins.name()
                        );
                    }
                }
            }
        }
        compared += seen.len();
        if seen.is_empty() {
            never.push(op.name());
        }
    }
    assert!(never.is_empty(), "no legal form of {} was found: teach this test one", never.join(", "));
    assert!(compared > 400, "only {compared} different instructions were compared");
}

#[test]
fn every_instruction_gives_the_same_bytes_on_every_level() {
    sweep(Switches::default(), &[Fill::Offsets, Fill::Numbers, Fill::Bits]);
}

/// The rarely used variants are loops of their own.
#[test]
fn switched_instructions_too() {
    let switched = Switches {
        div_ulp: DivUlp::Random,
        fma: Fma::Fused,
        ftz: Ftz::On,
        saturation: Saturation::Saturate,
        reciprocal: Reciprocal::Documented,
        atomic_order: AtomicOrder::Descending,
        matmul_order: MatmulOrder::Descending,
        ..Switches::default()
    };
    sweep(switched, &[Fill::Offsets, Fill::Bits]);
    sweep(Switches { ftz: Ftz::Div, div_ulp: DivUlp::Minus, ..Switches::default() }, &[Fill::Offsets, Fill::Numbers]);
}

#[test]
fn levels_are_really_different_loops() {
    let highest = LEVELS.into_iter().filter_map(|level| at_level(level, super::current_level)).max();
    assert_eq!(at_level(1, super::current_level), Some(1));
    assert!(highest >= Some(1));
    assert_eq!(super::current_level(), highest.expect("level 1 exists"), "outside of a test the highest level runs");
}
