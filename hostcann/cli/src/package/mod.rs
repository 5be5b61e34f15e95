//! The `.run` package: made, installed, removed.

pub mod install;
mod pack_step;
mod project;
pub mod uninstall;
mod verb;

pub use pack_step::PackStep;
pub use verb::*;
