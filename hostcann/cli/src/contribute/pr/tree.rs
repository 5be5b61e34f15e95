//! An op directory in memory: what is checked, renamed and committed is one and the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::base::files;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Plain,
    Executable,
    Link,
}

#[derive(Clone, Debug)]
pub struct File {
    pub bytes: Vec<u8>,
    pub mode: Mode,
}

/// Files by their path below the op directory, with `/`.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    pub files: BTreeMap<String, File>,
}

fn authors(pascal: &str) -> String {
    format!("{pascal} operator authors")
}

impl Tree {
    pub fn read(dir: &Path) -> Result<Tree> {
        let mut tree = Tree::default();
        for path in files::walk(dir)? {
            let at = dir.join(&path);
            let meta = fs::symlink_metadata(&at).with_context(|| format!("cannot inspect {}", at.display()))?;
            let file = if meta.is_symlink() {
                let to = fs::read_link(&at).with_context(|| format!("cannot read the link {}", at.display()))?;
                File { bytes: to.into_os_string().into_encoded_bytes(), mode: Mode::Link }
            } else {
                let bytes = fs::read(&at).with_context(|| format!("cannot read {}", at.display()))?;
                File { bytes, mode: if files::is_executable(&meta) { Mode::Executable } else { Mode::Plain } }
            };
            tree.files.insert(path.to_string_lossy().into_owned(), file);
        }
        Ok(tree)
    }

    pub fn put(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), File { bytes: text.as_bytes().to_vec(), mode: Mode::Plain });
    }

    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        std::str::from_utf8(&self.files.get(path)?.bytes).ok()
    }

    /// Files that are text, in the order of their paths.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter(|(_, file)| file.mode != Mode::Link).filter_map(|(path, file)| {
            std::str::from_utf8(&file.bytes).ok().filter(|text| !text.contains('\0')).map(|text| (path.as_str(), text))
        })
    }

    /// Texts of one directory (not below it) whose name begins and ends so.
    pub fn named<'a>(&'a self, dir: &'a str, start: &'a str, end: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(move |(path, _)| {
            let (parent, name) = split(path);
            parent == dir && name.starts_with(start) && name.ends_with(end)
        })
    }

    pub fn below<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.texts().filter(move |(path, _)| path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Nobody has put a name where a template has `<Op> operator authors`.
    pub fn is_unsigned(&self, pascal: &str) -> bool {
        let authors = authors(pascal);
        self.texts().any(|(_, content)| content.contains(&authors))
    }

    /// Puts a person or an organisation there.
    pub fn sign(&mut self, pascal: &str, who: &str) {
        let authors = authors(pascal);
        for file in self.files.values_mut() {
            if let Ok(content) = std::str::from_utf8(&file.bytes)
                && content.contains(&authors)
            {
                file.bytes = content.replace(&format!("The {authors}"), who).replace(&authors, who).into_bytes();
            }
        }
    }

    /// Sources of C++.
    pub fn cpp(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts().filter(|(path, _)| is_cpp(path))
    }

    pub fn write(&self, dir: &Path) -> Result<()> {
        for (path, file) in &self.files {
            let to = dir.join(path);
            if file.mode == Mode::Link {
                continue;
            }
            files::write_if_changed(&to, &file.bytes)?;
        }
        Ok(())
    }
}

/// Directory and name.
pub fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

pub fn extension(path: &str) -> &str {
    split(path).1.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// The name without its extension.
pub fn stem(path: &str) -> &str {
    let name = split(path).1;
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What clang-format is asked about (upstream's pre-commit configuration).
pub fn is_cpp(path: &str) -> bool {
    ["c", "h", "cpp", "hpp", "cc", "hh", "cxx", "hxx", "asc"].contains(&extension(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_signed_once() {
        let mut tree = Tree::default();
        tree.put("a.h", "// Copyright (c) 2026 The Square operator authors.\n");
        tree.put("README.md", "| Square operator authors | 个人 |\n");
        assert!(tree.is_unsigned("Square") && !tree.is_unsigned("Cube"));
        tree.sign("Square", "Some One");
        assert_eq!(tree.text("a.h"), Some("// Copyright (c) 2026 Some One.\n"));
        assert_eq!(tree.text("README.md"), Some("| Some One | 个人 |\n"));
        assert!(!tree.is_unsigned("Square"));
    }
}
