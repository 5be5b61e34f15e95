//! The state of a core and its parts: unified buffer, queues, events, barriers, copies; and the seam of the observers.

pub mod atomic;
pub mod atomic_order;
pub mod barrier;
pub mod budget;
pub mod core;
pub mod debug;
pub mod event;
pub mod gm_place;
pub mod launch_state;
pub mod local_watch;
pub mod matmul;
pub mod mte;
pub mod notes;
pub mod observation;
pub mod observe;
pub mod queue;
pub mod spr;
pub mod state;
pub mod sync;
pub mod task_type;
pub mod tiling_use;
pub mod tpipe;
