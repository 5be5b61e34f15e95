//! What a user sees when something is wrong: exit code, message, next step, and nothing half done.

mod common;

use std::fs;
use std::process::Command;

use common::Repo;

#[test]
fn a_wrong_flag_names_the_right_one() {
    Repo::new().xtask(&["package", "--vendor_nme=x"]).expect(2, &["--vendor_nme", "--vendor_name"]);
}

#[test]
fn ascend_home_path_that_is_no_toolkit() {
    let repo = Repo::new();
    for verb in ["build", "package", "install", "example", "test"] {
        let ran = repo.xtask_with(&[verb], &[("ASCEND_HOME_PATH", "/nonexistent")]);
        ran.expect(14, &["error: ASCEND_HOME_PATH=/nonexistent is not a toolkit", "hint: ", "unset ASCEND_HOME_PATH"]);
    }
    let empty = repo.path("empty");
    fs::create_dir(&empty).expect("mkdir");
    let ran = repo.xtask_with(&["build"], &[("ASCEND_HOME_PATH", &empty.to_string_lossy())]);
    ran.expect(14, &["it has no include/acl/acl.h"]);
}

#[test]
fn unknown_op() {
    let repo = Repo::new();
    repo.xtask(&["build", "--ops=fmd"]).expect(15, &["error: unknown op `fmd`; known ops: fmod", "hint: "]);
    repo.xtask(&["example", "nothing", "eager", "cust"]).expect(15, &["unknown op `nothing`"]);
    repo.xtask(&["build", "--op-dir", "scripts"]).expect(15, &["is not an op directory: CMakeLists.txt is missing"]);
    repo.xtask(&["build", "--op-dir=/nonexistent"]).expect(15, &["/nonexistent is not an op directory"]);
}

#[test]
fn unknown_soc() {
    let ran = Repo::new().xtask(&["package", "--soc=ascend999"]);
    ran.expect(16, &["error: unknown SoC `ascend999`; fmod can be built for: ascend910b, ascend910_93", "hint: "]);
}

#[test]
fn a_short_soc_name_that_fits_several() {
    let ran = Repo::new().xtask(&["package", "--soc=ascend910"]);
    ran.expect(16, &["--soc=ascend910 is ascend910b or ascend910_93", "hint: "]);
}

#[test]
fn two_directories_of_one_name() {
    let repo = Repo::new();
    for place in ["a", "b"] {
        repo.op(&format!("{place}/square"), "square", &["ascend910b"]);
    }
    let ran = repo.xtask(&["build", "--op-dir=a/square", "--op-dir=b/square"]);
    ran.expect(2, &["two op directories are called square: ", "/a/square and ", "/b/square", "hint: "]);
    // The same one twice is no mistake.
    repo.xtask(&["build", "--op-dir=a/square", "--op-dir=a/../a/square"]).expect(10, &["Toolkit"]);
}

#[test]
fn socs_that_not_every_op_has_are_named() {
    let repo = Repo::new();
    repo.op("one", "one", &["ascend910b", "ascend910_93"]);
    repo.op("two", "two", &["ascend910b"]);
    let ran = repo.xtask(&["build", "--op-dir=one", "--op-dir=two"]);
    ran.expect(10, &["warning: not every op has ascend910_93: built for ascend910b only"]);
}

#[test]
fn a_definition_that_nothing_reads() {
    let repo = Repo::new();
    repo.write("experimental/math/fmod/op_api/x.h", "#if MY_MODE == 2 || MY_MODES\n");
    let ran = repo.xtask(&["package", "--define", "MY_MOD=1"]);
    ran.expect(2, &["--define MY_MOD=1: no source of fmod reads MY_MOD", "hint: "]);
    repo.xtask(&["package", "--define", "MY_MODE=2"]).expect(10, &[]);
    repo.xtask(&["package", "--define", "MY_MODE"]).expect(2, &["expected NAME=VALUE"]);
}

#[test]
fn the_vendor_of_an_op_from_elsewhere_is_its_own() {
    let repo = Repo::new();
    repo.op("ops/square", "square", &["ascend910b"]);
    repo.op("ops/cube", "cube", &["ascend910b"]);
    let vendor = |args: &[&str]| {
        let ran = repo.xtask(&[&["build", "--json"], args].concat());
        serde_json::from_str::<serde_json::Value>(&ran.out).expect("JSON")["vendor"].clone()
    };
    assert_eq!(vendor(&[]), "custom");
    assert_eq!(vendor(&["--op-dir=experimental/math/fmod"]), "custom");
    assert_eq!(vendor(&["--op-dir=ops/square"]), "square");
    assert_eq!(vendor(&["--op-dir=ops/square", "--op-dir=ops/cube"]), "cube_square");
    assert_eq!(vendor(&["--op-dir=ops/square", "--vendor_name=mine"]), "mine");
    // A second op below experimental/ is as much the repository's; one of both is not the whole.
    repo.op("experimental/math/square", "square", &["ascend910b"]);
    assert_eq!(vendor(&[]), "custom");
    assert_eq!(vendor(&["--ops=square"]), "square");
}

#[test]
fn wrong_names_are_refused_before_anything_is_built() {
    let repo = Repo::new();
    repo.xtask(&["test", "--check=foo"]).expect(2, &["`foo`: expected -NAME or +NAME of race, "]);
    repo.xtask(&["example", "--flip=-foo"]).expect(2, &["`-foo`: expected -NAME of div_ulp, "]);
    repo.xtask(&["example", "--example_name=nope"]).expect(2, &["fmod has no example `nope`; it has: test_aclnn_fmod"]);
    repo.xtask(&["test", "--only", "fmt", "name"]).expect(2, &["--only fmt: it has no tests to choose from by name"]);
    repo.op("ops/square", "square", &["ascend910b"]);
    repo.xtask(&["example", "--op-dir=ops/square"]).expect(2, &["square has no examples", "hint: "]);
    repo.xtask(&["test", "--again", "--only=fmt"]).expect(2, &["--again: neither --exhaustive nor `--only mutants`"]);
    repo.xtask(&["test", "--op-dir=ops/square", "--only=cpp"]).expect(2, &["--only cpp: it tests this repository"]);
    repo.xtask(&["test", "name", "--gtest_filter=X"]).expect(2, &["cannot be used with"]);

    let metadata = r#"{"packages": [{"name": "t", "manifest_path": "/t/Cargo.toml",
        "metadata": {"op": {"name": "fmod", "sweep": {"binary": "t-sweep", "classes": ["a", "b"]}}}}]}"#;
    repo.tool("cargo-metadata", &format!("echo '{metadata}'"));
    let env = [("CARGO", "cargo-metadata")];
    repo.xtask_with(&["test", "--exhaustive", "--class=nope"], &env)
        .expect(2, &["--class nope: t-sweep has no such class", "hint: its classes are a, b"]);
    let listed = repo.xtask_with(&["test", "--exhaustive", "--class=list"], &env);
    assert_eq!((listed.code, listed.out.as_str()), (Some(0), "a\nb\n"));
    let env = [("CARGO", "cargo-metadata"), ("ASCEND_HOME_PATH", "")];
    repo.xtask_with(&["test", "--exhaustive", "--op-dir=ops/square"], &env)
        .expect(2, &["square has no sweep", "[package.metadata.op]"]);
    repo.xtask_with(&["bench", "host"], &env).expect(2, &["fmod has no bench"]);
    assert!(!repo.path("target/hostcann").exists());
}

#[test]
fn nothing_tested_is_no_success() {
    let repo = Repo::new();
    let says = |passed: u32| {
        let result = format!("echo 'test result: ok. {passed} passed; 0 failed; broken kernels'");
        repo.tool("cargo-tests", &format!("case $1 in metadata) echo '{{\"packages\":[]}}';; *) {result};; esac"));
    };
    says(0);
    let env = [("CARGO", "cargo-tests")];
    let ran = repo.xtask_with(&["test", "--only", "broken-kernels", "nope"], &env);
    ran.expect(33, &["error: nothing was tested: no test's name contains `nope`", "hint: "]);
    says(1);
    repo.xtask_with(&["test", "--only", "broken-kernels", "queues"], &env).expect(0, &[]);
}

#[test]
fn vendor_names_are_directory_names() {
    Repo::new().xtask(&["package", "--vendor-name=../x"]).expect(2, &["--vendor_name `../x`: only letters"]);
}

#[test]
fn no_compiler() {
    let repo = Repo::new();
    repo.xtask(&["example"]).expect(10, &["the C++ compiler `g++` does not run", "hint: install g++ 11 or newer"]);
    repo.tool("g++", "echo 'g++ (Ubuntu 9.4.0) 9.4.0'");
    repo.xtask(&["example"]).expect(10, &["`g++` is 9.4.0, 11.0.0 or newer is needed"]);
    assert!(!repo.path("target/hostcann").exists());
}

#[test]
fn doctor_shows_everything_before_it_fails() {
    let repo = Repo::new();
    repo.good_compiler();
    let ran = repo.xtask_with(&["doctor", "--json"], &[("ASCEND_HOME_PATH", "/nonexistent")]);
    ran.expect(10, &["missing or too old: cargo, python3, pip", "C++ compiler", "clang-format", "libclang", "toolkit"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON object on stdout");
    assert_eq!((&json["command"], &json["ok"], &json["exit_code"]), (&"doctor".into(), &false.into(), &10.into()));
    let tools = json["tools"].as_array().expect("tools");
    let gxx = tools.iter().find(|tool| tool["name"] == "C++ compiler").expect("row");
    assert_eq!((&gxx["found"], &gxx["ok"]), (&"12.2.0".into(), &true.into()));
    let stored = fs::read_to_string(repo.path("target/xtask/last/doctor.json")).expect("stored report");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&stored).expect("JSON"), json);
}

#[test]
fn a_failing_sub_tool_shows_its_last_lines() {
    let repo = Repo::new();
    repo.good_compiler();
    repo.tool("cmake", "echo 'cmake version 3.25.1'");
    repo.tool("ninja", "echo 1.11.1");
    for dir in [
        "include/acl/acl.h",
        "cmake/asc/ASCConfig.cmake",
        "cmake/tikicpulib/x.cmake",
        "cmake/tikcpp/ascendc.cmake",
        "opapi/operators.txt",
        "soc/chips.toml",
        "set_env.sh",
    ] {
        repo.write(&format!("hostcann/{dir}"), "");
    }
    repo.tool("cargo-fails", "i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo \"line $i\"; done; exit 101");
    let env = [("XTASK_TOOLS", "system"), ("CARGO", "cargo-fails")];
    let ran = repo.xtask_with(&["build"], &env);
    ran.expect(
        20,
        &[
            "libascendcl: `cargo-fails` failed (exit status: 101)",
            "line 60",
            "line 21\n",
            "target/xtask/log/libascendcl.log",
        ],
    );
    assert!(!ran.err.contains("line 20\n"), "{}", ran.err);
    repo.tool("cargo-fails", "echo 'error: No space left on device (os error 28)'; exit 101");
    repo.xtask_with(&["build"], &env).expect(13, &["No space left on device", "hint: free some space"]);
}

#[test]
fn a_damaged_run_file_is_refused() {
    let repo = Repo::new();
    repo.write("hostcann-root/include/acl/acl.h", "");
    repo.write("hostcann-root/hostcann.toml", "");
    let root = repo.path("hostcann-root");
    let root = root.to_string_lossy();
    let env = [("ASCEND_HOME_PATH", root.as_ref())];
    let run = "mine.run";
    let stub = fs::read_to_string(repo.path("scripts/package/run_stub.sh")).expect("stub");
    let broken = [
        (String::new(), "no .run file"),
        ("ELF".to_owned(), "no .run file"),
        (stub.clone(), "no readable `payload_line`"),
        (stub.replace("@PAYLOAD_LINE@", "20").replace("@PAYLOAD_BYTES@", "999999"), "999999 were packed"),
    ];
    for (text, message) in broken {
        repo.write(run, &text);
        let ran = repo.xtask_with(&["install", "--run=mine.run"], &env);
        ran.expect(
            41,
            &["is damaged: ", message, "nothing was installed", "hint: build it again with `cargo xtask package`"],
        );
        assert!(!repo.path("hostcann-root/opp").exists());
    }
    repo.xtask_with(&["install", "--run=nowhere.run"], &env).expect(41, &["cannot read", "nowhere.run"]);
    repo.xtask_with(&["install", "--install-path=relative"], &env).expect(2, &["is not an absolute path"]);
}

#[test]
fn a_failing_installer_is_reported() {
    let repo = Repo::new();
    repo.write("root/include/acl/acl.h", "");
    repo.write("root/hostcann.toml", "");
    let root = repo.path("root");
    let root = root.to_string_lossy();
    let env = [("ASCEND_HOME_PATH", root.as_ref())];
    repo.write("cann-ops-math-x_linux-y.run", "#!/bin/sh\necho '[ERROR] the reason'\nexit 1\n");
    repo.xtask_with(&["install", "--run=cann-ops-math-x_linux-y.run"], &env)
        .expect(40, &["`install.sh` failed", "[ERROR] the reason", "hint: "]);
    repo.write("cann-ops-math-x_linux-y.run", "#!/bin/sh\necho SUCCESS\n");
    repo.xtask_with(&["install", "--run=cann-ops-math-x_linux-y.run"], &env)
        .expect(40, &["did not end with SUCCESS and a directory"]);
}

#[test]
fn a_file_says_whose_package_it_is() {
    let repo = Repo::new();
    repo.write("root/include/acl/acl.h", "");
    repo.write("root/hostcann.toml", "");
    let root = repo.path("root");
    let root = root.to_string_lossy();
    let env = [("ASCEND_HOME_PATH", root.as_ref())];
    let install = |args: &[&str]| repo.xtask_with(&[&["install"], args].concat(), &env);
    // A script of someone else: what it makes is looked for where its name says.
    let makes = |vendor: &str| format!("#!/bin/sh\nmkdir -p \"$ASCEND_OPP_PATH/vendors/{vendor}\"\necho SUCCESS\n");
    repo.write("cann-ops-math-mine_linux-x86_64.run", &makes("mine_math"));
    let run = "--run=cann-ops-math-mine_linux-x86_64.run";
    let ran = install(&[run, "--json"]);
    ran.expect(0, &["Finished install: root/opp/vendors/mine_math"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ran.out).expect("JSON")["vendor"], "mine");
    install(&[run, "--vendor_name=mine"]).expect(0, &[]);
    install(&[run, "--vendor_name=custom"]).expect(2, &["holds mine_math, not custom_math", "hint: "]);
    for selector in ["--ops=fmod", "--op-dir=experimental/math/fmod", "--soc=ascend910b", "--define=A=1"] {
        install(&[run, selector]).expect(2, &["cannot be used with"]);
    }
    // What was there is named when something else comes.
    repo.write(
        "root/opp/vendors/mine_math/version.info",
        "x\ny\nsources.square=1\nsources.cube=2\nsources.toolkit=3\n",
    );
    install(&[run]).expect(0, &["Replacing mine_math (square,cube) by cann-ops-math-mine_linux-x86_64.run"]);
    repo.write("x.run", &makes("other_math"));
    install(&["--run=x.run"]).expect(2, &["x.run does not say whose package it holds", "--vendor_name=VENDOR"]);
    install(&["--run=x.run", "--vendor_name=other"]).expect(0, &["root/opp/vendors/other_math"]);
}

#[test]
fn every_verb_has_help_with_an_example() {
    let repo = Repo::new();
    let ran = repo.xtask(&["--help"]);
    assert!(ran.out.contains("Exit codes:\n   0  ok\n") && ran.out.contains("\n  41  the .run file"), "{}", ran.out);
    assert!(!ran.out.contains("opc") && !ran.out.contains("cmake-step"), "plumbing is hidden: {}", ran.out);
    let list = ran.out.split("\nOptions:").next().and_then(|text| text.split_once("\nBuild:\n")).expect("verbs").1;
    let verbs: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    assert!(verbs.len() > 20 && verbs.contains(&"completions") && verbs.contains(&"tidy"), "{verbs:?}");
    for verb in verbs.into_iter().filter(|verb| *verb != "bench") {
        let ran = repo.xtask(&[verb, "--help"]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains("Examples:\n") && ran.out.contains(&format!("cargo xtask {verb}")), "{}", ran.out);
        assert!(ran.out.contains("--json"), "{verb}");
    }
    for verb in [&["bench"] as &[_], &["bench", "host"]] {
        let ran = repo.xtask(&[verb, &["--help"]].concat()).out;
        assert!(ran.contains("Examples:\n  cargo xtask bench host\n") && ran.contains("--json"), "{ran}");
    }
}

#[test]
fn a_contribution_needs_a_checkout_and_all_rules() {
    let repo = Repo::new();
    repo.xtask(&["pr"]).expect(2, &["error: where should the op go?", "hint: --ops-math DIR"]);
    repo.xtask(&["pr", "--rule=8", "--ops-math=."]).expect(2, &["--rule leaves rules out", "hint: add --check"]);
    repo.xtask(&["pr", "--check", "--ops-math=bin"])
        .expect(17, &["is no checkout of ops-math: build.sh, experimental/"]);
    repo.xtask(&["pr", "--check", "--rule=47"])
        .expect(2, &["'47'", "expected a number from 1 to 46 or a slug; `cargo xtask pr --list` lists them"]);
    repo.xtask(&["pr", "--check", "--rule=8,license-header"])
        .expect(2, &["'license-header'", "did you mean licence-header?"]);
    let listed = repo.xtask(&["pr", "--list"]).out;
    let row = "\n29  licence-header         every source begins with the licence\n";
    assert!(listed.lines().count() == 46 && listed.contains(row), "{listed}");
    repo.xtask(&["pr", "--check", "--op-dir=bin"]).expect(15, &["bin is not an op directory"]);
    // The gate would run neither unit tests nor examples of it, which only warns.
    repo.op("experimental/math/square", "square", &["ascend910b"]);
    let gate = ["pr", "--check", "--ops=square", "--rule=41"];
    let ran = repo.xtask(&gate);
    ran.expect(0, &["pr: no errors"]);
    assert!(ran.out.contains("0 errors, 2 warnings, 0 explained"), "{}", ran.out);
    repo.xtask(&[&gate[..], &["--strict"]].concat())
        .expect(32, &["error: pr: 0 errors, 2 warnings; nothing was written"]);
    for rule in ["41", "gate"] {
        repo.write("xtask/pr.txt", &format!("{rule} experimental/math/square: it is a test\n"));
        let ran = repo.xtask(&["pr", "--check", "--ops=square", "--rule=gate", "--strict", "--json"]);
        assert!(ran.code == Some(0) && ran.out.contains("\"slug\": \"gate\""), "{}", ran.out);
    }
    repo.write("xtask/pr.txt", "gaet experimental/math/square: it is a test\n");
    repo.xtask(&gate).expect(2, &["xtask/pr.txt: line 1: no rule `gaet`: did you mean gate?"]);
    fs::remove_file(repo.path("xtask/pr.txt")).expect("a file that the test wrote");
    repo.xtask(&["pr", "--strict"]).expect(2, &["--check"]);
    let explained = repo.xtask(&["pr", "--explain=7"]).out;
    assert!(explained.starts_with("rule 7 (one-definition): one definition file\n"), "{explained}");
}

/// A bundle is neither a commit nor a pull request, so that it needs no issue.
#[test]
fn a_bundle_needs_no_issue() {
    let repo = Repo::new();
    repo.op("experimental/math/square", "square", &["ascend910b"]);
    checkout(&repo, "ops-math");
    let draft = ["pr", "--ops=square", "--ops-math=ops-math", "--rule=39,40", "--dry-run"];
    let bundle = ["--bundle=new", "--task=05-11", "--team=mine"];
    let ran = repo.xtask(&[&draft[..], &bundle].concat());
    ran.expect(0, &["pr: nothing was written (--dry-run)"]);
    assert_eq!(ran.out.matches("it is complete with --issue N").count(), 2, "{}", ran.out);
    let ran = repo.xtask(&draft);
    ran.expect(32, &[]);
    assert!(ran.out.contains("no line `关联的Issue: #N`"), "{}", ran.out);
}

/// A checkout of git with one commit.
fn checkout(repo: &Repo, dir: &str) {
    for file in ["build.sh", "experimental/CMakeLists.txt", "math/CMakeLists.txt"] {
        repo.write(&format!("{dir}/{file}"), "");
    }
    repo.system_tool("git");
    repo.tool("cargo-is-not-here", r#"echo '{"packages": []}'"#);
    for step in ["init -q", "add .", "-c user.name=me -c user.email=me@example.com commit -q -m first"] {
        let status = Command::new("git").arg("-C").arg(repo.path(dir)).args(step.split(' ')).status();
        assert!(status.expect("git").success(), "{step}");
    }
}

/// Copyright lines and README name somebody: whom git knows, or whom the command line names, else nothing is written.
#[test]
fn a_contribution_needs_a_name() {
    let repo = Repo::new();
    repo.op("experimental/math/square", "square", &["ascend910b"]);
    repo.write("experimental/math/square/README.md", "| Square operator authors | 个人 | Square | 2026/11 |\n");
    checkout(&repo, "ops-math");
    let nobody = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")];
    let patch = ["pr", "--ops=square", "--ops-math=ops-math", "--issue=1", "--patch=new.patch"];
    let asked = [
        "who contributes the operator? copyright lines and README name somebody",
        "hint: --contributor NAME, or `git config user.name`",
    ];
    repo.xtask_with(&patch, &nobody).expect(2, &asked);
    // A draft and a check need no name; the operator's own files name nobody either.
    assert!(!repo.xtask_with(&[&patch[..4], &["--dry-run"]].concat(), &nobody).err.contains(asked[0]));
    assert!(
        !repo.xtask_with(&["pr", "--ops=square", "--ops-math=ops-math", "--check"], &nobody).err.contains(asked[0])
    );
    // The file is refused for other reasons; whom it names is no longer one.
    for (more, config) in [(vec!["--contributor=Ann"], ""), (vec![], "[user]\nname = Bob\n")] {
        repo.write("gitconfig", config);
        let global = repo.path("gitconfig").to_string_lossy().into_owned();
        let env = [("GIT_CONFIG_GLOBAL", &*global), nobody[1]];
        let ran = repo.xtask_with(&[&patch[..], &more].concat(), &env);
        assert!(!ran.err.contains(asked[0]) && ran.code == Some(32), "{}", ran.err);
    }
    assert!(!repo.path("new.patch").exists());
    let readme = std::fs::read_to_string(repo.path("experimental/math/square/README.md")).expect("README");
    assert!(readme.contains("Square operator authors"), "{readme}");
}
