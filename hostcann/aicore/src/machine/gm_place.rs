//! Addresses in global memory by the arguments of the kernel.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        pipe::Pipe,
    },
    machine::{launch_state::LaunchState, observe::TensorAt},
};
use std::ffi::c_void;

/// Arguments that a text names.
const SHOWN: usize = 4;

impl LaunchState {
    /// The argument that an address in global memory lies behind; none while nobody watches.
    pub fn tensor_at(&self, addr: usize) -> Option<TensorAt> {
        let before = self.args.iter().enumerate().filter(|(_, base)| **base != 0 && **base <= addr);
        before.max_by_key(|(_, base)| **base).map(|(argument, base)| TensorAt { argument, offset: addr - base })
    }

    fn arguments(&self) -> impl Iterator<Item = (usize, *mut c_void)> {
        // SAFETY: the engine set it for this block.
        unsafe { &*self.addresses }.iter().copied().enumerate()
    }

    /// An address in global memory by the arguments that it lies behind; which of them is meant is not known.
    pub fn behind_arguments(&self, addr: usize) -> Option<String> {
        let before = self.arguments().filter(|(_, base)| !base.is_null() && *base as usize <= addr).take(SHOWN);
        let text =
            |(index, base): (usize, *mut c_void)| format!("argument {index} plus {} bytes", addr - base as usize);
        let places: Vec<String> = before.map(text).collect();
        (!places.is_empty()).then(|| places.join(" or "))
    }

    /// Where an address in global memory lies, as far as it is known.
    #[cold]
    pub fn gm_place(&self, addr: usize) -> String {
        match self.tensor_at(addr) {
            Some(TensorAt { argument, offset }) => format!("argument {argument} plus {offset} bytes"),
            None => self.behind_arguments(addr).unwrap_or_else(|| format!("{addr:#x}, before every argument")),
        }
    }

    /// A null pointer, or one with a small offset added: see [`is_nowhere`].
    #[cold]
    pub fn null_gm(&self, pipe: Pipe, instruction: impl Into<String>, addr: usize) -> Raise {
        let null = self.arguments().filter(|(_, base)| base.is_null()).take(SHOWN);
        let null: Vec<String> = null.map(|(index, _)| format!("argument {index}")).collect();
        let base = match &null[..] {
            [] => "null".to_owned(),
            [one] => format!("{one}, which is null,"),
            several => format!("{}, which are null,", several.join(" or ")),
        };
        let got = if addr == 0 { base.trim_end_matches(',').to_owned() } else { format!("{base} plus {addr} bytes") };
        Raise::new(FaultClass::NullPointer, pipe, instruction, "global memory address is null")
            .operand("GlobalTensor")
            .expected("an address set by SetGlobalBuffer from a kernel argument")
            .got(got)
            .fix("call SetGlobalBuffer before use; an absent optional input has a null address")
    }
}

/// What GetUserWorkspace adds to the workspace, which is null for a launch that asked for none.
const RESERVED_WORKSPACE: usize = 16 << 20;
const PAGE: usize = 4096;

/// Nothing is there: a null pointer or the user's part of no workspace, or one with a small offset added.
pub(crate) fn is_nowhere(addr: usize) -> bool {
    addr < PAGE || (RESERVED_WORKSPACE..RESERVED_WORKSPACE + PAGE).contains(&addr)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::ins::{CopyIns, CopyKind, Direction, Dtype, Operand},
        machine::{
            atomic::{Atomic, AtomicOp},
            mte,
        },
        testkit::{A, Bench},
    };

    #[test]
    fn nowhere() {
        let far = 16 << 20;
        assert_eq!(
            [0, 4095, 4096, far - 1, far, far + 4095, far + 4096].map(is_nowhere),
            [true, true, false, false, true, true, false]
        );
    }

    #[test]
    fn addresses_are_named_by_their_arguments() {
        const FIRST: usize = 0x10000;
        const LAST: usize = 0x20000;
        let arguments = [FIRST as *mut c_void, std::ptr::null_mut(), LAST as *mut c_void];
        let mut t = Bench::new();
        t.core.launch.addresses = &arguments;
        let copy = |gm: usize| CopyIns {
            direction: Direction::UbToGm as u8,
            kind: CopyKind::Pad as u8,
            dtype: Dtype::F16 as u8,
            block_len: 6,
            gm: gm as *mut _,
            ub: Operand::new(A, 64),
            ..CopyIns::default()
        };
        let both = "argument 0 plus 65538 bytes or argument 2 plus 2 bytes";
        let unaligned = mte::execute(&mut t.core, &CopyIns { dtype: Dtype::F32 as u8, block_len: 8, ..copy(LAST + 2) })
            .unwrap_err();
        assert_eq!(unaligned.got, both);
        assert_eq!(t.core.gm_bypass(FIRST + 2, 4, false).unwrap_err().got, "argument 0 plus 2 bytes");
        assert_eq!(t.core.launch.gm_place(FIRST - 1), "0xffff, before every argument");
        t.core.machine.atomic = Some(Atomic { op: AtomicOp::Add, dtype: Dtype::F32 });
        assert_eq!(mte::execute(&mut t.core, &copy(LAST + 2)).unwrap_err().got, format!("6 bytes to {both}"));
        // Who watches knows which argument is meant.
        t.core.launch.args = arguments.map(|base| base as usize).to_vec();
        assert_eq!(t.core.launch.gm_place(LAST + 2), "argument 2 plus 2 bytes");
        assert_eq!(mte::execute(&mut t.core, &copy(32)).unwrap_err().got, "argument 1, which is null, plus 32 bytes");
        assert_eq!(t.core.launch.null_gm(Pipe::S, "I", 0).got, "argument 1, which is null");
        let arguments = [std::ptr::null_mut(); 2];
        t.core.launch.addresses = &arguments;
        assert_eq!(
            t.core.launch.null_gm(Pipe::S, "I", 8).got,
            "argument 0 or argument 1, which are null, plus 8 bytes"
        );
        t.core.launch.addresses = &[];
        assert_eq!(t.core.launch.null_gm(Pipe::S, "I", 0).got, "null");
    }
}
