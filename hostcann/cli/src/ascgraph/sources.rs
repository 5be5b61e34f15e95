//! What generated operators have of this repository.

use ascgraph::codegen::Sources;

pub const SOURCES: Sources<'static> = Sources {
    kernel_headers: autofuse::KERNEL_HEADERS,
    // `new` writes the same.
    example_frame: include_str!("../../templates/parts/example.cpp"),
};
