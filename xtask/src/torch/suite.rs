//! `torch test`: this repository's tests of the road from torch to the operator, with calls queued and one at a time.

use std::ffi::OsString;

use anyhow::Result;
use clap::Args;

use super::{TORCH, standins};
use crate::args::{CheckArgs, OpArgs};
use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};
use crate::road::{Road, Wish};

const TESTS: &str = "adapters/torch";

/// Every call waits for its kernels.
const BLOCKING: &str = "ASCEND_LAUNCH_BLOCKING";

#[derive(Args)]
pub struct Test {
    #[command(flatten)]
    op: OpArgs,
    #[command(flatten)]
    check: CheckArgs,
    /// Only tests whose names contain one of these
    filter: Vec<String>,
}

impl Test {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        let mut road = Road::prepare(cx, &TORCH, &self.op)?;
        standins::join(&mut road);
        let wish = Wish { check: &self.check, sim: false };
        let mut line: Vec<OsString> = ["-m", "unittest", "discover", "-s"].map(OsString::from).to_vec();
        line.push(cx.repo.join(TESTS).into());
        for word in &self.filter {
            line.extend(["-k".into(), word.into()]);
        }
        let mut bad = Vec::new();
        for (name, blocking) in [("torch-queued", "0"), ("torch-blocking", "1")] {
            cx.say("Testing", name);
            road.variables.retain(|(variable, _)| *variable != BLOCKING);
            road.variables.push((BLOCKING, blocking.into()));
            if road.script(cx, name, &line, &wish).is_err() {
                bad.push(name);
            }
        }
        if bad.is_empty() {
            cx.verdict("torch test: queued and blocking passed");
            return Ok(());
        }
        Err(failed(Kind::Tests, format!("failed: {}", bad.join(", "))).hint("the lines above are unittest's own"))
    }
}
