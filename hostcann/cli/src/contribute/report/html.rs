//! The document as one page in both languages, with a switch, its style and its pictures inside.

use super::doc::{Block, Cell, Document, Language, Section, Table, Tone, shown_line};
use super::words;
use crate::base::page::{self, escape};

const STYLE: &str = include_str!("style.css");

pub fn render(document: &Document) -> String {
    let mut body = "\
         <input type=\"radio\" name=\"language\" id=\"zh\" checked><label for=\"zh\">中文</label>\n\
         <input type=\"radio\" name=\"language\" id=\"en\"><label for=\"en\">English</label>\n"
        .to_owned();
    for (language, code) in [(Language::Zh, "zh"), (Language::En, "en")] {
        body.push_str(&format!("<main class=\"{code}\" lang=\"{code}\">\n{}</main>\n", main(document, language, code)));
    }
    page::document("zh", &document.title.zh, STYLE, &body)
}

fn main(document: &Document, language: Language, code: &str) -> String {
    let of = |both: &super::doc::Both| escape(both.of(language));
    let mut text = format!("<h1>{}</h1>\n", of(&document.title));
    let facts = document.facts.iter().map(|(name, value)| vec![Cell::text(name.clone()), value.clone()]).collect();
    text.push_str(&table(&Table { head: Vec::new(), rows: facts }, language));
    text.push_str(&format!("<h2>{}</h2>\n", of(&words::overview())));
    text.push_str(&table(&super::overview(document), language));
    text.push_str("<nav>");
    for section in &document.sections {
        text.push_str(&format!("<a href=\"#{code}-{}\">{}</a> ", section.id, of(&section.title)));
    }
    text.push_str("</nav>\n");
    document.sections.iter().for_each(|one| text.push_str(&section(one, language, code)));
    text.push_str(&format!("<h2>{}</h2>\n", of(&words::to_fill())));
    let fill = super::fill(document);
    match fill.is_empty() {
        true => text.push_str(&format!("<p>{}</p>\n", of(&words::nothing_open()))),
        false => text.push_str(&commands(&fill.iter().map(|words| shown_line(words)).collect::<Vec<_>>())),
    }
    text
}

fn section(section: &Section, language: Language, code: &str) -> String {
    let of = |both: &super::doc::Both| escape(both.of(language));
    let mut text = format!("<section id=\"{code}-{}\">\n<h2>{}</h2>\n", section.id, of(&section.title));
    for block in &section.blocks {
        match block {
            Block::Text(words) => text.push_str(&format!("<p>{}</p>\n", of(words))),
            Block::Open(words) => text.push_str(&format!("<p class=\"open\">{}</p>\n", of(words))),
            Block::Heading(words) => text.push_str(&format!("<h3>{}</h3>\n", of(words))),
            Block::Table(rows) => text.push_str(&table(rows, language)),
            Block::Folded(title, rows) => {
                let rows = table(rows, language);
                text.push_str(&format!("<details><summary>{}</summary>\n{rows}</details>\n", of(title)));
            }
            Block::Pictures(all) => {
                let at = usize::from(language == Language::En);
                let figures: String = all.iter().map(|one| format!("<figure>\n{}</figure>\n", one[at])).collect();
                text.push_str(&format!("<div class=\"pictures\">\n{figures}</div>\n"));
            }
            Block::Commands(lines) => text.push_str(&commands(lines)),
        }
    }
    text + "</section>\n"
}

fn commands(lines: &[String]) -> String {
    format!("<pre>{}</pre>\n", escape(&lines.join("\n")))
}

fn table(table: &Table, language: Language) -> String {
    let mut text = "<div class=\"wide\"><table>\n".to_owned();
    if !table.head.is_empty() {
        let cells: String = table.head.iter().map(|cell| format!("<th>{}</th>", escape(cell.of(language)))).collect();
        text.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    for row in &table.rows {
        let cells: String = row.iter().map(|one| cell(one, language)).collect();
        text.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    text + "</table></div>\n"
}

fn cell(cell: &Cell, language: Language) -> String {
    let plain = escape(cell.text.of(language));
    let text = if cell.code && !plain.is_empty() { format!("<code>{plain}</code>") } else { plain };
    match cell.tone {
        Tone::Plain => format!("<td>{text}</td>"),
        Tone::Good => format!("<td class=\"good\">{text}</td>"),
        Tone::Bad => format!("<td class=\"bad\">{text}</td>"),
        Tone::Open => format!("<td class=\"open\">{text}</td>"),
    }
}
