//! Who put the current contents into the mask registers.

use crate::{
    fault::{FaultClass, Raise},
    ins::{Form, Opcode},
    pipe::Pipe,
    site::Site,
    vector::Head,
};

#[derive(Default)]
enum State {
    /// All lanes on.
    #[default]
    Reset,
    /// SetVectorMask or SetMaskCount.
    Kernel,
    /// A count form set the registers for itself and left all lanes on.
    Lost { by: String, site: Site },
}

#[derive(Default)]
pub(crate) struct Masks(State);

impl Masks {
    pub fn set(&mut self) {
        self.0 = State::Kernel;
    }

    pub fn reset(&mut self) {
        self.0 = State::Reset;
    }

    /// A count form sets mask and mode for itself and resets both (the A2 implementation of the count forms), so a
    /// mask the kernel set before it is gone for the next instruction with isSetMask = false.
    pub fn count_form(&mut self, head: &Head, site: Site) {
        if matches!(self.0, State::Kernel) {
            self.0 = State::Lost { by: head.name(), site };
        }
    }

    /// An instruction that works under the mask registers.
    pub fn used(&self, head: &Head) -> Option<Raise> {
        let State::Lost { by, site } = &self.0 else { return None };
        let ignores = matches!(head.op, Opcode::Compare | Opcode::CompareScalar);
        if head.form != Form::MaskRegister || ignores {
            return None;
        }
        let at = site.location().map_or(String::new(), |l| format!(" at {l}"));
        Some(
            Raise::new(FaultClass::MaskState, Pipe::V, head.name(), "the mask the kernel set is gone")
                .operand("mask")
                .expected("the registers as SetVectorMask left them")
                .got(format!("all lanes on: {by}{at}, a count form, has reset mask and mode"))
                .fix("call SetMaskNorm or SetMaskCount and SetVectorMask again before this instruction"),
        )
    }
}
