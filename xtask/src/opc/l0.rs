//! `opc l0`: which sources of a checkout define the l0op functions that an op's own sources call.
//!
//! Upstream links libcust_opapi.so against the built-in libopapi.so, which has the L0 functions of every op. Here those
//! of the toolkit come from libnnopbase.so and the others from the checkout that the op lies in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::files;
use crate::term::out;

/// Name the sources of a checkout that define missing l0op functions
#[derive(Args)]
pub struct L0Args {
    /// What the op library is made of so far
    #[arg(long = "source")]
    sources: Vec<PathBuf>,
    /// The checkout; the op lies in it
    #[arg(long)]
    checkout: PathBuf,
    /// Other checkouts that it may take them from; in a CANN they are in one library
    #[arg(long)]
    beside: Vec<PathBuf>,
    /// A directory that gets level0/<name>.h for every header of L0 functions that the toolkit does not have
    #[arg(long)]
    headers: Option<PathBuf>,
    /// SoCs to build for: an op directory with kernels for one of them is named as a whole
    #[arg(long, value_delimiter = ',')]
    soc: Vec<String>,
    /// Toolkit root
    #[arg(long)]
    root: PathBuf,
}

/// Lines for CMake: `dir <op directory>`, `source <file>` of L0 functions and `infer <file>` of shape functions.
pub fn run(args: &L0Args) -> Result<()> {
    for line in resolve(args)? {
        out!("{line}");
    }
    Ok(())
}

fn resolve(args: &L0Args) -> Result<Vec<String>> {
    let library = args.root.join("lib64/libnnopbase.so");
    let library = fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
    let mut known = exported(&library);
    let mut wanted = BTreeSet::new();
    for source in args.sources.iter().filter(|source| source.is_file()) {
        let tokens = tokens_of(source)?;
        known.extend(defined(&tokens));
        wanted.extend(called(&tokens));
        wanted.extend(called_in_headers(source, &args.checkout)?);
    }
    let places = places(args);
    if let Some(dir) = &args.headers {
        forward(&places, &args.root.join("include"), dir)?;
    }
    let mut index: Option<BTreeMap<String, PathBuf>> = None;
    let mut lines = BTreeSet::new();
    while let Some(name) = wanted.iter().find(|name| !known.contains(*name)).cloned() {
        if index.is_none() {
            index = Some(definitions(&places)?);
        }
        known.insert(name.clone());
        let Some(file) = index.as_ref().and_then(|index| index.get(&name)) else { continue };
        let dir = op_dir(file);
        // Everything of the directory that others can call comes with it.
        let with_kernels = has_kernels(dir, &args.soc)?;
        let more = if with_kernels { l0_files(dir, ".cpp")? } else { vec![file.clone()] };
        for file in &more {
            let tokens = tokens_of(file)?;
            known.extend(defined(&tokens));
            wanted.extend(called(&tokens));
            wanted.extend(called_in_headers(file, &args.checkout)?);
            if !with_kernels {
                lines.insert(format!("source {}", file.display()));
            }
        }
        // The L0 function asks them for shapes, also where another op's kernel does the work.
        if !with_kernels {
            lines.extend(shape_files(dir)?.iter().map(|file| format!("infer {}", file.display())));
        }
        if with_kernels {
            lines.insert(format!("dir {}", dir.display()));
        }
    }
    Ok(lines.into_iter().collect())
}

/// `_ZN4l0op<length><name>` in a library: Itanium mangling of a function of the namespace.
fn exported(library: &[u8]) -> BTreeSet<String> {
    const START: &[u8] = b"_ZN4l0op";
    let mut names = BTreeSet::new();
    for at in library.windows(START.len()).enumerate().filter(|(_, bytes)| *bytes == START).map(|(at, _)| at) {
        let rest = &library[at + START.len()..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length = std::str::from_utf8(&rest[..digits]).ok().and_then(|text| text.parse::<usize>().ok());
        let name = length.and_then(|length| rest.get(digits..digits + length));
        names.extend(name.and_then(|name| String::from_utf8(name.to_vec()).ok()));
    }
    names
}

/// Directories of categories, the first one wins: an op below experimental/ takes what is there first, any other op the
/// standard ones.
fn places(args: &L0Args) -> Vec<PathBuf> {
    let mut places = vec![args.checkout.clone(), args.checkout.join("experimental")];
    if args.sources.iter().any(|source| source.starts_with(&places[1])) {
        places.reverse();
    }
    places.extend(args.beside.iter().cloned());
    places
}

fn op_dirs(place: &Path) -> impl Iterator<Item = PathBuf> {
    // common/stub has functions for unit tests.
    let categories = directories(place).into_iter().filter(|dir| !dir.ends_with("common"));
    categories.flat_map(|category| directories(&category))
}

/// Name -> file for every L0 function.
fn definitions(places: &[PathBuf]) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for dir in places.iter().flat_map(|place| op_dirs(place)) {
        for file in l0_files(&dir, ".cpp")? {
            for name in defined(&tokens_of(&file)?) {
                found.entry(name).or_insert_with(|| file.clone());
            }
        }
    }
    Ok(found)
}

/// An install has these headers in include/aclnnop/level0 and its like, whatever repository they come from.
fn forward(places: &[PathBuf], known: &Path, to: &Path) -> Result<()> {
    let mut done = BTreeSet::new();
    for dir in places.iter().flat_map(|place| op_dirs(place)) {
        for file in l0_files(&dir, ".h")? {
            let Some(name) = file.file_name().map(|name| Path::new("level0").join(name)) else { continue };
            if !known.join(&name).is_file() && done.insert(name.clone()) {
                let text = format!("#include \"{}\"\n", file.display());
                files::write_if_changed(&to.join(name), text.as_bytes())?;
            }
        }
    }
    Ok(())
}

fn directories(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut found: Vec<PathBuf> = entries.unwrap_or_default();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// `op_api/*` of that ending, except the aclnn interfaces.
fn l0_files(dir: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for place in [dir.join("op_api"), dir.join("op_host/op_api")] {
        if !place.is_dir() {
            continue;
        }
        for file in files::walk(&place)? {
            let name = file.to_string_lossy();
            let is_source = name.ends_with(ending) && !name.contains('/');
            if is_source && !["aclnn_", "acl_"].iter().any(|start| name.starts_with(start)) {
                found.push(place.join(file));
            }
        }
    }
    Ok(found)
}

/// `op_host/*_infershape*.cpp`.
fn shape_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let host = dir.join("op_host");
    if !host.is_dir() {
        return Ok(Vec::new());
    }
    let names = files::walk(&host)?.into_iter().filter(|file| {
        let name = file.to_string_lossy();
        name.contains("_infershape") && name.ends_with(".cpp") && !name.contains('/')
    });
    Ok(names.map(|name| host.join(name)).collect())
}

fn op_dir(file: &Path) -> &Path {
    let above =
        file.ancestors().skip(1).find(|dir| dir.join("op_host").is_dir() || dir.join("CMakeLists.txt").is_file());
    above.unwrap_or(file)
}

fn has_kernels(dir: &Path, socs: &[String]) -> Result<bool> {
    let (definitions, kernels) = (dir.join("op_host"), dir.join("op_kernel"));
    if !definitions.is_dir() || !kernels.is_dir() || !dir.join("CMakeLists.txt").is_file() {
        return Ok(false);
    }
    for file in files::walk(&definitions)? {
        if file.to_string_lossy().ends_with("_def.cpp") {
            let path = definitions.join(file);
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if socs.iter().any(|soc| text.contains(&format!("AddConfig(\"{soc}\""))) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn tokens_of(file: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(tokens(&String::from_utf8_lossy(&bytes)))
}

/// Words and punctuation; comments, literals and preprocessor lines are no tokens.
fn tokens(text: &str) -> Vec<String> {
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
fn qualified(tokens: &[String]) -> BTreeSet<String> {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token == text);
    let calls = (0..tokens.len()).filter(|&at| is(at, "l0op") && is(at + 1, ":") && is(at + 2, ":") && is(at + 4, "("));
    calls.map(|at| tokens[at + 3].clone()).collect()
}

/// Those, and in the namespace itself every name that is called.
fn called(tokens: &[String]) -> BTreeSet<String> {
    let mut names = qualified(tokens);
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token == text);
    for (start, end) in namespaces(tokens) {
        let calls = (start..end).filter(|&at| is(at + 1, "(") && !is(at.wrapping_sub(1), ":"));
        let upper = |name: &String| name.starts_with(|c: char| c.is_ascii_uppercase());
        names.extend(calls.map(|at| tokens[at].clone()).filter(upper));
    }
    names
}

/// The same of the headers that a source names and that lie beside it or in the checkout. What they declare in the
/// namespace is no call.
fn called_in_headers(source: &Path, checkout: &Path) -> Result<BTreeSet<String>> {
    let (mut names, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![source.to_path_buf()];
    while let Some(file) = open.pop() {
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        if file != source {
            names.extend(qualified(&tokens(&text)));
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

/// Functions of the namespace that have a body here and that other files can call.
fn defined(tokens: &[String]) -> BTreeSet<String> {
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
                    if !hidden && at > statement && body.is_some_and(|body| tokens[body] == "{") {
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

#[cfg(test)]
#[path = "l0_tests.rs"]
mod tests;
