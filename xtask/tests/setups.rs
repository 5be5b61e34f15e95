//! What a setup says of pip, and whom that of a framework waits for.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Repo, python};

fn repo() -> Repo {
    let repo = Repo::new();
    repo.good_compiler();
    repo.write("hostcann/cli/locks/torch.lock.txt", "torch==2.14.0\n");
    repo
}

#[test]
fn what_pip_downloads_is_measured() {
    let repo = repo();
    repo.write("wheel", &"x".repeat(3_000_000));
    let pip = r#"mkdir -p "$into"; cp "$HOME/wheel" "$TMPDIR/x.whl"; echo 'Installing collected packages: x'"#;
    python(&repo, pip);
    repo.xtask(&["torch", "setup"]).expect(0, &["  Downloaded 3 MB in ", "Finished torch setup"]);
}

/// The seconds of `Finished … in 1.2 s`.
fn seconds(text: &str) -> f64 {
    let line = text.lines().find(|line| line.contains("Finished")).expect("a last line");
    let (_, seconds) = line.trim_end_matches(" s").rsplit_once(' ').expect("a number");
    seconds.parse().expect("seconds")
}

#[test]
fn a_setup_waits_for_its_own_environment_only_and_does_not_count_that() {
    let repo = repo();
    python(&repo, r#"mkdir -p "$into""#);
    let lock = |name: &str, who: &str| {
        repo.write(name, who);
        let file = fs::File::options().write(true).open(repo.path(name)).expect("open");
        file.lock().expect("lock");
        file
    };
    // Who waits: its first line, and the rest when the lock is free.
    let waits = |line: &[&str], held: fs::File, who: &str| {
        let start = Instant::now();
        let mut child = repo.command(line, &[]).stderr(Stdio::piped()).spawn().expect("xtask starts");
        let mut err = BufReader::new(child.stderr.take().expect("stderr"));
        let mut first = String::new();
        err.read_line(&mut first).expect("line");
        assert!(first.contains(&format!("Waiting for another cargo xtask in this checkout ({who})")), "{first}");
        std::thread::sleep(Duration::from_secs(3));
        drop(held);
        let mut rest = String::new();
        err.read_to_string(&mut rest).expect("text");
        assert_eq!(child.wait().expect("wait").code(), Some(0), "{rest}");
        (rest, start.elapsed().as_secs_f64())
    };
    let checkout = lock("target/xtask.lock", "pid 1, test");
    let ran = repo.xtask(&["torch", "setup"]);
    ran.expect(0, &["Finished torch setup"]);
    assert!(!ran.err.contains("Waiting"), "{}", ran.err);
    drop(checkout);
    let own = lock("target/xtask-torch.lock", "pid 2, torch");
    let (rest, all) = waits(&["torch", "setup"], own, "pid 2, torch");
    assert!(seconds(&rest) < all - 2.5, "of {all} s three were waiting: {rest}");
    // What removes environments waits for who makes one.
    let own = lock("target/xtask-torch.lock", "pid 3, torch");
    waits(&["clean"], own, "pid 3, torch");
}

/// What a terminal of this kind gets to see of a `setup` that takes a while.
fn on_a_terminal(term: &str) -> String {
    let repo = Repo::new();
    repo.good_compiler();
    repo.write("wheel", &"x".repeat(11_000_000));
    let pip =
        r#"case "$*" in *--version) echo 23.0;; *) cp "$HOME/wheel" "$TMPDIR/x.whl"; sleep 2; mkdir -p "$5";; esac"#;
    repo.tool("python3", pip);
    let (mut ours, theirs) = pty();
    let mut command = repo.command(&["setup"], &[("TERM", term)]);
    let mut child = command.stderr(theirs).spawn().expect("xtask starts");
    drop(command);
    let mut seen = Vec::new();
    // A terminal that nobody writes to any more is an error.
    let _ = ours.read_to_end(&mut seen);
    assert_eq!(child.wait().expect("wait").code(), Some(0));
    String::from_utf8_lossy(&seen).into_owned()
}

fn pty() -> (fs::File, OwnedFd) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("pty");
    grantpt(&ours).expect("grant");
    unlockpt(&ours).expect("unlock");
    let name = ptsname(&ours, Vec::new()).expect("name").into_string().expect("UTF-8");
    let theirs = fs::OpenOptions::new().read(true).write(true).open(name).expect("terminal");
    (fs::File::from(ours), OwnedFd::from(theirs))
}

#[test]
fn long_steps_show_on_a_terminal_that_they_go_on() {
    let seen = on_a_terminal("xterm");
    assert!(seen.contains("\x1b[1;32m    Fetching\x1b[0m cmake, ninja"), "{seen:?}");
    assert!(
        seen.contains(
            "\r\x1b[K\x1b[?7l\x1b[1;36m     Running\x1b[0m tools downloading, 11 of 55 MB, 20 %, 1 s\x1b[?7h"
        ),
        "{seen:?}"
    );
    // Nothing of it stays.
    assert!(seen.contains("\x1b[?7h\r\x1b[K\x1b[1;32m    Finished"), "{seen:?}");
    let dumb = on_a_terminal("dumb");
    assert!(dumb.contains("    Finished setup") && !dumb.contains('\x1b') && !dumb.contains("Running"), "{dumb:?}");
}
