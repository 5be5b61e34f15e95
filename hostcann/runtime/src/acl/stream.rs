//! The aclrt functions on streams.

use crate::base::failure::{Failure, Outcome, put, status};
use crate::device::context::{current, resolve};
use crate::device::stream::{self, deadline};
use std::ffi::c_void;

const STREAM_FLAGS: u32 = 0x3f;
/// Documented range of stream priorities on A2/A3.
const LOWEST_PRIORITY: u32 = 7;

fn create(priority: u32, flags: u32) -> Outcome<*mut c_void> {
    if priority > LOWEST_PRIORITY {
        fail!(RT_PARAM_INVALID, "stream priority {priority} is out of range, expected 0 to {LOWEST_PRIORITY}");
    }
    if flags & !STREAM_FLAGS != 0 {
        fail!(RT_PARAM_INVALID, "stream flags {flags:#x} are unknown, expected a combination of {STREAM_FLAGS:#x}");
    }
    let context = current()?;
    Ok(stream::create(context.handle, context.device, priority, flags)?.handle as *mut c_void)
}

/// # Safety
/// `stream` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStream(stream: *mut *mut c_void) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCreateStream", "stream", stream, || create(0, 0)) }
}

/// # Safety
/// `stream` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateStreamWithConfig(stream: *mut *mut c_void, priority: u32, flag: u32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCreateStreamWithConfig", "stream", stream, || create(priority, flag)) }
}

fn destroy(function: &str, stream: *mut c_void, force: bool) -> i32 {
    if stream.is_null() {
        return Failure::null(function, "stream").raise();
    }
    status(stream::destroy(stream, force))
}

/// Waits for the queued tasks.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtDestroyStream(stream: *mut c_void) -> i32 {
    refuse_forked!();
    destroy("aclrtDestroyStream", stream, false)
}

/// Drops tasks that have not started.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtDestroyStreamForce(stream: *mut c_void) -> i32 {
    refuse_forked!();
    destroy("aclrtDestroyStreamForce", stream, true)
}

/// Null is the default stream. Returns a failure of a queued task, 507035 for a kernel fault.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeStream(stream: *mut c_void) -> i32 {
    refuse_forked!();
    status(resolve(stream).and_then(|s| s.synchronize(None)))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeStreamWithTimeout(stream: *mut c_void, timeout: i32) -> i32 {
    refuse_forked!();
    status((|| {
        let end = deadline("aclrtSynchronizeStreamWithTimeout", timeout)?;
        resolve(stream)?.synchronize(end)
    })())
}

/// ACL_STREAM_STATUS_COMPLETE 0, ACL_STREAM_STATUS_NOT_READY 1. Does not consume a task's failure.
///
/// # Safety
/// `status_out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamQuery(stream: *mut c_void, status_out: *mut i32) -> i32 {
    refuse_forked!();
    let query = || Ok(if resolve(stream)?.is_idle() { 0 } else { 1 });
    // SAFETY: by this function's contract.
    unsafe { put("aclrtStreamQuery", "status", status_out, query) }
}

/// # Safety
/// `priority` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetPriority(stream: *mut c_void, priority: *mut u32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtStreamGetPriority", "priority", priority, || Ok(resolve(stream)?.priority)) }
}

/// # Safety
/// `flags` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtStreamGetFlags(stream: *mut c_void, flags: *mut u32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtStreamGetFlags", "flags", flags, || Ok(resolve(stream)?.flags)) }
}

pub type HostFunc = unsafe extern "C" fn(*mut c_void);

struct HostCall(HostFunc, *mut c_void);
// SAFETY: the caller hands function and argument over to the stream thread by calling aclrtLaunchHostFunc.
unsafe impl Send for HostCall {}
impl HostCall {
    fn run(self) {
        // SAFETY: aclrtLaunchHostFunc requires a function that may be called with this argument.
        unsafe { (self.0)(self.1) }
    }
}

/// Queues a host function; it must not call functions that wait for its own stream.
///
/// # Safety
/// `func` may be called with `args` from another thread until it has run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchHostFunc(stream: *mut c_void, func: Option<HostFunc>, args: *mut c_void) -> i32 {
    refuse_forked!();
    let Some(func) = func else {
        return Failure::null("aclrtLaunchHostFunc", "fn").raise();
    };
    let call = HostCall(func, args);
    status(resolve(stream).and_then(|s| {
        s.submit(Box::new(move || {
            call.run();
            Ok(())
        }))
    }))
}

/// ACL_CONTINUE_ON_FAILURE 0, ACL_STOP_ON_FAILURE 1.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetStreamFailureMode(stream: *mut c_void, mode: u64) -> i32 {
    refuse_forked!();
    status(resolve(stream).and_then(|stream| stream.failure_mode.set(mode)))
}

/// No stream records a graph: status 0 (none) and no model.
///
/// # Safety
/// `status` and `model` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclmdlRICaptureGetInfo(stream: *mut c_void, status: *mut i32, model: *mut *mut c_void) -> i32 {
    const NAME: &str = "aclmdlRICaptureGetInfo";
    // SAFETY: by this function's contract.
    unsafe {
        match put(NAME, "status", status, || resolve(stream).map(|_| 0)) {
            0 => put(NAME, "modelRI", model, || Ok(std::ptr::null_mut())),
            failed => failed,
        }
    }
}
