//! The layers of `test` and which of them a run takes.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layer {
    Fmt,
    Clippy,
    Rust,
    /// Kernels with one known fault each: every fault must be named, every right twin must pass
    BrokenKernels,
    /// Every kernel read by clang as a strict device compiler reads it
    Device,
    Cpp,
    Ut,
    Example,
    /// The operators of tests/operators: generated interfaces, tensor lists, tiling structs
    Operators,
    /// What `new` writes, as it writes it: examples, unit tests, both checked
    Templates,
    /// Faults of tests/mutants put into a copy of the op, each of which its test must notice; only when asked for
    Mutants,
}

/// What a plain run takes.
pub const ALL: &[Layer] = &[
    Layer::Fmt,
    Layer::Clippy,
    Layer::Rust,
    Layer::BrokenKernels,
    Layer::Device,
    Layer::Cpp,
    Layer::Ut,
    Layer::Example,
    Layer::Operators,
    Layer::Templates,
];

/// Layers that run the op's kernels.
pub const CHECKED: &[Layer] = &[Layer::Rust, Layer::Ut, Layer::Example];

/// What takes too long to be part of every run.
pub const ON_REQUEST: &[Layer] = &[Layer::Mutants];

impl Layer {
    /// The others need neither the toolkit nor the installed package, or see to it themselves.
    pub fn needs_package(self) -> bool {
        !matches!(self, Layer::Fmt | Layer::BrokenKernels | Layer::Operators | Layer::Templates)
    }
}
