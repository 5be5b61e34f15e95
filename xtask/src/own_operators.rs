//! Small operators of our own in `tests/operators`: what directories from elsewhere use and the repository's ops
//! do not (generated interfaces, tensor lists, described tiling data, tiling keys by name), and two that are made, of a
//! graph and of a model.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::{own_forms, own_samples};
use hostcann_cli::base::args::OpArgs;
use hostcann_cli::base::count::Count;
use hostcann_cli::base::count::Ran;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::Kind;
use hostcann_cli::base::proc;
use hostcann_cli::base::program;
use hostcann_cli::base::term::err;
use hostcann_cli::test::device_layer;
use hostcann_cli::test::ut::{self, UtArgs};
use hostcann_cli::toolchain::plan::Plan;

/// A filter chooses operators by directory name; samples are one unit of a part, and so are the projects of
/// `tests/forms`.
pub fn run(cx: &mut Ctx, plan: &Plan, filter: Option<&str>) -> Result<Ran> {
    let mut dirs = operators(cx)?;
    let mut samples =
        if cx.run.takes("operators samples") { own_samples::run(cx, plan, filter)? } else { Count::default() };
    if cx.run.takes("operators forms") {
        samples += own_forms::run(cx, plan, filter)?;
    }
    dirs.retain(|dir| {
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        filter.is_none_or(|filter| name.contains(filter)) && cx.run.takes(&format!("operators {name}"))
    });
    let all: Vec<PathBuf> = dirs.iter().cloned().chain(generated(cx, filter)?).collect();
    if all.is_empty() {
        return Ok(samples.into());
    }
    cx.console.say("Testing", "operators of tests/operators");
    let mut count = samples;
    count += examples(cx, plan, "operators", &all, &[])?;
    let read = own_plan(cx, plan, all)?;
    count += device_layer::run(cx, &read)?;
    let mut ran = Ran::from(count);
    if dirs.is_empty() {
        return Ok(ran);
    }
    let own = own_plan(cx, plan, dirs)?;
    for outcome in ut::run(cx, &own, &UtArgs::default())? {
        ran += Ran { count: outcome.count, tests: outcome.tests };
    }
    Ok(ran)
}

/// What `examples` builds.
pub fn own_plan(cx: &mut Ctx, plan: &Plan, dirs: Vec<PathBuf>) -> Result<Plan> {
    let args = OpArgs {
        op_dir: dirs,
        soc: vec![SOC.to_owned()],
        vendor_name: Some(VENDOR.to_owned()),
        jobs: u16::try_from(plan.jobs).ok(),
        ..OpArgs::default()
    };
    Plan::beside(cx, &args)
}

pub const VENDOR: &str = "selftest";
pub const SOC: &str = "ascend910b";

/// As a user runs them: another xtask, a package of their own, installed beside the toolkit.
pub fn examples(cx: &mut Ctx, plan: &Plan, step: &str, dirs: &[PathBuf], how: &[&str]) -> Result<Count> {
    let dirs = dirs.iter().flat_map(|dir| ["--op-dir".into(), dir.clone().into_os_string()]).collect::<Vec<_>>();
    let xtask = program::own()?;
    let (install, jobs) = (cx.project.work().join(VENDOR), plan.jobs.to_string());
    fs::create_dir_all(&install).with_context(|| format!("cannot create {}", install.display()))?;
    let outcome = cx.step(step, |cx| {
        let line = cmd!(
            cx.run.sh,
            "{xtask} example --vendor_name={VENDOR} --soc={SOC} -j {jobs} --install-path {install} {dirs...} {how...}"
        );
        proc::log_run(cx, step, line)
    })?;
    let of = |word: &str| outcome.text.matches(&format!("execute samples {word}")).count() as u64;
    let mut count = Count { passed: of("success"), failed: of("failed") };
    if !outcome.ok {
        err!("{}", outcome.text.trim_end());
        count.failed = count.failed.max(1);
    }
    Ok(count)
}

/// Of a graph, with rows whole and in pieces; and of a model, two kernels in one operator.
const GENERATED: [&str; 2] = ["softmax_auto", "extremes_fused"];

/// Operators that `ascgraph codegen` and `onnx fuse` make. Their examples are the generated ones.
fn generated(cx: &mut Ctx, filter: Option<&str>) -> Result<Vec<PathBuf>> {
    let (xtask, out, examples) =
        (program::own()?, cx.project.work().join("made"), cx.project.home.join("ascgraph/examples"));
    let mut dirs = Vec::new();
    for name in GENERATED {
        let chosen = filter.is_none_or(|filter| name.contains(filter));
        if !chosen || !cx.run.takes(&format!("operators {name}")) {
            continue;
        }
        if name == GENERATED[0] {
            let graph = examples.join("softmax.json");
            cx.step("made", |cx| {
                let line = cmd!(cx.run.sh, "{xtask} ascgraph codegen {graph} --name {name} --out {out}");
                proc::must_run(cx, "made", Kind::Tests, line)
            })?;
            dirs.push(out.join("math").join(name));
            continue;
        }
        let (model, fused, own) = (examples.join("extremes.onnx"), out.join("extremes.onnx"), out.join(name));
        cx.step("made", |cx| {
            let line = cmd!(cx.run.sh, "{xtask} onnx fuse {model} {fused} --ops {own}");
            proc::must_run(cx, "made", Kind::Tests, line)
        })?;
        dirs.extend(made_by_fuse(&own)?);
    }
    Ok(dirs)
}

/// The directories of the list that `onnx fuse` writes: their names are those of graphs.
fn made_by_fuse(ops: &Path) -> Result<Vec<PathBuf>> {
    let list = ops.join("operators.json");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let list: Vec<serde_json::Value> = serde_json::from_str(&text)?;
    Ok(list.iter().filter_map(|entry| entry["dir"].as_str().map(PathBuf::from)).collect())
}

fn operators(cx: &Ctx) -> Result<Vec<PathBuf>> {
    let dir = cx.project.home.join("tests/operators");
    let mut found = Vec::new();
    for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
        // A directory of helpers has no example.
        if path.join("CMakeLists.txt").is_file() && path.join("examples").is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hostcann_cli::base::args::Global;
    use hostcann_cli::toolchain::root::Root;

    #[test]
    fn a_run_stays_about_its_operators() {
        let mut cx = Ctx::new("test", &Global::default()).expect("a context");
        cx.run.about.ops = Some(vec!["mine".to_owned()]);
        let plan = Plan::of_toolkit(Root::choose(&cx).expect("a root"), 1);
        let dirs = operators(&cx).expect("operators");
        let own = own_plan(&mut cx, &plan, dirs.clone()).expect("a plan");
        assert_eq!((own.ops.len(), own.vendor.as_str()), (dirs.len(), VENDOR));
        assert_eq!(cx.run.about.ops.as_deref(), Some(["mine".to_owned()].as_slice()));
        let first = OpArgs { op_dir: vec![dirs[0].clone()], ..OpArgs::default() };
        let first = Plan::new(&mut cx, &first).expect("a plan");
        assert_eq!(cx.run.about.ops.as_deref(), Some([first.ops[0].name.clone()].as_slice()));
    }
}
