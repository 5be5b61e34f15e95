//! `test --sanitize`: C++ tests, unit tests and a load, all instrumented.

use anyhow::Result;
use xshell::cmd;

use crate::args::OpArgs;
use crate::companion::{self, Companion, Load};
use crate::count::{self, Count, Outcome};
use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};
use crate::install::{self, How};
use crate::instrument::{Build, Sanitizer};
use crate::package;
use crate::plan::Plan;
use crate::proc;
use crate::root::{self, RootKind};
use crate::term::err;
use crate::tools;
use crate::ut::{self, UtArgs};

/// Builds everything anew and runs the C++ tests, the op's unit tests and the load test on it.
pub fn run(cx: &mut Ctx, sanitizer: Sanitizer, op: &OpArgs) -> Result<()> {
    cx.sanitize = Some(Build::new(sanitizer)?);
    let plan = Plan::new(cx, op)?;
    if plan.root.kind != RootKind::Embedded {
        return Err(failed(
            Kind::Usage,
            "--sanitize builds the toolkit of this repository, but ASCEND_HOME_PATH is set",
        )
        .hint("unset ASCEND_HOME_PATH"));
    }
    tools::ensure(cx, false)?;
    let run = package::package(cx, &plan)?;
    // The installer would try to load libraries that only an instrumented program can load.
    install::install(cx, &plan, &run, &How { force: true, ..How::default() })?;
    let mut outcomes = Vec::new();
    if plan.is_repository {
        outcomes.push(Outcome { layer: "cpp".into(), count: super::cpp::run(cx, &plan, None)? });
    }
    outcomes.extend(ut::run(cx, &plan, &UtArgs::default())?);
    for companion in companion::of_plan(cx, &plan)? {
        if let Some(load) = &companion.load {
            outcomes.push(Outcome { layer: "load".into(), count: run_load(cx, &plan, &companion, load)? });
        }
    }
    count::summary(cx, &outcomes, &op.selectors())
}

/// Threads, streams and mixed calls.
fn run_load(cx: &mut Ctx, plan: &Plan, companion: &Companion, load: &Load) -> Result<Count> {
    cx.say("Testing", format!("load ({})", load.binary));
    let program = companion.build(cx, plan, &load.binary)?;
    cx.step("load", |cx| {
        let args = &load.args;
        let line = root::with_root(cmd!(cx.sh, "{program} {args...}"), &plan.root).envs(companion.env(plan));
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
