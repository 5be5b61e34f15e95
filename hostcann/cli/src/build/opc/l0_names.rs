//! Which l0op functions a source or a library has, and which ones a source calls: by their names and the number of arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cpptext::{Kind, Token, closing, includes, split, tokens};

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

pub fn text_of(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Names after `l0op::`.
fn qualified(tokens: &[Token]) -> Calls {
    let mut names = Calls::new();
    for (at, part) in tokens.windows(4).enumerate() {
        if part[0].is("l0op") && part[1].is("::") && part[3].is("(") {
            add(&mut names, call(tokens, at + 2));
        }
    }
    names
}

/// The name at `at` and how many arguments stand in the parentheses after it.
fn call(tokens: &[Token], at: usize) -> Calls {
    let close = closing(tokens, at + 1).unwrap_or(tokens.len());
    Calls::from([(tokens[at].text.to_owned(), split(&tokens[at + 2..close]).len())])
}

/// Those, and in the namespace itself every name that is called and is not of this file alone.
pub fn called(tokens: &[Token]) -> Calls {
    let mut names = qualified(tokens);
    for part in namespaces(tokens) {
        for (at, pair) in part.windows(2).enumerate() {
            let is_upper = pair[0].kind == Kind::Word && pair[0].text.starts_with(|c: char| c.is_ascii_uppercase());
            if is_upper && pair[1].is("(") && !(at > 0 && part[at - 1].is("::")) {
                add(&mut names, call(part, at));
            }
        }
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
        let text = text_of(&file)?;
        if file != source {
            add(&mut names, qualified(&tokens(&text)));
        }
        for include in includes(&text).iter().filter(|include| !include.angle) {
            let beside = file.parent().map(|dir| dir.join(&include.path));
            let header = beside.into_iter().chain([checkout.join(&include.path)]).find(|path| path.is_file());
            let header = header.and_then(|path| path.canonicalize().ok());
            open.extend(header.filter(|path| seen.insert(path.clone())));
        }
    }
    Ok(names)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// Other files can call it.
    External,
    /// `static`
    Internal,
}

/// Functions of the namespace that have a body here.
pub fn defined(tokens: &[Token], linkage: Linkage) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for part in namespaces(tokens) {
        let (mut depth, mut statement, mut at) = (0, 0, 0);
        while let Some(token) = part.get(at) {
            match token.text {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    statement = at + 1;
                }
                ";" => statement = at + 1,
                "(" if depth == 0 => {
                    let close = closing(part, at).unwrap_or(part.len());
                    let after = part.iter().skip(close + 1).find(|next| !next.is("const") && !next.is("noexcept"));
                    let hidden = part[statement..at].iter().any(|word| word.is("static"));
                    if hidden == (linkage == Linkage::Internal)
                        && at > statement
                        && after.is_some_and(|body| body.is("{"))
                    {
                        names.insert(part[at - 1].text.to_owned());
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

/// Functions that have a body here, in any namespace.
pub fn bodies(tokens: &[Token]) -> BTreeSet<String> {
    let calls = tokens.windows(2).enumerate().filter(|(_, pair)| pair[0].kind == Kind::Word && pair[1].is("("));
    let has_body =
        |at: usize| closing(tokens, at + 1).and_then(|close| tokens.get(close + 1)).is_some_and(|next| next.is("{"));
    calls.filter(|(at, _)| has_body(*at)).map(|(_, pair)| pair[0].text.to_owned()).collect()
}

/// Op types that the functions launch kernels of.
pub fn launched(tokens: &[Token]) -> BTreeSet<String> {
    let launches = tokens.windows(3).filter(|part| part[0].is("ADD_TO_LAUNCHER_LIST_AICORE") && part[1].is("("));
    launches.map(|part| part[2].text.to_owned()).collect()
}

/// The tokens between the braces of every `namespace l0op {`.
fn namespaces<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let begins = |part: &[Token]| part[0].is("namespace") && part[1].is("l0op") && part[2].is("{");
    let found = tokens.windows(3).enumerate().filter(|(_, part)| begins(part));
    found.map(|(at, _)| &tokens[at + 3..closing(tokens, at + 2).unwrap_or(tokens.len())]).collect()
}
