//! Devices and contexts. The current context is per thread; a device is reference counted between set and reset.

use crate::base::failure::{Outcome, lock};
use crate::base::handle::new_handle;
use crate::device::stream::{self, Stream};
use crate::device::sys_param::SysParams;
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
    pub fn create(device: i32) -> Arc<Context> {
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
    ///
    /// # Errors
    ///
    /// `RT_NO_STREAM_RESOURCE` where it has to be made and the limit on streams is reached.
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

/// The current context of the calling thread.
///
/// # Errors
///
/// `RT_CONTEXT_NULL` where the thread has none, or it was destroyed.
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
///
/// # Errors
///
/// `RT_INVALID_HANDLE` where a handle that is not null belongs to no living stream. For null, `RT_CONTEXT_NULL` without
/// a current context and `RT_NO_STREAM_RESOURCE` where the default stream cannot be made.
pub fn resolve(handle: *mut c_void) -> Outcome<Arc<Stream>> {
    if handle.is_null() { current()?.default_stream() } else { stream::find(handle) }
}

/// The index of a device id.
///
/// # Errors
///
/// `RT_INVALID_DEVICEID` where there is no such device.
pub fn check_device(device: i32) -> Outcome<usize> {
    if (0..DEVICE_COUNT).contains(&device) {
        return Ok(device as usize);
    }
    fail!(RT_INVALID_DEVICEID, "device id {device} does not exist, expected 0 to {}", DEVICE_COUNT - 1)
}

/// Takes a reference on the device and makes its primary context the calling thread's.
///
/// # Errors
///
/// `RT_INVALID_DEVICEID` where there is no such device, `INVALID_PARAM` where the SoC cannot be loaded.
pub fn set_device(device: i32) -> Outcome {
    let index = check_device(device)?;
    crate::base::soc::soc()?;
    crate::base::fork::used();
    let mut devices = lock(&DEVICES);
    let state = &mut devices[index];
    let primary = *state.primary.get_or_insert_with(|| Context::create(device).handle);
    state.references += 1;
    CURRENT.set(primary);
    Ok(())
}

/// Gives back a reference on the device, or all with `force`; the last one takes the primary context with it.
///
/// # Errors
///
/// `RT_INVALID_DEVICEID` where there is no such device, `RT_CONTEXT_NULL` where it is not in use.
pub fn reset_device(device: i32, force: bool) -> Outcome {
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
///
/// # Errors
///
/// `RT_CONTEXT_NULL` where the handle belongs to no living context.
pub fn destroy_context(handle: usize) -> Outcome {
    if lock(&CONTEXTS).remove(&handle).is_none() {
        fail!(RT_CONTEXT_NULL, "context {handle:#x} does not exist or was already destroyed");
    }
    stream::destroy_context_streams(handle);
    Ok(())
}

/// Whether the context is one of those that aclrtSetDevice makes.
pub fn is_primary(handle: usize) -> bool {
    lock(&DEVICES).iter().any(|device| device.primary == Some(handle))
}

/// Makes the context the calling thread's. False: it does not exist.
pub fn enter(handle: usize) -> bool {
    let is_there = lock(&CONTEXTS).contains_key(&handle);
    if is_there {
        CURRENT.set(handle);
    }
    is_there
}
