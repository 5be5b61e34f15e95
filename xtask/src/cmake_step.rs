//! Hidden verb: one CMake project through the `cmake` crate.
//!
//! A process of its own, because the crate writes to stdout and panics on failure; the caller logs both.

use std::panic;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use xshell::cmd;

use crate::ctx::Ctx;
use crate::diag::{Kind, failed};
use crate::files;
use crate::opc;
use crate::proc;
use crate::sanitize;
use crate::tools::Tools;

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
    /// Configure again although the build directory is configured
    #[arg(long)]
    configure: bool,
}

impl CmakeStep {
    pub fn run(self) -> Result<()> {
        let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let mut config = cmake::Config::new(&self.source);
        config.target(&triple).host(&triple).out_dir(&self.out).profile("Release").generator("Ninja");
        config.no_default_flags(true).always_configure(self.configure).build_target(&self.target);
        for define in &self.define {
            let (key, value) = define.split_once('=').with_context(|| format!("--define {define}: no `=`"))?;
            config.define(key, value);
        }
        // CMake has already said what is wrong; the crate's panic text adds nothing.
        panic::set_hook(Box::new(|_| ()));
        match panic::catch_unwind(panic::AssertUnwindSafe(|| config.build())) {
            Ok(_) => Ok(()),
            Err(_) => Err(failed(Kind::Build, format!("building {} with CMake failed", self.source.display()))),
        }
    }
}

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
    /// CMake configures only when something it was told has changed; ninja notices changed files and globs by itself.
    pub fn build(&self, cx: &Ctx, tools: &Tools) -> Result<()> {
        let xtask = std::env::current_exe().context("cannot find the xtask executable")?;
        let cmake = tools.program("cmake");
        let stamp = self.out.join("configured.txt");
        let mut told = format!("{}\n{}\n{}\n", cmake.display(), self.source.display(), proc::cxx());
        let mut defines = Vec::new();
        let extra = cx.sanitize.as_ref().map(|build| build.defines()).unwrap_or_default();
        for (key, value) in self.defines.iter().chain(&extra) {
            told.push_str(&format!("{key}={value}\n"));
            defines.extend(["--define".to_owned(), format!("{key}={value}")]);
        }
        let fresh = std::fs::read_to_string(&stamp).is_ok_and(|old| old == told);
        let configure = (!fresh).then_some("--configure");
        let (source, out, target) = (&self.source, &self.out, self.target);
        let cmd = cmd!(
            cx.sh,
            "{xtask} cmake-step --source {source} --out {out} --target {target} {defines...} {configure...}"
        )
        .env("PATH", tools.path_env()?)
        .env("CMAKE", &cmake)
        .env("NUM_JOBS", self.jobs.to_string())
        // The cc crate's choice, c++, is the compiler unless the user says otherwise.
        .env_remove("CMAKE_GENERATOR");
        let cmd = match &cx.sanitize {
            Some(build) => cmd.env(sanitize::KERNEL_FLAGS, build.kernel_flags()),
            None => cmd.env_remove(sanitize::KERNEL_FLAGS),
        };
        let cmd = match &cx.kernels {
            Some(dtypes) => cmd.env(opc::ONLY_DTYPES, dtypes.join(",")),
            None => cmd.env_remove(opc::ONLY_DTYPES),
        };
        let mut outcome = proc::log_run(cx, self.step, cmd)?;
        if !outcome.ok {
            // What the crate prints about itself before it runs CMake would fill the last lines.
            if let Some(start) = outcome.text.rfind("\nrunning: ") {
                outcome.text.drain(..=start);
            }
            return Err(proc::tool_failed(cx, self.step, Kind::Build, "cmake", &outcome));
        }
        let warnings = outcome.text.matches(" warning: ").count();
        if warnings > 0 {
            cx.warn(format!("{}: {warnings} compiler warnings, see {}", self.step, cx.show(&cx.log_file(self.step))));
        }
        files::write_if_changed(&stamp, told.as_bytes())?;
        Ok(())
    }
}
