//! Test layers that are `cargo test`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use hostcann_cli::base::count::{Ran, count_rust, named_rust};
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{HintExt, Kind, failed};
use hostcann_cli::base::files;
use hostcann_cli::base::proc::{self, Shown};
use hostcann_cli::base::term::err;
use hostcann_cli::build::hostroot::{cargo, cargo_target};
use hostcann_cli::run::companion;
use hostcann_cli::toolchain::plan::Plan;
use hostcann_cli::toolchain::root;

/// Which tests of a package are meant.
pub struct TestSelection<'a> {
    pub filter: Option<&'a str>,
    /// Behind `--`, for the test programs.
    pub args: &'a [String],
    pub env: Option<(&'static str, &'a Path)>,
}

/// Apart, because the workspace together unifies features: the tool would be built in two ways in turn.
const OWN: [&str; 4] = ["--package", "hostcann-cli", "--package", "xtask"];
const OTHERS: [&str; 5] = ["--workspace", "--exclude", "hostcann-cli", "--exclude", "xtask"];
/// The packages of `OTHERS`, so that their features and with them what is compiled are the same.
const BROKEN: [&str; 7] = ["--workspace", "--exclude", "hostcann-cli", "--exclude", "xtask", "--test", "broken"];

/// Starts to compile what [`workspace`] and [`broken_kernels`] run.
pub fn compile(cx: &Ctx, plan: &Plan) -> Result<Vec<proc::Started>> {
    let (cargo, target, jobs) = (cargo(), cargo_target(cx), plan.jobs.to_string());
    let _dir = cx.run.sh.push_dir(&cx.project.home);
    let one = |step: &str, which: &[&str]| {
        let line = cmd!(cx.run.sh, "{cargo} test {which...} --no-run -j {jobs} --target-dir {target}");
        proc::start(cx, step, root::with_root(line, &plan.root), Shown::Nothing)
    };
    let all: [(&str, &[&str]); 3] =
        [("cargo-test-compile", &OTHERS), ("cargo-test-xtask-compile", &OWN), ("broken-kernels-compile", &BROKEN)];
    all.into_iter().map(|(step, which)| one(step, which)).collect()
}

/// Every package of the workspace.
pub fn workspace(cx: &mut Ctx, plan: &Plan, selection: &TestSelection) -> Result<Ran> {
    if cx.run.part.is_some() {
        let mut ran = part(cx, plan, selection, "cargo-test-xtask", &OWN)?;
        ran += part(cx, plan, selection, "cargo-test", &OTHERS)?;
        return Ok(ran);
    }
    // At the same time, because neither keeps two processors busy; cargo lets one of them compile at a time.
    let own = start(cx, plan, selection, "cargo-test-xtask", &OWN)?;
    let mut ran = cargo_test(cx, plan, selection, "cargo-test", &OTHERS)?;
    ran += cx.step(own.step, |cx| finish(cx, plan, own))?;
    Ok(ran)
}

/// The packages that test the installed ops; nothing when there is none.
pub fn installed_ops(cx: &mut Ctx, plan: &Plan, selection: &TestSelection) -> Result<Option<Ran>> {
    let mut all = None;
    for companion in companion::of_plan(cx, plan)? {
        let selection = TestSelection { env: companion.env(plan), ..*selection };
        let ran = cargo_test(cx, plan, &selection, "cargo-test", &["--package", &companion.package])?;
        *all.get_or_insert_with(Ran::default) += ran;
    }
    Ok(all)
}

pub fn broken_kernels(cx: &mut Ctx, plan: &Plan, selection: &TestSelection) -> Result<Ran> {
    cargo_test(cx, plan, selection, "broken-kernels", &BROKEN)
}

fn cargo_test(cx: &mut Ctx, plan: &Plan, selection: &TestSelection, step: &'static str, which: &[&str]) -> Result<Ran> {
    if cx.run.part.is_some() {
        return part(cx, plan, selection, step, which);
    }
    run(cx, plan, selection, step, which)
}

/// The tests of this part of a run, by name; documentation tests together, for rustdoc takes no name with a blank. What other parts
/// have is skipped by its whole name: programs need not understand several names to run.
fn part(cx: &mut Ctx, plan: &Plan, selection: &TestSelection, step: &'static str, which: &[&str]) -> Result<Ran> {
    if let Some(arg) = selection.args.iter().find(|arg| !is_plain(arg)) {
        return Err(failed(Kind::Usage, format!("--shard: `{arg}` after -- may choose among tests"))
            .hint("a part of a name goes in front of --; other arguments are single words: --test-threads=4"));
    }
    let programs = [which, if which.contains(&"--test") { &[] } else { &["--tests"] }].concat();
    let mut args = vec!["--exact".to_owned()];
    let mut mine = false;
    for name in names(cx, plan, selection, step, &programs)? {
        let chosen = selection.filter.is_none_or(|filter| name.contains(filter));
        if chosen && cx.run.takes(&format!("{step} {name}")) {
            mine = true;
        } else {
            args.extend(["--skip".to_owned(), name]);
        }
    }
    args.extend_from_slice(selection.args);
    let mut ran = Ran::default();
    if mine {
        ran += run(cx, plan, &TestSelection { filter: None, args: &args, ..*selection }, step, &programs)?;
    }
    if !which.contains(&"--test") && cx.run.takes(&format!("{step} documentation")) {
        ran += run(cx, plan, selection, step, &[which, &["--doc"]].concat())?;
    }
    Ok(ran)
}

/// It chooses no test by name.
fn is_plain(arg: &str) -> bool {
    arg.starts_with('-') && !["--skip", "--exact"].iter().any(|flag| arg.starts_with(flag))
}

/// Every test of these programs, each name once.
fn names(cx: &Ctx, plan: &Plan, selection: &TestSelection, step: &str, which: &[&str]) -> Result<BTreeSet<String>> {
    let (cargo, target, jobs, args) = (cargo(), cargo_target(cx), plan.jobs.to_string(), selection.args);
    let _dir = cx.run.sh.push_dir(&cx.project.home);
    let line =
        cmd!(cx.run.sh, "{cargo} test {which...} -j {jobs} --target-dir {target} -- --list --format terse {args...}");
    let line = root::with_root(line, &plan.root).envs(selection.env);
    let text = proc::must_run(cx, &format!("{step}-list"), Kind::Build, line)?;
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

fn run(cx: &mut Ctx, plan: &Plan, selection: &TestSelection, step: &'static str, which: &[&str]) -> Result<Ran> {
    cx.step(step, |cx| {
        let started = start(cx, plan, selection, step, which)?;
        finish(cx, plan, started)
    })
}

/// A run of `cargo test`.
struct Started {
    step: &'static str,
    /// Its own directory for temporary files
    temp: PathBuf,
    run: proc::Started,
}

fn start(cx: &Ctx, plan: &Plan, selection: &TestSelection, step: &'static str, which: &[&str]) -> Result<Started> {
    cx.console.say("Testing", format!("Rust (cargo test {})", which.join(" ")));
    let (cargo, target, jobs) = (cargo(), cargo_target(cx), plan.jobs.to_string());
    let (filter, args) = (selection.filter, selection.args);
    let _dir = cx.run.sh.push_dir(&cx.project.home);
    let line = cmd!(
        cx.run.sh,
        "{cargo} test {which...} --no-fail-fast -j {jobs} --target-dir {target} {filter...} -- {args...}"
    );
    let temp = cx.project.work().join("tmp").join(step);
    files::remove_dir_if_there(&temp)?;
    fs::create_dir_all(&temp).with_context(|| format!("cannot create {}", temp.display()))?;
    let line = root::with_root(line, &plan.root).envs(selection.env).env("TMPDIR", &temp);
    Ok(Started { step, run: proc::start(cx, step, line, Shown::Lines(progress))?, temp })
}

fn finish(cx: &mut Ctx, plan: &Plan, Started { step, temp, run }: Started) -> Result<Ran> {
    let outcome = proc::finish(cx, run)?;
    let mut count = count_rust(&outcome.text);
    let mut tests = Vec::new();
    for companion in companion::of_plan(cx, plan)? {
        tests.extend(named_rust(&outcome.text, &companion.programs));
    }
    // Without a single result the tests did not even start.
    if !outcome.ok && count.failed == 0 {
        return Err(proc::tool_failed(cx, step, Kind::Build, "cargo", &outcome));
    }
    if count.failed > 0 {
        err!("{}", failures(&outcome.text));
    } else if let Some(left) = first_entry(&temp)? {
        err!("error: the tests leave {} in the directory for temporary files", left.display());
        count.failed += 1;
    }
    Ok(Ran { count, tests })
}

/// What a test leaves here it would leave in the user's /tmp.
fn first_entry(dir: &Path) -> Result<Option<PathBuf>> {
    let mut entries = fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    Ok(entries.next().transpose().with_context(|| format!("cannot list {}", dir.display()))?.map(|entry| entry.path()))
}

/// Lines of cargo test worth seeing while it runs.
fn progress(line: &str) -> bool {
    let line = line.trim_start();
    ["Running ", "Compiling ", "Doc-tests "].iter().any(|start| line.starts_with(start))
        || line.starts_with("test result:")
        || (line.starts_with("test ") && line.ends_with("FAILED"))
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

    #[test]
    fn what_is_left_behind() {
        let temp = tempfile::tempdir().expect("temp dir");
        assert_eq!(first_entry(temp.path()).expect("a list"), None);
        fs::write(temp.path().join("x"), "").expect("write");
        assert_eq!(first_entry(temp.path()).expect("a list"), Some(temp.path().join("x")));
    }

    #[test]
    fn what_may_choose_tests() {
        for (arg, plain) in [("--ignored", true), ("--test-threads=4", true), ("name", false), ("--skip=x", false)] {
            assert_eq!(is_plain(arg), plain, "{arg}");
        }
    }

    #[test]
    fn failure_texts() {
        let text = "test b ... FAILED\n\nfailures:\n\n---- b stdout ----\nassertion failed: 1 == 2\n\nfailures:\n    b\n\n\
                    test result: FAILED. 1 passed; 1 failed\n";
        assert_eq!(failures(text), "---- b stdout ----\nassertion failed: 1 == 2\n");
    }
}
