//! The unified buffer: its bytes and the checks every operand passes.

use crate::base::fault::{FaultClass, Raise};
use crate::base::{lanes::BLOCK, pipe::Pipe};
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

/// Bytes on a page boundary, so that speed does not depend on where the allocator puts them.
pub(crate) struct UbMemory {
    base: *mut u8,
    layout: Layout,
}

impl UbMemory {
    pub fn new(size: usize) -> UbMemory {
        // A size close to isize::MAX cannot come from a SoC file that names a real core.
        let layout = Layout::from_size_align(size.max(BLOCK), 4096).unwrap_or(Layout::new::<[u64; 512]>());
        // SAFETY: the layout is not empty.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() {
            handle_alloc_error(layout);
        }
        UbMemory { base, layout }
    }
    pub fn base(&self) -> *mut u8 {
        self.base
    }
}

impl Drop for UbMemory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.base, self.layout) };
    }
}

/// Checks address and extent of a vector or MTE operand; `instruction` is only called on a fault.
pub(crate) fn check(
    size: usize,
    pipe: Pipe,
    instruction: impl Fn() -> String,
    operand: &str,
    addr: u32,
    extent: usize,
) -> Result<(), Raise> {
    check_aligned(size, pipe, instruction, operand, addr, extent, BLOCK)
}

/// [`check`] for operands that need another alignment than a block's.
pub(crate) fn check_aligned(
    size: usize,
    pipe: Pipe,
    instruction: impl Fn() -> String,
    operand: &str,
    addr: u32,
    extent: usize,
    align: usize,
) -> Result<(), Raise> {
    if !(addr as usize).is_multiple_of(align) {
        return Err(Raise::new(
            FaultClass::Alignment,
            pipe,
            instruction(),
            format!("address is not {align}-byte aligned"),
        )
        .operand(operand)
        .expected(format!("a UB offset that is a multiple of {align}"))
        .got(format!("UB offset {addr}"))
        .fix(format!("start tensors and sub-tensors (operator[]) at multiples of {align} bytes")));
    }
    in_range(size, pipe, instruction, operand, addr, extent)
}

/// What to do about an operand that is too long, with the unit of what vector instructions count.
#[cold]
pub(crate) fn compare_lengths(pipe: Pipe, length: &str) -> String {
    let unit = if pipe == Pipe::V { " (block and repeat strides count blocks of 32 bytes)" } else { "" };
    format!("check count, mask, repeatTime and strides{unit} against the length {length}")
}

/// Checks the extent only.
pub(crate) fn in_range(
    size: usize,
    pipe: Pipe,
    instruction: impl Fn() -> String,
    operand: &str,
    addr: u32,
    extent: usize,
) -> Result<(), Raise> {
    let end = addr as usize + extent;
    if end <= size {
        return Ok(());
    }
    Err(Raise::new(FaultClass::OutOfRange, pipe, instruction(), "operand leaves the unified buffer")
        .operand(operand)
        .expected(format!("an end of at most {size}"))
        .got(format!("bytes {addr} to {end}"))
        .fix(compare_lengths(pipe, "of the buffer")))
}
