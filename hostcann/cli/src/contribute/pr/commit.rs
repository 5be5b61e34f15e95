//! The commit and its branch. The commit comes from a separate index; the checkout's branch, index and work tree change last,
//! and are restored when anything fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::tree::{Mode, Tree};
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::git::Git;

/// What to commit.
pub struct CommitRequest<'a> {
    pub tree: &'a Tree,
    /// `experimental/math/…`
    pub at: String,
    /// Directories to delete, the op's own earlier state among them
    pub gone: &'a BTreeSet<String>,
    pub message: &'a str,
    /// Seconds since 1970; the same request gives the same commit
    pub time: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
    pub base: String,
    pub id: String,
    /// Paths with their mode; None: deleted
    pub changes: Vec<(String, Option<String>)>,
}

/// Creates the commit, on no branch yet. `scratch` is an empty directory.
pub fn create(git: &Git, request: &CommitRequest, scratch: &Path) -> Result<NewCommit> {
    let base = git.run(&["rev-parse", "--verify", "HEAD^{commit}"])?.trim().to_owned();
    let index = git.with("GIT_INDEX_FILE", scratch.join("index").display().to_string());
    index.run(&["read-tree", &base])?;
    let mut entries: Vec<u8> = Vec::new();
    for dir in request.gone {
        let listed = index.run(&["ls-files", "-z", "--", dir])?;
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            entries.extend(format!("0 {}\t{path}\0", "0".repeat(base.len())).bytes());
        }
    }
    for ((path, file), blob) in request.tree.files.iter().zip(blobs(git, request, scratch)?) {
        let mode = match file.mode {
            Mode::Plain => "100644",
            Mode::Executable => "100755",
            Mode::Link => "120000",
        };
        entries.extend(format!("{mode} {blob}\t{}/{path}\0", request.at).bytes());
    }
    index.feed(&["update-index", "-z", "--index-info"], &entries)?;
    let tree = index.run(&["write-tree"])?.trim().to_owned();
    let date = format!("{} +0000", request.time);
    let dated = git.with("GIT_AUTHOR_DATE", date.clone()).with("GIT_COMMITTER_DATE", date);
    let id = dated.feed(&["commit-tree", &tree, "-p", &base, "-F", "-"], request.message.as_bytes())?.trim().to_owned();
    let raw = git.run(&["diff-tree", "-r", "-z", "--no-renames", "--raw", &base, &id])?;
    Ok(NewCommit { base, id, changes: changes(&raw) })
}

/// Objects of the files, in their order.
fn blobs(git: &Git, request: &CommitRequest, scratch: &Path) -> Result<Vec<String>> {
    let mut list = String::new();
    let dir = scratch.join("files");
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    for (at, file) in request.tree.files.values().enumerate() {
        // By number: a name may hold anything.
        let path = dir.join(at.to_string());
        fs::write(&path, &file.bytes).with_context(|| format!("cannot write {}", path.display()))?;
        list.push_str(&format!("{}\n", path.display()));
    }
    let out = git.feed(&["hash-object", "-w", "--no-filters", "--stdin-paths"], list.as_bytes())?;
    Ok(out.lines().map(str::to_owned).collect())
}

/// `:old new sha sha S\0path\0…`
fn changes(raw: &str) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    let mut parts = raw.split('\0');
    while let (Some(about), Some(path)) = (parts.next(), parts.next()) {
        let mode = about.split(' ').nth(1).unwrap_or_default();
        found.push((path.to_owned(), (mode != "000000").then(|| mode.to_owned())));
    }
    found
}

/// A git that writes new objects to `scratch`, not to the checkout.
pub fn quarantined(git: &Git, scratch: &Path) -> Result<Git> {
    let own = git.run(&["rev-parse", "--path-format=absolute", "--git-path", "objects"])?.trim().to_owned();
    let objects = scratch.join("objects");
    fs::create_dir_all(&objects).with_context(|| format!("cannot create {}", objects.display()))?;
    Ok(git.with("GIT_OBJECT_DIRECTORY", objects.display().to_string()).with("GIT_ALTERNATE_OBJECT_DIRECTORIES", own))
}

/// Files of the base that change and whose lines end with CR LF. `git am` drops the CR of a patch's lines, so that a text
/// patch of such a file does not apply.
fn with_carriage_returns(git: &Git, commit: &NewCommit) -> Result<Vec<String>> {
    let listed =
        git.run(&["diff", "--name-only", "-z", "--no-renames", "--diff-filter=DM", &commit.base, &commit.id])?;
    let paths: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let mut args = vec!["--literal-pathspecs", "grep", "-l", "-z", "-I", "-F", "-e", "\r", &commit.base, "--"];
    args.extend(&paths);
    // Status 1: no such line.
    let (_, found, _) = git.try_feed(&args, b"")?;
    let prefix = format!("{}:", commit.base);
    Ok(found.split('\0').filter_map(|path| path.strip_prefix(&prefix)).map(str::to_owned).collect())
}

/// The commit as mail, and whether it applies to its base.
pub fn patch(git: &Git, commit: &NewCommit, scratch: &Path) -> Result<(String, Result<(), String>)> {
    let attributes = scratch.join("attributes");
    let binary = with_carriage_returns(git, commit)?;
    // A quoted pattern; a name with a character that is special in it stays a text patch.
    let lines: String = binary.iter().map(|path| format!("\"/{path}\" -diff\n")).collect();
    fs::write(&attributes, lines).with_context(|| format!("cannot write {}", attributes.display()))?;
    let text = git.run(&[
        "-c",
        &format!("core.attributesFile={}", attributes.display()),
        "format-patch",
        "-1",
        "--stdout",
        "--no-renames",
        "--no-color",
        "--no-ext-diff",
        "--binary",
        &commit.id,
    ])?;
    let index = git.with("GIT_INDEX_FILE", scratch.join("index.apply").display().to_string());
    index.run(&["read-tree", &commit.base])?;
    let (ok, _, said) =
        index.try_feed(&["apply", "--check", "--cached", "--whitespace=error-all", "-"], text.as_bytes())?;
    Ok((text, if ok { Ok(()) } else { Err(said.trim().to_owned()) }))
}

/// Refuses a checkout with changes or an unfinished operation.
pub fn check_clean(git: &Git) -> Result<()> {
    let status = git.run(&["status", "--porcelain", "--untracked-files=all"])?;
    if let Some(first) = status.lines().next() {
        let more = status.lines().count() - 1;
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = format!("{} has changes: {}{rest}; nothing was done", git.dir.display(), first.trim());
        return Err(failed(Kind::Usage, what).hint("commit or stash them, or take a fresh clone"));
    }
    for (file, what) in [
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("rebase-merge", "rebase"),
        ("rebase-apply", "rebase or am"),
        ("BISECT_LOG", "bisect"),
    ] {
        let path = git.run(&["rev-parse", "--path-format=absolute", "--git-path", file])?;
        if Path::new(path.trim()).exists() {
            let text = format!("{} is in the middle of a {what}; nothing was done", git.dir.display());
            return Err(failed(Kind::Usage, text).hint("finish or abort it"));
        }
    }
    Ok(())
}

pub fn check_branch(git: &Git, branch: &str) -> Result<()> {
    if git.value(&["check-ref-format", "--branch", branch]).is_none() {
        return Err(failed(Kind::Usage, format!("`{branch}` is no name for a branch")).hint("--branch NAME"));
    }
    if git.value(&["rev-parse", "--verify", "--quiet", &format!("refs/heads/{branch}")]).is_some() {
        return Err(failed(
            Kind::Usage,
            format!("{} has a branch {branch} already; nothing was done", git.dir.display()),
        )
        .hint("take another name with --branch, or delete it"));
    }
    Ok(())
}

/// Creates the commit on a new branch and checks it out.
pub fn create_on_branch(git: &Git, request: &CommitRequest, branch: &str, scratch: &Path) -> Result<NewCommit> {
    check_clean(git)?;
    check_branch(git, branch)?;
    let before = git.value(&["symbolic-ref", "--quiet", "HEAD"]);
    let commit = create(git, request, scratch)?;
    let known: BTreeSet<String> =
        git.run(&["ls-tree", "-r", "-z", "--name-only", &commit.base])?.split('\0').map(str::to_owned).collect();
    let new: Vec<PathBuf> = commit
        .changes
        .iter()
        .filter(|(path, mode)| mode.is_some() && !known.contains(path))
        .map(|(path, _)| git.dir.join(path))
        .collect();
    if let Some(there) = new.iter().find(|path| fs::symlink_metadata(path).is_ok()) {
        let text = format!("{} is there, and git ignores it; nothing was done", there.display());
        return Err(failed(Kind::Usage, text).hint("move it away: the commit has a file of this name"));
    }
    let done = switch(git, &commit, branch);
    match done {
        Ok(()) => Ok(commit),
        Err(error) => {
            let undone = undo(git, &commit, branch, before.as_deref(), &new);
            Err(match undone {
                Ok(()) => error.context(format!("branch, index and work tree of {} are as before", git.dir.display())),
                Err(second) => error.context(format!(
                    "{} could not be put back: {second:#}; `git switch -f -` and `git branch -D {branch}` do it",
                    git.dir.display()
                )),
            })
        }
    }
}

fn switch(git: &Git, commit: &NewCommit, branch: &str) -> Result<()> {
    // The zeros: it must not exist yet.
    let none = "0".repeat(commit.id.len());
    git.run(&["update-ref", &format!("refs/heads/{branch}"), &commit.id, &none])?;
    git.run(&["checkout", "--quiet", branch, "--"])?;
    Ok(())
}

fn undo(git: &Git, commit: &NewCommit, branch: &str, before: Option<&str>, new: &[PathBuf]) -> Result<()> {
    let head = git.value(&["symbolic-ref", "--quiet", "HEAD"]);
    if head.as_deref() != before {
        match before {
            Some(before) => git.run(&["symbolic-ref", "HEAD", before])?,
            None => git.run(&["update-ref", "--no-deref", "HEAD", &commit.base])?,
        };
    }
    // A checkout that failed half way leaves files that its index does not know.
    git.run(&["reset", "--quiet", "--hard", &commit.base])?;
    for path in new {
        if fs::symlink_metadata(path).is_ok() {
            fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        let mut dir = path.parent();
        // Only directories that are empty go.
        while let Some(parent) = dir.filter(|parent| parent.starts_with(&git.dir) && *parent != git.dir) {
            if fs::remove_dir(parent).is_err() {
                break;
            }
            dir = parent.parent();
        }
    }
    let reference = format!("refs/heads/{branch}");
    if git.value(&["rev-parse", "--verify", "--quiet", &reference]).as_deref() == Some(commit.id.as_str()) {
        git.run(&["update-ref", "-d", &reference, &commit.id])?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "commit_tests.rs"]
mod tests;
