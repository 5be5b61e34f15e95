//! `fmt`: rustfmt, and clang-format 18.1.8 (upstream's version; others disagree with it).

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use xshell::cmd;

use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{HintExt, Kind, failed_with};
use hostcann_cli::base::done::Done;
use hostcann_cli::base::files;
use hostcann_cli::base::plural::number;
use hostcann_cli::base::proc;
use hostcann_cli::base::verb::Verb;
use hostcann_cli::build::hostroot::cargo;
use hostcann_cli::toolchain::{clang_format, tools};

const HELP: &str = "\
Examples:
  cargo xtask fmt
  cargo xtask fmt --check";

/// Format Rust (rustfmt) and C++ (clang-format 18.1.8)
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Fmt {
    /// Change nothing, and fail if something would change
    #[arg(long)]
    check: bool,
}

impl Verb for Fmt {
    fn run(self, cx: &mut Ctx) -> Result<Done> {
        rust(cx, self.check)?;
        let count = cpp(cx, self.check)?;
        Ok(Done::plain().verdict(format!("fmt: Rust and {count} C++ files")))
    }
}

pub fn rust(cx: &mut Ctx, check: bool) -> Result<()> {
    cx.console.say(if check { "Checking" } else { "Formatting" }, "Rust");
    cx.step("rustfmt", |cx| {
        let cargo = cargo();
        let check = check.then_some("--check");
        let _dir = cx.run.sh.push_dir(&cx.project.home);
        let outcome = proc::log_run(cx, "rustfmt", cmd!(cx.run.sh, "{cargo} fmt --all {check...} -- --color=never"))?;
        if outcome.ok {
            return Ok(());
        }
        Err(failed_with(Kind::Style, "rustfmt found differences", proc::last_lines(&outcome.text, 40))
            .hint("run `cargo xtask fmt`"))
    })
}

/// Returns the number of files.
pub fn cpp(cx: &mut Ctx, check: bool) -> Result<usize> {
    let tools = tools::ensure(cx, false)?;
    let files = sources(&cx.project.home)?;
    cx.console.say(if check { "Checking" } else { "Formatting" }, format!("C++ ({})", number(files.len(), "file")));
    cx.step("clang-format", |cx| {
        let program = clang_format::program(&tools)?;
        // clang-format takes `--dry-run -Werror` for "report and fail".
        let how: &[&str] = if check { &["--dry-run", "-Werror"] } else { &["-i"] };
        let _dir = cx.run.sh.push_dir(&cx.project.home);
        if files.is_empty() {
            return Ok(0);
        }
        let list = &files;
        let outcome = proc::log_run(cx, "clang-format", cmd!(cx.run.sh, "{program} --style=file {how...} {list...}"))?;
        if outcome.ok {
            return Ok(files.len());
        }
        Err(failed_with(Kind::Style, "clang-format found differences", proc::last_lines(&outcome.text, 40))
            .hint("run `cargo xtask fmt`"))
    })
}

/// The C++ of this repository; suffixes as in upstream's pre-commit configuration.
fn sources(repo: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for dir in ["adapters", "ascgraph", "experimental", "hostcann", "tests"] {
        if repo.join(dir).is_dir() {
            found.extend(files::walk(&repo.join(dir))?.into_iter().map(|file| Path::new(dir).join(file)));
        }
    }
    found.retain(|path| clang_format::is_cpp(path));
    Ok(found)
}
