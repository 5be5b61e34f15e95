//! `merge`: the records of all parts of a run (`--shard`) as the one table and verdict that a whole run gives.

mod records;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use serde::de::DeserializeOwned;

use super::operators::{self, Operators};
use super::verb::Test;
use crate::base::args::Global;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, passed};
use crate::base::done::Done;
use crate::base::plural::number;
use crate::base::report::{Checked, MergeResult, MergedPart};
use crate::base::verb::Verb;
use crate::perf::host::Bench;
use records::Record;

const HELP: &str = "\
Examples:
  cargo xtask merge target/xtask/last/operators-shard-*-of-4.json
  cargo xtask merge records/*.json --json

A run with --shard leaves its record as target/xtask/last/<verb>-shard-<I>-of-<N>.json; docs/guides/many-machines.md has
recipes. The records must be of one command, one commit, one digest of toolkit and operators, and there must be each part
once. The exit code is that of a run without --shard, 35 where the records are not those of one run.";

/// Join the records of all parts of a run into one table and one verdict
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Merge {
    /// Records of all parts, in any order
    #[arg(required = true, value_name = "RECORD")]
    files: Vec<PathBuf>,
}

/// The command line of a part.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Line {
    #[command(flatten)]
    _global: Global,
    #[command(subcommand)]
    verb: Divided,
}

#[derive(Subcommand)]
enum Divided {
    Test(Test),
    Operators(Operators),
    Bench(Bench),
}

impl Verb for Merge {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        cx.muted(|cx| records::read(cx, &self.files)).map(drop)
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let records = records::read(cx, &self.files)?;
        cx.console.say("Merging", number(records.len(), "part"));
        let done = merge(cx, &records)?;
        let parts = MergeResult { parts: records.iter().map(merged).collect() };
        let mut result = Done::with(&parts).result;
        result.extend(done.result);
        // What a part failed by besides its units: an operator that does not build, for example.
        let own = records.iter().find(|record| !record.report.ok);
        let judgement = match (done.judgement, own) {
            (Ok(()), Some(record)) => Err(record.failure()),
            (judgement, _) => judgement,
        };
        // Not a report of the verb that was divided.
        Ok(Done { result, judgement, stored_as: None, ..done })
    }
}

fn merge(cx: &mut Ctx, records: &[Record]) -> Result<Done> {
    let first = &records[0];
    let line = Line::try_parse_from(&first.report.arguments).map_err(|error| {
        let (file, error) = (&first.file, error.render());
        failed(Kind::Parts, format!("{file}: its command line is not understood: {error}"))
            .hint("merge with the version that made the parts")
    })?;
    let units = &first.part.units;
    cx.run.soc.clone_from(&first.report.soc);
    let checked = records.iter().filter_map(|record| record.report.about.checked.as_ref());
    let checked = checked.fold(None, |sum: Option<Checked>, more| {
        let sum = sum.unwrap_or_default();
        Some(Checked { launches: sum.launches + more.launches, findings: sum.findings + more.findings })
    });
    cx.run.about.checked = checked;
    match line.verb {
        Divided::Operators(_) => operators::merge(cx, units, results(records)?),
        Divided::Test(test) if first.part.of == "exhaustive" => test.sweep().merge(cx, results(records)?),
        Divided::Test(test) => {
            let ops = first.report.about.ops.clone().unwrap_or_default().join(", ");
            test.merge(units, results(records)?, &ops)
        }
        Divided::Bench(bench) => {
            let sim = bench.into_sim().context("`bench host` has no parts")?;
            sim.merge(cx, results(records)?)
        }
    }
}

fn results<T: DeserializeOwned>(records: &[Record]) -> Result<Vec<T>> {
    let one = |record: &Record| {
        let error = || failed(Kind::Parts, format!("{} has not the keys of `{}`", record.file, record.part.of));
        record.report.result().ok_or_else(|| error().hint("merge with the version that made the parts"))
    };
    records.iter().map(one).collect()
}

fn merged(record: &Record) -> MergedPart {
    MergedPart {
        file: record.file.clone(),
        shard: record.part.shard.clone(),
        exit_code: record.report.exit_code,
        elapsed_s: record.report.elapsed_s,
        units: record.part.taken.len(),
        environment: record.part.environment.clone(),
    }
}

impl Record {
    /// Why the part's run failed, with its exit code.
    fn failure(&self) -> anyhow::Error {
        let failure = self.report.error.clone().unwrap_or_default();
        let message = format!("part {} ({}) failed: {}", self.part.shard, self.file, failure.causes.join(": "));
        let error = passed(self.report.exit_code.max(1), message);
        match failure.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}
