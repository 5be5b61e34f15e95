//! `lint`: clippy with warnings as errors, and the format check.

use anyhow::Result;
use clap::Args;
use xshell::cmd;

use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed_with};
use crate::fmt;
use crate::hostroot::{cargo, cargo_target};
use crate::proc;

const HELP: &str = "\
Examples:
  cargo xtask lint";

/// clippy -D warnings and fmt --check
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Lint {}

impl Lint {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        fmt::rust(cx, true)?;
        fmt::cpp(cx, true)?;
        clippy(cx)?;
        cx.verdict("lint: rustfmt, clang-format and clippy are content");
        Ok(())
    }
}

pub fn clippy(cx: &mut Ctx) -> Result<()> {
    cx.say("Checking", "clippy");
    cx.step("clippy", |cx| {
        let (cargo, target) = (cargo(), cargo_target(cx));
        let _dir = cx.sh.push_dir(&cx.repo);
        let line = cmd!(cx.sh, "{cargo} clippy --workspace --all-targets --target-dir {target} -- -D warnings");
        let outcome = proc::log_run(cx, "clippy", line)?;
        if outcome.ok {
            return Ok(());
        }
        let log = cx.show(&cx.log_file("clippy"));
        Err(failed_with(Kind::Style, "clippy has findings", proc::last_lines(&outcome.text, 40))
            .hint(format!("all of them: {log}")))
    })
}
