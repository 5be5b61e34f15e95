//! With a real CANN, upstream's build.sh does the work; here a script in its place records what it was asked.

mod common;

use std::fs;

use common::{Ran, Repo};

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("cann/include/acl/acl.h", "");
    fs::create_dir_all(repo.path("cann/opp")).expect("mkdir");
    repo.write("ops-math/experimental/.keep", "");
    repo.write("experimental/math/fmod/examples/test_aclnn_fmod_scalar.cpp", "");
    let script = r#"echo "$*" >> calls
case "$*" in *--pkg*)
    mkdir -p build_out
    echo '#!/bin/sh
        mkdir -p "$ASCEND_OPP_PATH/vendors/mine_math"
        echo SUCCESS' > build_out/cann-ops-math-mine_linux-ARCH.run
esac
"#;
    repo.write("ops-math/build.sh", &script.replace("ARCH", std::env::consts::ARCH));
    repo
}

fn run(repo: &Repo, args: &[&str]) -> Ran {
    let cann = repo.path("cann");
    repo.xtask_with(args, &[("ASCEND_HOME_PATH", &cann.to_string_lossy()), ("OPS_MATH_HOME", "")])
}

fn calls(repo: &Repo) -> Vec<String> {
    let text = fs::read_to_string(repo.path("ops-math/calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn without_a_checkout() {
    let repo = repo();
    run(&repo, &["package"])
        .expect(17, &["is a real CANN: building for it needs an ops-math checkout", "--ops-math DIR"]);
    run(&repo, &["package", "--ops-math=cann"]).expect(17, &["is no ops-math checkout: it has no build.sh"]);
}

#[test]
fn package_overlays_the_op_and_calls_build_sh() {
    let repo = repo();
    let args = ["package", "--ops-math=ops-math", "--vendor_name=mine", "--soc=ascend910b", "-j3"];
    run(&repo, &args).expect(0, &["Toolkit cann (CANN; from ASCEND_HOME_PATH)"]);
    assert_eq!(calls(&repo), ["--pkg --experimental --soc=ascend910b --ops=fmod --vendor_name=mine -j3"]);
    assert!(repo.path("ops-math/experimental/math/fmod/op_host/fmod_def.cpp").is_file());
    let name = format!("build_out/cann-ops-math-mine_linux-{}.run", std::env::consts::ARCH);
    assert!(repo.path(&name).is_file());

    // Our own earlier copy is renewed.
    repo.write("experimental/math/fmod/op_kernel/fmod.cpp", "// new");
    run(&repo, &args).expect(0, &[]);
    assert_eq!(
        fs::read_to_string(repo.path("ops-math/experimental/math/fmod/op_kernel/fmod.cpp")).expect("read"),
        "// new"
    );
}

#[test]
fn definitions_reach_host_sources_and_no_kernel() {
    let repo = repo();
    let script = "echo \"$CXXFLAGS\" > flags; exit 1";
    repo.write("ops-math/build.sh", script);
    repo.write("experimental/math/fmod/op_api/x.h", "HOST_MODE");
    repo.write("experimental/math/fmod/op_kernel/x.h", "KERNEL_MODE");
    run(&repo, &["package", "--ops-math=ops-math", "--define", "HOST_MODE=2"]).expect(20, &[]);
    assert_eq!(fs::read_to_string(repo.path("ops-math/flags")).expect("flags"), "-DHOST_MODE=2\n");
    run(&repo, &["package", "--ops-math=ops-math", "--define", "KERNEL_MODE=2"])
        .expect(2, &["--define KERNEL_MODE=2: op_kernel of fmod reads KERNEL_MODE, and build.sh passes kernels none"]);
}

#[test]
fn install_builds_again_and_reports_what_it_installed() {
    let repo = repo();
    let args = ["install", "--ops-math=ops-math", "--vendor_name=mine", "--soc=ascend910b"];
    for times in 1..=2 {
        let ran = run(&repo, &args);
        ran.expect(0, &["Finished install: cann/opp/vendors/mine_math"]);
        assert_eq!(calls(&repo).len(), times, "a file of an earlier run is no reason not to build");
    }
    assert!(calls(&repo)[1].contains("--soc=ascend910b") && calls(&repo)[1].contains("--vendor_name=mine"));
}

#[test]
fn somebody_elses_directory_is_left_alone() {
    let repo = repo();
    repo.write("ops-math/experimental/math/fmod/theirs.txt", "precious");
    run(&repo, &["build", "--ops-math=ops-math"]).expect(17, &["exists and was not put there by xtask", "hint: "]);
    assert!(repo.path("ops-math/experimental/math/fmod/theirs.txt").is_file());
    assert!(calls(&repo).is_empty());
}

#[test]
fn example_goes_all_the_way() {
    let repo = repo();
    let args = [
        "example",
        "fmod",
        "eager",
        "cust",
        "--vendor_name=mine",
        "--ops-math=ops-math",
        "--example_name=aclnn_fmod_scalar",
    ];
    run(&repo, &args).expect(0, &[]);
    assert_eq!(
        calls(&repo)[1..],
        ["--experimental --run_example fmod eager cust --vendor_name=mine --example_name=aclnn_fmod_scalar"]
    );
    assert!(repo.path("cann/opp/vendors/mine_math").is_dir());
}

#[test]
fn build_sh_fails() {
    let repo = repo();
    repo.write("ops-math/build.sh", "echo '[ERROR] soc only support : x'\nexit 1\n");
    run(&repo, &["package", "--ops-math=ops-math"])
        .expect(20, &["build.sh: `bash` failed", "[ERROR] soc only support : x"]);
}
