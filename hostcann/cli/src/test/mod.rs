//! Layers of tests, unit tests, sweeps, mutants and foreign operators.

pub mod clock;
pub mod device_layer;
pub mod exhaustive;
pub mod findings;
mod joined;
pub mod layer;
pub mod merge;
pub mod mutants;
pub mod operators;
pub mod operators_layers;
pub mod sanitize;
pub mod ut;
mod verb;

pub use verb::*;
