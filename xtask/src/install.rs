//! `install`: run the `.run`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use xshell::{Cmd, cmd};

use crate::args::OpArgs;
use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};
use crate::package;
use crate::plan::Plan;
use crate::proc;
use crate::root::{Root, RootKind};
use crate::runfile::{self, RunInfo};

const HELP: &str = "\
Examples:
  cargo xtask install
  cargo xtask install --install-path=/opt/my_ops
  cargo xtask install --run build_out/cann-ops-math-custom_linux-x86_64.run --force

The default target is the toolkit's opp directory. A damaged file is refused before anything is touched.";

/// Install the package: run build_out/*.run as it is (it is built first when there is none)
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Install {
    #[command(flatten)]
    op: OpArgs,
    /// Install to DIR/vendors/<vendor>_math (absolute path) instead of the toolkit's opp directory
    #[arg(long = "install-path", value_name = "DIR")]
    install_path: Option<PathBuf>,
    /// This file instead of the one in build_out
    #[arg(long, value_name = "FILE")]
    run: Option<PathBuf>,
    /// Install again although the same content is installed, and without testing the libraries
    #[arg(long)]
    force: bool,
}

impl Install {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        let plan = Plan::new(cx, &self.op)?;
        if let Some(path) = self.install_path.as_ref().filter(|path| !path.is_absolute()) {
            return Err(failed(Kind::Usage, format!("--install-path={} is not an absolute path", path.display()))
                .hint(format!("for example --install-path={}", cx.sh.current_dir().join(path).display())));
        }
        let run = match &self.run {
            Some(file) => cx.sh.current_dir().join(file),
            None => {
                let run = package::run_path(cx, &plan);
                if run.exists() { run } else { package::package(cx, &plan)? }
            }
        };
        let how = How { path: self.install_path, force: self.force };
        let vendor = install(cx, &plan, &run, &how)?;
        let shown = cx.show(&vendor);
        cx.verdict(format!("install: {shown}"));
        Ok(())
    }
}

#[derive(Default)]
pub struct How {
    pub path: Option<PathBuf>,
    pub force: bool,
}

/// Where the installer puts things: --install-path, ASCEND_CUSTOM_OPP_PATH, ASCEND_OPP_PATH.
fn target(root: &Root, how: &How) -> PathBuf {
    match (&how.path, root.custom_opp().as_slice()) {
        (Some(path), _) => path.clone(),
        (None, [one]) => one.clone(),
        _ => root.opp(),
    }
}

/// Runs the installer and returns the installed vendor directory.
pub fn install(cx: &mut Ctx, plan: &Plan, run: &Path, how: &How) -> Result<PathBuf> {
    let info = runfile::inspect(run)?;
    let base = target(&plan.root, how);
    let vendor = base.join("vendors").join(plan.vendor_dir());
    if let Some(info) = &info
        && !how.force
        && up_to_date(&base, &vendor, info, how)
    {
        cx.say("Fresh", format!("{} is installed", cx.show(&vendor)));
        cx.artifact(&vendor, None);
        return Ok(vendor);
    }
    cx.say("Installing", cx.show(&vendor));
    if plan.root.kind == RootKind::Embedded && how.path.is_none() {
        fs::create_dir_all(&base).with_context(|| format!("cannot create {}", base.display()))?;
    }
    let mut args = vec!["--quiet".to_owned()];
    args.extend(how.path.as_ref().map(|path| format!("--install-path={}", path.display())));
    args.extend(how.force.then(|| "--force".to_owned()));
    cx.step("install", |cx| {
        let cmd = with_root(cmd!(cx.sh, "sh {run} {args...}"), &plan.root);
        let outcome = proc::log_run(cx, "install", cmd)?;
        if !outcome.ok {
            return Err(proc::tool_failed(cx, "install", Kind::Install, "install.sh", &outcome));
        }
        let last = outcome.text.trim_end().lines().last().unwrap_or_default();
        if last == "SUCCESS" && vendor.is_dir() {
            return Ok(());
        }
        let log = cx.show(&cx.log_file("install"));
        Err(failed(
            Kind::Install,
            format!("the installer did not end with SUCCESS and a directory {}", vendor.display()),
        )
        .hint(format!("its output is in {log}; --vendor_name must be the vendor that was packed")))
    })?;
    cx.artifact(&vendor, None);
    Ok(vendor)
}

fn up_to_date(base: &Path, vendor: &Path, info: &RunInfo, how: &How) -> bool {
    let name = vendor.file_name().unwrap_or_default().to_string_lossy();
    let first = |text: String| {
        let list = text.lines().find_map(|line| line.strip_prefix("load_priority=").map(str::to_owned));
        list.is_some_and(|list| list.split(',').next() == Some(&name))
    };
    let announced = match how.path {
        Some(_) => vendor.join("bin/set_env.bash").is_file(),
        None => fs::read_to_string(base.join("vendors/config.ini")).is_ok_and(first),
    };
    announced && package::installed_content(vendor).as_ref() == Some(&info.content)
}

/// The environment that `set_env.sh` of the root would give.
pub fn with_root<'a>(cmd: Cmd<'a>, root: &Root) -> Cmd<'a> {
    let mut libs = root.lib64().into_os_string();
    if let Some(old) = std::env::var_os("LD_LIBRARY_PATH").filter(|old| !old.is_empty()) {
        libs.push(":");
        libs.push(old);
    }
    let cmd = cmd
        .env("ASCEND_HOME_PATH", &root.path)
        .env("ASCEND_TOOLKIT_HOME", &root.path)
        .env("ASCEND_OPP_PATH", root.opp())
        .env("LD_LIBRARY_PATH", libs);
    if root.custom_opp().is_empty() { cmd.env_remove("ASCEND_CUSTOM_OPP_PATH") } else { cmd }
}
