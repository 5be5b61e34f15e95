//! The `.run` package: made, installed, removed.

pub mod install;
pub mod uninstall;
mod verb;

pub use verb::*;
