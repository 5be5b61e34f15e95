//! File helpers that leave unchanged files untouched, so that nothing downstream rebuilds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Files below `dir`, relative, sorted. Symbolic links are listed, not followed.
pub fn walk(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(sub) = open.pop() {
        let path = dir.join(&sub);
        let entries = fs::read_dir(&path).with_context(|| format!("cannot list {}", path.display()))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {}", path.display()))?;
            let kind = entry.file_type().with_context(|| format!("cannot inspect {}", entry.path().display()))?;
            let relative = sub.join(entry.file_name());
            if kind.is_dir() {
                open.push(relative);
            } else {
                found.push(relative);
            }
        }
    }
    found.sort();
    Ok(found)
}

pub fn write_if_changed(path: &Path, content: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(false);
    }
    create_parent(path)?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

pub fn copy_if_changed(from: &Path, to: &Path) -> Result<bool> {
    let content = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    if fs::read(to).is_ok_and(|old| old == content) {
        return Ok(false);
    }
    create_parent(to)?;
    // A running program may have the old file mapped: replace the name, not the content.
    let part = with_suffix(to, ".part");
    fs::write(&part, &content).with_context(|| format!("cannot write {}", part.display()))?;
    let mode = fs::metadata(from).with_context(|| format!("cannot inspect {}", from.display()))?.permissions();
    fs::set_permissions(&part, mode).with_context(|| format!("cannot set the mode of {}", part.display()))?;
    fs::rename(&part, to).with_context(|| format!("cannot replace {}", to.display()))?;
    Ok(true)
}

/// Makes `to` a copy of `from`: writes what differs, removes what `from` no longer has. Returns the number of changes.
pub fn sync_dir(from: &Path, to: &Path) -> Result<usize> {
    sync_dir_with(from, to, &[])
}

/// As `sync_dir`, with files of these contents besides.
pub fn sync_dir_with(from: &Path, to: &Path, made: &[(PathBuf, String)]) -> Result<usize> {
    let wanted = walk(from)?;
    let mut changes = 0;
    for file in &wanted {
        changes += usize::from(copy_if_changed(&from.join(file), &to.join(file))?);
    }
    for (file, content) in made {
        changes += usize::from(write_if_changed(&to.join(file), content.as_bytes())?);
    }
    let wanted: BTreeSet<PathBuf> = wanted.into_iter().chain(made.iter().map(|(file, _)| file.clone())).collect();
    if to.is_dir() {
        for file in walk(to)?.into_iter().filter(|file| !wanted.contains(file)) {
            let path = to.join(file);
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            changes += 1;
        }
    }
    Ok(changes)
}

/// Copies the files of a tree into another one, which keeps its own.
///
/// # Errors
///
/// A file cannot be read or written.
pub fn add_dir(from: &Path, to: &Path) -> Result<()> {
    walk(from)?.iter().try_for_each(|file| copy_if_changed(&from.join(file), &to.join(file)).map(drop))
}

/// SHA-256 over names, kinds, execute bits and contents of a tree.
pub fn tree_hash(dir: &Path) -> Result<String> {
    tree_hash_without(dir, &[])
}

pub fn tree_hash_without(dir: &Path, left_out: &[&str]) -> Result<String> {
    let mut hash = Sha256::new();
    let kept = |file: &PathBuf| !left_out.iter().any(|name| file == Path::new(name));
    for file in walk(dir)?.into_iter().filter(kept) {
        let path = dir.join(&file);
        let meta = fs::symlink_metadata(&path).with_context(|| format!("cannot inspect {}", path.display()))?;
        let (kind, content) = if meta.is_symlink() {
            let target = fs::read_link(&path).with_context(|| format!("cannot read the link {}", path.display()))?;
            (b'l', target.into_os_string().into_encoded_bytes())
        } else {
            let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            (if is_executable(&meta) { b'x' } else { b'f' }, content)
        };
        let name = file.as_os_str().as_encoded_bytes();
        hash.update((name.len() as u64).to_le_bytes());
        hash.update(name);
        hash.update([kind]);
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(&content);
    }
    Ok(hex(&hash.finalize()))
}

pub fn is_executable(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

/// Path, length and time of every file: cheap proof that nothing was touched.
pub fn fingerprint(paths: impl IntoIterator<Item = PathBuf>) -> Result<String> {
    use std::os::unix::fs::MetadataExt;
    let mut text = String::new();
    for path in paths {
        let meta = fs::metadata(&path).with_context(|| format!("cannot inspect {}", path.display()))?;
        text.push_str(&format!("{} {} {}.{}\n", path.display(), meta.len(), meta.mtime(), meta.mtime_nsec()));
    }
    Ok(text)
}

pub fn sha256(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn remove_file_if_there(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

pub fn remove_dir_if_there(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", dir.display()))
        }
        _ => Ok(()),
    }
}

fn create_parent(path: &Path) -> Result<()> {
    match path.parent() {
        Some(dir) => fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display())),
        None => Ok(()),
    }
}

pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sync_copies_changes_and_removes() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (from, to) = (temp.path().join("from"), temp.path().join("to"));
        write_if_changed(&from.join("a/x.h"), b"1").expect("write");
        write_if_changed(&from.join("y.h"), b"2").expect("write");
        assert_eq!(sync_dir(&from, &to).expect("sync"), 2);
        assert_eq!(sync_dir(&from, &to).expect("sync"), 0);
        write_if_changed(&from.join("y.h"), b"3").expect("write");
        fs::remove_file(from.join("a/x.h")).expect("remove");
        assert_eq!(sync_dir(&from, &to).expect("sync"), 2);
        assert_eq!(fs::read(to.join("y.h")).expect("read"), b"3");
        assert!(!to.join("a/x.h").exists());
    }

    #[test]
    fn tree_hash_sees_names_and_contents() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = temp.path();
        write_if_changed(&dir.join("a"), b"1").expect("write");
        let one = tree_hash(dir).expect("hash");
        fs::rename(dir.join("a"), dir.join("b")).expect("rename");
        let two = tree_hash(dir).expect("hash");
        write_if_changed(&dir.join("b"), b"2").expect("write");
        let three = tree_hash(dir).expect("hash");
        assert!(one != two && two != three && one != three);
    }
}
