//! `test`: every layer, one summary.

mod count;
mod cpp;
mod device;
mod layer;
mod rust;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use crate::args::{CheckArgs, OpArgs};
use crate::ctx::Ctx;
use crate::diag;
use crate::example::{self, Wish};
use crate::exhaustive::Exhaustive;
use crate::fmt;
use crate::install::{self, How};
use crate::lint;
use crate::mutants;
use crate::operators;
use crate::package;
use crate::plan::Plan;
use crate::root::RootKind;
use crate::sanitize::{self, Sanitizer};
use crate::tools;
use crate::upstream;
use crate::ut::{self, UtArgs};

pub use count::{Count, Outcome, count_cpp, summary};
pub use cpp::run as cpp;
use layer::{ALL, CHECKED, Layer, ON_REQUEST};

const HELP: &str = "\
Examples:
  cargo xtask test
  cargo xtask test --only rust scalar      # Rust tests whose name contains `scalar`
  cargo xtask test --only cpp,example
  cargo xtask test --only broken-kernels          # the checker against kernels with one known fault each
  cargo xtask test --only broken-kernels queues   # those whose file or name contains `queues`
  cargo xtask test --only mutants                 # faults put into a copy of the op, each must fail its test
  cargo xtask test --only mutants exact           # those whose name contains `exact`
  cargo xtask test --only device                  # kernels read by clang as a strict device compiler reads them
  cargo xtask test --only ut --op-dir ../my_ops/add_example
  cargo xtask test --ophost --gtest_filter='FmodTilingTest.*'   # unit tests of one kind, nothing else
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
    /// Only tests whose name contains this (Rust layer, broken kernels, mutants)
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
    exhaustive: Exhaustive,
    /// Instead of the layers: C++ tests, unit tests and a load test, all built with this sanitizer
    #[arg(long, value_enum, value_name = "SANITIZER", conflicts_with_all = ["filter", "only", "args", "exhaustive"])]
    sanitize: Option<Sanitizer>,
    /// For the Rust test programs
    #[arg(last = true)]
    args: Vec<String>,
}

impl Test {
    pub fn run(self, cx: &mut Ctx) -> Result<()> {
        if let Some(sanitizer) = self.sanitize {
            return sanitize::run(cx, sanitizer, &self.op);
        }
        let plan = Plan::new(cx, &self.op)?;
        let layers: Vec<Layer> = match (self.only.is_empty(), self.ut.any()) {
            (true, true) => vec![Layer::Ut],
            (true, false) if self.check.is_wanted() => CHECKED.to_vec(),
            (true, false) => ALL.to_vec(),
            (false, _) => ALL.iter().chain(ON_REQUEST).copied().filter(|layer| self.only.contains(layer)).collect(),
        };
        let vendor = if layers.iter().any(|layer| layer.needs_package()) {
            tools::ensure(cx, false)?;
            let run = package::package(cx, &plan)?;
            install::install(cx, &plan, &run, &How::default())?
        } else {
            PathBuf::new()
        };
        if plan.root.kind == RootKind::Cann {
            self.check.refuse(&plan)?;
        }
        self.check.apply(&cx.sh);
        if self.exhaustive.is_wanted() {
            return self.exhaustive.run(cx, &plan);
        }
        let mut outcomes: Vec<Outcome> = Vec::new();
        for layer in layers {
            outcomes.extend(self.layer(cx, &plan, &vendor, layer)?);
        }
        count::summary(cx, &outcomes)
    }

    fn layer(&self, cx: &mut Ctx, plan: &Plan, vendor: &Path, layer: Layer) -> Result<Vec<Outcome>> {
        let embedded = plan.root.kind == RootKind::Embedded;
        let wish = rust::Wish { filter: self.filter.as_deref(), args: &self.args };
        Ok(match layer {
            Layer::Fmt => vec![
                check(cx, "rustfmt", |cx| fmt::rust(cx, true)),
                check(cx, "clang-format", |cx| fmt::cpp(cx, true).map(drop)),
            ],
            Layer::Clippy => {
                vec![check(cx, "clippy", lint::clippy), check(cx, "other architecture", lint::other_architecture)]
            }
            // The toolkit's own tests say what they run checked.
            Layer::Rust if self.check.is_wanted() => vec![outcome("rust", rust::installed_op(cx, plan, &wish)?)],
            Layer::Rust => vec![outcome("rust", rust::workspace(cx, plan, &wish)?)],
            Layer::BrokenKernels => vec![outcome("broken-kernels", rust::broken_kernels(cx, plan, &wish)?)],
            Layer::Device if plan.root.kind == RootKind::Cann => {
                cx.say("Skipping", "device: a real CANN compiles kernels for the device itself");
                Vec::new()
            }
            Layer::Device => vec![outcome("device", device::run(cx, plan)?)],
            Layer::Cpp if embedded => vec![outcome("cpp", cpp::run(cx, plan)?)],
            Layer::Operators if embedded => vec![outcome("operators", operators::run(cx, plan)?)],
            Layer::Mutants if embedded => vec![outcome("mutants", mutants::run(cx, plan, self.filter.as_deref())?)],
            Layer::Templates if embedded => operators::templates(cx, plan)?,
            Layer::Cpp | Layer::Operators | Layer::Templates | Layer::Mutants => {
                let name = match layer {
                    Layer::Cpp => "cpp",
                    Layer::Operators => "operators",
                    Layer::Templates => "templates",
                    _ => "mutants",
                };
                cx.say("Skipping", format!("{name}: it tests the host toolkit of this repository"));
                Vec::new()
            }
            Layer::Ut if plan.root.kind == RootKind::Cann => {
                cx.say("Skipping", "ut: with a real CANN they run in an ops-math checkout, build.sh -u");
                Vec::new()
            }
            Layer::Ut => match ut::run(cx, plan, &self.ut) {
                Ok(ran) => ran,
                Err(error) => vec![check(cx, "ut", |_| Err(error))],
            },
            Layer::Example if plan.root.kind == RootKind::Cann => {
                vec![check(cx, "example", |cx| upstream::example(cx, plan, None, false))]
            }
            Layer::Example => vec![examples(cx, plan, vendor)?],
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

fn examples(cx: &mut Ctx, plan: &Plan, vendor: &Path) -> Result<Outcome> {
    let results = example::run_all(cx, plan, vendor, &Wish::default())?;
    let failed = results.iter().filter(|ran| !ran.ok).count() as u64;
    Ok(Outcome { layer: "example".into(), count: Count { passed: results.len() as u64 - failed, failed } })
}
