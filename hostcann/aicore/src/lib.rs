//! Host model of an A2/A3 vector core (`dav-c220-vec`).
//!
//! A kernel is a host shared object compiled against the Ascend C façade in `hostcann/include`. Its calls arrive
//! through the C ABI in [`abi`], become instructions ([`abi::VecIns`], [`abi::CopyIns`]) and run on the real bytes of
//! a unified buffer. [`Engine`] spreads the blocks of a launch over host threads and turns a fault into an error.

#![warn(clippy::missing_errors_doc)]

pub mod abi;
mod base;
mod cube;
pub mod instruction;
mod launch;
mod machine;
mod observers;
mod vector;

#[cfg(test)]
mod testkit;

pub use abi::exports;
pub use base::fault::{Fault, FaultClass, FaultOwner, Raise, RaiseParts, Said, Severity};
pub use base::lanes::{Mask, Stride};
pub use base::mask::MaskRegs;
pub use base::pipe::Pipe;
pub use base::shadow::Shadow;
pub use base::site::{Location, Site};
pub use base::spec::CoreSpec;
pub use base::switches::{
    AtomicOrder, DivUlp, Fma, Ftz, MatmulOrder, Reciprocal, Saturation, SecondSet, SwitchError, Switches,
};
pub use instruction::shape::{Instruction, Shape};
pub use launch::crash::{enter_host, install as install_crash_handlers, leave_host, set_time_limit};
pub use launch::engine::{Engine, KernelFn, Launch};
pub use launch::icpu::{Param, gm_blocks, gm_untouched, set_icpu_engine, set_icpu_runner};
pub use machine::atomic::{Atomic, AtomicOp};
pub use machine::event::HardEvent;
pub use machine::observe::{Access, Block, GmAccess, Observer, Step, TensorAt, Watch, WatchLaunch};
pub use machine::tiling_use::{Reads, TilingUse};
pub use observers::stats::{Counters, LaunchStats, OpcodeStats, Stats, Sums};
pub use observers::trace::{Lines, Trace};
pub use observers::{check, model};
