//! `report` on a made-up operator. `UPDATE_EXPECT=1 cargo test -p xtask --test report` takes new snapshots.

mod common;

use std::fs;

use common::{Ran, Repo};
use expect_test::expect_file;
use serde_json::{Value, json};

const PIECES: &str = "target/xtask/results/square";

/// A committed tree with an operator that has cases, a sweep, and something for the model to be held against.
struct World {
    repo: Repo,
    commit: String,
    sources: String,
}

impl World {
    fn new() -> World {
        let repo = Repo::new();
        repo.system_tool("git");
        repo.op("experimental/math/square", "square", &["ascend910b"]);
        repo.write("experimental/math/square/tests/aot/square_cases.json", "[]");
        repo.write(
            "experimental/math/square/tests/st/ttk.csv",
            "testcase_name,api_name\na,aclnnSquare\nb,aclnnSquare\n",
        );
        let companion = json!({"packages": [{
            "name": "square-tests", "manifest_path": "/w/tests/Cargo.toml",
            "targets": [{"name": "values", "test": true}],
            "metadata": {"op": {
                "name": "square",
                "sweep": {"binary": "square-sweep", "classes": ["i8", "f16"]},
                "sim": {"binary": "square-sim", "chains": "chains"},
                "scenarios": [
                    {"zh": "非连续", "en": "non-contiguous", "tests": ["values::strided*"]},
                    {"zh": "错误", "en": "errors", "tests": ["values::refusals"]},
                ],
            }},
        }]});
        repo.tool("cargo-is-not-here", &format!("cat <<'END'\n{companion}\nEND"));
        repo.write(".gitignore", "target/\nbin/\n");
        let mut world = World { repo, commit: String::new(), sources: String::new() };
        world.git(&["init", "-q"]);
        world.git(&["add", "-A"]);
        world.git(&["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "a"]);
        world.commit = world.git(&["rev-parse", "HEAD"]).trim().to_owned();
        world.sources = world.json(&[])["sources"].as_str().expect("a digest").to_owned();
        world
    }

    fn git(&self, args: &[&str]) -> String {
        let mut command = std::process::Command::new("git");
        let output = command.args(args).current_dir(self.repo.path("")).output().expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn report(&self, more: &[&str]) -> Ran {
        self.repo.xtask(&[&["report", "--ops=square"], more].concat())
    }

    fn json(&self, more: &[&str]) -> Value {
        let ran = self.report(&[&["--json"], more].concat());
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", ran.out, ran.err))
    }

    fn state(&self, part: &str) -> Value {
        let object = self.json(&[]);
        let parts = object["parts"].as_array().expect("parts");
        parts.iter().find(|one| one["part"] == part).expect(part)["state"].clone()
    }

    /// A file as a run of this commit writes it.
    fn piece(&self, name: &str, data: &Value) {
        self.piece_of(name, &json!({"commit": self.commit, "clean": true}), data);
    }

    fn piece_of(&self, name: &str, revision: &Value, data: &Value) {
        let piece = json!({
            "schema": 2, "piece": name, "op": "square", "sources": self.sources, "revision": revision,
            "arguments": ["made", "up", name], "soc": "ascend910b", "data": data,
            "environment": {"system": "Test <1>", "architecture": "x86_64", "cpu": null, "cores": 2, "rustc": "1.0.0",
                            "c++": "12.2.0", "python": "3.11.2", "xtask": "0.1.0", "toolkit": "target/hostcann"},
        });
        self.repo.write(&format!("{PIECES}/{name}.json"), &piece.to_string());
    }

    /// One piece of every kind.
    fn filled() -> World {
        let world = World::new();
        for standard in ["ascendoptest", "ecosystem", "ecosystem-en"] {
            world.piece(&format!("acceptance.square_cases.{standard}"), &acceptance(standard));
        }
        world.piece("errors.square_cases", &errors());
        for layer in [
            "fmt",
            "tidy",
            "clippy",
            "broken-kernels",
            "device",
            "cpp",
            "package-rules",
            "acceptance",
            "operators",
            "templates",
            "installed",
            "docs",
        ] {
            world.piece(&format!("layer.{layer}"), &layer_of(layer, 3, 0, json!([])));
        }
        let tests =
            json!([["values::strided_rows", true], ["values::strided_in_place", true], ["values::refusals", false]]);
        world.piece("layer.rust", &layer_of("rust", 2, 1, tests));
        world.piece("layer.ut", &layer_of("math_op_host_ut", 4, 0, json!([["SquareTilingTest.a", true]])));
        world.piece("layer.example", &layer_of("example", 1, 0, json!([["test_aclnn_square", true]])));
        for (layer, launches, findings) in [("rust", 7, 0), ("ut", 3, 1), ("example", 2, 0), ("acceptance", 0, 0)] {
            world.piece(&format!("checked.{layer}"), &checked(layer, launches, findings));
        }
        world.piece("sweep.i8", &sweep("i8", 0, &[]));
        world.piece("sweep.f16.div_ulp=random", &sweep("f16", 3, &["div_ulp=random"]));
        world.piece("bench_sim", &model());
        let rule = |number: u8, status: &str, findings: Value| json!({"rule": number, "title": "A | title", "zh": "标题", "status": status, "findings": findings, "why": "needs a checkout"});
        let found = json!([{"rule": 2, "severity": "warning", "path": "a.h", "line": 7, "found": "too <long>", "fix": "cut it", "explained": "all right"}]);
        let rules = json!([rule(1, "pass", json!([])), rule(2, "pass", found), rule(3, "not run", json!(null))]);
        world.piece("rules", &json!({"checkout": false, "rules": rules}));
        let package = json!({"file": "cann-ops-math-custom_linux-x86_64.run", "sha256": "ab12", "bytes": 4711, "socs": ["ascend910b"]});
        world.piece("package.ascend910b", &package);
        world
    }

    /// What was written, without what differs from tree to tree.
    fn written(&self, name: &str) -> String {
        let text = fs::read_to_string(self.repo.path("target/xtask/report/square").join(name)).expect(name);
        text.replace(&self.commit, "<commit>")
    }
}

fn layer_of(name: &str, passed: u64, failed: u64, tests: Value) -> Value {
    json!({"outcomes": [{"layer": name, "passed": passed, "failed": failed}], "tests": tests, "ops": ["square"]})
}

fn checked(layer: &str, launches: u64, findings: u64) -> Value {
    let mut data = layer_of(layer, 4, 0, json!([]));
    data["launches"] = json!(launches);
    data["findings"] = json!(findings);
    let found = json!({"class": "race", "stops": true, "kernel": "Square_0", "instruction": "Add<float>",
                       "place": "op_kernel/<square>.cpp:7", "message": "operand src0: no | order", "times": findings});
    data["found"] = if findings > 0 { json!([found]) } else { json!([]) };
    data
}

fn acceptance(standard: &str) -> Value {
    let case = |name: &str, mode: &str, dtype: &str, shape: &[u64], result: Value| {
        let input = |name: &str, range: [f64; 2]| json!({"name": name, "dtype": dtype, "shape": shape, "range": range});
        json!({
            "case": name, "interface": "aclnnSquare", "mode": mode,
            "inputs": [input("x", [-5.0, 0.0]), input("y", [0.5, 5.0])],
            "outputs": [{"name": "out", "dtype": dtype, "shape": shape}], "results": [result],
        })
    };
    let result = |word: &str, bad: u64, abs: &str, message: &str| json!({"output": "out", "result": word, "elements": 6, "bad": bad, "max_abs": abs, "max_rel": abs, "message": message});
    json!({"file": "tests/aot/square_cases.json", "standard": standard, "seed": 0, "cases": [
        case("f32_a", "", "float32", &[2, 3], result("pass", 0, "0e0", "")),
        case("f16_b", "mode=1", "float16", &[6], result("fail", 2, "inf", "element 1 is <b>nan</b>, expected 1 | 2")),
        case("f32_b_expect_fail", "", "float32", &[2, 3], result("expected", 6, "5e-1", "element 0 is 1, expected 0.5")),
        case("f16_c", "mode=1", "float16", &[0], json!({"output": null, "result": "error", "message": "golden: f: no"})),
    ]})
}

fn errors() -> Value {
    let bins = json!([[5, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 1]]);
    json!({"file": "tests/aot/square_cases.json", "seed": 0, "edges": [0, 4],
           "errors": [{"mode": "mode=1", "dtype": "float16", "by": "|x / y|", "bins": bins}]})
}

fn sweep(class: &str, wrong: u64, switches: &[&str]) -> Value {
    json!({"shard": "1/1", "switches": switches,
           "class": {"name": class, "pairs": 65536, "mismatches": wrong, "all_pairs": true, "seconds": 0.5}})
}

fn model() -> Value {
    let row = |elements: u64, us: f64, chain: f64| {
        json!({"soc": "Ascend910B3", "dtype": "f32", "case": "same", "elements": elements, "cache": "warm", "op": {"tbe": us},
               "bound": "memory", "chain": chain, "plain": chain, "limit": 1.0, "road": null, "direct": false,
               "lanes_per_byte": 0.5, "roofs": [1.0, 1.0, 1.0]})
    };
    json!({"source": "timing model, no measurement", "rows": [row(16384, 2.0, 3.0), row(4194304, 10.0, 20.0)], "gates": [
        {"name": "one", "text": "at least as fast", "rows": 2, "failed": 1, "beyond_limit": 0, "worst": ["Ascend910B3 f32", 0.5]},
        {"name": "two", "text": "no rows", "rows": 0, "failed": 0, "beyond_limit": 0, "worst": null},
    ]})
}

#[test]
fn every_part_in_both_languages() {
    let world = World::filled();
    world.report(&[]).expect(0, &["parts good"]);
    expect_file!["snapshots/report.zh.md"].assert_eq(&world.written("self_verification.md"));
    expect_file!["snapshots/report.en.md"].assert_eq(&world.written("self_verification.en.md"));
    expect_file!["snapshots/report.html"].assert_eq(&world.written("self_verification.html"));
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let world = World::filled();
    let names = ["self_verification.html", "self_verification.md", "self_verification.en.md"];
    let twice = ["target/one", "target/two"].map(|dir| {
        world.report(&["--out", dir]).expect(0, &[]);
        names.map(|name| fs::read(world.repo.path(dir).join(name)).expect(name))
    });
    assert!(twice[0] == twice[1], "two reports of the same files differ");
}

#[test]
fn numbers_that_are_not_of_this_commit_are_not_told() {
    let world = World::filled();
    assert_eq!(world.state("checker"), "failed");
    let gone = |why: &str| {
        let object = world.json(&[]);
        let part =
            object["parts"].as_array().and_then(|all| all.iter().find(|one| one["part"] == "package")).expect("it");
        assert_eq!((&part["state"], &part["fill"]), (&json!("open"), &json!([["package"]])));
        let text = world.written("self_verification.en.md");
        assert!(text.contains(why) && !text.contains("4711"), "{text}");
        assert!(!world.written("self_verification.html").contains("4711"));
    };
    let package = json!({"file": "x.run", "sha256": "ab12", "bytes": 4711, "socs": ["ascend910b"]});
    let of = |revision: Value| world.piece_of("package.ascend910b", &revision, &package);
    of(json!({"commit": "ffff456789abcdef", "clean": true}));
    gone("package: stale: the stored run is of another commit, ffff456789ab. To fill it: cargo xtask package");
    of(json!({"commit": world.commit, "clean": false}));
    gone("package: the stored run is of a tree with changes on top of");
    world.repo.write(&format!("{PIECES}/package.ascend910b.json"), "{\"schema\": 2");
    gone("package: the stored file is damaged");
    fs::remove_file(world.repo.path(PIECES).join("package.ascend910b.json")).expect("remove");
    gone("package: not run.");
}

#[test]
fn a_tree_with_changes_has_no_results() {
    let world = World::filled();
    world.repo.write("experimental/math/square/op_kernel/square.cpp", "// changed\n");
    let object = world.json(&[]);
    for part in object["parts"].as_array().expect("parts") {
        assert_eq!(part["state"], "open", "{part}");
    }
    let text = world.written("self_verification.en.md");
    assert!(text.contains("this tree has changes, so no stored run is of it; commit first"), "{text}");
    assert!(!text.contains("65536") && text.contains("with changes on top"), "{text}");
}

#[test]
fn an_operator_from_elsewhere_that_has_changed() {
    let world = World::new();
    let elsewhere = tempfile::tempdir().expect("temp dir");
    let op = elsewhere.path().join("square");
    for (file, text) in [("op_host/square_def.cpp", "1"), ("CMakeLists.txt", "2")] {
        fs::create_dir_all(op.join("op_host")).expect("mkdir");
        fs::write(op.join(file), text).expect("write");
    }
    let path = op.to_str().expect("UTF-8");
    let report = |world: &World| {
        let ran = world.repo.xtask(&["report", "--json", "--op-dir", path]);
        serde_json::from_str::<Value>(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.err))
    };
    let sources = report(&world)["sources"].as_str().expect("a digest").to_owned();
    let world = World { sources, ..world };
    for layer in ["ut", "example", "acceptance"] {
        world.piece(&format!("checked.{layer}"), &checked(layer, 3, 0));
    }
    let state = || {
        let object = report(&world);
        let part =
            object["parts"].as_array().and_then(|all| all.iter().find(|one| one["part"] == "checker")).expect("it");
        (part["state"].clone(), part["fill"].clone())
    };
    assert_eq!(state(), (json!("good"), json!([])));
    fs::write(op.join("op_host/square_def.cpp"), "changed").expect("write");
    assert_eq!(state(), (json!("open"), json!([["test", "--check", "--op-dir", path]])));
    let text = world.written("self_verification.en.md");
    assert!(text.contains("stale: the operator's directory has changed since the stored run"), "{text}");
    assert!(text.contains("the operator has no sweep"), "{text}");
}

#[test]
fn exit_codes() {
    let world = World::filled();
    world.report(&["--assert"]).expect(
        30,
        &["report: failed: scenarios, precision, sweep, tests, checker, speed; not run on this commit: nothing"],
    );
    let world = World::new();
    world.report(&["--assert"]).expect(30, &["report: failed: nothing; not run on this commit: scenarios,"]);
    world.report(&[]).expect(0, &[]);
    world.repo.xtask(&["report", "--op-dir", "nowhere"]).expect(15, &["nowhere is not an op directory"]);
    world
        .repo
        .xtask(&["report", "--op-dir", "bin"])
        .expect(15, &["bin is not an op directory", "hint: it holds CMakeLists.txt"]);
    world.repo.xtask(&["report", "--ops", "cube"]).expect(15, &["there is no such op below experimental/", "fmod"]);
    world.repo.xtask(&["report"]).expect(15, &["which op?"]);
    world.report(&["--run=everything"]).expect(2, &["invalid value 'everything'"]);
}

#[test]
fn what_is_missing_is_run_first() {
    let world = World::new();
    // Fails for want of a compiler, and the report is written all the same.
    let ran = world.report(&["--run=package"]);
    ran.expect(0, &["Running 1 of 1: cargo xtask package", "cargo xtask package ended with exit status: 10"]);
    assert!(!ran.err.contains("bench"), "{}", ran.err);
    assert!(world.written("self_verification.md").contains("package：未运行"));
}

#[test]
fn the_competitions_bundle_has_it() {
    let world = World::filled();
    let bundle = ["--bundle", "target/bundle", "--task", "05-11", "--team", "mine", "--dry-run"];
    let ran = world.repo.xtask(&[&["pr", "--ops=square"], &bundle[..]].concat());
    for name in ["self_verification.html", "self_verification.md", "self_verification.en.md"] {
        let line = format!("  05-11-Square/mine/docs/{name}\n");
        assert!(ran.out.contains(&line), "{line}: {}\n{}", ran.out, ran.err);
    }
}

/// A file of a run, and nothing that another part could have taken from elsewhere.
#[test]
fn a_run_leaves_what_the_report_reads() {
    let world = World::new();
    assert_eq!(world.state("rules"), "open");
    world.repo.xtask(&["pr", "--check", "--ops=square"]);
    assert_eq!(world.state("rules"), "failed");
    let text = world.written("self_verification.en.md");
    assert!(text.contains("cargo xtask pr --check --ops=square") && text.contains("of 46 rules pass"), "{text}");
    assert!(text.contains("experimental/math/square/README.md: it is missing"), "{text}");
}

/// A reviewer finds the operator under its own commit, not under the tool's.
#[test]
fn an_operator_of_another_checkout_has_its_own_commit() {
    let world = World::new();
    let temp = tempfile::tempdir().expect("temp dir");
    let (theirs, out) = (temp.path().join("ops-math"), temp.path().join("report"));
    let run = |line: &[&str]| {
        let output = std::process::Command::new(line[0]).args(&line[1..]).output().expect("it runs");
        assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    };
    let (dir, op) = (theirs.display().to_string(), theirs.join("math/square"));
    std::fs::create_dir_all(theirs.join("math")).expect("a directory");
    run(&["cp", "-r", &world.repo.path("experimental/math/square").display().to_string(), &op.display().to_string()]);
    let rows = || {
        let line = ["report", "--op-dir", &op.display().to_string(), "--out", &out.display().to_string()];
        world.repo.xtask(&line).expect(0, &[]);
        let text = std::fs::read_to_string(out.join("self_verification.en.md")).expect("a report");
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).expect(name).to_owned();
        (row("| operator's commit "), row("| tool's commit "))
    };
    let tool = format!("| tool's commit | `{}` |", world.commit);
    let (own, tools) = rows();
    assert!(own.starts_with("| operator's commit | in no commit of git; digest ") && tools == tool, "{own} {tools}");
    run(&["git", "-C", &dir, "init", "-q"]);
    run(&["git", "-C", &dir, "add", "-A"]);
    run(&["git", "-C", &dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "theirs"]);
    let head = run(&["git", "-C", &dir, "rev-parse", "HEAD"]);
    assert_eq!(rows(), (format!("| operator's commit | `{head}` |"), tool.clone()));
    std::fs::write(op.join("README.md"), "changed").expect("write");
    assert_eq!(rows(), (format!("| operator's commit | {head}, with changes on top |"), tool));
}
