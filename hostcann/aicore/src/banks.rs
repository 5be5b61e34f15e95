//! Bank conflicts of the unified buffer: repeats that it serves in more than one pass.
//!
//! Address bits 8..5 choose one of 16 bank groups, bits 17..16 one of a group's three banks (asc-devkit, sample
//! `bank_conflict_ub`, whose measured cases are the tests below). A group gives one row a cycle, so two sources with a
//! group in common are read one after the other. A write waits for a read of the same bank, but not where destination
//! and source keep step, every block of one in the bank of the other's: then the hardware writes one repeat later.

use crate::{
    ins::Operand,
    lanes::{BLOCK, Mask, Stride, first},
    mask::MaskRegs,
    vector::{MaskArg, Span, Vector},
};

/// Repeats of an instruction, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conflicts {
    pub read: u64,
    pub write: u64,
}

/// Destination and sources that are walked block by block beside each other; other instructions are not looked at.
fn operands(ins: &Vector) -> Option<(&Span, Operand, Vec<Operand>)> {
    Some(match ins {
        Vector::Binary(i) | Vector::Bitwise(i) => (&i.span, i.dst, vec![i.src0, i.src1]),
        Vector::Scalar(i) => (&i.span, i.dst, vec![i.src]),
        Vector::Shift(i) => (&i.span, i.dst, vec![i.src]),
        Vector::Cast(i) => (&i.span, i.dst, vec![i.src]),
        Vector::Unary(i) | Vector::Not(i) | Vector::Copy(i) => (&i.span, i.dst, vec![i.src]),
        _ => return None,
    })
}

/// One operand: where it starts, how it moves on, and the bytes of a lane.
struct Walk {
    addr: usize,
    blk: usize,
    rep: usize,
    size: usize,
}

impl Walk {
    /// Banks of the active blocks of repeat `r`, in order: the group in bits 3..0, the bank of it above.
    fn banks(&self, r: usize, active: [u64; 2], lanes: usize) -> impl Iterator<Item = usize> + '_ {
        let per = (BLOCK / self.size).min(lanes);
        let is_active = move |k: usize| (k * per..(k + 1) * per).any(|lane| active[lane / 64] >> (lane % 64) & 1 != 0);
        let place = move |k: usize| self.addr + r * self.rep + k * self.blk;
        (0..lanes / per).filter(move |k| is_active(*k)).map(move |k| place(k) >> 16 << 4 | place(k) >> 5 & 15)
    }
}

/// Conflicts of an instruction with `lanes` lanes in a repeat.
pub(crate) fn conflicts(ins: &Vector, registers: MaskRegs, lanes: usize) -> Conflicts {
    let mut found = Conflicts::default();
    let Some((span, dst, src)) = operands(ins) else { return found };
    let (dst_size, src_size) = (ins.head().dtype.size(), ins.head().stype.size());
    let total = |n: usize| (n.div_ceil(lanes), Mask::Total(n));
    let (repeats, active) = match *span {
        Span::Count(n) => total(n),
        Span::Repeats { mask: MaskArg::Register, .. } if registers.counter => total(registers.bits[0] as u32 as usize),
        Span::Repeats { mask: MaskArg::Elements(n) | MaskArg::Bits([n, _]), .. } if registers.counter => {
            total(n as u32 as usize)
        }
        Span::Repeats { n, mask: MaskArg::Elements(lane), .. } => {
            (n, Mask::Bits(first(lane.min(lanes as u64) as usize)))
        }
        Span::Repeats { n, mask: MaskArg::Bits(bits), .. } => (n, Mask::Bits(bits)),
        Span::Repeats { n, mask: MaskArg::Register, .. } => (n, Mask::Bits(registers.bits)),
    };
    let (dst_stride, src_stride) = match *span {
        Span::Count(_) => {
            let dense = |size| Stride { blk: BLOCK, rep: lanes * size };
            (dense(dst_size), [dense(src_size); 3])
        }
        Span::Repeats { dst, src, .. } => (dst.into(), src.map(Stride::from)),
    };
    let walk = |o: Operand, s: Stride, size| Walk { addr: o.addr as usize, blk: s.blk, rep: s.rep, size };
    let dst = walk(dst, dst_stride, dst_size);
    let src: Vec<Walk> = src.into_iter().zip(src_stride).map(|(o, s)| walk(o, s, src_size)).collect();
    for r in 0..repeats {
        let active = active.at(r, lanes);
        let groups = |w: &Walk| w.banks(r, active, lanes).fold(0u16, |groups, bank| groups | 1 << (bank & 15));
        let banks = |w: &Walk| w.banks(r, active, lanes).fold(0u64, |banks, bank| banks | 1 << bank);
        if let [a, b] = &src[..] {
            found.read += u64::from(groups(a) & groups(b) != 0);
        }
        let keeps_step = |s: &Walk| s.banks(r, active, lanes).eq(dst.banks(r, active, lanes));
        found.write += u64::from(src.iter().any(|s| banks(s) & banks(&dst) != 0 && !keeps_step(s)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        abi::{Dtype, Form, Opcode, VecIns},
        testkit::Bench,
    };

    fn add(dst: u32, src0: u32, src1: u32) -> VecIns {
        let at = |addr| Operand { addr, bytes: 16 << 10 };
        VecIns {
            dst: at(dst),
            src: [at(src0), at(src1), at(0)],
            ..Bench::ins(Opcode::Add, Dtype::F32, Dtype::F32, 64 * 64)
        }
    }

    fn of(ins: &VecIns) -> (u64, u64) {
        let ins = Vector::decode(ins).unwrap();
        let lanes = 256 / ins.head().dtype.size().max(ins.head().stype.size());
        let found = conflicts(&ins, MaskRegs::RESET, lanes);
        (found.read, found.write)
    }

    const KIB: u32 = 1 << 10;

    #[test]
    fn measured_cases_of_two_sources() {
        // Half of the groups apart: full rate. One bank, or one group: half rate.
        assert_eq!(of(&add(64 * KIB, 0, 16 * KIB + 256)), (0, 0));
        assert_eq!(of(&add(64 * KIB, 0, 16 * KIB)), (64, 0));
        assert_eq!(of(&add(128 * KIB, 0, 64 * KIB)), (64, 0));
        // Any block in common will do.
        assert_eq!(of(&add(64 * KIB, 0, 16 * KIB + 224)), (64, 0));
    }

    #[test]
    fn measured_cases_of_a_destination() {
        // In the bank of a source and in step with it, or the source itself: free. A block out of step is not.
        assert_eq!(of(&add(32 * KIB, 0, 16 * KIB + 256)), (0, 0));
        assert_eq!(of(&add(0, 0, 16 * KIB + 256)), (0, 0));
        assert_eq!(of(&add(16 * KIB + 256, 0, 16 * KIB + 256)), (0, 0));
        assert_eq!(of(&add(32, 0, 16 * KIB + 256)), (0, 64));
        assert_eq!(of(&add(64 * KIB + 32, 0, 16 * KIB + 256)), (0, 0));
    }

    #[test]
    fn strides_and_masks() {
        // A row that every repeat reads again meets a dense source in every second one.
        let mask = [u64::MAX, u64::MAX];
        let row = VecIns {
            opcode: Opcode::And as u16,
            dtype: Dtype::I16 as u8,
            stype: Dtype::I16 as u8,
            form: Form::MaskBits as u8,
            repeat: 10,
            mask,
            rep: [8, 8, 0, 0],
            ..add(32 * KIB, 0, 64 * KIB)
        };
        assert_eq!(of(&row), (5, 0));
        // One block, 256 bytes further in every repeat.
        let block = VecIns { blk: [1, 1, 0, 0], rep: [8, 8, 8, 0], ..row };
        assert_eq!((of(&block), of(&VecIns { src: add(0, 0, 256).src, ..block })), ((10, 0), (0, 0)));
        // The first four blocks of both: 128 bytes apart are enough.
        let half = VecIns { mask: [u64::MAX, 0], rep: [8, 8, 8, 0], ..row };
        assert_eq!((of(&half), of(&VecIns { src: add(0, 0, 128).src, ..half })), ((10, 0), (0, 0)));
        // Elements of a count form beyond its last whole repeat.
        assert_eq!(of(&VecIns { count: 65, ..add(64 * KIB, 0, 0) }), (2, 0));
        assert_eq!(of(&VecIns { count: 0, ..add(64 * KIB, 0, 0) }), (0, 0));
        // A widening cast reads four blocks where it writes eight; one source has no other to meet.
        let cast = VecIns { opcode: Opcode::Cast as u16, stype: Dtype::F16 as u8, ..add(64 * KIB, 0, 0) };
        assert_eq!(of(&cast), (0, 0));
        assert_eq!(of(&VecIns { dst: add(0, 0, 0).dst, count: 64, ..cast }), (0, 1));
        // Others have no lanes side by side.
        assert_eq!(of(&VecIns { opcode: Opcode::ReduceMax as u16, ..add(0, 0, 0) }), (0, 0));
    }
}
