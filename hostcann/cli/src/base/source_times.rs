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

/// The first source below `dirs` that is not what the tree was built from, although no newer than the tree.
pub fn find(tree: &Path, dirs: &[&Path]) -> Result<Option<PathBuf>> {
    let record = tree.join(RECORD);
    let (Ok(text), Some(built)) = (fs::read(&record), time(&record)) else { return Ok(None) };
    let old: Contents = serde_json::from_slice(&text).unwrap_or_default();
    let changed = contents(dirs)?.into_iter().find(|(path, digest)| {
        old.get(path).is_some_and(|old| old != digest) && time(path).is_some_and(|time| time <= built)
    });
    Ok(changed.map(|(path, _)| path))
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
        assert_eq!(find(&tree, &[&op]).expect("nothing recorded"), None);
        record(&tree, &[&op]).expect("record");
        assert_eq!(find(&tree, &[&op]).expect("unchanged"), None);
        put("right", 100);
        assert_eq!(find(&tree, &[&op]).expect("rewound"), Some(file.clone()));
        put("broken", 100);
        assert_eq!(find(&tree, &[&op]).expect("the same content"), None);
        let later = SystemTime::now() + Duration::from_secs(60);
        put("right", 0);
        fs::File::options().write(true).open(&file).and_then(|file| file.set_modified(later)).expect("time");
        assert_eq!(find(&tree, &[&op]).expect("newer: ninja sees it"), None);
    }
}
