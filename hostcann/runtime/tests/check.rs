//! HOSTCANN_CHECK=1: findings about tiling data and memory, and what they leave behind.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: they count what is allocated.
fn check() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    START.get_or_init(|| std::fs::metadata(VERDICT).map_or(0, |file| file.len() as usize));
    set_up(&[("HOSTCANN_CHECK", "1"), ("HOSTCANN_CHECK_COUNT", COUNT), ("HOSTCANN_VERDICT", VERDICT)]);
    guard
}

/// Of this program, whose tests take turns.
const COUNT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/checked.txt");
const FINDINGS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/checked.txt.findings");
/// What earlier runs have left in the file below.
static START: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
const VERDICT: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/verdict.txt");

#[test]
fn failed_launches_and_inner_errors_are_in_the_verdict() {
    let _one = check();
    let start = *START.get().unwrap();
    let verdict = || std::fs::read_to_string(VERDICT).unwrap_or_default();
    assert_eq!(scaled(0, |t| t.count(8).scale(2.0)).0, 0);
    let before = verdict();
    let launched = "{\"kind\":\"kernel\",\"code\":0,\"text\":\"Scale_k_0\"}\n";
    assert!(before[start..].contains(launched), "{}", &before[start..]);
    assert_eq!(scaled(0, |t| t.count(8).scale(2.0)).0, 0);
    assert_eq!(verdict(), before, "nothing was wrong, and the kernel has its line");
    let (code, text, _) = scaled_of(&[3.0; 8], 0, |t| t.count(8));
    let new = verdict()[before.len()..].to_owned();
    assert!(code == 507035 && new.lines().count() == 1, "{new}");
    assert!(new.starts_with("{\"kind\":\"task\",\"code\":507035,\"text\":\"kernel fault"), "{new}");
    assert!(text.contains("were never written") && new.contains("were never written"), "{new}");
    unsafe {
        (api().hc_note_failure)(161002, c"a wrong argument".as_ptr());
        (api().hc_note_failure)(561103, c"an executor run twice".as_ptr());
    }
    let inner = "{\"kind\":\"inner\",\"code\":561103,\"text\":\"an executor run twice\"}\n";
    assert_eq!(verdict()[before.len() + new.len()..], *inner);
}

#[test]
fn every_checked_launch_is_counted() {
    let _one = check();
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let (before, known) = (read(COUNT), read(FINDINGS));
    assert_eq!(scaled(0, |t| t.count(8).scale(2.0)).0, 0);
    assert_eq!(scaled_of(&[5.0; 8], 0, |t| t.count(8)).0, 507035);
    assert_eq!(scaled(0, |t| t.count(8).scale(2.0)).0, 0);
    assert_eq!(read(COUNT).strip_prefix(&before), Some(".!."));
    let new = read(FINDINGS).strip_prefix(&known).expect("appended").to_owned();
    let found: serde_json::Value = serde_json::from_str(&new).expect("one line of JSON");
    assert_eq!((&found["class"], &found["stops"]), (&"tiling".into(), &true.into()), "{new}");
    assert!(found["kernel"].as_str().is_some_and(|name| name.starts_with("Scale_k_")), "{new}");
    assert!(found["message"].as_str().is_some_and(|text| text.contains("were never written")), "{new}");
}

const X: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

/// y = kernel `key` over X, with tiling data that `fill` writes into a buffer of 0xA5 and one of 0x5A.
fn scaled(key: u64, fill: impl Fn(Tiling) -> Tiling) -> (i32, String, Vec<f32>) {
    scaled_of(&X, key, fill)
}

/// Over other values: what a process has said once it does not say again.
fn scaled_of(x: &[f32; 8], key: u64, fill: impl Fn(Tiling) -> Tiling) -> (i32, String, Vec<f32>) {
    let (a, b) = (fill(Tiling::new(0xa5)), fill(Tiling::new(0x5a)));
    let (x, y) = (DeviceBuffer::from(x), DeviceBuffer::from(&[0f32; 8]));
    let (code, text) = Scale {
        key,
        blocks: 1,
        tiling: &a.bytes,
        other: Some(&b.bytes),
        workspace: 0,
        x1: (x.0, 32),
        x2: None,
        y: (y.0, 32),
    }
    .run();
    (code, text, y.read(8))
}

fn doubled() -> Vec<f32> {
    X.iter().map(|x| x * 2.0).collect()
}

/// A kernel that writes 4 of the 8 elements of a result in the workspace, which a copy to the caller's tensor may follow.
fn half_a_result(is_copied: bool) -> (i32, String) {
    static STRIDE: [i64; 1] = [1];
    static COUNT: [i64; 1] = [8];
    let (api, stream) = (api(), Stream::new());
    let (x, y) = (DeviceBuffer::from(&X), DeviceBuffer::from(&[0f32; 8]));
    let tiling = Tiling::new(0).count(4).scale(2.0);
    let types = [TensorType { present: 1, dtype: 0, format: 2 }; 2];
    let mut binary = null_mut();
    let operand = |storage, bytes| Operand { present: (bytes > 0).into(), storage, byte_offset: 0, bytes, view: 0 };
    unsafe {
        let find = (api.hc_find_kernel)(c"Scale".as_ptr(), types.as_ptr(), 2, types.as_ptr(), 1, &mut binary);
        let plan = (api.hc_plan_new)();
        let result = operand((api.hc_plan_add_workspace)(plan, 32), 32);
        let launch = Launch {
            tiling_key: 0,
            block_dim: 1,
            need_atomic: 0,
            tiling_data: tiling.bytes.as_ptr().cast(),
            tiling_size: 16,
            tiling_other: std::ptr::null(),
            workspaces: std::ptr::null(),
            workspace_num: 0,
        };
        let inputs = [operand((api.hc_plan_add_external)(plan, x.0), 32), operand(0, 0)];
        let kernel = (api.hc_plan_add_kernel)(plan, binary, &launch, inputs.as_ptr(), 2, &result, 1);
        let to = operand((api.hc_plan_add_external)(plan, y.0), 32);
        let of = |at| Strided { at, strides: STRIDE.as_ptr() };
        let copy = if is_copied { (api.hc_plan_add_copy)(plan, &of(to), &of(result), COUNT.as_ptr(), 1, 4) } else { 0 };
        let bytes = (api.hc_plan_workspace_size)(plan);
        let workspace = DeviceBuffer::new(bytes as usize);
        let run = (api.hc_plan_run)(plan, workspace.0, bytes, stream.0);
        assert_eq!([find, kernel, copy, run], [0; 4], "{}", message());
        (api.hc_plan_free)(plan);
        (stream.sync(), message())
    }
}

#[test]
fn a_result_in_the_workspace_that_nothing_reads_may_stay_unwritten() {
    let _one = check();
    assert_eq!(half_a_result(false), (0, String::new()));
    let (code, text) = half_a_result(true);
    assert_eq!(code, 507035);
    assert!(text.contains("a part of the result was written by no core") && text.contains("output 0 (y)"), "{text}");
}

#[test]
fn padding_and_fields_without_effect_are_silent() {
    let _one = check();
    // Bytes 1 to 3 are padding; kind and unused are read with the struct and do not matter.
    let (code, text, y) = scaled(0, |t| t.count(8).scale(2.0));
    assert_eq!((code, text.as_str()), (0, ""));
    assert_eq!(y, doubled());
}

#[test]
fn an_unset_field_that_results_follow_is_named() {
    let _one = check();
    let before = unsafe { (api().hc_live_allocations)() };
    for key in [0, 4] {
        let (code, text, y) = scaled(key, |t| t.count(8));
        assert_eq!(code, 507035);
        for part in [
            "kernel Scale_k_",
            "GET_TILING_DATA",
            "bytes 8 to 11 of 16 were never written by the tiling function",
            "output 0 (y), element 0 is -2.8735182e-16 (0xa5a5a5a5) when they hold 0xa5",
            "1.5365222e16 (0x5a5a5a5a) when they hold 0x5a",
            "Fix: assign every field",
        ] {
            assert!(text.contains(part), "key {key}: {part}: {text}");
        }
        assert_eq!(y[0].to_bits(), 0xa5a5a5a5, "the results of the first run stay");
    }
    // The process goes on.
    assert_eq!(scaled(0, |t| t.count(8).scale(2.0)).2, doubled());
    assert_eq!(unsafe { (api().hc_live_allocations)() }, before);
}

#[test]
fn a_tiling_function_with_state_is_named() {
    let _one = check();
    let calls = std::cell::Cell::new(1.0);
    let (code, text, y) = scaled(0, |t| {
        calls.set(calls.get() * 2.0);
        t.count(8).scale(calls.get())
    });
    assert_eq!(code, 507035);
    for part in ["differ between two calls of the tiling function with the same arguments", "Fix: keep no state"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(y, doubled(), "the results of the first run stay");
}

#[test]
fn an_unset_field_that_decides_about_a_fault_is_named() {
    let _one = check();
    let (code, text, _) = scaled(0, |t| t.scale(2.0));
    assert_eq!(code, 507035);
    for part in [
        "bytes 4 to 7 of 16 were never written",
        "the kernel stops with «DataCopyPad<float> GM->UB at ",
        "when they hold 0x5a",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn structs_of_different_sizes_are_found() {
    let _one = check();
    let (code, text, _) = scaled(2, |t| t.count(8).scale(2.0));
    assert_eq!(code, 507035);
    for part in [
        "larger than the tiling data",
        "at most 16, the bytes of tiling data there are",
        "got bytes 0 to 32",
        "scale.cpp:",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The kernel reads bytes 4 to 8 of 16: what follows may be meant for a pointer of its own.
    let before = std::fs::read_to_string(VERDICT).unwrap_or_default();
    let (code, text, y) = scaled(3, |t| t.count(8).scale(2.0).set(0, 0).set(12, 0));
    assert_eq!((code, y), (0, X.to_vec()), "{text}");
    let rules = std::fs::read_to_string(VERDICT).unwrap_or_default()[before.len()..].to_owned();
    for part in ["\"kind\":\"rule\"", "smaller than the tiling data", "expected 16 bytes", "got 8 bytes"] {
        assert!(rules.contains(part), "{part}: {rules}");
    }
}

/// Reads device memory that was written in part; run by the next test.
#[test]
#[ignore = "child of another test"]
fn child() {
    let _one = check();
    let api = api();
    let stream = Stream::new();
    let read = |name: &str, buffer: &DeviceBuffer, bytes: usize| {
        eprintln!("{name}:");
        buffer.read::<u8>(bytes);
    };
    let (a, b, c, d) = (DeviceBuffer::new(64), DeviceBuffer::new(64), DeviceBuffer::new(64), DeviceBuffer::new(64));
    unsafe {
        read("fresh", &a, 4);
        assert_eq!((api.aclrtMemset)(a.0, 64, 1, 24), 0);
        read("filled", &a, 24);
        read("filled in part", &a, 25);
        assert_eq!((api.aclrtMemcpyAsync)(b.0, 64, a.0, 64, 3, stream.0), 0);
        assert_eq!(stream.sync(), 0);
        read("copied on the device", &b, 64);
        // The first column of int32[2][3] has no bytes that nobody wrote, the last has; both as int64.
        let plan = (api.hc_plan_new)();
        let at = |buffer: &DeviceBuffer, byte_offset, bytes| Operand {
            present: 1,
            storage: (api.hc_plan_add_external)(plan, buffer.0),
            byte_offset,
            bytes,
            view: 0,
        };
        let (dims, dense, rows) = ([2i64, 1], [1i64, 1], [4i64, 1]);
        for (from, to) in [(0, 0), (12, 8)] {
            let dst = Strided { at: at(&c, to, 8), strides: dense.as_ptr() };
            let src = Strided { at: at(&a, from, 20), strides: rows.as_ptr() };
            assert_eq!((api.hc_plan_add_copy)(plan, &dst, &src, dims.as_ptr(), 2, 4), 0, "{}", message());
        }
        assert_eq!((api.hc_plan_add_cast)(plan, &at(&d, 0, 32), 9, &at(&c, 0, 16), 3, 4), 0, "{}", message());
        assert_eq!((api.hc_plan_run)(plan, null_mut(), 0, stream.0), 0, "{}", message());
        (api.hc_plan_free)(plan);
        assert_eq!(stream.sync(), 0, "{}", message());
        read("gathered", &c, 16);
        read("cast", &d, 32);
    }
    eprintln!("end");
}

#[test]
fn the_host_gets_a_note_when_it_reads_what_nobody_wrote() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = format!("\n{}", String::from_utf8_lossy(&child.stderr));
    assert!(child.status.success(), "{text}");
    let note = |name: &str| {
        let part = text.split_once(&format!("\n{name}:\n")).unwrap_or_else(|| panic!("{name}: {text}")).1;
        let line = part.lines().next().unwrap();
        line.contains("[NOTE]").then(|| line.rsplit_once(", but ").unwrap().1.to_owned())
    };
    let unwritten = |byte: u32| Some(format!("byte {byte} of them was never written"));
    assert_eq!(note("fresh"), unwritten(0));
    assert_eq!(note("filled"), None);
    assert_eq!(note("filled in part"), unwritten(24));
    assert_eq!(note("copied on the device"), unwritten(24));
    assert_eq!(note("gathered"), unwritten(12));
    assert_eq!(note("cast"), unwritten(24));
}
