//! nlohmann/json for tiling functions: upstream's build downloads it for all operators.

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
        if wanted(&op.path.join("op_host"))? {
            return tools::json(cx).map(Some);
        }
    }
    Ok(None)
}

fn wanted(dir: &Path) -> Result<bool> {
    if !dir.is_dir() {
        return Ok(false);
    }
    // Those of other chips are not built.
    for file in files::walk(dir)?.into_iter().filter(|file| !file.starts_with("arch35")) {
        let path = dir.join(file);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if includes(&String::from_utf8_lossy(&bytes)).iter().any(|include| include.path.starts_with("nlohmann/")) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    #[test]
    fn host_code_of_this_chip_decides() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write =
            |file: &str| write_if_changed(&temp.path().join(file), b"#include <nlohmann/json.hpp>\n").expect("write");
        assert!(!wanted(&temp.path().join("none")).expect("no directory"));
        write("arch35/tiling.h");
        assert!(!wanted(temp.path()).expect("read"));
        write("op_tiling/tiling.h");
        assert!(wanted(temp.path()).expect("read"));
    }
}
