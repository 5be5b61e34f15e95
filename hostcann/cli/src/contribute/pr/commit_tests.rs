use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::*;
use crate::base::files::{self, write_if_changed};

struct Checkout {
    temp: tempfile::TempDir,
}

/// Everything that must be as before.
#[derive(Debug, PartialEq, Eq)]
struct State {
    head: String,
    branches: String,
    index: String,
    status: String,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Checkout {
    fn new() -> Checkout {
        let checkout = Checkout { temp: tempfile::tempdir().expect("temp dir") };
        let root = checkout.root();
        for (path, text) in [
            ("README.md", "x\n"),
            ("experimental/math/old/a.h", "old\n"),
            ("experimental/math/keep/a.h", "keep\n"),
            (".gitignore", "*.so\n"),
        ] {
            write_if_changed(&root.join(path), text.as_bytes()).expect("write");
        }
        let git = checkout.git();
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "a"],
            &["config", "user.email", "a@example.com"],
            &["add", "-A"],
            &["commit", "-q", "-m", "base"],
        ] {
            git.run(args).expect("git");
        }
        checkout
    }

    fn root(&self) -> PathBuf {
        self.temp.path().join("checkout")
    }

    fn git(&self) -> Git {
        fs::create_dir_all(self.root()).expect("mkdir");
        Git::at(&self.root())
    }

    fn state(&self) -> State {
        let git = self.git();
        let paths = files::walk(&self.root()).expect("walk").into_iter().filter(|path| !path.starts_with(".git/"));
        State {
            head: fs::read_to_string(self.root().join(".git/HEAD")).expect("HEAD"),
            branches: git.run(&["for-each-ref"]).expect("refs"),
            index: git.run(&["ls-files", "-s"]).expect("index"),
            status: git.run(&["status", "--porcelain", "--ignored"]).expect("status"),
            files: paths.map(|path| (path.clone(), fs::read(self.root().join(&path)).expect("read"))).collect(),
        }
    }

    fn scratch(&self) -> tempfile::TempDir {
        tempfile::tempdir().expect("temp dir")
    }
}

fn tree() -> Tree {
    let mut tree = Tree::default();
    tree.put("CMakeLists.txt", "x\n");
    tree.put("docs/aclnnA&aclnnB.md", "# 标题\n");
    tree.put("op_host/new_def.cpp", "int x;\n");
    tree
}

const MESSAGE: &str = "Add New\n\nWhy.\n\n关联的Issue: #1\n";

fn request<'a>(tree: &'a Tree, gone: &'a BTreeSet<String>) -> CommitRequest<'a> {
    CommitRequest { tree, at: "experimental/math/new".into(), gone, message: MESSAGE, time: 1_790_000_000 }
}

#[test]
fn one_commit_on_a_new_branch() {
    let checkout = Checkout::new();
    let (tree, gone) = (tree(), BTreeSet::from(["experimental/math/old".to_owned()]));
    let base = checkout.git().run(&["rev-parse", "main"]).expect("main");
    let scratch = checkout.scratch();
    let commit = create_on_branch(&checkout.git(), &request(&tree, &gone), "add-new", scratch.path()).expect("placed");
    let git = checkout.git();
    assert_eq!(git.run(&["symbolic-ref", "HEAD"]).expect("HEAD").trim(), "refs/heads/add-new");
    assert_eq!(git.run(&["rev-parse", "HEAD^"]).expect("parent"), base);
    assert_eq!(git.run(&["rev-parse", "main"]).expect("main"), base);
    assert_eq!(git.run(&["log", "-1", "--format=%B"]).expect("message").trim_end(), MESSAGE.trim_end());
    assert_eq!(git.run(&["status", "--porcelain"]).expect("status"), "");
    assert!(!checkout.root().join("experimental/math/old").exists());
    assert_eq!(
        fs::read_to_string(checkout.root().join("experimental/math/new/docs/aclnnA&aclnnB.md")).expect("page"),
        "# 标题\n"
    );
    assert_eq!(
        commit
            .changes
            .iter()
            .map(|(path, mode)| format!("{} {path}", mode.as_deref().unwrap_or("-")))
            .collect::<Vec<_>>(),
        [
            "100644 experimental/math/new/CMakeLists.txt",
            "100644 experimental/math/new/docs/aclnnA&aclnnB.md",
            "100644 experimental/math/new/op_host/new_def.cpp",
            "- experimental/math/old/a.h"
        ]
    );
}

#[test]
fn a_patch_of_files_with_carriage_returns_applies_by_mail() {
    let checkout = Checkout::new();
    let git = checkout.git();
    fs::write(checkout.root().join("experimental/math/old/a b.h"), "int a;\r\nint b;\r\n").expect("write");
    git.run(&["add", "-A"]).expect("add");
    git.run(&["commit", "-q", "-m", "carriage returns"]).expect("commit");
    let (tree, gone) = (tree(), BTreeSet::from(["experimental/math/old".to_owned()]));
    let scratch = checkout.scratch();
    let commit = create(&git, &request(&tree, &gone), scratch.path()).expect("commit");
    let (text, applies) = patch(&git, &commit, scratch.path()).expect("a patch");
    assert_eq!(applies, Ok(()));
    let mail = scratch.path().join("new.patch");
    fs::write(&mail, text).expect("write");
    git.run(&["am", "-q", &mail.display().to_string()]).expect("git am");
    let tree_of = |commit: &str| git.run(&["rev-parse", &format!("{commit}^{{tree}}")]).expect("a tree");
    assert_eq!(tree_of("HEAD"), tree_of(&commit.id));
}

#[test]
fn a_patch_leaves_no_trace_and_applies() {
    let checkout = Checkout::new();
    let before = checkout.state();
    let objects = || files::walk(&checkout.root().join(".git/objects")).expect("objects");
    let known = objects();
    let (tree, gone) = (tree(), BTreeSet::from(["experimental/math/old".to_owned()]));
    let scratch = checkout.scratch();
    let git = quarantined(&checkout.git(), scratch.path()).expect("quarantine");
    let commit = create(&git, &request(&tree, &gone), scratch.path()).expect("commit");
    let (text, applies) = patch(&git, &commit, scratch.path()).expect("a patch");
    assert_eq!(applies, Ok(()));
    assert_eq!(checkout.state(), before);
    assert_eq!(objects(), known);
    // Somebody else's clone takes it.
    let (ok, _, said) = checkout.git().try_feed(&["apply", "--check", "-"], text.as_bytes()).expect("git");
    assert!(ok, "{said}");
    let (ok, _, said) = checkout.git().try_feed(&["am", "-q"], text.as_bytes()).expect("git");
    assert!(ok, "{said}");
    assert_eq!(checkout.git().run(&["log", "-1", "--format=%B"]).expect("message").trim_end(), MESSAGE.trim_end());
}

#[test]
fn what_is_refused_changes_nothing() {
    let (tree, gone) = (tree(), BTreeSet::new());
    let refused = |checkout: &Checkout, branch: &str, told: &str| {
        let before = checkout.state();
        let scratch = checkout.scratch();
        let error = create_on_branch(&checkout.git(), &request(&tree, &gone), branch, scratch.path()).expect_err(told);
        assert!(format!("{error:#}").contains(told), "{error:#}");
        assert_eq!(checkout.state(), before);
    };
    let checkout = Checkout::new();
    write_if_changed(&checkout.root().join("README.md"), b"changed\n").expect("write");
    refused(&checkout, "b", "has changes: M README.md; nothing was done");
    let checkout = Checkout::new();
    write_if_changed(&checkout.root().join("new/file"), b"1").expect("write");
    refused(&checkout, "b", "has changes: ?? new/file");
    let checkout = Checkout::new();
    refused(&checkout, "main", "has a branch main already");
    refused(&checkout, "a..b", "`a..b` is no name for a branch");
    fs::write(checkout.root().join(".git/MERGE_HEAD"), "x").expect("write");
    refused(&checkout, "b", "in the middle of a merge");
    // An ignored file that the commit would overwrite.
    let checkout = Checkout::new();
    write_if_changed(&checkout.root().join("experimental/math/new/x.so"), b"mine").expect("write");
    let mut other = tree.clone();
    other.put("x.so", "theirs");
    let before = checkout.state();
    let scratch = checkout.scratch();
    let error = create_on_branch(&checkout.git(), &request(&other, &gone), "b", scratch.path()).expect_err("ignored");
    assert!(format!("{error:#}").contains("git ignores it"), "{error:#}");
    assert_eq!(checkout.state(), before);
}

/// A git that fails at its n-th call, before or after it has done its work; the count is in a file.
fn failing(checkout: &Checkout, call: usize, after: bool) -> Git {
    let dir = checkout.temp.path();
    let (text, program) = (dir.join("git.txt"), dir.join("git"));
    let count = dir.join("count");
    fs::write(&count, "").expect("write");
    let work = if after { "git \"$@\" >/dev/null 2>&1;" } else { "" };
    let script = format!(
        "#!/bin/sh\nprintf x >> '{count}'\nif [ \"$(wc -c < '{count}')\" -eq {call} ]; then {work} echo injected >&2; exit 1; fi\nexec git \"$@\"\n",
        count = count.display()
    );
    fs::write(&text, script).expect("write");
    // Another process writes it: a file that a forked child has open for writing cannot be run.
    assert!(Command::new("cp").arg(&text).arg(&program).status().expect("cp").success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
    Git { program: program.display().to_string(), ..checkout.git() }
}

#[test]
fn a_failure_at_any_step_leaves_everything_as_it_was() {
    let (tree, gone) = (tree(), BTreeSet::from(["experimental/math/old".to_owned()]));
    let checkout = Checkout::new();
    let before = checkout.state();
    let mut failures = 0;
    for call in 1..40 {
        let mut succeeded = false;
        for after in [false, true] {
            let git = failing(&checkout, call, after);
            let scratch = checkout.scratch();
            match create_on_branch(&git, &request(&tree, &gone), "add-new", scratch.path()) {
                Err(_) => failures += 1,
                Ok(_) => {
                    succeeded = true;
                    checkout.git().run(&["switch", "-q", "main"]).expect("switch");
                    checkout.git().run(&["branch", "-q", "-D", "add-new"]).expect("delete");
                }
            }
            assert_eq!(checkout.state(), before, "call {call}, after {after}");
        }
        // Failures of calls whose answer may be missing are no failures of the whole.
        let calls = fs::read(checkout.temp.path().join("count")).expect("count").len();
        if succeeded && calls < call {
            assert!(failures >= 20, "{failures} failures in {calls} calls");
            return;
        }
    }
    panic!("it has no end");
}

#[test]
fn a_checkout_that_fails_half_way_is_undone() {
    let (tree, gone) = (tree(), BTreeSet::from(["experimental/math/old".to_owned()]));
    let checkout = Checkout::new();
    let before = checkout.state();
    // A directory without rights stops `git checkout` while it writes.
    let dir = checkout.temp.path();
    let (text, program) = (dir.join("git.txt"), dir.join("git"));
    let script = "#!/bin/sh\ncase \" $* \" in *' checkout '*)\n  mkdir -p \"$2/experimental/math/new/op_host\" && echo half > \"$2/experimental/math/new/op_host/new_def.cpp\"\n  rm -f \"$2/experimental/math/old/a.h\"\n  echo 'no space left' >&2; exit 128;;\nesac\nexec git \"$@\"\n";
    fs::write(&text, script).expect("write");
    assert!(Command::new("cp").arg(&text).arg(&program).status().expect("cp").success());
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("mode");
    let git = Git { program: program.display().to_string(), ..checkout.git() };
    let scratch = checkout.scratch();
    let error = create_on_branch(&git, &request(&tree, &gone), "add-new", scratch.path()).expect_err("half");
    let told = format!("{error:#}");
    assert!(told.contains("are as before") && told.contains("no space left"), "{told}");
    assert_eq!(checkout.state(), before);
}
