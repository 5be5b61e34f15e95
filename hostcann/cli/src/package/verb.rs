//! `package`: `build_out/cann-ops-math-<vendor>_linux-<arch>.run` with upstream's inner tree.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::files;
use crate::base::report::PackagePiece;
use crate::base::verb::Verb;
use crate::build::build_ops;
use crate::build::partial;
use crate::toolchain::evidence;
use crate::toolchain::plan::Plan;
use crate::toolchain::record::{VERSION, content, run_path};
use crate::toolchain::root::RootKind;
use crate::toolchain::runfile;
use crate::toolchain::upstream;

const HELP: &str = "\
Examples:
  cargo xtask package
  cargo xtask package --vendor_name=mine --soc=ascend910b
  cargo xtask package --vendor_name=other --define NAME=VALUE    # what the op's README offers

The same sources give the same bytes; nothing is written when the package is up to date.
Options of the .run itself: sh build_out/<file>.run --help";

/// Build and pack the op into build_out/cann-ops-math-<vendor>_linux-<arch>.run
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Package {
    #[command(flatten)]
    op: OpArgs,
}

impl Verb for Package {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        Plan::check(cx, &self.op).map(drop)
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let plan = Plan::new(cx, &self.op)?;
        let (plan, left_out) = partial::what_builds(cx, plan)?;
        let run = package(cx, &plan)?;
        let shown = cx.project.show(&run);
        Ok(Done::plain().verdict(format!("package: {shown}")).judged(left_out.judge(Ok(()))))
    }
}

/// Builds and packs; returns the `.run`.
pub fn package(cx: &mut Ctx, plan: &Plan) -> Result<PathBuf> {
    if plan.root.kind == RootKind::Cann {
        return upstream::package(cx, plan);
    }
    let vendor = build_ops::build(cx, plan)?;
    cx.step("package", |cx| pack(cx, plan, &vendor))
}

fn pack(cx: &mut Ctx, plan: &Plan, vendor: &Path) -> Result<PathBuf> {
    let stage = cx.project.work().join("stage").join(vendor_key(plan, vendor)?);
    let content = fill_stage(cx, plan, vendor, &stage)?;
    let out = run_path(cx, plan);
    let whole = files::tree_hash(&stage)?;
    let stamp = files::with_suffix(&stage, ".stamp");

    // "Up to date" is a claim about the file, so the file is read: a truncated one is packed again.
    if let Ok(Some(info)) = runfile::inspect(&out)
        && fs::read_to_string(&stamp).is_ok_and(|old| old == format!("{whole} {}", info.sha256))
    {
        cx.console.say("Fresh", format!("{} (sha256 {})", cx.project.show(&out), &info.sha256[..16]));
        cx.run.artifact(&out, Some(&info.sha256));
        keep(cx, plan, &out, &info.sha256);
        return Ok(out);
    }
    cx.console.say("Packaging", cx.project.show(&out));
    cx.project.create(&cx.project.build_out())?;
    let stub = fs::read_to_string(cx.project.home.join("scripts/package/run_stub.sh"))
        .context("cannot read scripts/package/run_stub.sh")?;
    // Its first word is read again: whose package the file is.
    let label = format!("{} {} for {}", plan.vendor_dir(), env!("CARGO_PKG_VERSION"), plan.socs.join(", "));
    let sha = runfile::write(&stage, &stub, &label, &content, &out)?;
    files::write_if_changed(&stamp, format!("{whole} {sha}").as_bytes())?;
    cx.console.say("Packaged", format!("{} (sha256 {})", cx.project.show(&out), &sha[..16]));
    cx.run.artifact(&out, Some(&sha));
    keep(cx, plan, &out, &sha);
    Ok(out)
}

fn keep(cx: &mut Ctx, plan: &Plan, file: &Path, sha256: &str) {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let bytes = fs::metadata(file).map_or(0, |meta| meta.len());
    let ops = plan.ops.iter().map(|op| op.name.clone());
    let (file, sha256, ops) = (name.into_owned(), sha256.to_owned(), ops.collect());
    let data = PackagePiece { file, sha256, bytes, socs: plan.socs.clone(), ops, vendor: plan.vendor.clone() };
    evidence::keep(cx, plan, &format!("package.{}", plan.socs.join("+")), &data);
}

/// One stage per build directory.
fn vendor_key(plan: &Plan, vendor: &Path) -> Result<String> {
    let build = vendor.ancestors().nth(4).and_then(|dir| dir.file_name());
    let build = build.with_context(|| format!("{} lies in no build directory", vendor.display()))?;
    Ok(format!("{}-{}", plan.vendor, files::sha256(build.as_encoded_bytes()).split_at(8).0))
}

/// Lays out the archive's tree; returns the hash that `version.info` carries.
fn fill_stage(cx: &Ctx, plan: &Plan, vendor: &Path, stage: &Path) -> Result<String> {
    let inner = stage.join("packages/vendors").join(plan.vendor_dir());
    // Links would be followed by the copy below: start clean, the tree is small.
    files::remove_dir_if_there(stage)?;
    copy_tree(vendor, &inner)?;
    let content = sign(&inner)?;
    put_scripts(&cx.project.home, &plan.vendor_dir(), stage)?;
    Ok(content)
}

/// Completes the `version.info` of a staged vendor directory.
pub(super) fn sign(inner: &Path) -> Result<String> {
    let path = inner.join(VERSION);
    let record = fs::read_to_string(&path).unwrap_or_default();
    let content = content(inner, &record)?;
    let version =
        format!("custom_opp_compiler_version={}\ncontent_sha256={content}\n{record}", env!("CARGO_PKG_VERSION"));
    files::write_if_changed(&path, version.as_bytes())?;
    Ok(content)
}

/// The installer at the top of the archive.
pub fn put_scripts(repo: &Path, vendor_dir: &str, stage: &Path) -> Result<()> {
    for name in ["install.sh", "uninstall.sh", "upgrade.sh", "help.info"] {
        let from = repo.join("scripts/package").join(name);
        let text = fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
        let to = stage.join(name);
        files::write_if_changed(&to, text.replace("@VENDOR_DIR@", vendor_dir).as_bytes())?;
        if name.ends_with(".sh") {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(&to, mode).with_context(|| format!("cannot set the mode of {}", to.display()))?;
        }
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    for file in files::walk(from)? {
        let (source, target) = (from.join(&file), to.join(&file));
        if let Ok(link) = fs::read_link(&source) {
            if let Some(dir) = target.parent() {
                fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
            }
            std::os::unix::fs::symlink(&link, &target).with_context(|| format!("cannot link {}", target.display()))?;
        } else {
            files::copy_if_changed(&source, &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "package_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "package_target_tests.rs"]
mod target_tests;

#[cfg(test)]
#[path = "package_fault_tests.rs"]
mod fault_tests;
