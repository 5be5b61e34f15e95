//! nlohmann/json for tiling functions: upstream's build downloads it for all operators.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cpptext::includes;

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::toolchain::tools;

/// Where it is, when host code of one of the ops includes it.
pub fn of(cx: &mut Ctx, ops: &[OpDir]) -> Result<Option<PathBuf>> {
    for op in ops {
        if wanted(&op.path)? {
            return tools::json(cx).map(Some);
        }
    }
    Ok(None)
}

/// Directories above an op that its host code includes from: those of the category, of the repository and of `experimental`.
const ABOVE: usize = 4;

/// What of them is searched for headers, as upstream's cmake does.
const ROOTS: [&str; 3] = ["", "common/inc", "common/inc/op_host"];

fn wanted(op: &Path) -> Result<bool> {
    let mut seen = BTreeSet::new();
    let mut open = sources(op)?;
    while let Some(path) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        if path.ends_with("CMakeLists.txt") {
            for name in dependencies(&text) {
                for dir in places(op, name)? {
                    open.extend(sources(&dir)?);
                }
            }
            continue;
        }
        for include in includes(&text) {
            if include.path.starts_with("nlohmann/") {
                return Ok(true);
            }
            let above = op.ancestors().skip(1).take(ABOVE).flat_map(|dir| ROOTS.map(|root| dir.join(root)));
            let places = path.parent().map(Path::to_path_buf).into_iter().chain(above);
            open.extend(places.map(|dir| dir.join(&include.path)).find(|file| file.is_file()));
        }
    }
    Ok(false)
}

/// Host code of an op directory and what its build is told; those of other chips are not built.
fn sources(op: &Path) -> Result<Vec<PathBuf>> {
    let host = op.join("op_host");
    if !host.is_dir() {
        return Ok(Vec::new());
    }
    let own = files::walk(&host)?.into_iter().filter(|file| !file.starts_with("arch35"));
    let list = Some(op.join("CMakeLists.txt")).filter(|list| list.is_file());
    Ok(own.map(|file| host.join(file)).chain(list).collect())
}

/// Where a dependency may lie: `name` beside the op or in any category of the repository, `category.name` in that one.
fn places(op: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let Some(root) = op.ancestors().nth(2) else { return Ok(Vec::new()) };
    if let Some((category, name)) = name.split_once('.') {
        return Ok(vec![root.join(category).join(name)]);
    }
    let entries = fs::read_dir(root).with_context(|| format!("cannot read {}", root.display()))?;
    entries.map(|entry| Ok(entry?.path().join(name))).collect()
}

/// The names behind DEPENDENCIES.
fn dependencies(text: &str) -> Vec<&str> {
    let behind = text.split("DEPENDENCIES").skip(1).map(|rest| rest.split(')').next().unwrap_or_default());
    let is_name = |word: &&str| !word.starts_with(|c: char| c.is_ascii_uppercase());
    behind.flat_map(|list| list.split_whitespace().take_while(is_name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    #[test]
    fn host_code_of_this_chip_decides() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| {
            write_if_changed(&temp.path().join(file), format!("#include {text}\n").as_bytes()).expect("write");
        };
        let op = temp.path().join("norm/op");
        assert!(!wanted(&op).expect("no directory"));
        write("norm/op/op_host/arch35/tiling.h", "<nlohmann/json.hpp>");
        write("norm/op/op_host/tiling.h", "\"tiling.h\"");
        assert!(!wanted(&op).expect("read"));
        write("norm/op/op_host/op_tiling/tiling.h", "<nlohmann/json.hpp>");
        assert!(wanted(&op).expect("read"));
    }

    #[test]
    fn what_host_code_includes_counts() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| {
            write_if_changed(&temp.path().join(file), format!("#include {text}\n").as_bytes()).expect("write");
        };
        let op = temp.path().join("norm/op");
        write("norm/other/op_host/other.h", "\"registry.h\"");
        write("norm/op/op_host/tiling.h", "\"../../other/op_host/other.h\"");
        assert!(!wanted(&op).expect("read"), "the registry is not there");
        write("common/inc/op_host/registry.h", "\"nlohmann/json.hpp\"");
        assert!(wanted(&op).expect("read"));
    }

    #[test]
    fn what_an_op_depends_on_counts() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
        let op = temp.path().join("norm/op");
        write("norm/other/op_host/other.cpp", "#include \"nlohmann/json.hpp\"\n");
        write("norm/op/op_host/CMakeLists.txt", "add_modules_sources(DEPENDENCIES missing COMPUTE_UNIT other)\n");
        write("conv/third/CMakeLists.txt", "add_modules_sources(DEPENDENCIES norm.other)\n");
        write("conv/third/op_host/third.cpp", "");
        assert!(!wanted(&op).expect("read"), "`other` is a unit");
        for names in ["missing other", "third", "norm.other"] {
            write("norm/op/CMakeLists.txt", &format!("add_modules_sources(DEPENDENCIES {names})\n"));
            assert!(wanted(&op).expect("read"), "{names}");
        }
    }
}
