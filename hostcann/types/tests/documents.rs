//! The tables against the pages that describe them.

use std::path::Path;

use hostcann_types::FaultClass;
use hostcann_types::variables::{PREFIX, VARIABLES, Values};

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Every variable has a row, except the one that the program sets for itself; a row of a choice has its words, in any
/// order.
#[test]
fn every_variable_is_on_the_page() {
    let page = page("docs/reference/environment.md");
    let row = |name: &str| page.lines().find(|line| line.starts_with(&format!("| `{PREFIX}{name}` |")));
    for variable in VARIABLES.iter().filter(|variable| variable.name != "CHECK_COUNT") {
        let row = row(variable.name)
            .unwrap_or_else(|| panic!("docs/reference/environment.md has no row of {}", variable.name));
        if let Values::Words(words) = variable.values {
            for word in words {
                assert!(row.contains(&format!("`{word}`")), "{}: no `{word}` in {row}", variable.name);
            }
        }
    }
    let rows = page.lines().filter_map(|line| line.strip_prefix(&format!("| `{PREFIX}"))?.split('`').next());
    for name in rows {
        assert!(
            VARIABLES.iter().any(|variable| variable.name == name),
            "docs/reference/environment.md has a row of {name}"
        );
    }
}

/// Links of findings lead there.
#[test]
fn every_class_has_a_place_on_the_page() {
    let page = page("docs/guides/checking.md");
    for class in FaultClass::FINDINGS.iter().chain(FaultClass::FAULTS) {
        let anchor = format!("<a id=\"{}\"></a>", class.name());
        assert_eq!(page.matches(&anchor).count(), 1, "{anchor}");
    }
}
