//! The pinned tools: PyPI wheels installed into target/tools, without root and without a virtual environment.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::cmd;

use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed, failed_with};
use crate::files;
use crate::proc;
use crate::versions::{self, Version};

/// Prefix of the directory that is filled before it becomes target/tools.
const PART: &str = "tools-part-";
pub const LOCK: &str = "xtask/tools.lock.txt";
pub const MIN_GXX: Version = Version(11, 0, 0);
pub const MIN_CMAKE: Version = Version(3, 16, 0);
pub const MIN_NINJA: Version = Version(1, 10, 0);
pub const CLANG_FORMAT: Version = Version(18, 1, 8);

const NO_PIP: &str = "install pip (Debian, Ubuntu: `apt install python3-pip`; without root: `python3 -m ensurepip --user`) \
                      or use your own cmake and ninja with FMOD_TOOLS=system";

/// Where cmake, ninja and clang-format come from.
pub enum Tools {
    Pinned(PathBuf),
    System,
}

impl Tools {
    pub fn chosen(cx: &Ctx) -> Result<Tools> {
        match std::env::var("FMOD_TOOLS").unwrap_or_default().as_str() {
            "" | "pinned" => Ok(Tools::Pinned(cx.target().join("tools"))),
            "system" => Ok(Tools::System),
            other => Err(failed(Kind::Usage, format!("FMOD_TOOLS is `{other}`; allowed are `pinned` and `system`"))
                .hint("unset FMOD_TOOLS to use the pinned tools")),
        }
    }

    /// PATH with the tools in front.
    pub fn path_env(&self) -> Result<OsString> {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let Tools::Pinned(dir) = self else { return Ok(old) };
        // The wheels' own scripts in bin/ need PYTHONPATH, the programs behind them do not.
        let own = [dir.join("cmake/data/bin"), dir.join("clang_format/data/bin"), dir.join("bin")];
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&old)))
            .with_context(|| format!("{} cannot stand in PATH", dir.display()))
    }

    pub fn program(&self, name: &str) -> PathBuf {
        match self {
            Tools::System => PathBuf::from(name),
            Tools::Pinned(dir) => match name {
                "cmake" => dir.join("cmake/data/bin/cmake"),
                "clang-format" => dir.join("clang_format/data/bin/clang-format"),
                _ => dir.join("bin").join(name),
            },
        }
    }
}

/// Whether the pinned tools are there in the pinned versions: the stamp is a copy of the lock file.
pub fn pinned_ready(repo: &Path, dir: &Path) -> bool {
    let lock = fs::read(repo.join(LOCK));
    lock.is_ok_and(|lock| fs::read(dir.join("lock.txt")).is_ok_and(|stamp| stamp == lock))
}

/// Makes the tools usable; installs the pinned ones when missing or outdated.
pub fn ensure(cx: &mut Ctx, force: bool) -> Result<Tools> {
    let tools = Tools::chosen(cx)?;
    match &tools {
        Tools::System => {
            need(&tools, "cmake", MIN_CMAKE)?;
            need(&tools, "ninja", MIN_NINJA)?;
        }
        Tools::Pinned(dir) => {
            if force || !pinned_ready(&cx.repo, dir) {
                let dir = dir.clone();
                cx.step("tools", |cx| install(cx, &dir))?;
            }
        }
    }
    Ok(tools)
}

fn need(tools: &Tools, name: &str, min: Version) -> Result<()> {
    let program = tools.program(name);
    let hint = format!("install {name} {min} or newer, or unset FMOD_TOOLS to use the pinned tools");
    let text = proc::probe(&program.to_string_lossy(), &["--version"])
        .ok_or_else(|| failed(Kind::Tool, format!("FMOD_TOOLS=system, but `{name}` does not run")).hint(&hint))?;
    match versions::parse(&text) {
        Some(found) if found >= min => Ok(()),
        Some(found) => Err(failed(Kind::Tool, format!("`{name}` is {found}, {min} or newer is needed")).hint(hint)),
        None => Err(failed(Kind::Tool, format!("`{name} --version` printed no version")).hint(hint)),
    }
}

/// The compiler is the one tool that PyPI cannot give.
pub fn need_compiler() -> Result<()> {
    let name = proc::cxx();
    let hint = "install g++ 11 or newer (Debian, Ubuntu: `apt install g++`) or point CXX to it";
    let text = proc::probe(&name, &["--version"])
        .ok_or_else(|| failed(Kind::Tool, format!("the C++ compiler `{name}` does not run")).hint(hint))?;
    match versions::parse(&text) {
        // clang++ numbers its versions differently; let the build decide.
        Some(found) if found < MIN_GXX && !text.contains("clang") => {
            Err(failed(Kind::Tool, format!("`{name}` is {found}, {MIN_GXX} or newer is needed")).hint(hint))
        }
        _ => Ok(()),
    }
}

/// Installs next to the final place and renames: an interrupted run leaves nothing half installed.
fn install(cx: &mut Ctx, dir: &Path) -> Result<()> {
    if proc::probe("python3", &["--version"]).is_none() {
        return Err(failed(Kind::Tool, "python3 does not run; it fetches the pinned tools")
            .hint("install python3 and pip (Debian, Ubuntu: `apt install python3-pip`) or set FMOD_TOOLS=system"));
    }
    if proc::probe("python3", &["-m", "pip", "--version"]).is_none() {
        return Err(failed(Kind::Pip, "python3 has no pip; it fetches the pinned tools").hint(NO_PIP));
    }
    cx.say("Fetching", "cmake, ninja, libclang, clang-format (pinned wheels, about 55 MB)");
    let lock = cx.repo.join(LOCK);
    let parent = cx.target();
    fs::create_dir_all(&parent).with_context(|| format!("cannot create {}", parent.display()))?;
    remove_interrupted(&parent)?;
    let temp = tempfile::Builder::new()
        .prefix(PART)
        .tempdir_in(&parent)
        .with_context(|| format!("cannot create a directory in {}", parent.display()))?;
    let new = temp.path().join("tools");
    let cmd = cmd!(
        cx.sh,
        "python3 -m pip install --target {new} --require-hashes --only-binary=:all: --no-deps --no-input
         --disable-pip-version-check -r {lock}"
    )
    // A user's `user = true` in pip.conf would contradict --target.
    .env("PIP_USER", "0");
    let outcome = proc::log_run(cx, "tools", cmd)?;
    if !outcome.ok {
        return Err(pip_failed(cx, &outcome));
    }
    fs::copy(&lock, new.join("lock.txt")).context("cannot write the stamp of the tools")?;
    files::remove_dir_if_there(dir)?;
    fs::rename(&new, dir).with_context(|| format!("cannot move the tools to {}", dir.display()))
}

/// What a killed run left behind.
fn remove_interrupted(target: &Path) -> Result<()> {
    let entries = fs::read_dir(target).with_context(|| format!("cannot list {}", target.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", target.display()))?;
        if entry.file_name().to_string_lossy().starts_with(PART) {
            files::remove_dir_if_there(&entry.path())?;
        }
    }
    Ok(())
}

fn pip_failed(cx: &Ctx, outcome: &proc::Outcome) -> anyhow::Error {
    let detail = || {
        format!("--- last lines of {}\n{}\n---", cx.show(&cx.log_file("tools")), proc::last_lines(&outcome.text, 40))
    };
    let (kind, message, hint) = judge_pip(&outcome.text);
    failed_with(kind, message, detail()).hint(hint)
}

fn judge_pip(text: &str) -> (Kind, &'static str, &'static str) {
    const OFFLINE: [&str; 7] = [
        "NewConnectionError",
        "Failed to establish a new connection",
        "name resolution",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "ProxyError",
        "Max retries exceeded",
    ];
    let has = |sign: &str| text.contains(sign);
    if has("No space left on device") || has("Disk quota exceeded") {
        (
            Kind::DiskFull,
            "no space left while fetching the pinned tools (about 150 MB)",
            "free some space, or let TMPDIR and the repository lie on a larger disk, then run `cargo xtask setup` again",
        )
    } else if OFFLINE.iter().any(|sign| has(sign)) {
        (
            Kind::Network,
            "pip cannot reach its package index",
            "check the network, HTTPS_PROXY and PIP_INDEX_URL, then run `cargo xtask setup` again; \
             with cmake and ninja installed, FMOD_TOOLS=system needs no download",
        )
    } else if has("externally-managed-environment") {
        (
            Kind::Pip,
            "pip refuses to install: this Python is marked EXTERNALLY-MANAGED",
            "use a virtual environment: `python3 -m venv ~/fmod-venv && . ~/fmod-venv/bin/activate`, then `cargo xtask setup`",
        )
    } else if has("DO NOT MATCH THE HASHES") {
        (
            Kind::Pip,
            "a downloaded wheel does not have the pinned hash; nothing was installed",
            "the package index serves something else than PyPI: check PIP_INDEX_URL and pip.conf, \
             then `python3 -m pip cache purge` and `cargo xtask setup`",
        )
    } else if has("No matching distribution") || has("no such option") {
        (
            Kind::Pip,
            "pip finds no wheel for this platform or is too old",
            "the pinned wheels exist for x86_64 and aarch64 Linux with glibc and pip 20.3 or newer; \
             otherwise install cmake and ninja and set FMOD_TOOLS=system",
        )
    } else {
        (
            Kind::Pip,
            "pip could not install the pinned tools",
            "see the lines above; `cargo xtask doctor` shows what was found",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pip_failures_are_told_apart() {
        let cases = [
            ("OSError: [Errno 28] No space left on device", Kind::DiskFull),
            ("WARNING: Retrying … NewConnectionError('<pip…>: Failed to establish a new connection", Kind::Network),
            ("error: externally-managed-environment\n× This environment", Kind::Pip),
            ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", Kind::Pip),
            ("ERROR: No matching distribution found for cmake==3.31.6", Kind::Pip),
            ("Segmentation fault", Kind::Pip),
        ];
        for (text, kind) in cases {
            assert_eq!(judge_pip(text).0, kind, "{text}");
        }
        // pip ends an offline run with both messages: the network is the cause.
        assert_eq!(judge_pip("Max retries exceeded\nERROR: No matching distribution").0, Kind::Network);
    }

    #[test]
    fn the_stamp_is_the_lock() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (repo, dir) = (temp.path().join("repo"), temp.path().join("tools"));
        files::write_if_changed(&repo.join(LOCK), b"cmake==1").expect("write");
        assert!(!pinned_ready(&repo, &dir));
        files::write_if_changed(&dir.join("lock.txt"), b"cmake==1").expect("write");
        assert!(pinned_ready(&repo, &dir));
        files::write_if_changed(&repo.join(LOCK), b"cmake==2").expect("write");
        assert!(!pinned_ready(&repo, &dir));
    }

    #[test]
    fn every_tool_has_two_hashes() {
        let lock = include_str!("../tools.lock.txt");
        assert_eq!(lock.matches("==").count() - 1, 4, "four tools and the renewal comment");
        assert_eq!(lock.matches("--hash=sha256:").count(), 8);
    }
}
