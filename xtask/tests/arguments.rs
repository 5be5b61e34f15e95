//! A wrong command line is refused at once, also while another run has the checkout.

mod common;

use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{OP, Repo};

/// Its exit code and stderr, while somebody else has the lock.
fn run(repo: &Repo, line: &str) -> (Option<i32>, String) {
    let args: Vec<&str> = line.split_whitespace().collect();
    let toolkit = repo.path("toolkit");
    let env = [("ASCEND_HOME_PATH", &*toolkit.to_string_lossy())];
    let mut child =
        repo.command(&args, &env).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("xtask starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("wait") {
            break Some(status);
        }
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().expect("kill");
            child.wait().expect("wait");
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut text = String::new();
    child.stderr.take().expect("stderr").read_to_string(&mut text).expect("text");
    let code = status.unwrap_or_else(|| panic!("`{line}` waits for the lock:\n{text}")).code();
    assert!(!text.contains("Waiting"), "`{line}`:\n{text}");
    (code, text)
}

#[test]
fn nobody_waits_for_a_mistake() {
    let repo = Repo::on_a_toolkit();
    repo.write("target/xtask.lock", "pid 1, test");
    let lock = fs::File::options().write(true).open(repo.path("target/xtask.lock")).expect("open");
    lock.lock().expect("lock");
    repo.write("cases.json", "[]");
    repo.write("full/file", "");
    let op = format!("--op-dir {OP}");
    for (line, code, says) in [
        ("build --ops fmd", 15, "unknown op `fmd`"),
        ("package --op-dir nowhere", 15, "is not an op directory"),
        ("install --run typo.run", 41, "typo.run"),
        ("install --install-path=here", 2, "is not an absolute path"),
        ("example --op-dir nowhere", 15, "is not an op directory"),
        ("example --soc=ascend910c", 16, "ascend910c"),
        (&format!("example {op} --install-path=here"), 2, "is not an absolute path"),
        ("example --example_name=nosuch", 2, "has no example `nosuch`"),
        ("sim --example=nosuch", 2, "has no example `nosuch`"),
        ("test --ops fmd", 15, "unknown op `fmd`"),
        ("test --again", 2, "--again: neither"),
        ("test --sanitize thread", 2, "ASCEND_HOME_PATH is set"),
        ("optest nosuch.json", 2, "hint: case files are"),
        ("operators", 2, "no operator is named"),
        ("opinfo gen --ops fmd", 15, "unknown op `fmd`"),
        ("new math/Square", 2, "is not in snake case"),
        ("sample nowhere", 2, "has no CMakeLists.txt"),
        ("bench sim --baseline nosuch.json", 2, "--baseline"),
        ("torch run nosuch.py", 2, "there is no file"),
        ("torch st nowhere", 33, "there is no"),
        ("torch test --suite cases.json", 2, "--suite: only `--only inductor` reads it"),
        ("torch test --only inductor", 2, "--suite is missing"),
        ("torch test --only inductor --suite nowhere", 2, "cannot read"),
        ("torch test --only inductor --suite cases.json", 2, "is not PyTorch's: it has no `class CommonTemplate`"),
        ("paddle run nosuch.py", 2, "there is no file"),
        ("onnx run nosuch.py", 2, "there is no file"),
        ("onnx rewrite nosuch.onnx out.onnx", 2, "there is no file"),
        ("pr", 2, "where should the op go?"),
        ("pr --check --op-dir toolkit", 15, "is not an op directory"),
        ("pr --ops-math nowhere", 17, "nowhere"),
        ("pr --check --message nosuch.md", 2, "cannot read"),
        ("pr --bundle full --task 05-11 --team mine", 2, "is not empty"),
        // They build nothing.
        ("pr --explain 8", 0, ""),
        ("pr --list", 0, ""),
        ("sim -- sh -c :", 33, "nothing was simulated"),
        ("sim -- nosuchprog", 127, "no directory of PATH has it"),
    ] {
        let (got, text) = run(&repo, line);
        assert_eq!(got, Some(code), "`{line}`:\n{text}");
        assert!(text.contains(says), "`{line}` does not say `{says}`:\n{text}");
    }
}
