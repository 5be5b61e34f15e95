//! `operators`: each by itself, a table of all. cmake is a script that builds what is called good.

mod common;

use std::fs;

use common::{Ran, Repo};

fn run(repo: &Repo, args: &[&str]) -> Ran {
    with_toolkit(repo, &[&["operators", "--repo=ops-math", "-j2"], args].concat())
}

fn with_toolkit(repo: &Repo, args: &[&str]) -> Ran {
    let toolkit = repo.path("toolkit");
    let env = [("ASCEND_HOME_PATH", &*toolkit.to_string_lossy()), ("XTASK_TOOLS", "system")];
    repo.xtask_with(args, &env)
}

fn table(repo: &Repo) -> Vec<Vec<String>> {
    let text = fs::read_to_string(repo.path("target/xtask/operators/operators.tsv")).expect("the table");
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let repo = Repo::of_operators(&["bad", "good", "other"]);
    repo.op("ops-math/experimental/math/for_another", "for_another", &["ascend950"]);
    repo.write("ops-math/experimental/math/nothing/CMakeLists.txt", "");
    repo.write("ops-math/experimental/math/nothing/op_kernel/nothing.cpp", "");
    let ran = run(&repo, &["--ops=experimental/math/*"]);
    ran.expect(
        30,
        &[
            "[4/4]",
            "warning: no operator: ",
            "experimental/math/nothing is not an op directory: op_host/nothing_def.cpp is missing",
            "error: 1 of 4 operators failed a step: experimental/math/bad",
        ],
    );
    let rows = table(&repo);
    let names: Vec<&str> = rows.iter().map(|row| row[0].trim_start_matches("experimental/math/")).collect();
    assert_eq!(names, ["bad", "for_another", "good", "other"]);
    let builds: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(builds, ["no", "-", "yes", "yes"]);
    assert_eq!(rows[0][8], "build: no good");
    assert!(ran.out.contains("\n2 of 3 build (1 are for other SoCs)"), "{}", ran.out);
    let markdown = fs::read_to_string(repo.path("target/xtask/operators/operators.md")).expect("the table");
    assert!(markdown.contains("\n| experimental/math/bad | no | - | - | - | build: no good |\n"), "{markdown}");
}

#[test]
fn what_is_known_is_not_tried_again() {
    let repo = Repo::of_operators(&["good", "other"]);
    let count = |ran: &Ran| (ran.err.matches(" Tried [").count(), ran.err.matches(" Known [").count());
    let both = ["--ops=good,other"];
    assert_eq!(count(run(&repo, &both).expect(0, &["operators: 2 tried"])), (2, 0));
    assert_eq!(count(run(&repo, &both).expect(0, &[])), (0, 2));
    repo.write("ops-math/experimental/math/good/op_kernel/good.cpp", "// new");
    assert_eq!(count(run(&repo, &both).expect(0, &["Tried [", "experimental/math/good, builds"])), (1, 1));
    repo.write("toolkit/lib64/libascendcl.so", "new");
    assert_eq!(count(run(&repo, &both).expect(0, &[])), (2, 0));
    assert_eq!(count(run(&repo, &["--ops=good,other", "--again"]).expect(0, &[])), (2, 0));
    assert_eq!(table(&repo).len(), 2);
}

#[test]
fn one_that_takes_too_long_is_stopped() {
    let repo = Repo::of_operators(&["good", "slow"]);
    // What it would come to is not known: it is tried again.
    for known in [0, 1] {
        let ran = run(&repo, &["--ops=slow,good", "--timeout=1"]);
        ran.expect(30, &["1 of 2 operators failed a step: experimental/math/slow"]);
        assert_eq!(ran.err.matches(" Known [").count(), known, "{}", ran.err);
        let rows = table(&repo);
        let why = "build: ops: time limit of 1 s without a line of output: stopped after ";
        assert!(rows[0][8].starts_with(why), "{:?}", rows[0]);
        assert_eq!(rows[1][1], "yes");
    }
}

#[test]
fn one_that_tells_of_its_progress_outlives_the_limit() {
    let repo = Repo::of_operators(&["talks"]);
    run(&repo, &["--ops=talks", "--timeout=1"]).expect(0, &["operators: 1 tried"]);
}

#[test]
fn one_that_something_outside_stops_is_not_judged() {
    let repo = Repo::of_operators(&["bad", "good", "ended"]);
    for known in [0, 1] {
        let ran = run(&repo, &["--ops=ended,good"]);
        ran.expect(
            34,
            &["error: 1 of 2 operators were stopped from outside and are not judged: experimental/math/ended"],
        );
        assert_eq!(ran.err.matches(" Known [").count(), known, "{}", ran.err);
        let why = "build: ops: `xtask` was stopped by signal 15 (SIGTERM) from outside; no fault of the operator";
        assert_eq!(table(&repo)[0][8], why);
    }
    let both = ["warning: 1 of 2 operators were stopped", "1 of 2 operators failed a step: experimental/math/bad"];
    run(&repo, &["--ops=ended,bad"]).expect(30, &both);
}

#[test]
fn a_package_of_those_that_build() {
    let repo = Repo::of_operators(&["bad", "good", "other"]);
    repo.op("ops-math/experimental/math/for_another", "for_another", &["ascend950"]);
    let args = ["build", "--repo=ops-math", "--ops=experimental/math/*", "--vendor_name=mine"];
    let ran = with_toolkit(&repo, &args);
    let said = ["left out: for_another has no AddConfig", "error: 1 of 3 ops do not build and were left out: bad"];
    ran.expect(20, &said);
    assert!(ran.out.contains("left out:\n  bad  no good\n"), "{}", ran.out);
    let builds = repo.path("target/xtask/build");
    let together = fs::read_dir(builds).expect("build trees").filter_map(|entry| {
        let record = entry.expect("a tree").path().join("build/packages/vendors/mine_math/version.info");
        fs::read_to_string(record).ok().filter(|text| text.lines().count() == 2)
    });
    let ops: Vec<String> = together.collect();
    assert!(ops.len() == 1 && ops[0].contains("sources.good=") && ops[0].contains("sources.other="), "{ops:?}");

    // One that is named has to be for the SoC; none that builds is no package.
    let named = ["build", "--ops-math=ops-math", "--ops=good,for_another", "--vendor_name=mine"];
    with_toolkit(&repo, &named).expect(16, &["good, for_another: no AddConfig"]);
    let none = ["build", "--ops-math=ops-math", "--ops=bad,bad_too", "--vendor_name=mine"];
    repo.op("ops-math/experimental/math/bad_too", "bad_too", &["ascend910b"]);
    with_toolkit(&repo, &none).expect(20, &["error: 2 of 2 ops do not build and were left out: bad, bad_too"]);
}

/// The harness of unit tests has one build tree, whatever toolkit it is for.
#[test]
fn a_build_that_failed_for_another_toolkit_is_configured_again() {
    let repo = Repo::of_operators(&["good"]);
    for file in ["include/acl/acl.h", "hostcann.toml", "lib64/libascendcl.so"] {
        repo.write(&format!("other/{file}"), "");
    }
    repo.tool(
        "cmake",
        "case \"$*\" in
        *--version*) echo 'cmake version 3.25.1';;
        *-DASCEND_HOME_PATH=*) echo \"CMAKE_HOME_DIRECTORY:INTERNAL=$1\" > CMakeCache.txt; echo \"$*\" >> ../../../../../configured;;
        *) case \"$(tail -n 1 ../../../../../configured)\" in *HOME_PATH=*/other*) exit 1;; esac;;
        esac",
    );
    let run = |toolkit: &str| {
        let path = repo.path(toolkit);
        let env = [("ASCEND_HOME_PATH", &*path.to_string_lossy()), ("XTASK_TOOLS", "system")];
        repo.xtask_with(&["operators", "--repo=ops-math", "--ops=good", "--only=ut", "--again"], &env).code
    };
    let harness = || {
        let text = fs::read_to_string(repo.path("configured")).expect("calls of cmake");
        text.lines().filter(|line| line.contains("hostcann/ut/harness")).count()
    };
    repo.write("hostcann/ut/harness/CMakeLists.txt", "");
    assert_eq!((run("toolkit"), harness()), (Some(0), 1));
    assert_eq!((run("toolkit"), harness()), (Some(0), 1));
    assert_eq!((run("other"), harness()), (Some(20), 2));
    assert_eq!((run("toolkit"), harness()), (Some(0), 3));
}

#[test]
fn nothing_to_try() {
    let repo = Repo::of_operators(&["good"]);
    run(&repo, &[]).expect(2, &["no operator is named", "--ops 'experimental/math/*'"]);
    run(&repo, &["--ops=fine"]).expect(15, &["has no op directory `fine`"]);
    repo.xtask(&["build", "--ops-math=scripts", "--ops=good"]).expect(17, &["is no checkout of operators", "hint: "]);
    repo.xtask(&["build", "--ops=good"]).expect(15, &["unknown op `good`; known ops: fmod", "--repo DIR"]);
    repo.op("ops-math/math/good", "good", &["ascend910b"]);
    run(&repo, &["--ops=good"]).expect(15, &["--ops good is experimental/math/good and math/good"]);
    run(&repo, &["--ops=math/good,experimental/math/good", "--only=build"]).expect(0, &["operators: 2 tried"]);
}
