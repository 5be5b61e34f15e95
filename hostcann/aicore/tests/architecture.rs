//! The modules of our crates depend on each other in the one direction that `docs/architecture.md` gives.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Modules of a crate and their line in its list.
fn layers<'a>(document: &'a str, name: &str) -> BTreeMap<&'a str, usize> {
    let list = document.split(&format!("```layers {name}\n")).nth(1).and_then(|d| d.split("```").next());
    let list = list.unwrap_or_else(|| panic!("no list of layers for {name}"));
    let lines = list.lines().enumerate();
    let all: Vec<_> = lines.flat_map(|(i, line)| line.split_whitespace().map(move |name| (name, i))).collect();
    let map = BTreeMap::from_iter(all.iter().copied());
    assert_eq!(map.len(), all.len(), "a module is listed twice");
    map
}

/// The first names behind every `crate::` of a source, those of its tests left out.
fn uses(source: &str) -> BTreeSet<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let source = source.split("#[cfg(test)]\n#[path").next().unwrap_or_default();
    let code: Vec<&str> = source.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
    let word = |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let mut found = BTreeSet::new();
    for part in code.join("\n").split("crate::").skip(1) {
        let Some(list) = part.strip_prefix('{') else {
            found.insert(word(part));
            continue;
        };
        let (mut depth, mut start) = (0, true);
        for (i, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if c.is_whitespace() => {}
                _ if start => {
                    found.insert(word(&list[i..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// Every module with what it uses; the files of a folder are one module.
fn modules(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "lib" || name == "main" || name == "testkit" || name.ends_with("_tests") {
            continue;
        }
        let used = all.entry(name.clone()).or_default();
        if path.is_dir() {
            used.extend(modules(&path).into_values().flatten());
        } else {
            used.extend(uses(&read(&path)));
        }
        used.remove(&name);
    }
    all
}

#[test]
fn what_a_source_uses() {
    let source = "//! crate::no\nuse crate::{\n    a::{B, c},\n    d, e::F,\n};\nfn f() { crate::g::h() }\n\
                  #[cfg(test)]\nmod tests { use crate::t; }";
    assert_eq!(uses(source).into_iter().collect::<Vec<_>>(), ["a", "d", "e", "g"]);
}

fn in_order(name: &str, sources: &str, at_least: usize) {
    let document = read(&root().join("docs/architecture.md"));
    let layers = layers(&document, name);
    let modules = modules(&root().join(sources));
    let names = |set: BTreeSet<&str>| set.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (listed, there) = (layers.keys().copied().collect(), modules.keys().map(String::as_str).collect());
    assert_eq!(names(listed), names(there), "docs/architecture.md lists every module of {name}");
    let mut wrong = Vec::new();
    for (module, used) in &modules {
        for other in used.iter().filter(|u| layers.contains_key(u.as_str())) {
            if layers[other.as_str()] >= layers[module.as_str()] {
                wrong.push(format!("{module} uses {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{name}, against the order of docs/architecture.md: {wrong:?}");
    assert!(modules.values().map(BTreeSet::len).sum::<usize>() > at_least, "the sources are not understood any more");
}

#[test]
fn modules_of_aicore_use_only_what_is_above_them() {
    in_order("aicore", "hostcann/aicore/src", 200);
}

#[test]
fn crates_depend_in_one_direction() {
    let depends = |name: &str| {
        let text = read(&root().join(name).join("Cargo.toml"));
        let of_ours = |l: &&str| l.starts_with("aicore") || l.starts_with("hostcann-") || l.starts_with("ascendcl");
        let of_ours: Vec<String> = text.lines().filter(of_ours).map(str::to_owned).collect();
        of_ours.len()
    };
    assert_eq!(depends("hostcann/runtime"), 1, "runtime depends on aicore");
    for name in ["hostcann/aicore", "xtask", "tests"] {
        assert_eq!(depends(name), 0, "{name} depends on a crate of the toolkit");
    }
}
