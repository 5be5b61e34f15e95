//! One C call, one `Result`; grouped and named like the C functions. Nothing here keeps state or frees anything.
//!
//! Every function is unsafe where a handle or a pointer must be valid for the call.
#![allow(clippy::missing_safety_doc)]

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::error::{Error, Result};
use crate::runtime::Runtime;
use crate::sys;

/// `call!(runtime, function(arguments…))` → `Result<()>`
macro_rules! call {
    ($runtime:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the caller of the surrounding function vouches for handles and pointers.
        let code = unsafe { $runtime.api().$name($($argument),*) };
        $runtime.check(stringify!($name), code)
    }};
}

/// A constructor that answers null instead of a status.
fn not_null<T>(runtime: &Runtime, call: &'static str, pointer: *mut T) -> Result<*mut T> {
    if !pointer.is_null() {
        return Ok(pointer);
    }
    let message = runtime.take_message().unwrap_or_else(|| "no further message from the library".to_owned());
    Err(Error::refused(call, format!("returned null: {message}")))
}

pub mod device {
    use super::*;

    pub fn set(runtime: &Runtime, id: i32) -> Result<()> {
        call!(runtime, aclrtSetDevice(id))
    }

    pub fn reset(runtime: &Runtime, id: i32) -> Result<()> {
        call!(runtime, aclrtResetDevice(id))
    }

    pub fn count(runtime: &Runtime) -> Result<u32> {
        let mut count = 0;
        call!(runtime, aclrtGetDeviceCount(&mut count))?;
        Ok(count)
    }
}

pub mod memory {
    use super::*;

    pub fn malloc(runtime: &Runtime, bytes: usize) -> Result<*mut c_void> {
        let mut pointer = null_mut();
        let policy = sys::aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;
        call!(runtime, aclrtMalloc(&mut pointer, bytes, policy))?;
        Ok(pointer)
    }

    pub unsafe fn free(runtime: &Runtime, pointer: *mut c_void) -> Result<()> {
        call!(runtime, aclrtFree(pointer))
    }

    pub unsafe fn memcpy(
        runtime: &Runtime,
        to: *mut c_void,
        to_bytes: usize,
        from: *const c_void,
        bytes: usize,
        kind: sys::aclrtMemcpyKind,
    ) -> Result<()> {
        call!(runtime, aclrtMemcpy(to, to_bytes, from, bytes, kind))
    }
}

pub mod stream {
    use super::*;

    pub fn create(runtime: &Runtime) -> Result<sys::aclrtStream> {
        let mut stream = null_mut();
        call!(runtime, aclrtCreateStream(&mut stream))?;
        Ok(stream)
    }

    pub unsafe fn destroy(runtime: &Runtime, stream: sys::aclrtStream) -> Result<()> {
        call!(runtime, aclrtDestroyStream(stream))
    }

    pub unsafe fn synchronize(runtime: &Runtime, stream: sys::aclrtStream) -> Result<()> {
        call!(runtime, aclrtSynchronizeStream(stream))
    }

    pub unsafe fn wait_event(runtime: &Runtime, stream: sys::aclrtStream, event: sys::aclrtEvent) -> Result<()> {
        call!(runtime, aclrtStreamWaitEvent(stream, event))
    }
}

pub mod event {
    use super::*;

    pub fn create(runtime: &Runtime) -> Result<sys::aclrtEvent> {
        let mut event = null_mut();
        call!(runtime, aclrtCreateEvent(&mut event))?;
        Ok(event)
    }

    pub unsafe fn destroy(runtime: &Runtime, event: sys::aclrtEvent) -> Result<()> {
        call!(runtime, aclrtDestroyEvent(event))
    }

    pub unsafe fn record(runtime: &Runtime, event: sys::aclrtEvent, stream: sys::aclrtStream) -> Result<()> {
        call!(runtime, aclrtRecordEvent(event, stream))
    }

    pub unsafe fn synchronize(runtime: &Runtime, event: sys::aclrtEvent) -> Result<()> {
        call!(runtime, aclrtSynchronizeEvent(event))
    }

    pub unsafe fn is_complete(runtime: &Runtime, event: sys::aclrtEvent) -> Result<bool> {
        let mut status = sys::aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_NOT_READY;
        call!(runtime, aclrtQueryEventStatus(event, &mut status))?;
        Ok(status == sys::aclrtEventRecordedStatus::ACL_EVENT_RECORDED_STATUS_COMPLETE)
    }

    pub unsafe fn elapsed_ms(runtime: &Runtime, start: sys::aclrtEvent, end: sys::aclrtEvent) -> Result<f32> {
        let mut ms = 0.0;
        call!(runtime, aclrtEventElapsedTime(&mut ms, start, end))?;
        Ok(ms)
    }
}

pub mod tensor {
    use super::*;

    /// `strides: None` means contiguous.
    pub unsafe fn create(
        runtime: &Runtime,
        shape: &[i64],
        dtype: sys::aclDataType,
        strides: Option<&[i64]>,
        offset: i64,
        storage: &[i64],
        data: *mut c_void,
    ) -> Result<*mut sys::aclTensor> {
        let strides = strides.map_or(std::ptr::null(), <[i64]>::as_ptr);
        // SAFETY: the slices outlive the call, which copies them; `data` is only stored.
        let tensor = unsafe {
            runtime.api().aclCreateTensor(
                shape.as_ptr(),
                shape.len() as u64,
                dtype,
                strides,
                offset,
                sys::aclFormat::ACL_FORMAT_ND,
                storage.as_ptr(),
                storage.len() as u64,
                data,
            )
        };
        not_null(runtime, "aclCreateTensor", tensor)
    }

    pub unsafe fn destroy(runtime: &Runtime, tensor: *const sys::aclTensor) -> Result<()> {
        call!(runtime, aclDestroyTensor(tensor))
    }
}

pub mod scalar {
    use super::*;

    pub unsafe fn create(
        runtime: &Runtime,
        value: *mut c_void,
        dtype: sys::aclDataType,
    ) -> Result<*mut sys::aclScalar> {
        // SAFETY: the caller's value has the size of `dtype`; the call copies it.
        let scalar = unsafe { runtime.api().aclCreateScalar(value, dtype) };
        not_null(runtime, "aclCreateScalar", scalar)
    }

    pub unsafe fn destroy(runtime: &Runtime, scalar: *const sys::aclScalar) -> Result<()> {
        call!(runtime, aclDestroyScalar(scalar))
    }
}
