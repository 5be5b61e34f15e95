//! Which commit of this repository a run is about: results are told apart by it. The commit that has an operator, wherever
//! its checkout is.

use std::path::Path;

pub use crate::base::report::Revision;
use crate::base::work_tree::git;

impl Revision {
    /// None: no git, or no repository of git.
    pub fn of(repo: &Path) -> Option<Revision> {
        // A tree that lies in somebody else's repository has no commit of its own.
        if !repo.join(".git").exists() {
            return None;
        }
        let commit = git(repo, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
        let clean = git(repo, &["status", "--porcelain"])?.is_empty();
        Some(Revision { commit: commit.trim().to_owned(), clean })
    }

    /// Of the checkout that a directory lies in, judged by this directory alone. None: its commit has no file of it.
    pub fn of_dir(dir: &Path) -> Option<Revision> {
        let commit = git(dir, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
        if git(dir, &["ls-tree", "HEAD", "."])?.is_empty() {
            return None;
        }
        let clean = git(dir, &["status", "--porcelain", "--", "."])?.is_empty();
        Some(Revision { commit: commit.trim().to_owned(), clean })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_and_changed() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = temp.path();
        assert_eq!(Revision::of(dir), None);
        let run = |args: &[&str]| git(dir, args).unwrap_or_else(|| panic!("git {args:?}"));
        run(&["init", "-q"]);
        std::fs::write(dir.join("a"), "1").expect("write");
        run(&["add", "a"]);
        run(&["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "a"]);
        let clean = Revision::of(dir).expect("a revision");
        assert!(clean.clean && clean.commit.len() >= 40, "{clean:?}");
        std::fs::write(dir.join("b"), "2").expect("write");
        assert_eq!(Revision::of(dir), Some(Revision { clean: false, ..clean }));
    }

    #[test]
    fn of_a_directory_in_somebody_elses_checkout() {
        let temp = tempfile::tempdir().expect("temp dir");
        let (dir, op) = (temp.path(), temp.path().join("math/x"));
        std::fs::create_dir_all(&op).expect("directories");
        std::fs::write(op.join("a"), "1").expect("write");
        assert_eq!(Revision::of_dir(&op), None, "no repository");
        let run = |args: &[&str]| git(dir, args).unwrap_or_else(|| panic!("git {args:?}"));
        run(&["init", "-q"]);
        let commit =
            ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "a"];
        run(&commit);
        assert_eq!(Revision::of_dir(&op), None, "the commit does not have it");
        run(&["add", "math"]);
        run(&commit);
        let head = run(&["rev-parse", "HEAD"]).trim().to_owned();
        std::fs::write(dir.join("beside"), "2").expect("write");
        assert_eq!(Revision::of_dir(&op), Some(Revision { commit: head.clone(), clean: true }));
        std::fs::write(op.join("new"), "2").expect("write");
        assert_eq!(Revision::of_dir(&op), Some(Revision { commit: head, clean: false }));
    }
}
