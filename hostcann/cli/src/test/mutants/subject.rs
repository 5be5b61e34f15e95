//! The tests that mutants must fail: one test of a program, run alone, with an end to its patience.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use xshell::cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{self, Kind, failed};
use crate::base::proc::{self, Outcome};
use crate::build::hostroot::{cargo, cargo_target};
use crate::toolchain::plan::Plan;
use crate::toolchain::root;

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
    TimedOut(String),
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
    let _dir = cx.run.sh.push_dir(&cx.project.root);
    let line = cmd!(
        cx.run.sh,
        "{cargo} test --workspace --exclude xtask --no-run --message-format=json-render-diagnostics {tests...} -j {jobs}
         --target-dir {target}"
    );
    let text = proc::must_run(cx, "mutants-tests", Kind::Build, root::with_root(line, &plan.root))?;
    // Other messages have other keys.
    for built in text.lines().filter_map(|line| serde_json::from_str::<Built>(line).ok()) {
        if let Some(path) = built.executable.filter(|_| built.profile.test) {
            let place = built.manifest_path.parent().unwrap_or(&cx.project.root).to_owned();
            found.insert(built.target.name, Program { path, place });
        }
    }
    for name in names {
        ensure!(found.contains_key(*name), failed(Kind::Tests, format!("cargo built no test program `{name}`")));
    }
    Ok(found)
}

/// Cargo's message about something that it has built.
#[derive(Deserialize)]
struct Built {
    target: BuiltTarget,
    profile: BuiltProfile,
    executable: Option<PathBuf>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct BuiltTarget {
    name: String,
}

#[derive(Deserialize)]
struct BuiltProfile {
    test: bool,
}

const STEP: &str = "mutants-test";

/// Runs the program with this one test, which may go without a line of output for so long.
pub fn run(
    cx: &Ctx,
    program: &Program,
    subject: &Subject,
    variables: &[(String, String)],
    limit: Option<Duration>,
) -> Result<Verdict> {
    let (path, _place) = (&program.path, cx.run.sh.push_dir(&program.place));
    let line = cx.run.sh.cmd(path).args(subject.arguments()).envs(variables.iter().cloned());
    verdict(subject, proc::log_within(cx, STEP, line, limit))
}

/// One that something outside has stopped says nothing, nor does one whose fault takes all memory.
fn verdict(subject: &Subject, outcome: Result<Outcome>) -> Result<Verdict> {
    match outcome {
        Ok(outcome) => Ok(judge(subject, &outcome)),
        Err(error) if diag::kind(&error) == Some(Kind::Stopped) => Ok(Verdict::NotRun(diag::causes(&error).join(": "))),
        Err(error) => Err(error),
    }
}

/// A test that dies has no result line: then it must have been the only one that was started.
fn judge(subject: &Subject, outcome: &Outcome) -> Verdict {
    let Outcome { text, ok, status, timed_out } = outcome;
    if *timed_out {
        return Verdict::TimedOut(status.clone());
    }
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
        (1, 1, 0) if *ok => Verdict::Passed,
        (1, 0, _) if !ok => Verdict::Failed,
        _ => Verdict::NotRun(format!("{status}; started {started}, passed {passed}, failed {failed}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::args::Global;

    fn judged(subject: &Subject, text: &str, ok: bool, status: &str) -> Verdict {
        judge(subject, &Outcome { text: text.to_owned(), ok, status: status.to_owned(), timed_out: false })
    }

    #[test]
    fn libtest_and_gtest() {
        let rust = Subject::parse("values::a::b").expect("a test");
        assert_eq!((rust.program.as_str(), rust.test.as_str()), ("values", "a::b"));
        let ran = |end: &str| format!("\nrunning 1 test\ntest a::b    ... {end}\n");
        assert_eq!(judged(&rust, &ran("ok"), true, "exit status: 0"), Verdict::Passed);
        assert_eq!(judged(&rust, &ran("FAILED"), false, "exit status: 101"), Verdict::Failed);
        assert_eq!(judged(&rust, "\nrunning 1 test\n", false, "signal: 11"), Verdict::Failed, "it died");
        assert!(matches!(judged(&rust, "\nrunning 0 tests\n", true, "exit status: 0"), Verdict::NotRun(_)));
        assert!(matches!(judged(&rust, "cannot load", false, "exit status: 1"), Verdict::NotRun(_)));

        let unit = Subject::parse("op_host::Suite.one").expect("a test");
        assert_eq!(unit.arguments(), ["--gtest_filter=Suite.one"]);
        let text = "[ RUN      ] Suite.one\n[  FAILED  ] Suite.one (1 ms)\n[  FAILED  ] Suite.one\n";
        assert_eq!(judged(&unit, text, false, ""), Verdict::Failed);
        assert_eq!(judged(&unit, "[ RUN      ] Suite.one\n[       OK ] Suite.one (1 ms)\n", true, ""), Verdict::Passed);
    }

    /// The verdict on `sh::x`, which this script runs as; the limit is a second.
    fn of_script(script: &str) -> Verdict {
        let temp = tempfile::tempdir().expect("temp dir");
        let cx = Ctx::new("test", &Global::default()).expect("a context");
        let (cx, file) = (cx.apart(temp.path().join("work")), temp.path().join("x"));
        std::fs::write(&file, script).expect("write");
        // As `sh x --exact …`: a file that a child of another thread has open for writing cannot be started.
        // What started the tests may ignore signals (nohup, a shell's `&`), which a shell could not undo.
        let sh = cx.run.sh.cmd("env").args(["--default-signal", "sh"]).arg(&file);
        let outcome = proc::log_within(&cx, STEP, sh, Some(Duration::from_secs(1)));
        verdict(&Subject::parse("sh::x").expect("a test"), outcome).expect("a verdict")
    }

    #[test]
    fn what_is_stopped_kills_no_mutant() {
        for (signal, name) in [(1, "HUP"), (2, "INT"), (3, "QUIT"), (9, "KILL"), (15, "TERM")] {
            let verdict = of_script(&format!("echo running 1 test; kill -{name} $$"));
            let Verdict::NotRun(why) = &verdict else { panic!("SIG{name}: {verdict:?}") };
            assert!(why.contains(&format!("stopped by signal {signal} (SIG{name}) from outside")), "{why}");
        }
        assert_eq!(of_script("echo running 1 test; kill -SEGV $$"), Verdict::Failed, "it died");
        let verdict = of_script("echo running 1 test; exec sleep 100");
        assert!(matches!(&verdict, Verdict::TimedOut(why) if why.starts_with("time limit of 1 s")), "{verdict:?}");
        // Longer than the limit, but never silent for so long.
        let lines =
            "echo running 1 test; for n in 1 2 3; do sleep 0.5; echo $n; done; echo 'test x ... FAILED'; exit 1";
        assert_eq!(of_script(lines), Verdict::Failed);
    }
}
