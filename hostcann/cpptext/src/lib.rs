//! The one reader of C++ text: tokens with their places, comments, literals and preprocessor lines told apart.

#![warn(clippy::missing_errors_doc)]

mod brackets;
mod key_tests;
mod launches;
mod text;
mod ub_arrays;

pub use brackets::{closing, group, spelled, split};
pub use key_tests::key_tests;
pub use launches::without_launches;
pub use text::{Directive, Include, calls, code, directives, includes, line_at, places_of, without_comments, words};
pub use ub_arrays::ub_arrays;

/// What this crate is made of: part of the version of whatever keeps results of reading with it.
pub const SOURCES: [&str; 6] = [
    include_str!("lib.rs"),
    include_str!("brackets.rs"),
    include_str!("key_tests.rs"),
    include_str!("launches.rs"),
    include_str!("text.rs"),
    include_str!("ub_arrays.rs"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Number,
    /// A string or character literal with its prefix and quotes.
    Quoted,
    /// One character of punctuation, except `::` and `->`.
    Mark,
    Comment,
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Offset in bytes.
    pub at: usize,
    /// Where it starts, counted from 1.
    pub line: usize,
    /// Offset of the `#` of the preprocessor line that it is part of.
    pub directive: Option<usize>,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// A word or a mark, never the text of a literal.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }

    pub fn opens(&self) -> bool {
        self.kind == Kind::Mark && ["(", "[", "{"].contains(&self.text)
    }

    pub fn closes(&self) -> bool {
        self.kind == Kind::Mark && [")", "]", "}"].contains(&self.text)
    }
}

/// The tokens that a compiler sees after preprocessing: no comments, no preprocessor lines.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    lex(text).filter(|token| token.kind != Kind::Comment && token.directive.is_none()).collect()
}

/// All tokens. Any text has some: a literal without an end stops at the end of its line, a comment at the end of the text.
pub fn lex(text: &str) -> impl Iterator<Item = Token<'_>> {
    Lexer { text, at: 0, line: 1, line_start: true, directive: None }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    line_start: bool,
    directive: Option<usize>,
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            if let Some(length) = continuation(rest) {
                self.at += length;
                self.line += 1;
            } else if *rest.first()? == b'\n' {
                self.at += 1;
                self.line += 1;
                (self.line_start, self.directive) = (true, None);
            } else if rest[0].is_ascii_whitespace() {
                self.at += 1;
            } else {
                break;
            }
        }
        let rest = &self.text.as_bytes()[self.at..];
        if rest[0] == b'#' && self.line_start {
            self.directive = Some(self.at);
        }
        let (kind, length) = token(rest);
        self.line_start &= kind == Kind::Comment;
        let (at, line) = (self.at, self.line);
        self.at = (at + length).min(self.text.len());
        let text = &self.text[at..self.at];
        self.line += text.bytes().filter(|&byte| byte == b'\n').count();
        Some(Token { kind, text, at, line, directive: self.directive })
    }
}

fn token(rest: &[u8]) -> (Kind, usize) {
    match rest[0] {
        b'/' if rest.starts_with(b"//") => (Kind::Comment, line_end(rest)),
        b'/' if rest.starts_with(b"/*") => (Kind::Comment, find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4)),
        b'"' | b'\'' => (Kind::Quoted, quoted(rest)),
        c if c.is_ascii_digit() || (c == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit)) => {
            (Kind::Number, number(rest))
        }
        c if is_word(c) => word(rest),
        _ if rest.starts_with(b"::") || rest.starts_with(b"->") => (Kind::Mark, 2),
        _ => (Kind::Mark, 1),
    }
}

/// A backslash that joins the next line to this one.
fn continuation(rest: &[u8]) -> Option<usize> {
    [&b"\\\n"[..], b"\\\r\n"].iter().find(|mark| rest.starts_with(mark)).map(|mark| mark.len())
}

fn line_end(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < rest.len() && rest[at] != b'\n' {
        at += continuation(&rest[at..]).unwrap_or(1);
    }
    at
}

/// Bytes of other alphabets are letters, too.
fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c >= 0x80
}

/// An identifier, or a literal with a prefix: `L"x"`, `u8R"(x)"`.
fn word(rest: &[u8]) -> (Kind, usize) {
    let length = rest.iter().position(|&c| !is_word(c)).unwrap_or(rest.len());
    let (prefix, literal) = rest.split_at(length);
    let plain = prefix.strip_suffix(b"R").unwrap_or(prefix);
    let known = [&b""[..], b"L", b"u", b"U", b"u8"].contains(&plain);
    match literal.first() {
        Some(b'"') if known && plain != prefix => (Kind::Quoted, length + raw_string(literal)),
        Some(b'"' | b'\'') if known && plain == prefix => (Kind::Quoted, length + quoted(literal)),
        _ => (Kind::Word, length),
    }
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != rest[0] {
        match rest[at] {
            b'\n' => return at,
            b'\\' => at += continuation(&rest[at..]).unwrap_or(2),
            _ => at += 1,
        }
    }
    at + 1
}

/// `"x(…)x"`
fn raw_string(rest: &[u8]) -> usize {
    let open = rest.iter().position(|&c| c == b'(').unwrap_or(rest.len());
    let close = [b")", rest.get(1..open).unwrap_or_default(), b"\""].concat();
    find(rest, &close).map_or(rest.len(), |at| at + close.len())
}

/// `1'000`, `0x1p-3`, `1e+5f`: a pp-number.
fn number(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&c) = rest.get(at) {
        let sign = matches!(c, b'+' | b'-') && matches!(rest[at - 1], b'e' | b'E' | b'p' | b'P');
        let separator = c == b'\'' && rest.get(at + 1).is_some_and(|&next| is_word(next));
        if !(is_word(c) || c == b'.' || sign || separator) {
            break;
        }
        at += 1;
    }
    at
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn every_file_is_among_the_sources() {
        let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).expect("the sources");
        let mut texts: Vec<_> =
            files.map(|file| std::fs::read_to_string(file.expect("a file").path()).expect("text")).collect();
        texts.sort();
        let mut sources = SOURCES;
        sources.sort();
        assert_eq!(texts, sources);
    }

    #[test]
    fn words_numbers_and_marks() {
        assert_eq!(
            texts("a::b<1'000, 0x1p-3>>>(c->d)"),
            ["a", "::", "b", "<", "1'000", ",", "0x1p-3", ">", ">", ">", "(", "c", "->", "d", ")"]
        );
        assert_eq!(texts(".5+x.y-1e+5f größe"), [".5", "+", "x", ".", "y", "-", "1e+5f", "größe"]);
    }

    #[test]
    fn what_only_looks_like_code() {
        assert_eq!(texts("a // <<<\nb /* <<< */ c // d \\\n e\nf"), ["a", "b", "c", "f"]);
        assert_eq!(
            texts("\"<<<\\\"\" '<' u8\"x\" R\"x(\")\" <<< )x\" LR\"(\n)\" d"),
            ["\"<<<\\\"\"", "'<'", "u8\"x\"", "R\"x(\")\" <<< )x\"", "LR\"(\n)\"", "d"]
        );
        assert_eq!(texts("# 1 \"<<<.h\"\na\n#define X \\\r\n <<<\n/* y */ #if /*\n*/ z\nb # c"), ["a", "b", "#", "c"]);
    }

    #[test]
    fn literals_and_comments_without_an_end() {
        assert_eq!(texts("\"no end\nx"), ["\"no end", "x"]);
        assert_eq!(texts("\"one \\\n literal\" x"), ["\"one \\\n literal\"", "x"]);
        assert_eq!(texts("R\"x(no end"), ["R\"x(no end"]);
        assert_eq!(texts("a \"ö\\"), ["a", "\"ö\\"]);
        assert!(texts("/*/ no end\n").is_empty());
    }

    #[test]
    fn places() {
        let text = "a /*\n*/ R\"(\n\n)\"\n#if b \\\n c\nd";
        let found: Vec<_> = lex(text).map(|token| (token.line, token.directive.is_some())).collect();
        assert_eq!(found, [(1, false), (1, false), (2, false), (5, true), (5, true), (5, true), (6, true), (7, false)]);
        assert!(lex(text).all(|token| text[token.at..].starts_with(token.text)));
    }
}
