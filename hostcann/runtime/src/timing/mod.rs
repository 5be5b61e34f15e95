//! What watches launches on demand: the timing model (`HOSTCANN_SIM`) and the trace log (`HOSTCANN_TRACE`).

pub(crate) mod advice;
pub mod model_params;
pub(crate) mod sim;
pub(crate) mod sim_launch;
pub(crate) mod sim_lines;
pub mod tiles;
pub mod trace;
