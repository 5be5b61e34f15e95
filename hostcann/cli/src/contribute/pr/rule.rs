//! A rule, its findings, and the inputs that it reads.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use anyhow::Result;

use super::results::Results;
use super::target::Target;
use super::tree::Tree;

pub use crate::base::report::{RuleFinding as Finding, Severity};

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.line == 0 { self.path.clone() } else { format!("{}:{}", self.path, self.line) };
        write!(f, "{at}: {}", self.found)
    }
}

/// The result of a rule.
#[derive(Debug)]
pub enum Outcome {
    Judged(Vec<Finding>),
    /// Why it was not run
    NotRun(String),
}

/// Collects the findings of a rule.
#[derive(Default)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    pub fn error(&mut self, path: impl Into<String>, line: usize, found: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Error, path.into(), line, found.into(), fix.into());
    }

    pub fn warn(&mut self, path: impl Into<String>, line: usize, found: impl Into<String>, fix: impl Into<String>) {
        self.add(Severity::Warning, path.into(), line, found.into(), fix.into());
    }

    /// A warning that the command line explains.
    pub fn explained(&mut self, path: impl Into<String>, line: usize, found: impl Into<String>, why: &str) {
        self.add(Severity::Warning, path.into(), line, found.into(), String::new());
        if let Some(last) = self.list.last_mut() {
            last.explained = Some(why.to_owned());
        }
    }

    fn add(&mut self, severity: Severity, path: String, line: usize, found: String, fix: String) {
        self.list.push(Finding { rule: 0, slug: String::new(), severity, path, line, found, fix, explained: None });
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn judged(self) -> Result<Outcome> {
        Ok(Outcome::Judged(self.list))
    }
}

/// Nothing was found, but part of the rule was not run.
pub fn partly(why: &str, found: Findings) -> Result<Outcome> {
    if found.list.is_empty() { not_run(format!("{why}; the rest holds")) } else { found.judged() }
}

pub fn not_run(why: impl Into<String>) -> Result<Outcome> {
    Ok(Outcome::NotRun(why.into()))
}

/// The proposed commit.
#[derive(Clone, Debug, Default)]
pub struct Proposal {
    pub message: String,
    /// Of the committer; empty where git has none
    pub email: String,
    /// The year of the commit
    pub year: u64,
    /// Paths of the checkout with their modes; None: deleted
    pub changes: Vec<(String, Option<String>)>,
    pub parents: usize,
    /// What `git apply --check` says; None: not tried
    pub applies: Option<Result<(), String>>,
    /// Text of the pull request
    pub body: String,
    /// Message and text are final: the issue is known, or `pr` delivers
    pub complete: bool,
}

/// Programs and paths outside the op.
#[derive(Clone, Debug)]
pub struct Tooling {
    /// Headers of the toolkit; None: nothing is compiled
    pub include: Option<PathBuf>,
    pub cxx: String,
    /// The pinned clang-format; None: not installed
    pub clang_format: Option<PathBuf>,
    /// The pinned ruff and codespell; Err says why they are missing
    pub hooks: Result<PathBuf, String>,
    /// The style file where no checkout provides one
    pub style: Option<PathBuf>,
    /// The first lines of a source: the licence, from `Copyright` on
    pub notice: String,
    /// The `.run` of this commit; Err says why there is none
    pub package: Result<PathBuf, String>,
    pub python: String,
    pub year: u64,
}

/// The inputs of a rule.
pub struct Case<'a> {
    /// Directory name
    pub dir: &'a str,
    /// `math`, `conversion` or `random`
    pub category: &'a str,
    pub tree: &'a Tree,
    pub target: Option<&'a Target>,
    pub tools: &'a Tooling,
    pub results: &'a Results,
    pub proposal: Option<&'a Proposal>,
    pub bundle: Option<&'a Tree>,
    /// Parts of the bundle's self-verification report that were not run or have failed
    pub open_parts: &'a [String],
    /// Accept symbols that another operator of the checkout exports as well
    pub allow_clash: bool,
}

/// `my_op` to `MyOp`.
pub fn pascal(snake: &str) -> String {
    snake.split('_').map(|part| part.get(..1).map_or(String::new(), |c| c.to_ascii_uppercase() + &part[1..])).collect()
}

impl Case<'_> {
    /// The path in the checkout.
    pub fn at(&self, path: &str) -> String {
        let base = format!("experimental/{}/{}", self.category, self.dir);
        if path.is_empty() { base } else { format!("{base}/{path}") }
    }

    pub fn pascal(&self) -> String {
        pascal(self.dir)
    }

    /// Whether the aclnn interface is written by hand.
    pub fn has_own_api(&self) -> bool {
        self.tree.text("CMakeLists.txt").is_some_and(|text| text.contains("aclnn_exclude"))
            || self.tree.named("op_api", "aclnn_", ".cpp").next().is_some()
    }

    /// The tree in a directory of its own, for compilers and formatters.
    pub fn on_disk(&self) -> Result<tempfile::TempDir> {
        use anyhow::Context;
        let temp = tempfile::tempdir().context("cannot create a directory for the op's sources")?;
        self.tree.write(&temp.path().join(self.at("")))?;
        Ok(temp)
    }
}

pub struct Rule {
    pub number: u8,
    /// The name that `--rule`, `--explain` and xtask/pr.txt take in place of the number
    pub slug: &'static str,
    pub title: &'static str,
    /// The title for readers of the report in Chinese
    pub zh: &'static str,
    /// Why upstream requires it
    pub why: &'static str,
    pub check: fn(&Case) -> Result<Outcome>,
}

/// Runs a rule and writes its number and slug into the findings.
pub fn run(rule: &Rule, case: &Case, explained: &[Explanation]) -> Result<Outcome> {
    Ok(match (rule.check)(case)? {
        Outcome::Judged(mut list) => {
            for finding in &mut list {
                (finding.rule, finding.slug) = (rule.number, rule.slug.to_owned());
                let known = explained.iter().find(|known| known.fits(finding));
                finding.explained = finding.explained.take().or_else(|| known.map(|known| known.reason.clone()));
            }
            Outcome::Judged(list)
        }
        other => other,
    })
}

/// A line of xtask/pr.txt: `<rule> <path>: <reason>`, the rule by its number or slug.
#[derive(Debug)]
pub struct Explanation {
    rule: u8,
    path: String,
    reason: String,
}

impl Explanation {
    /// `number_of` reads a rule. An error names the line and what is wrong with it.
    pub fn read(text: &str, number_of: fn(&str) -> Result<u8, String>) -> Result<Vec<Explanation>, String> {
        let explanation = |line: &str| {
            let parts = line.split_once(' ').and_then(|(rule, rest)| Some((rule, rest.split_once(": ")?)));
            let (rule, (path, reason)) = parts.ok_or("expected `<rule> <path>: <reason>`")?;
            let rule = number_of(rule).map_err(|error| format!("no rule `{rule}`: {error}"))?;
            Ok(Explanation { rule, path: path.to_owned(), reason: reason.to_owned() })
        };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
        lines.map(|(at, line)| explanation(line).map_err(|why: String| format!("line {}: {why}", at + 1))).collect()
    }

    /// Follows a renamed op: `<op>/<path>`, old names to new ones.
    pub fn moved(mut self, paths: &BTreeMap<String, String>) -> Explanation {
        let parts = self.path.splitn(3, '/').collect::<Vec<_>>();
        if let [top, category, rest] = parts[..]
            && let Some(new) = paths.get(rest)
        {
            self.path = format!("{top}/{category}/{new}");
        }
        self
    }

    fn fits(&self, finding: &Finding) -> bool {
        finding.severity == Severity::Warning && self.rule == finding.rule && self.path == finding.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_goes_with_its_file() {
        let text = "# why\n27 experimental/math/cube/op_kernel/cube.h: one kernel has it\n";
        let of = |paths: &[(&str, &str)]| {
            let paths = paths.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
            let read = Explanation::read(text, |rule| rule.parse().map_err(|_| String::new())).expect("a rule");
            let [known] = <[Explanation; 1]>::try_from(read).expect("one line");
            known.moved(&paths).path
        };
        assert_eq!(of(&[]), "experimental/math/cube/op_kernel/cube.h");
        let new = ("cube/op_kernel/cube.h", "cube_v2/op_kernel/cube_v2.h");
        assert_eq!(of(&[new]), "experimental/math/cube_v2/op_kernel/cube_v2.h");
        assert_eq!(of(&[("cube/op_kernel/cube.cpp", "cube_v2/x.cpp")]), "experimental/math/cube/op_kernel/cube.h");
    }

    #[test]
    fn an_explanation_names_its_rule_by_number_or_slug() {
        use super::super::slug::rule_number;
        let text = "# why\n\n27 a.h: x\ncoding-standard b.h: y: z\n";
        let read = Explanation::read(text, rule_number).expect("two lines");
        let fields = read.iter().map(|one| (one.rule, one.path.as_str(), one.reason.as_str())).collect::<Vec<_>>();
        assert_eq!(fields, [(27, "a.h", "x"), (27, "b.h", "y: z")]);
        let error = |text: &str| Explanation::read(text, rule_number).expect_err("a broken line");
        assert!(
            error("# why\ncoding-standart a.h: x")
                .starts_with("line 2: no rule `coding-standart`: did you mean coding-standard?")
        );
        assert_eq!(error("27 a.h"), "line 1: expected `<rule> <path>: <reason>`");
    }
}
