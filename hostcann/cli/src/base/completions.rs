//! `completions`: what a shell needs to complete verbs and flags.

use anyhow::{Context, Result};
use clap::Args;
use clap_complete::Shell;

use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::program;
use crate::base::term::{self, Stream};
use crate::base::verb::Verb;

const OF_A_PROGRAM: &str = "\
Examples:
  eval \"$(cargo xtask completions bash)\"                     # this shell completes `cargo xtask <Tab>`
  cargo xtask completions fish > ~/.config/fish/completions/cargo xtask.fish";

const OF_AN_ALIAS: &str = "\
Examples:
  alias xtask='cargo xtask'; eval \"$(cargo xtask completions bash)\"   # this shell completes `xtask <Tab>`

Shells complete words of a program, not of a cargo alias: the script is for the name `xtask`.";

/// The name that a shell completes: the last word of how the program is called.
fn completed() -> &'static str {
    program::name().rsplit(' ').next().unwrap_or_default()
}

fn help() -> &'static str {
    if completed() == program::name() { OF_A_PROGRAM } else { OF_AN_ALIAS }
}

/// Print the completion script for a shell
#[derive(Args)]
#[command(after_help = help())]
pub struct Completions {
    shell: Shell,
}

impl Verb for Completions {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, _: &mut Ctx) -> Result<Done> {
        let mut script = Vec::new();
        let name = completed();
        let mut command = program::command().context("the program has no command line")?.bin_name(name);
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        term::write(Stream::Out, &script);
        Ok(Done::plain())
    }
}
