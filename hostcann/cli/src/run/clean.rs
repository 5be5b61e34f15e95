//! `clean`: remove what xtask made.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use clap::Args;

use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::files;
use crate::base::lock::Scope;
use crate::base::verb::Verb;
use crate::build::cmake_step::STAMP;
use crate::toolchain::runfile;
use crate::toolchain::venv;
use crate::toolchain::wheels;

const HELP: &str = "\
Examples:
  cargo xtask clean
  cargo xtask clean --stale # build trees of other selections; installed packages stay
  cargo xtask clean --all   # everything: the next run starts from nothing";

/// Remove build products and packages
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Clean {
    /// Remove the tools and cargo's cache as well
    #[arg(long)]
    all: bool,
    /// Remove only build trees that are not their vendor's last one, and leftovers of killed runs
    #[arg(long, conflicts_with = "all")]
    stale: bool,
}

impl Verb for Clean {
    fn scopes(&self) -> Vec<Scope> {
        let frameworks = [venv::TORCH, venv::PADDLE, venv::ONNX].map(Scope::Framework);
        frameworks.into_iter().chain([Scope::Checkout]).collect()
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let target = cx.project.products();
        let mut paths = if target.is_dir() { wheels::interrupted(&target)? } else { Vec::new() };
        if self.stale {
            paths.extend(stale(&cx.project.common_work())?);
        } else if cx.project.is_installed() {
            paths.extend(packages(&cx.project.build_out())?);
            paths.push(target);
        } else {
            paths.push(cx.project.build_out());
            paths.extend(if self.all { vec![target] } else { vec![cx.project.common_work(), cx.project.toolkit()] });
        }
        for path in paths.iter().filter(|path| path.exists()) {
            let shown = cx.project.show(path);
            cx.console.say("Removing", &shown);
            let removed =
                if path.is_dir() { files::remove_dir_if_there(path) } else { files::remove_file_if_there(path) };
            removed.with_context(|| format!("cleaning {shown}"))?;
        }
        Ok(Done::plain().verdict("clean"))
    }
}

/// Of a folder for packages in somebody else's tree: the folder if a run made it, else the packages that runs made.
fn packages(build_out: &Path) -> Result<Vec<PathBuf>> {
    if build_out.join(".gitignore").is_file() {
        return Ok(vec![build_out.to_path_buf()]);
    }
    let files = entries(build_out)?.into_iter().map(|(_, path)| path);
    Ok(files.filter(|path| path.is_file() && matches!(runfile::inspect(path), Ok(Some(_)))).collect())
}

/// Build trees `<vendor>-<hash>`, but for the one of each vendor that was used last.
fn stale(work: &Path) -> Result<Vec<PathBuf>> {
    let mut trees: BTreeMap<String, Vec<(SystemTime, OsString)>> = BTreeMap::new();
    for (name, path) in entries(&work.join("build"))? {
        let used = fs::metadata(path.join(STAMP)).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        if let Some((vendor, _)) = name.to_string_lossy().rsplit_once('-') {
            trees.entry(vendor.to_owned()).or_default().push((used, name));
        }
    }
    let mut found = Vec::new();
    for mut vendor in trees.into_values() {
        vendor.sort();
        vendor.pop();
        found.extend(vendor.into_iter().map(|(_, name)| work.join("build").join(name)));
    }
    Ok(found)
}

fn entries(dir: &Path) -> Result<Vec<(OsString, PathBuf)>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let listed = fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    listed
        .map(|entry| {
            let entry = entry.with_context(|| format!("cannot list {}", dir.display()))?;
            Ok((entry.file_name(), entry.path()))
        })
        .collect()
}
