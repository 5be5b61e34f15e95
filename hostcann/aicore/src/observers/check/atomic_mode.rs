//! SetAtomicAdd, SetAtomicMax and SetAtomicMin: a mode of the core, which copies follow whatever their type is.

use super::Checker;
use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::{CopyIns, Dtype},
        pipe::Pipe,
        site::Site,
    },
    machine::atomic::Atomic,
};

/// Whether adding elements of `a` gives what adding elements of `b` gives.
fn alike(a: Dtype, b: Dtype) -> bool {
    use Dtype::*;
    let kind = |t| match t {
        F32 | F16 | Bf16 | F64 => t as u32,
        _ => 1000 + t.size() as u32,
    };
    kind(a) == kind(b)
}

impl Checker {
    pub(super) fn atomic_mode(&mut self, mode: Option<Atomic>, site: Site) {
        self.atomic = mode.map(|mode| (mode, site));
    }

    /// A copy to global memory combines elements of the mode's type, not of its own.
    pub(super) fn atomic_type(&self, ins: &CopyIns, mode: Atomic) -> Result<(), Raise> {
        let Some(copied) = Dtype::from_code(ins.dtype as u32) else { return Ok(()) };
        if ins.pipe() != Pipe::MTE3 || alike(mode.dtype, copied) {
            return Ok(());
        }
        let (call, set) = (mode.op.name(), mode.dtype.name());
        let at = self.atomic.map_or(String::new(), |(_, site)| site.at());
        self.found(
            Raise::new(
                FaultClass::AtomicMode,
                Pipe::MTE3,
                ins.name(),
                "an atomic copy of another type than the mode's",
            )
            .operand("src")
            .expected(format!("elements of {set}: {call}<{set}>{at} is on"))
            .got(format!("elements of {}", copied.name()))
            .fix(format!("call {call}<{}> before this copy, or SetAtomicNone", copied.name())),
        )
    }

    /// The kernel function has returned. TPipe's constructor resets the mode for the next kernel.
    pub(super) fn atomic_left_on(&self) -> Result<(), Raise> {
        let Some((mode, site)) = self.atomic else { return Ok(()) };
        let mut r = Raise::new(FaultClass::AtomicMode, Pipe::S, mode.op.name(), "the atomic mode is left on")
            .rule()
            .expected("SetAtomicNone after the last atomic copy")
            .got(format!("{}<{}> on when the kernel ends", mode.op.name(), mode.dtype.name()))
            .fix("call SetAtomicNone (DisableDmaAtomic) when the copies are done");
        r.site = Some(site);
        self.found(r)
    }
}
