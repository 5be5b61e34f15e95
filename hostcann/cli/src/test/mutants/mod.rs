//! `test --only mutants`: faults put one by one into a copy of the op, each of which a named test must notice.
//!
//! The faults are data (`tests/mutants/<op>`, see [`entry`]). The op's own directory and the installed package are not
//! touched. What was killed before is not run again until the op, the tests, the toolkit or the fault itself changes.

mod entry;
mod subject;
mod workshop;

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::base::count::Count;
use crate::base::ctx::Ctx;
use crate::base::diag::{self, HintExt, Kind, failed};
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::report::MutantOutcome;
use crate::base::sources;
use crate::base::term::out;
use crate::run::companion;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::Root;

use entry::{Expect, Killer, Mutant};
use subject::{Program, Subject, Verdict};
use workshop::Workshop;

/// A test that the op without a fault passes in T may be silent for 10 T and this with a mutant.
const PATIENCE: Duration = Duration::from_secs(60);

enum Fate {
    Killed {
        build: f64,
        test: f64,
    },
    /// Killed in an earlier run, and nothing has changed since.
    Known,
    Survived,
    /// Neither killed nor survived: it does not build, or its test does not run.
    Broken(String),
    Equivalent,
}

/// How many were noticed, and each by name.
type Ran = (Count, Vec<MutantOutcome>);

pub fn run(cx: &mut Ctx, plan: &Plan, filter: Option<&str>, again: bool) -> Result<Ran> {
    let (mut count, mut rows) = (Count::default(), Vec::new());
    for op in &plan.ops {
        let ran = of_op(cx, plan, op, filter, again)?;
        count += ran.0;
        rows.extend(ran.1);
    }
    Ok((count, rows))
}

fn of_op(cx: &mut Ctx, plan: &Plan, op: &OpDir, filter: Option<&str>, again: bool) -> Result<Ran> {
    let dir = cx.project.root.join("tests/mutants").join(&op.name);
    if !dir.is_dir() {
        return Err(failed(
            Kind::Tests,
            format!("there are no mutants of {}: {} is missing", op.name, cx.project.show(&dir)),
        )
        .hint("a mutant is a text to replace and the test that must notice; see tests/mutants/README.md"));
    }
    let all = entry::read_dir(&dir)?;
    let chosen: Vec<&Mutant> =
        all.iter().filter(|mutant| filter.is_none_or(|filter| mutant.name.contains(filter))).collect();
    if chosen.is_empty() {
        let filter = filter.unwrap_or_default();
        return Err(failed(Kind::Tests, format!("no mutant of {} has `{filter}` in its name", op.name))
            .hint(format!("their names are in {}", cx.project.show(&dir))));
    }
    let chosen: Vec<&Mutant> =
        chosen.into_iter().filter(|mutant| cx.run.takes(&format!("mutants {}", mutant.name))).collect();
    if chosen.is_empty() {
        return Ok(Ran::default());
    }
    let bench = Bench::open(cx, plan, op, (&all, &chosen), again)?;
    let mut fates = Vec::new();
    for (index, mutant) in chosen.iter().enumerate() {
        let fate = bench.try_out(cx, mutant)?;
        cx.console.say(verb(&fate), format!("{}/{} {}: {}", index + 1, chosen.len(), mutant.name, what(mutant, &fate)));
        fates.push((*mutant, fate));
    }
    // Leaves libraries without a fault behind, not a surprise for whoever looks into the build directory.
    bench.workshop.build(cx, Some(&[]))?;
    Ok(table(&fates))
}

/// The workshop, the programs that run in it, and how long their tests take without a fault.
struct Bench {
    workshop: Workshop,
    programs: BTreeMap<String, Program>,
    usual: BTreeMap<(Subject, Vec<(String, String)>), Duration>,
    variables: Vec<(String, String)>,
    /// What every result depends on beside the mutant.
    sources: String,
    /// What was killed before does not count.
    again: bool,
}

impl Bench {
    fn open(
        cx: &mut Ctx,
        plan: &Plan,
        op: &OpDir,
        (all, chosen): (&[Mutant], &[&Mutant]),
        again: bool,
    ) -> Result<Bench> {
        cx.console.say("Copying", format!("{} without its faults", op.name));
        let workshop = Workshop::open(cx, plan, op)?;
        // All of them, also when a few are chosen: they are to keep in step with the sources.
        for mutant in all {
            workshop.faulty(mutant)?;
        }
        let mut digest = String::new();
        for dir in ["tests/src", "tests/tests", "tests/cases"] {
            digest.push_str(&files::tree_hash(&cx.project.root.join(dir))?);
        }
        digest.push_str(&sources::of_toolkit(&cx.project.root)?);
        digest.push_str(&files::tree_hash(&op.path)?);
        let variables = environment(&plan.root, &workshop);
        let mut bench =
            Bench { workshop, programs: BTreeMap::new(), usual: BTreeMap::new(), variables, sources: digest, again };
        let killers: Vec<&Killer> =
            chosen.iter().filter(|mutant| !bench.is_known(cx, mutant)).filter_map(|mutant| killer(mutant)).collect();
        let mut names: Vec<&str> = killers
            .iter()
            .filter(|killer| killer.subject.unit().is_none())
            .map(|killer| killer.subject.program.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        bench.programs = subject::programs(cx, plan, &names)?;
        for killer in killers {
            bench.without_fault(cx, killer)?;
        }
        Ok(bench)
    }

    /// A test that fails without a fault kills nothing: it gets no usual time, and its mutants count as broken.
    fn without_fault(&mut self, cx: &mut Ctx, killer: &Killer) -> Result<()> {
        let key = (killer.subject.clone(), killer.variables.clone());
        if self.usual.contains_key(&key) {
            return Ok(());
        }
        let program = self.program(cx, killer)?;
        let start = Instant::now();
        let verdict = self.run(cx, &program, killer, cx.run.limit_of_programs())?;
        if verdict != Verdict::Passed {
            cx.console.warn(format!("{} without a fault: {verdict:?}", killer.subject));
            return Ok(());
        }
        cx.console
            .say("Passed", format!("{} without a fault in {:.1} s", killer.subject, start.elapsed().as_secs_f64()));
        self.usual.insert(key, start.elapsed());
        Ok(())
    }

    fn program(&self, cx: &mut Ctx, killer: &Killer) -> Result<Program> {
        match killer.subject.unit() {
            Some(unit) => self.workshop.unit_tests(cx, unit),
            None => self.programs.get(&killer.subject.program).cloned().context("every program was built"),
        }
    }

    fn run(&self, cx: &Ctx, program: &Program, killer: &Killer, limit: Option<Duration>) -> Result<Verdict> {
        let variables: Vec<_> = self.variables.iter().chain(&killer.variables).cloned().collect();
        subject::run(cx, program, &killer.subject, &variables, limit)
    }

    fn try_out(&self, cx: &mut Ctx, mutant: &Mutant) -> Result<Fate> {
        let Some(killer) = killer(mutant) else { return Ok(Fate::Equivalent) };
        if self.is_known(cx, mutant) {
            return Ok(Fate::Known);
        }
        let Some(usual) = self.usual.get(&(killer.subject.clone(), killer.variables.clone())) else {
            return Ok(Fate::Broken(format!("{} does not pass without a fault", killer.subject)));
        };
        self.workshop.spoil(mutant)?;
        let fate = cx.step(&mutant.name, |cx| self.judge(cx, mutant, killer, *usual));
        self.workshop.restore(mutant)?;
        let fate = fate?;
        if matches!(fate, Fate::Killed { .. }) {
            files::write_if_changed(&self.record(cx, mutant), self.state(mutant).as_bytes())?;
        }
        Ok(fate)
    }

    fn judge(&self, cx: &mut Ctx, mutant: &Mutant, killer: &Killer, usual: Duration) -> Result<Fate> {
        let start = Instant::now();
        let program = match self.build(cx, mutant, killer) {
            Ok(program) => program,
            Err(error) => {
                diag::show(&error);
                let why = match diag::kind(&error) {
                    Some(Kind::Stopped) => "its build was stopped",
                    _ => "it does not build",
                };
                return Ok(Fate::Broken(why.to_owned()));
            }
        };
        let build = start.elapsed().as_secs_f64();
        if killer.subject.unit().is_none() && !self.workshop.is_spoilt()? {
            return Ok(Fate::Broken("the package is the same as without it".to_owned()));
        }
        let verdict = self.run(cx, &program, killer, Some(usual * 10 + PATIENCE))?;
        let test = start.elapsed().as_secs_f64() - build;
        Ok(match verdict {
            Verdict::Failed => Fate::Killed { build, test },
            Verdict::Passed => Fate::Survived,
            Verdict::NotRun(why) => Fate::Broken(format!("{} did not run: {why}", killer.subject)),
            Verdict::TimedOut(why) => Fate::Broken(format!("{} did not end: {why}", killer.subject)),
        })
    }

    /// Unit tests compile the op's sources themselves.
    fn build(&self, cx: &mut Ctx, mutant: &Mutant, killer: &Killer) -> Result<Program> {
        if killer.subject.unit().is_none() {
            let none: &[String] = &[];
            let kernels = if mutant.file.starts_with("op_kernel/") { killer.kernels.as_deref() } else { Some(none) };
            self.workshop.build(cx, kernels)?;
        }
        self.program(cx, killer)
    }

    fn state(&self, mutant: &Mutant) -> String {
        files::sha256(format!("{}{mutant:?}", self.sources).as_bytes())
    }

    fn record(&self, cx: &Ctx, mutant: &Mutant) -> std::path::PathBuf {
        cx.project.work().join("mutants/killed").join(&mutant.name)
    }

    fn is_known(&self, cx: &Ctx, mutant: &Mutant) -> bool {
        !self.again && fs::read_to_string(self.record(cx, mutant)).is_ok_and(|state| state == self.state(mutant))
    }
}

fn killer(mutant: &Mutant) -> Option<&Killer> {
    match &mutant.expect {
        Expect::Killed(killer) => Some(killer),
        Expect::Equivalent(_) => None,
    }
}

/// The toolkit as for every other layer, with the copy's package in front of the installed ones.
fn environment(root: &Root, workshop: &Workshop) -> Vec<(String, String)> {
    let text = |path: &std::path::Path| path.display().to_string();
    [
        ("ASCEND_HOME_PATH", text(&root.path)),
        ("ASCEND_TOOLKIT_HOME", text(&root.path)),
        ("ASCEND_OPP_PATH", text(&root.opp())),
        ("ASCEND_CUSTOM_OPP_PATH", text(&workshop.vendor)),
        ("LD_LIBRARY_PATH", text(&root.lib64())),
        (companion::OP_DIR, text(workshop.op_dir())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn verb(fate: &Fate) -> &'static str {
    match fate {
        Fate::Killed { .. } => "Killed",
        Fate::Known => "Fresh",
        Fate::Survived => "SURVIVED",
        Fate::Broken(_) => "BROKEN",
        Fate::Equivalent => "Equivalent",
    }
}

fn what(mutant: &Mutant, fate: &Fate) -> String {
    let test = killer(mutant).map(|killer| killer.subject.to_string()).unwrap_or_default();
    match fate {
        Fate::Killed { build, test: seconds } => format!("by {test} (build {build:.1} s, test {seconds:.1} s)"),
        Fate::Known => format!("killed by {test} before, nothing has changed"),
        Fate::Survived => format!("{test} does not notice that {}", mutant.why),
        Fate::Broken(why) => why.clone(),
        Fate::Equivalent => match &mutant.expect {
            Expect::Equivalent(proof) => proof.clone(),
            Expect::Killed(_) => String::new(),
        },
    }
}

fn table(fates: &[(&Mutant, Fate)]) -> Ran {
    let mut count = Count::default();
    let mut rows = Vec::new();
    for (mutant, fate) in fates {
        let (word, build, test) = match fate {
            Fate::Killed { build, test } => ("killed", Some(*build), Some(*test)),
            Fate::Known => ("killed before", None, None),
            Fate::Survived => ("SURVIVED", None, None),
            Fate::Broken(_) => ("BROKEN", None, None),
            Fate::Equivalent => ("equivalent", None, None),
        };
        match fate {
            Fate::Killed { .. } | Fate::Known => count.passed += 1,
            Fate::Survived | Fate::Broken(_) => count.failed += 1,
            Fate::Equivalent => {}
        }
        rows.push(MutantOutcome {
            name: mutant.name.clone(),
            file: mutant.file.clone(),
            why: mutant.why.clone(),
            result: word.to_owned(),
            test: killer(mutant).map(|killer| killer.subject.to_string()),
            build_s: build,
            test_s: test,
        });
    }
    show(&rows);
    (count, rows)
}

/// A line for each.
pub fn show(rows: &[MutantOutcome]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    out!("");
    for MutantOutcome { name, result, test, build_s, test_s, .. } in rows {
        let seconds = |part: &Option<f64>| part.map(|part| format!("{part:6.1} s")).unwrap_or_default();
        let test = test.as_deref().unwrap_or_default();
        out!("  {name:width$}  {result:13} {:>8} {:>8}  {test}", seconds(build_s), seconds(test_s));
    }
}
