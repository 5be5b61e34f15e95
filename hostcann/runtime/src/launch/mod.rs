//! One launch: checked, repeated under other switches, compared.

pub mod checked;
pub mod flip;
pub mod run;
pub mod shadow;
pub mod snapshot;
pub(crate) mod tiling_check;
