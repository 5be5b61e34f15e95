//! Crates share what they link, not each other's text: no `#[path]` out of a crate, no Rust source of another one in
//! `include_str!` and its like. What several must agree on stands in hostcann/types.

use super::{Finding, Source};

pub fn all(sources: &[Source]) -> Vec<Finding> {
    let crates: Vec<&str> = sources.iter().filter_map(|source| source.path.strip_suffix("/Cargo.toml")).collect();
    let of_crate = |path: &str| {
        let inside = |folder: &&&str| path.strip_prefix(**folder).is_some_and(|rest| rest.starts_with('/'));
        crates.iter().filter(inside).max_by_key(|folder| folder.len()).copied()
    };
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.extension() == "rs") {
        let home = of_crate(&source.path);
        for (line, target) in targets(&source.text) {
            let full = resolved(&source.path, target);
            if full.ends_with(".rs") && of_crate(&full) != home {
                let message = format!(
                    "{full} belongs to another crate; link that crate, or move what both need to hostcann/types"
                );
                findings.push(Finding { path: source.path.clone(), line, message });
            }
        }
    }
    findings
}

/// The texts of `#[path = "…"]`, `include!("…")`, `include_str!("…")` and `include_bytes!("…")`, with their lines.
fn targets(text: &str) -> Vec<(usize, &str)> {
    const STARTS: [&str; 4] = ["#[path", "include!", "include_str!", "include_bytes!"];
    let found = STARTS.iter().flat_map(|start| text.match_indices(start)).filter_map(|(at, start)| {
        // Of a quoted example the quotes are escaped.
        let rest = text[at + start.len()..].trim_start_matches([' ', '=', '(', '\n']).strip_prefix('"')?;
        let line = text[..at].matches('\n').count() + 1;
        let is_comment = text[..at].rsplit('\n').next().is_some_and(|before| before.contains("//"));
        (!is_comment).then_some((line, rest.split('"').next()?))
    });
    found.collect()
}

/// A path from the folder of a file, without `..`.
fn resolved(file: &str, target: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let manifests = ["a/Cargo.toml", "a/inner/Cargo.toml", "b/Cargo.toml"].map(|path| source(path, ""));
        let sources: Vec<Source> = manifests.into_iter().chain([source(path, text)]).collect();
        all(&sources).iter().map(ToString::to_string).collect()
    }

    const SAYS: &str = "belongs to another crate; link that crate, or move what both need to hostcann/types";

    #[test]
    fn sources_of_other_crates() {
        for (path, text, target) in [
            ("a/src/x.rs", "//! X.\n#[path = \"../../b/src/y.rs\"]\nmod y;\n", "b/src/y.rs"),
            ("a/tests/x.rs", "//! X.\nconst Y: &str = include_str!(\"../../b/src/y.rs\");\n", "b/src/y.rs"),
            ("a/build.rs", "//! X.\ninclude!(\n    \"inner/src/y.rs\");\n", "a/inner/src/y.rs"),
            ("a/inner/src/x.rs", "//! X.\nlet y = include_bytes!(\"../../src/y.rs\");\n", "a/src/y.rs"),
        ] {
            assert_eq!(found(path, text), [format!("{path}:2: {target} {SAYS}")]);
        }
    }

    #[test]
    fn what_is_a_crates_own_or_no_source() {
        for text in [
            "#[path = \"x_tests.rs\"]\nmod tests;\n",
            "const Y: &str = include_str!(\"../build.rs\");\n",
            "const Y: &str = include_str!(\"../../b/README.md\");\n",
            "include!(concat!(env!(\"OUT_DIR\"), \"/y.rs\"));\n",
            "// #[path = \"../../b/src/y.rs\"]\n",
        ] {
            assert_eq!(found("a/src/x.rs", text), [""; 0], "{text}");
        }
    }
}
