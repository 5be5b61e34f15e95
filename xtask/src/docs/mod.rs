//! Every command of README.md and docs/, run as a reader would: in a checkout, with the package installed.

pub mod block;

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

/// One count per block. A filter chooses documents by name; `ignored` takes the slow blocks, too.
pub fn run(cx: &mut Ctx, filter: Option<&str>, ignored: bool) -> Result<Count> {
    cx.console.say("Testing", "commands of README.md and docs/");
    let mut count = Count::default();
    for document in documents(&cx.project.home)? {
        let name = document.to_string_lossy().into_owned();
        if filter.is_none_or(|filter| name.contains(filter)) {
            count += one(cx, &name, ignored)?;
        }
    }
    Ok(count)
}

fn documents(repo: &Path) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        files::walk(&repo.join("docs"))?.into_iter().map(|file| Path::new("docs").join(file)).collect();
    // Chinese editions have the same commands (`tidy`).
    found.retain(|file| !file.starts_with("docs/zh"));
    found.push("README.md".into());
    found.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    Ok(found)
}

fn one(cx: &mut Ctx, name: &str, ignored: bool) -> Result<Count> {
    let path = cx.project.home.join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let blocks = block::parse(&text).map_err(|error| failed(Kind::Tests, format!("{name}: {error:#}")))?;
    let place = Place::new(cx, name)?;
    let mut count = Count::default();
    let mut output = None;
    for block in &blocks {
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
