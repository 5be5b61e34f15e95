//! Speed on this machine, and times on the chip by the model.

pub mod bench;
pub mod sim;
pub mod versus;
