//! Device and pinned host memory.

use crate::base::failure::{Failure, put, status};
use crate::device::context::current;
use crate::device::memory::{Kind, allocate, device_bytes, device_limit, free, live_blocks};
use std::ffi::c_void;

/// # Safety
/// `out` is null or writable.
unsafe fn malloc(function: &str, out: *mut *mut c_void, size: usize, pad: usize, kind: Kind) -> i32 {
    // SAFETY: by this function's contract.
    unsafe { put(function, "the address of the result", out, || allocate(function, size, pad, kind)) }
}

/// Size of the block: rounded up to 32 bytes and 32 more (`padding_size` of the SoC file). Unknown policies count as
/// the default one.
///
/// # Safety
/// `dev_ptr` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMalloc(dev_ptr: *mut *mut c_void, size: usize, _policy: i32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { malloc("aclrtMalloc", dev_ptr, size, 32, Kind::Device) }
}

/// # Safety
/// `dev_ptr` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocCached(dev_ptr: *mut *mut c_void, size: usize, _policy: i32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { malloc("aclrtMallocCached", dev_ptr, size, 32, Kind::Device) }
}

/// # Safety
/// `dev_ptr` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocAlign32(dev_ptr: *mut *mut c_void, size: usize, _policy: i32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { malloc("aclrtMallocAlign32", dev_ptr, size, 0, Kind::Device) }
}

/// # Safety
/// `host_ptr` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtMallocHost(host_ptr: *mut *mut c_void, size: usize) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { malloc("aclrtMallocHost", host_ptr, size, 0, Kind::Host) }
}

/// Does not wait for streams.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtFree(dev_ptr: *mut c_void) -> i32 {
    refuse_forked!();
    status(free("aclrtFree", dev_ptr, Kind::Device))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtFreeHost(host_ptr: *mut c_void) -> i32 {
    refuse_forked!();
    status(free("aclrtFreeHost", host_ptr, Kind::Host))
}

/// Bytes of the modelled device, whatever `attr` asks for.
///
/// # Safety
/// `free` and `total` are null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetMemInfo(attr: i32, free: *mut usize, total: *mut usize) -> i32 {
    refuse_forked!();
    if total.is_null() {
        return Failure::null("aclrtGetMemInfo", "total").raise();
    }
    let query = || {
        if !(0..=17).contains(&attr) {
            fail!(INVALID_PARAM, "aclrtGetMemInfo: attribute {attr} is unknown, expected a value of aclrtMemAttr");
        }
        current()?;
        let Some(limit) = device_limit() else {
            fail!(RT_FEATURE_NOT_SUPPORT, "aclrtGetMemInfo: the SoC file names no memory_size");
        };
        // SAFETY: checked for null, writable by contract.
        unsafe { total.write(limit as usize) };
        Ok(limit.saturating_sub(device_bytes()) as usize)
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetMemInfo", "free", free, query) }
}

/// Blocks that were allocated and not freed, device and host.
#[unsafe(no_mangle)]
pub extern "C" fn hc_live_allocations() -> u64 {
    live_blocks() as u64
}

/// Bytes of device memory in use, padding included.
#[unsafe(no_mangle)]
pub extern "C" fn hc_live_bytes() -> u64 {
    device_bytes()
}
