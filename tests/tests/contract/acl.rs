//! Initialisation, memory, handles, events and messages.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::thread;

use anyhow::{Context, Result, ensure};
use fmod_tests::sys::{aclrtMemMallocPolicy, aclrtMemcpyKind};
use fmod_tests::{Device, Runtime};

use crate::probe;

const TO_DEVICE: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
const TO_HOST: aclrtMemcpyKind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
const HUGE_FIRST: aclrtMemMallocPolicy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;

fn runtime() -> Result<&'static Runtime> {
    Ok(Device::open(0)?.runtime())
}

#[test]
fn init_and_finalize_count() -> Result<()> {
    ensure!(probe(&["lifecycle"])?.trim_end() == "0 100002 0 100037 0");
    Ok(())
}

#[test]
fn malloc_and_free() -> Result<()> {
    let runtime = runtime()?;
    let api = runtime.api();
    // SAFETY: only null, zero and live pointers are passed.
    unsafe {
        let mut pointer = null_mut();
        assert_eq!(api.aclrtMalloc(&mut pointer, 0, HUGE_FIRST), 100000, "zero bytes");
        assert_eq!(api.aclrtMalloc(null_mut(), 64, HUGE_FIRST), 100000, "null result pointer");
        assert_eq!(api.aclrtMalloc(&mut pointer, usize::MAX, HUGE_FIRST), 100000, "size that overflows when rounded");
        assert_eq!(api.aclrtFree(null_mut()), 100000, "free(null)");
        for size in [1usize, 31, 32, 33, 64, 1000, 4096] {
            assert_eq!(api.aclrtMalloc(&mut pointer, size, HUGE_FIRST), 0, "{size} bytes");
            assert_eq!(pointer as usize % 64, 0, "alignment of {size} bytes");
            // Rounded up to 32 and 32 more: kernels may read whole blocks.
            let usable = (size + 63) / 32 * 32;
            let (from, mut to) = (vec![0x5au8; usable], vec![0u8; usable]);
            assert_eq!(api.aclrtMemcpy(pointer, usable, from.as_ptr().cast(), usable, TO_DEVICE), 0);
            assert_eq!(api.aclrtMemcpy(to.as_mut_ptr().cast(), usable, pointer, usable, TO_HOST), 0);
            assert_eq!(from, to);
            assert_eq!(api.aclrtFree(pointer), 0);
        }
    }
    runtime.take_message();
    Ok(())
}

#[test]
fn memcpy_checks() -> Result<()> {
    let runtime = runtime()?;
    let api = runtime.api();
    let buffer = Device::open(0)?.upload(&[1.0f32, 2.0])?;
    let mut host = [0.0f32; 2];
    let to = host.as_mut_ptr().cast::<c_void>();
    // SAFETY: null pointers are what is tested; the others are live and long enough.
    unsafe {
        assert_eq!(api.aclrtMemcpy(null_mut(), 0, null(), 0, TO_HOST), 0, "count 0 comes before the pointer checks");
        assert_eq!(api.aclrtMemcpy(null_mut(), 8, buffer.as_ptr(), 8, TO_HOST), 100000, "null destination");
        assert_eq!(api.aclrtMemcpy(to, 8, null(), 8, TO_HOST), 100000, "null source");
        assert_eq!(api.aclrtMemcpy(to, 4, buffer.as_ptr(), 8, TO_HOST), 107000, "more bytes than the destination has");
        assert_eq!(api.aclrtMemcpy(to, 8, buffer.as_ptr(), 8, TO_HOST), 0);
    }
    assert_eq!(host, [1.0, 2.0]);
    runtime.take_message();
    Ok(())
}

#[test]
fn handles() -> Result<()> {
    let runtime = runtime()?;
    let api = runtime.api();
    // SAFETY: null handles are what is tested, the others are live.
    unsafe {
        assert_eq!(api.aclrtCreateStream(null_mut()), 100000, "null result pointer");
        assert_eq!(api.aclrtDestroyStream(null_mut()), 100000, "destroying null");
        assert_eq!(api.aclrtSynchronizeStream(null_mut()), 0, "null is the default stream");
        assert_eq!(api.aclrtCreateEvent(null_mut()), 100000, "null result pointer");
        assert_eq!(api.aclrtDestroyEvent(null_mut()), 100000, "destroying null");
        assert_eq!(api.aclrtGetDeviceCount(null_mut()), 100000, "null result pointer");
        assert_eq!(api.aclrtSetDevice(9999), 107001, "no such device");
        let mut device = -1;
        assert_eq!(api.aclrtGetDevice(&mut device), 0);
        assert_eq!(device, 0, "a refused aclrtSetDevice changes nothing");
    }
    runtime.take_message();
    Ok(())
}

#[test]
fn unrecorded_events_have_no_time() -> Result<()> {
    let device = Device::open(0)?;
    let stream = device.stream()?;
    let (start, end) = (device.event()?, device.event()?);
    let error = end.elapsed_since(&start).err().context("unrecorded events were compared")?;
    ensure!(error.code == Some(107006), "{error}");
    start.record(&stream)?;
    end.record(&stream)?;
    stream.synchronize()?;
    ensure!(end.elapsed_since(&start)? >= 0.0);
    Ok(())
}

#[test]
fn messages_are_read_once_and_by_thread() -> Result<()> {
    let runtime = runtime()?;
    runtime.take_message();
    ensure!(runtime.take_message().is_none(), "a message without a failure");
    // SAFETY: null tensors are what is tested.
    let fail = || unsafe {
        runtime.api().aclnnFmodTensorGetWorkspaceSize(null(), null(), null_mut(), &mut 0, &mut null_mut())
    };
    ensure!(fail() == 161001);
    let other = thread::scope(|scope| scope.spawn(|| runtime.take_message()).join());
    ensure!(other.is_ok_and(|message| message.is_none()), "another thread sees the message");
    let message = runtime.take_message().context("no message after a failure")?;
    ensure!(message.contains("EZ1001") && message.contains("self"), "{message}");
    ensure!(runtime.take_message().is_none(), "the message was not cleared");
    Ok(())
}
