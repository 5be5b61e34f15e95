//! Units of a long run that have ended, kept as files: a run that was stopped goes on where it was.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::sources;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::RootKind;

/// What a result depends on.
pub struct Inputs {
    /// Results of other sources are of no use any more.
    sources: String,
    /// Another run may come with others, and a third one with these again.
    settings: String,
}

impl Inputs {
    /// Of the toolkit, the package, the directories of test programs and the variables.
    ///
    /// # Errors
    ///
    /// Directories that cannot be read.
    pub fn of(cx: &Ctx, plan: &Plan, programs: &[PathBuf]) -> Result<Inputs> {
        let root = &plan.root;
        let mut sources = match root.kind {
            RootKind::Embedded => sources::of_toolkit(&cx.project.home).context("cannot read the toolkit's sources")?,
            _ => files::fingerprint(files::walk(&root.lib64())?.into_iter().map(|file| root.lib64().join(file)))?,
        };
        for op in &plan.ops {
            sources.push_str(&sources::of_op(&op.path)?);
        }
        for dir in programs {
            sources.push_str(&files::tree_hash(dir)?);
        }
        let mut variables: Vec<_> = std::env::vars().filter(|(name, _)| name.starts_with("HOSTCANN_")).collect();
        variables.sort();
        let settings = format!("{:?} {:?} {} {variables:?}", plan.socs, plan.defines, plan.debug);
        Ok(Inputs { sources, settings })
    }

    pub fn with(self, setting: &str) -> Inputs {
        Inputs { settings: format!("{} {setting}", self.settings), ..self }
    }
}

/// What ended with these inputs.
pub struct Finished {
    dir: PathBuf,
    /// What ended before does not count.
    again: bool,
}

impl Finished {
    /// Of the verb `what`. Results of other sources go.
    ///
    /// # Errors
    ///
    /// Files of earlier runs that cannot be removed.
    pub fn open(work: &Path, what: &str, inputs: &Inputs, again: bool) -> Result<Finished> {
        let all = work.join("finished").join(what);
        let short = |text: &str| files::sha256(text.as_bytes())[..16].to_owned();
        let of_sources = all.join(short(&inputs.sources));
        for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
            let old = entry.path();
            if old != of_sources {
                fs::remove_dir_all(&old).with_context(|| format!("cannot remove {}", old.display()))?;
            }
        }
        Ok(Finished { dir: of_sources.join(short(&inputs.settings)), again })
    }

    /// The results of these units in their order: those that are known, else what `work` gives, each kept as soon as it is
    /// there if `is_final` says so. `work` gets the number of the unit, too.
    ///
    /// # Errors
    ///
    /// Those of `work`, which end it: what was before is kept. A file that cannot be written.
    pub fn each<T: Serialize + DeserializeOwned>(
        &self,
        units: &[String],
        is_final: impl Fn(&T) -> bool,
        mut work: impl FnMut(usize, &str) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut results = Vec::with_capacity(units.len());
        for (index, unit) in units.iter().enumerate() {
            let result = match self.get(unit) {
                Some(known) => known,
                None => {
                    let result = work(index, unit)?;
                    if is_final(&result) {
                        files::write_if_changed(&self.file(unit), serde_json::to_string(&result)?.as_bytes())?;
                    }
                    result
                }
            };
            results.push(result);
        }
        Ok(results)
    }

    /// Whether this run or an earlier one has ended it.
    pub fn has(&self, unit: &str) -> bool {
        self.file(unit).is_file()
    }

    /// None: it has not ended, or its file is damaged.
    fn get<T: DeserializeOwned>(&self, unit: &str) -> Option<T> {
        let known = fs::read(self.file(unit)).ok().filter(|_| !self.again)?;
        serde_json::from_slice(&known).ok()
    }

    fn file(&self, unit: &str) -> PathBuf {
        self.dir.join(format!("{unit}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn open(work: &Path, (what, sources, settings): (&str, &str, &str), again: bool) -> Finished {
        let inputs = Inputs { sources: sources.to_owned(), settings: settings.to_owned() };
        Finished::open(work, what, &inputs, again).expect("open")
    }

    /// Works on the units i8, i16, i32, u8 and gives what it had to work on; stops in front of `bad`.
    fn run(kept: &Finished, bad: &str) -> (bool, Vec<String>) {
        let units = ["i8", "i16", "i32", "u8"].map(str::to_owned);
        let mut worked = Vec::new();
        let all = kept.each(
            &units,
            |found| found != "u8 17",
            |index, unit| {
                if unit == bad {
                    bail!("{unit} was stopped");
                }
                worked.push(unit.to_owned());
                Ok(format!("{unit} {}", if unit == "u8" { 17 } else { index }))
            },
        );
        if let Ok(all) = &all {
            assert_eq!(*all, ["i8 0", "i16 1", "i32 2", "u8 17"]);
        }
        (all.is_ok(), worked)
    }

    #[test]
    fn what_has_ended_is_kept_while_its_sources_stay() {
        let temp = tempfile::tempdir().expect("temp dir");
        let of = |key: (&str, &str, &str), again| run(&open(temp.path(), key, again), "").1.len();
        let key = ("sweep", "a", "1/1");
        assert_eq!(of(("bench", "a", ""), false), 4);
        assert_eq!(of(key, false), 4);
        assert_eq!(of(key, false), 1, "one is not final");
        assert_eq!(of(("sweep", "a", "1/4"), false), 4, "other settings");
        assert_eq!(of(("sweep", "a", "1/4"), true), 4, "again");
        assert_eq!(of(key, false), 1, "which leave these alone");
        assert_eq!(of(("sweep", "b", "1/1"), false), 4, "other sources");
        assert_eq!(of(key, false), 4, "of which the earlier ones go");
        assert_eq!(of(("bench", "a", ""), false), 1, "another verb");
    }

    #[test]
    fn a_run_that_was_stopped_goes_on_where_it_was() {
        let temp = tempfile::tempdir().expect("temp dir");
        let kept = |again| open(temp.path(), ("sweep", "a", ""), again);
        let count = || ["i8", "i16", "i32", "u8"].into_iter().filter(|unit| kept(true).has(unit)).count();
        assert_eq!(run(&kept(false), "i32"), (false, vec!["i8".to_owned(), "i16".to_owned()]));
        assert_eq!(count(), 2);
        assert_eq!(run(&kept(false), ""), (true, vec!["i32".to_owned(), "u8".to_owned()]));
        // One that repeats everything and is stopped loses nothing.
        assert_eq!(run(&kept(true), "i16"), (false, vec!["i8".to_owned()]));
        assert_eq!(count(), 3);
        fs::write(kept(false).file("i16"), "{").expect("write");
        assert_eq!(run(&kept(false), ""), (true, vec!["i16".to_owned(), "u8".to_owned()]), "a damaged file");
    }
}
