//! docs/reference/json.md, made of the types.

use super::object::{Field, Object};
use super::{graph, measure, operators, opinfo, part, piece, rules, run, sim, test};

/// Verbs with keys of their own, and the object that has them.
const VERBS: [(&str, &str); 33] = [
    ("doctor", "DoctorResult"),
    ("list", "ListResult"),
    ("env|torch env", "EnvResult"),
    ("example", "ExampleResult"),
    ("sample", "SampleResult"),
    ("test", "TestResult"),
    ("test --exhaustive", "SweepResult"),
    ("torch|paddle|onnx test", "TestResult"),
    ("torch|paddle|onnx run", "ScriptResult"),
    ("optest", "OptestResult"),
    ("operators", "OperatorsResult"),
    ("merge", "MergeResult"),
    ("bench host", "HostBench"),
    ("bench sim", "SimBench"),
    ("sim", "SimResult"),
    ("sim --params", "ParametersResult"),
    ("opinfo check", "OpInfoCheck"),
    ("opinfo check --explain", "OpInfoRules"),
    ("opinfo json", "OpInfoJson"),
    ("opinfo show", "OpInfoShow"),
    ("opinfo diff A B OP", "OpInfoDiff"),
    ("opinfo diff A B", "OpInfoFilesDiff"),
    ("opinfo select-format", "SelectFormatResult"),
    ("opinfo select-format, refused", "SelectFormatRefused"),
    ("ascgraph check", "GraphCheck"),
    ("ascgraph check --explain", "GraphRules"),
    ("ascgraph schedule", "GraphSchedule"),
    ("ascgraph run", "GraphRun"),
    ("ascgraph fuse", "GraphFusion"),
    ("pr", "PrResult"),
    ("pr --list", "RuleList"),
    ("report", "ReportResult"),
    ("tidy", "TidyResult"),
];

/// Pieces by the start of their name.
const PIECES: [(&str, &str); 9] = [
    ("layer.<layer>", "LayerPiece"),
    ("checked.<layer>", "LayerPiece"),
    ("acceptance.<file>.<standard>", "AcceptancePiece"),
    ("errors.<file>", "ErrorsPiece"),
    ("sweep.<class>", "SweepPiece"),
    ("bench_host", "HostBench"),
    ("bench_sim", "SimBenchPiece"),
    ("rules", "RulesPiece"),
    ("package.<SoCs>", "PackagePiece"),
];

const ABOUT: &str = "\
# JSON

Every verb prints one object with `--json`, a [Report](#report), and stores the same object as
`target/xtask/last/<verb>.json`; `bench sim` stores it as `bench_sim.json`, a sweep as `exhaustive.json`, too, and with `--shard` the name
gets the part: `operators-shard-1-of-4.json`. Runs keep what they find out about an operator as a [Piece](#piece) under
`target/xtask/results/<operator>`.

A command line that is not understood gives a [Usage](#usage) instead.

`schema` counts up when a field changes its meaning or goes. New fields may come at any time: pass over those that you do
not know. A field is null where there is no value; one that is marked as optional may be absent.

This page is made of the types in `hostcann/cli/src/base/report`. After a change of them, this renews it:
`UPDATE_EXPECT=1 cargo test -p hostcann-cli --lib base::report`.
";

fn objects() -> impl Iterator<Item = &'static Object> {
    let all = [
        run::OBJECTS,
        test::OBJECTS,
        measure::OBJECTS,
        sim::OBJECTS,
        operators::OBJECTS,
        opinfo::OBJECTS,
        graph::OBJECTS,
        rules::OBJECTS,
        part::OBJECTS,
        piece::OBJECTS,
    ];
    all.into_iter().flatten()
}

fn page() -> String {
    let mut page = format!("{ABOUT}\n## Keys of a verb\n\n| verb | object |\n|---|---|\n");
    for (verb, object) in VERBS {
        page += &format!("| `{}` | {} |\n", verb.replace('|', "\\|"), link(object));
    }
    page += "\n## Pieces\n\n| piece | `data` |\n|---|---|\n";
    for (piece, object) in PIECES {
        page += &format!("| `{piece}` | {} |\n", link(object));
    }
    page += "\n## Objects\n";
    for object in objects() {
        page += &format!("\n### {}\n\n{}\n\n| field | type | |\n|---|---|---|\n", object.name, sentence(object.about));
        for field in object.fields {
            page += &row(field);
        }
    }
    page
}

fn row(field: &Field) -> String {
    let kind = kind(field.kind);
    match field.is_flat() {
        true if field.about.is_empty() => format!("| … | {kind} | further keys |\n"),
        true => format!("| … | {kind} | {} |\n", field.about.trim()),
        false => {
            let kind = match field.is_left_out() {
                true => format!("{}, optional", kind.trim_end_matches(" or null")),
                false => kind,
            };
            format!("| `{}` | {kind} | {} |\n", field.key(), field.about.trim().replace('|', "\\|"))
        }
    }
}

/// A type in the words of JSON.
fn kind(of: &str) -> String {
    let of = of.replace(' ', "");
    let inside = |start: &str| of.strip_prefix(start).and_then(|rest| rest.strip_suffix('>')).map(str::to_owned);
    if let Some(inner) = inside("Option<") {
        let inner = kind(&inner);
        return if inner.ends_with(" or null") { inner } else { format!("{inner} or null") };
    }
    if let Some(inner) = inside("Vec<") {
        return format!("array of {}", kind(&inner));
    }
    if let Some(inner) = inside("BTreeMap<String,") {
        return format!("object of {}", kind(&inner));
    }
    if let Some(inner) = of.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let (inner, count) = inner.split_once(';').unwrap_or((inner, "some"));
        return format!("array of {count}: {}", kind(inner));
    }
    if let Some(inner) = of.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return format!("array: {}", inner.split(',').map(kind).collect::<Vec<_>>().join(", "));
    }
    match of.trim_start_matches("super::") {
        "String" | "Severity" | "Builds" => "string".to_owned(),
        "bool" => "boolean".to_owned(),
        "f64" => "number".to_owned(),
        "Value" | "serde_json::Value" => "any".to_owned(),
        "Map<String,Value>" | "serde_json::Map<String,serde_json::Value>" | "serde_json::Map<String,Value>" => {
            "object".to_owned()
        }
        "u8" | "u32" | "u64" | "i64" | "usize" => "integer".to_owned(),
        name => link(name),
    }
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_ascii_lowercase())
}

fn sentence(about: &str) -> String {
    let about = about.trim();
    if about.ends_with('.') { about.to_owned() } else { format!("{about}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect_file;
    use std::collections::BTreeSet;

    #[test]
    fn the_page_has_every_field() {
        expect_file!["../../../../../docs/reference/json.md"].assert_eq(&page());
    }

    #[test]
    fn keys_are_those_that_serde_writes() {
        for object in objects() {
            let written = (object.example)();
            let written: BTreeSet<&str> = written.as_object().expect("an object").keys().map(String::as_str).collect();
            let told: BTreeSet<&str> =
                object.fields.iter().filter(|field| !field.is_left_out() && !field.is_flat()).map(Field::key).collect();
            let flat: usize = object.fields.iter().filter(|field| field.is_flat()).count();
            assert!(told == written || flat > 0 && told.is_subset(&written), "{}: {told:?} {written:?}", object.name);
        }
    }

    #[test]
    fn every_field_and_object_is_explained_and_linked() {
        let names: BTreeSet<&str> = objects().map(|object| object.name).collect();
        assert_eq!(names.len(), objects().count(), "two objects of one name");
        for object in objects() {
            assert!(!object.about.is_empty(), "{}", object.name);
            for field in object.fields.iter().filter(|field| !field.is_flat()) {
                assert!(!field.about.is_empty(), "{}.{}", object.name, field.key());
            }
        }
        let page = page();
        for link in page.split("](#").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            assert!(names.iter().any(|name| name.to_ascii_lowercase() == link), "{link} leads nowhere");
        }
        for name in names {
            assert!(page.contains(&link(name)), "nothing has {name}");
        }
    }
}
