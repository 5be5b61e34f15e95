//! Every command of README.md and docs/, run as a reader would: in a checkout, with the package installed.
//!
//! Pages of both languages are tried. A Chinese page whose blocks are those of its English page, translated comments
//! apart, is not run again: every block of it is one that this run has tried. A page that has any other block, or whose
//! English page a filter left out, is run as a whole, because blocks build on each other.

pub mod block;
mod pages;
pub mod site;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use block::{Action, Block};
use hostcann_cli::base::count::Count;
use hostcann_cli::base::ctx::Ctx;
use hostcann_cli::base::diag::{self, Kind, failed, failed_with};
use hostcann_cli::base::files;
use hostcann_cli::base::proc;
use hostcann_cli::base::program;
use hostcann_cli::base::term::err;
use hostcann_cli::build::hostroot;
use hostcann_cli::test::layer::is_layer;

use crate::tidy::editions;

/// One count per block. A filter chooses documents by name; `ignored` takes the slow blocks, too.
pub fn run(cx: &mut Ctx, filter: Option<&str>, ignored: bool) -> Result<Count> {
    cx.console.say("Testing", "commands of README.md and docs/");
    let mut count = Count::default();
    let mut tried: Vec<Page> = Vec::new();
    for name in documents(&cx.project.home)? {
        if filter.is_none_or(|filter| name.contains(filter)) {
            let page = Page::read(&cx.project.home, &name)?;
            if !tried.iter().any(|other| page.repeats(other)) {
                // A part of the run leaves pages to the others.
                if cx.run.takes(&format!("docs {name}")) {
                    count += one(cx, &page, ignored)?;
                }
                tried.push(page);
            }
        }
    }
    Ok(count)
}

struct Page {
    name: String,
    blocks: Vec<Block>,
}

impl Page {
    fn read(repo: &Path, name: &str) -> Result<Page> {
        let path = repo.join(name);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let blocks = block::parse(&text).map_err(|error| failed(Kind::Tests, format!("{name}: {error:#}")))?;
        Ok(Page { name: name.to_owned(), blocks })
    }

    /// Whether it is an edition of `other` with the same blocks, so that whatever it would do `other` does.
    fn repeats(&self, other: &Page) -> bool {
        fn of(page: &Page) -> impl Iterator<Item = (&str, &Action, Vec<&str>)> {
            page.blocks.iter().filter(|block| block.language != "mermaid").map(|block| {
                let lines = block.text.lines().filter_map(|line| editions::untranslated(&block.language, line));
                (block.language.as_str(), &block.action, lines.collect())
            })
        }
        editions::is_edition_of(&self.name, &other.name) && of(self).eq(of(other))
    }
}

/// An English page comes before its edition.
fn documents(repo: &Path) -> Result<Vec<String>> {
    let files = files::walk(&repo.join("docs"))?;
    let mut found: Vec<String> = files.iter().map(|file| format!("docs/{}", file.display())).collect();
    found.extend(["README.md", "README.zh.md"].map(str::to_owned));
    found.retain(|file| file.ends_with(".md"));
    found.sort_by_key(|file| (editions::is_edition(file), file.clone()));
    Ok(found)
}

fn one(cx: &mut Ctx, page: &Page, ignored: bool) -> Result<Count> {
    let name = &page.name;
    let place = Place::new(cx, name)?;
    let mut count = Count::default();
    let mut output = None;
    for block in &page.blocks {
        let at = format!("{name}:{}", block.line);
        let result = step(cx, &place, &at, block, ignored, &mut output);
        match &result {
            Ok(false) => continue,
            Ok(true) => count.passed += 1,
            Err(error) => {
                count.failed += 1;
                err!("{at}");
                diag::show(error);
                // What comes behind builds on it.
                break;
            }
        }
    }
    Ok(count)
}

/// Whether the block was tried. `output` is what the block before it printed, if it was run.
fn step(
    cx: &mut Ctx,
    place: &Place,
    at: &str,
    block: &Block,
    ignored: bool,
    output: &mut Option<String>,
) -> Result<bool> {
    let before = output.take();
    match &block.action {
        Action::Run { slow: true, .. } if !ignored => Ok(false),
        Action::Run { status, .. } => {
            *output = Some(place.run(cx, at, &block.text, *status)?);
            Ok(true)
        }
        Action::Write(file) => {
            files::write_if_changed(&place.dir.join(file), block.text.as_bytes())?;
            Ok(false)
        }
        Action::Show => match before {
            Some(before) if block.language == "text" => match block::missing(&block.text, &before) {
                Some(line) => Err(failed_with(
                    Kind::Tests,
                    format!("the commands do not print `{line}`"),
                    proc::last_lines(&before, 40),
                )),
                None => Ok(true),
            },
            _ => Ok(false),
        },
        Action::Elsewhere(place) => {
            let known = match place.strip_prefix("layer ") {
                Some(layer) => is_layer(layer),
                None => cx.project.home.join(place).is_file(),
            };
            if known {
                Ok(false)
            } else {
                Err(failed(Kind::Tests, format!("`{place}` is no layer of `test` and no file")))
            }
        }
        Action::Never => Ok(false),
    }
}

/// What looks like a checkout: its entries are links, so that what a command leaves in the current directory or beside
/// it stays in `target/`.
struct Place {
    dir: PathBuf,
    path: std::ffi::OsString,
}

impl Place {
    fn new(cx: &Ctx, document: &str) -> Result<Place> {
        let base = cx.project.work().join("docs").join(document.replace(['/', '.'], "_"));
        files::remove_dir_if_there(&base)?;
        let dir = base.join("checkout");
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let link = |name: &str| {
            let (from, to) = (cx.project.home.join(name), dir.join(name));
            symlink(&from, &to).with_context(|| format!("cannot create {}", to.display()))
        };
        for name in ["target", "build_out"] {
            let path = cx.project.home.join(name);
            fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
            link(name)?;
        }
        for entry in
            fs::read_dir(&cx.project.home).with_context(|| format!("cannot list {}", cx.project.home.display()))?
        {
            let entry = entry.with_context(|| format!("cannot list {}", cx.project.home.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !["target", "build_out", ".git"].contains(&name.as_str()) {
                link(&name)?;
            }
        }
        let bin = base.join("bin");
        let old = std::env::var_os("PATH").unwrap_or_default();
        // By its path: its name will mean the script.
        let cargo = std::env::split_paths(&old)
            .map(|dir| dir.join(hostroot::cargo()))
            .find(|path| path.is_file())
            .with_context(|| format!("cannot find `{}` on PATH", hostroot::cargo()))?;
        let xtask = program::own()?;
        let script = format!(
            "#!/bin/sh\n# `cargo xtask` without building xtask again.\nif [ \"$1\" = xtask ]; then\n    shift\n    exec '{}' \"$@\"\nfi\nPATH=${{PATH#*:}} exec '{}' \"$@\"\n",
            xtask.display(),
            cargo.display()
        );
        let shim = bin.join("cargo");
        files::write_if_changed(&shim, script.as_bytes())?;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&shim, mode).with_context(|| format!("cannot set the mode of {}", shim.display()))?;
        let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&old)));
        Ok(Place { dir, path: path.context("a directory of PATH has a colon in its name")? })
    }

    /// The whole block is one script.
    fn run(&self, cx: &mut Ctx, at: &str, script: &str, status: i32) -> Result<String> {
        cx.console.say("Running", at);
        let step = format!("docs-{}", at.replace(['/', ':', '.'], "-"));
        cx.step(at, |cx| {
            let repo = &cx.project.home;
            let _dir = cx.run.sh.push_dir(&self.dir);
            let script = format!("set -eo pipefail\n{script}\nexit 0");
            let line = cmd!(cx.run.sh, "bash -c {script}").env("PATH", &self.path).env("CARGO_WORKSPACE_DIR", repo);
            let outcome = proc::log_run(cx, &step, line)?;
            let want = format!("exit status: {status}");
            if outcome.status == want {
                return Ok(outcome.text);
            }
            Err(failed_with(
                Kind::Tests,
                format!("the commands ended with {}, expected {want}", outcome.status),
                proc::last_lines(&outcome.text, 60),
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, text: &str) -> Page {
        Page { name: name.to_owned(), blocks: block::parse(text).expect("blocks") }
    }

    #[test]
    fn editions_are_run_once() {
        const ENGLISH: &str = "text\n<!-- test: exits 3 -->\n```bash\n# why\na  # says\nb\n```\n```text\nsaid\n```\n\
                               <!-- test: file x.cpp -->\n```cpp\nint x; // one\n```\n";
        let chinese =
            ENGLISH.replace("text\n<", "文字\n<").replace("# why\n", "").replace("says", "输出").replace("one", "一");
        let english = page("docs/guides/a.md", ENGLISH);
        assert!(page("docs/zh/a.md", &chinese).repeats(&english));
        assert!(page("README.zh.md", &chinese).repeats(&page("README.md", ENGLISH)));
        assert!(!page("docs/zh/b.md", &chinese).repeats(&english), "of another page");
        assert!(!page("docs/zh/README.md", &chinese).repeats(&page("docs/guides/README.md", ENGLISH)));
        for (from, to) in
            [("exits 3", "exits 4"), ("b\n", "b --x\n"), ("said", "says"), ("int x", "int y"), ("x.cpp", "y.cpp")]
        {
            assert!(!page("docs/zh/a.md", &chinese.replace(from, to)).repeats(&english), "{from}");
        }
        let more = format!("{chinese}```bash\nc\n```\n");
        assert!(!page("docs/zh/a.md", &more).repeats(&english), "has a block of its own");
    }

    #[test]
    fn pages_of_both_languages_are_tried() {
        let repo = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
        let all = documents(repo).expect("pages");
        let at = |name: &str| all.iter().position(|page| page == name).unwrap_or_else(|| panic!("{name}: {all:?}"));
        assert!(at("README.md") < at("README.zh.md"));
        assert!(at("docs/guides/simulating.md") < at("docs/zh/simulating.md"));
        at("docs/zh/README.md");
        // As long as they are equal, the second language costs nothing.
        for name in all.iter().filter(|name| editions::is_edition(name)) {
            let page = Page::read(repo, name).expect("blocks");
            let english = all.iter().find(|other| editions::is_edition_of(name, other)).expect("an English page");
            assert!(
                page.repeats(&Page::read(repo, english).expect("blocks")),
                "{name} is not {english} block by block"
            );
        }
    }
}
