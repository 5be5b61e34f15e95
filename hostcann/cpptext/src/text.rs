//! Questions about a whole text. Blanked forms keep its length, so that a place in them is a place in the file.

use crate::{Kind, Token, closing, lex, spelled, split};

/// Comments blanked.
pub fn without_comments(text: &str) -> String {
    blank(text, false)
}

/// Comments and the contents of literals blanked.
pub fn code(text: &str) -> String {
    blank(text, true)
}

fn blank(text: &str, literals: bool) -> String {
    let mut out = text.as_bytes().to_vec();
    for token in lex(text) {
        let inside = match token.kind {
            Kind::Comment => token.at..token.end(),
            Kind::Quoted if literals => {
                let open = token.text.find(['"', '\'']).unwrap_or_default() + 1;
                let close = token.text[open..].ends_with(['"', '\'']);
                token.at + open..token.end() - usize::from(close)
            }
            _ => continue,
        };
        out[inside].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    // Whole characters are replaced: comments and literals begin and end at ASCII.
    String::from_utf8_lossy(&out).into_owned()
}

/// Counted from 1.
pub fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}

/// Identifiers and numbers with their places, of any text.
pub fn words(text: &str) -> Vec<(usize, &str)> {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    parts.map(|word| (word.as_ptr().addr() - text.as_ptr().addr(), word)).collect()
}

pub fn places_of(text: &str, word: &str) -> Vec<usize> {
    words(text).into_iter().filter(|(_, found)| *found == word).map(|(at, _)| at).collect()
}

/// Every `name(…)` with its arguments, also in preprocessor lines.
pub fn calls(text: &str, name: &str) -> Vec<(usize, Vec<String>)> {
    let all: Vec<Token> = lex(text).filter(|token| token.kind != Kind::Comment).collect();
    let call = |at: usize| {
        let close = closing(&all, at + 1).filter(|_| all[at].is(name) && all[at + 1].is("("))?;
        Some((all[at].at, split(&all[at + 2..close]).into_iter().map(spelled).collect()))
    };
    (0..all.len()).filter_map(call).collect()
}

/// A preprocessor line with the lines that continue it.
#[derive(Debug, PartialEq, Eq)]
pub struct Directive<'a> {
    pub line: usize,
    /// `if`, `include`
    pub name: &'a str,
    /// What follows, without comments, on one line.
    pub rest: String,
}

pub fn directives(text: &str) -> Vec<Directive<'_>> {
    let all: Vec<Token> = lex(text).filter(|token| token.directive.is_some() && token.kind != Kind::Comment).collect();
    let lines = all.chunk_by(|a, b| a.directive == b.directive);
    lines
        .filter_map(|line| match line {
            [mark, name, rest @ ..] => Some(Directive { line: mark.line, name: name.text, rest: spelled(rest) }),
            _ => None,
        })
        .collect()
}

pub struct Include {
    pub line: usize,
    pub path: String,
    /// `<…>`, not `"…"`
    pub angle: bool,
}

pub fn includes(text: &str) -> Vec<Include> {
    let all = directives(text).into_iter().filter(|directive| directive.name == "include");
    all.filter_map(|Directive { line, rest, .. }| {
        let (rest, end) =
            rest.strip_prefix('"').map(|rest| (rest, '"')).or(rest.strip_prefix('<').map(|r| (r, '>')))?;
        Some(Include { line, path: rest.split_once(end)?.0.to_owned(), angle: end == '>' })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals() {
        let text = "a(\"x, // y\"); // \"z\"\n/* b\n*/ c('\"', 1'000, u8R\"x(ö\n)x\"); // ö\nd \"no end";
        let want = "a(\"       \");       \n    \n   c(' ', 1'000, u8R\"    \n  \"); ";
        assert_eq!(code(text), format!("{want}     \nd \"      "));
        assert_eq!(without_comments("a /* \"ö\n*/\"//\"#b//"), "a       \n  \"//\"#b  ");
        assert_eq!(calls(text, "a"), [(0, vec!["\"x, // y\"".to_owned()])]);
        assert_eq!(line_at(text, text.len()), 5);
        assert_eq!(words("ö a_1-b'"), [(3, "a_1"), (7, "b")]);
    }

    #[test]
    fn arguments_of_calls() {
        let text = "F(a, g(b, c),\n  T<x, y>(z)) F() F\n#define G F(\"F(1)\") // F(2)\nF{1}";
        let found: Vec<_> =
            calls(text, "F").into_iter().map(|(at, arguments)| (line_at(text, at), arguments)).collect();
        let list = |arguments: &[&str]| arguments.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        assert_eq!(found, [(1, list(&["a", "g(b, c)", "T<x, y>(z)"])), (2, list(&[])), (3, list(&["\"F(1)\""]))]);
    }

    #[test]
    fn preprocessor_lines() {
        let text = "#\n  # if A && \\\n  B // x\n#include <a/b>\n#include \"c/d.h\" /* y\n*/ z\n// #include \"no\"\n#include <e";
        let found = directives(text);
        assert_eq!((found[0].line, found[0].name, found[0].rest.as_str()), (2, "if", "A && B"));
        let found: Vec<_> = includes(text).into_iter().map(|found| (found.line, found.path, found.angle)).collect();
        assert_eq!(found, [(4, "a/b".to_owned(), true), (5, "c/d.h".to_owned(), false)]);
    }
}
