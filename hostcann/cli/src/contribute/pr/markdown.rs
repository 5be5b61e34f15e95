//! Sections of documents, and their tables in both forms.

use crate::base::markdown::headings;

/// Line and text of what stands below a heading of the second level.
pub fn section<'a>(text: &'a str, title: &str) -> Option<(usize, &'a str)> {
    let all = headings(text);
    let at = all.iter().position(|heading| heading.level == 2 && heading.text == title)?;
    let start = all[at].line;
    let end = all[at + 1..].iter().find(|heading| heading.level <= 2).map(|heading| heading.line - 1);
    let offset = |line: usize| text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    Some((start, &text[offset(start)..end.map_or(text.len(), offset)]))
}

/// Tables of a text, `|` and HTML, as rows of cells without markup; the first row is the head.
pub fn tables(text: &str) -> Vec<Vec<Vec<String>>> {
    let mut found: Vec<Vec<Vec<String>>> = Vec::new();
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('|') {
            let cells: Vec<String> = line.trim_matches('|').split('|').map(plain).collect();
            if !cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| "-: ".contains(c))) {
                table.push(cells);
            }
        } else if !table.is_empty() {
            found.push(std::mem::take(&mut table));
        }
    }
    found.extend(Some(table).filter(|table| !table.is_empty()));
    for html in text.split("<table").skip(1) {
        let html = html.split("</table").next().unwrap_or_default();
        let rows = html.split("<tr").skip(1).map(|row| {
            let cells = row.split(['<']).scan(None::<String>, |open, part| {
                let tag = part.split(['>', ' ']).next().unwrap_or_default();
                let rest = part.split_once('>').map_or("", |(_, rest)| rest);
                let done = if ["td", "th"].contains(&tag) {
                    open.replace(rest.to_owned()).filter(|_| false)
                } else if ["/td", "/th"].contains(&tag) {
                    open.take()
                } else {
                    if let Some(text) = open {
                        text.push(' ');
                        text.push_str(rest);
                    }
                    None
                };
                Some(done)
            });
            cells.flatten().map(|cell| plain(&cell)).collect()
        });
        found.push(rows.filter(|row: &Vec<String>| !row.is_empty()).collect());
    }
    found
}

/// Without tags and runs of blanks.
fn plain(cell: &str) -> String {
    let mut text = String::new();
    let mut tag = false;
    for c in cell.chars() {
        match c {
            '<' => tag = true,
            '>' if tag => {
                tag = false;
                text.push(' ');
            }
            c if !tag => text.push(c),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_tables() {
        let text = "| a | b |\n| :-- | --: |\n| <term>x</term> | √ |\n\n<table><tr><th>a</th><th>b</th></tr>\n<tr>\n <td>x<br>y</td>\n <td>1</td></tr></table>\n";
        let found = tables(text);
        let want: Vec<Vec<String>> = vec![vec!["a".into(), "b".into()], vec!["x".into(), "√".into()]];
        assert_eq!(found[0], want);
        assert_eq!(found[1][1], ["x y", "1"]);
    }

    #[test]
    fn sections() {
        let text = "# T\n\n## A\n\nx\n\n```sh\n# no\n```\n\n### C\n\n## B\n\ny\n";
        let (line, body) = section(text, "A").expect("a section");
        assert!(line == 3 && body.contains("# no") && body.contains("### C") && !body.contains('y'));
    }
}
