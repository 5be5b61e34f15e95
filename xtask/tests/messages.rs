//! Whole messages, word by word, in snapshots/. `UPDATE_EXPECT=1 cargo test -p xtask --test messages` takes new ones.

mod common;

use common::{Repo, check};
use expect_test::expect_file;

#[test]
fn help() {
    let repo = Repo::new();
    let runs = [repo.xtask(&["--help"]), repo.xtask(&["run", "--help"])];
    check(&repo, &runs, expect_file!["snapshots/help.txt"]);
}

#[test]
fn doctor() {
    let repo = Repo::new();
    repo.good_compiler();
    for (tool, version) in [("tar", "1.34"), ("gzip", "1.12"), ("sha256sum", "9.1")] {
        repo.tool(tool, &format!("echo {version}"));
    }
    check(&repo, &[repo.xtask(&["doctor"])], expect_file!["snapshots/doctor.txt"]);
}

#[test]
fn errors_with_hints() {
    let repo = Repo::new();
    let lines: [&[&str]; 6] = [
        &["build", "--ops=fmd"],
        &["package", "--soc=ascend999"],
        &["example"],
        &["build", "-j0"],
        &["isntall"],
        &["env"],
    ];
    let mut runs: Vec<_> = lines.into_iter().map(|line| repo.xtask(line)).collect();
    runs.push(repo.xtask_with(&["test"], &[("ASCEND_HOME_PATH", "/nonexistent")]));
    repo.good_compiler();
    repo.tool("python3", "case \"$*\" in *--version) echo 23.0;; *) echo 'name resolution failed'; exit 1;; esac");
    runs.push(repo.xtask(&["setup"]));
    runs.push(repo.xtask_with(&["build"], &[("HOSTCANN_CHEK", "1")]));
    check(&repo, &runs, expect_file!["snapshots/errors.txt"]);
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
    let passed = repo.xtask_with(&["test", "--only", "fmt"], &env);
    repo.tool("clang-format", "case $1 in --version) echo 18.1.8;; *) echo 'x.cpp:1: not formatted'; exit 1;; esac");
    let failed = repo.xtask_with(&["test", "--only", "fmt"], &env);
    check(&repo, &[passed, failed], expect_file!["snapshots/test.txt"]);
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
    let mut runs = vec![repo.xtask(&["list"]), repo.xtask(&["uninstall"])];
    install(&repo, "custom", "Fmod");
    install(&repo, "mine", "Square");
    repo.write("target/hostcann/opp/vendors/config.ini", "load_priority=mine_math,custom_math\n");
    repo.write("experimental/math/fmod/examples/test_aclnn_fmod.cpp", "");
    repo.write("experimental/math/fmod/tests/ut/op_host/test_fmod.cpp", "TEST(A, b) {}\nTEST_F(A, c) {}\n// TEST_P\n");
    runs.push(repo.xtask_with(&["list"], &[("TZ", "UTC")]));
    let lines: [&[&str]; 3] = [&["uninstall"], &["uninstall", "--vendor_name=x"], &["uninstall", "--vendor_name=mine"]];
    runs.extend(lines.into_iter().map(|line| repo.xtask(line)));
    check(&repo, &runs, expect_file!["snapshots/list_and_uninstall.txt"]);
    let config = std::fs::read_to_string(repo.path("target/hostcann/opp/vendors/config.ini")).expect("config.ini");
    assert_eq!(config, "load_priority=custom_math\n");
    repo.xtask(&["uninstall"]).expect(0, &[]);
    assert!(!repo.path("target/hostcann/opp/vendors/custom_math").exists());
}

#[test]
fn the_environment_of_programs() {
    let repo = Repo::new();
    install(&repo, "custom", "Fmod");
    let script = "echo \"$1 $ASCEND_OPP_PATH\"; echo error >&2; exit 7";
    let runs = [
        repo.xtask_with(&["env"], &[("LD_LIBRARY_PATH", "/a::/b")]),
        repo.xtask(&["run", "--", "sh", "-c", script, "sh", "a b"]),
        repo.xtask(&["run", "--", "nowhere"]),
    ];
    check(&repo, &runs, expect_file!["snapshots/environment.txt"]);

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
