//! SetAtomicAdd, SetAtomicMax and SetAtomicMin: what every later UB -> GM copy does with the bytes it finds.
//!
//! The mode names the element type; the type of the tensor that is copied does not matter (SetAtomicType page).

pub use crate::base::ins::AtomicOp;
use crate::base::{
    fault::{FaultClass, Raise},
    float::{Bf16, F16, bf16_to_f32, canon, f16_to_f32, f32_to_bf16, f32_to_f16, round},
    ins::{CopyIns, Dtype},
    pipe::Pipe,
};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

/// The mode of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    pub op: AtomicOp,
    pub dtype: Dtype,
}

impl Atomic {
    /// `None` switches the mode off.
    ///
    /// # Errors
    ///
    /// `op` is no atomic operation, or `dtype` no data type.
    pub fn from_codes(op: u32, dtype: u32) -> Result<Option<Atomic>, Raise> {
        if op == 0 {
            return Ok(None);
        }
        match (AtomicOp::from_code(op), Dtype::from_code(dtype)) {
            (Some(op), Some(dtype)) => Ok(Some(Atomic { op, dtype })),
            _ => Err(Raise::unsupported(Pipe::S, &format!("atomic mode {op} of data type {dtype}"))),
        }
    }

    /// Whole elements only: the rest of a block has no meaning in this mode. `place` names an address.
    ///
    /// # Errors
    ///
    /// The address or the block length of the copy is no multiple of the element size.
    pub fn check(self, ins: &CopyIns, place: impl Fn(usize) -> String) -> Result<(), Raise> {
        let size = self.dtype.size();
        let len = ins.block_len as usize;
        if len.is_multiple_of(size) && (ins.gm as usize).is_multiple_of(size) {
            return Ok(());
        }
        let rule = format!("{}<{}> is on and the copy has no whole elements of it", self.op.name(), self.dtype.name());
        Err(Raise::new(FaultClass::Argument, Pipe::MTE3, ins.name(), rule)
            .operand("GlobalTensor")
            .expected(format!("address and block length in multiples of {size} bytes"))
            .got(format!("{len} bytes to {}", place(ins.gm as usize)))
            .fix("call SetAtomicNone before copies of other data types"))
    }

    /// Combines `len` bytes of `src` with those at `gm`, one element at a time.
    ///
    /// # Safety
    /// `src` and `gm` hold `len` bytes; [`Atomic::check`] passed.
    pub unsafe fn combine(self, src: *const u8, gm: *mut u8, len: usize) {
        macro_rules! go {
            ($cell:ty, $int:ty, $f:expr) => {{
                let n = len / size_of::<$int>();
                let (src, gm) = (src as *const $int, gm as *mut $int);
                for i in 0..n {
                    // SAFETY: inside both ranges; other cores reach these elements the same way.
                    let (new, cell) = unsafe { (src.add(i).read_unaligned(), <$cell>::from_ptr(gm.add(i))) };
                    // The closure always gives a value.
                    let _ = cell.fetch_update(Relaxed, Relaxed, |old| Some($f(self.op, old, new)));
                }
            }};
        }
        match self.dtype {
            Dtype::I8 => go!(AtomicU8, u8, |op, a, b| int::<i8>(op, a as i8, b as i8) as u8),
            Dtype::I16 => go!(AtomicU16, u16, |op, a, b| int::<i16>(op, a as i16, b as i16) as u16),
            Dtype::F16 => go!(AtomicU16, u16, half),
            Dtype::Bf16 => go!(AtomicU16, u16, bfloat),
            Dtype::I32 => go!(AtomicU32, u32, |op, a, b| int::<i32>(op, a as i32, b as i32) as u32),
            _ => go!(AtomicU32, u32, |op, a, b| float(op, f32::from_bits(a), f32::from_bits(b)).to_bits()),
        }
    }
}

trait Wrap: Ord + Copy {
    fn add(self, b: Self) -> Self;
}
macro_rules! wrap { ($($t:ty),+) => { $(impl Wrap for $t { fn add(self, b: $t) -> $t { self.wrapping_add(b) } })+ } }
wrap!(i8, i16, i32);

fn int<T: Wrap>(op: AtomicOp, a: T, b: T) -> T {
    match op {
        AtomicOp::Add => a.add(b),
        AtomicOp::Max => a.max(b),
        AtomicOp::Min => a.min(b),
    }
}

/// NaN stays, as in the vector unit's Max and Min; the pages of the atomics say nothing about it.
fn float(op: AtomicOp, a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        return canon(f32::NAN);
    }
    match op {
        AtomicOp::Add => canon(a + b),
        AtomicOp::Max if a == b => f32::from_bits(a.to_bits() & b.to_bits()),
        AtomicOp::Min if a == b => f32::from_bits(a.to_bits() | b.to_bits()),
        AtomicOp::Max => a.max(b),
        AtomicOp::Min => a.min(b),
    }
}

// Sums of 16-bit floats go through float: it has at least twice their precision plus two bits, so that rounding twice
// gives what rounding once would.
fn half(op: AtomicOp, a: u16, b: u16) -> u16 {
    f32_to_f16::<{ round::RINT }, false>(float(op, f16_to_f32(F16(a)), f16_to_f32(F16(b)))).0
}

fn bfloat(op: AtomicOp, a: u16, b: u16) -> u16 {
    f32_to_bf16::<{ round::RINT }, false>(float(op, bf16_to_f32(Bf16(a)), bf16_to_f32(Bf16(b)))).0
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
