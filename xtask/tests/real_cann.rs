//! With a real CANN, upstream's build.sh does the work; here a script in its place, which takes and refuses what that one
//! does, records what it was asked.

mod common;

use std::fs;

use common::{Ran, Repo};

/// The options that this stand-in knows, in upstream's form: a name, with `=` where it takes a value.
const BUILD_CONF: &str = r#"SUPPORTED_LONG_OPTS=(
  "help" "ops=" "soc=" "vendor_name=" "noexec" "opkernel" "opkernel_aicpu" "pkg" "build-type=" "ophost" "opapi"
  "run_example" "experimental" "example_name=" "gtest_filter="
)
"#;

fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("cann/include/acl/acl.h", "");
    fs::create_dir_all(repo.path("cann/opp")).expect("mkdir");
    repo.write("ops-math/experimental/.keep", "");
    for name in ["fmod_scalar", "fmod_tensor"] {
        repo.write(&format!("experimental/math/fmod/examples/test_aclnn_{name}.cpp"), "");
    }
    let script = include_str!("real_cann/build.sh").replace("ARCH", std::env::consts::ARCH);
    repo.write("ops-math/build.sh", &script);
    repo.write("ops-math/scripts/build.conf.sh", BUILD_CONF);
    repo
}

fn run(repo: &Repo, args: &[&str]) -> Ran {
    run_with(repo, args, &[])
}

fn run_with(repo: &Repo, args: &[&str], env: &[(&str, &str)]) -> Ran {
    let cann = repo.path("cann");
    let (cann, cargo) = (cann.to_string_lossy(), repo.path("bin/cargo"));
    let own = [("ASCEND_HOME_PATH", cann.as_ref()), ("OPS_MATH_HOME", "ops-math"), ("CARGO", &cargo.to_string_lossy())];
    repo.xtask_with(args, &[&own, env].concat())
}

fn calls(repo: &Repo) -> Vec<String> {
    lines(repo, "ops-math/calls")
}

fn lines(repo: &Repo, file: &str) -> Vec<String> {
    let text = fs::read_to_string(repo.path(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn without_a_checkout() {
    let repo = repo();
    run_with(&repo, &["package"], &[("OPS_MATH_HOME", "")])
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
    run(&repo, &["build", "--debug", "-j1"]).expect(0, &["Finished build: "]);
    assert_eq!(calls(&repo)[2], "--pkg --experimental --ops=fmod --vendor_name=custom --build-type=Debug -j1");
}

#[test]
fn one_soc_at_a_time() {
    let repo = repo();
    run(&repo, &["package", "--soc=ascend910b,ascend910_93"])
        .expect(2, &["--soc=ascend910b,ascend910_93: build.sh makes a package for one SoC at a time", "hint: "]);
    assert!(calls(&repo).is_empty());
}

#[test]
fn an_older_build_sh_is_asked_nothing_it_does_not_know() {
    let repo = repo();
    let older = BUILD_CONF.replace("\"example_name=\" ", "");
    repo.write("ops-math/scripts/build.conf.sh", &older);
    run(&repo, &["example", "--example_name=aclnn_fmod_scalar"])
        .expect(17, &["build.sh of ", " does not know --example_name; it knows: help, ops, ", "the ops-math version"]);
    assert_eq!(calls(&repo).len(), 1, "the package");
}

#[test]
fn definitions_reach_host_sources_and_no_kernel() {
    let repo = repo();
    repo.write("experimental/math/fmod/op_api/x.h", "HOST_MODE");
    repo.write("experimental/math/fmod/op_kernel/x.h", "KERNEL_MODE");
    run(&repo, &["package", "--define", "HOST_MODE=2"]).expect(0, &[]);
    assert_eq!(lines(&repo, "ops-math/flags"), ["-DHOST_MODE=2"]);
    run(&repo, &["package", "--define", "KERNEL_MODE=2"])
        .expect(2, &["--define KERNEL_MODE=2: op_kernel of fmod reads KERNEL_MODE, and build.sh passes kernels none"]);
}

#[test]
fn install_builds_again_and_reports_what_it_installed() {
    let repo = repo();
    let args = ["install", "--vendor_name=mine", "--soc=ascend910b"];
    for times in 1..=2 {
        let ran = run(&repo, &args);
        ran.expect(0, &["Finished install: cann/opp/vendors/mine_math"]);
        assert_eq!(calls(&repo).len(), times, "a file of an earlier run is no reason not to build");
    }
    assert!(calls(&repo)[1].contains("--soc=ascend910b") && calls(&repo)[1].contains("--vendor_name=mine"));
}

/// What set_env.bash of an installed package leaves in the environment names that package, not a place for it.
#[test]
fn install_renews_the_package_that_the_environment_names() {
    let repo = repo();
    let place = repo.path("elsewhere");
    let package = place.join("vendors/custom_math");
    for config in ["", "elsewhere/vendors/config.ini"] {
        let at = format!("--install-path={}", place.display());
        run(&repo, &["install", &at]).expect(0, &["Finished install: elsewhere/vendors/custom_math"]);
        if !config.is_empty() {
            repo.write(config, "load_priority=custom_math\n");
        }
        fs::write(package.join("version.info"), "old").expect("write");
        let env = [("ASCEND_CUSTOM_OPP_PATH", &*package.to_string_lossy())];
        run_with(&repo, &["install"], &env).expect(0, &["Installing elsewhere/vendors/custom_math\n"]);
        assert_eq!(lines(&repo, "elsewhere/vendors/custom_math/version.info"), ["made by build.sh"]);
        assert!(!package.join("vendors").exists());
    }
    // Several places are for the installer to judge.
    let both = format!("{0}/a:{0}/b", place.display());
    run_with(&repo, &["install"], &[("ASCEND_CUSTOM_OPP_PATH", &both)]).expect(40, &["did not end with SUCCESS"]);
}

#[test]
fn somebody_elses_directory_is_left_alone() {
    let repo = repo();
    repo.write("ops-math/experimental/math/fmod/theirs.txt", "precious");
    run(&repo, &["build"]).expect(17, &["exists and was not put there by xtask", "hint: "]);
    assert!(repo.path("ops-math/experimental/math/fmod/theirs.txt").is_file());
    assert!(calls(&repo).is_empty());
}

#[test]
fn example_goes_all_the_way() {
    let repo = repo();
    run(&repo, &["example", "fmod", "eager", "cust", "--vendor_name=mine"])
        .expect(0, &["Finished example: fmod with build.sh"]);
    assert_eq!(calls(&repo)[1..], ["--experimental --run_example fmod eager cust --vendor_name=mine"]);
    let package = repo.path("cann/opp/vendors/mine_math").canonicalize().expect("installed");
    assert_eq!(lines(&repo, "ops-math/packages"), [package.display().to_string()]);
}

/// build.sh wants the name without test_aclnn_, skips everything for another one and ends with 0.
#[test]
fn one_example_by_upstreams_name() {
    let repo = repo();
    for name in ["aclnn_fmod_scalar", "test_aclnn_fmod_scalar"] {
        run(&repo, &["example", &format!("--example_name={name}"), "--noexec"]).expect(0, &[]);
        let last = calls(&repo).pop().expect("a call");
        assert!(last.ends_with("eager cust --vendor_name=custom --example_name=fmod_scalar --noexec"), "{last}");
    }
    // An example that build.sh does not find where it looks.
    let script = include_str!("real_cann/build.sh").replace("name=${name%.cpp}", "name=other");
    repo.write("ops-math/build.sh", &script.replace("ARCH", std::env::consts::ARCH));
    run(&repo, &["example", "--example_name=aclnn_fmod_scalar"]).expect(33, &["build.sh ran no example"]);
}

#[test]
fn an_example_finds_the_package_where_it_was_installed() {
    let repo = repo();
    let place = repo.path("elsewhere");
    let other = repo.path("other/vendors/other_math");
    repo.write("other/vendors/other_math/op_api/include/x.h", "");
    let at = format!("--install-path={}", place.display());
    let env = [("ASCEND_CUSTOM_OPP_PATH", &*other.to_string_lossy())];
    run_with(&repo, &["example", &at], &env).expect(0, &[]);
    let package = place.join("vendors/custom_math");
    assert_eq!(lines(&repo, "ops-math/packages"), [package.display().to_string()]);
    assert!(!repo.path("cann/opp/vendors").exists());

    // An opp directory that is not the toolkit's own.
    let opp = repo.path("opp");
    fs::create_dir(&opp).expect("mkdir");
    run_with(&repo, &["example"], &[("ASCEND_OPP_PATH", &opp.to_string_lossy())]).expect(0, &[]);
    assert_eq!(lines(&repo, "ops-math/packages"), [opp.join("vendors/custom_math").display().to_string()]);
}

#[test]
fn build_sh_fails() {
    let repo = repo();
    repo.write("ops-math/build.sh", "echo '[ERROR] soc only support : x'\nexit 1\n");
    run(&repo, &["package"]).expect(20, &["build.sh: `bash` failed", "[ERROR] soc only support : x"]);
}

/// cargo and the tools that Rust tests are built with.
fn tested_repo() -> Repo {
    let repo = repo();
    repo.tool("cmake", "echo cmake version 3.31.6");
    repo.tool("ninja", "echo 1.11.1");
    repo.tool(
        "cargo",
        r#"here=$(dirname "$0")
case $1 in
metadata)
    echo '{"packages": [{"name": "fmod-tests", "manifest_path": "/w/Cargo.toml", "metadata": {"op": {"name": "fmod"}}}]}' ;;
test)
    echo "$*" >>"$here/cargo-calls"
    echo "$ASCEND_HOME_PATH $ASCEND_OPP_PATH" >>"$here/cargo-roots"
    echo 'test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s' ;;
esac"#,
    );
    repo
}

#[test]
fn test_runs_what_runs_on_the_device() {
    let repo = tested_repo();
    let env = [("XTASK_TOOLS", "system")];
    let ran = run_with(&repo, &["test", "-j2", "--soc=ascend910b"], &env);
    ran.expect(0, &["Finished test: 3 layers"]);
    assert!(ran.out.contains("rust                    5 passed    0 failed"), "{}", ran.out);
    assert!(ran.out.contains("ut                      7 passed    0 failed"), "{}", ran.out);
    assert!(ran.out.ends_with("13 passed, 0 failed\n"), "{}", ran.out);
    assert_eq!(
        calls(&repo),
        [
            "--pkg --experimental --soc=ascend910b --ops=fmod --vendor_name=custom -j2",
            "-u --experimental --soc=ascend910b --ops=fmod -j2",
            "--experimental --run_example fmod eager cust --vendor_name=custom",
        ]
    );
    let tests = lines(&repo, "bin/cargo-calls");
    assert_eq!(tests.len(), 1, "the toolkit's own tests are about the host toolkit: {tests:?}");
    assert!(tests[0].starts_with("test --package fmod-tests --no-fail-fast -j 2 "), "{tests:?}");
    let cann = repo.path("cann").canonicalize().expect("canonical");
    assert_eq!(lines(&repo, "bin/cargo-roots"), [format!("{0} {0}/opp", cann.display())]);
    assert!(cann.join("opp/vendors/custom_math").is_dir(), "installed before it is tested");
}

#[test]
fn unit_tests_of_one_kind_and_their_failures() {
    let repo = tested_repo();
    let env = [("XTASK_TOOLS", "system")];
    let args = ["test", "--ophost", "--opkernel", "--gtest_filter=Fmod*", "-j2"];
    let ran = run_with(&repo, &args, &env);
    ran.expect(0, &[]);
    assert!(ran.out.ends_with("7 passed, 0 failed\n"), "{}", ran.out);
    let asked = "-u --experimental --ops=fmod --ophost --opkernel --gtest_filter=Fmod* -j2";
    assert_eq!(calls(&repo)[1..], [asked]);
    repo.write("ops-math/ut_fails", "");
    let ran = run_with(&repo, &args, &env);
    ran.expect(30, &["failed: ut"]);
    assert!(ran.out.ends_with("7 passed, 2 failed\n"), "{}", ran.out);
}

#[test]
fn the_checker_is_the_host_toolkits() {
    let repo = tested_repo();
    for verb in ["test", "example"] {
        run(&repo, &[verb, "--check"])
            .expect(2, &["--check and --flip work with the host toolkit, not with the CANN in"]);
    }
    assert!(calls(&repo).is_empty());
}

const NPU_SMI: &str = "cat <<'END'
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.1                   Version: 24.1.1                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B4               | OK            | 88.2        30                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          26838/ 32768         |
+===========================+===============+====================================================+
END";

/// The row of this name: mark, and what follows the name.
fn row(ran: &Ran, name: &str) -> (String, String) {
    let line = ran.out.lines().find(|line| line.get(7..).is_some_and(|line| line.starts_with(&format!("{name}  "))));
    let line = line.unwrap_or_else(|| panic!("no row {name}:\n{}", ran.out));
    (line[2..6].trim().to_owned(), line[7 + name.len()..].trim().to_owned())
}

#[test]
fn doctor_tells_which_root_is_used_and_what_the_other_lacks() {
    let repo = repo();
    let host = repo.xtask(&["doctor"]);
    assert!(row(&host, "toolkit").1.contains("(host toolkit of this repository; ASCEND_HOME_PATH is not set)"));
    let (mark, other) = row(&host, "real CANN");
    assert!(mark == "-" && other.starts_with("not used: none; no npu-smi, so no driver"), "{other}");
    assert!(other.contains("install CANN, source its set_env.sh and give an ops-math checkout"), "{other}");

    // A toolkit that is there and not sourced, and an NPU.
    repo.write("Ascend/ascend-toolkit/latest/include/acl/acl.h", "");
    repo.tool("npu-smi", NPU_SMI);
    let (_, other) = row(&repo.xtask(&["doctor"]), "real CANN");
    assert!(other.contains("/Ascend/ascend-toolkit/latest; 1 x 910B4 OK, driver 24.1.1"), "{other}");
    assert!(other.contains("get it: source its set_env.sh"), "{other}");
}

#[test]
fn doctor_on_a_machine_with_cann() {
    let repo = repo();
    let cann = run(&repo, &["doctor"]);
    assert!(row(&cann, "toolkit").1.starts_with("cann (CANN; from ASCEND_HOME_PATH)"), "{}", cann.out);
    assert_eq!(row(&cann, "bisheng").0, "-");
    let (mark, checkout) = row(&cann, "ops-math");
    assert!(mark == "ok" && checkout.starts_with("ops-math ") && checkout.ends_with(" with build.sh"), "{checkout}");
    assert_eq!(row(&cann, "NPU").0, "-");
    assert!(row(&cann, "host toolkit").1.contains("get it: unset ASCEND_HOME_PATH"), "{}", cann.out);

    repo.write("cann/bin/bisheng", "");
    repo.tool("npu-smi", NPU_SMI);
    let cann = run_with(&repo, &["doctor"], &[("OPS_MATH_HOME", "")]);
    assert_eq!(row(&cann, "bisheng").0, "ok");
    assert!(row(&cann, "ops-math").1.contains("--ops-math DIR or OPS_MATH_HOME=DIR"), "{}", cann.out);
    let (mark, npu) = row(&cann, "NPU");
    assert!(mark == "ok" && npu.starts_with("1 x 910B4 OK, driver 24.1.1"), "{npu}");

    repo.tool("npu-smi", &NPU_SMI.replace("| OK ", "| Alarm "));
    let (mark, npu) = row(&run(&repo, &["doctor"]), "NPU");
    assert!(mark == "-" && npu.starts_with("1 x 910B4 Alarm, driver 24.1.1"), "{npu}");
    repo.tool("npu-smi", "echo 'dcmi module initialize failed. ret is -8005'; exit 1");
    let (mark, npu) = row(&run(&repo, &["doctor"]), "NPU");
    assert!(mark == "-" && npu.contains("npu-smi info: dcmi module initialize failed. ret is -8005"), "{npu}");
}
