//! Short commands, the C++ compiler and the number of jobs.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result};

use crate::base::installation;

/// How the texts of this library name the program.
const WRITTEN: &str = "cargo xtask";

type CommandLine = fn() -> clap::Command;

static PROGRAM: OnceLock<(&str, CommandLine)> = OnceLock::new();

/// Once, at the start: how the user calls this program, and its command line.
pub fn register(name: &'static str, command: CommandLine) {
    let _ = PROGRAM.set((name, command));
}

/// How the user calls this program.
pub fn name() -> &'static str {
    PROGRAM.get().map_or(WRITTEN, |(name, _)| name)
}

/// The command line, for what completes it.
pub fn command() -> Option<clap::Command> {
    PROGRAM.get().map(|(_, command)| command())
}

/// Directories of this repository that texts name, and what stands for them where the program is installed.
const PLACES: [(&str, &str); 2] = [("target/xtask", ".hostcann/work"), ("target/hostcann", ".hostcann/toolkit")];
/// In help texts, where no path of the user stands.
const PRODUCTS: (&str, &str) = ("target/", ".hostcann/");

fn is_installed() -> bool {
    own().is_ok_and(|program| installation::around(&program).is_some())
}

/// A text with the name by which the user calls the program.
pub fn named(text: &str) -> Cow<'_, str> {
    match name() {
        WRITTEN => Cow::Borrowed(text),
        name => {
            let text = text.replace(WRITTEN, name);
            let places = if is_installed() { &PLACES[..] } else { &[] };
            Cow::Owned(places.iter().fold(text, |text, (here, there)| text.replace(here, there)))
        }
    }
}

/// The same for all help texts of a command line.
pub fn renamed(command: clap::Command) -> clap::Command {
    if name() == WRITTEN {
        return command;
    }
    let text = |styled: &clap::builder::StyledStr| {
        let text = named(&styled.to_string()).into_owned();
        if is_installed() { text.replace(PRODUCTS.0, PRODUCTS.1) } else { text }
    };
    let mut command = command.mut_args(|mut arg| {
        if let Some(help) = arg.get_help().map(text) {
            arg = arg.help(help);
        }
        match arg.get_long_help().map(text) {
            Some(help) => arg.long_help(help),
            None => arg,
        }
    });
    if let Some(about) = command.get_about().map(text) {
        command = command.about(about);
    }
    if let Some(about) = command.get_long_about().map(text) {
        command = command.long_about(about);
    }
    if let Some(help) = command.get_after_help().map(text) {
        command = command.after_help(help);
    }
    command.mut_subcommands(renamed)
}

/// The path of this program, as it was when first asked: a layer that builds xtask's tests puts a new file in its place, and
/// the system then calls the old one deleted.
pub fn own() -> Result<PathBuf> {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    if let Some(path) = PATH.get() {
        return Ok(path.clone());
    }
    let path = std::env::current_exe().context("cannot find the xtask executable")?;
    Ok(PATH.get_or_init(|| path).clone())
}

/// stdout of a short command; None when it cannot be started or fails.
pub fn probe(program: &str, args: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    if Path::new(program).file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"python")) {
        // -m looks for modules in the current directory first.
        command.current_dir("/");
    }
    let output = command.args(args).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The C++ compiler: CXX as everywhere, else the g++ that upstream's build calls.
pub fn cxx() -> String {
    std::env::var("CXX").ok().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "g++".to_owned())
}

/// CXX may be several words, as in `ccache g++`; a file of that name is one.
fn cxx_words() -> Vec<String> {
    let cxx = cxx();
    if Path::new(&cxx).is_file() { vec![cxx] } else { cxx.split_whitespace().map(str::to_owned).collect() }
}

pub fn cxx_program() -> String {
    cxx_words().swap_remove(0)
}

pub fn cxx_args() -> Vec<String> {
    cxx_words().split_off(1)
}

/// What `$CXX --version` prints.
pub fn cxx_version() -> Option<String> {
    let args = cxx_args();
    probe(&cxx_program(), &args.iter().map(String::as_str).chain(["--version"]).collect::<Vec<_>>())
}

pub fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copy of this test program runs the other half of the test, replaced while it runs.
    #[test]
    fn a_program_that_was_replaced_keeps_its_path() {
        const INNER: &str = "XTASK_TEST_REPLACED";
        if std::env::var_os(INNER).is_some() {
            let first = own().expect("a path");
            let new = first.with_extension("new");
            std::fs::copy(&first, &new).expect("a second file");
            std::fs::rename(&new, &first).expect("the place of the first");
            assert_eq!(own().expect("a path"), first);
            assert!(first.is_file());
            return;
        }
        let dir = tempfile::tempdir().expect("a directory");
        let copy = dir.path().join("xtask-copy");
        // By `cp`: a file that this process has written could still be open in a child that another test starts.
        let this = std::env::current_exe().expect("this test program");
        assert!(Command::new("cp").args([&this, &copy]).status().expect("cp").success());
        let line = ["--exact", "base::program::tests::a_program_that_was_replaced_keeps_its_path"];
        let output = Command::new(&copy).args(line).env(INNER, "1").output().expect("the copy runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
}
