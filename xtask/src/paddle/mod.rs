//! `paddle`: operators for Paddle, over installed packages, and the device `npu` on the host toolkit.

mod adapter;
mod build;
mod check;

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::args::{CheckArgs, OpArgs, TimeArgs};
use crate::count::Count;
use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};
use crate::proc;
use crate::road::{Road, RunArgs};
use crate::tools;
use crate::venv::{EnvArgs, Framework};
use crate::wheels::Wheels;

use adapter::Adapter;

const HELP: &str = "\
Examples:
  cargo xtask paddle setup                     # once: paddlepaddle 3.3.1, into target/paddle
  cargo xtask paddle setup --python python3.12
  cargo xtask paddle test
  cargo xtask paddle test gradient             # tests whose name contains `gradient`
  cargo xtask paddle test --check --flip       # the kernels inside, checked
  cargo xtask paddle run my_script.py

docs/paddle.md says what is where, and how large and how fast it is.";

const PADDLE: Framework = Framework {
    name: "paddle",
    wheels: Wheels {
        lock: "xtask/paddle.lock.txt",
        what: "paddlepaddle 3.3.1 (pinned wheels: 223 MB to download, 850 MB on disk, half a minute to two minutes)",
        platforms: "paddlepaddle 3.3.1 is pinned for CPython 3.10 to 3.13 on x86_64 Linux with glibc 2.28 or newer: name \
                    such a Python with --python",
        instead: "; with paddlepaddle in a Python of your own, --use-env needs no download",
        size: "850 MB and the download",
        per_python: true,
    },
    room_mb: 1400,
    pair: &[("paddlepaddle", "3.3.1")],
};

/// Run operators in Paddle on the host toolkit: dynamic and static graphs, gradients, the device `npu`
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Paddle {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Make target/paddle, an environment with the pinned paddlepaddle
    Setup(EnvArgs),
    /// Run a script that uses Paddle: the operators of adapters/paddle, tensors on `npu`
    Run(Box<RunArgs>),
    Test(Box<Test>),
}

/// Build package, operator and device plug-in where they are stale, then run the operator's tests in Paddle
#[derive(Args)]
struct Test {
    /// Only tests whose name contains this
    filter: Option<String>,
    #[command(flatten)]
    op: OpArgs,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    time: TimeArgs,
}

impl Paddle {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        match self.verb {
            Verb::Setup(args) => setup(cx, &args),
            Verb::Run(args) => {
                let (road, _) = prepare(cx, &args.op)?;
                args.run(cx, &road)
            }
            Verb::Test(test) => test.run(cx),
        }
    }
}

fn setup(cx: &mut Ctx, args: &EnvArgs) -> Result<()> {
    tools::need_compiler()?;
    let env = PADDLE.setup(cx, args, |_, _| Ok(()))?;
    let shown = cx.show(&env.python);
    cx.artifact(&env.python, None);
    cx.verdict(format!("paddle setup: {shown}"));
    Ok(())
}

/// Everything a script finds: package, device plug-in and the operators' Python packages.
fn prepare(cx: &mut Ctx, op: &OpArgs) -> Result<(Road, Vec<Adapter>)> {
    let all = adapter::all(&cx.repo)?;
    let mut road = Road::prepare(cx, &PADDLE, op)?;
    let chosen = adapter::of_plan(all, &road.plan)?;
    let built = build::build(cx, &road, &chosen)?;
    road.variables.push(("CUSTOM_DEVICE_ROOT", built.plugin.into_os_string()));
    road.variables.push(("PYTHONPATH", python_path(&built.packages)?));
    // Views would need kernels of the device for copies; with 0 Paddle makes dense tensors instead.
    road.variables.push(("FLAGS_use_stride_kernel", "0".into()));
    // Paddle tells about every plug-in that it loads, and that ccache is not there.
    let quiet = |name: &'static str, value: &str| (std::env::var_os(name).is_none()).then(|| (name, value.into()));
    road.variables.extend(quiet("GLOG_minloglevel", "2"));
    road.variables.extend(quiet("PYTHONWARNINGS", "ignore:No ccache found"));
    Ok((road, chosen))
}

fn python_path(ours: &[PathBuf]) -> Result<OsString> {
    let old = std::env::var_os("PYTHONPATH").unwrap_or_default();
    let old = std::env::split_paths(&old).filter(|dir| !dir.as_os_str().is_empty());
    Ok(std::env::join_paths(ours.iter().cloned().chain(old))?)
}

impl Test {
    fn run(&self, cx: &mut Ctx) -> Result<()> {
        let (mut road, chosen) = prepare(cx, &self.op)?;
        let helpers = cx.repo.join("adapters/paddle/testing");
        if let Some((_, path)) = road.variables.iter_mut().find(|(name, _)| *name == "PYTHONPATH") {
            path.push(":");
            path.push(&helpers);
        }
        // Paddle's headers, which templates for its tree are compiled against, include Eigen's.
        road.variables.push(("XTASK_EIGEN", tools::eigen(cx)?.into_os_string()));
        // A checkout is no place for what Python compiles.
        road.variables.push(("PYTHONDONTWRITEBYTECODE", "1".into()));
        cx.watch(&self.check);
        cx.limit(&self.time);
        let mut all = Count::default();
        for adapter in &chosen {
            all += self.of_adapter(cx, &road, adapter)?;
        }
        self.judge(cx, all)
    }

    fn judge(&self, cx: &mut Ctx, all: Count) -> Result<()> {
        let Count { passed, failed: bad } = all;
        cx.report("passed", passed);
        cx.report("failed", bad);
        if passed + bad == 0 {
            let filter = self.filter.as_deref().unwrap_or_default();
            return Err(failed(Kind::NoTests, format!("nothing was tested: no test's name contains `{filter}`"))
                .hint("tests are the methods test_* in adapters/paddle/<op>/tests"));
        }
        cx.last_line(format!("{passed} passed, {bad} failed"));
        if bad > 0 {
            let message = format!("{bad} of {} tests in Paddle failed", passed + bad);
            return Err(failed(Kind::Tests, message)
                .hint("the log is target/xtask/log/paddle.log; one test alone: cargo xtask paddle test NAME"));
        }
        cx.verdict(format!("paddle test: {passed} tests"));
        Ok(())
    }

    fn of_adapter(&self, cx: &mut Ctx, road: &Road, adapter: &Adapter) -> Result<Count> {
        cx.say("Running", format!("the tests of {}", cx.show(&adapter.dir)));
        let tests = adapter.dir.join("tests");
        let outcome = cx.step("paddle", |cx| {
            let line = road.line(cx)?.args(["-m", "unittest", "discover", "-v", "-s"]).arg(&tests);
            let line = line.env("XTASK_PADDLE_WORK", cx.work().join("paddle").join(&adapter.op));
            let line = self.filter.iter().fold(line, |line, filter| line.arg("-k").arg(filter));
            proc::log_program(cx, "paddle", line)
        })?;
        let counted = check::count(&outcome.text, outcome.ok, &outcome.status)?;
        if !outcome.ok {
            check::show(cx, &outcome.text);
        }
        Ok(counted)
    }
}
