//! What the kernel put into the mask registers, and whether it is still there.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{Form, Opcode},
        mask::MaskRegs,
        pipe::Pipe,
        site::Site,
    },
    instruction::vector::{Head, MaskArg, Span, Vector},
};

#[derive(Default)]
pub(crate) struct Masks {
    /// SetVectorMask, until ResetMask.
    bits: Option<[u64; 2]>,
    /// SetMaskCount.
    counter: Option<Site>,
    /// The last call that brought its own mask.
    other: Option<(Head, Site)>,
}

impl Masks {
    pub fn set(&mut self, bits: [u64; 2]) {
        self.bits = Some(bits);
    }

    pub fn set_mode(&mut self, counter: bool, site: Site) {
        self.counter = counter.then_some(site);
    }

    pub fn reset(&mut self) {
        self.bits = None;
    }

    /// A vector instruction that finds these registers. A call with a mask, or with a count, sets them for itself, so what
    /// the kernel put there is gone for the next instruction with isSetMask = false.
    pub fn used(&mut self, ins: &Vector, registers: MaskRegs, site: Site) -> Option<Raise> {
        let head = ins.head();
        let ignores = matches!(head.op, Opcode::Compare | Opcode::CompareScalar);
        if head.form != Form::MaskRegister {
            self.other = Some((*head, site));
            return if ignores { None } else { self.repeats_ignored(ins, registers) };
        }
        let (bits, (by, site)) = (self.bits?, self.other?);
        let lanes = 256 / head.dtype.size().max(head.stype.size()).max(2);
        let counter = self.counter.is_some();
        let second = if lanes > 64 && !counter { u64::MAX } else { 0 };
        let same = registers.bits[0] == bits[0] && registers.bits[1] & second == bits[1] & second;
        if ignores || ins.span().is_none() || same && registers.counter == counter {
            return None;
        }
        let at = site.at();
        let by = match by.form {
            Form::Count => format!("all lanes on: {}{at}, a count form, has reset mask and mode", by.name()),
            _ => format!("the mask that {}{at} brought with it", by.name()),
        };
        Some(
            Raise::new(FaultClass::MaskState, Pipe::V, head.name(), "the mask the kernel set is gone")
                .operand("mask")
                .expected("the registers as SetVectorMask left them")
                .got(by)
                .fix("call SetMaskNorm or SetMaskCount and SetVectorMask again before this instruction"),
        )
    }

    /// In counter mode the mask of a call is the number of all its elements and repeatTime does nothing.
    fn repeats_ignored(&self, ins: &Vector, registers: MaskRegs) -> Option<Raise> {
        let (Some(site), Some(Span::Repeats { n, mask: MaskArg::Elements(elements), .. })) = (self.counter, ins.span())
        else {
            return None;
        };
        let head = ins.head();
        let lanes = 256 / head.dtype.size().max(head.stype.size()).max(2);
        if !registers.counter || head.op == Opcode::Copy || *n <= (*elements as usize).div_ceil(lanes) {
            return None;
        }
        let at = site.at();
        Some(
            Raise::new(FaultClass::MaskState, Pipe::V, head.name(), "counter mode is on and repeatTime does nothing")
                .operand("repeatTime")
                .expected(format!("normal mode, or a mask of all elements: {elements} are worked on"))
                .got(format!("mask {elements}, repeatTime {n}, and SetMaskCount{at}"))
                .fix("call SetMaskNorm when the calls in counter mode are done"),
        )
    }

    /// The kernel function has returned. TPipe's constructor resets the mode for the next kernel.
    pub fn left_on(&self) -> Option<Raise> {
        let mut r = Raise::new(FaultClass::MaskState, Pipe::S, "SetMaskCount", "counter mode is left on")
            .rule()
            .expected("SetMaskNorm when the calls in counter mode are done")
            .got("counter mode when the kernel ends")
            .fix("call SetMaskNorm (SetMaskCount page)");
        r.site = Some(self.counter?);
        Some(r)
    }
}
