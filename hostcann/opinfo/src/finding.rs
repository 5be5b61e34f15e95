//! One thing that is wrong, in the words that every reader of the library uses.

use std::fmt;

use crate::{Origin, Rule};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A converter or the framework refuses it, or takes it otherwise than it is written.
    Error,
    /// It is taken, and is hardly meant.
    Warning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    pub severity: Severity,
    /// From 1; 0 for the file as a whole.
    pub line: usize,
    /// Empty where it is about the file.
    pub op: String,
    pub message: String,
}

impl Finding {
    pub fn new(rule: Rule, origin: Origin, line: usize, op: &str, message: String) -> Finding {
        Finding { rule, severity: rule.severity(origin), line, op: op.to_owned(), message }
    }

    /// `<file>:<line>: error OI103: [Op] message`.
    pub fn text(&self, file: &str) -> String {
        if self.line == 0 { format!("{file}: {self}") } else { format!("{file}:{}: {self}", self.line) }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Severity::Error { "error" } else { "warning" })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.severity, self.rule.code())?;
        if !self.op.is_empty() {
            write!(f, "[{}] ", self.op)?;
        }
        f.write_str(&self.message)
    }
}

pub fn errors(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.severity == Severity::Error)
}

/// Part of a message: never long, never a control character.
pub fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).flat_map(|c| c.escape_debug()).collect();
    short = short.replace("\\'", "'").replace("\\\"", "\"");
    if text.chars().count() > MOST {
        short.push('…');
    }
    format!("`{short}`")
}
