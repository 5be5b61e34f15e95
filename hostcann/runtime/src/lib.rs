//! `libascendcl.so`: devices, streams, events and memory of the acl API, and the C ABI that `libnnopbase.so` calls
//! (`hostcann/host_abi.h`): installed operator packages, kernel binaries, executor plans.

#![warn(clippy::missing_errors_doc)]

#[macro_use]
pub mod base;

pub mod acl;
pub mod device;
pub mod executor;
pub mod launch;
pub mod package;
pub mod plan;
pub mod timing;
