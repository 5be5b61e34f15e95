//! An operator as the framework understands its entry: tensors in order, defaults filled in.

use crate::literal;
use crate::name::snake_case;
use crate::{Op, list};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// `input0`.
    pub place: String,
    pub name: String,
    pub param_type: String,
    /// One for each column; empty where the entry has no such list.
    pub dtypes: Vec<String>,
    pub formats: Vec<String>,
    /// For dynamic shapes; the formats where there is no list of its own.
    pub unknown_shape_formats: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub name: String,
    pub kind: String,
    pub required: bool,
    /// `None`: every value.
    pub values: Option<Vec<String>>,
    pub default: Option<String>,
}

/// Where the pairs of data type and format come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formats {
    /// Lists of the entry; they win over everything else.
    Lists,
    /// op_select_format is asked.
    Callback,
    /// Derived from `op.pattern`.
    Pattern(String),
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    pub name: String,
    pub inputs: Vec<Tensor>,
    pub outputs: Vec<Tensor>,
    pub attributes: Vec<Attribute>,
    pub formats: Formats,
    pub op_file: String,
    pub interface: String,
}

/// `input3` is (`input`, 3).
pub fn tensor_group(group: &str) -> Option<(&'static str, usize)> {
    let group = group.trim();
    ["input", "output"].into_iter().find_map(|kind| {
        let digits = group.strip_prefix(kind)?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
        plain.then(|| digits.parse().ok()).flatten().map(|number| (kind, number))
    })
}

/// The numbers of an operator's inputs or outputs, ascending.
pub fn tensor_numbers(op: &Op, kind: &str) -> Vec<usize> {
    let mut numbers: Vec<usize> = op
        .entries
        .iter()
        .filter_map(|entry| tensor_group(&entry.group))
        .filter_map(|(of, number)| (of == kind).then_some(number))
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

impl Operator {
    pub fn of(op: &Op) -> Operator {
        let name = |group| match op.get(group, "value") {
            Some(value) if !value.is_empty() => value.to_owned(),
            _ => snake_case(&op.name),
        };
        Operator {
            name: op.name.clone(),
            inputs: tensors(op, "input"),
            outputs: tensors(op, "output"),
            attributes: attributes(op),
            formats: formats(op),
            op_file: name("opFile"),
            interface: name("opInterface"),
        }
    }

    pub fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.inputs.iter().chain(&self.outputs)
    }
}

fn tensors(op: &Op, kind: &str) -> Vec<Tensor> {
    let tensor = |number: usize| {
        let place = format!("{kind}{number}");
        let all = |key: &str| -> Vec<String> {
            op.get(&place, key).map(|text| list(text).into_iter().map(str::to_owned).collect()).unwrap_or_default()
        };
        let text = |key: &str| op.get(&place, key).unwrap_or_default().to_owned();
        let (formats, unknown) = (all("format"), all("unknownshape_format"));
        Tensor {
            name: text("name"),
            param_type: text("paramType"),
            dtypes: all("dtype"),
            unknown_shape_formats: if unknown.is_empty() { formats.clone() } else { unknown },
            formats,
            place,
        }
    };
    tensor_numbers(op, kind).into_iter().map(tensor).collect()
}

fn attributes(op: &Op) -> Vec<Attribute> {
    let names = op.get("attr", "list").map(list).unwrap_or_default();
    let attribute = |name: &str| {
        let group = format!("attr_{name}");
        let kind = op.get(&group, "type").unwrap_or_default().to_owned();
        let allowed = op.get(&group, "value").filter(|value| !value.eq_ignore_ascii_case("all"));
        Attribute {
            name: name.to_owned(),
            required: op.get(&group, "paramType") == Some("required"),
            values: allowed.map(|value| literal::values(&kind, value)),
            default: op.get(&group, "defaultValue").map(str::to_owned),
            kind,
        }
    };
    names.into_iter().filter(|name| !name.is_empty()).map(attribute).collect()
}

/// The framework's order: lists, then the callback, then the pattern.
pub fn formats(op: &Op) -> Formats {
    let listed = op.entries.iter().any(|entry| {
        tensor_group(&entry.group).is_some() && ["format", "unknownshape_format"].contains(&entry.key.trim())
    });
    let pattern = op.get("op", "pattern").filter(|pattern| !pattern.is_empty());
    match pattern {
        _ if listed => Formats::Lists,
        _ if op.is_true("dynamicFormat") => Formats::Callback,
        Some(pattern) if pattern.eq_ignore_ascii_case("dynamic") => Formats::Callback,
        Some(pattern) => Formats::Pattern(pattern.to_owned()),
        None => Formats::Nothing,
    }
}
