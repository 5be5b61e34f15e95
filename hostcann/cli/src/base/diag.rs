//! Failures a user can do something about carry an exit code and a hint; everything else is a bug (exit 1).

use std::fmt;
use std::process::ExitCode;

use crate::base::annotate;
use crate::base::report::Failure;
use crate::base::term::{self, Colour, err};

// The table that `--help` prints. Codes 1 and 2 are Rust's and clap's own.
macro_rules! failures {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind { Usage, $($name),* }

        impl Kind {
            pub fn code(self) -> u8 {
                match self { Kind::Usage => 2, $(Kind::$name => $code),* }
            }
        }

        pub const EXIT_CODES: &str = concat!(
            "Exit codes:\n   0  ok\n   1  internal error, please report it\n   2  wrong flag or value\n",
            $("  ", stringify!($code), "  ", $text, "\n",)*
            "What to do about each: docs/reference/exit-codes.md\n",
        );
    };
}

failures! {
    Tool = 10, "a required tool is missing or too old";
    Pip = 11, "pip is missing or refuses to install";
    Network = 12, "a package registry cannot be reached";
    DiskFull = 13, "no space left on the device";
    NoToolkit = 14, "ASCEND_HOME_PATH is not a toolkit";
    UnknownOp = 15, "unknown op";
    UnknownSoc = 16, "unknown SoC";
    NoOpsMath = 17, "a real CANN needs an ops-math checkout (--ops-math)";
    Access = 18, "a file or directory cannot be read or written: permissions";
    Framework = 19, "a framework is not set up, or what is there does not fit";
    Build = 20, "build failed";
    Tests = 30, "tests or examples failed";
    Slow = 31, "a required speed was missed (bench --assert)";
    Style = 32, "format or lint findings";
    NoTests = 33, "no test has the given name, or the op has none";
    Stopped = 34, "a program was stopped from outside, by a signal: no result, and no failure of an operator";
    Parts = 35, "merge: the records are not all parts of one run, each once";
    Install = 40, "installing the package failed";
    BadRun = 41, "the .run file is missing or damaged";
    NotFound = 127, "run: there is no such program";
}

/// A failure that is not our bug.
#[derive(Debug)]
pub struct Failed {
    pub kind: Kind,
    message: String,
    /// Last lines of a sub-tool.
    detail: Option<String>,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failed {}

pub fn failed(kind: Kind, message: impl Into<String>) -> anyhow::Error {
    Failed { kind, message: message.into(), detail: None }.into()
}

pub fn failed_with(kind: Kind, message: impl Into<String>, detail: String) -> anyhow::Error {
    Failed { kind, message: message.into(), detail: Some(detail) }.into()
}

/// A program whose exit code is the answer.
#[derive(Debug)]
struct Passed {
    code: u8,
    message: String,
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Passed {}

pub fn passed(code: u8, message: impl Into<String>) -> anyhow::Error {
    Passed { code, message: message.into() }.into()
}

/// The next step, attached as the outermost context.
#[derive(Debug)]
struct Hint(String);

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub trait HintExt {
    fn hint(self, text: impl Into<String>) -> Self;
}

impl HintExt for anyhow::Error {
    fn hint(self, text: impl Into<String>) -> Self {
        self.context(Hint(text.into()))
    }
}

impl<T> HintExt for anyhow::Result<T> {
    fn hint(self, text: impl Into<String>) -> Self {
        self.map_err(|error| error.hint(text))
    }
}

pub fn kind(error: &anyhow::Error) -> Option<Kind> {
    if let Some(failed) = error.downcast_ref::<Failed>() {
        return Some(failed.kind);
    }
    error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>()).find_map(|io| match io.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Some(Kind::DiskFull),
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => Some(Kind::Access),
        _ => None,
    })
}

pub fn code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Passed>() {
        Some(passed) => passed.code,
        None => kind(error).map_or(1, Kind::code),
    }
}

pub fn hint(error: &anyhow::Error) -> Option<String> {
    if let Some(hint) = error.downcast_ref::<Hint>() {
        return Some(hint.0.clone());
    }
    match kind(error)? {
        Kind::DiskFull => Some(
            "free some space, then run the same command again; `cargo xtask clean` removes build products".to_owned(),
        ),
        Kind::Stopped => Some("the same command does again what was not finished".to_owned()),
        Kind::Access => {
            Some("give your user the right to write there, or work in a checkout and a toolkit of your own".to_owned())
        }
        _ => None,
    }
}

/// The chain without the hint, outermost first.
pub fn causes(error: &anyhow::Error) -> Vec<String> {
    let hint = hint(error);
    error.chain().map(ToString::to_string).filter(|text| Some(text) != hint.as_ref()).collect()
}

/// What the sub-tool printed.
pub fn detail(error: &anyhow::Error) -> Option<&str> {
    error.downcast_ref::<Failed>()?.detail.as_deref().map(str::trim_end)
}

/// The error in the report.
pub fn failure(error: &anyhow::Error) -> Failure {
    Failure { causes: causes(error), hint: hint(error), output: detail(error).map(str::to_owned) }
}

/// Prints the error for people and returns its exit code. The tool's own words come first, where to look last.
pub fn show(error: &anyhow::Error) -> u8 {
    if let Some(detail) = detail(error) {
        err!("{detail}");
    }
    let mut causes = causes(error).into_iter();
    err!("{}: {}", term::paint(Colour::Red, "error"), causes.next().unwrap_or_default());
    for cause in causes {
        err!("  caused by: {cause}");
    }
    if let Some(hint) = hint(error) {
        err!("{}: {hint}", term::paint(Colour::Cyan, "hint"));
    }
    term::annotations(annotate::rest());
    code(error)
}

pub fn finish_plumbing(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => ExitCode::from(show(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn the_hint_is_not_part_of_the_chain() {
        let error = failed(Kind::Pip, "python3 has no pip").hint("install it").context("setting up the tools");
        assert_eq!(causes(&error), ["setting up the tools", "python3 has no pip"]);
        assert_eq!(hint(&error).as_deref(), Some("install it"));
        assert_eq!(code(&error), 11);
    }

    #[test]
    fn a_full_disk_is_recognised_anywhere_in_the_chain() {
        let io: anyhow::Result<()> = Err(std::io::Error::from(std::io::ErrorKind::StorageFull).into());
        let error = io.context("writing x").expect_err("is an error");
        assert_eq!(code(&error), 13);
        assert!(hint(&error).is_some());
    }

    #[test]
    fn missing_rights_are_no_bug() {
        for kind in [std::io::ErrorKind::PermissionDenied, std::io::ErrorKind::ReadOnlyFilesystem] {
            let io: anyhow::Result<()> = Err(std::io::Error::from(kind).into());
            let error = io.context("cannot write x").expect_err("is an error");
            assert_eq!(code(&error), 18);
            assert!(hint(&error).is_some());
        }
    }

    #[test]
    fn everything_else_is_a_bug() {
        assert_eq!(code(&anyhow::anyhow!("surprise")), 1);
    }

    /// docs/reference/exit-codes.md has the table of the help, with what to do.
    #[test]
    fn the_page_lists_every_code() {
        let page = include_str!("../../../../docs/reference/exit-codes.md");
        let rows: Vec<Vec<&str>> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
            .map(|row| row.split(" | ").map(str::trim).collect())
            .filter(|row: &Vec<&str>| row[0].parse::<u8>().is_ok())
            .collect();
        let told = EXIT_CODES.lines().skip(1).filter_map(|line| line.trim().split_once("  "));
        let told: Vec<(&str, &str)> = told.filter(|(code, _)| code.parse::<u8>().is_ok()).collect();
        let listed: Vec<(&str, &str)> = rows.iter().map(|row| (row[0], row[1].trim_matches('`'))).collect();
        assert_eq!(listed, told);
        assert!(rows.iter().all(|row| row.len() == 3 && !row[2].is_empty()), "{rows:?}");
    }

    #[test]
    fn help_lists_every_code() {
        assert!(EXIT_CODES.contains("\n  14  ASCEND_HOME_PATH is not a toolkit\n"), "{EXIT_CODES}");
    }
}
