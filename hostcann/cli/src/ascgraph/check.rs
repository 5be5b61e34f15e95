//! `ascgraph check`: every rule over every graph.

use std::path::PathBuf;

use anyhow::Result;
use ascgraph::check::{RULES, Rule};
use clap::Args;

use super::{counted, load, number, reported};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::report::{GraphCheck, GraphFile, GraphRule, GraphRules};
use crate::base::term::out;

/// Check graphs against the rules
#[derive(Args)]
pub struct Check {
    #[arg(required_unless_present = "explain", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Fail on warnings as well
    #[arg(long)]
    strict: bool,
    /// Print what a rule requires: a code or slug, or `all`
    #[arg(long, value_name = "RULE", conflicts_with_all = ["files", "strict"])]
    explain: Option<String>,
}

impl Check {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        if let Some(code) = &self.explain {
            return explain(code);
        }
        let (mut graphs, mut errors, mut warnings) = (0, 0, 0);
        let mut report = Vec::new();
        for file in &self.files {
            let loaded = load(cx, file)?;
            let name = file.display().to_string();
            loaded.findings.iter().for_each(|finding| out!("{name}: {finding}"));
            let (wrong, doubtful) = counted(&loaded.findings);
            graphs += loaded.fused.graphs.len();
            errors += wrong;
            warnings += doubtful;
            let findings = loaded.findings.iter().map(reported).collect();
            report.push(GraphFile { file: name, graphs: loaded.fused.graphs.len(), findings });
        }
        let done = Done::with(&GraphCheck { files: report });
        let counts = [(graphs, "graph"), (errors, "error"), (warnings, "warning")];
        let text = counts.map(|(count, what)| number(count, what)).join(", ");
        if errors > 0 || self.strict && warnings > 0 {
            let error = failed(Kind::Style, format!("ascgraph check: {text}"));
            return Ok(done.failed(error.hint("`cargo xtask ascgraph check --explain RULE` says what holds")));
        }
        Ok(done.verdict(format!("ascgraph check: {text}")))
    }
}

fn explain(code: &str) -> Result<Done> {
    let rules: Vec<Rule> = match Rule::of_code(code) {
        Some(rule) => vec![rule],
        None if code == "all" => RULES.to_vec(),
        None => {
            let (first, last) = (RULES[0].code(), RULES.last().map_or("", |rule| rule.code()));
            return Err(failed(Kind::Usage, format!("no rule has the code or slug {code}"))
                .hint(format!("codes go from {first} to {last}; `--explain all` lists them")));
        }
    };
    let mut report = Vec::new();
    for rule in rules {
        out!("{} {} ({}): {}", rule.code(), rule.slug(), rule.severity(), rule.title());
        out!("    {}", rule.cure());
        let severity = rule.severity().to_string();
        let (code, slug) = (rule.code().to_owned(), rule.slug().to_owned());
        report.push(GraphRule { code, slug, severity, rule: rule.title().to_owned(), cure: rule.cure().to_owned() });
    }
    Ok(Done::with(&GraphRules { rules: report }))
}
