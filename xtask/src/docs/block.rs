//! Fenced blocks of a document and what the comment in front of one says about testing it:
//!
//! - nothing: the bash block is run and must succeed
//! - `<!-- test: exits N -->`: it must end with this status
//! - `<!-- test: slow REASON -->`: only with `-- --ignored`
//! - `<!-- test: elsewhere layer NAME -->`, `<!-- test: elsewhere FILE -->`: what runs it instead
//! - `<!-- test: never REASON -->`
//! - `<!-- test: file NAME -->`: the block is written to this file
//!
//! Every line of a text block behind a bash block that ran is a line of its output; `…` stands for anything.

use anyhow::{Result, bail, ensure};
use hostcann_cli::base::markdown::{Fence, fences};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Run { status: i32, slow: bool },
    Elsewhere(String),
    Never,
    Write(String),
    Show,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Of the fence, counted from 1
    pub line: usize,
    pub language: String,
    pub text: String,
    pub action: Action,
}

pub fn parse(document: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut marker: Option<&str> = None;
    let mut fences = fences(document).into_iter().peekable();
    let mut lines = document.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let line = line.trim_start();
        if let Some(text) = line.strip_prefix("<!-- test:") {
            marker = Some(text.trim_end().trim_end_matches("-->").trim());
        } else if let Some(Fence { line, language, text, closed }) = fences.next_if(|fence| fence.line == at + 1) {
            ensure!(closed, "line {line}: the block has no end");
            let action = action(&language, marker.take(), text).map_err(|error| error.context(line))?;
            blocks.push(Block { line, language, text: text.to_owned(), action });
            lines.nth(text.lines().count());
        } else if !line.is_empty() {
            ensure!(marker.is_none(), "line {}: nothing is fenced behind the comment in front of it", at + 1);
        }
    }
    Ok(blocks)
}

fn action(language: &str, marker: Option<&str>, text: &str) -> Result<Action> {
    let is_command = |line: &str| ["cargo ", "g++ ", "source ", "sh "].iter().any(|word| line.starts_with(word));
    let (word, rest) = marker.map_or(("", ""), |marker| marker.split_once(' ').unwrap_or((marker, "")));
    if language != "bash" {
        ensure!(!text.lines().any(is_command), "commands are fenced as bash, so that a test runs them");
        return match word {
            "" => Ok(Action::Show),
            "file" if !rest.is_empty() => Ok(Action::Write(rest.to_owned())),
            _ => bail!("`test: {word}` is for bash blocks"),
        };
    }
    match word {
        "" => Ok(Action::Run { status: 0, slow: false }),
        "exits" => match rest.parse() {
            Ok(status) => Ok(Action::Run { status, slow: false }),
            Err(_) => bail!("`test: exits {rest}`: no status"),
        },
        "slow" | "never" | "elsewhere" if rest.is_empty() => bail!("`test: {word}` needs to say why or where"),
        "slow" => Ok(Action::Run { status: 0, slow: true }),
        "elsewhere" => Ok(Action::Elsewhere(rest.to_owned())),
        "never" => Ok(Action::Never),
        _ => bail!("`test: {word}` is not known"),
    }
}

/// The first line of `wanted` that `output` does not have. The width of a column depends on what else is in its table: any
/// number of blanks is as good as one.
pub fn missing<'a>(wanted: &'a str, output: &str) -> Option<&'a str> {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let has = |want: &str| {
        output.lines().any(|line| {
            let line = words(line);
            let mut rest = line.as_str();
            want.split('…').map(words).all(|part| match rest.find(&part) {
                Some(at) => {
                    rest = &rest[at + part.len()..];
                    true
                }
                None => false,
            })
        })
    };
    wanted.lines().map(str::trim).filter(|line| !line.is_empty()).find(|line| !has(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Action = Action::Run { status: 0, slow: false };

    #[test]
    fn blocks_and_their_markers() {
        let text = "# Title\n```bash\ncargo a\n```\n\n<!-- test: exits 30 -->\n```bash\ncargo b\n```\n```text\nout\n```\n\
                    <!-- test: slow an hour -->\n\n```bash\nc\n```\n<!-- test: file main.cpp -->\n```cpp\nint x;\n```\n\
                    <!-- test: elsewhere layer ut -->\n```bash\nd\n```\n<!-- test: never needs a device -->\n```bash\ne\n```\n";
        let blocks = parse(text).expect("blocks");
        let found: Vec<(usize, &str, &Action)> =
            blocks.iter().map(|block| (block.line, block.text.as_str(), &block.action)).collect();
        assert_eq!(
            found,
            [
                (2, "cargo a\n", &RUN),
                (7, "cargo b\n", &Action::Run { status: 30, slow: false }),
                (10, "out\n", &Action::Show),
                (15, "c\n", &Action::Run { status: 0, slow: true }),
                (19, "int x;\n", &Action::Write("main.cpp".into())),
                (23, "d\n", &Action::Elsewhere("layer ut".into())),
                (27, "e\n", &Action::Never),
            ]
        );
    }

    #[test]
    fn no_command_escapes() {
        for (text, message) in [
            ("```\ncargo xtask test\n```\n", "commands are fenced as bash"),
            ("```sh\nsource x\n```\n", "commands are fenced as bash"),
            ("<!-- test: never -->\n```bash\nx\n```\n", "needs to say why"),
            ("<!-- test: maybe so -->\n```bash\nx\n```\n", "`test: maybe` is not known"),
            ("<!-- test: exits soon -->\n```bash\nx\n```\n", "no status"),
            ("<!-- test: never x -->\ntext\n", "nothing is fenced"),
            ("<!-- test: never x -->\n```cpp\nx\n```\n", "is for bash blocks"),
            ("```bash\nx\n", "has no end"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(format!("{error:#}").contains(message), "{text}: {error:#}");
        }
    }

    #[test]
    fn output_that_is_shown() {
        let output = "    Finished example: 3 passed in 1.5 s\nresult[0] = 1.3\n";
        assert_eq!(missing("Finished example: 3 passed in … s\n\nresult[0] = 1.3\n", output), None);
        assert_eq!(missing("Finished example: 4 passed in … s", output), Some("Finished example: 4 passed in … s"));
        assert_eq!(missing("s … Finished", output), Some("s … Finished"), "in this order");
        assert_eq!(missing("…", ""), Some("…"));
        assert_eq!(missing("a  b …", "  a      b   c\n"), None);
        assert_eq!(missing("a b", "ab\n"), Some("a b"));
    }
}
