//! The C++ tests of the host toolkit.

use anyhow::Result;
use xshell::cmd;

use hostcann_cli::base::count::{Count, count_cpp};
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{HintExt, Kind, failed};
use hostcann_cli::base::proc;
use hostcann_cli::base::term::err;
use hostcann_cli::build::hostroot;
use hostcann_cli::test::ut;
use hostcann_cli::toolchain::plan::Plan;
use hostcann_cli::toolchain::root;
use hostcann_cli::toolchain::tools;

pub fn run(cx: &mut Ctx, plan: &Plan, filter: Option<&str>) -> Result<Count> {
    cx.console.say("Testing", "C++ (nnopbase_tests)");
    let tools = tools::ensure(cx, false)?;
    cx.step("nnopbase_tests", |cx| {
        let project = hostroot::project(cx, plan, "nnopbase_tests");
        project.build(cx, &tools)?;
        let program = project.out.join("build/nnopbase_tests");
        let only = filter.map(|filter| format!("--gtest_filter=*{filter}*"));
        let line = root::with_root(cmd!(cx.run.sh, "{program} {only...}"), &plan.root);
        let outcome = proc::log_run(cx, "nnopbase_tests", line)?;
        let count = count_cpp(&outcome.text).unwrap_or_default();
        // Other layers may have the tests that were meant.
        if filter.is_some() && outcome.ok && count.passed + count.failed == 0 {
            return Ok(count);
        }
        if !outcome.ok || count.failed > 0 {
            let failures = ut::failures(&outcome.text);
            err!("{}", if failures.is_empty() { proc::last_lines(&outcome.text, 40) } else { failures });
            let failed = count.failed.max(1);
            return Ok(Count { passed: count.passed, failed });
        }
        if count.passed == 0 {
            return Err(failed(Kind::Tests, "nnopbase_tests did not say how many tests passed")
                .hint("see its log below target/xtask/log"));
        }
        Ok(count)
    })
}
