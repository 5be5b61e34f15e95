//! HOSTCANN_CHECK=1: the memory a launch may touch, and what was written of it before.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;
use std::ffi::{CStr, c_char};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: they count what is allocated.
fn check() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    set_up(&[("HOSTCANN_CHECK", "1")]);
    guard
}

const X: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

/// A launch over tensors of 8 elements with every field set.
fn launch<'a>(key: u64, tiling: &'a Tiling, x1: &DeviceBuffer, y: &DeviceBuffer) -> Scale<'a> {
    Scale { key, blocks: 1, tiling: &tiling.bytes, other: None, workspace: 0, x1: (x1.0, 32), x2: None, y: (y.0, 32) }
}

fn all_fields(count: u32) -> Tiling {
    Tiling::new(0).count(count).scale(2.0)
}

#[test]
fn accesses_outside_of_a_tensor_name_it() {
    let _one = check();
    let before = unsafe { (api().hc_live_allocations)() };
    let tiling = all_fields(24);
    {
        let (x, y) = (DeviceBuffer::from(&[1f32; 64]), DeviceBuffer::new(256));
        // The memory goes on behind the tensors.
        let (code, text) = launch(0, &tiling, &x, &y).run();
        assert_eq!(code, 507035);
        for part in ["input 0 (x1)", "bytes 0 to 96", "pipe MTE2", "scale.cpp:"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let (code, text) = Scale { x1: (x.0, 96), ..launch(0, &tiling, &x, &y) }.run();
        assert_eq!(code, 507035);
        for part in ["output 0 (y)", "bytes 0 to 96", "pipe MTE3"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let (code, text) = Scale { x1: (x.0, 96), y: (y.0, 96), ..launch(0, &tiling, &x, &y) }.run();
        assert_eq!((code, text.as_str()), (0, ""));
        assert_eq!(y.read::<f32>(24), [2.0; 24]);
    }
    assert_eq!(unsafe { (api().hc_live_allocations)() }, before);
}

#[test]
fn a_workspace_that_is_too_small_is_named() {
    let _one = check();
    let tiling = all_fields(8);
    let (x, y) = (DeviceBuffer::from(&X), DeviceBuffer::new(32));
    let (code, text) = Scale { workspace: 1024, ..launch(5, &tiling, &x, &y) }.run();
    assert_eq!(code, 507035);
    assert!(text.contains("workspace") && text.contains("asked for 1024 bytes of workspace"), "{text}");
    // The pad behind 1027 bytes: aclrtMalloc gives whole blocks of 32.
    let (code, text) = Scale { workspace: 1027, ..launch(5, &tiling, &x, &y) }.run();
    assert_eq!((code, text.as_str()), (0, ""));
    let (code, text) = launch(5, &tiling, &x, &y).run();
    assert_eq!(code, 507035);
    assert!(text.contains("asked for no workspace"), "{text}");
    let (code, text) = Scale { workspace: 1088, ..launch(5, &tiling, &x, &y) }.run();
    assert_eq!((code, text.as_str()), (0, ""));
}

#[test]
fn memory_that_nobody_wrote_must_not_reach_a_result() {
    let _one = check();
    let tiling = all_fields(8);
    let (x, y, z) = (DeviceBuffer::new(32), DeviceBuffer::new(32), DeviceBuffer::new(32));
    let put = |bytes: usize| unsafe { (api().aclrtMemcpy)(x.0, bytes, X.as_ptr().cast(), bytes, 1) };
    assert_eq!(put(28), 0);
    let (code, text) = launch(0, &tiling, &x, &y).run();
    assert_eq!(code, 507035);
    for part in ["DataCopyPad<float> UB->GM", "never-written bytes reach global memory", "GM->UB"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(put(32), 0);
    assert_eq!(launch(0, &tiling, &x, &y).run(), (0, String::new()));
    // What a kernel wrote is written.
    assert_eq!(launch(0, &tiling, &y, &z).run(), (0, String::new()));
    assert_eq!(z.read::<f32>(8), X.map(|x| x * 4.0));
}

#[test]
fn kernel_unit_tests_are_checked_against_gm_alloc() {
    let _one = check();
    let dir = tempfile::tempdir().unwrap();
    let object = dir.path().join("unit_test.so");
    let output = Command::new("g++")
        .args(["-std=c++17", "-O2", "-g1", "-ffp-contract=off", "-fPIC", "-shared", "-fno-optimize-sibling-calls"])
        .args(["-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", "-D__DAV_C220_VEC__=1", "-I"])
        .arg(manifest("../include"))
        .arg("-o")
        .arg(&object)
        .arg(manifest("tests/kernels/unit_test.cpp"))
        .arg(format!("-L{}", root().join("lib64").display()))
        .arg("-lascendcl")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let library = unsafe { libloading::Library::new(&object) }.unwrap();
    let run = unsafe { library.get::<unsafe extern "C" fn(u32, u32, *mut c_char, usize) -> i32>(b"run") }.unwrap();
    let run = |count: u32, tiling_bytes: u32| {
        let mut text = vec![0u8; 4096];
        let code = unsafe { run(count, tiling_bytes, text.as_mut_ptr().cast(), text.len()) };
        (code, CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap().to_owned())
    };
    assert_eq!(run(8, 8), (0, String::new()));
    let (code, text) = run(24, 8);
    assert_eq!(code, 1);
    for part in ["argument 0", "bytes 0 to 96", "unit_test.cpp:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text) = run(8, 4);
    assert_eq!(code, 1);
    assert!(text.contains("larger than the tiling data") && text.contains("got bytes 0 to 8"), "{text}");
    assert_eq!(run(8, 8), (0, String::new()));
    // What the test has not touched: results of atomic copies and the workspace.
    let sum = unsafe { library.get::<unsafe extern "C" fn(u32, *mut c_char, usize) -> i32>(b"sum") }.unwrap();
    let sum = |bits: u32| {
        let mut text = vec![0u8; 4096];
        let code = unsafe { sum(bits, text.as_mut_ptr().cast(), text.len()) };
        (code, CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap().to_owned())
    };
    assert_eq!(sum(2), (0, String::new()));
    assert_eq!(sum(1 | 2 | 4), (0, String::new()));
    let (code, text) = sum(0);
    assert!(
        code == 1 && text.contains("combines with bytes that nobody wrote\n") && text.contains("of argument 1"),
        "{text}"
    );
    let (code, text) = sum(1 | 2);
    assert!(code == 1 && text.contains("never-written bytes reach global memory"), "{text}");
    what_nobody_wrote_is_known_of_every_block(&library);
}

/// Also of the last argument of a kernel without tiling data, which is the workspace.
fn what_nobody_wrote_is_known_of_every_block(library: &libloading::Library) {
    type Workspace = unsafe extern "C" fn(u32, u32, *mut c_char, usize) -> i32;
    let workspace = unsafe { library.get::<Workspace>(b"workspace") }.unwrap();
    let workspace = |kind: u32, bits: u32| {
        let mut text = vec![0u8; 4096];
        let code = unsafe { workspace(kind, bits, text.as_mut_ptr().cast(), text.len()) };
        (code, CStr::from_bytes_until_nul(&text).unwrap().to_str().unwrap().to_owned())
    };
    let stored = "never-written bytes reach global memory";
    let words = "cores wait for each other with words that nobody cleared";
    for (kind, bits, finding) in [
        (0, 0, stored),
        (
            1,
            0,
            "reads bytes that nobody wrote\n    expected an input, or bytes the kernel wrote before\n    got bytes 12 to 16",
        ),
        (3, 1, stored),
        (3, 4, stored),
        (4, 0, words),
        (4, 2, words),
        (5, 0, words),
    ] {
        let (code, text) = workspace(kind, bits);
        assert!(code == 1 && text.contains(finding) && text.contains("unit_test.cpp:"), "{kind} {bits}: {text}");
    }
    // What the test wrote through its pointer, what the kernel wrote, and what an earlier launch did.
    for (kind, bits) in [(0, 1), (1, 1), (2, 0), (3, 2), (4, 1), (5, 1), (0, 4), (1, 4), (3, 6)] {
        assert_eq!(workspace(kind, bits), (0, String::new()), "{kind} {bits}");
    }
}
