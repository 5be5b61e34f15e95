//! The result for people: times and ratios by size, medians, gates.

use crate::base::plural::number;
use crate::base::report::GateOutcome;
use crate::perf::sim::table::{ERRORS, aligned};

use super::gates;
use super::matrix::{MODES, size};
use super::row::{Row, median};

/// What a table is about, and its rows by size.
type Group<'a> = (String, Vec<&'a Row>);

pub fn text(rows: &[Row]) -> String {
    let mut text = format!(
        "\nµs of the timing model, none measured; x: times as fast as the built-in chain (model), by the shorter of two times \
         near the size of the L2\n{ERRORS}\n"
    );
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.elements).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for (title, group) in groups(rows, |row| format!("{}, {}", row.soc, row.cache)) {
        let mut lines = vec![[title.as_str(), "case", "", "bound"].map(str::to_owned).to_vec()];
        lines[0].extend(sizes.iter().map(|elements| size(*elements)));
        lines[0].extend(["median", "error"].map(str::to_owned));
        for (_, group) in groups(group.iter().copied(), |row| format!("{} {}", row.dtype, row.case)) {
            lines.extend(lines_of(&group, &sizes));
        }
        text += &format!("\n{}", aligned(&lines));
    }
    text + &notes(rows)
}

/// Lines of the list of notes.
const NOTES: usize = 6;

/// What the model says of rows, once each with the first of them.
fn notes(rows: &[Row]) -> String {
    let mut found: Vec<(&str, String, usize)> = Vec::new();
    for (note, row) in rows.iter().flat_map(|row| row.notes.iter().map(move |note| (note, row))) {
        match found.iter_mut().find(|(known, ..)| known == note) {
            Some((.., count)) => *count += 1,
            None => found.push((note, row.name(), 1)),
        }
    }
    let line = |(note, first, count): &(&str, String, usize)| match count {
        1 => format!("note: {first}: {note}\n"),
        _ => format!("note: {}, {first} and others: {note}\n", number(*count, "row")),
    };
    let more = match found.len().saturating_sub(NOTES) {
        0 => String::new(),
        more => format!("and {}: --json\n", number(more, "more note")),
    };
    let apart = if found.is_empty() { "" } else { "\n" };
    format!("{apart}{}{more}", found.iter().take(NOTES).map(line).collect::<String>())
}

/// In the order in which each is first met.
fn groups<'a>(rows: impl IntoIterator<Item = &'a Row>, name: impl Fn(&Row) -> String) -> Vec<Group<'a>> {
    let mut found: Vec<Group<'a>> = Vec::new();
    for row in rows {
        let name = name(row);
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, group)) => group.push(row),
            None => found.push((name, vec![row])),
        }
    }
    found
}

/// A line for every mode, and one for the limit.
fn lines_of(group: &[&Row], sizes: &[u64]) -> Vec<Vec<String>> {
    let Some(first) = group.first() else { return Vec::new() };
    let by_size = |cell: &dyn Fn(&Row) -> Option<String>| -> Vec<String> {
        let of = |elements| group.iter().find(|row| row.elements == elements).and_then(|row| cell(row));
        sizes.iter().map(|elements| of(*elements).unwrap_or_default()).collect()
    };
    let middle = |value: &dyn Fn(&Row) -> Option<f64>| {
        let value = median(group.iter().filter_map(|row| value(row)).collect());
        value.map_or(String::new(), |value| format!("{value:.2}x"))
    };
    let line = |what: &str, bound: &str, cells: Vec<String>, middle: String, error: String| {
        let mut line = [first.dtype.as_str(), &first.case, what, bound].map(str::to_owned).to_vec();
        line.extend(cells);
        line.extend([middle, error]);
        line
    };
    let mut lines = Vec::new();
    for mode in MODES.into_iter().filter(|mode| group.iter().any(|row| row.op.contains_key(*mode))) {
        let cell =
            |row: &Row| Some(format!("{} {:.2}x", row.us_text(mode, *row.op.get(mode)?, us), row.speed_up(mode)?));
        let bound = if mode == "tbe" { bounds(group) } else { String::new() };
        lines.push(line(mode, &bound, by_size(&cell), middle(&|row| row.speed_up(mode)), errors(group, mode)));
    }
    let chain = |row: &Row| Some(row.us_text("chain", row.chain, us));
    lines.push(line("chain", "", by_size(&chain), String::new(), errors(group, "chain")));
    let plain = |row: &Row| Some(format!("{} {:.2}x", row.us_text("plain", row.plain, us), row.chain / row.plain));
    lines.push(line("plain", "", by_size(&plain), middle(&|row| Some(row.chain / row.plain)), errors(group, "plain")));
    if group.iter().any(|row| row.road.is_some()) {
        let road = |row: &Row| Some(format!("{} {:.2}x", row.us_text("road", row.road?, us), row.chain / row.road?));
        lines.push(line("road", "", by_size(&road), middle(&|row| Some(row.chain / row.road?)), errors(group, "road")));
    }
    let limit = |row: &Row| Some(format!("{} {:.2}x", us(row.limit), row.chain / row.limit));
    lines.push(line("limit", "", by_size(&limit), middle(&|row| Some(row.chain / row.limit)), String::new()));
    lines
}

/// Of the sizes, from the smallest.
fn bounds(group: &[&Row]) -> String {
    changes(group, &|row| row.bound.clone()).join(" ")
}

fn errors(group: &[&Row], what: &str) -> String {
    changes(group, &|row| row.error_text(what)).join(", ")
}

/// What rows say, from the smallest size on, where it changes.
fn changes(group: &[&Row], of: &dyn Fn(&Row) -> String) -> Vec<String> {
    let mut rows = group.to_vec();
    rows.sort_by_key(|row| row.elements);
    let mut texts: Vec<String> = rows.into_iter().map(of).filter(|text| !text.is_empty()).collect();
    texts.dedup();
    texts
}

fn us(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// Every row that fails.
fn missed(outcomes: &[GateOutcome]) -> String {
    let mut lines = vec![["failed", "row", "part", "limit, µs", "bound"].map(str::to_owned).to_vec()];
    for outcome in outcomes {
        lines.extend(outcome.missed.iter().map(|miss| {
            let part = format!("{:.4}", miss.part);
            vec![outcome.name.to_owned(), miss.row.clone(), part, us(miss.limit), miss.bound.clone()]
        }));
    }
    if lines.len() == 1 { String::new() } else { format!("\n{}", aligned(&lines)) }
}

pub fn gates(outcomes: &[GateOutcome], rows: &[Row]) -> String {
    let mut lines =
        vec![["gate", "rows", "failed", "beyond", "mean", "worst", "at", "required"].map(str::to_owned).to_vec()];
    for outcome in outcomes {
        let (at, worst) = match &outcome.worst {
            Some((name, value)) => (name.clone(), format!("{value:.3}")),
            None => (String::new(), String::new()),
        };
        let numbers = [outcome.rows, outcome.failed, outcome.beyond_limit].map(|n| n.to_string());
        let mut line = vec![outcome.name.to_owned()];
        line.extend(numbers);
        let mean = outcome.mean.map_or(String::new(), |mean| format!("{mean:.3}"));
        line.extend([mean, worst, at, outcome.text.to_owned()]);
        lines.push(line);
    }
    let mut text = format!("\n{}{}", aligned(&lines), missed(outcomes));
    text += "mean: geometric, of the times as fast (model); worst: the part of what is required that the row reaches (model); beyond: rows in which the floor leaves less \
             room than\nis required, which had to come within a tenth of the floor\n";
    if let Some((name, ratio)) = gates::exact_default(rows) {
        text += &format!("exact mode reaches at least {ratio:.2} times the chain (model), at {name}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::{at_the_edge, row};
    use super::*;

    #[test]
    fn times_and_ratios_by_size() {
        let rows = [
            row(("f32", "same", 1 << 20, "warm"), [10.0, 40.0, 20.0, 8.0]),
            row(("f32", "same", 1 << 14, "warm"), [2.0, 2.5, 2.5, 2.0]),
            Row { road: Some(16.0), ..row(("f32", "strided", 1 << 20, "warm"), [10.0, 40.0, 20.0, 8.0]) },
        ];
        let text = text(&rows);
        let known = "± 4 % (element-wise, long calls)";
        let lines: Vec<Vec<&str>> = text.lines().skip(4).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["Ascend910B3,", "warm", "case", "bound", "16", "Ki", "1", "Mi", "median", "error"]);
        assert_eq!(lines[1][..9], ["f32", "same", "tbe", "memory", "2.00", "1.25x", "10.00", "2.00x", "1.62x"]);
        assert_eq!(lines[1][9..].join(" "), known);
        assert_eq!(lines[2][..8], ["f32", "same", "exact", "2.50", "1.00x", "40.00", "0.50x", "0.75x"]);
        assert_eq!(lines[3].join(" "), "f32 same chain 2.50 20.00 no error known (chains of short calls)");
        assert_eq!((lines[4][2..4].join(" "), lines[4][8..].join(" ")), ("plain 2.50".to_owned(), known.to_owned()));
        assert_eq!(lines[5], ["f32", "same", "limit", "2.00", "1.25x", "8.00", "2.50x", "1.88x"]);
        assert_eq!(lines[10][..5], ["f32", "strided", "road", "16.00", "1.25x"]);
        assert!(text.contains("of the timing model, none measured") && text.contains("± is the mean error"), "{text}");
    }

    #[test]
    fn near_the_size_of_the_l2_there_are_two_times() {
        let row = |elements| row(("f32", "same", elements, "warm"), [10.0, 40.0, 20.0, 8.0]);
        let mut edge = at_the_edge(row(1 << 24));
        edge.notes = (1..8).map(|n| format!("it is {n}")).collect();
        let with_note = Row { notes: vec!["it is 2".to_owned()], ..row(1 << 20) };
        let text = text(&[with_note, edge]);
        let line = text.lines().find(|line| line.contains(" tbe ")).expect("a line for tbe");
        let error = "± 4 % (element-wise, long calls), no error known (near the size of the L2)";
        assert!(line.contains("  10.00 2.00x  10.00 to 30.00 2.00x  ") && line.ends_with(error), "{text}");
        let notes = "\n\nnote: 2 rows, Ascend910B3 f32 same 1 Mi warm and others: it is 2\n\
                     note: Ascend910B3 f32 same 16 Mi warm: it is 1\n";
        assert!(text.contains(notes) && text.ends_with(": it is 6\nand 1 more note: --json\n"), "{text}");
    }

    #[test]
    fn gates_with_their_worst_rows() {
        let rows = [row(("f32", "same", 1 << 20, "warm"), [10.0, 40.0, 9.0, 8.0])];
        let text = gates(&gates::judge(&rows), &rows);
        let line = text.lines().find(|line| line.trim_start().starts_with("tbe-chain ")).expect("a line for the gate");
        assert!(
            line.contains(" 1       1       0  0.900  0.947  Ascend910B3 f32 same 1 Mi warm  tbe mode, f32, f16"),
            "{text}"
        );
        let line = text.lines().find(|line| line.ends_with("memory")).expect("a line for the row");
        let words: Vec<&str> = line.split_whitespace().collect();
        let row = ["tbe-chain", "Ascend910B3", "f32", "same", "1", "Mi", "warm", "0.9474", "8.00", "memory"];
        assert_eq!(words, row);
        assert!(
            text.contains(
                "exact mode reaches at least 0.23 times the chain (model), at Ascend910B3 f32 same 1 Mi warm"
            )
        );
    }
}
