//! A real CANN: the op goes into the user's ops-math checkout and upstream's build.sh does the work.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};
use crate::files;
use crate::op_dir::OpDir;
use crate::plan::Plan;
use crate::proc;
use crate::record;

/// Overlays the ops, runs `build.sh --pkg` and copies the `.run` to build_out.
pub fn package(cx: &mut Ctx, plan: &Plan) -> Result<PathBuf> {
    let tree = checkout(plan)?;
    refuse_kernel_defines(plan)?;
    cx.step("overlay", |cx| plan.ops.iter().try_for_each(|op| overlay(cx, &tree, op)))?;
    let (ops, vendor, jobs) = (plan.op_names(), &plan.vendor, plan.jobs.to_string());
    let soc = (!plan.socs.is_empty()).then(|| format!("--soc={}", plan.socs.join(",")));
    cx.say("Building", format!("{ops} with build.sh of {}", tree.display()));
    cx.step("build.sh", |cx| {
        let _dir = cx.sh.push_dir(&tree);
        // CMake takes the first configuration's compiler flags from here; build.sh has no option for them.
        let flags = plan.defines.iter().map(|definition| format!("-D{definition}")).collect::<Vec<_>>().join(" ");
        let _flags = (!flags.is_empty()).then(|| cx.sh.push_env("CXXFLAGS", &flags));
        let debug = plan.debug.then_some("--build-type=Debug");
        let line = cmd!(
            cx.sh,
            "bash build.sh --pkg --experimental {soc...} --ops={ops} --vendor_name={vendor} {debug...} -j{jobs}"
        );
        proc::must_run(cx, "build.sh", Kind::Build, line)
    })?;
    let built = tree.join("build_out").join(plan.run_name());
    if !built.is_file() {
        return Err(failed(Kind::Build, format!("build.sh succeeded, but {} is not there", built.display()))
            .hint("compare --vendor_name with the name that this ops-math version writes"));
    }
    let run = record::run_path(cx, plan);
    files::copy_if_changed(&built, &run)?;
    let sha = files::sha256(&fs::read(&run).with_context(|| format!("cannot read {}", run.display()))?);
    cx.artifact(&run, Some(&sha));
    Ok(run)
}

fn refuse_kernel_defines(plan: &Plan) -> Result<()> {
    for define in &plan.defines {
        let name = define.split('=').next().unwrap_or_default();
        for op in &plan.ops {
            if op.mentions(name, &["op_kernel"])? {
                let message = format!(
                    "--define {define}: op_kernel of {} reads {name}, and build.sh passes kernels none",
                    op.name
                );
                return Err(failed(Kind::Usage, message).hint("set it in the kernel's source"));
            }
        }
    }
    Ok(())
}

pub fn example(cx: &mut Ctx, plan: &Plan, name: Option<&str>, noexec: bool) -> Result<()> {
    let tree = checkout(plan)?;
    let vendor = &plan.vendor;
    let only = name.map(|name| format!("--example_name={name}"));
    let noexec = noexec.then_some("--noexec");
    for op in &plan.ops {
        let (op, only) = (&op.name, &only);
        cx.step(&format!("example {op}"), |cx| {
            let _dir = cx.sh.push_dir(&tree);
            let line = cmd!(
                cx.sh,
                "bash build.sh --experimental --run_example {op} eager cust --vendor_name={vendor} {only...} {noexec...}"
            );
            let outcome = proc::show_run(cx, "run_example", line)?;
            if outcome.ok { Ok(()) } else { Err(proc::tool_failed(cx, "run_example", Kind::Tests, "build.sh", &outcome)) }
        })?;
    }
    cx.verdict(format!("example: {} with build.sh", plan.op_names()));
    Ok(())
}

fn checkout(plan: &Plan) -> Result<PathBuf> {
    let hint = "clone ops-math in the version of your CANN and pass it: --ops-math DIR or OPS_MATH_HOME=DIR; \
                `unset ASCEND_HOME_PATH` builds for the host toolkit of this repository instead";
    let Some(dir) = &plan.ops_math else {
        let root = plan.root.path.display();
        return Err(failed(
            Kind::NoOpsMath,
            format!("{root} is a real CANN: building for it needs an ops-math checkout"),
        )
        .hint(hint));
    };
    let missing = ["build.sh", "experimental"].into_iter().find(|name| !dir.join(name).exists());
    match missing {
        Some(name) => {
            Err(failed(Kind::NoOpsMath, format!("{} is no ops-math checkout: it has no {name}", dir.display()))
                .hint(hint))
        }
        None => dir.canonicalize().with_context(|| format!("cannot open {}", dir.display())),
    }
}

/// Copies the op to experimental/<category>/<op>. A directory that is there and did not come from here is left alone.
fn overlay(cx: &Ctx, tree: &Path, op: &OpDir) -> Result<()> {
    let parent = op.path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let category = parent.filter(|name| ["math", "conversion", "random"].contains(name)).unwrap_or("math");
    let to = tree.join("experimental").join(category).join(&op.name);
    let record = cx.work().join("overlay").join(files::sha256(to.as_os_str().as_encoded_bytes()));
    let wanted = files::tree_hash(&op.path)?;
    if to.exists() {
        let have = files::tree_hash(&to)?;
        if have == wanted {
            return Ok(());
        }
        if fs::read_to_string(&record).ok().as_deref() != Some(&have) {
            return Err(failed(Kind::NoOpsMath, format!("{} exists and was not put there by xtask", to.display()))
                .hint("move it away or commit it elsewhere, then run the command again"));
        }
    }
    files::sync_dir(&op.path, &to)?;
    files::write_if_changed(&record, wanted.as_bytes())?;
    Ok(())
}
