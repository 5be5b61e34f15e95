//! The vector unit: every vector instruction is issued here and goes to the unit that executes it.

use crate::{
    base::{
        fault::Raise,
        ins::{Form, VecIns},
        mask::MaskRegs,
    },
    instruction::vector::Vector,
    machine::{core::Core, observe::Step},
    vector::{
        adv, adv_rows, cast, cmp_mask, compare, fill, fused_cast, gather, reduce, reduce_repeat, sort, transpose,
        vec_arith, vec_bits,
    },
};

impl Core {
    /// Issues a vector instruction: the one way into the vector unit.
    #[inline]
    pub fn issue(&mut self, ins: &VecIns) -> Result<(), Raise> {
        Vector::with(ins, |ins| self.run(ins))
    }

    #[inline(never)]
    fn run(&mut self, ins: &Vector) -> Result<(), Raise> {
        if self.observed() {
            self.observe(Step::Vector { ins, mask: self.machine.mask })?;
        }
        self.execute(ins)?;
        if ins.head().form == Form::Count {
            // Count forms set the mask for themselves and leave the reset state behind.
            self.machine.mask = MaskRegs::RESET;
        }
        self.observe(Step::Done)
    }

    #[inline]
    fn execute(&mut self, ins: &Vector) -> Result<(), Raise> {
        match ins {
            Vector::Binary(i) => vec_arith::binary(self, i),
            Vector::Unary(i) => vec_arith::unary(self, i),
            Vector::Scalar(i) => vec_arith::scalar(self, i),
            Vector::Bitwise(i) => vec_bits::binary(self, i),
            Vector::Not(i) => vec_bits::not(self, i),
            Vector::Shift(i) => vec_bits::shift(self, i),
            Vector::Cast(i) => cast::execute(self, i),
            Vector::FusedCast(i) => fused_cast::binary(self, i),
            Vector::CastDequant(i) => fused_cast::dequant(self, i),
            Vector::Compare(i) => compare::compare(self, i),
            Vector::Select(i) => compare::select(self, i),
            Vector::CompareRegister(i) => cmp_mask::compare(self, i),
            Vector::SelectRegister(i) => cmp_mask::select(self, i),
            Vector::GetCmpMask(i) => cmp_mask::get(self, i),
            Vector::SetCmpMask(i) => cmp_mask::set(self, i),
            Vector::Duplicate(i) => fill::duplicate(self, i),
            Vector::CreateVecIndex(i) => fill::index(self, i),
            Vector::Brcb(i) => fill::brcb(self, i),
            Vector::Copy(i) => fill::copy(self, i),
            Vector::Gather(i) => gather::gather(self, i),
            Vector::Gatherb(i) => gather::gatherb(self, i),
            Vector::GatherMask(i) => gather::gather_mask(self, i),
            Vector::Reduce(i) => reduce::tensor(self, i),
            Vector::ReduceRepeat(i) => reduce_repeat::execute(self, i),
            Vector::Sort32(i) => sort::sort32(self, i),
            Vector::MrgSort(i) => sort::merge(self, i),
            Vector::TransDataTo5HD(i) => transpose::to_5hd(self, i),
            Vector::Transpose(i) => transpose::transpose(self, i),
            Vector::Math(i) => adv::execute(self, i),
            Vector::Rows(i) => adv_rows::rows(self, i),
            Vector::Broadcast(i) => adv_rows::broadcast(self, i),
        }
    }
}
