//! `install`: run the `.run`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use hostcann_types::install::load_order;
use xshell::cmd;

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::proc;
use crate::base::verb::Verb;
use crate::build::form;
use crate::build::partial::{self, LeftOut};
use crate::package::{self, project};
use crate::toolchain::form::asked;
use crate::toolchain::plan::Plan;
use crate::toolchain::record;
use crate::toolchain::root::{self, Root, RootKind};
use crate::toolchain::runfile::{self, RunInfo};

const HELP: &str = "\
Examples:
  cargo xtask install
  cargo xtask install --op-dir ../my_ops/add_example
  cargo xtask install --install-path=/opt/my_ops
  cargo xtask install --run build_out/cann-ops-math-custom_linux-x86_64.run --force

The default target is the toolkit's opp directory. A damaged file is refused before anything is touched.";

/// Build and install the package, or install a finished .run file
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Install {
    #[command(flatten)]
    op: OpArgs,
    /// Install to DIR/vendors/<vendor>_math (absolute path) instead of the toolkit's opp directory
    #[arg(long = "install-path", value_name = "DIR")]
    install_path: Option<PathBuf>,
    /// Install this file unchanged, and build nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ops", "op_dir", "soc", "defines", "ops_math"])]
    run: Option<PathBuf>,
    /// Install again even if the same content is installed, and skip the test of the libraries
    #[arg(long)]
    force: bool,
}

impl Install {
    /// `<vendor>_math`, of the file's label or as the command line says.
    fn vendor_in(&self, file: &Path) -> Result<String> {
        let packed = vendor_of(file)?;
        let asked = self.op.vendor_name.as_ref().map(|name| format!("{name}_math"));
        match (packed, asked) {
            (Some(packed), Some(asked)) if packed != asked => {
                Err(failed(Kind::Usage, format!("{} holds {packed}, not {asked}", file.display()))
                    .hint("leave --vendor_name out: the file says whose package it is"))
            }
            (Some(vendor), _) | (None, Some(vendor)) => Ok(vendor),
            (None, None) => {
                let message = format!("{} does not say whose package it holds", file.display());
                Err(failed(Kind::Usage, message).hint("name the vendor it was packed for: --vendor_name=VENDOR"))
            }
        }
    }

    fn install_file(&self, cx: &mut Ctx, file: &Path, how: &InstallOptions) -> Result<PathBuf> {
        let root = Root::choose(cx)?;
        root.announce(cx);
        let vendor = self.vendor_in(file)?;
        cx.run.about.vendor = Some(vendor.trim_end_matches("_math").to_owned());
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        install_run(cx, &root, &Package { vendor: &vendor, what: &name }, file, how)
    }
}

impl Verb for Install {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        check_path(cx, self.install_path.as_deref())?;
        match &self.run {
            Some(file) => self.vendor_in(&cx.run.sh.current_dir().join(file)).map(drop),
            None => match asked(cx, &self.op) {
                Some(project) => form::check(cx, &project, &self.op),
                None => Plan::check(cx, &self.op).map(drop),
            },
        }
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        if let (None, Some(project)) = (&self.run, asked(cx, &self.op)) {
            return project::install(cx, &project, &self.op, self.install_path.as_deref());
        }
        let how = InstallOptions { path: self.install_path.clone(), force: self.force };
        let mut left_out = LeftOut::default();
        let vendor = match &self.run {
            Some(file) => self.install_file(cx, &cx.run.sh.current_dir().join(file), &how)?,
            None => {
                let plan = Plan::new(cx, &self.op)?;
                let (plan, without) = partial::what_builds(cx, plan)?;
                left_out = without;
                let run = package::package(cx, &plan)?;
                install(cx, &plan, &run, &how)?
            }
        };
        let shown = cx.project.show(&vendor);
        Ok(Done::plain().verdict(format!("install: {shown}")).judged(left_out.judge(Ok(()))))
    }
}

/// install.sh refuses a relative --install-path after everything is built.
pub fn check_path(cx: &Ctx, path: Option<&Path>) -> Result<()> {
    let Some(path) = path.filter(|path| !path.is_absolute()) else { return Ok(()) };
    Err(failed(Kind::Usage, format!("--install-path={} is not an absolute path", path.display()))
        .hint(format!("for example --install-path={}", cx.run.sh.current_dir().join(path).display())))
}

/// `<vendor>_math` by the file's label; by upstream's form of the name where the label says nothing.
fn vendor_of(file: &Path) -> Result<Option<String>> {
    if let Some(info) = runfile::inspect(file)? {
        return Ok(Some(info.vendor));
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let vendor = name.strip_prefix("cann-ops-math-").and_then(|rest| rest.split("_linux-").next());
    Ok(vendor.map(|vendor| format!("{vendor}_math")))
}

#[derive(Default)]
pub struct InstallOptions {
    pub path: Option<PathBuf>,
    pub force: bool,
}

/// Where the installer puts a package.
struct Target {
    base: PathBuf,
    /// With a set_env.bash, else with an entry in config.ini.
    is_path: bool,
    /// Found by an installed package in ASCEND_CUSTOM_OPP_PATH, which upstream's installer would take for the base.
    by_package: bool,
}

/// As install.sh chooses: --install-path, ASCEND_CUSTOM_OPP_PATH, ASCEND_OPP_PATH.
fn target(root: &Root, vendor: &str, how: &InstallOptions) -> Target {
    if let Some(base) = how.path.clone() {
        return Target { base, is_path: true, by_package: false };
    }
    let custom = root.custom_opp();
    let own = custom.iter().find(|entry| entry.file_name().is_some_and(|name| name == vendor) && is_package(entry));
    match (own, custom.as_slice()) {
        (Some(entry), _) => beside(entry),
        (None, [one]) if is_package(one) => beside(one),
        (None, [one]) => Target { base: one.clone(), is_path: false, by_package: false },
        _ => Target { base: root.opp(), is_path: false, by_package: false },
    }
}

/// What set_env.bash puts into ASCEND_CUSTOM_OPP_PATH; not a place for packages.
fn is_package(dir: &Path) -> bool {
    dir.parent().is_some_and(|parent| parent.ends_with("vendors")) && dir.join(record::VERSION).is_file()
}

fn beside(package: &Path) -> Target {
    let base = package.ancestors().nth(2).unwrap_or(package);
    let name = package.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let listed = load_order(base).contains(&name);
    Target { base: base.to_path_buf(), is_path: !listed, by_package: true }
}

/// Runs the installer of the plan's package and returns the installed vendor directory.
pub fn install(cx: &mut Ctx, plan: &Plan, run: &Path, how: &InstallOptions) -> Result<PathBuf> {
    let package = Package { vendor: &plan.vendor_dir(), what: &plan.op_names() };
    install_run(cx, &plan.root, &package, run, how)
}

struct Package<'a> {
    /// `<vendor>_math`
    vendor: &'a str,
    /// Its ops, or the file they come in.
    what: &'a str,
}

fn install_run(cx: &mut Ctx, root: &Root, package: &Package, run: &Path, how: &InstallOptions) -> Result<PathBuf> {
    let info = runfile::inspect(run)?;
    let target = target(root, package.vendor, how);
    let vendor = target.base.join("vendors").join(package.vendor);
    if let Some(info) = &info
        && !how.force
        && up_to_date(&target, &vendor, info)
    {
        cx.console.say("Fresh", format!("{} is installed", cx.project.show(&vendor)));
        cx.run.artifact(&vendor, None);
        return Ok(vendor);
    }
    // Op types where a package does not name directories.
    let old = record::installed_ops(&vendor).join(",");
    let plain = |names: &str| names.to_lowercase().replace('_', "");
    if !old.is_empty() && plain(&old) != plain(package.what) {
        cx.console.say("Replacing", format!("{} ({old}) by {}", package.vendor, package.what));
    }
    cx.console.say("Installing", cx.project.show(&vendor));
    if root.kind == RootKind::Embedded && how.path.is_none() {
        fs::create_dir_all(&target.base).with_context(|| format!("cannot create {}", target.base.display()))?;
    }
    let mut args = vec!["--quiet".to_owned()];
    args.extend(target.is_path.then(|| format!("--install-path={}", target.base.display())));
    args.extend(how.force.then(|| "--force".to_owned()));
    cx.step("install", |cx| {
        let mut cmd = root::with_root(cmd!(cx.run.sh, "sh {run} {args...}"), root);
        if target.by_package {
            cmd = cmd.env("ASCEND_OPP_PATH", &target.base).env_remove("ASCEND_CUSTOM_OPP_PATH");
        }
        let outcome = proc::log_run(cx, "install", cmd)?;
        if !outcome.ok {
            return Err(proc::tool_failed(cx, "install", Kind::Install, "install.sh", &outcome));
        }
        let last = outcome.text.trim_end().lines().last().unwrap_or_default();
        if last == "SUCCESS" && vendor.is_dir() {
            return Ok(());
        }
        let log = cx.project.show(&cx.project.log_file("install"));
        Err(failed(
            Kind::Install,
            format!("the installer did not end with SUCCESS and a directory {}", vendor.display()),
        )
        .hint(format!("its output is in {log}; --vendor_name must be the vendor that was packed")))
    })?;
    cx.run.artifact(&vendor, None);
    Ok(vendor)
}

fn up_to_date(target: &Target, vendor: &Path, info: &RunInfo) -> bool {
    let name = vendor.file_name().unwrap_or_default().to_string_lossy();
    let announced = if target.is_path {
        vendor.join("bin/set_env.bash").is_file()
    } else {
        load_order(&target.base).first().is_some_and(|first| *first == name)
    };
    announced && record::installed_content(vendor).as_ref() == Some(&info.content)
}
