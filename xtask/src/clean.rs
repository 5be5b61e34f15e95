//! `clean`: remove what xtask made.

use anyhow::{Context, Result};
use clap::Args;

use crate::ctx::Ctx;
use crate::files;

const HELP: &str = "\
Examples:
  cargo xtask clean
  cargo xtask clean --all   # everything: the next run starts from nothing";

/// Remove build products and build_out (cargo's own cache and the tools only with --all)
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Clean {
    /// The whole target directory: tools and cargo's cache, too
    #[arg(long)]
    all: bool,
}

impl Clean {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        let dirs: &[&str] =
            if self.all { &["target", "build_out"] } else { &["target/xtask", "target/hostcann", "build_out"] };
        for dir in dirs {
            let path = cx.repo.join(dir);
            if path.exists() {
                cx.say("Removing", *dir);
                files::remove_dir_if_there(&path).with_context(|| format!("cleaning {dir}"))?;
            }
        }
        cx.verdict("clean");
        Ok(())
    }
}
