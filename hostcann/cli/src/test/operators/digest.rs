//! What an operator's row depends on: while it is the same, the row holds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{OperatorsOptions, Step};
use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::proc;
use crate::base::sources;
use crate::toolchain::root::{Root, RootKind};

/// What decides about success and failure.
const JUDGES: [&str; 7] = [
    include_str!("one.rs"),
    include_str!("row.rs"),
    include_str!("../../build/build_ops.rs"),
    include_str!("../../run/example.rs"),
    include_str!("../../base/verdict_file.rs"),
    include_str!("../ut.rs"),
    include_str!("../../base/count.rs"),
];

/// The part that all operators of a run have in common.
pub struct Digests {
    common: String,
}

impl Digests {
    pub fn new(cx: &Ctx, root: &Root, wish: &OperatorsOptions) -> Result<Digests> {
        let mut text = JUDGES.concat();
        text.push_str(&proc::cxx_version().unwrap_or_default());
        if root.kind == RootKind::Embedded {
            text.push_str(&sources::of_toolkit(&cx.project.home).context("cannot read the toolkit's sources")?);
            text.push_str(&files::tree_hash(&cx.project.home.join("hostcann/ut"))?);
        } else {
            let libraries = files::walk(&root.lib64())?.into_iter().map(|file| root.lib64().join(file));
            text.push_str(&files::fingerprint(libraries)?);
        }
        let how = format!("{} {:?}", flags(wish), cx.run.limit);
        Ok(Digests { common: files::sha256(format!("{text}\n{how}").as_bytes()) })
    }

    /// Of the operator and of the directories of others that its build has used.
    pub fn of(&self, op: &Path, used: &BTreeSet<PathBuf>) -> Result<String> {
        let mut text = self.common.clone();
        for dir in [op.to_path_buf()].iter().chain(used) {
            let hash = if dir.is_dir() { files::tree_hash(dir)? } else { "gone".to_owned() };
            text.push_str(&format!("\n{} {hash}", dir.display()));
        }
        Ok(files::sha256(text.as_bytes()))
    }
}

/// What changes the outcome for an operator.
fn flags(wish: &OperatorsOptions) -> String {
    let op = &wish.op;
    let all = [Step::Build, Step::Example, Step::Check, Step::Ut];
    let steps: Vec<Step> = all.into_iter().filter(|step| wish.has(*step)).collect();
    format!("{:?} {:?} {:?} {:?} {steps:?}", op.soc, op.vendor_name, op.defines, op.debug)
}

/// A line of compile_commands.json.
#[derive(Deserialize)]
struct Compiled {
    file: PathBuf,
}

/// Directories of sources that the build trees below `work` compile and that are neither the operator's nor this
/// repository's: dependencies, and what a checkout's operators share.
pub fn used(work: &Path, op: &Path, repo: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    if !work.is_dir() {
        return Ok(found);
    }
    for file in files::walk(work)?.into_iter().filter(|file| file.ends_with("compile_commands.json")) {
        let path = work.join(file);
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        // A build that was stopped may have left half of one.
        let compiled: Vec<Compiled> = serde_json::from_slice(&text).unwrap_or_default();
        let others = compiled.iter().map(|entry| &entry.file).filter(|file| !file.starts_with(op));
        let others = others.filter(|file| !file.starts_with(repo) && !file.starts_with(work));
        found.extend(others.filter_map(|file| file.parent()).map(Path::to_path_buf));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    #[test]
    fn a_change_of_a_dependency_counts() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = temp.path();
        for file in ["op/a.cpp", "dep/op_api/b.cpp", "repo/x.cpp", "other/c.cpp"] {
            write_if_changed(&dir.join(file), b"1").expect("write");
        }
        let commands = ["op/a.cpp", "dep/op_api/b.cpp", "repo/x.cpp", "work/gen.cpp"]
            .map(|file| serde_json::json!({"file": dir.join(file), "command": "c++", "directory": dir}));
        let work = dir.join("work");
        let text = serde_json::to_vec(&commands).expect("JSON");
        write_if_changed(&work.join("build/ops/compile_commands.json"), &text).expect("write");
        let (op, repo) = (dir.join("op"), dir.join("repo"));
        let used = used(&work, &op, &repo).expect("directories");
        assert_eq!(used, BTreeSet::from([dir.join("dep/op_api")]));

        let digests = Digests { common: String::new() };
        let of = || digests.of(&op, &used).expect("digest");
        let first = of();
        write_if_changed(&dir.join("other/c.cpp"), b"2").expect("write");
        assert_eq!(of(), first);
        write_if_changed(&dir.join("dep/op_api/b.cpp"), b"2").expect("write");
        let second = of();
        write_if_changed(&dir.join("op/tests/t.cpp"), b"2").expect("write");
        assert!(first != second && second != of());
        assert_ne!(Digests { common: "other toolkit".into() }.of(&op, &used).expect("digest"), of());
    }
}
