//! An op directory in upstream layout.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::base::files;

#[derive(Clone, Debug)]
pub struct OpDir {
    pub name: String,
    pub path: PathBuf,
}

impl OpDir {
    /// Its AI CPU kernels, upstream's pattern: `op_kernel_aicpu/*_aicpu.cpp`.
    pub fn aicpu_kernels(&self) -> Result<Vec<PathBuf>> {
        let dir = self.path.join("op_kernel_aicpu");
        if !dir.is_dir() {
            return Ok(Vec::new());
        }
        let names = files::walk(&dir)?.into_iter().filter(|file| {
            let name = file.to_string_lossy();
            name.ends_with("_aicpu.cpp") && !name.contains('/')
        });
        Ok(names.map(|name| dir.join(name)).collect())
    }

    /// Whether a source below one of these directories has the word.
    pub fn mentions(&self, word: &str, dirs: &[&str]) -> Result<bool> {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for dir in dirs.iter().map(|dir| self.path.join(dir)).filter(|dir| dir.is_dir()) {
            for file in files::walk(&dir)? {
                let path = dir.join(file);
                let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                if String::from_utf8_lossy(&bytes).split(|c| !part(c)).any(|found| found == word) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// `op_host/*_def*.cpp`, upstream's pattern.
pub fn definitions(op: &OpDir) -> Result<Vec<PathBuf>> {
    let dir = op.path.join("op_host");
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".cpp") && name.contains("_def") && !name.contains("_aicpu_def") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
