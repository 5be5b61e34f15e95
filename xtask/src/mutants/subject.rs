//! The tests that mutants must fail: one test of a program, run alone, with an end to its patience.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::cmd;

use crate::ctx::Ctx;
use crate::diag::{Kind, failed};
use crate::hostroot::{cargo, cargo_target};
use crate::plan::Plan;
use crate::proc;
use crate::root;

/// `program::test`: a Rust test program, or `op_host`, `op_api` or `op_kernel` and `Suite.test` of the unit tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    pub program: String,
    pub test: String,
}

impl Subject {
    pub fn parse(text: &str) -> Result<Subject> {
        let (program, test) = text.split_once("::").with_context(|| format!("`{text}` is no program::test"))?;
        Ok(Subject { program: program.to_owned(), test: test.to_owned() })
    }

    /// The unit test program of this name.
    pub fn unit(&self) -> Option<&'static str> {
        match self.program.as_str() {
            "op_host" => Some("math_op_host_ut"),
            "op_api" => Some("math_op_api_ut"),
            "op_kernel" => Some("math_op_kernel_ut"),
            _ => None,
        }
    }

    /// Arguments that choose this test and no other, whether it is ignored by default or not.
    pub fn arguments(&self) -> Vec<String> {
        match self.unit() {
            Some(_) => vec![format!("--gtest_filter={}", self.test)],
            None => vec!["--exact".into(), self.test.clone(), "--include-ignored".into()],
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}::{}", self.program, self.test)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    /// The named test did not run, or not alone.
    NotRun(String),
    TimedOut(u64),
}

/// An executable and the directory it expects to be started in.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    pub place: PathBuf,
}

/// Rust test programs by name, built by cargo as for `--only rust`.
pub fn programs(cx: &mut Ctx, plan: &Plan, names: &[&str]) -> Result<BTreeMap<String, Program>> {
    let mut found = BTreeMap::new();
    if names.is_empty() {
        return Ok(found);
    }
    let (cargo, target, jobs) = (cargo(), cargo_target(cx), plan.jobs.to_string());
    let tests: Vec<&str> = names.iter().flat_map(|name| ["--test", name]).collect();
    let _dir = cx.sh.push_dir(&cx.repo);
    let line = cmd!(
        cx.sh,
        "{cargo} test --workspace --exclude xtask --no-run --message-format=json-render-diagnostics {tests...} -j {jobs}
         --target-dir {target}"
    );
    let text = proc::must_run(cx, "mutants-tests", Kind::Build, root::with_root(line, &plan.root))?;
    for message in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if let (Some(name), Some(path)) = (message["target"]["name"].as_str(), message["executable"].as_str())
            && message["profile"]["test"] == true
        {
            let manifest = message["manifest_path"].as_str().unwrap_or_default();
            let place = Path::new(manifest).parent().unwrap_or(&cx.repo).to_owned();
            found.insert(name.to_owned(), Program { path: PathBuf::from(path), place });
        }
    }
    for name in names {
        ensure!(found.contains_key(*name), failed(Kind::Tests, format!("cargo built no test program `{name}`")));
    }
    Ok(found)
}

/// Runs the program with this one test; its output goes to `log`.
pub fn run(
    program: &Program,
    subject: &Subject,
    variables: &[(String, String)],
    limit: Duration,
    log: &Path,
) -> Result<Verdict> {
    let out = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut command = Command::new(&program.path);
    command.args(subject.arguments()).current_dir(&program.place).stdin(Stdio::null());
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdout(out.try_clone().context("cannot duplicate a file")?).stderr(out).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot start {}", program.path.display()))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for a test program")? {
            break status;
        }
        if start.elapsed() > limit {
            // The whole group: tests start helper processes.
            let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
            child.wait().context("cannot wait for a test program")?;
            return Ok(Verdict::TimedOut(limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = std::fs::read(log).with_context(|| format!("cannot read {}", log.display()))?;
    Ok(judge(subject, &String::from_utf8_lossy(&text), status.success(), &status.to_string()))
}

/// A test that dies has no result line: then it must have been the only one that was started.
fn judge(subject: &Subject, text: &str, ok: bool, status: &str) -> Verdict {
    let lines = || text.lines().map(str::trim);
    let (started, passed, failed) = if subject.unit().is_some() {
        let line = |tag: &str| lines().filter(|line| line.starts_with(&format!("{tag} {}", subject.test))).count();
        (line("[ RUN      ]"), line("[       OK ]"), line("[  FAILED  ]").min(1))
    } else {
        let result = |line: &str, word: &str| {
            let rest = line.strip_prefix("test ").and_then(|line| line.strip_prefix(subject.test.as_str()));
            rest.is_some_and(|rest| rest.trim_start().strip_prefix("... ").is_some_and(|end| end.starts_with(word)))
        };
        let count = |word: &str| lines().filter(|line| result(line, word)).count();
        (lines().filter(|line| *line == "running 1 test").count(), count("ok"), count("FAILED"))
    };
    match (started, passed, failed) {
        (1, 1, 0) if ok => Verdict::Passed,
        (1, 0, _) if !ok => Verdict::Failed,
        _ => Verdict::NotRun(format!("{status}; started {started}, passed {passed}, failed {failed}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtest_and_gtest() {
        let rust = Subject::parse("values::a::b").expect("a test");
        assert_eq!((rust.program.as_str(), rust.test.as_str()), ("values", "a::b"));
        let ran = |end: &str| format!("\nrunning 1 test\ntest a::b    ... {end}\n");
        assert_eq!(judge(&rust, &ran("ok"), true, "exit status: 0"), Verdict::Passed);
        assert_eq!(judge(&rust, &ran("FAILED"), false, "exit status: 101"), Verdict::Failed);
        assert_eq!(judge(&rust, "\nrunning 1 test\n", false, "signal: 11"), Verdict::Failed, "it died");
        assert!(matches!(judge(&rust, "\nrunning 0 tests\n", true, "exit status: 0"), Verdict::NotRun(_)));
        assert!(matches!(judge(&rust, "cannot load", false, "exit status: 1"), Verdict::NotRun(_)));

        let unit = Subject::parse("op_host::Suite.one").expect("a test");
        assert_eq!(unit.arguments(), ["--gtest_filter=Suite.one"]);
        let text = "[ RUN      ] Suite.one\n[  FAILED  ] Suite.one (1 ms)\n[  FAILED  ] Suite.one\n";
        assert_eq!(judge(&unit, text, false, ""), Verdict::Failed);
        assert_eq!(judge(&unit, "[ RUN      ] Suite.one\n[       OK ] Suite.one (1 ms)\n", true, ""), Verdict::Passed);
    }

    #[test]
    fn a_test_that_hangs_ends() {
        let temp = tempfile::tempdir().expect("temp dir");
        let subject = Subject::parse("sh::x").expect("a test");
        let script = temp.path().join("hang.sh");
        std::fs::write(&script, "#!/bin/sh\nsleep 100\n").expect("write");
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("mode");
        let limit = Duration::from_secs(1);
        let program = Program { path: script, place: temp.path().to_owned() };
        let verdict = run(&program, &subject, &[], limit, &temp.path().join("log")).expect("a verdict");
        assert_eq!(verdict, Verdict::TimedOut(1));
    }
}
