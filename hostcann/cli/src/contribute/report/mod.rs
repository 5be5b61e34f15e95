//! `report`: what runs found out about an operator, as a self-verification report in Chinese and English.

mod acceptance;
mod doc;
mod html;
mod markdown;
mod parts;
mod picture;
mod precision;
mod run;
mod scenarios;
mod small;
mod speed;
pub mod store;
mod sweep;
pub mod words;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::op_dir::OpDir;
use crate::base::report::{ReportPart, ReportResult};
use crate::base::revision::Revision;
use crate::base::term::out;
use crate::base::verb::Verb;
use crate::run::companion::{self, Companion};
use crate::toolchain::select;
pub use doc::shown_arguments;
use doc::{Both, Cell, Document, Language, Section, State, Table, both};
use store::Store;
pub use words::{gate, named};

const HELP: &str = "\
Examples:
  cargo xtask report                                  # from the runs that there are; says what is missing
  cargo xtask report --run                            # runs what is missing first: hours, with the whole sweep and model
  cargo xtask report --run tests,checker,precision
  cargo xtask report --op-dir ../my_ops/add_example --out ../report
  cargo xtask report --assert                         # exit code 30 while something is missing, stale or failed

Numbers come from the files of this commit's runs (target/xtask/results/<op>); docs/guides/report.md lists them.";

/// Write the self-verification report of an op from this commit's runs
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Report {
    /// Take this op directory in upstream layout [default: the op below experimental/]
    #[arg(long = "op-dir", value_name = "PATH")]
    op_dir: Option<PathBuf>,
    /// Select the op by directory name, if experimental/ has several
    #[arg(long, value_name = "OP", conflicts_with = "op_dir")]
    ops: Option<String>,
    /// Write to DIR [default: target/xtask/report/<op>]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// First run what is missing, stale or of another tree: all parts, or only these
    #[arg(long, value_name = "PART,…", num_args = 0..=1, value_delimiter = ',', default_missing_value = "all", value_enum)]
    run: Vec<run::Part>,
    /// Fail if a part was not run on this commit or has failed
    #[arg(long)]
    assert: bool,
}

/// The subject of the report.
pub struct Subject {
    op: OpDir,
    /// Below experimental/ of this repository
    in_tree: bool,
    /// As it was named on the command line
    given: Option<String>,
    companion: Option<Companion>,
    store: Store,
    /// The commit that has the operator's directory
    own: Option<Revision>,
    repo: PathBuf,
}

impl Subject {
    pub fn read(cx: &Ctx, path: &Path, given: Option<String>) -> Result<Subject> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let op = OpDir { name, path: path.to_path_buf() };
        let in_tree = op.path.starts_with(cx.project.root.join("experimental"));
        // Cargo packages of this workspace belong to its own operators.
        let companion = if in_tree { companion::of_op(cx, &op.name)? } else { None };
        let store = Store::read(&cx.project, &op)?;
        let own = Revision::of_dir(&op.path);
        Ok(Subject { op, in_tree, given, companion, store, own, repo: cx.project.root.clone() })
    }

    /// Arguments of `cargo xtask` that concern this operator.
    fn command(&self, words: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words.extend(self.given.iter().flat_map(|path| ["--op-dir".to_owned(), path.clone()]));
        words
    }

    /// A file as one would type it.
    fn typed(&self, file: &Path) -> String {
        match (&self.given, file.strip_prefix(&self.op.path)) {
            (Some(given), Ok(rest)) => Path::new(given).join(rest).display().to_string(),
            _ => file.strip_prefix(&self.repo).unwrap_or(file).display().to_string(),
        }
    }
}

/// File names and contents.
pub fn documents(subject: &Subject) -> (Document, Vec<(&'static str, String)>) {
    let document = document(subject);
    let files = vec![
        ("self_verification.html", html::render(&document)),
        ("self_verification.md", markdown::render(&document, Language::Zh)),
        ("self_verification.en.md", markdown::render(&document, Language::En)),
    ];
    (document, files)
}

/// Parts of a report that hold no result of this commit or a bad one, each with its state and the command that fills it.
pub fn open_parts(document: &Document) -> Vec<String> {
    let open = document.sections.iter().filter(|section| matches!(section.state, State::Open | State::Bad));
    open.map(|section| {
        let state = section.state.text().en;
        let fill = section.fill.first().map_or(String::new(), |words| format!("; `{}`", doc::shown_line(words)));
        format!("{}: {state}{fill}", section.title.en)
    })
    .collect()
}

fn document(subject: &Subject) -> Document {
    let name = &subject.op.name;
    let nowhere = both("无（不是git仓库）", "none (no repository of git)");
    let digest = subject.store.sources();
    let in_no_commit =
        both(format!("不在任何git提交中；目录摘要 {digest}"), format!("in no commit of git; digest {digest}"));
    Document {
        title: both(format!("{name}算子自验证报告"), format!("Self-verification report of the operator {name}")),
        facts: vec![
            (both("算子目录", "operator"), Cell::code(shown_dir(&subject.op.path))),
            (both("算子提交", "operator's commit"), commit(subject.own.as_ref(), in_no_commit)),
            (both("工具提交", "tool's commit"), commit(subject.store.commit(), nowhere)),
            (
                both("数据来源", "numbers from"),
                Cell::text(both(
                    "当前工具提交上各次运行写出的结果文件；内核运行于CPU上的向量核仿真，未经硬件实测",
                    "files that runs of the tool's commit wrote; kernels ran on a vector core modelled on a CPU, nothing on hardware",
                )),
            ),
        ],
        sections: vec![
            scenarios::section(subject),
            precision::section(subject),
            sweep::section(subject),
            parts::tests(subject),
            parts::checker(subject),
            speed::section(subject),
            parts::host(subject),
            parts::rules(subject),
            parts::package(subject),
            parts::environment(subject),
            parts::commands(subject),
        ],
    }
}

/// An op directory without the path of the machine: from its repository on, else with the category that it lies in.
fn shown_dir(dir: &Path) -> String {
    let root = dir.ancestors().find(|dir| dir.join(".git").exists());
    let short = match root.and_then(|root| dir.strip_prefix(root).ok()) {
        Some(rest) if rest != Path::new("") => rest.to_path_buf(),
        _ => dir.iter().skip(dir.iter().count().saturating_sub(2)).collect(),
    };
    short.display().to_string().trim_start_matches('/').to_owned()
}

fn commit(revision: Option<&Revision>, none: Both) -> Cell {
    match revision {
        None => Cell::text(none),
        Some(here) if here.clean => Cell::code(&here.commit),
        Some(here) => Cell::text(both(
            format!("{}，有未提交的修改", here.commit),
            format!("{}, with changes on top", here.commit),
        )),
    }
}

/// Every part with what became of it.
fn overview(document: &Document) -> Table {
    let judged = |section: &&Section| section.state != State::None || !section.brief.en.is_empty();
    let rows = document.sections.iter().filter(judged).map(|section| {
        let fill = section.fill.first().filter(|_| section.state == State::Open).cloned().unwrap_or_default();
        let state = Cell { fill, ..Cell::tinted(section.state.text(), section.state.tone()) };
        vec![Cell::text(section.title.clone()), state, Cell::text(section.brief.clone())]
    });
    Table { head: vec![words::part(), words::state(), words::result()], rows: rows.collect() }
}

/// Commands that fill what is open, each once.
fn fill(document: &Document) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for words in document.sections.iter().flat_map(|section| &section.fill) {
        if !all.contains(words) {
            all.push(words.clone());
        }
    }
    all
}

impl Report {
    fn tell(&self, cx: &Ctx, subject: &Subject, document: &Document, dir: &Path) -> Done {
        let judged: Vec<&Section> = document.sections.iter().filter(|section| section.state != State::None).collect();
        for section in &judged {
            out!("  {:<7} {:<45} {}", section.state.word(), section.title.en, section.brief.en);
        }
        let parts = judged.iter().map(|section| ReportPart {
            part: section.id.to_owned(),
            state: section.state.word().to_owned(),
            result: section.brief.en.clone(),
            fill: section.fill.clone(),
        });
        let (op, sources) = (subject.op.name.clone(), subject.store.sources().to_owned());
        let done = Done::with(&ReportResult { op, sources, parts: parts.collect() });
        let of = |state: State| judged.iter().filter(|one| one.state == state).map(|one| one.id).collect::<Vec<_>>();
        let (bad, open) = (of(State::Bad), of(State::Open));
        let commands = fill(document);
        if !commands.is_empty() {
            out!("not run on this commit; these fill it:");
            commands.iter().for_each(|words| out!("  {}", doc::line(words)));
        }
        if self.assert && !(bad.is_empty() && open.is_empty()) {
            let message = format!("report: failed: {}; not run on this commit: {}", names(&bad), names(&open));
            return done.failed(
                failed(Kind::Tests, message).hint("--run runs what is missing; the report is written all the same"),
            );
        }
        let good = judged.len() - bad.len() - open.len();
        done.verdict(format!(
            "report: {} of {} parts good, {} failed, {} not all run; {}",
            good,
            judged.len(),
            bad.len(),
            open.len(),
            cx.project.show(&dir.join("self_verification.html"))
        ))
    }
}

impl Verb for Report {
    fn writes(&self) -> bool {
        false
    }

    fn run(self, cx: &mut Ctx) -> Result<Done> {
        let path = select::one(cx, self.op_dir.as_deref(), self.ops.as_deref())?;
        let given = self.op_dir.as_ref().map(|dir| dir.display().to_string());
        let mut subject = Subject::read(cx, &path, given.clone())?;
        if !self.run.is_empty() {
            run::missing(cx, &document(&subject), &self.run)?;
            subject = Subject::read(cx, &path, given)?;
        }
        let (document, files) = documents(&subject);
        let dir = match &self.out {
            Some(dir) => cx.run.sh.current_dir().join(dir),
            None => cx.project.common_work().join("report").join(&subject.op.name),
        };
        for (name, content) in &files {
            files::write_if_changed(&dir.join(name), content.as_bytes())?;
            cx.run.artifact(&dir.join(name), Some(&files::sha256(content.as_bytes())));
        }
        Ok(self.tell(cx, &subject, &document, &dir))
    }
}

fn names(parts: &[&str]) -> String {
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_directory_is_shown_without_the_path_of_the_machine() {
        let temp = tempfile::tempdir().expect("temp dir");
        let op = temp.path().join("checkout/experimental/math/acos");
        std::fs::create_dir_all(&op).expect("mkdir");
        std::fs::create_dir(temp.path().join("checkout/.git")).expect("mkdir");
        assert_eq!(shown_dir(&op), "experimental/math/acos");
        // In no repository, as a temporary directory may be in one.
        assert_eq!(shown_dir(Path::new("/no-such-directory/experimental/math/acos")), "math/acos");
        assert_eq!(shown_dir(Path::new("/acos")), "acos");
    }
}
