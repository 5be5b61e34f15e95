//! Devices and contexts. The current context is per thread; a device is reference counted between set and reset.

use crate::failure::{Failure, Outcome, codes, lock, put, status};
use crate::handle::new_handle;
use crate::stream::{self, Stream};
use crate::sys_param::SysParams;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// One die of the modelled SoC.
pub const DEVICE_COUNT: i32 = 1;

pub struct Context {
    pub handle: usize,
    pub device: i32,
    pub sys_params: SysParams,
    default_stream: Mutex<Option<Arc<Stream>>>,
}

struct Devices {
    references: u64,
    primary: Option<usize>,
}
static DEVICES: Mutex<[Devices; DEVICE_COUNT as usize]> = Mutex::new([Devices { references: 0, primary: None }]);
static CONTEXTS: Mutex<BTreeMap<usize, Arc<Context>>> = Mutex::new(BTreeMap::new());

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

impl Context {
    fn create(device: i32) -> Arc<Context> {
        let context = Arc::new(Context {
            handle: new_handle(),
            device,
            sys_params: SysParams::new(),
            default_stream: Mutex::new(None),
        });
        lock(&CONTEXTS).insert(context.handle, context.clone());
        context
    }

    /// The stream that a null handle means; made on first use.
    pub fn default_stream(&self) -> Outcome<Arc<Stream>> {
        let mut slot = lock(&self.default_stream);
        match slot.as_ref() {
            Some(stream) => Ok(stream.clone()),
            None => {
                let stream = stream::create(self.handle, self.device, 0, 0)?;
                Ok(slot.insert(stream).clone())
            }
        }
    }
}

pub fn current() -> Outcome<Arc<Context>> {
    match lock(&CONTEXTS).get(&CURRENT.get()) {
        Some(context) => Ok(context.clone()),
        None => fail!(
            RT_CONTEXT_NULL,
            "this thread has no current context; call aclrtSetDevice or aclrtSetCurrentContext in it first"
        ),
    }
}

/// The stream of a handle; null is the default stream of the current context.
pub fn resolve(handle: *mut c_void) -> Outcome<Arc<Stream>> {
    if handle.is_null() { current()?.default_stream() } else { stream::find(handle) }
}

fn check_device(device: i32) -> Outcome<usize> {
    if (0..DEVICE_COUNT).contains(&device) {
        return Ok(device as usize);
    }
    fail!(RT_INVALID_DEVICEID, "device id {device} does not exist, expected 0 to {}", DEVICE_COUNT - 1)
}

fn set_device(device: i32) -> Outcome {
    let index = check_device(device)?;
    crate::soc::soc()?;
    crate::fork::used();
    let mut devices = lock(&DEVICES);
    let state = &mut devices[index];
    let primary = *state.primary.get_or_insert_with(|| Context::create(device).handle);
    state.references += 1;
    CURRENT.set(primary);
    Ok(())
}

fn reset_device(device: i32, force: bool) -> Outcome {
    let index = check_device(device)?;
    let released = {
        let mut devices = lock(&DEVICES);
        let state = &mut devices[index];
        if state.references == 0 {
            fail!(RT_CONTEXT_NULL, "device {device} is not in use: aclrtResetDevice without aclrtSetDevice");
        }
        state.references = if force { 0 } else { state.references - 1 };
        if state.references == 0 { state.primary.take() } else { None }
    };
    match released {
        Some(handle) => destroy_context(handle),
        None => Ok(()),
    }
}

/// Waits for the streams of the context and releases them with it.
fn destroy_context(handle: usize) -> Outcome {
    if lock(&CONTEXTS).remove(&handle).is_none() {
        fail!(RT_CONTEXT_NULL, "context {handle:#x} does not exist or was already destroyed");
    }
    stream::destroy_context_streams(handle);
    Ok(())
}

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
        CURRENT.set(handle);
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
    if lock(&DEVICES).iter().any(|d| d.primary == Some(handle)) {
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
    if !lock(&CONTEXTS).contains_key(&(context as usize)) {
        return Failure::new(
            codes::RT_CONTEXT_NULL,
            format!("aclrtSetCurrentContext: context {context:p} does not exist or was destroyed"),
        )
        .raise();
    }
    CURRENT.set(context as usize);
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
