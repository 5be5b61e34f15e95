//! The host toolkit, libraries and kernels of operators.

pub mod aicpu;
pub mod build_ops;
pub mod cmake_step;
pub mod commands;
mod cube;
pub mod device;
pub mod form;
pub mod hostroot;
pub mod json;
pub mod op_info;
pub mod opc;
pub mod partial;
mod verb;

pub use verb::*;
