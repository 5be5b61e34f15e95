//! The C ABI of `hostcann/host_abi.h` except for plans. The structures mirror that header.

use crate::dtype::{self, DType};
use crate::failure::{Outcome, status};
use crate::kernel_binary::{self, KernelBinary, Request};
use crate::kernel_config::Tensor;
use crate::log::Level;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

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

#[unsafe(no_mangle)]
pub extern "C" fn hc_log_enabled(level: i32) -> i32 {
    i32::from(crate::log::enabled(Level::from_abi(level)))
}

/// # Safety
/// The pointers are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_log(level: i32, module: *const c_char, message: *const c_char) {
    // SAFETY: by this function's contract.
    unsafe { crate::log::write(Level::from_abi(level), &text(module), &text(message)) };
}

/// # Safety
/// The pointers are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_report_error(code: *const c_char, message: *const c_char) {
    // SAFETY: by this function's contract.
    unsafe { crate::errmsg::report(&text(code), &text(message)) };
}

/// A failure of nnopbase with its status: inner errors go into the verdict.
///
/// # Safety
/// `message` is null or a NUL-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_note_failure(code: i32, message: *const c_char) {
    // SAFETY: by this function's contract.
    crate::verdict::append_inner(code, &unsafe { text(message) });
}

/// Names the function of an operator's host side that runs on this thread until `hc_host_leave`.
///
/// # Safety
/// Both are NUL-terminated strings that live so long.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_host_enter(what: *const c_char, op_type: *const c_char) {
    // A bad environment is reported by the functions that return a status; it leaves no time limit.
    let _ = crate::env::settings();
    // SAFETY: by this function's contract.
    unsafe { aicore::enter_host(what, op_type) };
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_host_leave() {
    aicore::leave_host();
}

/// The formatted text of `aclAppLog`, whose variadic part is inline in `acl_base_rt.h`. `level`: aclLogLevel.
///
/// # Safety
/// The pointers are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_app_log(
    level: i32,
    func: *const c_char,
    file: *const c_char,
    line: u32,
    message: *const c_char,
) {
    let level = match level {
        3.. => Level::Error,
        2 => Level::Warn,
        1 => Level::Info,
        _ => Level::Debug,
    };
    if crate::log::enabled(level) {
        // SAFETY: by this function's contract.
        let line = unsafe { format!("[{}:{line}][{}] {}", text(file), text(func), text(message)) };
        crate::log::write(level, "APP", &line);
    }
}

fn or_null<T>(outcome: Outcome<*const T>) -> *const T {
    outcome.unwrap_or_else(|failure| {
        failure.raise();
        null()
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_soc_name() -> *const c_char {
    or_null(crate::soc::soc().map(|s| s.name.as_ptr()))
}

/// # Safety
/// The pointers are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_soc_value(section: *const c_char, key: *const c_char) -> *const c_char {
    // SAFETY: by this function's contract.
    let (section, key) = unsafe { (text(section), text(key)) };
    or_null(crate::soc::soc().map(|s| s.get(&section, &key).map_or(null(), CStr::as_ptr)))
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_soc_folder() -> *const c_char {
    or_null(crate::soc::soc().map(|s| s.folder.as_ptr()))
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_dtype_size(dtype: i32) -> i64 {
    match dtype::aclDataTypeSize(dtype) {
        0 => -1,
        size => size as i64,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_promote_type(a: i32, b: i32) -> i32 {
    dtype::promote(a, b)
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_can_cast(from: i32, to: i32) -> i32 {
    i32::from(dtype::can_cast(from, to))
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_cast_supported(from: i32, to: i32) -> i32 {
    let pair = DType::from_abi(from).zip(DType::from_abi(to));
    i32::from(pair.is_some_and(|(from, to)| crate::cast::find(from, to).is_some()))
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_vendor_count() -> usize {
    crate::opp::installed().map_or_else(
        |failure| {
            failure.raise();
            0
        },
        |i| i.vendors.len(),
    )
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_vendor_dir(index: usize) -> *const c_char {
    or_null(crate::opp::installed().map(|i| i.vendors.get(index).map_or(null(), |v| v.c_directory.as_ptr())))
}

/// # Safety
/// `types` is null or valid for `count` elements.
unsafe fn tensors(what: &str, types: *const HcTensorType, count: usize) -> Outcome<Vec<Tensor>> {
    // SAFETY: by this function's contract.
    let types = unsafe { slice(what, types, count) }?;
    Ok(types.iter().map(|t| (t.present != 0).then_some((t.dtype, t.format))).collect())
}

/// # Safety
/// `op_type` is null or NUL-terminated, the arrays are valid for their counts, `found` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_find_kernel(
    op_type: *const c_char,
    inputs: *const HcTensorType,
    input_num: usize,
    outputs: *const HcTensorType,
    output_num: usize,
    found: *mut *const KernelBinary,
) -> i32 {
    refuse_forked!();
    let body = || {
        if op_type.is_null() || found.is_null() {
            fail!(NN_NULLPTR, "hc_find_kernel: op_type or found is a null pointer");
        }
        // SAFETY: by this function's contract.
        unsafe {
            let request = Request {
                op_type: text(op_type).into_owned(),
                inputs: tensors("inputs", inputs, input_num)?,
                outputs: tensors("outputs", outputs, output_num)?,
            };
            found.write(kernel_binary::find(request)?);
        }
        Ok(())
    };
    status(body())
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_checking() -> i32 {
    i32::from(crate::env::checking())
}

/// # Safety
/// `op_type` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_op_vendor_dir(op_type: *const c_char) -> *const c_char {
    // SAFETY: by this function's contract.
    let op_type = unsafe { text(op_type) };
    let find =
        || Ok(crate::opp::installed()?.find(&op_type)?.map_or(null(), |(vendor, _)| vendor.c_directory.as_ptr()));
    or_null(find())
}
