//! The vector unit: every vector instruction is issued here and goes to the unit that executes it.

use crate::{
    adv, adv_rows, cast, compare,
    core::Core,
    fault::Raise,
    fill, gather,
    ins::{Form, Opcode, VecIns},
    mask::MaskRegs,
    observe::Step,
    pipe::Pipe,
    reduce, sort, vec_arith, vec_bits,
};

impl Core {
    /// Issues a vector instruction: the one way into the vector unit.
    #[inline]
    pub fn issue(&mut self, ins: &VecIns) -> Result<(), Raise> {
        self.observe(Step::Vector(ins))?;
        if self.check.is_some() {
            self.checked(ins)?;
        } else {
            self.execute(ins)?;
        }
        if ins.form == Form::Count as u8 {
            // Count forms set the mask for themselves and leave the reset state behind.
            self.mask = MaskRegs::RESET;
            let site = self.site;
            if let Some(c) = &mut self.check {
                c.count_form(ins, site);
            }
        }
        Ok(())
    }

    #[cold]
    fn checked(&mut self, ins: &VecIns) -> Result<(), Raise> {
        let (mask, site) = (self.mask, self.site);
        if let Some(c) = &mut self.check {
            c.begin_vector(ins, mask, site)?;
        }
        self.execute(ins)?;
        match &mut self.check {
            Some(c) => c.end_vector(ins),
            None => Ok(()),
        }
    }

    fn execute(&mut self, ins: &VecIns) -> Result<(), Raise> {
        use Opcode::*;
        let Some(op) = ins.op() else {
            return Err(Raise::unsupported(Pipe::V, &format!("vector opcode {}", ins.opcode)));
        };
        match op {
            Add | Sub | Mul | Div | Max | Min | Adds | Muls | Maxs | Mins | Abs | Exp | Ln | Sqrt | Reciprocal
            | Rsqrt | Relu | Axpy | MulAddDst | FusedMulAdd | AddRelu | SubRelu | FusedMulAddRelu | LeakyRelu => {
                vec_arith::execute(self, ins, op)
            }
            And | Or | Not | ShiftLeft | ShiftRight => vec_bits::execute(self, ins, op),
            Cast => cast::execute(self, ins),
            Compare | CompareScalar | Select | GetCmpMask | SetCmpMask => compare::execute(self, ins, op),
            Duplicate | CreateVecIndex | Brcb | Copy => fill::execute(self, ins, op),
            Gather | Gatherb | GatherMask => gather::execute(self, ins, op),
            ReduceMax | ReduceMin | ReduceSum | WholeReduceMax | WholeReduceMin | WholeReduceSum | BlockReduceMax
            | BlockReduceMin | BlockReduceSum | PairReduceSum => reduce::execute(self, ins, op),
            Sort32 | MrgSort => sort::execute(self, ins, op),
            Sum | Mean | CumSum | Broadcast => adv_rows::execute(self, ins, op),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Erfc | Log2
            | Log10 | Power | Sign | Sigmoid | Silu | Swish => adv::execute(self, ins, op),
        }
    }
}
