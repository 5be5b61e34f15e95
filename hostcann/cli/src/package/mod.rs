//! The `.run` package: made, installed, removed.

pub mod install;
mod project;
pub mod uninstall;
mod verb;

pub use verb::*;
