//! Inputs of `pr` from outside the op: programs, the licence notice, the package of this commit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use super::results::Results;
use super::rule::{Explanation, Tooling};
use super::target::Target;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::proc;
use crate::base::report::Artifact;
use crate::build::hostroot;
use crate::toolchain::clang_format;
use crate::toolchain::runfile;
use crate::toolchain::tools;

/// A file that the user named.
pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| {
        failed(Kind::Usage, format!("cannot read {}: {error}", path.display())).hint("name a text file")
    })
}

/// The explanations of xtask/pr.txt, with the paths of a renamed op.
pub fn explained(cx: &Ctx, moved: &BTreeMap<String, String>) -> Result<Vec<Explanation>> {
    const FILE: &str = "xtask/pr.txt";
    let text = fs::read_to_string(cx.project.root.join(FILE)).unwrap_or_default();
    let known = Explanation::read(&text, super::slug::rule_number)
        .map_err(|why| failed(Kind::Usage, format!("{FILE}: {why}")).hint("`cargo xtask pr --list` lists the rules"))?;
    Ok(known.into_iter().map(|explanation| explanation.moved(moved)).collect())
}

/// An operator that others build on cannot go.
pub fn needed_elsewhere(target: &Target, dir: &str) -> Result<()> {
    let name = dir.rsplit('/').next().unwrap_or_default();
    for other in target.op_dirs().into_iter().filter(|other| other != dir) {
        let cmake = format!("{other}/CMakeLists.txt");
        let text = target.read(&cmake).unwrap_or_default();
        let needs = text
            .split_whitespace()
            .skip_while(|word| *word != "DEPENDENCIES")
            .any(|word| word.trim_end_matches(')') == name);
        if needs && other.starts_with("experimental/") {
            return Err(failed(Kind::Usage, format!("--replace {name}: {cmake} has it in DEPENDENCIES"))
                .hint("--rename v2 leaves it where it is"));
        }
        for file in target.files(&other, "", &[".cpp", ".h"]) {
            if target.read(&file).is_some_and(|text| text.contains(&format!("{dir}/"))) {
                return Err(failed(Kind::Usage, format!("--replace {name}: {file} includes a file of it"))
                    .hint("--rename v2 leaves it where it is"));
            }
        }
    }
    Ok(())
}

pub fn year(time: u64) -> u64 {
    const MEAN_YEAR: u64 = 31_556_952;
    1970 + time / MEAN_YEAR
}

pub fn tooling(cx: &mut Ctx) -> Result<Tooling> {
    let toolkit = cx.project.home.join("hostcann");
    let include = cx.project.work().join("pr/include");
    let has_headers = toolkit.join("include/acl/acl.h").is_file() && proc::cxx_version().is_some();
    if has_headers {
        hostroot::headers(&toolkit, &include)?;
    }
    let pinned = tools::ensure(cx, false);
    let program = pinned.ok().and_then(|tools| clang_format::program(&tools).ok());
    let hooks = tools::hooks(cx).map_err(|error| format!("{error:#}"));
    let style = cx.project.home.join(".clang-format");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    Ok(Tooling {
        include: has_headers.then_some(include),
        cxx: proc::cxx(),
        clang_format: program,
        hooks,
        style: style.is_file().then_some(style),
        notice: notice(&cx.project.home),
        package: Err(String::new()),
        python: "python3".to_owned(),
        year: year(now),
    })
}

/// Words of the licence, without the line of the owner.
pub fn notice(repo: &Path) -> String {
    let text = fs::read_to_string(repo.join("hostcann/cli/templates/common/CMakeLists.txt")).unwrap_or_default();
    let lines = text.lines().skip_while(|line| !line.contains("Copyright")).skip(1);
    lines.take_while(|line| line.starts_with("# ") && !line.starts_with("# --")).collect::<Vec<_>>().join("\n")
}

/// The named package, or that of this commit; the inner Err says why there is none.
pub fn package(cx: &Ctx, named: Option<&Path>, results: &Results, op: &str) -> Result<Result<PathBuf, String>> {
    let Some(named) = named else { return Ok(of_this_commit(cx, results, op)) };
    let path = cx.run.sh.current_dir().join(named);
    runfile::inspect(&path)?;
    Ok(Ok(path))
}

fn of_this_commit(cx: &Ctx, results: &Results, op: &str) -> Result<PathBuf, String> {
    let mut why = String::new();
    for verb in ["package", "install", "example", "test"] {
        match results.of_this_commit(verb, op) {
            Err(missing) => why = missing.en(),
            Ok(run) => {
                for Artifact { path, sha256 } in &run.artifacts {
                    let path = cx.project.root.join(path);
                    if path.extension().is_some_and(|end| end == "run")
                        && fs::read(&path).is_ok_and(|bytes| Some(files::sha256(&bytes)) == *sha256)
                    {
                        return Ok(path);
                    }
                }
                why = "the package of the last run is gone".to_owned();
            }
        }
    }
    Err(format!("{why}; `cargo xtask package` makes it"))
}
