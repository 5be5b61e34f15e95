//! `cargo xtask`: build, package, install, run and test operators in upstream layout, with or without an NPU.
// Macros that panic when nobody reads: term.rs has the ones that do not.
// Doc comments of flags are help texts: `<soc>` is a placeholder.
#![allow(rustdoc::invalid_html_tags)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod aclnn_headers;
mod aicpu;
mod args;
mod asc_graph;
mod bench;
mod build;
mod build_log;
mod build_ops;
mod chips;
mod clean;
mod cmake_step;
mod columns;
mod commands;
mod companion;
mod completions;
mod count;
mod ctx;
mod device;
mod device_layer;
mod diag;
mod docs;
mod doctor;
mod evidence;
mod example;
mod exhaustive;
mod files;
mod finished;
mod first_error;
mod fmt;
mod forwards;
mod hostroot;
mod install;
mod installed;
mod instrument;
mod kept;
mod layer;
mod lint;
mod list;
mod lock;
mod measure;
mod mutants;
mod naming;
mod new;
mod npu;
mod onnx;
mod op_dir;
mod op_info;
mod opc;
mod operators;
mod optest;
mod own_operators;
mod own_samples;
mod package;
mod paddle;
mod partial;
mod plan;
mod platform_ini;
mod plural;
mod pr;
mod proc;
mod program;
mod progress;
mod readme;
mod record;
mod repo_root;
mod report;
mod revision;
mod rewound;
mod road;
mod root;
mod runfile;
mod sample;
mod select;
mod setup;
mod shell;
mod sim;
mod socs;
mod sources;
mod stopped;
mod templates;
mod term;
mod test;
mod tidy;
mod told;
mod tools;
mod torch;
mod uninstall;
mod unittest;
mod upstream;
mod ut;
mod variables;
mod venv;
mod versions;
mod versus;
mod watch;
mod wheels;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use ctx::Ctx;

#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", about, version)]
#[command(after_help = diag::EXIT_CODES)]
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
    New(new::New),
    Build(build::Build),
    Package(package::Package),
    Install(install::Install),
    Uninstall(uninstall::Uninstall),
    List(list::List),
    Example(example::Verb),
    Operators(operators::Operators),
    Opinfo(op_info::OpInfo),
    Ascgraph(asc_graph::AscGraph),
    Sample(sample::Sample),
    Sim(sim::Sim),
    Optest(optest::Optest),
    Test(test::Test),
    Bench(bench::Bench),
    Onnx(onnx::Onnx),
    Torch(torch::Torch),
    Paddle(paddle::Paddle),
    Report(report::Report),
    Pr(pr::Pr),
    Fmt(fmt::Fmt),
    Lint(lint::Lint),
    Tidy(tidy::Tidy),
    Clean(clean::Clean),
    Env(shell::Env),
    Run(shell::Run),
    Completions(completions::Completions),
}

/// What CMake and xtask itself call. Not among the verbs, so that nothing ever suggests one of them.
#[derive(Parser)]
enum Plumbing {
    Opc(opc::Opc),
    CmakeStep(cmake_step::CmakeStep),
}

const PLUMBING: [&str; 2] = ["opc", "cmake-step"];

impl Verb {
    fn name(&self) -> &'static str {
        match self {
            Verb::Doctor(_) => "doctor",
            Verb::Setup(_) => "setup",
            Verb::New(_) => "new",
            Verb::Build(_) => "build",
            Verb::Package(_) => "package",
            Verb::Install(_) => "install",
            Verb::Uninstall(_) => "uninstall",
            Verb::List(_) => "list",
            Verb::Example(_) => "example",
            Verb::Operators(_) => "operators",
            Verb::Opinfo(_) => "opinfo",
            Verb::Ascgraph(_) => "ascgraph",
            Verb::Sample(_) => "sample",
            Verb::Sim(_) => "sim",
            Verb::Optest(_) => "optest",
            Verb::Test(_) => "test",
            Verb::Bench(_) => "bench",
            Verb::Onnx(_) => "onnx",
            Verb::Torch(_) => "torch",
            Verb::Report(_) => "report",
            Verb::Paddle(_) => "paddle",
            Verb::Pr(_) => "pr",
            Verb::Fmt(_) => "fmt",
            Verb::Lint(_) => "lint",
            Verb::Tidy(_) => "tidy",
            Verb::Clean(_) => "clean",
            Verb::Env(_) => "env",
            Verb::Run(_) => "run",
            Verb::Completions(_) => "completions",
        }
    }

    /// Verbs that only look take no lock.
    fn writes(&self) -> bool {
        match self {
            // Its runs take the lock.
            Verb::Report(_) => false,
            Verb::Doctor(_)
            | Verb::List(_)
            | Verb::Ascgraph(_)
            | Verb::Env(_)
            | Verb::Run(_)
            | Verb::Completions(_) => false,
            Verb::Opinfo(verb) => verb.builds(),
            Verb::Sim(verb) => verb.builds(),
            _ => true,
        }
    }

    /// What can be said of the command line without building anything, before the lock of the checkout is waited for.
    fn check(&self, cx: &mut Ctx) -> anyhow::Result<()> {
        match self {
            Verb::Build(verb) => verb.check(cx),
            Verb::Package(verb) => verb.check(cx),
            Verb::Install(verb) => verb.check(cx),
            Verb::Example(verb) => verb.check(cx),
            Verb::Operators(verb) => verb.check(cx),
            Verb::Opinfo(verb) => verb.check(cx),
            Verb::Sample(verb) => verb.check(cx),
            Verb::Sim(verb) => verb.check(cx),
            Verb::Optest(verb) => verb.check(cx),
            Verb::Test(verb) => verb.check(cx),
            Verb::Onnx(verb) => verb.check(cx),
            Verb::Torch(verb) => verb.check(cx),
            Verb::Paddle(verb) => verb.check(cx),
            Verb::Pr(verb) => verb.check(cx),
            _ => Ok(()),
        }
    }

    fn run(self, cx: &mut Ctx) -> anyhow::Result<()> {
        match self {
            Verb::Doctor(verb) => verb.run(cx),
            Verb::Setup(verb) => verb.run(cx),
            Verb::New(verb) => verb.run(cx),
            Verb::Build(verb) => verb.run(cx),
            Verb::Package(verb) => verb.run(cx),
            Verb::Install(verb) => verb.run(cx),
            Verb::Uninstall(verb) => verb.run(cx),
            Verb::List(verb) => verb.run(cx),
            Verb::Example(verb) => verb.run(cx),
            Verb::Operators(verb) => verb.run(cx),
            Verb::Opinfo(verb) => verb.run(cx),
            Verb::Ascgraph(verb) => verb.run(cx),
            Verb::Sample(verb) => verb.run(cx),
            Verb::Sim(verb) => verb.run(cx),
            Verb::Optest(verb) => verb.run(cx),
            Verb::Test(verb) => verb.run(cx),
            Verb::Bench(verb) => verb.run(cx),
            Verb::Onnx(verb) => verb.run(cx),
            Verb::Torch(verb) => verb.run(cx),
            Verb::Report(verb) => verb.run(cx),
            Verb::Paddle(verb) => verb.run(cx),
            Verb::Pr(verb) => verb.run(cx),
            Verb::Fmt(verb) => verb.run(cx),
            Verb::Lint(verb) => verb.run(cx),
            Verb::Tidy(verb) => verb.run(cx),
            Verb::Clean(verb) => verb.run(cx),
            Verb::Env(verb) => verb.run(cx),
            Verb::Run(verb) => verb.run(cx),
            Verb::Completions(verb) => verb.run(),
        }
    }
}

fn main() -> ExitCode {
    if std::env::args().nth(1).is_some_and(|verb| PLUMBING.contains(&verb.as_str())) {
        // Their output is a build log, not a report.
        return match Plumbing::parse() {
            Plumbing::Opc(verb) => diag::finish_plumbing(verb.run()),
            Plumbing::CmakeStep(verb) => verb.run(),
        };
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let mut cx = match Ctx::new(cli.verb.name(), cli.global) {
        Ok(cx) => cx,
        Err(error) => return ExitCode::from(diag::show(&error)),
    };
    if let Err(error) = variables::check(&cx.repo) {
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
    let lock = if cli.verb.writes() { cx.lock().map(Some) } else { Ok(None) };
    let result = lock.and_then(|_held| cli.verb.run(&mut cx));
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
        let object = serde_json::json!({
            "schema": 1, "command": null, "ok": false, "exit_code": code, "error": {"causes": [message], "hint": null}
        });
        term::json(&format!("{object:#}"));
    }
    ExitCode::from(code)
}
