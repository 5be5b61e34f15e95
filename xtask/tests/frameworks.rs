//! Setting up frameworks from a package index: what can go wrong, and that nothing half-made stays.

mod common;

use std::fs;

use common::Repo;

const LOCK: &str = "torch==2.14.0\n";

/// A python3 that makes environments and whose pip runs `pip`, with the directory behind --target in $into.
fn python(repo: &Repo, pip: &str) {
    let script = format!(
        r#"case "$*" in
 *'print(sys.executable)'*) echo "$0" ;;
 *cache_tag*) echo cpython-311 ;;
 *purelib*) echo "$(dirname "$(dirname "$0")")/lib/site" ;;
 *'pip --version') echo 'pip 23.0 (python 3.11)' ;;
 '-m venv --without-pip '*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && echo x > "$4/bin/activate" ;;
 '-m pip install --target '*) into="$5"; {pip} ;;
 *version.py*) echo "$HOME/torch"; echo None ;;
 *) echo "python3: what is $*?" >&2; exit 9 ;;
esac"#
    );
    repo.tool("python3", &script);
}

fn repo() -> Repo {
    let repo = Repo::new();
    repo.good_compiler();
    repo.write("xtask/torch.lock.txt", LOCK);
    repo
}

/// Neither the environment nor a temporary directory.
fn assert_nothing(repo: &Repo) {
    let left: Vec<String> = fs::read_dir(repo.path("target"))
        .map(|entries| entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    assert!(
        left.iter().all(|name| !name.starts_with("torch") && !name.starts_with("paddle") && !name.contains("part")),
        "{left:?}"
    );
}

#[test]
fn an_environment_is_made_once_and_whole() {
    let repo = repo();
    python(&repo, r#"echo x >> "$HOME/calls"; mkdir -p "$into"; echo 1 > "$into/torch.py""#);
    let setup = ["torch", "setup"];
    repo.xtask(&setup).expect(0, &["630 MB to download, 1.5 GB on disk", "torch setup: target/torch/bin/python"]);
    assert!(repo.path("target/torch/lib/site/torch.py").is_file());
    assert!(!repo.path("target/torch/bin/activate").exists(), "it names a directory that is gone");
    repo.xtask(&setup).expect(0, &["torch setup: target/torch/bin/python"]);
    assert_eq!(fs::read_to_string(repo.path("calls")).expect("calls"), "x\n");

    // Other pins: the environment does not fit until it is made again.
    repo.write("xtask/torch.lock.txt", "torch==2.15.0\n");
    repo.write("target/torch/old", "");
    repo.write("target/tools-part-killed/x", "");
    repo.xtask(&["torch", "run", "x.py"]).expect(
        19,
        &["target/torch has other versions than xtask/torch.lock.txt", "hint: run `cargo xtask torch setup`"],
    );
    repo.xtask(&setup).expect(0, &[]);
    assert!(!repo.path("target/torch/old").exists() && !repo.path("target/tools-part-killed").exists());
}

#[test]
fn nothing_half_made_stays() {
    let repo = repo();
    repo.xtask(&["torch", "setup"]).expect(10, &["the Python `python3` does not run", "--python"]);
    repo.xtask(&["torch", "run", "x.py"])
        .expect(19, &["torch is not set up: there is no target/torch", "hint: run `cargo xtask torch setup`"]);
    let cases = [
        ("NewConnectionError: Failed to establish a new connection", 12, "pip cannot reach its package index"),
        ("OSError: [Errno 28] No space left on device", 13, "no space left while fetching the pinned wheels"),
        ("ERROR: No matching distribution found for torch==2.14.0", 11, "CPython 3.10 to 3.14"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", 11, "does not have the pinned hash"),
    ];
    for (says, code, message) in cases {
        python(&repo, &format!(r#"mkdir -p "$into/half"; echo "{says}"; exit 1"#));
        repo.xtask(&["torch", "setup"]).expect(code, &[message, says, "hint: "]);
        assert_nothing(&repo);
    }
}

#[test]
fn a_full_disk_is_told_before_the_download() {
    let repo = repo();
    python(&repo, "exit 1");
    let df = |kilobytes: u64| {
        let line = format!("/dev/x 99999999 1 {kilobytes} 82% /");
        repo.tool("df", &format!("echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'; echo '{line}'"));
    };
    df(2047 * 1024);
    let ran = repo.xtask(&["torch", "setup"]);
    ran.expect(13, &["torch needs 2048 MB in target, 2047 MB are free", "hint: free some space"]);
    assert!(!ran.err.contains("Fetching"), "{}", ran.err);
    df(2048 * 1024);
    repo.xtask(&["torch", "setup"]).expect(11, &["Fetching"]);
}

#[test]
fn a_python_of_the_user_must_have_the_pair() {
    let repo = repo();
    let own = |torch: &str, torch_npu: &str| {
        let version = |name: &str, version: &str| match version {
            "" => format!(" *\"version('{name}')\"*) exit 1 ;;\n"),
            version => format!(" *\"version('{name}')\"*) echo {version} ;;\n"),
        };
        let script = format!(
            "case \"$*\" in\n *'print(sys.executable)'*) echo \"$0\" ;;\n{}{} *version.py*) echo /x; echo None ;;\n *) exit 9 ;;\nesac",
            version("torch", torch),
            version("torch_npu", torch_npu)
        );
        repo.tool("mine", &script);
    };
    let setup = ["torch", "setup", "--use-env", "--python", "bin/mine"];
    own("2.15.0", "2.14.0");
    repo.xtask(&setup)
        .expect(19, &["has torch 2.15.0, expected torch 2.14.0 with torch_npu 2.14.0", "hint: install that"]);
    own("2.14.0+cpu", "");
    repo.xtask(&setup).expect(19, &["has no torch_npu, expected torch 2.14.0 with torch_npu 2.14.0"]);
    own("2.14.01", "2.14.0");
    repo.xtask(&setup).expect(19, &["has torch 2.14.01, expected"]);
    assert_nothing(&repo);
    own("2.14.0+cpu", "2.14.0.post2");
    repo.xtask(&setup).expect(0, &["torch setup: bin/mine"]);
    assert_eq!(fs::read_dir(repo.path("target/torch")).expect("target/torch").count(), 1, "a word about which Python");
}

/// What is Paddle's own in the way that all frameworks share.
#[test]
fn paddle_goes_the_same_way() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.write("xtask/paddle.lock.txt", "paddlepaddle==3.3.1\n");
    repo.write("adapters/paddle/x/adapter.toml", "op = \"x\"\npackage = \"ascend_x\"\n");
    let setup = ["paddle", "setup"];
    let hint = "hint: run `cargo xtask paddle setup`";
    for verb in [&["paddle", "test"][..], &["paddle", "run", "x.py"]] {
        repo.xtask(verb).expect(19, &["paddle is not set up: there is no target/paddle", hint]);
    }
    python(&repo, r#"mkdir -p "$into/half"; echo "ERROR: No matching distribution found"; exit 1"#);
    repo.xtask(&setup).expect(11, &["CPython 3.10 to 3.13 on x86_64", "--python"]);
    assert_nothing(&repo);
    python(&repo, r#"mkdir -p "$into"; echo 1 > "$into/paddle.py""#);
    repo.xtask(&setup).expect(0, &["223 MB to download, 850 MB on disk", "paddle setup: target/paddle/bin/python"]);
    repo.write("xtask/paddle.lock.txt", "paddlepaddle==3.4.0\n");
    repo.xtask(&["paddle", "test"]).expect(19, &["target/paddle has other versions than xtask/paddle.lock.txt", hint]);
}

#[test]
fn libraries_of_a_real_cann_are_named() {
    let repo = repo();
    repo.write("cann/lib64/libascendcl.so", "");
    repo.write("adapters/paddle/x/adapter.toml", "op = \"x\"\npackage = \"ascend_x\"\n");
    let lib64 = repo.path("cann/lib64");
    let lib64 = lib64.to_str().expect("UTF-8");
    for verb in [&["paddle", "test"][..], &["torch", "run", "x.py"]] {
        let ran = repo.xtask_with(verb, &[("LD_LIBRARY_PATH", lib64)]);
        ran.expect(19, &[&format!("LD_LIBRARY_PATH names {lib64}"), "hint: `unset LD_LIBRARY_PATH`"]);
    }
}

#[test]
fn onnx_has_an_environment_of_its_own() {
    let repo = repo();
    repo.write("xtask/onnx.lock.txt", "onnx==1.23.2\n");
    repo.write("model.onnx", "");
    python(&repo, r#"mkdir -p "$into"; echo 1 > "$into/onnx.py""#);
    let rewrite = ["onnx", "rewrite", "model.onnx", "out.onnx"];
    for verb in [&rewrite[..], &["onnx", "run", "x.py"], &["onnx", "test"]] {
        let missing = ["onnx is not set up: there is no target/onnx", "hint: run `cargo xtask onnx setup`"];
        repo.xtask(verb).expect(19, &missing);
    }
    repo.xtask(&["onnx", "setup"]).expect(0, &["59 MB to download", "onnx setup: target/onnx/bin/python"]);
    assert!(repo.path("target/onnx/lib/site/onnx.py").is_file());
    // The rewriter's own status: the stand-in knows no rewriter.
    repo.xtask(&rewrite).expect(9, &["model.onnx was not rewritten"]);
    assert!(!repo.path("out.onnx").exists());
}
