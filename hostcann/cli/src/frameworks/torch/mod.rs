//! `torch`: an unmodified torch_npu on the host toolkit.

mod compile;
mod env;
mod st;
mod standins;
mod suite;

use anyhow::Result;
use clap::{Args, Subcommand};

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::lock::Scope;
use crate::base::verb::Verb;
use crate::frameworks::session::{RunArgs, Session};
use crate::toolchain::venv::{self, EnvArgs, Framework};
use crate::toolchain::wheels::Wheels;

const HELP: &str = "\
Examples:
  cargo xtask torch setup                    # once: torch 2.14.0 and torch_npu 2.14.0, into target/torch
  cargo xtask torch setup --python python3.12
  cargo xtask torch setup --use-env --python ~/venv/bin/python
  cargo xtask torch run my_script.py
  cargo xtask torch run --check my_script.py --size 4096
  eval \"$(cargo xtask torch env)\"            # this shell builds and runs projects with extensions of torch
  cargo xtask torch test
  cargo xtask torch test --only compile --count 20
  cargo xtask torch test --only models       # a table: right, kernels, operators that are left to torch_npu, wrong
  cargo xtask torch test --only inductor --suite ~/pytorch test_sum test_softmax   # the same of PyTorch's own tests
  cargo xtask torch st ../ops-math/experimental/math/add_example/tests/st/torch --level L0
  cargo xtask torch st ../op-plugin/test/test_base_ops/test_add.py -v

docs/guides/torch.md lists what works, with sizes and speed.";

pub const TORCH: Framework = Framework {
    name: venv::TORCH,
    wheels: Wheels {
        lock: "hostcann/cli/locks/torch.lock.txt",
        what: "torch 2.14.0 and torch_npu 2.14.0",
        download_mb: 630,
        disk_mb: 1500,
        platforms: "torch_npu 2.14.0 has wheels for CPython 3.10 to 3.14 on x86_64 and aarch64 Linux with glibc 2.28 or \
                    newer: name such a Python with --python",
        instead: "; with torch and torch_npu in a Python of your own, --use-env needs no download",
        per_python: true,
    },
    room_mb: 2300,
    pair: &[("torch", "2.14.0"), ("torch_npu", "2.14.0")],
};

/// Run torch_npu programs on the host toolkit
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Torch {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Create target/torch, an environment with the pinned torch and torch_npu
    Setup(EnvArgs),
    /// Run a torch_npu script with the kernels of the installed packages
    Run(Box<RunArgs>),
    /// Print the environment variables with which projects build and run extensions of torch
    Env(env::Env),
    /// Run this repository's tests from torch to the operator, queued and blocking
    Test(Box<suite::Test>),
    /// Build and run an upstream tests/st/torch directory unchanged
    St(Box<st::St>),
}

impl Verb for Torch {
    fn writes(&self) -> bool {
        !matches!(self.action, Action::Env(_))
    }

    fn scopes(&self) -> Vec<Scope> {
        TORCH.scopes(matches!(self.action, Action::Setup(_)))
    }

    fn check(&self, cx: &mut Ctx) -> Result<()> {
        match &self.action {
            Action::Run(args) => args.check(cx, &TORCH),
            Action::Env(args) => args.check(cx),
            Action::Test(args) => args.check(cx),
            Action::St(args) => args.check(cx),
            Action::Setup(_) => Ok(()),
        }
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        match self.action {
            Action::Setup(args) => TORCH.set_up(cx, &args, standins::make),
            Action::Run(args) => {
                let session = road(cx, &args.op)?;
                args.run(cx, &session)
            }
            Action::Env(args) => args.run(cx),
            Action::Test(args) => args.run(cx),
            Action::St(verb) => verb.run(cx),
        }
    }
}

/// From a script to the kernels, with what torch_npu and `torch.compile` need.
fn road(cx: &mut Ctx, op: &OpArgs) -> Result<Session> {
    let mut session = Session::prepare(cx, &TORCH, op)?;
    standins::join(cx, &mut session);
    compile::join(cx, &mut session)?;
    Ok(session)
}
