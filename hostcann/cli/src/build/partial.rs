//! Several ops in one package: one that does not build is left out, and the run fails in the end, not at once.

use anyhow::Result;

use crate::base::ctx::Ctx;
use crate::base::diag::{self, HintExt, Kind, failed};
use crate::base::first_error::first_of;
use crate::base::op_dir::OpDir;
use crate::base::term::out;
use crate::build::build_ops;
use crate::toolchain::plan::Plan;
use crate::toolchain::tools;

/// Ops that do not build, each with the first line that says why.
#[derive(Default)]
pub struct LeftOut {
    ops: Vec<(String, String)>,
    of: usize,
}

/// The plan without the ops that do not build.
pub fn what_builds(cx: &mut Ctx, plan: Plan) -> Result<(Plan, LeftOut)> {
    if plan.ops.len() < 2 || !plan.root.is_host() {
        return Ok((plan, LeftOut::default()));
    }
    let Err(together) = build_ops::build(cx, &plan) else { return Ok((plan, LeftOut::default())) };
    if diag::kind(&together) != Some(Kind::Build) {
        return Err(together);
    }
    cx.console.say("Building", "each op by itself, to see which of them fail");
    let tools = tools::ensure(cx, false)?;
    let mut left_out = LeftOut { ops: Vec::new(), of: plan.ops.len() };
    let mut good: Vec<OpDir> = Vec::new();
    for op in &plan.ops {
        let alone = Plan { ops: vec![op.clone()], ..plan.clone() };
        match build_ops::ops(cx, &alone, &tools) {
            Ok(_) => good.push(op.clone()),
            Err(error) if diag::kind(&error) == Some(Kind::Build) => {
                diag::show(&error);
                left_out.ops.push((op.name.clone(), first_of(&error)));
            }
            Err(error) => return Err(error),
        }
    }
    if left_out.ops.is_empty() {
        // Names that both define, for example.
        return Err(together.hint("each op builds by itself, but not all in one package: choose fewer with --ops"));
    }
    if good.is_empty() {
        return Err(left_out.error());
    }
    let rest = Plan { ops: good, is_repository: false, ..plan };
    build_ops::build(cx, &rest)?;
    Ok((rest, left_out))
}

impl LeftOut {
    /// The verdict of a run on the others.
    pub fn judge(self, result: Result<()>) -> Result<()> {
        if self.ops.is_empty() {
            return result;
        }
        match result {
            Ok(()) => Err(self.error()),
            Err(error) => {
                diag::show(&self.error());
                Err(error)
            }
        }
    }

    fn error(&self) -> anyhow::Error {
        out!("left out:");
        let width = self.ops.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        self.ops.iter().for_each(|(name, why)| out!("  {name:width$}  {why}"));
        let names = self.ops.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let message = format!("{} of {} ops do not build and were left out: {names}", self.ops.len(), self.of);
        failed(Kind::Build, message).hint("the others were built; `cargo xtask operators` tables every op by itself")
    }
}
