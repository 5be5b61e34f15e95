//! `onnx`: models in ONNX Runtime whose operators are those of the installed packages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use xshell::cmd;

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{Kind, passed};
use crate::base::done::Done;
use crate::base::installation::BUILT;
use crate::base::lock::Scope;
use crate::base::proc;
use crate::base::program;
use crate::base::verb::Verb;
use crate::build::hostroot::{cargo, cargo_target};
use crate::frameworks::onnx_fuse::Fuse;
use crate::frameworks::session::{self, RunArgs, Session};
use crate::frameworks::unittest::{ALL, Suite, TestArgs};
use crate::toolchain::venv::{self, EnvArgs, Framework};
use crate::toolchain::wheels::Wheels;

const HELP: &str = "\
Examples:
  cargo xtask onnx setup                         # once: onnx and onnxruntime, into target/onnx
  cargo xtask onnx rewrite model.onnx out.onnx   # a line about each node that could use an operator of ours
  cargo xtask onnx fuse model.onnx out.onnx --size batch=256   # operators that are cheaper as one become one
  cargo xtask onnx run infer.py out.onnx
  cargo xtask onnx test
  cargo xtask onnx test Rewriter                 # tests whose name contains `Rewriter`

docs/guides/onnx.md lists what works.";

const ONNX: Framework = Framework {
    name: venv::ONNX,
    wheels: Wheels {
        lock: "hostcann/cli/locks/onnx.lock.txt",
        what: "onnx 1.23.2 and onnxruntime",
        download_mb: 59,
        disk_mb: 211,
        platforms: "onnx 1.23.2 and onnxruntime are pinned for CPython 3.10 to 3.14 on x86_64 and aarch64 Linux with glibc 2.28 \
                    or newer: name such a Python with --python",
        instead: "; with onnx and onnxruntime in a Python of your own, --use-env needs no download",
        per_python: true,
    },
    room_mb: 500,
    pair: &[("onnx", "1"), ("onnxruntime", "1")],
};

const PYTHON: &str = "adapters/onnxruntime/python";
const LIBRARY: &str = "libascend_ort.so";
const REWRITER: &str = "adapters/onnxruntime/python/ascend_ort.py";
const TESTS: &str = "adapters/onnxruntime/tests";

/// Run ONNX models in ONNX Runtime with the operators of installed packages
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Onnx {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Create target/onnx, an environment with the pinned onnx and onnxruntime
    Setup(EnvArgs),
    /// Run a script in ONNX Runtime; `ascend_ort.session_options()` provides the operators
    Run(Box<RunArgs>),
    /// Rewrite a model to use the operators where they compute the same as its nodes
    Rewrite(Rewrite),
    /// Fuse operators of a model where the timing model says that it is faster, and write their operator directories
    Fuse(Box<Fuse>),
    /// Build package and library if stale, then test the library in ONNX Runtime, and the rewriter
    Test(Box<TestArgs>),
}

#[derive(Args)]
struct Rewrite {
    #[arg(value_name = "MODEL.onnx")]
    model: PathBuf,
    #[arg(value_name = "OUT.onnx")]
    out: PathBuf,
}

impl Verb for Onnx {
    fn scopes(&self) -> Vec<Scope> {
        ONNX.scopes(matches!(self.action, Action::Setup(_)))
    }

    fn check(&self, cx: &mut Ctx) -> Result<()> {
        match &self.action {
            Action::Run(args) => args.check(cx, &ONNX),
            Action::Rewrite(args) => args.check(cx),
            Action::Fuse(args) => args.check(cx),
            Action::Test(args) => session::check_test(cx, &ONNX, &args.op),
            Action::Setup(_) => Ok(()),
        }
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        match self.action {
            Action::Setup(args) => ONNX.set_up(cx, &args, |_, _| Ok(())),
            Action::Run(args) => {
                let session = prepare(cx, &args.op)?;
                args.run(cx, &session)
            }
            Action::Rewrite(args) => args.run(cx),
            Action::Fuse(args) => args.run(cx),
            Action::Test(args) => test(cx, &args),
        }
    }
}

fn prepare(cx: &mut Ctx, op: &OpArgs) -> Result<Session> {
    let mut session = Session::prepare(cx, &ONNX, op)?;
    let library = cx.step("libascend_ort", |cx| library(cx, session.plan.jobs))?;
    session.variables.push(("ASCEND_ORT_LIBRARY", library.into_os_string()));
    session.find_packages(&[cx.project.home.join(PYTHON)])?;
    Ok(session)
}

/// The custom operator library.
fn library(cx: &Ctx, jobs: usize) -> Result<PathBuf> {
    if cx.project.is_installed() {
        return Ok(cx.project.home.join(BUILT).join(LIBRARY));
    }
    let (cargo, target, jobs) = (cargo(), cargo_target(cx), jobs.to_string());
    let _dir = cx.run.sh.push_dir(&cx.project.home);
    let line = cmd!(cx.run.sh, "{cargo} build --release -p ascend-ort -j {jobs} --target-dir {target}");
    proc::must_run(cx, "libascend_ort", Kind::Build, line)?;
    Ok(target.join("release").join(LIBRARY))
}

impl Rewrite {
    fn check(&self, cx: &Ctx) -> Result<()> {
        session::need_file(&cx.run.sh.current_dir().join(&self.model), "name a model, MODEL.onnx")
    }

    fn run(&self, cx: &mut Ctx) -> Result<Done> {
        let here = cx.run.sh.current_dir();
        let (model, out) = (here.join(&self.model), here.join(&self.out));
        rewrite(cx, &[&model, &out])?;
        cx.run.artifact(&out, None);
        Ok(Done::plain().verdict(format!("onnx rewrite: {}", self.out.display())))
    }
}

/// The rewriter with these files: a model, and where the new one goes.
fn rewrite(cx: &Ctx, files: &[&Path]) -> Result<()> {
    let env = ONNX.env(cx)?;
    let mut line = std::process::Command::new(&env.python);
    line.arg(cx.project.home.join(REWRITER)).args(files);
    let status = line.status().with_context(|| format!("cannot run {}", env.python.display()))?;
    if !status.success() {
        let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
        let model = files.first().map_or_else(String::new, |model| model.display().to_string());
        return Err(passed(code, format!("{model} was not rewritten")));
    }
    Ok(())
}

fn test(cx: &mut Ctx, args: &TestArgs) -> Result<Done> {
    let mut session = prepare(cx, &args.op)?;
    cx.console.say("Fusing", "operators of two models");
    let (models, vendor) = cx.step("onnx_fused", |cx| fused_models(cx, &session))?;
    let custom = std::env::join_paths([&vendor, &session.vendor]).context("the directory of a package has a `:`")?;
    session.variables.push(("ASCEND_CUSTOM_OPP_PATH", custom));
    session.variables.push(("ASCEND_ORT_FUSED", models.into_os_string()));
    let all = args.run(
        cx,
        &session,
        &Suite { name: "onnx", dir: &cx.project.home.join(TESTS), pattern: ALL, variables: Vec::new() },
    )?;
    Ok(args.judge(ONNX.name, all))
}

/// Models and what they are when fused, `NAME.onnx` and `NAME.fused.onnx` in a directory, and the package of their operators.
fn fused_models(cx: &Ctx, session: &Session) -> Result<(PathBuf, PathBuf)> {
    let dir = cx.project.work().join("onnx_fused");
    let (xtask, tests, log) = (program::own()?, cx.project.home.join(TESTS), "onnx_fused");
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let example = cx.project.home.join("ascgraph/examples/classifier.onnx");
    fs::copy(&example, dir.join("classifier.onnx")).with_context(|| format!("cannot copy {}", example.display()))?;
    let (script, exact) = (tests.join("models.py"), dir.join("exact.onnx"));
    proc::must_run(cx, log, Kind::Tests, session.line(cx)?.args([script.as_os_str(), exact.as_os_str()]))?;
    let mut ops = Vec::new();
    for name in ["classifier", "exact"] {
        let (model, out, own) =
            (dir.join(name).with_extension("onnx"), dir.join(name).with_extension("fused.onnx"), dir.join(name));
        let line = cmd!(cx.run.sh, "{xtask} onnx fuse {model} {out} --ops {own}");
        proc::must_run(cx, log, Kind::Tests, line)?;
        let list = own.join("operators.json");
        let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
        let list: Vec<serde_json::Value> = serde_json::from_str(&text)?;
        ops.extend(list.iter().filter_map(|entry| entry["dir"].as_str().map(|dir| format!("--op-dir={dir}"))));
    }
    let (opp, soc) = (dir.join("opp"), "--soc=ascend910b");
    let line = cmd!(cx.run.sh, "{xtask} install --debug {soc} --vendor_name=fused --install-path {opp} {ops...}");
    proc::must_run(cx, log, Kind::Build, line)?;
    Ok((dir, opp.join("vendors/fused_math")))
}
