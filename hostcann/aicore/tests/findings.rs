//! All findings of a launch: what a core does wrong does not end it where it can go on.

use crate::support::{Aligned, Object};
use aicore::{
    CoreSpec, Engine, Fault, FaultClass, Launch, SecondSet, Severity, Shadow, Switches,
    check::{Extent, Findings, LaunchInfo, Options, Role},
};
use std::{
    ffi::c_void,
    sync::{Arc, OnceLock},
};

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

/// Runs a kernel of one core over 128 floats 1, 2, 3, … and as many zeros; with what it finds.
fn one(name: &str, switches: Switches, check: bool) -> (Result<(), Fault>, Aligned<f32>, Vec<Fault>) {
    let (mut x, mut y) = (Aligned::<f32>::new(128), Aligned::<f32>::new(128));
    (0..128).for_each(|i| x[i] = i as f32 + 1.0);
    let args = [x.as_mut_ptr().cast::<c_void>(), y.as_mut_ptr().cast()];
    let info = LaunchInfo { errors: Some(Findings::default()), ..LaunchInfo::default() };
    let engine = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), switches, 1);
    let check = check.then_some(&info);
    let result = engine.run(&Launch { check, ..Launch::new(kernels().kernel(name), name, 0, 1, &args) });
    (result, y, info.errors.as_ref().expect("given").take())
}

#[test]
fn what_a_page_says_of_a_broken_rule_happens_and_the_checker_finds_it() {
    let what = |found: &[Fault]| found.iter().map(|f| (f.class, f.said.what.clone())).collect::<Vec<_>>();
    let mut plain = Vec::new();
    for check in [false, true] {
        let (result, y, found) = one("copies_half_a_block", Switches::default(), check);
        assert_eq!(
            (0..128).map(|i| y[i]).collect::<Vec<_>>(),
            [&(1..=80).map(|i| i as f32).collect::<Vec<_>>()[..], &[0.0; 48]].concat()
        );
        assert_eq!(result.is_err(), check);
        plain.push(what(&found));
    }
    let drops = (FaultClass::Argument, "the device copies whole 32-byte blocks and drops the rest".to_owned());
    assert_eq!(plain, [vec![], vec![drops.clone(), drops]], "in and out");
    for check in [false, true] {
        let (result, y, found) = one("compares_half_a_repeat", Switches::default(), check);
        let bits: Vec<u32> = (0..8).map(|i| y[i].to_bits()).collect();
        assert_eq!(bits, [&[u32::MAX; 2][..], &[0x5555_5555; 6]].concat(), "the first repeat alone");
        assert_eq!(result.is_err(), check);
        let drops = (FaultClass::Argument, "the device compares whole repeats only and drops the rest".to_owned());
        assert_eq!(what(&found), if check { vec![drops] } else { vec![] });
    }
}

#[test]
fn a_flag_that_is_set_twice_is_a_switch() {
    let of = |second_set| Switches { second_set, ..Switches::default() };
    let run = |second_set, check| one("sets_the_flag_of_a_queue", of(second_set), check);
    let fault = run(SecondSet::Fault, false).0.expect_err("undefined");
    assert_eq!((fault.class, fault.said.what.as_str()), (FaultClass::Event, "flag is set a second time"));
    assert!(fault.said.fix.contains("HOSTCANN_SECOND_SET=counted or kept goes on"), "{fault}");
    let (result, y, _) = run(SecondSet::Counted, false);
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(
        (0..65).map(|i| y[i]).collect::<Vec<_>>(),
        [&(2..=65).map(|i| i as f32).collect::<Vec<_>>()[..], &[0.0]].concat()
    );
    let (result, y, _) = one("sets_the_flag_of_a_queue", Switches::default(), false);
    assert!(result.is_ok() && y[63] == 65.0, "the default: {result:?}");
    // One bit lets one WaitFlag through: the queue's own waits for ever.
    let fault = run(SecondSet::Kept, false).0.expect_err("hangs");
    assert_eq!(fault.said.what, "flag was never set, the core hangs");
    let (result, y, found) = run(SecondSet::default(), true);
    let classes: Vec<_> = found.iter().map(|f| (f.class, f.said.what.as_str())).collect();
    assert_eq!((result.is_err(), y[0], classes), (true, 2.0, vec![(FaultClass::Event, "flag is set a second time")]));
    // EnQue set it first.
    let got = &found[0].said.got;
    assert!(got.contains("set twice, first at ") && got.ends_with(&format!("findings.cpp:{}", line("ENQUE"))), "{got}");
}

#[test]
fn a_rule_whose_effect_comes_is_its_cause() {
    let (result, _, found) = one("goes_over_the_end", Switches::default(), true);
    let of = |f: &Fault| (f.class, f.severity, f.location.as_ref().map_or(0, |l| l.line));
    let want = [
        (FaultClass::BufferSpace, Severity::Error, line("LARGE")),
        (FaultClass::OutOfRange, Severity::Error, line("OVER")),
    ];
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), want);
    assert_eq!(result.err().map(|f| of(&f)), Some(want[0]));
}

#[test]
fn every_flag_and_every_read_has_its_line() {
    let (mut x, mut y) = (Aligned::<i32>::new(16), Aligned::<i32>::new(16));
    let args = [x.as_mut_ptr().cast::<c_void>(), y.as_mut_ptr().cast()];
    let kernel = kernels().kernel("leaves_and_reads_twice");
    let all = ["READ 0", "READ 1", "LEFT 0", "LEFT 1"].map(line);
    for (shadows, want) in [(true, &all[..]), (false, &all[2..])] {
        let shadow = || (args[1] as usize, Arc::new(Shadow::new(64)));
        let shadows = shadows.then(shadow).into_iter().collect();
        let info = LaunchInfo { shadows, errors: Some(Findings::default()), ..LaunchInfo::default() };
        let launch = Launch { check: Some(&info), ..Launch::new(kernel, "leaves_and_reads_twice", 0, 2, &args) };
        assert!(engine(2).run(&launch).is_err());
        let found = info.errors.as_ref().expect("given").take();
        let mut lines: Vec<u32> = found.iter().filter_map(|f| Some(f.location.as_ref()?.line)).collect();
        lines.sort_unstable();
        assert_eq!(lines, want);
    }
}

#[test]
fn a_core_ends_after_so_many_errors() {
    let (result, y, found) = one("races_all_the_time", Switches::default(), true);
    assert_eq!((result.is_err(), y[0], found.len()), (true, 0.0, 1), "{found:?}");
    let (result, y, _) = one("races_all_the_time", Switches::default(), false);
    assert_eq!((result.is_ok(), y[0]), (true, 1.0));
}
