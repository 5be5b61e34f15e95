//! Host model of an A2/A3 vector core (`dav-c220-vec`).
//!
//! A kernel is a host shared object compiled against the Ascend C façade in `hostcann/include`. Its calls arrive
//! through the C ABI in [`abi`], become instructions ([`abi::VecIns`], [`abi::CopyIns`]) and run on the real bytes of
//! a unified buffer. [`Engine`] spreads the blocks of a launch over host threads and turns a fault into an error.

#![cfg_attr(not(test), warn(clippy::undocumented_unsafe_blocks))]

pub mod abi;
mod adv;
mod adv_rows;
mod atomic;
mod atomic_order;
mod banks;
mod barrier;
mod budget;
mod cast;
mod cast_int4;
pub mod check;
mod cmp_mask;
mod compare;
mod copy_units;
mod core;
mod crash;
mod debug;
mod decode;
mod engine;
mod event;
mod fault;
mod fill;
mod float;
mod fused_cast;
mod gather;
mod gm_place;
mod head;
mod icpu;
mod ins;
mod isa;
mod lane_unit;
mod lanes;
mod local_watch;
mod mask;
pub mod model;
mod mte;
mod notes;
mod observe;
mod pipe;
mod queue;
mod reduce;
mod reduce_repeat;
mod shadow;
mod shape;
mod site;
mod sort;
mod spec;
mod spr;
mod stats;
mod switches;
mod sync;
mod task_type;
mod tiling_use;
mod tpipe;
mod trace;
mod transpose;
mod ub;
mod vec_arith;
mod vec_bits;
pub mod vector;
mod vector_unit;

#[cfg(test)]
mod testkit;

pub use abi::exports;
pub use atomic::{Atomic, AtomicOp};
pub use crash::{enter_host, install as install_crash_handlers, leave_host, set_time_limit};
pub use engine::{Engine, KernelFn, Launch};
pub use event::HardEvent;
pub use fault::{Fault, FaultClass, FaultOwner, Raise, RaiseParts, Said, Severity};
pub use icpu::{Param, gm_blocks, gm_untouched, set_icpu_engine, set_icpu_runner};
pub use lanes::{Mask, Stride};
pub use mask::MaskRegs;
pub use observe::{Access, Block, GmAccess, Observer, Step, TensorAt, Watch, WatchLaunch};
pub use pipe::Pipe;
pub use shadow::Shadow;
pub use shape::{Instruction, Shape};
pub use site::{Location, Site};
pub use spec::CoreSpec;
pub use stats::{Counters, LaunchStats, OpcodeStats, Stats, Sums};
pub use switches::{AtomicOrder, DivUlp, Fma, Ftz, Reciprocal, Saturation, SecondSet, SwitchError, Switches};
pub use tiling_use::{Reads, TilingUse};
pub use trace::{Lines, Trace};
