//! Bank conflicts of the unified buffer: repeats that it serves in more than one pass.
//!
//! Address bits 8..5 choose one of 16 bank groups, bits 17..16 one of a group's three banks (asc-devkit, sample
//! `bank_conflict_ub`, whose measured cases are the tests below). A group gives one row a cycle, so two sources with a
//! group in common are read one after the other. A write waits for a read of the same bank, but not where destination
//! and source keep step, every block of one in the bank of the other's: then the hardware writes one repeat later.
//!
//! [`conflicts`] counts such repeats, [`passes`] how often the groups have to be read and written for them.

use crate::{
    base::{
        ins::Operand,
        lanes::{BLOCK, Mask, Stride, first},
        mask::MaskRegs,
    },
    instruction::vector::{MaskArg, Other, Span, Vector},
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

/// Repeats and active lanes of a span.
fn lanes_of(span: &Span, registers: MaskRegs, lanes: usize) -> (usize, Mask) {
    let total = |n: usize| (n.div_ceil(lanes), Mask::Total(n));
    match *span {
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
    }
}

/// Conflicts of an instruction with `lanes` lanes in a repeat.
pub(crate) fn conflicts(ins: &Vector, registers: MaskRegs, lanes: usize) -> Conflicts {
    let mut found = Conflicts::default();
    let Some((span, dst, src)) = operands(ins) else { return found };
    let (dst_size, src_size) = (ins.head().dtype.size(), ins.head().stype.size());
    let (repeats, active) = lanes_of(span, registers, lanes);
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

/// How often the unified buffer is asked for an instruction: sums over its repeats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Passes {
    pub repeats: u64,
    /// Passes over the groups that are read, and over those that are written; no less than repeats.
    pub read: u64,
    pub write: u64,
    /// Passes that one operand needs alone, because its blocks meet each other.
    pub alone: u64,
    /// Repeats that write to a bank they read, out of step.
    pub clash: u64,
    /// Passes that each operand needs alone: destination and sources, as [`named`] has them.
    pub own: [u64; 3],
    /// Of the repeats that clash: those that do with each source.
    pub with: [u64; 2],
}

impl Passes {
    /// The operands whose own blocks meet most, as [`named`] has them: two where two do alike, else one twice.
    pub fn widest(&self) -> [usize; 2] {
        let most = self.own.into_iter().max().unwrap_or(0);
        let mut all = (0..3).filter(|i| self.own[*i] == most);
        let first = all.next().unwrap_or(1);
        [first, all.next().unwrap_or(first)]
    }

    /// The source that the destination clashes with most, as [`named`] has it.
    pub fn clashing(&self) -> usize {
        1 + usize::from(self.with[1] > self.with[0])
    }
}

/// An operand with the name and the address it is called by.
pub(crate) type Named = (&'static str, u32);

/// Operands that are walked block by block: those that are read with their place among the strides, and the destination
/// where it has lanes.
struct Sides<'a> {
    span: &'a Span,
    src: [Option<(Named, usize)>; 3],
    dst: Option<Named>,
}

fn sides(ins: &Vector) -> Option<Sides<'_>> {
    let of = |span, dst: Option<Operand>, src: [Option<(&'static str, Operand)>; 3]| {
        let place = |i: usize| src[i].map(|(name, o)| ((name, o.addr), i));
        Some(Sides { span, src: [place(0), place(1), place(2)], dst: dst.map(|o| ("dst", o.addr)) })
    };
    let tensor = |other: &Other| match other {
        Other::Tensor(o) => Some(("src1", *o)),
        Other::Scalar(_) => None,
    };
    match ins {
        Vector::Binary(i) | Vector::Bitwise(i) | Vector::FusedCast(i) => {
            of(&i.span, Some(i.dst), [Some(("src0", i.src0)), Some(("src1", i.src1)), None])
        }
        Vector::Unary(i) | Vector::Not(i) | Vector::Copy(i) => {
            of(&i.span, Some(i.dst), [Some(("src", i.src)), None, None])
        }
        Vector::Scalar(i) => of(&i.span, Some(i.dst), [Some(("src", i.src)), None, None]),
        Vector::Shift(i) => of(&i.span, Some(i.dst), [Some(("src", i.src)), None, None]),
        Vector::Cast(i) => of(&i.span, Some(i.dst), [Some(("src", i.src)), None, None]),
        Vector::Duplicate(i) => of(&i.span, Some(i.dst), [None; 3]),
        Vector::Compare(i) => of(&i.span, None, [Some(("src0", i.src0)), tensor(&i.src1), None]),
        Vector::CompareRegister(i) => of(&i.span, None, [Some(("src0", i.src0)), Some(("src1", i.src1)), None]),
        Vector::Select(i) => of(&i.span, Some(i.dst), [Some(("src0", i.src0)), tensor(&i.src1), None]),
        _ => None,
    }
}

/// The operands of an instruction that [`passes`] looks at: destination first.
pub(crate) fn named(ins: &Vector) -> [Option<Named>; 3] {
    sides(ins).map_or([None; 3], |s| [s.dst, s.src[0].map(|s| s.0), s.src[1].map(|s| s.0)])
}

/// Rows of each group that one operand asks for in a repeat.
fn rows(walk: &Walk, r: usize, active: [u64; 2], lanes: usize) -> [u8; 16] {
    let mut seen = [usize::MAX; 8];
    let mut count = [0u8; 16];
    let per = (BLOCK / walk.size).min(lanes);
    for k in 0..(lanes / per).min(8) {
        if !(k * per..(k + 1) * per).any(|lane| active[lane / 64] >> (lane % 64) & 1 != 0) {
            continue;
        }
        let block = (walk.addr + r * walk.rep + k * walk.blk) / BLOCK;
        if !seen[..k].contains(&block) {
            seen[k] = block;
            count[block & 15] += 1;
        }
    }
    count
}

/// Passes of an instruction with `lanes` lanes in a repeat; None for those without lanes side by side.
pub(crate) fn passes(ins: &Vector, registers: MaskRegs, lanes: usize) -> Option<Passes> {
    let sides = sides(ins)?;
    let (repeats, active) = lanes_of(sides.span, registers, lanes);
    if lanes > 128 {
        // Instructions on bytes have more lanes than mask bits and no operands side by side.
        let n = repeats as u64;
        return Some(Passes { repeats: n, read: n, write: n, alone: n, ..Passes::default() });
    }
    let walk = |addr: u32, stride: Option<Stride>, size: usize| {
        let Stride { blk, rep } = stride.unwrap_or(Stride { blk: BLOCK, rep: lanes * size });
        Walk { addr: addr as usize, blk, rep, size }
    };
    let (to, from) = match *sides.span {
        Span::Count(_) => (None, [None; 3]),
        Span::Repeats { dst, src, .. } => (Some(dst.into()), src.map(|s| Some(Stride::from(s)))),
    };
    let (dst_size, src_size) = (ins.head().dtype.size(), ins.head().stype.size());
    let src: Vec<Walk> = sides.src.iter().flatten().map(|((_, addr), i)| walk(*addr, from[*i], src_size)).collect();
    let dst = sides.dst.map(|(_, addr)| walk(addr, to, dst_size));
    let mut sum = Passes { repeats: repeats as u64, ..Passes::default() };
    for r in 0..repeats {
        let active = active.at(r, lanes);
        let most = |count: [u8; 16]| u64::from(count.into_iter().max().unwrap_or(1).max(1));
        let (mut all, mut alone) = ([0u8; 16], 1);
        for (i, s) in src.iter().enumerate() {
            let own = rows(s, r, active, lanes);
            sum.own[(i + 1).min(2)] += most(own);
            alone = alone.max(most(own));
            all.iter_mut().zip(own).for_each(|(a, o)| *a += o);
        }
        sum.read += most(all);
        let written = dst.as_ref().map_or(1, |d| most(rows(d, r, active, lanes)));
        sum.write += written;
        sum.alone += alone.max(written);
        let Some(dst) = &dst else { continue };
        sum.own[0] += written;
        let banks = |w: &Walk| w.banks(r, active, lanes).fold(0u64, |banks, bank| banks | 1 << (bank & 63));
        let keeps_step = |s: &Walk| s.banks(r, active, lanes).eq(dst.banks(r, active, lanes));
        let clashes = |s: &Walk| banks(s) & banks(dst) != 0 && !keeps_step(s);
        let with: Vec<bool> = src.iter().map(clashes).collect();
        sum.clash += u64::from(with.contains(&true));
        sum.with.iter_mut().zip(with).for_each(|(n, clash)| *n += u64::from(clash));
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        abi::{Dtype, Form, Opcode, VecIns},
        testkit::Bench,
    };

    fn add(dst: u32, src0: u32, src1: u32) -> VecIns {
        let at = |addr| Operand::new(addr, 16 << 10);
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
