//! The result for people.

use super::row::Measured;
use crate::base::plural::number;

pub fn text(rows: &[Measured]) -> String {
    let mut text = format!(
        "\n  {:<20}{:>26}   {:<10}{:>28}{:>9}  required\n",
        "row", "op, ms (min..max)", "beside", "ms (min..max)", "ratio"
    );
    for row in rows {
        let times =
            |times: &super::row::Times| format!("{:.2} ({:.2}..{:.2})", times.median(), times.min(), times.max());
        let differing = match row.differing {
            Some(count) if count > 0 => format!("  {} other than numpy's", number(count, "result")),
            _ => String::new(),
        };
        let line = format!(
            "  {:<20}{:>26}   {:<10}{:>28}{:>8.2}x  {:<7}{}{differing}",
            row.row.name,
            times(&row.op),
            row.beside_name(),
            times(&row.beside),
            row.ratio(),
            row.required(),
            if row.holds() { "" } else { "MISSED" },
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::{checked, fast};
    use super::*;

    #[test]
    fn a_line_for_every_row() {
        let rows = [fast(&[2.0, 8.0, 9.0], &[72.0], Some(3)), checked(&[80.0], &[8.0])];
        let text = text(&rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[2].contains("8.00 (2.00..9.00)") && lines[2].contains("9.00x  >= 10"), "{text}");
        assert!(lines[2].ends_with("MISSED  3 results other than numpy's"), "{text}");
        assert!(lines[3].ends_with("10.00x  <= 20"), "{text}");
    }
}
