//! The rules as a test: what this repository writes and builds has no findings.

use std::path::Path;

use anyhow::Result;
use xshell::cmd;

use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{Kind, failed_with};
use hostcann_cli::base::proc;
use hostcann_cli::base::program;

const NOTHING_FOUND: &str = "; 0 errors, 0 warnings,";

/// All rules that an operator's sources alone are enough for.
pub fn sources(cx: &Ctx, dir: &Path) -> Result<()> {
    hold(cx, dir, &[], NOTHING_FOUND)
}

/// The rules about the package, none of them left out.
pub fn package(cx: &Ctx, dir: &Path, run: &Path) -> Result<()> {
    let run = run.display().to_string();
    hold(cx, dir, &["--rule", "42,43,44", "--package", &run], &format!("3 of 3 rules pass, 0 not run{NOTHING_FOUND}"))
}

fn hold(cx: &Ctx, dir: &Path, args: &[&str], verdict: &str) -> Result<()> {
    let xtask = program::own()?;
    let outcome = proc::log_run(cx, "pr", cmd!(cx.run.sh, "{xtask} pr --check --op-dir {dir} {args...}"))?;
    if outcome.ok && outcome.text.contains(verdict) {
        return Ok(());
    }
    let what = format!("`pr --check {}` of {} does not say `{verdict}`", args.join(" "), dir.display());
    Err(failed_with(Kind::Tests, what, proc::last_lines(&outcome.text, 40)))
}
