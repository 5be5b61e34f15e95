//! Hidden verb: one CMake project through the `cmake` crate.
//!
//! A process of its own, because the crate writes to stdout and panics on failure; the caller logs both.

use std::fs;
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, Result};
use clap::Args;
use xshell::cmd;

use crate::base::build_log;
use crate::base::ctx::Ctx;
use crate::base::diag::{self, Kind};
use crate::base::files;
use crate::base::instrument;
use crate::base::proc;
use crate::base::program;
use crate::base::term::err;
use crate::build::opc;
use crate::toolchain::tools::Tools;

#[derive(Args)]
pub struct CmakeStep {
    #[arg(long)]
    source: PathBuf,
    #[arg(long)]
    out: PathBuf,
    #[arg(long, default_value = "all")]
    target: String,
    #[arg(long)]
    define: Vec<String>,
    /// Configure again even if the build directory is configured
    #[arg(long)]
    configure: bool,
}

impl CmakeStep {
    pub fn run(self) -> ExitCode {
        match self.build() {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(Kind::Build.code()),
            Err(error) => ExitCode::from(diag::show(&error)),
        }
    }

    /// False when CMake or the build has said what is wrong.
    fn build(self) -> Result<bool> {
        let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let mut config = cmake::Config::new(&self.source);
        config.target(&triple).host(&triple).out_dir(&self.out).profile("Release").generator("Ninja");
        config.no_default_flags(true).always_configure(self.configure).build_target(&self.target);
        for define in &self.define {
            let (key, value) = define.split_once('=').with_context(|| format!("--define {define}: no `=`"))?;
            config.define(key, value);
        }
        // The crate's panic text adds nothing to CMake's.
        panic::set_hook(Box::new(|_| ()));
        Ok(panic::catch_unwind(panic::AssertUnwindSafe(|| config.build())).is_ok())
    }
}

/// In a build tree: the arguments of CMake. Its time is the last use of the tree.
pub const STAMP: &str = "configured.txt";

/// More than that are read in the log.
const SHOWN_WARNINGS: usize = 10;

/// One CMake project as a step: source directory, output directory and what to pass.
pub struct Project<'a> {
    pub step: &'a str,
    pub source: PathBuf,
    pub out: PathBuf,
    pub target: &'a str,
    pub defines: Vec<(&'a str, String)>,
    pub jobs: usize,
}

impl Project<'_> {
    /// CMake configures only when its arguments have changed; ninja notices changed files and globs by itself.
    pub fn build(&self, cx: &Ctx, tools: &Tools) -> Result<()> {
        let xtask = program::own()?;
        let cmake = tools.program("cmake");
        let mut defines = Vec::new();
        let stamp = self.out.join(STAMP);
        // Of CMake 3.24 and newer; ninja takes the colours out again where nobody sees them.
        defines.extend(["--define".to_owned(), "CMAKE_COLOR_DIAGNOSTICS=ON".to_owned()]);
        let mut arguments = format!("{}\n{}\n{}\n", cmake.display(), self.source.display(), proc::cxx());
        let extra = cx.project.sanitize.as_ref().map(|build| build.defines()).unwrap_or_default();
        let always = [("CMAKE_EXPORT_COMPILE_COMMANDS", "ON".to_owned())];
        for (key, value) in self.defines.iter().chain(&extra).chain(&always) {
            arguments.push_str(&format!("{key}={value}\n"));
            defines.extend(["--define".to_owned(), format!("{key}={value}")]);
        }
        let fresh = fs::read_to_string(&stamp).is_ok_and(|old| old == arguments);
        let configure = (!fresh).then_some("--configure");
        if !fresh {
            // The new arguments hold from here on, even if this build fails.
            let _ = fs::remove_file(&stamp);
        }
        let (source, out, target) = (&self.source, &self.out, self.target);
        let cmd = cmd!(
            cx.run.sh,
            "{xtask} cmake-step --source {source} --out {out} --target {target} {defines...} {configure...}"
        )
        .env("PATH", tools.path_env()?)
        .env("CMAKE", &cmake)
        .env("NUM_JOBS", self.jobs.to_string())
        // The cc crate's choice, c++, is the compiler unless the user says otherwise.
        .env_remove("CMAKE_GENERATOR");
        // Kernels are read as device code while they are built.
        let cmd = match tools.libclang() {
            Some(dir) => cmd.env("LIBCLANG_PATH", dir),
            None => cmd,
        };
        let cmd = match &cx.project.sanitize {
            Some(build) => cmd.env(instrument::KERNEL_FLAGS, build.kernel_flags()),
            None => cmd.env_remove(instrument::KERNEL_FLAGS),
        };
        let cmd = match &cx.run.kernels {
            Some(dtypes) => cmd.env(opc::ONLY_DTYPES, dtypes.join(",")),
            None => cmd.env_remove(opc::ONLY_DTYPES),
        };
        let mut outcome = proc::log_run(cx, self.step, proc::with_colour(cmd))?;
        if !outcome.ok {
            // What the crate prints about itself before it runs CMake would fill the last lines.
            if let Some(start) = outcome.text.rfind("\nrunning: ") {
                outcome.text.drain(..=start);
            }
            return Err(proc::build_failed(cx, self.step, &outcome));
        }
        let warnings = build_log::warnings(&outcome.text);
        warnings.iter().take(SHOWN_WARNINGS).for_each(|warning| err!("{warning}"));
        if warnings.len() > SHOWN_WARNINGS {
            let more = warnings.len() - SHOWN_WARNINGS;
            cx.console.warn(format!(
                "{}: {more} more compiler warnings in {}",
                self.step,
                cx.project.show(&cx.project.log_file(self.step))
            ));
        }
        files::write_if_changed(&stamp, arguments.as_bytes())?;
        let now = fs::File::options().write(true).open(&stamp).and_then(|file| file.set_modified(SystemTime::now()));
        now.with_context(|| format!("cannot set the time of {}", stamp.display()))
    }
}
