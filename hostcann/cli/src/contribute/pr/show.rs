//! Output of `pr`: rules, findings, and what a delivery would do.

use std::path::PathBuf;

use super::rule::{Finding, Outcome, Proposal, Rule, Severity};
use super::tree::Tree;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::op_dir::OpDir;
use crate::base::plural::number;
use crate::base::report::{RuleList, RuleOutcome, RuleText, RulesPiece};
use crate::base::term::out;
use crate::toolchain::evidence;

pub fn explain(rule: Option<&Rule>) {
    if let Some(rule) = rule {
        out!("rule {} ({}): {}\n\n{}", rule.number, rule.slug, rule.title, rule.why);
    }
}

/// Prints all rules; `--json` has them as `rules`.
pub fn list(rules: impl Iterator<Item = &'static Rule>) -> Done {
    let mut list = Vec::new();
    for rule in rules {
        out!("{:>2}  {:<22} {}", rule.number, rule.slug, rule.title);
        let (slug, title, zh) = (rule.slug.to_owned(), rule.title.to_owned(), rule.zh.to_owned());
        list.push(RuleText { rule: rule.number, slug, title, zh, why: rule.why.to_owned() });
    }
    Done::with(&RuleList { rules: list })
}

/// Outcomes of the rules, and the numbers of unexplained findings.
#[derive(Debug)]
pub struct OpenFindings {
    pub rules: Vec<RuleOutcome>,
    pub errors: usize,
    pub warnings: usize,
}

/// Prints the findings, then the counts.
pub fn outcomes(cx: &Ctx, outcomes: &[(&Rule, Outcome)]) -> OpenFindings {
    let (mut passed, mut errors, mut warnings, mut explained, mut not_run) = (0, 0, 0, 0, 0);
    for (rule, outcome) in outcomes {
        match outcome {
            Outcome::NotRun(why) => {
                not_run += 1;
                out!("  -    {:>2}  {}: {}: {why}", rule.number, rule.slug, rule.title);
            }
            Outcome::Judged(list) => {
                let open: Vec<&Finding> = list.iter().filter(|one| one.explained.is_none()).collect();
                let worst = open.iter().any(|one| one.severity == Severity::Error);
                errors += open.iter().filter(|one| one.severity == Severity::Error).count();
                warnings += open.iter().filter(|one| one.severity == Severity::Warning).count();
                explained += list.len() - open.len();
                passed += usize::from(open.is_empty());
                if !list.is_empty() || cx.console.verbose {
                    let word = if open.is_empty() {
                        "ok  "
                    } else if worst {
                        "FAIL"
                    } else {
                        "warn"
                    };
                    out!("  {word} {:>2}  {}: {}", rule.number, rule.slug, rule.title);
                }
                list.iter().for_each(finding);
            }
        }
    }
    let total = outcomes.len();
    out!(
        "{passed} of {total} rules pass, {not_run} not run; {}, {}, {explained} explained",
        number(errors, "error"),
        number(warnings, "warning")
    );
    OpenFindings { rules: outcomes.iter().map(|(rule, outcome)| reported(rule, outcome)).collect(), errors, warnings }
}

/// For `report`.
pub fn keep(cx: &mut Ctx, op: &str, path: PathBuf, checkout: bool, rules: Vec<RuleOutcome>) {
    let op = OpDir { name: op.to_owned(), path };
    evidence::keep_plain(cx, &op, "rules", "", &RulesPiece { checkout, rules });
}

fn finding(one: &Finding) {
    let word = match one.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    match &one.explained {
        Some(why) => out!("           {one}\n             explained: {why}"),
        None => out!("           {word}: {one}\n             fix: {}", one.fix),
    }
}

pub fn verdict(done: Done, (errors, warnings): (usize, usize), strict: bool) -> Done {
    if errors == 0 && !(strict && warnings > 0) {
        return done.verdict("pr: no errors");
    }
    let warnings = if strict { format!(", {}", number(warnings, "warning")) } else { String::new() };
    let message = format!("pr: {}{warnings}; nothing was written", number(errors, "error"));
    done.failed(failed(Kind::Style, message).hint("`cargo xtask pr --explain N` says what a rule requires"))
}

pub fn dry_run(proposal: Option<&Proposal>, bundle: Option<&Tree>, branch: &str) {
    if let Some(bundle) = bundle {
        out!("files of the bundle:");
        bundle.files.keys().for_each(|path| out!("  {path}"));
        return;
    }
    let Some(proposal) = proposal else { return };
    out!("branch {branch}, {}:", number(proposal.changes.len(), "file"));
    for (path, mode) in &proposal.changes {
        out!("  {} {path}", mode.as_deref().unwrap_or("deleted"));
    }
    out!("message:\n{}\ntext of the pull request:\n{}", indented(&proposal.message), indented(&proposal.body));
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn reported(rule: &Rule, outcome: &Outcome) -> RuleOutcome {
    let (status, why, findings) = match outcome {
        Outcome::NotRun(why) => ("not run", Some(why.clone()), None),
        Outcome::Judged(list) => {
            let worst =
                list.iter().filter(|one| one.explained.is_none()).map(|one| one.severity == Severity::Error).max();
            let status = match worst {
                None => "pass",
                Some(false) => "warning",
                Some(true) => "error",
            };
            (status, None, Some(list.clone()))
        }
    };
    let (slug, title, zh) = (rule.slug.to_owned(), rule.title.to_owned(), rule.zh.to_owned());
    RuleOutcome { rule: rule.number, slug, title, zh, status: status.to_owned(), why, findings }
}
