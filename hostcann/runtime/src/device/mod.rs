//! The modelled device: contexts, streams, memory, and the engine that runs its cores.

pub mod arena;
pub mod context;
pub mod engine;
pub mod failure_mode;
pub mod memory;
pub mod stream;
pub mod sys_param;
pub(crate) mod unfetched;
