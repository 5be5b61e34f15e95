//! What an instruction does, as far as time depends on it: repeats, calls and passes over the banks. Free of parameters,
//! so that one recording can be replayed with many.

use crate::{
    base::{ins::Opcode, lanes::REPEAT, mask::MaskRegs},
    instruction::vector::{Head, MaskArg, Span, Vector},
    observers::{
        banks::{self, Named, Passes},
        stats::{active_lanes, lanes_per_repeat, widest},
    },
};

/// A vector instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct VectorWork {
    pub head: Head,
    pub repeats: u64,
    /// Instructions that it stands for, each of which has a fixed part.
    pub calls: u32,
    /// In 32-bit equivalents, times two.
    pub half_lanes: u64,
    /// Given by a number of elements, and whether that ends inside of a repeat.
    pub count_form: bool,
    pub partial: bool,
    pub passes: Option<Passes>,
    pub operands: [Option<Named>; 3],
}

impl VectorWork {
    /// Both sources are one tensor: no other place keeps them apart.
    pub fn one_source(&self) -> bool {
        let [_, Some((_, a)), Some((_, b))] = self.operands else { return false };
        a == b
    }
}

pub(super) fn of(ins: &Vector, mask: MaskRegs) -> VectorWork {
    let head = *ins.head();
    let bytes = widest(&head);
    let lanes = lanes_per_repeat(&head, bytes);
    let active = active_lanes(ins, mask, lanes);
    let passes = banks::passes(ins, mask, lanes);
    let (repeats, calls) = match passes {
        Some(p) => (p.repeats, 1),
        None => repeats(ins, mask, lanes as u64, active),
    };
    let count = match ins.span() {
        Some(Span::Count(n)) => Some(*n),
        _ => None,
    };
    VectorWork {
        head,
        repeats,
        calls,
        half_lanes: active * if bytes >= 4 { 2 } else { 1 },
        count_form: count.is_some(),
        partial: count.is_some_and(|n| !(n * bytes).is_multiple_of(REPEAT)),
        passes,
        operands: banks::named(ins),
    }
}

/// Repeats and instructions of those that have no operands side by side.
fn repeats(ins: &Vector, mask: MaskRegs, lanes: u64, active: u64) -> (u64, u32) {
    match ins {
        Vector::Reduce(i) => {
            // Every level leaves a result for each repeat of the one before: a value, or a value and its index.
            let results = if i.head.op == Opcode::ReduceSum { 1 } else { 2 };
            let (mut left, mut sum, mut calls) = (span_repeats(&i.span, mask, lanes), 0, 0);
            loop {
                sum += left;
                calls += 1;
                if left <= 1 {
                    return (sum, calls);
                }
                left = (left * results).div_ceil(lanes);
            }
        }
        Vector::Rows(i) => (i.rows as u64 * (i.columns as u64).div_ceil(lanes), 1),
        Vector::Broadcast(i) => ((i.rows as u64 * i.columns as u64).div_ceil(lanes), 1),
        Vector::Gatherb(i) => (i.repeats as u64, 1),
        Vector::GatherMask(i) => (i.repeats as u64, 1),
        Vector::Sort32(i) => (i.repeats as u64, 1),
        Vector::TransDataTo5HD(i) => (i.repeats as u64, 1),
        Vector::Brcb(i) if !mask.counter => (i.repeats as u64, 1),
        Vector::GetCmpMask(_) | Vector::SetCmpMask(_) => (1, 1),
        other => match other.span() {
            Some(span) => (span_repeats(span, mask, lanes), 1),
            None => (active.div_ceil(lanes), 1),
        },
    }
}

fn span_repeats(span: &Span, mask: MaskRegs, lanes: u64) -> u64 {
    match *span {
        Span::Count(n) => (n as u64).div_ceil(lanes),
        Span::Repeats { mask: MaskArg::Register, .. } if mask.counter => (mask.bits[0] & 0xffff_ffff).div_ceil(lanes),
        Span::Repeats { mask: MaskArg::Elements(n) | MaskArg::Bits([n, _]), .. } if mask.counter => {
            (n & 0xffff_ffff).div_ceil(lanes)
        }
        Span::Repeats { n, .. } => n as u64,
    }
}
