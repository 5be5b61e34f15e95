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
