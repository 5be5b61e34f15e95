//! SyncAll and atomic copies, in kernels compiled by g++.

use crate::support::Object;
use aicore::{CoreSpec, Engine, Fault, FaultClass, FaultOwner, Launch, Switches, Watch, model::Model};
use half::f16;
use std::{
    ffi::c_void,
    sync::{Arc, OnceLock},
};

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("sync.cpp"))
}

fn engine(threads: usize) -> Engine {
    let spec = CoreSpec::npu_2201("Ascend910B3", 196608).with_vector_cores(40);
    Engine::new(spec, Switches::default(), threads)
}

fn launch(e: &Engine, name: &str, blocks: u32, args: &[*mut c_void]) -> Result<(), Fault> {
    e.run(&Launch::new(kernels().kernel(name), name, 0, blocks, args))
}

fn ptr<T>(v: &mut [T]) -> *mut c_void {
    v.as_mut_ptr() as *mut c_void
}

fn all_see_all(e: &Engine, name: &str, blocks: u32) {
    let n = blocks as usize;
    let (mut slots, mut out, mut workspace) = (vec![0i32; 8 * n], vec![-1i32; 24 * n], vec![0i32; 8 * n]);
    launch(e, name, blocks, &[ptr(&mut slots), ptr(&mut out), ptr(&mut workspace)]).unwrap_or_else(|f| panic!("{f}"));
    let sum = (1..=blocks as i32).sum::<i32>();
    let want: Vec<i32> = (0..n).flat_map(|_| (1..=3).flat_map(|round| [round * sum; 8])).collect();
    assert_eq!(out, want, "{name} on {blocks}");
}

#[test]
fn every_core_sees_what_all_wrote_before_the_barrier() {
    for threads in [1, 2, 5] {
        let e = engine(threads);
        for blocks in [1, 2, 7, 40] {
            all_see_all(&e, "all_see_all", blocks);
            all_see_all(&e, "all_see_all_soft", blocks);
        }
    }
}

#[test]
fn launches_that_meet_run_side_by_side() {
    let e = engine(2);
    std::thread::scope(|s| {
        for t in 0..4 {
            let e = &e;
            s.spawn(move || (0..10).for_each(|i| all_see_all(e, "all_see_all", 1 + (t * 11 + i) % 40)));
        }
    });
}

#[test]
fn a_software_barrier_holds_some_cores_only() {
    let (mut slots, mut out, mut workspace) = (vec![0i32; 80], vec![0i32; 72], vec![0i32; 24]);
    launch(&engine(2), "some_meet", 10, &[ptr(&mut slots), ptr(&mut out), ptr(&mut workspace)]).unwrap();
    let want: Vec<i32> = [10, 11, 12].into_iter().flat_map(|v| [v; 8]).collect::<Vec<_>>().repeat(3);
    assert_eq!(out, want);
}

#[test]
fn a_core_that_leaves_is_a_fault_and_no_hang() {
    for threads in [1, 2, 3] {
        let e = engine(threads);
        for (name, blocks, core) in [("fault_one_leaves", 8, 5), ("fault_one_leaves_late", 20, 2)] {
            let f = launch(&e, name, blocks, &[]).unwrap_err();
            assert_eq!((f.owner, f.class, f.instruction.as_str()), (FaultOwner::Kernel, FaultClass::Event, "SyncAll"));
            assert!(f.message.contains(&format!("core {core} left")), "{f}");
            let l = f.location.expect("kernel objects have line numbers");
            assert!(l.file.ends_with("sync.cpp"), "{l}");
        }
        all_see_all(&e, "all_see_all", 12);
    }
}

#[test]
fn a_fault_lets_the_waiting_cores_go() {
    for threads in [1, 2] {
        let mut destroyed = [0i32];
        let e = engine(threads);
        let f = launch(&e, "fault_while_waiting", 9, &[ptr(&mut destroyed)]).unwrap_err();
        assert_eq!((f.core, f.instruction.as_str()), (3, "WaitFlag"), "{f}");
        assert!((1..=9).contains(&destroyed[0]));
        all_see_all(&e, "all_see_all", 3);
    }
}

#[test]
fn different_barriers_never_complete() {
    let mut workspace = vec![0i32; 80];
    let f = launch(&engine(2), "fault_crossed", 6, &[ptr(&mut workspace)]).unwrap_err();
    assert!(f.message.contains("wait at different barriers"), "{f}");
}

#[test]
fn cores_that_meet_cannot_be_sampled() {
    let mut a = vec![0i32; 2000];
    let p = ptr(&mut a);
    let sampled: Arc<dyn Watch> = Arc::new(Model::sampled(|_| ()));
    let (args, watch) = ([p, p, p], [sampled]);
    let launch = Launch { watch: &watch, ..Launch::new(kernels().kernel("all_see_all"), "all_see_all", 0, 40, &args) };
    for threads in [1, 3] {
        let f = engine(threads).run(&launch).unwrap_err();
        assert!(f.message.contains("leave out --sampled"), "{f}");
    }
}

#[test]
fn more_blocks_than_cores_do_not_meet() {
    let mut a = vec![0i32; 2000];
    let p = ptr(&mut a);
    let f = launch(&engine(2), "all_see_all", 41, &[p, p, p]).unwrap_err();
    assert!(f.message.contains("expected at most 40 on Ascend910B3; got 41"), "{f}");
    // Without SyncAll the number of blocks is free.
    let mut out = [0f32; 64];
    launch(&engine(2), "add_ones_f32", 100, &[ptr(&mut out)]).unwrap();
    assert_eq!(out[0], 10000.0);
}

#[test]
fn the_software_workspace_is_checked() {
    let e = engine(1);
    let mut dirty = vec![7i32; 80];
    let f = launch(&e, "soft", 2, &[ptr(&mut dirty)]).unwrap_err();
    assert!(f.message.contains("gmWorkspace") && f.message.contains("got 7 after 0 calls"), "{f}");
    let mut clean = vec![0i32; 80];
    let f = launch(&e, "soft", 3, &[ptr(&mut clean)]).unwrap_err();
    assert!(f.message.contains("expected 96 bytes, 32 per core; got 64 bytes"), "{f}");
    let f = launch(&e, "soft", 1, &[std::ptr::null_mut()]).unwrap_err();
    assert_eq!(f.class, FaultClass::NullPointer);
    clean.fill(0);
    launch(&e, "soft", 2, &[ptr(&mut clean)]).unwrap();
    assert_eq!(clean[..16], [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn atomic_adds_of_all_cores_arrive() {
    fn run<T: Copy + PartialEq + std::fmt::Debug>(name: &str, blocks: u32, zero: T, one: T, sum: T) {
        let mut out = vec![zero; 72];
        launch(&engine(4), name, blocks, &[ptr(&mut out)]).unwrap_or_else(|f| panic!("{f}"));
        let want: Vec<T> = (0..72)
            .map(|i| {
                if i < 61 {
                    sum
                } else if i < 64 {
                    one
                } else {
                    zero
                }
            })
            .collect();
        assert_eq!(out, want, "{name}");
    }
    run("add_ones_i8", 12, 0i8, 1, (1200 % 256 - 256) as i8);
    run("add_ones_i16", 40, 0i16, 1, 4000);
    run("add_ones_i32", 40, 0i32, 1, 4000);
    run("add_ones_f16", 20, f16::ZERO, f16::ONE, f16::from_f32(2000.0));
    run("add_ones_f32", 40, 0f32, 1.0, 4000.0);
}

#[test]
fn atomic_extremes_and_reset() {
    let (mut max, mut min, mut last) = ([3i32; 8], [3i32; 8], [9i32; 8]);
    launch(&engine(4), "extremes", 31, &[ptr(&mut max), ptr(&mut min), ptr(&mut last)]).unwrap();
    assert_eq!((max, min, last), ([30; 8], [0; 8], [-5; 8]));
}
