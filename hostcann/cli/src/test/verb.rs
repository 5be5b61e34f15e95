//! `test`: every layer, one summary.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::clock::{self, Clock, LayerTime};
use super::exhaustive::Exhaustive;
use super::layer::{self, Layer, Layers, Selection, TestRun};
use super::ut::UtArgs;
use super::{findings, joined, mutants, sanitize};
use crate::base::args::{CheckArgs, OpArgs, TimeArgs};
use crate::base::checks::Checks;
use crate::base::count::{self, Outcome};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::instrument::Sanitizer;
use crate::base::report::{Checked, LayerPiece, MutantOutcome, TestResult};
use crate::base::shard::{Shard, ShardArgs};
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::build::partial::{self, LeftOut};
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::toolchain::evidence;
use crate::toolchain::part;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::RootKind;
use crate::toolchain::tools;

const HELP: &str = "\
Examples:
  cargo xtask test
  cargo xtask test --only rust scalar      # Rust tests whose name contains `scalar`
  cargo xtask test scalar                  # tests of every kind whose name contains `scalar`
  cargo xtask test --only cpp,example
  cargo xtask test --only broken-kernels          # the checker against kernels with one known fault each
  cargo xtask test --only broken-kernels queues   # those whose file or name contains `queues`
  cargo xtask test --only mutants                 # faults put into a copy of the op, each must fail its test
  cargo xtask test --only mutants exact           # those whose name contains `exact`
  cargo xtask test --only mutants --again         # also those that were killed before
  cargo xtask test --only device                  # kernels read by clang as a strict device compiler reads them
  cargo xtask test --op-dir ../my_ops/add_example  # that op's unit tests and examples, nothing of this repository
  cargo xtask test --ophost --gtest_filter='*TilingTest.*'   # unit tests of one kind, nothing else
  cargo xtask test --only rust -- --ignored
  cargo xtask test --check                                      # the op's tests, every kernel launch checked
  cargo xtask test --check=-multi-core --no-auto-sync --only ut
  cargo xtask test --flip=-saturation,-ftz --only example       # results that follow div_ulp or fma are failures
  cargo xtask test --sanitize thread                         # address, undefined, thread
  cargo xtask test --exhaustive --shard 1/4                  # target/xtask/exhaustive-1-of-4.json
  cargo xtask test --shard 1/4                               # a part; `cargo xtask merge` joins the records of all
  cargo xtask test --exhaustive --class f16-exact,i16 --switches div_ulp=random

The last line of every run is `N passed, N failed` over all layers; of a sweep, its verdict.

--shard divides `rust`, `broken-kernels` and `example` by test, `ut` by program, `acceptance` by case, `operators` and `mutants` by
their names, `docs` by page; any other layer belongs to one part as a whole. Every part has its share of every class of a sweep.";

/// Build and install, then run every test layer
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Test {
    /// Run only tests whose name contains this, in every layer
    #[arg(conflicts_with = "gtest_filter")]
    filter: Option<String>,
    #[command(flatten)]
    op: OpArgs,
    /// Run only these layers
    #[arg(long, value_delimiter = ',', value_name = "LAYER", value_parser = PossibleValuesParser::new(layer::values()))]
    only: Vec<String>,
    #[command(flatten)]
    ut: UtArgs,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    exhaustive: Exhaustive,
    #[command(flatten)]
    part: ShardArgs,
    /// With --exhaustive or --only mutants: repeat finished parts even with unchanged sources
    #[arg(long)]
    again: bool,
    /// Run C++ tests, unit tests and a load test with this sanitizer instead of the layers
    #[arg(long, value_enum, value_name = "SANITIZER", conflicts_with_all = ["filter", "only", "args", "exhaustive", "shard"])]
    sanitize: Option<Sanitizer>,
    /// Pass these arguments to the Rust test programs
    #[arg(last = true)]
    args: Vec<String>,
}

impl Test {
    fn layers(&self, plan: &Plan) -> Result<Layers> {
        if plan.root.kind == RootKind::Cann {
            plan.refuse_checks(&self.check)?;
        }
        layer::choose(
            layer::all(),
            &Selection {
                only: &self.only,
                units: self.ut.any(),
                checked: self.check.is_wanted(),
                filtered: self.filter.is_some(),
                repository: plan.is_repository,
                device: plan.root.kind == RootKind::Cann,
                ops: &plan.op_names(),
            },
        )
    }

    /// Nothing chooses among tests, or changes what they are run with beyond the checker.
    fn is_whole(&self) -> bool {
        let checker = &self.check;
        let plain = checker.flip.is_none() && !checker.strict && !checker.no_auto_sync;
        self.filter.is_none()
            && self.part.shard.is_none()
            && !self.ut.any()
            && self.args.is_empty()
            && plain
            && checker.check.as_ref().is_none_or(String::is_empty)
    }

    /// Outcomes in the order of the layers, whatever ran next to what.
    fn run_layers(&self, cx: &mut Ctx, run: &TestRun, layers: &Layers) -> Result<(Vec<Outcome>, Vec<LayerTime>)> {
        let workspace = run.is_workspace();
        let mut started = BTreeMap::new();
        if layer::overlaps(layers, workspace) {
            for layer in layers {
                started.insert(layer.name(), layer.start(cx, run)?);
            }
        }
        let (mut ran, mut times) = (BTreeMap::new(), Vec::new());
        for layer in layer::order(layers, workspace) {
            if let Some(why) = layer.skipped(run) {
                cx.console.say("Skipping", format!("{}: {why}", layer.name()));
                continue;
            }
            let before = cx.run.checks.as_ref().map(Checks::so_far);
            let clock = Clock::start();
            let mut outcomes = layer.run(cx, run, started.remove(layer.name()).unwrap_or_default())?;
            outcomes.iter_mut().for_each(|outcome| layer.name().clone_into(&mut outcome.only));
            times.push(clock.stop(layer.name()));
            self.keep(cx, run.plan, layer, &outcomes, before);
            ran.insert(layer.name(), outcomes);
        }
        clock::show(&times);
        Ok((layers.iter().filter_map(|layer| ran.remove(layer.name())).flatten().collect(), times))
    }

    /// What a layer that ran as a whole leaves for `report`.
    fn keep(&self, cx: &mut Ctx, plan: &Plan, layer: &dyn Layer, ran: &[Outcome], before: Option<Checked>) {
        let checks = cx.run.checks.as_ref();
        let (found, after) = (checks.map(Checks::take_findings), checks.map(Checks::so_far));
        if !self.is_whole() || ran.is_empty() {
            return;
        }
        let kind = if self.check.is_wanted() { "checked" } else { "layer" };
        let mut tests: Vec<(String, bool)> = ran.iter().flat_map(|outcome| outcome.tests.iter().cloned()).collect();
        tests.sort();
        let mut data = LayerPiece {
            outcomes: ran.iter().map(Outcome::reported).collect(),
            tests,
            ops: plan.ops.iter().map(|op| op.name.clone()).collect(),
            ..LayerPiece::default()
        };
        if let (Some(before), Some(after)) = (before, after) {
            data.launches = Some(after.launches.saturating_sub(before.launches));
            data.findings = Some(after.findings.saturating_sub(before.findings));
            data.found = Some(findings::of(&found.unwrap_or_default()));
        }
        evidence::keep(cx, plan, &format!("{kind}.{}", layer.name()), &data);
    }

    /// A run that proves nothing must not look like one that does.
    fn nothing_ran(&self, ops: &str) -> anyhow::Error {
        let what = match (&self.filter, &self.ut.gtest_filter) {
            (Some(filter), _) => format!("no test's name contains `{filter}`"),
            (None, Some(filter)) => format!("no unit test matches --gtest_filter={filter}"),
            (None, None) => format!("{ops} has no tests of this kind"),
        };
        failed(Kind::NoTests, format!("nothing was tested: {what}")).hint(
            "unit tests are <op>/tests/ut/{op_host,op_api,op_kernel}/test_*.cpp (names are Suite.test), examples \
             <op>/examples/test_aclnn_*.cpp",
        )
    }

    /// What all parts found as one run would have shown it; `ops`: names of the operators.
    ///
    /// # Errors
    /// Nothing was tested in any part.
    pub fn merge(&self, units: &[String], parts: Vec<TestResult>, ops: &str) -> Result<Done> {
        let (outcomes, times) = joined::outcomes(units, parts);
        if is_nothing(&outcomes) {
            return Err(self.nothing_ran(ops));
        }
        let mutants: Vec<MutantOutcome> = outcomes.iter().flat_map(|outcome| outcome.mutants.clone()).collect();
        if !mutants.is_empty() {
            mutants::show(&mutants);
        }
        clock::show(&times);
        Ok(count::summary(&outcomes, times, &self.op.selectors()))
    }

    pub fn sweep(&self) -> &Exhaustive {
        &self.exhaustive
    }
}

fn is_nothing(outcomes: &[Outcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.count.passed + outcome.count.failed == 0)
}

impl Verb for Test {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        let plan = Plan::check(cx, &self.op)?;
        let layers = self.layers(&plan)?;
        if self.again && !self.exhaustive.is_wanted() && !layers.iter().any(|layer| layer.name() == "mutants") {
            return Err(failed(Kind::Usage, "--again: neither --exhaustive nor `--only mutants` is given")
                .hint("only these two keep what has ended; every other layer runs whole each time"));
        }
        if self.sanitize.is_some() {
            sanitize::check(&plan)?;
        }
        if self.exhaustive.is_wanted() {
            self.exhaustive.plan(cx, &plan, Shard::WHOLE)?;
        }
        Ok(())
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        if let Some(sanitizer) = self.sanitize {
            return sanitize::run(cx, sanitizer, &self.op);
        }
        let mut plan = Plan::new(cx, &self.op)?;
        let mut left_out = LeftOut::default();
        let mut layers = self.layers(&plan)?;
        let whole = self.part.shard.unwrap_or(Shard::WHOLE);
        let sweeping = self.exhaustive.is_wanted().then(|| self.exhaustive.plan(cx, &plan, whole)).transpose()?;
        if self.exhaustive.only_lists()
            && let Some(sweeping) = &sweeping
        {
            out!("{}", sweeping.sweep.classes.join("\n"));
            return Ok(Done::plain());
        }
        if let Some(shard) = self.part.shard {
            let of = if sweeping.is_some() { "exhaustive" } else { "test" };
            part::begin(cx, of, shard, &plan.root, plan.ops.iter().map(|op| op.path.as_path()))?;
        }
        if sweeping.is_none() {
            layers.retain(|layer| layer.is_divided() || cx.run.takes(layer.name()));
        }
        let vendor = if sweeping.is_some() || layers.iter().any(|layer| layer.needs_package()) {
            tools::ensure(cx, false)?;
            if plan.root.is_host() {
                (plan, left_out) = partial::what_builds(cx, plan)?;
            }
            let run = package::package(cx, &plan)?;
            install::install(cx, &plan, &run, &InstallOptions::default())?
        } else {
            PathBuf::new()
        };
        cx.run.watch(&cx.project, &self.check);
        cx.run.limit(&self.time);
        if let Some(sweeping) = sweeping {
            return self.exhaustive.run(cx, &plan, &sweeping, self.again);
        }
        let (ut, check) = (&self.ut, &self.check);
        let filter = self.filter.as_deref();
        let run = TestRun { plan: &plan, vendor: &vendor, filter, args: &self.args, ut, check, again: self.again };
        let (outcomes, times) = self.run_layers(cx, &run, &layers)?;
        if self.part.shard.is_none() && is_nothing(&outcomes) {
            return Err(self.nothing_ran(&plan.op_names()));
        }
        let done = count::summary(&outcomes, times, &self.op.selectors());
        Ok(Done { judgement: left_out.judge(done.judgement), ..done })
    }
}
