//! The repository that a run is about.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::files;
use crate::base::program;
use crate::base::term::{self, Colour, err};

/// `.cargo/config.toml` sets CARGO_WORKSPACE_DIR; without cargo it is the tree that this program lies in, else the one it
/// was compiled from.
pub fn repo_root() -> Result<PathBuf> {
    if let Some(dir) = std::env::var_os("CARGO_WORKSPACE_DIR").filter(|dir| !dir.is_empty()) {
        let dir = PathBuf::from(dir);
        return fs::canonicalize(&dir).with_context(|| format!("CARGO_WORKSPACE_DIR={} is not there", dir.display()));
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiled = manifest.ancestors().nth(2).map(Path::to_path_buf).context("the package lies in no repository")?;
    let program = program::own()?;
    let repo = tree_of(&program).unwrap_or(compiled);
    if let Some(newer) = newer_source(&repo, &program) {
        err!(
            "{}: {} is older than {}; `cargo xtask` builds it again",
            term::paint(Colour::Yellow, "warning"),
            program.display(),
            newer.display()
        );
    }
    Ok(repo)
}

/// The checkout whose target directory holds a program: a copied tree is another one.
fn tree_of(program: &Path) -> Option<PathBuf> {
    let target = program.ancestors().find(|dir| dir.file_name().is_some_and(|name| name == "target"))?;
    let tree = target.parent()?;
    tree.join("hostcann/cli/Cargo.toml").is_file().then(|| tree.to_path_buf())
}

/// What the program is made of.
const CRATES: [&str; 6] =
    ["hostcann/cli", "hostcann/autofuse", "hostcann/cpptext", "hostcann/opinfo", "hostcann/types", "ascgraph"];

/// A source of this program that was changed after the program was built from it.
fn newer_source(repo: &Path, program: &Path) -> Option<PathBuf> {
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let built = time(program)?;
    let mut all = CRATES.iter().map(|folder| repo.join(folder).join("src")).flat_map(|sources| {
        let files = files::walk(&sources).unwrap_or_default();
        files.into_iter().map(move |file| sources.join(file))
    });
    all.find(|file| time(file).is_some_and(|changed| changed > built))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_belongs_to_the_tree_it_lies_in() {
        let temp = tempfile::tempdir().expect("temp dir");
        let at = |path: &str| temp.path().join(path);
        for file in ["hostcann/cli/Cargo.toml", "hostcann/cli/src/main.rs", "target/debug/xtask"] {
            files::write_if_changed(&at(file), b"x").expect("write");
        }
        assert_eq!(tree_of(&at("target/debug/xtask")), Some(temp.path().to_path_buf()));
        assert_eq!(tree_of(Path::new("/elsewhere/debug/xtask")), None);
        let set = |file: &str| {
            fs::File::options()
                .write(true)
                .open(at(file))
                .and_then(|f| f.set_modified(std::time::SystemTime::UNIX_EPOCH))
        };
        set("hostcann/cli/src/main.rs").expect("set");
        assert_eq!(newer_source(temp.path(), &at("target/debug/xtask")), None);
        set("target/debug/xtask").expect("set");
        files::write_if_changed(&at("hostcann/cli/src/base/diag.rs"), b"y").expect("write");
        assert_eq!(newer_source(temp.path(), &at("target/debug/xtask")), Some(at("hostcann/cli/src/base/diag.rs")));
        set("hostcann/cli/src/base/diag.rs").expect("set");
        files::write_if_changed(&at("hostcann/types/src/soc.rs"), b"y").expect("write");
        assert_eq!(newer_source(temp.path(), &at("target/debug/xtask")), Some(at("hostcann/types/src/soc.rs")));
    }
}
