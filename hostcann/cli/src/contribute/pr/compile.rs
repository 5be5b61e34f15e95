//! Reading sources with the compiler, without writing anything: `g++ -fsyntax-only`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::rule::Case;
use super::tree::{split, stem};
use crate::base::files;
use crate::base::proc;

/// A source to compile, and the file of the op that it stands for.
pub struct Source {
    pub path: String,
    pub text: Option<String>,
}

impl Source {
    pub fn text(path: &str, text: String) -> Source {
        Source { path: path.to_owned(), text: Some(text) }
    }

    pub fn file(path: &str) -> Source {
        Source { path: path.to_owned(), text: None }
    }
}

pub struct CompileError {
    pub path: String,
    pub line: usize,
    pub message: String,
}

/// Upstream's warnings of host code (cmake/intf_pub_linux.cmake), without those that need optimisation.
pub const STRICT: [&str; 9] = [
    "-std=c++17",
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wformat=2",
    "-Wformat-signedness",
    "-Wno-class-memaccess",
    "-Werror",
    "-D_GLIBCXX_USE_CXX11_ABI=0",
];

/// Against what a package installs: its headers flat in one directory, and the toolkit's public ones.
pub fn installed(case: &Case, sources: &[Source]) -> Result<Option<Vec<CompileError>>> {
    let Some(include) = &case.tools.include else { return Ok(None) };
    let temp = tempfile::tempdir().context("cannot create a directory for headers")?;
    let own = temp.path().join("include");
    for (path, content) in case.tree.named("op_api", "aclnn_", ".h") {
        files::write_if_changed(&own.join(split(path).1), content.as_bytes())?;
        files::write_if_changed(&own.join("aclnnop").join(split(path).1), content.as_bytes())?;
    }
    let flags = [own, include.clone(), include.join("aclnnop")].map(|dir| format!("-I{}", dir.display()));
    read_all(case, temp.path(), sources, &flags)
}

/// As upstream's build compiles host code.
pub fn host(case: &Case, sources: &[Source], compiler: Option<&str>) -> Result<Option<Vec<CompileError>>> {
    let Some(include) = &case.tools.include else { return Ok(None) };
    let temp = case.on_disk()?;
    let mut flags: Vec<String> = STRICT.map(str::to_owned).to_vec();
    flags.push("-DOP_SUBMOD_NAME=\"OPS_MATH\"".to_owned());
    let below = ["", "aclnn", "exe_graph", "tiling", "op_common", "op_common/op_host"];
    let mut dirs: Vec<PathBuf> = below.iter().map(|dir| include.join(dir)).collect();
    if let Some(target) = case.target {
        let common = ["", "common/inc", "common/inc/op_api", "common/inc/op_host", "common/inc/common"];
        dirs.extend(common.iter().map(|dir| target.root.join(dir)));
    }
    dirs.push(include.join("aclnnop"));
    flags.extend(dirs.iter().filter(|dir| dir.is_dir()).map(|dir| format!("-isystem{}", dir.display())));
    flags.push(format!("-I{}", temp.path().display()));
    match compiler {
        None => read_all(case, temp.path(), sources, &flags),
        Some(other) => read_each(other, case, temp.path(), sources, &flags).map(Some),
    }
}

fn read_all(case: &Case, temp: &Path, sources: &[Source], flags: &[String]) -> Result<Option<Vec<CompileError>>> {
    read_each(&case.tools.cxx, case, temp, sources, flags).map(Some)
}

fn read_each(cxx: &str, case: &Case, temp: &Path, sources: &[Source], flags: &[String]) -> Result<Vec<CompileError>> {
    let mut broken = Vec::new();
    for source in sources {
        let file = match &source.text {
            Some(text) => {
                let file = temp.join(format!("alone_{}.cpp", stem(&source.path)));
                files::write_if_changed(&file, text.as_bytes())?;
                file
            }
            None => temp.join(case.at(&source.path)),
        };
        let mut command = Command::new(cxx);
        command.arg("-fsyntax-only").arg("-x").arg("c++").args(flags).arg(&file).env("LC_ALL", "C");
        let output = command.output().map_err(|error| proc::spawn_error(cxx, error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            broken.push(first_error(&said, &source.path));
        }
    }
    Ok(broken)
}

/// `dir/file:12:3: error: text`.
fn first_error(said: &str, path: &str) -> CompileError {
    let line = said.lines().find(|line| line.contains("error:")).unwrap_or("the compiler refuses it");
    let (place, message) = line.split_once("error:").unwrap_or(("", line));
    let mut parts = place.split(':');
    let file = parts.next().unwrap_or_default();
    let number = parts.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    let own = file.ends_with(path);
    let elsewhere = if own || file.is_empty() { String::new() } else { format!(" ({}:{number})", split(file).1) };
    CompileError {
        path: path.to_owned(),
        line: if own { number } else { 0 },
        message: format!("{}{elsewhere}", message.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_says() {
        let said = "In file included from x:\n/tmp/a/op_api/x.cpp:12:3: error: 'y' was not declared\n  12 | y\n";
        let one = first_error(said, "op_api/x.cpp");
        assert_eq!((one.line, one.message.as_str()), (12, "'y' was not declared"));
        let other = first_error("/usr/x.h:3:1: fatal error: z.h: No such file\n", "op_api/x.cpp");
        assert_eq!((other.line, other.message.as_str()), (0, "z.h: No such file (x.h:3)"));
    }
}
