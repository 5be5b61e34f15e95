//! docs/reference/opinfo.md lists the rules.

use opinfo::{Origin, RULES, Severity};

#[test]
fn every_rule_is_in_the_document() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/opinfo.md");
    let document = std::fs::read_to_string(path).expect("docs/reference/opinfo.md");
    let listed: Vec<&str> = document.lines().filter(|line| line.starts_with("| OI")).collect();
    let wanted: Vec<String> = RULES
        .iter()
        .map(|rule| {
            let weight = match (rule.severity(Origin::Ini), rule.severity(Origin::Json)) {
                (Severity::Error, Severity::Warning) => "error in ini, warning in JSON".to_owned(),
                (ini, _) => ini.to_string(),
            };
            let title = rule.title().replace('|', "\\|").replace('<', "\\<");
            format!("| {} | {weight} | {title} |", rule.code())
        })
        .collect();
    assert_eq!(listed, wanted, "change the tables of docs/reference/opinfo.md");
}

/// Whoever keeps what this crate made asks for its texts.
#[test]
fn every_source_is_listed() {
    let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    for dir in [src.clone(), src.join("check")] {
        let entries = std::fs::read_dir(&dir).expect("a directory").map(|entry| entry.expect("an entry").path());
        files.extend(entries.filter(|path| path.is_file() && !path.ends_with("tables_tests.rs")));
    }
    let mut there: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).expect("a text")).collect();
    let mut listed: Vec<&str> = opinfo::SOURCES.to_vec();
    there.sort();
    listed.sort_unstable();
    assert!(there == listed, "SOURCES of src/lib.rs lacks a file of src, or has one twice");
}
