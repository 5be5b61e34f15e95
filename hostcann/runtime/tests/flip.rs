//! HOSTCANN_FLIP=1: results that follow an undocumented switch.

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;

fn run(key: u64, x1: &[f32], x2: &[f32]) -> (i32, String, Vec<f32>) {
    run_on(1, key, x1, x2)
}

fn run_on(blocks: u32, key: u64, x1: &[f32], x2: &[f32]) -> (i32, String, Vec<f32>) {
    let _ = set_up(&[("HOSTCANN_FLIP", "1")]);
    let tiling = Tiling::new(0).count(x1.len() as u32).scale(0.5);
    let bytes = size_of_val(x1) as u64;
    let (a, b, y) = (DeviceBuffer::from(x1), DeviceBuffer::from(x2), DeviceBuffer::from(&vec![0f32; x1.len()]));
    let launch = Scale {
        key,
        blocks,
        tiling: &tiling.bytes,
        other: None,
        workspace: 0,
        x1: (a.0, bytes),
        x2: Some((b.0, bytes)),
        y: (y.0, bytes),
    };
    let (code, text) = launch.run();
    (code, text, y.read(x1.len()))
}

#[test]
fn what_no_switch_moves_is_silent() {
    let (code, text, y) = run(0, &[1.0, -3.0, f32::INFINITY], &[0.0; 3]);
    assert_eq!((code, text.as_str()), (0, ""));
    assert_eq!(y, [0.5, -1.5, f32::INFINITY]);
}

#[test]
fn div_follows_its_switch_alone() {
    let (code, text, y) = run(1, &[0.0, 6.0, 1.0], &[1.0, 2.0, 4.0]);
    assert_eq!(code, 507035);
    for part in [
        "results depend on hardware behaviour that no document states: div_ulp=+1: output 0 (y), element 1 is 3.0000002 \
         (0x40400001) instead of 3.0 (0x40400000)",
        "div_ulp=-1: output 0 (y), element 1 is 2.9999998 (0x403fffff) instead of 3.0",
        "HOSTCANN_FLIP=1,-<switch>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("ftz=") && !text.contains("fma="), "{text}");
    assert_eq!(y, [0.0, 3.0, 0.25], "the default results stay");
}

#[test]
fn subnormals_follow_ftz() {
    let (code, text, y) = run(0, &[1.0, f32::from_bits(2)], &[0.0; 2]);
    assert_eq!(code, 507035);
    assert!(
        text.contains("ftz=on: output 0 (y), element 1 is 0.0 (0x00000000) instead of 1e-45 (0x00000001)"),
        "{text}"
    );
    assert!(!text.contains("ftz=div"), "{text}");
    assert_eq!(y, [0.5, f32::from_bits(1)]);
}

#[test]
fn sums_of_floats_follow_the_order_of_the_cores() {
    // By core, from the front ((1 + 2^24) + 1 - 2^24) + 0.5 = 0.5; from the back 0.5 - 2^24 + 1 + 2^24 + 1 = 2.
    let x1 = [1.0, 16777216.0, 1.0, -16777216.0, 0.5, 0.0, 0.0, 0.0];
    for run in 0..20 {
        let (code, text, y) = run_on(8, 12, &x1, &[0.0; 8]);
        assert_eq!(code, 507035);
        let said = "atomic_order=descending: output 0 (y), element 0 is 2.0 (0x40000000) instead of 0.5";
        // The same finding of a later launch is one line.
        assert!(text.contains(if run == 0 { said } else { ": the same in launch " }), "{text}");
        assert!(!text.contains("ftz=") && !text.contains("div_ulp="), "{text}");
        assert_eq!(y, [0.5; 8], "the default results stay");
    }
    let (code, text, y) = run_on(8, 12, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[0.0; 8]);
    assert_eq!((code, text.as_str()), (0, ""));
    assert_eq!(y, [36.0; 8]);
}
