//! Whole messages, word by word, in snapshots/. `UPDATE_EXPECT=1 cargo test -p xtask --test messages` takes new ones.

mod common;

use common::{Ran, Repo};
use expect_test::{ExpectFile, expect_file};

/// Both streams and the exit code, without what differs from machine to machine.
fn check(repo: &Repo, ran: &Ran, expected: ExpectFile) {
    let here = repo.path("").canonicalize().expect("path");
    let root = here.to_str().expect("UTF-8");
    let mut text = String::new();
    for (name, stream) in [("stdout", &ran.out), ("stderr", &ran.err)] {
        if !stream.is_empty() {
            text.push_str(&format!("--- {name}\n{}", stream.replace(root, "<repo>")));
        }
    }
    let text: String = text.lines().map(|line| seconds(line) + "\n").collect();
    let code = ran.code.expect("no signal");
    expected.assert_eq(&format!("{text}--- exit code {code}\n"));
}

/// `in 0.3 s` at the end of a line is not the same twice.
fn seconds(line: &str) -> String {
    match line.rsplit_once(" in ").and_then(|(start, time)| Some((start, time.strip_suffix(" s")?))) {
        Some((start, time)) if time.parse::<f64>().is_ok() => format!("{start} in <time>"),
        _ => line.to_owned(),
    }
}

#[test]
fn help() {
    let repo = Repo::new();
    check(&repo, &repo.xtask(&["--help"]), expect_file!["snapshots/help.txt"]);
    check(&repo, &repo.xtask(&["run", "--help"]), expect_file!["snapshots/help_run.txt"]);
}

#[test]
fn doctor() {
    let repo = Repo::new();
    repo.good_compiler();
    for (tool, version) in [("tar", "1.34"), ("gzip", "1.12"), ("sha256sum", "9.1")] {
        repo.tool(tool, &format!("echo {version}"));
    }
    check(&repo, &repo.xtask(&["doctor"]), expect_file!["snapshots/doctor.txt"]);
}

#[test]
fn errors_with_hints() {
    let repo = Repo::new();
    check(&repo, &repo.xtask(&["build", "--ops=fmd"]), expect_file!["snapshots/unknown_op.txt"]);
    check(&repo, &repo.xtask(&["package", "--soc=ascend999"]), expect_file!["snapshots/unknown_soc.txt"]);
    check(&repo, &repo.xtask(&["example"]), expect_file!["snapshots/no_compiler.txt"]);
    check(&repo, &repo.xtask(&["build", "-j0"]), expect_file!["snapshots/no_jobs.txt"]);
    check(&repo, &repo.xtask(&["isntall"]), expect_file!["snapshots/unknown_verb.txt"]);
    check(&repo, &repo.xtask(&["env"]), expect_file!["snapshots/no_toolkit.txt"]);
    let env = [("ASCEND_HOME_PATH", "/nonexistent")];
    check(&repo, &repo.xtask_with(&["test"], &env), expect_file!["snapshots/not_a_toolkit.txt"]);
    repo.good_compiler();
    repo.tool("python3", "case \"$*\" in *--version) echo 23.0;; *) echo 'name resolution failed'; exit 1;; esac");
    check(&repo, &repo.xtask(&["setup"]), expect_file!["snapshots/no_network.txt"]);
}

#[test]
fn summary_of_tests() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.tool("cargo-is-not-here", "exit 0");
    repo.tool("clang-format", "echo 'clang-format version 18.1.8'");
    repo.tool("cmake", "echo 'cmake version 3.25.1'");
    repo.tool("ninja", "echo 1.11.1");
    let env = [("XTASK_TOOLS", "system")];
    let ran = repo.xtask_with(&["test", "--only", "fmt"], &env);
    check(&repo, &ran, expect_file!["snapshots/test_passed.txt"]);
    repo.tool("clang-format", "case $1 in --version) echo 18.1.8;; *) echo 'x.cpp:1: not formatted'; exit 1;; esac");
    let ran = repo.xtask_with(&["test", "--only", "fmt"], &env);
    check(&repo, &ran, expect_file!["snapshots/test_failed.txt"]);
    let ran = repo.xtask_with(&["build"], &[("HOSTCANN_CHEK", "1")]);
    check(&repo, &ran, expect_file!["snapshots/unknown_variable.txt"]);
}

/// A package as the installer leaves it.
fn install(repo: &Repo, vendor: &str, op: &str) {
    let dir = format!("target/hostcann/opp/vendors/{vendor}_math");
    repo.write(
        &format!("{dir}/version.info"),
        "custom_opp_compiler_version=0.1.0\ndefinitions=FMOD_DEFAULT_PRECISION=1\n",
    );
    let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_709_251_140);
    let file = std::fs::File::options().write(true).open(repo.path(&format!("{dir}/version.info"))).expect("open");
    file.set_modified(time).expect("set the time");
    repo.write(
        &format!("{dir}/op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json"),
        &format!("{{\"{op}\": {{}}}}"),
    );
    repo.write(&format!("{dir}/op_impl/ai_core/tbe/kernel/ascend910b/x/{op}_1.o"), "");
    repo.write(&format!("{dir}/op_api/lib/libcust_opapi.so"), "");
    repo.write("target/hostcann/lib64/libascendcl.so", "");
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("parent");
    let script = std::fs::read_to_string(here.join("scripts/package/uninstall.sh")).expect("uninstall.sh");
    repo.write(&format!("{dir}/scripts/uninstall.sh"), &script.replace("@VENDOR_DIR@", &format!("{vendor}_math")));
}

#[test]
fn list_and_uninstall() {
    let repo = Repo::new();
    check(&repo, &repo.xtask(&["list"]), expect_file!["snapshots/list_empty.txt"]);
    check(&repo, &repo.xtask(&["uninstall"]), expect_file!["snapshots/uninstall_nothing.txt"]);
    install(&repo, "custom", "Fmod");
    install(&repo, "mine", "Square");
    repo.write("target/hostcann/opp/vendors/config.ini", "load_priority=mine_math,custom_math\n");
    repo.write("experimental/math/fmod/examples/test_aclnn_fmod.cpp", "");
    repo.write("experimental/math/fmod/tests/ut/op_host/test_fmod.cpp", "TEST(A, b) {}\nTEST_F(A, c) {}\n// TEST_P\n");
    check(&repo, &repo.xtask_with(&["list"], &[("TZ", "UTC")]), expect_file!["snapshots/list.txt"]);

    check(&repo, &repo.xtask(&["uninstall"]), expect_file!["snapshots/uninstall_which.txt"]);
    check(&repo, &repo.xtask(&["uninstall", "--vendor_name=x"]), expect_file!["snapshots/uninstall_unknown.txt"]);
    check(&repo, &repo.xtask(&["uninstall", "--vendor_name=mine"]), expect_file!["snapshots/uninstall.txt"]);
    let config = std::fs::read_to_string(repo.path("target/hostcann/opp/vendors/config.ini")).expect("config.ini");
    assert_eq!(config, "load_priority=custom_math\n");
    repo.xtask(&["uninstall"]).expect(0, &[]);
    assert!(!repo.path("target/hostcann/opp/vendors/custom_math").exists());
}

#[test]
fn the_environment_of_programs() {
    let repo = Repo::new();
    install(&repo, "custom", "Fmod");
    check(&repo, &repo.xtask_with(&["env"], &[("LD_LIBRARY_PATH", "/a::/b")]), expect_file!["snapshots/env.txt"]);

    let script = "echo \"$1 $ASCEND_OPP_PATH\"; echo error >&2; exit 7";
    let ran = repo.xtask(&["run", "--", "sh", "-c", script, "sh", "a b"]);
    check(&repo, &ran, expect_file!["snapshots/run.txt"]);
    check(&repo, &repo.xtask(&["run", "--", "nowhere"]), expect_file!["snapshots/run_nowhere.txt"]);

    // What `env` prints is what a shell understands.
    let line = format!("eval \"$({} env)\"; echo \"$LD_LIBRARY_PATH\"", env!("CARGO_BIN_EXE_xtask"));
    let shell = repo.command(&[], &[]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line]).current_dir(repo.path("")).env_clear();
    command.envs(shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = command.output().expect("sh runs");
    let vendor = "target/hostcann/opp/vendors/custom_math/op_api/lib\n";
    assert!(String::from_utf8_lossy(&output.stdout).ends_with(vendor), "{output:?}");
}

#[test]
fn completions_know_verbs_and_flags() {
    let repo = Repo::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = repo.xtask(&["completions", shell]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{shell}");
        assert!(ran.out.contains("uninstall") && ran.out.contains("vendor_name"), "{shell}");
        assert!(!ran.out.contains("cmake-step"), "{shell}");
    }
    repo.xtask(&["completions", "dos"]).expect(2, &["[possible values: bash"]);
}
