//! Lines for people go to stderr, results to stdout. A reader that has gone away never stops a run.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{annotate, program};

/// With --json stdout carries one JSON object and nothing else: results move to stderr.
static JSON: AtomicBool = AtomicBool::new(false);
static QUIET: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Out,
    Err,
}

thread_local! {
    /// Where the lines of this thread go instead.
    static FILE: RefCell<Option<File>> = const { RefCell::new(None) };
}

/// From here on this thread writes into a file: it works on one of many things at a time.
pub fn write_to(file: File) {
    FILE.set(Some(file));
}

pub fn configure(json: bool, quiet: bool) {
    JSON.store(json, Ordering::Relaxed);
    QUIET.store(quiet, Ordering::Relaxed);
}

/// No lines about progress.
pub fn quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

pub fn write(stream: Stream, bytes: &[u8]) {
    let own = FILE.with_borrow_mut(|file| file.as_mut().map(|file| file.write_all(bytes)));
    if own.is_some() {
        return;
    }
    // Whoever closed the pipe does not want the rest; what is being built is wanted all the same.
    let _ = match stream {
        Stream::Out if !JSON.load(Ordering::Relaxed) => std::io::stdout().write_all(bytes),
        Stream::Out | Stream::Err => std::io::stderr().write_all(bytes),
    };
    annotations(annotate::read(stream as usize, bytes));
}

/// Lines for a forge. It reads both streams; results stay on a stream of their own.
pub fn annotations(lines: Vec<String>) {
    for line in lines {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

pub fn line(stream: Stream, text: fmt::Arguments<'_>) {
    write(stream, program::named(&format!("{text}\n")).as_bytes());
}

/// The JSON object of --json.
pub fn json(text: &str) {
    let _ = std::io::stdout().write_all(program::named(&format!("{text}\n")).as_bytes());
}

/// A line of a table, a list or a result.
#[macro_export]
macro_rules! out {
    ($($arg:tt)*) => { $crate::base::term::line($crate::base::term::Stream::Out, format_args!($($arg)*)) };
}

/// A line about what is going on.
#[macro_export]
macro_rules! err {
    ($($arg:tt)*) => { $crate::base::term::line($crate::base::term::Stream::Err, format_args!($($arg)*)) };
}

pub use crate::{err, out};

/// A line about what is done, in cargo's style.
pub fn say(verb: &str, text: &str) {
    if !quiet() {
        err!("{} {text}", paint(Colour::Green, &format!("{verb:>12}")));
    }
}

/// Whether stderr gets colours.
pub fn colour() -> bool {
    static COLOUR: OnceLock<bool> = OnceLock::new();
    *COLOUR.get_or_init(|| wants_colour(variable, std::io::stderr().is_terminal()))
}

/// Whether a line of stderr can be drawn over.
pub fn can_redraw() -> bool {
    let dumb = variable("TERM").is_some_and(|term| term == "dumb");
    let own = FILE.with_borrow(Option::is_some);
    std::io::stderr().is_terminal() && !own && !dumb && variable("CI").is_none()
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// cargo's own variable decides, then the terminal.
fn wants_colour(variable: impl Fn(&str) -> Option<String>, terminal: bool) -> bool {
    match variable("CARGO_TERM_COLOR").as_deref() {
        Some("always") => return true,
        Some("never") => return false,
        _ => {}
    }
    let plain = ["NO_COLOR", "CI"].iter().any(|name| variable(name).is_some());
    terminal && !plain && variable("TERM").as_deref() != Some("dumb")
}

#[derive(Clone, Copy)]
pub enum Colour {
    Green,
    Yellow,
    Red,
    Cyan,
}

/// `text`, bold and coloured where stderr shows it.
pub fn paint(colour: Colour, text: &str) -> String {
    let code = match colour {
        Colour::Green => 32,
        Colour::Yellow => 33,
        Colour::Red => 31,
        Colour::Cyan => 36,
    };
    if self::colour() { format!("\x1b[1;{code}m{text}\x1b[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_with_a_file_of_its_own() {
        let temp = tempfile::tempdir().expect("temp dir");
        let path = temp.path().join("lines");
        let file = File::create(&path).expect("file");
        let worker = std::thread::spawn(move || {
            write_to(file);
            out!("result {}", 1);
            err!("progress");
            assert!(!can_redraw());
        });
        worker.join().expect("the worker");
        assert_eq!(std::fs::read_to_string(path).expect("lines"), "result 1\nprogress\n");
    }

    #[test]
    fn when_there_are_colours() {
        let wants = |set: &[(&str, &str)], terminal| {
            wants_colour(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string()), terminal)
        };
        assert!(wants(&[("TERM", "xterm")], true));
        assert!(wants(&[], true));
        assert!(!wants(&[("TERM", "xterm")], false));
        assert!(!wants(&[("TERM", "dumb")], true));
        assert!(!wants(&[("NO_COLOR", "1")], true));
        assert!(!wants(&[("CI", "true")], true));
        assert!(wants(&[("CARGO_TERM_COLOR", "always")], false));
        assert!(!wants(&[("CARGO_TERM_COLOR", "never")], true));
    }
}
