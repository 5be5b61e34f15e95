//! Kernels that crash, throw, call exit or do not end, each in a process of its own: who it was, and where the launch can
//! be saved, that the process goes on.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use libloading::os::unix::Library;
use std::ffi::{CString, c_char};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::ptr::null;
use std::sync::OnceLock;

const SOURCE: &str = "tests/kernels/crash.cpp";

fn object() -> PathBuf {
    if let Some(path) = std::env::var_os("HOSTCANN_TEST_OBJECT") {
        return path.into();
    }
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        let object = kept_dir("crash").join("crash.so");
        // As `xtask opc` compiles kernels.
        let output = Command::new("g++")
            .args(["-std=c++17", "-O2", "-g1", "-fno-rtti", "-ffp-contract=off", "-fno-optimize-sibling-calls"])
            .args(["-fnon-call-exceptions", "-fvisibility=hidden", "-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220"])
            .args(["-D__DAV_C220_VEC__=1", "-DASCENDC_TPL_KERNEL", "-fPIC", "-shared", "-I"])
            .arg(manifest("../include"))
            .arg("-o")
            .arg(&object)
            .arg(manifest(SOURCE))
            .arg(format!("-L{}", root().join("lib64").display()))
            .arg("-lascendcl")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        object
    };
    OBJECT.get_or_init(build).clone()
}

/// Line of the source with this mark.
fn line(mark: &str) -> String {
    let text = std::fs::read_to_string(manifest(SOURCE)).unwrap();
    let at = text.lines().position(|l| l.ends_with(&format!("// {mark}"))).unwrap_or_else(|| panic!("no mark {mark}"));
    format!("crash.cpp:{}", at + 1)
}

/// Runs the kernel of HOSTCANN_TEST_KERNEL, then the right one, and prints what both gave.
#[test]
#[ignore = "child of the other tests"]
fn child() {
    let name = std::env::var("HOSTCANN_TEST_KERNEL").unwrap();
    // A program in C++ has no handler of its own.
    // SAFETY: nothing else runs yet.
    unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
    let api = api();
    // The test's own runtime watches the stack too.
    let library = unsafe { Library::open(Some(object()), libc::RTLD_NOW) }.unwrap();
    if name.starts_with("tiling") {
        let function = unsafe { library.get::<unsafe extern "C" fn(*mut i32) -> i32>(name.as_bytes()) }.unwrap();
        unsafe {
            (api.hc_host_enter)(c"tiling function".as_ptr(), c"Square".as_ptr(), (&raw const api).cast());
            function(std::ptr::null_mut());
            (api.hc_host_leave)();
        }
    }
    if name == "remapped" {
        // SAFETY: the words live as long as the program.
        unsafe {
            (api.hc_host_enter)(c"tiling function".as_ptr(), c"Square".as_ptr(), (&raw const api).cast());
            (api.hc_host_leave)();
        }
        return read_early();
    }
    for name in [name.as_str(), "good"] {
        let kernel: Kernel = unsafe { *library.get(name.as_bytes()).unwrap() };
        let (mut x, mut y) = (vec![0f32; 512], vec![0f32; 512]);
        let args: [Handle; 2] = [x.as_mut_ptr().cast(), y.as_mut_ptr().cast()];
        if std::env::var_os("HOSTCANN_TEST_READY").is_some() {
            println!("\nready");
        }
        let text = CString::new(name).unwrap();
        let code = unsafe { (api.aic_icpu_run)(kernel, text.as_ptr(), 0, 1, args.as_ptr(), 2, null(), 0) };
        let error = if code == 0 { String::new() } else { text_of(unsafe { (api.aic_last_error)() }) };
        println!("{name}={code} {} {error}", y[0]);
    }
}

fn text_of(pointer: *const c_char) -> String {
    text(pointer)
}

fn run_with(kernel: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--ignored", "--nocapture"]).env("HOSTCANN_TEST_KERNEL", kernel);
    command.env("HOSTCANN_TEST_OBJECT", object()).envs(variables.iter().copied()).output().unwrap()
}

fn run(kernel: &str) -> Output {
    run_with(kernel, &[])
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The kernel stops with a fault of these parts, and the next launch of the same process works.
fn becomes_a_fault(kernel: &str, output: &Output, parts: &[&str]) {
    let out = stdout(output);
    // Its first line and those that are indented below it.
    let mut lines = out.lines().skip_while(|l| !l.starts_with(&format!("{kernel}=1 ")));
    let first = lines.next().unwrap_or_else(|| panic!("{kernel} is no fault: {output:?}"));
    let told: Vec<&str> = std::iter::once(first).chain(lines.take_while(|l| l.starts_with("    "))).collect();
    let told = told.join("\n");
    for part in [&format!("kernel fault: kernel {kernel}, core 0"), "Fix: "].into_iter().chain(parts.iter().copied()) {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(out.contains("good=0 42 \n"), "{output:?}");
    assert!(output.status.success(), "{output:?}");
}

/// The process ends with the signal, after a line of these parts.
fn ends(output: &Output, signal: i32, parts: &[&str]) {
    assert_eq!(output.status.signal(), Some(signal), "{output:?}");
    let text = stderr(output);
    let told = text.lines().find(|l| l.starts_with("[ERROR] CRASH(") || l.starts_with("[NOTE] STOPPED("));
    let told = told.unwrap_or_else(|| panic!("nothing is told: {output:?}"));
    for part in parts {
        assert!(told.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_bad_pointer_is_a_fault() {
    let last = format!("last call into the core at {}", manifest("tests/kernels").join(line("LAST")).display());
    let parts = ["signal 11 (SIGSEGV): access to address 0x10, which is not memory", &line("CRASH(pointer)"), &last];
    becomes_a_fault("pointer", &run("pointer"), &parts);
}

#[test]
fn a_bad_address_is_named_by_its_tensor() {
    let parts =
        ["GlobalTensor, element at argument 0 plus 70368744177664 bytes or argument 1 plus ", &line("CRASH(element)")];
    becomes_a_fault("element", &run("element"), &parts);
    let parts =
        ["access to address 0x40", "byte 64 of the buffer of InitBuffer at ", "gives such an offset, no address"];
    becomes_a_fault("offset", &run("offset"), &parts);
}

#[test]
fn a_division_by_zero_is_a_fault() {
    let parts = ["signal 8 (SIGFPE): an integer division by zero", &line("CRASH(division)")];
    becomes_a_fault("division", &run("division"), &parts);
}

#[test]
fn a_copy_from_nowhere_is_a_fault() {
    let parts = ["signal 11 (SIGSEGV): access to address 0x400000000000", &line("CRASH(copy)")];
    becomes_a_fault("copy", &run("copy"), &parts);
}

#[test]
fn a_full_stack_is_a_fault() {
    let parts = ["signal 11 (SIGSEGV): the stack overflowed", "crash.cpp:6", "32 KiB"];
    becomes_a_fault("stack", &run("stack"), &parts);
}

#[test]
fn exceptions_are_faults() {
    let parts = ["a C++ exception left the kernel", "got no such mode", &line("LAST")];
    becomes_a_fault("throws", &run("throws"), &parts);
    becomes_a_fault("throws_number", &run("throws_number"), &["a C++ exception left the kernel", "got int"]);
    becomes_a_fault("faults", &run("faults"), &["Adds<float>"]);
}

#[test]
fn what_cannot_be_undone_is_named() {
    let last = format!("last call into the core at {}", manifest("tests/kernels").join(line("LAST")).display());
    let parts = ["signal 4 (SIGILL)", "kernel trap, core 0", &line("CRASH(trap)"), &last];
    ends(&run("trap"), libc::SIGILL, &parts);
    let parts =
        ["signal 11 (SIGSEGV): access to address 0x10", "kernel no_way_out, core 0", &line("CRASH(no_way_out)")];
    ends(&run("no_way_out"), libc::SIGABRT, &parts);
    ends(&run("aborts"), libc::SIGABRT, &["signal 6 (SIGABRT)", "kernel aborts, core 0", &line("LAST")]);
}

#[test]
fn exit_in_a_kernel_is_no_success() {
    let output = run("exits");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = stderr(&output);
    let parts = ["kernel fault: kernel exits, core 0: exit() was called in the kernel", &line("LAST"), "Fix: return"];
    parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
}

#[test]
fn a_kernel_without_end_is_stopped() {
    let limit = [("HOSTCANN_TIME_LIMIT", "1")];
    let parts = ["the time limit of the launch is over", &line("CRASH(calls)"), "HOSTCANN_TIME_LIMIT"];
    becomes_a_fault("calls", &run_with("calls", &limit), &parts);
    let output = run_with("spins", &limit);
    let parts = ["1 seconds of processor time are used up", "kernel spins, core 0", "HOSTCANN_TIME_LIMIT"];
    ends(&output, libc::SIGXCPU, &parts);
    let text = stderr(&output);
    assert!(text.contains(&line("LAST")) && text.contains("at "), "{text}");
    let (first, second) =
        (line("CRASH(spins)"), format!("crash.cpp:{}", line("CRASH(spins)")[10..].parse::<u32>().unwrap() - 1));
    assert!(text.contains(&first) || text.contains(&second), "{first}: {text}");
}

/// Long before the limit: an endless kernel looks like a hang, also one that takes no processor time.
#[test]
fn a_kernel_that_takes_long_says_that_it_still_runs() {
    let stops = "after 1 s; at 60 s of processor time it is stopped (HOSTCANN_TIME_LIMIT=<seconds>)";
    let never = "after 5 s; nothing stops it (HOSTCANN_TIME_LIMIT=0)";
    for (kernel, limit, want) in [("spins", "60", stops), ("sleeps", "60", stops), ("sleeps", "0", never)] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["child", "--exact", "--ignored", "--nocapture"]).env("HOSTCANN_TEST_KERNEL", kernel);
        command.env("HOSTCANN_TEST_OBJECT", object()).env("HOSTCANN_TIME_LIMIT", limit);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let line = BufReader::new(child.stderr.take().unwrap()).lines().next().expect("a line").unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(line, format!("[NOTE] kernel {kernel}, core 0 still runs {want}"));
    }
}

/// What `xtask` does with a program that takes too long.
#[test]
fn who_is_stopped_from_outside_says_what_it_does() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--ignored", "--nocapture"]).env("HOSTCANN_TEST_KERNEL", "spins");
    command.env("HOSTCANN_TEST_OBJECT", object()).env("HOSTCANN_TEST_READY", "1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.find(|line| line.as_ref().is_ok_and(|line| line == "ready")).expect("it starts").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    unsafe { libc::kill(child.id() as i32, libc::SIGABRT) };
    let output = child.wait_with_output().unwrap();
    let stops = format!("signal 6 (SIGABRT): process {} stops this one", std::process::id());
    ends(&output, libc::SIGABRT, &["[NOTE] STOPPED(", &stops, "kernel spins, core 0", &line("LAST")]);
    assert!(!stderr(&output).contains("CRASH"), "{output:?}");
}

/// Naming the frames takes memory: an access just beyond the heap's end would succeed when it is tried again.
#[test]
fn a_crash_is_not_undone_by_memory_that_comes_later() {
    let output = run("remapped");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{output:?}");
    assert!(!stdout(&output).contains("went on"), "{output:?}");
}

/// Reads a page that nobody may read until the crash is being told.
fn read_early() {
    // SAFETY: the page and the pipe are this function's own; the process ends with it.
    unsafe {
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let page = libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_NONE, kind, -1, 0) as usize;
        let mut ends = [0; 2];
        assert!(libc::pipe(ends.as_mut_ptr()) == 0 && libc::dup2(ends[1], 2) == 2);
        std::thread::spawn(move || {
            let mut first = 0u8;
            assert_eq!(libc::read(ends[0], (&raw mut first).cast(), 1), 1);
            libc::mprotect(page as *mut libc::c_void, 4096, libc::PROT_READ);
        });
        println!("went on: {}", (page as *const u8).read_volatile());
    }
}

#[test]
fn tiling_functions_are_named() {
    let output = run("tiling");
    ends(&output, libc::SIGSEGV, &["signal 11 (SIGSEGV): access to address 0x0", "tiling function of Square"]);
    assert!(stderr(&output).contains(&format!("in tiling ({}", manifest("tests/kernels").display())), "{output:?}");
    assert!(stderr(&output).contains(&line("CRASH(tiling)")), "{output:?}");
    assert_eq!(stderr(&output).matches("\n    in ").count(), 1, "who calls it is not told: {output:?}");
    let output = run_with("tiling_spins", &[("HOSTCANN_TIME_LIMIT", "1")]);
    ends(&output, libc::SIGXCPU, &["1 seconds of processor time are used up", "tiling function of Square"]);
}
