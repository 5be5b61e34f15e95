//! `paddle`: operators for Paddle, over installed packages, and the device `npu` on the host toolkit.

mod adapter;
mod build;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::base::args::OpArgs;
use crate::base::count::Count;
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::lock::Scope;
use crate::base::verb::Verb;
use crate::frameworks::session::{self, RunArgs, Session};
use crate::frameworks::unittest::{ALL, Suite, TestArgs};
use crate::toolchain::tools;
use crate::toolchain::venv::{self, EnvArgs, Framework};
use crate::toolchain::wheels::Wheels;

use adapter::Adapter;

const HELP: &str = "\
Examples:
  cargo xtask paddle setup                     # once: paddlepaddle 3.3.1, into target/paddle
  cargo xtask paddle setup --python python3.12
  cargo xtask paddle test
  cargo xtask paddle test gradient             # tests whose name contains `gradient`
  cargo xtask paddle test --check --flip=-div_ulp # the kernels inside, checked
  cargo xtask paddle run my_script.py

docs/guides/paddle.md has the layout, sizes and speed.";

const PADDLE: Framework = Framework {
    name: venv::PADDLE,
    wheels: Wheels {
        lock: "hostcann/cli/locks/paddle.lock.txt",
        what: "paddlepaddle 3.3.1",
        download_mb: 223,
        disk_mb: 850,
        platforms: "paddlepaddle 3.3.1 is pinned for CPython 3.10 to 3.13 on x86_64 Linux with glibc 2.28 or newer: name \
                    such a Python with --python",
        instead: "; with paddlepaddle in a Python of your own, --use-env needs no download",
        per_python: true,
    },
    room_mb: 1400,
    pair: &[("paddlepaddle", "3.3.1")],
};

/// Run operators in Paddle on the host toolkit
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Paddle {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Create target/paddle, an environment with the pinned paddlepaddle
    Setup(EnvArgs),
    /// Run a Paddle script with the operators of adapters/paddle and tensors on `npu`
    Run(Box<RunArgs>),
    /// Build package, operator and device plug-in if stale, then run the operator's tests in Paddle
    Test(Box<TestArgs>),
}

impl Verb for Paddle {
    fn scopes(&self) -> Vec<Scope> {
        PADDLE.scopes(matches!(self.action, Action::Setup(_)))
    }

    fn check(&self, cx: &mut Ctx) -> Result<()> {
        match &self.action {
            Action::Run(args) => args.check(cx, &PADDLE),
            Action::Test(args) => session::check_test(cx, &PADDLE, &args.op),
            Action::Setup(_) => Ok(()),
        }
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        match self.action {
            Action::Setup(args) => PADDLE.set_up(cx, &args, |_, _| Ok(())),
            Action::Run(args) => {
                let (session, _) = prepare(cx, &args.op)?;
                args.run(cx, &session)
            }
            Action::Test(args) => test(cx, &args),
        }
    }
}

/// Everything a script finds: package, device plug-in and the operators' Python packages.
fn prepare(cx: &mut Ctx, op: &OpArgs) -> Result<(Session, Vec<Adapter>)> {
    let all = adapter::all(&cx.project.home)?;
    let mut session = Session::prepare(cx, &PADDLE, op)?;
    let chosen = adapter::of_plan(all, &session.plan)?;
    let built = build::build(cx, &session, &chosen)?;
    session.variables.push(("CUSTOM_DEVICE_ROOT", built.plugin.into_os_string()));
    session.find_packages(&built.packages)?;
    // Views would need kernels of the device for copies; with 0 Paddle makes dense tensors instead.
    session.variables.push(("FLAGS_use_stride_kernel", "0".into()));
    // Paddle reports every plug-in that it loads, and a missing ccache.
    let quiet = |name: &'static str, value: &str| (std::env::var_os(name).is_none()).then(|| (name, value.into()));
    session.variables.extend(quiet("GLOG_minloglevel", "2"));
    session.variables.extend(quiet("PYTHONWARNINGS", "ignore:No ccache found"));
    Ok((session, chosen))
}

fn test(cx: &mut Ctx, args: &TestArgs) -> Result<Done> {
    let (mut session, chosen) = prepare(cx, &args.op)?;
    session.find_packages(&[cx.project.home.join("adapters/paddle/testing")])?;
    // Paddle's headers, which templates for its tree are compiled against, include Eigen's.
    session.variables.push(("XTASK_EIGEN", tools::eigen(cx)?.into_os_string()));
    let mut all = Count::default();
    for adapter in &chosen {
        let work = cx.project.work().join("paddle").join(&adapter.op).into_os_string();
        let dir = adapter.dir.join("tests");
        all += args.run(
            cx,
            &session,
            &Suite { name: "paddle", dir: &dir, pattern: ALL, variables: vec![("XTASK_PADDLE_WORK", work)] },
        )?;
    }
    Ok(args.judge(PADDLE.name, all))
}
