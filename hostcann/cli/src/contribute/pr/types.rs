//! Rule 37: data types of documents and sources.

use std::collections::BTreeSet;

use anyhow::Result;
use hostcann_types::DataType;

use super::markdown::{section, tables};
use super::pages::{README, SECTIONS};
use super::rule::{Case, Findings, Outcome, Rule};
use crate::base::markdown::headings;

pub const RULES: [Rule; 1] = [Rule {
    number: 37,
    slug: "data-types",
    title: "documents and sources name the same data types",
    zh: "文档与源码的数据类型一致",
    why: "Users read the tables, the framework reads the definition: a type in one and not in the other is a wrong \
              promise or a hidden feature.",
    check: data_types,
}];

/// A type of kernels by what documents and sources call it: `FLOAT` and `FLOAT32`, `BF16` and `BFLOAT16`.
fn known_type(word: &str) -> Option<&'static str> {
    let spelt = |known: &str| known.eq_ignore_ascii_case(word);
    let is_it = |t: &DataType| spelt(t.name()) || spelt(t.numpy());
    let found = DataType::of_kernels().find(is_it)?;
    Some(if found == DataType::Bf16 { "BFLOAT16" } else { found.name() })
}

/// `DT_…` and `ACL_…` of sources.
fn of_sources<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    for content in texts {
        let code = cpptext::code(content);
        for (_, word) in cpptext::words(&code) {
            all.extend(word.strip_prefix("DT_").or(word.strip_prefix("ACL_")).and_then(known_type));
        }
    }
    all
}

/// Types in the column of a table, rows of attributes aside.
fn of_tables(body: &str) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    for table in tables(body) {
        let Some(column) = table.first().and_then(|head| head.iter().position(|cell| cell == "数据类型")) else {
            continue;
        };
        for row in table.iter().skip(1).filter(|row| !row.get(1).is_some_and(|kind| kind.contains("属性"))) {
            let cell = row.get(column).map_or("", String::as_str);
            all.extend(cpptext::words(cell).into_iter().filter_map(|(_, word)| known_type(&word.to_ascii_uppercase())));
        }
    }
    all
}

fn data_types(case: &Case) -> Result<Outcome> {
    let mut found = Findings::default();
    let definition = format!("op_host/{}_def.cpp", case.dir);
    let defined = of_sources(case.tree.text(&definition).into_iter());
    if defined.is_empty() {
        return found.judged();
    }
    let api = of_sources(case.tree.below("op_api").map(|(_, content)| content));
    let mut compare = |path: &str, line: usize, told: BTreeSet<&'static str>| {
        if told.is_empty() {
            found.error(
                case.at(path),
                line,
                "no table lists data types",
                "a column 数据类型 in the table of parameters",
            );
            return;
        }
        let list = |names: Vec<&&str>| names.into_iter().copied().collect::<Vec<_>>().join(", ");
        let missing = list(defined.difference(&told).collect());
        if !missing.is_empty() {
            found.error(case.at(path), line, format!("{missing}: in {definition}, not here"), "name every type");
        }
        let more = list(told.iter().filter(|name| !defined.contains(*name) && !api.contains(*name)).collect());
        if !more.is_empty() {
            found.error(
                case.at(path),
                line,
                format!("{more}: neither in {definition} nor in op_api"),
                "name only what is there",
            );
        }
    };
    if let Some((line, body)) = case.tree.text(README).and_then(|content| section(content, SECTIONS[2])) {
        compare(README, line, of_tables(body));
    }
    for (path, content) in case.tree.named("docs", "aclnn", ".md") {
        for heading in headings(content).iter().filter(|heading| heading.text.ends_with("GetWorkspaceSize")) {
            if let Some((line, body)) = section(content, heading.text) {
                compare(path, line, of_tables(body));
            }
        }
    }
    found.judged()
}
