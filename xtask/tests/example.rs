//! `example`: what the toolkit tells of a run counts, whatever the program makes of it. g++ makes programs of shell scripts,
//! cmake a package with nothing in it.

mod common;

use common::{FAULT, OP, Ran, Repo};

/// The example's program is the text behind its name.
fn repo(examples: &[(&str, &str)]) -> Repo {
    let repo = Repo::on_a_toolkit();
    for (name, script) in examples {
        repo.write(&format!("{OP}/examples/test_aclnn_{name}.cpp"), &format!("#!/bin/sh\n{script}\n"));
    }
    repo
}

fn run(repo: &Repo, args: &[&str]) -> Ran {
    repo.xtask_on_a_toolkit(&[&["example", "--op-dir", OP, "--vendor_name=some_op"], args].concat(), &[])
}

#[test]
fn a_program_that_hides_a_fault_has_failed() {
    let repo = repo(&[("good", "echo fine"), ("hides", &format!("echo fine\n{FAULT}\nexit 0"))]);
    let ran = run(&repo, &[]);
    ran.expect(30, &["1 of 2 examples failed: test_aclnn_hides"]);
    for line in [
        "run test_aclnn_good, execute samples success\n",
        "run test_aclnn_hides, execute samples failed (the program returned 0, but the toolkit tells of a failure: [507035] \
         kernel fault: kernel k, core 0; log target/xtask/log/test_aclnn_hides.log)\n",
    ] {
        assert!(ran.out.contains(line), "{line}: {}", ran.out);
    }
}

#[test]
fn one_that_does_not_compile_does_not_stop_the_others() {
    let repo = repo(&[("broken", ""), ("good", "echo fine")]);
    let ran = run(&repo, &[]);
    ran.expect(30, &["x.cpp:1:1: error: no such header", "1 of 2 examples failed: test_aclnn_broken"]);
    assert!(ran.out.contains("run test_aclnn_good, execute samples success\n"), "{}", ran.out);
}

#[test]
fn one_that_does_not_end_is_stopped() {
    let repo = repo(&[("good", "echo fine"), ("loops", "echo started; exec sleep 100")]);
    let ran = run(&repo, &["--timeout=1"]);
    ran.expect(30, &["1 of 2 examples failed: test_aclnn_loops"]);
    let line =
        "run test_aclnn_loops, execute samples failed (time limit of 1 s without a line of output: stopped after ";
    assert!(ran.out.contains("started\n") && ran.out.contains(line), "{}", ran.out);
}

#[test]
fn one_that_something_outside_stops_has_not_failed() {
    let all = [("ended", "kill -TERM $$"), ("fails", "exit 1"), ("good", "echo fine")];
    let stopped = "test_aclnn_ended: `test_aclnn_ended` was stopped by signal 15 (SIGTERM) from outside; no fault of the operator";
    let ran = run(&repo(&all), &[]);
    ran.expect(30, &[stopped, "1 of 3 examples failed: test_aclnn_fails"]);
    let ran = run(&repo(&[all[0], all[2]]), &[]);
    ran.expect(34, &[stopped, "error: 1 of 2 examples were stopped from outside: test_aclnn_ended"]);
    assert!(ran.out.contains("run test_aclnn_good, execute samples success\n"), "{}", ran.out);
    run(&repo(&all[..1]), &[]).expect(34, &[stopped]);
}

/// `eval "$(cargo xtask env)"` puts the libraries of all packages into the shell, which go before a run path.
#[test]
fn its_own_package_comes_before_those_of_the_shell() {
    let repo = repo(&[("libs", "echo libs $LD_LIBRARY_PATH")]);
    let args = ["example", "--op-dir", OP, "--vendor_name=some_op"];
    let ran = repo.xtask_on_a_toolkit(&args, &[("LD_LIBRARY_PATH", "/other/op_api/lib")]);
    ran.expect(0, &["1 passed"]);
    let libs: Vec<&str> =
        ran.out.lines().find_map(|line| line.strip_prefix("libs ")).expect("libs").split(':').collect();
    assert!(libs[0].ends_with("/vendors/some_op_math/op_api/lib") && libs[1].ends_with("/lib64"), "{libs:?}");
    assert_eq!(libs[2..], ["/other/op_api/lib"]);
}
