//! Build, check, price, test and package Ascend C operators in upstream layout, with or without an NPU: what `hostcann` and
//! `cargo xtask` do.
// Macros that panic when nobody reads: term.rs has the ones that do not.
// Doc comments of flags are help texts: `<soc>` is a placeholder.
#![allow(rustdoc::invalid_html_tags)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod ascgraph;
pub mod base;
pub mod build;
pub mod contribute;
pub mod frameworks;
pub mod package;
pub mod perf;
pub mod run;
pub mod test;
pub mod toolchain;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use base::ctx::Ctx;
use base::report::{SCHEMA, Usage, UsageFailure};
use base::verb::{Grouped, Verb};
use base::{args, diag, help, program, term, variables};

verbs! {
    pub enum Verbs {
        "Build": {
            New(run::new::New),
            Build(build::Build),
            Package(package::Package),
            Install(package::install::Install),
            Uninstall(package::uninstall::Uninstall),
            List(run::list::List),
            Clean(run::clean::Clean),
        }
        "Run": {
            Example(run::example::Examples),
            Sample(run::sample::Sample),
            Run(run::shell::Run),
            Env(run::shell::Env),
        }
        "Check": {
            Test(test::Test),
            Merge(test::merge::Merge),
            Operators(test::operators::Operators),
            Optest(run::optest::Optest),
            Opinfo(build::op_info::OpInfo),
        }
        "Measure": {
            Sim(perf::sim::Sim),
            Bench(perf::host::Bench),
        }
        "Contribute": {
            Pr(contribute::pr::Pr),
            Report(contribute::report::Report),
        }
        "Frameworks": {
            Torch(frameworks::torch::Torch),
            Paddle(frameworks::paddle::Paddle),
            Onnx(frameworks::onnx::Onnx),
            Ascgraph(ascgraph::AscGraph),
        }
        "Tools": {
            Doctor(toolchain::doctor::Doctor),
            Setup(toolchain::setup::Setup),
            Completions(base::completions::Completions),
        }
    }
}

/// What CMake and torch.compile call. Not among the verbs, so that nothing ever suggests one of them.
#[derive(Parser)]
enum Plumbing {
    Opc(build::opc::Opc),
    CmakeStep(build::cmake_step::CmakeStep),
    PackStep(package::PackStep),
}

const PLUMBING: [&str; 3] = ["opc", "cmake-step", "pack-step"];

#[derive(Parser)]
#[command(about, version, after_help = diag::EXIT_CODES)]
struct Cli<V: Subcommand> {
    #[command(flatten)]
    global: args::Global,
    #[command(subcommand)]
    verb: V,
}

/// The command line of a program with these verbs, which its user calls by this name.
fn command<V: Subcommand + Grouped>() -> clap::Command {
    let name = program::name();
    let command = Cli::<V>::command().name(name).bin_name(name);
    help::grouped(program::renamed(command), &V::groups())
}

/// Runs the command line of this process. `name`: how a user calls the program, `hostcann` or `cargo xtask`.
pub fn main<V: Subcommand + Grouped + Verb>(name: &'static str) -> ExitCode {
    program::register(name, command::<V>);
    if std::env::args().nth(1).is_some_and(|verb| PLUMBING.contains(&verb.as_str())) {
        // Their output is a build log, not a report.
        if let Some(words) = build::opc::single::words() {
            return diag::finish_plumbing(build::opc::single::run(&words));
        }
        return match Plumbing::parse() {
            Plumbing::Opc(verb) => diag::finish_plumbing(verb.run()),
            Plumbing::CmakeStep(verb) => verb.run(),
            Plumbing::PackStep(verb) => diag::finish_plumbing(verb.run()),
        };
    }
    let matches = match command::<V>().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let verb = matches.subcommand_name().unwrap_or_default().to_owned();
    let cli = match Cli::<V>::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let mut cx = match Ctx::new(&verb, &cli.global) {
        Ok(cx) => cx,
        Err(error) => return ExitCode::from(diag::show(&error)),
    };
    if let Err(error) = variables::check(&cx.project.home) {
        return cx.finish(Err(error));
    }
    if let Err(error) = program::own() {
        return cx.finish(Err(error));
    }
    if cli.verb.writes() {
        cx.note_revision();
    }
    if let Err(error) = cli.verb.check(&mut cx) {
        return cx.finish(Err(error));
    }
    let scopes = if cli.verb.writes() { cli.verb.scopes() } else { Vec::new() };
    let locks = scopes.into_iter().map(|scope| cx.lock(scope)).collect::<anyhow::Result<Vec<_>>>();
    let result = locks.and_then(|_held| cli.verb.run(&mut cx));
    cx.finish(result)
}

/// Help, or a line that is not understood.
fn usage(error: &clap::Error) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let _ = error.print();
    // There is no parsed line to ask.
    if error.use_stderr() && std::env::args().any(|arg| arg == "--json") {
        let text = error.render().to_string();
        let message = text.trim_end().trim_start_matches("error: ");
        let error = UsageFailure { causes: vec![message.to_owned()], hint: None };
        let object = Usage { schema: SCHEMA, command: None, ok: false, exit_code: code, error };
        term::json(&serde_json::to_string_pretty(&object).unwrap_or_default());
    }
    ExitCode::from(code)
}
