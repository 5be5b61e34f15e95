//! The work tree around the current directory, as a forge names its files. Below everything that prints: it runs git by itself.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The work tree that a forge has checked out.
pub struct Sources {
    /// Where git is asked.
    dir: PathBuf,
    top: Option<PathBuf>,
}

impl Sources {
    pub fn here() -> Sources {
        Sources::at(PathBuf::from("."))
    }

    fn at(dir: PathBuf) -> Sources {
        let top = git(&dir, &["rev-parse", "--show-toplevel"]).map(|top| PathBuf::from(top.trim()));
        Sources { dir, top }
    }

    /// As the forge names it: from the top of the work tree.
    pub fn relative(&self, file: &Path) -> String {
        let Some(top) = &self.top else { return file.display().to_string() };
        let whole = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        whole.strip_prefix(top).unwrap_or(file).display().to_string()
    }

    /// The checker knows a kernel's file by its path in the directory of the operator.
    pub fn find(&self, file: &str, ops: &[String]) -> String {
        let path = Path::new(file);
        if path.is_file() || path.is_absolute() {
            return self.relative(path);
        }
        let pattern = format!(":(top,glob)**/{file}");
        let list = ["ls-files", "--full-name", "--cached", "--others", "--exclude-standard", "--", &pattern];
        let all = git(&self.dir, &list).unwrap_or_default();
        let is_of_op = |line: &&str| {
            let dir = line.strip_suffix(file).map(|dir| dir.trim_end_matches('/'));
            dir.is_some_and(|dir| ops.iter().any(|op| dir == op || dir.ends_with(&format!("/{op}"))))
        };
        let own: Vec<&str> = all.lines().filter(is_of_op).collect();
        let lines = if own.is_empty() { all.lines().collect() } else { own };
        // One of several would be a guess.
        if let [only] = lines[..] { only.to_owned() } else { file.to_owned() }
    }
}

/// What it prints; none where it fails or is missing.
pub fn git(dir: &Path, args: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).args(args).env("GIT_OPTIONAL_LOCKS", "0");
    // A hook's own.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_found_in_the_directory_of_its_operator() {
        let temp = tempfile::tempdir().expect("a directory");
        git(temp.path(), &["init", "-q"]).expect("git");
        for file in ["math/add/op_kernel/k.h", "math/add_v2/op_kernel/k.h", "math/sub/op_kernel/sub.h"] {
            crate::base::files::write_if_changed(&temp.path().join(file), b"").expect("write");
        }
        let top = temp.path().canonicalize().expect("the directory");
        let sources = Sources::at(temp.path().to_path_buf());
        let add = ["add".to_owned()];
        assert_eq!(sources.find("op_kernel/k.h", &add), "math/add/op_kernel/k.h");
        assert_eq!(sources.find("op_kernel/sub.h", &add), "math/sub/op_kernel/sub.h", "there is one");
        assert_eq!(sources.find("op_kernel/k.h", &[]), "op_kernel/k.h", "one of two would be a guess");
        let whole = top.join("math/sub/op_kernel/sub.h");
        assert_eq!(sources.find(&whole.to_string_lossy(), &[]), "math/sub/op_kernel/sub.h");
    }
}
