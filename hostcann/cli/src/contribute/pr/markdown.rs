//! Reading documents as far as rules need it: headings, fences, tables in both forms.

/// A heading outside of fences.
pub struct Heading<'a> {
    pub line: usize,
    pub level: usize,
    pub text: &'a str,
}

pub fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let rest = line.trim_start_matches('#');
        let level = line.len() - rest.len();
        if !fenced && level > 0 && rest.starts_with(' ') {
            found.push(Heading { line: at + 1, level, text: rest.trim() });
        }
    }
    found
}

/// Line and text of what stands below a heading of the second level.
pub fn section<'a>(text: &'a str, title: &str) -> Option<(usize, &'a str)> {
    let all = headings(text);
    let at = all.iter().position(|heading| heading.level == 2 && heading.text == title)?;
    let start = all[at].line;
    let end = all[at + 1..].iter().find(|heading| heading.level <= 2).map(|heading| heading.line - 1);
    let offset = |line: usize| text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    Some((start, &text[offset(start)..end.map_or(text.len(), offset)]))
}

pub struct Fence {
    pub line: usize,
    pub language: String,
    pub text: String,
    pub closed: bool,
}

pub fn fences(text: &str) -> Vec<Fence> {
    let mut found: Vec<Fence> = Vec::new();
    let mut open: Option<Fence> = None;
    for (at, line) in text.lines().enumerate() {
        let mark = line.trim_start().strip_prefix("```");
        match (&mut open, mark) {
            (None, Some(language)) => {
                open = Some(Fence {
                    line: at + 1,
                    language: language.trim().to_owned(),
                    text: String::new(),
                    closed: false,
                });
            }
            (Some(fence), None) => fence.text.extend([line, "\n"]),
            (Some(fence), Some(_)) => {
                fence.closed = true;
                found.extend(open.take());
            }
            (None, None) => {}
        }
    }
    found.extend(open);
    found
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

/// Names of HTML tags outside of fences and code, with their lines.
pub fn tags(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        for part in prose.split('<').skip(1) {
            let name: String = part.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            let closes = part.contains('>');
            let address = part.starts_with("http") || part.starts_with("..") || part.contains("](");
            if !name.is_empty() && closes && !address && part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
            {
                found.push((at + 1, name.to_ascii_lowercase()));
            }
        }
    }
    found
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
    fn sections_and_fences() {
        let text = "# T\n\n## A\n\nx\n\n```sh\n# no\n```\n\n### C\n\n## B\n\ny\n";
        let titles: Vec<_> = headings(text).iter().map(|h| (h.level, h.text)).collect();
        assert_eq!(titles, [(1, "T"), (2, "A"), (3, "C"), (2, "B")]);
        let (line, body) = section(text, "A").expect("a section");
        assert!(line == 3 && body.contains("# no") && body.contains("### C") && !body.contains('y'));
        assert_eq!((fences(text)[0].language.as_str(), fences(text)[0].text.as_str()), ("sh", "# no\n"));
        assert!(!fences("```\nx").first().expect("one").closed);
    }
}
