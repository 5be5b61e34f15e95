//! Headers that are written where a toolkit is assembled: the other names of headers, from the table
//! `hostcann/include/forwards.txt`, and a header for each of the l0op functions that stand in one file of the sources.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Files below `include/` and their contents. `has` says whether a target is there.
///
/// # Errors
///
/// A path before any target, a target that is not there, or a path that is a header of its own.
pub fn make(table: &str, has: impl Fn(&Path) -> bool) -> Result<Vec<(PathBuf, String)>> {
    let mut target: Option<&str> = None;
    let mut files = Vec::new();
    for (number, line) in table.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let Some(path) = line.strip_prefix("    ") else {
            if !has(Path::new(line)) {
                bail!("forwards.txt:{}: there is no header {line}", number + 1);
            }
            target = Some(line);
            continue;
        };
        match target {
            None => bail!("forwards.txt:{}: {path} stands below no target", number + 1),
            Some(_) if has(Path::new(path)) => bail!("forwards.txt:{}: {path} is a header of its own", number + 1),
            Some(target) => {
                let text = format!("// Another name of {target}.\n#pragma once\n#include \"{target}\"\n");
                // A toolkit has tiling/<category> as a link to adv_api/<category> (asc-devkit, tiling_headers.cmake).
                if let Some((category, name)) = path.strip_prefix("adv_api/").and_then(|rest| rest.split_once('/'))
                    && name.contains("_tiling")
                {
                    files.push((Path::new("tiling").join(category).join(name), text.clone()));
                }
                files.push((PathBuf::from(path), text));
            }
        }
    }
    Ok(files)
}

/// Below `include/`.
pub const L0_FUNCTIONS: &str = "hostcann/l0_functions.h";

/// The headers of the l0op functions and their contents: a comment `// <path>.h: <headers>` begins each.
///
/// # Errors
///
/// A header without an include, or no namespace l0op around them.
pub fn l0_headers(text: &str) -> Result<Vec<(PathBuf, String)>> {
    let inside =
        text.split_once("\nnamespace l0op {\n").and_then(|(_, rest)| rest.split_once("\n} // namespace l0op\n"));
    let (inside, _) = inside.with_context(|| format!("{L0_FUNCTIONS} has no namespace l0op"))?;
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for line in inside.lines() {
        let head =
            line.strip_prefix("// ").and_then(|line| line.split_once(".h:")).filter(|head| !head.0.contains(' '));
        match (head, files.last_mut()) {
            (Some((name, includes)), _) => {
                if includes.trim().is_empty() {
                    bail!("{L0_FUNCTIONS}: {name}.h includes nothing; expected `// {name}.h: <headers>`");
                }
                let includes: String =
                    includes.split_whitespace().map(|name| format!("#include \"{name}\"\n")).collect();
                let text = format!("// Made from {L0_FUNCTIONS}.\n#pragma once\n{includes}\nnamespace l0op {{\n");
                files.push((PathBuf::from(format!("{name}.h")), text));
            }
            (None, Some((_, text))) => *text += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    for (_, text) in &mut files {
        *text = format!("{}\n}} // namespace l0op\n", text.trim_end());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_l0_header_has_its_own_functions_and_includes() {
        let text = "// All.\nnamespace l0op {\n\n// a/one.h: x.h y.h\n// Note: of.h here.\nint One();\n\nint More();\n\n\
                    // a/two.h: x.h\nint Two();\n\n} // namespace l0op\nrest\n";
        let one = "// Made from hostcann/l0_functions.h.\n#pragma once\n#include \"x.h\"\n#include \"y.h\"\n\n\
                   namespace l0op {\n// Note: of.h here.\nint One();\n\nint More();\n} // namespace l0op\n";
        let made = l0_headers(text).expect("headers");
        assert_eq!(made[0], (PathBuf::from("a/one.h"), one.to_owned()));
        assert!(made[1].1.contains("int Two();") && !made[1].1.contains("y.h") && made.len() == 2);
        let error = |text: &str| l0_headers(text).expect_err("an error").to_string();
        assert_eq!(error("int x;"), "hostcann/l0_functions.h has no namespace l0op");
        assert!(error(&text.replace(": x.h\n", ":\n")).contains("a/two.h includes nothing"));
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
        let own = l0_headers(&std::fs::read_to_string(include.join(L0_FUNCTIONS)).expect("the file")).expect("headers");
        assert_eq!(own.len(), 21);
        assert!(own.iter().all(|(path, text)| text.contains("const aclTensor* ") && !include.join(path).exists()));
    }

    #[test]
    fn a_path_includes_its_target() {
        let has = |path: &Path| path == Path::new("a/b.h");
        let made = make("# names\n\na/b.h\n    lib/b.h\n    c.h\n", has).expect("a table");
        let text = "// Another name of a/b.h.\n#pragma once\n#include \"a/b.h\"\n".to_owned();
        assert_eq!(made, [(PathBuf::from("lib/b.h"), text.clone()), (PathBuf::from("c.h"), text)]);
        let made = make("a/b.h\n    adv_api/math/log_tiling.h\n    adv_api/math/log.h\n    adv_api/x_tiling.h\n", has);
        let names: Vec<_> = made.expect("a table").into_iter().map(|(path, _)| path).collect();
        let want =
            ["tiling/math/log_tiling.h", "adv_api/math/log_tiling.h", "adv_api/math/log.h", "adv_api/x_tiling.h"];
        assert_eq!(names, want.map(PathBuf::from));
        let error = |table: &str| make(table, has).expect_err("an error").to_string();
        assert_eq!(error("    lib/b.h\n"), "forwards.txt:1: lib/b.h stands below no target");
        assert_eq!(error("\nx.h\n"), "forwards.txt:2: there is no header x.h");
        assert_eq!(error("a/b.h\n    a/b.h\n"), "forwards.txt:2: a/b.h is a header of its own");
    }

    #[test]
    fn the_table_holds_every_name_once() {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
        let table = std::fs::read_to_string(include.join("forwards.txt")).expect("the table");
        let made = make(&table, |path| include.join(path).is_file()).expect("it is right");
        let mut names: Vec<&PathBuf> = made.iter().map(|(path, _)| path).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), made.len());
        assert!(made.iter().any(|(path, text)| {
            path == Path::new("lib/matmul_intf.h") && text.contains("ascendc/kernel/cube/matmul.h")
        }));
    }
}
