//! Installed operator packages: vendor directories, op information, kernel binaries.

pub(crate) mod init_value;
pub mod kernel_binary;
pub mod kernel_config;
pub mod kernel_object;
pub mod opinfo;
pub mod opp;
