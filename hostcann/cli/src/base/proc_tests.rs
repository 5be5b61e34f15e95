//! Sub-tools that end in every way, and those that do not.

use super::*;
use crate::base::args::Global;
use crate::base::diag;

#[test]
fn the_end_of_a_log() {
    assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc");
    assert_eq!(last_lines("a\n", 40), "a");
    assert_eq!(last_lines("", 40), "");
}

/// This test program runs the other half, which starts a sub-tool and is killed.
#[test]
fn a_killed_tool_takes_its_sub_tools_along() {
    const PLACE: &str = "XTASK_TEST_KILLED";
    if let Some(file) = std::env::var_os(PLACE) {
        let shell = xshell::Shell::new().expect("shell");
        let line = format!("echo $$ > '{0}.part' && mv '{0}.part' '{0}' && exec sleep 600", file.to_string_lossy());
        let child = spawn(xshell::cmd!(shell, "sh -c {line}"), false, Stdio::null()).expect("started");
        child.output.recv().expect_err("it prints nothing");
        return;
    }
    let temp = tempfile::tempdir().expect("temp dir");
    let file = temp.path().join("pid");
    let line = ["--exact", "base::proc::tests::a_killed_tool_takes_its_sub_tools_along"];
    let this = std::env::current_exe().expect("this test program");
    let mut tool = Command::new(this).args(line).env(PLACE, &file).stdout(Stdio::null()).spawn().expect("it runs");
    let mut patience = (0..3000).map(|_| std::thread::sleep(Duration::from_millis(10)));
    let pid = patience.find_map(|()| fs::read_to_string(&file).ok()).expect("the sub-tool runs");
    let status = PathBuf::from(format!("/proc/{}/stat", pid.trim()));
    assert!(status.exists(), "it sleeps");
    tool.kill().expect("killed");
    tool.wait().expect("ended");
    // Whoever inherits it may be slow to collect it.
    let ended = |()| fs::read_to_string(&status).map_or(true, |text| text.contains(") Z "));
    assert!(patience.any(ended), "process {} lives on", pid.trim());
}

/// What came of a program that is shown, with a limit of a second; the error for one that failed.
fn shown(script: &str) -> anyhow::Result<()> {
    let temp = tempfile::tempdir().expect("temp dir");
    let cx = Ctx::new("test", &Global::default()).expect("a context");
    let mut cx = cx.apart(temp.path().to_owned());
    cx.run.program_limit = Some(Duration::from_secs(1));
    let outcome = show_run(&cx, "sweep", cx.run.sh.cmd("sh").args(["-c", script]));
    assert_eq!(cx.run.was_stopped(), outcome.as_ref().map_or(true, |outcome| outcome.timed_out));
    match outcome? {
        outcome if outcome.ok => Ok(()),
        outcome => Err(tool_failed(&cx, "sweep", Kind::Tests, "bin/op-sweep", &outcome)),
    }
}

#[test]
fn one_that_tells_of_its_progress_outlives_the_limit() {
    shown("for n in 1 2 3; do sleep 0.5; echo $n pairs >&2; done").expect("never silent for so long");
    let error = shown("echo 1 pair >&2; exec sleep 100").expect_err("silent");
    let message = &diag::causes(&error)[0];
    let want = "sweep: `op-sweep` failed (time limit of 1 s without a line of output: stopped after ";
    assert!(diag::code(&error) == 30 && message.starts_with(want), "{message}");
}

#[test]
fn one_that_something_outside_stops_has_not_failed() {
    let told = |script: &str| {
        let error = shown(script).expect_err("it ends early");
        (diag::code(&error), diag::causes(&error)[0].clone())
    };
    let want = "sweep: `sh` was stopped by signal 15 (SIGTERM) from outside; no fault of the operator";
    assert_eq!(told("kill -TERM $$"), (34, want.to_owned()));
    assert_eq!(told("kill -SEGV $$"), (30, "sweep: `op-sweep` failed (signal: 11 (SIGSEGV))".to_owned()));
}

#[test]
fn what_cannot_be_started() {
    let told = |kind: std::io::ErrorKind| {
        let error = spawn_error("./a.txt", kind.into());
        (diag::causes(&error)[0].clone(), diag::hint(&error).unwrap_or_default())
    };
    let (message, hint) = told(std::io::ErrorKind::PermissionDenied);
    assert!(message == "cannot run `./a.txt`: permission denied" && hint.contains("chmod +x"), "{message} {hint}");
    assert!(told(std::io::ErrorKind::NotFound).0.ends_with("command not found"));
}

#[test]
fn outside_causes() {
    assert_eq!(classify("g++: fatal error: x.o: No space left on device"), Some(Kind::DiskFull));
    assert_eq!(classify("error: failed to download from `https://x`"), Some(Kind::Network));
    let killed = "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.";
    assert_eq!(classify(killed), Some(Kind::Stopped));
    assert_eq!(classify("g++: internal compiler error: Segmentation fault signal terminated program cc1plus"), None);
    assert_eq!(classify("error: expected ';'"), None);
}

/// cargo draws its bar for the progress line alone: neither the log nor the outcome has it, and nothing is lost.
#[test]
fn the_bar_of_cargo_is_no_line_of_its_log() {
    let temp = tempfile::tempdir().expect("temp dir");
    let script =
        "echo first; [ $CARGO_TERM_PROGRESS_WHEN = always ] && printf '    Building [=> ] 1/2: x\\r'; printf last";
    let cargo = temp.path().join("cargo");
    std::os::unix::fs::symlink("/bin/sh", &cargo).expect("link");
    let cx = Ctx::new("test", &Global { json: false, verbose: false, quiet: false, format: String::new() })
        .expect("a context");
    let cx = cx.apart(temp.path().to_owned());
    let outcome = log_run(&cx, "x", cx.run.sh.cmd(&cargo).args(["-c", script])).expect("it runs");
    assert!(outcome.ok, "{}", outcome.text);
    assert_eq!(outcome.text, "first\nlast");
    assert_eq!(fs::read_to_string(cx.project.log_file("x")).expect("a log"), "first\nlast");
}
