//! The op information library: which operators a package has, with their tensors, data types, formats and attributes.
//!
//! `aic-<soc>-ops-info.ini` is what op_build or a person writes, `aic-<soc>-ops-info.json` what a converter makes of it and
//! the framework reads. This crate is the one reader of both: the host runtime, the kernel compiler and `cargo xtask
//! opinfo` share it, so that what one of them refuses all of them refuse, in the same words.

#![warn(clippy::missing_errors_doc)]

mod check;
mod diff;
mod files;
mod finding;
mod ini;
mod json;
mod literal;
mod meaning;
mod name;
mod proto;
mod rules;
mod select;
mod tables;

use std::io::{self, Read};
use std::path::Path;

pub use diff::{Difference, operators as diff_operators};
pub use files::check as check_files;
pub use finding::{Finding, Severity, errors};
pub use ini::write as write_ini;
pub use json::{Value, parse as parse_json, write as write_json};
pub use meaning::{Attribute, Formats, Operator, Tensor};
pub use name::snake_case;
pub use proto::{Proto, check as check_proto, parse as parse_protos};
pub use rules::{ALL as RULES, Rule};
pub use select::{Column, Given, Lanes, resolve, validate as check_selection};
pub use tables::Profile;

/// The texts of this crate, for whoever keeps what was made with it.
pub const SOURCES: &[&str] = &[
    include_str!("check.rs"),
    include_str!("check/attributes.rs"),
    include_str!("check/operator.rs"),
    include_str!("check/tensors.rs"),
    include_str!("diff.rs"),
    include_str!("files.rs"),
    include_str!("finding.rs"),
    include_str!("ini.rs"),
    include_str!("json.rs"),
    include_str!("lib.rs"),
    include_str!("literal.rs"),
    include_str!("meaning.rs"),
    include_str!("name.rs"),
    include_str!("proto.rs"),
    include_str!("rules.rs"),
    include_str!("select.rs"),
    include_str!("tables.rs"),
];

/// Files beyond this are not read: the largest public library has 2 MB.
pub const MOST_BYTES: u64 = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Ini,
    Json,
}

/// `group.key=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub group: String,
    pub key: String,
    pub value: String,
    pub line: usize,
}

/// One operator as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    pub name: String,
    pub line: usize,
    pub origin: Origin,
    /// In the order of the file.
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub struct Library {
    pub origin: Origin,
    pub ops: Vec<Op>,
    /// What is wrong with the text, whatever it means.
    reading: Vec<Finding>,
}

impl Library {
    /// By its contents: JSON starts with a brace.
    pub fn of_bytes(bytes: &[u8]) -> Library {
        let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let is_json = start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        Library::of(bytes, if is_json { Origin::Json } else { Origin::Ini })
    }

    pub fn of(bytes: &[u8], origin: Origin) -> Library {
        let mut reading = Vec::new();
        let ops = match text(bytes, &mut reading) {
            None => Vec::new(),
            Some(text) => match origin {
                Origin::Ini => ini::read(text, &mut reading),
                Origin::Json => json::read(text, &mut reading),
            },
        };
        if ops.is_empty() && errors(&reading).next().is_none() {
            reading.push(Finding::new(Rule::NoOp, origin, 0, "", "there is no operator in it".to_owned()));
        }
        for finding in &mut reading {
            finding.severity = finding.rule.severity(origin);
        }
        Library { origin, ops, reading }
    }

    /// Its name says what it is; `.json` or anything else with a brace in front is JSON.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or has more than [`MOST_BYTES`].
    pub fn load(path: &Path) -> io::Result<Library> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST_BYTES {
            let text = format!("it has more than {} MiB and is no op information library", MOST_BYTES >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        Ok(match path.extension().and_then(|name| name.to_str()) {
            Some("json") => Library::of(&bytes, Origin::Json),
            Some("ini") => Library::of(&bytes, Origin::Ini),
            _ => Library::of_bytes(&bytes),
        })
    }

    pub fn op(&self, name: &str) -> Option<&Op> {
        self.ops.iter().find(|op| op.name == name)
    }

    /// Everything that is wrong, by line.
    pub fn check(&self, profile: Profile) -> Vec<Finding> {
        let mut findings = self.reading.clone();
        for op in &self.ops {
            check::op(op, profile, &mut findings);
        }
        findings.sort_by_key(|finding| finding.line);
        findings
    }
}

impl Op {
    /// The framework takes blanks off the names in a JSON file, the converter leaves them in an ini file.
    fn is_called(&self, written: &str, name: &str) -> bool {
        written == name || self.origin == Origin::Json && written.trim() == name
    }

    pub fn entry(&self, group: &str, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| self.is_called(&entry.group, group) && self.is_called(&entry.key, key))
    }

    pub fn get(&self, group: &str, key: &str) -> Option<&str> {
        self.entry(group, key).map(|entry| entry.value.trim())
    }

    pub fn has(&self, group: &str) -> bool {
        self.line_of(group).is_some()
    }

    /// Of the first entry of a group.
    pub fn line_of(&self, group: &str) -> Option<usize> {
        self.entries.iter().find(|entry| self.is_called(&entry.group, group)).map(|entry| entry.line)
    }

    pub fn is_true(&self, group: &str) -> bool {
        self.get(group, "flag").is_some_and(|value| value.eq_ignore_ascii_case("true"))
    }
}

/// A list of the format: `a,b`.
pub fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).collect()
}

/// The text, unless it is none.
fn text<'a>(bytes: &'a [u8], findings: &mut Vec<Finding>) -> Option<&'a str> {
    let mut add = |rule, line, message: String| findings.push(Finding::new(rule, Origin::Ini, line, "", message));
    if bytes.len() > 10 << 20 {
        add(Rule::Big, 0, format!("it has {} MiB", bytes.len() >> 20));
    }
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            add(Rule::Bom, 1, "it starts with a byte order mark (EF BB BF)".to_owned());
            rest
        }
        None => bytes,
    };
    let at = match std::str::from_utf8(bytes) {
        Ok(text) => match text.find('\0') {
            None => return Some(text),
            Some(at) => at,
        },
        Err(error) => error.valid_up_to(),
    };
    let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    add(Rule::NotText, line, format!("byte {at} is {:#04x}, which is not in a UTF-8 text", bytes[at]));
    None
}
