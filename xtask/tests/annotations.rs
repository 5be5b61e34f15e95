//! `--format github`: next to the log, a workflow command for every error, warning and finding with its line.

mod common;

use common::{OP, Repo};

/// What the toolkit writes of a finding.
const FINDING: &str = r#"{"class":"race","severity":"error","stops":true,"kernel":"some_op_1f_0","op":"SomeOp","instruction":"Add<float>","operand":"src0",
"place":"op_kernel/some_op.cpp:7","message":"reads 50 % of it, late","expected":"an event","got":"none","fix":"wait"}"#;

fn repo() -> Repo {
    let repo = Repo::on_a_toolkit();
    repo.system_tool("git");
    let git = std::process::Command::new("git").args(["init", "-q"]).current_dir(repo.path("")).status();
    assert!(git.expect("git").success());
    // The file is named to programs for annotations only.
    let script =
        format!("#!/bin/sh\necho '{}' >> \"${{HOSTCANN_FINDINGS:-ignored}}\"\nexit 1\n", FINDING.replace('\n', ""));
    repo.write(&format!("{OP}/examples/test_aclnn_faulty.cpp"), &script);
    repo.write(&format!("{OP}/examples/test_aclnn_broken.cpp"), "");
    repo
}

fn commands(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("::")).collect()
}

#[test]
fn the_log_has_a_command_for_every_finding() {
    let repo = repo();
    let line = ["example", "--op-dir", OP, "--vendor_name=some_op"];
    let plain = repo.xtask_on_a_toolkit(&line, &[]);
    assert_eq!(commands(&plain.err), [""; 0], "{}", plain.err);
    let ran = repo.xtask_on_a_toolkit(&[&line[..], &["--format=github"]].concat(), &[]);
    ran.expect(30, &["x.cpp:1:1: error: no such header\n", "error: 2 of 2 examples failed"]);
    let mut found = commands(&ran.err);
    found.sort_unstable();
    let (errors, lines): (Vec<&str>, Vec<&str>) =
        found.into_iter().partition(|line| line.starts_with("::error title="));
    assert!(errors.iter().any(|line| line.starts_with("::error title=hostcann::2 of 2 examples failed")), "{errors:?}");
    assert_eq!(
        lines,
        [
            "::error file=my_ops/math/some_op/op_kernel/some_op.cpp,line=7,title=race in SomeOp::Add<float>: operand src0: \
             reads 50 %25 of it, late%0Aexpected an event%0Agot none%0Afix: wait",
            "::error file=x.cpp,line=1,col=1,title=hostcann::no such header",
        ]
    );
    assert_eq!(commands(&ran.out), [""; 0], "results stay alone");
    // A second run has its own findings.
    let again = repo.xtask_on_a_toolkit(&[&line[..], &["--format=github"]].concat(), &[]);
    assert_eq!(again.err.matches("title=race in").count(), 1, "{}", again.err);
}

#[test]
fn contribution_rules_name_files_of_the_operator() {
    let repo = repo();
    repo.write(&format!("{OP}/README.md"), "# x  \n");
    let ran = repo.xtask(&["pr", "--check", "--op-dir", OP, "--rule=6", "--format=github"]);
    let want = "::error file=my_ops/math/some_op/README.md,line=1,title=hostcann::blanks at the end of the line";
    assert!(
        commands(&ran.err).iter().any(|line| line.starts_with(want) && line.contains("%0Afix: ")),
        "{}\n{}",
        ran.out,
        ran.err
    );
}
