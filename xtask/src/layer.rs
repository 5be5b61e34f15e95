//! The layers of `test` and which of them a run takes.

use anyhow::Result;
use clap::ValueEnum;

use crate::diag::{HintExt, Kind, failed};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layer {
    Fmt,
    /// The repository's own rules
    Tidy,
    Clippy,
    Rust,
    /// Kernels with one known fault each: every fault must be named, every right twin must pass
    BrokenKernels,
    /// Every kernel read by clang as a strict device compiler reads it
    Device,
    Cpp,
    Ut,
    Example,
    /// The case files in tests/aot of the ops: operands and goldens by Python, AscendOpTest's comparison
    Acceptance,
    /// The operators of tests/operators: generated interfaces, tensor lists, tiling structs
    Operators,
    /// What `new` writes, as it writes it: examples, unit tests, both checked
    Templates,
    /// The commands of README.md and docs/; slow ones with `-- --ignored`
    Docs,
    /// Faults of tests/mutants put into a copy of the op, each of which its test must notice; only when asked for
    Mutants,
}

/// What a plain run takes.
const ALL: &[Layer] = &[
    Layer::Fmt,
    Layer::Tidy,
    Layer::Clippy,
    Layer::Rust,
    Layer::BrokenKernels,
    Layer::Device,
    Layer::Cpp,
    Layer::Ut,
    Layer::Example,
    Layer::Acceptance,
    Layer::Operators,
    Layer::Templates,
    Layer::Docs,
];

/// Layers of the ops themselves.
const OPS: &[Layer] = &[Layer::Rust, Layer::Device, Layer::Ut, Layer::Example, Layer::Acceptance];

/// Those that run the ops' kernels; with a real CANN the device runs them.
const RUNNING: &[Layer] = &[Layer::Rust, Layer::Ut, Layer::Example, Layer::Acceptance];

/// What takes too long to be part of every run.
const ON_REQUEST: &[Layer] = &[Layer::Mutants];

/// What a command line says about layers.
pub struct Wish<'a> {
    pub only: &'a [Layer],
    /// Unit tests of one kind, or by name.
    pub units: bool,
    pub checked: bool,
    pub filtered: bool,
    /// The repository's own ops are tested, and with them the repository.
    pub repository: bool,
    /// The toolkit is a real CANN.
    pub device: bool,
    pub ops: &'a str,
}

/// In the order of a plain run.
pub fn choose(wish: &Wish) -> Result<Vec<Layer>> {
    if wish.only.is_empty() && wish.units {
        return Ok(vec![Layer::Ut]);
    }
    if wish.only.is_empty() {
        let all = match wish {
            Wish { checked: true, .. } | Wish { device: true, .. } => RUNNING,
            Wish { repository: true, .. } => ALL,
            _ => OPS,
        };
        return Ok(all.iter().copied().filter(|layer| !wish.filtered || layer.has_names()).collect());
    }
    for layer in wish.only {
        if !wish.repository && !layer.is_the_ops() {
            return Err(failed(
                Kind::Usage,
                format!("--only {}: it tests this repository, the run is about {}", layer.name(), wish.ops),
            )
            .hint("leave --op-dir and --ops out, or choose among rust, device, ut, example, acceptance"));
        }
        if wish.filtered && !layer.has_names() {
            return Err(failed(
                Kind::Usage,
                format!("--only {}: it has no tests to choose from by name", layer.name()),
            )
            .hint("leave the filter out"));
        }
    }
    Ok(ALL.iter().chain(ON_REQUEST).copied().filter(|layer| wish.only.contains(layer)).collect())
}

/// What a plain run takes of this repository, or of an operator from elsewhere. Only operators of this repository have tests in
/// Rust.
pub fn of(repository: bool) -> Vec<Layer> {
    if repository { ALL.to_vec() } else { OPS.iter().copied().filter(|layer| *layer != Layer::Rust).collect() }
}

/// What `--check` takes.
pub fn checked(repository: bool) -> Vec<Layer> {
    RUNNING.iter().copied().filter(|layer| repository || *layer != Layer::Rust).collect()
}

pub fn is_layer(name: &str) -> bool {
    Layer::from_str(name, false).is_ok()
}

impl Layer {
    /// As on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The others need neither the toolkit nor the installed package, or see to it themselves.
    pub fn needs_package(self) -> bool {
        !matches!(
            self,
            Layer::Fmt | Layer::Tidy | Layer::BrokenKernels | Layer::Device | Layer::Operators | Layer::Templates
        )
    }

    fn is_the_ops(self) -> bool {
        OPS.contains(&self) || self == Layer::Mutants
    }

    fn has_names(self) -> bool {
        !matches!(self, Layer::Fmt | Layer::Tidy | Layer::Clippy | Layer::Device | Layer::Templates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag;

    const PLAIN: Wish =
        Wish { only: &[], units: false, checked: false, filtered: false, repository: true, device: false, ops: "x" };

    #[test]
    fn an_op_from_elsewhere_has_its_own_layers_only() {
        assert_eq!(choose(&PLAIN).expect("layers"), ALL);
        assert_eq!(choose(&Wish { device: true, ..PLAIN }).expect("layers"), RUNNING);
        let elsewhere = Wish { repository: false, ..PLAIN };
        assert_eq!(choose(&elsewhere).expect("layers"), OPS);
        assert_eq!(choose(&Wish { checked: true, ..PLAIN }).expect("layers"), RUNNING);
        let error = choose(&Wish { only: &[Layer::Ut, Layer::BrokenKernels], ..elsewhere }).expect_err("not the op's");
        assert_eq!(diag::code(&error), 2);
        assert!(
            diag::causes(&error)[0].starts_with("--only broken-kernels: it tests this repository, the run is about x")
        );
    }

    #[test]
    fn a_name_chooses_tests_not_checks() {
        let layers = choose(&Wish { filtered: true, ..PLAIN }).expect("layers");
        let named: Vec<Layer> = ALL.iter().copied().filter(|layer| layer.has_names()).collect();
        assert_eq!(layers, named);
        assert!(!layers.contains(&Layer::Clippy) && layers.contains(&Layer::Cpp));
        let error = choose(&Wish { filtered: true, only: &[Layer::Fmt], ..PLAIN }).expect_err("no names");
        assert_eq!(diag::causes(&error)[0], "--only fmt: it has no tests to choose from by name");
    }

    #[test]
    fn unit_tests_of_one_kind_are_all_that_runs() {
        assert_eq!(choose(&Wish { units: true, ..PLAIN }).expect("layers"), [Layer::Ut]);
        let only = Wish { units: true, only: &[Layer::Example, Layer::Ut], ..PLAIN };
        assert_eq!(choose(&only).expect("layers"), [Layer::Ut, Layer::Example]);
    }
}
