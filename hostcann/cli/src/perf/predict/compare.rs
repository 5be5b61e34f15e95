//! Two runs side by side: rows whose times differ.

use crate::perf::sim::table::aligned;

use super::row::Row;

/// Below this part of the time two runs are equal.
const SAME: f64 = 1e-4;
/// Rows that are shown.
const SHOWN: usize = 20;

/// A time of the operator in both runs.
#[derive(Debug, PartialEq)]
struct Change {
    name: String,
    before: f64,
    after: f64,
    /// Of the later run
    error: String,
}

impl Change {
    fn part(&self) -> f64 {
        self.after / self.before - 1.0
    }
}

pub fn text(before: &[Row], after: &[Row]) -> String {
    let (changes, common) = changes(before, after);
    let slower = changes.iter().filter(|change| change.part() > 0.0).count();
    let mut text = format!(
        "\nagainst the baseline: of {common} times {} are shorter, {slower} longer (model)\n",
        changes.len() - slower
    );
    let mut lines = vec![["row", "before, µs", "after, µs", "change, %", "error"].map(str::to_owned).to_vec()];
    let (fast, slow): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.part() <= 0.0);
    for some in [slow.into_iter().rev().collect::<Vec<_>>(), fast] {
        for change in some.iter().take(SHOWN) {
            let number = |value: f64| format!("{value:.2}");
            let part = format!("{:.1}", 100.0 * change.part());
            let error = change.error.clone();
            lines.push(vec![change.name.clone(), number(change.before), number(change.after), part, error]);
        }
    }
    if lines.len() > 1 {
        text += &aligned(&lines);
    }
    text
}

/// Times that differ, what gained most first, and how many times both runs have.
fn changes(before: &[Row], after: &[Row]) -> (Vec<Change>, usize) {
    let (mut found, mut common) = (Vec::new(), 0);
    for row in after {
        let Some(old) = before.iter().find(|old| old.key() == row.key()) else { continue };
        for (mode, us) in &row.op {
            let Some(was) = old.op.get(mode) else { continue };
            common += 1;
            let (name, error) = (format!("{} {mode}", row.name()), row.error_text(mode));
            let change = Change { name, before: *was, after: *us, error };
            if change.part().abs() > SAME {
                found.push(change);
            }
        }
    }
    found.sort_by(|a, b| a.part().total_cmp(&b.part()));
    (found, common)
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    #[test]
    fn what_became_faster_and_slower() {
        let of = |tbe: f64, exact: f64| row(("f32", "same", 1 << 20, "warm"), [tbe, exact, 20.0, 8.0]);
        let other = row(("f16", "same", 1 << 20, "warm"), [1.0, 1.0, 1.0, 1.0]);
        let text = text(&[of(10.0, 40.0)], &[of(8.0, 44.0), other]);
        assert!(text.contains("of 2 times 1 are shorter, 1 longer (model)"), "{text}");
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        assert!(
            lines[3].starts_with("Ascend910B3 f32 same 1 Mi warm exact") && lines[3].contains("  10.0  ± 4 % (el"),
            "{text}"
        );
        assert!(
            lines[4].starts_with("Ascend910B3 f32 same 1 Mi warm tbe") && lines[4].contains(" -20.0  ± 4 % (el"),
            "{text}"
        );
        assert_eq!(changes(&[of(10.0, 40.0)], &[of(10.0, 40.0)]), (vec![], 2));
    }
}
