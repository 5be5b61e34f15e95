//! Headers that a toolkit has under several names, from the table `hostcann/include/forwards.txt`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

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
                files.push((PathBuf::from(path), text));
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_includes_its_target() {
        let has = |path: &Path| path == Path::new("a/b.h");
        let made = make("# names\n\na/b.h\n    lib/b.h\n    c.h\n", has).expect("a table");
        let text = "// Another name of a/b.h.\n#pragma once\n#include \"a/b.h\"\n".to_owned();
        assert_eq!(made, [(PathBuf::from("lib/b.h"), text.clone()), (PathBuf::from("c.h"), text)]);
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
            path == Path::new("lib/matmul_intf.h") && text.contains("ascendc/kernel/matmul_absent.h")
        }));
    }
}
