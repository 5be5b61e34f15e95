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
use hostcann_cli::toolchain::tools;

/// Directory, vendor of the package, and what its program prints, which compares every element.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: [Case; 2] = [
    (
        "msopgen",
        "two_operators",
        &[
            "fma float32: 0 of 20011 wrong\n",
            "fma int16: 0 of 20011 wrong\n",
            "clip_range int32: 0 of 5000 wrong\n",
            "checked: 3 launches, 0 findings\n",
        ],
    ),
    ("npu_op", "difference_ops", &["weighted_diff: 0 of 10007 wrong\n", "checked: 1 launch, 0 findings\n"]),
];

/// The operators of the npu_op project as libraries, in a program that its own CMakeLists.txt builds: name and type.
const LIBRARIES: [(&str, &str); 2] = [("npu_op_static", "STATIC"), ("npu_op_shared", "SHARED")];

pub fn run(cx: &mut Ctx, plan: &Plan, filter: Option<&str>) -> Result<Count> {
    let mut count = Count::default();
    let libraries = LIBRARIES.iter().map(|library| (library.0, CASES[1].1, CASES[1].2));
    let all = CASES.into_iter().chain(libraries);
    for (name, vendor, said) in all.filter(|case| filter.is_none_or(|filter| case.0.contains(filter))) {
        let step = format!("form {name}");
        let (ok, text) = cx.step(&step, |cx| match LIBRARIES.iter().find(|library| library.0 == name) {
            Some(&(_, kind)) => library_of_operators(cx, plan, &step, (name, kind)),
            None => one(cx, plan, &step, name, vendor),
        })?;
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

/// Configured for a library of this type, installed to its INSTALL_PATH, found by the program.
fn library_of_operators(cx: &mut Ctx, plan: &Plan, step: &str, (name, kind): (&str, &str)) -> Result<(bool, String)> {
    let tools = tools::ensure(cx, false)?;
    let dir = cx.project.work().join("forms").join(name);
    files::sync_dir(&cx.project.home.join("tests/forms/npu_op"), &dir)?;
    let sh = cx.run.sh.clone();
    let (cmake, jobs) = (tools.program("cmake"), plan.jobs.to_string());
    let (build, app, source) = (dir.join("build"), dir.join("app/build"), dir.join("app"));
    let package = build.join("package");
    let lines = [
        cmd!(sh, "{cmake} -S {dir} -B {build} -G Ninja -DPACKAGE_TYPE={kind} -DCMAKE_BUILD_TYPE=Release"),
        cmd!(sh, "{cmake} --build {build} -j {jobs}"),
        cmd!(sh, "{cmake} --install {build}"),
        cmd!(sh, "{cmake} -S {source} -B {app} -G Ninja -DCMAKE_PREFIX_PATH={package}"),
        cmd!(sh, "{cmake} --build {app}"),
    ];
    for line in lines {
        let line = root::with_root(line, &plan.root)
            .env("PATH", tools.path_env()?)
            .env_remove("CMAKE_PREFIX_PATH")
            .env_remove("CMAKE_GENERATOR");
        let outcome = proc::log_run(cx, step, line)?;
        if !outcome.ok {
            return Ok((false, outcome.text));
        }
    }
    let program = app.join("program");
    let line = root::with_root(cmd!(sh, "{program}"), &plan.root).env("HOSTCANN_CHECK", "1");
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
