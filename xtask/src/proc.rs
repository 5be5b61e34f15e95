//! Running sub-tools: output goes to a log, its last lines are shown when the tool fails.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::Command;

use anyhow::{Context, Result};
use xshell::Cmd;

use crate::ctx::Ctx;
use crate::diag::{HintExt, Kind, failed, failed_with};

const SHOWN_LINES: usize = 40;

/// What a logged sub-tool printed and whether it succeeded.
pub struct Outcome {
    pub text: String,
    pub ok: bool,
    pub status: String,
}

/// What the user sees of a sub-tool while it runs.
#[derive(Clone, Copy)]
pub enum Shown {
    Nothing,
    All,
    Lines(fn(&str) -> bool),
}

/// Runs the command with stdout and stderr in `target/xtask/log/<step>.log`.
pub fn log_run(cx: &Ctx, step: &str, cmd: Cmd) -> Result<Outcome> {
    run_shown(cx, step, cmd, Shown::Nothing)
}

/// Like `log_run`, but the user sees the output, too.
pub fn show_run(cx: &Ctx, step: &str, cmd: Cmd) -> Result<Outcome> {
    run_shown(cx, step, cmd, Shown::All)
}

pub fn run_shown(cx: &Ctx, step: &str, cmd: Cmd, shown: Shown) -> Result<Outcome> {
    let shown = if cx.verbose { Shown::All } else { shown };
    let mut command: Command = cmd.into();
    let log_path = cx.log_file(step);
    if let Some(dir) = log_path.parent() {
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    let mut log = File::create(&log_path).with_context(|| format!("cannot write {}", log_path.display()))?;
    let (mut reader, writer) = std::io::pipe().context("cannot create a pipe")?;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(std::process::Stdio::null());
    command.stdout(writer.try_clone().context("cannot duplicate a pipe")?).stderr(writer);
    let mut child = command.spawn().map_err(|error| spawn_error(&program, error))?;
    // The command holds the write ends; the pipe ends when the child's copies are the last ones to close.
    drop(command);

    let mut bytes = Vec::new();
    let mut chunk = [0_u8; 8192];
    loop {
        let count = reader.read(&mut chunk).with_context(|| format!("cannot read the output of `{program}`"))?;
        if count == 0 {
            break;
        }
        log.write_all(&chunk[..count]).with_context(|| format!("cannot write {}", log_path.display()))?;
        let before = bytes.len();
        bytes.extend_from_slice(&chunk[..count]);
        show(shown, &bytes, before);
    }
    let status = child.wait().with_context(|| format!("cannot wait for `{program}`"))?;
    Ok(Outcome { text: String::from_utf8_lossy(&bytes).into_owned(), ok: status.success(), status: status.to_string() })
}

/// Shows what is new behind `before`; a line filter waits for the end of the line.
fn show(shown: Shown, bytes: &[u8], before: usize) {
    let line_end = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    // A closed stderr must not stop the build.
    let print = |bytes: &[u8]| drop(std::io::stderr().write_all(bytes));
    match shown {
        Shown::Nothing => {}
        Shown::All => print(&bytes[before..]),
        Shown::Lines(wanted) => {
            let complete = String::from_utf8_lossy(&bytes[line_end(&bytes[..before])..line_end(bytes)]);
            complete.lines().filter(|line| wanted(line)).for_each(|line| print(format!("{line}\n").as_bytes()));
        }
    }
}

/// Runs a sub-tool that must succeed; returns its output.
pub fn must_run(cx: &Ctx, step: &str, kind: Kind, cmd: Cmd) -> Result<String> {
    let name = cmd.to_string().split_whitespace().next().unwrap_or_default().to_owned();
    let outcome = log_run(cx, step, cmd)?;
    if outcome.ok {
        return Ok(outcome.text);
    }
    Err(tool_failed(cx, step, kind, &name, &outcome))
}

/// The error for a failed sub-tool: what failed, its last lines, the log.
pub fn tool_failed(cx: &Ctx, step: &str, kind: Kind, program: &str, outcome: &Outcome) -> anyhow::Error {
    let program = program.rsplit('/').next().unwrap_or(program);
    let log = cx.show(&cx.log_file(step));
    let detail = format!("--- last lines of {log}\n{}\n---", last_lines(&outcome.text, SHOWN_LINES));
    let kind = classify(&outcome.text).unwrap_or(kind);
    let error = failed_with(kind, format!("{step}: `{program}` failed ({})", outcome.status), detail);
    match kind {
        Kind::Network => error.hint("check the network or the proxy and registry settings, then run the command again"),
        Kind::DiskFull => error,
        _ => error.hint(format!("the whole output is in {log}; -v shows it while it runs")),
    }
}

/// Failures whose cause lies outside the tool, by what tools print about them.
fn classify(text: &str) -> Option<Kind> {
    const FULL: [&str; 2] = ["No space left on device", "Disk quota exceeded"];
    // cargo's own words; pip's are judged in tools.rs.
    const OFFLINE: [&str; 3] = ["failed to download from `", "Could not resolve host", "spurious network error"];
    if FULL.iter().any(|sign| text.contains(sign)) {
        return Some(Kind::DiskFull);
    }
    OFFLINE.iter().any(|sign| text.contains(sign)).then_some(Kind::Network)
}

pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn spawn_error(program: &str, error: std::io::Error) -> anyhow::Error {
    if error.kind() == std::io::ErrorKind::NotFound {
        return failed(Kind::Tool, format!("cannot run `{program}`: command not found"))
            .hint("`cargo xtask doctor` lists what is needed and how to get it");
    }
    anyhow::Error::new(error).context(format!("cannot run `{program}`"))
}

/// stdout of a short command; None when it cannot be started or fails.
pub fn probe(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The C++ compiler: CXX as everywhere, else the g++ that upstream's build calls.
pub fn cxx() -> String {
    std::env::var("CXX").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "g++".to_owned())
}

pub fn jobs(asked: Option<usize>) -> usize {
    asked.filter(|&jobs| jobs > 0).unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
        assert_eq!(last_lines("a\n", 40), "a");
        assert_eq!(last_lines("", 40), "");
    }

    #[test]
    fn outside_causes() {
        assert_eq!(classify("g++: fatal error: x.o: No space left on device"), Some(Kind::DiskFull));
        assert_eq!(classify("error: failed to download from `https://x`"), Some(Kind::Network));
        assert_eq!(classify("error: expected ';'"), None);
    }
}
