//! Words and numbers: floats, pipes, sites, switches, masks and strides; faults and the records of the C ABI.

#[macro_use]
mod wire;

pub mod fault;
pub mod float;
pub mod ins;
pub mod isa;
pub mod lanes;
pub mod mask;
pub mod matmul;
pub mod pipe;
pub mod shadow;
pub mod site;
pub mod spec;
pub mod switches;
