//! `libascendcl.so`: devices, streams, events and memory of the acl API, and the C ABI that `libnnopbase.so` calls
//! (`hostcann/host_abi.h`): installed operator packages, kernel binaries, executor plans.

#![cfg_attr(not(test), warn(clippy::undocumented_unsafe_blocks))]

#[macro_use]
mod failure;
#[macro_use]
mod fork;

#[cfg(test)]
mod abi_layout;
mod advice;
pub mod bound;
pub mod cast;
pub mod checked_launch;
pub mod codes;
pub mod copy;
pub mod device;
pub mod device_arena;
pub mod device_info;
pub mod device_mode;
pub mod direct_launch;
pub mod dtype;
pub mod engine;
pub mod env;
pub mod errmsg;
pub mod event;
pub mod failure_mode;
pub mod findings;
pub mod flip;
pub mod float16;
pub mod handle;
pub mod host_abi;
pub mod host_call;
pub mod init;
mod init_value;
pub mod kernel_binary;
pub mod kernel_config;
pub mod kernel_object;
pub mod launch_run;
pub mod locks;
pub mod log;
pub mod memcpy;
pub mod memory;
pub mod model_params;
pub mod objects;
pub mod observe_api;
pub mod op_attr;
pub mod opinfo;
pub mod opp;
pub mod plan;
pub mod plan_abi;
pub mod plan_bind;
pub mod plan_memory;
pub mod plan_run;
pub mod plan_tensor;
pub mod shadow;
mod sim;
mod sim_launch;
mod sim_lines;
mod sim_words;
pub mod single_op;
pub mod snapshot;
pub mod soc;
pub mod stats_api;
pub mod stream;
pub mod stream_api;
pub mod sys_param;
pub mod sys_param_api;
pub mod tensor_desc;
pub mod tiles;
mod tiling_check;
pub mod trace;
mod unfetched;
pub mod unit_test;
pub mod unsupported;
mod verdict;

pub use failure::{Failure, Outcome};
