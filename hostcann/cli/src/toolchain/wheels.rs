//! Python wheels with pinned hashes, installed into a directory of their own, without root and without a virtual
//! environment.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;
use xshell::cmd;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::files;
use crate::base::gauge::{Gauge, megabytes};
use crate::base::proc;

/// Prefix of a directory that is filled before it gets its name; the name of what fills it follows.
const PART: &str = "tools-part-";

/// Names the log, the directory and the step of everything that is no framework.
const TOOLS: &str = "tools";

/// Beside the wheels: a copy of the lock file they came from.
pub const STAMP: &str = "lock.txt";

const NO_PIP: &str = "install pip (Debian, Ubuntu: `apt install python3-pip`; without root: `python3 -m ensurepip --user`) \
                      or use your own cmake and ninja with XTASK_TOOLS=system";

/// What one lock file pins.
pub struct Wheels {
    /// Path in the repository.
    pub lock: &'static str,
    pub what: &'static str,
    /// Of all downloads for one platform, about.
    pub download_mb: u64,
    /// Of what is installed.
    pub disk_mb: u64,
    /// Which platforms have wheels, and what to do on others.
    pub platforms: &'static str,
    /// What to do without a network; continues a sentence.
    pub instead: &'static str,
    /// The wheels fit one Python version only.
    pub per_python: bool,
}

impl Wheels {
    /// Whether the wheels are there in the pinned versions: the stamp is a copy of the lock file.
    pub fn ready(&self, repo: &Path, dir: &Path) -> bool {
        let stamp = self.stamp(repo);
        stamp.is_ok_and(|stamp| fs::read_to_string(dir.join(STAMP)).is_ok_and(|there| there == stamp))
    }

    fn stamp(&self, repo: &Path) -> Result<String> {
        let path = repo.join(self.lock);
        let lock = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if !self.per_python {
            return Ok(lock);
        }
        Ok(stamp(&tag(Path::new("python3")).unwrap_or_default(), &lock))
    }

    /// Installs next to the final place and renames: an interrupted run leaves nothing half installed.
    pub fn install(&self, cx: &mut Ctx, dir: &Path) -> Result<()> {
        if proc::probe("python3", &["--version"]).is_none() {
            return Err(failed(Kind::Tool, "python3 does not run; it fetches the pinned tools").hint(
                "install python3 and pip (Debian, Ubuntu: `apt install python3-pip`) or set XTASK_TOOLS=system",
            ));
        }
        if proc::probe("python3", &["-m", "pip", "--version"]).is_none() {
            return Err(failed(Kind::Pip, "python3 has no pip; it fetches the pinned tools").hint(NO_PIP));
        }
        cx.console.say("Fetching", self.told());
        let temp = part(cx, TOOLS)?;
        let new = temp.path().join("tools");
        self.pip(cx, TOOLS, Path::new("python3"), temp.path(), &new)?;
        fs::write(new.join(STAMP), self.stamp(&cx.project.home)?).context("cannot write the stamp of the tools")?;
        put(&new, dir)
    }

    /// What is fetched, with its size.
    pub fn told(&self) -> String {
        let [download, disk] = [self.download_mb, self.disk_mb].map(megabytes);
        format!("{} (pinned wheels: {download} to download, {disk} on disk)", self.what)
    }

    /// Downloads and unpacks into `into`, below `part`.
    pub fn pip(&self, cx: &Ctx, step: &str, python: &Path, part: &Path, into: &Path) -> Result<()> {
        let lock = cx.project.home.join(self.lock);
        // -m looks for modules in the current directory first.
        let _dir = cx.run.sh.push_dir("/");
        let cmd = cmd!(
            cx.run.sh,
            "{python} -m pip install --target {into} --require-hashes --only-binary=:all: --no-deps --no-input
             --disable-pip-version-check -r {lock}"
        )
        // Settings for other installations, which would contradict --target.
        .env("PIP_USER", "0")
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        .env_remove("PIP_PREFIX")
        .env_remove("PIP_ROOT")
        .env_remove("PIP_TARGET")
        // What it cannot reach, pip names only when it retries and is not quiet.
        .env("PIP_RETRIES", retries(std::env::var("PIP_RETRIES").ok()))
        .env_remove("PIP_QUIET")
        // pip unpacks into a directory of its own first: next to the final one, not in a small /tmp, and where it is measured.
        .env("TMPDIR", part);
        let gauge = Gauge::new(part, self.download_mb, self.disk_mb);
        let outcome = proc::log_measured(cx, step, cmd, gauge)?;
        if outcome.ok { Ok(()) } else { Err(self.pip_failed(cx, step, &outcome)) }
    }

    fn pip_failed(&self, cx: &Ctx, step: &str, outcome: &proc::Outcome) -> anyhow::Error {
        let detail = || {
            format!(
                "--- last lines of {}\n{}\n---",
                cx.project.show(&cx.project.log_file(step)),
                proc::last_lines(&outcome.text, 40)
            )
        };
        let no_index = std::env::var("PIP_NO_INDEX").is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()));
        let (kind, message, hint) = self.judge_pip(&outcome.text, no_index);
        failed_with(kind, message, detail()).hint(hint)
    }

    fn judge_pip(&self, text: &str, no_index: bool) -> (Kind, String, String) {
        const OFFLINE: [&str; 9] = [
            "after connection broken by",
            "NewConnectionError",
            "Failed to establish a new connection",
            "name resolution",
            "ConnectTimeoutError",
            "ReadTimeoutError",
            "ProxyError",
            "Max retries exceeded",
            "confirming the ssl certificate",
        ];
        let has = |sign: &str| text.contains(sign);
        if has("No space left on device") || has("Disk quota exceeded") {
            (
                Kind::DiskFull,
                format!(
                    "no space left while fetching the pinned wheels ({} and the download)",
                    megabytes(self.disk_mb)
                ),
                "free some space, or let TMPDIR and the repository lie on a larger disk, then run the command again"
                    .to_owned(),
            )
        } else if OFFLINE.iter().any(|sign| has(sign)) {
            (
                Kind::Network,
                "pip cannot reach its package index".to_owned(),
                format!("check the network, HTTPS_PROXY and PIP_INDEX_URL, then run the command again{}", self.instead),
            )
        } else if has("externally-managed-environment") {
            (
                Kind::Pip,
                "pip refuses to install: this Python is marked EXTERNALLY-MANAGED".to_owned(),
                "use a virtual environment: `python3 -m venv ~/xtask-venv && . ~/xtask-venv/bin/activate`, then run the \
                 command again"
                    .to_owned(),
            )
        } else if has("DO NOT MATCH THE HASHES") {
            (
                Kind::Pip,
                "a downloaded wheel does not have the pinned hash; nothing was installed".to_owned(),
                "the package index serves something else than PyPI: check PIP_INDEX_URL and pip.conf, \
                 then `python3 -m pip cache purge`, then run the command again"
                    .to_owned(),
            )
        } else if no_index && has("No matching distribution") {
            (
                Kind::Pip,
                "pip may not ask a package index: PIP_NO_INDEX is set".to_owned(),
                format!("unset PIP_NO_INDEX, or let PIP_FIND_LINKS name a directory with the wheels of {}", self.lock),
            )
        } else if has("No matching distribution") || has("no such option") {
            (Kind::Pip, "pip finds no wheel for this platform or is too old".to_owned(), self.platforms.to_owned())
        } else {
            (
                Kind::Pip,
                "pip could not install the pinned tools".to_owned(),
                "see the lines above; `cargo xtask doctor` shows what was found".to_owned(),
            )
        }
    }
}

/// As the user has it, but once at least; pip's own default is 5.
fn retries(set: Option<String>) -> String {
    set.filter(|value| value.trim().parse::<u32>().is_ok_and(|count| count > 0)).unwrap_or_else(|| "5".to_owned())
}

/// An empty directory beside the final places, for what `name` says; what killed runs left of the same goes. Others may be at
/// work in theirs.
pub fn part(cx: &Ctx, name: &str) -> Result<TempDir> {
    let prefix = format!("{PART}{name}-");
    let parent = cx.project.products();
    fs::create_dir_all(&parent).with_context(|| format!("cannot create {}", parent.display()))?;
    left(&parent, &prefix)?.iter().try_for_each(|dir| files::remove_dir_if_there(dir))?;
    tempfile::Builder::new()
        .prefix(&prefix)
        .tempdir_in(&parent)
        .with_context(|| format!("cannot create a directory in {}", parent.display()))
}

/// Gives a finished directory its name. What had it goes with the directory that holds `new`: a run that is killed while
/// it removes thousands of files leaves none of them where they are looked for.
pub fn put(new: &Path, dir: &Path) -> Result<()> {
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
    }
    let old = files::with_suffix(new, ".old");
    match fs::rename(dir, &old) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot move {} away", dir.display()));
        }
        _ => {}
    }
    fs::rename(new, dir).with_context(|| format!("cannot move {} to {}", new.display(), dir.display()))
}

/// The Python that wheels are for, `cpython-311`; None when it does not run.
pub fn tag(python: &Path) -> Option<String> {
    let program = python.to_string_lossy();
    proc::probe(&program, &["-c", "import sys; print(sys.implementation.cache_tag)"]).map(|tag| tag.trim().to_owned())
}

/// What is written beside wheels that fit one Python.
pub fn stamp(tag: &str, lock: &str) -> String {
    format!("# for {tag}\n{lock}")
}

/// What killed runs left behind.
pub fn interrupted(target: &Path) -> Result<Vec<PathBuf>> {
    left(target, PART)
}

fn left(target: &Path, prefix: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(target).with_context(|| format!("cannot list {}", target.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", target.display()))?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHEELS: Wheels = Wheels {
        lock: "x.lock.txt",
        what: "x",
        platforms: "none",
        download_mb: 1,
        disk_mb: 1,
        instead: "; do without",
        per_python: false,
    };

    #[test]
    fn pip_failures_are_told_apart() {
        let cases = [
            ("OSError: [Errno 28] No space left on device", Kind::DiskFull),
            ("WARNING: Retrying … NewConnectionError('<pip…>: Failed to establish a new connection", Kind::Network),
            ("error: externally-managed-environment\n× This environment", Kind::Pip),
            ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", Kind::Pip),
            ("ERROR: No matching distribution found for cmake==3.31.6", Kind::Pip),
            ("WARNING: Retrying (Retry(total=0)) after connection broken by 'SSLError'", Kind::Network),
            ("There was a problem confirming the ssl certificate\nERROR: No matching distribution", Kind::Network),
            ("Segmentation fault", Kind::Pip),
        ];
        for (text, kind) in cases {
            assert_eq!(WHEELS.judge_pip(text, false).0, kind, "{text}");
        }
        // pip ends an offline run with both messages: the network is the cause.
        assert_eq!(WHEELS.judge_pip("Max retries exceeded\nERROR: No matching distribution", true).0, Kind::Network);
        assert_eq!(
            WHEELS.judge_pip("ERROR: No matching distribution", true).1,
            "pip may not ask a package index: PIP_NO_INDEX is set"
        );
    }

    #[test]
    fn pip_retries_once_at_least() {
        for (set, used) in [(None, "5"), (Some("0"), "5"), (Some("many"), "5"), (Some("1"), "1"), (Some("9"), "9")] {
            assert_eq!(retries(set.map(str::to_owned)), used, "{set:?}");
        }
    }

    #[test]
    fn the_stamp_is_the_lock() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (repo, dir) = (temp.path().join("repo"), temp.path().join("tools"));
        files::write_if_changed(&repo.join(WHEELS.lock), b"cmake==1").expect("write");
        assert!(!WHEELS.ready(&repo, &dir));
        files::write_if_changed(&dir.join("lock.txt"), b"cmake==1").expect("write");
        assert!(WHEELS.ready(&repo, &dir));
        files::write_if_changed(&repo.join(WHEELS.lock), b"cmake==2").expect("write");
        assert!(!WHEELS.ready(&repo, &dir));
    }

    #[test]
    fn what_is_replaced_is_never_half_there() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (new, dir) = (temp.path().join("part/x"), temp.path().join("target/x"));
        files::write_if_changed(&new.join("first"), b"").expect("write");
        put(&new, &dir).expect("a first one");
        files::write_if_changed(&new.join("second"), b"").expect("write");
        put(&new, &dir).expect("another one");
        assert_eq!(files::walk(&dir).expect("files"), [PathBuf::from("second")]);
        assert_eq!(files::walk(&temp.path().join("part/x.old")).expect("files"), [PathBuf::from("first")], "whole");
    }

    #[test]
    fn wheels_of_another_python_do_not_count() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (repo, dir) = (temp.path().join("repo"), temp.path().join("tools"));
        files::write_if_changed(&repo.join(WHEELS.lock), b"numpy==1").expect("write");
        files::write_if_changed(&dir.join("lock.txt"), b"# for cpython-20\nnumpy==1").expect("write");
        assert!(!Wheels { per_python: true, ..WHEELS }.ready(&repo, &dir));
    }
}
