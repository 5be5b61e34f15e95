//! What the texts of kernel files ask of the kernel compiler before a preprocessor reads them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cpptext::{Directive, Include, directives, includes};

use super::ini::Op;
use crate::base::files;

/// Text of every header and source below `dir`, by path.
fn texts(dir: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for file in files::walk(dir)? {
        if file.extension().is_some_and(|name| ["h", "hpp", "cpp", "inc"].iter().any(|known| name == *known)) {
            let path = dir.join(file);
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            found.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(found)
}

/// No macro TILING_KEY_VAR, for sources whose directives ask for it.
pub const NO_KEY: &str = "-DHOSTCANN_NO_TILING_KEY_VAR";

/// Options that these kernels, compiled from `chosen`, need besides the definition's.
pub fn options(kernel_dir: &Path, chosen: &[PathBuf]) -> Result<Vec<String>> {
    let mut options = Vec::new();
    let mut texts = texts(kernel_dir)?;
    // Kernel files of other chips lie beside those of this one.
    texts.retain(|(path, text)| {
        let is_kernel = path.extension().is_some_and(|name| name == "cpp") && text.contains("__global__");
        !is_kernel || chosen.is_empty() || chosen.contains(path)
    });
    // A launcher beside the kernel is for programs of the device compiler; sources hide it with the macro of CPU builds.
    for (_, text) in texts.iter().filter(|(_, text)| text.contains("<<<")) {
        options.push("-DASCENDC_CPU_DEBUG=1".to_owned());
        options.extend(text.contains("#ifndef __CCE_KT_TEST__").then(|| "-D__CCE_KT_TEST__=1".to_owned()));
    }
    options.sort();
    options.dedup();
    let asks = |Directive { name, rest, .. }: Directive| {
        (name.starts_with("if") || name.starts_with("elif")) && rest.contains("TILING_KEY_VAR")
    };
    if texts.iter().any(|(_, text)| directives(text).into_iter().any(asks)) {
        options.push(NO_KEY.to_owned());
    }
    Ok(options)
}

/// The option that brings the toolkit's complex types, for an op that has some.
pub fn complex_types_of(op: &Op, kernel_dir: &Path) -> Result<Option<String>> {
    let mut tensors = op.inputs()?.into_iter().chain(op.outputs()?);
    let has_some = tensors.any(|tensor| tensor.dtypes.iter().any(|dtype| dtype.starts_with("complex")));
    if has_some { complex_types(kernel_dir) } else { Ok(None) }
}

/// None where these sources name a type of their own so.
fn complex_types(kernel_dir: &Path) -> Result<Option<String>> {
    let declares = |line: &str| {
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        ["complex32", "complex64"].iter().any(|name| match words.as_slice() {
            ["using" | "struct" | "class", second, ..] => second == name,
            ["typedef", .., last] => last == name,
            _ => false,
        })
    };
    let own = texts(kernel_dir)?.iter().any(|(_, text)| text.lines().any(declares));
    Ok((!own).then(|| "-DHOSTCANN_COMPLEX_TYPES".to_owned()))
}

/// In a package the kernels of all ops lie side by side, and sources include `../<other op>/<file>`. Include directories
/// below `stage` from which such names lead to the other op's op_kernel.
pub fn siblings(kernel_dir: &Path, stage: &Path) -> Result<Vec<PathBuf>> {
    let (mut names, mut depths) = (BTreeSet::new(), BTreeSet::new());
    let mut open = vec![kernel_dir.to_path_buf()];
    let mut links = Vec::new();
    while let Some(dir) = open.pop() {
        for (path, text) in texts(&dir)? {
            for (depth, name) in includes_above(&path, &text) {
                let Some(other) = op_kernel_of(kernel_dir, &name) else { continue };
                depths.insert(depth);
                if names.insert(name.clone()) {
                    links.push((name, other.clone()));
                    open.push(other);
                }
            }
        }
    }
    files::remove_dir_if_there(stage)?;
    let mut found = Vec::new();
    for depth in depths {
        let dir = (1..depth).fold(stage.join("self"), |dir, _| dir.join("below"));
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        found.push(dir);
    }
    for (name, target) in links {
        let link = stage.join(name);
        symlink(&target, &link).with_context(|| format!("cannot create {}", link.display()))?;
    }
    Ok(found)
}

/// `(number of ../, first name behind them)` of quoted includes that lead nowhere from where they stand.
fn includes_above(file: &Path, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for Include { path, .. } in includes(text).into_iter().filter(|include| !include.angle) {
        let mut below = path.as_str();
        let mut depth = 0;
        while let Some(rest) = below.strip_prefix("../") {
            below = rest;
            depth += 1;
        }
        let (Some((name, _)), Some(dir)) = (below.split_once('/'), file.parent()) else { continue };
        if depth > 0 && !dir.join(&path).exists() {
            found.push((depth, name.to_owned()));
        }
    }
    found
}

/// The op_kernel of another op directory: of the same category, another one, or the standard ones of a checkout.
fn op_kernel_of(kernel_dir: &Path, name: &str) -> Option<PathBuf> {
    let category = kernel_dir.parent()?.parent()?;
    let mut places = vec![category.to_path_buf()];
    for above in category.ancestors().skip(1).take(2) {
        let mut below: Vec<PathBuf> = fs::read_dir(above).ok()?.flatten().map(|entry| entry.path()).collect();
        below.sort();
        places.extend(below);
    }
    places.into_iter().map(|place| place.join(name).join("op_kernel")).find(|dir| dir.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    fn write(dir: &Path, file: &str, text: &str) {
        write_if_changed(&dir.join(file), text.as_bytes()).expect("write");
    }

    #[test]
    fn other_ops_lie_beside_this_one() {
        let temp = tempfile::tempdir().expect("temp dir");
        let root = temp.path().join("tree");
        write(&root, "math/one/op_kernel/one.cpp", "#include \"../two/two.h\"\n#include \"../nowhere/x.h\"\n");
        write(
            &root,
            "math/one/op_kernel/arch/deep.h",
            "  # include \"../../three/three.h\"\n#include \"../one.cpp\"\n",
        );
        write(&root, "math/two/op_kernel/two.h", "#include \"../four/four.h\"\n");
        write(&root, "conversion/three/op_kernel/three.h", "");
        write(&root, "math/four/op_kernel/four.h", "");
        let stage = temp.path().join("stage");
        let dirs = siblings(&root.join("math/one/op_kernel"), &stage).expect("staged");
        assert_eq!(dirs, [stage.join("self"), stage.join("self/below")]);
        assert!(dirs[0].join("../two/two.h").is_file());
        assert!(dirs[0].join("../four/four.h").is_file());
        assert!(dirs[1].join("../../three/three.h").is_file());
        let plain = siblings(&root.join("math/four/op_kernel"), &stage).expect("nothing to stage");
        assert!(plain.is_empty() && !stage.exists());
    }

    #[test]
    fn complex_types_of_their_own() {
        let temp = tempfile::tempdir().expect("temp dir");
        let of = |text: &str| {
            write(temp.path(), "k.h", text);
            complex_types(temp.path()).expect("read")
        };
        for own in ["using complex64 = uint64_t;", "  struct complex32 {", "typedef uint64_t complex64;"] {
            assert_eq!(of(own), None, "{own}");
        }
        for other in ["using T = complex64;", "struct Pair { complex64 a; };", "// complex64", "f<complex64>();"] {
            assert_eq!(of(other).as_deref(), Some("-DHOSTCANN_COMPLEX_TYPES"), "{other}");
        }
    }

    #[test]
    fn what_sources_ask_for() {
        let temp = tempfile::tempdir().expect("temp dir");
        let of = |text: &str| {
            write(temp.path(), "k.cpp", text);
            options(temp.path(), &[temp.path().join("k.cpp")])
        };
        assert!(of("#if X == 1\nint a = TILING_KEY_VAR;\n#endif\n").expect("nothing").is_empty());
        assert_eq!(of("f<<<1, nullptr, s>>>(x);").expect("options"), ["-DASCENDC_CPU_DEBUG=1"]);
        let older = "#ifndef __CCE_KT_TEST__\nvoid g() { f<<<1, nullptr, s>>>(x); }\n#endif\n";
        assert_eq!(of(older).expect("options"), ["-DASCENDC_CPU_DEBUG=1", "-D__CCE_KT_TEST__=1"]);
        let guarded = "#if defined(TILING_KEY_VAR) && \\\n    TILING_KEY_VAR != 3\n#endif\n";
        assert_eq!(of(guarded).expect("options"), ["-DHOSTCANN_NO_TILING_KEY_VAR"]);
        assert_eq!(of("#ifdef TILING_KEY_VAR\n#endif\n").expect("options"), ["-DHOSTCANN_NO_TILING_KEY_VAR"]);
        // What other chips are compiled from is not read, what it is made of is.
        write(temp.path(), "k_apt.cpp", "__global__ void k();\n#if TILING_KEY_VAR == 3\n#endif\n");
        assert!(of("int x;").expect("nothing").is_empty());
        write(temp.path(), "part.cpp", "#if TILING_KEY_VAR == 3\n#endif\n");
        assert_eq!(of("#include \"part.cpp\"\n").expect("options"), ["-DHOSTCANN_NO_TILING_KEY_VAR"]);
    }
}
