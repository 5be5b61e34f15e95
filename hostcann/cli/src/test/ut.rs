//! Unit tests of the op directories: programs of hostcann/ut, run one after the other.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use clap::Args;
use xshell::cmd;

use crate::base::count::{self, Count, Outcome, Ran};
use crate::base::ctx::Ctx;
use crate::base::diag::{self, Kind};
use crate::base::files;
use crate::base::proc;
use crate::base::program;
use crate::base::term::err;
use crate::build::cmake_step::Project;
use crate::build::commands;
use crate::build::{aicpu, json};
use crate::toolchain::plan::Plan;
use crate::toolchain::root;
use crate::toolchain::tools::{self, Tools};

/// Upstream's switches of `build.sh -u`
#[derive(Args, Clone, Debug, Default)]
pub struct UtArgs {
    /// Run only unit tests of tiling and infershape
    #[arg(long)]
    pub ophost: bool,
    /// Run only unit tests of the aclnn interfaces
    #[arg(long)]
    pub opapi: bool,
    /// Run only unit tests of the kernels
    #[arg(long)]
    pub opkernel: bool,
    /// Run only unit tests of the AI CPU kernels
    #[arg(long = "opkernel_aicpu", alias = "opkernel-aicpu")]
    pub opkernel_aicpu: bool,
    /// Run only unit tests whose name matches, for example AddTilingTest.*:-*.bad_*
    #[arg(long = "gtest_filter", alias = "gtest-filter", value_name = "PATTERN")]
    pub gtest_filter: Option<String>,
}

impl UtArgs {
    /// Asking for unit tests of one kind means these and no other layer.
    pub fn any(&self) -> bool {
        self.ophost || self.opapi || self.opkernel || self.opkernel_aicpu || self.gtest_filter.is_some()
    }

    /// Those whose name contains this, too.
    pub fn named(&self, part: Option<&str>) -> UtArgs {
        let own = self.gtest_filter.clone();
        UtArgs { gtest_filter: own.or(part.map(|part| format!("*{part}*"))), ..self.clone() }
    }

    /// The switches that were given.
    pub fn kinds(&self) -> Vec<&'static str> {
        let all = [
            ("ophost", self.ophost),
            ("opapi", self.opapi),
            ("opkernel", self.opkernel),
            ("opkernel_aicpu", self.opkernel_aicpu),
        ];
        all.into_iter().filter_map(|(name, given)| given.then_some(name)).collect()
    }

    /// The programs of this part of a run; None: it has none.
    pub fn of_part(mut self, cx: &mut Ctx) -> Option<UtArgs> {
        if cx.run.part.is_none() {
            return Some(self);
        }
        let mut programs = self.programs();
        programs.retain(|program| cx.run.takes(&format!("ut {program}")));
        let switches = [&mut self.ophost, &mut self.opapi, &mut self.opkernel, &mut self.opkernel_aicpu];
        for (switch, program) in switches.into_iter().zip(PROGRAMS) {
            *switch = programs.contains(&program);
        }
        (!programs.is_empty()).then_some(self)
    }

    fn programs(&self) -> Vec<&'static str> {
        let asked = [self.ophost, self.opapi, self.opkernel, self.opkernel_aicpu];
        let all = !asked.contains(&true);
        PROGRAMS.into_iter().zip(asked).filter_map(|(name, asked)| (all || asked).then_some(name)).collect()
    }
}

/// In the order of the switches.
const PROGRAMS: [&str; 4] = ["math_op_host_ut", "math_op_api_ut", "math_op_kernel_ut", OF_AICPU];
/// Tests of AI CPU kernels, which few ops have.
const OF_AICPU: &str = "math_op_kernel_aicpu_ut";

/// One outcome per program; a program without tests has none.
pub fn run(cx: &mut Ctx, plan: &Plan, args: &UtArgs) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for program in args.programs() {
        let layer = program.to_owned();
        match cx.step(program, |cx| one(cx, plan, args, program)) {
            Ok(Some(ran)) => outcomes.push(Outcome::new(layer, ran)),
            Ok(None) => {}
            Err(error) if diag::kind(&error) == Some(Kind::Stopped) => return Err(error),
            // What does not compile belongs to one of them: each by itself.
            Err(error) if plan.ops.len() > 1 => {
                diag::show(&error);
                outcomes.extend(apart(cx, plan, args, program)?);
            }
            // Tests that do not compile; those of the other kinds still run.
            Err(error) => {
                diag::show(&error);
                outcomes.push(Outcome::new(layer, Count { passed: 0, failed: 1 }));
            }
        }
    }
    Ok(outcomes)
}

/// A program for every op.
fn apart(cx: &mut Ctx, plan: &Plan, args: &UtArgs, program: &str) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for op in &plan.ops {
        let alone = Plan { ops: vec![op.clone()], ..plan.clone() };
        let layer = format!("{program} {}", op.name);
        match cx.step(&layer, |cx| one(cx, &alone, args, program)) {
            Ok(Some(ran)) => outcomes.push(Outcome::new(layer, ran)),
            Ok(None) => {}
            Err(error) if diag::kind(&error) == Some(Kind::Stopped) => return Err(error),
            Err(error) => {
                diag::show(&error);
                outcomes.push(Outcome::new(layer, Count { passed: 0, failed: 1 }));
            }
        }
    }
    Ok(outcomes)
}

fn one(cx: &mut Ctx, plan: &Plan, args: &UtArgs, program: &str) -> Result<Option<Ran>> {
    if program == OF_AICPU && !plan.ops.iter().any(aicpu::has_tests) {
        return Ok(None);
    }
    cx.console.say("Testing", format!("unit tests of {} ({program})", plan.op_names()));
    let Some((path, place)) = build(cx, plan, program)? else { return Ok(None) };
    let filter = args.gtest_filter.as_ref().map(|filter| format!("--gtest_filter={filter}"));
    let python = python_path(cx, plan)?;
    let dir = cx.run.sh.push_dir(&place);
    let line = root::with_root(cmd!(cx.run.sh, "{path} {filter...}"), &plan.root).envs(python);
    let outcome = proc::log_program(cx, program, line)?;
    drop(dir);
    let count = count::count_cpp(&outcome.text);
    let tests = count::named_google(&outcome.text);
    let failures = failures(&outcome.text);
    if !failures.is_empty() {
        err!("{failures}");
    }
    match count {
        Some(count) if outcome.ok == (count.failed == 0) => Ok(Some(Ran { count, tests })),
        // It died, or says one thing and returns another.
        _ => {
            let log = cx.project.show(&cx.project.log_file(program));
            err!("{program}: {}; its output is in {log}", outcome.status);
            let Count { passed, failed } = count.unwrap_or_default();
            Ok(Some(Ran { count: Count { passed, failed: failed.max(1) }, tests }))
        }
    }
}

/// The program and the directory to run it in; nothing when the ops have no tests of this kind.
pub fn build(cx: &mut Ctx, plan: &Plan, program: &str) -> Result<Option<(PathBuf, PathBuf)>> {
    let tools = tools::ensure(cx, false)?;
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(";");
    let log = format!("{program}-build");
    let harness = harness(cx, plan, &tools)?;
    let xtask = program::own()?;
    let text = |dir: Option<PathBuf>| dir.map(|dir| dir.display().to_string()).unwrap_or_default();
    let (eigen, json) = (text(aicpu::eigen(cx, &plan.ops)?), text(json::of(cx, &plan.ops)?));
    let of_kind = |cx: &Ctx, kind: &str| Project {
        step: &log,
        source: cx.project.home.join("hostcann/ut"),
        out: plan.build_dir(cx).join(if kind.is_empty() { "ut".to_owned() } else { format!("ut-{kind}") }),
        target: program,
        defines: vec![
            ("ASCEND_HOME_PATH", plan.root.path.display().to_string()),
            ("OP_DIRS", list(&mut plan.ops.iter().map(|op| op.path.display().to_string()))),
            ("ASCEND_COMPUTE_UNIT", list(&mut plan.socs.iter().cloned())),
            ("VENDOR_NAME", plan.vendor.clone()),
            ("OP_DEFINITIONS", plan.defines.join(";")),
            ("OP_DEBUG", u8::from(plan.debug).to_string()),
            ("OP_EIGEN", eigen.clone()),
            ("OP_JSON", json.clone()),
            ("UT_HARNESS", harness.display().to_string()),
            ("XTASK", xtask.display().to_string()),
            ("UT_KIND", kind.to_owned()),
        ],
        jobs: plan.jobs,
    };
    let mut project = of_kind(cx, "");
    if let Err(error) = project.build(cx, &tools) {
        // An error of CMake may be one of another kind of tests.
        let configured =
            !fs::read_to_string(cx.project.log_file(&log)).is_ok_and(|text| text.contains("CMake Error at"));
        if configured {
            return Err(error);
        }
        project = of_kind(cx, program.trim_start_matches("math_").trim_end_matches("_ut"));
        project.build(cx, &tools)?;
    }
    let built = project.out.join("build");
    commands::update(cx, plan, "ut", std::slice::from_ref(&built), &[])?;
    let programs = built.join("programs.txt");
    let programs = fs::read_to_string(&programs).with_context(|| format!("cannot read {}", programs.display()))?;
    if !programs.lines().any(|line| line == program) {
        return Ok(None);
    }
    let place = working_dir(plan, &project.out, program)?;
    Ok(Some((built.join(program), place)))
}

/// The library that all test programs share, whatever ops they test. Built by the first who asks.
pub fn harness(cx: &Ctx, plan: &Plan, tools: &Tools) -> Result<PathBuf> {
    static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let name = if plan.debug { "ut_harness-debug" } else { "ut_harness" };
    let out = cx.project.common_work().join("build").join(name);
    let library = out.join("build/libut_harness.a");
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.contains(&library) {
        let project = Project {
            step: "ut_harness",
            source: cx.project.home.join("hostcann/ut/harness"),
            out,
            target: "ut_harness",
            defines: vec![
                ("ASCEND_HOME_PATH", plan.root.path.display().to_string()),
                ("OP_DEBUG", u8::from(plan.debug).to_string()),
            ],
            jobs: plan.jobs,
        };
        project.build(cx, tools)?;
        built.insert(library.clone());
    }
    Ok(library)
}

/// Upstream runs a test program in `build/tests/ut/<kind>` of the checkout, and tests look for their data from there
/// (`../../../../experimental/math/<op>/tests/ut/op_kernel/<op>_data`). Nothing is written into the checkout: its entries
/// are linked around a directory of our own.
fn working_dir(plan: &Plan, out: &Path, program: &str) -> Result<PathBuf> {
    let root = out.join("checkout");
    let kind = program.trim_start_matches("math_").trim_end_matches("_ut");
    let dir = root.join("build/tests/ut").join(kind);
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    for op in &plan.ops {
        let Some(checkout) = checkout(&op.path) else { continue };
        for entry in fs::read_dir(checkout).with_context(|| format!("cannot list {}", checkout.display()))? {
            let path = entry.with_context(|| format!("cannot list {}", checkout.display()))?.path();
            let Some(name) = path.file_name() else { continue };
            let link = root.join(name);
            if name != "build" && fs::symlink_metadata(&link).is_err() {
                symlink(&path, &link).with_context(|| format!("cannot create {}", link.display()))?;
            }
        }
    }
    Ok(dir)
}

/// What holds `experimental/<category>/<op>`, `<category>/<op>` or `examples/<op>`.
fn checkout(op: &Path) -> Option<&Path> {
    let above = op.parent()?.parent()?;
    if above.file_name().is_some_and(|name| name == "experimental") { above.parent() } else { Some(above) }
}

/// Test data of upstream's kernels comes from Python scripts next to the tests; nearly all require numpy.
fn python_path(cx: &mut Ctx, plan: &Plan) -> Result<Vec<(&'static str, OsString)>> {
    for op in &plan.ops {
        let dir = op.path.join("tests/ut");
        if dir.is_dir() && files::walk(&dir)?.iter().any(|file| file.extension().is_some_and(|name| name == "py")) {
            let mut path = tools::numpy(cx)?.into_os_string();
            if let Some(given) = std::env::var_os("PYTHONPATH").filter(|given| !given.is_empty()) {
                path.push(":");
                path.push(given);
            }
            return Ok(vec![("PYTHONPATH", path)]);
        }
    }
    Ok(Vec::new())
}

/// The whole output of every failed test, and of a test that did not come to its end.
pub fn failures(text: &str) -> String {
    let mut shown = Vec::new();
    let mut current: Option<Vec<&str>> = None;
    for line in text.lines() {
        if line.starts_with("[ RUN      ]") {
            shown.extend(current.take().unwrap_or_default());
            current = Some(vec![line]);
        } else if line.starts_with("[       OK ]") || line.starts_with("[  SKIPPED ]") {
            current = None;
        } else if let Some(lines) = &mut current {
            lines.push(line);
            if line.starts_with("[  FAILED  ]") {
                shown.extend(current.take().unwrap_or_default());
            }
        } else if line.contains(": Failure") {
            current = Some(vec![line]); // outside of a test: set-up of a suite or of the environment
        } else if line.starts_with("[----------]") || line.starts_with("[==========]") {
            shown.extend(current.take().unwrap_or_default());
        }
    }
    shown.extend(current.unwrap_or_default());
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
[==========] Running 3 tests from 1 test suite.
[ RUN      ] S.a
noise
[       OK ] S.a (0 ms)
[ RUN      ] S.b
x.cpp:7: Failure
Expected equality of these values:
  1
  2

[  FAILED  ] S.b (1 ms)
[----------] 2 tests from S (1 ms total)
[  FAILED  ] 1 test, listed below:
[  FAILED  ] S.b
1 passed, 1 failed
";

    #[test]
    fn failed_tests_are_shown_whole() {
        let text = failures(OUTPUT);
        assert!(text.starts_with("[ RUN      ] S.b\nx.cpp:7: Failure\n") && text.ends_with("[  FAILED  ] S.b (1 ms)"));
        assert!(!text.contains("noise"));
        assert_eq!(failures("[ RUN      ] S.a\nlast words\n"), "[ RUN      ] S.a\nlast words");
        assert_eq!(failures("[ RUN      ] S.a\n[       OK ] S.a (0 ms)\n1 passed, 0 failed\n"), "");
    }

    #[test]
    fn where_upstream_would_run() {
        assert_eq!(checkout(Path::new("/o/experimental/math/x")), Some(Path::new("/o")));
        assert_eq!(checkout(Path::new("/o/examples/x")), Some(Path::new("/o")));
        assert_eq!(checkout(Path::new("/x")), None);
    }

    #[test]
    fn programs_that_are_asked_for() {
        assert_eq!(UtArgs::default().programs().len(), 4);
        let host = UtArgs { ophost: true, ..UtArgs::default() };
        assert_eq!(host.programs(), ["math_op_host_ut"]);
        assert!(host.any() && !UtArgs::default().any());
    }
}
