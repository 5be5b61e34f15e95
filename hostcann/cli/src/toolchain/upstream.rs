//! A real CANN: the op goes into the user's ops-math checkout and upstream's build.sh does the work.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::{Cmd, cmd};

use crate::base::count::{Count, count_google};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::proc::{self, Outcome};
use crate::toolchain::plan::Plan;
use crate::toolchain::record;
use crate::toolchain::root;

/// Overlays the ops, runs `build.sh --pkg` and copies the `.run` to build_out.
pub fn package(cx: &mut Ctx, plan: &Plan) -> Result<PathBuf> {
    let tree = checkout(plan)?;
    refuse_kernel_defines(plan)?;
    cx.step("overlay", |cx| plan.ops.iter().try_for_each(|op| overlay(cx, &tree, op)))?;
    let mut line = vec!["--pkg".to_owned(), "--experimental".to_owned()];
    line.extend(soc(plan)?);
    line.extend([format!("--ops={}", plan.op_names()), format!("--vendor_name={}", plan.vendor)]);
    line.extend(plan.debug.then(|| "--build-type=Debug".to_owned()));
    line.push(format!("-j{}", plan.jobs));
    cx.console.say("Building", format!("{} with build.sh of {}", plan.op_names(), tree.display()));
    cx.step("build.sh", |cx| {
        // CMake takes the first configuration's compiler flags from here; build.sh has no option for them.
        let flags = plan.defines.iter().map(|definition| format!("-D{definition}")).collect::<Vec<_>>().join(" ");
        let flags = (!flags.is_empty()).then_some(("CXXFLAGS", OsString::from(flags)));
        with_build_sh(cx, plan, &tree, &line, flags, |cx, cmd| {
            proc::must_run(cx, "build.sh", Kind::Build, cmd).map(drop)
        })
    })?;
    let built = tree.join("build_out").join(plan.run_name());
    if !built.is_file() {
        return Err(failed(Kind::Build, format!("build.sh succeeded, but {} is not there", built.display()))
            .hint("compare --vendor_name with the name that this ops-math version writes"));
    }
    let run = record::run_path(cx, plan);
    files::copy_if_changed(&built, &run)?;
    let sha = files::sha256(&fs::read(&run).with_context(|| format!("cannot read {}", run.display()))?);
    cx.run.artifact(&run, Some(&sha));
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

/// `build.sh` in the checkout, with the environment of the toolkit and one more variable. What this version of ops-math does
/// not know is refused before it runs.
fn with_build_sh<T>(
    cx: &Ctx,
    plan: &Plan,
    tree: &Path,
    line: &[String],
    variable: Option<(&str, OsString)>,
    run: impl FnOnce(&Ctx, Cmd) -> Result<T>,
) -> Result<T> {
    check_options(tree, line)?;
    let _dir = cx.run.sh.push_dir(tree);
    let cmd = root::with_root(cmd!(cx.run.sh, "bash build.sh {line...}"), &plan.root).envs(variable);
    run(cx, cmd)
}

/// build.sh takes one SoC: of a list it would build the first one it can make out, and say nothing.
fn soc(plan: &Plan) -> Result<Option<String>> {
    match plan.socs.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(format!("--soc={one}"))),
        several => Err(failed(
            Kind::Usage,
            format!("--soc={}: build.sh makes a package for one SoC at a time", several.join(",")),
        )
        .hint("run the command once for each, with a --vendor_name of its own")),
    }
}

/// What build.sh of the checkout says it takes; a version that keeps its list elsewhere judges for itself.
fn check_options(tree: &Path, line: &[String]) -> Result<()> {
    const LIST: &str = "SUPPORTED_LONG_OPTS=(";
    let files =
        ["scripts/build.conf.sh", "build.sh"].map(|file| fs::read_to_string(tree.join(file)).unwrap_or_default());
    let Some(list) = files.iter().find_map(|text| text.split_once(LIST)?.1.split(')').next()) else { return Ok(()) };
    let known: Vec<&str> = list.split('"').skip(1).step_by(2).map(|name| name.trim_end_matches('=')).collect();
    let name =
        |option: &'_ String| option.strip_prefix("--").map(|name| name.split('=').next().unwrap_or(name).to_owned());
    match line.iter().filter_map(name).find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(unknown) => Err(failed(
            Kind::NoOpsMath,
            format!("build.sh of {} does not know --{unknown}; it knows: {}", tree.display(), known.join(", ")),
        )
        .hint("use a checkout of the ops-math version that belongs to your CANN")),
    }
}

/// Examples against the package in `vendor`: of each op the one called `test_aclnn_<name>`, or all.
pub fn example(cx: &mut Ctx, plan: &Plan, vendor: &Path, name: Option<&str>, noexec: bool) -> Result<()> {
    let tree = checkout(plan)?;
    // build.sh skips what has another name than test_aclnn_<NAME>, and calls that a success.
    let bare = |name: &str| {
        let name = name.strip_prefix("test_").unwrap_or(name);
        name.strip_prefix("aclnn_").unwrap_or(name).to_owned()
    };
    let mut more = Vec::new();
    more.extend(name.map(|name| format!("--example_name={}", bare(name))));
    more.extend(noexec.then(|| "--noexec".to_owned()));
    for op in &plan.ops {
        let mut line = ["--experimental", "--run_example", &op.name, "eager", "cust"].map(str::to_owned).to_vec();
        line.push(format!("--vendor_name={}", plan.vendor));
        line.extend(more.iter().cloned());
        cx.step(&format!("example {}", op.name), |cx| {
            let outcome = with_build_sh(cx, plan, &tree, &line, packages(plan, vendor), |cx, cmd| {
                proc::show_run(cx, "run_example", cmd)
            })?;
            judge_example(cx, &outcome, noexec)
        })?;
    }
    Ok(())
}

fn judge_example(cx: &Ctx, outcome: &Outcome, noexec: bool) -> Result<()> {
    if !outcome.ok {
        return Err(proc::tool_failed(cx, "run_example", Kind::Tests, "build.sh", outcome));
    }
    let done = if noexec { "Skip running " } else { "execute samples success" };
    if outcome.text.contains(done) {
        return Ok(());
    }
    Err(failed(Kind::NoTests, format!("build.sh ran no example: its output has no `{done}`"))
        .hint(format!("its whole output is in {}", cx.project.show(&cx.project.log_file("run_example")))))
}

/// Where build.sh and the toolkit look for packages first: this one is meant, wherever the opp directory is.
fn packages(plan: &Plan, vendor: &Path) -> Option<(&'static str, OsString)> {
    let others = plan.root.custom_opp();
    let all = std::iter::once(vendor.to_path_buf()).chain(others.into_iter().filter(|other| other != vendor));
    std::env::join_paths(all).ok().map(|list| ("ASCEND_CUSTOM_OPP_PATH", list))
}

/// Unit tests by `build.sh -u`, all programs together.
pub fn unit_tests(cx: &mut Ctx, plan: &Plan, kinds: &[&str], filter: Option<&str>) -> Result<Count> {
    let tree = checkout(plan)?;
    let mut line = ["-u", "--experimental"].map(str::to_owned).to_vec();
    line.extend(soc(plan)?);
    line.push(format!("--ops={}", plan.op_names()));
    line.extend(kinds.iter().map(|kind| format!("--{kind}")));
    line.extend(filter.map(|filter| format!("--gtest_filter={filter}")));
    line.push(format!("-j{}", plan.jobs));
    cx.console.say("Testing", format!("unit tests of {} with build.sh of {}", plan.op_names(), tree.display()));
    cx.step("build.sh -u", |cx| {
        let outcome = with_build_sh(cx, plan, &tree, &line, None, |cx, cmd| proc::log_program(cx, "build.sh-u", cmd))?;
        let count = count_google(&without_times(&outcome.text));
        if !outcome.ok && count.failed == 0 {
            return Err(proc::tool_failed(cx, "build.sh-u", Kind::Build, "build.sh", &outcome));
        }
        Ok(count)
    })
}

/// build.sh puts `[<date> <time>] ` in front of every line.
fn without_times(text: &str) -> String {
    let bare = |line: &str| match line.split_once("] ") {
        Some((time, rest)) if time.starts_with("[2") => format!("{rest}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(bare).collect()
}

fn checkout(plan: &Plan) -> Result<PathBuf> {
    let hint = "clone ops-math in the version of your CANN and pass it: --ops-math DIR or OPS_MATH_HOME=DIR; \
                `unset ASCEND_HOME_PATH` builds for the embedded host toolkit instead";
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
    let record = cx.project.work().join("overlay").join(files::sha256(to.as_os_str().as_encoded_bytes()));
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
