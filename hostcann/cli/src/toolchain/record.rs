//! What a package says of itself in `version.info`: the sources it is built from, and what is in it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::sources;
use crate::toolchain::installed;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::RootKind;

/// Where the package of a plan is.
pub fn run_path(cx: &Ctx, plan: &Plan) -> PathBuf {
    cx.project.build_out().join(plan.run_name())
}

/// What the package says about itself; beside the record of its sources `custom_opp_compiler_version` and `content_sha256`.
pub const VERSION: &str = "version.info";

/// Files of an installed package that are not packed.
const INSTALLED: [&str; 3] = [VERSION, "scripts/uninstall.sh", "bin/set_env.bash"];

/// What the package is built from and how: a line for every op and for the toolkit, `definitions=` if there are some.
pub fn record(cx: &Ctx, plan: &Plan) -> Result<String> {
    let mut text = String::new();
    for op in &plan.ops {
        let digest = sources::of_op(&op.path).with_context(|| format!("cannot read {}", op.path.display()))?;
        text.push_str(&format!("{}{}={digest}\n", sources::KEY, op.name));
    }
    // Another toolkit was built elsewhere, from whatever sources.
    if plan.root.kind == RootKind::Embedded {
        let digest = sources::of_toolkit(&cx.project.home).context("cannot read the toolkit's sources")?;
        text.push_str(&format!("{}{}={digest}\n", sources::KEY, sources::TOOLKIT));
    }
    if !plan.defines.is_empty() {
        text.push_str(&format!("definitions={}\n", plan.defines.join(",")));
    }
    Ok(text)
}

/// Of the files and of the record: the same files from other sources are another package.
pub fn content(dir: &Path, record: &str) -> Result<String> {
    Ok(files::sha256(format!("{}\n{record}", files::tree_hash_without(dir, &INSTALLED)?).as_bytes()))
}

/// The content hash of an installed vendor directory, computed like that of a staged one.
pub fn installed_content(dir: &Path) -> Option<String> {
    let text = fs::read_to_string(dir.join(VERSION)).ok()?;
    let claimed = text.lines().find_map(|line| line.strip_prefix("content_sha256="))?.to_owned();
    let record: String = text.split_inclusive('\n').skip(2).collect();
    (content(dir, &record).ok()? == claimed).then_some(claimed)
}

/// The ops of an installed vendor directory, by directory name if it says so, else by type.
pub fn installed_ops(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join(VERSION)).unwrap_or_default();
    let named = text.lines().filter_map(|line| line.strip_prefix(sources::KEY)?.split('=').next());
    let named: Vec<String> = named.filter(|name| *name != sources::TOOLKIT).map(str::to_owned).collect();
    if named.is_empty() { installed::read(dir.to_path_buf()).map_or(named, |package| package.ops) } else { named }
}
