//! How cores of a launch wait for each other: CrossCoreSetFlag/WaitFlag, IBSet/IBWait, WaitPreBlock/NotifyNextBlock,
//! GroupBarrier (their pages); waits that never end.

use crate::support::{Aligned, Object};
use aicore::{
    AtomicOrder, CoreSpec, Engine, Fault, FaultClass, Launch, Switches, Watch,
    model::{Model, ParamFile, Params, Replay},
};
use std::{
    ffi::c_void,
    sync::{Arc, Mutex, OnceLock},
};

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("cores.cpp"))
}

fn engine(threads: usize) -> Engine {
    let spec = CoreSpec::npu_2201("Ascend910B3", 196608).with_vector_cores(40);
    Engine::new(spec, Switches::default(), threads)
}

fn launch(e: &Engine, name: &str, blocks: u32, args: &[*mut c_void], check: bool) -> Result<(), Fault> {
    let info = aicore::check::LaunchInfo::default();
    e.run(&Launch { check: check.then_some(&info), ..Launch::new(kernels().kernel(name), name, 0, blocks, args) })
}

fn ok(e: &Engine, name: &str, blocks: u32, args: &[*mut c_void]) {
    for check in [false, true] {
        launch(e, name, blocks, args, check).unwrap_or_else(|f| panic!("{f}"));
    }
}

fn ptr<T: Copy>(v: &mut Aligned<T>) -> *mut c_void {
    v.as_mut_ptr().cast()
}

fn line_of(text: &str) -> usize {
    let source = include_str!("kernels/cores.cpp");
    1 + source.lines().position(|l| l.contains(text)).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn a_flag_joins_all_cores() {
    for (threads, blocks) in [(1, 1), (1, 7), (3, 40)] {
        let e = engine(threads);
        let (mut slots, mut out) = (Aligned::<i32>::new(8 * blocks), Aligned::<i32>::new(8 * blocks));
        ok(&e, "flags", blocks as u32, &[ptr(&mut slots), ptr(&mut out)]);
        let sum = (1 + 2 + 3) * (1..=blocks as i32).sum::<i32>();
        assert_eq!(out[..], vec![sum; 8 * blocks][..]);
    }
}

#[test]
fn a_core_waits_for_another() {
    for threads in [1, 2] {
        let e = engine(threads);
        let mut sync = Aligned::<i32>::new(8 * 5 * 3);
        for check in [false, true] {
            let mut out = Aligned::<i32>::new(8);
            launch(&e, "chain", 5, &[ptr(&mut out), ptr(&mut sync)], check).unwrap_or_else(|f| panic!("{f}"));
            assert_eq!(out[..], [12345; 8]);
            assert!(sync.iter().all(|v| *v == 0), "every IBSet was waited for");
        }
    }
}

/// Ends of the cores of a launch, in cycles of the timing model.
fn ends(threads: usize, name: &str, blocks: u32, args: &[*mut c_void]) -> Vec<f64> {
    let file: ParamFile = toml::from_str(include_str!("../../soc/timing/model.toml")).unwrap();
    let params = Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).unwrap();
    let found = Arc::new(Mutex::new(None));
    let into = found.clone();
    let watch: Arc<dyn Watch> = Arc::new(Model::new(move |r| *into.lock().unwrap() = Some(r)));
    let launch = Launch { watch: &[watch], ..Launch::new(kernels().kernel(name), name, 0, blocks, args) };
    engine(threads).run(&launch).unwrap();
    let time = found.lock().unwrap().take().unwrap().replay(&params, &Replay::default()).unwrap();
    time.core.iter().map(|core| core.end).collect()
}

#[test]
fn the_model_lets_cores_wait_for_each_other() {
    // Once for all runs: the model asks where a copy lies in its 512 bytes.
    let (mut sync, mut out) = (Aligned::<i32>::new(3 * 128), Aligned::<i32>::new(24));
    let mut slots = Aligned::<i32>::new(16);
    let mut run = |threads| {
        sync.fill(0);
        let chain = ends(threads, "chain", 5, &[ptr(&mut out), ptr(&mut sync)]);
        let turns = ends(threads, "turns", 4, &[ptr(&mut out), ptr(&mut sync)]);
        sync.fill(0);
        slots.fill(0);
        let groups = ends(threads, "groups", 5, &[ptr(&mut slots), ptr(&mut out), ptr(&mut sync)]);
        (chain, turns, groups)
    };
    let (chain, turns, groups) = run(1);
    // Each core copies eight values in and out: 150 and 65 cycles at least, and so much for the word of the one before it.
    let step = 2.0 * (150.0 + 65.0);
    let later = |ends: &[f64]| ends.windows(2).all(|pair| pair[1] > pair[0] + step);
    assert!(later(&chain) && later(&turns), "{chain:?} {turns:?}");
    let [arrive, wait] = [&groups[..2], &groups[2..]];
    assert!(wait.iter().all(|w| arrive.iter().all(|a| *w > a + 150.0)), "{groups:?}");
    assert_eq!(run(2), (chain, turns, groups));
}

#[test]
fn cores_take_turns() {
    for threads in [1, 2] {
        let e = engine(threads);
        for check in [false, true] {
            let (mut out, mut sync) = (Aligned::<i32>::new(8), Aligned::<i32>::new(32));
            sync.fill(-7);
            launch(&e, "turns", 4, &[ptr(&mut out), ptr(&mut sync)], check).unwrap_or_else(|f| panic!("{f}"));
            let want = [1, 2, 3, 4, 1, 2, 3, 4].iter().fold(0, |v, core| 3 * v + core);
            assert_eq!(out[..], [want; 8]);
        }
    }
}

#[test]
fn some_cores_wait_for_others() {
    let e = engine(2);
    let (mut slots, mut out) = (Aligned::<i32>::new(16), Aligned::<i32>::new(24));
    let mut sync = Aligned::<i32>::new(3 * 128);
    launch(&e, "groups", 5, &[ptr(&mut slots), ptr(&mut out), ptr(&mut sync)], true).unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(out[..], [11; 24]);
    assert_eq!((sync[0], sync[128], sync[256]), (4, 4, 4));
    let f = launch(&e, "fault_group", 1, &[ptr(&mut sync)], false).unwrap_err();
    assert!(f.message.contains("expected less than the size given to the constructor; got 3"), "{f}");
}

#[test]
fn a_wait_that_nobody_ends_names_every_core() {
    for threads in [1, 2] {
        let e = engine(threads);
        let f = launch(&e, "fault_nobody_sets", 3, &[], false).unwrap_err();
        assert_eq!((f.core, f.class, f.instruction.as_str()), (0, FaultClass::Event, "CrossCoreWaitFlag(3)"));
        let line = line_of("CrossCoreWaitFlag(3);");
        assert!(f.message.contains("the cores wait for each other, and none of them can go on"), "{f}");
        assert!(f.message.contains("got cores 0 to 2: CrossCoreWaitFlag(3) at "), "{f}");
        assert!(f.message.contains(&format!("cores.cpp:{line}.")), "{f}");

        let mut sync = Aligned::<i32>::new(64);
        let f = launch(&e, "fault_mixed", 7, &[ptr(&mut sync)], false).unwrap_err();
        for part in [
            format!("cores 0 to 1: IBWait at {}", f.location.as_ref().unwrap()),
            "cores 2 to 4: CrossCoreWaitFlag(0) at ".to_owned(),
            "cores 5 to 6: returned from the kernel".to_owned(),
        ] {
            assert!(f.message.contains(&part), "{part}: {f}");
        }
        assert_eq!(f.location.unwrap().line as usize, line_of("IBWait(Gm(args[0]), x, 7, 0)"));
    }
}

#[test]
fn limits_of_flags() {
    let e = engine(1);
    let f = launch(&e, "fault_overflow", 2, &[], false).unwrap_err();
    assert!(f.message.contains("the counter of the flag overflows") && f.message.contains("got 16 for flag 9"), "{f}");
    let f = launch(&e, "fault_mode", 1, &[], false).unwrap_err();
    assert!(f.message.contains("mode 2 joins cores that a block does not have"), "{f}");
    assert!(f.message.contains("got mode 2 in KERNEL_TYPE_AIV_ONLY"), "{f}");
    let f = launch(&e, "fault_cube_pipe", 1, &[], false).unwrap_err();
    assert!(f.message.contains("got PIPE_FIX"), "{f}");
    let f = launch(&e, "flags", 41, &[std::ptr::null_mut(); 2], false).unwrap_err();
    assert!(f.message.contains("null"), "{f}");
    let f = launch(&e, "fault_nobody_sets", 41, &[], false).unwrap_err();
    assert!(f.message.contains("expected at most 40 on Ascend910B3; got 41"), "{f}");
}

/// What core `core` of `sums` and `late_sums` adds.
fn summand(core: usize) -> f32 {
    const VALUES: [f32; 8] = [1.0, 16777216.0, 3.0, 0.3, -16777216.0, 1e-3, 7.0, 1.1];
    VALUES[core % 8] * (1.0 + 0.01 * core as f32)
}

fn ordered(order: AtomicOrder, threads: usize) -> Engine {
    let spec = CoreSpec::npu_2201("Ascend910B3", 196608).with_vector_cores(40);
    Engine::new(spec, Switches { atomic_order: order, ..Switches::default() }, threads)
}

#[test]
fn float_sums_count_in_the_order_of_the_cores() {
    let sum = |cores: &mut dyn Iterator<Item = usize>, times: usize| {
        cores.flat_map(|core| vec![summand(core); times]).fold(0f32, |sum, x| sum + x)
    };
    let up = |blocks: usize, times| sum(&mut (0..blocks), times);
    let down = |blocks: usize, times| sum(&mut (0..blocks).rev(), times);
    assert_ne!(up(8, 1), down(8, 1), "values whose sum has an order");
    assert_ne!(up(8, 2), down(8, 2), "values whose sum has an order");
    let run = |e: &Engine, blocks: usize, check| {
        let (mut late, mut out) = (Aligned::<f32>::new(8), Aligned::<f32>::new(24));
        let (mut seen, mut sync) = (Aligned::<f32>::new(8 * blocks), Aligned::<i32>::new(8 * 3 * blocks));
        launch(e, "late_sums", blocks as u32, &[ptr(&mut late)], check).unwrap_or_else(|f| panic!("{f}"));
        let args = [ptr(&mut out), ptr(&mut seen), ptr(&mut sync)];
        launch(e, "sums", blocks as u32, &args, check).unwrap_or_else(|f| panic!("{f}"));
        assert!(
            late.iter().all(|x| *x == late[0]) && seen.iter().all(|x| *x == out[0]),
            "{:?} {:?}",
            &seen[..],
            &out[..]
        );
        [late[0], out[0], out[8], out[16]]
    };
    for threads in [1, 2, 8] {
        let (ascending, descending) =
            (ordered(AtomicOrder::Ascending, threads), ordered(AtomicOrder::Descending, threads));
        for i in 0..20 {
            let (blocks, check) = ([8, 40][i % 2], i % 4 == 3);
            let (one, two) = (up(blocks, 1), up(blocks, 2));
            assert_eq!(run(&ascending, blocks, check), [one, two, two, two], "{threads} threads, run {i}");
            // Cores that wait for each other have an order of their own.
            let (one, other) = (down(blocks, 1), down(blocks, 2));
            assert_eq!(run(&descending, blocks, check), [one, other, other, two], "{threads} threads, run {i}");
        }
    }
}
