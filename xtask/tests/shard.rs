//! `--shard` and `merge`: parts of a run give, merged, what one run gives.

mod common;

use std::process::Command;

use common::{OP, Ran, Repo};
use serde_json::Value;

/// The records of these parts of `of`, as `merge` takes them.
fn records(of: &str, count: usize) -> Vec<String> {
    (1..=count).map(|index| format!("target/xtask/last/{of}-shard-{index}-of-{count}.json")).collect()
}

fn merge(repo: &Repo, files: &[String], more: &[&str]) -> Ran {
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    repo.xtask(&[&["merge"], &files[..], more].concat())
}

fn json(repo: &Repo, file: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(repo.path(file)).expect(file)).expect("JSON")
}

/// Without what a layer took, which is not the same twice.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("  time ")).collect()
}

fn try_operators(repo: &Repo, args: &[&str]) -> Ran {
    let args = [&["operators", "--ops-math=ops-math", "--ops=experimental/math/*"], args].concat();
    repo.xtask_on_a_toolkit(&args, &[])
}

#[test]
fn operators_of_two_parts_are_one_table() {
    let repo = Repo::of_operators(&["bad", "fine", "good", "other"]);
    let parts = [try_operators(&repo, &["--shard=1/2"]), try_operators(&repo, &["--shard", "2/2", "-j1"])];
    let files = records("operators", 2);
    let taken: Vec<usize> =
        files.iter().map(|file| json(&repo, file)["part"]["taken"].as_array().expect("units").len()).collect();
    assert!(taken.iter().sum::<usize>() == 4 && !taken.contains(&0), "{taken:?}");
    let mut codes: Vec<_> = parts.iter().map(|ran| ran.code.expect("a code")).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 30], "{}{}", parts[0].err, parts[1].err);
    // A part is no run of the verb.
    assert!(!repo.path("target/xtask/last/operators.json").exists());

    let merged = merge(&repo, &files, &[]);
    merged.expect(30, &["Merging 2 parts", "error: 1 of 4 operators failed a step: experimental/math/bad"]);
    let table = std::fs::read_to_string(repo.path("target/xtask/operators/operators.tsv")).expect("the table");
    // Rows are known by now, with their seconds.
    let whole = try_operators(&repo, &[]);
    whole.expect(30, &["error: 1 of 4 operators failed a step: experimental/math/bad"]);
    assert_eq!(merged.out, whole.out);
    assert_eq!(table, std::fs::read_to_string(repo.path("target/xtask/operators/operators.tsv")).expect("the table"));
    let (of_parts, of_one) =
        (json(&repo, "target/xtask/last/merge.json"), json(&repo, "target/xtask/last/operators.json"));
    assert_eq!(of_parts["operators"], of_one["operators"]);
    assert_eq!((&of_parts["command"], &of_parts["parts"][1]["shard"]), (&"merge".into(), &"2/2".into()));
}

#[test]
fn records_that_are_not_all_parts_of_one_run() {
    let repo = Repo::of_operators(&["fine", "good"]);
    for part in ["1/3", "2/3", "3/3"] {
        try_operators(&repo, &["--shard", part])
            .expect(0, &[&format!("Part {part} of operators --ops=experimental/math/*")]);
    }
    let files = records("operators", 3);
    merge(&repo, &files, &[]).expect(0, &["operators: 2 tried"]);
    let missing = "error: 2 of 3 parts are there, missing: 2/3\nhint: run what is missing";
    merge(&repo, &[files[0].clone(), files[2].clone()], &[]).expect(35, &[missing]);
    let doubled = [&files[..], &files[..1]].concat();
    let says = format!("error: part 1/3 is there twice: {0} and {0}\n", files[0]);
    merge(&repo, &doubled, &[]).expect(35, &[&says]);
    // Another command, and other sources.
    try_operators(&repo, &["--shard=2/3", "--only=build"]).expect(0, &[]);
    merge(&repo, &files, &[]).expect(35, &["are not of one run: options and variables: `operators", "--only=build`"]);
    repo.write("ops-math/experimental/math/good/op_kernel/good.cpp", "// new");
    try_operators(&repo, &["--shard=2/3"]).expect(0, &[]);
    merge(&repo, &files, &[]).expect(35, &["are not of one run: digest of toolkit and operators"]);
    let says = "error: nowhere.json is no record of a part: No such file or directory";
    merge(&repo, &["nowhere.json".to_owned()], &[]).expect(35, &[says]);
    repo.xtask(&["merge"]).expect(2, &["<RECORD>"]);
    for bad in ["0/4", "5/4", "a", "4"] {
        try_operators(&repo, &["--shard", bad]).expect(2, &["expected I/N with 1 <= I <= N"]);
    }
}

#[test]
fn a_part_that_fails_before_it_has_a_result() {
    let repo = Repo::of_operators(&["fine", "good"]);
    try_operators(&repo, &["--shard=1/2"]).expect(0, &[]);
    repo.tool("g++", "exit 1");
    try_operators(&repo, &["--shard=2/2"]).expect(10, &[]);
    let says = [
        "error: part 2/2 has no result",
        "caused by: part 2/2 (target/xtask/last/operators-shard-2-of-2.json) failed: ",
    ];
    merge(&repo, &records("operators", 2), &[]).expect(10, &says);
}

#[test]
fn layers_of_two_parts_are_one_summary() {
    let repo = Repo::on_a_toolkit();
    for (name, script) in [("a", "exit 0"), ("b", "exit 1"), ("c", "exit 0"), ("d", "exit 0")] {
        repo.write(&format!("{OP}/examples/test_aclnn_{name}.cpp"), &format!("#!/bin/sh\n{script}\n"));
    }
    let test = |args: &[&str]| {
        let args = [&["test", "--op-dir", OP, "--vendor_name=some_op", "--only=example"], args].concat();
        repo.xtask_on_a_toolkit(&args, &[])
    };
    let parts = [test(&["--shard=1/2"]), test(&["--shard=2/2"])];
    let mut codes: Vec<_> = parts.iter().map(|ran| ran.code.expect("a code")).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 30], "{}{}", parts[0].err, parts[1].err);
    let of = |file: &String| json(&repo, file)["layers"][0]["passed"].as_u64().expect("a count");
    let passed: Vec<u64> = records("test", 2).iter().map(of).collect();
    assert!(passed.iter().sum::<u64>() == 3 && !passed.contains(&0), "{passed:?}");
    let merged = merge(&repo, &records("test", 2), &[]);
    let hint = format!("cargo xtask test --op-dir {OP} --only example");
    merged.expect(30, &["error: failed: example", &hint]);
    let whole = test(&[]);
    whole.expect(30, &["error: failed: example", &hint]);
    assert!(merged.out.contains("3 passed, 1 failed"), "{}", merged.out);
    assert!(lines(&whole.out).ends_with(&lines(&merged.out)), "{}\n{}", whole.out, merged.out);
    let examples = |file: &str| json(&repo, file)["examples"].clone();
    assert_eq!(examples("target/xtask/last/merge.json"), examples("target/xtask/last/test.json"));
}

/// cargo is a script of a test program that skips by whole names.
#[test]
fn rust_tests_are_divided_by_name() {
    let repo = Repo::new();
    repo.tool(
        "cargo-tests",
        "case $1 in metadata) echo '{\"packages\":[]}'; exit;; esac
        passed=0
        for name in queues::a queues::b queues::c other::d; do
            case \" $* \" in
            *' --list '*) echo \"$name: test\";;
            *\" --skip $name \"*) ;;
            *) echo \"test $name ... ok\"; passed=$((passed + 1));;
            esac
        done
        case \" $* \" in *' --list '*) ;; *) echo \"test result: ok. $passed passed; 0 failed\";; esac",
    );
    let env = [("CARGO", "cargo-tests")];
    let test = |args: &[&str]| repo.xtask_with(&[&["test", "--only=broken-kernels"], args].concat(), &env);
    for part in ["1/3", "2/3", "3/3"] {
        test(&["queues", "--shard", part]).expect(0, &[]);
    }
    let merged = merge(&repo, &records("test", 3), &[]);
    merged.expect(0, &["Finished test: 1 layer"]);
    assert_eq!(merged.out, "\n  ok   broken-kernels          3 passed    0 failed\n3 passed, 0 failed\n");
    test(&["--shard=1/3", "--", "--skip=x"]).expect(2, &["`--skip=x` after -- may choose among tests"]);

    for part in ["1/2", "2/2"] {
        test(&["nope", "--shard", part]).expect(0, &["Part "]);
    }
    let nothing = "error: nothing was tested: no test's name contains `nope`";
    merge(&repo, &records("test", 2), &[]).expect(33, &[nothing]);
}

/// The script of docs/guides/many-machines.md; each task in a clone of its own.
#[test]
fn tasks_of_a_job_array_are_parts() {
    let page = include_str!("../../docs/guides/many-machines.md");
    let script = page.split("```bash\n").find(|block| block.starts_with("#!/bin/bash\n#SBATCH")).expect("the script");
    let script = script.split("```").next().expect("its end");
    let repo = Repo::of_operators(&["bad", "fine", "good", "other"]);
    repo.write("parts.sbatch", script);
    repo.write(".gitignore", "/target/\n");
    let cargo = format!("shift\nCARGO_WORKSPACE_DIR=$PWD exec '{}' \"$@\"", env!("CARGO_BIN_EXE_xtask"));
    repo.tool("cargo", &cargo);
    repo.system_tool("git");
    let here = repo.path("");
    let here = here.to_str().expect("UTF-8").trim_end_matches('/');
    let command = |program: &str| {
        let mut command = Command::new(program);
        command
            .current_dir(here)
            .env_clear()
            .env("PATH", repo.path("bin"))
            .env("HOME", here)
            .env("XTASK_TOOLS", "system");
        command.env("SLURM_SUBMIT_DIR", here).env("OPS_MATH_HOME", format!("{here}/ops-math"));
        command.env("ASCEND_HOME_PATH", format!("{here}/toolkit")).env("TMPDIR", here);
        command
    };
    let commit = "git init -q && git add . && git -c user.name=a -c user.email=a@example.com commit -qm a";
    assert!(command("sh").args(["-c", commit]).status().expect("sh").success());
    let task = |index: &str, count: &str, parts: Option<&str>| {
        let mut command = command("bash");
        command.arg("parts.sbatch").env("SLURM_ARRAY_TASK_ID", index).env("SLURM_ARRAY_TASK_COUNT", count);
        command.envs(parts.map(|parts| ("PARTS", parts))).output().expect("bash").status.code()
    };
    let mut codes = [task("1", "2", None), task("2", "2", None)];
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(30)]);
    // One that is run again, alone.
    let files = ["target/records/operators-shard-1-of-2.json", "target/records/operators-shard-2-of-2.json"];
    std::fs::remove_file(repo.path(files[1])).expect("the record");
    task("2", "1", Some("2"));
    let merged = merge(&repo, &files.map(str::to_owned), &["--json"]);
    merged.expect(30, &["error: 1 of 4 operators failed a step: experimental/math/bad"]);
    let merged: Value = serde_json::from_str(&merged.out).expect("JSON");
    assert_eq!(merged["operators"].as_array().expect("rows").len(), 4);
    // Another commit.
    let commit = "git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m b";
    assert!(command("sh").args(["-c", commit]).status().expect("sh").success());
    task("2", "2", None);
    merge(&repo, &files.map(str::to_owned), &[]).expect(35, &["are not of one run: commit: `"]);
}
