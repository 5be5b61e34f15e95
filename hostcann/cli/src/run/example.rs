//! `example`: compile the op's aclnn examples against the installed package with upstream's plain g++ line, run them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use xshell::cmd;

use crate::base::args::{CheckArgs, OpArgs, TimeArgs};
use crate::base::columns;
use crate::base::ctx::Ctx;
use crate::base::diag::{self, HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::proc;
use crate::base::report::{ExampleOutcome, ExampleResult};
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::base::verdict_file::VerdictFile;
use crate::build::commands::{self, Entry};
use crate::build::partial;
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{self, RootKind};
use crate::toolchain::upstream;

const HELP: &str = "\
Examples:
  cargo xtask example
  cargo xtask example --op-dir ../my_ops/add_example
  cargo xtask example --example_name=aclnn_add_example
  cargo xtask example --soc=Ascend910_9391
  cargo xtask example --check --flip          # stop at what would go wrong on a device
  cargo xtask example --noexec";

/// Build, package and install the op, then compile and run its aclnn examples
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Examples {
    /// Run this op's examples, as `build.sh --run_example <op> eager cust` does
    name: Option<String>,
    /// Run eager examples (test_aclnn_*.cpp), the only mode
    #[arg(default_value = "eager")]
    mode: Mode,
    /// Run against a custom package, the only choice
    pkg: Option<Pkg>,
    #[command(flatten)]
    op: OpArgs,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    time: TimeArgs,
    /// Run only the example test_<NAME>.cpp
    #[arg(long = "example_name", alias = "example-name", value_name = "NAME")]
    example_name: Option<String>,
    /// Compile only
    #[arg(long)]
    noexec: bool,
    /// Install to DIR (absolute path) instead of the toolkit's opp directory
    #[arg(long = "install-path", value_name = "DIR")]
    install_path: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    Eager,
}

#[derive(Clone, Copy, ValueEnum)]
enum Pkg {
    Cust,
}

impl Examples {
    /// With the one that is named as upstream does it.
    fn ops(&self) -> OpArgs {
        let mut op = self.op.clone();
        op.ops.extend(self.name.clone());
        op
    }
}

impl Verb for Examples {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        let plan = Plan::check(cx, &self.ops())?;
        if plan.root.kind == RootKind::Cann {
            plan.refuse_checks(&self.check)?;
        }
        install::check_path(cx, self.install_path.as_deref())?;
        choose(&plan, self.example_name.as_deref()).map(drop)
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        // Named so that both words of upstream's command line are accepted, not to choose anything.
        let (Mode::Eager, None | Some(Pkg::Cust)) = (self.mode, self.pkg);
        let plan = Plan::new(cx, &self.ops())?;
        let mut chosen = choose(&plan, self.example_name.as_deref())?;
        let to = InstallOptions { path: self.install_path.clone(), force: false };
        if plan.root.kind == RootKind::Cann {
            cx.run.limit(&self.time);
            let run = upstream::package(cx, &plan)?;
            let vendor = install::install(cx, &plan, &run, &to)?;
            upstream::example(cx, &plan, &vendor, self.example_name.as_deref(), self.noexec)?;
            return Ok(Done::plain().verdict(format!("example: {} with build.sh", plan.op_names())));
        }
        let (plan, left_out) = partial::what_builds(cx, plan)?;
        chosen.retain(|example| plan.ops.iter().any(|op| op.name == example.op));
        let run = package::package(cx, &plan)?;
        let vendor = install::install(cx, &plan, &run, &to)?;
        cx.run.watch(&cx.project, &self.check);
        cx.run.limit(&self.time);
        let options = RunOptions { noexec: self.noexec, soc: self.op.soc.first(), sim: None };
        let results = run_all(cx, &plan, &vendor, &chosen, &options)?;
        let whole = !self.noexec && self.example_name.is_none();
        let not_launched = whole.then(|| tell_columns(&vendor, &chosen, &results)).transpose()?;
        let examples = results.iter().map(|ran| ExampleOutcome { name: ran.name.clone(), ok: ran.ok }).collect();
        let verdict = format!("example: {} {}", results.len(), if self.noexec { "compiled" } else { "passed" });
        Ok(Done::with(&ExampleResult { examples, not_launched })
            .verdict(verdict)
            .judged(left_out.judge(judge(&results))))
    }
}

#[derive(Default)]
pub struct RunOptions<'a> {
    pub noexec: bool,
    pub soc: Option<&'a String>,
    /// Options of the timing model, before the name of its file; None: no model.
    pub sim: Option<&'a str>,
}

/// Where the timing model writes about a program.
pub fn predictions(cx: &Ctx, program: &str) -> PathBuf {
    cx.project.log_file(program).with_extension("sim")
}

pub struct Ran {
    pub name: String,
    pub ok: bool,
    /// Something outside has stopped it: it has not failed.
    pub stopped: bool,
    /// Kernels that it launched
    kernels: BTreeSet<String>,
}

/// A dtype that the definition has and no example launches is built and not tried.
fn tell_columns(vendor: &Path, chosen: &[Example], results: &[Ran]) -> Result<Vec<String>> {
    let ops: BTreeSet<&str> = chosen.iter().map(|example| example.op.as_str()).collect();
    let launched = results.iter().flat_map(|ran| ran.kernels.iter().cloned()).collect();
    let lines = columns::not_launched(vendor, ops.into_iter(), &launched)?;
    lines.iter().for_each(|line| out!("{line}"));
    Ok(lines)
}

/// Those without a result, by name: something outside has `stopped` them, or they have failed.
fn bad(results: &[Ran], stopped: bool) -> Vec<&str> {
    results.iter().filter(|ran| !ran.ok && ran.stopped == stopped).map(|ran| ran.name.as_str()).collect()
}

/// An error when nothing failed, but something outside has stopped an example.
pub fn need_all(results: &[Ran]) -> Result<()> {
    let stopped = bad(results, true);
    if stopped.is_empty() || !bad(results, false).is_empty() {
        return Ok(());
    }
    let message = format!("{} of {} examples were stopped from outside: ", stopped.len(), results.len());
    Err(failed(Kind::Stopped, message + &stopped.join(", ")))
}

fn judge(results: &[Ran]) -> Result<()> {
    need_all(results)?;
    let bad = bad(results, false);
    if bad.is_empty() {
        return Ok(());
    }
    let message = format!("{} of {} examples failed: {}", bad.len(), results.len(), bad.join(", "));
    let own = "the lines above are the program's own; HOSTCANN_LOG=info names the kernels that ran, --check what a device \
               would not report";
    Err(failed(Kind::Tests, message).hint(own))
}

/// An eager example of an op.
pub struct Example {
    op: String,
    source: PathBuf,
}

impl Example {
    /// `test_aclnn_<…>`
    pub fn name(&self) -> String {
        stem(&self.source)
    }

    /// As --example_name says it, with or without `test_`.
    fn is_called(&self, name: &str) -> bool {
        let own = self.name();
        own == name || own.strip_prefix("test_") == Some(name)
    }
}

/// `examples/test_aclnn_*.cpp` of every op.
pub fn of_ops(ops: &[OpDir]) -> Result<Vec<Example>> {
    let mut all = Vec::new();
    for op in ops {
        let dir = op.path.join("examples");
        if !dir.is_dir() {
            continue;
        }
        let sources = files::walk(&dir)?.into_iter().map(|file| dir.join(file));
        let eager = sources.filter(|path| {
            stem(path).starts_with("test_aclnn_") && path.extension().is_some_and(|extension| extension == "cpp")
        });
        all.extend(eager.map(|source| Example { op: op.name.clone(), source }));
    }
    Ok(all)
}

/// What the command line asks for; nothing to run is a mistake.
pub fn choose(plan: &Plan, name: Option<&str>) -> Result<Vec<Example>> {
    let all = of_ops(&plan.ops)?;
    let known = all.iter().map(Example::name).collect::<Vec<_>>().join(", ");
    let chosen: Vec<Example> =
        all.into_iter().filter(|example| name.is_none_or(|name| example.is_called(name))).collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let message = match name {
        Some(name) if !known.is_empty() => format!("{} has no example `{name}`; it has: {known}", plan.op_names()),
        _ => format!("{} has no examples", plan.op_names()),
    };
    Err(failed(Kind::Usage, message).hint("examples are the files examples/test_aclnn_*.cpp of the op directory"))
}

/// Compiles and runs; an example that fails does not stop the others.
pub fn run_all(cx: &mut Ctx, plan: &Plan, vendor: &Path, chosen: &[Example], options: &RunOptions) -> Result<Vec<Ran>> {
    let mut results = Vec::new();
    let mut entries = Vec::new();
    for example in chosen {
        entries.push(compile_line(cx, plan, vendor, example)?);
        let name = example.name();
        let built = cx.step(&format!("compile {name}"), |cx| compile(cx, plan, vendor, example));
        let ran = built.and_then(|exe| match options.noexec {
            true => Ok((true, BTreeSet::new())),
            false => cx.step(&name, |cx| run_one(cx, plan, vendor, (&name, &exe), options)),
        });
        results.push(match ran {
            Ok((ok, kernels)) => Ran { name, ok, stopped: false, kernels },
            Err(error) if chosen.len() > 1 && matches!(diag::kind(&error), Some(Kind::Build | Kind::Stopped)) => {
                diag::show(&error);
                let stopped = diag::kind(&error) == Some(Kind::Stopped);
                Ran { name, ok: false, stopped, kernels: BTreeSet::new() }
            }
            Err(error) => return Err(error),
        });
    }
    commands::update(cx, plan, "example", &[], &entries)?;
    Ok(results)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn need_interface(op: &str, lib: &Path) -> Result<()> {
    if lib.join("libcust_opapi.so").is_file() {
        return Ok(());
    }
    Err(failed(Kind::Build, format!("{} has examples, but its package has no aclnn interface to call", op)).hint(
        "`ACLNNTYPE aclnn` in the op's CMakeLists.txt generates one; with `aclnn_exclude` the op brings its own in op_api/",
    ))
}

fn header_dir(exe: &Path) -> PathBuf {
    files::with_suffix(exe, ".include")
}

/// Upstream includes installed headers as `aclnnop/x.h` and `aclnnop/level2/x.h` as well: links to them next to the executables,
/// because the package may belong to somebody else.
fn header_link(exe: &Path, include: &Path) -> Result<()> {
    let dir = header_dir(exe);
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let links = dir.join("aclnnop");
    let _ = fs::remove_file(&links);
    files::remove_dir_if_there(&links)?;
    fs::create_dir_all(&links).with_context(|| format!("cannot create {}", links.display()))?;
    let link = |target: &Path, name: &Path| {
        let link = links.join(name);
        std::os::unix::fs::symlink(target, &link).with_context(|| format!("cannot create {}", link.display()))
    };
    for file in files::walk(include)?.iter().filter(|file| file.components().count() == 1) {
        link(&include.join(file), file)?;
    }
    link(include, Path::new("level2"))
}

fn executable(cx: &Ctx, plan: &Plan, example: &Example) -> PathBuf {
    let kind = if plan.debug { "example-debug" } else { "example" };
    cx.project.work().join(kind).join(&example.op).join(example.name())
}

/// What compiles an example, up to the libraries: upstream's plain g++ line.
fn compile_line(cx: &Ctx, plan: &Plan, vendor: &Path, example: &Example) -> Result<Entry> {
    let (exe, source) = (executable(cx, plan, example), &example.source);
    let (include, root_include) = (vendor.join("op_api/include"), plan.root.include());
    let mut arguments = vec![proc::cxx_program()];
    arguments.extend(proc::cxx_args());
    arguments.extend(plan.debug.then_some(["-O0", "-g"]).into_iter().flatten().map(str::to_owned));
    arguments.push(source.display().to_string());
    for dir in [&include, &header_dir(&exe), &root_include, &root_include.join("aclnnop")] {
        arguments.extend(["-I".to_owned(), dir.display().to_string()]);
    }
    let directory = exe.parent().context("the example has no directory")?.to_path_buf();
    Ok(Entry { directory, file: source.clone(), arguments })
}

fn compile(cx: &Ctx, plan: &Plan, vendor: &Path, example: &Example) -> Result<PathBuf> {
    let (name, source) = (example.name(), &example.source);
    let exe = executable(cx, plan, example);
    let (include, lib) = (vendor.join("op_api/include"), vendor.join("op_api/lib"));
    let (root_include, lib64) = (plan.root.include(), plan.root.lib64());
    let Entry { arguments, .. } = compile_line(cx, plan, vendor, example)?;
    let rpath = format!("-Wl,-rpath={}:{}", lib.display(), lib64.display());

    let own = |file: &PathBuf| file != Path::new("aclnnop");
    let headers = |dir: &Path| -> Result<Vec<PathBuf>> {
        Ok(files::walk(dir)?.into_iter().filter(own).map(|file| dir.join(file)).collect())
    };
    need_interface(&example.op, &lib)?;
    let mut inputs = vec![source.clone(), lib.join("libcust_opapi.so")];
    inputs.extend(["libascendcl.so", "libnnopbase.so"].map(|file| lib64.join(file)));
    inputs.extend(headers(&include)?);
    inputs.extend(headers(&root_include)?);
    let used = format!("{} {rpath}\n{}", arguments.join(" "), files::fingerprint(inputs)?);
    let stamp = files::with_suffix(&exe, ".stamp");
    if exe.is_file() && fs::read_to_string(&stamp).is_ok_and(|old| old == used) {
        return Ok(exe);
    }

    cx.console.say("Compiling", &name);
    let _ = fs::remove_file(&stamp);
    header_link(&exe, &include)?;
    let (cxx, arguments) = arguments.split_first().context("a compile line starts with the compiler")?;
    let colour = proc::colour_flag();
    let line = cmd!(
        cx.run.sh,
        "{cxx} {arguments...} {colour...} -L {lib} -L {lib64} -lcust_opapi -lascendcl -lnnopbase -o {exe} {rpath}"
    );
    proc::must_run(cx, &name, Kind::Build, line)?;
    files::write_if_changed(&stamp, used.as_bytes())?;
    Ok(exe)
}

fn run_one(
    cx: &Ctx,
    plan: &Plan,
    vendor: &Path,
    (name, exe): (&str, &Path),
    options: &RunOptions,
) -> Result<(bool, BTreeSet<String>)> {
    cx.console.say("Running", name);
    // The packages of the caller's shell would go before the run path.
    let mut libs = vendor.join("op_api/lib").into_os_string();
    libs.push(":");
    libs.push(root::libraries(&plan.root));
    let mut run = root::with_root(cmd!(cx.run.sh, "{exe}"), &plan.root).env("LD_LIBRARY_PATH", libs);
    // An --install-path package is found the way its set_env.bash announces it.
    if !vendor.starts_with(plan.root.opp()) {
        run = run.env("ASCEND_CUSTOM_OPP_PATH", vendor);
    }
    if let (Some(soc), None) = (options.soc, std::env::var_os("HOSTCANN_SOC")) {
        run = run.env("HOSTCANN_SOC", soc);
    }
    if let Some(words) = options.sim {
        let file = predictions(cx, name);
        files::remove_file_if_there(&file)?;
        run = run.env("HOSTCANN_SIM", format!("{words}:{}", file.display()));
    }
    let verdict = cx.project.log_file(name).with_extension("verdict");
    let _ = fs::remove_file(&verdict);
    let outcome = proc::show_run(cx, name, run.env("HOSTCANN_VERDICT", &verdict))?;
    let told = VerdictFile::read(&fs::read_to_string(&verdict).unwrap_or_default());
    if !outcome.ok {
        out!("run {name}, execute samples failed ({})", outcome.status);
    } else if let Some(first) = told.failures.first() {
        // Its status is not the whole truth.
        let log = cx.project.show(&cx.project.log_file(name));
        out!("run {name}, execute samples failed (the program returned 0, but {}: {first}; log {log})", told.count());
    } else {
        out!("run {name}, execute samples success");
    }
    Ok((outcome.ok && told.failures.is_empty(), told.kernels))
}

#[cfg(test)]
#[path = "example_tests.rs"]
mod tests;
