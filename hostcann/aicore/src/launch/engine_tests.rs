use super::*;
use crate::{abi, testkit::spec};
use std::sync::atomic::{AtomicU32, Ordering};

unsafe extern "C-unwind" fn count(args: *const *mut c_void) {
    // SAFETY: the launch passes a pointer to the counters.
    let hits = unsafe { &*(*args as *const [AtomicU32; 64]) };
    // SAFETY: this runs on a core, as a kernel.
    hits[unsafe { abi::aic_block_idx() } as usize].fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C-unwind" fn fails_from_three(args: *const *mut c_void) {
    // SAFETY: the same argument.
    unsafe { count(args) };
    // SAFETY: this runs on a core, as a kernel.
    if unsafe { abi::aic_block_idx() } >= 3 {
        // SAFETY: this runs on a core, as a kernel.
        unsafe { abi::aic_wait_flag(4, 0) };
    }
}

unsafe extern "C-unwind" fn panics(_: *const *mut c_void) {
    panic!("a bug");
}

fn run(e: &Engine, kernel: KernelFn, blocks: u32, hits: &[AtomicU32; 64]) -> Result<(), Fault> {
    let args = [hits as *const _ as *mut c_void];
    e.run(&Launch::new(kernel, "k", 0, blocks, &args))
}

fn hits() -> [AtomicU32; 64] {
    std::array::from_fn(|_| AtomicU32::new(0))
}

#[test]
fn each_block_runs_once() {
    for threads in [1, 2, 5] {
        let e = Engine::new(spec(), Switches::default(), threads);
        for blocks in [1, 2, 40, 64] {
            let h = hits();
            run(&e, count, blocks, &h).unwrap();
            for (i, v) in h.iter().enumerate() {
                assert_eq!(v.load(Ordering::Relaxed), ((i as u32) < blocks) as u32);
            }
        }
    }
}

#[test]
fn a_fault_skips_the_rest() {
    let e = Engine::new(spec(), Switches::default(), 1);
    let h = hits();
    let f = run(&e, fails_from_three, 64, &h).unwrap_err();
    assert_eq!((f.core, f.instruction.as_str()), (3, "WaitFlag"));
    assert_eq!(h.iter().map(|v| v.load(Ordering::Relaxed)).sum::<u32>(), 4);
    run(&e, count, 64, &hits()).unwrap();
}

#[test]
fn a_panic_inside_is_reported_as_ours() {
    let e = Engine::new(spec(), Switches::default(), 2);
    let f = run(&e, panics, 4, &hits()).unwrap_err();
    assert_eq!((f.owner, f.class), (FaultOwner::NotImplemented, FaultClass::Internal));
    assert!(f.message.contains("a bug"));
    run(&e, count, 4, &hits()).unwrap();
}

#[test]
fn many_callers() {
    let e = Engine::new(spec(), Switches::default(), 3);
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for i in 0..200 {
                    let h = hits();
                    run(&e, count, 1 + i % 64, &h).unwrap();
                    assert_eq!(h.iter().map(|v| v.load(Ordering::Relaxed)).sum::<u32>(), 1 + i % 64);
                }
            });
        }
    });
}

unsafe extern "C-unwind" fn adds(_: *const *mut c_void) {
    use crate::base::ins::{Dtype, Opcode};
    let ins = crate::testkit::Bench::ins(Opcode::Add, Dtype::F32, Dtype::F32, 100);
    // SAFETY: this runs on a core, as a kernel.
    unsafe { abi::aic_vector(&ins) };
}

#[test]
fn statistics_sum_over_blocks_and_launches() {
    let e = Engine::new(spec(), Switches::default(), 3);
    run(&e, adds, 7, &hits()).unwrap();
    assert_eq!(e.stats().read().all.total, Default::default());
    e.stats().enable(true);
    run(&e, adds, 7, &hits()).unwrap();
    run(&e, adds, 40, &hits()).unwrap();
    let sums = e.stats().read();
    assert_eq!((sums.all.total.launches, sums.all.total.blocks, sums.all.total.vector_lanes), (2, 47, 4700));
    assert_eq!((sums.last.total.launches, sums.last.total.blocks, sums.last.total.f32_equivalents), (1, 40, 8000));
    assert_eq!(sums.last_kernel, "k");
    e.stats().reset();
    assert_eq!(e.stats().read().all.total, Default::default());
    e.stats().enable(false);
    run(&e, adds, 7, &hits()).unwrap();
    assert_eq!(e.stats().read().all.total, Default::default());
}

#[test]
fn repeats_run_under_other_switches_and_are_not_counted() {
    unsafe extern "C-unwind" fn note(args: *const *mut c_void) {
        // SAFETY: the launch passes a pointer to the list.
        let seen = unsafe { &*(*args).cast::<std::sync::Mutex<Vec<Switches>>>() };
        // SAFETY: this runs on a core, which outlives the kernel.
        let core = unsafe { &*crate::machine::core::Core::current() };
        seen.lock().unwrap().push(core.machine.switches);
    }
    let e = Engine::new(spec(), Switches::default(), 2);
    e.stats().enable(true);
    let seen = std::sync::Mutex::new(Vec::<Switches>::new());
    let args = [(&raw const seen).cast_mut().cast::<c_void>()];
    let launch = Launch::new(note, "k", 0, 2, &args);
    let other = Switches { fma: crate::Fma::Fused, ..Switches::default() };
    e.run(&launch).unwrap();
    e.run(&Launch { repeat: Some(other), ..launch }).unwrap();
    e.run(&launch).unwrap();
    let own = Switches::default();
    assert_eq!(*seen.lock().unwrap(), [own, own, other, other, own, own]);
    assert_eq!(e.stats().read().all.total.launches, 2);
}
