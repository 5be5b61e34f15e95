//! What came of one operator, and the table.

pub use crate::base::report::{Builds, OperatorRow as Row, Tally};

impl Tally {
    pub fn add(&mut self, good: bool) {
        self.passed += u64::from(good);
        self.all += 1;
    }

    fn is_good(self) -> bool {
        self.passed == self.all
    }

    fn text(self) -> String {
        format!("{}/{}", self.passed, self.all)
    }
}

const KINDS: [&str; 3] = ["host", "api", "kernel"];
const COLUMNS: [&str; 9] = ["operator", "builds", "examples", "checked", "host", "api", "kernel", "seconds", "errors"];

impl Row {
    pub fn is_good(&self) -> bool {
        let tallies = self.examples.iter().chain(&self.checked).chain(self.tests.iter().map(|(_, tally)| tally));
        self.builds != Builds::No && tallies.copied().all(Tally::is_good)
    }

    fn builds(&self) -> &'static str {
        match self.builds {
            Builds::Yes => "yes",
            Builds::No => "no",
            Builds::OtherSoc => "-",
        }
    }

    fn test(&self, kind: &str) -> Option<Tally> {
        self.tests.iter().find(|(name, _)| name == kind).map(|(_, tally)| *tally)
    }

    /// For whoever waits.
    pub fn line(&self) -> String {
        let mut parts = vec![self.op.clone()];
        parts.push(match self.builds {
            Builds::Yes => "builds".to_owned(),
            Builds::No => "does not build".to_owned(),
            Builds::OtherSoc => "for other SoCs".to_owned(),
        });
        parts.extend(self.examples.map(|tally| format!("examples {}", tally.text())));
        parts.extend(self.checked.map(|tally| format!("checked {}", tally.text())));
        parts.extend(self.tests.iter().map(|(kind, tally)| format!("{kind} {}", tally.text())));
        parts.push(format!("{:.0} s", self.seconds));
        parts.join(", ")
    }

    fn cells(&self) -> [String; COLUMNS.len()] {
        let text = |tally: Option<Tally>| tally.map_or_else(|| "-".to_owned(), Tally::text);
        let [host, api, kernel] = KINDS.map(|kind| text(self.test(kind)));
        let errors = self.errors.join("; ");
        [
            self.op.clone(),
            self.builds().to_owned(),
            text(self.examples),
            text(self.checked),
            host,
            api,
            kernel,
            format!("{:.1}", self.seconds),
            errors,
        ]
    }
}

/// A head and a line for every operator; an error is one line without tabs.
pub fn tsv(rows: &[Row]) -> String {
    let mut text = COLUMNS.join("\t") + "\n";
    for row in rows {
        let cells = row.cells().map(|cell| cell.replace(['\t', '\n'], " "));
        text.push_str(&(cells.join("\t") + "\n"));
    }
    text
}

/// As docs/evidence/operators.md has it, but for the column that a reader has to fill in.
pub fn markdown(rows: &[Row]) -> String {
    let mut text =
        "| operator | builds | example | checked | unit tests | reason |\n|---|---|---|---|---|---|\n".to_owned();
    for row in rows {
        let [op, builds, examples, checked, .., errors] = row.cells();
        let tests: Vec<String> = row.tests.iter().map(|(kind, tally)| format!("{kind} {}", tally.text())).collect();
        let tests = if tests.is_empty() { "-".to_owned() } else { tests.join(" ") };
        let errors = errors.replace('\n', " ").replace('|', "\\|");
        text.push_str(&format!("| {op} | {builds} | {examples} | {checked} | {tests} | {errors} |\n"));
    }
    text
}

/// For the terminal: one line for each, the sums below.
pub fn text(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.op.len()).max().unwrap_or(0).max(COLUMNS[0].len());
    let line = |cells: [String; COLUMNS.len()]| {
        let [op, builds, examples, checked, host, api, kernel, seconds, errors] = cells;
        let error: String = errors.lines().next().unwrap_or_default().chars().take(100).collect();
        let line = format!(
            "{op:width$}  {builds:6} {examples:>8} {checked:>7} {host:>6} {api:>6} {kernel:>6} {seconds:>7}  {error}"
        );
        line.trim_end().to_owned()
    };
    let mut lines = vec![line(COLUMNS.map(str::to_owned))];
    lines.extend(rows.iter().map(|row| line(row.cells())));
    lines.push(sums(rows));
    lines.join("\n")
}

fn sums(rows: &[Row]) -> String {
    let count = |wanted: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).count();
    let other = count(&|row| row.builds == Builds::OtherSoc);
    let built = count(&|row| row.builds == Builds::Yes);
    let mut text = format!("{built} of {} build", rows.len() - other);
    if other > 0 {
        text.push_str(&format!(" ({other} are for other SoCs)"));
    }
    for (what, of) in [
        ("run all of their examples", (|row| row.examples) as fn(&Row) -> Option<Tally>),
        ("run them checked without a finding", |row| row.checked),
    ] {
        let (tried, good) = (count(&|row| of(row).is_some()), count(&|row| of(row).is_some_and(Tally::is_good)));
        if tried > 0 {
            text.push_str(&format!(", {good} of {tried} {what}"));
        }
    }
    let tests = rows.iter().flat_map(|row| &row.tests);
    let all = tests.fold(Tally::default(), |sum, (_, tally)| Tally {
        passed: sum.passed + tally.passed,
        all: sum.all + tally.all,
    });
    if all.all > 0 {
        let tested = count(&|row| !row.tests.is_empty());
        text.push_str(&format!(", {} of {} unit tests of {tested} pass", all.passed, all.all));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Row> {
        let tally = |passed, all| Tally { passed, all };
        vec![
            Row {
                op: "math/a".into(),
                builds: Builds::Yes,
                examples: Some(tally(2, 2)),
                checked: Some(tally(1, 2)),
                tests: vec![("host".into(), tally(3, 3)), ("kernel".into(), tally(0, 1))],
                errors: vec!["check: a | b\tc".into(), "ut: d\ne".into()],
                seconds: 1.25,
                ..Row::default()
            },
            Row { op: "math/b".into(), errors: vec!["build: x.h:1: error: y".into()], ..Row::default() },
            Row { op: "math/c".into(), builds: Builds::OtherSoc, ..Row::default() },
        ]
    }

    #[test]
    fn tables() {
        assert_eq!(
            tsv(&rows()),
            "operator\tbuilds\texamples\tchecked\thost\tapi\tkernel\tseconds\terrors\n\
             math/a\tyes\t2/2\t1/2\t3/3\t-\t0/1\t1.2\tcheck: a | b c; ut: d e\n\
             math/b\tno\t-\t-\t-\t-\t-\t0.0\tbuild: x.h:1: error: y\n\
             math/c\t-\t-\t-\t-\t-\t-\t0.0\t\n"
        );
        assert_eq!(
            markdown(&rows()).lines().nth(2),
            Some("| math/a | yes | 2/2 | 1/2 | host 3/3 kernel 0/1 | check: a \\| b\tc; ut: d e |")
        );
    }

    #[test]
    fn the_sums() {
        let text = text(&rows());
        assert_eq!(
            text.lines().last(),
            Some(
                "1 of 2 build (1 are for other SoCs), 1 of 1 run all of their examples, 0 of 1 run them checked without a \
                 finding, 3 of 4 unit tests of 1 pass"
            )
        );
        assert_eq!(rows().iter().map(Row::is_good).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn a_row_is_read_again_as_it_was_written() {
        let text = serde_json::to_string(&rows()).expect("JSON");
        assert_eq!(serde_json::from_str::<Vec<Row>>(&text).expect("rows"), rows());
    }
}
