//! `completions`: what a shell needs to complete verbs and flags.

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::term::{self, Stream};

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

impl Completions {
    pub fn run(self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command().bin_name("xtask"), "xtask", &mut script);
        term::write(Stream::Out, &script);
        Ok(())
    }
}
