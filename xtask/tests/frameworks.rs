//! Setting up frameworks from a package index: what can go wrong, and that nothing half-made stays.

mod common;

use std::fs;

use common::{FAULT, OP, Ran, Repo, python};

const LOCK: &str = "torch==2.14.0\n";

fn repo() -> Repo {
    let repo = Repo::new();
    repo.good_compiler();
    repo.write("hostcann/cli/locks/torch.lock.txt", LOCK);
    repo.write("x.py", "");
    repo
}

/// Neither the environment nor a temporary directory.
fn assert_nothing(repo: &Repo) {
    let left: Vec<String> = fs::read_dir(repo.path("target"))
        .map(|entries| entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    assert!(
        left.iter().all(|name| !name.starts_with("torch") && !name.starts_with("paddle") && !name.contains("part")),
        "{left:?}"
    );
}

#[test]
fn an_environment_is_made_once_and_whole() {
    let repo = repo();
    python(&repo, r#"echo x >> "$HOME/calls"; mkdir -p "$into"; echo 1 > "$into/torch.py""#);
    let setup = ["torch", "setup"];
    repo.xtask(&setup).expect(0, &["630 MB to download, 1.5 GB on disk", "torch setup: target/torch/bin/python"]);
    assert!(repo.path("target/torch/lib/site/torch.py").is_file());
    assert!(!repo.path("target/torch/bin/activate").exists(), "it names a directory that is gone");
    repo.xtask(&setup).expect(0, &["torch setup: target/torch/bin/python"]);
    assert_eq!(fs::read_to_string(repo.path("calls")).expect("calls"), "x\n");

    // Other pins: the environment does not fit until it is made again.
    repo.write("hostcann/cli/locks/torch.lock.txt", "torch==2.15.0\n");
    repo.write("target/torch/old", "");
    repo.write("target/tools-part-torch-killed/x", "");
    repo.xtask(&["torch", "run", "x.py"]).expect(
        19,
        &[
            "target/torch has other versions than hostcann/cli/locks/torch.lock.txt",
            "hint: run `cargo xtask torch setup`",
        ],
    );
    repo.xtask(&setup).expect(0, &[]);
    assert!(!repo.path("target/torch/old").exists() && !repo.path("target/tools-part-torch-killed").exists());
}

/// A shell that is to build extensions of torch finds that Python first, its pip, and what stands for CUDA.
#[test]
fn a_shell_gets_the_environment() {
    let repo = repo();
    for file in ["include/acl/acl.h", "hostcann.toml", "lib64/libascendcl.so"] {
        repo.write(&format!("target/hostcann/{file}"), "");
    }
    let env = ["torch", "env"];
    repo.xtask(&env).expect(19, &["torch is not set up: there is no target/torch"]);
    python(&repo, r#"mkdir -p "$into/pip""#);
    repo.xtask(&["torch", "setup"]).expect(0, &[]);
    assert!(fs::read_to_string(repo.path("target/torch/bin/pip")).expect("pip").contains("-m pip \"$@\""));
    let torch = repo.path("target/torch");
    let (torch, toolkit) = (torch.display(), repo.path("target/hostcann"));
    let libraries = format!("export LD_LIBRARY_PATH='{}/lib64:/a:{torch}/standins'\n", toolkit.display());
    let path = format!("export PATH='{torch}/bin:");
    let ran = repo.xtask_with(&env, &[("LD_LIBRARY_PATH", "/a")]);
    for said in [&*libraries, &path, "export HOSTCANN_STOP_ON_FAILURE='off'\n"] {
        assert!(ran.out.contains(said), "no {said} in {}", ran.out);
    }
    assert!(!ran.out.contains("Caffe2_ROOT"), "{}", ran.out);
    repo.write("target/torch/standins/lib/cmake/Caffe2/Caffe2Config.cmake", "");
    let ran = repo.xtask(&env);
    assert!(ran.out.contains(&format!("export Caffe2_ROOT='{torch}/standins'\n")), "{}", ran.out);
}

#[test]
fn nothing_half_made_stays() {
    let repo = repo();
    repo.xtask(&["torch", "setup"]).expect(10, &["the Python `python3` does not run", "--python"]);
    repo.xtask(&["torch", "run", "x.py"])
        .expect(19, &["torch is not set up: there is no target/torch", "hint: run `cargo xtask torch setup`"]);
    let cases = [
        ("NewConnectionError: Failed to establish a new connection", 12, "pip cannot reach its package index"),
        ("OSError: [Errno 28] No space left on device", 13, "no space left while fetching the pinned wheels"),
        ("ERROR: No matching distribution found for torch==2.14.0", 11, "CPython 3.10 to 3.14"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", 11, "does not have the pinned hash"),
    ];
    for (says, code, message) in cases {
        python(&repo, &format!(r#"mkdir -p "$into/half"; echo "{says}"; exit 1"#));
        repo.xtask(&["torch", "setup"]).expect(code, &[message, says, "hint: "]);
        assert_nothing(&repo);
    }
}

/// pip names a network that it cannot reach when it retries and is not quiet; a shell that turns both off changes nothing.
#[test]
fn a_network_that_is_not_there_is_seen_whatever_the_shell_sets_for_pip() {
    let repo = repo();
    let pip = r#"echo "retries=$PIP_RETRIES quiet=$PIP_QUIET" > "$HOME/pip"
        [ "$PIP_RETRIES" -gt 0 ] && [ -z "$PIP_QUIET" ] && echo "WARNING: Retrying after connection broken by NewConnectionError"
        echo "ERROR: No matching distribution found for torch==2.14.0"; exit 1"#;
    python(&repo, pip);
    let ran = repo.xtask_with(&["torch", "setup"], &[("PIP_RETRIES", "0"), ("PIP_QUIET", "1")]);
    ran.expect(12, &["pip cannot reach its package index", "hint: check the network"]);
    assert_eq!(fs::read_to_string(repo.path("pip")).expect("pip"), "retries=5 quiet=\n");
}

#[test]
fn a_full_disk_is_told_before_the_download() {
    let repo = repo();
    python(&repo, "exit 1");
    let df = |kilobytes: u64| {
        let line = format!("/dev/x 99999999 1 {kilobytes} 82% /");
        repo.tool("df", &format!("echo 'Filesystem 1024-blocks Used Available Capacity Mounted on'; echo '{line}'"));
    };
    df(2299 * 1024);
    let ran = repo.xtask(&["torch", "setup"]);
    ran.expect(13, &["torch needs 2300 MB in target, 2299 MB are free", "hint: free some space"]);
    assert!(!ran.err.contains("Fetching"), "{}", ran.err);
    df(2300 * 1024);
    repo.xtask(&["torch", "setup"]).expect(11, &["Fetching"]);
}

#[test]
fn a_python_of_the_user_must_have_the_pair() {
    let repo = repo();
    let own = |torch: &str, torch_npu: &str| {
        let version = |name: &str, version: &str| match version {
            "" => format!(" *\"version('{name}')\"*) exit 1 ;;\n"),
            version => format!(" *\"version('{name}')\"*) echo {version} ;;\n"),
        };
        let script = format!(
            "case \"$*\" in\n *'print(sys.executable)'*) echo \"$0\" ;;\n{}{} *version.py*) echo /x; echo None ;;\n *) exit 9 ;;\nesac",
            version("torch", torch),
            version("torch_npu", torch_npu)
        );
        repo.tool("mine", &script);
    };
    let setup = ["torch", "setup", "--use-env", "--python", "bin/mine"];
    own("2.15.0", "2.14.0");
    repo.xtask(&setup)
        .expect(19, &["has torch 2.15.0, expected torch 2.14.0 with torch_npu 2.14.0", "hint: install that"]);
    own("2.14.0+cpu", "");
    repo.xtask(&setup).expect(19, &["has no torch_npu, expected torch 2.14.0 with torch_npu 2.14.0"]);
    own("2.14.01", "2.14.0");
    repo.xtask(&setup).expect(19, &["has torch 2.14.01, expected"]);
    assert_nothing(&repo);
    own("2.14.0+cpu", "2.14.0.post2");
    repo.xtask(&setup).expect(0, &["torch setup: bin/mine"]);
    assert_eq!(fs::read_dir(repo.path("target/torch")).expect("target/torch").count(), 1, "a word about which Python");
}

/// What is Paddle's own in the way that all frameworks share.
#[test]
fn paddle_goes_the_same_way() {
    let repo = Repo::new();
    repo.write("x.py", "");
    repo.good_compiler();
    repo.write("hostcann/cli/locks/paddle.lock.txt", "paddlepaddle==3.3.1\n");
    repo.write("adapters/paddle/x/adapter.toml", "op = \"x\"\npackage = \"ascend_x\"\n");
    let setup = ["paddle", "setup"];
    let hint = "hint: run `cargo xtask paddle setup`";
    for verb in [&["paddle", "test"][..], &["paddle", "run", "x.py"]] {
        repo.xtask(verb).expect(19, &["paddle is not set up: there is no target/paddle", hint]);
    }
    python(&repo, r#"mkdir -p "$into/half"; echo "ERROR: No matching distribution found"; exit 1"#);
    repo.xtask(&setup).expect(11, &["CPython 3.10 to 3.13 on x86_64", "--python"]);
    assert_nothing(&repo);
    python(&repo, r#"mkdir -p "$into"; echo 1 > "$into/paddle.py""#);
    repo.xtask(&setup).expect(0, &["223 MB to download, 850 MB on disk", "paddle setup: target/paddle/bin/python"]);
    repo.write("hostcann/cli/locks/paddle.lock.txt", "paddlepaddle==3.4.0\n");
    repo.xtask(&["paddle", "test"])
        .expect(19, &["target/paddle has other versions than hostcann/cli/locks/paddle.lock.txt", hint]);
}

#[test]
fn libraries_of_a_real_cann_are_named() {
    let repo = repo();
    repo.write("cann/lib64/libascendcl.so", "");
    repo.write("adapters/paddle/x/adapter.toml", "op = \"x\"\npackage = \"ascend_x\"\n");
    let lib64 = repo.path("cann/lib64");
    let lib64 = lib64.to_str().expect("UTF-8");
    for verb in [&["paddle", "test"][..], &["torch", "run", "x.py"]] {
        let ran = repo.xtask_with(verb, &[("LD_LIBRARY_PATH", lib64)]);
        ran.expect(19, &[&format!("LD_LIBRARY_PATH names {lib64}"), "hint: `unset LD_LIBRARY_PATH`"]);
    }
}

/// A killed `setup` of before, a stamp of another Python, a Python that has gone: each says what it is.
#[test]
fn an_environment_that_is_not_whole_is_made_again() {
    let repo = repo();
    let run = ["torch", "run", "x.py"];
    let hint = "hint: run `cargo xtask torch setup`";
    repo.write("target/torch/lib/site/torch.py", "");
    repo.xtask(&run).expect(19, &["target/torch is not whole: there is no lock.txt in it", hint]);
    repo.write("target/torch/lock.txt", &format!("# for cpython-39\n{LOCK}"));
    repo.xtask(&run).expect(19, &["target/torch/bin/python does not run, or is another Python than it was", hint]);
    python(&repo, r#"mkdir -p "$into"; echo 1 > "$into/torch.py""#);
    repo.write("target/torch/half", "");
    repo.xtask(&["torch", "setup"]).expect(0, &["Fetching", "torch setup: target/torch/bin/python"]);
    assert!(!repo.path("target/torch/half").exists(), "what was there before");
    let left: Vec<_> =
        fs::read_dir(repo.path("target")).expect("target").map(|one| one.expect("entry").file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("part")), "{left:?}");

    // Of the user, and gone since.
    fs::remove_dir_all(repo.path("target/torch")).expect("remove");
    repo.write("target/torch/python.txt", "/no/such/python");
    repo.xtask(&run).expect(19, &["/no/such/python, which --use-env was given, does not run any more", hint]);
}

#[test]
fn a_real_cann_is_no_place_for_a_framework() {
    let repo = repo();
    for file in ["include/acl/acl.h", "lib64/libascendcl.so", "opp/.keep"] {
        repo.write(&format!("cann/{file}"), "");
    }
    let cann = repo.path("cann");
    let ran = repo.xtask_with(&["torch", "run", "x.py"], &[("ASCEND_HOME_PATH", &*cann.to_string_lossy())]);
    ran.expect(2, &["is a real CANN; this is for the host toolkit", "hint: run the script with your own python"]);
}

/// An environment whose Python is this shell script.
fn environment(script: &str) -> Repo {
    let repo = Repo::on_a_toolkit();
    ["x.py", "my.py"].iter().for_each(|script| repo.write(script, ""));
    repo.write("hostcann/cli/locks/torch.lock.txt", LOCK);
    repo.write("target/torch/lock.txt", &format!("# for cpython-311\n{LOCK}"));
    repo.write("ascgraph/python/autofuse/compile_adapter.py", "");
    repo.write("toolkit/bin/bisheng", "");
    repo.tool("framework", &format!("case \"$*\" in *cache_tag*) echo cpython-311; exit;; esac\n{script}"));
    fs::create_dir_all(repo.path("target/torch/bin")).expect("mkdir");
    fs::rename(repo.path("bin/framework"), repo.path("target/torch/bin/python")).expect("rename");
    repo
}

fn on_torch(repo: &Repo, verb: &str, args: &[&str]) -> Ran {
    repo.xtask_on_a_toolkit(&[&["torch", verb, "--op-dir", OP], args].concat(), &[("PYTHONPATH", "/mine")])
}

#[test]
fn a_script_gets_its_arguments_and_the_kernels_inside_the_switches() {
    let say = r#"echo "got $*"; echo "check=$HOSTCANN_CHECK flip=$HOSTCANN_FLIP stop=$HOSTCANN_STOP_ON_FAILURE"
        echo "libraries=$LD_LIBRARY_PATH packages=$PYTHONPATH opp=$ASCEND_OPP_PATH"
        test -f "$AUTOFUSE_LIBRARY" && echo "autofuse is there"; exit 3"#;
    let repo = environment(say);
    let script = ["my.py", "--size", "4"];
    let ran = on_torch(&repo, "run", &script);
    ran.expect(3, &["my.py failed (exit status: 3)"]);
    assert!(ran.out.contains("got my.py --size 4\ncheck= flip= stop=off\n"), "{}", ran.out);
    let toolkit = repo.path("toolkit");
    let toolkit = toolkit.display();
    let own = repo.path("ascgraph/python");
    let found = format!(":{toolkit}/lib64 packages={}:/mine opp={toolkit}/opp\n", own.display());
    assert!(ran.out.contains(&found), "{found}: {}", ran.out);
    assert!(ran.out.contains("autofuse is there\n"), "{}", ran.out);
    let ran = on_torch(&repo, "run", &[&["--check=-leak", "--flip"][..], &script].concat());
    assert!(ran.out.contains("got my.py --size 4\ncheck=1,-leak flip=1 stop=off\n"), "{}", ran.out);
    // The JSON object is alone on stdout.
    let ran = on_torch(&repo, "run", &[&["--json"][..], &script].concat());
    ran.expect(3, &["got my.py --size 4\n"]);
    assert!(ran.out.starts_with('{') && ran.out.trim_end().ends_with('}'), "{}", ran.out);
    assert!(ran.out.contains("\"exit_code\": 3") || ran.out.contains("\"exit_code\":3"), "{}", ran.out);
}

/// At level 2 phase 1 of an aclnn call runs on torch_npu's queue, which ends without an exception after an error code.
#[test]
fn the_queue_takes_phase_two_only() {
    let repo = environment(r#"echo "level=$TASK_QUEUE_ENABLE""#);
    let args = ["torch", "run", "--op-dir", OP, "x.py"];
    let note = "warning: TASK_QUEUE_ENABLE=1 instead of 2";
    for (set, level) in [("2", "1"), ("1", "1"), ("0", "0")] {
        let ran = repo.xtask_on_a_toolkit(&args, &[("TASK_QUEUE_ENABLE", set)]);
        ran.expect(0, &[]);
        assert!(ran.out.contains(&format!("level={level}\n")), "{}", ran.out);
        assert_eq!(ran.err.matches(note).count(), usize::from(set == "2"), "{}", ran.err);
    }
    let ran = repo.xtask_on_a_toolkit(&args, &[]);
    assert!(ran.out.contains("level=\n") && !ran.err.contains(note), "{} {}", ran.out, ran.err);
}

#[test]
fn a_finding_that_a_script_hides_counts_where_it_was_asked_for() {
    let repo = environment(FAULT);
    on_torch(&repo, "run", &["x.py"]).expect(0, &[]);
    for asked in ["--check", "--flip"] {
        let ran = on_torch(&repo, "run", &[asked, "x.py"]);
        ran.expect(
            30,
            &["x.py returned 0, but the toolkit tells of a failure: [507035] kernel fault: kernel k, core 0"],
        );
    }
}

#[test]
fn tests_run_queued_and_blocking() {
    let repo = environment(
        r#"echo "blocking=$ASCEND_LAUNCH_BLOCKING $*"; echo "Ran 3 tests in 1.0s"; echo; echo "OK (skipped=1)""#,
    );
    let ran = on_torch(&repo, "test", &["gradient", "fault"]);
    ran.expect(0, &["torch test: 4 tests"]);
    for (name, blocking) in [("queued", 0), ("blocking", 1)] {
        let log = fs::read_to_string(repo.path(&format!("target/xtask/log/torch-{name}.log"))).expect("a log");
        let line = format!("blocking={blocking} -m unittest discover -v -s");
        assert!(log.contains(&line) && log.contains(" -k gradient -k fault\n"), "{log}");
    }
    let repo =
        environment("echo '\n=====\nFAIL: test_x'; echo 'Ran 3 tests in 1.0s'; echo 'FAILED (failures=1)'; exit 1");
    let ran = on_torch(&repo, "test", &[]);
    ran.expect(30, &["2 of 6 tests of torch failed", "one test alone: cargo xtask torch test NAME"]);
    assert!(ran.out.contains("FAIL: test_x"), "{}", ran.out);
    let repo = environment("echo 'Ran 0 tests in 0.0s'; exit 5");
    on_torch(&repo, "test", &["nothing"]).expect(33, &["no test's name contains `nothing`"]);
    let repo = environment("echo 'Fatal Python error'; exit 134");
    on_torch(&repo, "test", &[]).expect(30, &["torch-queued: the tests ended early", "Fatal Python error"]);
}

#[test]
fn tests_are_stopped_when_they_fall_silent() {
    let repo =
        environment("for at in 1 2 3 4 5 6; do sleep 0.4; echo \"test_$at ... ok\"; done; echo Ran 6 tests in 2.4s");
    let ran = on_torch(&repo, "test", &["--only=compile", "--timeout=2"]);
    ran.expect(0, &[]);
    assert!(ran.out.contains("6 passed, 0 failed"), "{}", ran.out);
    let repo = environment("echo test_a ... ok; sleep 20");
    let told = "torch-queued: the tests ended early (time limit of 1 s without a line of output: stopped after ";
    on_torch(&repo, "test", &["--timeout=1"]).expect(30, &[told]);
}

#[test]
fn one_file_of_tests_runs_from_where_it_is() {
    let repo = environment(r#"echo "got $*""#);
    repo.write("theirs/test_it.py", "");
    let ran = on_torch(&repo, "st", &["theirs/test_it.py", "-v"]);
    ran.expect(0, &[]);
    assert!(ran.out.contains("/theirs/test_it.py -v\n"), "{}", ran.out);
    on_torch(&repo, "st", &["theirs/none.py"]).expect(33, &["there is no ", "theirs/none.py"]);
}

#[test]
fn onnx_has_an_environment_of_its_own() {
    let repo = repo();
    repo.write("hostcann/cli/locks/onnx.lock.txt", "onnx==1.23.2\n");
    repo.write("model.onnx", "");
    python(&repo, r#"mkdir -p "$into"; echo 1 > "$into/onnx.py""#);
    let rewrite = ["onnx", "rewrite", "model.onnx", "out.onnx"];
    for verb in [&rewrite[..], &["onnx", "run", "x.py"], &["onnx", "test"]] {
        let missing = ["onnx is not set up: there is no target/onnx", "hint: run `cargo xtask onnx setup`"];
        repo.xtask(verb).expect(19, &missing);
    }
    repo.xtask(&["onnx", "setup"]).expect(0, &["59 MB to download", "onnx setup: target/onnx/bin/python"]);
    assert!(repo.path("target/onnx/lib/site/onnx.py").is_file());
    // The rewriter's own status: the stand-in knows no rewriter.
    repo.xtask(&rewrite).expect(9, &["model.onnx was not rewritten"]);
    assert!(!repo.path("out.onnx").exists());
}
