//! The projects of `tests/forms`, a form of project each: built by their own build.sh or CMake files, installed by their own
//! package, called by their own program.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use xshell::cmd;

use hostcann_cli::base::count::Count;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::files;
use hostcann_cli::base::proc;
use hostcann_cli::base::program;
use hostcann_cli::base::term::err;
use hostcann_cli::toolchain::plan::Plan;
use hostcann_cli::toolchain::root;

/// Directory, vendor of the package, and what its program prints, which compares every element.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: [Case; 2] = [
    (
        "msopgen",
        "two_operators",
        &[
            "scale_offset float32: 0 of 20011 wrong\n",
            "scale_offset int16: 0 of 20011 wrong\n",
            "clip_range int32: 0 of 5000 wrong\n",
            "checked: 3 launches, 0 findings\n",
        ],
    ),
    ("npu_op", "difference_ops", &["weighted_diff: 0 of 10007 wrong\n", "checked: 1 launch, 0 findings\n"]),
];

pub fn run(cx: &mut Ctx, plan: &Plan, filter: Option<&str>) -> Result<Count> {
    let mut count = Count::default();
    for (name, vendor, said) in CASES.iter().filter(|case| filter.is_none_or(|filter| case.0.contains(filter))) {
        let step = format!("form {name}");
        let (ok, text) = cx.step(&step, |cx| one(cx, plan, &step, name, vendor))?;
        let missing: Vec<&str> = said.iter().copied().filter(|part| !text.contains(part)).collect();
        if ok && missing.is_empty() {
            count.passed += 1;
        } else {
            count.failed += 1;
            err!("{}\ntests/forms/{name}: without {missing:?}", text.trim_end());
        }
    }
    Ok(count)
}

/// Whether all of it succeeded, and the output of what came last.
fn one(cx: &mut Ctx, plan: &Plan, step: &str, name: &str, vendor: &str) -> Result<(bool, String)> {
    let place = cx.project.work().join("forms");
    let (dir, opp) = (place.join(name), place.join("opp"));
    files::sync_dir(&cx.project.home.join("tests/forms").join(name), &dir)?;
    fs::create_dir_all(&opp).with_context(|| format!("cannot create {}", opp.display()))?;
    let (xtask, jobs) = (program::own()?, plan.jobs.to_string());
    let sh = cx.run.sh.clone();
    let line = cmd!(sh, "{xtask} install --op-dir {dir} --install-path {opp} -j {jobs}");
    let installed = proc::log_run(cx, step, line)?;
    if !installed.ok {
        return Ok((false, installed.text));
    }
    let package = opp.join("vendors").join(vendor);
    let built = program(cx, plan, step, &dir, &package)?;
    if !built.ok {
        return Ok((false, built.text));
    }
    let mut libraries = package.join("op_api/lib").into_os_string();
    libraries.push(":");
    libraries.push(plan.root.lib64());
    let program = dir.join("program");
    let line = root::with_root(cmd!(sh, "{program}"), &plan.root)
        .env("LD_LIBRARY_PATH", libraries)
        .env("ASCEND_CUSTOM_OPP_PATH", &package)
        .env("HOSTCANN_CHECK", "1");
    let ran = proc::log_run(cx, step, line)?;
    Ok((ran.ok, ran.text))
}

/// What a caller of the package compiles: headers and the library of the package, and those of the toolkit.
fn program(cx: &Ctx, plan: &Plan, step: &str, dir: &Path, package: &Path) -> Result<proc::Outcome> {
    let (cxx, args) = (program::cxx_program(), program::cxx_args());
    let (source, out) = (dir.join("main.cpp"), dir.join("program"));
    let (include, headers) = (plan.root.include(), package.join("op_api/include"));
    let (lib64, library) = (plan.root.lib64(), package.join("op_api/lib"));
    let line = cmd!(
        cx.run.sh,
        "{cxx} {args...} -std=c++17 -O1 {source} -I {include} -I {headers} -L {library} -lcust_opapi -L {lib64} -lascendcl
         -lnnopbase -o {out}"
    );
    proc::log_run(cx, step, line)
}
