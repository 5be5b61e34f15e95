//! Devices and contexts.

use crate::base::failure::{Failure, codes, put, status};
use crate::device::context::{
    Context, DEVICE_COUNT, check_device, current, destroy_context, enter, is_primary, reset_device, set_device,
};
use crate::device::stream;
use std::ffi::c_void;

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetDevice(device_id: i32) -> i32 {
    refuse_forked!();
    status(set_device(device_id))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtResetDevice(device_id: i32) -> i32 {
    refuse_forked!();
    status(reset_device(device_id, false))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtResetDeviceForce(device_id: i32) -> i32 {
    refuse_forked!();
    status(reset_device(device_id, true))
}

/// For the two functions that programs ask whether there is a context: none is an answer, without a message, and the thread's
/// last error stays what it is.
///
/// # Safety
/// `out` is null or writable.
unsafe fn put_current<T>(function: &str, parameter: &str, out: *mut T, value: impl FnOnce(&Context) -> T) -> i32 {
    if out.is_null() {
        return Failure::null(function, parameter).raise();
    }
    let Ok(context) = current() else { return codes::RT_CONTEXT_NULL };
    // SAFETY: checked for null, writable by contract.
    unsafe { out.write(value(&context)) };
    codes::SUCCESS
}

/// # Safety
/// `device_id` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDevice(device_id: *mut i32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put_current("aclrtGetDevice", "deviceId", device_id, |context| context.device) }
}

/// # Safety
/// `count` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetDeviceCount", "count", count, || Ok(DEVICE_COUNT as u32)) }
}

/// ACL_HOST: the caller always runs on the host side.
///
/// # Safety
/// `run_mode` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetRunMode(run_mode: *mut i32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetRunMode", "runMode", run_mode, || Ok(1)) }
}

/// # Safety
/// `context` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateContext(context: *mut *mut c_void, device_id: i32) -> i32 {
    refuse_forked!();
    let make = || {
        check_device(device_id)?;
        let handle = Context::create(device_id).handle;
        enter(handle);
        Ok(handle as *mut c_void)
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCreateContext", "context", context, make) }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtDestroyContext(context: *mut c_void) -> i32 {
    refuse_forked!();
    if context.is_null() {
        return Failure::null("aclrtDestroyContext", "context").raise();
    }
    let handle = context as usize;
    if is_primary(handle) {
        return Failure::new(
            codes::RT_CONTEXT_NULL,
            "aclrtDestroyContext: this is the default context of the device; release it with aclrtResetDevice",
        )
        .raise();
    }
    status(destroy_context(handle))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetCurrentContext(context: *mut c_void) -> i32 {
    refuse_forked!();
    if context.is_null() {
        return Failure::null("aclrtSetCurrentContext", "context").raise();
    }
    if !enter(context as usize) {
        return Failure::new(
            codes::RT_CONTEXT_NULL,
            format!("aclrtSetCurrentContext: context {context:p} does not exist or was destroyed"),
        )
        .raise();
    }
    codes::SUCCESS
}

/// # Safety
/// `context` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetCurrentContext(context: *mut *mut c_void) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put_current("aclrtGetCurrentContext", "context", context, |current| current.handle as *mut c_void) }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeDevice() -> i32 {
    refuse_forked!();
    aclrtSynchronizeDeviceWithTimeout(-1)
}

/// timeout: milliseconds, -1 waits for ever.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeDeviceWithTimeout(timeout: i32) -> i32 {
    refuse_forked!();
    status((|| {
        let deadline = stream::deadline("aclrtSynchronizeDeviceWithTimeout", timeout)?;
        let device = current()?.device;
        let mut first = Ok(());
        for stream in stream::of_device(device) {
            let outcome = stream.synchronize(deadline);
            if first.is_ok() {
                first = outcome;
            }
        }
        first
    })())
}
