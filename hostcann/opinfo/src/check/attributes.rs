//! Attributes.

use super::Check;
use crate::finding::shown;
use crate::literal::Reading;
use crate::name::is_identifier;
use crate::tables::{ATTR_KEYS, ATTR_TYPES, MORE_ATTR_TYPES, TAKEN_NAMES};
use crate::{Entry, Op, Origin, Rule, list, literal};

pub fn check(check: &mut Check) {
    let op = check.op;
    let names = match op.entry("attr", "list") {
        Some(entry) => listed(check, entry),
        None => {
            if let Some(line) = op.line_of("attr") {
                check.add(Rule::AttrList, line, "attr.list is missing".to_owned());
            }
            Vec::new()
        }
    };
    for name in &names {
        attribute(check, name);
    }
    let mut seen: Vec<&str> = Vec::new();
    for entry in &op.entries {
        let Some(name) = entry.group.trim().strip_prefix("attr_") else { continue };
        if !ATTR_KEYS.contains(&entry.key.trim()) {
            check.unknown(Rule::AttrKey, entry, entry.key.trim(), &ATTR_KEYS);
        }
        if !names.iter().any(|listed| listed == name) && !seen.contains(&name) {
            seen.push(name);
            check.add(Rule::AttrUnlisted, entry.line, format!("attribute {} is not in attr.list", shown(name)));
        }
    }
}

fn listed(check: &mut Check, entry: &Entry) -> Vec<String> {
    if entry.value.trim().split(',').any(|item| item.trim() != item) {
        check.at(Rule::ListBlank, entry, "write the list without blanks");
    }
    let mut names: Vec<String> = Vec::new();
    for name in list(&entry.value) {
        if name.is_empty() {
            check.add(Rule::AttrTwice, entry.line, "attr.list has an empty name".to_owned());
            continue;
        }
        if names.iter().any(|known| known == name) {
            check.add(Rule::AttrTwice, entry.line, format!("attr.list names {} twice", shown(name)));
            continue;
        }
        if !is_identifier(name) {
            check.add(Rule::AttrName, entry.line, format!("attribute {} is no identifier", shown(name)));
        }
        if check.op.origin == Origin::Ini && TAKEN_NAMES.contains(&name) {
            let message = format!("attribute {}: the generated Python entry uses this name", shown(name));
            check.add(Rule::AttrTaken, entry.line, message);
        }
        names.push(name.to_owned());
    }
    names
}

fn attribute(check: &mut Check, name: &str) {
    let op = check.op;
    let group = format!("attr_{name}");
    let Some(line) = op.line_of(&group) else {
        let line = op.entry("attr", "list").map_or(op.line, |entry| entry.line);
        check.add(Rule::AttrSection, line, format!("attr.list names {name}, and {group} is not there"));
        return;
    };
    for key in ["type", "value"] {
        if op.get(&group, key).is_none_or(str::is_empty) {
            check.add(Rule::AttrTypeValue, line, format!("{group}.{key} is missing"));
        }
    }
    let required = match op.entry(&group, "paramType") {
        None => {
            let message = format!("{group}.paramType is missing; the framework passes over the attribute");
            check.add(Rule::AttrParamTypeMissing, line, message);
            None
        }
        Some(entry) => {
            let value = check.exact(entry);
            let known = value == "required" || value == "optional";
            if !known {
                check.at(Rule::AttrParamType, entry, "allowed are required and optional");
            }
            known.then_some(value == "required")
        }
    };
    let Some(kind) = kind(check, &group) else { return };
    let allowed = allowed(check, op, &group, kind);
    default(check, &group, kind, required, allowed.as_deref());
}

fn kind<'a>(check: &mut Check<'a>, group: &str) -> Option<&'a str> {
    let op: &'a Op = check.op;
    let entry = op.entry(group, "type")?;
    let kind = check.exact(entry);
    if ATTR_TYPES.contains(&kind) {
        return Some(kind);
    }
    if MORE_ATTR_TYPES.contains(&kind) {
        check.at(Rule::AttrTypeFramework, entry, "the framework passes over such attributes");
    } else if !kind.is_empty() {
        check.at(Rule::AttrType, entry, &format!("allowed are {}", ATTR_TYPES.join(", ")));
    }
    None
}

/// `None`: every value.
fn allowed(check: &mut Check, op: &Op, group: &str, kind: &str) -> Option<Vec<String>> {
    let entry = op.entry(group, "value")?;
    let text = entry.value.trim();
    if text.is_empty() || text.eq_ignore_ascii_case("all") {
        return None;
    }
    let values = literal::values(kind, text);
    for value in &values {
        match literal::one(kind, value) {
            Reading::Whole => {}
            Reading::Prefix(start) => prefix(check, entry, &start),
            Reading::Not(expected) => {
                check.at(Rule::ValueLiteral, entry, &format!("`all` or {expected} is expected for {kind}"));
                return None;
            }
        }
    }
    Some(values)
}

fn default(check: &mut Check, group: &str, kind: &str, required: Option<bool>, allowed: Option<&[String]>) {
    let op = check.op;
    let Some(entry) = op.entry(group, "defaultValue") else {
        if required == Some(false) {
            let line = op.line_of(group).unwrap_or(op.line);
            check.add(Rule::NoDefault, line, format!("{group} is optional and has no defaultValue"));
        }
        return;
    };
    if required == Some(true) {
        check.at(Rule::DefaultOfRequired, entry, "the attribute is required, the value is never used");
    }
    let value = entry.value.trim();
    match (literal::one(kind, value), allowed) {
        _ if required == Some(true) => {}
        (Reading::Not(expected), _) => {
            let rule = if literal::is_list(kind) { Rule::DefaultList } else { Rule::DefaultScalar };
            check.at(rule, entry, &format!("{expected} is expected for {kind}"));
        }
        (Reading::Prefix(start), _) => prefix(check, entry, &start),
        (Reading::Whole, Some(allowed)) if !allowed.iter().any(|other| literal::same(kind, other, value)) => {
            check.at(Rule::DefaultOutside, entry, &format!("{group}.value allows {}", allowed.join(", ")));
        }
        (Reading::Whole, _) => {}
    }
}

fn prefix(check: &mut Check, entry: &Entry, start: &str) {
    check.at(Rule::NumberPrefix, entry, &format!("the framework reads {} and passes over the rest", shown(start)));
}
