//! `test`: every layer, one summary.

mod beside;
mod cpp;
mod findings;
mod rust;
mod sanitize;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::args::{CheckArgs, OpArgs, TimeArgs};
use crate::count::{self, Count, Outcome};
use crate::ctx::Ctx;
use crate::device_layer;
use crate::diag::{self, HintExt, Kind, failed};
use crate::docs;
use crate::evidence;
use crate::example::{self, Wish};
use crate::exhaustive::Exhaustive;
use crate::fmt;
use crate::install::{self, How};
use crate::instrument::Sanitizer;
use crate::layer::{self, Layer};
use crate::lint;
use crate::mutants;
use crate::optest;
use crate::own_operators;
use crate::package;
use crate::partial::{self, LeftOut};
use crate::plan::Plan;
use crate::pr::own;
use crate::record;
use crate::root::RootKind;
use crate::templates;
use crate::term::out;
use crate::tidy;
use crate::tools;
use crate::upstream;
use crate::ut::{self, UtArgs};
use beside::Beside;

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
  cargo xtask test --exhaustive --class f16-exact,i16 --switches div_ulp=random

The last line of every run is `N passed, N failed` over all layers; of a sweep, its verdict.";

/// Build and install, then run every test layer: formats, clippy, Rust, broken kernels, C++, the op's unit tests, examples
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Test {
    /// Only tests whose name contains this, in every layer
    #[arg(conflicts_with = "gtest_filter")]
    filter: Option<String>,
    #[command(flatten)]
    op: OpArgs,
    /// Only these layers
    #[arg(long, value_delimiter = ',', value_name = "LAYER")]
    only: Vec<Layer>,
    #[command(flatten)]
    ut: UtArgs,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    exhaustive: Exhaustive,
    /// With --exhaustive or --only mutants: do again what has ended before with the same sources
    #[arg(long)]
    again: bool,
    /// Instead of the layers: C++ tests, unit tests and a load test, all built with this sanitizer
    #[arg(long, value_enum, value_name = "SANITIZER", conflicts_with_all = ["filter", "only", "args", "exhaustive"])]
    sanitize: Option<Sanitizer>,
    /// For the Rust test programs
    #[arg(last = true)]
    args: Vec<String>,
}

impl Test {
    pub fn check(&self, cx: &mut Ctx) -> Result<()> {
        let plan = Plan::check(cx, &self.op)?;
        let layers = self.layers(&plan)?;
        if self.again && !self.exhaustive.is_wanted() && !layers.contains(&Layer::Mutants) {
            return Err(failed(Kind::Usage, "--again: neither --exhaustive nor `--only mutants` is given")
                .hint("only these two keep what has ended; every other layer runs whole each time"));
        }
        Ok(())
    }

    fn layers(&self, plan: &Plan) -> Result<Vec<Layer>> {
        if plan.root.kind == RootKind::Cann {
            plan.refuse_checks(&self.check)?;
        }
        layer::choose(&layer::Wish {
            only: &self.only,
            units: self.ut.any(),
            checked: self.check.is_wanted(),
            filtered: self.filter.is_some(),
            repository: plan.is_repository,
            device: plan.root.kind == RootKind::Cann,
            ops: &plan.op_names(),
        })
    }

    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        if let Some(sanitizer) = self.sanitize {
            return sanitize::run(cx, sanitizer, &self.op);
        }
        let mut plan = Plan::new(cx, &self.op)?;
        let mut left_out = LeftOut::default();
        let layers = self.layers(&plan)?;
        let sweeping = self.exhaustive.is_wanted().then(|| self.exhaustive.plan(cx, &plan)).transpose()?;
        if self.exhaustive.only_lists()
            && let Some(sweeping) = &sweeping
        {
            out!("{}", sweeping.sweep.classes.join("\n"));
            return Ok(());
        }
        let vendor = if sweeping.is_some() || layers.iter().any(|layer| layer.needs_package()) {
            tools::ensure(cx, false)?;
            if plan.root.is_host() {
                (plan, left_out) = partial::what_builds(cx, plan)?;
            }
            let run = package::package(cx, &plan)?;
            install::install(cx, &plan, &run, &How::default())?
        } else {
            PathBuf::new()
        };
        cx.watch(&self.check);
        cx.limit(&self.time);
        if let Some(sweeping) = sweeping {
            return self.exhaustive.run(cx, &plan, &sweeping, self.again);
        }
        let workspace = self.is_workspace(&plan);
        let mut beside = Beside::start(cx, &plan, &layers, workspace)?;
        let mut ran: Vec<(Layer, Vec<Outcome>)> = Vec::new();
        for layer in beside::order(&layers, workspace) {
            let before = cx.checked();
            let outcomes = self.layer(cx, &plan, &vendor, layer, &mut beside)?;
            self.keep(cx, &plan, layer, &outcomes, before);
            ran.push((layer, outcomes));
        }
        // Told in the same order whatever ran beside what.
        ran.sort_by_key(|(layer, _)| layers.iter().position(|one| one == layer));
        let outcomes: Vec<Outcome> = ran.into_iter().flat_map(|(_, outcomes)| outcomes).collect();
        if outcomes.iter().all(|outcome| outcome.count.passed + outcome.count.failed == 0) {
            return Err(self.nothing_ran(&plan));
        }
        left_out.judge(count::summary(cx, &outcomes, &self.op.selectors()))
    }

    /// Nothing chooses among tests, or changes what they are run with beyond the checker.
    fn is_whole(&self) -> bool {
        let checker = &self.check;
        let plain = checker.flip.is_none() && !checker.strict && !checker.no_auto_sync;
        self.filter.is_none()
            && !self.ut.any()
            && self.args.is_empty()
            && plain
            && checker.check.as_ref().is_none_or(String::is_empty)
    }

    /// What a layer that ran as a whole leaves for `report`.
    fn keep(&self, cx: &mut Ctx, plan: &Plan, layer: Layer, ran: &[Outcome], before: Option<(usize, usize)>) {
        let (tests, found) = (cx.take_named(), cx.take_findings());
        if !self.is_whole() || ran.is_empty() {
            return;
        }
        let kind = if self.check.is_wanted() { "checked" } else { "layer" };
        let ops: Vec<&str> = plan.ops.iter().map(|op| op.name.as_str()).collect();
        let mut data = json!({"outcomes": count::json(ran), "tests": tests, "ops": ops});
        if let (Some(before), Some(after)) = (before, cx.checked()) {
            data["launches"] = json!(after.0.saturating_sub(before.0));
            data["findings"] = json!(after.1.saturating_sub(before.1));
            data["found"] = json!(findings::of(&found));
        }
        evidence::keep(cx, plan, &format!("{kind}.{}", layer.name()), &data);
    }

    /// A run that proves nothing must not look like one that does.
    fn nothing_ran(&self, plan: &Plan) -> anyhow::Error {
        let what = match (&self.filter, &self.ut.gtest_filter) {
            (Some(filter), _) => format!("no test's name contains `{filter}`"),
            (None, Some(filter)) => format!("no unit test matches --gtest_filter={filter}"),
            (None, None) => format!("{} has no tests of this kind", plan.op_names()),
        };
        failed(Kind::NoTests, format!("nothing was tested: {what}")).hint(
            "unit tests are <op>/tests/ut/{op_host,op_api,op_kernel}/test_*.cpp (names are Suite.test), examples \
             <op>/examples/test_aclnn_*.cpp",
        )
    }

    /// The toolkit's own tests say what they run checked.
    fn is_workspace(&self, plan: &Plan) -> bool {
        plan.is_repository && plan.root.is_host() && !self.check.is_wanted()
    }

    fn layer(
        &self,
        cx: &mut Ctx,
        plan: &Plan,
        vendor: &Path,
        layer: Layer,
        beside: &mut Beside,
    ) -> Result<Vec<Outcome>> {
        let embedded = plan.root.kind == RootKind::Embedded;
        let filter = self.filter.as_deref();
        let wish = rust::Wish { filter, args: &self.args, env: None };
        Ok(match layer {
            Layer::Fmt => vec![
                check(cx, "rustfmt", |cx| fmt::rust(cx, true)),
                check(cx, "clang-format", |cx| fmt::cpp(cx, true).map(drop)),
            ],
            Layer::Tidy => vec![check(cx, "tidy", |cx| tidy::check(cx).map(drop))],
            Layer::Clippy => {
                let mut ran = true;
                let other = |cx: &mut Ctx| lint::other_architecture(cx).map(|was_there| ran = was_there);
                let all = vec![check(cx, "clippy", |cx| beside.clippy(cx)), check(cx, "other architecture", other)];
                all.into_iter()
                    .map(|outcome| if ran { outcome } else { outcome.skipped("other architecture") })
                    .collect()
            }
            Layer::Rust if self.is_workspace(plan) => {
                beside.wait(cx)?;
                vec![outcome("rust", rust::workspace(cx, plan, &wish)?)]
            }
            Layer::Rust => {
                let count = rust::installed_ops(cx, plan, &wish)?;
                count.map(|count| outcome("rust", count)).into_iter().collect()
            }
            Layer::BrokenKernels if !plan.root.is_host() => {
                cx.say("Skipping", "broken-kernels: they test the host toolkit's checker");
                Vec::new()
            }
            Layer::BrokenKernels => vec![outcome("broken-kernels", rust::broken_kernels(cx, plan, &wish)?)],
            Layer::Device if plan.root.kind == RootKind::Cann => {
                cx.say("Skipping", "device: a real CANN compiles kernels for the device itself");
                Vec::new()
            }
            Layer::Device => vec![outcome("device", device_layer::run(cx, plan)?)],
            Layer::Cpp if embedded => vec![outcome("cpp", cpp::run(cx, plan, filter)?)],
            Layer::Operators if embedded => vec![outcome("operators", own_operators::run(cx, plan, filter)?)],
            Layer::Mutants if embedded => vec![outcome("mutants", mutants::run(cx, plan, filter, self.again)?)],
            Layer::Templates if embedded => templates::run(cx, plan)?,
            Layer::Docs if embedded => {
                let ignored = self.args.iter().any(|arg| arg == "--ignored" || arg == "--include-ignored");
                vec![outcome("docs", docs::run(cx, filter, ignored)?)]
            }
            Layer::Cpp | Layer::Operators | Layer::Templates | Layer::Docs | Layer::Mutants => {
                cx.say("Skipping", format!("{}: it tests the host toolkit of this repository", layer.name()));
                Vec::new()
            }
            Layer::Ut if plan.root.kind == RootKind::Cann => {
                let args = self.ut.named(filter);
                match upstream::unit_tests(cx, plan, &args.kinds(), args.gtest_filter.as_deref()) {
                    Ok(count) => vec![outcome("ut", count)],
                    Err(error) => vec![check(cx, "ut", |_| Err(error))],
                }
            }
            Layer::Ut => match ut::run(cx, plan, &self.ut.named(filter)) {
                Ok(ran) => ran,
                Err(error) if diag::kind(&error) == Some(Kind::Stopped) => return Err(error),
                Err(error) => vec![check(cx, "ut", |_| Err(error))],
            },
            Layer::Example if plan.root.kind == RootKind::Cann => {
                vec![check(cx, "example", |cx| upstream::example(cx, plan, vendor, None, false))]
            }
            Layer::Example if embedded && plan.is_repository && filter.is_none() => {
                let run = record::run_path(cx, plan);
                let rules = |cx: &mut Ctx| plan.ops.iter().try_for_each(|op| own::package(cx, &op.path, &run));
                vec![examples(cx, plan, vendor, filter)?, check(cx, "rules about the package", rules)]
            }
            Layer::Example => vec![examples(cx, plan, vendor, filter)?],
            Layer::Acceptance if plan.root.kind == RootKind::Cann => {
                cx.say("Skipping", "acceptance: with a real CANN, AscendOpTest itself runs the files of tests/aot");
                Vec::new()
            }
            Layer::Acceptance => vec![outcome("acceptance", optest::layer(cx, plan, vendor, filter)?)],
        })
    }
}

fn outcome(layer: &str, count: Count) -> Outcome {
    Outcome { layer: layer.to_owned(), count }
}

/// A check that passes or fails as a whole.
fn check(cx: &mut Ctx, name: &str, work: impl FnOnce(&mut Ctx) -> Result<()>) -> Outcome {
    let result = work(cx);
    if let Err(error) = &result {
        diag::show(error);
    }
    let failed = u64::from(result.is_err());
    Outcome { layer: name.to_owned(), count: Count { passed: 1 - failed, failed } }
}

fn examples(cx: &mut Ctx, plan: &Plan, vendor: &Path, filter: Option<&str>) -> Result<Outcome> {
    let mut chosen = example::of_ops(&plan.ops)?;
    chosen.retain(|example| filter.is_none_or(|filter| example.name().contains(filter)));
    let results = example::run_all(cx, plan, vendor, &chosen, &Wish::default())?;
    example::need_all(&results)?;
    let failed = results.iter().filter(|ran| !ran.ok).count() as u64;
    Ok(Outcome { layer: "example".into(), count: Count { passed: results.len() as u64 - failed, failed } })
}
