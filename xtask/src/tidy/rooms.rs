//! Folders are rooms: arrows between rooms run downwards in the order of docs/explanation/architecture.md, and the
//! modules of a folder use each other without a circle, at any depth of every crate.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Source};

const DOCUMENT: &str = "docs/explanation/architecture.md";

/// A module's path within its crate, for example `["vector", "cast"]`.
type Path = Vec<String>;

/// Modules of a crate with the modules that they use.
#[derive(Default)]
struct Crate {
    /// Folder of the crate, for example `hostcann/aicore`.
    folder: String,
    modules: BTreeMap<Path, BTreeSet<Path>>,
}

pub fn all(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let orders = sources.iter().find(|source| source.path == DOCUMENT).map(orders).unwrap_or_default();
    for manifest in sources.iter().filter(|source| source.path.ends_with("/Cargo.toml")) {
        let folder = manifest.path.trim_end_matches("/Cargo.toml");
        let of_crate = read(folder, sources);
        for (room, arrows) in rooms(&of_crate) {
            findings.extend(circles(folder, &room, &arrows));
        }
        if let Some((line, order)) = orders.get(folder) {
            findings.extend(in_order(&of_crate, order, *line));
        }
    }
    findings
}

/// The blocks of the document: a line is a room and what it is, the rooms that use others first.
fn orders(document: &Source) -> BTreeMap<String, (usize, Vec<String>)> {
    let mut found = BTreeMap::new();
    let mut open: Option<(String, usize, Vec<String>)> = None;
    for (at, line) in document.text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```rooms ")) {
            (None, Some(folder)) => open = Some((folder.to_owned(), at + 1, Vec::new())),
            (Some(_), _) if line.starts_with("```") => {
                if let Some((folder, line, rooms)) = open.take() {
                    found.insert(folder, (line, rooms));
                }
            }
            (Some((_, _, rooms)), _) => rooms.extend(line.split_whitespace().next().map(str::to_owned)),
            (None, None) => {}
        }
    }
    found
}

fn read(folder: &str, sources: &[Source]) -> Crate {
    let root = format!("{folder}/src/");
    let mut texts: BTreeMap<Path, &str> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with(&root) && source.extension() == "rs") {
        let inside = source.path.trim_start_matches(&root).trim_end_matches(".rs");
        let mut path: Path = inside.split('/').map(str::to_owned).collect();
        if path.last().is_some_and(|last| last == "mod" || last == "lib" || last == "main") {
            path.pop();
        }
        // Tests may look anywhere.
        if !inside.ends_with("_tests") {
            texts.insert(path, &source.text);
        }
    }
    let known: BTreeSet<&Path> = texts.keys().collect();
    let modules = texts
        .iter()
        .map(|(path, text)| {
            let used = uses(text, path).into_iter().filter_map(|used| longest(&known, &used));
            (path.clone(), used.filter(|used| used != path).collect())
        })
        .collect();
    Crate { folder: folder.to_owned(), modules }
}

/// The module that a path of names leads to.
fn longest(known: &BTreeSet<&Path>, used: &[String]) -> Option<Path> {
    (1..=used.len()).rev().map(|length| used[..length].to_vec()).find(|prefix| known.contains(prefix))
}

/// Every path behind `crate::` and `super::`, as seen from the crate's root.
fn uses(text: &str, module: &[String]) -> Vec<Path> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` is a macro's, `other_crate::` another crate.
        if !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == '$') {
            paths(&code[at + "crate::".len()..], &mut Vec::new(), &mut found);
        }
    }
    for (at, _) in code.match_indices("super::") {
        if code[..at].ends_with("super::") {
            continue;
        }
        let mut rest = &code[at..];
        let mut from = module.to_vec();
        while let Some(next) = rest.strip_prefix("super::") {
            from.pop();
            rest = next;
        }
        paths(rest, &mut from, &mut found);
    }
    found
}

/// The paths that begin here: `a::{b, c::d}` is two of them.
fn paths<'a>(mut text: &'a str, before: &mut Path, found: &mut Vec<Path>) -> &'a str {
    let depth = before.len();
    loop {
        text = text.trim_start();
        if let Some(inside) = text.strip_prefix('{') {
            text = inside;
            loop {
                text = paths(text, before, found).trim_start();
                match text.strip_prefix(',') {
                    Some(next) if !next.trim_start().starts_with('}') => text = next,
                    Some(next) => {
                        text = next.trim_start();
                        break;
                    }
                    None => break,
                }
            }
            before.truncate(depth);
            return text.strip_prefix('}').unwrap_or(text);
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        before.push(text[..end].to_owned());
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(next) => text = next,
            None => break,
        }
    }
    found.push(before.clone());
    before.truncate(depth);
    // ` as name`
    let end = text.find([',', '}', ';']).unwrap_or(text.len());
    if text.trim_start().starts_with("as ") { &text[end..] } else { text }
}

/// The modules of a folder with the others that they use.
pub type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Every folder of a crate with its arrows.
fn rooms(of: &Crate) -> BTreeMap<Path, Arrows> {
    let mut rooms: BTreeMap<Path, Arrows> = BTreeMap::new();
    for (from, all) in &of.modules {
        for to in all {
            let common = from.iter().zip(to).take_while(|(one, other)| one == other).count();
            if let (Some(one), Some(other)) = (from.get(common), to.get(common)) {
                let arrows = rooms.entry(from[..common].to_vec()).or_default();
                arrows.entry(one.clone()).or_default().insert(other.clone());
            }
        }
    }
    rooms
}

/// Modules that use each other, by way of others or not; every circle once.
fn circles(folder: &str, room: &[String], arrows: &Arrows) -> Vec<Finding> {
    let path = [&["src".to_owned()], room].concat().join("/");
    in_circles(&format!("{folder}/{path}"), arrows)
}

/// The same for a folder of any language.
pub fn in_circles(folder: &str, arrows: &Arrows) -> Vec<Finding> {
    let reach = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(next) = open.pop() {
            for other in arrows.get(next).into_iter().flatten() {
                if seen.insert(other) {
                    open.push(other);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<&String>> = arrows.keys().map(|name| (name, reach(name))).collect();
    let circle = |name: &String| -> Vec<&String> {
        let back = |other: &&String| reached.get(other).is_some_and(|seen| seen.contains(name));
        reached[name].iter().copied().filter(back).collect()
    };
    let all: BTreeSet<Vec<&String>> = arrows.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    let message = |circle: Vec<&String>| {
        let names: Vec<&str> = circle.iter().map(|name| name.as_str()).collect();
        format!(
            "{} use each other; modules of a folder are expected to use each other in one direction",
            names.join(", ")
        )
    };
    all.into_iter().map(|circle| Finding { path: folder.to_owned(), line: 0, message: message(circle) }).collect()
}

/// The rooms of a crate are those of its list, and use those after them only.
fn in_order(of: &Crate, order: &[String], line: usize) -> Vec<Finding> {
    let place = |room: &str| order.iter().position(|known| known == room);
    let finding = |message: String| Finding { path: DOCUMENT.to_owned(), line, message };
    let there: BTreeSet<&String> = of.modules.keys().filter(|path| path.len() > 1).map(|path| &path[0]).collect();
    let mut findings: Vec<Finding> = there
        .iter()
        .filter(|room| place(room).is_none())
        .map(|room| finding(format!("{}/src/{room} is a room that the list does not have", of.folder)))
        .collect();
    let gone = |room: &&String| !of.modules.keys().any(|path| path.first() == Some(room));
    findings.extend(
        order.iter().filter(gone).map(|room| finding(format!("{}/src/{room} is not there any more", of.folder))),
    );
    for (from, all) in rooms(of).remove(&Vec::new()).unwrap_or_default() {
        for to in all {
            if let (Some(one), Some(other)) = (place(&from), place(&to))
                && other <= one
            {
                findings.push(finding(format!("{from} uses {to}, which comes before it")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> =
            [("x/Cargo.toml", "")].iter().chain(files).map(|(path, text)| source(path, text)).collect();
        all(&sources).iter().map(ToString::to_string).collect()
    }

    fn names(text: &str, module: &str) -> Vec<String> {
        let module: Path = module.split('/').map(str::to_owned).collect();
        uses(text, &module).iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn what_a_source_uses() {
        let text = "//! crate::no\nuse crate::{\n    a::{B, c::D},\n    d as e, f::G,\n};\nfn f() { crate::g::h() }\n\
                    use super::i;\nuse super::super::j::{k, l};\nm!($crate::n); other_crate::o();\n\
                    #[cfg(test)]\nmod tests { use crate::t; }";
        let expected = ["a::B", "a::c::D", "d", "f::G", "g::h", "p::i", "j::k", "j::l"];
        assert_eq!(names(text, "p/q"), expected);
    }

    #[test]
    fn a_circle_at_any_depth() {
        let good = [("x/src/a.rs", "use crate::b::X;"), ("x/src/b.rs", ""), ("x/src/lib.rs", "use crate::a;")];
        assert_eq!(found(&good), [""; 0]);
        let flat =
            [("x/src/a.rs", "use crate::b::X;"), ("x/src/b.rs", "use crate::c;"), ("x/src/c.rs", "use crate::a;")];
        let says = "use each other; modules of a folder are expected to use each other in one direction";
        assert_eq!(found(&flat), [format!("x/src: a, b, c {says}")]);
        let deep = [
            ("x/src/r/mod.rs", "pub mod s;"),
            ("x/src/r/s/one.rs", "use super::two::X;"),
            ("x/src/r/s/two.rs", "use crate::r::s::one;"),
        ];
        assert_eq!(found(&deep), [format!("x/src/r/s: one, two {says}")]);
    }

    #[test]
    fn rooms_are_those_of_the_list_in_its_order() {
        let files = |order: &'static str| {
            [
                ("docs/explanation/architecture.md", order),
                ("x/src/top/a.rs", "use crate::low::b;"),
                ("x/src/low/b.rs", ""),
                ("x/src/abi.rs", "use crate::top::a;"),
            ]
        };
        assert_eq!(found(&files("```rooms x\ntop   words\nlow\n```\n")), [""; 0]);
        assert_eq!(
            found(&files("\n```rooms x\nlow\ntop\nold\n```\n")),
            [
                "docs/explanation/architecture.md:2: x/src/old is not there any more",
                "docs/explanation/architecture.md:2: top uses low, which comes before it"
            ]
        );
        assert_eq!(
            found(&files("```rooms x\ntop\n```\n")),
            ["docs/explanation/architecture.md:1: x/src/low is a room that the list does not have"]
        );
    }
}
