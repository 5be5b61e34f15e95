//! `build`: the host toolkit and the libraries and kernels of the op.

use anyhow::Result;
use clap::Args;

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::verb::Verb;
use crate::build::build_ops;
use crate::build::form;
use crate::build::partial;
use crate::toolchain::form::{Project, asked};
use crate::toolchain::plan::Plan;
use crate::toolchain::root::RootKind;
use crate::toolchain::upstream;

const HELP: &str = "\
Examples:
  cargo xtask build
  cargo xtask build --soc=ascend910_93 -j4
  cargo xtask build --op-dir ../my_ops/add_example --vendor_name=mine
  cargo xtask build --op-dir ../my_project

A project with a build of its own (msopgen, npu_op, kernel library, torch extension) is built by its build.sh, or by the
commands of its form, with this toolkit: docs/guides/your-project.md.
With ASCEND_HOME_PATH set to a real CANN this runs build.sh of the ops-math checkout given by --repo.";

/// Build the host toolkit, the op's host libraries and its kernels
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Build {
    #[command(flatten)]
    op: OpArgs,
}

impl Verb for Build {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        if let Some(project) = asked(cx, &self.op) {
            return form::check(cx, &project, &self.op);
        }
        Plan::check(cx, &self.op).map(drop)
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        if let Some(project) = asked(cx, &self.op) {
            return project_built(cx, &project, &self.op);
        }
        let plan = Plan::new(cx, &self.op)?;
        if plan.root.kind == RootKind::Cann {
            let run = upstream::package(cx, &plan)?;
            return Ok(Done::plain().verdict(format!("build: {}", run.display())));
        }
        let (plan, left_out) = partial::what_builds(cx, plan)?;
        let vendor = build_ops::build(cx, &plan)?;
        cx.run.artifact(&vendor, None);
        let shown = cx.project.show(&vendor);
        Ok(Done::plain()
            .verdict(format!("build: {} for {} in {shown}", plan.op_names(), plan.socs.join(", ")))
            .judged(left_out.judge(Ok(()))))
    }
}

fn project_built(cx: &mut Ctx, project: &Project, args: &OpArgs) -> Result<Done> {
    let built = form::build(cx, project, args)?;
    let what = format!("build: {} ({})", form::shown(cx, project), project.form.name());
    Ok(Done::plain().verdict(match built.run {
        Some(run) => format!("{what}: {}; `cargo xtask install` installs it", cx.project.show(&run)),
        None => what,
    }))
}
