//! Rule 46: acceptance cases call the interfaces of this operator.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::Value;

use super::rule::{Case, Findings, Outcome, Rule};
use super::symbols::{base_name, own_api};
use super::tree::extension;

pub const RULES: [Rule; 1] = [Rule {
    number: 46,
    slug: "acceptance-interfaces",
    title: "acceptance cases call interfaces of this operator",
    zh: "验收用例调用本算子的接口",
    why: "AscendOpTest calls aclnn<op_name> of whatever package exports it: a case with another operator's name tests that \
          operator and passes. Descriptions name the interface by `op`, cases by `op_name`.",
    check: interfaces,
}];

fn interfaces(case: &Case) -> Result<Outcome> {
    let mut known: BTreeSet<String> = own_api(case)
        .iter()
        .filter_map(|(_, one)| base_name(&one.name).strip_prefix("aclnn").map(str::to_owned))
        .collect();
    if known.is_empty() {
        known.insert(case.pascal());
    }
    let list = known.iter().cloned().collect::<Vec<_>>().join(", ");
    let mut found = Findings::default();
    for (path, content) in case.tree.below("tests/aot").filter(|(path, _)| extension(path) == "json") {
        let Ok(value) = serde_json::from_str::<Value>(content) else { continue };
        let mut names = BTreeSet::new();
        collect(&value, &mut names);
        for name in names.into_iter().filter(|name| !known.contains(*name)) {
            let cases = content.matches(&format!("\"{name}\"")).count();
            let line =
                content.lines().position(|line| line.contains(&format!("\"{name}\""))).map_or(0, |line| line + 1);
            let what = format!("`{name}` ({cases} times) is no interface of this operator");
            found.error(case.at(path), line, what, format!("one of {list}"));
        }
    }
    found.judged()
}

/// Names of operators in descriptions and cases of AscendOpTest.
fn collect<'a>(value: &'a Value, names: &mut BTreeSet<&'a str>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| collect(one, names)),
        Value::Object(object) => {
            names.extend(["op", "op_name"].iter().filter_map(|key| object.get(*key)?.as_str()));
            object.values().for_each(|one| collect(one, names));
        }
        _ => {}
    }
}
