//! The pieces of evidence about an operator, and whether they are of what is there now.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Result;
use serde::de::DeserializeOwned;

use super::doc::{Both, both};
use crate::base::op_dir::OpDir;
use crate::base::pieces;
use crate::base::project::Project;
use crate::base::report::{Piece, SCHEMA};
use crate::base::revision::Revision;

/// Why there is nothing to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    Missing,
    /// This tree is no commit
    NoCommit,
    /// This tree has changes, so no run is of it
    Changed,
    /// Of another commit
    Stale(String),
    /// Of a commit with changes
    Dirty(String),
    /// The operator's directory was another one
    OtherSources,
    /// No such file as a run writes
    Damaged,
}

impl Why {
    pub fn text(&self) -> Both {
        match self {
            Why::Missing => both("未运行", "not run"),
            Why::NoCommit => {
                both("当前目录不是git提交，运行结果无从对应", "this tree is no commit that a run could be of")
            }
            Why::Changed => both(
                "当前工作区有未提交的修改，已有结果与其不对应，不予采用",
                "this tree has changes, so no stored run is of it; commit first",
            ),
            Why::Stale(of) => both(
                format!("结果已过期：产生于另一提交{of}，不予采用"),
                format!("stale: the stored run is of another commit, {of}"),
            ),
            Why::Dirty(of) => both(
                format!("结果产生于有未提交修改的工作区（{of}之上），不予采用"),
                format!("the stored run is of a tree with changes on top of {of}"),
            ),
            Why::OtherSources => both(
                "结果已过期：算子目录此后有修改，不予采用",
                "stale: the operator's directory has changed since the stored run",
            ),
            Why::Damaged => both("结果文件损坏，不予采用", "the stored file is damaged"),
        }
    }
}

pub struct Store {
    here: Option<Revision>,
    sources: String,
    /// By name; nothing where a file is damaged
    pieces: BTreeMap<String, Option<Piece>>,
}

impl Store {
    pub fn read(project: &Project, op: &OpDir) -> Result<Store> {
        let mut pieces = BTreeMap::new();
        for entry in fs::read_dir(pieces::dir(project, &op.name)).into_iter().flatten().flatten() {
            let path = entry.path();
            let Some(stem) = path.file_stem().filter(|_| path.extension().is_some_and(|end| end == "json")) else {
                continue;
            };
            let stem = stem.to_string_lossy().into_owned();
            let read: Option<Piece> = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let piece = read.filter(|piece| piece.schema == SCHEMA && !piece.piece.is_empty());
            pieces.insert(piece.as_ref().map_or(stem, |piece| piece.piece.clone()), piece);
        }
        Ok(Store { here: Revision::of(&project.root), sources: pieces::digest(&op.path)?, pieces })
    }

    #[cfg(test)]
    pub fn of(here: Option<Revision>, sources: &str, pieces: BTreeMap<String, serde_json::Value>) -> Store {
        let pieces = pieces.into_iter().map(|(name, piece)| (name, serde_json::from_value(piece).ok())).collect();
        Store { here, sources: sources.to_owned(), pieces }
    }

    pub fn commit(&self) -> Option<&Revision> {
        self.here.as_ref()
    }

    /// Digest of the operator's directory as it is now.
    pub fn sources(&self) -> &str {
        &self.sources
    }

    /// A piece whole, with the run it is of.
    pub fn piece(&self, name: &str) -> Result<&Piece, Why> {
        let piece = self.pieces.get(name).ok_or(Why::Missing)?;
        let here = self.here.as_ref().ok_or(Why::NoCommit)?;
        let piece = piece.as_ref().ok_or(Why::Damaged)?;
        if !here.clean {
            return Err(Why::Changed);
        }
        let of = piece.revision.clone().unwrap_or_default();
        let short: String = of.commit.chars().take(12).collect();
        if !of.clean {
            return Err(Why::Dirty(short));
        }
        if of.commit != here.commit {
            return Err(Why::Stale(short));
        }
        if piece.sources != self.sources {
            return Err(Why::OtherSources);
        }
        Ok(piece)
    }

    pub fn data<T: DeserializeOwned>(&self, name: &str) -> Result<T, Why> {
        self.piece(name)?.data().ok_or(Why::Damaged)
    }

    /// Why a piece does not count.
    pub fn why(&self, name: &str) -> Option<Why> {
        self.piece(name).err()
    }

    /// Names of all pieces that begin so, of whatever age.
    pub fn names(&self, start: &str) -> Vec<&str> {
        self.pieces.keys().map(String::as_str).filter(|name| name.starts_with(start)).collect()
    }

    /// Those that count.
    pub fn fresh(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.keys().filter_map(|name| self.piece(name).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn only_what_is_of_this_commit_counts() {
        let here = |clean| Some(Revision { commit: "0123456789abcdef".to_owned(), clean });
        let of = |here, piece: Value| {
            let store = Store::of(here, "s", [("x".to_owned(), piece)].into());
            store.data::<Value>("x")
        };
        let piece = |commit: &str, clean: bool, sources: &str| json!({"schema": SCHEMA, "revision": {"commit": commit, "clean": clean}, "sources": sources, "data": 7});
        let good = piece("0123456789abcdef", true, "s");
        assert_eq!(of(here(true), good.clone()), Ok(json!(7)));
        assert_eq!(of(None, good.clone()), Err(Why::NoCommit));
        assert_eq!(of(here(false), good), Err(Why::Changed));
        assert_eq!(of(here(true), piece("0123456789abcdef", false, "s")), Err(Why::Dirty("0123456789ab".into())));
        assert_eq!(of(here(true), piece("ffff456789abcdef", true, "s")), Err(Why::Stale("ffff456789ab".into())));
        assert_eq!(of(here(true), piece("0123456789abcdef", true, "t")), Err(Why::OtherSources));
        assert_eq!(of(here(true), Value::Null), Err(Why::Damaged));
        assert_eq!(of(here(true), json!({"schema": SCHEMA})), Err(Why::Dirty(String::new())));
        let none = Store::of(here(true), "s", BTreeMap::new());
        assert_eq!(none.data::<Value>("x"), Err(Why::Missing));
    }
}
