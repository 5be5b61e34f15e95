//! The mask registers.

/// Mode and bits: lane bits, or a number of elements in counter mode.
#[derive(Clone, Copy, Debug)]
pub struct MaskRegs {
    pub counter: bool,
    pub bits: [u64; 2],
}

impl MaskRegs {
    pub const RESET: MaskRegs = MaskRegs { counter: false, bits: [u64::MAX; 2] };
}
