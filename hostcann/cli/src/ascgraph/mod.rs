//! `ascgraph`: graphs of AscIR nodes from a file: checked, shown, scheduled, made into an operator, run.

mod check;
mod dump;
pub mod fuse;
mod html;
mod launch;
mod run;
pub mod schedule;
mod sources;
mod timing;

use std::fs;
use std::path::Path;

use anyhow::Result;
use ascgraph::check::{Finding, Severity, errors};
use ascgraph::load::Loaded;
use clap::{Args, Subcommand};

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::done::Done;
use crate::base::plural::number;
use crate::base::report::GraphFinding;
use crate::base::verb::Verb;

const HELP: &str = "\
Examples:
  cargo xtask ascgraph check ascgraph/examples/softmax.json
  cargo xtask ascgraph check --explain broadcast
  cargo xtask ascgraph dump ascgraph/examples/softmax.json
  cargo xtask ascgraph dump ascgraph/examples/softmax.json --format dot
  cargo xtask ascgraph dump ascgraph/examples/softmax.json --html target/softmax.html
  cargo xtask ascgraph schedule ascgraph/examples/softmax.json
  cargo xtask ascgraph codegen ascgraph/examples/softmax.json --name softmax_auto
  cargo xtask ascgraph codegen ascgraph/examples/softmax.json --form autofuse
  cargo xtask ascgraph run ascgraph/examples/abs.json --input a.npy
  cargo xtask ascgraph run ascgraph/examples/abs.json --input a.npy --check --flip --sim
  cargo xtask ascgraph fuse ascgraph/examples/classifier.onnx --size batch=256 --html target/fusion.html

docs/reference/ascgraph.md describes the files and their terms.";

/// Check, show and run AscGraphs of torch.compile; generate operators from them
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
    Schedule(schedule::Schedule),
    Codegen(schedule::Codegen),
    Run(run::Run),
    Fuse(fuse::Fuse),
}

impl Verb for AscGraph {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        match self.what {
            What::Check(verb) => verb.run(cx),
            What::Dump(verb) => verb.run(cx),
            What::Schedule(verb) => verb.run(cx),
            What::Codegen(verb) => verb.run(cx),
            What::Run(verb) => verb.run(cx),
            What::Fuse(verb) => verb.run(cx),
        }
    }
}

/// By the name the user gave; what cannot be read is the user's to mend.
fn load(cx: &Ctx, file: &Path) -> Result<Loaded> {
    let refused = |why: String| {
        failed(Kind::Usage, format!("{} cannot be read: {why}", file.display()))
            .hint("a JSON file of docs/reference/ascgraph.md is expected; AUTOFUSE_RECORD=DIR writes those of a model that torch.compile compiles, `python3 ascgraph/python/record.py` that of a builder program")
    };
    let text = fs::read_to_string(cx.run.sh.current_dir().join(file)).map_err(|error| refused(error.to_string()))?;
    ascgraph::load::load(&text).map_err(|error| refused(error.to_string()))
}

/// What `check` calls an error is refused by every other verb.
fn load_good(cx: &Ctx, file: &Path) -> Result<Loaded> {
    let loaded = load(cx, file)?;
    let wrong: Vec<String> = errors(&loaded.findings).map(ToString::to_string).collect();
    if wrong.is_empty() {
        return Ok(loaded);
    }
    Err(failed_with(Kind::Style, format!("{}: {}", file.display(), number(wrong.len(), "error")), wrong.join("\n"))
        .hint("`cargo xtask ascgraph check --explain RULE` says what holds"))
}

fn reported(finding: &Finding) -> GraphFinding {
    GraphFinding {
        code: finding.rule.code().to_string(),
        slug: finding.rule.slug().to_owned(),
        severity: finding.rule.severity().to_string(),
        graph: finding.graph.clone(),
        node: finding.node.clone(),
        axis: finding.axis.clone(),
        message: finding.message.clone(),
        cure: finding.rule.cure().to_string(),
    }
}

/// Errors and warnings.
fn counted(findings: &[Finding]) -> (usize, usize) {
    let warnings = findings.iter().filter(|finding| finding.rule.severity() == Severity::Warning).count();
    (findings.len() - warnings, warnings)
}
