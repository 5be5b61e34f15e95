//! What `new` writes, as it writes it: built, run, checked, in the editor's database and under a debugger.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use xshell::cmd;

use crate::own_operators::{SOC, VENDOR, examples, own_plan};
use crate::own_rules;
use hostcann_cli::base::count::{Count, Outcome};
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{self, HintExt, Kind, failed, failed_with};
use hostcann_cli::base::files;
use hostcann_cli::base::op_dir::OpDir;
use hostcann_cli::base::proc;
use hostcann_cli::base::program;
use hostcann_cli::base::term::err;
use hostcann_cli::build::commands;
use hostcann_cli::test::device_layer;
use hostcann_cli::test::ut::{self, UtArgs};
use hostcann_cli::toolchain::plan::Plan;
use hostcann_cli::toolchain::root;

/// Every template of `new`: the example plain and with every check, the unit tests checked, no compiler warning.
pub fn run(cx: &mut Ctx, plan: &Plan) -> Result<Vec<Outcome>> {
    cx.console.say("Testing", "operators as `new` writes them");
    let dirs = generate(cx)?;
    let mut count = examples(cx, plan, "templates", &dirs, &[])?;
    let checked = examples(cx, plan, "templates-checked", &dirs, &["--check", "--flip"])?;
    count += checked;
    let plan = own_plan(cx, plan, dirs)?;
    count += device_layer::run(cx, &plan)?;
    let unchecked = cx.run.sh.clone();
    cx.run.sh.set_var("HOSTCANN_CHECK", "1");
    let outcomes = ut::run(cx, &plan, &UtArgs::default());
    cx.run.sh = unchecked;
    let mut outcomes = outcomes?;
    for log in ["templates", "math_op_host_ut-build", "math_op_kernel_ut-build"] {
        let log = cx.project.log_file(log);
        let text = fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))?;
        if text.contains(" warning: ") || text.contains("compiler warnings") {
            err!("compiler warnings in {}", cx.project.show(&log));
            count.failed += 1;
        }
    }
    for outcome in &mut outcomes {
        outcome.layer = outcome.layer.replace("math_op", "templates");
    }
    outcomes.push(Outcome::new("templates", count));
    outcomes.push(check(cx, "compile_commands", |cx| all_commands(cx, &plan)));
    outcomes.push(check(cx, "lines of host code", |cx| host_lines(cx, &plan)));
    outcomes.push(check(cx, "debug build", |cx| debug(cx, &plan)));
    outcomes.push(check(cx, "rules of a contribution", |cx| rules(cx, &plan)));
    Ok(outcomes)
}

fn check(cx: &mut Ctx, layer: &str, work: impl FnOnce(&mut Ctx) -> Result<()>) -> Outcome {
    let result = cx.step(layer, work);
    if let Err(error) = &result {
        diag::show(error);
    }
    let failed = u64::from(result.is_err());
    Outcome::new(layer, Count { passed: 1 - failed, failed })
}

/// A compile command: words, or one line.
#[derive(Deserialize)]
struct Entry {
    file: PathBuf,
    directory: PathBuf,
    arguments: Option<Vec<String>>,
    #[serde(default)]
    command: String,
}

/// The database names every source of every op, and its kernel, tiling and example commands are ones that compile.
fn all_commands(cx: &mut Ctx, plan: &Plan) -> Result<()> {
    let path = cx.project.target().join(commands::FILE);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let entries: Vec<Entry> = serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))?;
    let of = |file: &Path| entries.iter().find(|entry| entry.file == file);
    for op in &plan.ops {
        for file in files::walk(&op.path)?.into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "cpp")) {
            let file = op.path.join(file);
            let entry = of(&file)
                .with_context(|| format!("{} has no command in {}", file.display(), path.display()))
                .map_err(|error| failed(Kind::Tests, error.to_string()))?;
            let name = file.strip_prefix(&op.path).unwrap_or(&file).to_string_lossy().into_owned();
            if op.name == "new_reduce" && !name.starts_with("tests/") {
                syntax(cx, entry)?;
            }
        }
    }
    Ok(())
}

fn syntax(cx: &Ctx, entry: &Entry) -> Result<()> {
    let _dir = cx.run.sh.push_dir(&entry.directory);
    let line = match &entry.arguments {
        Some(arguments) => {
            let (program, arguments) = arguments.split_first().context("a command without a program")?;
            cmd!(cx.run.sh, "{program} {arguments...} -fsyntax-only")
        }
        None => {
            let command = format!("{} -fsyntax-only", entry.command);
            cmd!(cx.run.sh, "sh -c {command}")
        }
    };
    proc::must_run(cx, "syntax", Kind::Tests, line)
        .with_context(|| format!("the command of {}", entry.file.display()))?;
    Ok(())
}

/// A crash in a tiling function is told with its line: packages have the lines of their host code, and no directory of the
/// machine that built them.
fn host_lines(cx: &mut Ctx, plan: &Plan) -> Result<()> {
    let dir = cx.project.work().join(VENDOR).join(format!("vendors/{VENDOR}_math/op_impl/ai_core/tbe/op_tiling"));
    let mut text = String::new();
    for library in files::walk(&dir)?.into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "so")) {
        let library = dir.join(library);
        let line = cmd!(cx.run.sh, "readelf --debug-dump=info,decodedline {library}");
        text.push_str(&proc::must_run(cx, "readelf", Kind::Tests, line)?);
    }
    let missing = plan.ops.iter().map(|op| format!("{}_tiling.cpp", op.name)).find(|file| !text.contains(file));
    let here = cx.project.home.display().to_string();
    let what = match missing {
        Some(file) => format!("the libraries in {} have no lines of {file}", dir.display()),
        None if text.contains(&here) => format!("the libraries in {} name {here}", dir.display()),
        None => return Ok(()),
    };
    Err(failed(Kind::Tests, what).hint("scripts/cmake/op_flags.cmake has -g1 and the prefixes that are left out"))
}

/// A debug build of a kernel has its locals, and gdb stops at a line of it.
fn debug(cx: &mut Ctx, plan: &Plan) -> Result<()> {
    let op = plan.ops.iter().find(|op| op.name == "new_elementwise").context("the template is not planned")?.clone();
    let vendor = format!("{VENDOR}_debug");
    let (xtask, install) = (program::own()?, cx.project.work().join(&vendor));
    fs::create_dir_all(&install).with_context(|| format!("cannot create {}", install.display()))?;
    let (dir, jobs) = (&op.path, plan.jobs.to_string());
    let line = cmd!(
        cx.run.sh,
        "{xtask} example --debug --vendor_name={vendor} --soc={SOC} -j {jobs} --install-path {install} --op-dir {dir}"
    );
    proc::must_run(cx, "debug", Kind::Tests, line)?;
    let package = install.join("vendors").join(format!("{vendor}_math"));
    let kernels = package.join("op_impl/ai_core/tbe/kernel").join(SOC).join(&op.name);
    for object in files::walk(&kernels)?.into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "o")) {
        let object = kernels.join(object);
        let text = proc::must_run(cx, "readelf", Kind::Tests, cmd!(cx.run.sh, "readelf --debug-dump=info {object}"))?;
        for word in ["DW_TAG_variable", ": copyParams", ": left"] {
            if !text.contains(word) {
                return Err(failed(Kind::Tests, format!("{} has no `{word}`", object.display()))
                    .hint("kernels of --debug are compiled with -O0 -g"));
            }
        }
    }
    if proc::probe("gdb", &["--version"]).is_none() {
        cx.console.say("Skipping", "gdb: it is not installed, so that nobody has tried whether it stops in a kernel");
        return Ok(());
    }
    stop_in_kernel(cx, plan, &op, &package)
}

fn stop_in_kernel(cx: &Ctx, plan: &Plan, op: &OpDir, package: &Path) -> Result<()> {
    let header = format!("{}.h", op.name);
    let source = fs::read_to_string(op.path.join("op_kernel").join(&header)).context("cannot read the kernel")?;
    let line = source.lines().position(|line| line.contains("Relu(")).context("no Relu")? + 1;
    let stop = format!("break {header}:{line}");
    let program = cx.project.work().join("example-debug").join(&op.name).join(format!("test_aclnn_{}", op.name));
    let gdb = cmd!(
        cx.run.sh,
        "gdb -nx -batch -ex 'set breakpoint pending on' -ex {stop} -ex run -ex 'backtrace 4' -ex 'info locals'
         -ex 'print tileLength_' {program}"
    );
    let gdb = root::with_root(gdb, &plan.root)
        .env("ASCEND_CUSTOM_OPP_PATH", package)
        .env("HOSTCANN_THREADS", "1")
        .env("DEBUGINFOD_URLS", "");
    let text = proc::log_run(cx, "gdb", gdb)?.text;
    if text.contains("ptrace: Operation not permitted") {
        cx.console.say("Skipping", "gdb: this machine does not let it trace a process");
        return Ok(());
    }
    for part in [&format!("{header}:{line}"), "::Process (this=", "\ny = ", " = 1024\n"] {
        if !text.contains(part) {
            let what = format!("gdb does not show `{}` at {header}:{line}", part.trim());
            return Err(failed_with(Kind::Tests, what, proc::last_lines(&text, 40)));
        }
    }
    Ok(())
}

/// Upstream's rules have nothing to say about an operator that nobody has changed yet.
fn rules(cx: &mut Ctx, plan: &Plan) -> Result<()> {
    plan.ops.iter().try_for_each(|op| own_rules::sources(cx, &op.path))
}

/// Written again by every run; what has not changed keeps its time, so that nothing is built for it.
fn generate(cx: &mut Ctx) -> Result<Vec<PathBuf>> {
    let xtask = program::own()?;
    let (fresh, stay) = (cx.project.work().join("templates-new"), cx.project.work().join("templates"));
    files::remove_dir_if_there(&fresh)?;
    let mut dirs = Vec::new();
    for template in ["elementwise", "broadcast", "reduce"] {
        let name = format!("math/new_{template}");
        let line = cmd!(cx.run.sh, "{xtask} new {name} --template {template} --dir {fresh}");
        proc::must_run(cx, "new", Kind::Tests, line)?;
        dirs.push(stay.join(name));
    }
    files::sync_dir(&fresh, &stay)?;
    files::remove_dir_if_there(&fresh)?;
    Ok(dirs)
}
