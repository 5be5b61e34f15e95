//! A program that pip or tar unpacked: what lies around it, and what says so.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// At the top of an installation, whose other files lie as in the repository.
pub const RECORD: &str = "installation.json";
/// Next to the record: what a compiler made of the sources, ready for use.
pub const BUILT: &str = "built";

/// Written when the archive is made.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    pub version: String,
    /// Digest of the toolkit's sources, as packages record it.
    pub toolkit: String,
    /// The newest versions of symbols that the C++ part needs of the C++ library, `GLIBCXX_3.4.29`, and of the C library.
    pub libstdcxx: String,
    pub libc: String,
}

impl Installation {
    /// None: `home` is a repository.
    ///
    /// # Errors
    ///
    /// A record that cannot be read.
    pub fn read(home: &Path) -> Result<Option<Installation>> {
        let path = home.join(RECORD);
        let Ok(text) = fs::read_to_string(&path) else { return Ok(None) };
        let record = serde_json::from_str(&text)
            .with_context(|| format!("{} is damaged; install hostcann again", path.display()))?;
        Ok(Some(record))
    }
}

/// The installation that a program belongs to: it lies in its `bin`.
pub fn around(program: &Path) -> Option<PathBuf> {
    let home = program.parent()?.parent()?;
    home.join(RECORD).is_file().then(|| home.to_path_buf())
}

/// What a user of an installed program works in, seen from a directory: where an earlier run left its files, the checkout,
/// the directory of the operator, or the directory itself.
pub fn project(from: &Path, products: &str) -> PathBuf {
    let around: Vec<&Path> = from.ancestors().collect();
    nearest(&around, products).unwrap_or(from).to_path_buf()
}

/// Of the directories from the inside to the outside.
fn nearest<'a>(around: &[&'a Path], products: &str) -> Option<&'a Path> {
    let has = |dir: &Path, names: &[&str]| names.iter().any(|name| dir.join(name).exists());
    let is_tree =
        |dir: &Path| has(dir, &[products, ".git"]) || dir.join("build.sh").is_file() && has(dir, &["experimental"]);
    let find = |is_it: &dyn Fn(&Path) -> bool| around.iter().copied().find(|dir| is_it(dir));
    find(&is_tree).or_else(|| find(&|dir| has(dir, &["op_host", "op_kernel"])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_knows_its_installation() {
        let temp = tempfile::tempdir().expect("temp dir");
        let program = temp.path().join("bin/hostcann");
        assert_eq!(around(&program), None);
        assert_eq!(Installation::read(temp.path()).expect("no record"), None);
        let record = Installation {
            version: "1".into(),
            toolkit: "abc".into(),
            libstdcxx: "GLIBCXX_3.4.29".into(),
            libc: "GLIBC_2.34".into(),
        };
        fs::write(temp.path().join(RECORD), serde_json::to_vec(&record).expect("JSON")).expect("write");
        assert_eq!(around(&program).as_deref(), Some(temp.path()));
        assert_eq!(Installation::read(temp.path()).expect("a record"), Some(record));
        fs::write(temp.path().join(RECORD), "{").expect("write");
        let error = Installation::read(temp.path()).expect_err("damaged");
        assert!(error.to_string().ends_with("is damaged; install hostcann again"), "{error}");
    }

    #[test]
    fn a_project_is_the_tree_around() {
        let temp = tempfile::tempdir().expect("temp dir");
        let at = |path: &str| temp.path().join(path);
        let make = |path: &str| fs::create_dir_all(at(path)).expect("mkdir");
        let seen = |from: &str| {
            let from = at(from);
            // Temporary files may lie in a checkout.
            let around: Vec<&Path> = from.ancestors().take_while(|dir| dir.starts_with(temp.path())).collect();
            let found = nearest(&around, ".hostcann").unwrap_or(&from);
            found.strip_prefix(temp.path()).map(|path| path.display().to_string()).unwrap_or_default()
        };
        make("plain/deep");
        assert_eq!(seen("plain/deep"), "plain/deep");
        make("op/op_host/config");
        assert_eq!(seen("op/op_host/config"), "op");
        make("math/experimental/math/acos/op_kernel");
        assert_eq!(seen("math/experimental/math/acos"), "math/experimental/math/acos", "no checkout yet");
        fs::write(at("math/build.sh"), "").expect("write");
        assert_eq!(seen("math/experimental/math/acos"), "math");
        make("clone/.git");
        make("clone/a/op_host");
        assert_eq!(seen("clone/a"), "clone");
        make("clone/a/.hostcann");
        assert_eq!(seen("clone/a/op_host"), "clone/a", "an earlier run");
    }
}
