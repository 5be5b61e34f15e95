//! The layers of `test` that are about this repository.

use anyhow::Result;

use hostcann_cli::base::count::Outcome;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::proc;
use hostcann_cli::test::layer::{Layer, Layers, Started, Subject, TestRun, check};
use hostcann_cli::test::operators_layers as product;
use hostcann_cli::toolchain::record;

use crate::{cpp, docs, fmt, installed, lint, own_operators, own_rules, rust, templates, tidy};

/// In the order of a plain run.
pub fn all() -> Layers {
    vec![
        &FMT,
        &TIDY,
        &Clippy,
        &Rust,
        &BROKEN_KERNELS,
        &product::Device,
        &CPP,
        &product::Ut,
        &product::Example,
        &PACKAGE_RULES,
        &product::Acceptance,
        &OPERATORS,
        &TEMPLATES,
        &INSTALLED,
        &DOCS,
        &product::Mutants,
    ]
}

/// A layer that starts nothing before its turn.
struct Plain {
    name: &'static str,
    help: &'static str,
    has_names: bool,
    is_divided: bool,
    needs_package: bool,
    is_short: bool,
    waits_for_cargo: bool,
    skipped: fn(&TestRun) -> Option<&'static str>,
    run: fn(&mut Ctx, &TestRun) -> Result<Vec<Outcome>>,
}

impl Layer for Plain {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

    fn has_names(&self) -> bool {
        self.has_names
    }

    fn is_divided(&self) -> bool {
        self.is_divided
    }

    fn needs_package(&self) -> bool {
        self.needs_package
    }

    fn is_short(&self) -> bool {
        self.is_short
    }

    fn waits_for_cargo(&self) -> bool {
        self.waits_for_cargo
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        (self.skipped)(run)
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        (self.run)(cx, run)
    }
}

/// What most have: tests by name, of the toolkit that this repository builds.
const USUAL: Plain = Plain {
    name: "",
    help: "",
    has_names: true,
    is_divided: false,
    needs_package: true,
    is_short: false,
    waits_for_cargo: false,
    skipped: |run| (!run.is_embedded()).then_some("it tests the host toolkit of this repository"),
    run: |_, _| Ok(Vec::new()),
};

/// Of the sources alone.
const SOURCES: Plain = Plain { has_names: false, needs_package: false, is_short: true, skipped: |_| None, ..USUAL };

static FMT: Plain = Plain {
    name: "fmt",
    help: "rustfmt and clang-format",
    run: |cx, _| {
        let rust = check(cx, "rustfmt", |cx| fmt::rust(cx, true));
        Ok(vec![rust, check(cx, "clang-format", |cx| fmt::cpp(cx, true).map(drop))])
    },
    ..SOURCES
};

static TIDY: Plain = Plain {
    name: "tidy",
    help: "The repository's own rules",
    run: |cx, _| Ok(vec![check(cx, "tidy", |cx| tidy::check(cx).map(drop))]),
    ..SOURCES
};

static BROKEN_KERNELS: Plain = Plain {
    name: "broken-kernels",
    help: "Kernels with one known fault each: every fault must be named, every right twin must pass",
    is_divided: true,
    needs_package: false,
    waits_for_cargo: true,
    skipped: |run| (!run.plan.root.is_host()).then_some("they test the host toolkit's checker"),
    run: |cx, run| {
        let selection = rust::TestSelection { filter: run.filter, args: run.args, env: None };
        Ok(vec![Outcome::new("broken-kernels", rust::broken_kernels(cx, run.plan, &selection)?)])
    },
    ..USUAL
};

static CPP: Plain = Plain {
    name: "cpp",
    help: "C++ tests of libnnopbase",
    run: |cx, run| Ok(vec![Outcome::new("cpp", cpp::run(cx, run.plan, run.filter)?)]),
    ..USUAL
};

static PACKAGE_RULES: Plain = Plain {
    name: "package-rules",
    help: "The contribution rules of the package",
    has_names: false,
    run: |cx, run| {
        let package = record::run_path(cx, run.plan);
        let rules = |cx: &mut Ctx| run.plan.ops.iter().try_for_each(|op| own_rules::package(cx, &op.path, &package));
        Ok(vec![check(cx, "rules about the package", rules)])
    },
    ..USUAL
};

static OPERATORS: Plain = Plain {
    name: "operators",
    help: "The operators of tests/operators: generated interfaces, tensor lists, tiling structs",
    is_divided: true,
    needs_package: false,
    run: |cx, run| Ok(vec![Outcome::new("operators", own_operators::run(cx, run.plan, run.filter)?)]),
    ..USUAL
};

static TEMPLATES: Plain = Plain {
    name: "templates",
    help: "The operators that `new` writes: examples and unit tests, both checked",
    has_names: false,
    needs_package: false,
    run: |cx, run| templates::run(cx, run.plan),
    ..USUAL
};

static INSTALLED: Plain = Plain {
    name: "installed",
    help: "The wheel, without cargo and without this repository",
    has_names: false,
    needs_package: false,
    waits_for_cargo: true,
    run: |cx, _| installed::run(cx),
    ..USUAL
};

static DOCS: Plain = Plain {
    name: "docs",
    help: "The commands of README.md and docs/; slow ones with `-- --ignored`",
    is_divided: true,
    waits_for_cargo: true,
    run: |cx, run| {
        let ignored = run.args.iter().any(|arg| arg == "--ignored" || arg == "--include-ignored");
        Ok(vec![Outcome::new("docs", docs::run(cx, run.filter, ignored)?)])
    },
    ..USUAL
};

struct Clippy;

impl Layer for Clippy {
    fn name(&self) -> &'static str {
        "clippy"
    }

    fn help(&self) -> &'static str {
        "Warnings of clippy, and a check for the other architecture"
    }

    fn has_names(&self) -> bool {
        false
    }

    fn waits_for_cargo(&self) -> bool {
        true
    }

    fn starts(&self, _: bool) -> bool {
        true
    }

    fn start(&self, cx: &Ctx, _: &TestRun) -> Result<Started> {
        Ok(vec![lint::start_clippy(cx)?])
    }

    fn run(&self, cx: &mut Ctx, _: &TestRun, started: Started) -> Result<Vec<Outcome>> {
        let mut ran = true;
        let clippy = |cx: &mut Ctx| {
            cx.step("clippy", |cx| {
                let started = started.into_iter().next().map_or_else(|| lint::start_clippy(cx), Ok)?;
                lint::finish_clippy(cx, started)
            })
        };
        let other = |cx: &mut Ctx| lint::other_architecture(cx).map(|was_there| ran = was_there);
        let all = vec![check(cx, "clippy", clippy), check(cx, "other architecture", other)];
        Ok(all.into_iter().map(|outcome| if ran { outcome } else { outcome.skipped("other architecture") }).collect())
    }
}

struct Rust;

impl Layer for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn help(&self) -> &'static str {
        "Every Rust test; of operators those on the installed package"
    }

    fn subject(&self) -> Subject {
        Subject::OwnOperators
    }

    fn is_divided(&self) -> bool {
        true
    }

    fn runs_kernels(&self) -> bool {
        true
    }

    fn waits_for_cargo(&self) -> bool {
        true
    }

    fn starts(&self, workspace: bool) -> bool {
        workspace
    }

    fn start(&self, cx: &Ctx, run: &TestRun) -> Result<Started> {
        if run.is_workspace() { rust::compile(cx, run.plan) } else { Ok(Vec::new()) }
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, started: Started) -> Result<Vec<Outcome>> {
        let selection = rust::TestSelection { filter: run.filter, args: run.args, env: None };
        if run.is_workspace() {
            // What does not compile the tests themselves report.
            cx.step("cargo-test-compile", |cx| {
                started.into_iter().try_for_each(|started| proc::finish(cx, started).map(drop))
            })?;
            return Ok(vec![Outcome::new("rust", rust::workspace(cx, run.plan, &selection)?)]);
        }
        let ran = rust::installed_ops(cx, run.plan, &selection)?;
        Ok(ran.map(|ran| Outcome::new("rust", ran)).into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use hostcann_cli::contribute::report::words::named;

    #[test]
    fn every_layer_has_a_chinese_word() {
        for layer in super::all() {
            let word = named(layer.name());
            assert!(!word.zh.is_ascii() && word.en == layer.name(), "{}: {}", layer.name(), word.zh);
        }
    }
}
