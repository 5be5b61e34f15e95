//! The host toolkit, the host libraries of ops and their kernels.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::program;
use crate::base::source_times;
use crate::build::cmake_step::Project;
use crate::build::commands;
use crate::build::cube;
use crate::build::hostroot;
use crate::build::opc;
use crate::build::{aicpu, json};
use crate::toolchain::plan::Plan;
use crate::toolchain::record;
use crate::toolchain::root::RootKind;
use crate::toolchain::tools::{self, Tools};

/// Returns `packages/vendors/<vendor>_math` in the build directory.
pub fn build(cx: &mut Ctx, plan: &Plan) -> Result<PathBuf> {
    tools::need_compiler()?;
    let tools = tools::ensure(cx, false)?;
    if plan.root.kind == RootKind::Embedded {
        cx.console.say("Building", format!("host toolkit ({})", cx.project.show(&plan.root.path)));
        hostroot::assemble(cx, plan, &tools)?;
    }
    cx.console.say("Building", format!("{} for {}", plan.op_names(), plan.socs.join(", ")));
    let vendor = ops(cx, plan, &tools)?;
    let out = plan.build_dir(cx).join("build");
    let mut trees = vec![cx.project.work().join("build/hostcann/build"), out.clone()];
    trees.extend(commands::trees(&out.join("kernels"))?);
    commands::update(cx, plan, "ops", &trees, &[])?;
    Ok(vendor)
}

/// The op info libraries alone. Returns the directory with one of each op.
pub fn infos(cx: &mut Ctx, plan: &Plan) -> Result<PathBuf> {
    tools::need_compiler()?;
    let tools = tools::ensure(cx, false)?;
    if plan.root.kind == RootKind::Embedded {
        cx.console.say("Building", format!("host toolkit ({})", cx.project.show(&plan.root.path)));
        hostroot::assemble(cx, plan, &tools)?;
    }
    cx.console.say("Building", format!("definitions of {}", plan.op_names()));
    target(cx, plan, &tools, "op_infos")?;
    Ok(plan.build_dir(cx).join("build/autogen"))
}

/// The ops alone, against a toolkit that is there.
pub fn ops(cx: &mut Ctx, plan: &Plan, tools: &Tools) -> Result<PathBuf> {
    cube::refuse(&plan.ops)?;
    // Read before they are compiled: what changes meanwhile makes the package a stale one, not a wrong one a fresh one.
    let record = record::record(cx, plan)?;
    target(cx, plan, tools, "all")?;
    let vendor = plan.build_dir(cx).join("build/packages/vendors").join(plan.vendor_dir());
    files::write_if_changed(&vendor.join(record::VERSION), record.as_bytes())?;
    Ok(vendor)
}

fn target(cx: &mut Ctx, plan: &Plan, tools: &Tools, target: &str) -> Result<()> {
    let xtask = program::own()?;
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(";");
    let out = plan.build_dir(cx);
    // Kernels are compiled again when their compiler changes, not whenever cargo links xtask again.
    let compiler = cx.project.work().join("kernel_compiler.txt");
    files::write_if_changed(&compiler, opc::version().as_bytes())?;
    let aicpu = aicpu::of_plan(cx, plan)?;
    let json = json::of(cx, &plan.ops)?;
    let project = Project {
        step: "ops",
        source: cx.project.home.join("experimental"),
        out: out.clone(),
        target,
        defines: vec![
            ("ASCEND_HOME_PATH", plan.root.path.display().to_string()),
            ("OP_DIRS", list(&mut plan.ops.iter().map(|op| op.path.display().to_string()))),
            ("VENDOR_NAME", plan.vendor.clone()),
            ("OP_DEFINITIONS", plan.defines.join(";")),
            ("OP_DEBUG", u8::from(plan.debug).to_string()),
            ("ASCEND_COMPUTE_UNIT", list(&mut plan.socs.iter().cloned())),
            ("OP_AICPU_KERNELS", list(&mut aicpu.kernels.iter().map(|kernel| kernel.display().to_string()))),
            ("OP_EIGEN", aicpu.eigen.map(|dir| dir.display().to_string()).unwrap_or_default()),
            ("OP_JSON", json.map(|dir| dir.display().to_string()).unwrap_or_default()),
            ("XTASK", xtask.display().to_string()),
            ("KERNEL_COMPILER_STAMP", compiler.display().to_string()),
        ],
        jobs: plan.jobs,
    };
    let sources: Vec<&Path> = plan.ops.iter().map(|op| op.path.as_path()).collect();
    let stale = source_times::find(&out, &sources)?;
    if let Some(first) = stale.first() {
        let more = if stale.len() > 1 { format!(" and {} more", stale.len() - 1) } else { String::new() };
        let files = cx.project.show(first) + &more;
        let why = "changed, but no newer than before";
        if source_times::renew(&stale) {
            cx.console.say("Rebuilding", format!("what depends on {files}: {why}"));
        } else {
            cx.console.say("Rebuilding", format!("everything: {files} {why}, and not ours to give a new time"));
            files::remove_dir_if_there(&out)?;
        }
    }
    cx.step("ops", |cx| project.build(cx, tools))?;
    source_times::record(&out, &sources)
}
