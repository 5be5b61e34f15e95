//! `optest`: case files of AscendOpTest on the installed package, measured by its rule or by the ecosystem standard.

mod aot;
mod arguments;
mod case;
mod case_results;
mod dtype;
mod ecosystem;
mod header;
mod measured;
mod result_row;
mod runner;
mod standard;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::base::args::{CheckArgs, OpArgs, TimeArgs};
use crate::base::count::Count;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::plural::number;
use crate::base::report::OptestResult;
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::toolchain::plan::Plan;
use crate::toolchain::tools;

use case::Case;
use dtype::Dtype;
use header::Interfaces;
use result_row::ResultRow;
use runner::{Attribute, ExpectedOutput, Job, Operand, PreparedCase};
use standard::Standard;

const HELP: &str = "\
Examples:
  cargo xtask optest ../my_ops/add_example/tests/aot/add_example_cases.json
  cargo xtask optest ../ops-math/experimental/math/polar/tests/aot/polar_cases.json
  cargo xtask optest cases.json --op-dir ../my_ops/add_example -n Test_001 --check
  cargo xtask optest cases.json --op-dir ../my_ops/floor_mod --interface aclnnRemainderTensorTensor
  cargo xtask optest cases.json --op-dir ../my_ops/add_example --standard ecosystem,ecosystem-en

The operator is the one whose directory holds the case file, or that of --op-dir or --ops. `op_name` X means the interface aclnnX.
Goldens come from the Python functions that the cases name, with numpy and ml_dtypes in pinned versions.";

/// Run case files of AscendOpTest (JSON with Python goldens) and write result.csv
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Optest {
    /// Run these case files
    #[arg(value_name = "CASES.json", required = true)]
    files: Vec<PathBuf>,
    /// Run only the case of this name
    #[arg(short = 'n', long = "case", value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    op: OpArgs,
    /// Compare results by this standard
    #[arg(long, value_enum, value_delimiter = ',', default_value = "ascendoptest")]
    standard: Vec<Standard>,
    /// Call this aclnn interface [default: aclnn<op_name> of the case]
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Seed the random operands, together with the case's name and the operand's index
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Write the results to FILE [default: target/xtask/optest/<file>/result.csv]
    #[arg(short = 'r', long = "result", value_name = "FILE")]
    result: Option<PathBuf>,
    /// Keep operands, results and goldens in target/xtask/optest/<file>/<case>/*.bin
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    time: TimeArgs,
}

/// How to run the cases of a file.
struct RunOptions<'a> {
    name: Option<&'a str>,
    interface: Option<&'a str>,
    standards: &'a [Standard],
    seed: u64,
    keep: bool,
    /// Print results within their limits as well.
    verbose: bool,
    /// Every case of the file runs unchanged: `report` keeps the results.
    whole: bool,
}

impl Optest {
    /// The operator whose directory holds the files, if no other is named.
    fn op_of(&self, files: &[(PathBuf, Vec<Case>)]) -> Result<OpArgs> {
        let mut op = self.op.clone();
        if let ([], [], Some((file, _))) = (&op.ops[..], &op.op_dir[..], files.first()) {
            op.op_dir = vec![op_of(file)?];
        }
        Ok(op)
    }

    fn read(&self, cx: &Ctx, file: &Path) -> Result<(PathBuf, Vec<Case>)> {
        let file = cx.run.sh.current_dir().join(file);
        let mut cases = case::read(&file)?;
        let known = cases.iter().map(|case| case.case_name.clone()).collect::<Vec<_>>().join(", ");
        cases.retain(|case| self.name.as_ref().is_none_or(|name| *name == case.case_name));
        if cases.is_empty() {
            let name = self.name.as_deref().unwrap_or_default();
            return Err(failed(Kind::NoTests, format!("{} has no case `{name}`; it has: {known}", file.display()))
                .hint("--case takes a case_name of the file"));
        }
        Ok((file, cases))
    }
}

impl Verb for Optest {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        let files = self.files.iter().map(|file| self.read(cx, file)).collect::<Result<Vec<_>>>()?;
        let plan = Plan::check(cx, &self.op_of(&files)?)?;
        if plan.root.is_host() {
            return Ok(());
        }
        let message = format!("optest: {} is a real CANN; this works with the host toolkit", plan.root.path.display());
        Err(failed(Kind::Usage, message).hint("with CANN, AscendOpTest itself runs these files"))
    }

    fn run(mut self, cx: &mut Ctx) -> Result<Done> {
        let files = self.files.iter().map(|file| self.read(cx, file)).collect::<Result<Vec<_>>>()?;
        self.op = self.op_of(&files)?;
        let plan = Plan::new(cx, &self.op)?;
        tools::ensure(cx, false)?;
        let run = package::package(cx, &plan)?;
        let vendor = install::install(cx, &plan, &run, &InstallOptions::default())?;
        cx.run.watch(&cx.project, &self.check);
        cx.run.limit(&self.time);
        let options = RunOptions {
            name: self.name.as_deref(),
            interface: self.interface.as_deref(),
            standards: &self.standard,
            seed: self.seed,
            keep: self.keep,
            verbose: true,
            whole: self.name.is_none() && self.interface.is_none() && self.check.flip.is_none(),
        };
        let mut rows = Vec::new();
        for (file, cases) in files {
            rows.extend(of_file(cx, &plan, &vendor, (&file, cases), &options)?);
        }
        if let Some(file) = &self.result {
            let file = cx.run.sh.current_dir().join(file);
            files::write_if_changed(&file, result_row::csv(&rows).as_bytes())?;
            cx.run.artifact(&file, None);
        }
        Ok(judge(&rows))
    }
}

/// The op directory that a case file lies in.
fn op_of(file: &Path) -> Result<PathBuf> {
    let found = file.ancestors().skip(1).find(|dir| dir.join("op_host").is_dir());
    found.map(Path::to_path_buf).ok_or_else(|| {
        failed(Kind::Usage, format!("{} lies in no op directory", file.display()))
            .hint("name the operator: --op-dir PATH, or --ops NAME")
    })
}

/// The layer of `test`: every `tests/aot/*_cases.json` of the ops, by AscendOpTest's rule.
pub fn layer(cx: &mut Ctx, plan: &Plan, vendor: &Path, filter: Option<&str>) -> Result<Count> {
    let mut count = Count::default();
    let runner = plan.is_repository && filter.is_none_or(|filter| runner::TESTS.contains(filter));
    if runner && cx.run.takes(&format!("acceptance {}", runner::TESTS)) {
        count += runner::test(cx)?;
    }
    for file in plan.ops.iter().map(case_files).collect::<Result<Vec<_>>>()?.concat() {
        let mut cases = case::read(&file)?;
        cases.retain(|case| filter.is_none_or(|filter| case.case_name.contains(filter)));
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        cases.retain(|case| cx.run.takes(&format!("acceptance {stem} {}", case.case_name)));
        let options = RunOptions {
            name: None,
            interface: None,
            standards: &[Standard::Ascendoptest],
            seed: 0,
            keep: false,
            verbose: false,
            whole: filter.is_none() && cx.run.part.is_none(),
        };
        for row in of_file(cx, plan, vendor, (&file, cases), &options)? {
            count += Count { passed: u64::from(row.passed()), failed: u64::from(!row.passed()) };
        }
    }
    Ok(count)
}

pub fn case_files(op: &OpDir) -> Result<Vec<PathBuf>> {
    let dir = op.path.join("tests/aot");
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let names = files::walk(&dir)?.into_iter().filter(|file| file.to_string_lossy().ends_with("_cases.json"));
    Ok(names.map(|name| dir.join(name)).collect())
}

fn of_file(
    cx: &mut Ctx,
    plan: &Plan,
    vendor: &Path,
    (file, mut cases): (&Path, Vec<Case>),
    options: &RunOptions,
) -> Result<Vec<ResultRow>> {
    cases.retain(|case| options.name.is_none_or(|name| name == case.case_name));
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    cx.console.say("Running", format!("{} of {}", number(cases.len(), "case"), cx.project.show(file)));
    let dir = cx.project.work().join("optest").join(&stem);
    files::remove_dir_if_there(&dir)?;
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let known = header::of_package(&vendor.join("op_api/include"))?;
    let python_path = vec![tools::numpy(cx)?, tools::ml_dtypes(cx)?];
    let (mut job, mut refused) = (
        Job {
            python_path,
            library: vendor.join("op_api/lib/libcust_opapi.so"),
            seed: options.seed,
            keep: options.keep,
            edges: runner::EDGES,
            cases: Vec::new(),
        },
        Vec::new(),
    );
    for case in &cases {
        match prepare(file, &dir, case, &known, options) {
            Ok(prepared) => job.cases.push(prepared),
            Err(error) => refused.push((case.case_name.clone(), format!("{error:#}"))),
        }
    }
    let ran = cx.step(&format!("optest {stem}"), |cx| runner::run(cx, plan, vendor, &dir, &job))?;
    let mut ran = job.cases.iter().zip(ran).collect::<Vec<_>>();
    let (mut rows, mut results) = (Vec::new(), case_results::CaseResults::default());
    for case in &cases {
        let found = ran.iter().position(|(prepared, _)| prepared.name == case.case_name).map(|at| ran.remove(at));
        let (interface, outcome) = match found {
            Some((prepared, outcome)) => (prepared.interface.clone(), outcome),
            None => {
                let why = refused.iter().find(|(name, _)| *name == case.case_name).map(|(_, why)| why.clone());
                (interface_of(case, options), Err(why.unwrap_or_default()))
            }
        };
        let new = compare(case, &interface, &outcome, options)?;
        new.iter().filter(|row| options.verbose || !row.passed()).for_each(|row| out!("{}", row.line()));
        results.note(case, &interface, &outcome, &new);
        rows.extend(new);
        if !options.keep {
            files::remove_dir_if_there(&dir.join(&case.case_name))?;
        }
    }
    if let Some(op) = plan.ops.iter().find(|op| file.starts_with(&op.path)).filter(|_| options.whole) {
        results.keep(cx, plan, op, file, options);
    }
    let result = dir.join("result.csv");
    files::write_if_changed(&result, result_row::csv(&rows).as_bytes())?;
    cx.console.say("Wrote", cx.project.show(&result));
    cx.run.artifact(&result, None);
    Ok(rows)
}

fn interface_of(case: &Case, options: &RunOptions) -> String {
    options.interface.map_or_else(|| format!("aclnn{}", case.op_name), str::to_owned)
}

/// The runner's form of a case.
fn prepare(file: &Path, dir: &Path, case: &Case, known: &Interfaces, options: &RunOptions) -> Result<PreparedCase> {
    let interface = interface_of(case, options);
    let Some(params) = known.get(&interface) else {
        let names = known.keys().cloned().collect::<Vec<_>>().join(", ");
        anyhow::bail!(
            "no header of the package declares {interface}GetWorkspaceSize; --interface names one of: {names}"
        );
    };
    let arguments = arguments::bind(params, case).map_err(|why| anyhow::anyhow!("{interface}: {why}"))?;
    let named = |name: &str| Dtype::named(name).with_context(|| format!("no data type {name}"));
    let optional = |text: &str| (!text.is_empty()).then(|| case::beside(text, file)).transpose();
    let function = |text: &str| (!text.is_empty()).then(|| case::function(text, file)).transpose();
    let mut inputs = Vec::new();
    for input in &case.input_desc {
        let dtype = named(&input.data_type)?;
        inputs.push(Operand {
            name: input.name.clone(),
            dtype: dtype.name,
            number: dtype.number,
            shape: input.shape.clone(),
            range: input.value_range.unwrap_or_default(),
            file: optional(&input.data_path)?,
        });
    }
    let mut outputs = Vec::new();
    for output in &case.output_desc {
        let dtype = named(&output.data_type)?;
        let golden_file = if case.expect_func.is_empty() { optional(&output.golden_path)? } else { None };
        outputs.push(ExpectedOutput {
            name: output.name.clone(),
            dtype: dtype.name,
            number: dtype.number,
            shape: output.shape.clone(),
            shape_function: function(&output.shape_depend)?,
            golden_file,
        });
    }
    Ok(PreparedCase {
        name: case.case_name.clone(),
        dir: dir.join(&case.case_name),
        interface,
        arguments,
        golden: function(&case.expect_func)?,
        inputs,
        outputs,
        attrs: case.attr_desc.iter().map(|attr| Attribute { value: attr.value.clone() }).collect(),
    })
}

fn compare(
    case: &Case,
    interface: &str,
    outcome: &runner::CaseOutcome,
    options: &RunOptions,
) -> Result<Vec<ResultRow>> {
    let row = |standard, output, found| ResultRow {
        case: case.case_name.clone(),
        interface: interface.to_owned(),
        output,
        standard,
        // The other standards are reported next to it.
        must_fail: standard == Standard::Ascendoptest && case.must_fail(),
        found,
    };
    let stored = match outcome {
        Ok(stored) => stored,
        Err(why) => {
            return Ok(options.standards.iter().map(|standard| row(*standard, None, Err(why.clone()))).collect());
        }
    };
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let mut rows = Vec::new();
    for (output, stored) in case.output_desc.iter().zip(stored) {
        let (result, golden) = (read(&stored.result)?, read(&stored.golden)?);
        let dtype = Dtype::named(&output.data_type).with_context(|| format!("no data type {}", output.data_type))?;
        for &standard in options.standards {
            let found = match Dtype::named(&stored.golden_dtype) {
                Some(of_golden) => standard.compare(dtype, &result, (of_golden, &golden), output.threshold()),
                None => Err(format!("the golden is {}, the output {}", stored.golden_dtype, dtype.name)),
            };
            rows.push(row(standard, Some((output.name.clone(), dtype.name, stored.shape.clone())), found));
        }
    }
    Ok(rows)
}

fn judge(rows: &[ResultRow]) -> Done {
    let bad: Vec<&str> = rows.iter().filter(|row| !row.passed()).map(|row| row.case.as_str()).collect();
    let last = format!("{} passed, {} failed", rows.len() - bad.len(), bad.len());
    let done = Done::with(&OptestResult { results: rows.iter().map(ResultRow::outcome).collect() }).last_line(last);
    if bad.is_empty() {
        let beyond = rows.iter().filter(|row| row.must_fail).count();
        let within = match beyond {
            0 => "all within their limits".to_owned(),
            _ => format!("{} within their limits, {beyond} beyond them as expected", rows.len() - beyond),
        };
        return done.verdict(format!("optest: {}, {within}", number(rows.len(), "result")));
    }
    let message = format!("{} of {} results failed: {}", bad.len(), rows.len(), bad.join(", "));
    done.failed(failed(Kind::Tests, message).hint("result.csv has the limits and the first bad element; --case NAME --keep keeps the numbers, --check looks for what a device would not report"))
}

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;
