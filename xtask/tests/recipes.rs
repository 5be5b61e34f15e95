//! docs/examples/ci: the pipelines are run step by step in a repository of git, with a `hostcann` that writes down what it is
//! called with; every call must be one that the program understands. The hook is run by git, with the program itself.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::Repo;
use serde_yaml::Value;

fn recipe(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/ci").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Two operators with a change since `main`, one without; a file that belongs to none.
fn fork() -> Repo {
    let repo = Repo::new();
    for tool in ["git", "sort", "xargs", "chmod", "touch"] {
        repo.system_tool(tool);
    }
    for script in ["changed_operators.sh", "pre-commit.sh"] {
        repo.write(&format!(".ci/{script}"), &recipe(script));
    }
    for op in ["math/add", "math/sub", "experimental/math/mul"] {
        repo.op(op, op.rsplit('/').next().expect("a name"), &["ascend910b"]);
    }
    git(&repo, &["init", "-q", "-b", "main"]);
    commit(&repo, "base");
    git(&repo, &["update-ref", "refs/remotes/origin/main", "main"]);
    git(&repo, &["checkout", "-q", "-b", "work"]);
    repo.write("math/add/op_kernel/arch35/add.h", "\n");
    repo.write("experimental/math/mul/README.md", "# mul\n");
    repo.write("README.md", "# fork\n");
    std::fs::remove_file(repo.path("math/sub/op_kernel/sub.cpp")).expect("a file");
    commit(&repo, "change");
    repo
}

fn command(repo: &Repo, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(repo.path("")).env_clear().env("PATH", repo.path("bin")).env("HOME", repo.path(""));
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "somebody").env(format!("GIT_{who}_EMAIL"), "a@b.c");
    }
    for (name, value) in [
        ("GITHUB_BASE_REF", "main"),
        ("ATOMGIT_BASE_REF", "main"),
        ("WHEEL", "hostcann.whl"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ] {
        command.env(name, value);
    }
    command.env("RUNNER_TEMP", repo.path("temp")).env("GITHUB_PATH", repo.path("path.txt"));
    command.env("CARGO_WORKSPACE_DIR", repo.path("")).output().unwrap_or_else(|error| panic!("{program}: {error}"))
}

fn git(repo: &Repo, args: &[&str]) {
    let output = command(repo, "git", args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(repo: &Repo, message: &str) {
    git(repo, &["add", "-A"]);
    git(repo, &["commit", "-q", "--no-verify", "-m", message]);
}

#[test]
fn operators_with_a_change_are_found() {
    let repo = fork();
    let changed = |range: &str| {
        let output = command(&repo, "sh", &[".ci/changed_operators.sh", range]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(
        changed("origin/main"),
        "experimental/math/mul\nmath/add\n",
        "what is only deleted is no change to test"
    );
    assert_eq!(changed("--cached"), "");
    repo.write("math/sub/op_host/sub_tiling.cpp", "\n");
    assert_eq!(changed("--cached"), "");
    git(&repo, &["add", "-A"]);
    assert_eq!(changed("--cached"), "math/sub\n");
}

/// The `run:` lines of all steps, in their order.
fn steps(recipe: &str) -> Vec<String> {
    let document: Value = serde_yaml::from_str(recipe).expect("YAML");
    let jobs = document.get("jobs").and_then(Value::as_mapping).expect("jobs");
    let steps = jobs.values().flat_map(|job| job.get("steps").and_then(Value::as_sequence).expect("steps"));
    let run: Vec<String> =
        steps.filter_map(|step| Some(step.get("run")?.as_str().expect("a command").to_owned())).collect();
    assert!(document.get("on").is_some() && !run.is_empty());
    run
}

#[test]
fn pipelines_call_what_the_program_understands() {
    for name in ["github.yml", "gitcode.yml"] {
        let repo = fork();
        repo.write("temp/.keep", "");
        // A virtual environment is a directory with pip in it; a remote is this repository.
        repo.tool("python3", "mkdir -p \"$3/bin\"; printf '#!/bin/sh\\necho pip \"$@\" >> calls.txt\\n' > \"$3/bin/pip\"; chmod +x \"$3/bin/pip\"");
        repo.tool("hostcann", "echo \"$@\" >> calls.txt");
        git(&repo, &["remote", "add", "origin", "."]);
        for step in steps(&recipe(name)) {
            let step = step.replace("/tmp/", &format!("{}/", repo.path("temp").display()));
            let output = command(&repo, "bash", &["-e", "-c", &step]);
            assert!(output.status.success(), "{name}: {step}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let calls = std::fs::read_to_string(repo.path("calls.txt")).expect("calls");
        let mut verbs = Vec::new();
        for call in calls.lines() {
            if call == "pip install hostcann.whl" {
                verbs.push("pip".to_owned());
                continue;
            }
            let words: Vec<&str> = call.split(' ').collect();
            // A flag that does not exist is an error before help is asked for.
            let ran = repo.xtask(&[&words[..], &["--help"]].concat());
            assert_eq!(ran.code, Some(0), "{name}: hostcann {call}: {}", ran.err);
            assert!(call.contains("--format=github"), "{call}");
            let op = words.last().expect("an operator");
            verbs.push(format!("{} {op}", words[0]));
        }
        let both = |verb: &str| ["experimental/math/mul", "math/add"].map(|op| format!("{verb} {op}"));
        let want: Vec<String> = ["build", "example", "test", "pr"].into_iter().flat_map(both).collect();
        assert_eq!(verbs, [&["pip".to_owned()], &want[..]].concat(), "{name}");
    }
}

#[test]
fn the_workflow_of_this_repository_calls_what_is_there() {
    let repo = Repo::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let text = std::fs::read_to_string(here.join(".github/workflows/ci.yml")).expect("the workflow");
    let steps = steps(&text);
    for line in steps.iter().flat_map(|step| step.lines()) {
        if let Some(words) = line.strip_prefix("cargo xtask ") {
            let ran = repo.xtask(&[&words.split(' ').collect::<Vec<_>>()[..], &["--help"]].concat());
            assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        } else {
            assert!(line.starts_with("rustup ") || here.join(line).is_file(), "{line}");
        }
    }
    for wanted in [".ci/run", "cargo xtask dist --out dist", "cargo xtask docs --site --out site"] {
        assert!(steps.iter().any(|step| step == wanted), "{wanted}: {steps:?}");
    }
}

#[test]
fn a_commit_with_findings_is_refused() {
    let repo = fork();
    repo.tool("hostcann", &format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_xtask")));
    let hook = "#!/bin/sh\nexec sh .ci/pre-commit.sh --rule=clean-text\n";
    repo.write(".git/hooks/pre-commit", hook);
    assert!(command(&repo, "chmod", &["+x", ".git/hooks/pre-commit"]).status.success());
    let tries = |text: &str| {
        repo.write("math/add/README.md", text);
        git(&repo, &["add", "-A"]);
        command(&repo, "git", &["commit", "-q", "-m", "try"])
    };
    let refused = tries("# add  \n");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    assert!(!refused.status.success() && said.contains("README.md:1: blanks at the end of the line"), "{said}");
    let taken = tries("# add\n");
    assert!(taken.status.success(), "{}", String::from_utf8_lossy(&taken.stderr));

    // pre-commit calls the same script.
    let config: Value = serde_yaml::from_str(&recipe("pre-commit-config.yaml")).expect("YAML");
    let hook = &config["repos"][0]["hooks"][0];
    assert_eq!(config["repos"][0]["repo"].as_str(), Some("local"));
    assert_eq!((hook["language"].as_str(), hook["pass_filenames"].as_bool()), (Some("system"), Some(false)));
    let entry: Vec<&str> = hook["entry"].as_str().expect("an entry").split(' ').collect();
    assert_eq!(entry, ["sh", ".ci/pre-commit.sh"]);
}
