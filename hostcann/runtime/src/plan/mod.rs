//! What an executor has to run: nodes over storages, their operands and the workspace.

pub mod bound;
pub mod copy;
pub mod executor_plan;
pub mod host_call;
pub mod memory;
pub mod node;
pub mod tensor;
