//! The kernel's file of an operator: whether it is where the rule from OpType to file name says.

use std::path::{Path, PathBuf};

use crate::meaning::Operator;
use crate::{Finding, Op, Rule};

/// Where the file may be: flat, and as a package has them.
fn candidates(dir: &Path, name: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for suffix in ["py", "cpp"] {
        for place in ["", "dynamic/", "ascendc/"] {
            all.push(dir.join(format!("{place}{name}.{suffix}")));
        }
        all.push(dir.join(format!("{name}/{name}.{suffix}")));
        all.push(dir.join(format!("{name}/op_kernel/{name}.{suffix}")));
    }
    all
}

pub fn check(op: &Op, dir: &Path) -> Vec<Finding> {
    let operator = Operator::of(op);
    if ["Null", "AICore_Null"].contains(&operator.op_file.as_str()) {
        return Vec::new();
    }
    let finding = |rule, key: &str, message: String| {
        let line = op.entry(key, "value").map_or(op.line, |entry| entry.line);
        vec![Finding::new(rule, op.origin, line, &op.name, message)]
    };
    let place = dir.display();
    let Some(file) = candidates(dir, &operator.op_file).into_iter().find(|file| file.is_file()) else {
        let name = &operator.op_file;
        return finding(Rule::ImplMissing, "opFile", format!("neither {name}.py nor {name}.cpp is below {place}"));
    };
    let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap_or_default()).into_owned();
    let name = &operator.interface;
    if has_function(&text, name) {
        return Vec::new();
    }
    finding(Rule::InterfaceMissing, "opInterface", format!("{} has no function {name}", file.display()))
}

/// The name as a word with a parenthesis behind it, and not called there: `def name(`, `void name(`.
fn has_function(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
        let word = before.trim_end().rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        after.starts_with('(') && before.ends_with(char::is_whitespace) && !word.is_empty() && word != "return"
    })
}
