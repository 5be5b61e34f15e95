//! All findings of a launch: what a core does wrong does not end it where it can go on.

mod support;

use aicore::{
    CoreSpec, Engine, FaultClass, Launch, Switches,
    check::{Extent, Findings, LaunchInfo, Options, Role},
};
use std::{ffi::c_void, sync::OnceLock};
use support::{Aligned, Object};

const SOURCE: &str = include_str!("kernels/findings.cpp");

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("findings.cpp"))
}

fn line(mark: &str) -> u32 {
    SOURCE.lines().position(|line| line.ends_with(&format!("// {mark}"))).expect("a mark") as u32 + 1
}

fn engine(threads: usize) -> Engine {
    Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), threads)
}

/// Core, class and line of what `several` does wrong on so many cores.
fn several(cores: u32, threads: usize, allow: &[FaultClass]) -> Vec<(u32, FaultClass, u32)> {
    // More than the launch is told of: core 2 leaves x.
    let (mut x, mut y) = (Aligned::<f32>::new(1024), Aligned::<f32>::new(256));
    let args = [x.as_mut_ptr().cast::<c_void>(), y.as_mut_ptr().cast()];
    let extent = |at: usize, name: &str, role| Extent { base: args[at] as usize, bytes: 1024, name: name.into(), role };
    let info = LaunchInfo {
        options: Options { allow: allow.to_vec(), ..Options::default() },
        extents: vec![extent(0, "input 0 x", Role::Input), extent(1, "output 0 y", Role::PartOutput)],
        errors: Some(Findings::default()),
        ..LaunchInfo::default()
    };
    let kernel = kernels().kernel("several");
    let launch = Launch { check: Some(&info), ..Launch::new(kernel, "several", 0, cores, &args) };
    let first = engine(threads).run(&launch).expect_err("several faults");
    let found = info.errors.as_ref().expect("given").take();
    assert_eq!(first.to_string(), found[0].to_string());
    found.iter().map(|f| (f.core, f.class, f.location.as_ref().map_or(0, |l| l.line))).collect()
}

#[test]
fn a_launch_goes_on_and_lists_what_it_finds_once() {
    use FaultClass::*;
    let [race, beyond, unwritten, left, meet] = ["RACE", "BEYOND", "UNWRITTEN", "LEFT", "MEET"].map(line);
    for threads in [1, 2, 4] {
        let own = [(0, Race, race), (0, Uninitialized, unwritten), (0, Leak, left)];
        assert_eq!(several(1, threads, &[]), own);
        assert_eq!(several(2, threads, &[]), own);
        // Core 2 ends in the middle: what cores do to each other is not judged, and the others have been heard.
        let ended = [&own[..], &[(2, GmBounds, beyond)]].concat();
        assert_eq!(several(3, threads, &[]), ended);
        assert_eq!(several(4, threads, &[]), ended);
        // The end of the launch is judged when every core has come to it.
        let with_bounds: Vec<_> = several(4, threads, &[GmBounds]);
        assert_eq!(with_bounds, [&own[..], &[(3, MultiCore, meet)]].concat());
        assert_eq!(several(2, threads, &[Race, Leak]), own[1..2]);
    }
}

#[test]
fn a_core_that_polls_ends_with_the_core_it_waits_for() {
    let (mut x, mut flag) = (Aligned::<f32>::new(64), Aligned::<i32>::new(16));
    let args = [x.as_mut_ptr().cast::<c_void>(), flag.as_mut_ptr().cast()];
    let kernel = kernels().kernel("waits_for_a_dead_core");
    for threads in [1, 2] {
        let launch = Launch::new(kernel, "waits_for_a_dead_core", 0, 2, &args);
        let fault = engine(threads).run(&launch).expect_err("a null pointer");
        assert_eq!((fault.core, fault.class), (0, FaultClass::NullPointer));
        assert_eq!(fault.location.map(|l| l.line), Some(line("NULL")));
    }
}
