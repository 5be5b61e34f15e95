//! Inputs and outputs.

use super::Check;
use crate::finding::shown;
use crate::meaning::{Formats, formats, tensor_group, tensor_numbers};
use crate::name::is_identifier;
use crate::tables::{self, TENSOR_KEYS};
use crate::{Entry, Origin, Profile, Rule, list, literal};

pub fn check(check: &mut Check) {
    groups(check);
    let mut columns: Option<(String, usize)> = None;
    for kind in ["input", "output"] {
        let numbers = tensor_numbers(check.op, kind);
        if let Some((at, gap)) = numbers.iter().enumerate().find(|(at, number)| at != *number) {
            let group = format!("{kind}{gap}");
            let line = check.op.line_of(&group).unwrap_or(check.op.line);
            check.add(Rule::TensorGap, line, format!("{group} is there, {kind}{at} is not"));
        }
        for number in &numbers {
            tensor(check, kind, *number);
            lanes(check, &format!("{kind}{number}"), &mut columns);
        }
        names(check, kind, &numbers);
    }
    if check.profile == Profile::Tbe && !check.op.has("output0") {
        check.add(Rule::NoOutput, check.op.line, "output0 is missing".to_owned());
    }
    if formats(check.op) == Formats::Nothing {
        let message = "no format: there are neither lists of formats nor dynamicFormat.flag=true nor op.pattern";
        check.add(Rule::NoFormat, check.op.line, message.to_owned());
    }
}

fn groups(check: &mut Check) {
    let op = check.op;
    let mut seen: Vec<&str> = Vec::new();
    for entry in &op.entries {
        let group = entry.group.as_str();
        let like = group.starts_with("input") || group.starts_with("output");
        if !like || tensor_group(group).is_some() || seen.contains(&group) {
            continue;
        }
        seen.push(group);
        let known = ["inputMemContinues", "outputMemContinues", "outputInplaceAbility"].contains(&group);
        if op.origin == Origin::Ini || !known {
            let message = if known {
                "the converter takes it for a tensor without name"
            } else {
                "is an input or output with a number meant?"
            };
            check.add(Rule::TensorGroup, entry.line, format!("{} is no inputN or outputN; {message}", shown(group)));
        }
    }
}

fn tensor(check: &mut Check, kind: &str, number: usize) {
    let op = check.op;
    let group = format!("{kind}{number}");
    let line = op.line_of(&group).unwrap_or(op.line);
    match op.get(&group, "name") {
        None | Some("") => check.add(Rule::NameMissing, line, format!("{group}.name is missing")),
        Some(name) if !is_identifier(name) => {
            let line = op.entry(&group, "name").map_or(line, |entry| entry.line);
            check.add(Rule::TensorName, line, format!("{group}.name is {}, which is no identifier", shown(name)));
        }
        Some(_) => {}
    }
    match op.entry(&group, "paramType") {
        None => check.add(
            Rule::ParamTypeMissing,
            line,
            format!("{group}.paramType is missing; required, optional or dynamic is expected"),
        ),
        Some(entry) => {
            let reserved = op.origin == Origin::Json && entry.value.trim() == "reserved";
            if !reserved && !["required", "optional", "dynamic"].contains(&check.exact(entry)) {
                check.at(Rule::ParamType, entry, "allowed are required, optional and dynamic");
            }
        }
    }
    for entry in op.entries.iter().filter(|entry| op.is_called(&entry.group, &group)) {
        key(check, kind, entry);
    }
    let count = |key: &str| op.get(&group, key).filter(|text| !text.is_empty()).map(|text| list(text).len());
    if let (Some(types), Some(formats)) = (count("for_bin_dtype"), count("for_bin_format"))
        && types != formats
    {
        let message = format!("{group}.for_bin_dtype and {group}.for_bin_format have {types} and {formats} entries");
        check.add(Rule::ForBin, line, message);
    }
}

fn key(check: &mut Check, kind: &str, entry: &Entry) {
    let value = entry.value.trim();
    match entry.key.trim() {
        "dtype" => tokens(check, entry, Some(Profile::knows_dtype), true),
        "for_bin_dtype" => tokens(check, entry, None, true),
        "format" => tokens(check, entry, Some(Profile::knows_format), false),
        "for_bin_format" | "unknownshape_format" => tokens(check, entry, None, false),
        "shape" if value != "all" => check.at(Rule::Shape, entry, "only `all` has a meaning"),
        "reshapeType" => reshape_type(check, entry),
        "valueDepend" if kind == "output" => check.at(Rule::ValueDepend, entry, "it belongs to inputs"),
        "valueDepend" if value != "required" && value != "optional" => {
            check.at(Rule::ValueDepend, entry, "allowed are required and optional");
        }
        "initValue" if kind == "input" => check.at(Rule::InitValueInput, entry, "it belongs to outputs"),
        "initValue" => {
            if let Some(expected) = literal::init_value(value) {
                check.at(Rule::InitValue, entry, &format!("{expected} is expected"));
            }
        }
        "outputShapeDependOnCompute" if kind == "input" => {
            check.at(Rule::ShapeByCompute, entry, "it belongs to outputs")
        }
        "outputShapeDependOnCompute" if value != "true" => {
            check.at(Rule::ShapeByCompute, entry, "only `true` has a meaning");
        }
        "sub_format" if list(value).iter().any(|item| item.parse::<u16>().is_err()) => {
            check.at(Rule::SubFormat, entry, "numbers from 0 to 65535 are expected");
        }
        "tuneformatSwitch" if value != "true" && value != "false" => {
            check.at(Rule::TuneFormat, entry, "allowed are true and false");
        }
        "needCompile" | "virtual" if !value.eq_ignore_ascii_case("true") && !value.eq_ignore_ascii_case("false") => {
            check.at(Rule::TensorFlag, entry, "allowed are true and false");
        }
        name if !TENSOR_KEYS.contains(&name) => check.unknown(Rule::TensorKey, entry, name, &TENSOR_KEYS),
        _ => {}
    }
}

/// The names of a list: against the framework's, and against the converter's where it looks at the key.
fn tokens(check: &mut Check, entry: &Entry, converter: Option<fn(Profile, &str) -> bool>, types: bool) {
    if entry.value.trim().is_empty() {
        check.at(Rule::EmptyList, entry, "leave the key out, or name something");
        return;
    }
    if entry.value.trim().split(',').any(|item| item.trim() != item) {
        check.at(Rule::ListBlank, entry, "write the list without blanks");
    }
    let mut seen: Vec<&str> = Vec::new();
    for token in list(&entry.value) {
        if seen.contains(&token) {
            continue;
        }
        seen.push(token);
        let framework = if types { tables::framework_dtype(token) } else { tables::framework_format(token) };
        let by_converter = converter.is_none_or(|knows| knows(check.profile, token));
        let what = if types { "data type" } else { "format" };
        let place = format!("{}.{}", entry.group, entry.key);
        if !framework {
            let (unknown, near) = if types {
                (Rule::DtypeUnknown, crate::name::nearest(token, tables::dtype_names()))
            } else {
                (Rule::FormatUnknown, crate::name::nearest(token, tables::format_names()))
            };
            let advice = near.map(|near| format!("; is {near} meant?")).unwrap_or_default();
            check.add(
                unknown,
                entry.line,
                format!("{place} has the {what} {}, which the framework does not know{advice}", shown(token)),
            );
        } else if !by_converter {
            let rule = if types { Rule::DtypeConverter } else { Rule::FormatConverter };
            let whose = if check.profile == Profile::Any { "no converter" } else { "not the converter" };
            let of =
                if check.profile == Profile::Any { String::new() } else { format!(" of {}", check.profile.name()) };
            let message = format!("{place} has the {what} {}, which the framework knows and {whose}{of}", shown(token));
            check.add(rule, entry.line, message);
        }
    }
}

fn reshape_type(check: &mut Check, entry: &Entry) {
    let value = entry.value.trim();
    let fits = |axes: &&str| {
        let mut rest = axes.chars();
        value.chars().all(|axis| rest.any(|next| next == axis))
    };
    if value != "FORBIDDEN" && (value.is_empty() || !tables::AXES.iter().any(fits)) {
        check.at(Rule::ReshapeType, entry, "axes in the order of a format are expected, for example NC, or FORBIDDEN");
    }
}

/// Lists of one tensor, then over all.
fn lanes(check: &mut Check, group: &str, columns: &mut Option<(String, usize)>) {
    let op = check.op;
    let count = |key: &str| op.get(group, key).filter(|text| !text.is_empty()).map(|text| list(text).len());
    let (types, formats) = (count("dtype"), count("format"));
    let unknown = count("unknownshape_format");
    let line = |key: &str| op.entry(group, key).map_or(op.line, |entry| entry.line);
    for (rule, key, formats) in
        [(Rule::TensorCount, "format", formats), (Rule::UnknownShapeCount, "unknownshape_format", unknown)]
    {
        if let (Some(types), Some(formats)) = (types, formats)
            && types != formats
        {
            let message = format!("{group}.dtype and {group}.{key} have {types} and {formats} entries");
            check.add(rule, line(key), message);
        }
    }
    let origin = crate::meaning::formats(op);
    if types.is_none() && !op.get(group, "dtype").is_some_and(str::is_empty) {
        let of_pattern = matches!(&origin, Formats::Pattern(pattern) if !pattern.eq_ignore_ascii_case("rangeAgnostic"));
        if formats.or(unknown).is_some() || of_pattern {
            let at = op.line_of(group).unwrap_or(op.line);
            check.add(Rule::DtypeMissing, at, format!("{group}.dtype is missing"));
        }
    }
    // op_select_format takes the place of data types without formats, and nothing counts what nobody pairs.
    let counts = formats.or(unknown).is_some() || matches!(origin, Formats::Pattern(_));
    let (true, Some(types)) = (counts, types) else { return };
    match columns {
        None => *columns = Some((group.to_owned(), types)),
        Some((first, want)) if *want != types => {
            let message = format!("{group} and {first} have {types} and {want} columns");
            check.add(Rule::Lanes, line("dtype"), message);
        }
        Some(_) => {}
    }
}

fn names(check: &mut Check, kind: &str, numbers: &[usize]) {
    let op = check.op;
    let mut known: Vec<(String, String, usize)> = Vec::new();
    for number in numbers {
        let group = format!("{kind}{number}");
        let Some(entry) = op.entry(&group, "name") else { continue };
        let name = entry.value.trim().to_owned();
        if let Some((_, first, _)) = known.iter().find(|other| other.0 == name && !name.is_empty()) {
            check.add(Rule::NameTwice, entry.line, format!("{group}.name is {}, as {first}.name is", shown(&name)));
        }
        known.push((name, group, entry.line));
    }
    for (name, group, _) in &known {
        if op.get(group, "paramType") != Some("dynamic") || name.is_empty() {
            continue;
        }
        let numbered = |other: &str| {
            other
                .strip_prefix(name.as_str())
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
        };
        if let Some((other, place, line)) = known.iter().find(|other| numbered(&other.0)) {
            let message = format!("{place}.name is {}, as a part of the dynamic {group} `{name}` is", shown(other));
            check.add(Rule::DynamicName, *line, message);
        }
    }
}
