//! What every verb gets: the repository, a shell, a printer and the report that becomes the JSON object.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};
use xshell::Shell;

use crate::base::args::{CheckArgs, Global, TimeArgs};
use crate::base::diag;
use crate::base::instrument;
use crate::base::kept::Piece;
use crate::base::lock::Lock;
use crate::base::plural::number;
use crate::base::program;
use crate::base::repo_root::repo_root;
use crate::base::revision::Revision;
use crate::base::term::{self, Colour, err, out};

#[derive(Serialize)]
struct Step {
    name: String,
    ok: bool,
    elapsed_s: f64,
}

pub struct Ctx {
    pub sh: Shell,
    /// Root of this repository.
    pub repo: PathBuf,
    pub verbose: bool,
    /// Build with a sanitizer, in a tree of its own.
    pub sanitize: Option<instrument::Build>,
    /// Compile only the kernels of these data types; the others stay as they are in the build directory.
    pub kernels: Option<Vec<String>>,
    /// How long one sub-tool or program may go without a line of output.
    pub limit: Option<Duration>,
    /// Of programs that are not ours: examples and unit tests.
    pub program_limit: Option<Duration>,
    /// Build trees and logs of one of many operators, instead of the common ones.
    place: Option<PathBuf>,
    verb: String,
    json: bool,
    /// Neither progress nor warnings are shown.
    muted: bool,
    start: Instant,
    steps: Vec<Step>,
    report: Map<String, Value>,
    artifacts: Vec<Value>,
    verdict: Option<String>,
    last_line: Option<String>,
    /// What the toolkit keeps count of checked launches in.
    checks: Option<PathBuf>,
    /// What this repository was when the run began.
    revision: Option<Revision>,
    /// A second name for the stored report.
    stored: Option<&'static str>,
    /// What the run found out about operators.
    kept: Vec<Piece>,
    /// Tests that have run since they were last asked for.
    named: Vec<(String, bool)>,
    /// A program did not come to its end.
    stopped: Cell<bool>,
}

impl Ctx {
    pub fn new(verb: &str, global: Global) -> Result<Ctx> {
        let repo = repo_root()?;
        let sh = Shell::new().context("cannot read the current directory")?;
        term::configure(global.json, global.quiet);
        Ok(Ctx { verbose: global.verbose, json: global.json, ..Ctx::bare(sh, repo, verb) })
    }

    /// For work on one operator among others: in a directory of its own, with a report that nobody reads.
    pub fn apart(&self, place: PathBuf) -> Ctx {
        let bare = Ctx::bare(self.sh.clone(), self.repo.clone(), &self.verb);
        Ctx { limit: self.limit, program_limit: self.program_limit, place: Some(place), ..bare }
    }

    fn bare(sh: Shell, repo: PathBuf, verb: &str) -> Ctx {
        Ctx {
            sh,
            repo,
            verbose: false,
            sanitize: None,
            kernels: None,
            limit: None,
            program_limit: None,
            place: None,
            verb: verb.to_owned(),
            json: false,
            muted: false,
            start: Instant::now(),
            steps: Vec::new(),
            report: Map::new(),
            artifacts: Vec::new(),
            verdict: None,
            last_line: None,
            checks: None,
            revision: None,
            stored: None,
            kept: Vec::new(),
            named: Vec::new(),
            stopped: Cell::new(false),
        }
    }

    pub fn is_apart(&self) -> bool {
        self.place.is_some()
    }

    /// `target/` of the repository. Not CARGO_TARGET_DIR: build scripts and users find tools and toolkit here.
    pub fn target(&self) -> PathBuf {
        self.repo.join(self.sanitize.as_ref().map_or("target".into(), instrument::Build::dir))
    }

    /// The pinned tools, whatever is built with them.
    pub fn tools(&self) -> PathBuf {
        self.repo.join("target/tools")
    }

    /// Where packages go.
    pub fn build_out(&self) -> PathBuf {
        if self.sanitize.is_some() { self.target().join("build_out") } else { self.repo.join("build_out") }
    }

    pub fn work(&self) -> PathBuf {
        self.place.clone().unwrap_or_else(|| self.common_work())
    }

    /// What operators share, also those that are built apart.
    pub fn common_work(&self) -> PathBuf {
        self.target().join("xtask")
    }

    pub fn log_file(&self, step: &str) -> PathBuf {
        self.work().join("log").join(format!("{step}.log"))
    }

    /// Shorter for the reader: relative to the repository when it lies inside.
    pub fn show(&self, path: &Path) -> String {
        path.strip_prefix(&self.repo).unwrap_or(path).display().to_string()
    }

    /// Held until it is dropped; waits for another run in this checkout.
    pub fn lock(&self) -> Result<Lock> {
        Lock::take(&self.repo.join("target"), &self.verb, &self.sh)
    }

    /// Whether stdout belongs to the JSON object.
    pub fn wants_json(&self) -> bool {
        self.json
    }

    /// One line in cargo's style.
    pub fn say(&self, verb: &str, text: impl AsRef<str>) {
        if !self.muted {
            term::say(verb, text.as_ref());
        }
    }

    pub fn warn(&self, text: impl AsRef<str>) {
        if self.muted {
            return;
        }
        err!("{}: {}", term::paint(Colour::Yellow, "warning"), text.as_ref());
    }

    /// Work that is done again later, and says then what there is to say.
    pub fn muted<T>(&mut self, work: impl FnOnce(&mut Ctx) -> T) -> T {
        self.muted = true;
        let result = work(self);
        self.muted = false;
        result
    }

    /// Runs one step and records its time.
    pub fn step<T>(&mut self, name: &str, work: impl FnOnce(&mut Ctx) -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = work(self);
        let elapsed_s = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        self.steps.push(Step { name: name.to_owned(), ok: result.is_ok(), elapsed_s });
        result
    }

    /// From here on results are of the commit that is there now.
    pub fn note_revision(&mut self) {
        self.revision = Revision::of(&self.repo);
    }

    /// Keeps the report of this run under a name of its own, too: one verb has runs of several kinds.
    pub fn store_as(&mut self, name: &'static str) {
        self.stored = Some(name);
    }

    /// Written when the run ends, with the commit that it was of.
    pub fn keep(&mut self, piece: Piece) {
        self.kept.push(piece);
    }

    /// Names of tests that have run, and whether they passed.
    pub fn name_tests(&mut self, tests: Vec<(String, bool)>) {
        self.named.extend(tests);
    }

    /// In the order of their names.
    pub fn take_named(&mut self) -> Vec<(String, bool)> {
        let mut named = std::mem::take(&mut self.named);
        named.sort();
        named
    }

    /// A further key of the JSON object.
    pub fn report(&mut self, key: &str, value: impl Into<Value>) {
        self.report.insert(key.to_owned(), value.into());
    }

    pub fn reported(&self, key: &str) -> Value {
        self.report.get(key).cloned().unwrap_or_default()
    }

    pub fn artifact(&mut self, path: &Path, sha256: Option<&str>) {
        let entry = json!({"path": path.display().to_string(), "sha256": sha256});
        if !self.artifacts.contains(&entry) {
            self.artifacts.push(entry);
        }
    }

    /// The last line of a successful run.
    pub fn verdict(&mut self, text: impl Into<String>) {
        self.verdict = Some(text.into());
    }

    /// A plain line on stdout behind everything else.
    pub fn last_line(&mut self, text: impl Into<String>) {
        self.last_line = Some(text.into());
    }

    /// For everything that is run from here on.
    pub fn watch(&mut self, check: &CheckArgs) {
        for (name, value) in check.variables() {
            self.sh.set_var(name, value);
        }
        if check.check.is_some() {
            self.count_checks();
        }
    }

    /// For the programs that are run from here on.
    pub fn limit(&mut self, time: &TimeArgs) {
        self.program_limit = Some(Duration::from_secs(time.timeout));
    }

    pub fn limit_of_programs(&self) -> Option<Duration> {
        self.limit.or(self.program_limit)
    }

    /// A limit of time or a signal from outside has ended a program.
    pub fn note_stop(&self) {
        self.stopped.set(true);
    }

    pub fn was_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Everything that runs from here on runs checked: let the toolkit count, so that the result can say so.
    fn count_checks(&mut self) {
        let file = self.work().join("checked.txt");
        for old in [&file, &findings_of(&file)] {
            let _ = fs::remove_file(old);
        }
        self.sh.set_var("HOSTCANN_CHECK_COUNT", &file);
        self.checks = Some(file);
    }

    /// Checked launches so far, and those with findings.
    pub fn checked(&self) -> Option<(usize, usize)> {
        self.checks.as_ref().map(|file| checked(&fs::read(file).unwrap_or_default()))
    }

    /// What the checker has said since the last call, a line for each finding. The programs have ended.
    pub fn take_findings(&self) -> Vec<Value> {
        let Some(file) = self.checks.as_deref().map(findings_of) else { return Vec::new() };
        let text = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(&file);
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    fn tell_checks(&mut self) {
        let Some((launches, findings)) = self.checked() else { return };
        if launches == 0 {
            self.warn("--check: no kernel was launched, nothing was checked");
        } else {
            out!("checked: {}, {}", number(launches, "launch"), number(findings, "finding"));
        }
        self.report("checked", json!({"launches": launches, "findings": findings}));
    }

    pub fn finish(mut self, result: Result<()>) -> ExitCode {
        let elapsed = self.start.elapsed().as_secs_f64();
        self.tell_checks();
        let code = match &result {
            Ok(()) => {
                if let Some(verdict) = &self.verdict {
                    self.say("Finished", format!("{verdict} in {elapsed:.1} s"));
                }
                0
            }
            Err(error) => diag::show(error),
        };
        if let Some(line) = &self.last_line {
            out!("{line}");
        }
        let mut object = Map::new();
        object.insert("schema".into(), json!(1));
        object.insert("command".into(), json!(self.verb));
        for key in ["sdk", "soc"] {
            object.insert(key.into(), self.report.get(key).cloned().unwrap_or(Value::Null));
        }
        object.insert("ok".into(), json!(result.is_ok()));
        object.insert("exit_code".into(), json!(code));
        object.insert("elapsed_s".into(), json!((elapsed * 1000.0).round() / 1000.0));
        object.insert("arguments".into(), json!(arguments()));
        // A tree that changed meanwhile is no longer what the results are of.
        let revision = self.revision.take().map(|before| {
            let same = Revision::of(&self.repo).as_ref() == Some(&before);
            Revision { clean: before.clean && same, ..before }
        });
        let revision = Revision::json(revision.as_ref());
        for piece in std::mem::take(&mut self.kept) {
            if let Err(error) = piece.write(&self.repo, &revision, &arguments()) {
                self.warn(format!("{error:#}"));
            }
        }
        object.insert("revision".into(), revision);
        object.insert("steps".into(), json!(self.steps));
        object.insert("artifacts".into(), json!(self.artifacts));
        if let Err(error) = &result {
            object.insert("error".into(), diag::json(error));
        }
        object.extend(std::mem::take(&mut self.report).into_iter().filter(|(key, _)| key != "sdk" && key != "soc"));
        let text = program::named(&format!("{:#}", Value::Object(object))).into_owned();
        let last = self.repo.join("target/xtask/last").join(format!("{}.json", self.verb));
        let more = self.stored.map(|name| last.with_file_name(format!("{name}.json")));
        // A report that cannot be stored must not hide the result of the run.
        let write = || std::iter::once(&last).chain(&more).try_for_each(|file| fs::write(file, &text));
        let stored = last.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| write());
        if let Err(error) = stored
            && self.verb != "clean"
        {
            self.warn(format!("cannot write {}: {error}", last.display()));
        }
        if self.json {
            term::json(&text);
        }
        ExitCode::from(code)
    }
}

/// The command line behind the program.
fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect()
}

/// The toolkit writes them beside the count.
fn findings_of(count: &Path) -> PathBuf {
    count.with_extension("txt.findings")
}

/// Launches and findings in what the toolkit wrote: a character for each launch, and one for each finding after the first.
fn checked(marks: &[u8]) -> (usize, usize) {
    let number = |of: &[u8]| marks.iter().filter(|mark| of.contains(mark)).count();
    (number(b".!"), number(b"!+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_checked() {
        assert_eq!(checked(b"..!."), (4, 1));
        assert_eq!(checked(b".!++.!"), (4, 4));
        assert_eq!(checked(b""), (0, 0));
    }
}
