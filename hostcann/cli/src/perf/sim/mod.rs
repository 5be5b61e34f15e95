//! `sim`: what the launches of a program would cost on the chip, by the toolkit's timing model.

mod advice;
mod error_bar;
mod events;
pub mod launch;
mod page;
mod params;
mod rows;
mod sources;
mod summary;
pub mod table;

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::base::args::{OpArgs, TimeArgs};
use crate::base::chips;
use crate::base::ctx::Ctx;
use crate::base::diag::{self, HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::plural::number;
use crate::base::proc;
use crate::base::report::{SimLaunch, SimResult, SimRun};
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::package;
use crate::package::install::{self, InstallOptions};
use crate::run::example::{self, Example, RunOptions};
use crate::run::shell;
use crate::toolchain::around;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::{Root, RootKind};
use launch::{Launch, Run};
use sources::Sources;

const HELP: &str = "\
Examples:
  cargo xtask sim
  cargo xtask sim --op-dir ../my_ops/add_example --soc=Ascend910B4 --cold
  cargo xtask sim --example aclnn_add_example --html target/add.html
  cargo xtask sim --trace target/add.json --core 0-3      # for chrome://tracing and ui.perfetto.dev
  cargo xtask sim --csv target/add.csv                    # columns of msprof's op_summary
  cargo xtask sim -- ./my_program --size 4096             # any program; nothing is built
  cargo xtask sim --params                                # every parameter of the model with its source

Nothing here is measured: all times come from a model; see docs/guides/simulating.md.";

/// Predict launch times with a timing model
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Sim {
    #[command(flatten)]
    op: OpArgs,
    #[command(flatten)]
    time: TimeArgs,
    /// Run only the example test_<NAME>.cpp
    #[arg(long, alias = "example_name", alias = "example-name", value_name = "NAME", conflicts_with = "command")]
    example: Option<String>,
    /// Assume code and data in the caches, as after many equal launches [default]
    #[arg(long, conflicts_with_all = ["cold", "eager"])]
    warm: bool,
    /// Assume data in the L2 and code in no cache, as between other kernels of an eager framework
    #[arg(long, conflicts_with = "cold")]
    eager: bool,
    /// Assume neither code nor data in a cache, as in a first launch
    #[arg(long)]
    cold: bool,
    /// Run every block of a launch [default]
    #[arg(long, conflicts_with = "sampled")]
    full: bool,
    /// Run some blocks of a large launch and extrapolate the others: faster, but without their results
    #[arg(long)]
    sampled: bool,
    /// Write the launches as rows with the columns of op_summary
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write timelines in Chrome's trace-event format
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write a self-contained page: timelines, pipe utilisation, roofline, unified-buffer map
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Show these cores in --trace and --html: numbers and ranges, or `all`
    #[arg(long, value_name = "CORES", default_value = "0", value_parser = cores)]
    core: String,
    /// Show every launch in detail, not only the slowest
    #[arg(long)]
    all: bool,
    /// Print the model's parameters and their sources, and exit
    #[arg(long, exclusive = true)]
    params: bool,
    /// Run this program with its arguments, the toolkit and the installed packages
    #[arg(last = true, value_name = "CMD", conflicts_with_all = ["ops", "op_dir"])]
    command: Vec<OsString>,
}

/// What ran, what failed, and where sources may lie.
type Simulated = (Vec<Run>, Vec<String>, Vec<PathBuf>);

impl Sim {
    /// Cores that the chip does not have.
    fn check_cores(&self, cx: &Ctx) -> Result<()> {
        let asked = std::env::var("HOSTCANN_SOC").ok().filter(|soc| !soc.is_empty());
        let soc = asked.as_deref().or(self.op.soc.first().map(String::as_str)).unwrap_or(chips::DEFAULT);
        let known = chips::of(&cx.project.home)?;
        let Some(chip) = chips::find(&known, soc).filter(|chip| chip.vector_cores > 0) else { return Ok(()) };
        let first = |part: &str| part.split('-').next().and_then(|core| core.parse::<u32>().ok());
        let cores = self.core.split('+').filter_map(first);
        match cores.max().filter(|core| *core >= chip.vector_cores) {
            None => Ok(()),
            Some(core) => {
                let last = chip.vector_cores - 1;
                Err(failed(Kind::Usage, format!("--core {core}: {} has the vector cores 0 to {last}", chip.name))
                    .hint("--core takes numbers and ranges such as 0-3,7, or `all`"))
            }
        }
    }

    /// Before the name of the file in HOSTCANN_SIM.
    fn words(&self) -> String {
        let caches = match (self.cold, self.eager) {
            (true, _) => "cold",
            (_, true) => "eager",
            _ => "warm",
        };
        let mut words = vec![caches.to_owned(), "what-if".to_owned()];
        words.extend(self.sampled.then(|| "sampled".to_owned()));
        if self.trace.is_some() || self.html.is_some() {
            words.push(format!("trace={}", self.core));
        }
        words.join(",")
    }

    /// Builds, packages, installs and runs; programs that failed, too.
    fn examples(&self, cx: &mut Ctx) -> Result<Simulated> {
        let plan = Plan::new(cx, &self.op)?;
        let chosen = example::choose(&plan, self.example.as_deref())?;
        let run = package::package(cx, &plan)?;
        let vendor = install::install(cx, &plan, &run, &InstallOptions::default())?;
        cx.run.limit(&self.time);
        let words = self.words();
        let options = RunOptions { soc: self.op.soc.first(), sim: Some(&words), ..RunOptions::default() };
        let results = example::run_all(cx, &plan, &vendor, &chosen, &options)?;
        let run = |name: String| -> Result<Run> {
            let launches = read(&example::predictions(cx, &name))?;
            Ok(Run { program: name, launches })
        };
        let runs = chosen.iter().map(Example::name).map(run).collect::<Result<Vec<_>>>()?;
        let dirs = plan.ops.iter().map(|op| op.path.clone()).collect();
        Ok((runs, results.into_iter().filter(|ran| !ran.ok).map(|ran| ran.name).collect(), dirs))
    }

    /// Of a program: where it was started, where it lies, and the operators of this repository.
    fn source_dirs(&self, cx: &Ctx) -> Vec<PathBuf> {
        let here = cx.run.sh.current_dir();
        let own = self.command.first().and_then(|program| here.join(program).parent().map(Path::to_path_buf));
        let ops = around::ops(cx).unwrap_or_default().into_iter().map(|op| op.path);
        let mut dirs: Vec<PathBuf> = [here].into_iter().chain(own).chain(ops).collect();
        dirs.sort();
        dirs.dedup();
        dirs
    }

    fn program(&self, cx: &mut Ctx) -> Result<Simulated> {
        let (program, args) = self.command.split_first().context("there is a command")?;
        let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Others may run the same program meanwhile.
        let own = format!("{name}-{}", std::process::id());
        let file = example::predictions(cx, &own);
        files::remove_file_if_there(&file)?;
        let sh = cx.run.sh.clone();
        let mut line = sh.cmd(program).args(args).envs(shell::variables(cx)?);
        line = line.env("HOSTCANN_SIM", format!("{}:{}", self.words(), file.display()));
        if let Some(soc) = self.op.soc.first() {
            line = line.env("HOSTCANN_SOC", soc);
        }
        cx.run.limit(&self.time);
        cx.console.say("Running", &name);
        let outcome = cx.step(&name, |cx| proc::talk_to(cx, &own, line)).map_err(|error| match diag::kind(&error) {
            Some(Kind::Tool) => shell::not_run(program, ErrorKind::NotFound.into()),
            _ => error,
        })?;
        let failures = if outcome.ok { Vec::new() } else { vec![format!("{name} ({})", outcome.status)] };
        let launches = read(&file);
        [file, cx.project.log_file(&own)].iter().try_for_each(|file| files::remove_file_if_there(file))?;
        let dirs = self.source_dirs(cx);
        Ok((vec![Run { program: name, launches: launches? }], failures, dirs))
    }

    fn show(&self, cx: &mut Ctx, runs: &[Run], sources: &Sources) -> Result<SimResult> {
        let launches = || runs.iter().flat_map(|run| run.launches.iter().cloned()).collect::<Vec<_>>();
        if (self.trace.is_some() || self.html.is_some())
            && let Some(message) = no_timelines(&self.core, &launches())
        {
            cx.console.warn(message);
        }
        let slowest = slowest(runs);
        for (number, run) in runs.iter().enumerate() {
            let wanted = |at: &usize| self.all || slowest == Some((number, *at));
            let details: Vec<usize> = (0..run.launches.len()).filter(wanted).collect();
            out!("{}", table::text(&run.program, &run.launches, &details));
        }
        let count = launches().len();
        if !self.all && count > 1 {
            out!("in detail: the slowest of {}; --all shows all", number(count, "launch"));
        }
        let reported = runs.iter().map(|run| {
            let launch = |(at, launch): (usize, &Launch)| SimLaunch {
                op_summary: summary::object(&run.program, at + 1, launch),
                model: launch.without_trace(),
            };
            SimRun { program: run.program.clone(), launches: run.launches.iter().enumerate().map(launch).collect() }
        });
        let result = SimResult { runs: reported.collect() };
        let mut write = |file: &Option<PathBuf>, text: &dyn Fn() -> String| -> Result<()> {
            let Some(file) = file else { return Ok(()) };
            files::write_if_changed(file, text().as_bytes())?;
            cx.console.say("Writing", cx.project.show(file));
            cx.run.artifact(file, None);
            Ok(())
        };
        write(&self.csv, &|| summary::of(runs))?;
        write(&self.trace, &|| events::of(&launches()).to_string())?;
        write(&self.html, &|| page::of(runs, sources))?;
        Ok(result)
    }
}

impl Verb for Sim {
    /// A program of one's own, and the parameters, need no build.
    fn writes(&self) -> bool {
        !self.params && self.command.is_empty()
    }

    fn check(&self, cx: &mut Ctx) -> Result<()> {
        if self.params {
            return Ok(());
        }
        let root = Root::choose(cx)?;
        if root.kind == RootKind::Cann {
            let message = format!("sim: {} is a real CANN; the model watches the host toolkit", root.path.display());
            return Err(failed(Kind::Usage, message).hint("with a device, msprof measures: docs/guides/real-cann.md"));
        }
        self.check_cores(cx)?;
        if self.writes() {
            let plan = Plan::check(cx, &self.op)?;
            example::choose(&plan, self.example.as_deref())?;
        }
        Ok(())
    }

    fn run(mut self, cx: &mut Ctx) -> Result<Done> {
        if self.params {
            return params::print(cx);
        }
        for file in [&mut self.csv, &mut self.trace, &mut self.html].into_iter().flatten() {
            *file = cx.run.sh.current_dir().join(&*file);
        }
        let (runs, failures, dirs) = if self.command.is_empty() { self.examples(cx)? } else { self.program(cx)? };
        let launches: usize = runs.iter().map(|run| run.launches.len()).sum();
        let done = match launches {
            0 => Done::plain(),
            _ => Done::with(&self.show(cx, &runs, &Sources::new(dirs))?),
        };
        if !failures.is_empty() {
            let message = format!("failed: {}; their results end where they did", failures.join(", "));
            return Ok(done.failed(failed(Kind::Tests, message).hint(
                "the lines above are the program's own; `cargo xtask example --check` says what a device would not",
            )));
        }
        if launches == 0 {
            return Err(failed(Kind::NoTests, "nothing was simulated: no kernel was launched")
                .hint("HOSTCANN_LOG=info names the kernels that a program launches"));
        }
        Ok(done.verdict(format!("sim: {} (model)", number(launches, "launch"))))
    }
}

/// Program and launch, each by number from 0.
fn slowest(runs: &[Run]) -> Option<(usize, usize)> {
    let all = runs.iter().enumerate().flat_map(|(run, one)| (0..one.launches.len()).map(move |at| (run, at)));
    let us = |(run, at): (usize, usize)| runs[run].launches[at].task_us;
    all.fold(None, |best, one| if best.is_none_or(|best| us(one) > us(best)) { Some(one) } else { best })
}

/// Where no launch ran on a core whose timeline was asked for.
fn no_timelines(cores: &str, launches: &[Launch]) -> Option<String> {
    let blocks = launches.iter().map(|launch| launch.blocks).max()?;
    launches.iter().all(|launch| launch.trace.is_empty()).then(|| {
        let cores = cores.replace('+', ",");
        format!("--core {cores}: there are no timelines, since no launch has more than {}", number(blocks, "block"))
    })
}

/// A program that launched nothing has written nothing.
pub fn read(file: &Path) -> Result<Vec<Launch>> {
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    launch::read(&text)
}

/// `0-3,7` or `all`, as HOSTCANN_SIM requires it: `0-3+7`.
fn cores(text: &str) -> Result<String, String> {
    let number = |text: &str| text.parse::<u32>().ok();
    let good = |part: &str| match part.split_once('-') {
        Some((from, to)) => matches!((number(from), number(to)), (Some(from), Some(to)) if from <= to),
        None => number(part).is_some(),
    };
    if text == "all" || text.split(',').all(good) {
        return Ok(text.replace(',', "+"));
    }
    Err("expected numbers and ranges such as 0-3,7, or `all`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        sim: Sim,
    }

    fn words(line: &[&str]) -> String {
        let line = Line::try_parse_from([&["sim"], line].concat()).unwrap_or_else(|error| panic!("{error}"));
        line.sim.words()
    }

    #[test]
    fn cores_that_no_launch_has_are_named() {
        let launch = |blocks, traces| Launch { blocks, trace: vec![Default::default(); traces], ..Launch::default() };
        assert_eq!(no_timelines("0", &[]), None);
        assert_eq!(no_timelines("8-9", &[launch(4, 0), launch(9, 1)]), None);
        assert_eq!(
            no_timelines("8+9", &[launch(1, 0), launch(1, 0)]).as_deref(),
            Some("--core 8,9: there are no timelines, since no launch has more than 1 block")
        );
    }

    #[test]
    fn flags_become_words_for_the_toolkit() {
        assert_eq!(words(&[]), "warm,what-if");
        assert_eq!(words(&["--eager"]), "eager,what-if");
        assert_eq!(words(&["--cold", "--sampled", "--csv=x"]), "cold,what-if,sampled");
        assert_eq!(words(&["--warm", "--trace=x", "--core=0-3,7"]), "warm,what-if,trace=0-3+7");
        assert_eq!(words(&["--html=x", "--core=all"]), "warm,what-if,trace=all");
    }

    #[test]
    fn what_goes_together() {
        let fails = |line: &[&str]| Line::try_parse_from([&["sim"], line].concat()).is_err();
        assert!(fails(&["--warm", "--cold"]) && fails(&["--warm", "--eager"]) && fails(&["--eager", "--cold"]));
        assert!(fails(&["--full", "--sampled"]) && fails(&["--params", "--cold"]));
        assert!(fails(&["--op-dir=x", "--", "./program"]) && !fails(&["--soc=Ascend910B1", "--", "./program", "-x"]));
        assert!(fails(&["--core=3-1"]) && fails(&["--core=x"]) && fails(&["--core="]));
    }
}
