//! Lists the operator's headers that generated kernels get, each behind those that it includes.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The kernels of either precision.
const ROOTS: [&str; 2] = ["fmod_tbe.h", "fmod_exact.h"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let dir = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../experimental/math/fmod/op_kernel");
    let mut names = Vec::new();
    for root in ROOTS {
        visit(&dir, root, &mut names)?;
    }
    let row = |name: &String| format!("    ({name:?}, include_str!({:?})),\n", dir.join(name));
    let rows: String = names.iter().map(row).collect();
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("headers.rs"), format!("&[\n{rows}]\n"))?;
    Ok(())
}

fn visit(dir: &Path, name: &str, names: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let path = dir.join(name);
    println!("cargo::rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    for included in text.lines().filter_map(|line| line.strip_prefix("#include \"")?.split('"').next()) {
        if dir.join(included).is_file() {
            visit(dir, included, names)?;
        }
    }
    names.push(name.to_owned());
    Ok(())
}
