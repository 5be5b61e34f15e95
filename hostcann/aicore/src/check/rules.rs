//! Arguments of vector instructions that the device takes without a message.

use crate::{
    fault::{FaultClass, Raise},
    ins::{Dtype, Form, Opcode, VecIns},
    lanes::REPEAT,
    mask::MaskRegs,
    pipe::Pipe,
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
fn lanes(ins: &VecIns) -> usize {
    let size = |t: Option<Dtype>| t.map_or(1, Dtype::size);
    REPEAT / size(ins.dst_type()).max(size(ins.src_type())).max(2)
}

pub(crate) fn vector(ins: &VecIns, mask: MaskRegs) -> Option<Raise> {
    let op = ins.op().filter(|op| is_lane_wise(*op))?;
    let form = Form::from_code(ins.form as u32).filter(|f| *f != Form::Count)?;
    // In counter mode the mask is a total; Copy keeps it per repeat (mask pages).
    let counter = mask.counter && op != Opcode::Copy;
    let lanes = lanes(ins);
    let wrong = |operand: &str, what: &str, expected: String, got: String, fix: &str| {
        let mut r = Raise::new(FaultClass::Argument, Pipe::V, ins.name(), what);
        r = r.silent().operand(operand).expected(expected).got(got).fix(fix);
        Some(r)
    };
    match form {
        Form::MaskCount if !counter && ins.mask[0] > lanes as u64 => {
            return wrong(
                "mask",
                "the mask has more elements than a repeat; the device takes a whole repeat",
                format!("0 to {lanes}"),
                ins.mask[0].to_string(),
                "raise repeatTime instead, or use the count form",
            );
        }
        Form::MaskBits if !counter && lanes <= 64 => {
            let outside = if lanes == 64 { 0 } else { ins.mask[0] >> lanes };
            if ins.mask[1] != 0 || outside != 0 {
                return wrong(
                    "mask",
                    "the mask has bits beyond the lanes of a repeat",
                    format!("bits 0 to {} of mask[0] only", lanes - 1),
                    format!("mask[0] = {:#x}, mask[1] = {:#x}", ins.mask[0], ins.mask[1]),
                    "32-bit types have 64 lanes a repeat: leave mask[1] at 0",
                );
            }
        }
        _ => {}
    }
    let touched = match form {
        Form::MaskCount if counter => ins.mask[0] as u32 as usize,
        Form::MaskCount => ins.mask[0] as usize,
        Form::MaskBits => last(ins.mask),
        _ if counter => mask.bits[0] as u32 as usize,
        _ => last(mask.bits).min(lanes),
    };
    let per_block = 32 / ins.dst_type().map_or(1, Dtype::size);
    if ins.blk[0] == 0 && touched > per_block && (ins.repeat != 0 || counter) {
        let what = "destination block stride is 0: all blocks of a repeat go to one place, the result is undefined";
        let r = Raise::new(FaultClass::Undocumented, Pipe::V, ins.name(), what);
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

/// Lanes up to the last one that is on.
fn last(mask: [u64; 2]) -> usize {
    if mask[1] != 0 { 128 - mask[1].leading_zeros() as usize } else { 64 - mask[0].leading_zeros() as usize }
}
