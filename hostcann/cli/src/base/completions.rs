//! `completions`: what a shell needs to complete verbs and flags.

use anyhow::{Context, Result};
use clap::Args;
use clap_complete::Shell;

use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::program;
use crate::base::term::{self, Stream};
use crate::base::verb::Verb;

const HELP: &str = "\
Examples:
  cargo xtask completions bash
  alias xtask='cargo xtask'; eval \"$(cargo xtask completions bash)\"   # completes `xtask <Tab>`

Shells complete words of a program, not of a cargo alias: the script is for the name `xtask`.";

/// Print the completion script for a shell
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Completions {
    shell: Shell,
}

impl Verb for Completions {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, _: &mut Ctx) -> Result<Done> {
        let mut script = Vec::new();
        // A shell completes the words of a program, not those of a cargo alias.
        let name = program::name().rsplit(' ').next().unwrap_or_default();
        let mut command = program::command().context("the program has no command line")?.bin_name(name);
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        term::write(Stream::Out, &script);
        Ok(Done::plain())
    }
}
