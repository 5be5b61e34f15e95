//! What runs leave for `report`: a small file for every piece of evidence about an operator, with the commit it is of.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::base::files;
use crate::base::project::Project;
pub use crate::base::report::Piece;

/// Where the pieces of an operator lie.
pub fn dir(project: &Project, op: &str) -> PathBuf {
    project.results().join(file_name(op))
}

pub fn write(project: &Project, piece: &Piece) -> Result<()> {
    let file = dir(project, &piece.op).join(file_name(&piece.piece) + ".json");
    let text = serde_json::to_string(piece).with_context(|| format!("{} is no JSON", piece.piece))?;
    files::write_if_changed(&file, format!("{text}\n").as_bytes())?;
    Ok(())
}

fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._-+=".contains(c) { c } else { '_' };
    name.chars().map(plain).collect()
}

/// Over names and contents of an operator's directory, without what editors and interpreters leave there.
pub fn digest(dir: &Path) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files::walk(dir)? {
        let other = |part: &std::ffi::OsStr| {
            let text = part.to_string_lossy();
            text.starts_with('.') || text.ends_with('~') || text == "__pycache__"
        };
        if file.iter().any(other) {
            continue;
        }
        let path = dir.join(&file);
        let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        for bytes in [file.as_os_str().as_encoded_bytes(), &content] {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    Ok(files::hex(&hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::report::{Revision, SCHEMA};
    use serde_json::{Value, json};

    #[test]
    fn what_an_operator_consists_of() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| {
            files::write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
            digest(temp.path()).expect("digest")
        };
        let first = write("op_host/a.cpp", "1");
        for left in [".a.swp", "a~", "tests/__pycache__/a.pyc"] {
            assert_eq!(write(left, "x"), first, "{left}");
        }
        let second = write("tests/aot/a.json", "1");
        assert_ne!(second, first);
        assert_ne!(write("tests/aot/a.json", "2"), second);
    }

    #[test]
    fn a_piece_has_a_file_of_its_own() {
        let temp = tempfile::tempdir().expect("temp dir");
        let piece = Piece {
            schema: SCHEMA,
            op: "square".into(),
            piece: "sweep.a/b c".into(),
            sources: "s".into(),
            revision: Some(Revision { commit: "c".into(), clean: true }),
            data: json!([1]),
            ..Piece::default()
        };
        write(&Project::at(temp.path().to_owned()), &piece).expect("written");
        let file = temp.path().join("target/xtask/results/square/sweep.a_b_c.json");
        let read: Value = serde_json::from_slice(&fs::read(file).expect("there")).expect("JSON");
        assert_eq!(
            (&read["data"], &read["revision"]["commit"], &read["schema"]),
            (&json!([1]), &json!("c"), &json!(SCHEMA))
        );
    }
}
