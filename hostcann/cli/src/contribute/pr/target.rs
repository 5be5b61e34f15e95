//! The ops-math checkout that the op is to go into: its operators and what they export.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cpptext::{Token, closing, spelled, split};

use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::git::Git;
use crate::toolchain::around::CATEGORIES;

#[derive(Clone, Debug)]
pub struct Target {
    pub root: PathBuf,
    /// Directories that the commit takes away, and the op's own if it is there already
    pub gone: BTreeSet<String>,
}

/// Where another operator defines a name that must be unique.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    pub file: String,
    pub line: usize,
}

impl Target {
    pub fn open(root: &Path) -> Result<Target> {
        let missing: Vec<&str> = ["build.sh", "experimental/CMakeLists.txt", "math"]
            .into_iter()
            .filter(|name| !root.join(name).exists())
            .collect();
        if missing.is_empty() {
            return Ok(Target { root: root.to_path_buf(), gone: BTreeSet::new() });
        }
        let what = format!("{} is no checkout of ops-math: {} is missing", root.display(), missing.join(", "));
        Err(failed(Kind::NoOpsMath, what).hint("--ops-math names the directory that holds build.sh and experimental/"))
    }

    pub fn is_git(&self) -> bool {
        self.root.join(".git").exists()
    }

    pub fn git(&self) -> Git {
        Git::at(&self.root)
    }

    pub fn has(&self, path: &str) -> bool {
        !self.is_gone(path) && self.root.join(path).exists()
    }

    pub fn read(&self, path: &str) -> Option<String> {
        if self.is_gone(path) {
            return None;
        }
        Some(String::from_utf8_lossy(&fs::read(self.root.join(path)).ok()?).into_owned())
    }

    fn is_gone(&self, path: &str) -> bool {
        self.gone.iter().any(|dir| path == dir || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/')))
    }

    /// `math/add`, `experimental/math/mod`, …
    pub fn op_dirs(&self) -> Vec<String> {
        let mut found = Vec::new();
        for base in ["", "experimental/"] {
            for category in CATEGORIES {
                let dir = format!("{base}{category}");
                found.extend(names(&self.root.join(&dir)).into_iter().map(|name| format!("{dir}/{name}")));
            }
        }
        found.retain(|dir| !self.is_gone(dir) && self.root.join(dir).is_dir());
        found
    }

    pub fn experimental_dirs(&self) -> Vec<String> {
        self.op_dirs().into_iter().filter(|dir| dir.starts_with("experimental/")).collect()
    }

    /// Files of an operator below one of its directories.
    pub fn files(&self, op: &str, below: &str, extensions: &[&str]) -> Vec<String> {
        let dir = if below.is_empty() { op.to_owned() } else { format!("{op}/{below}") };
        let Ok(found) = files::walk(&self.root.join(&dir)) else { return Vec::new() };
        let names = found.into_iter().map(|file| format!("{dir}/{}", file.display()));
        names.filter(|name| extensions.iter().any(|end| name.ends_with(end))).collect()
    }

    /// `aclnn…` functions that headers of `dirs` declare, with their parameters.
    pub fn api(&self, dirs: &[String]) -> BTreeMap<String, Vec<(SourceLine, Vec<String>)>> {
        let mut found: BTreeMap<String, Vec<(SourceLine, Vec<String>)>> = BTreeMap::new();
        for dir in dirs {
            for file in self.files(dir, "op_api", &[".h"]) {
                let Some(content) = self.read(&file) else { continue };
                for function in functions(&content) {
                    let place = SourceLine { file: file.clone(), line: function.line };
                    found.entry(function.name).or_default().push((place, function.parameters));
                }
            }
        }
        found
    }

    /// Places where `word(NAME` stands, by NAME.
    pub fn registered(&self, word: &str, below: &str, extensions: &[&str]) -> BTreeMap<String, SourceLine> {
        let mut found = BTreeMap::new();
        for dir in self.op_dirs() {
            for file in self.files(&dir, below, extensions) {
                let Some(content) = self.read(&file) else { continue };
                if !content.contains(word) {
                    continue;
                }
                for (at, args) in cpptext::calls(&content, word) {
                    if let Some(name) = args.into_iter().next() {
                        found.insert(name, SourceLine { file: file.clone(), line: cpptext::line_at(&content, at) });
                    }
                }
            }
        }
        found
    }

    /// Paths that `.gitignore` leaves out of a commit.
    pub fn ignored(&self, paths: &[String]) -> Result<Vec<String>> {
        let temp;
        let git = if self.is_git() {
            self.git()
        } else {
            temp = tempfile::tempdir().context("cannot create a directory")?;
            let git = Git::at(temp.path());
            git.run(&["init", "-q"])?;
            if let Ok(rules) = fs::read(self.root.join(".gitignore")) {
                fs::write(temp.path().join(".gitignore"), rules).context("cannot write .gitignore")?;
            }
            git
        };
        let list = paths.join("\n") + "\n";
        let (_, out, _) = git.try_feed(&["check-ignore", "--no-index", "--stdin"], list.as_bytes())?;
        Ok(out.lines().map(str::to_owned).collect())
    }
}

/// Names below a directory.
pub fn names(dir: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(dir) else { return BTreeSet::new() };
    entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect()
}

/// A function of the aclnn interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub line: usize,
    /// Types without names, blanks or qualifiers of the parameter itself
    pub parameters: Vec<String>,
}

/// `aclnn…` functions that a header declares.
pub fn functions(header: &str) -> Vec<Function> {
    let all = cpptext::tokens(header);
    let mut found: Vec<Function> = Vec::new();
    for (at, &Token { text: word, line, .. }) in all.iter().enumerate() {
        let starts = word.starts_with("aclnn") && word[5..].starts_with(|c: char| c.is_ascii_uppercase());
        if !starts || found.iter().any(|known| known.name == word) {
            continue;
        }
        if let Some(close) = closing(&all, at + 1) {
            let parameters = split(&all[at + 2..close]).into_iter().map(|one| parameter_type(&spelled(one))).collect();
            found.push(Function { name: word.to_owned(), line, parameters });
        }
    }
    found
}

/// `const aclTensor *self` to `const aclTensor*`.
fn parameter_type(parameter: &str) -> String {
    let words = cpptext::words(parameter);
    let mut kept = parameter;
    if words.iter().filter(|(_, word)| *word != "const").count() > 1
        && let Some((at, _)) = words.last()
    {
        kept = &parameter[..*at];
    }
    let spaced = kept.replace('*', " * ");
    let parts: Vec<&str> = spaced.split_whitespace().collect();
    parts.join(" ").replace(" *", "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_by_type() {
        let header = "/* aclnnNo(int) */\nACLNN_API aclnnStatus aclnnAGetWorkspaceSize(const aclTensor *self, aclTensor* out,\n \
                      uint64_t* workspaceSize,\n aclOpExecutor **executor);\naclnnStatus aclnnA(void *w, uint64_t, aclrtStream stream);\n";
        let found = functions(header);
        assert_eq!(found[0].name, "aclnnAGetWorkspaceSize");
        assert_eq!(found[0].parameters, ["const aclTensor*", "aclTensor*", "uint64_t*", "aclOpExecutor**"]);
        assert_eq!(
            (found[1].line, found[1].parameters.as_slice()),
            (5, &["void*", "uint64_t", "aclrtStream"].map(str::to_owned)[..])
        );
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn no_checkout() {
        let temp = tempfile::tempdir().expect("temp dir");
        let error = Target::open(temp.path()).expect_err("empty");
        assert_eq!(crate::base::diag::code(&error), 17);
    }
}
