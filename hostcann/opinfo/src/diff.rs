//! Two operators by meaning: what is written otherwise and means the same is no difference.

use std::collections::BTreeSet;

use crate::meaning::{Attribute, Formats, Operator, Tensor, tensor_group};
use crate::tables::{BOOL_FLAGS, plain_dtype};
use crate::{Op, literal};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub place: String,
    /// `None`: it is not there.
    pub a: Option<String>,
    pub b: Option<String>,
}

struct Found(Vec<Difference>);

impl Found {
    fn compare(&mut self, place: impl Into<String>, a: Option<String>, b: Option<String>) {
        if a != b {
            self.0.push(Difference { place: place.into(), a, b });
        }
    }
}

pub fn operators(a: &Op, b: &Op) -> Vec<Difference> {
    let mut found = Found(Vec::new());
    let (left, right) = (Operator::of(a), Operator::of(b));
    found.compare("OpType", Some(left.name.clone()), Some(right.name.clone()));
    for (kind, left, right) in [("input", &left.inputs, &right.inputs), ("output", &left.outputs, &right.outputs)] {
        for at in 0..left.len().max(right.len()) {
            tensor(&mut found, &format!("{kind}{at}"), left.get(at), right.get(at));
        }
    }
    found.compare("formats", Some(source(&left)), Some(source(&right)));
    columns(&mut found, &left, &right);
    attributes(&mut found, &left.attributes, &right.attributes);
    let same_name = |name: &str, op: &Op| name == crate::snake_case(&op.name);
    // Names that follow from the OpType say nothing more than it does.
    if !(same_name(&left.op_file, a) && same_name(&right.op_file, b)) {
        found.compare("opFile", Some(left.op_file), Some(right.op_file));
    }
    if !(same_name(&left.interface, a) && same_name(&right.interface, b)) {
        found.compare("opInterface", Some(left.interface), Some(right.interface));
    }
    others(&mut found, a, b);
    found.0
}

fn source(operator: &Operator) -> String {
    match &operator.formats {
        Formats::Lists => "lists".to_owned(),
        Formats::Callback => "op_select_format".to_owned(),
        Formats::Pattern(pattern) => format!("op.pattern={}", pattern.to_ascii_lowercase()),
        Formats::Nothing => "none".to_owned(),
    }
}

fn tensor(found: &mut Found, place: &str, a: Option<&Tensor>, b: Option<&Tensor>) {
    let (Some(left), Some(right)) = (a, b) else {
        let text = |tensor: Option<&Tensor>| tensor.map(|tensor| format!("{} ({})", tensor.name, tensor.param_type));
        found.compare(place, text(a), text(b));
        return;
    };
    found.compare(format!("{place}.name"), Some(left.name.clone()), Some(right.name.clone()));
    found.compare(format!("{place}.paramType"), Some(left.param_type.clone()), Some(right.param_type.clone()));
    let types = |tensor: &Tensor| -> BTreeSet<String> {
        tensor.dtypes.iter().map(|name| plain_dtype(name).to_owned()).collect()
    };
    let (left, right) = (types(left), types(right));
    let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        let names: Vec<String> = a.difference(b).cloned().collect();
        (!names.is_empty()).then(|| names.join(","))
    };
    found.compare(format!("{place}.dtype"), only(&left, &right), only(&right, &left));
}

/// Combinations over all tensors, in any order. Types that one tensor alone has or lacks are said there.
fn columns(found: &mut Found, a: &Operator, b: &Operator) {
    let formats = a.formats == Formats::Lists && b.formats == Formats::Lists;
    let (left, right) = (combinations(a, formats), combinations(b, formats));
    let counts = |operator: &Operator| (operator.inputs.len(), operator.outputs.len());
    if counts(a) != counts(b) {
        return;
    }
    // A combination that only one has because a data type of it is the other's at no place at all is no news.
    let known = |operator: &Operator| -> Vec<BTreeSet<String>> {
        let types = |tensor: &Tensor| tensor.dtypes.iter().map(|name| plain_dtype(name).to_owned()).collect();
        operator.tensors().map(types).collect()
    };
    let (left_types, right_types) = (known(a), known(b));
    let only = |mine: &BTreeSet<Vec<String>>, other: &BTreeSet<Vec<String>>, types: &[BTreeSet<String>]| {
        let new = |column: &&Vec<String>| {
            column.iter().zip(types).all(|(cell, types)| types.contains(cell.split(':').next().unwrap_or_default()))
        };
        let text: Vec<String> = mine.difference(other).filter(new).map(|column| column.join(" ")).collect();
        (!text.is_empty()).then(|| text.join(" | "))
    };
    found.compare("columns", only(&left, &right, &right_types), only(&right, &left, &left_types));
}

fn combinations(operator: &Operator, formats: bool) -> BTreeSet<Vec<String>> {
    let count = operator.tensors().map(|tensor| tensor.dtypes.len()).max().unwrap_or(0);
    let cell = |tensor: &Tensor, at: usize| {
        let dtype = tensor.dtypes.get(at).map_or("?", |name| plain_dtype(name));
        let format = tensor.formats.get(at).map_or("?", String::as_str);
        if formats { format!("{dtype}:{format}") } else { dtype.to_owned() }
    };
    (0..count).map(|at| operator.tensors().map(|tensor| cell(tensor, at)).collect()).collect()
}

fn attributes(found: &mut Found, a: &[Attribute], b: &[Attribute]) {
    let names = |all: &[Attribute]| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    let (left, right) = (names(a), names(b));
    let mut sorted = (left.clone(), right.clone());
    sorted.0.sort();
    sorted.1.sort();
    if sorted.0 == sorted.1 {
        found.compare("order of attributes", Some(left.join(",")), Some(right.join(",")));
    }
    let all: Vec<&String> = left.iter().chain(right.iter().filter(|name| !left.contains(name))).collect();
    for name in all {
        let find = |all: &'_ [Attribute]| all.iter().find(|one| one.name == *name).cloned();
        let place = format!("attribute {name}");
        match (find(a), find(b)) {
            (Some(left), Some(right)) => attribute(found, &place, &left, &right),
            (left, right) => {
                let text = |one: Option<Attribute>| one.map(|one| one.kind);
                found.compare(place, text(left), text(right));
            }
        }
    }
}

fn attribute(found: &mut Found, place: &str, a: &Attribute, b: &Attribute) {
    found.compare(format!("{place}: type"), Some(a.kind.clone()), Some(b.kind.clone()));
    let required = |one: &Attribute| Some(if one.required { "required" } else { "optional" }.to_owned());
    found.compare(format!("{place}: paramType"), required(a), required(b));
    let values = |one: &Attribute| Some(one.values.as_ref().map_or("all".to_owned(), |values| values.join(",")));
    found.compare(format!("{place}: value"), values(a), values(b));
    // A required attribute's default is never used.
    let default = |one: &Attribute| one.default.clone().filter(|_| !one.required);
    match (default(a), default(b)) {
        (Some(left), Some(right)) if literal::same(&a.kind, &left, &right) => {}
        (left, right) => found.compare(format!("{place}: defaultValue"), left, right),
    }
}

/// Everything else, key by key: absent flags are false, and case does not count where the framework does not mind it.
fn others(found: &mut Found, a: &Op, b: &Op) {
    const SAID: [&str; 7] =
        ["name", "dtype", "format", "unknownshape_format", "paramType", "for_bin_dtype", "for_bin_format"];
    let keys = |op: &Op| -> BTreeSet<(String, String)> {
        op.entries
            .iter()
            .map(|entry| (entry.group.trim().to_owned(), entry.key.trim().to_owned()))
            .filter(|(group, key)| {
                let tensor = tensor_group(group).is_some();
                let attribute = group == "attr" || group.starts_with("attr_");
                let named = ["opFile", "opInterface", "kernelSrc", "op"].contains(&group.as_str());
                !(attribute || named || tensor && SAID.contains(&key.as_str()))
            })
            .collect()
    };
    for (group, key) in keys(a).union(&keys(b)) {
        let tensor = tensor_group(group).is_some();
        let default = match key.as_str() {
            "flag" if BOOL_FLAGS.contains(&group.as_str()) && group != "precision_reduce" => Some("false"),
            "flag" if ["softsync", "dynamicCompileStatic"].contains(&group.as_str()) => Some("false"),
            "shape" if tensor => Some("all"),
            "needCompile" | "virtual" | "tuneformatSwitch" if tensor => Some("false"),
            _ => None,
        };
        let caseless = tensor || key == "flag" || group == "slicePattern" || group == "rangeLimit";
        let value = |op: &Op| {
            let text = op.get(group, key).or(default)?;
            Some(if caseless && key != "reshapeType" { text.to_ascii_lowercase() } else { text.to_owned() })
        };
        // What belongs to a tensor that only one operator has is said with the tensor.
        if tensor && !(a.has(group) && b.has(group)) {
            continue;
        }
        found.compare(format!("{group}.{key}"), value(a), value(b));
    }
}
