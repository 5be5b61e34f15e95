//! `tidy`: the rules of this repository that no compiler knows.

mod borders;
pub mod editions;
mod includes;
mod links;
mod present;
mod rooms;
mod rules;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{HintExt, Kind, failed_with};
use hostcann_cli::base::done::Done;
use hostcann_cli::base::files;
use hostcann_cli::base::plural::number;
use hostcann_cli::base::report::TidyResult;
use hostcann_cli::base::verb::Verb;
use hostcann_cli::toolchain::around;

const HELP: &str = "\
Examples:
  cargo xtask tidy

Checks licence notices of operators, lambdas in kernels, long files and their reasons, names of operators in tools, links
between documents, dates and commit ids in pages, commands of the Chinese editions, the `//!` of Rust files, rooms,
sources of other crates, blanks and line ends.";

/// Check the repository's own rules: notices, lengths, names, links, white space
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Tidy {}

/// A text file of the repository.
pub struct Source {
    /// Relative, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn extension(&self) -> &str {
        self.path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, extension)| extension)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    /// 0: about the file.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

impl Verb for Tidy {
    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let (files, findings) = findings(cx)?;
        let done = Done::with(&TidyResult { findings: findings.iter().map(ToString::to_string).collect() });
        Ok(done.verdict(format!("tidy: {files} files")).judged(judge(&findings)))
    }
}

pub fn check(cx: &mut Ctx) -> Result<()> {
    judge(&findings(cx)?.1)
}

/// The number of files, and what is wrong in them.
fn findings(cx: &mut Ctx) -> Result<(usize, Vec<Finding>)> {
    cx.console.say("Checking", "the repository's rules");
    let sources = sources(&cx.project.home)?;
    let ops: Vec<String> = around::in_tree(&cx.project.home)?.into_iter().map(|op| op.name).collect();
    let mut findings = rules::all(&sources, &ops);
    findings.extend(rooms::all(&sources));
    findings.extend(present::all(&sources));
    findings.extend(editions::all(&sources));
    findings.extend(borders::all(&sources));
    findings.extend(includes::circles(&sources));
    findings.extend(links::broken(&sources, |path| cx.project.home.join(path).exists()));
    Ok((sources.len(), findings))
}

fn judge(findings: &[Finding]) -> Result<()> {
    if findings.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Err(failed_with(Kind::Style, format!("tidy: {}", number(findings.len(), "finding")), list.join("\n"))
        .hint("the rules are in xtask/src/tidy"))
}

/// Everything that is written by hand, wherever it lies. Works in an archive without .git, too.
fn sources(repo: &Path) -> Result<Vec<Source>> {
    const DIRS: [&str; 10] =
        [".cargo", ".ci", "adapters", "ascgraph", "docs", "experimental", "hostcann", "scripts", "tests", "xtask"];
    let mut paths: Vec<PathBuf> =
        ["README.md", "README.zh.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Cargo.toml"]
            .map(PathBuf::from)
            .into();
    for dir in DIRS.map(Path::new).into_iter().filter(|dir| repo.join(dir).is_dir()) {
        paths.extend(files::walk(&repo.join(dir))?.into_iter().map(|file| dir.join(file)));
    }
    let mut sources = Vec::new();
    for path in paths {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let wanted =
            ["rs", "h", "hpp", "cpp", "c", "md", "toml", "cmake", "sh", "py", "txt", "yaml"].contains(&extension);
        let absolute = repo.join(&path);
        if wanted && absolute.is_file() {
            let text = fs::read_to_string(&absolute).with_context(|| format!("cannot read {}", absolute.display()))?;
            sources.push(Source { path: path.display().to_string(), text });
        }
    }
    Ok(sources)
}
