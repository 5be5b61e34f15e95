//! `torch test`: this repository's tests of the session from torch to the operator, with calls queued and one at a time, and of
//! the session from torch.compile to kernels.

use std::ffi::OsString;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::TORCH;
use crate::base::args::OpArgs;
use crate::base::count::Count;
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::frameworks::unittest::{Suite, TestArgs};

const TESTS: &str = "adapters/torch";

const COMPILED: &str = "adapters/torch/compile";

/// Every call waits for its kernels.
const BLOCKING: &str = "ASCEND_LAUNCH_BLOCKING";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Operators, queued and blocking
    Operators,
    /// torch.compile: recorded functions, random expressions, the contract with torch_npu
    Compile,
}

#[derive(Args)]
pub struct Test {
    #[command(flatten)]
    args: TestArgs,
    /// Run only this part
    #[arg(long, value_enum, default_value_t = Part::Operators)]
    only: Part,
    /// Compile this many random expressions
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u32,
}

impl Test {
    pub fn op(&self) -> &OpArgs {
        &self.args.op
    }

    pub fn run(&self, cx: &mut Ctx) -> Result<Done> {
        let session = super::road(cx, &self.args.op)?;
        let mut all = Count::default();
        if self.only == Part::Compile {
            let dir = cx.project.home.join(COMPILED);
            // One process compiles: workers would each import torch first.
            let variables = vec![
                ("TORCHINDUCTOR_COMPILE_THREADS", OsString::from("1")),
                ("AUTOFUSE_EXPRESSIONS", self.count.to_string().into()),
            ];
            all += self.args.run(cx, &session, &Suite { name: "torch-compile", dir: &dir, variables })?;
            return Ok(self.args.judge(TORCH.name, all));
        }
        let dir = cx.project.home.join(TESTS);
        for (name, blocking) in [("torch-queued", "0"), ("torch-blocking", "1")] {
            let variables = vec![(BLOCKING, OsString::from(blocking))];
            all += self.args.run(cx, &session, &Suite { name, dir: &dir, variables })?;
        }
        Ok(self.args.judge(TORCH.name, all))
    }
}
