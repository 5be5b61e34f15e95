//! Runs prepared cases in Python processes: `runner.py` makes operands, goldens and calls; this side attributes crashes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xshell::cmd;

use super::arguments::Argument;
use crate::base::count::Count;
use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::proc;
use crate::base::term::err;
use crate::toolchain::plan::Plan;
use crate::toolchain::root;
use crate::toolchain::tools;

pub const RUNNER: &str = include_str!("runner.py");

/// The job file of `runner.py`.
#[derive(Serialize)]
pub struct Job {
    /// Directories to import from before all others.
    pub python_path: Vec<PathBuf>,
    /// libcust_opapi.so of the package.
    pub library: PathBuf,
    pub seed: u64,
    /// Keep the operands as well.
    pub keep: bool,
    /// Binary exponents that separate the bins of the error counts.
    pub edges: [i32; 9],
    pub cases: Vec<PreparedCase>,
}

#[derive(Serialize)]
pub struct PreparedCase {
    pub name: String,
    /// Where its files go.
    pub dir: PathBuf,
    pub interface: String,
    pub arguments: Vec<Argument>,
    pub golden: Option<(PathBuf, String)>,
    pub inputs: Vec<Operand>,
    pub outputs: Vec<ExpectedOutput>,
    pub attrs: Vec<Attribute>,
}

#[derive(Serialize)]
pub struct Operand {
    pub name: String,
    pub dtype: &'static str,
    /// Of aclDataType.
    pub number: i32,
    pub shape: Vec<u64>,
    pub range: [f64; 2],
    pub file: Option<PathBuf>,
}

#[derive(Serialize)]
pub struct ExpectedOutput {
    pub name: String,
    pub dtype: &'static str,
    pub number: i32,
    pub shape: Vec<u64>,
    pub shape_function: Option<(PathBuf, String)>,
    pub golden_file: Option<PathBuf>,
}

#[derive(Serialize)]
pub struct Attribute {
    pub value: Value,
}

/// The outputs of a case, or why it failed.
pub type CaseOutcome = Result<Vec<StoredOutput>, String>;

/// An output and its golden, as files.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct StoredOutput {
    pub result: PathBuf,
    pub golden: PathBuf,
    pub golden_dtype: String,
    pub shape: Vec<u64>,
    pub errors: Option<ErrorCounts>,
}

/// Exponents of the quotient of the first two operands; the first and the last bin are open.
pub const EDGES: [i32; 9] = [0, 4, 8, 12, 16, 24, 32, 64, 128];

/// Elements by their distance from the golden.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub struct ErrorCounts {
    /// What the bins divide, `|x / y|`.
    pub by: String,
    /// For each bin, and one for quotients that are no number: equal, within 1 ulp, within 32 ulp, farther, a number against
    /// a NaN.
    pub bins: Vec<[u64; 5]>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Start { case: usize },
    Done { case: usize, outputs: Vec<StoredOutput> },
    Failed { case: usize, stage: String, message: String },
    End,
}

/// Runs every case once; one that kills its process does not stop the others.
pub fn run(cx: &Ctx, plan: &Plan, vendor: &Path, dir: &Path, job: &Job) -> Result<Vec<CaseOutcome>> {
    let (runner, file) = (dir.join("runner.py"), dir.join("job.json"));
    files::write_if_changed(&runner, RUNNER.as_bytes())?;
    files::write_if_changed(&file, &serde_json::to_vec_pretty(job).context("the job is no JSON")?)?;
    let mut results: Vec<CaseOutcome> = Vec::new();
    while results.len() < job.cases.len() {
        let (first, events) = (results.len(), dir.join("events.jsonl"));
        files::remove_file_if_there(&events)?;
        let number = first.to_string();
        // -s: numpy is the pinned one, not one of the user's directory; other packages may be the system's.
        let mut line = root::with_root(cmd!(cx.run.sh, "python3 -s -B {runner} {file} {events} {number}"), &plan.root);
        if !vendor.starts_with(plan.root.opp()) {
            line = line.env("ASCEND_CUSTOM_OPP_PATH", vendor);
        }
        let outcome = proc::log_program(cx, "optest", line)?;
        let text = fs::read_to_string(&events).unwrap_or_default();
        let last = proc::last_lines(&outcome.text, 8);
        read_events(&text, first, &mut results, || format!("its process ended ({}): {}", outcome.status, last.trim()));
    }
    Ok(results)
}

/// Appends the outcomes that a process reported, from the case `first` on: at least one.
fn read_events(text: &str, first: usize, results: &mut Vec<CaseOutcome>, ended: impl FnOnce() -> String) {
    let mut open = None;
    let mut done = false;
    for event in text.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match event {
            Event::Start { case } => open = Some(case),
            Event::Done { case, outputs } if case == results.len() => results.push(Ok(outputs)),
            Event::Failed { case, stage, message } if case == results.len() => {
                results.push(Err(format!("{stage}: {message}")))
            }
            Event::Done { .. } | Event::Failed { .. } => {}
            Event::End => done = true,
        }
    }
    let died = open == Some(results.len()) || results.len() == first;
    if died && !done {
        results.push(Err(ended()));
    }
}

pub const TESTS: &str = "errors_by_size_of_the_quotient";

/// Tests the runner's count of errors on arrays with known errors, with the pinned numpy.
pub fn test(cx: &mut Ctx) -> Result<Count> {
    let dir = cx.project.work().join("optest").join(TESTS);
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let (runner, tests) = (dir.join("runner.py"), dir.join("runner_tests.py"));
    files::write_if_changed(&runner, RUNNER.as_bytes())?;
    files::write_if_changed(&tests, include_str!("runner_tests.py").as_bytes())?;
    let paths = [tools::numpy(cx)?, tools::ml_dtypes(cx)?];
    let outcome = proc::log_run(cx, TESTS, cmd!(cx.run.sh, "python3 -I -B {tests} {runner} {dir} {paths...}"))?;
    if !outcome.ok {
        err!("{TESTS}: {}", outcome.text.trim_end());
    }
    Ok(Count { passed: u64::from(outcome.ok), failed: u64::from(!outcome.ok) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str, before: usize) -> Vec<CaseOutcome> {
        let mut results: Vec<CaseOutcome> = (0..before).map(|_| Ok(Vec::new())).collect();
        read_events(text, before, &mut results, || "died".to_owned());
        results
    }

    #[test]
    fn a_case_that_kills_its_process_is_the_one_that_had_started() {
        let start = |case: usize| format!("{{\"event\": \"start\", \"case\": {case}}}\n");
        let done = |case: usize| format!("{{\"event\": \"done\", \"case\": {case}, \"outputs\": []}}\n");
        let all = taken(&format!("{}{}{}", start(0), done(0), start(1)), 0);
        assert_eq!(all, [Ok(Vec::new()), Err("died".to_owned())]);
        assert_eq!(taken("", 1)[1..], [Err("died".to_owned())], "not even started");
        assert_eq!(taken("{\"event\": \"st", 1).len(), 2, "a line that was cut");
    }

    #[test]
    fn a_failure_of_the_device_ends_the_process_and_is_told_once() {
        let text = "{\"event\": \"start\", \"case\": 2}\n\
                    {\"event\": \"failed\", \"case\": 2, \"stage\": \"aclnnX\", \"message\": \"aclnnX returned 1\"}\n";
        assert_eq!(taken(text, 2)[2..], [Err("aclnnX: aclnnX returned 1".to_owned())]);
    }
}
