//! Runs prepared cases in Python processes: operands, goldens and calls are the runner's, crashes are told apart here.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xshell::cmd;

use super::bind::Argument;
use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::proc;
use crate::toolchain::plan::Plan;
use crate::toolchain::root;

pub const RUNNER: &str = include_str!("runner.py");

/// What the runner reads.
#[derive(Serialize)]
pub struct Job {
    /// Directories to import from before all others.
    pub python_path: Vec<PathBuf>,
    /// libcust_opapi.so of the package.
    pub library: PathBuf,
    pub seed: u64,
    /// Keep the operands, too.
    pub keep: bool,
    /// Binary exponents at which errors begin to count elsewhere.
    pub edges: [i32; 9],
    pub cases: Vec<Prepared>,
}

#[derive(Serialize)]
pub struct Prepared {
    pub name: String,
    /// Where its files go.
    pub dir: PathBuf,
    pub interface: String,
    pub arguments: Vec<Argument>,
    pub golden: Option<(PathBuf, String)>,
    pub inputs: Vec<Operand>,
    pub outputs: Vec<Expected>,
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
pub struct Expected {
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

/// What became of a case.
pub type Ran = Result<Vec<Stored>, String>;

/// An output and its golden, as files.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Stored {
    pub result: PathBuf,
    pub golden: PathBuf,
    pub golden_dtype: String,
    pub shape: Vec<u64>,
    pub errors: Option<Errors>,
}

/// Of the quotient of the first two operands; the first and the last place have one end only.
pub const EDGES: [i32; 9] = [0, 4, 8, 12, 16, 24, 32, 64, 128];

/// How many elements are how far from the golden.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub struct Errors {
    /// What the places are about, `|x / y|`.
    pub by: String,
    /// For every place between the edges, and one for what is no number: equal, within 1, within 32 units in the last place,
    /// farther, a number against none.
    pub bins: Vec<[u64; 5]>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Event {
    Start { case: usize },
    Done { case: usize, outputs: Vec<Stored> },
    Failed { case: usize, stage: String, message: String },
    End,
}

/// Every case once; one that kills its process does not stop the others.
pub fn run(cx: &Ctx, plan: &Plan, vendor: &Path, dir: &Path, job: &Job) -> Result<Vec<Ran>> {
    let (runner, file) = (dir.join("runner.py"), dir.join("job.json"));
    files::write_if_changed(&runner, RUNNER.as_bytes())?;
    files::write_if_changed(&file, &serde_json::to_vec_pretty(job).context("the job is no JSON")?)?;
    let mut results: Vec<Ran> = Vec::new();
    while results.len() < job.cases.len() {
        let (first, events) = (results.len(), dir.join("events.jsonl"));
        files::remove_file_if_there(&events)?;
        let number = first.to_string();
        // -s: numpy is the pinned one, not one of the user's directory; other packages may be the system's.
        let mut line = root::with_root(cmd!(cx.sh, "python3 -s -B {runner} {file} {events} {number}"), &plan.root);
        if !vendor.starts_with(plan.root.opp()) {
            line = line.env("ASCEND_CUSTOM_OPP_PATH", vendor);
        }
        let outcome = proc::log_program(cx, "optest", line)?;
        let told = fs::read_to_string(&events).unwrap_or_default();
        let last = proc::last_lines(&outcome.text, 8);
        read(&told, first, &mut results, || format!("its process ended ({}): {}", outcome.status, last.trim()));
    }
    Ok(results)
}

/// Takes up what a process told from the case `first` on; at least one case is behind it then.
fn read(told: &str, first: usize, results: &mut Vec<Ran>, ended: impl FnOnce() -> String) {
    let mut open = None;
    let mut done = false;
    for event in told.lines().filter_map(|line| serde_json::from_str(line).ok()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(told: &str, before: usize) -> Vec<Ran> {
        let mut results: Vec<Ran> = (0..before).map(|_| Ok(Vec::new())).collect();
        read(told, before, &mut results, || "died".to_owned());
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
        let told = "{\"event\": \"start\", \"case\": 2}\n\
                    {\"event\": \"failed\", \"case\": 2, \"stage\": \"aclnnX\", \"message\": \"aclnnX returned 1\"}\n";
        assert_eq!(taken(told, 2)[2..], [Err("aclnnX: aclnnX returned 1".to_owned())]);
    }
}
