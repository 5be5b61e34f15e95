//! `bench host`: how fast the modelled core runs on this machine, next to numpy in the same run.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use xshell::cmd;

use crate::base::args::{OpArgs, TimeArgs};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::plural::number;
use crate::base::report::{HostBench, HostSides};
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::perf::predict::Versus;
use crate::run::companion;
use crate::toolchain::evidence;
use crate::toolchain::plan::Plan;
use crate::toolchain::tools;

use crate::base::measure::row::{Measured, Row, Sides};
use crate::base::measure::side::Side;
use crate::base::measure::table;
use crate::toolchain::root;

const HELP: &str = "\
Examples:
  cargo xtask bench host
  cargo xtask bench host --assert                 # exit code 31 when a required ratio is missed
  cargo xtask bench host --dtype f32,i16 --elements 1000000 --reps 31
  cargo xtask bench host --json

numpy always runs on one thread, the op on as many as the machine has (or HOSTCANN_THREADS says); the row `1 thread`
shows the op on one. Operands, result memory and warm-up are the same on both sides; the two take turns call by call.";

const OVERVIEW: &str = "\
Examples:
  cargo xtask bench host
  cargo xtask bench host --help                   # what it measures, its flags
  cargo xtask bench sim --help                    # what it predicts";

/// Measure speed on this machine, or predict it on the chip
#[derive(Args)]
#[command(after_help = OVERVIEW, disable_help_subcommand = true)]
pub struct Bench {
    #[command(subcommand)]
    target: Target,
}

#[derive(Subcommand)]
enum Target {
    Host(Host),
    Sim(Versus),
}

/// Measure the installed op on the host model against numpy
#[derive(Args)]
#[command(after_help = HELP)]
struct Host {
    /// Give each operand N elements
    #[arg(long, value_name = "N", default_value_t = 4 << 20, value_parser = clap::value_parser!(u64).range(1..=1 << 28))]
    elements: u64,
    /// Time N calls of each side and row; the median counts
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    reps: u64,
    /// Run only rows of these types
    #[arg(long, value_delimiter = ',', value_name = "TYPE")]
    dtype: Vec<String>,
    /// Fail if a required ratio is missed
    #[arg(long)]
    assert: bool,
    #[command(flatten)]
    time: TimeArgs,
}

impl Bench {
    /// `bench sim`; None: another one.
    pub fn into_sim(self) -> Option<Versus> {
        match self.target {
            Target::Sim(versus) => Some(versus),
            Target::Host(_) => None,
        }
    }
}

impl Verb for Bench {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        match &self.target {
            Target::Host(host) => host.check(cx),
            Target::Sim(versus) => versus.check(cx),
        }
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        match self.target {
            Target::Host(host) => host.run(cx),
            Target::Sim(versus) => versus.run(cx),
        }
    }
}

impl Host {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        let plan = Plan::check(cx, &OpArgs::default())?;
        if !plan.root.is_host() {
            return Err(failed(Kind::Usage, "bench host measures the host toolkit, but ASCEND_HOME_PATH is a CANN")
                .hint("unset ASCEND_HOME_PATH"));
        }
        let (_, bench) = companion::part(cx, &plan, "bench", |companion| companion.bench.clone())?;
        self.rows(&bench).map(drop)
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let plan = Plan::new(cx, &OpArgs::default())?;
        let (companion, bench) = companion::part(cx, &plan, "bench", |companion| companion.bench.clone())?;
        let rows = self.rows(&bench)?;
        tools::ensure(cx, false)?;
        let run = package::package(cx, &plan)?;
        install::install(cx, &plan, &run, &InstallOptions::default())?;
        let numpy = tools::numpy(cx)?;
        let program = companion.build(cx, &plan, &bench.binary)?;
        let script = companion.file(&bench.numpy);
        cx.run.limit(&self.time);
        let (sides, results) = cx.step("bench", |cx| self.measure(cx, &plan, rows, &program, (&script, &numpy)))?;
        let rows = results.iter().map(Measured::reported).collect();
        let data = HostBench { elements: self.elements, reps: self.reps, sides, rows };
        evidence::keep(cx, &plan, "bench_host", &data);
        let done = Done::with(&data);
        out!("{}", table::text(&results).trim_end());
        let missed: Vec<&str> = results.iter().filter(|row| !row.holds()).map(|row| row.row.name.as_str()).collect();
        if missed.is_empty() {
            return Ok(
                done.verdict(format!("bench host: {}, every required ratio holds", number(results.len(), "row")))
            );
        }
        let message = format!("required ratio missed: {}", missed.join(", "));
        if self.assert {
            return Ok(done.failed(failed(Kind::Slow, message).hint(
                "other work on the machine disturbs the op, which uses every core, more than numpy; run it alone",
            )));
        }
        cx.console.warn(&message);
        Ok(done.verdict(format!(
            "bench host: {}, {} missed",
            number(results.len(), "row"),
            number(missed.len(), "required ratio")
        )))
    }

    fn rows(&self, bench: &companion::Bench) -> Result<Vec<Row>> {
        let known: BTreeSet<&str> = bench.rows.iter().map(|row| row.dtype.as_str()).collect();
        if let Some(wrong) = self.dtype.iter().find(|dtype| !known.contains(dtype.as_str())) {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            return Err(failed(Kind::Usage, format!("--dtype {wrong}: there are rows for {known}")));
        }
        let wanted = |row: &&Row| self.dtype.is_empty() || self.dtype.contains(&row.dtype);
        Ok(bench.rows.iter().filter(wanted).cloned().collect())
    }

    fn measure(
        &self,
        cx: &mut Ctx,
        plan: &Plan,
        mut rows: Vec<Row>,
        program: &Path,
        (script, numpy): (&Path, &Path),
    ) -> Result<(HostSides, Vec<Measured>)> {
        let dir = tempfile::tempdir().context("cannot create a directory for the operands")?;
        let op = |env: &[(&str, &str)]| {
            let line = root::with_root(cmd!(cx.run.sh, "{program}"), &plan.root);
            // What the caller's shell has must not turn a row into another one.
            let line = line.env_remove("HOSTCANN_CHECK").env_remove("HOSTCANN_FLIP").env_remove("HOSTCANN_SIM");
            Side::start(cx, "the op", env.iter().fold(line, |line, (name, value)| line.env(name, value)))
        };
        let mut sides = Sides {
            fast: op(&[])?,
            single: op(&[("HOSTCANN_THREADS", "1")])?,
            check: op(&[("HOSTCANN_CHECK", "1")])?,
            sim: op(&[("HOSTCANN_SIM", &dir.path().join("model.jsonl").display().to_string())])?,
            numpy: Side::start(cx, "numpy", cmd!(cx.run.sh, "python3 -I {script} {numpy}"))?,
        };
        let (fast, numpy) = (sides.fast.ask("about")?, sides.numpy.ask("about")?);
        cx.console
            .say("Measuring", format!("{}, median of {}", number(self.elements, "element"), number(self.reps, "call")));
        cx.console.say("", format!("{fast}; {numpy}"));
        if sides.check.ask("checker")? != "on" {
            cx.console
                .warn("this toolkit does not check kernels under HOSTCANN_CHECK=1: the checker's rows are left out");
            rows.retain(|row| !row.needs_checker());
        }
        let measure = |row: Row| row.measure(&mut sides, self.elements, self.reps as usize, dir.path());
        let measured = rows.into_iter().map(measure).collect::<Result<_>>()?;
        Ok((HostSides { op: fast, numpy }, measured))
    }
}
