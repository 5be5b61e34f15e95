//! `cargo xtask`: build, package, install, run and test operators in upstream layout, with or without an NPU.

mod args;
mod bench;
mod build;
mod clean;
mod cmake_step;
mod ctx;
mod diag;
mod doctor;
mod example;
mod exhaustive;
mod files;
mod fmt;
mod hostroot;
mod install;
mod lint;
mod mutants;
mod opc;
mod operators;
mod package;
mod plan;
mod proc;
mod root;
mod runfile;
mod sanitize;
mod setup;
mod test;
mod tools;
mod upstream;
mod ut;
mod versions;
mod wheels;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use ctx::Ctx;

#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", about, version)]
#[command(after_help = diag::EXIT_CODES, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    global: args::Global,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Doctor(doctor::Doctor),
    Setup(setup::Setup),
    Build(build::Build),
    Package(package::Package),
    Install(install::Install),
    Example(example::Example),
    Test(test::Test),
    Bench(bench::Bench),
    Fmt(fmt::Fmt),
    Lint(lint::Lint),
    Clean(clean::Clean),
    #[command(hide = true)]
    Opc(opc::Opc),
    #[command(hide = true)]
    CmakeStep(cmake_step::CmakeStep),
}

impl Verb {
    fn name(&self) -> &'static str {
        match self {
            Verb::Doctor(_) => "doctor",
            Verb::Setup(_) => "setup",
            Verb::Build(_) => "build",
            Verb::Package(_) => "package",
            Verb::Install(_) => "install",
            Verb::Example(_) => "example",
            Verb::Test(_) => "test",
            Verb::Bench(_) => "bench",
            Verb::Fmt(_) => "fmt",
            Verb::Lint(_) => "lint",
            Verb::Clean(_) => "clean",
            Verb::Opc(_) => "opc",
            Verb::CmakeStep(_) => "cmake-step",
        }
    }

    fn run(self, cx: &mut Ctx) -> anyhow::Result<()> {
        match self {
            Verb::Doctor(verb) => verb.run(cx),
            Verb::Setup(verb) => verb.run(cx),
            Verb::Build(verb) => verb.run(cx),
            Verb::Package(verb) => verb.run(cx),
            Verb::Install(verb) => verb.run(cx),
            Verb::Example(verb) => verb.run(cx),
            Verb::Test(verb) => verb.run(cx),
            Verb::Bench(verb) => verb.run(cx),
            Verb::Fmt(verb) => verb.run(cx),
            Verb::Lint(verb) => verb.run(cx),
            Verb::Clean(verb) => verb.run(cx),
            Verb::Opc(_) | Verb::CmakeStep(_) => unreachable!("plumbing verbs run without a context"),
        }
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // CMake and xtask itself call these two: their output is a build log, not a report.
    match cli.verb {
        Verb::Opc(verb) => return diag::finish_plumbing(verb.run()),
        Verb::CmakeStep(verb) => return diag::finish_plumbing(verb.run()),
        _ => {}
    }
    let mut cx = match Ctx::new(cli.verb.name(), cli.global) {
        Ok(cx) => cx,
        Err(error) => return ExitCode::from(diag::show(&error)),
    };
    let result = cli.verb.run(&mut cx);
    cx.finish(result)
}
