//! What every verb gets: the project that it is in, the console, and the run.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use crate::base::annotate;
use crate::base::args::Global;
use crate::base::checks;
use crate::base::console::Console;
use crate::base::diag;
use crate::base::done::Done;
use crate::base::lock::{Lock, Scope};
use crate::base::pieces::{self, Piece};
use crate::base::plural::number;
use crate::base::program;
use crate::base::project::Project;
use crate::base::report::{Report, SCHEMA, Step};
use crate::base::revision::Revision;
use crate::base::run::Run;
use crate::base::term::{self, out};

pub struct Ctx {
    pub project: Project,
    pub console: Console,
    pub run: Run,
}

impl Ctx {
    /// # Errors
    /// There is no repository, or no current directory.
    pub fn new(verb: &str, global: &Global) -> Result<Ctx> {
        let console = Console::new(global);
        let mut cx = Ctx { project: Project::here()?, run: Run::new(verb)?, console };
        if annotate::is_wanted() {
            cx.run.keep_findings(&cx.project)?;
        }
        Ok(cx)
    }

    /// For work on one operator among others: in a directory of its own, with a report that nobody reads.
    pub fn apart(&self, place: PathBuf) -> Ctx {
        Ctx { project: self.project.apart(place), console: Console::default(), run: self.run.apart() }
    }

    /// Held until it is dropped; waits for another run in this checkout. That time is not this run's.
    pub fn lock(&mut self, scope: Scope) -> Result<Lock> {
        self.project.create(&self.project.products())?;
        let lock = Lock::take(&self.project.products(), scope, &self.run.verb, &self.run.sh)?;
        self.run.start += lock.waited;
        Ok(lock)
    }

    /// Work that is done again later, and says then what there is to say.
    pub fn muted<T>(&mut self, work: impl FnOnce(&mut Ctx) -> T) -> T {
        self.console.muted = true;
        let result = work(self);
        self.console.muted = false;
        result
    }

    /// Runs one step and records its time.
    pub fn step<T>(&mut self, name: &str, work: impl FnOnce(&mut Ctx) -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = work(self);
        let elapsed_s = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        self.run.steps.push(Step { name: name.to_owned(), ok: result.is_ok(), elapsed_s });
        result
    }

    /// From here on results are of the commit that is there now.
    pub fn note_revision(&mut self) {
        self.run.revision = Revision::of(&self.project.root);
    }

    fn annotate(&self) {
        let found = self.run.findings.as_deref().map(checks::read_findings).unwrap_or_default();
        let ops = self.run.about.ops.as_deref().unwrap_or_default();
        term::annotations(annotate::findings(&found, ops));
    }

    fn tell_checks(&mut self) {
        let own = self.run.checks.as_ref().map(|checks| checks.so_far());
        // Those of other runs, merged.
        let Some(checked) = own.or(self.run.about.checked.take()) else { return };
        if checked.launches == 0 {
            self.console.warn("--check: no kernel was launched, nothing was checked");
        } else {
            out!("checked: {}, {}", number(checked.launches, "launch"), number(checked.findings, "finding"));
        }
        self.run.about.checked = Some(checked);
    }

    /// Prints and stores what a verb returned, and what the run left; the exit code of the process.
    pub fn finish(mut self, result: Result<Done>) -> ExitCode {
        let elapsed = self.run.start.elapsed().as_secs_f64();
        self.tell_checks();
        self.annotate();
        let Ctx { project, console, run } = self;
        let done = result.unwrap_or_else(|error| Done::plain().failed(error));
        let exit_code = match &done.judgement {
            Ok(()) => {
                if let Some(verdict) = &done.verdict {
                    console.say("Finished", format!("{verdict} in {elapsed:.1} s"));
                }
                0
            }
            Err(error) => diag::show(error),
        };
        if let Some(line) = &done.last_line {
            out!("{line}");
        }
        // A tree that changed meanwhile is no longer what the results are of.
        let revision = run.revision.map(|before| {
            let same = Revision::of(&project.root).as_ref() == Some(&before);
            Revision { clean: before.clean && same, ..before }
        });
        for piece in run.kept {
            let piece = Piece { revision: revision.clone(), arguments: arguments(), ..piece };
            if let Err(error) = pieces::write(&project, &piece) {
                console.warn(format!("{error:#}"));
            }
        }
        // A part is no run of the verb: what reads those must not find it.
        let names = match &run.part {
            Some((shard, part)) => vec![part.file(*shard)],
            None => [run.verb.as_str()].into_iter().chain(done.stored_as).map(str::to_owned).collect(),
        };
        let report = Report {
            schema: SCHEMA,
            command: Some(run.verb),
            sdk: run.sdk.map(str::to_owned),
            soc: run.soc,
            ok: done.judgement.is_ok(),
            exit_code,
            elapsed_s: (elapsed * 1000.0).round() / 1000.0,
            arguments: arguments(),
            revision,
            steps: run.steps,
            artifacts: run.artifacts,
            part: run.part.map(|(_, part)| part),
            error: done.judgement.as_ref().err().map(diag::failure),
            about: run.about,
            result: done.result,
        };
        store(&project, &console, &report, &names);
        term::annotations(annotate::rest());
        ExitCode::from(exit_code)
    }
}

fn store(project: &Project, console: &Console, report: &Report, names: &[String]) {
    let text = match serde_json::to_string_pretty(report) {
        Ok(text) => program::named(&text).into_owned(),
        Err(error) => return console.warn(format!("the report is no JSON: {error}")),
    };
    let dir = project.last();
    let write = |name: &String| fs::write(dir.join(format!("{name}.json")), &text);
    // What cleans leaves nothing.
    let stored = match report.command.as_deref() {
        Some("clean") => Ok(()),
        _ => project.create(&project.products()).and_then(|()| {
            fs::create_dir_all(&dir).and_then(|()| names.iter().try_for_each(write))?;
            Ok(())
        }),
    };
    // A report that cannot be stored must not hide the result of the run.
    if let Err(error) = stored {
        console.warn(format!("cannot write {} to {}: {error}", names.join(", "), dir.display()));
    }
    if console.json {
        term::json(&text);
    }
}

/// The command line after the program.
fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}
