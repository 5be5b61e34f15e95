//! One run of a verb: what limits it, what it is about, and what it has made so far.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use xshell::Shell;

use crate::base::args::{CheckArgs, TimeArgs};
use crate::base::checks::Checks;
use crate::base::files;
use crate::base::project::Project;
use crate::base::report::{About, Artifact, Part, Piece, Step};
use crate::base::revision::Revision;
use crate::base::shard::Shard;

pub struct Run {
    pub verb: String,
    /// Directory and variables of everything that is run.
    pub sh: Shell,
    /// Compile only the kernels of these data types; the others stay as they are in the build directory.
    pub kernels: Option<Vec<String>>,
    /// How long one sub-tool or program may go without a line of output.
    pub limit: Option<Duration>,
    /// Of programs that are not ours: examples and unit tests.
    pub program_limit: Option<Duration>,
    /// `host` or `cann`
    pub sdk: Option<&'static str>,
    /// SoC families, separated by commas
    pub soc: Option<String>,
    pub about: About,
    /// What kernels do wrong, for annotations.
    pub findings: Option<PathBuf>,
    /// With `--check`.
    pub checks: Option<Checks>,
    pub start: Instant,
    pub steps: Vec<Step>,
    pub artifacts: Vec<Artifact>,
    /// Evidence about operators, written when the run ends: only then is it known whether the tree stayed as it was.
    pub kept: Vec<Piece>,
    /// What this repository was when the run began.
    pub revision: Option<Revision>,
    /// With `--shard`.
    pub part: Option<(Shard, Part)>,
    /// A program did not come to its end.
    stopped: Cell<bool>,
}

impl Run {
    /// # Errors
    /// The current directory cannot be read.
    pub fn new(verb: &str) -> Result<Run> {
        Ok(Run::with(Shell::new().context("cannot read the current directory")?, verb))
    }

    /// For work on one operator among others: under the same limits, with a report that nobody reads.
    pub fn apart(&self) -> Run {
        let bare = Run::with(self.sh.clone(), &self.verb);
        Run { limit: self.limit, program_limit: self.program_limit, ..bare }
    }

    fn with(sh: Shell, verb: &str) -> Run {
        Run {
            verb: verb.to_owned(),
            sh,
            kernels: None,
            limit: None,
            program_limit: None,
            sdk: None,
            soc: None,
            about: About::default(),
            findings: None,
            checks: None,
            start: Instant::now(),
            steps: Vec::new(),
            artifacts: Vec::new(),
            kept: Vec::new(),
            revision: None,
            part: None,
            stopped: Cell::new(false),
        }
    }

    /// Programs that are run write what their kernels do wrong into a file, unless the user has named one.
    ///
    /// # Errors
    /// The directory of the file cannot be created.
    pub fn keep_findings(&mut self, project: &Project) -> Result<()> {
        const NAME: &str = "HOSTCANN_FINDINGS";
        let dir = project.work();
        let named = std::env::var_os(NAME).filter(|name| !name.is_empty()).map(PathBuf::from);
        if named.is_none() {
            fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
            let file = dir.join("annotations.jsonl");
            files::remove_file_if_there(&file)?;
            self.sh.set_var(NAME, &file);
            self.findings = Some(file);
        }
        Ok(())
    }

    /// Whether a unit of the run is this part's. Without `--shard` each is.
    pub fn takes(&mut self, unit: &str) -> bool {
        let taken = self.part.as_ref().is_none_or(|(shard, _)| shard.has(unit));
        self.note_unit(unit, taken);
        taken
    }

    /// A unit whose part is decided elsewhere.
    pub fn note_unit(&mut self, unit: &str, taken: bool) {
        let Some((_, part)) = &mut self.part else { return };
        if !part.units.iter().any(|known| known == unit) {
            part.units.push(unit.to_owned());
            part.taken.extend(taken.then(|| unit.to_owned()));
        }
    }

    pub fn artifact(&mut self, path: &Path, sha256: Option<&str>) {
        let entry = Artifact { path: path.display().to_string(), sha256: sha256.map(str::to_owned) };
        if !self.artifacts.contains(&entry) {
            self.artifacts.push(entry);
        }
    }

    /// For everything that is run from here on: with `--check` the toolkit counts, so that the result can say so.
    pub fn watch(&mut self, project: &Project, check: &CheckArgs) {
        for (name, value) in check.variables() {
            self.sh.set_var(name, value);
        }
        if check.check.is_some() {
            let file = project.work().join("checked.txt");
            self.sh.set_var("HOSTCANN_CHECK_COUNT", &file);
            self.checks = Some(Checks::start(file));
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
}
