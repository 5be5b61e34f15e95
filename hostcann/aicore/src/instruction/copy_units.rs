//! What the numbers of a copy count, for its faults.

use crate::base::{
    fault::Raise,
    ins::{CopyIns, CopyKind},
    lanes::BLOCK,
    pipe::Pipe,
};

/// Where bytes lie outside, the commonest error is a unit: says what each number of the copy counts.
#[cold]
pub(crate) fn with_units(raise: Raise, ins: &CopyIns) -> Raise {
    let kind = CopyKind::from_code(ins.kind as u32);
    if kind == Some(CopyKind::Count) {
        return raise;
    }
    let pad = matches!(kind, Some(CopyKind::Pad | CopyKind::PadShort));
    let count = ins.block_count;
    let (src, dst) = (ins.src_stride, ins.dst_stride);
    let numbers = match (pad, ins.pipe()) {
        (true, Pipe::MTE3) => {
            format!("blockLen {} bytes, srcStride {src} blocks of 32 bytes, dstStride {dst} bytes", ins.block_len)
        }
        (true, _) => {
            format!("blockLen {} bytes, srcStride {src} bytes, dstStride {dst} blocks of 32 bytes", ins.block_len)
        }
        (false, _) => format!(
            "blockLen {}, srcStride {src} and dstStride {dst}, all in blocks of 32 bytes",
            ins.block_len as usize / BLOCK
        ),
    };
    let fix = format!("{}; this copy has blockCount {count}, {numbers}", raise.fix);
    raise.fix(fix)
}
