//! `install` of a project with a build of its own: the package that it makes, by the package's own installer.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hostcann_types::install::load_order;
use xshell::cmd;

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::proc;
use crate::build::form;
use crate::toolchain::form::Project;
use crate::toolchain::root;

/// # Errors
///
/// The project does not build, makes no package, or its installer fails.
pub fn install(cx: &mut Ctx, project: &Project, args: &OpArgs, path: Option<&Path>) -> Result<Done> {
    let built = form::build(cx, project, args)?;
    let Some(run) = built.run else {
        let message = format!("{} is a {} that makes no package", form::shown(cx, project), project.form.name());
        return Err(failed(Kind::Usage, message).hint("it is built: what it made lies in its build directory"));
    };
    let opp = path.map_or_else(|| built.root.opp(), Path::to_path_buf);
    fs::create_dir_all(&opp).with_context(|| format!("cannot create {}", opp.display()))?;
    cx.console.say("Installing", cx.project.show(&run));
    let words: Vec<String> = path.map(|path| format!("--install-path={}", path.display())).into_iter().collect();
    cx.step("install", |cx| {
        let line = root::with_root(cmd!(cx.run.sh, "bash {run} {words...}"), &built.root);
        let outcome = proc::log_run(cx, "install", line)?;
        if outcome.ok { Ok(()) } else { Err(proc::tool_failed(cx, "install", Kind::Install, "install.sh", &outcome)) }
    })?;
    let Some(vendor) = installed(&opp) else {
        let message =
            format!("the installer of {} put no package into {}", run.display(), opp.join("vendors").display());
        let log = cx.project.show(&cx.project.log_file("install"));
        return Err(failed(Kind::Install, message).hint(format!("its output is in {log}")));
    };
    cx.run.artifact(&vendor, None);
    let shown = cx.project.show(&vendor);
    Ok(Done::plain().verdict(format!(
        "install: {shown}; programs include {shown}/op_api/include and link -lcust_opapi, `cargo xtask run` runs them"
    )))
}

/// The package that was installed last: the first of config.ini, or the newest.
fn installed(opp: &Path) -> Option<PathBuf> {
    let vendors = opp.join("vendors");
    let listed = load_order(opp).into_iter().next().map(|name| vendors.join(name)).filter(|dir| dir.is_dir());
    let dirs = fs::read_dir(&vendors).into_iter().flatten().flatten().map(|entry| entry.path());
    let newest =
        dirs.filter(|path| path.is_dir()).max_by_key(|path| fs::metadata(path).and_then(|meta| meta.modified()).ok());
    listed.or(newest)
}
