//! `operators`: many operators, each built and tried by itself, and a table of what came of it.

mod digest;
mod one;
mod row;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::proc;
use crate::base::report::OperatorsResult;
use crate::base::shard::ShardArgs;
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::build::hostroot;
use crate::test::ut;
use crate::toolchain::part;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{Root, RootKind};
use crate::toolchain::select;
use crate::toolchain::tools;
use digest::Digests;
use row::Row;

const HELP: &str = "\
Examples:
  cargo xtask operators --repo ../ops-math --ops 'experimental/math/*' --soc=ascend910b
  cargo xtask operators --repo ../ops-math --ops acos,math/cdist_grad --only build,example
  cargo xtask operators --op-dir ../my_ops/add_example --op-dir ../my_ops/sqrt --timeout=120
  cargo xtask operators --repo ../ops-math --ops 'math/*' --shard 1/4    # a part; `cargo xtask merge` joins them

Each operator has its own build tree and package, so that none stops or changes another. A tried operator is skipped until
its sources, its dependencies or the toolkit change; a stopped one is tried again. target/xtask/operators holds the table
(operators.tsv, operators.md) and a directory with the logs of every operator. `cargo xtask package` puts several
operators into one package.";

/// Build and try many operators one by one, and tabulate what works
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Operators {
    #[command(flatten)]
    op: OpArgs,
    /// Run only these steps, after the build that each requires
    #[arg(long, value_delimiter = ',', value_name = "STEP")]
    only: Vec<Step>,
    /// Stop a build, an example or a kind of unit tests after this time without a line of output
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Try again even with unchanged operator and toolkit
    #[arg(long)]
    again: bool,
    /// Keep the build trees; a later run with --keep continues from them
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    part: ShardArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Step {
    Build,
    Example,
    /// Examples once more, every kernel launch checked
    Check,
    Ut,
}

/// What is done with each operator.
pub struct OperatorsOptions {
    pub op: OpArgs,
    pub steps: Vec<Step>,
    pub keep: bool,
}

impl OperatorsOptions {
    pub fn has(&self, step: Step) -> bool {
        self.steps.is_empty() || self.steps.contains(&step)
    }
}

/// One operator of the run.
struct Task {
    at: usize,
    op: PathBuf,
    /// As the table names it.
    name: String,
    place: PathBuf,
}

impl Operators {
    fn tasks(&self, cx: &Ctx) -> Result<Vec<Task>> {
        let checkout = self.op.checkout(&cx.project);
        let found = select::each(cx, &self.op)?;
        if found.is_empty() {
            return Err(failed(Kind::Usage, "operators: no operator is named")
                .hint("--op-dir PATH, or --repo DIR --ops 'experimental/math/*' of a checkout"));
        }
        let name = |op: &Path| match &checkout {
            Some(checkout) => select::shown(checkout, op),
            None => op.canonicalize().unwrap_or_else(|_| op.to_path_buf()).display().to_string(),
        };
        let task = |(at, op): (usize, PathBuf)| {
            let name = name(&op);
            // Operators of one name lie in several categories, and in several checkouts.
            let hash = files::sha256(op.as_os_str().as_encoded_bytes());
            let last = op.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Task { at, place: place(cx).join(format!("{last}-{}", &hash[..8])), name, op }
        };
        Ok(found.into_iter().enumerate().map(task).collect())
    }

    /// In the order of the tasks, whenever each is done.
    fn all(
        &self,
        cx: &Ctx,
        tasks: Vec<Task>,
        workers: usize,
        options: &OperatorsOptions,
        digests: &Digests,
    ) -> Result<Vec<Row>> {
        let total = tasks.len();
        let mut rows: Vec<Option<Row>> = vec![None; total];
        let queue = Mutex::new(VecDeque::from(tasks));
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let (sender, done) = mpsc::channel();
        // A shell cannot be shared, but copied.
        let contexts: Vec<Ctx> = (0..workers).map(|_| cx.apart(place(cx))).collect();
        std::thread::scope(|scope| {
            for context in contexts {
                let sender = sender.clone();
                scope.spawn(move || {
                    while let Some(task) = next() {
                        let result = one::or_known(&context, &task, options, digests, self.again);
                        if sender.send((task.at, result)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            for (count, (at, result)) in done.into_iter().enumerate() {
                let (row, known) = result?;
                let verb = if known { "Known" } else { "Tried" };
                cx.console.say(verb, format!("[{}/{total}] {}", count + 1, row.line()));
                rows[at] = Some(row);
            }
            anyhow::Ok(())
        })?;
        Ok(rows.into_iter().flatten().collect())
    }
}

impl Verb for Operators {
    fn check(&self, cx: &mut Ctx) -> Result<()> {
        cx.muted(|cx| self.tasks(cx))?;
        let root = Root::choose(cx)?;
        if root.is_host() {
            return Ok(());
        }
        let message = format!("operators: {} is a real CANN; this works with the host toolkit", root.path.display());
        Err(failed(Kind::Usage, message).hint("unset ASCEND_HOME_PATH, or use `cargo xtask example`"))
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let root = Root::choose(cx)?;
        root.announce(cx);
        let tasks = self.tasks_of_part(cx, &root)?;
        let jobs = proc::jobs(self.op.jobs);
        let workers = jobs.min(tasks.len()).max(1);
        let options = OperatorsOptions {
            op: OpArgs {
                jobs: u16::try_from((jobs / workers).max(1)).ok(),
                op_dir: Vec::new(),
                ops: Vec::new(),
                ops_math: None,
                ..self.op.clone()
            },
            steps: self.only.clone(),
            keep: self.keep,
        };
        prepare(cx, &root, jobs, &tasks, &options)?;
        cx.run.limit = Some(Duration::from_secs(self.timeout));
        let digests = Digests::new(cx, &root, &options)?;
        let rows = self.all(cx, tasks, workers, &options, &digests)?;
        finish(cx, rows)
    }
}

impl Operators {
    /// All of them, or those of `--shard`.
    fn tasks_of_part(&self, cx: &mut Ctx, root: &Root) -> Result<Vec<Task>> {
        let mut tasks = self.tasks(cx)?;
        if let Some(shard) = self.part.shard {
            part::begin(cx, "operators", shard, root, tasks.iter().map(|task| task.op.as_path()))?;
        }
        tasks.retain(|task| cx.run.takes(&task.name));
        for (at, task) in tasks.iter_mut().enumerate() {
            task.at = at;
        }
        Ok(tasks)
    }
}

/// The rows of all parts as one run would have shown them.
///
/// # Errors
/// Tables that cannot be written.
pub fn merge(cx: &mut Ctx, units: &[String], parts: Vec<OperatorsResult>) -> Result<Done> {
    let mut rows: Vec<Row> = parts.into_iter().flat_map(|part| part.operators).collect();
    rows.sort_by_key(|row| units.iter().position(|unit| *unit == row.op));
    finish(cx, rows)
}

fn finish(cx: &mut Ctx, rows: Vec<Row>) -> Result<Done> {
    let dir = place(cx);
    let (tsv, markdown) = (dir.join("operators.tsv"), dir.join("operators.md"));
    files::write_if_changed(&tsv, row::tsv(&rows).as_bytes())?;
    files::write_if_changed(&markdown, row::markdown(&rows).as_bytes())?;
    cx.run.artifact(&tsv, None);
    cx.run.artifact(&markdown, None);
    out!("{}", row::text(&rows));
    let (verdict, judgement) =
        (format!("operators: {} tried, table in {}", rows.len(), cx.project.show(&tsv)), judge(cx, &rows, &tsv));
    Ok(Done::with(&OperatorsResult { operators: rows }).verdict(verdict).judged(judgement))
}

/// What all of them share, built once: the toolkit, the tests' harness, numpy for their data.
fn prepare(cx: &mut Ctx, root: &Root, jobs: usize, tasks: &[Task], options: &OperatorsOptions) -> Result<()> {
    tools::need_compiler()?;
    let tools = tools::ensure(cx, false)?;
    let plan = Plan { debug: options.op.debug, ..Plan::of_toolkit(root.clone(), jobs) };
    if root.kind == RootKind::Embedded {
        cx.console.say("Building", format!("host toolkit ({})", cx.project.show(&root.path)));
        hostroot::assemble(cx, &plan, &tools)?;
    }
    if options.has(Step::Ut) {
        ut::harness(cx, &plan, &tools)?;
        let has_python = |task: &Task| {
            let dir = task.op.join("tests/ut");
            let python = |file: &PathBuf| file.extension().is_some_and(|name| name == "py");
            dir.is_dir() && files::walk(&dir).is_ok_and(|found| found.iter().any(python))
        };
        if tasks.iter().any(has_python) {
            tools::numpy(cx)?;
        }
    }
    let dir = place(cx);
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))
}

fn place(cx: &Ctx) -> PathBuf {
    cx.project.common_work().join("operators")
}

fn judge(cx: &mut Ctx, rows: &[Row], table: &Path) -> Result<()> {
    let names = |stopped: bool| -> Vec<&str> {
        let bad = rows.iter().filter(|row| row.stopped == stopped && (stopped || !row.is_good()));
        bad.map(|row| row.op.as_str()).collect()
    };
    let (bad, stopped) = (names(false), names(true));
    let of = |bad: &[&str]| format!("{} of {} operators", bad.len(), rows.len());
    if !stopped.is_empty() {
        let message = format!("{} were stopped from outside and are not judged: {}", of(&stopped), stopped.join(", "));
        if bad.is_empty() {
            return Err(failed(Kind::Stopped, message));
        }
        cx.console.warn(message);
    }
    if bad.is_empty() {
        return Ok(());
    }
    let message = format!("{} failed a step: {}", of(&bad), bad.join(", "));
    Err(failed(Kind::Tests, message)
        .hint(format!("{} says which; logs lie next to it, in a directory for every operator", cx.project.show(table))))
}
