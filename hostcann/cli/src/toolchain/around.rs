//! Directories that are operators, and those that a command line means without naming them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::naming;
use crate::base::op_dir::{OpDir, definitions};
use crate::toolchain::form::Form;

/// Upstream's category directories.
pub const CATEGORIES: [&str; 3] = ["math", "conversion", "random"];
/// No operator is named, and none follows from where the user is.
pub fn which(cx: &Ctx) -> anyhow::Error {
    let root = cx.project.root.display();
    match cx.project.checkout() {
        Some(_) => failed(Kind::UnknownOp, format!("{root} is an ops-math checkout: which operator?"))
            .hint("--ops NAME, or call it in the directory of an operator"),
        None if cx.project.is_installed() => failed(Kind::UnknownOp, format!("there is no operator below {root}"))
            .hint("`hostcann new math/my_op` writes one; --op-dir PATH names one elsewhere"),
        None => failed(Kind::UnknownOp, "there is no op below experimental/").hint("name one: --op-dir PATH"),
    }
}

/// The operators that a command line means which names none: this repository's. Of an installed program the one whose
/// directory the user is in, else those of the project; of a checkout, which has hundreds, none.
pub fn ops(cx: &Ctx) -> Result<Vec<OpDir>> {
    if !cx.project.is_installed() {
        return in_tree(&cx.project.root);
    }
    let here = cx.run.sh.current_dir();
    let inside = here.ancestors().take_while(|dir| dir.starts_with(&cx.project.root)).find(|dir| has_parts(dir));
    match inside {
        Some(dir) => Ok(vec![open(dir)?]),
        None if cx.project.checkout().is_some() => Ok(Vec::new()),
        None => own(cx),
    }
}

/// All operators of this repository, or of the project.
pub fn own(cx: &Ctx) -> Result<Vec<OpDir>> {
    if !cx.project.is_installed() {
        return in_tree(&cx.project.root);
    }
    // Deep enough for <repository>/<part>/experimental/<category>/<op>.
    const DEEPEST: usize = 5;
    let mut found = Vec::new();
    let mut open_dirs = vec![cx.project.root.clone()];
    for _ in 0..=DEEPEST {
        let mut next = Vec::new();
        for dir in open_dirs {
            if has_parts(&dir) && dir.join("CMakeLists.txt").is_file() {
                found.extend(open(&dir).ok());
            } else {
                next.extend(folders(&dir)?);
            }
        }
        open_dirs = next;
    }
    found.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    Ok(found)
}

/// Neither hidden ones nor what builds make.
fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let is_source = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        path.is_dir() && !is_link && !name.starts_with('.') && !name.starts_with("build") && name != "target"
    };
    Ok(entries.flatten().map(|entry| entry.path()).filter(is_source).collect())
}

pub fn in_tree(repo: &Path) -> Result<Vec<OpDir>> {
    let mut ops = Vec::new();
    for category in CATEGORIES {
        let dir = repo.join("experimental").join(category);
        if !dir.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
            let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
            if path.join("CMakeLists.txt").is_file() {
                ops.push(open(&path)?);
            }
        }
    }
    ops.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ops)
}

/// A category directory has a CMakeLists.txt, too.
pub fn has_parts(dir: &Path) -> bool {
    ["op_host", "op_kernel", "op_api", "op_kernel_aicpu"].iter().any(|part| dir.join(part).is_dir())
}

pub fn open(path: &Path) -> Result<OpDir> {
    let hint = "an op directory in upstream layout holds CMakeLists.txt, op_host/<op>_def.cpp and op_kernel/<op>.cpp, or \
                op_kernel_aicpu/<op>_aicpu.cpp";
    let not_op =
        |what: String| failed(Kind::UnknownOp, format!("{} is not an op directory: {what}", path.display())).hint(hint);
    let path = path.canonicalize().map_err(|error| not_op(error.to_string()))?;
    if let Some(form) = Form::of(&path).filter(|form| *form != Form::Operator) {
        let message = format!("{} is a {}, not an op directory", path.display(), form.name());
        return Err(failed(Kind::UnknownOp, message).hint("`cargo xtask build` and `cargo xtask install` take it"));
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    if !path.join("CMakeLists.txt").is_file() {
        return Err(not_op("CMakeLists.txt is missing".to_owned()));
    }
    let op = OpDir { name, path };
    let is_defined = !definitions(&op)?.is_empty();
    let on_aicpu = !op.aicpu_kernels()?.is_empty();
    if !is_defined && !on_aicpu {
        return Err(not_op(format!("op_host/{}_def.cpp is missing", op.name)));
    }
    naming::check(&op.path, &op.name, is_defined)?;
    if on_aicpu {
        return Ok(op);
    }
    // The definition may name the kernel's file (opFile.value); the kernel compiler looks for exactly that.
    if !has_file(&op.path.join("op_kernel"), |name| name.ends_with(".cpp"))? {
        return Err(not_op(format!("op_kernel/{}.cpp is missing", op.name)));
    }
    Ok(op)
}

fn has_file(dir: &Path, wanted: impl Fn(&str) -> bool) -> Result<bool> {
    Ok(dir.is_dir() && files::walk(dir)?.iter().any(|file| file.to_str().is_some_and(&wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;

    #[test]
    fn an_aicpu_kernel_makes_an_op() {
        let temp = tempfile::tempdir().expect("temp dir");
        let path = temp.path().join("one");
        for file in ["CMakeLists.txt", "op_kernel_aicpu/other.cpp"] {
            write_if_changed(&path.join(file), b"").expect("write");
        }
        let error = open(&path).expect_err("nothing of its own");
        assert!(diag::causes(&error)[0].ends_with("op_host/one_def.cpp is missing"), "{error:?}");
        write_if_changed(&path.join("op_kernel_aicpu/one_aicpu.cpp"), b"").expect("write");
        assert_eq!(open(&path).expect("an op").name, "one");
        // A definition beside it needs no AI Core kernel, but its name.
        write_if_changed(&path.join("op_host/two_def.cpp"), b"").expect("write");
        let error = open(&path).expect_err("another name");
        assert!(diag::causes(&error)[0].ends_with("upstream reads no other definition"), "{error:?}");
    }

    #[test]
    fn a_project_is_not_an_op() {
        let temp = tempfile::tempdir().expect("temp dir");
        for (file, text) in [
            ("CMakeLists.txt", "project(opp)"),
            ("CMakePresets.json", "\"ASCEND_CANN_PACKAGE_PATH\""),
            ("op_host/one.cpp", ""),
        ] {
            write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
        }
        let error = open(temp.path()).expect_err("a project");
        assert!(diag::causes(&error)[0].ends_with("is a msopgen project, not an op directory"), "{error:?}");
    }

    #[test]
    fn not_an_op() {
        let temp = tempfile::tempdir().expect("temp dir");
        let path = temp.path().join("one");
        for file in ["CMakeLists.txt", "op_host/one_def.cpp", "op_kernel/one.cpp"] {
            write_if_changed(&path.join(file), b"").expect("write");
        }
        fs::remove_file(path.join("op_kernel/one.cpp")).expect("remove");
        let error = open(&path).expect_err("no kernel");
        assert_eq!(diag::code(&error), 15);
        assert!(diag::causes(&error)[0].ends_with("op_kernel/one.cpp is missing"), "{error:?}");
    }
}
