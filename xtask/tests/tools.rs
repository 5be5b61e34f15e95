//! Fetching the pinned tools, and what clean removes.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::Repo;

/// A python3 whose pip prints `says` and fails.
fn python(repo: &Repo, says: &str) {
    let script = format!(
        "case \"$*\" in\n *'pip --version') echo 'pip 23.0 (python 3.11)';;\n \
         *--version) echo 'Python 3.11.2';;\n *) echo \"{says}\"; exit 1;;\nesac"
    );
    repo.tool("python3", &script);
}

/// Neither tools nor a temporary directory of theirs.
fn assert_no_tools(repo: &Repo) {
    let left: Vec<String> = fs::read_dir(repo.path("target"))
        .map(|entries| entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    assert!(left.iter().all(|name| !name.starts_with("tools")), "{left:?}");
}

#[test]
fn tools_cannot_be_fetched() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.xtask(&["setup"]).expect(10, &["python3 does not run", "hint: install python3 and pip"]);
    repo.tool(
        "python3",
        "[ \"$*\" = --version ] && echo Python 3.11.2 && exit; echo 'No module named pip' >&2; exit 1",
    );
    repo.xtask(&["setup"]).expect(11, &["python3 has no pip", "hint: install pip"]);

    let cases = [
        ("NewConnectionError: Failed to establish a new connection", 12, "pip cannot reach its package index"),
        ("OSError: [Errno 28] No space left on device", 13, "no space left while fetching"),
        ("error: externally-managed-environment", 11, "marked EXTERNALLY-MANAGED"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", 11, "does not have the pinned hash"),
    ];
    for (says, code, message) in cases {
        python(&repo, says);
        // The tool's own words are shown, too.
        repo.xtask(&["setup"]).expect(code, &[message, says, "last lines of target/xtask/log/tools.log", "hint: "]);
        assert_no_tools(&repo);
    }
}

#[test]
fn tools_are_fetched_once() {
    let repo = Repo::new();
    repo.good_compiler();
    // Stands for pip: fills the directory behind --target and counts its calls.
    let script = r#"case "$*" in
    *--version) echo 'pip 23.0' ;;
    *) echo x >> "$HOME/calls"; mkdir -p "$5"; echo 1 > "$5/tool" ;;
esac"#;
    repo.tool("python3", script);
    repo.xtask(&["setup"]).expect(0, &["setup: tools are in target/tools"]);
    repo.xtask(&["setup"]).expect(0, &[]);
    assert_eq!(fs::read_to_string(repo.path("calls")).expect("calls"), "x\n");
    assert!(repo.path("target/tools/tool").is_file());

    // A changed lock wipes and fetches again.
    repo.write("hostcann/cli/locks/tools.lock.txt", "cmake==9.9.9\n");
    repo.write("target/tools/old", "");
    repo.write("target/tools-part-tools-killed/x", "");
    repo.write("target/tools-part-torch-at_work/x", "");
    repo.xtask(&["setup"]).expect(0, &[]);
    assert!(!repo.path("target/tools-part-tools-killed").exists(), "left by a killed run");
    assert!(repo.path("target/tools-part-torch-at_work").exists(), "of a setup that may run");
    assert!(repo.path("target/tools/tool").is_file() && !repo.path("target/tools/old").exists());
}

#[test]
fn system_tools() {
    let repo = Repo::new();
    repo.good_compiler();
    let system = [("XTASK_TOOLS", "system")];
    repo.xtask_with(&["setup"], &system).expect(10, &["XTASK_TOOLS=system, but `cmake` does not run"]);
    repo.tool("cmake", "echo 'cmake version 3.10.2'");
    repo.xtask_with(&["setup"], &system).expect(10, &["`cmake` is 3.10.2, 3.16.0 or newer is needed"]);
    repo.tool("cmake", "echo 'cmake version 3.25.1'");
    repo.tool("ninja", "echo 1.11.1");
    repo.xtask_with(&["setup"], &system).expect(0, &["cmake and ninja from PATH"]);
    repo.xtask_with(&["setup"], &[("XTASK_TOOLS", "none")]).expect(2, &["XTASK_TOOLS is `none`"]);
}

#[test]
fn clean_stale_keeps_the_tree_last_used_for_each_vendor() {
    let repo = Repo::new();
    for (at, tree) in ["custom-1", "custom-2", "custom-3", "mine-1"].into_iter().enumerate() {
        let stamp = format!("target/xtask/build/{tree}/configured.txt");
        repo.write(&stamp, "");
        // The tree in the middle was used last.
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(if at == 1 { 9 } else { at as u64 });
        let file = fs::File::options().write(true).open(repo.path(&stamp)).expect("open");
        file.set_modified(time).expect("set the time");
    }
    repo.write("target/xtask/build/hostcann/configured.txt", "");
    repo.write("target/tools-part-killed/x", "");
    repo.write("target/hostcann/a", "");
    repo.write("build_out/a", "");
    let ran = repo.xtask(&["clean", "--stale"]);
    ran.expect(0, &["Removing target/tools-part-killed", "Removing target/xtask/build/custom-3"]);
    let mut left: Vec<String> = fs::read_dir(repo.path("target/xtask/build"))
        .expect("build")
        .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["custom-2", "hostcann", "mine-1"]);
    assert!(repo.path("target/hostcann/a").exists() && repo.path("build_out/a").exists());
    assert!(!repo.path("target/tools-part-killed").exists());
}

#[test]
fn clean_leaves_the_tools() {
    let repo = Repo::new();
    for file in [
        "target/xtask/a",
        "target/hostcann/a",
        "target/tools/a",
        "target/debug/a",
        "build_out/a",
        "target/tools-part-x/a",
    ] {
        repo.write(file, "");
    }
    repo.xtask(&["clean"]).expect(0, &[]);
    assert!(!repo.path("target/tools-part-x").exists());
    assert!(repo.path("target/tools/a").exists() && repo.path("target/debug/a").exists());
    assert!(!repo.path("target/hostcann").exists() && !repo.path("build_out").exists());
    repo.xtask(&["clean", "--all"]).expect(0, &[]);
    assert!(!repo.path("target/tools").exists());
}

/// Upstream's hook is `ruff check`; rule 31 asks it about an operator, this about all Python. `pr` fetches the pinned program,
/// and where it has not run there is none to ask.
#[test]
fn our_python_passes_the_pinned_ruff() {
    let repo = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("parent");
    let ruff = repo.join("target/tools/hooks/bin/ruff");
    if !ruff.is_file() {
        eprintln!("skipped: no pinned ruff; `cargo xtask pr --check` fetches it");
        return;
    }
    let dirs = ["adapters", "ascgraph", "docs", "experimental", "scripts", "tests", "xtask"];
    let checked = Command::new(ruff)
        .args(["check", "--isolated", "--no-cache", "--output-format", "concise"])
        .args(dirs)
        .current_dir(repo)
        .output()
        .expect("ruff runs");
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(checked.status.success(), "{}{}", said(&checked.stdout), said(&checked.stderr));
}
