//! Running sub-tools: output goes to a log, its last lines are shown when the tool fails.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, Result};
use xshell::Cmd;

use crate::base::build_log;
use crate::base::cargo_bar::{self, Filter};
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::gauge::Gauge;
use crate::base::progress::{self, Progress};
use crate::base::stopped;
use crate::base::term::{self, Stream};
use crate::base::watch::Watch;

pub use crate::base::program::{cxx, cxx_args, cxx_program, cxx_version, jobs, probe};

const SHOWN_LINES: usize = 40;
/// ninja takes colours out of what commands print unless this is set.
const COLOURED: &str = "CLICOLOR_FORCE";

/// What a logged sub-tool printed and whether it succeeded. One that a signal from outside has ended has no outcome: running
/// it is an error of its own kind.
pub struct Outcome {
    pub text: String,
    pub ok: bool,
    pub status: String,
    /// The limit of time has ended it; `status` says so.
    pub timed_out: bool,
}

/// What the user sees of a sub-tool while it runs.
#[derive(Clone, Copy)]
pub enum Shown {
    Nothing,
    All,
    Lines(fn(&str) -> bool),
    /// Everything, each stream on the stream it was written to
    Program,
}

/// Runs the command with stdout and stderr in `target/xtask/log/<step>.log`.
pub fn log_run(cx: &Ctx, step: &str, cmd: Cmd) -> Result<Outcome> {
    run_shown(cx, step, cmd, Shown::Nothing)
}

/// Like `log_run`, for pip, with what `gauge` measures as progress.
pub fn log_measured(cx: &Ctx, step: &str, cmd: Cmd, gauge: Gauge) -> Result<Outcome> {
    let mut started = start(cx, step, cmd, Shown::Nothing)?;
    started.progress.measure(gauge);
    finish(cx, started)
}

/// Like `log_run`, but it is the user's program: its output is the result.
pub fn show_run(cx: &Ctx, step: &str, cmd: Cmd) -> Result<Outcome> {
    follow(cx, start(cx, step, cmd, Shown::Program)?, cx.run.limit_of_programs())
}

/// Like `show_run`, and what the user types, or pipes in, is the program's.
pub fn talk_to(cx: &Ctx, step: &str, cmd: Cmd) -> Result<Outcome> {
    let started = start_with(cx, step, cmd, Shown::Program, Stdio::inherit())?;
    follow(cx, started, cx.run.limit_of_programs())
}

/// Like `log_run`, but the program may not end.
pub fn log_program(cx: &Ctx, step: &str, cmd: Cmd) -> Result<Outcome> {
    log_within(cx, step, cmd, cx.run.limit_of_programs())
}

/// Like `log_run`, with a limit of its own for the time without a line of output.
pub fn log_within(cx: &Ctx, step: &str, cmd: Cmd, limit: Option<Duration>) -> Result<Outcome> {
    follow(cx, start(cx, step, cmd, Shown::Nothing)?, limit)
}

pub fn run_shown(cx: &Ctx, step: &str, cmd: Cmd, shown: Shown) -> Result<Outcome> {
    follow(cx, start(cx, step, cmd, shown)?, cx.run.limit)
}

/// A command that runs, and where what it prints goes.
pub struct Started {
    step: String,
    program: String,
    child: Running,
    shown: Shown,
    log: File,
    log_path: PathBuf,
    progress: Progress,
    /// Of cargo alone.
    bars: Option<Filter>,
}

/// Like `run_shown`, but returns at once: nothing is logged or shown until [`finish`].
pub fn start(cx: &Ctx, step: &str, cmd: Cmd, shown: Shown) -> Result<Started> {
    start_with(cx, step, cmd, shown, Stdio::null())
}

fn start_with(cx: &Ctx, step: &str, cmd: Cmd, shown: Shown, input: Stdio) -> Result<Started> {
    let shown = if cx.console.verbose && !matches!(shown, Shown::Program) { Shown::All } else { shown };
    let log_path = cx.project.log_file(step);
    if let Some(dir) = log_path.parent() {
        fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    }
    let log = File::create(&log_path).with_context(|| format!("cannot write {}", log_path.display()))?;
    let kernels = log_path.with_extension("progress");
    let progress = Progress::new(step, kernels.clone());
    let program = name(&cmd);
    let bars = (program == "cargo").then(Filter::default);
    let cmd = if bars.is_some() { cmd.envs(cargo_bar::VARIABLES) } else { cmd };
    let child = spawn(cmd.env(progress::FILE, kernels), matches!(shown, Shown::Program), input)?;
    Ok(Started { step: step.to_owned(), program, child, shown, log, log_path, progress, bars })
}

/// Shows what a started command has printed and prints until it ends. A limit of time counts from here.
pub fn finish(cx: &Ctx, started: Started) -> Result<Outcome> {
    follow(cx, started, cx.run.limit)
}

fn follow(cx: &Ctx, started: Started, limit: Option<Duration>) -> Result<Outcome> {
    let Started { step, program, mut child, shown, mut log, log_path, mut progress, mut bars } = started;
    let mut watch = Watch::new(limit);
    let silent = matches!(shown, Shown::Nothing | Shown::Lines(_));

    let mut bytes = Vec::new();
    let mut ended = false;
    while !ended {
        let (stream, chunk) = match child.output.recv_timeout(watch.patience().min(progress.patience())) {
            Ok(chunk) => chunk,
            Err(RecvTimeoutError::Timeout) => {
                progress.tick(silent);
                watch.look(child.process.id());
                if watch.has_given_up() {
                    break;
                }
                continue;
            }
            // What cargo printed last may have no end of line.
            Err(RecvTimeoutError::Disconnected) => {
                ended = true;
                (Stream::Err, bars.take().map(|mut bars| bars.rest()).unwrap_or_default())
            }
        };
        let (chunk, bar) = match &mut bars {
            Some(bars) => bars.feed(&chunk),
            None => (chunk, None),
        };
        bar.into_iter().for_each(|bar| progress.bar(bar));
        log.write_all(&chunk).with_context(|| format!("cannot write {}", log_path.display()))?;
        let before = bytes.len();
        bytes.extend_from_slice(&chunk);
        let complete = String::from_utf8_lossy(&bytes[line_end(&bytes[..before])..line_end(&bytes)]);
        complete.lines().for_each(|line| progress.feed(line));
        if !complete.is_empty() {
            watch.heard();
        }
        let show = match shown {
            Shown::Nothing => Vec::new(),
            Shown::All | Shown::Program => chunk,
            Shown::Lines(wanted) => complete.lines().filter(|line| wanted(line)).flat_map(with_end).collect(),
        };
        if !show.is_empty() {
            progress.clear();
            term::write(stream, &show);
        }
        progress.tick(silent);
        watch.look(child.process.id());
    }
    let status = child.process.wait().context("cannot wait for a sub-tool")?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let limit = watch.verdict();
    if limit.is_none()
        && let Some(outside) = stopped::from_outside(status)
    {
        cx.run.note_stop();
        let message = format!("{step}: `{program}` was {outside}");
        return Err(match silent {
            true => failed_with(Kind::Stopped, message, last_lines(&text, SHOWN_LINES)),
            // What it said stands above.
            false => failed(Kind::Stopped, message),
        });
    }
    Ok(match limit {
        Some(status) => {
            cx.run.note_stop();
            Outcome { text, ok: false, status, timed_out: true }
        }
        None => Outcome { text, ok: status.success(), status: status.to_string(), timed_out: false },
    })
}

fn line_end(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)
}

fn with_end(line: &str) -> Vec<u8> {
    format!("{line}\n").into_bytes()
}

struct Running {
    process: Child,
    output: Receiver<(Stream, Vec<u8>)>,
}

/// One that nobody waits for any more, because something else failed, ends with its handle.
impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            // It may have ended by now; there is nobody left to tell.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// Starts a command; what it prints arrives piece by piece. Both streams share one pipe, which keeps their order, unless
/// they are to be told apart.
fn spawn(cmd: Cmd, apart: bool, input: Stdio) -> Result<Running> {
    let mut command: Command = cmd.into();
    let program = command.get_program().to_string_lossy().into_owned();
    let pipe = || std::io::pipe().context("cannot create a pipe");
    let (reader, writer) = pipe()?;
    let mut readers = vec![(Stream::Err, reader)];
    command.stdin(input);
    if apart {
        let (reader, writer) = pipe()?;
        readers.push((Stream::Out, reader));
        command.stdout(writer);
    } else {
        command.stdout(writer.try_clone().context("cannot duplicate a pipe")?);
    }
    command.stderr(writer);
    end_with_us(&mut command);
    let process = command.spawn().map_err(|error| spawn_error(&program, error))?;
    // The command holds the write ends; a pipe ends when the child's copies are the last ones to close.
    drop(command);

    let (sender, output) = mpsc::channel();
    for (stream, mut reader) in readers {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut chunk = [0_u8; 8192];
            loop {
                match reader.read(&mut chunk) {
                    Ok(count @ 1..) if sender.send((stream, chunk[..count].to_vec())).is_ok() => {}
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    _ => break,
                }
            }
        });
    }
    Ok(Running { process, output })
}

/// A tool that is killed takes its sub-tools along: pip would go on to fill `target`.
pub fn end_with_us(command: &mut Command) {
    let parent = std::process::id();
    // SAFETY: prctl, getppid and raise are safe to call between fork and exec.
    unsafe {
        command.pre_exec(move || {
            // Of the thread that starts it, which waits for it as well.
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            if libc::getppid() != parent as i32 {
                libc::raise(libc::SIGTERM);
            }
            Ok(())
        });
    }
}

/// Runs a sub-tool that must succeed; returns its output.
pub fn must_run(cx: &Ctx, step: &str, kind: Kind, cmd: Cmd) -> Result<String> {
    let name = name(&cmd);
    let outcome = log_run(cx, step, with_colour(cmd))?;
    if outcome.ok {
        return Ok(outcome.text);
    }
    Err(tool_failed(cx, step, kind, &name, &outcome))
}

/// The program's own, without directories.
fn name(cmd: &Cmd) -> String {
    let line = cmd.to_string();
    let program = line.split_whitespace().next().unwrap_or_default();
    program.rsplit('/').next().unwrap_or(program).to_owned()
}

/// Compilers colour their messages as if they wrote to the terminal where these are shown.
pub fn with_colour(cmd: Cmd<'_>) -> Cmd<'_> {
    if term::colour() { cmd.env("CARGO_TERM_COLOR", "always").env(COLOURED, "1") } else { cmd }
}

/// Options of g++ for the same.
pub fn colour_flag() -> Option<&'static str> {
    let wanted = std::env::var_os(COLOURED).is_some_and(|value| value != "0") || term::colour();
    wanted.then_some("-fdiagnostics-color=always")
}

/// The error for a failed sub-tool: what it said, what failed, where the rest is.
pub fn tool_failed(cx: &Ctx, step: &str, kind: Kind, program: &str, outcome: &Outcome) -> anyhow::Error {
    let program = program.rsplit('/').next().unwrap_or(program);
    failure(cx, step, kind, format!("{step}: `{program}` failed ({})", outcome.status), outcome)
}

/// The error for a failed build, whose tool is not to blame.
pub fn build_failed(cx: &Ctx, step: &str, outcome: &Outcome) -> anyhow::Error {
    let what = if outcome.timed_out { outcome.status.as_str() } else { "the build failed" };
    failure(cx, step, Kind::Build, format!("{step}: {what}"), outcome)
}

fn failure(cx: &Ctx, step: &str, kind: Kind, message: String, outcome: &Outcome) -> anyhow::Error {
    let kind = classify(&outcome.text).unwrap_or(kind);
    if kind == Kind::Stopped {
        cx.run.note_stop();
    }
    let said = match kind {
        Kind::Build => build_log::messages(&outcome.text),
        _ => last_lines(&outcome.text, SHOWN_LINES),
    };
    let error = failed_with(kind, message, said);
    match kind {
        Kind::Network => error.hint("check the network or the proxy and registry settings, then run the command again"),
        Kind::DiskFull | Kind::Stopped => error,
        _ => error.hint(format!(
            "the whole output is in {}; -v shows it while it runs",
            cx.project.show(&cx.project.log_file(step))
        )),
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
    if OFFLINE.iter().any(|sign| text.contains(sign)) {
        return Some(Kind::Network);
    }
    stopped::is_told_in(text).then_some(Kind::Stopped)
}

pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

pub fn spawn_error(program: &str, error: std::io::Error) -> anyhow::Error {
    if error.kind() == std::io::ErrorKind::NotFound {
        return failed(Kind::Tool, format!("cannot run `{program}`: command not found"))
            .hint("`cargo xtask doctor` lists what is needed and how to get it");
    }
    if error.kind() == std::io::ErrorKind::PermissionDenied {
        return failed(Kind::Access, format!("cannot run `{program}`: permission denied"))
            .hint("name a file that your user may execute (chmod +x), not a directory");
    }
    anyhow::Error::new(error).context(format!("cannot run `{program}`"))
}

#[cfg(test)]
#[path = "proc_tests.rs"]
mod tests;
