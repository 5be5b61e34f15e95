//! The compare mask register: whether this kernel has set it, and which of its bits hold a value.

use super::order::Id;
use crate::{
    base::{
        fault::{FaultClass, Raise},
        pipe::Pipe,
    },
    instruction::vector::Vector,
};

/// The CMPMASK register.
pub(super) struct CmpMask {
    pub value: [u64; 2],
    /// An instruction of this kernel has set it.
    is_set: bool,
    /// Bits that are defined, and what reads the others first.
    pub known: [u64; 2],
    pub undefined: Option<Id>,
}

impl Default for CmpMask {
    fn default() -> CmpMask {
        CmpMask { value: [0; 2], is_set: false, known: [0; 2], undefined: Some(Id::NONE) }
    }
}

impl CmpMask {
    pub fn set(&mut self, value: [u64; 2]) {
        (self.value, self.is_set) = (value, true);
    }

    /// Select takes its bits, a number or an address from the register (SetCmpMask page); what an earlier kernel left there
    /// is none of these.
    pub fn used(&self, ins: &Vector) -> Option<Raise> {
        if self.is_set || !matches!(ins, Vector::SelectRegister(_)) {
            return None;
        }
        let what = "the result depends on the compare mask register, which nothing has set";
        Some(
            Raise::new(FaultClass::Uninitialized, Pipe::V, ins.head().name(), what)
                .operand("selMask")
                .expected("Compare without dst, or SetCmpMask, before this Select")
                .got("the register as the kernel found it")
                .fix("call Compare(src0, src1, …) into the register first, or pass the mask as a tensor"),
        )
    }
}
