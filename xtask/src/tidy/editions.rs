//! The Chinese edition of a page has the commands of the English one, with the same output.

use super::{Finding, Source};

const CHINESE: &str = "docs/zh/";

pub fn all(sources: &[Source]) -> Vec<Finding> {
    sources.iter().filter(|page| page.extension() == "md").filter_map(|page| compare(page, sources)).collect()
}

/// Whether `page` is the Chinese edition of another one; the list of the Chinese pages is none.
pub fn is_edition(page: &str) -> bool {
    page == "README.zh.md" || page.starts_with(CHINESE) && page != "docs/zh/README.md"
}

/// `README.zh.md` belongs to `README.md`, `docs/zh/page.md` to the one `docs/<room>/page.md`.
pub fn is_edition_of(page: &str, other: &str) -> bool {
    is_edition(page)
        && match page.strip_prefix(CHINESE) {
            Some(name) => {
                let inside = other.strip_prefix("docs/").and_then(|path| path.split_once('/'));
                inside.is_some_and(|(room, file)| room != "zh" && file == name)
            }
            None => other == "README.md",
        }
}

fn english<'a>(page: &Source, sources: &'a [Source]) -> Option<Result<&'a Source, String>> {
    let found = || sources.iter().find(|other| is_edition_of(&page.path, &other.path));
    is_edition(&page.path).then(|| found().ok_or_else(|| "there is no English page of this name".to_owned()))
}

/// A line of a fenced block without what editions translate; none where nothing else is in it.
pub fn untranslated<'a>(language: &str, line: &'a str) -> Option<&'a str> {
    let rest = match language {
        "mermaid" => "",
        "bash" => line.split(" # ").next().unwrap_or_default(),
        "cpp" => line.split("//").next().unwrap_or_default(),
        _ => line,
    };
    let rest = rest.trim();
    let says_nothing = rest.is_empty() || language == "bash" && rest.starts_with('#');
    (!says_nothing).then_some(rest)
}

fn compare(page: &Source, sources: &[Source]) -> Option<Finding> {
    let finding = |line, message| Some(Finding { path: page.path.clone(), line, message });
    let english = match english(page, sources)? {
        Ok(english) => english,
        Err(message) => return finding(0, message),
    };
    let (ours, theirs) = (commands(&page.text), commands(&english.text));
    let differs = (0..ours.len().max(theirs.len())).find(|at| {
        let text = |lines: &[(usize, String)]| lines.get(*at).map(|(_, text)| text.clone());
        text(&ours) != text(&theirs)
    })?;
    let of =
        |lines: &[(usize, String)]| lines.get(differs).map_or("no more".to_owned(), |(_, text)| format!("`{text}`"));
    let line = ours.get(differs).map_or(0, |(line, _)| *line);
    let at = theirs.get(differs).map_or(0, |(line, _)| *line);
    finding(line, format!("expected {} as in {}:{at}, got {}", of(&theirs), english.path, of(&ours)))
}

/// The lines of fenced blocks without the comments of shell commands, which are translated, the remarks of the test in
/// front of the blocks, and the commands in the tables.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut language: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        match (language, trimmed.strip_prefix("```")) {
            (None, Some(name)) => language = Some(name),
            (Some(_), Some(_)) => language = None,
            (Some(name), None) => found.extend(untranslated(name, line).map(|line| (at + 1, line.to_owned()))),
            (None, None) if trimmed.starts_with("<!-- test:") => found.push((at + 1, trimmed.to_owned())),
            (None, None) if trimmed.starts_with('|') => {
                let spans = trimmed.split('`').skip(1).step_by(2);
                found
                    .extend(spans.filter(|span| span.starts_with("cargo xtask")).map(|span| (at + 1, span.to_owned())));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "# Page\n| run | `cargo xtask sim` |\n<!-- test: exits 30 -->\n```bash\ncargo xtask example  # runs\n\
                           ```\n```text\n1 passed\n```\n";

    fn found(path: &str, text: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let sources = [source("README.md", ENGLISH), source("docs/guides/page.md", ENGLISH), source(path, text)];
        all(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn both_editions_have_the_same_commands() {
        let chinese = ENGLISH.replace("# Page", "# 页面").replace("| run", "| 运行").replace("# runs", "# 运行");
        for path in ["README.zh.md", "docs/zh/page.md"] {
            assert_eq!(found(path, &chinese), [""; 0]);
        }
        let says = |line: &str, theirs: &str, at: usize, ours: &str| {
            [format!("docs/zh/page.md{line}: expected {theirs} as in docs/guides/page.md:{at}, got {ours}")]
        };
        for (from, to, expected) in [
            ("`cargo xtask sim`", "`cargo xtask run`", says(":2", "`cargo xtask sim`", 2, "`cargo xtask run`")),
            ("exits 30", "exits 0", says(":3", "`<!-- test: exits 30 -->`", 3, "`<!-- test: exits 0 -->`")),
            ("xtask example", "xtask test", says(":5", "`cargo xtask example`", 5, "`cargo xtask test`")),
            ("1 passed", "2 passed", says(":8", "`1 passed`", 8, "`2 passed`")),
            ("1 passed\n", "", says("", "`1 passed`", 8, "no more")),
        ] {
            assert_eq!(found("docs/zh/page.md", &chinese.replace(from, to)), expected);
        }
        let alone = "docs/zh/other.md: there is no English page of this name";
        assert_eq!(found("docs/zh/other.md", &chinese), [alone]);
    }
}
