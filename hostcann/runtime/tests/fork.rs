//! A process that was forked from one that uses the device: every call fails, none hangs.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::process::Command;
use std::ptr::{null, null_mut};

/// What the child of a fork gets; run by the tests.
#[test]
#[ignore = "child of the other tests"]
fn child() {
    let used = std::env::var("HOSTCANN_TEST_USED").unwrap() == "1";
    let api = api();
    let mut stream = null_mut();
    unsafe {
        if used {
            assert_eq!((api.aclInit)(null()), 0);
            assert_eq!((api.aclrtSetDevice)(0), 0);
            assert_eq!((api.aclrtCreateStream)(&mut stream), 0);
            assert_eq!((api.aclrtSynchronizeStream)(stream), 0);
            message();
        }
        let process = libc::fork();
        if process == 0 {
            libc::alarm(20);
            let mut memory = null_mut();
            let mut codes = vec![(api.aclInit)(null()), (api.aclrtSetDevice)(0), (api.aclrtMalloc)(&mut memory, 8, 0)];
            println!("text={}", message().replace('\n', " "));
            codes.push((api.aclrtSynchronizeStream)(stream));
            codes.push((api.aclrtMemcpy)(memory, 4, [1u8; 4].as_ptr().cast(), 4, 1));
            codes.push((api.hc_plan_run)((api.hc_plan_new)(), null_mut(), 0, stream));
            codes.push((api.aclrtResetDevice)(0));
            codes.push((api.aclFinalize)());
            println!("codes={codes:?}");
            libc::_exit(0);
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(process, &mut status, 0), process);
        println!("child={status}");
        // The parent goes on.
        assert_eq!((api.aclrtSynchronizeStream)(stream), if used { 0 } else { 107002 });
    }
}

fn run(used: &str) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--ignored", "--nocapture"]).env("HOSTCANN_TEST_USED", used);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_child_of_a_user_gets_an_error_from_every_call() {
    let out = run("1");
    assert!(out.contains("codes=[507000, 507000, 507000, 507000, 507000, 507000, 507000, 507000]\n"), "{out}");
    let parts = ["this process was forked from one that uses the device", "before aclInit", "spawn"];
    parts.iter().for_each(|part| assert!(out.contains(part), "{part}: {out}"));
    assert!(out.contains("child=0\n"), "{out}");
}

#[test]
fn a_child_of_a_process_that_never_used_it_may() {
    let out = run("0");
    let codes = "codes=[0, 0, 0, 0, 0, ";
    assert!(out.contains(codes) && out.contains("child=0\n"), "{out}");
}
