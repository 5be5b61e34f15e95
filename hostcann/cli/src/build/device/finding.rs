//! What a kernel has that a device compiler does not take.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::clang::Place;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub place: Option<Place>,
    pub what: String,
    pub cure: String,
}

/// The same finding of several units is told once.
pub fn report(findings: &[(String, Finding)], units: usize) -> String {
    let mut grouped: BTreeMap<&Finding, Vec<&str>> = BTreeMap::new();
    for (dtypes, finding) in findings {
        grouped.entry(finding).or_default().push(dtypes);
    }
    let mut text = String::new();
    for (finding, dtypes) in grouped {
        match &finding.place {
            Some(place) => {
                let _ = write!(text, "{}:{}:{}: ", place.file.display(), place.line, place.column);
            }
            None => text.push_str("<no place>: "),
        }
        let _ = writeln!(text, "error: {}\n    cure: {}", finding.what, finding.cure);
        let more = if dtypes.len() > 1 { format!(" and {} more", dtypes.len() - 1) } else { String::new() };
        let _ = writeln!(text, "    in {} of {units} dtype columns: {}{more}", dtypes.len(), dtypes[0]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_finding_of_two_units_is_told_once() {
        let finding = |line| Finding {
            place: Some(Place { file: "k.h".into(), line, column: 7 }),
            what: "Limit is not __aicore__".into(),
            cure: "add it".into(),
        };
        let all =
            [("x half".to_owned(), finding(3)), ("x float".to_owned(), finding(3)), ("x half".to_owned(), finding(2))];
        assert_eq!(
            report(&all, 5),
            "k.h:2:7: error: Limit is not __aicore__\n    cure: add it\n    in 1 of 5 dtype columns: x half\n\
             k.h:3:7: error: Limit is not __aicore__\n    cure: add it\n    in 2 of 5 dtype columns: x half and 1 more\n"
        );
    }
}
