//! The C names, untouched, as bindgen reads them from the installed headers.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments, clippy::undocumented_unsafe_blocks)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));

/// The generated source, for the test that guards the signatures.
pub const BINDINGS: &str = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"));
