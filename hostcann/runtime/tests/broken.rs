//! Broken launches next to right ones: what only the runtime sees. Tiling data, tiling key, block dim, workspace, and
//! results that follow an undocumented switch. The other broken kernels are in `aicore/tests/broken`; like them this has
//! its own main, one line per pair.

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;
use std::process::ExitCode;

/// One launch of a kernel of `kernels/scale.cpp`.
struct Run {
    key: u64,
    blocks: u32,
    workspace: u64,
    x1: Vec<f32>,
    x2: Vec<f32>,
    /// What the tiling function writes into a buffer that is not cleared.
    tiling: fn(Tiling) -> Tiling,
}

struct Pair {
    name: &'static str,
    broken: Run,
    /// Status and parts of the message.
    status: i32,
    words: &'static [&'static str],
    right: Run,
    want: &'static [f32],
}

const X: [f32; 4] = [1.0, 2.0, 3.0, 4.0];
const DOUBLED: [f32; 4] = [2.0, 4.0, 6.0, 8.0];
/// The kernel stopped; the tiling was refused; the package has no such kernel.
const EXCEPTION: i32 = 507035;
const TILING: i32 = 561002;
const NO_KERNEL: i32 = 561003;

fn all_fields(tiling: Tiling) -> Tiling {
    tiling.set(0, 0).count(4).scale(2.0).set(12, 0)
}

fn run() -> Run {
    Run { key: 0, blocks: 1, workspace: 0, x1: X.to_vec(), x2: X.to_vec(), tiling: all_fields }
}

fn tiling(name: &'static str, key: u64, tiling: fn(Tiling) -> Tiling, words: &'static [&'static str]) -> Pair {
    let (broken, right) = (Run { key, tiling, ..run() }, run());
    Pair { name, broken, status: EXCEPTION, words, right, want: &DOUBLED }
}

/// A result that moves with `switch`, and a computation whose result does not.
fn flipped(name: &'static str, key: u64, words: &'static [&'static str], right: Run, want: &'static [f32]) -> Pair {
    let inputs = Run { x1: right.x1.clone(), x2: right.x2.clone(), ..run() };
    Pair { name, broken: Run { key, ..inputs }, status: EXCEPTION, words, right, want }
}

fn pairs() -> Vec<Pair> {
    vec![
        tiling(
            "field_not_set",
            0,
            |t| t.count(4),
            &[
                "bytes 8 to 11 of 16 were never written by the tiling function",
                "GET_TILING_DATA",
                "Fix: assign every field",
            ],
        ),
        tiling("field_behind_pointer_not_set", 4, |t| t.count(4), &["bytes 8 to 11 of 16 were never written"]),
        tiling(
            "length_not_set",
            0,
            |t| t.scale(2.0),
            &["bytes 4 to 7 of 16 were never written", "the kernel stops with"],
        ),
        tiling(
            "kernel_struct_longer",
            2,
            all_fields,
            &["larger than the tiling data", "got bytes 0 to 32", "scale.cpp:"],
        ),
        tiling("kernel_struct_shorter", 3, all_fields, &["smaller than the tiling data", "got 8 bytes"]),
        Pair {
            name: "no_kernel_for_key",
            broken: Run { key: 99, ..run() },
            status: NO_KERNEL,
            words: &["tiling asks for key 99", "has the keys 0, 1, 2", "rebuild the package"],
            right: run(),
            want: &DOUBLED,
        },
        Pair {
            name: "no_blocks",
            broken: Run { blocks: 0, ..run() },
            status: TILING,
            words: &["block dim 0", "1 to 65535"],
            right: run(),
            want: &DOUBLED,
        },
        Pair {
            name: "too_many_blocks",
            broken: Run { blocks: 65536, ..run() },
            status: TILING,
            words: &["block dim 65536", "1 to 65535"],
            right: run(),
            want: &DOUBLED,
        },
        Pair {
            name: "workspace_too_small",
            broken: Run { key: 5, workspace: 512, ..run() },
            status: EXCEPTION,
            words: &[
                "512 bytes past the end of workspace",
                "asked for 512 bytes of workspace (GetWorkspaceSizes)",
                "GlobalTensor::SetValue",
                "scale.cpp:",
            ],
            right: Run { key: 5, workspace: 2048, ..run() },
            want: &X,
        },
        flipped(
            "result_follows_div",
            1,
            &["no document states", "div_ulp=+1", "div_ulp=-1", "element 0"],
            Run { x2: vec![2.0; 4], tiling: |t| all_fields(t).scale(0.5), ..run() },
            &[0.5, 1.0, 1.5, 2.0],
        ),
        flipped(
            "result_follows_fma",
            6,
            &["fma=", "output 0 (y)"],
            // The exact product lies just below a rounding boundary; the sum cancels all but its last bits.
            Run { key: 7, x1: vec![1.0 + 3.0 * f32::EPSILON; 4], x2: vec![f32::EPSILON / 2.0 - 1.0; 4], ..run() },
            &[f32::EPSILON; 4],
        ),
        flipped(
            "result_follows_saturation",
            8,
            &["saturation=", "element 2", "inf"],
            Run { key: 9, x1: vec![1.0, 2.0, 70000.0, 4.0], ..run() },
            &[1.0, 2.0, 65504.0, 4.0],
        ),
    ]
}

fn launch(run: &Run) -> (i32, String, Vec<f32>) {
    let (data, other) = ((run.tiling)(Tiling::new(0xa5)), (run.tiling)(Tiling::new(0x5a)));
    let (x1, x2) = (DeviceBuffer::from(&run.x1), DeviceBuffer::from(&run.x2));
    let y = DeviceBuffer::from(&vec![0f32; run.x1.len()]);
    let bytes = size_of_val(run.x1.as_slice()) as u64;
    let (code, text) = Scale {
        key: run.key,
        blocks: run.blocks,
        tiling: &data.bytes,
        other: Some(&other.bytes),
        workspace: run.workspace,
        x1: (x1.0, bytes),
        x2: Some((x2.0, bytes)),
        y: (y.0, bytes),
    }
    .run();
    (code, text, y.read(run.x1.len()))
}

fn wrong(pair: &Pair) -> Vec<String> {
    let mut wrong = Vec::new();
    let (code, text, _) = launch(&pair.broken);
    if code != pair.status {
        wrong.push(format!("broken: status {code}, expected {}", pair.status));
    }
    wrong.extend(pair.words.iter().filter(|w| !text.contains(**w)).map(|w| format!("broken: the text lacks `{w}`")));
    if !wrong.is_empty() {
        wrong.push(format!("text: {text}"));
    }
    let (code, text, y) = launch(&pair.right);
    if code != 0 {
        wrong.push(format!("twin: status {code}: {text}"));
    } else if y != pair.want {
        wrong.push(format!("twin: y is {y:?}, expected {:?}", pair.want));
    }
    wrong
}

fn main() -> ExitCode {
    set_up(&[("HOSTCANN_CHECK", "strict"), ("HOSTCANN_FLIP", "1")]);
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let (mut passed, mut failed) = (0, Vec::new());
    for pair in pairs().iter().filter(|p| p.name.contains(&filter)) {
        let wrong = wrong(pair);
        println!("test runtime::{} ... {}", pair.name, if wrong.is_empty() { "ok" } else { "FAILED" });
        if wrong.is_empty() { passed += 1 } else { failed.push((pair.name, wrong)) }
    }
    for (name, wrong) in &failed {
        println!("\n---- runtime::{name} ----");
        wrong.iter().for_each(|w| println!("  {w}"));
    }
    let verdict = if failed.is_empty() { "ok" } else { "FAILED" };
    println!(
        "\ntest result: {verdict}. {passed} passed; {} failed; broken launches, each with its right twin",
        failed.len()
    );
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
