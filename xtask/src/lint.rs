//! `lint`: clippy with warnings as errors, and the format check.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use xshell::cmd;

use crate::fmt;
use crate::tidy;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{HintExt, Kind, failed_with};
use hostcann_cli::base::done::Done;
use hostcann_cli::base::proc::{self, Shown};
use hostcann_cli::base::verb::Verb;
use hostcann_cli::build::hostroot::{cargo, cargo_target};

const HELP: &str = "\
Examples:
  cargo xtask lint";

/// Run clippy, rustdoc, tidy and fmt --check, and check the other architecture
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Lint {}

impl Verb for Lint {
    fn run(self, cx: &mut Ctx) -> Result<Done> {
        fmt::rust(cx, true)?;
        fmt::cpp(cx, true)?;
        tidy::check(cx)?;
        clippy(cx)?;
        other_architecture(cx)?;
        rustdoc(cx)?;
        Ok(Done::plain().verdict("lint: rustfmt, clang-format, tidy, clippy and rustdoc are content"))
    }
}

fn clippy(cx: &mut Ctx) -> Result<()> {
    cx.step("clippy", |cx| {
        let started = start_clippy(cx)?;
        finish_clippy(cx, started)
    })
}

pub fn start_clippy(cx: &Ctx) -> Result<proc::Started> {
    cx.console.say("Checking", "clippy");
    let (cargo, target) = (cargo(), cargo_target(cx));
    let _dir = cx.run.sh.push_dir(&cx.project.home);
    let line = cmd!(cx.run.sh, "{cargo} clippy --workspace --all-targets --target-dir {target} -- -D warnings");
    proc::start(cx, "clippy", line, Shown::Nothing)
}

pub fn finish_clippy(cx: &Ctx, started: proc::Started) -> Result<()> {
    let outcome = proc::finish(cx, started)?;
    if outcome.ok {
        return Ok(());
    }
    let log = cx.project.show(&cx.project.log_file("clippy"));
    Err(failed_with(Kind::Style, "clippy has findings", proc::last_lines(&outcome.text, 40))
        .hint(format!("all of them: {log}")))
}

fn rustdoc(cx: &mut Ctx) -> Result<()> {
    cx.console.say("Checking", "documentation comments");
    cx.step("rustdoc", |cx| {
        let (cargo, target) = (cargo(), cargo_target(cx));
        let _dir = cx.run.sh.push_dir(&cx.project.home);
        let line = cmd!(cx.run.sh, "{cargo} doc --workspace --no-deps --target-dir {target}")
            .env("RUSTDOCFLAGS", "-Dwarnings");
        let outcome = proc::log_run(cx, "rustdoc", line)?;
        if outcome.ok {
            return Ok(());
        }
        let log = cx.project.show(&cx.project.log_file("rustdoc"));
        Err(failed_with(Kind::Style, "rustdoc has findings", proc::last_lines(&outcome.text, 40))
            .hint(format!("all of them: {log}")))
    })
}

/// The toolkit must compile for both architectures it claims. False: the other one's standard library is missing.
pub fn other_architecture(cx: &mut Ctx) -> Result<bool> {
    let other = if std::env::consts::ARCH == "aarch64" { "x86_64" } else { "aarch64" };
    let triple = format!("{other}-unknown-linux-gnu");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let there = proc::probe(&rustc, &["--print", "target-libdir", "--target", &triple])
        .is_some_and(|dir| Path::new(dir.trim()).is_dir());
    if !there {
        cx.console.say("Skipping", format!("{triple}: not installed (`rustup target add {triple}`)"));
        return Ok(false);
    }
    cx.console.say("Checking", format!("hostcann for {triple}"));
    cx.step("other architecture", |cx| {
        let (cargo, target) = (cargo(), cargo_target(cx));
        let _dir = cx.run.sh.push_dir(&cx.project.home);
        let line = cmd!(
            cx.run.sh,
            "{cargo} check --target {triple} -p hostcann-aicore -p hostcann-runtime --target-dir {target}"
        );
        let outcome = proc::log_run(cx, "other-architecture", line)?;
        if outcome.ok {
            return Ok(true);
        }
        Err(failed_with(
            Kind::Style,
            format!("hostcann does not compile for {triple}"),
            proc::last_lines(&outcome.text, 40),
        )
        .hint("put code for one architecture under cfg(target_arch)"))
    })
}
