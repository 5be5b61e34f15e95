//! Whoever observes the steps of a core: checker, statistics, trace log, timing model.

pub mod banks;
pub mod check;
pub mod model;
pub mod stats;
pub mod trace;
