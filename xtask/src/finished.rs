//! Units of a long run that have ended, kept as files: a run that was stopped goes on where it was.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ctx::Ctx;
use crate::files;
use crate::plan::Plan;
use crate::root::RootKind;
use crate::sources;

/// What ended with these inputs.
pub struct Finished {
    dir: PathBuf,
}

impl Finished {
    /// Of the verb `what`; `inputs` is all that a result depends on. Results of other inputs go.
    ///
    /// # Errors
    ///
    /// Files of earlier runs that cannot be removed.
    pub fn open(work: &Path, what: &str, inputs: &str, again: bool) -> Result<Finished> {
        let all = work.join("finished").join(what);
        let dir = all.join(&files::sha256(inputs.as_bytes())[..16]);
        for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
            if again || entry.path() != dir {
                let old = entry.path();
                fs::remove_dir_all(&old).with_context(|| format!("cannot remove {}", old.display()))?;
            }
        }
        Ok(Finished { dir })
    }

    /// What a unit gave; None: it has not ended, or its file is damaged.
    pub fn get<T: DeserializeOwned>(&self, unit: &str) -> Option<T> {
        serde_json::from_slice(&fs::read(self.file(unit)).ok()?).ok()
    }

    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn put<T: Serialize>(&self, unit: &str, value: &T) -> Result<()> {
        files::write_if_changed(&self.file(unit), serde_json::to_string(value)?.as_bytes())?;
        Ok(())
    }

    fn file(&self, unit: &str) -> PathBuf {
        self.dir.join(format!("{unit}.json"))
    }
}

/// Everything that toolkit, package and variables are made of, and the directories of test programs.
///
/// # Errors
///
/// Directories that cannot be read.
pub fn inputs(cx: &Ctx, plan: &Plan, programs: &[PathBuf]) -> Result<String> {
    let root = &plan.root;
    let mut text = match root.kind {
        RootKind::Embedded => sources::of_toolkit(&cx.repo).context("cannot read the toolkit's sources")?,
        _ => files::fingerprint(files::walk(&root.lib64())?.into_iter().map(|file| root.lib64().join(file)))?,
    };
    for op in &plan.ops {
        text.push_str(&sources::of_op(&op.path)?);
    }
    let mut variables: Vec<_> = std::env::vars().filter(|(name, _)| name.starts_with("HOSTCANN_")).collect();
    variables.sort();
    text.push_str(&format!("{:?} {:?} {} {variables:?}", plan.socs, plan.defines, plan.debug));
    for dir in programs {
        text.push_str(&files::tree_hash(dir)?);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_is_kept_while_its_inputs_stay() {
        let temp = tempfile::tempdir().expect("temp dir");
        let open = |inputs: &str, again| Finished::open(temp.path(), "sweep", inputs, again).expect("open");
        let other = Finished::open(temp.path(), "bench", "a", false).expect("open");
        other.put("x", &1).expect("put");
        let first = open("a", false);
        assert_eq!(first.get::<Vec<u32>>("i8"), None);
        first.put("i8", &vec![7, 8]).expect("put");
        assert_eq!(open("a", false).get::<Vec<u32>>("i8"), Some(vec![7, 8]));
        assert_eq!(open("a", true).get::<Vec<u32>>("i8"), None, "again");
        first.put("i8", &vec![9]).expect("put");
        assert_eq!(open("b", false).get::<Vec<u32>>("i8"), None, "other inputs");
        assert_eq!(open("a", false).get::<Vec<u32>>("i8"), None, "which are forgotten then");
        assert_eq!(other.get::<u32>("x"), Some(1), "another verb");
    }
}
