//! Rules about one file at a time.

use super::{Finding, Source};

const MOST_LINES: usize = 400;

/// Exceptions and their reasons: `<rule> <path>: <reason>`.
const EXCEPTIONS: &str = include_str!("../../tidy.txt");

fn excepted(rule: &str) -> impl Iterator<Item = &str> {
    EXCEPTIONS.lines().filter_map(move |line| line.strip_prefix(rule)?.strip_prefix(' ')?.split(": ").next())
}

pub fn all(sources: &[Source], ops: &[String]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = sources
        .iter()
        .flat_map(|source| {
            let found = [
                notice(source),
                about(source),
                length(source),
                white_space(source),
                lambda(source),
                product(source, ops),
            ];
            found.into_iter().flatten()
        })
        .collect();
    for path in excepted("long").chain(excepted("word")) {
        if !sources.iter().any(|source| source.path == path) {
            findings.push(Finding {
                path: path.to_owned(),
                line: 0,
                message: "is not there any more; take it from xtask/tidy.txt".to_owned(),
            });
        }
    }
    findings
}

fn about_file(source: &Source, message: String) -> Vec<Finding> {
    vec![Finding { path: source.path.clone(), line: 0, message }]
}

/// Operators go upstream, where every source has the notice.
fn notice(source: &Source) -> Vec<Finding> {
    let wanted = source.path.starts_with("experimental/")
        && source.path != "experimental/CMakeLists.txt"
        && (["h", "hpp", "cpp", "py", "sh"].contains(&source.extension()) || source.path.ends_with("CMakeLists.txt"));
    let there =
        source.text.lines().take(10).any(|line| line.contains("CANN Open Software License Agreement Version 2.0"));
    if !wanted || there {
        return Vec::new();
    }
    about_file(source, "upstream's licence notice is missing at the top; copy it from a neighbour".to_owned())
}

fn about(source: &Source) -> Vec<Finding> {
    // Test files belong to the file whose name they carry.
    if source.extension() != "rs" || source.path.ends_with("_tests.rs") || source.text.starts_with("//!") {
        return Vec::new();
    }
    about_file(source, "the first line says what the file is about: `//! …`".to_owned())
}

fn length(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    let counts = ["rs", "h", "hpp", "cpp", "py", "sh", "cmake"].contains(&source.extension());
    if !counts || lines <= MOST_LINES || excepted("long").any(|path| path == source.path) {
        return Vec::new();
    }
    let advice = "split it, or give the reason in xtask/tidy.txt";
    about_file(source, format!("{lines} lines, at most {MOST_LINES} are expected; {advice}"))
}

fn white_space(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add =
        |line, message: &str| findings.push(Finding { path: source.path.clone(), line, message: message.to_owned() });
    for (at, line) in source.text.split('\n').enumerate() {
        if line.ends_with('\r') {
            add(at + 1, "the line ends with CR LF, LF is expected");
        } else if line.ends_with([' ', '\t']) {
            add(at + 1, "blanks at the end of the line");
        } else if ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark)) {
            add(at + 1, "a mark of a merge that was not finished");
        } else if line.contains('\t') {
            add(at + 1, "a tab; blanks are expected");
        }
    }
    if !source.text.is_empty() && !source.text.ends_with('\n') {
        add(source.text.lines().count(), "no end of line at the end of the file");
    }
    findings
}

/// Compilers for the device differ in what they take of a lambda: kernels have functions instead.
fn lambda(source: &Source) -> Vec<Finding> {
    let wanted = source.path.starts_with("experimental/")
        && source.path.contains("/op_kernel/")
        && !source.path.contains("/tests/");
    if !wanted || !["h", "hpp", "cpp"].contains(&source.extension()) {
        return Vec::new();
    }
    let code = cpptext::code(&source.text);
    let found = code.lines().enumerate().filter(|(_, line)| begins_lambda(line));
    let message = "a lambda in device code; write a function, or a class where a template takes it";
    found.map(|(at, _)| Finding { path: source.path.clone(), line: at + 1, message: message.to_owned() }).collect()
}

/// `[…](` and `[…] {` behind anything that is no name: an index has one in front.
fn begins_lambda(code: &str) -> bool {
    code.match_indices('[').any(|(at, _)| {
        let is_index = |c: char| c.is_alphanumeric() || "_)][".contains(c);
        let Some((captures, rest)) = code[at + 1..].split_once(']') else { return false };
        !code[..at].trim_end().ends_with(is_index)
            && !captures.contains('[')
            && rest.trim_start().starts_with(['(', '{'])
    })
}

/// The tool serves any operator: none of this repository is named in its code. Tests may.
fn product(source: &Source, ops: &[String]) -> Vec<Finding> {
    let own = source.path.starts_with("hostcann/cli/src/")
        && source.extension() == "rs"
        && !source.path.ends_with("_tests.rs");
    if !own || excepted("word").any(|path| path == source.path) {
        return Vec::new();
    }
    let code = source.text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let mut findings = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let low = line.to_ascii_lowercase();
        for op in ops.iter().filter(|op| low.contains(op.as_str())) {
            let message = format!("names the operator `{op}`; the tool knows operators by their directories only");
            findings.push(Finding { path: source.path.clone(), line: at + 1, message });
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

    fn messages(findings: Vec<Finding>) -> Vec<String> {
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn operators_carry_the_notice() {
        let good = "/**\n * CANN Open Software License Agreement Version 2.0 (the \"License\").\n */\n";
        for path in ["experimental/math/x/op_kernel/x.cpp", "experimental/math/x/CMakeLists.txt"] {
            assert_eq!(notice(&source(path, good)), []);
            assert_eq!(
                messages(notice(&source(path, "int x;\n"))),
                [format!("{path}: upstream's licence notice is missing at the top; copy it from a neighbour")]
            );
        }
        assert_eq!(notice(&source("hostcann/x.cpp", "int x;\n")), []);
    }

    #[test]
    fn kernels_have_no_lambda() {
        let kernel = "experimental/math/x/op_kernel/x.h";
        let code = "auto f = [&](int i) { };\nRun([this, n] { });\nint y = a[i](0); // [&](int)\n[[nodiscard]] int g();\ndelete[] (p);\n";
        let message = "a lambda in device code; write a function, or a class where a template takes it";
        let want = [1, 2].map(|line| format!("{kernel}:{line}: {message}"));
        assert_eq!(messages(lambda(&source(kernel, code))), want);
        for host in ["experimental/math/x/op_host/x.h", "experimental/math/x/tests/ut/op_kernel/x.cpp"] {
            assert_eq!(lambda(&source(host, code)), []);
        }
    }

    #[test]
    fn rust_files_say_what_they_are_about() {
        assert_eq!(about(&source("a/b.rs", "//! B.\n")), []);
        assert_eq!(about(&source("a/b_tests.rs", "use x;\n")), []);
        assert_eq!(messages(about(&source("a/b.rs", "use x;\n"))).len(), 1);
    }

    #[test]
    fn long_files_have_a_reason() {
        let text = "x\n".repeat(401);
        assert_eq!(length(&source("a.h", &text[2..])), []);
        assert_eq!(
            messages(length(&source("a.h", &text))),
            ["a.h: 401 lines, at most 400 are expected; split it, or give the reason in xtask/tidy.txt"]
        );
        assert_eq!(length(&source(excepted("long").next().expect("one"), &text)), []);
        assert_eq!(length(&source("a.md", &text)), []);
    }

    #[test]
    fn reasons_for_files_that_are_gone() {
        let listed: Vec<&str> = excepted("long").chain(excepted("word")).collect();
        let there: Vec<Source> = listed[1..].iter().map(|path| source(path, "//! X.\n")).collect();
        let gone: Vec<Finding> =
            all(&there, &[]).into_iter().filter(|finding| finding.message.contains("not there")).collect();
        assert_eq!(gone.len(), 1);
        assert_eq!(gone[0].path, listed[0]);
    }

    #[test]
    fn every_exception_has_a_reason() {
        for line in EXCEPTIONS.lines().filter(|line| !line.starts_with('#')) {
            let good = line.split_once(": ").is_some_and(|(_, reason)| reason.len() > 5);
            assert!(good && (line.starts_with("long ") || line.starts_with("word ")), "{line}");
        }
    }

    #[test]
    fn blanks_tabs_and_line_ends() {
        assert_eq!(white_space(&source("a.md", "x\n\ny\n")), []);
        assert_eq!(
            messages(white_space(&source("a.md", "x \ny\r\n\tz\n<<<<<<< a\nend"))),
            [
                "a.md:1: blanks at the end of the line",
                "a.md:2: the line ends with CR LF, LF is expected",
                "a.md:3: a tab; blanks are expected",
                "a.md:4: a mark of a merge that was not finished",
                "a.md:5: no end of line at the end of the file"
            ]
        );
    }

    #[test]
    fn the_tool_names_no_operator() {
        let ops = ["square".to_owned()];
        let code =
            "//! X.\nconst OP: &str = \"experimental/math/Square\";\n\n#[cfg(test)]\nmod tests { /* square */ }\n";
        assert_eq!(
            messages(product(&source("hostcann/cli/src/x.rs", code), &ops)),
            [
                "hostcann/cli/src/x.rs:2: names the operator `square`; the tool knows operators by their directories only"
            ]
        );
        assert_eq!(product(&source("hostcann/cli/src/x_tests.rs", code), &ops), []);
        assert_eq!(product(&source("tests/src/x.rs", code), &ops), []);
    }
}
