//! What runs of this repository's verbs left in target/xtask/last and target/xtask/results, and whether they are of this commit.

use std::fs;

use crate::base::project::Project;
use crate::base::report::{LayerOutcome, LayerPiece, Report, TestResult};
use anyhow::Result;
#[cfg(test)]
use serde_json::{Value, json};

use crate::base::done::Done;
use crate::base::op_dir::OpDir;
use crate::base::revision::Revision;
use crate::contribute::report::store::{Store, Why};
use crate::test::layer;

/// Why no run counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The tree is no repository
    NoCommit,
    Changes,
    NoRun(String),
    OtherCommit {
        verb: String,
        commit: String,
        clean: bool,
    },
    UnknownCommit(String),
    OtherOperator(String),
    /// The run has no numbers of the kind
    NoNumbers,
}

impl Missing {
    /// On the terminal.
    pub fn en(&self) -> String {
        match self {
            Missing::NoCommit => "this tree has no commit that a run could be of".to_owned(),
            Missing::Changes => "not run on this commit: the tree has changes".to_owned(),
            Missing::NoRun(verb) => format!("not run on this commit: no `{verb}` has run here"),
            Missing::OtherCommit { verb, commit, clean } => {
                let changes = if *clean { "" } else { " with changes" };
                format!("not run on this commit: the last `{verb}` was of {commit}{changes}")
            }
            Missing::UnknownCommit(verb) => {
                format!("not run on this commit: the last `{verb}` does not name its commit")
            }
            Missing::OtherOperator(verb) => {
                format!("not run on this commit: the last `{verb}` was about another operator")
            }
            Missing::NoNumbers => "not run on this commit: the stored run has no such numbers".to_owned(),
        }
    }

    /// In the text of the pull request.
    pub fn zh(&self) -> String {
        let why = match self {
            Missing::NoCommit => "源码不在git仓库中".to_owned(),
            Missing::Changes => "工作区有未提交的修改".to_owned(),
            Missing::NoRun(verb) => format!("没有`{verb}`的运行记录"),
            Missing::OtherCommit { verb, commit, clean } => {
                let changes = if *clean { "" } else { "（含未提交的修改）" };
                format!("最近一次`{verb}`基于提交{commit}{changes}")
            }
            Missing::UnknownCommit(verb) => format!("最近一次`{verb}`没有记录提交"),
            Missing::OtherOperator(verb) => format!("最近一次`{verb}`针对其他算子"),
            Missing::NoNumbers => "运行记录中没有相应数据".to_owned(),
        };
        format!("未在当前提交上运行（{why}）")
    }
}

pub struct Results {
    pub here: Option<Revision>,
    /// By verb, the last run of each
    runs: Vec<(String, Report)>,
    /// What runs found out about the operator, as `report` has it: the run of one layer leaves those of the others
    kept: Store,
}

impl Results {
    pub fn read(project: &Project, op: &OpDir) -> Result<Results> {
        let mut runs = Vec::new();
        for entry in fs::read_dir(project.last()).into_iter().flatten().flatten() {
            let path = entry.path();
            let parsed = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            if let (Some(stem), Some(report)) = (path.file_stem(), parsed) {
                runs.push((stem.to_string_lossy().into_owned(), report));
            }
        }
        runs.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Results { here: Revision::of(&project.root), runs, kept: Store::read(project, op)? })
    }

    #[cfg(test)]
    pub fn of(here: Option<Revision>, runs: &[(&str, Value)]) -> Results {
        let kept = Store::of(here.clone(), "", Default::default());
        let read = |value: &Value| serde_json::from_value(value.clone()).expect("a report");
        Results { here, runs: runs.iter().map(|(name, value)| ((*name).to_owned(), read(value))).collect(), kept }
    }

    /// With layers of `test` that ran on this commit.
    #[cfg(test)]
    pub fn with_layers(self, layers: &[(&str, Value)]) -> Results {
        let piece = |(name, outcomes): &(&str, Value)| {
            let piece = json!({"sources": "", "revision": self.here, "data": {"outcomes": outcomes}});
            (format!("layer.{name}"), piece)
        };
        let kept = Store::of(self.here.clone(), "", layers.iter().map(piece).collect());
        Results { kept, ..self }
    }

    /// What the whole run of a layer of `test` gave, on this very commit.
    pub fn layer(&self, name: &str) -> Result<Vec<LayerOutcome>, Why> {
        self.kept.data(&format!("layer.{name}")).map(|data: LayerPiece| data.outcomes)
    }

    /// The same of all layers that ran whole, in the form of the report of a run; None: no such layer.
    pub fn layers(&self) -> Option<Report> {
        let all: Vec<LayerOutcome> =
            layer::of(true).into_iter().filter_map(|one| self.layer(one.name()).ok()).flatten().collect();
        let result = TestResult {
            passed: all.iter().map(|one| one.passed).sum(),
            failed: all.iter().map(|one| one.failed).sum(),
            layers: Some(all).filter(|all| !all.is_empty()),
            ..TestResult::default()
        };
        result.layers.is_some().then(|| Report { result: Done::with(&result).result, ..Report::default() })
    }

    /// The last run of a verb that was about this operator, on this very commit; else why there is none.
    pub fn of_this_commit(&self, verb: &str, op: &str) -> Result<&Report, Missing> {
        let verb_name = verb.to_owned();
        let here = match &self.here {
            None => return Err(Missing::NoCommit),
            Some(here) if !here.clean => return Err(Missing::Changes),
            Some(here) => here,
        };
        let Some((_, run)) = self.runs.iter().find(|(name, _)| name == verb) else {
            return Err(Missing::NoRun(verb_name));
        };
        let of = run.revision.clone().unwrap_or_default();
        if of.commit != here.commit || !of.clean {
            return Err(match of.commit.get(..10) {
                Some(commit) => Missing::OtherCommit { verb: verb_name, commit: commit.to_owned(), clean: of.clean },
                None => Missing::UnknownCommit(verb_name),
            });
        }
        let ops = run.about.ops.as_deref().unwrap_or_default();
        if !ops.is_empty() && !ops.iter().any(|known| known == op) {
            return Err(Missing::OtherOperator(verb_name));
        }
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_of_this_commit_count() {
        let here = |clean| Some(Revision { commit: "0123456789ab".to_owned(), clean });
        let run =
            |commit: &str, clean: bool, op: &str| json!({"revision": {"commit": commit, "clean": clean}, "ops": [op]});
        let of = |revision, run: Value| {
            let results = Results::of(revision, &[("test", run)]);
            results.of_this_commit("test", "square").map(drop)
        };
        assert_eq!(of(here(true), run("0123456789ab", true, "square")), Ok(()));
        let why = |result: Result<(), Missing>, part: &str| {
            let text = result.expect_err(part).en();
            assert!(text.contains(part), "{text}");
        };
        why(of(None, run("0123456789ab", true, "square")), "no commit");
        why(of(here(false), run("0123456789ab", true, "square")), "the tree has changes");
        why(of(here(true), run("0123456789ab", false, "square")), "of 0123456789 with changes");
        why(of(here(true), run("ffff56789abc", true, "square")), "was of ffff56789a");
        why(of(here(true), run("0123456789ab", true, "cube")), "another operator");
        why(of(here(true), json!({})), "does not name its commit");
        let none = Results::of(here(true), &[]);
        why(none.of_this_commit("test", "square").map(drop), "no `test` has run here");
    }
}
