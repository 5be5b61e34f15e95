//! Frameworks on the host toolkit: torch, Paddle, ONNX Runtime.

pub mod onnx;
mod onnx_fuse;
pub mod paddle;
pub mod session;
pub mod torch;
pub mod unittest;
