//! Launches: blocks on the threads of the host, kernels called by the CPU debugger's macro, and crashes of the host.

pub mod crash;
pub mod engine;
pub mod icpu;
