//! Memory, copies, streams, events and messages through the exported functions.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

#[test]
fn allocation_rules() {
    let api = ready();
    let mut p = null_mut();
    unsafe {
        assert_eq!((api.aclrtMalloc)(&mut p, 0, 0), 100000);
        assert_eq!((api.aclrtMalloc)(null_mut(), 8, 0), 100000);
        assert_eq!((api.aclrtMalloc)(&mut p, usize::MAX - 8, 0), 100000);
        assert_eq!((api.aclrtMalloc)(&mut p, 65 << 30, 0), 207001);
        assert!(message().contains("device memory"));
        assert_eq!((api.aclrtFree)(null_mut()), 100000);
        for size in [1, 31, 32, 33, 1000] {
            assert_eq!((api.aclrtMalloc)(&mut p, size, 12345), 0, "an unknown policy is the default one");
            assert_eq!(p as usize % 64, 0);
            // 32 bytes of slack behind the rounded size belong to the block.
            let real = size.div_ceil(32) * 32 + 32;
            assert_eq!((api.aclrtMemset)(p, real, 7, real), 0);
            assert_eq!((api.aclrtMemset)(p, real + 1, 7, real + 1), 107000);
            assert_eq!((api.aclrtFree)(p), 0);
        }
        message();
        let mut local = 0u64;
        assert_eq!((api.aclrtFree)((&raw mut local).cast()), 107000);
        assert!(message().contains("not returned by an allocation function"));
        assert_eq!((api.aclrtMallocHost)(&mut p, 100), 0);
        assert_eq!((api.aclrtFree)(p), 107000);
        assert!(message().contains("aclrtFreeHost"));
        assert_eq!((api.aclrtFreeHost)(p), 0);
        assert_eq!((api.aclrtMallocHost)(&mut p, 0), 100000);
        assert_eq!((api.aclrtMallocAlign32)(&mut p, 33, 0), 0);
        assert_eq!((api.aclrtMemset)(p, 64, 0, 64), 0);
        assert_eq!((api.aclrtMemset)(p, 65, 0, 65), 107000, "no padding");
        assert_eq!((api.aclrtFree)(p), 0);
    }
}

#[test]
fn copy_rules() {
    let api = ready();
    let source = [1u32, 2, 3, 4];
    let buffer = DeviceBuffer::new(16);
    let from: *const c_void = source.as_ptr().cast();
    unsafe {
        assert_eq!((api.aclrtMemcpy)(null_mut(), 0, null(), 0, 1), 0);
        assert_eq!((api.aclrtMemcpy)(buffer.0, 16, null(), 16, 1), 100000);
        assert_eq!((api.aclrtMemcpy)(null_mut(), 16, from, 16, 1), 100000);
        for kind in [6, 7, 8, -1] {
            assert_eq!((api.aclrtMemcpy)(buffer.0, 16, from, 16, kind), 100000, "kind {kind}");
        }
        assert_eq!((api.aclrtMemcpy)(buffer.0, 15, from, 16, 1), 107000);
        let long = [0u8; 100];
        assert_eq!((api.aclrtMemcpy)(buffer.0, 100, long.as_ptr().cast(), 65, 1), 107000, "more than the block has");
        assert_eq!((api.aclrtMemcpy)(buffer.0, 16, from, 16, 1), 0);
        assert_eq!((api.aclrtMemcpy)(buffer.0, 16, buffer.0, 16, 3), 0, "dst == src");
        assert_eq!(buffer.read::<u32>(4), source);
        assert_eq!((api.aclrtMemset)(buffer.0, 16, 0x1ff, 4), 0);
        assert_eq!(buffer.read::<u32>(4), [u32::MAX, 2, 3, 4]);
        assert_eq!((api.aclrtMemset)(buffer.0, 3, 0, 4), 107000);
        assert_eq!((api.aclrtMemset)(buffer.0, 3, 0, 0), 0);
        assert_eq!((api.aclrtMemset)(null_mut(), 3, 0, 1), 100000);
    }
}

#[test]
fn a_message_is_read_once_and_belongs_to_its_thread() {
    let api = ready();
    unsafe {
        assert_eq!((api.aclGetRecentErrMsg)(), null());
        assert_eq!((api.aclrtFree)(null_mut()), 100000);
        assert_eq!((api.aclrtPeekAtLastError)(0), 0, "the acl layer's own checks are none of the runtime's errors");
        assert_eq!((api.aclrtFree)(8 as Handle), 107000);
        assert_eq!((api.aclrtPeekAtLastError)(0), 107000);
        assert_eq!((api.aclrtGetLastError)(0), 107000);
        assert_eq!((api.aclrtGetLastError)(0), 0);
        assert_eq!(std::thread::spawn(message).join().unwrap(), "");
        let text = message();
        assert!(text.starts_with("[PID: ") && text.contains("(EH0002): aclrtFree"), "{text}");
        assert_eq!((api.aclGetRecentErrMsg)(), null());
        (api.hc_report_error)(c"EZ1001".as_ptr(), c"older".as_ptr());
        (api.hc_report_error)(c"EZ9999".as_ptr(), c"newer".as_ptr());
        let text = message();
        assert!(text.find("newer").unwrap() < text.find("older").unwrap(), "{text}");
    }
}

#[test]
fn tasks_run_in_order_and_later() {
    let api = ready();
    let stream = Stream::new();
    let buffer = DeviceBuffer::from(&[0u8; 64]);
    unsafe {
        let gate = Gate::close(stream.0);
        let mut staged = [9u8; 8];
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 64, 1, 64, stream.0), 0);
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 64, 2, 32, stream.0), 0);
        assert_eq!((api.aclrtMemcpyAsync)(buffer.0, 64, staged.as_ptr().cast(), 8, 1, stream.0), 0);
        staged.fill(0);
        let mut state = -1;
        assert_eq!((api.aclrtStreamQuery)(stream.0, &mut state), 0);
        assert_eq!(state, 1);
        assert_eq!(buffer.read::<u8>(64), [0; 64], "nothing has run yet, and a copy does not wait");
        assert_eq!((api.aclrtSynchronizeStreamWithTimeout)(stream.0, 20), 507046);
        assert_eq!((api.aclrtSynchronizeStreamWithTimeout)(stream.0, -2), 107000);
        gate.open();
        assert_eq!(stream.sync(), 0);
        assert_eq!((api.aclrtStreamQuery)(stream.0, &mut state), 0);
        assert_eq!(state, 0);
    }
    let mut want = [1u8; 64];
    want[..32].fill(2);
    want[..8].fill(9);
    assert_eq!(buffer.read::<u8>(64), want);
}

#[test]
fn device_to_device_copies_are_queued() {
    let api = ready();
    let stream = Stream::new();
    let (a, b) = (DeviceBuffer::from(&[1u32; 16]), DeviceBuffer::from(&[0u32; 16]));
    unsafe {
        let gate = Gate::close(stream.0);
        assert_eq!((api.aclrtMemcpyAsync)(b.0, 64, a.0, 64, 3, stream.0), 0);
        assert_eq!((api.aclrtMemset)(a.0, 64, 0, 32), 0, "the source is read when the stream gets there");
        gate.open();
        assert_eq!(stream.sync(), 0);
    }
    assert_eq!(b.read::<u32>(16), [[0u32; 8], [1; 8]].concat());
}

#[test]
fn handles_and_destruction() {
    let api = ready();
    unsafe {
        assert_eq!((api.aclrtCreateStream)(null_mut()), 100000);
        assert_eq!((api.aclrtDestroyStream)(null_mut()), 100000);
        assert_eq!((api.aclrtSynchronizeStream)(null_mut()), 0, "null is the default stream");
        let mut stream = null_mut();
        assert_eq!((api.aclrtCreateStreamWithConfig)(&mut stream, 99, 0), 107000);
        assert_eq!((api.aclrtCreateStreamWithConfig)(&mut stream, 1, 3), 0);
        assert_eq!((api.aclrtSetStreamFailureMode)(stream, 0), 0);
        let buffer = DeviceBuffer::from(&[0u8; 8]);
        let gate = Gate::close(stream);
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 8, 5, 8, stream), 0);
        let opener = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            gate.open();
        });
        assert_eq!((api.aclrtDestroyStream)(stream), 0, "waits for the queued tasks");
        opener.join().unwrap();
        assert_eq!(buffer.read::<u8>(8), [5; 8]);
        assert_eq!((api.aclrtDestroyStream)(stream), 107017);
        assert_eq!((api.aclrtSynchronizeStream)(stream), 107017);

        assert_eq!((api.aclrtCreateStream)(&mut stream), 0);
        let gate = Gate::close(stream);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 8, 6, 8, stream), 0);
        let opener = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            gate.open();
        });
        assert_eq!((api.aclrtDestroyStreamForce)(stream), 0);
        opener.join().unwrap();
        assert_eq!(buffer.read::<u8>(8), [5; 8], "tasks that had not started are dropped");
    }
}

#[test]
fn events_order_streams() {
    let api = ready();
    let (first, second) = (Stream::new(), Stream::new());
    let buffer = DeviceBuffer::from(&[0u8; 8]);
    unsafe {
        let mut event = null_mut();
        assert_eq!((api.aclrtCreateEvent)(&mut event), 0);
        let status = |event| {
            let (mut recorded, mut waiting, mut old) = (-1, -1, -1);
            assert_eq!((api.aclrtQueryEventStatus)(event, &mut recorded), 0);
            assert_eq!((api.aclrtQueryEventWaitStatus)(event, &mut waiting), 0);
            assert_eq!((api.aclrtQueryEvent)(event, &mut old), 0);
            (recorded, waiting, old)
        };
        assert_eq!(status(event), (0, 0, 1));
        let gate = Gate::close(first.0);
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 8, 1, 8, first.0), 0);
        assert_eq!((api.aclrtRecordEvent)(event, first.0), 0);
        assert_eq!((api.aclrtStreamWaitEvent)(second.0, event), 0);
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 8, 2, 4, second.0), 0);
        assert_eq!((api.aclrtSynchronizeEventWithTimeout)(event, 20), 507047);
        assert_eq!((api.aclrtSynchronizeStreamWithTimeout)(second.0, 20), 507046);
        assert_eq!(status(event), (0, 1, 1));
        let mut ms = 0.0;
        assert_eq!((api.aclrtEventElapsedTime)(&mut ms, event, event), 107006);
        gate.open();
        assert_eq!((api.aclrtSynchronizeEvent)(event), 0);
        assert_eq!(second.sync(), 0);
        assert_eq!(status(event), (1, 0, 0));
        assert_eq!(buffer.read::<u8>(8), [2, 2, 2, 2, 1, 1, 1, 1]);
        assert_eq!((api.aclrtResetEvent)(event, first.0), 0);
        assert_eq!(first.sync(), 0);
        assert_eq!(status(event).0, 0);
        assert_eq!((api.aclrtDestroyEvent)(event), 0);
        assert_eq!((api.aclrtDestroyEvent)(event), 107017);
        assert_eq!((api.aclrtRecordEvent)(null_mut(), first.0), 100000);
    }
}

#[test]
fn event_times() {
    let api = ready();
    let stream = Stream::new();
    unsafe {
        let (mut start, mut end, mut plain) = (null_mut(), null_mut(), null_mut());
        assert_eq!((api.aclrtCreateEventWithFlag)(&mut start, 8), 0);
        assert_eq!((api.aclrtCreateEventWithFlag)(&mut end, 8), 0);
        assert_eq!((api.aclrtCreateEventWithFlag)(&mut plain, 1), 0);
        assert_eq!((api.aclrtCreateEventWithFlag)(&mut null_mut(), 0), 107000);
        assert_eq!((api.aclrtCreateEventWithFlag)(&mut null_mut(), 0x40), 207000);
        let mut ms = -1.0;
        assert_eq!((api.aclrtEventElapsedTime)(&mut ms, start, end), 107006);
        unsafe extern "C" fn nap(_: Handle) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let begin = Instant::now();
        assert_eq!((api.aclrtRecordEvent)(start, stream.0), 0);
        assert_eq!((api.aclrtLaunchHostFunc)(stream.0, Some(nap), null_mut()), 0);
        assert_eq!((api.aclrtRecordEvent)(end, stream.0), 0);
        assert_eq!((api.aclrtRecordEvent)(plain, stream.0), 0);
        assert_eq!(stream.sync(), 0);
        let most = begin.elapsed().as_secs_f32() * 1e3;
        assert_eq!((api.aclrtEventElapsedTime)(&mut ms, start, end), 0);
        assert!((20.0..=most).contains(&ms), "{ms} ms of {most}");
        assert_eq!((api.aclrtEventElapsedTime)(&mut ms, end, start), 107007);
        assert_eq!((api.aclrtEventElapsedTime)(&mut ms, start, plain), 107006);
        let (mut from, mut to) = (0, 0);
        assert_eq!((api.aclrtEventGetTimestamp)(start, &mut from), 0);
        assert_eq!((api.aclrtEventGetTimestamp)(end, &mut to), 0);
        assert!(to - from >= 20_000, "{from} {to}");
        for event in [start, end, plain] {
            assert_eq!((api.aclrtDestroyEvent)(event), 0);
        }
    }
}

#[test]
fn two_threads_with_two_streams_each() {
    std::thread::scope(|scope| {
        for thread in 0..2u8 {
            scope.spawn(move || {
                let api = ready();
                let streams = [Stream::new(), Stream::new()];
                let buffers = [DeviceBuffer::new(4096), DeviceBuffer::new(4096)];
                for round in 0..200u32 {
                    let value = (round as u8).wrapping_mul(3).wrapping_add(thread);
                    for (stream, buffer) in streams.iter().zip(&buffers) {
                        let code = unsafe { (api.aclrtMemsetAsync)(buffer.0, 4096, i32::from(value), 4096, stream.0) };
                        assert_eq!(code, 0);
                    }
                    if round % 50 == 0 {
                        for (stream, buffer) in streams.iter().zip(&buffers) {
                            assert_eq!(stream.sync(), 0);
                            assert_eq!(buffer.read::<u8>(4096), [value; 4096]);
                        }
                    }
                }
            });
        }
    });
}

#[test]
fn contexts_and_parameters() {
    let api = ready();
    unsafe {
        let (mut default, mut own, mut now) = (null_mut(), null_mut(), null_mut());
        assert_eq!((api.aclrtGetCurrentContext)(&mut default), 0);
        assert_eq!((api.aclrtCreateContext)(&mut own, 1), 107001);
        assert_eq!((api.aclrtCreateContext)(&mut own, 0), 0);
        assert_eq!((api.aclrtGetCurrentContext)(&mut now), 0);
        assert_eq!(now, own);
        let mut value = -1;
        assert_eq!((api.aclrtCtxGetSysParamOpt)(0, &mut value), 107021);
        assert_eq!((api.aclrtCtxSetSysParamOpt)(0, 1), 0);
        assert_eq!((api.aclrtCtxGetSysParamOpt)(0, &mut value), 0);
        assert_eq!(value, 1);
        assert_eq!((api.aclrtCtxSetSysParamOpt)(9, 1), 100000);
        assert_eq!((api.aclrtSetCurrentContext)(default), 0);
        assert_eq!((api.aclrtCtxGetSysParamOpt)(0, &mut value), 107021, "parameters belong to the context");
        assert_eq!((api.aclrtDestroyContext)(own), 0);
        assert_eq!((api.aclrtSetCurrentContext)(own), 107002);
        assert_eq!((api.aclrtDestroyContext)(default), 107002);
        assert_eq!((api.aclrtSetDevice)(5), 107001);
        let other = || {
            let api = common::api();
            let (device, context) = ((api.aclrtGetDevice)(&mut 0), (api.aclrtGetCurrentContext)(&mut null_mut()));
            // They are answers: neither a message nor a last error.
            ((device, context), (api.aclrtPeekAtLastError)(0), message())
        };
        let other = std::thread::spawn(other).join().unwrap();
        assert_eq!(other, ((107002, 107002), 0, String::new()), "the current context is per thread");
    }
}

/// Page «aclrtSetStreamFailureMode»: the mode is the context's, and nothing is taken after a failure.
#[test]
fn a_failure_stops_the_streams_of_a_context_that_asks_for_it() {
    let api = ready();
    unsafe {
        let (mut default, mut own) = (null_mut(), null_mut());
        assert_eq!((api.aclrtGetCurrentContext)(&mut default), 0);
        assert_eq!((api.aclrtCreateContext)(&mut own, 0), 0);
        let (one, two) = (Stream::new(), Stream::new());
        assert_eq!((api.aclrtSetStreamFailureMode)(one.0, 1), 0);
        assert_eq!((api.aclrtSetStreamFailureMode)(one.0, 1), 0, "the same mode again");
        let buffer = DeviceBuffer::from(&[0u8; 8]);
        let gone = DeviceBuffer::new(8);
        let mut event = null_mut();
        assert_eq!((api.aclrtCreateEvent)(&mut event), 0);
        let gate = Gate::close(one.0);
        assert_eq!((api.aclrtMemcpyAsync)(buffer.0, 8, gone.0, 8, 3, one.0), 0);
        drop(gone);
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 8, 7, 8, one.0), 0);
        assert_eq!((api.aclrtRecordEvent)(event, one.0), 0);
        gate.open();
        assert_eq!((api.aclrtSynchronizeEvent)(event), 0, "a stopped stream leaves nobody waiting");
        let code = one.sync();
        assert_ne!(code, 0);
        assert_eq!(buffer.read::<u8>(8), [0; 8], "what was queued has not run");
        assert_eq!((one.sync(), two.sync()), (code, code), "every time, and on every stream");
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 8, 7, 8, two.0), code, "nothing new is taken");
        assert_eq!((api.aclrtSetStreamFailureMode)(two.0, 0), 207000, "there is no way back");
        drop((one, two));
        assert_eq!((api.aclrtDestroyEvent)(event), 0);
        assert_eq!((api.aclrtDestroyContext)(own), 0);
        assert_eq!((api.aclrtSetCurrentContext)(default), 0);
        let after = Stream::new();
        assert_eq!((api.aclrtMemsetAsync)(buffer.0, 8, 7, 8, after.0), 0);
        assert_eq!(after.sync(), 0);
        assert_eq!(buffer.read::<u8>(8), [7; 8], "another context goes on");
        message();
        (api.aclrtGetLastError)(0);
    }
}

#[test]
fn questions_about_the_device() {
    let api = ready();
    unsafe {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        assert_eq!((api.aclrtGetVersion)(&mut major, &mut minor, &mut patch), 0);
        assert_eq!((major, minor, patch), (1, 17, 0));
        let mut count = 0;
        assert_eq!((api.aclrtGetDeviceCount)(&mut count), 0);
        assert_eq!(count, 1);
        for (attr, want) in
            [(101, 20), (102, 20), (201, 40), (204, 196608), (301, 64 << 30), (302, 192 << 20), (601, 2201)]
        {
            let mut value = 0;
            assert_eq!((api.aclrtGetDeviceInfo)(0, attr, &mut value), 0);
            assert_eq!(value, want, "attribute {attr}");
        }
        assert_eq!((api.aclrtGetDeviceInfo)(0, 999, &mut 0), 207000);
        assert_eq!((api.aclrtGetDeviceInfo)(1, 101, &mut 0), 107001);
        let mut cores = 0;
        assert_eq!((api.aclrtGetResInCurrentThread)(1, &mut cores), 0);
        assert_eq!(cores, 40);
        assert_eq!(text((api.hc_soc_name)()), "Ascend910B3");
        assert_eq!(((api.hc_dtype_size)(27), (api.hc_dtype_size)(29)), (2, -1));
        assert_eq!(((api.hc_cast_supported)(0, 6), (api.hc_cast_supported)(16, 0)), (1, 0));
    }
}
