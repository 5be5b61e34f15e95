//! The layers of `test` that are about this repository.

use anyhow::Result;

use hostcann_cli::base::count::Outcome;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::proc;
use hostcann_cli::test::layer::{Layer, Layers, Started, Subject, TestRun, check, outcome};
use hostcann_cli::test::operators_layers as product;
use hostcann_cli::toolchain::record;

use crate::{cpp, docs, fmt, lint, own_operators, own_rules, rust, templates, tidy};

/// In the order of a plain run.
pub fn all() -> Layers {
    vec![
        &Fmt,
        &Tidy,
        &Clippy,
        &Rust,
        &BrokenKernels,
        &product::Device,
        &Cpp,
        &product::Ut,
        &product::Example,
        &PackageRules,
        &product::Acceptance,
        &Operators,
        &Templates,
        &Docs,
        &product::Mutants,
    ]
}

const TOOLKIT: &str = "it tests the host toolkit of this repository";

fn only_embedded(run: &TestRun) -> Option<&'static str> {
    (!run.is_embedded()).then_some(TOOLKIT)
}

struct Fmt;

impl Layer for Fmt {
    fn name(&self) -> &'static str {
        "fmt"
    }

    fn help(&self) -> &'static str {
        "rustfmt and clang-format"
    }

    fn has_names(&self) -> bool {
        false
    }

    fn needs_package(&self) -> bool {
        false
    }

    fn is_short(&self) -> bool {
        true
    }

    fn run(&self, cx: &mut Ctx, _: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        Ok(vec![
            check(cx, "rustfmt", |cx| fmt::rust(cx, true)),
            check(cx, "clang-format", |cx| fmt::cpp(cx, true).map(drop)),
        ])
    }
}

struct Tidy;

impl Layer for Tidy {
    fn name(&self) -> &'static str {
        "tidy"
    }

    fn help(&self) -> &'static str {
        "The repository's own rules"
    }

    fn has_names(&self) -> bool {
        false
    }

    fn needs_package(&self) -> bool {
        false
    }

    fn is_short(&self) -> bool {
        true
    }

    fn run(&self, cx: &mut Ctx, _: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        Ok(vec![check(cx, "tidy", |cx| tidy::check(cx).map(drop))])
    }
}

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
        let wish = rust::Wish { filter: run.filter, args: run.args, env: None };
        if run.is_workspace() {
            // What does not compile the tests themselves report.
            cx.step("cargo-test-compile", |cx| {
                started.into_iter().try_for_each(|started| proc::finish(cx, started).map(drop))
            })?;
            return Ok(vec![outcome("rust", rust::workspace(cx, run.plan, &wish)?)]);
        }
        let count = rust::installed_ops(cx, run.plan, &wish)?;
        Ok(count.map(|count| outcome("rust", count)).into_iter().collect())
    }
}

struct BrokenKernels;

impl Layer for BrokenKernels {
    fn name(&self) -> &'static str {
        "broken-kernels"
    }

    fn help(&self) -> &'static str {
        "Kernels with one known fault each: every fault must be named, every right twin must pass"
    }

    fn needs_package(&self) -> bool {
        false
    }

    fn waits_for_cargo(&self) -> bool {
        true
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        (!run.plan.root.is_host()).then_some("they test the host toolkit's checker")
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        let wish = rust::Wish { filter: run.filter, args: run.args, env: None };
        Ok(vec![outcome("broken-kernels", rust::broken_kernels(cx, run.plan, &wish)?)])
    }
}

struct Cpp;

impl Layer for Cpp {
    fn name(&self) -> &'static str {
        "cpp"
    }

    fn help(&self) -> &'static str {
        "C++ tests of libnnopbase"
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        only_embedded(run)
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        Ok(vec![outcome("cpp", cpp::run(cx, run.plan, run.filter)?)])
    }
}

struct PackageRules;

impl Layer for PackageRules {
    fn name(&self) -> &'static str {
        "package-rules"
    }

    fn help(&self) -> &'static str {
        "The rules of a contribution that are about its package"
    }

    fn has_names(&self) -> bool {
        false
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        only_embedded(run)
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        let package = record::run_path(cx, run.plan);
        let rules = |cx: &mut Ctx| run.plan.ops.iter().try_for_each(|op| own_rules::package(cx, &op.path, &package));
        Ok(vec![check(cx, "rules about the package", rules)])
    }
}

struct Operators;

impl Layer for Operators {
    fn name(&self) -> &'static str {
        "operators"
    }

    fn help(&self) -> &'static str {
        "The operators of tests/operators: generated interfaces, tensor lists, tiling structs"
    }

    fn needs_package(&self) -> bool {
        false
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        only_embedded(run)
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        Ok(vec![outcome("operators", own_operators::run(cx, run.plan, run.filter)?)])
    }
}

struct Templates;

impl Layer for Templates {
    fn name(&self) -> &'static str {
        "templates"
    }

    fn help(&self) -> &'static str {
        "What `new` writes, as it writes it: examples, unit tests, both checked"
    }

    fn has_names(&self) -> bool {
        false
    }

    fn needs_package(&self) -> bool {
        false
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        only_embedded(run)
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        templates::run(cx, run.plan)
    }
}

struct Docs;

impl Layer for Docs {
    fn name(&self) -> &'static str {
        "docs"
    }

    fn help(&self) -> &'static str {
        "The commands of README.md and docs/; slow ones with `-- --ignored`"
    }

    fn waits_for_cargo(&self) -> bool {
        true
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        only_embedded(run)
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        let ignored = run.args.iter().any(|arg| arg == "--ignored" || arg == "--include-ignored");
        Ok(vec![outcome("docs", docs::run(cx, run.filter, ignored)?)])
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
