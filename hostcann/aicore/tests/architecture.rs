//! The crates depend on each other in one direction. Of the modules inside them `cargo xtask tidy` says the same.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn crates_depend_in_one_direction() {
    let depends = |name: &str| {
        let text = read(&root().join(name).join("Cargo.toml"));
        let of_ours = |l: &&str| {
            let is_leaf = l.starts_with("hostcann-types");
            l.starts_with("aicore") || l.starts_with("hostcann-") && !is_leaf || l.starts_with("ascendcl")
        };
        let of_ours: Vec<String> = text.lines().filter(of_ours).map(str::to_owned).collect();
        of_ours.len()
    };
    assert_eq!(depends("hostcann/runtime"), 1, "runtime depends on aicore");
    for name in ["hostcann/aicore", "hostcann/cli", "tests"] {
        assert_eq!(depends(name), 0, "{name} depends on a crate of the toolkit");
    }
}
