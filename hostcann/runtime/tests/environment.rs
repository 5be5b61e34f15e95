//! HOSTCANN_* variables are read once, so every case runs in a process of its own.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::ffi::c_char;
use std::process::Command;
use std::ptr::{null, null_mut};

/// Prints what a fresh process sees; run by the other tests.
#[test]
#[ignore = "child of the other tests"]
fn child() {
    let api = api();
    unsafe {
        println!("init={} {}", (api.aclInit)(null()), message().replace('\n', " "));
        println!("set={}", (api.aclrtSetDevice)(0));
        message();
        println!("soc={}", text((api.aclrtGetSocName)()));
        println!("folder={}", text((api.hc_soc_folder)()));
        let (mut vector, mut cube) = (0, 0);
        (api.aclGetDeviceCapability)(0, 1, &mut vector);
        (api.aclrtGetDeviceInfo)(0, 102, &mut cube);
        println!("vector={vector} cube={cube}");
        println!("fma={}", text((api.hc_soc_value)(c"undocumented".as_ptr(), c"fma".as_ptr())));
        (api.hc_vendor_count)();
        let mut spec = [0u8; 8];
        for (key, room) in [(c"l0_a_size", 6), (c"l0_a_size", 5), (c"nothing", 8)] {
            let code = (api.rtGetSocSpec)(c"AICoreSpec".as_ptr(), key.as_ptr(), spec.as_mut_ptr().cast(), room);
            println!("spec={code} {} {}", text(spec.as_ptr().cast()), message());
            spec.fill(0);
        }
        println!("spec={}", (api.rtGetSocSpec)(null(), null(), null_mut(), 0));
        println!("absent={}", (api.hc_soc_value)(c"undocumented".as_ptr(), c"nothing".as_ptr()).is_null());
    }
}

/// Functions that are there to be linked only, one of them three times.
#[test]
#[ignore = "child of the other tests"]
fn caller_of_what_is_missing() {
    let api = api();
    unsafe {
        for _ in 0..3 {
            println!("status={}", (api.aclrtReserveMemAddress)());
        }
        println!("status={}", (api.aclrtProcessReport)());
    }
}

/// The message and the last error after tasks that fail: a refused operator, and one that returns 207000 by itself; and after
/// a call that returns 207000 at once.
#[test]
#[ignore = "child of the other tests"]
fn caller_of_what_fails() {
    unsafe extern "C" fn lacks(_: Handle, _: *const Handle, _: usize, _: *mut c_char, _: usize) -> i32 {
        207000
    }
    let api = ready();
    let (name, none, path) = (c"LayerNorm".as_ptr(), null_mut(), null());
    let stream = Stream::new();
    unsafe {
        for function in [api.aclopCompileAndExecute, api.aclopCompileAndExecuteV2] {
            let code = function(name, 0, null(), null(), 0, null(), null(), none, 0, 0, path, stream.0);
            println!("call={code} sync={} last={}", stream.sync(), (api.aclrtGetLastError)(0));
        }
        let plan = (api.hc_plan_new)();
        let call = (api.hc_plan_add_call)(plan, c"lacks".as_ptr(), Some(lacks), none, None, null(), 0, null(), 0);
        assert_eq!((call, (api.hc_plan_run)(plan, none, 0, stream.0)), (0, 0));
        println!("task={} last={}", stream.sync(), (api.aclrtGetLastError)(0));
    }
}

fn run(variables: &[(&str, &str)]) -> String {
    run_child("child", variables)
}

fn run_child(name: &str, variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--ignored", "--nocapture"]);
    let own = std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("HOSTCANN_"));
    for name in own {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_default_is_910b3() {
    let out = run(&[]);
    for line in ["init=0 ", "set=0", "soc=Ascend910B3", "folder=ascend910b", "vector=40 cube=20", "fma=unfused"] {
        assert!(out.contains(&format!("{line}\n")), "{line}: {out}");
    }
    assert!(out.contains("absent=true"), "{out}");
    let spec: Vec<&str> = out.lines().filter(|line| line.starts_with("spec=")).collect();
    assert_eq!((spec.len(), spec[0], spec[3]), (4, "spec=0 65536 ", "spec=100000"), "{out}");
    for (line, why) in [
        (spec[1], "rtGetSocSpec: l0_a_size takes 6 bytes, expected room for them, got 5"),
        (spec[2], "rtGetSocSpec: the SoC file has no nothing in [AICoreSpec]"),
    ] {
        assert!(line.starts_with("spec=107000 ") && line.ends_with(why), "{line}");
    }
}

#[test]
fn soc_cores_and_switches_follow_the_environment() {
    let out = run(&[("HOSTCANN_SOC", "Ascend910_9391"), ("HOSTCANN_CORES", "6"), ("HOSTCANN_FMA", "fused")]);
    for line in ["soc=Ascend910_9391", "folder=ascend910_93", "vector=6 cube=3", "fma=fused"] {
        assert!(out.contains(&format!("{line}\n")), "{line}: {out}");
    }
}

#[test]
fn the_case_of_a_soc_does_not_matter() {
    let out = run(&[("HOSTCANN_SOC", "ascend910b1")]);
    assert!(out.contains("soc=Ascend910B1\n"), "{out}");
}

#[test]
fn bad_values_fail_aclinit_and_later_calls() {
    for (name, value, hint) in [
        ("HOSTCANN_CORES", "none", "1 to 65535"),
        ("HOSTCANN_DIV_ULP", "2", "0, +1, -1, random"),
        ("HOSTCANN_SOC", "Ascend1", "Ascend910B3"),
        ("HOSTCANN_SOC", "../platform_config/Ascend910B3", "is not in"),
        ("HOSTCANN_CHECK", "1,-races", "names: race, uninitialized"),
        ("HOSTCANN_AUTO_SYNC", "0", "on, off"),
        ("HOSTCANN_FLIP", "2", "names: div_ulp, fma, ftz, saturation, reciprocal, atomic_order, matmul_order"),
        ("HOSTCANN_LOG", "loud", "error, warn, info, debug"),
        ("HOSTCANN_TIME_LIMIT", "never", "0 to 1000000"),
        ("HOSTCANN_CHEK", "", "did you mean HOSTCANN_CHECK?"),
    ] {
        let out = run(&[(name, value)]);
        let init = out.lines().find(|l| l.contains("init=")).unwrap();
        assert!(init.contains("init=100000 "), "{name}: {out}");
        for part in [name, value, hint] {
            assert!(init.contains(part), "{part}: {init}");
        }
        assert!(out.contains("set=100000\n") && out.contains("soc=\n"), "{name}: {out}");
    }
}

#[test]
fn a_trace_that_cannot_be_written_fails_aclinit() {
    let out = run(&[("HOSTCANN_TRACE", "/no/such/directory/steps.log")]);
    let init = out.lines().find(|l| l.contains("init=")).unwrap();
    for part in
        ["init=100000 ", "HOSTCANN_TRACE", "/no/such/directory/steps.log", "name a file in a directory that exists"]
    {
        assert!(init.contains(part), "{part}: {init}");
    }
}

#[test]
fn the_log_says_where_packages_are_looked_for() {
    let vendor = root().join("some_math");
    std::fs::create_dir_all(vendor.join("op_impl")).unwrap();
    let paths = format!("/no/such/vendor:{}", vendor.display());
    let with = |level| run(&[("HOSTCANN_LOG", level), ("ASCEND_CUSTOM_OPP_PATH", &paths)]);
    let warned = "ASCEND_CUSTOM_OPP_PATH names /no/such/vendor, which is no directory: it is passed over";
    let first = format!("package 1: {}", vendor.display());
    let said = |level| (with(level).contains(warned), with(level).contains(&first));
    assert_eq!([said("error"), said("warn"), said("debug")], [(false, false), (true, false), (true, true)]);
}

#[test]
fn what_is_missing_is_logged_once_a_process() {
    let out = run_child("caller_of_what_is_missing", &[]);
    assert_eq!(out.matches("status=207000\n").count(), 4, "{out}");
    for name in ["aclrtReserveMemAddress", "aclrtProcessReport"] {
        let line = format!("[207000] {name} is not supported by the host toolkit\n");
        assert_eq!(out.matches(&line).count(), 1, "{out}");
    }
}

/// torch_npu takes the thread's last error for the code of whatever fails next, and only warns of 207000.
#[test]
fn a_program_that_goes_on_has_no_last_error_of_before() {
    for (mode, last, task) in [("off", 0, "task=507000 last=0"), ("on", 507000, "task=207000 last=0")] {
        let out = run_child("caller_of_what_fails", &[("HOSTCANN_STOP_ON_FAILURE", mode)]);
        for line in [&format!("call=0 sync=507000 last={last}"), "call=207000 sync=0 last=0", task] {
            assert!(out.contains(&format!("{line}\n")), "{mode}: {line}: {out}");
        }
    }
}
