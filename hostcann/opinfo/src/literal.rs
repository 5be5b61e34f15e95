//! Values of attributes and of initValue, as the framework reads them.

use crate::json::{self, Value};

/// How far a value can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    Whole,
    /// It starts with a number, and the rest is passed over.
    Prefix(String),
    /// What was expected.
    Not(String),
}

/// `int`, `float`, `bool` or `str`. Numbers are read as C's strtol and strtof do: as far as it goes.
fn scalar(kind: &str, text: &str) -> Reading {
    let text = text.trim();
    let parse = |text: &str| if kind == "int" { text.parse::<i64>().is_ok() } else { text.parse::<f64>().is_ok() };
    match kind {
        "bool" if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") => Reading::Whole,
        "bool" => Reading::Not("true or false".to_owned()),
        "int" | "float" if parse(text) => Reading::Whole,
        "int" | "float" => {
            let ends = text.char_indices().map(|(at, _)| at).skip(1).collect::<Vec<_>>();
            match ends.into_iter().rev().find(|&end| parse(&text[..end])) {
                Some(end) => Reading::Prefix(text[..end].to_owned()),
                None => Reading::Not(if kind == "int" { "an integer" } else { "a number" }.to_owned()),
            }
        }
        _ => Reading::Whole,
    }
}

pub fn element(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "int" | "listInt" | "listListInt" => "int",
        "float" | "listFloat" => "float",
        "bool" | "listBool" => "bool",
        "str" | "listStr" => "str",
        _ => return None,
    })
}

pub fn is_list(kind: &str) -> bool {
    kind.starts_with("list")
}

/// One value of a type. Lists are in brackets, which the framework passes over.
pub fn one(kind: &str, text: &str) -> Reading {
    let Some(element) = element(kind) else { return Reading::Whole };
    if !is_list(kind) {
        return scalar(element, text);
    }
    let items = text.split(',').map(|item| item.trim().trim_matches(['[', ']']).trim());
    let mut items = items.filter(|item| !item.is_empty()).map(|item| scalar(element, item));
    items.find(|reading| *reading != Reading::Whole).unwrap_or(Reading::Whole)
}

/// The values that an attribute may have; lists are separated by `;`.
pub fn values(kind: &str, text: &str) -> Vec<String> {
    let separator = if is_list(kind) { ';' } else { ',' };
    text.split(separator).map(|value| value.trim().to_owned()).collect()
}

/// Numbers are compared as numbers.
pub fn same(kind: &str, a: &str, b: &str) -> bool {
    let plain = |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let (a, b) = (plain(a), plain(b));
    match element(kind) {
        Some("bool") => a.eq_ignore_ascii_case(&b),
        Some("float" | "int") => {
            let numbers = |text: &str| -> Vec<String> {
                let number = |item: &str| item.parse::<f64>().map_or(item.to_owned(), |value| value.to_string());
                text.split([',', '[', ']']).map(number).collect()
            };
            numbers(&a) == numbers(&b)
        }
        _ => a == b,
    }
}

/// `initValue`: a number, or what op_build writes for ScalarVar.
pub fn init_value(text: &str) -> Option<String> {
    let text = text.trim();
    if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
        return None;
    }
    let value = match json::parse(text) {
        Ok(value @ Value::Object(_)) => value,
        _ => {
            return Some(
                "an integer or an object such as { \"is_list\" : false, \"type\": \"float32\", \"value\": 0.0 }"
                    .to_owned(),
            );
        }
    };
    let typed = |value: &Value| {
        value.get("type").and_then(Value::as_str).is_some() && matches!(value.get("value"), Some(Value::Number(_)))
    };
    let good = match (value.get("is_list"), &value) {
        (Some(Value::Bool(false)), _) => typed(&value),
        (Some(Value::Bool(true)), Value::Object(entries)) => {
            entries.len() > 1 && entries.iter().filter(|entry| entry.0 != "is_list").all(|entry| typed(&entry.2))
        }
        _ => false,
    };
    if good {
        None
    } else {
        Some("is_list, then type and value, or for every data type an object with both".to_owned())
    }
}
