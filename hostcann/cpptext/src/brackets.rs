//! Brackets and what commas part between them.

use crate::{Kind, Token, lex};

/// The bracket that closes the one at `open`.
pub fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    close(tokens.get(open..)?.iter().copied()).map(|(count, _)| open + count)
}

/// The text between the bracket at `open` and the one that closes it.
pub fn group(text: &str, open: usize) -> Option<&str> {
    let rest = text.get(open..)?;
    let (_, end) = close(lex(rest).skip_while(|token| token.at > 0))?;
    Some(&rest[1..end.at])
}

/// Brackets of the kind that comes first; none of another kind.
fn close<'a>(tokens: impl Iterator<Item = Token<'a>>) -> Option<(usize, Token<'a>)> {
    let mut tokens = tokens.enumerate().peekable();
    let (_, open) = *tokens.peek().filter(|(_, first)| first.opens())?;
    let end = match open.text {
        "(" => ")",
        "[" => "]",
        _ => "}",
    };
    let mut depth = 0;
    tokens.find(|(_, token)| {
        depth += i32::from(token.is(open.text)) - i32::from(token.is(end));
        depth == 0
    })
}

/// The parts between commas, none if there is nothing. Commas in brackets part nothing, nor do those in angle brackets
/// that are template arguments: the ones that `::`, `(` or `{` follows.
pub fn split<'t, 'a>(part: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let (mut found, mut depth, mut from, mut at) = (Vec::new(), 0_usize, 0, 0);
    while let Some(token) = part.get(at) {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is(",") {
            found.push(&part[from..at]);
            from = at + 1;
        } else if depth == 0
            && token.is("<")
            && at > 0
            && part[at - 1].kind == Kind::Word
            && let Some(end) = template_end(part, at)
        {
            at = end;
        }
        at += 1;
    }
    if !part.is_empty() {
        found.push(&part[from..]);
    }
    found
}

fn template_end(part: &[Token], from: usize) -> Option<usize> {
    let (mut angles, mut depth) = (0_usize, 0_usize);
    for (at, token) in part.iter().enumerate().skip(from) {
        if token.opens() {
            depth += 1;
        } else if token.closes() {
            depth = depth.checked_sub(1)?;
        } else if depth == 0 && token.is("<") {
            angles += 1;
        } else if depth == 0 && token.is(">") {
            angles -= 1;
            if angles == 0 {
                let next = part.get(at + 1);
                return next.is_some_and(|next| ["::", "(", "{"].iter().any(|mark| next.is(mark))).then_some(at);
            }
        }
    }
    None
}

/// Tokens on one line, with a blank where anything parts them in the text.
pub fn spelled(tokens: &[Token]) -> String {
    let mut all = String::new();
    let mut end = tokens.first().map_or(0, |first| first.at);
    for token in tokens {
        if token.at > end {
            all.push(' ');
        }
        all.push_str(token.text);
        end = token.end();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens;

    #[test]
    fn brackets_that_belong_together() {
        let all = tokens("f(a, g{)}, '(', \"(\" /* ( */) x");
        assert_eq!(closing(&all, 1), Some(6), "other kinds do not count");
        assert_eq!((closing(&all, 0), closing(&all, 99)), (None, None));
        let text = "f(a[1], \")\" /* ) */) x (";
        assert_eq!(group(text, 1), Some("a[1], \")\" /* ) */"));
        assert_eq!(group(text, 3), Some("1"));
        assert!([0, 2, text.len() - 2, text.len() - 1, 99].iter().all(|&at| group(text, at).is_none()));
    }

    #[test]
    fn parts_between_commas() {
        let parts = |text: &str| split(&tokens(text)).into_iter().map(spelled).collect::<Vec<_>>();
        assert_eq!(
            parts("a->b, g(b, c),\n  T<x, y>(z) /* , */, {1,\n 2}, a < b, c > d, \",\""),
            ["a->b", "g(b, c)", "T<x, y>(z)", "{1, 2}", "a < b", "c > d", "\",\""]
        );
        assert!(parts("").is_empty());
        assert_eq!(parts("a,"), ["a", ""]);
    }
}
