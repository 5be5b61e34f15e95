//! Speed on this machine, and times on the chip by the model.

pub mod host;
pub mod predict;
pub mod sim;
