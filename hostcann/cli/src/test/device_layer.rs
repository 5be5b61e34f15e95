//! Every kernel of the op, dtype column by tiling key, read as a strict device compiler reads it.

use anyhow::Result;
use xshell::cmd;

use crate::base::count::{Count, count_cpp};
use crate::base::ctx::Ctx;
use crate::base::diag::Kind;
use crate::base::op_dir;
use crate::base::proc;
use crate::base::program;
use crate::base::term::err;
use crate::build::build_ops;
use crate::build::device::UNITS;
use crate::toolchain::plan::Plan;
use crate::toolchain::tools;

pub fn run(cx: &mut Ctx, plan: &Plan) -> Result<Count> {
    cx.console.say("Testing", format!("kernels of {} as device code (clang)", plan.op_names()));
    build_ops::build(cx, plan)?;
    let tools = tools::ensure(cx, false)?;
    let built = plan.build_dir(cx).join("build/kernels");
    let mut files = Vec::new();
    for op in &plan.ops {
        // Without a definition there are AI CPU kernels only, which are host code.
        if !op_dir::definitions(op)?.is_empty() {
            files.push(built.join(&op.name).join(UNITS));
        }
    }
    if files.is_empty() {
        return Ok(Count::default());
    }
    let (xtask, jobs) = (program::own()?, plan.jobs.to_string());
    cx.step("device", |cx| {
        // A process of its own: what kills clang must not kill the other layers.
        let mut line = cmd!(cx.run.sh, "{xtask} opc device --jobs {jobs} {files...}");
        if let Some(dir) = tools.libclang() {
            line = line.env("LIBCLANG_PATH", dir);
        }
        let outcome = proc::log_run(cx, "device", line)?;
        let Some(count) = count_cpp(&outcome.text) else {
            return Err(proc::tool_failed(cx, "device", Kind::Tests, "xtask", &outcome));
        };
        if count.failed > 0 {
            err!("{}", outcome.text.trim_end());
        }
        Ok(count)
    })
}
