//! `cargo xtask`: chores of this repository, and every verb of `hostcann`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod cpp;
mod dist;
mod docs;
mod fmt;
mod installed;
mod layers;
mod lint;
mod own_forms;
mod own_operators;
mod own_rules;
mod own_samples;
mod rust;
mod templates;
mod tidy;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use hostcann_cli::Verbs;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::done::Done;
use hostcann_cli::base::lock::Scope;
use hostcann_cli::base::verb::{Group, Grouped, Verb};

hostcann_cli::verbs! {
    pub enum Chores {
        "Repository": {
            Fmt(fmt::Fmt),
            Lint(lint::Lint),
            Tidy(tidy::Tidy),
            Dist(dist::Dist),
            Docs(docs::site::Docs),
        }
    }
}

#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
enum All {
    #[command(flatten)]
    Product(Verbs),
    #[command(flatten)]
    Chore(Chores),
}

impl Grouped for All {
    fn groups() -> Vec<Group> {
        [Verbs::groups(), Chores::groups()].concat()
    }
}

impl Verb for All {
    fn writes(&self) -> bool {
        match self {
            All::Product(verb) => verb.writes(),
            All::Chore(chore) => chore.writes(),
        }
    }

    fn scopes(&self) -> Vec<Scope> {
        match self {
            All::Product(verb) => verb.scopes(),
            All::Chore(chore) => chore.scopes(),
        }
    }

    fn check(&self, cx: &mut Ctx) -> Result<()> {
        match self {
            All::Product(verb) => verb.check(cx),
            All::Chore(chore) => chore.check(cx),
        }
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        match self {
            All::Product(verb) => verb.run(cx),
            All::Chore(chore) => chore.run(cx),
        }
    }
}

fn main() -> ExitCode {
    hostcann_cli::test::layer::register(layers::all());
    hostcann_cli::main::<All>("cargo xtask")
}
