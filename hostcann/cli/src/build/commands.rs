//! `target/compile_commands.json`: how every source is compiled, for editors. Every build, unit test and example replaces
//! its part; the file is all parts together.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::toolchain::plan::Plan;

/// What CMake writes into every build tree, and `opc kernel` beside its objects.
pub const FILE: &str = "compile_commands.json";

/// One compilation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub directory: PathBuf,
    pub file: PathBuf,
    pub arguments: Vec<String>,
}

/// The part `kind` of the planned ops is what these build trees hold, and these entries.
pub fn update(cx: &Ctx, plan: &Plan, kind: &str, trees: &[PathBuf], entries: &[Entry]) -> Result<()> {
    if cx.project.sanitize.is_some() || cx.project.is_apart() {
        return Ok(());
    }
    let mut all = Vec::new();
    for tree in trees {
        all.extend(read(&tree.join(FILE))?);
    }
    for entry in entries {
        all.push(serde_json::to_value(entry).context("a compile command is no JSON")?);
    }
    let dirs: Vec<String> = plan.ops.iter().map(|op| op.path.display().to_string()).collect();
    let name = format!("{kind}-{}.json", &files::sha256(dirs.join("\n").as_bytes())[..8]);
    let parts = cx.project.work().join("commands");
    files::write_if_changed(&parts.join(name), &text(&all)?)?;
    files::write_if_changed(&cx.project.target().join(FILE), &text(&merge(&parts)?)?)?;
    Ok(())
}

/// The trees below `dir` that have commands of their own.
pub fn trees(dir: &Path) -> Result<Vec<PathBuf>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", dir.display()))?.path();
        if path.join(FILE).is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// All parts, the newest first: an op that was built alone and together with others is in it once. Sources and build
/// trees that are gone have no place in it.
fn merge(parts: &Path) -> Result<Vec<Value>> {
    let mut newest: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in fs::read_dir(parts).with_context(|| format!("cannot list {}", parts.display()))? {
        let path = entry.with_context(|| format!("cannot list {}", parts.display()))?.path();
        let meta = fs::metadata(&path).with_context(|| format!("cannot inspect {}", path.display()))?;
        newest.push((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), path));
    }
    newest.sort_by(|a, b| b.cmp(a));
    let mut merged = Vec::new();
    let mut known: BTreeSet<(String, String)> = BTreeSet::new();
    for (_, path) in newest {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let kind = name.split('-').next().unwrap_or_default().to_owned();
        let mut here = BTreeSet::new();
        for entry in read(&path)? {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let source = (kind.clone(), text("file"));
            let is_there = Path::new(&text("file")).is_file() && Path::new(&text("directory")).is_dir();
            if is_there && !known.contains(&source) {
                here.insert(source);
                merged.push(entry);
            }
        }
        known.extend(here);
    }
    Ok(merged)
}

/// A file that is not there has no commands, and neither has one that was cut short.
fn read(path: &Path) -> Result<Vec<Value>> {
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

fn text(entries: &[Value]) -> Result<Vec<u8>> {
    serde_json::to_vec_pretty(entries).context("compile commands are no JSON")
}

/// For the file of `opc kernel`.
pub fn write(dir: &Path, entries: &[&Entry]) -> Result<()> {
    let entries: Vec<Value> = entries.iter().filter_map(|entry| serde_json::to_value(entry).ok()).collect();
    files::write_if_changed(&dir.join(FILE), &text(&entries)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(dir: &Path, name: &str, age: u64, entries: &[(&str, &str)]) {
        let entries: Vec<Entry> = entries
            .iter()
            .map(|(file, argument)| Entry {
                directory: dir.to_path_buf(),
                file: dir.join(file),
                arguments: vec![(*argument).to_owned()],
            })
            .collect();
        let path = dir.join("parts").join(name);
        files::write_if_changed(&path, &serde_json::to_vec(&entries).expect("JSON")).expect("write");
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 - age);
        fs::File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("time");
    }

    #[test]
    fn the_newest_part_of_a_kind_counts() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = temp.path();
        for file in ["a.cpp", "b.cpp"] {
            files::write_if_changed(&dir.join(file), b"").expect("write");
        }
        part(dir, "ops-1.json", 10, &[("a.cpp", "old"), ("b.cpp", "b"), ("gone.cpp", "gone")]);
        part(dir, "ops-2.json", 5, &[("a.cpp", "one dtype"), ("a.cpp", "another")]);
        part(dir, "ut-1.json", 20, &[("a.cpp", "ut")]);
        let merged = merge(&dir.join("parts")).expect("merged");
        let arguments: Vec<&str> = merged.iter().filter_map(|entry| entry["arguments"][0].as_str()).collect();
        assert_eq!(arguments, ["one dtype", "another", "b", "ut"]);
    }

    #[test]
    fn a_damaged_part_is_no_error() {
        let temp = tempfile::tempdir().expect("temp dir");
        files::write_if_changed(&temp.path().join("parts/ops-1.json"), b"[{").expect("write");
        assert!(merge(&temp.path().join("parts")).expect("merged").is_empty());
    }
}
