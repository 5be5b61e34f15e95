//! What a package is made of. The program writes a digest of it into the package; the tests of an installed package compute
//! it again and run only when both agree.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// In front of an op's name and of `toolkit` in `version.info`.
pub const KEY: &str = "sources.";
/// Everything that is not an op: the toolkit and what builds packages.
pub const TOOLKIT: &str = "toolkit";

/// Of an op directory: tests, examples and documents are not packed.
const OP_PARTS: [&str; 5] = ["CMakeLists.txt", "op_api", "op_graph", "op_host", "op_kernel"];
const TOOLKIT_PARTS: [&str; 6] = [
    "Cargo.lock",
    "experimental/CMakeLists.txt",
    "hostcann",
    "scripts/cmake",
    "scripts/package",
    "hostcann/cli/src/build/opc",
];
/// The program builds packages and is in none; of it the compiler of kernels alone makes what is installed.
const PROGRAM: &str = "hostcann/cli";

/// Gives a hash the names and contents of an op's sources, in the order of names.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn of_op(dir: &Path, hash: impl FnMut(&[u8])) -> io::Result<()> {
    feed(dir, &OP_PARTS, hash)
}

/// The same for the toolkit in a repository.
///
/// # Errors
/// A file or folder that cannot be read.
pub fn of_toolkit(repository: &Path, hash: impl FnMut(&[u8])) -> io::Result<()> {
    feed(repository, &TOOLKIT_PARTS, hash)
}

fn feed(root: &Path, parts: &[&str], mut hash: impl FnMut(&[u8])) -> io::Result<()> {
    let mut files = Vec::new();
    for part in parts {
        collect(root, PathBuf::from(part), &mut files)?;
    }
    files.sort();
    for file in files {
        let content = fs::read(root.join(&file))?;
        let name = file.as_os_str().as_encoded_bytes();
        for bytes in [name, &content] {
            hash(&(bytes.len() as u64).to_le_bytes());
            hash(bytes);
        }
    }
    Ok(())
}

/// Files below `path`; a part that an op does not have is no error.
fn collect(root: &Path, path: PathBuf, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let whole = root.join(&path);
    if whole.is_file() {
        files.push(path);
        return Ok(());
    }
    if !whole.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(&whole)? {
        let name = entry?.file_name();
        let text = name.to_string_lossy();
        // Editors' files, tests of the toolkit and its documents change nothing that is installed.
        let other = text.starts_with('.') || text.ends_with('~') || text.ends_with(".md");
        let below = path.join(&name);
        if !other && text != "tests" && text != "ut" && below != Path::new(PROGRAM) {
            collect(root, below, files)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a hash gets.
    fn of_op(dir: &Path) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        super::of_op(dir, |bytes| all.extend_from_slice(bytes))?;
        Ok(all)
    }

    #[test]
    fn what_is_built_counts_and_nothing_else() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| {
            let path = temp.path().join(file);
            fs::create_dir_all(path.parent().expect("parent")).expect("mkdir");
            fs::write(path, text).expect("write");
        };
        write("CMakeLists.txt", "1");
        write("op_host/a.cpp", "1");
        write("op_kernel/arch/b.h", "1");
        let mut seen = vec![of_op(temp.path()).expect("digest")];
        for (file, text, counts) in [
            ("op_kernel/arch/b.h", "2", true),
            ("op_api/c.h", "", true),
            ("CMakeLists.txt", "2", true),
            ("op_host/config/x.json", "", true),
            ("op_host/.a.cpp.swp", "", false),
            ("tests/ut/op_host/test_a.cpp", "", false),
            ("README.md", "", false),
            ("examples/test_aclnn_a.cpp", "", false),
        ] {
            write(file, text);
            let digest = of_op(temp.path()).expect("digest");
            assert_eq!(!seen.contains(&digest), counts, "{file}");
            seen.push(digest);
        }
        fs::rename(temp.path().join("op_host/a.cpp"), temp.path().join("op_host/d.cpp")).expect("rename");
        assert!(!seen.contains(&of_op(temp.path()).expect("digest")), "a name");
    }

    #[test]
    fn the_toolkit_is_what_it_is_built_from() {
        let repo = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .find(|dir| dir.join("Cargo.lock").is_file())
            .expect("the repository");
        let mut files = Vec::new();
        for part in TOOLKIT_PARTS {
            collect(repo, PathBuf::from(part), &mut files).expect("files");
        }
        let has = |file: &str| files.iter().any(|path| path == Path::new(file));
        for built in [
            "hostcann/runtime/src/lib.rs",
            "hostcann/aicore/src/lib.rs",
            "hostcann/aicore/Cargo.toml",
            "hostcann/cpptext/src/lib.rs",
            "hostcann/types/src/data_type.rs",
            "hostcann/include/kernel_operator.h",
            "hostcann/CMakeLists.txt",
            "hostcann/cli/src/build/opc/compile.rs",
            "scripts/cmake/op_flags.cmake",
            "Cargo.lock",
        ] {
            assert!(has(built), "{built}");
        }
        assert!(
            !files.iter().any(|path| path.starts_with("hostcann/ut") || path.starts_with("hostcann/runtime/tests"))
        );
    }
}
