//! What several crates must agree on stands here once: data types, formats, status codes, fault classes, environment
//! variables, SoCs, the search for installed packages, and what is compiled how and from what.
//!
//! A leaf: it depends on std alone and is compiled in front of everything. It holds tables and small readers, no behaviour
//! of the toolkit. What only one crate needs to know stands in that crate.

#![warn(clippy::missing_errors_doc)]

pub mod data_type;
pub mod fault;
pub mod format;
pub mod install;
pub mod kernel_flags;
pub mod operators;
pub mod single_op;
pub mod soc;
pub mod sources;
pub mod status;
pub mod variables;

pub use data_type::DataType;
pub use fault::FaultClass;
pub use format::Format;

/// Texts of the modules that decide how kernels are compiled and described: with them a kernel's object is stale.
pub const OF_KERNELS: [&str; 3] =
    [include_str!("data_type.rs"), include_str!("format.rs"), include_str!("kernel_flags.rs")];
