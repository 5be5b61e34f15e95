//! `test`: every layer, one summary.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::json;
use xshell::cmd;

use crate::args::{CheckArgs, OpArgs};
use crate::ctx::Ctx;
use crate::diag::{self, HintExt, Kind, failed};
use crate::example::{self, Wish};
use crate::exhaustive::Exhaustive;
use crate::fmt;
use crate::hostroot::{self, cargo, cargo_target};
use crate::install::{self, How};
use crate::lint;
use crate::operators;
use crate::package;
use crate::plan::Plan;
use crate::proc::{self, Shown};
use crate::root::RootKind;
use crate::sanitize::{self, Sanitizer};
use crate::tools;
use crate::upstream;
use crate::ut::{self, UtArgs};

const HELP: &str = "\
Examples:
  cargo xtask test
  cargo xtask test --only rust scalar      # Rust tests whose name contains `scalar`
  cargo xtask test --only cpp,example
  cargo xtask test --only broken-kernels          # the checker against kernels with one known fault each
  cargo xtask test --only broken-kernels queues   # those whose file or name contains `queues`
  cargo xtask test --only ut --op-dir ../my_ops/add_example
  cargo xtask test --ophost --gtest_filter='FmodTilingTest.*'   # unit tests of one kind, nothing else
  cargo xtask test --only rust -- --ignored
  cargo xtask test --check                                      # the op's tests, every kernel launch checked
  cargo xtask test --check=-multi-core --no-auto-sync --only ut
  cargo xtask test --flip=-saturation,-ftz --only example       # results that follow div_ulp or fma are failures
  cargo xtask test --sanitize thread                         # address, undefined, thread
  cargo xtask test --exhaustive --shard 1/4                  # target/xtask/exhaustive-1-of-4.json
  cargo xtask test --exhaustive --class f16-exact,i16 --switches div_ulp=random

The last line of every run is `N passed, N failed` over all layers; of a sweep, its verdict.";

/// Build and install, then run every test layer: formats, clippy, Rust, broken kernels, C++, the op's unit tests, examples
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Test {
    /// Only tests whose name contains this (Rust layer, broken kernels)
    filter: Option<String>,
    #[command(flatten)]
    op: OpArgs,
    /// Only these layers
    #[arg(long, value_delimiter = ',', value_name = "LAYER")]
    only: Vec<Layer>,
    #[command(flatten)]
    ut: UtArgs,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    exhaustive: Exhaustive,
    /// Instead of the layers: C++ tests, unit tests and a load test, all built with this sanitizer
    #[arg(long, value_enum, value_name = "SANITIZER", conflicts_with_all = ["filter", "only", "args", "exhaustive"])]
    sanitize: Option<Sanitizer>,
    /// For the Rust test programs
    #[arg(last = true)]
    args: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Layer {
    Fmt,
    Clippy,
    Rust,
    /// Kernels with one known fault each: every fault must be named, every right twin must pass
    BrokenKernels,
    Cpp,
    Ut,
    Example,
    /// The operators of tests/operators: generated interfaces, tensor lists, tiling structs
    Operators,
}

const ALL: [Layer; 8] = [
    Layer::Fmt,
    Layer::Clippy,
    Layer::Rust,
    Layer::BrokenKernels,
    Layer::Cpp,
    Layer::Ut,
    Layer::Example,
    Layer::Operators,
];

/// Layers that run the op's kernels.
const CHECKED: [Layer; 3] = [Layer::Rust, Layer::Ut, Layer::Example];

#[derive(Clone, Copy, Default)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
}

pub struct Outcome {
    pub layer: String,
    pub count: Count,
}

impl Test {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        if let Some(sanitizer) = self.sanitize {
            return sanitize::run(cx, sanitizer, &self.op);
        }
        let plan = Plan::new(cx, &self.op)?;
        let layers: Vec<Layer> = match (self.only.is_empty(), self.ut.any()) {
            (true, true) => vec![Layer::Ut],
            (true, false) if self.check.is_wanted() => CHECKED.to_vec(),
            (true, false) => ALL.to_vec(),
            (false, _) => ALL.into_iter().filter(|layer| self.only.contains(layer)).collect(),
        };
        // These need neither the toolkit nor the installed package, or see to it themselves.
        let vendor =
            if layers.iter().any(|&layer| !matches!(layer, Layer::Fmt | Layer::BrokenKernels | Layer::Operators)) {
                tools::ensure(cx, false)?;
                let run = package::package(cx, &plan)?;
                install::install(cx, &plan, &run, &How::default())?
            } else {
                PathBuf::new()
            };
        if plan.root.kind == RootKind::Cann {
            self.check.refuse(&plan)?;
        }
        self.check.apply(&cx.sh);
        if self.exhaustive.is_wanted() {
            return self.exhaustive.run(cx, &plan);
        }
        let mut outcomes: Vec<Outcome> = Vec::new();
        for layer in layers {
            match layer {
                Layer::Fmt => {
                    outcomes.push(check(cx, "rustfmt", |cx| fmt::rust(cx, true)));
                    outcomes.push(check(cx, "clang-format", |cx| fmt::cpp(cx, true).map(drop)));
                }
                Layer::Clippy => {
                    outcomes.push(check(cx, "clippy", lint::clippy));
                    outcomes.push(check(cx, "other architecture", lint::other_architecture));
                }
                Layer::Rust => outcomes.push(Outcome { layer: "rust".into(), count: self.rust(cx, &plan)? }),
                Layer::BrokenKernels => {
                    let which = ["--package", "hostcann-aicore", "--package", "hostcann-runtime", "--test", "broken"];
                    let count = self.cargo_test(cx, &plan, "broken-kernels", &which)?;
                    outcomes.push(Outcome { layer: "broken-kernels".into(), count });
                }
                Layer::Cpp if plan.root.kind == RootKind::Embedded => {
                    outcomes.push(Outcome { layer: "cpp".into(), count: cpp(cx, &plan)? });
                }
                Layer::Cpp => cx.say("Skipping", "cpp: it tests the host toolkit of this repository"),
                Layer::Ut if plan.root.kind == RootKind::Cann => {
                    cx.say("Skipping", "ut: with a real CANN they run in an ops-math checkout, build.sh -u");
                }
                Layer::Ut => match ut::run(cx, &plan, &self.ut) {
                    Ok(ran) => outcomes.extend(ran),
                    Err(error) => outcomes.push(check(cx, "ut", |_| Err(error))),
                },
                Layer::Example if plan.root.kind == RootKind::Cann => {
                    outcomes.push(check(cx, "example", |cx| upstream::example(cx, &plan, None, false)));
                }
                Layer::Example => outcomes.push(examples(cx, &plan, &vendor)?),
                Layer::Operators if plan.root.kind == RootKind::Embedded => {
                    outcomes.push(Outcome { layer: "operators".into(), count: operators::run(cx, &plan)? });
                }
                Layer::Operators => cx.say("Skipping", "operators: they test the host toolkit of this repository"),
            }
        }
        summary(cx, &outcomes)
    }

    fn rust(&self, cx: &mut Ctx, plan: &Plan) -> Result<Count> {
        if self.check.is_wanted() {
            // The toolkit's own tests say what they run checked.
            return self.cargo_test(cx, plan, "cargo-test", &["--package", "fmod-tests"]);
        }
        // Apart, because the workspace together unifies features: xtask would be built in two ways in turn.
        let mut count = self.cargo_test(cx, plan, "cargo-test", &["--workspace", "--exclude", "xtask"])?;
        let own = self.cargo_test(cx, plan, "cargo-test-xtask", &["--package", "xtask"])?;
        count.passed += own.passed;
        count.failed += own.failed;
        Ok(count)
    }

    fn cargo_test(&self, cx: &mut Ctx, plan: &Plan, step: &str, which: &[&str]) -> Result<Count> {
        cx.say("Testing", format!("Rust (cargo test {})", which.join(" ")));
        cx.step(step, |cx| {
            let (cargo, target, jobs) = (cargo(), cargo_target(cx), plan.jobs.to_string());
            let (filter, args) = (&self.filter, &self.args);
            let _dir = cx.sh.push_dir(&cx.repo);
            let line = cmd!(
                cx.sh,
                "{cargo} test {which...} --no-fail-fast -j {jobs} --target-dir {target} {filter...} -- {args...}"
            );
            let outcome = proc::run_shown(cx, step, install::with_root(line, &plan.root), Shown::Lines(progress))?;
            let count = count_rust(&outcome.text);
            // Without a single result the tests did not even start.
            if !outcome.ok && count.failed == 0 {
                return Err(proc::tool_failed(cx, step, Kind::Build, "cargo", &outcome));
            }
            if count.failed > 0 {
                eprintln!("{}", failures(&outcome.text));
            }
            Ok(count)
        })
    }
}

/// A check that passes or fails as a whole.
fn check(cx: &mut Ctx, name: &str, work: impl FnOnce(&mut Ctx) -> Result<()>) -> Outcome {
    let result = work(cx);
    if let Err(error) = &result {
        diag::show(error);
    }
    let failed = u64::from(result.is_err());
    Outcome { layer: name.to_owned(), count: Count { passed: 1 - failed, failed } }
}

pub fn cpp(cx: &mut Ctx, plan: &Plan) -> Result<Count> {
    cx.say("Testing", "C++ (nnopbase_tests)");
    let tools = tools::ensure(cx, false)?;
    cx.step("nnopbase_tests", |cx| {
        let project = hostroot::project(cx, plan, "nnopbase_tests");
        project.build(cx, &tools)?;
        let program = project.out.join("build/nnopbase_tests");
        let line = install::with_root(cmd!(cx.sh, "{program}"), &plan.root);
        let outcome = proc::log_run(cx, "nnopbase_tests", line)?;
        let count = count_cpp(&outcome.text).unwrap_or_default();
        if !outcome.ok || count.failed > 0 {
            eprintln!("{}", proc::last_lines(&outcome.text, 40));
            let failed = count.failed.max(1);
            return Ok(Count { passed: count.passed, failed });
        }
        if count.passed == 0 {
            return Err(failed(Kind::Tests, "nnopbase_tests printed no line `N passed, M failed`")
                .hint("see its log below target/xtask/log"));
        }
        Ok(count)
    })
}

fn examples(cx: &mut Ctx, plan: &Plan, vendor: &std::path::Path) -> Result<Outcome> {
    let results = example::run_all(cx, plan, vendor, &Wish::default())?;
    let failed = results.iter().filter(|ran| !ran.ok).count() as u64;
    Ok(Outcome { layer: "example".into(), count: Count { passed: results.len() as u64 - failed, failed } })
}

pub fn summary(cx: &mut Ctx, outcomes: &[Outcome]) -> Result<()> {
    let mut all = Count::default();
    eprintln!();
    for outcome in outcomes {
        let Count { passed, failed } = outcome.count;
        eprintln!(
            "  {} {:<18} {passed:>6} passed {failed:>4} failed",
            if failed == 0 { "ok  " } else { "FAIL" },
            outcome.layer
        );
        all = Count { passed: all.passed + passed, failed: all.failed + failed };
    }
    let layers = outcomes.iter().map(|o| json!({"layer": o.layer, "passed": o.count.passed, "failed": o.count.failed}));
    cx.report("layers", layers.collect::<Vec<_>>());
    cx.report("passed", all.passed);
    cx.report("failed", all.failed);
    let bad: Vec<&str> = outcomes.iter().filter(|o| o.count.failed > 0).map(|o| o.layer.as_str()).collect();
    if bad.is_empty() {
        cx.verdict(format!("test: {} layers", outcomes.len()));
        cx.last_line(format!("{} passed, 0 failed", all.passed));
        return Ok(());
    }
    cx.last_line(format!("{} passed, {} failed", all.passed, all.failed));
    Err(failed(Kind::Tests, format!("failed: {}", bad.join(", ")))
        .hint(format!("logs are in target/xtask/log; one layer alone: cargo xtask test --only {}", only_name(bad[0]))))
}

fn only_name(layer: &str) -> &str {
    match layer {
        "rustfmt" | "clang-format" => "fmt",
        layer if layer.starts_with("math_op_") => "ut",
        layer => layer,
    }
}

/// Lines of cargo test worth seeing while it runs.
fn progress(line: &str) -> bool {
    let line = line.trim_start();
    ["Running ", "Compiling ", "Doc-tests "].iter().any(|start| line.starts_with(start))
        || line.starts_with("test result:")
        || (line.starts_with("test ") && line.ends_with("FAILED"))
}

fn count_rust(text: &str) -> Count {
    let mut count = Count::default();
    for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("test result:")) {
        count.passed += number_before(line, " passed").unwrap_or(0);
        count.failed += number_before(line, " failed").unwrap_or(0);
    }
    // A test program that dies has no result line.
    count.failed += text.lines().filter(|line| line.contains("(signal: ")).count() as u64;
    count
}

pub fn count_cpp(text: &str) -> Option<Count> {
    let line = text.lines().rfind(|line| line.contains(" passed, ") && line.contains(" failed"))?;
    Some(Count { passed: number_before(line, " passed")?, failed: number_before(line, " failed")? })
}

fn number_before(line: &str, word: &str) -> Option<u64> {
    line[..line.find(word)?].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The `failures:` sections that libtest prints, without the lists behind them.
fn failures(text: &str) -> String {
    const MOST: usize = 200;
    let mut shown = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("---- ") {
            inside = true;
        } else if line == "failures:" || line.starts_with("test result:") {
            inside = false;
        }
        if inside {
            shown.push(line);
        }
    }
    let cut = shown.len().saturating_sub(MOST);
    shown.truncate(MOST);
    let mut text = shown.join("\n");
    if cut > 0 {
        text.push_str(&format!("\n… {cut} more lines in target/xtask/log"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &str = "
running 3 tests
test a ... ok
test b ... FAILED

failures:

---- b stdout ----
assertion failed: 1 == 2

failures:
    b

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

test result: ok. 40 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn counts() {
        let count = count_rust(CARGO);
        assert_eq!((count.passed, count.failed), (42, 1));
        let count = count_cpp("[ok] x\n17 passed, 2 failed\n").expect("a count");
        assert_eq!((count.passed, count.failed), (17, 2));
        assert!(count_cpp("Segmentation fault").is_none());
        assert_eq!(count_rust("process didn't exit successfully: `x` (signal: 11, SIGSEGV)").failed, 1);
    }

    #[test]
    fn failure_texts() {
        assert_eq!(failures(CARGO), "---- b stdout ----\nassertion failed: 1 == 2\n");
    }
}
