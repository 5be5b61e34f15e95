//! The document as Markdown, one language at a time. Pictures are left to the page; their numbers are in tables.

use super::doc::{Block, Cell, Document, Language, Table, Tone, shown_line};
use super::words;

pub fn render(document: &Document, language: Language) -> String {
    let of = |both: &super::doc::Both| escape(both.of(language));
    let mut text = format!("# {}\n\n", of(&document.title));
    let facts = document.facts.iter().map(|(name, value)| vec![Cell::text(name.clone()), value.clone()]).collect();
    text.push_str(&table(&Table { head: vec![words::item(), words::value()], rows: facts }, language));
    text.push_str(&format!("\n## {}\n\n", of(&words::overview())));
    text.push_str(&table(&super::overview(document), language));
    for section in &document.sections {
        text.push_str(&format!("\n## {}\n", of(&section.title)));
        for block in &section.blocks {
            text.push('\n');
            match block {
                Block::Text(words) => text.push_str(&format!("{}\n", of(words))),
                Block::Open(words) => text.push_str(&format!("> ⚠ {}\n", of(words))),
                Block::Heading(words) => text.push_str(&format!("### {}\n", of(words))),
                Block::Table(rows) => text.push_str(&table(rows, language)),
                Block::Folded(title, rows) => {
                    text.push_str(&format!("**{}**\n\n{}", of(title), table(rows, language)));
                }
                Block::Pictures(_) => {
                    text.pop();
                }
                Block::Commands(lines) => text.push_str(&fenced(lines)),
            }
        }
    }
    let fill = super::fill(document);
    text.push_str(&format!("\n## {}\n\n", of(&words::to_fill())));
    match fill.is_empty() {
        true => text.push_str(&format!("{}\n", of(&words::nothing_open()))),
        false => text.push_str(&fenced(&fill.iter().map(|words| shown_line(words)).collect::<Vec<_>>())),
    }
    text
}

/// A block of code whose end no line can be.
fn fenced(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| line.replace(['\n', '\r'], " ")).collect();
    let fence = if lines.iter().any(|line| line.trim_start().starts_with("```")) { "~~~~" } else { "```" };
    format!("{fence}bash\n{}\n{fence}\n", lines.join("\n"))
}

fn table(table: &Table, language: Language) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = row(table.head.iter().map(|cell| escape(cell.of(language))).collect());
    text.push_str(&row(table.head.iter().map(|_| ":---".to_owned()).collect()));
    for cells in &table.rows {
        text.push_str(&row(cells.iter().map(|one| cell(one, language)).collect()));
    }
    text
}

fn cell(cell: &Cell, language: Language) -> String {
    let plain = cell.text.of(language);
    if plain.is_empty() {
        return String::new();
    }
    let text = if cell.code { code(plain) } else { escape(plain) };
    match cell.tone {
        Tone::Bad => format!("**{text}** ✗"),
        Tone::Good => format!("{text} ✓"),
        Tone::Plain | Tone::Open => text,
    }
}

/// A code span: nothing in it means anything but a bar, which would end the table's cell.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    let mut fence = "`".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Words of files are words, whatever characters they have.
fn escape(text: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = text.chars().collect();
    let word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
    for (at, &c) in chars.iter().enumerate() {
        match c {
            '\n' | '\r' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // Inside of a word it means nothing.
            '_' if at > 0 && word(chars.get(at - 1)) && word(chars.get(at + 1)) => out.push('_'),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_files_stay_words() {
        assert_eq!(
            escape("a|b <i> *x* [l](u) `c` a_b _c_\n# d"),
            "a\\|b &lt;i&gt; \\*x\\* \\[l\\](u) \\`c\\` a_b \\_c\\_ \\# d"
        );
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(fenced(&["```".to_owned()]), "~~~~bash\n```\n~~~~\n");
    }
}
