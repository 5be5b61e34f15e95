//! The document as one page in both languages, with a switch, its style and its pictures inside.

use super::doc::{Block, Cell, Document, Language, Section, Table, Tone, anchor, shown_line};
use super::words;
use crate::base::page::{self, escape};

const STYLE: &str = include_str!("style.css");

pub fn render(document: &Document) -> String {
    let mut body = "\
         <input type=\"radio\" name=\"language\" id=\"zh\" checked><label for=\"zh\">中文</label>\n\
         <input type=\"radio\" name=\"language\" id=\"en\"><label for=\"en\">English</label>\n"
        .to_owned();
    for language in [Language::Zh, Language::En] {
        let code = language.code();
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
        false => {
            for words in &fill {
                let (place, line) = (anchor(language, words), escape(&shown_line(words)));
                text.push_str(&format!("<pre id=\"{place}\">{line}</pre>\n"));
            }
        }
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
    let mut text = "<div class=\"frame\"><table>\n".to_owned();
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
    let text = match cell.fill.is_empty() {
        true => text,
        false => format!("<a href=\"#{}\">{text}</a>", anchor(language, &cell.fill)),
    };
    match cell.tone {
        Tone::Plain => format!("<td>{text}</td>"),
        Tone::Good => format!("<td class=\"good\">{text}</td>"),
        Tone::Bad => format!("<td class=\"bad\">{text}</td>"),
        Tone::Open => format!("<td class=\"open\">{text}</td>"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::doc::{State, both, same};
    use super::super::picture;
    use super::*;
    use crate::base::page::browser;

    fn page() -> String {
        let fill = ["test", "--op-dir", "../my ops"].map(str::to_owned).to_vec();
        let mut section = Section::new("tests", both("测试", "Tests"));
        section.open(&same("test --only ut"), &both("未运行", "not run"), &fill);
        let open = Cell { fill, ..Cell::tinted(both("未运行", "not run"), Tone::Open) };
        let mut row = vec![Cell::plain("a")];
        row.extend([open, Cell::share(1, 1), Cell::share(0, 1), Cell::plain("")]);
        let head = ["", "ut", "rust", "example", "more"].map(same).to_vec();
        let table = Table { head, rows: vec![row] };
        section.blocks.push(Block::Pictures(vec![picture::matrix(&table)]));
        section.blocks.push(Block::Table(table));
        assert_eq!(section.state, State::Open);
        let facts = vec![(both("算子目录", "operator"), Cell::code("experimental/math/a"))];
        render(&Document { title: both("自验证报告", "Report"), facts, sections: vec![section] })
    }

    /// In the overview, in the picture and in the table.
    #[test]
    fn what_was_not_run_leads_to_its_command() {
        let page = page();
        for code in ["zh", "en"] {
            let place = format!("{code}-fill-test-op-dir-my-ops");
            assert_eq!(page.matches(&format!("<a href=\"#{place}\">")).count(), 3, "{code}");
            let command = "cargo xtask test --op-dir &#39;../my ops&#39;</pre>";
            assert_eq!(page.matches(&format!("<pre id=\"{place}\">{command}")).count(), 1, "{code}");
        }
    }

    /// In a real browser, where this machine has one: every link leads somewhere, and one language is shown at a time.
    #[test]
    fn a_browser_shows_it() {
        let script = "
            const lost = [...document.querySelectorAll('a')].filter((a) => !document.getElementById(a.getAttribute('href').slice(1)));
            const shown = () => [...document.querySelectorAll('main')].filter((main) => main.offsetHeight > 0).map((main) => main.lang);
            const [first] = shown();
            document.getElementById('en').click();
            const ink = getComputedStyle(document.querySelector('main.en svg .ink')).fill;
            return { lost: lost.length, shown: [first, ...shown()], ink: ink === getComputedStyle(document.body).color };";
        for result in browser::opened(&page(), script) {
            assert_eq!(result, serde_json::json!({"lost": 0, "shown": ["zh", "en"], "ink": true}));
        }
    }
}
