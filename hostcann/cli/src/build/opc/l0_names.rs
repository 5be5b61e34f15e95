//! Which l0op functions a source or a library has, and which ones a source calls: by their names and the number of arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::mangled;

/// Functions and the most arguments that a call gives them.
pub type Calls = BTreeMap<String, usize>;

pub fn add(to: &mut Calls, more: Calls) {
    for (name, arguments) in more {
        let most = to.entry(name).or_default();
        *most = arguments.max(*most);
    }
}

/// `_ZN4l0op<length><name>E<parameters>` in a library: Itanium mangling of a function of the namespace.
pub fn exported(library: &[u8]) -> Calls {
    const START: &[u8] = b"_ZN4l0op";
    let mut names = Calls::new();
    for at in library.windows(START.len()).enumerate().filter(|(_, bytes)| *bytes == START).map(|(at, _)| at) {
        let rest = &library[at + START.len()..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length = std::str::from_utf8(&rest[..digits]).ok().and_then(|text| text.parse::<usize>().ok());
        let Some(length) = length else { continue };
        let Some((name, rest)) = rest.get(digits..).and_then(|rest| rest.split_at_checked(length)) else { continue };
        // g++ cuts functions in two: `.cold`.
        let types = rest.split(|&byte| byte == 0 || byte == b'.').next().unwrap_or_default();
        // What is no plain function is taken for all that have its name.
        let parameters = types.strip_prefix(b"E").and_then(mangled::parameters).unwrap_or(usize::MAX);
        if let Ok(name) = String::from_utf8(name.to_vec()) {
            add(&mut names, Calls::from([(name, parameters)]));
        }
    }
    names
}

pub fn tokens_of(file: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(tokens(&String::from_utf8_lossy(&bytes)))
}

/// Words and punctuation; comments, literals and preprocessor lines are no tokens.
pub fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut chars = text.chars().peekable();
    let mut line_start = true;
    while let Some(c) = chars.next() {
        match c {
            '\n' => line_start = true,
            c if c.is_whitespace() => {}
            '#' if line_start => {
                let mut last = ' ';
                while let Some(c) = chars.next_if(|&c| c != '\n' || last == '\\') {
                    last = c;
                }
            }
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|&c| c != '\n').is_some() {},
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                chars.next();
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '"' | '\'' => {
                while let Some(inner) = chars.next() {
                    match inner {
                        '\\' => drop(chars.next()),
                        inner if inner == c => break,
                        _ => {}
                    }
                }
                line_start = false;
            }
            c if c.is_alphanumeric() || c == '_' => {
                let mut word = c.to_string();
                while let Some(c) = chars.next_if(|&c| c.is_alphanumeric() || c == '_') {
                    word.push(c);
                }
                found.push(word);
                line_start = false;
            }
            c => {
                found.push(c.to_string());
                line_start = false;
            }
        }
    }
    found
}

/// Names behind `l0op::`.
fn qualified(tokens: &[String]) -> Calls {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token == text);
    let calls = (0..tokens.len()).filter(|&at| is(at, "l0op") && is(at + 1, ":") && is(at + 2, ":") && is(at + 4, "("));
    let mut names = Calls::new();
    calls.for_each(|at| add(&mut names, call(tokens, at + 3)));
    names
}

/// The name at `at` and how many arguments stand in the parentheses behind it.
fn call(tokens: &[String], at: usize) -> Calls {
    let close = matching(tokens, at + 1, tokens.len());
    let (mut depth, mut commas) = (0, 0);
    for token in &tokens[at + 2..close] {
        match token.as_str() {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            "," if depth == 0 => commas += 1,
            _ => {}
        }
    }
    Calls::from([(tokens[at].clone(), if close > at + 2 { commas + 1 } else { 0 })])
}

/// Those, and in the namespace itself every name that is called and is not of this file alone.
pub fn called(tokens: &[String]) -> Calls {
    let mut names = qualified(tokens);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token == text);
    for (start, end) in namespaces(tokens) {
        let calls = (start..end).filter(|&at| is(at + 1, "(") && !is(at.wrapping_sub(1), ":"));
        let upper = |name: &String| name.starts_with(|c: char| c.is_ascii_uppercase());
        calls.filter(|&at| upper(&tokens[at])).for_each(|at| add(&mut names, call(tokens, at)));
    }
    for own in defined(tokens, Linkage::Internal) {
        names.remove(&own);
    }
    names
}

/// The same of the headers that a source names and that lie beside it or in the checkout. What they declare in the
/// namespace is no call.
pub fn called_in_headers(source: &Path, checkout: &Path) -> Result<Calls> {
    let (mut names, mut seen) = (Calls::new(), BTreeSet::new());
    let mut open = vec![source.to_path_buf()];
    while let Some(file) = open.pop() {
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        if file != source {
            add(&mut names, qualified(&tokens(&text)));
        }
        for include in text.lines().filter_map(included) {
            let beside = file.parent().map(|dir| dir.join(include));
            let header = beside.into_iter().chain([checkout.join(include)]).find(|path| path.is_file());
            let header = header.and_then(|path| path.canonicalize().ok());
            open.extend(header.filter(|path| seen.insert(path.clone())));
        }
    }
    Ok(names)
}

/// `x.h` of a line `#include "x.h"`.
pub fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    rest.trim_start().strip_prefix('"')?.split('"').next()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// Other files can call it.
    External,
    /// `static`
    Internal,
}

/// Functions of the namespace that have a body here.
pub fn defined(tokens: &[String], linkage: Linkage) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (start, end) in namespaces(tokens) {
        let mut depth = 0;
        let mut statement = start;
        let mut at = start;
        while at < end {
            match tokens[at].as_str() {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    statement = at + 1;
                }
                ";" => statement = at + 1,
                "(" if depth == 0 => {
                    let close = matching(tokens, at, end);
                    let body = (close + 1..end).find(|&next| tokens[next] != "const" && tokens[next] != "noexcept");
                    let hidden = tokens[statement..at].iter().any(|word| word == "static");
                    if hidden == (linkage == Linkage::Internal)
                        && at > statement
                        && body.is_some_and(|body| tokens[body] == "{")
                    {
                        names.insert(tokens[at - 1].clone());
                    }
                    at = close;
                }
                _ => {}
            }
            at += 1;
        }
    }
    names
}

/// The tokens between the braces of every `namespace l0op {`.
fn namespaces(tokens: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for at in 2..tokens.len() {
        if tokens[at] == "{" && tokens[at - 1] == "l0op" && tokens[at - 2] == "namespace" {
            let mut depth = 1;
            let mut end = at + 1;
            while end < tokens.len() && depth > 0 {
                match tokens[end].as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                end += 1;
            }
            found.push((at + 1, end.saturating_sub(1)));
        }
    }
    found
}

fn matching(tokens: &[String], open: usize, end: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().take(end).skip(open) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    end
}
