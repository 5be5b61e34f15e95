//! Upstream finds an op by one name: its directory, the definition's file and OPTYPE in CMakeLists.txt. Where they differ its
//! build passes the op over or stops, so it is refused here, too (ops-math cmake/func.cmake: the definition is
//! op_host/<OPTYPE>_def*.cpp, the op type comes from <directory>_def.cpp).

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::base::diag::{HintExt, Kind, failed};

const HINT: &str = "directory, op_host/<op>_def.cpp and OPTYPE have one name in lower case, for example \
                    math/add_example: add_example_def.cpp, OPTYPE add_example";

/// `is_defined`: it has a definition, as all have but those with AI CPU kernels only.
pub fn check(op: &Path, name: &str, is_defined: bool) -> Result<()> {
    let wrong = |at: String, what: String| Err(failed(Kind::UnknownOp, format!("{at}: {what}")).hint(HINT));
    let lower = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !lower {
        return wrong(
            op.display().to_string(),
            format!("an op directory has lower case letters, digits and `_`, not `{name}`"),
        );
    }
    for file in ["CMakeLists.txt", "op_host/CMakeLists.txt"] {
        let path = op.join(file);
        if !path.is_file() {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for (line, stem) in op_types(&text) {
            if stem != name && !stem.contains('$') {
                return wrong(
                    format!("{}:{line}", path.display()),
                    format!("OPTYPE {stem}: upstream expects {name}, the name of the directory"),
                );
            }
        }
    }
    let definition = op.join("op_host").join(format!("{name}_def.cpp"));
    if is_defined && !definition.is_file() {
        return wrong(
            definition.display().to_string(),
            "it does not exist; upstream reads no other definition".to_owned(),
        );
    }
    Ok(())
}

/// What stands behind OPTYPE in the calls that declare an op, each with its line.
fn op_types(text: &str) -> Vec<(usize, String)> {
    const KEYWORDS: [&str; 10] = [
        "ACLNNTYPE",
        "ACLNN_EXTRA_VERSION",
        "DEPENDENCIES",
        "COMPUTE_UNIT",
        "TILING_DIR",
        "DISABLE_IN_OPP",
        "HOSTCPU",
        "HOSTNAME",
        "MODE",
        "DIR",
    ];
    let mut found = Vec::new();
    let (mut call, mut value) = (false, false);
    for (index, line) in text.lines().enumerate() {
        let code = line.split('#').next().unwrap_or_default();
        for word in code.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            match word {
                "add_all_modules_sources" | "add_modules_sources" => call = true,
                ")" => (call, value) = (false, false),
                "OPTYPE" => value = call,
                word if KEYWORDS.contains(&word) => value = false,
                word if value => found.push((index + 1, word.trim_matches('"').to_owned())),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diag;
    use crate::base::files::write_if_changed;

    #[test]
    fn values_of_optype() {
        let text = "# add_all_modules_sources(OPTYPE no)\nset(OPTYPE x)\nadd_all_modules_sources(OPTYPE a\n  b # c\n  ACLNNTYPE aclnn)\n\
                    add_modules_sources( OPTYPE \"d\" ACLNN_EXTRA_VERSION v2 ACLNNTYPE aclnn)";
        assert_eq!(op_types(text), [(3, "a".to_owned()), (4, "b".to_owned()), (6, "d".to_owned())]);
    }

    #[test]
    fn one_name() {
        let temp = tempfile::tempdir().expect("temp dir");
        let op = |dir: &str, file: &str, optype: &str| {
            let path = temp.path().join(dir);
            let text = format!("\nadd_all_modules_sources(OPTYPE {optype} ACLNNTYPE aclnn)\n");
            write_if_changed(&path.join("CMakeLists.txt"), text.as_bytes()).expect("write");
            write_if_changed(&path.join("op_host").join(file), b"").expect("write");
            check(&path, dir, true).map_err(|error| (diag::code(&error), diag::causes(&error).remove(0)))
        };
        assert_eq!(op("square", "square_def.cpp", "square"), Ok(()));
        let part = |result: Result<(), (u8, String)>, part: &str| {
            let (code, text) = result.expect_err(part);
            assert!(code == 15 && text.contains(part), "{text}");
        };
        part(
            op("square", "square_def.cpp", "Square"),
            "/square/CMakeLists.txt:2: OPTYPE Square: upstream expects square",
        );
        part(op("cube", "cube_def.cpp", "cubes"), "/cube/CMakeLists.txt:2: OPTYPE cubes: upstream expects cube");
        part(op("quadrat", "square_def.cpp", "quadrat"), "/quadrat/op_host/quadrat_def.cpp: it does not exist");
        part(op("Square2", "Square2_def.cpp", "Square2"), "lower case letters, digits and `_`, not `Square2`");
        part(op("2nd", "2nd_def.cpp", "2nd"), "not `2nd`");
    }
}
