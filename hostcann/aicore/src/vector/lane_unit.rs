//! Lane-wise instructions: from decoded operands to the lane engine.

use crate::{
    base::{
        fault::Raise,
        ins::Operand,
        lanes::{self, Mask, Op, Place, Sizes, Stride, Walk},
    },
    instruction::{
        shape::Shape,
        vector::{Binary, Cast, Fill, Head, MaskArg, Math, Scalar, Shift, Span, Unary},
    },
    machine::{core::Core, state::MachineState},
};

/// Operands of a lane-wise instruction.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'a> {
    head: &'a Head,
    span: &'a Span,
    dst: Operand,
    src: [Operand; 3],
    /// Where each argument of the lane function is read: 0 to 2 = src, 3 = dst.
    from: [usize; 3],
}

const NONE: Operand = Operand::new(0, 0);

impl Lanes<'_> {
    /// The arguments in another order than the sources.
    pub fn from(self, from: [usize; 3]) -> Self {
        Lanes { from, ..self }
    }
}

macro_rules! lane_wise {
    ($($name:ident: $($src:ident)*;)+) => { $(
        impl $name {
            #[inline]
            pub(crate) fn lanes(&self) -> Lanes<'_> {
                let mut src = [NONE; 3];
                for (to, operand) in src.iter_mut().zip([$(self.$src),*] as [Operand; _]) {
                    *to = operand;
                }
                Lanes { head: &self.head, span: &self.span, dst: self.dst, src, from: [0, 1, 2] }
            }
        }
    )+ };
}
lane_wise! {
    Binary: src0 src1;
    Unary: src;
    Scalar: src;
    Shift: src;
    Cast: src;
    Fill: ;
    Math: src0 src1;
}

impl MachineState {
    /// The walk of an instruction with `lanes` elements per repeat; explicit masks go into the registers.
    pub fn walk(&mut self, span: &Span, lanes: usize) -> Walk {
        let Span::Repeats { n, mask, dst, src } = *span else {
            return Walk::Count(span.n());
        };
        match mask {
            MaskArg::Elements(total) if self.mask.counter => self.mask.bits = [total, 0],
            MaskArg::Elements(n) => self.mask.bits = lanes::first(n.min(lanes as u64) as usize),
            MaskArg::Bits(bits) => self.mask.bits = bits,
            MaskArg::Register => {}
        }
        let (n, mask) = if self.mask.counter {
            let total = self.mask.bits[0] as u32 as usize;
            (total.div_ceil(lanes), Mask::Total(total))
        } else {
            (n, Mask::Bits(self.mask.bits))
        };
        Walk::Repeats { n, mask, dst: dst.into(), src: src.map(Stride::from) }
    }
}

impl Core {
    /// Checks the operands of a lane operation.
    fn place(&mut self, ins: &Lanes, sizes: Sizes) -> Result<Option<(Walk, Place)>, Raise> {
        let lanes = sizes.lanes();
        let mut walk = self.machine.walk(ins.span, lanes);
        if let Walk::Repeats { src, dst, .. } = &mut walk {
            let s = *src;
            *src = ins.from.map(|f| if f == 3 { *dst } else { s[f] });
        }
        let (dstride, sstride) = match walk {
            Walk::Count(_) => (Stride::default(), [Stride::default(); 3]),
            Walk::Repeats { dst, src, .. } => (dst, src),
        };
        let shape = Shape::of(&walk, dstride, sizes.dst, lanes);
        if shape.extent() == 0 {
            return Ok(None);
        }
        let dst = self.write(ins.head, "dst", ins.dst, shape)?;
        let mut src = [dst as *const u8; 3];
        for k in 0..3 {
            let from = ins.from[k];
            if sizes.src[k] != 0 && from != 3 {
                let name = ["src0", "src1", "src2"][from];
                src[k] = self.read(ins.head, name, ins.src[from], Shape::of(&walk, sstride[k], sizes.src[k], lanes))?;
            } else if sizes.src[k] != 0 {
                self.read(ins.head, "dst", ins.dst, shape)?;
            }
        }
        Ok(Some((walk, Place { dst, src })))
    }

    /// Runs a lane operation over the operands of an instruction.
    #[inline]
    pub fn lanes<O: Op>(&mut self, ins: Lanes, op: O) -> Result<(), Raise> {
        if let Some((walk, place)) = self.place(&ins, Sizes::of::<O>())? {
            lanes::run(op, walk, place);
        }
        Ok(())
    }

    /// [`Core::lanes`] for variants that are rarely used: one copy instead of one per instruction set.
    pub fn lanes_plain<O: Op>(&mut self, ins: Lanes, op: O) -> Result<(), Raise> {
        if let Some((walk, place)) = self.place(&ins, Sizes::of::<O>())? {
            lanes::run_plain(op, walk, place);
        }
        Ok(())
    }
}
