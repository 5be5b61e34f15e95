//! Rules 28-32: format, licence, years, other languages, where text comes from.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::rule::{Case, Findings, Outcome, Rule, not_run, partly};
use super::tree::{extension, is_cpp, split};
use crate::base::files;
use crate::base::plural::number;
use crate::base::proc;

pub const RULES: [Rule; 5] = [
    Rule {
        number: 28,
        slug: "clang-format",
        title: "clang-format 18.1.8 changes nothing",
        zh: "符合clang-format 18.1.8格式",
        why: "The hook runs exactly this version with the checkout's .clang-format; other versions break lines elsewhere.",
        check: format,
    },
    Rule {
        number: 29,
        slug: "licence-header",
        title: "every source begins with the licence",
        zh: "每个源文件以许可声明开头",
        why: "The hook oat-check blocks \"License Header Invalid\" and \"Invalid File Type\" (OAT.xml, scripts/oat_check.sh). Run with \
              oat-py where python3 has it, and by a check of our own always: the words must be those of the notice.",
        check: licence,
    },
    Rule {
        number: 30,
        slug: "copyright-owner",
        title: "the copyright has a year and an owner",
        zh: "版权声明含年份和所有者",
        why: "The year of creation, not later than the commit; the owner is an organisation or a person.",
        check: years,
    },
    Rule {
        number: 31,
        slug: "pre-commit-hooks",
        title: "Python, JSON and YAML are well formed",
        zh: "Python、JSON与YAML文件规范",
        why: "Hooks: check-json, check-yaml, ruff check and ruff format 0.14.14, codespell 2.4.1, run here in these \
              versions.",
        check: others,
    },
    Rule {
        number: 32,
        slug: "copied-passage",
        title: "no passage of another operator",
        zh: "没有与其他算子雷同的代码段",
        why: "The gate scans for copied snippets (SCA). Eight lines in a row, without comments, blank lines and lone brackets, \
              that stand in another operator of the checkout are reported.",
        check: provenance,
    },
];

fn format(case: &Case) -> Result<Outcome> {
    let Some(program) = &case.tools.clang_format else {
        return not_run("clang-format 18.1.8 is not there: `cargo xtask setup` fetches it");
    };
    let of_target = case.target.map(|target| target.root.join(".clang-format")).filter(|path| path.is_file());
    let Some(style) = of_target.or_else(|| case.tools.style.clone()) else {
        return not_run("the style is in a checkout: --ops-math");
    };
    let temp = case.on_disk()?;
    let mut found = Findings::default();
    let paths: Vec<&str> = case.tree.cpp().map(|(path, _)| path).collect();
    if paths.is_empty() {
        return found.judged();
    }
    let mut command = Command::new(program);
    command.arg(format!("--style=file:{}", style.display())).args(["--dry-run", "-Werror"]);
    command.args(paths.iter().map(|path| temp.path().join(case.at(path))));
    let output = command.output().map_err(|error| proc::spawn_error(&program.to_string_lossy(), error))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for path in paths {
        let own = format!("{}:", case.at(path));
        let lines: Vec<usize> = said
            .lines()
            .filter(|line| line.contains("error:"))
            .filter_map(|line| line.split_once(&own)?.1.split(':').next()?.parse().ok())
            .collect();
        if let Some(first) = lines.first() {
            found.error(
                case.at(path),
                *first,
                format!("clang-format changes {}", number(lines.len(), "place")),
                "clang-format -i with the checkout's .clang-format",
            );
        }
    }
    if !output.status.success() && found.is_empty() {
        return not_run(format!("clang-format failed: {}", said.trim()));
    }
    found.judged()
}

/// Files that must carry the notice (the community's guide; others need none).
fn needs_notice(path: &str) -> bool {
    is_cpp(path) || ["py", "sh", "cmake"].contains(&extension(path)) || split(path).1 == "CMakeLists.txt"
}

/// Words in order, whatever frames them.
fn words_of(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches(|c: char| c.is_whitespace() || "*#/!-=".contains(c)));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn licence(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let notice = words_of(&case.tools.notice);
    for (path, content) in case.tree.texts().filter(|(path, _)| needs_notice(path)) {
        let head: String = content.lines().take(14).collect::<Vec<_>>().join("\n");
        let has_owner = head.contains("Copyright (c)");
        if !has_owner || !words_of(&head).contains(&notice) {
            let what = if has_owner { "the notice has other words" } else { "no notice in the first lines" };
            found.error(case.at(path), 1, what, "take it, word by word, from a neighbour such as CMakeLists.txt");
        }
    }
    oat(case, &mut found)?;
    found.judged()
}

/// With upstream's own tool, where it is installed.
fn oat(case: &Case, found: &mut Findings) -> Result<()> {
    let Some(target) = case.target else { return Ok(()) };
    let config = target.root.join("OAT.xml");
    if !config.is_file() || proc::probe(&case.tools.python, &["-c", "import oat"]).is_none() {
        return Ok(());
    }
    let temp = case.on_disk()?;
    let report = temp.path().join("report");
    let list: Vec<String> = case.tree.files.keys().map(|path| case.at(path)).collect();
    for name in ["OAT.xml", "LICENSE"] {
        if let Ok(bytes) = std::fs::read(target.root.join(name)) {
            files::write_if_changed(&temp.path().join(name), &bytes)?;
        }
    }
    let output = Command::new(&case.tools.python)
        .current_dir(temp.path())
        .args([
            "-m",
            "oat",
            "-mode",
            "s",
            "-s",
            ".",
            "-r",
            "report",
            "-n",
            "op",
            "-w",
            "1",
            "-oatconfig",
            "OAT.xml",
            "-f",
        ])
        .arg(list.join(","))
        .output()
        .context("cannot run oat")?;
    let text = std::fs::read_to_string(report.join("PlainReport_op.txt")).unwrap_or_default();
    if text.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        found.warn(
            case.at(""),
            0,
            format!("oat wrote no report: {}", proc::last_lines(&said, 3)),
            "pip install oat-py==1.0.3",
        );
    }
    for (path, what) in oat_blocks(&text) {
        found.error(path, 0, format!("OAT: {what}"), "see OAT.xml and scripts/oat_check.sh of the checkout");
    }
    Ok(())
}

/// Files below the two headings that block a commit.
fn oat_blocks(report: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut heading = "";
    for line in report.lines() {
        if line.contains("Total Count") {
            heading = ["Invalid File Type", "License Header Invalid"]
                .into_iter()
                .find(|known| line.trim().starts_with(known))
                .unwrap_or("");
        } else if !heading.is_empty()
            && let Some(path) = line
                .split_whitespace()
                .find(|word| word.starts_with("experimental/") || word.contains("/experimental/"))
        {
            let path = path.find("experimental/").map_or(path, |at| &path[at..]);
            found.push((path.trim_end_matches([',', ':']).to_owned(), heading.to_owned()));
        }
    }
    found
}

fn years(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let latest = case.proposal.map_or(case.tools.year, |proposal| proposal.year);
    for (path, content) in case.tree.texts().filter(|(path, _)| needs_notice(path)) {
        let line = content.lines().take(6).enumerate().find(|(_, line)| line.contains("Copyright (c)"));
        let Some((number, line)) = line else { continue };
        let rest = line.split_once("Copyright (c)").map_or("", |(_, rest)| rest).trim();
        let (years, owner) = rest.split_once(' ').unwrap_or((rest, ""));
        let parsed: Vec<Option<u64>> = years.trim_end_matches(',').split('-').map(|year| year.parse().ok()).collect();
        if !parsed.iter().all(|year| year.is_some_and(|year| (2000..=latest).contains(&year))) {
            found.error(case.at(path), number + 1, format!("the year is `{years}`"), format!("a year to {latest}"));
        }
        if owner.trim_matches(['.', ' ']).is_empty() {
            found.warn(case.at(path), number + 1, "no owner after the year", "an organisation or a person");
        }
    }
    found.judged()
}

/// Words that upstream's hook lets stand, and files that it leaves out.
const SPELLING: [&str; 4] = [
    "-L",
    "CANN,cann,NNAL,nnal,ASCEND,ascend,EnQue,CopyIn,ArchType,AND,ND,nd,tbe,copyin,alog,outWeight,weightIn",
    "--skip",
    "*.py,*.cpp,*.hpp,*.c,*.h,*.md",
];

fn others(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    for (path, content) in case.tree.texts() {
        if extension(path) == "json"
            && let Err(error) = serde_json::from_str::<serde_json::Value>(content)
        {
            found.error(case.at(path), error.line(), format!("no JSON: {error}"), "check-json refuses it");
        }
    }
    let has = |end: &str| case.tree.files.keys().any(|path| extension(path) == end);
    let temp = case.on_disk()?;
    let base = temp.path().join(case.at(""));
    if has("py") {
        python(case, &base, &mut found)?;
    }
    if has("yaml") || has("yml") {
        yaml(case, &base, &mut found)?;
    }
    match &case.tools.hooks {
        Err(why) => partly(&format!("ruff 0.14.14 and codespell 2.4.1 are not there: {why}"), found),
        Ok(dir) => {
            hooks(case, dir, &base, &mut found)?;
            found.judged()
        }
    }
}

fn python(case: &Case, base: &Path, found: &mut Findings) -> Result<()> {
    let compile = "import sys, ast, pathlib\nfor p in sys.argv[1:]:\n    ast.parse(pathlib.Path(p).read_text(encoding='utf-8'), p)";
    let list: Vec<&str> = case.tree.files.keys().map(String::as_str).filter(|path| extension(path) == "py").collect();
    let output = Command::new(&case.tools.python).arg("-c").arg(compile).args(&list).current_dir(base).output();
    let output = output.map_err(|error| proc::spawn_error(&case.tools.python, error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let what = format!("python: {}", said.lines().last().unwrap_or("it fails"));
        found.error(case.at(list[0]), 0, what, "correct the syntax");
    }
    Ok(())
}

/// ruff and codespell as upstream's hooks call them.
fn hooks(case: &Case, dir: &Path, base: &Path, found: &mut Findings) -> Result<()> {
    let ruff = dir.join("bin/ruff").display().to_string();
    let run = |program: &str, args: &[&str]| -> Result<std::process::Output> {
        let mut command = Command::new(program);
        command.args(args).current_dir(base).env("PYTHONPATH", dir).env("RUFF_NO_CACHE", "true");
        command.output().map_err(|error| proc::spawn_error(program, error))
    };
    let said = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let checked = run(&ruff, &["check", "--output-format", "concise", "."])?;
    if !checked.status.success() {
        for line in said(&checked).lines() {
            let mut parts = line.splitn(4, ':');
            let place = (parts.next(), parts.next().and_then(|line| line.parse().ok()), parts.next(), parts.next());
            let (Some(path), Some(line), _, Some(what)) = place else { continue };
            found.error(case.at(path), line, format!("ruff:{what}"), "`ruff rule CODE` says what it asks for");
        }
        if found.is_empty() {
            found.error(
                case.at(""),
                0,
                format!("ruff check: {}", checked.status),
                "run `ruff check` in the op directory",
            );
        }
    }
    let formatted = run(&ruff, &["format", "--check", "."])?;
    for path in said(&formatted).lines().filter_map(|line| line.strip_prefix("Would reformat: ")) {
        found.error(case.at(path), 0, "ruff format changes it", "ruff format");
    }
    let words: Vec<&str> = ["-m", "codespell_lib"].into_iter().chain(SPELLING).chain(["."]).collect();
    for line in said(&run(&case.tools.python, &words)?).lines() {
        let mut parts = line.splitn(3, ':');
        let place = (parts.next(), parts.next().and_then(|line| line.parse().ok()), parts.next());
        let (Some(path), Some(line), Some(what)) = place else { continue };
        found.error(case.at(path.trim_start_matches("./")), line, format!("codespell:{what}"), "correct the word");
    }
    Ok(())
}

fn yaml(case: &Case, base: &Path, found: &mut Findings) -> Result<()> {
    if proc::probe(&case.tools.python, &["-c", "import yaml"]).is_none() {
        return Ok(());
    }
    for path in case.tree.files.keys().filter(|path| ["yaml", "yml"].contains(&extension(path))) {
        let load = "import sys, yaml; list(yaml.safe_load_all(open(sys.argv[1], encoding='utf-8')))";
        let output = Command::new(&case.tools.python).args(["-c", load, path]).current_dir(base).output();
        let output = output.context("cannot run python")?;
        if !output.status.success() {
            found.error(case.at(path), 0, "no YAML", "check-yaml refuses it");
        }
    }
    Ok(())
}

const WINDOW: usize = 8;

/// Lines that say something, with their numbers.
fn significant(content: &str) -> Vec<(usize, String)> {
    let code = cpptext::without_comments(content);
    let mut kept = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let text: String = line.split_whitespace().collect();
        let says = text.chars().filter(|c| c.is_alphanumeric()).count() >= 2;
        if says && !text.starts_with("#include") {
            kept.push((number + 1, text));
        }
    }
    kept
}

fn window_hash(lines: &[(usize, String)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    lines.iter().for_each(|(_, line)| line.hash(&mut hasher));
    hasher.finish()
}

fn provenance(case: &Case) -> Result<Outcome> {
    let Some(target) = case.target else { return not_run("other operators are in a checkout: --ops-math") };
    let mut own: HashMap<u64, (String, usize)> = HashMap::new();
    let mut known: HashSet<String> = HashSet::new();
    for (path, content) in case.tree.cpp() {
        let lines = significant(content);
        for window in lines.windows(WINDOW) {
            own.entry(window_hash(window)).or_insert((path.to_owned(), window[0].0));
        }
        known.extend(lines.into_iter().map(|(_, line)| line));
    }
    let mut told: HashSet<(String, String)> = HashSet::new();
    let mut found = Findings::default();
    for dir in target.op_dirs() {
        for file in target.files(&dir, "", &[".cpp", ".h"]) {
            let lines = significant(&target.read(&file).unwrap_or_default());
            // Most files share no run of lines: the cheap question first.
            let mut run = 0;
            for end in 0..lines.len() {
                run = if known.contains(&lines[end].1) { run + 1 } else { 0 };
                if run < WINDOW {
                    continue;
                }
                let window = &lines[end + 1 - WINDOW..=end];
                if let Some((path, line)) = own.get(&window_hash(window))
                    && told.insert((path.clone(), file.clone()))
                {
                    let what = format!("{WINDOW} lines as in {file}:{}", window[0].0);
                    found.warn(case.at(path), *line, what, "write it anew, or name its origin as CONTRIBUTING.md says");
                }
            }
        }
    }
    found.judged()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_oat_blocks() {
        let report = "Invalid File Type Total Count: 1\nName:\tContent:\nexperimental/math/x/b.bin\tx\n\n\
                      License Header Invalid Total Count: 1\nexperimental/math/x/a.cpp\tInvalidLicense\n\
                      Copyright Header Invalid Total Count: 1\nexperimental/math/x/c.cpp\n";
        let found = oat_blocks(report);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0], ("experimental/math/x/b.bin".to_owned(), "Invalid File Type".to_owned()));
        assert_eq!(found[1].0, "experimental/math/x/a.cpp");
    }
}
