//! The C ABI of `libnnopbase.so` (`hostcann/host_abi.h`), and launches without a plan: nodes get addresses and go onto a
//! stream.

pub mod direct_launch;
pub mod host_abi;
pub mod plan_abi;
pub mod plan_bind;
pub mod plan_run;
pub mod unit_test;
