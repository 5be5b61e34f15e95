//! Small operators of our own in `tests/operators`: what directories from elsewhere use and fmod does not (generated
//! interfaces, tensor lists, described tiling data, tiling keys by name).

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::ctx::Ctx;
use crate::plan::Plan;
use crate::proc;
use crate::term::err;
use crate::test::Count;

/// As a user runs them: another xtask, a package of their own, installed beside the toolkit.
pub fn run(cx: &mut Ctx, plan: &Plan) -> Result<Count> {
    cx.say("Testing", "operators of tests/operators");
    let mut dirs = Vec::new();
    for dir in operators(cx)? {
        dirs.push("--op-dir".into());
        dirs.push(dir.into_os_string());
    }
    let xtask = std::env::current_exe().context("cannot find the xtask executable")?;
    let (install, jobs) = (cx.work().join("selftest"), plan.jobs.to_string());
    fs::create_dir_all(&install).with_context(|| format!("cannot create {}", install.display()))?;
    let outcome = cx.step("operators", |cx| {
        let line = cmd!(
            cx.sh,
            "{xtask} example --vendor_name=selftest --soc=ascend910b -j {jobs} --install-path {install} {dirs...}"
        );
        proc::log_run(cx, "operators", line)
    })?;
    let of = |word: &str| outcome.text.matches(&format!("execute samples {word}")).count() as u64;
    let mut count = Count { passed: of("success"), failed: of("failed") };
    if !outcome.ok {
        err!("{}", outcome.text.trim_end());
        count.failed = count.failed.max(1);
    }
    Ok(count)
}

fn operators(cx: &Ctx) -> Result<Vec<PathBuf>> {
    let dir = cx.repo.join("tests/operators");
    let mut found = Vec::new();
    for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
        if path.join("CMakeLists.txt").is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
