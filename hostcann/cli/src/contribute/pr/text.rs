//! Reading C++ as far as rules need it: code without comments and literals, words, calls, includes. Every form keeps the
//! length of the text, so that a place in it is a place in the file.

/// Comments blanked.
pub fn without_comments(text: &str) -> String {
    blank(text, false)
}

/// Comments and the contents of literals blanked.
pub fn code(text: &str) -> String {
    blank(text, true)
}

fn blank(text: &str, literals: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    let mut wipe = |from: usize, to: usize| {
        for byte in &mut out[from..to] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            let end = rest.iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n);
            wipe(at, end);
            at = end;
        } else if rest.starts_with(b"/*") {
            let end = find(rest, b"*/", 2).map_or(bytes.len(), |n| at + n + 2);
            wipe(at, end);
            at = end;
        } else if rest[0] == b'"' || (rest[0] == b'\'' && !is_digit_separator(bytes, at)) {
            let end = literal_end(bytes, at);
            if literals && end > at + 2 {
                wipe(at + 1, end - 1);
            }
            at = end;
        } else {
            at += 1;
        }
    }
    // Blanking replaces whole characters: literals and comments begin and end at ASCII.
    String::from_utf8_lossy(&out).into_owned()
}

/// `1'000`
fn is_digit_separator(bytes: &[u8], at: usize) -> bool {
    let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_hexdigit);
    digit(at.checked_sub(1)) && digit(Some(at + 1)) && bytes.get(at + 2) != Some(&b'\'')
}

fn literal_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len().saturating_sub(what.len() - 1)).find(|&at| bytes[at..].starts_with(what))
}

/// Counted from 1.
pub fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}

pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Identifiers and numbers with their places.
pub fn words(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let end = (at..bytes.len()).find(|&i| !is_word(bytes[i])).unwrap_or(bytes.len());
        found.push((at, &text[at..end]));
        at = end;
    }
    found
}

pub fn places_of(text: &str, word: &str) -> Vec<usize> {
    words(text).into_iter().filter(|(_, found)| *found == word).map(|(at, _)| at).collect()
}

/// The arguments of `word(…)`, blanks trimmed, for every call; `text` is without comments.
pub fn calls(text: &str, word: &str) -> Vec<(usize, Vec<String>)> {
    places_of(text, word).into_iter().filter_map(|at| Some((at, arguments(text, at + word.len())?))).collect()
}

/// What stands in the parentheses that open behind `from`, split at commas of the first level.
pub fn arguments(text: &str, from: usize) -> Option<Vec<String>> {
    let open = from + text.get(from..)?.find(|c: char| !c.is_whitespace())?;
    let inside = group(text, open)?;
    Some(split_arguments(inside))
}

pub fn split_arguments(inside: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    let mut quoted = false;
    for c in inside.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' | '{' | '[' | '<' if !quoted => depth += 1,
            ')' | '}' | ']' | '>' if !quoted => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 && !quoted {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    let parts: Vec<String> = parts.into_iter().map(|part| one_line(&part)).collect();
    if parts == [""] { Vec::new() } else { parts }
}

/// The text between the bracket at `open` and its partner.
pub fn group(text: &str, open: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let (start, end) = match bytes.get(open)? {
        b'(' => (b'(', b')'),
        b'{' => (b'{', b'}'),
        _ => return None,
    };
    let mut depth = 0;
    let mut at = open;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = literal_end(bytes, at);
                continue;
            }
            byte if byte == start => depth += 1,
            byte if byte == end => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[open + 1..at]);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Runs of blanks as one.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub struct Include {
    pub line: usize,
    pub path: String,
    pub angle: bool,
}

pub fn includes(text: &str) -> Vec<Include> {
    let mut found = Vec::new();
    for (at, line) in without_comments(text).lines().enumerate() {
        let Some(rest) = line.trim().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("include"))
        else {
            continue;
        };
        let rest = rest.trim();
        let inside = |open: char, close: char| rest.strip_prefix(open)?.split(close).next().map(str::to_owned);
        if let Some(path) = inside('"', '"') {
            found.push(Include { line: at + 1, path, angle: false });
        } else if let Some(path) = inside('<', '>') {
            found.push(Include { line: at + 1, path, angle: true });
        }
    }
    found
}

/// `my_op` to `MyOp`.
pub fn pascal(snake: &str) -> String {
    snake.split('_').map(|part| part.get(..1).map_or(String::new(), |c| c.to_ascii_uppercase() + &part[1..])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals() {
        let text = "a(\"x, // y\"); // \"z\"\n/* b\n*/ c('\"', 1'000); // ö\nd";
        assert_eq!(code(text).len(), text.len());
        assert_eq!(words(&code(text)).iter().map(|(_, word)| *word).collect::<Vec<_>>(), ["a", "c", "1", "000", "d"]);
        assert_eq!(calls(&without_comments(text), "a"), [(0, vec!["\"x, // y\"".to_owned()])]);
        assert_eq!(line_at(text, text.len()), 4);
    }

    #[test]
    fn arguments_of_calls() {
        let text = "F(a, g(b, c),\n  T<x, y>(z)) F() F";
        let found = calls(text, "F");
        assert_eq!(found[0].1, ["a", "g(b, c)", "T<x, y>(z)"]);
        assert_eq!(found[1].1, [""; 0]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn what_is_included() {
        let found = includes("#include <a>\n  # include \"b/c.h\" // x\n// #include \"no\"\n");
        let found: Vec<_> = found.iter().map(|i| (i.line, i.path.as_str(), i.angle)).collect();
        assert_eq!(found, [(1, "a", true), (2, "b/c.h", false)]);
    }
}
