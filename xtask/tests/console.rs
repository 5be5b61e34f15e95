//! What goes to which stream, how long steps and failed builds look, and runs that meet in one checkout.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::Repo;

/// A repository whose build goes as far as cmake, which prints `says` and fails when it is to build.
fn with_failing_cmake(says: &str) -> Repo {
    let repo = Repo::new();
    repo.good_compiler();
    repo.tool("ninja", "echo 1.11.1");
    for file in [
        "include/acl/acl.h",
        "cmake/asc/ASCConfig.cmake",
        "cmake/tikicpulib/x.cmake",
        "cmake/tikcpp/ascendc.cmake",
        "opapi/operators.txt",
        "soc/chips.toml",
        "set_env.sh",
    ] {
        repo.write(&format!("hostcann/{file}"), "");
    }
    repo.tool(
        "cargo-is-not-here",
        "mkdir -p target/debug; for made in libascendcl.so libopapi.so bisheng; do echo > target/debug/$made; done",
    );
    repo.write("says", says);
    let script = "case \"$*\" in\n *--version*) echo 'cmake version 3.25.1';;\n \
                  *--build*) cat \"$HOME/says\"; exit 1;;\n *) echo '-- Configuring done';;\nesac";
    repo.tool("cmake", script);
    repo
}

const SYSTEM: (&str, &str) = ("XTASK_TOOLS", "system");

const NINJA: &str = "\
[1/3] Building CXX object a.o
[2/3] Building CXX object b.o
FAILED: b.o
cd /build && xtask opc kernel --soc ascend910b
/x/b.cpp:3:1: error: 'y' was not declared in this scope
    3 | y;
[3/3] Building CXX object c.o
ninja: build stopped: subcommand failed.
";

#[test]
fn the_compilers_message_comes_first_and_the_log_last() {
    let repo = with_failing_cmake(NINJA);
    let ran = repo.xtask_with(&["build"], &[SYSTEM]);
    let expected = "    Building host toolkit (target/hostcann)
/x/b.cpp:3:1: error: 'y' was not declared in this scope
    3 | y;
error: libnnopbase: the build failed
hint: the whole output is in target/xtask/log/libnnopbase.log; -v shows it while it runs
";
    ran.expect(20, &[]);
    assert!(ran.err.ends_with(expected), "{}", ran.err);
    let log = fs::read_to_string(repo.path("target/xtask/log/libnnopbase.log")).expect("log");
    assert!(log.contains(NINJA), "{log}");
}

#[test]
fn errors_are_red_where_there_are_colours() {
    let repo = Repo::new();
    let always = repo.xtask_with(&["build", "--ops=fmd"], &[("CARGO_TERM_COLOR", "always")]);
    always.expect(15, &["\x1b[1;31merror\x1b[0m: unknown op", "\x1b[1;36mhint\x1b[0m: "]);
    assert!(!repo.xtask(&["build", "--ops=fmd"]).err.contains('\x1b'));
}

#[test]
fn results_go_to_stdout_and_progress_to_stderr() {
    let repo = Repo::new();
    repo.good_compiler();
    let ran = repo.xtask(&["doctor"]);
    assert!(ran.out.contains("  ok   C++ compiler  12.2.0 "), "{}", ran.out);
    assert!(ran.out.contains("\n  FAIL python3"), "{}", ran.out);
    assert!(ran.err.starts_with("error: missing or too old: cargo, python3, pip"), "{}", ran.err);
    assert!(!ran.err.contains("12.2.0"), "{}", ran.err);

    let json = repo.xtask(&["doctor", "--json"]);
    serde_json::from_str::<serde_json::Value>(&json.out).expect("one JSON object on stdout, nothing else");
    assert!(json.err.contains("  ok   C++ compiler  12.2.0 "), "{}", json.err);
}

#[test]
fn a_program_keeps_its_two_streams() {
    let repo = Repo::new();
    repo.write("cann/include/acl/acl.h", "");
    repo.write("ops-math/experimental/.keep", "");
    repo.write("experimental/math/fmod/examples/test_aclnn_fmod.cpp", "");
    let script = r#"case "$*" in
    *--pkg*) mkdir -p build_out; printf '#!/bin/sh\nmkdir -p "$ASCEND_OPP_PATH/vendors/custom_math"; echo SUCCESS' \
        > build_out/cann-ops-math-custom_linux-ARCH.run ;;
    *) echo 'run test_aclnn_fmod, execute samples success'; echo 'a complaint' >&2 ;;
esac"#;
    repo.write("ops-math/build.sh", &script.replace("ARCH", std::env::consts::ARCH));
    fs::create_dir_all(repo.path("cann/opp")).expect("mkdir");
    let cann = repo.path("cann");
    let env = [("ASCEND_HOME_PATH", cann.to_str().expect("UTF-8"))];
    let ran = repo.xtask_with(&["example", "--ops-math=ops-math"], &env);
    ran.expect(0, &["a complaint\n"]);
    assert_eq!(ran.out, "run test_aclnn_fmod, execute samples success\n");
    assert!(!ran.err.contains("execute samples"), "{}", ran.err);
    let log = fs::read_to_string(repo.path("target/xtask/log/run_example.log")).expect("log");
    assert!(log.contains("execute samples success\n") && log.contains("a complaint\n"), "{log}");
}

#[test]
fn quiet_leaves_results_and_errors() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.tool("python3", "case \"$*\" in *--version) echo 23.0;; *) mkdir -p \"$5\";; esac");
    let ran = repo.xtask(&["setup", "--quiet"]);
    ran.expect(0, &[]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    let ran = repo.xtask(&["-q", "build", "--ops=fmd"]);
    assert!(ran.err.starts_with("error: unknown op `fmd`"), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_stops_nothing() {
    let repo = Repo::new();
    repo.good_compiler();
    let script = "case \"$*\" in *--version) echo 23.0;; *) mkdir -p \"$5\"; echo x > \"$5/tool\";; esac";
    repo.tool("python3", script);
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("pipe");
        drop(reader);
        writer
    };
    for args in [&["setup", "-v"] as &[_], &["setup", "--force", "--json"], &["clean"]] {
        let status = repo.command(args, &[]).stdout(closed()).stderr(closed()).status().expect("xtask runs");
        assert_eq!(status.code(), Some(0), "{args:?}");
    }
    let code = |args| repo.command(args, &[]).stdout(closed()).stderr(closed()).status().expect("runs").code();
    assert_eq!(code(&["doctor"]), Some(10));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["nope", "--json"]), Some(2));
    assert_eq!(code(&["build", "--ops=fmd"]), Some(15));
}

#[test]
fn missing_rights_are_not_an_internal_error() {
    let repo = Repo::new();
    repo.good_compiler();
    // Nobody, root included, may create files there.
    std::os::unix::fs::symlink("/sys", repo.path("target")).expect("symlink");
    let doctor = repo.xtask(&["doctor"]);
    assert!(doctor.out.contains("  FAIL target/ "), "{}", doctor.out);
    let ran = repo.xtask(&["setup"]);
    ran.expect(18, &["error: cannot write", "target/xtask.lock", "hint: give your user the right to write there"]);
}

#[test]
fn lines_that_are_not_understood() {
    let repo = Repo::new();
    let ran = repo.xtask(&["package", "--vendor_nme=x", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&json["ok"], &json["exit_code"]), (&false.into(), &2.into()));
    assert!(json["error"]["causes"][0].as_str().expect("text").starts_with("unexpected argument '--vendor_nme'"));

    for hidden in ["op", "opcc", "cmake-stp"] {
        let ran = repo.xtask(&[hidden]);
        ran.expect(2, &["unrecognized subcommand"]);
        assert!(!ran.err.contains("opc'") && !ran.err.contains("cmake-step"), "{}", ran.err);
    }
    for jobs in ["-j0", "-j99999", "-jx"] {
        repo.xtask(&["build", jobs]).expect(2, &["invalid value", "--jobs <N>"]);
    }
    assert_eq!(repo.xtask(&["help"]).out, repo.xtask(&["--help"]).out);
    assert_eq!(repo.xtask(&["help", "build"]).out, repo.xtask(&["build", "--help"]).out);
}

#[test]
fn a_compiler_with_arguments() {
    let repo = Repo::new();
    repo.tool("g++", "[ \"$1 $2\" = '-m64 --version' ] && echo 'g++ (Test) 12.2.0'");
    let ran = repo.xtask_with(&["doctor"], &[("CXX", "g++ -m64")]);
    assert!(ran.out.contains("  ok   C++ compiler  12.2.0 "), "{}", ran.out);
}

#[test]
fn settings_of_pip_for_other_installations_do_not_matter() {
    let repo = Repo::new();
    repo.good_compiler();
    let script = "case \"$*\" in *--version) echo 23.0;; *) mkdir -p \"$5\"; \
                  echo \"$PIP_PREFIX,$PIP_ROOT,$PIP_TARGET,$PIP_USER,$PIP_REQUIRE_VIRTUALENV\" > \"$5/settings\"; \
                  pwd > \"$5/place\";; esac";
    repo.tool("python3", script);
    let settings = [
        ("PIP_PREFIX", "/p"),
        ("PIP_ROOT", "/r"),
        ("PIP_TARGET", "/t"),
        ("PIP_USER", "1"),
        ("PIP_REQUIRE_VIRTUALENV", "1"),
    ];
    repo.xtask_with(&["setup"], &settings).expect(0, &[]);
    assert_eq!(fs::read_to_string(repo.path("target/tools/settings")).expect("settings"), ",,,0,0\n");
    // `python3 -m pip` would run a pip/ of the directory it is started in.
    assert_eq!(fs::read_to_string(repo.path("target/tools/place")).expect("place"), "/\n");

    repo.tool("python3", "case \"$*\" in *--version) echo 23.0;; *) echo 'No matching distribution'; exit 1;; esac");
    let ran = repo.xtask_with(&["setup", "--force"], &[("PIP_NO_INDEX", "1")]);
    ran.expect(11, &["PIP_NO_INDEX is set", "hint: unset PIP_NO_INDEX"]);
}

/// Stands for pip: two at once fail, as two builds in one directory do.
const ALONE: &str = r#"case "$*" in
    *--version) echo 23.0 ;;
    *) mkdir "$HOME/busy" || exit 1; echo in > "$HOME/started"; sleep 1; mkdir -p "$5"; rm -r "$HOME/busy" ;;
esac"#;

fn finish(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("wait");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn wait_for(mut what: impl FnMut() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing happened for a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn two_runs_in_one_checkout_take_turns() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.tool("python3", ALONE);
    let start = || repo.command(&["setup", "--force"], &[]).stderr(Stdio::piped()).spawn().expect("xtask starts");
    let first = start();
    let pid = first.id();
    wait_for(|| repo.path("started").exists());
    let second = start();
    // Looking takes no lock.
    assert!(repo.xtask(&["doctor"]).out.contains("C++ compiler"));
    let (code, err) = finish(first);
    assert_eq!(code, Some(0), "{err}");
    assert!(!err.contains("Waiting"), "{err}");
    let (code, err) = finish(second);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains(&format!("Waiting for another cargo xtask in this checkout (pid {pid}, setup)")), "{err}");
}

#[test]
fn who_waited_for_a_lock_that_was_removed_waits_for_the_new_one() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.tool("python3", ALONE);
    let start = || repo.command(&["setup", "--force"], &[]).stderr(Stdio::piped()).spawn().expect("xtask starts");
    // This program stands for `clean --all`, which removes the file while it has the lock.
    repo.write("target/xtask.lock", "pid 1, clean");
    let ours = fs::File::options().write(true).open(repo.path("target/xtask.lock")).expect("open");
    ours.lock().expect("lock");
    let mut first = start();
    let mut line = String::new();
    let mut err = BufReader::new(first.stderr.take().expect("stderr"));
    err.read_line(&mut line).expect("line");
    assert!(line.contains("Waiting for another cargo xtask in this checkout (pid 1, clean)"), "{line}");
    fs::remove_file(repo.path("target/xtask.lock")).expect("remove");
    let second = start();
    wait_for(|| repo.path("started").exists());
    drop(ours);
    let (code, text) = finish(second);
    assert_eq!(code, Some(0), "{text}");
    let mut rest = String::new();
    err.read_to_string(&mut rest).expect("text");
    assert_eq!(first.wait().expect("wait").code(), Some(0), "{rest}");
}

#[test]
fn a_killed_run_leaves_no_lock() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.tool("python3", "case \"$*\" in *--version) echo 23.0;; *) echo > \"$HOME/started\"; sleep 3;; esac");
    let mut first = repo.command(&["setup"], &[]).stderr(Stdio::null()).spawn().expect("xtask starts");
    wait_for(|| repo.path("started").exists());
    first.kill().expect("kill");
    first.wait().expect("wait");
    repo.tool("python3", "case \"$*\" in *--version) echo 23.0;; *) mkdir -p \"$5\";; esac");
    let ran = repo.xtask(&["setup"]);
    ran.expect(0, &[]);
    assert!(!ran.err.contains("Waiting"), "{}", ran.err);
}

#[test]
fn a_run_may_start_another_in_its_own_checkout() {
    let repo = Repo::new();
    repo.good_compiler();
    let xtask = env!("CARGO_BIN_EXE_xtask");
    let script = format!(
        "case \"$*\" in *--version) echo 23.0;; *) mkdir -p \"$5\"; {xtask} build --ops=fmd; echo $? > \"$5/code\";; esac"
    );
    repo.tool("python3", &script);
    repo.xtask(&["setup"]).expect(0, &[]);
    assert_eq!(fs::read_to_string(repo.path("target/tools/code")).expect("code"), "15\n");
}

/// What can be said without building is said at once, whoever builds meanwhile.
#[test]
fn wrong_arguments_do_not_wait_for_the_lock() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.write("README.md", "");
    repo.write("docs/.keep", "");
    repo.write("target/xtask.lock", "pid 1, test");
    let held = fs::File::options().write(true).open(repo.path("target/xtask.lock")).expect("open");
    held.lock().expect("lock");
    let chip = "[Ascend910B3]\nversion.Short_SoC_version = \"Ascend910B\"\n";
    repo.write("hostcann/soc/chips.toml", chip);
    let verbs: [&[&str]; 8] = [
        &["build"],
        &["package"],
        &["install"],
        &["example"],
        &["test"],
        &["sim"],
        &["opinfo", "gen"],
        &["onnx", "test"],
    ];
    let wrong: [(&[&str], i32, &str); 6] = [
        (&["--op-dir", "/nonexistent"], 15, "/nonexistent is not an op directory"),
        (&["--op-dir", "README.md"], 15, "README.md is not an op directory"),
        (&["--op-dir", "docs"], 15, "docs is not an op directory: CMakeLists.txt is missing"),
        (&["--ops", "fmd"], 15, "unknown op `fmd`; known ops: fmod"),
        (&["--soc=ascend910c"], 16, "unknown SoC `ascend910c`"),
        (&["--vendor_name=a/b"], 2, "--vendor_name `a/b`"),
    ];
    let refused = |line: &[&str], env: &[(&str, &str)], code: i32, text: &str| {
        let mut child = repo.command(line, env).stderr(Stdio::piped()).spawn().expect("xtask starts");
        wait_for(|| child.try_wait().expect("wait").is_some());
        let (got, err) = finish(child);
        assert_eq!(got, Some(code), "{line:?}: {err}");
        assert!(err.contains(text) && err.contains("hint: ") && !err.contains("Waiting"), "{line:?}: {err}");
    };
    for verb in verbs {
        for (arguments, code, text) in wrong {
            refused(&[verb, arguments].concat(), &[], code, text);
        }
    }
    refused(&["example", "--example_name=x"], &[], 2, "fmod has no example `x`");
    refused(&["install", "--install-path=x"], &[], 2, "--install-path=x is not an absolute path");
    refused(&["sample", "docs"], &[], 2, "docs has no CMakeLists.txt");
    refused(&["operators", "--ops", "x"], &[], 15, "unknown op `x`");
    refused(&["pr", "--op-dir", "docs"], &[], 15, "docs is not an op directory");
    refused(&["torch", "test", "--ops", "x"], &[], 15, "unknown op `x`");
    refused(&["build"], &[("HOSTCANN_SOC", "Ascend910X")], 2, "environment variable HOSTCANN_SOC is `Ascend910X`");
    refused(&["test"], &[("HOSTCANN_CORES", "0")], 2, "environment variable HOSTCANN_CORES is `0`");
    drop(held);
}
