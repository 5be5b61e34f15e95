//! clang-format 18.1.8: upstream's version; others disagree with it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::cmd;

use super::tools::{self, Tools};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::proc;
use crate::base::versions;

/// Formats C++ that lies anywhere in the style of this repository, which is upstream's.
pub fn format(cx: &Ctx, tools: &Tools, files: &[PathBuf]) -> Result<()> {
    let program = program(tools)?;
    let style = format!("--style=file:{}", cx.project.home.join(".clang-format").display());
    let list: Vec<&PathBuf> = files.iter().filter(|file| is_cpp(file)).collect();
    proc::must_run(cx, "clang-format", Kind::Style, cmd!(cx.run.sh, "{program} {style} -i {list...}"))?;
    Ok(())
}

pub fn is_cpp(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["c", "h", "cpp", "hpp", "cc", "hh", "cxx", "hxx", "asc"].contains(&extension)
}

/// Upstream's version and no other.
pub fn program(tools: &Tools) -> Result<PathBuf> {
    let program = tools.program("clang-format");
    let text = proc::probe(&program.to_string_lossy(), &["--version"]).unwrap_or_default();
    if versions::parse(&text) == Some(tools::CLANG_FORMAT) {
        return Ok(program);
    }
    let found = if text.is_empty() { "nothing" } else { text.trim() };
    Err(failed(Kind::Tool, format!("clang-format {} is needed, found: {found}", tools::CLANG_FORMAT))
        .hint("unset XTASK_TOOLS and run `cargo xtask setup`"))
}
