//! `test --sanitize`: C++ tests, unit tests and a load, all instrumented.

use std::path::PathBuf;

use anyhow::Result;
use xshell::cmd;

use super::layer::{self, TestRun};
use crate::base::args::{CheckArgs, OpArgs};
use crate::base::count::{self, Count, Outcome};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::instrument::{Build, Sanitizer};
use crate::base::proc;
use crate::base::term::err;
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::run::companion::{self, Companion, Load};
use crate::test::ut::{self, UtArgs};
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{self, RootKind};
use crate::toolchain::tools;

/// Another toolkit is built already, without the sanitizer.
pub fn check(plan: &Plan) -> Result<()> {
    if plan.root.kind == RootKind::Embedded {
        return Ok(());
    }
    Err(failed(Kind::Usage, "--sanitize builds the toolkit of this repository, but ASCEND_HOME_PATH is set")
        .hint("unset ASCEND_HOME_PATH"))
}

/// Builds everything anew and runs the C++ tests, the op's unit tests and the load test on it.
pub fn run(cx: &mut Ctx, sanitizer: Sanitizer, op: &OpArgs) -> Result<Done> {
    if cx.project.is_installed() {
        return Err(failed(
            Kind::Usage,
            "--sanitize compiles the toolkit's Rust sources, which an installed hostcann has not",
        )
        .hint("work in a clone of hostcann's repository: cargo xtask test --sanitize NAME"));
    }
    cx.project = cx.project.sanitized(Build::new(sanitizer)?);
    let plan = Plan::new(cx, op)?;
    tools::ensure(cx, false)?;
    let run = package::package(cx, &plan)?;
    // The installer would try to load libraries that only an instrumented program can load.
    install::install(cx, &plan, &run, &InstallOptions { force: true, ..InstallOptions::default() })?;
    let mut outcomes = Vec::new();
    let (vendor, ut, check) = (PathBuf::new(), UtArgs::default(), CheckArgs::default());
    let run = TestRun { plan: &plan, vendor: &vendor, filter: None, args: &[], ut: &ut, check: &check, again: false };
    // Of the repository's layers the C++ tests alone: Rust is compiled without the sanitizer.
    for layer in layer::of(plan.is_repository).into_iter().filter(|layer| layer.name() == "cpp") {
        outcomes.extend(layer.run(cx, &run, Vec::new())?);
    }
    outcomes.extend(ut::run(cx, &plan, &UtArgs::default())?);
    for companion in companion::of_plan(cx, &plan)? {
        if let Some(load) = &companion.load {
            outcomes.push(Outcome::new("load", run_load(cx, &plan, &companion, load)?));
        }
    }
    Ok(count::summary(&outcomes, Vec::new(), &op.selectors()))
}

/// Threads, streams and mixed calls.
fn run_load(cx: &mut Ctx, plan: &Plan, companion: &Companion, load: &Load) -> Result<Count> {
    cx.console.say("Testing", format!("load ({})", load.binary));
    let program = companion.build(cx, plan, &load.binary)?;
    cx.step("load", |cx| {
        let args = &load.args;
        let line = root::with_root(cmd!(cx.run.sh, "{program} {args...}"), &plan.root).envs(companion.env(plan));
        let outcome = proc::log_run(cx, "load", line)?;
        let findings = findings(&outcome.text);
        if !outcome.ok || findings > 0 {
            err!("{}", proc::last_lines(&outcome.text, 60));
        }
        let failed = u64::from(!outcome.ok).max(findings);
        Ok(Count { passed: u64::from(failed == 0), failed })
    })
}

/// Reports of a sanitizer in the output of a program.
pub fn findings(text: &str) -> u64 {
    const SIGNS: [&str; 4] =
        ["WARNING: ThreadSanitizer: ", "ERROR: AddressSanitizer: ", "ERROR: LeakSanitizer: ", ": runtime error: "];
    text.lines().filter(|line| SIGNS.iter().any(|sign| line.contains(sign))).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_counted() {
        let text =
            "==1==WARNING: ThreadSanitizer: data race (pid=1)\n  x\na.cpp:3:5: runtime error: shift exponent\nok\n";
        assert_eq!(findings(text), 2);
        assert_eq!(findings("12 passed, 0 failed\n"), 0);
    }
}
