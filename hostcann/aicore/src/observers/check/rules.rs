//! Arguments of vector instructions that the device takes without a message.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::Opcode,
        lanes::REPEAT,
        mask::MaskRegs,
        pipe::Pipe,
    },
    instruction::vector::{Head, MaskArg, Sort32, Span, Vector},
};

/// Instructions whose mask selects lanes of a dense repeat and whose strides are those of the parameter structs.
fn is_lane_wise(op: Opcode) -> bool {
    use Opcode::*;
    !matches!(
        op,
        Compare
            | CompareScalar
            | Brcb
            | Gather
            | Gatherb
            | GatherMask
            | ReduceMax
            | ReduceMin
            | ReduceSum
            | CreateVecIndex
    ) && op as u16 <= Select as u16
}

/// Elements of a repeat: counted in the widest type.
fn lanes(head: &Head) -> usize {
    REPEAT / head.dtype.size().max(head.stype.size()).max(2)
}

/// What the Sort32 page asks of its operands beyond the 32 bytes that the instruction cannot do without.
fn sort32(ins: &Sort32) -> Option<Raise> {
    let scores = 32 * ins.head.dtype.size() as u32;
    let operands = [("dst", ins.dst, 256), ("src0", ins.scores, scores), ("src1", ins.indices, 128)];
    let (name, operand, bytes) = operands.into_iter().find(|(_, o, bytes)| o.addr % bytes != 0)?;
    let what = "an operand is not aligned as the Sort32 page asks";
    let r = Raise::new(FaultClass::Alignment, Pipe::V, ins.head.name(), what).rule().silent().operand(name);
    let r = r.expected(format!("a multiple of {bytes}")).got(format!("UB offset {}", operand.addr));
    Some(
        r.fix("start every list of 32 elements at such an offset: make the lengths of the buffers before it multiples"),
    )
}

pub(crate) fn vector(ins: &Vector, registers: MaskRegs) -> Option<Raise> {
    if let Vector::Sort32(ins) = ins {
        return sort32(ins);
    }
    let head = ins.head();
    let Span::Repeats { n, mask, dst, .. } = *ins.span().filter(|_| is_lane_wise(head.op))? else { return None };
    // In counter mode the mask is a total; Copy keeps it per repeat (mask pages).
    let counter = registers.counter && head.op != Opcode::Copy;
    let lanes = lanes(head);
    let wrong = |operand: &str, what: &str, expected: String, got: String, fix: &str| {
        let mut r = Raise::new(FaultClass::Argument, Pipe::V, head.name(), what);
        r = r.rule().silent().operand(operand).expected(expected).got(got).fix(fix);
        Some(r)
    };
    match mask {
        MaskArg::Elements(elements) if !counter && elements > lanes as u64 => {
            return wrong(
                "mask",
                "the mask has more elements than a repeat; the device takes a whole repeat",
                format!("0 to {lanes}"),
                elements.to_string(),
                "raise repeatTime instead, or use the count form",
            );
        }
        MaskArg::Bits(bits) if !counter && lanes <= 64 => {
            let outside = if lanes == 64 { 0 } else { bits[0] >> lanes };
            if bits[1] != 0 || outside != 0 {
                return wrong(
                    "mask",
                    "the mask has bits beyond the lanes of a repeat; the device leaves them out",
                    format!("bits 0 to {} of mask[0] only", lanes - 1),
                    format!("mask[0] = {:#x}, mask[1] = {:#x}", bits[0], bits[1]),
                    "32-bit types have 64 lanes a repeat: leave mask[1] at 0",
                );
            }
        }
        _ => {}
    }
    let touched = match mask {
        MaskArg::Elements(total) if counter => total as u32 as usize,
        MaskArg::Elements(elements) => elements as usize,
        MaskArg::Bits(bits) => last(bits),
        MaskArg::Register if registers.counter => registers.bits[0] as u32 as usize,
        MaskArg::Register => last(registers.bits).min(lanes),
    };
    let per_block = 32 / head.dtype.size();
    if dst.blk == 0 && touched > per_block && (n != 0 || counter) {
        let what = "destination block stride is 0: all blocks of a repeat go to one place, the result is undefined";
        let r = Raise::new(FaultClass::Undocumented, Pipe::V, head.name(), what);
        return Some(
            r.silent()
                .operand("dstBlkStride")
                .expected("1 or more")
                .got("0")
                .fix("use 1 for a dense result; only sources may repeat a block"),
        );
    }
    None
}

/// Where the result of an instruction without repeats would begin.
pub(crate) fn without_repeats(ins: &Vector, registers: MaskRegs) -> Option<usize> {
    match ins.span()? {
        Span::Repeats { n: 0, .. } if !registers.counter => {}
        _ => return None,
    }
    let dst = match ins {
        Vector::Binary(i) | Vector::Bitwise(i) => i.dst,
        Vector::Unary(i) | Vector::Not(i) | Vector::Copy(i) => i.dst,
        Vector::Scalar(i) => i.dst,
        Vector::Shift(i) => i.dst,
        Vector::Cast(i) => i.dst,
        Vector::Select(i) => i.dst,
        Vector::Duplicate(i) => i.dst,
        _ => return None,
    };
    Some(dst.addr as usize)
}

/// Lanes up to the last one that is on.
fn last(mask: [u64; 2]) -> usize {
    if mask[1] != 0 { 128 - mask[1].leading_zeros() as usize } else { 64 - mask[0].leading_zeros() as usize }
}
