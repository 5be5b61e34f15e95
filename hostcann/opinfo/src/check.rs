//! The rules over one operator's entry.

mod attributes;
mod operator;
mod tensors;

use crate::finding::shown;
use crate::name::{is_identifier, nearest};
use crate::{Entry, Finding, Op, Origin, Profile, Rule};

pub fn op(op: &Op, profile: Profile, findings: &mut Vec<Finding>) {
    let mut check = Check { op, profile, findings };
    check.name();
    check.blanks();
    tensors::check(&mut check);
    attributes::check(&mut check);
    operator::check(&mut check);
}

struct Check<'a> {
    op: &'a Op,
    profile: Profile,
    findings: &'a mut Vec<Finding>,
}

impl Check<'_> {
    fn add(&mut self, rule: Rule, line: usize, message: String) {
        self.findings.push(Finding::new(rule, self.op.origin, line, &self.op.name, message));
    }

    fn at(&mut self, rule: Rule, entry: &Entry, message: &str) {
        self.add(rule, entry.line, format!("{}.{} is {}; {message}", entry.group, entry.key, shown(&entry.value)));
    }

    fn name(&mut self) {
        let (op, name) = (self.op, shown(&self.op.name));
        if !is_identifier(&op.name) {
            self.add(Rule::OpType, op.line, format!("{name} is no identifier"));
        } else if !op.name.starts_with(|c: char| c.is_ascii_uppercase()) {
            self.add(Rule::OpTypeCase, op.line, format!("{name} does not start with a capital"));
        }
    }

    fn blanks(&mut self) {
        let op = self.op;
        for entry in &op.entries {
            let name = format!("{}.{}", entry.group, entry.key);
            if name.trim() != name || entry.group.trim() != entry.group || entry.key.trim() != entry.key {
                let message = format!("{} has a blank beside `=` or the dot", shown(&name));
                self.add(Rule::KeyBlank, entry.line, message);
            }
            if entry.value.trim() != entry.value && entry.key.trim() != "defaultValue" {
                self.at(Rule::ValueBlank, entry, "take the blanks off its ends");
            }
        }
    }

    /// A key that nobody reads.
    fn unknown(&mut self, rule: Rule, entry: &Entry, name: &str, known: &[&str]) {
        let advice = match nearest(name, known.iter().copied()) {
            Some(near) => format!("is {near} meant?"),
            None => "nobody reads it".to_owned(),
        };
        let shown = shown(&format!("{}.{}", entry.group, entry.key));
        self.add(rule, entry.line, format!("{shown} is not known; {advice}"));
    }

    /// true or false; converters want small letters.
    fn boolean(&mut self, rule: Rule, entry: &Entry) {
        let value = entry.value.trim();
        if !value.eq_ignore_ascii_case("true") && !value.eq_ignore_ascii_case("false") {
            self.at(rule, entry, "allowed are true and false");
        } else if value.chars().any(|c| c.is_ascii_uppercase()) {
            self.at(Rule::FlagCase, entry, "write true and false in small letters");
        }
    }

    /// As the reader of this form of the file sees a value.
    fn exact<'e>(&self, entry: &'e Entry) -> &'e str {
        if self.op.origin == Origin::Ini { &entry.value } else { entry.value.trim() }
    }
}
