//! What `torch.compile` needs: torch_npu's Inductor back end `ascendc` asks a module `autofuse` for kernels, which is
//! ascgraph/python here, and that calls `libautofuse.so` in its own process.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::installation::{self, BUILT};
use crate::base::program;
use crate::frameworks::session::Session;

const PACKAGE: &str = "ascgraph/python";

/// For every script: what the user has set is left alone.
pub fn join(cx: &Ctx, session: &mut Session) -> Result<()> {
    let asked =
        [("TORCHINDUCTOR_NPU_BACKEND", OsString::from("ascendc")), ("TORCHINDUCTOR_CACHE_DIR", cache(cx, session)?)];
    session.variables.extend(asked.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()));
    let given = std::env::var_os("PYTHONPATH").unwrap_or_default();
    let path = std::iter::once(cx.project.home.join(PACKAGE))
        .chain(std::env::split_paths(&given).filter(|dir| *dir != Path::new("")));
    session.variables.push(("PYTHONPATH", std::env::join_paths(path).context("cannot write PYTHONPATH")?));
    session.variables.push(("AUTOFUSE_LIBRARY", library()?.into_os_string()));
    session.variables.push(("AUTOFUSE_HEADERS", session.env.dir.join("headers").into_os_string()));
    // Nothing of Python's is left among the sources.
    session.variables.push(("PYTHONDONTWRITEBYTECODE", "1".into()));
    Ok(())
}

/// The library is built with this program: cargo leaves it in `deps`. Where it is missing, a script that compiles nothing does
/// not need it, and the module names the path.
fn library() -> Result<PathBuf> {
    const NAME: &str = "libautofuse.so";
    let program = program::own()?;
    if let Some(home) = installation::around(&program) {
        return Ok(home.join(BUILT).join(NAME));
    }
    Ok(program.with_file_name("deps").join(NAME))
}

/// Kernels are kept by their text. Those that were built with another toolkit, or by another generator, are of no use.
fn cache(cx: &Ctx, session: &Session) -> Result<OsString> {
    let root = &session.plan.root;
    let used = [
        cx.project.home.join(PACKAGE).join("autofuse/compile_adapter.py"),
        root.lib64().join("libascendcl.so"),
        root.lib64().join("libnnopbase.so"),
        root.path.join("bin/bisheng"),
    ];
    let used = used.into_iter().chain(Some(library()?).filter(|library| library.is_file()));
    let dir = cx.project.work().join("inductor");
    let own = dir.join(&files::sha256(files::fingerprint(used)?.as_bytes())[..16]);
    for old in fs::read_dir(&dir).into_iter().flatten().flatten().filter(|entry| entry.path() != own) {
        files::remove_dir_if_there(&old.path())?;
    }
    Ok(own.into_os_string())
}
