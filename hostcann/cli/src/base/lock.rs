//! One writer per checkout: verbs that write hold a lock on a file in target/. What makes a framework's environment holds the
//! lock of that framework alone, which whoever uses the environment holds as well.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::base::term::err;

/// Set for everything a run starts: a test may call xtask on the checkout that its own run has locked.
const HELD: &str = "XTASK_LOCK_HELD";
/// Short enough to wait for without a word.
const MOMENT: Duration = Duration::from_millis(300);

/// What no two runs do at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    Checkout,
    /// What makes or uses target/<name>
    Framework(&'static str),
}

impl Scope {
    fn file(self) -> String {
        match self {
            Scope::Checkout => "xtask.lock".to_owned(),
            Scope::Framework(name) => format!("xtask-{name}.lock"),
        }
    }
}

/// The lock lasts as long as this; the kernel lets go of it when the process ends, however it ends.
pub struct Lock {
    _file: Option<File>,
    pub waited: Duration,
}

impl Lock {
    pub fn take(target: &Path, scope: Scope, verb: &str, sh: &xshell::Shell) -> Result<Lock> {
        let start = Instant::now();
        let path = target.join(scope.file());
        let name = path.display().to_string();
        let held = sh.var(HELD).unwrap_or_default();
        if held.split(':').any(|held| held == name) {
            return Ok(Lock { _file: None, waited: Duration::ZERO });
        }
        fs::create_dir_all(target).with_context(|| format!("cannot create {}", target.display()))?;
        let file = loop {
            let file = wait(&path)?;
            // `clean --all` removes the file; the name may mean another one by now.
            if same_file(&file, &path) {
                break file;
            }
        };
        // For the message of whoever waits; the lock is valid without it.
        let _ = fs::write(&path, format!("pid {}, {verb}", std::process::id()));
        sh.set_var(HELD, if held.is_empty() { name } else { format!("{held}:{name}") });
        Ok(Lock { _file: Some(file), waited: start.elapsed() })
    }
}

fn wait(path: &PathBuf) -> Result<File> {
    let cannot = || format!("cannot write {}", path.display());
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).read(true).write(true).open(path).with_context(cannot)?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        // A file system without locks: as before there were any.
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => return Ok(file),
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("cannot lock {}", path.display()));
        }
        Err(TryLockError::WouldBlock) => std::thread::sleep(MOMENT),
    }
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        let mut who = String::new();
        let _ = (&file).read_to_string(&mut who);
        let who = if who.is_empty() { "unknown".to_owned() } else { who };
        err!("     Waiting for another cargo xtask in this checkout ({who})");
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}

fn same_file(file: &File, path: &Path) -> bool {
    let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
    matches!((file.metadata().map(id), fs::metadata(path).map(id)), (Ok(open), Ok(named)) if open == named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_file_is_not_the_lock() {
        let temp = tempfile::tempdir().expect("temp dir");
        let path = temp.path().join("xtask.lock");
        let file = wait(&path).expect("lock");
        assert!(same_file(&file, &path));
        fs::remove_file(&path).expect("remove");
        assert!(!same_file(&file, &path));
        fs::write(&path, "").expect("write");
        assert!(!same_file(&file, &path));
    }
}
