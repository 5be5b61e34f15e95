//! The functions of `hostcann/host_abi.h` except for plans: log, messages, SoC, data types, installed packages, kernels.

use crate::base::dtype;
use crate::base::failure::{Outcome, status};
use crate::base::host_abi::{HcStatus, HcTensorType, slice, text};
use crate::base::log::Level;
use crate::package::kernel_binary::{self, KernelBinary, Request};
use crate::package::kernel_config::Tensor;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

/// Whether the log shows lines of this level (HC_LOG_*).
#[unsafe(no_mangle)]
pub extern "C" fn hc_log_enabled(level: i32) -> i32 {
    i32::from(crate::base::log::enabled(Level::from_abi(level)))
}

/// Writes a line to the log.
///
/// # Safety
/// The pointers are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_log(level: i32, module: *const c_char, message: *const c_char) {
    // SAFETY: by this function's contract.
    unsafe { crate::base::log::write(Level::from_abi(level), &text(module), &text(message)) };
}

/// Adds a message to the calling thread's list, newest first; aclGetRecentErrMsg returns and clears it. code:
/// "EZ1001".
///
/// # Safety
/// The pointers are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_report_error(code: *const c_char, message: *const c_char) {
    // SAFETY: by this function's contract.
    unsafe { crate::base::errmsg::report(&text(code), &text(message)) };
}

/// A failure of nnopbase with its status: inner errors go into the verdict.
///
/// # Safety
/// `message` is null or a NUL-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_note_failure(code: i32, message: *const c_char) {
    // SAFETY: by this function's contract.
    crate::base::verdict::append_inner(code, &unsafe { text(message) });
}

/// Names the function of an operator's host side that runs on this thread until `hc_host_leave`.
///
/// `frame`: an address in the caller's stack frame; a crash is told with the functions above it.
///
/// # Safety
/// The first two are NUL-terminated strings that live so long.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_host_enter(what: *const c_char, op_type: *const c_char, frame: *const c_void) {
    // A bad environment is reported by the functions that return a status; it leaves no time limit.
    let _ = crate::base::env::settings();
    // SAFETY: by this function's contract.
    unsafe { aicore::enter_host(what, op_type, frame as usize) };
}

/// The function of `hc_host_enter` has returned.
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
    if crate::base::log::enabled(level) {
        // SAFETY: by this function's contract.
        let line = unsafe { format!("[{}:{line}][{}] {}", text(file), text(func), text(message)) };
        crate::base::log::write(level, "APP", &line);
    }
}

fn or_null<T>(outcome: Outcome<*const T>) -> *const T {
    outcome.unwrap_or_else(|failure| {
        failure.raise();
        null()
    })
}

/// Full name, e.g. "Ascend910B3". NULL (and a reported error) when the SoC file is missing or broken.
#[unsafe(no_mangle)]
pub extern "C" fn hc_soc_name() -> *const c_char {
    or_null(crate::base::soc::soc().map(|s| s.name.as_ptr()))
}

/// Text of `key` in `[section]` of the SoC file after environment overrides; NULL when absent. Lives as long as the
/// process.
///
/// # Safety
/// The pointers are null or NUL-terminated strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_soc_value(section: *const c_char, key: *const c_char) -> *const c_char {
    // SAFETY: by this function's contract.
    let (section, key) = unsafe { (text(section), text(key)) };
    or_null(crate::base::soc::soc().map(|s| s.get(&section, &key).map_or(null(), CStr::as_ptr)))
}

/// Folder of the SoC below op_impl/ai_core/tbe/{config,kernel}: "ascend910b" or "ascend910_93".
#[unsafe(no_mangle)]
pub extern "C" fn hc_soc_folder() -> *const c_char {
    or_null(crate::base::soc::soc().map(|s| s.folder.as_ptr()))
}

/// Bytes, -1 when unknown.
#[unsafe(no_mangle)]
pub extern "C" fn hc_dtype_size(dtype: i32) -> i64 {
    match dtype::size_of_value(dtype) {
        0 => -1,
        size => size as i64,
    }
}

/// Opdev PromoteType table; 28 (DT_UNDEFINED) when undefined.
#[unsafe(no_mangle)]
pub extern "C" fn hc_promote_type(a: i32, b: i32) -> i32 {
    dtype::promote(a, b)
}

/// Opdev CanCast.
#[unsafe(no_mangle)]
pub extern "C" fn hc_can_cast(from: i32, to: i32) -> i32 {
    i32::from(dtype::can_cast(from, to))
}

/// Whether hc_plan_add_cast accepts the pair.
#[unsafe(no_mangle)]
pub extern "C" fn hc_cast_supported(from: i32, to: i32) -> i32 {
    let pair = dtype::of_number(from).zip(dtype::of_number(to));
    i32::from(pair.is_some_and(|(from, to)| crate::base::cast::find(from, to).is_some()))
}

/// Vendor directories in search order: ASCEND_CUSTOM_OPP_PATH entries, then
/// $ASCEND_OPP_PATH/vendors/<load_priority>.
#[unsafe(no_mangle)]
pub extern "C" fn hc_vendor_count() -> usize {
    crate::package::opp::installed().map_or_else(
        |failure| {
            failure.raise();
            0
        },
        |i| i.vendors.len(),
    )
}

/// The vendor directory with this number; NULL after the last.
#[unsafe(no_mangle)]
pub extern "C" fn hc_vendor_dir(index: usize) -> *const c_char {
    or_null(crate::package::opp::installed().map(|i| i.vendors.get(index).map_or(null(), |v| v.c_directory.as_ptr())))
}

/// # Safety
/// `types` is null or valid for `count` elements.
unsafe fn tensors(what: &str, types: *const HcTensorType, count: usize) -> Outcome<Vec<Tensor>> {
    // SAFETY: by this function's contract.
    let types = unsafe { slice(what, types, count) }?;
    Ok(types.iter().map(|t| (t.present != 0).then_some((t.dtype, t.format))).collect())
}

/// Looks up the op type in aic-<soc>-ops-info.json and the binary in kernel/config/<soc>/<op>.json for exactly these
/// types. Failure: 561003/561107/561108..561112 with a reported error that names op, dtypes and what is installed.
///
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
) -> HcStatus {
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

/// 1 when kernels run checked (HOSTCANN_CHECK).
#[unsafe(no_mangle)]
pub extern "C" fn hc_checking() -> i32 {
    i32::from(crate::base::env::checking())
}

/// Vendor directory in which the op type was found, NULL when not installed.
///
/// # Safety
/// `op_type` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_op_vendor_dir(op_type: *const c_char) -> *const c_char {
    // SAFETY: by this function's contract.
    let op_type = unsafe { text(op_type) };
    let find = || {
        Ok(crate::package::opp::installed()?.find(&op_type)?.map_or(null(), |(vendor, _)| vendor.c_directory.as_ptr()))
    };
    or_null(find())
}
