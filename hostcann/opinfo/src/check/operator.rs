//! Keys of the operator as a whole.

use super::Check;
use crate::finding::shown;
use crate::meaning::{Formats, formats, tensor_group, tensor_numbers};
use crate::name::is_identifier;
use crate::tables::{BOOL_FLAGS, CHOICES, OTHER_KEYS};
use crate::{Entry, Origin, Rule, list};

const CORES: [&str; 6] = ["AiCore", "VectorCore", "AIV", "AIC", "MIX", "AICore"];

pub fn check(check: &mut Check) {
    let op = check.op;
    flags(check);
    for entry in &op.entries {
        let group = entry.group.trim();
        if tensor_group(group).is_none() && group != "attr" && !group.starts_with("attr_") {
            one(check, entry);
        }
    }
    pattern(check);
}

fn flags(check: &mut Check) {
    let op = check.op;
    for group in BOOL_FLAGS {
        let Some(line) = op.line_of(group) else { continue };
        let Some(entry) = op.entry(group, "flag") else {
            check.add(Rule::FlagKey, line, format!("{group}.flag is missing"));
            continue;
        };
        // A value more of the framework, which the converter does not take.
        let more = group == "dynamicRankSupport" && op.origin == Origin::Json;
        if !(more && entry.value.trim().eq_ignore_ascii_case("upgrade_to_dynamic_rank")) {
            check.boolean(Rule::Flag, entry);
        }
    }
}

fn one(check: &mut Check, entry: &Entry) {
    let (group, key, value) = (entry.group.trim(), entry.key.trim(), entry.value.trim());
    if let Some((_, _, choices)) = CHOICES.iter().find(|choice| choice.0 == group && choice.1 == key) {
        // Flags have been looked at.
        let known = value.is_empty() || choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
        if !known && !BOOL_FLAGS.contains(&group) {
            check.at(Rule::Choice, entry, &format!("allowed are {}", choices.join(" | ")));
        }
        return;
    }
    let is_flag = BOOL_FLAGS.contains(&group) && key == "flag";
    if !is_flag && !OTHER_KEYS.contains(&(group, key)) {
        let of_tensor = group.starts_with("input") || group.starts_with("output");
        let known: Vec<String> = OTHER_KEYS
            .iter()
            .map(|(group, key)| format!("{group}.{key}"))
            .chain(CHOICES.iter().map(|choice| format!("{}.{}", choice.0, choice.1)))
            .chain(BOOL_FLAGS.iter().map(|group| format!("{group}.flag")))
            .collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let said = of_tensor || BOOL_FLAGS.contains(&group) && check.op.entry(group, "flag").is_none();
        if !said {
            check.unknown(Rule::UnknownKey, entry, &format!("{group}.{key}"), &known);
        }
        return;
    }
    match group {
        "opFile" | "opInterface" if !is_identifier(value) => {
            check.at(Rule::OpFile, entry, "a name without directory and suffix is expected");
        }
        "coreType" if list(value).iter().any(|core| !CORES.contains(core)) => {
            check.at(Rule::CoreType, entry, "known are AiCore, VectorCore, AIV, AIC and MIX");
        }
        "promoteType" if value != "dynamic" => promote(check, entry),
        "sgatKeyAttr" => {
            let attributes = check.op.get("attr", "list").map(list).unwrap_or_default();
            if let Some(name) = list(value).into_iter().find(|name| !attributes.contains(name)) {
                check.at(Rule::SgatKeyAttr, entry, &format!("{} is no attribute", shown(name)));
            }
        }
        "fallback" if list(value).iter().any(|flag| *flag != "true" && *flag != "false") => {
            check.at(Rule::Fallback, entry, "a list of true and false is expected");
        }
        _ => {}
    }
}

fn promote(check: &mut Check, entry: &Entry) {
    let op = check.op;
    let inputs: Vec<&str> =
        tensor_numbers(op, "input").iter().filter_map(|number| op.get(&format!("input{number}"), "name")).collect();
    for group in entry.value.split(';') {
        let names = list(group);
        if names.len() < 2 {
            check.at(Rule::PromoteType, entry, "two inputs at least are promoted together");
        } else if let Some(name) = names.into_iter().find(|name| !inputs.contains(name)) {
            check.at(Rule::PromoteType, entry, &format!("{} is no input", shown(name)));
        }
    }
}

fn pattern(check: &mut Check) {
    let op = check.op;
    let Some(entry) = op.entry("op", "pattern") else { return };
    if op.is_true("dynamicFormat") && formats(op) == Formats::Callback {
        check.at(Rule::PatternIgnored, entry, "dynamicFormat.flag=true takes its place");
        return;
    }
    let counts = (tensor_numbers(op, "input").len(), tensor_numbers(op, "output").len());
    let agnostic = entry.value.trim().eq_ignore_ascii_case("formatAgnostic");
    if agnostic && !op.is_true("dynamicFormat") && counts != (1, 1) {
        let message =
            format!("the operator's inputs and outputs are {} and {}, one and one are expected", counts.0, counts.1);
        check.at(Rule::FormatAgnostic, entry, &message);
    }
}
