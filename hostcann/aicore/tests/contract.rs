//! The contract, `hostcann/README.md`: every row about the device ends with a source, every key is in the list of
//! sources and every source is used; files of this repository that it names exist; the checker's classes are all there.

use std::collections::BTreeSet;
use std::path::Path;

const README: &str = include_str!("../../README.md");

/// The cells of every table row below a heading, without the head of the table.
fn rows(heading: &str) -> Vec<Vec<&str>> {
    let start = README.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no section `{heading}`"));
    let section = &README[start + 1..];
    let section = &section[..section[1..].find("\n## ").map_or(section.len(), |end| end + 1)];
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("|---"));
    rows.skip(1).map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

fn keys(text: &str) -> impl Iterator<Item = &str> {
    text.split('[').skip(1).filter_map(|rest| rest.split_once(']')).map(|(key, _)| key)
}

const STATEMENTS: [&str; 5] = [
    "What is exact",
    "What is stricter than a device",
    "What no document states, and is therefore a switch",
    "The checker",
    "What differs knowingly",
];

#[test]
fn every_statement_has_a_source() {
    for heading in STATEMENTS {
        let rows = rows(heading);
        assert!(rows.len() >= 4, "{heading}: {} rows", rows.len());
        for row in rows {
            let cited = keys(&row.join(" ")).next().is_some();
            let own = row.last().is_some_and(|cell| cell.starts_with('`') && cell.contains('/'));
            assert!(cited || own, "{heading}: no source: {row:?}");
        }
    }
}

#[test]
fn sources_are_listed_and_used() {
    let listed: BTreeSet<&str> = rows("Sources").iter().map(|row| row[0]).collect();
    let statements = &README[..README.find("\n## Sources\n").expect("a list of sources")];
    let cited: BTreeSet<&str> = keys(statements).filter(|key| *key != "base.undocumented").collect();
    assert_eq!(cited, listed, "left: cited, right: listed");
}

#[test]
fn named_files_exist() {
    let hostcann = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = 0;
    for row in STATEMENTS.iter().flat_map(|heading| rows(heading)) {
        let cell = row[row.len() - 1];
        for name in cell.split('`').filter(|name| name.ends_with(".rs") || name.ends_with(".cpp")) {
            let there = hostcann.join(name).is_file() || hostcann.join("..").join(name).is_file();
            assert!(there, "{name} is not there");
            found += 1;
        }
    }
    assert!(found > 0);
}

#[test]
fn every_finding_class_is_described() {
    let described: BTreeSet<String> = rows("The checker").iter().map(|row| row[0].replace('`', "")).collect();
    let classes: BTreeSet<String> = aicore::FaultClass::FINDINGS.iter().map(|class| class.name().to_owned()).collect();
    assert_eq!(described, classes, "left: described, right: in the checker");
}
