//! `sample`: programs that launch their kernels directly, `kernel<<<…>>>(…)`, built by their own CMakeLists.txt.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use xshell::{Cmd, cmd};

use crate::base::args::CheckArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::proc;
use crate::base::report::{SampleResult, SampleStep};
use crate::base::term::{err, out};
use crate::base::verb::Verb;
use crate::build::hostroot;
use crate::run::readme::{self, Step};
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{self, Root, RootKind};
use crate::toolchain::tools::{self, Tools};

const HELP: &str = "\
Examples:
  cargo xtask sample ../asc-devkit/examples/01_simd_cpp_api/00_introduction/01_add/add
  cargo xtask sample ../my_sample -D SCENARIO_NUM=2
  cargo xtask sample ../my_sample --check

DIR is a CMake project with `find_package(ASC)` and the language ASC, as in asc-devkit's samples, one with kernels in
`ascendc_library`, or one with `find_package(tikicpulib)` that runs kernels with ICPU_RUN_KF. The build tree lies outside DIR. Then the commands of the
README run: a script that makes data, the programs, a script that compares. Without a README these are
scripts/gen_data.py, every program, and scripts/verify_result.py.";

/// Build and run a CMake project whose program launches its kernels with <<<…>>>
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Sample {
    /// Build the project in this directory
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Define a CMake variable; the scripts get SCENARIO_NUM as well. May be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    defines: Vec<(String, String)>,
    #[command(flatten)]
    check: CheckArgs,
    /// Stop the build or a program after this time without a line of output
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Run N jobs in parallel [default: all cores]
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    jobs: Option<u16>,
}

fn definition(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

impl Sample {
    fn dir(&self, cx: &Ctx) -> Result<PathBuf> {
        let dir = cx.run.sh.current_dir().join(&self.dir);
        if dir.join("CMakeLists.txt").is_file() {
            return dir.canonicalize().with_context(|| format!("cannot open {}", dir.display()));
        }
        Err(failed(Kind::Usage, format!("{} has no CMakeLists.txt", dir.display()))
            .hint("a sample is a directory with a CMakeLists.txt that says find_package(ASC REQUIRED)"))
    }

    /// Of the README, or what samples do.
    fn steps(&self, dir: &Path, build: &Path) -> Result<Vec<Step>> {
        let readme = fs::read_to_string(dir.join("README.md")).unwrap_or_default();
        let steps = readme::steps(&readme, &self.defines);
        if !steps.is_empty() {
            return Ok(steps);
        }
        let script = |name: &str| dir.join("scripts").join(name).is_file().then(|| format!("../scripts/{name}"));
        let python = |args: Vec<String>| Step { program: "python3".to_owned(), args };
        let mut steps: Vec<Step> = script("gen_data.py").map(|script| python(vec![script])).into_iter().collect();
        steps.extend(programs(build)?.into_iter().map(|name| Step { program: format!("./{name}"), args: Vec::new() }));
        let compared = ["output/output.bin", "output/golden.bin"].map(str::to_owned);
        steps.extend(script("verify_result.py").map(|script| python([vec![script], compared.to_vec()].concat())));
        Ok(steps)
    }

    /// The command and whether it succeeded.
    fn step(&self, cx: &mut Ctx, root: &Root, build: &Path, step: &Step) -> Result<(String, bool)> {
        let (line, program, args) = (step.line(), &step.program, &step.args);
        cx.console.say("Running", &line);
        let mut path = OsString::new();
        if program == "python3" {
            path = tools::numpy(cx)?.into_os_string();
        }
        let name = program.trim_start_matches("./").to_owned();
        let ok = cx.step(&name, |cx| {
            let _dir = cx.run.sh.push_dir(build);
            let program = if program.starts_with("./") { build.join(&name) } else { PathBuf::from(program) };
            let run = root::with_root(cmd!(cx.run.sh, "{program} {args...}"), root).env("PYTHONPATH", &path);
            let outcome = proc::show_run(cx, &name, run)?;
            if !outcome.ok {
                out!("run {line}, failed ({})", outcome.status);
            }
            Ok(outcome.ok)
        })?;
        Ok((line, ok))
    }
}

impl Verb for Sample {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        self.dir(cx)?;
        let root = Root::choose(cx)?;
        if root.is_host() {
            return Ok(());
        }
        let message = format!("sample: {} is a real CANN; this works with the host toolkit", root.path.display());
        Err(failed(Kind::Usage, message).hint("with CANN, build the sample as its README says"))
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let dir = self.dir(cx)?;
        let root = Root::choose(cx)?;
        root.announce(cx);
        tools::need_compiler()?;
        let tools = tools::ensure(cx, false)?;
        if root.kind == RootKind::Embedded {
            cx.console.say("Building", format!("host toolkit ({})", cx.project.show(&root.path)));
            hostroot::assemble(cx, &Plan::of_toolkit(root.clone(), proc::jobs(self.jobs)), &tools)?;
        }
        cx.run.limit = Some(Duration::from_secs(self.timeout));
        let project = Project { dir: &dir, defines: &self.defines, jobs: self.jobs };
        let build = project.build(cx, &root, &tools)?;
        let steps = self.steps(&dir, &build)?;
        cx.run.watch(&cx.project, &self.check);
        let mut ran = Vec::new();
        for step in &steps {
            ran.push(self.step(cx, &root, &build, step)?);
            if ran.last().is_some_and(|(_, ok)| !ok) {
                break;
            }
        }
        let steps = ran.iter().map(|(line, ok)| SampleStep { command: line.clone(), ok: *ok });
        let done = Done::with(&SampleResult { steps_of_sample: steps.collect() });
        Ok(match ran.iter().find(|(_, ok)| !ok) {
            Some((line, _)) => done.failed(
                failed(Kind::Tests, format!("`{line}` failed"))
                    .hint("the lines above are the program's own; --check reports what a device would not"),
            ),
            None => {
                let lines: Vec<&str> = ran.iter().map(|(line, _)| line.as_str()).collect();
                done.verdict(format!("sample: {}", lines.join(", ")))
            }
        })
    }
}

/// A CMake project with kernels of its own.
pub struct Project<'a> {
    pub dir: &'a Path,
    pub defines: &'a [(String, String)],
    pub jobs: Option<u16>,
}

impl Project<'_> {
    /// The build directory: the sample's other files lie next to it, where scripts expect them (`..`).
    pub fn build(&self, cx: &mut Ctx, root: &Root, tools: &Tools) -> Result<PathBuf> {
        let dir = self.dir;
        let place = &place(cx, dir, self.defines);
        around(dir, place)?;
        let build = place.join("build");
        fs::create_dir_all(&build).with_context(|| format!("cannot create {}", build.display()))?;
        let defines: Vec<String> = self.defines.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
        let (cmake, ninja, jobs) = (tools.program("cmake"), tools.program("ninja"), proc::jobs(self.jobs).to_string());
        cx.console.say("Building", cx.project.show(dir));
        cx.step("sample", |cx| {
            let sh = cx.run.sh.clone();
            for line in [
                cmd!(
                    sh,
                    "{cmake} -G Ninja -DCMAKE_MAKE_PROGRAM={ninja} -S {dir} -B {build} -DCMAKE_ASC_ARCHITECTURES=dav-2201 {defines...}"
                ),
                cmd!(sh, "{cmake} --build {build} -j {jobs}"),
            ] {
                let outcome = proc::log_run(cx, "sample", with_toolkit(line, root, tools)?)?;
                if !outcome.ok {
                    return Err(proc::build_failed(cx, "sample", &outcome));
                }
                let left_out = outcome.text.lines().filter(|line| line.contains(": warning: left out of the library: "));
                left_out.for_each(|line| err!("{line}"));
            }
            Ok(())
        })?;
        Ok(build)
    }
}

/// find_package(ASC) and find_package(tikicpulib) find the toolkit; CMake's own choice of a C++ compiler is the user's.
fn with_toolkit<'a>(line: Cmd<'a>, root: &Root, tools: &Tools) -> Result<Cmd<'a>> {
    let line = root::with_root(line, root).env("PATH", tools.path_env()?);
    let dirs =
        std::env::join_paths(root.cmake_dirs()).context("the toolkit lies in a directory whose name has a `:`")?;
    Ok(line.env("CMAKE_PREFIX_PATH", dirs).env_remove("CMAKE_GENERATOR"))
}

/// One build directory for a sample and its variables.
fn place(cx: &Ctx, dir: &Path, defines: &[(String, String)]) -> PathBuf {
    let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let hash = files::sha256(format!("{}\n{defines:?}", dir.display()).as_bytes());
    cx.project.work().join("samples").join(format!("{name}-{}", &hash[..8]))
}

/// Links to the entries of the sample: scripts are called as `../scripts/x.py` from the build directory.
fn around(dir: &Path, place: &Path) -> Result<()> {
    fs::create_dir_all(place).with_context(|| format!("cannot create {}", place.display()))?;
    for entry in fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
        let Some(name) = path.file_name().filter(|name| *name != "build") else { continue };
        let link = place.join(name);
        if fs::symlink_metadata(&link).is_err() {
            symlink(&path, &link).with_context(|| format!("cannot create {}", link.display()))?;
        }
    }
    Ok(())
}

/// Executables at the top of a build directory.
fn programs(build: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(build).with_context(|| format!("cannot list {}", build.display()))? {
        let entry = entry.with_context(|| format!("cannot list {}", build.display()))?;
        let meta = entry.metadata().with_context(|| format!("cannot inspect {}", entry.path().display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if meta.is_file() && files::is_executable(&meta) && !name.contains(".so") {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}
