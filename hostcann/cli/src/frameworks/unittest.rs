//! `test` of every framework: Python's unittest on its session.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use xshell::Cmd;

use crate::base::args::{CheckArgs, OpArgs, TimeArgs};
use crate::base::count::Count;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::done::Done;
use crate::base::plural::number;
use crate::base::proc;
use crate::base::report::TestResult;
use crate::base::term::out;
use crate::frameworks::session::Session;

#[derive(Args)]
pub struct TestArgs {
    /// Run only tests whose names contain one of these
    filter: Vec<String>,
    #[command(flatten)]
    pub op: OpArgs,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    time: TimeArgs,
}

/// Every file of tests.
pub const ALL: &str = "test*.py";

/// One program of unittest.
pub struct Suite<'a> {
    /// Of the step and of its log.
    pub name: &'a str,
    pub dir: &'a Path,
    /// Its files of tests.
    pub pattern: &'a str,
    /// What only this one reads.
    pub variables: Vec<(&'static str, std::ffi::OsString)>,
}

impl TestArgs {
    /// The tests in a directory: what failed comes to the terminal, everything into the log.
    pub fn run(&self, cx: &mut Ctx, session: &Session, suite: &Suite) -> Result<Count> {
        cx.console.say("Running", format!("{}: the tests in {}", suite.name, cx.project.show(suite.dir)));
        cx.run.watch(&cx.project, &self.check);
        cx.run.limit(&self.time);
        let outcome =
            cx.step(suite.name, |cx| proc::log_program(cx, suite.name, self.line(session.line(cx)?, suite)))?;
        let counted = count(suite.name, &outcome.text, outcome.ok, &outcome.status)?;
        if !outcome.ok {
            let text = &outcome.text;
            let from = text.find("\n======").map_or(0, |at| at + 1);
            out!("{}", proc::last_lines(&text[from..], 200));
            cx.console.say("Log", cx.project.show(&cx.project.log_file(suite.name)));
        }
        Ok(counted)
    }

    fn line<'a>(&self, line: Cmd<'a>, suite: &Suite) -> Cmd<'a> {
        // A checkout is no place for what Python compiles.
        let line = line.env("PYTHONDONTWRITEBYTECODE", "1").envs(suite.variables.iter().cloned());
        let line = line.args(["-m", "unittest", "discover", "-v", "-s"]).arg(suite.dir).args(["-p", suite.pattern]);
        self.filter.iter().fold(line, |line, word| line.arg("-k").arg(word))
    }

    /// What all suites of `test` amount to.
    pub fn judge(&self, framework: &str, all: Count) -> Done {
        let Count { passed, failed: bad } = all;
        let done = Done::with(&TestResult { passed, failed: bad, ..TestResult::default() });
        if passed + bad == 0 {
            let words = self.filter.join("`, `");
            let message = format!("nothing was tested: no test's name contains `{words}`");
            return done
                .failed(failed(Kind::NoTests, message).hint(format!(
                    "`cargo xtask {framework} test` without words runs all; their names are in its log"
                )));
        }
        let done = done.last_line(format!("{passed} passed, {bad} failed"));
        if bad > 0 {
            let message = format!("{bad} of {} tests of {framework} failed", passed + bad);
            return done.failed(
                failed(Kind::Tests, message).hint(format!(
                    "the logs are in target/xtask/log; one test alone: cargo xtask {framework} test NAME"
                )),
            );
        }
        done.verdict(format!("{framework} test: {}", number(passed, "test")))
    }
}

/// From `Ran N tests in …` and `FAILED (failures=…, errors=…)`.
fn count(name: &str, text: &str, ok: bool, status: &str) -> Result<Count> {
    let ran = text.lines().rev().find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse::<u64>().ok());
    let Some(ran) = ran else {
        let message = format!("{name}: the tests ended early ({status})");
        return Err(failed_with(Kind::Tests, message, proc::last_lines(text, 40))
            .hint(format!("the whole log is target/xtask/log/{name}.log")));
    };
    // `OK (skipped=1)`, `FAILED (failures=2, skipped=3)`
    let summary = text.lines().rev().find_map(|line| line.strip_prefix("FAILED (").or(line.strip_prefix("OK (")));
    let numbers = |wanted: &[&str]| -> u64 {
        let list = summary.unwrap_or_default().trim_end_matches(')').split(", ");
        let pairs = list.filter_map(|part| part.split_once('=')).filter(|(word, _)| wanted.contains(word));
        pairs.filter_map(|(_, number)| number.parse::<u64>().ok()).sum()
    };
    let bad = numbers(&["failures", "errors"]);
    // Every subtest that fails counts; a run that fails without one is one failure.
    let bad = if ok || ran == 0 { bad } else { u64::max(bad, 1) };
    Ok(Count { passed: ran.saturating_sub(bad + numbers(&["skipped"])), failed: bad })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;

    #[test]
    fn numbers_out_of_unittest() {
        let count = |text: &str, ok| count("x", text, ok, "exit status: 1").map(|count| (count.passed, count.failed));
        assert_eq!(count("…\nRan 61 tests in 2.7s\n\nOK\n", true).expect("count"), (61, 0));
        assert_eq!(count("Ran 1 test in 2.7s\n\nOK (skipped=1)\n", true).expect("count"), (0, 0), "nothing was tested");
        let text = "Ran 61 tests in 2.7s\n\nFAILED (failures=2, errors=1, skipped=3)\n";
        assert_eq!(count(text, false).expect("count"), (55, 3));
        assert_eq!(count("Ran 0 tests in 0.0s\n\nNO TESTS RAN\n", false).expect("count"), (0, 0));
        let error = count("test_a ... \nFatalError: abort\n", false).expect_err("no summary");
        assert_eq!(diag::code(&error), 30);
        assert_eq!(diag::causes(&error), ["x: the tests ended early (exit status: 1)"]);
    }
}
