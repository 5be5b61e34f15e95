//! Reads kernels as a strict device compiler does: clang's frontend in its device mode, and what an AI Core cannot do
//! besides. g++, which compiles kernels for the host, takes all of that.

mod clang;
mod finding;
mod unit;
mod verdict;
mod walk;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};

use crate::base::diag::{HintExt, Kind, failed};
use crate::base::proc;
use crate::base::term::out;
use finding::Finding;
pub use unit::Unit;

/// Where `opc kernel` lists the units of an op.
pub const UNITS: &str = "units.json";

/// The check itself: what it says changes with it.
pub const SOURCES: &str = concat!(
    include_str!("clang.rs"),
    include_str!("finding.rs"),
    include_str!("unit.rs"),
    include_str!("verdict.rs"),
    include_str!("walk.rs")
);

pub struct Verdict {
    /// Kernels checked: dtype columns times tiling keys
    pub kernels: usize,
    /// Empty: a device compiler takes them all
    pub report: String,
    /// Kernels of the dtype columns with findings
    pub refused: usize,
}

/// Needs libclang: LIBCLANG_PATH names its directory.
pub fn check(units: &[Unit], jobs: usize) -> Result<Verdict> {
    let library = clang::Library::load()?;
    let system = system_includes()?;
    let queue = Mutex::new(units.iter().collect::<Vec<_>>());
    let done = Mutex::new(Vec::new());
    let worker = || {
        library.enter();
        loop {
            let next = queue.lock().ok().and_then(|mut queue| queue.pop());
            let Some(unit) = next else { break };
            let result = check_one(unit, &system);
            if let Ok(mut done) = done.lock() {
                done.push((unit, result));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, units.len().max(1)) {
            scope.spawn(worker);
        }
    });
    let mut found = Vec::new();
    let mut refused = 0;
    for (unit, result) in done.into_inner().ok().context("a thread of the device check panicked")? {
        let findings = result.with_context(|| format!("the device check of {}", unit.source.display()))?;
        refused += if findings.is_empty() { 0 } else { unit.keys.len() };
        found.extend(findings.into_iter().map(|finding| (unit.dtypes.clone(), finding)));
    }
    Ok(Verdict {
        kernels: units.iter().map(|unit| unit.keys.len()).sum(),
        report: finding::report(&found, units.len()),
        refused,
    })
}

fn check_one(unit: &Unit, system: &[PathBuf]) -> Result<Vec<Finding>> {
    let parsed = clang::Parsed::parse(&unit.texts()?, &unit.arguments(system))?;
    let mut findings = walk::findings(unit, &parsed)?;
    let told = verdict::findings(unit, &parsed.diagnostics(), &findings);
    findings.extend(told);
    findings.sort();
    findings.dedup();
    Ok(findings)
}

/// Where the host's compiler looks for headers: the libclang wheel has none of its own.
fn system_includes() -> Result<Vec<PathBuf>> {
    let compiler = proc::cxx_program();
    let output = Command::new(&compiler)
        .args(proc::cxx_args())
        .args(["-x", "c++", "-E", "-v", "/dev/null"])
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| failed(Kind::Tool, format!("the C++ compiler `{compiler}` does not run: {error}")))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let dirs = include_dirs(&text);
    ensure!(!dirs.is_empty(), "`{compiler} -E -v` names no include directories");
    Ok(dirs)
}

fn include_dirs(text: &str) -> Vec<PathBuf> {
    let inside = text.split("#include <...> search starts here:").nth(1).unwrap_or_default();
    let inside = inside.split("End of search list").next().unwrap_or_default();
    inside.lines().map(str::trim).filter(|line| !line.is_empty()).map(PathBuf::from).collect()
}

/// `xtask opc device`: checks the units of the files that `opc kernel` wrote.
pub fn run(files: &[PathBuf], jobs: Option<u16>) -> Result<()> {
    let mut units = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let more: Vec<Unit> = serde_json::from_str(&text).with_context(|| format!("{} is damaged", file.display()))?;
        units.extend(more);
    }
    let verdict = check(&units, proc::jobs(jobs))?;
    out!("{}{} passed, {} failed", verdict.report, verdict.kernels - verdict.refused, verdict.refused);
    if verdict.refused == 0 {
        return Ok(());
    }
    Err(failed(Kind::Tests, format!("a device compiler refuses {} of {} kernels", verdict.refused, verdict.kernels))
        .hint("every finding above says where and how to mend it"))
}
