//! The layers that test operators, wherever they lie.

use anyhow::Result;

use super::layer::{Layer, Layers, Started, Subject, TestRun, check};
use super::{device_layer, mutants, ut};
use crate::base::count::{Count, Outcome, Ran};
use crate::base::ctx::Ctx;
use crate::base::diag::{self, Kind};
use crate::run::example::{self, RunOptions};
use crate::run::optest;
use crate::toolchain::upstream;

/// In the order of a plain run.
pub fn all() -> Layers {
    vec![&Device, &Ut, &Example, &Acceptance, &Mutants]
}

pub struct Device;

impl Layer for Device {
    fn name(&self) -> &'static str {
        "device"
    }

    fn help(&self) -> &'static str {
        "Every kernel read by clang as a strict device compiler reads it"
    }

    fn subject(&self) -> Subject {
        Subject::Operators
    }

    fn has_names(&self) -> bool {
        false
    }

    fn needs_package(&self) -> bool {
        false
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        run.is_device().then_some("a real CANN compiles kernels for the device itself")
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        Ok(vec![Outcome::new("device", device_layer::run(cx, run.plan)?)])
    }
}

pub struct Ut;

impl Layer for Ut {
    fn name(&self) -> &'static str {
        "ut"
    }

    fn help(&self) -> &'static str {
        "Unit tests of op_host, op_api and op_kernel"
    }

    fn subject(&self) -> Subject {
        Subject::Operators
    }

    fn runs_kernels(&self) -> bool {
        true
    }

    fn is_divided(&self) -> bool {
        true
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        let Some(args) = run.ut.named(run.filter).of_part(cx) else { return Ok(Vec::new()) };
        let ran = if run.is_device() {
            upstream::unit_tests(cx, run.plan, &args.kinds(), args.gtest_filter.as_deref())
                .map(|count| vec![Outcome::new("ut", count)])
        } else {
            ut::run(cx, run.plan, &args)
        };
        match ran {
            Err(error) if diag::kind(&error) == Some(Kind::Stopped) => Err(error),
            Err(error) => Ok(vec![check(cx, "ut", |_| Err(error))]),
            Ok(ran) => Ok(ran),
        }
    }
}

pub struct Example;

impl Layer for Example {
    fn name(&self) -> &'static str {
        "example"
    }

    fn help(&self) -> &'static str {
        "The aclnn examples"
    }

    fn subject(&self) -> Subject {
        Subject::Operators
    }

    fn runs_kernels(&self) -> bool {
        true
    }

    fn is_divided(&self) -> bool {
        true
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        if run.is_device() {
            return Ok(vec![check(cx, "example", |cx| upstream::example(cx, run.plan, run.vendor, None, false))]);
        }
        let mut chosen = example::of_ops(&run.plan.ops)?;
        chosen.retain(|example| run.filter.is_none_or(|filter| example.name().contains(filter)));
        chosen.retain(|example| cx.run.takes(&format!("example {}", example.name())));
        let results = example::run_all(cx, run.plan, run.vendor, &chosen, &RunOptions::default())?;
        example::need_all(&results)?;
        let failed = results.iter().filter(|ran| !ran.ok).count() as u64;
        let count = Count { passed: results.len() as u64 - failed, failed };
        let tests = results.into_iter().map(|ran| (ran.name, ran.ok)).collect();
        Ok(vec![Outcome::new("example", Ran { count, tests })])
    }
}

pub struct Acceptance;

impl Layer for Acceptance {
    fn name(&self) -> &'static str {
        "acceptance"
    }

    fn help(&self) -> &'static str {
        "The case files in tests/aot of the ops: operands and goldens by Python, AscendOpTest's comparison"
    }

    fn subject(&self) -> Subject {
        Subject::Operators
    }

    fn runs_kernels(&self) -> bool {
        true
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        run.is_device().then_some("with a real CANN, AscendOpTest itself runs the files of tests/aot")
    }

    fn is_divided(&self) -> bool {
        true
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        Ok(vec![Outcome::new("acceptance", optest::layer(cx, run.plan, run.vendor, run.filter)?)])
    }
}

pub struct Mutants;

impl Layer for Mutants {
    fn name(&self) -> &'static str {
        "mutants"
    }

    fn help(&self) -> &'static str {
        "Faults of tests/mutants put into a copy of the op, each of which its test must notice; only when asked for"
    }

    fn subject(&self) -> Subject {
        Subject::OwnOperators
    }

    fn on_request(&self) -> bool {
        true
    }

    fn waits_for_cargo(&self) -> bool {
        true
    }

    fn skipped(&self, run: &TestRun) -> Option<&'static str> {
        (!run.is_embedded()).then_some("it tests the host toolkit of this repository")
    }

    fn is_divided(&self) -> bool {
        true
    }

    fn run(&self, cx: &mut Ctx, run: &TestRun, _: Started) -> Result<Vec<Outcome>> {
        let (count, mutants) = mutants::run(cx, run.plan, run.filter, run.again)?;
        Ok(vec![Outcome { mutants, ..Outcome::new("mutants", count) }])
    }
}
