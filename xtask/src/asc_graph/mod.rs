//! `ascgraph`: graphs of AscIR nodes from a file: checked, shown.

mod check;
mod dump;

use std::fs;
use std::path::Path;

use anyhow::Result;
use ascgraph::check::{Finding, Severity};
use ascgraph::load::Loaded;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed};

const HELP: &str = "\
Examples:
  cargo xtask ascgraph check ascgraph/tests/corpus/8__softmax.json
  cargo xtask ascgraph check --explain AG112
  cargo xtask ascgraph dump ascgraph/tests/corpus/8__softmax.json
  cargo xtask ascgraph dump ascgraph/tests/corpus/8__softmax.json --format dot

docs/ascgraph.md says what the files hold and what every word of it means.";

/// Check and show AscGraphs: what torch.compile fuses into one kernel
#[derive(Args)]
#[command(after_help = HELP)]
pub struct AscGraph {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Check(check::Check),
    Dump(dump::Dump),
}

impl AscGraph {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        match self.what {
            What::Check(verb) => verb.run(cx),
            What::Dump(verb) => verb.run(cx),
        }
    }
}

/// By the name the user gave; what cannot be read is the user's to mend.
fn load(cx: &Ctx, file: &Path) -> Result<Loaded> {
    let refused = |why: String| {
        failed(Kind::Usage, format!("{} cannot be read: {why}", file.display()))
            .hint("a JSON file of docs/ascgraph.md is expected; `python3 ascgraph/python/record.py` makes one of a builder program")
    };
    let text = fs::read_to_string(cx.sh.current_dir().join(file)).map_err(|error| refused(error.to_string()))?;
    ascgraph::load::load(&text).map_err(|error| refused(error.to_string()))
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "code": finding.rule.code(),
        "severity": finding.rule.severity().to_string(),
        "graph": finding.graph,
        "node": finding.node,
        "axis": finding.axis,
        "message": finding.message,
        "cure": finding.rule.cure(),
    })
}

/// Errors and warnings.
fn counted(findings: &[Finding]) -> (usize, usize) {
    let warnings = findings.iter().filter(|finding| finding.rule.severity() == Severity::Warning).count();
    (findings.len() - warnings, warnings)
}

fn number(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
