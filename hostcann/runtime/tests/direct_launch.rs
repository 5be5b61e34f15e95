//! Kernels of the program itself (hostcann/direct_launch.h).

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

/// The arguments of a launch, and who has seen them.
struct State {
    memory: *mut u32,
    calls: AtomicU32,
    released: AtomicU32,
}

unsafe extern "C-unwind" fn add_one(args: *const Handle) {
    let state = unsafe { &*(*args).cast::<State>() };
    state.calls.fetch_add(1, Ordering::SeqCst);
    unsafe { AtomicU32::from_ptr(state.memory).fetch_add(1, Ordering::SeqCst) };
}

unsafe extern "C" fn release(state: Handle) {
    unsafe { &*state.cast::<State>() }.released.fetch_add(1, Ordering::SeqCst);
}

fn launch(state: &State, blocks: u32, pointers: &[Pointer], stream: Handle) -> i32 {
    let (state, name) = (std::ptr::from_ref(state).cast_mut().cast(), c"add_one".as_ptr());
    unsafe {
        (ready().hc_launch_kernel)(add_one, state, release, name, blocks, pointers.as_ptr(), pointers.len(), stream)
    }
}

fn seen(state: &State) -> (u32, u32) {
    (state.calls.load(Ordering::SeqCst), state.released.load(Ordering::SeqCst))
}

#[test]
fn a_launch_is_a_task_of_the_stream() {
    ready();
    let (stream, memory) = (Stream::new(), DeviceBuffer::from(&[40u32]));
    let state = State { memory: memory.0.cast(), calls: 0.into(), released: 0.into() };
    let gate = Gate::close(stream.0);
    let pointers = [Pointer { index: 0, address: memory.0 }, Pointer { index: 2, address: std::ptr::null() }];
    assert_eq!(launch(&state, 3, &pointers, stream.0), 0);
    assert_eq!(seen(&state), (0, 0), "what was queued before is not done");
    gate.open();
    assert_eq!(stream.sync(), 0);
    assert_eq!(seen(&state), (3, 1));
    assert_eq!(memory.read::<u32>(1), [43]);
}

#[test]
fn addresses_are_device_memory() {
    ready();
    let stream = Stream::new();
    let mut own = 1u32;
    let state = State { memory: &mut own, calls: 0.into(), released: 0.into() };
    let pointers = [Pointer { index: 1, address: (&raw const own).cast() }];
    assert_eq!(launch(&state, 1, &pointers, stream.0), 0);
    assert_eq!(stream.sync(), 507035);
    let message = message();
    assert!(message.contains("argument 1 of add_one"), "{message}");
    assert_eq!(seen(&state), (0, 1));
}

#[test]
fn a_stream_that_does_not_exist() {
    ready();
    let state = State { memory: null_mut(), calls: 0.into(), released: 0.into() };
    assert_eq!(launch(&state, 1, &[], 0x10 as Handle), 107017);
    let message = message();
    assert!(message.contains("add_one<<<…>>>: stream 0x10 does not exist"), "{message}");
    assert_eq!(seen(&state), (0, 1));
}
