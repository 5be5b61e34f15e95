//! `bench sim`: the operator against the built-in chain, a plain one and the model's floor, by the timing model.

mod compare;
pub mod gates;
pub mod matrix;
pub mod row;
mod run;
pub mod svg;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::base::args::{OpArgs, TimeArgs};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::plural::number;
use crate::base::report::{SimBench, SimBenchPiece};
use crate::base::shard::ShardArgs;
use crate::base::term::out;
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::run::companion;
use crate::run::sample::Project;
use crate::toolchain::evidence;
use crate::toolchain::finished::{Finished, Inputs};
use crate::toolchain::part;
use crate::toolchain::plan::Plan;
use crate::toolchain::tools;

use matrix::Filter;
use row::Row;

const HELP: &str = "\
Examples:
  cargo xtask bench sim                                  # the whole matrix
  cargo xtask bench sim --quick
  cargo xtask bench sim --dtype f32 --case same,row --elements 4Mi --soc Ascend910B3
  cargo xtask bench sim --assert                         # exit code 31 when a gate fails
  cargo xtask bench sim --baseline target/before.json    # a copy of target/xtask/bench-sim.json
  cargo xtask bench sim --svg target/plots
  cargo xtask bench sim --shard 1/4                      # a part; `cargo xtask merge` joins them and judges the gates

Nothing here is measured: all times come from a model; docs/guides/performance.md has the comparisons and the gates.";

/// Predict the installed op next to the built-in chain, a plain chain and the model's floor
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Versus {
    #[command(flatten)]
    filter: Filter,
    /// Fail if a gate fails
    #[arg(long)]
    assert: bool,
    /// Compare with the result of another run
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write plots of the speed-up by size, and rooflines
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
    /// Compute all rows again, even with unchanged sources
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    part: ShardArgs,
}

/// Says that nothing was measured.
const SOURCE: &str = "timing model, no measurement";

impl Versus {
    pub fn check(&self, cx: &mut Ctx) -> Result<()> {
        self.baseline(cx)?;
        let plan = Plan::check(cx, &OpArgs::default())?;
        if !plan.root.is_host() {
            return Err(failed(Kind::Usage, "bench sim needs the host toolkit, but ASCEND_HOME_PATH is a CANN")
                .hint("unset ASCEND_HOME_PATH"));
        }
        companion::part(cx, &plan, "sim", |companion| companion.sim.clone()).map(drop)
    }

    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let baseline = self.baseline(cx)?;
        let plan = Plan::new(cx, &OpArgs::default())?;
        if let Some(shard) = self.part.shard {
            part::begin(cx, "bench_sim", shard, &plan.root, plan.ops.iter().map(|op| op.path.as_path()))?;
        }
        let (companion, sim) = companion::part(cx, &plan, "sim", |companion| companion.sim.clone())?;
        let tools = tools::ensure(cx, false)?;
        let run = package::package(cx, &plan)?;
        install::install(cx, &plan, &run, &InstallOptions::default())?;
        let op = companion.build(cx, &plan, &sim.binary)?;
        let chains = companion.file(&sim.chains);
        let project = Project { dir: &chains, defines: &[], jobs: None };
        let chains = project.build(cx, &plan.root, &tools)?.join("chains");
        cx.console.say("Simulating", "operator and chains; all times are of the model");
        let programs = run::Programs { op: &op, chains: &chains };
        cx.run.limit(&self.time);
        let inputs = Inputs::of(cx, &plan, &[companion.file(Path::new("src")), companion.file(&sim.chains)])?;
        // Chips and shapes are units; what a row of one has depends on the precisions.
        let inputs = inputs.with(&self.filter.precisions().join(","));
        let kept = Finished::open(&cx.project.work(), "bench-sim", &inputs, self.again)?;
        let rows = cx.step("bench sim", |cx| run::all(cx, &plan.root, &programs, &self.filter, &kept))?;
        if let Some(shard) = self.part.shard {
            out!("{}", table::text(&rows).trim_end());
            let verdict =
                format!("bench sim {shard}: {} (model); the gates are about all parts", number(rows.len(), "row"));
            return Ok(Done::with(&SimBench { gates: Vec::new(), rows }).stored_as("bench_sim").verdict(verdict));
        }
        self.show(cx, Some(&plan), rows, baseline.as_deref())
    }

    /// The rows of all parts as one run would have shown them.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn merge(self, cx: &mut Ctx, parts: Vec<SimBench>) -> Result<Done> {
        let baseline = self.baseline(cx)?;
        let mut rows: Vec<Row> = parts.into_iter().flat_map(|part| part.rows).collect();
        rows.sort_by_key(Row::order_of_run);
        self.show(cx, None, rows, baseline.as_deref())
    }

    fn baseline(&self, cx: &Ctx) -> Result<Option<Vec<Row>>> {
        self.baseline.as_ref().map(|file| read(&cx.run.sh.current_dir().join(file))).transpose()
    }

    /// With a plan, its operators keep the result for `report`.
    fn show(&self, cx: &mut Ctx, plan: Option<&Plan>, rows: Vec<Row>, baseline: Option<&[Row]>) -> Result<Done> {
        let outcomes = gates::judge(&rows);
        out!("{}{}", table::text(&rows), table::gates(&outcomes, &rows).trim_end());
        if let Some(before) = baseline {
            out!("{}", compare::text(before, &rows).trim_end());
        }
        if let Some(dir) = &self.svg {
            let dir = cx.run.sh.current_dir().join(dir);
            fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
            for (name, text) in svg::all(&rows) {
                files::write_if_changed(&dir.join(name), text.as_bytes())?;
            }
            cx.run.artifact(&dir, None);
        }
        let kept = SimBenchPiece { source: SOURCE.to_owned(), gates: None, rows };
        let file = cx.project.work().join("bench-sim.json");
        files::write_if_changed(&file, serde_json::to_string_pretty(&kept)?.as_bytes())?;
        cx.run.artifact(&file, None);
        let failed: Vec<&str> = outcomes.iter().filter(|gate| !gate.holds()).map(|gate| gate.name.as_str()).collect();
        let (verdict, judgement) = (verdict(kept.rows.len(), failed.len()), judged(&failed, self.assert));
        let kept = SimBenchPiece { gates: Some(outcomes), ..kept };
        if let Some(plan) = plan {
            evidence::keep(cx, plan, "bench_sim", &kept);
        }
        let result = SimBench { gates: kept.gates.unwrap_or_default(), rows: kept.rows };
        if let Ok(Some(message)) = &judgement {
            cx.console.warn(message);
        }
        Ok(Done::with(&result).stored_as("bench_sim").verdict(verdict).judged(judgement.map(drop)))
    }
}

/// What to warn of; with `--assert` an error.
fn judged(failed_gates: &[&str], assert: bool) -> Result<Option<String>> {
    if failed_gates.is_empty() {
        return Ok(None);
    }
    let message = format!("gates failed (model): {}", failed_gates.join(", "));
    if assert {
        return Err(failed(Kind::Slow, message).hint("the table of gates names the worst row of each"));
    }
    Ok(Some(message))
}

fn verdict(rows: usize, gates_failed: usize) -> String {
    match gates_failed {
        0 => format!("bench sim: {}, every gate holds (model)", number(rows, "row")),
        n => format!("bench sim: {}, {} failed (model)", number(rows, "row"), number(n, "gate")),
    }
}

fn read(file: &Path) -> Result<Vec<Row>> {
    let refused = |why: String| {
        failed(Kind::Usage, format!("--baseline {}: {why}", file.display()))
            .hint("a copy of target/xtask/bench-sim.json, which an earlier `bench sim` has written, is expected")
    };
    let text = fs::read_to_string(file).map_err(|error| refused(error.to_string()))?;
    let kept: SimBenchPiece = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    Ok(kept.rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;

    #[test]
    fn a_gate_that_fails_is_an_error_where_it_was_asked_for() {
        assert_eq!(judged(&[], true).expect("every gate holds"), None);
        let warned = judged(&["tbe-chain", "strided"], false).expect("no error");
        assert_eq!(warned.as_deref(), Some("gates failed (model): tbe-chain, strided"));
        let error = judged(&["tbe-chain", "strided"], true).expect_err("asserted");
        assert_eq!(diag::code(&error), 31);
        assert!(format!("{error:?}").contains("gates failed (model): tbe-chain, strided"), "{error:?}");
        assert_eq!(verdict(2, 0), "bench sim: 2 rows, every gate holds (model)");
        assert_eq!(verdict(2, 1), "bench sim: 2 rows, 1 gate failed (model)");
    }
}
