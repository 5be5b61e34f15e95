//! What every verb gets: the repository, a shell, a printer and the report that becomes the JSON object.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::{Map, Value, json};
use xshell::Shell;

use crate::args::{CheckArgs, Global, TimeArgs};
use crate::diag;
use crate::files;
use crate::instrument;
use crate::lock::Lock;
use crate::program;
use crate::revision::Revision;
use crate::term::{self, Colour, err, out};

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
    /// How long one sub-tool or program may run.
    pub limit: Option<Duration>,
    /// Of programs that are not ours: examples and unit tests.
    pub program_limit: Option<Duration>,
    /// Build trees and logs of one of many operators, instead of the common ones.
    place: Option<PathBuf>,
    verb: &'static str,
    json: bool,
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
}

impl Ctx {
    pub fn new(verb: &'static str, global: Global) -> Result<Ctx> {
        let repo = repo_root()?;
        let sh = Shell::new().context("cannot read the current directory")?;
        term::configure(global.json, global.quiet);
        Ok(Ctx {
            sh,
            repo,
            verbose: global.verbose,
            sanitize: None,
            kernels: None,
            limit: None,
            program_limit: None,
            place: None,
            verb,
            json: global.json,
            start: Instant::now(),
            steps: Vec::new(),
            report: Map::new(),
            artifacts: Vec::new(),
            verdict: None,
            last_line: None,
            checks: None,
            revision: None,
            stored: None,
        })
    }

    /// For work on one operator among others: in a directory of its own, with a report that nobody reads.
    pub fn apart(&self, place: PathBuf) -> Ctx {
        Ctx {
            sh: self.sh.clone(),
            repo: self.repo.clone(),
            verbose: false,
            sanitize: None,
            kernels: None,
            limit: self.limit,
            program_limit: self.program_limit,
            place: Some(place),
            verb: self.verb,
            json: false,
            start: Instant::now(),
            steps: Vec::new(),
            report: Map::new(),
            artifacts: Vec::new(),
            verdict: None,
            last_line: None,
            checks: None,
            revision: None,
            stored: None,
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
        Lock::take(&self.repo.join("target"), self.verb, &self.sh)
    }

    /// Whether stdout belongs to the JSON object.
    pub fn wants_json(&self) -> bool {
        self.json
    }

    /// One line in cargo's style.
    pub fn say(&self, verb: &str, text: impl AsRef<str>) {
        if !term::quiet() {
            err!("{} {}", term::paint(Colour::Green, &format!("{verb:>12}")), text.as_ref());
        }
    }

    pub fn warn(&self, text: impl AsRef<str>) {
        err!("{}: {}", term::paint(Colour::Yellow, "warning"), text.as_ref());
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

    /// A further key of the JSON object.
    pub fn report(&mut self, key: &str, value: impl Into<Value>) {
        self.report.insert(key.to_owned(), value.into());
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

    /// Everything that runs from here on runs checked: let the toolkit count, so that the result can say so.
    fn count_checks(&mut self) {
        let file = self.work().join("checked.txt");
        let _ = fs::remove_file(&file);
        self.sh.set_var("HOSTCANN_CHECK_COUNT", &file);
        self.checks = Some(file);
    }

    fn tell_checks(&mut self) {
        let Some(file) = &self.checks else { return };
        let (launches, findings) = checked(&fs::read(file).unwrap_or_default());
        if launches == 0 {
            self.warn("--check: no kernel was launched, nothing was checked");
        } else {
            out!("checked: {launches} launches, {findings} findings");
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
        object.insert("revision".into(), Revision::json(revision.as_ref()));
        object.insert("steps".into(), json!(self.steps));
        object.insert("artifacts".into(), json!(self.artifacts));
        if let Err(error) = &result {
            object.insert("error".into(), diag::json(error));
        }
        object.extend(std::mem::take(&mut self.report).into_iter().filter(|(key, _)| key != "sdk" && key != "soc"));
        let text = format!("{:#}", Value::Object(object));
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

/// Launches and findings in what the toolkit wrote: a character for each launch.
fn checked(marks: &[u8]) -> (usize, usize) {
    (marks.len(), marks.iter().filter(|&&mark| mark == b'!').count())
}

/// `.cargo/config.toml` sets CARGO_WORKSPACE_DIR; without cargo it is the tree that this program lies in, else the one it
/// was compiled from.
fn repo_root() -> Result<PathBuf> {
    if let Some(dir) = std::env::var_os("CARGO_WORKSPACE_DIR").filter(|dir| !dir.is_empty()) {
        let dir = PathBuf::from(dir);
        return fs::canonicalize(&dir).with_context(|| format!("CARGO_WORKSPACE_DIR={} is not there", dir.display()));
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiled = manifest.parent().map(Path::to_path_buf).context("the xtask package has no parent directory")?;
    let program = program::own()?;
    let repo = tree_of(&program).unwrap_or(compiled);
    if let Some(newer) = newer_source(&repo, &program) {
        err!(
            "{}: {} is older than {}; `cargo xtask` builds it again",
            term::paint(Colour::Yellow, "warning"),
            program.display(),
            newer.display()
        );
    }
    Ok(repo)
}

/// The checkout whose target directory holds a program: a copied tree is another one.
fn tree_of(program: &Path) -> Option<PathBuf> {
    let target = program.ancestors().find(|dir| dir.file_name().is_some_and(|name| name == "target"))?;
    let tree = target.parent()?;
    tree.join("xtask/Cargo.toml").is_file().then(|| tree.to_path_buf())
}

/// A source of xtask that was changed after the program was built from it.
fn newer_source(repo: &Path, program: &Path) -> Option<PathBuf> {
    let time = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let (sources, built) = (repo.join("xtask/src"), time(program)?);
    let all = files::walk(&sources).ok()?.into_iter().map(|file| sources.join(file));
    all.into_iter().find(|file| time(file).is_some_and(|changed| changed > built))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_belongs_to_the_tree_it_lies_in() {
        let temp = tempfile::tempdir().expect("temp dir");
        let at = |path: &str| temp.path().join(path);
        for file in ["xtask/Cargo.toml", "xtask/src/main.rs", "target/debug/xtask"] {
            files::write_if_changed(&at(file), b"x").expect("write");
        }
        assert_eq!(tree_of(&at("target/debug/xtask")), Some(temp.path().to_path_buf()));
        assert_eq!(tree_of(Path::new("/elsewhere/debug/xtask")), None);
        let set = |file: &str| {
            fs::File::options()
                .write(true)
                .open(at(file))
                .and_then(|f| f.set_modified(std::time::SystemTime::UNIX_EPOCH))
        };
        set("xtask/src/main.rs").expect("set");
        assert_eq!(newer_source(temp.path(), &at("target/debug/xtask")), None);
        set("target/debug/xtask").expect("set");
        files::write_if_changed(&at("xtask/src/diag.rs"), b"y").expect("write");
        assert_eq!(newer_source(temp.path(), &at("target/debug/xtask")), Some(at("xtask/src/diag.rs")));
    }

    #[test]
    fn what_was_checked() {
        assert_eq!(checked(b"..!."), (4, 1));
        assert_eq!(checked(b""), (0, 0));
    }
}
