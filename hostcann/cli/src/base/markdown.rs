//! The one reader of Markdown: links, headings, fences and HTML tags as CommonMark has them, with their lines.

use std::ops::Range;

use cpptext::line_at;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag};

/// What `wanted` makes of the elements of a text and where they stand in it.
fn all<'a, T>(text: &'a str, wanted: impl Fn(Event<'a>, Range<usize>) -> Option<T>) -> Vec<T> {
    Parser::new(text).into_offset_iter().filter_map(|(event, at)| wanted(event, at)).collect()
}

/// Line and target of every link and image.
pub fn links(text: &str) -> Vec<(usize, String)> {
    all(text, |event, at| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some((line_at(text, at.start), dest_url.into_string()))
        }
        _ => None,
    })
}

pub struct Heading<'a> {
    pub line: usize,
    pub level: usize,
    /// As it is written, with its marks of code and emphasis
    pub text: &'a str,
}

pub fn headings(text: &str) -> Vec<Heading<'_>> {
    all(text, |event, at| match event {
        Event::Start(Tag::Heading { level, .. }) => {
            let title = text[at.clone()].trim_start_matches('#').lines().next().unwrap_or_default();
            Some(Heading { line: line_at(text, at.start), level: level as usize, text: title.trim() })
        }
        _ => None,
    })
}

/// Of headings, as GitHub and GitCode make them: lower case, blanks to `-`, punctuation away.
pub fn anchors(text: &str) -> Vec<String> {
    let kept = |c: char| (c.is_alphanumeric() || " -_".contains(c)).then_some(if c == ' ' { '-' } else { c });
    headings(text).iter().map(|heading| heading.text.to_lowercase().chars().filter_map(kept).collect()).collect()
}

pub struct Fence<'a> {
    pub line: usize,
    pub language: String,
    pub text: &'a str,
    pub closed: bool,
}

pub fn fences(text: &str) -> Vec<Fence<'_>> {
    all(text, |event, at| {
        let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) = event else { return None };
        let body = text[at.clone()].split_once('\n').map_or("", |(_, body)| body);
        let end = body.trim_end();
        let last = end.rsplit('\n').next().unwrap_or_default();
        let closed = last.trim_start().starts_with("```");
        Some(Fence {
            line: line_at(text, at.start),
            language: language.trim().to_owned(),
            text: if closed { &body[..end.len() - last.len()] } else { body },
            closed,
        })
    })
}

/// Lines and names of HTML tags, in lower case.
pub fn tags(text: &str) -> Vec<(usize, String)> {
    let html = all(text, |event, at| match event {
        Event::Html(html) | Event::InlineHtml(html) => Some((line_at(text, at.start), html)),
        _ => None,
    });
    let mut found = Vec::new();
    for (line, html) in html {
        let name = |part: &str| part.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let names = html.split('<').skip(1).map(name).filter(|name: &String| !name.is_empty());
        found.extend(names.map(|name| (line, name.to_ascii_lowercase())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_fences() {
        let text = "# T\n\n```sh\n# no\n```\n\n## `A`, b#\n- x\n  ````\n  ```\n  ````\n```\n```\n```c\nx\n";
        let titles: Vec<_> = headings(text).iter().map(|h| (h.line, h.level, h.text)).collect();
        assert_eq!(titles, [(1, 1, "T"), (7, 2, "`A`, b#")]);
        assert_eq!(anchors(text), ["t", "a-b"]);
        let found: Vec<_> = fences(text).into_iter().map(|f| (f.line, f.language, f.text, f.closed)).collect();
        let fence = |line, language: &str, text, closed| (line, language.to_owned(), text, closed);
        let want = [
            fence(3, "sh", "# no\n", true),
            fence(9, "", "  ```\n", true),
            fence(12, "", "", true),
            fence(14, "c", "x\n", false),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn links_and_tags() {
        let text = "[a](b.md#c) `[no](x)` <d>\n[e](<f g> \"t\") ![h](i)\n\n<td>x<BR/>\n</td> `<no>` `\n<no>`\n";
        let of = |line: usize, target: &str| (line, target.to_owned());
        assert_eq!(links(text), [of(1, "b.md#c"), of(2, "f g"), of(2, "i")]);
        assert_eq!(tags(text), [of(1, "d"), of(4, "td"), of(4, "br"), of(5, "td"), of(5, "no"), of(6, "no")]);
    }
}
