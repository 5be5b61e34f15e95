//! The structures of `hostcann/host_abi.h`, and what a C caller's arrays and strings are on this side.

use crate::base::failure::Outcome;
use std::ffi::{CStr, c_char, c_void};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcTensorType {
    pub present: i32,
    pub dtype: i32,
    pub format: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HcOperand {
    pub present: i32,
    pub storage: u32,
    pub byte_offset: u64,
    pub bytes: u64,
    pub view: u32,
}

/// Values of `HcMemory::kind`.
pub mod memory_kind {
    pub const EXTERNAL: i32 = 0;
    pub const WORKSPACE: i32 = 1;
    pub const HOST: i32 = 2;
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcMemory {
    pub key: *const c_void,
    pub kind: i32,
    pub gone: i32,
    pub address: *mut c_void,
    pub bytes: u64,
    pub offset: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcElements {
    pub rank: u64,
    pub dims: *const i64,
    pub strides: *const i64,
    pub bits: u32,
    pub first: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct HcTensor {
    pub memory: HcMemory,
    pub view: i32,
    pub element_bits: u32,
    pub view_offset: i64,
    pub storage_offset: i64,
    pub bytes: u64,
    pub gaps: i32,
    pub elements: HcElements,
}

#[repr(C)]
pub struct HcLaunch {
    pub tiling_key: u64,
    pub block_dim: u32,
    pub need_atomic: i32,
    pub tiling_data: *const c_void,
    pub tiling_size: u64,
    pub tiling_other: *const c_void,
    pub workspaces: *const u64,
    pub workspace_num: u64,
}

#[repr(C)]
pub struct HcStrided {
    pub at: HcOperand,
    pub strides: *const i64,
}

/// An argument of a launch without a plan that is an address.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HcPointer {
    /// Its place among all arguments.
    pub index: u32,
    pub address: *const c_void,
}

/// An array of a C caller; null is fine for length 0.
///
/// # Safety
/// `data` is null or valid for `len` elements.
pub unsafe fn slice<'a, T>(what: &str, data: *const T, len: usize) -> Outcome<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        fail!(NN_NULLPTR, "{what}: a null pointer with {len} elements");
    }
    // SAFETY: by this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(data, len) })
}

/// # Safety
/// `text` is null or NUL-terminated.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> std::borrow::Cow<'a, str> {
    if text.is_null() {
        return "".into();
    }
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}
