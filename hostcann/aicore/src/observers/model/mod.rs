//! The timing model: what a launch would take on the chip.
//!
//! [`Model`] watches launches and writes down their steps; [`Recording::replay`] computes times from them, as often and
//! with as many parameters as wanted. Formulas, parameters and their sources are in `docs/explanation/model.md`.

mod class;
mod core;
mod core_sync;
mod cost;
mod error_classes;
mod extrapolate;
mod lines;
mod memory;
mod occupancy;
mod params;
mod pipes;
mod program;
mod record;
mod recording;
mod replay;
mod report;
mod result;
mod signals;
mod ub_scoreboard;
mod work;

pub use params::{Entry, ErrorRow, InstructionRow, Mark, ParamError, ParamFile, Params};
pub use record::{Done, Model};
pub use recording::Recording;
pub use replay::Replay;
pub use result::{
    Bound, BufferAt, Busy, Caches, Conflict, ConflictKind, CoreTime, Counts, ErrorBar, L2Edge, LaunchTime, OpKind,
    OpTime, Traffic, UbUse,
};
