//! C headers of the toolkit's own interfaces, made from the Rust sources that define them. A header is committed, and a
//! test of the crate that owns it calls [`check`], which fails where header and sources differ.

#![warn(clippy::missing_errors_doc)]

use std::path::{Path, PathBuf};

/// With this variable [`check`] writes the header instead of comparing it.
const UPDATE: &str = "HOSTCANN_UPDATE_HEADERS";

/// One header and what it is made from.
#[derive(Debug)]
pub struct Header<'a> {
    /// Below `hostcann/include`.
    pub path: &'a str,
    /// What it is for, in lines of `//`.
    pub intro: &'a str,
    pub includes: &'a [&'a str],
    /// Texts of Rust sources: their `#[repr(C)]` structures, constants, aliases and `extern "C"` functions.
    pub sources: &'a [String],
    /// Declarations that no Rust item stands for: opaque types, tables for the preprocessor.
    pub prelude: &'a str,
    /// Names in Rust and in C.
    pub names: &'a [(&'a str, &'a str)],
    /// Items of the sources that are none of the header.
    pub exclude: &'a [&'a str],
}

/// Fails where the committed header differs from its sources.
///
/// # Panics
/// When it differs, and when it cannot be made, read or written.
#[track_caller]
pub fn check(header: &Header<'_>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include").join(header.path);
    let made = generate(header);
    if std::env::var_os(UPDATE).is_some_and(|value| value == "1") {
        std::fs::write(&path, &made).unwrap_or_else(|e| panic!("cannot write {}: {e}", path.display()));
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    if let Some((line, expected, found)) = difference(&made, &found) {
        panic!(
            "hostcann/include/{}:{line} differs from its Rust sources.\n  expected: {expected}\n  found:    {found}\n\
             {UPDATE}=1 with this test writes the header; do not edit it",
            header.path
        );
    }
}

/// The first line that differs, counted from 1, with what both have there.
fn difference<'a>(made: &'a str, found: &'a str) -> Option<(usize, &'a str, &'a str)> {
    if made == found {
        return None;
    }
    let count = made.lines().count().max(found.lines().count());
    let line = |text: &'a str, at: usize| text.lines().nth(at).unwrap_or("(the end of the file)");
    let at = (0..count).find(|&at| line(made, at) != line(found, at)).unwrap_or(count);
    Some((at + 1, line(made, at), line(found, at)))
}

fn generate(header: &Header<'_>) -> String {
    let dir = tempfile::tempdir().unwrap_or_else(|e| panic!("cannot make a temporary directory: {e}"));
    let mut builder = cbindgen::Builder::new().with_config(config(header));
    for (at, source) in header.sources.iter().enumerate() {
        let file: PathBuf = dir.path().join(format!("source{at}.rs"));
        // The ABI of a function that may unwind is C's.
        std::fs::write(&file, source.replace("\"C-unwind\"", "\"C\""))
            .unwrap_or_else(|e| panic!("cannot write {}: {e}", file.display()));
        builder = builder.with_src(file);
    }
    let bindings = builder.generate().unwrap_or_else(|e| panic!("{}: cbindgen: {e}", header.path));
    let mut text = Vec::new();
    bindings.write(&mut text);
    without_safety(&String::from_utf8_lossy(&text))
}

fn config(header: &Header<'_>) -> cbindgen::Config {
    let guard = format!("HOSTCANN_{}", header.path.trim_start_matches("hostcann/").to_uppercase().replace('.', "_"));
    let own = |text: &&str| (*text).to_owned();
    let mut config = cbindgen::Config {
        header: Some(format!(
            "{}\n// Made from Rust sources: a test compares, {UPDATE}=1 writes it.\n// clang-format off",
            header.intro
        )),
        include_guard: Some(guard),
        includes: header.includes.iter().filter(|name| name.contains('/')).map(own).collect(),
        sys_includes: header.includes.iter().filter(|name| !name.contains('/')).map(own).collect(),
        after_includes: (!header.prelude.is_empty()).then(|| format!("\n{}", header.prelude.trim_end())),
        no_includes: true,
        language: cbindgen::Language::C,
        cpp_compat: true,
        style: cbindgen::Style::Type,
        documentation_style: cbindgen::DocumentationStyle::C99,
        usize_is_size_t: true,
        line_length: 120,
        tab_width: 4,
        ..cbindgen::Config::default()
    };
    config.export.rename = header.names.iter().map(|(rust, c)| ((*rust).to_owned(), (*c).to_owned())).collect();
    config.export.exclude = header.exclude.iter().map(own).collect();
    config
}

/// The text without the chapters that say what an unsafe Rust function requires, each to the end of its comment.
fn without_safety(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let comment = line.trim_start().strip_prefix("//").map(str::trim);
        inside = comment.is_some_and(|comment| inside || comment == "# Safety");
        if inside {
            // The empty line before the chapter.
            kept.pop_if(|last| last.trim() == "//");
        } else {
            kept.push(line.trim_end());
        }
    }
    kept.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "/// A pair.
#[repr(C)]
pub struct Pair {
    /// How many.
    pub count: u32,
    pub data: *const c_void,
}
/// Sums it up.
///
/// # Safety
/// `pair` is valid.
#[no_mangle]
pub unsafe extern \"C-unwind\" fn hc_sum(pair: *const Pair, size: usize) -> i32 { 0 }
#[no_mangle]
pub extern \"C\" fn hc_other() {}
";

    #[test]
    fn structures_and_functions_become_c() {
        let sources = [SOURCE.to_owned()];
        let text = generate(&Header {
            path: "hostcann/x.h",
            intro: "// Pairs.",
            includes: &["stdint.h"],
            sources: &sources,
            prelude: "typedef struct a a;\n",
            names: &[("Pair", "hc_pair")],
            exclude: &["hc_other"],
        });
        for part in [
            "// Pairs.\n",
            "#ifndef HOSTCANN_X_H\n",
            "#include <stdint.h>\n",
            "typedef struct a a;\n",
            "// A pair.\ntypedef struct {\n    // How many.\n    uint32_t count;\n    const void *data;\n} hc_pair;\n",
            "// Sums it up.\nint32_t hc_sum(const hc_pair *pair, size_t size);\n",
        ] {
            assert!(text.contains(part), "{part}\nis not in\n{text}");
        }
        assert!(!text.contains("Safety") && !text.contains("hc_other"), "{text}");
    }

    #[test]
    fn the_first_line_that_differs() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n"), Some((2, "b", "c")));
        assert_eq!(difference("a\nb\n", "a\n"), Some((2, "b", "(the end of the file)")));
    }
}
