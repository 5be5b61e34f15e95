//! Embeds the kernel code that generated kernels compute `Fmod` by: the headers of the operator of that name.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

const HEADERS: &str = "../../experimental/math/fmod/op_kernel";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let dir = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join(HEADERS);
    println!("cargo::rerun-if-changed={}", dir.display());
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&dir).map_err(|error| format!("{}: {error}", dir.display()))? {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "h"));
    paths.sort();
    let mut rows = String::new();
    for path in &paths {
        let name = path.file_name().ok_or("a header without a name")?;
        rows += &format!("    ({name:?}, include_str!({path:?})),\n");
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("kernel_headers.rs"), format!("&[\n{rows}]\n"))?;
    Ok(())
}
