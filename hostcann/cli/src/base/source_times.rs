//! ninja builds what is newer than its product. A file that comes back with its old time (`mv` of a copy, an unpacked
//! archive) is not, so build trees remember what their sources held.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::base::files;

const RECORD: &str = "contents.json";

type Contents = BTreeMap<PathBuf, String>;

/// The sources below `dirs` that are not what the tree was built from, although no newer than the tree.
pub fn find(tree: &Path, dirs: &[&Path]) -> Result<Vec<PathBuf>> {
    let record = tree.join(RECORD);
    let (Ok(text), Some(built)) = (fs::read(&record), time(&record)) else { return Ok(Vec::new()) };
    let old: Contents = serde_json::from_slice(&text).unwrap_or_default();
    let changed = contents(dirs)?.into_iter().filter(|(path, digest)| {
        old.get(path).is_some_and(|old| old != digest) && time(path).is_some_and(|time| time <= built)
    });
    Ok(changed.map(|(path, _)| path).collect())
}

/// Makes them new, so that ninja builds what depends on them, in every tree. False: the files are somebody else's.
pub fn renew(files: &[PathBuf]) -> bool {
    let now = SystemTime::now();
    files.iter().all(|path| fs::File::open(path).and_then(|file| file.set_modified(now)).is_ok())
}

/// After a build.
pub fn record(tree: &Path, dirs: &[&Path]) -> Result<()> {
    let path = tree.join(RECORD);
    let text = serde_json::to_vec(&contents(dirs)?).context("the sources' names are no JSON")?;
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn time(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn contents(dirs: &[&Path]) -> Result<Contents> {
    let mut all = Contents::new();
    for dir in dirs {
        for file in files::walk(dir)? {
            let path = dir.join(file);
            // A link to nowhere is nobody's source.
            if let Ok(content) = fs::read(&path) {
                all.insert(path, files::sha256(&content));
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    #[test]
    fn an_older_file_with_other_content() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (tree, op) = (temp.path().join("tree"), temp.path().join("op"));
        fs::create_dir(&tree).expect("mkdir");
        let file = op.join("kernel.h");
        let put = |text: &str, age: u64| {
            files::write_if_changed(&file, text.as_bytes()).expect("write");
            let time = SystemTime::now() - Duration::from_secs(age);
            fs::File::options().write(true).open(&file).and_then(|file| file.set_modified(time)).expect("time");
        };
        put("broken", 10);
        let none = Vec::<PathBuf>::new();
        assert_eq!(find(&tree, &[&op]).expect("nothing recorded"), none);
        record(&tree, &[&op]).expect("record");
        assert_eq!(find(&tree, &[&op]).expect("unchanged"), none);
        put("right", 100);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("chmod");
        let found = find(&tree, &[&op]).expect("rewound");
        assert_eq!(found, std::slice::from_ref(&file));
        assert!(renew(&found) && time(&file) > time(&tree.join(RECORD)), "newer than what was built from it");
        assert!(!renew(&[op.join("gone.h")]));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("chmod");
        put("broken", 100);
        assert_eq!(find(&tree, &[&op]).expect("the same content"), none);
        let later = SystemTime::now() + Duration::from_secs(60);
        put("right", 0);
        fs::File::options().write(true).open(&file).and_then(|file| file.set_modified(later)).expect("time");
        assert_eq!(find(&tree, &[&op]).expect("newer: ninja sees it"), none);
    }
}
