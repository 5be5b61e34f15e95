//! HOSTCANN_TRACE writes what cores do to a file; hc_observe tells it to a function of the caller.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
#[path = "common/package.rs"]
mod package;
use common::*;
use package::*;
use std::ffi::c_char;
use std::ptr::null_mut;
use std::sync::Mutex;

unsafe extern "C" fn keep(user: Handle, core: u32, line: *const c_char) {
    // SAFETY: the test passes this, and lives longer than its launches.
    let lines = unsafe { &*user.cast::<Mutex<Vec<(u32, String)>>>() };
    lines.lock().unwrap().push((core, text(line)));
}

#[test]
fn steps_go_to_the_file_and_to_the_callers_function() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("steps.log");
    let api = set_up(&[("HOSTCANN_TRACE", path.to_str().unwrap())]);
    let lines = Mutex::new(Vec::<(u32, String)>::new());
    launch();
    // SAFETY: `lines` outlives the launch.
    assert_eq!(unsafe { (api.hc_observe)(Some(keep), (&raw const lines).cast_mut().cast()) }, 0);
    launch();
    assert_eq!(unsafe { (api.hc_observe)(None, null_mut()) }, 0);
    launch();
    let file = std::fs::read_to_string(&path).unwrap();
    let launches: Vec<&str> = file.split_inclusive("launch ").filter(|l| l.len() > "launch ".len()).collect();
    assert_eq!(launches.len(), 3, "{file}");
    let steps = |launch: &str| -> Vec<String> {
        launch.lines().filter_map(|l| l.strip_prefix("core 0 ")).map(str::to_owned).collect()
    };
    let first = steps(launches[0]);
    assert!(launches[0].starts_with("Scale_k_0 key=0 blocks=1\n"), "{file}");
    assert_eq!(first[0], "enter");
    assert!(first.last().unwrap().starts_with("end flag=none event=none"), "{file}");
    let has = |part: &str| assert!(first.iter().any(|l| l.contains(part)), "{part} is not in {file}");
    has("MTE2 DataCopyPad<float> GM->UB at=arg0+0 ");
    has("V Muls<float> count=8 dst=w:");
    has("scale.cpp:");
    assert_eq!((steps(launches[1]), steps(launches[2])), (first.clone(), first.clone()));
    let told: Vec<String> = lines.into_inner().unwrap().into_iter().map(|(core, l)| format!("{core} {l}")).collect();
    assert_eq!(told, first.iter().map(|l| format!("0 {l}")).collect::<Vec<_>>());
}
