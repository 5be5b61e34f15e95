//! What a compilation read, as g++ writes it for make.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// What the last compilation of a column read.
pub fn recorded(work: &Path, column: &str) -> Result<BTreeSet<String>> {
    let mut depends = read(&work.join(format!("{column}.pre.d")))?;
    depends.extend(read(&work.join(format!("{column}.d")))?);
    for made in ["cpp", "host.cpp"] {
        depends.remove(&work.join(format!("{column}.{made}")).display().to_string());
    }
    Ok(depends)
}

pub fn read(path: &Path) -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(parse(&text))
}

/// Prerequisites of a make rule; `\ ` is a blank inside a name.
fn parse(text: &str) -> BTreeSet<String> {
    let text = text.replace("\\\n", " ");
    let names = text.split_once(':').map_or("", |(_, names)| names);
    let mut found = BTreeSet::new();
    let mut name = String::new();
    let mut chars = names.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&' ') => name.extend(chars.next()),
            c if c.is_whitespace() => {
                if !name.is_empty() {
                    found.insert(std::mem::take(&mut name));
                }
            }
            c => name.push(c),
        }
    }
    if !name.is_empty() {
        found.insert(name);
    }
    found
}

/// A depfile with one rule.
pub fn written(target: &Path, depends: &BTreeSet<String>) -> Vec<u8> {
    let escape = |name: &str| name.replace(' ', "\\ ");
    let mut text = OsString::from(escape(&target.display().to_string()));
    text.push(":");
    for name in depends {
        text.push(" \\\n  ");
        text.push(escape(name));
    }
    text.push("\n");
    text.into_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depfiles() {
        let names = parse("x: /a/k.cpp \\\n  /a/b\\ c.h /a/d.h\n");
        assert_eq!(names.iter().map(String::as_str).collect::<Vec<_>>(), ["/a/b c.h", "/a/d.h", "/a/k.cpp"]);
        let text = String::from_utf8(written(Path::new("/s"), &names)).expect("UTF-8");
        assert_eq!(text, "/s: \\\n  /a/b\\ c.h \\\n  /a/d.h \\\n  /a/k.cpp\n");
        assert_eq!(parse(&text), names);
    }
}
