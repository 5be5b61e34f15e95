//! One operator: built in a tree of its own, its examples run against what was built, its unit tests.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::digest::{self, Digests};
use super::row::{Builds, Row, Tally};
use super::{OperatorsOptions, Step, Task};
use crate::base::args::{CheckArgs, OpArgs};
use crate::base::build_log;
use crate::base::ctx::Ctx;
use crate::base::diag::{self, Kind};
use crate::base::files;
use crate::base::first_error::{error_line, first_of, shortened};
use crate::base::term;
use crate::build::build_ops;
use crate::run::example::{self, Example};
use crate::test::ut::{self, UtArgs};
use crate::toolchain::plan::Plan;
use crate::toolchain::tools;

/// Configuring for nothing takes seconds.
fn has_tests(op: &Path) -> Result<bool> {
    let dir = op.join("tests/ut");
    Ok(dir.is_dir() && files::walk(&dir)?.iter().any(|file| file.extension().is_some_and(|name| name == "cpp")))
}

/// What is kept of an operator.
#[derive(Serialize, Deserialize)]
struct Kept {
    digest: String,
    used: BTreeSet<PathBuf>,
    row: Row,
}

/// The row, and whether it was known from an earlier run.
pub fn or_known(
    cx: &Ctx,
    task: &Task,
    options: &OperatorsOptions,
    digests: &Digests,
    again: bool,
) -> Result<(Row, bool)> {
    let record = task.place.join("row.json");
    if !again && let Some(kept) = known(&record, &task.op, digests)? {
        return Ok((kept.row, true));
    }
    files::remove_dir_if_there(&task.place.join("log"))?;
    if !options.keep {
        remove_trees(&task.place)?;
    }
    fs::create_dir_all(&task.place).with_context(|| format!("cannot create {}", task.place.display()))?;
    let lines = task.place.join("output.txt");
    term::write_to(File::create(&lines).with_context(|| format!("cannot write {}", lines.display()))?);
    let start = Instant::now();
    let mut row = Row { op: task.name.clone(), ..Row::default() };
    let mut run = One { cx: cx.apart(task.place.clone()), options, row: &mut row };
    run.all(&task.op)?;
    let was_stopped = run.cx.run.was_stopped();
    row.seconds = (start.elapsed().as_secs_f64() * 10.0).round() / 10.0;

    if was_stopped {
        // Nobody knows what would have come of it.
        files::remove_file_if_there(&record)?;
    } else {
        let used = digest::used(&task.place.join("build"), &task.op, &cx.project.home)?;
        let kept = Kept { digest: digests.of(&task.op, &used)?, used, row: row.clone() };
        let text = serde_json::to_vec_pretty(&kept).context("a row is no JSON")?;
        files::write_if_changed(&record, &text)?;
    }
    if !options.keep {
        remove_trees(&task.place)?;
    }
    Ok((row, false))
}

fn known(record: &Path, op: &Path, digests: &Digests) -> Result<Option<Kept>> {
    let Ok(text) = fs::read(record) else { return Ok(None) };
    // Another version may have written other rows.
    let Ok(kept) = serde_json::from_slice::<Kept>(&text) else { return Ok(None) };
    Ok((op.is_dir() && digests.of(op, &kept.used)? == kept.digest).then_some(kept))
}

fn remove_trees(place: &Path) -> Result<()> {
    ["build", "example", "example-debug"].iter().try_for_each(|tree| files::remove_dir_if_there(&place.join(tree)))
}

struct One<'a> {
    cx: Ctx,
    options: &'a OperatorsOptions,
    row: &'a mut Row,
}

impl One<'_> {
    /// What goes wrong with the operator is in the row; an error is ours.
    fn all(&mut self, op: &Path) -> Result<()> {
        let args = OpArgs { op_dir: vec![op.to_path_buf()], ..self.options.op.clone() };
        let plan = match Plan::new(&mut self.cx, &args) {
            Ok(plan) => plan,
            Err(error) => {
                if diag::kind(&error) == Some(Kind::UnknownSoc) {
                    self.row.builds = Builds::OtherSoc;
                }
                return self.failed("build", error);
            }
        };
        let built = tools::ensure(&mut self.cx, false).and_then(|tools| build_ops::ops(&mut self.cx, &plan, &tools));
        match built {
            Ok(vendor) => {
                self.row.builds = Builds::Yes;
                self.examples(&plan, &vendor)?;
            }
            Err(error) => self.failed("build", error)?,
        }
        if self.options.has(Step::Ut) && has_tests(op)? {
            self.tests(&plan)?;
        }
        Ok(())
    }

    /// A full disk or a missing tool says nothing about the operator.
    fn failed(&mut self, step: &str, error: anyhow::Error) -> Result<()> {
        if matches!(
            diag::kind(&error),
            None | Some(Kind::DiskFull | Kind::Tool | Kind::Pip | Kind::Network | Kind::Access)
        ) {
            return Err(error.context(format!("{}: {step}", self.row.op)));
        }
        diag::show(&error);
        self.row.stopped |= diag::kind(&error) == Some(Kind::Stopped);
        self.row.errors.push(format!("{step}: {}", first_of(&error)));
        Ok(())
    }

    fn examples(&mut self, plan: &Plan, vendor: &Path) -> Result<()> {
        let all = example::of_ops(&plan.ops)?;
        if all.is_empty() {
            return Ok(());
        }
        if self.options.has(Step::Example) {
            self.row.examples = Some(self.run_examples("example", plan, vendor, &all)?);
        }
        if self.options.has(Step::Check) {
            let unchecked = self.cx.apart(self.cx.project.work());
            self.cx.run.watch(&self.cx.project, &CheckArgs { check: Some(String::new()), ..CheckArgs::default() });
            let tally = self.run_examples("check", plan, vendor, &all);
            if self.cx.run.was_stopped() {
                unchecked.run.note_stop();
            }
            self.cx = unchecked;
            self.row.checked = Some(tally?);
        }
        Ok(())
    }

    fn run_examples(&mut self, step: &str, plan: &Plan, vendor: &Path, all: &[Example]) -> Result<Tally> {
        let mut tally = Tally::default();
        let mut first = None;
        let options = example::RunOptions { soc: self.options.op.soc.first(), ..example::RunOptions::default() };
        for one in all {
            let name = one.name();
            let error = match example::run_all(&mut self.cx, plan, vendor, std::slice::from_ref(one), &options) {
                Ok(ran) if ran.iter().all(|ran| ran.ok) => None,
                Ok(_) => Some(format!("{step}: {name}: {}", of_program(&self.log(&name)))),
                Err(error) if matches!(diag::kind(&error), Some(Kind::Build | Kind::Stopped)) => {
                    diag::show(&error);
                    self.row.stopped |= diag::kind(&error) == Some(Kind::Stopped);
                    Some(format!("{step}: {name}: {}", first_of(&error)))
                }
                Err(error) => return Err(error.context(format!("{}: {name}", self.row.op))),
            };
            tally.add(error.is_none());
            first = first.or(error);
        }
        self.row.errors.extend(first);
        Ok(tally)
    }

    fn tests(&mut self, plan: &Plan) -> Result<()> {
        let ran = match ut::run(&mut self.cx, plan, &UtArgs::default()) {
            Err(error) if diag::kind(&error) == Some(Kind::Stopped) => return self.failed("unit tests", error),
            ran => ran?,
        };
        for outcome in ran {
            let kind = outcome.layer.trim_start_matches("math_op_").trim_end_matches("_ut").to_owned();
            let (passed, failed) = (outcome.count.passed, outcome.count.failed);
            if passed + failed == 0 {
                continue;
            }
            if failed > 0 {
                let said = match self.log(&outcome.layer) {
                    // It was not run.
                    text if text.is_empty() => of_build(&self.log(&format!("{}-build", outcome.layer))),
                    text => of_tests(&text),
                };
                self.row.errors.push(format!("{kind} tests: {said}"));
            }
            self.row.tests.push((kind, Tally { passed, all: passed + failed }));
        }
        Ok(())
    }

    /// Empty where a step has none.
    fn log(&self, step: &str) -> String {
        fs::read(self.cx.project.log_file(step))
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .unwrap_or_default()
    }
}

fn of_build(log: &str) -> String {
    error_line(&build_log::messages(log))
}

/// What the toolkit said in a program, else the program's last words.
fn of_program(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let Some(at) = lines.iter().position(|line| line.starts_with("[ERROR] ")) else {
        return shortened(lines.last().copied().unwrap_or("it printed nothing"));
    };
    let first = lines[at].split_once("): ").map_or(lines[at], |(_, text)| text);
    let details = lines[at + 1..].iter().take_while(|line| line.starts_with("    ")).map(|line| line.trim_start());
    shortened(&std::iter::once(first).chain(details).collect::<Vec<_>>().join(" "))
}

/// The first expectation that was not met, else the end of a program that died.
fn of_tests(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    match lines.iter().position(|line| line.contains(": Failure")) {
        Some(at) => shortened(&lines[at..lines.len().min(at + 4)].join(" ")),
        None => of_program(log),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_said() {
        let log = "result 1\n[ERROR] ACL(1,2): kernel fault: x, core 0\n[ERROR] ACL(1,2): later\nfailed\n";
        assert_eq!(of_program(log), "kernel fault: x, core 0");
        let log =
            "[ERROR] STREAM(1,2): [507035] kernel fault: x (queue)\n    the queue is empty\n    Fix: fill it\nfailed\n";
        assert_eq!(of_program(log), "[507035] kernel fault: x (queue) the queue is empty Fix: fill it");
        assert_eq!(of_program("a\nlast\n\n"), "last");
        assert_eq!(of_program(""), "it printed nothing");
        let tests = "[ RUN      ] S.a\n/o/x/tests/ut/op_host/t.cpp:7: Failure\nExpected equality of these values:\n  1\n  2\nmore\n";
        assert_eq!(of_tests(tests), "tests/ut/op_host/t.cpp:7: Failure Expected equality of these values: 1 2");
    }
}
