//! The tokens of preprocessed C++, as far as kernel launches need them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// Numbers, strings and characters.
    Literal,
    /// One character of punctuation, but for `::` and `->`.
    Mark,
}

#[derive(Clone, Copy, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Where it starts in the text.
    pub at: usize,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }

    pub fn is(&self, text: &str) -> bool {
        self.kind != Kind::Literal && self.text == text
    }
}

/// Comments, white space and the preprocessor's lines are between tokens.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (kind, length) = match rest[0] {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            c if c.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' if line_start => {
                at += directive(rest);
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at += find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
                continue;
            }
            b'"' | b'\'' => (Kind::Literal, quoted(rest)),
            c if c.is_ascii_digit() || (c == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit)) => {
                (Kind::Literal, number(rest))
            }
            c if is_word(c) => word(rest),
            _ if rest.starts_with(b"::") || rest.starts_with(b"->") => (Kind::Mark, 2),
            _ => (Kind::Mark, 1),
        };
        line_start = false;
        let end = (at + length).min(bytes.len());
        found.push(Token { kind, text: &text[at..end], at });
        at = end;
    }
    found
}

/// A line of the preprocessor; a backslash at its end continues it.
fn directive(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(end) = rest[at..].iter().position(|&c| c == b'\n') {
        at += end;
        if !rest[..at].ends_with(b"\\") {
            return at;
        }
        at += 1;
    }
    rest.len()
}

/// Bytes of other alphabets are letters, too.
fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c >= 0x80
}

/// An identifier, or a literal with a prefix: `L"x"`, `u8R"(x)"`.
fn word(rest: &[u8]) -> (Kind, usize) {
    let length = rest.iter().position(|&c| !is_word(c)).unwrap_or(rest.len());
    let (prefix, literal) = rest.split_at(length);
    let raw = [&b"R"[..], b"LR", b"uR", b"UR", b"u8R"].contains(&prefix);
    match literal.first() {
        Some(b'"') if raw => (Kind::Literal, length + raw_string(literal)),
        Some(b'"' | b'\'') if [&b"L"[..], b"u", b"U", b"u8"].contains(&prefix) => {
            (Kind::Literal, length + quoted(literal))
        }
        _ => (Kind::Word, length),
    }
}

fn quoted(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != rest[0] {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

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
    fn words_numbers_and_marks() {
        assert_eq!(
            texts("a::b<1'000, 0x1p-3>>>(c->d)"),
            ["a", "::", "b", "<", "1'000", ",", "0x1p-3", ">", ">", ">", "(", "c", "->", "d", ")"]
        );
        assert_eq!(texts(".5+x.y-1e+5f größe"), [".5", "+", "x", ".", "y", "-", "1e+5f", "größe"]);
    }

    #[test]
    fn what_only_looks_like_code() {
        assert_eq!(texts("a // <<<\nb /* <<< */ c"), ["a", "b", "c"]);
        assert_eq!(
            texts("\"<<<\\\"\" '<' u8\"x\" R\"x(\")\" <<< )x\" d"),
            ["\"<<<\\\"\"", "'<'", "u8\"x\"", "R\"x(\")\" <<< )x\"", "d"]
        );
        assert_eq!(texts("# 1 \"<<<.h\"\na\n#define X \\\n <<<\nb # c"), ["a", "b", "#", "c"]);
        assert_eq!(texts("\"no end"), ["\"no end"]);
        assert_eq!(texts("R\"x(no end"), ["R\"x(no end"]);
    }
}
