//! Layers of `test`: what runs, when, and what it reports. A program may add layers of its own to those of operators.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::Result;
use clap::builder::PossibleValue;

use crate::base::args::CheckArgs;
use crate::base::count::{Count, Outcome};
use crate::base::ctx::Ctx;
use crate::base::diag::{self, HintExt, Kind, failed};
use crate::base::proc;
use crate::test::ut::UtArgs;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::RootKind;

/// What a layer is a test of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Any operator: also those from elsewhere.
    Operators,
    /// Operators of this repository.
    OwnOperators,
    /// The repository itself.
    Repository,
}

/// One run of `test`.
pub struct TestRun<'a> {
    pub plan: &'a Plan,
    /// Where the package is installed.
    pub vendor: &'a Path,
    /// Only tests whose name contains this.
    pub filter: Option<&'a str>,
    /// For the Rust test programs.
    pub args: &'a [String],
    pub ut: &'a UtArgs,
    pub check: &'a CheckArgs,
    /// Also what has ended before with the same sources.
    pub again: bool,
}

impl TestRun<'_> {
    /// The whole workspace is tested, and not the installed operators alone.
    pub fn is_workspace(&self) -> bool {
        self.plan.is_repository && self.plan.root.is_host() && !self.check.is_wanted()
    }

    pub fn is_device(&self) -> bool {
        self.plan.root.kind == RootKind::Cann
    }

    pub fn is_embedded(&self) -> bool {
        self.plan.root.kind == RootKind::Embedded
    }
}

/// Commands that a layer has started before its turn.
pub type Started = Vec<proc::Started>;

pub trait Layer: Sync {
    /// As on the command line.
    fn name(&self) -> &'static str;

    fn help(&self) -> &'static str {
        ""
    }

    fn subject(&self) -> Subject {
        Subject::Repository
    }

    /// It runs the operators' kernels: on the device with a real CANN, and watched with `--check`.
    fn runs_kernels(&self) -> bool {
        false
    }

    /// Not part of a plain run.
    fn on_request(&self) -> bool {
        false
    }

    /// Tests can be chosen by name.
    fn has_names(&self) -> bool {
        true
    }

    /// The others need neither the toolkit nor the installed package, or see to it themselves.
    fn needs_package(&self) -> bool {
        true
    }

    /// With `--shard` it asks for each of its units whether this part has it ([`crate::base::run::Run::takes`]). Any other layer
    /// is a unit.
    fn is_divided(&self) -> bool {
        false
    }

    /// It takes less time than a process that would run next to it.
    fn is_short(&self) -> bool {
        false
    }

    /// It runs after the layers that need nothing of cargo: what it started compiles meanwhile.
    fn waits_for_cargo(&self) -> bool {
        false
    }

    /// Why there is nothing to run on this toolkit.
    fn skipped(&self, _: &TestRun) -> Option<&'static str> {
        None
    }

    /// It has something to start; `workspace`: the whole workspace is tested.
    fn starts(&self, _workspace: bool) -> bool {
        false
    }

    /// What may run next to other layers before its own turn comes.
    ///
    /// # Errors
    /// A command that cannot be started.
    fn start(&self, _: &Ctx, _: &TestRun) -> Result<Started> {
        Ok(Vec::new())
    }

    /// # Errors
    /// Where no test could run; tests that fail are counted.
    fn run(&self, cx: &mut Ctx, run: &TestRun, started: Started) -> Result<Vec<Outcome>>;
}

impl std::fmt::Debug for dyn Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

pub type Layers = Vec<&'static dyn Layer>;

static ALL: OnceLock<Layers> = OnceLock::new();

/// Once, before the command line is read: all layers of this program, in the order of a plain run. Without it there is
/// none.
pub fn register(layers: Layers) {
    let _ = ALL.set(layers);
}

pub fn all() -> &'static [&'static dyn Layer] {
    ALL.get().map_or(&[], Vec::as_slice)
}

/// Values of `--only`.
pub fn values() -> Vec<PossibleValue> {
    all().iter().map(|layer| PossibleValue::new(layer.name()).help(layer.help())).collect()
}

pub fn is_layer(name: &str) -> bool {
    all().iter().any(|layer| layer.name() == name)
}

/// What a command line says about layers.
pub struct Selection<'a> {
    pub only: &'a [String],
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
///
/// # Errors
/// A layer of `--only` that this run does not have.
pub fn choose(all: &[&'static dyn Layer], wanted: &Selection) -> Result<Layers> {
    if wanted.only.is_empty() && wanted.units {
        return Ok(all.iter().copied().filter(|layer| layer.name() == "ut").collect());
    }
    if wanted.only.is_empty() {
        let taken = |layer: &&'static dyn Layer| {
            let whole = if wanted.checked || wanted.device {
                layer.runs_kernels()
            } else {
                wanted.repository || layer.subject() != Subject::Repository
            };
            whole && !layer.on_request() && (!wanted.filtered || layer.has_names())
        };
        return Ok(all.iter().copied().filter(taken).collect());
    }
    for layer in all.iter().filter(|layer| wanted.only.iter().any(|name| name == layer.name())) {
        if !wanted.repository && layer.subject() == Subject::Repository {
            let own: Vec<&str> =
                all.iter().filter(|layer| layer.subject() == Subject::Operators).map(|layer| layer.name()).collect();
            return Err(failed(
                Kind::Usage,
                format!("--only {}: it tests this repository, the run is about {}", layer.name(), wanted.ops),
            )
            .hint(format!("leave --op-dir and --ops out, or choose among {}", own.join(", "))));
        }
        if wanted.filtered && !layer.has_names() {
            return Err(failed(
                Kind::Usage,
                format!("--only {}: it has no tests to choose from by name", layer.name()),
            )
            .hint("leave the filter out"));
        }
    }
    Ok(all.iter().copied().filter(|layer| wanted.only.iter().any(|name| name == layer.name())).collect())
}

/// What a plain run takes of this repository, or of an operator from elsewhere. Only operators of this repository have tests in
/// Rust.
pub fn of(repository: bool) -> Layers {
    let taken =
        |layer: &&'static dyn Layer| !layer.on_request() && (repository || layer.subject() == Subject::Operators);
    all().iter().copied().filter(taken).collect()
}

/// What `--check` takes.
pub fn checked(repository: bool) -> Layers {
    of(repository).into_iter().filter(|layer| layer.runs_kernels()).collect()
}

/// In the order in which they run: where something compiles next to the others, cargo's layers come after them.
pub fn order(layers: &[&'static dyn Layer], workspace: bool) -> Layers {
    if !overlaps(layers, workspace) {
        return layers.to_vec();
    }
    let (last, first): (Layers, Layers) = layers.iter().partition(|layer| layer.waits_for_cargo());
    [first, last].concat()
}

/// Whether a layer of some length runs while another one compiles.
pub fn overlaps(layers: &[&'static dyn Layer], workspace: bool) -> bool {
    layers.iter().any(|layer| layer.starts(workspace))
        && layers.iter().any(|layer| !layer.waits_for_cargo() && !layer.is_short())
}

/// A check that passes or fails as a whole.
pub fn check(cx: &mut Ctx, name: &str, work: impl FnOnce(&mut Ctx) -> Result<()>) -> Outcome {
    let result = work(cx);
    if let Err(error) = &result {
        diag::show(error);
    }
    let failed = u64::from(result.is_err());
    Outcome::new(name, Count { passed: 1 - failed, failed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::operators_layers as product;

    const PLAIN: Selection = Selection {
        only: &[],
        units: false,
        checked: false,
        filtered: false,
        repository: true,
        device: false,
        ops: "x",
    };

    /// A layer of a repository, with what a test asks of it.
    struct Fake {
        name: &'static str,
        names: bool,
        compiles: bool,
        short: bool,
    }

    impl Layer for Fake {
        fn name(&self) -> &'static str {
            self.name
        }

        fn has_names(&self) -> bool {
            self.names
        }

        fn is_short(&self) -> bool {
            self.short
        }

        fn waits_for_cargo(&self) -> bool {
            self.compiles
        }

        fn starts(&self, workspace: bool) -> bool {
            self.compiles && workspace
        }

        fn run(&self, _: &mut Ctx, _: &TestRun, _: Started) -> Result<Vec<Outcome>> {
            Ok(Vec::new())
        }
    }

    static STYLE: Fake = Fake { name: "style", names: false, compiles: false, short: true };
    static RUST: Fake = Fake { name: "rust", names: true, compiles: true, short: false };
    static CPP: Fake = Fake { name: "cpp", names: true, compiles: false, short: false };

    fn layers() -> Layers {
        let own: Layers = vec![&STYLE, &RUST, &CPP];
        [own, product::all()].concat()
    }

    fn names(layers: &[&'static dyn Layer]) -> Vec<&'static str> {
        layers.iter().map(|layer| layer.name()).collect()
    }

    fn chosen(wanted: &Selection) -> Vec<&'static str> {
        names(&choose(&layers(), wanted).expect("layers"))
    }

    #[test]
    fn an_op_from_elsewhere_has_its_own_layers_only() {
        assert_eq!(chosen(&PLAIN), ["style", "rust", "cpp", "device", "ut", "example", "acceptance"]);
        assert_eq!(chosen(&Selection { device: true, ..PLAIN }), ["ut", "example", "acceptance"]);
        assert_eq!(chosen(&Selection { checked: true, ..PLAIN }), ["ut", "example", "acceptance"]);
        let elsewhere = Selection { repository: false, ..PLAIN };
        assert_eq!(chosen(&elsewhere), ["device", "ut", "example", "acceptance"]);
        let only = ["ut".to_owned(), "cpp".to_owned()];
        let error = choose(&layers(), &Selection { only: &only, ..elsewhere }).expect_err("not the op's");
        assert_eq!(diag::code(&error), 2);
        assert!(diag::causes(&error)[0].starts_with("--only cpp: it tests this repository, the run is about x"));
    }

    #[test]
    fn a_name_chooses_tests_not_checks() {
        let filtered = Selection { filtered: true, ..PLAIN };
        assert_eq!(chosen(&filtered), ["rust", "cpp", "ut", "example", "acceptance"]);
        let only = ["style".to_owned()];
        let error = choose(&layers(), &Selection { only: &only, ..filtered }).expect_err("no names");
        assert_eq!(diag::causes(&error)[0], "--only style: it has no tests to choose from by name");
    }

    #[test]
    fn unit_tests_of_one_kind_are_all_that_runs() {
        assert_eq!(chosen(&Selection { units: true, ..PLAIN }), ["ut"]);
        let only = ["example".to_owned(), "ut".to_owned()];
        assert_eq!(chosen(&Selection { units: true, only: &only, ..PLAIN }), ["ut", "example"]);
    }

    #[test]
    fn what_needs_cargo_waits_for_it() {
        let all: Layers = vec![&STYLE, &RUST, &CPP];
        assert_eq!(names(&order(&all, true)), ["style", "cpp", "rust"]);
        // Nothing is started, or nothing runs meanwhile.
        assert_eq!(names(&order(&all, false)), ["style", "rust", "cpp"]);
        let few: Layers = vec![&RUST, &STYLE];
        assert_eq!(names(&order(&few, true)), ["rust", "style"]);
    }

    #[test]
    fn mutants_run_when_they_are_asked_for() {
        let only = ["mutants".to_owned()];
        assert_eq!(chosen(&Selection { only: &only, ..PLAIN }), ["mutants"]);
        assert!(!chosen(&PLAIN).contains(&"mutants"));
    }
}
