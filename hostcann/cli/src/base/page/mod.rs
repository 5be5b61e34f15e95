//! Pages that hold all they show, and pictures on them.

#[cfg(test)]
pub mod browser;
pub mod svg;

/// What all pages share: colours in light and dark, text, tables, legends.
const STYLE: &str = include_str!("style.css");

/// A page that asks for nothing from outside; `title` is text, `body` is HTML, and `style` is what this page alone has.
pub fn document(language: &str, title: &str, style: &str, body: &str) -> String {
    let (title, style, body) = (escape(title), [STYLE, style].concat(), body.trim_end());
    let style = style.trim_end();
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{style}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
}

/// For text and for attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // No character of XML, and pictures are XML.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_file_is_markup() {
        assert_eq!(
            escape("<script>\"a\" & 'b'</script>\u{0}"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;\u{fffd}"
        );
    }
}
