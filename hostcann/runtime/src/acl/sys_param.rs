//! The acl functions for parameters of the process and of the current context.

use crate::base::failure::{put, status};
use crate::device::context::current;
use crate::device::sys_param::PROCESS;

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetSysParamOpt(opt: i32, value: i64) -> i32 {
    refuse_forked!();
    status(PROCESS.set(opt, value))
}

/// An option of the process that was not set has its default.
///
/// # Safety
/// `value` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSysParamOpt(opt: i32, value: *mut i64) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetSysParamOpt", "value", value, || PROCESS.get_or_default(opt)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtCtxSetSysParamOpt(opt: i32, value: i64) -> i32 {
    refuse_forked!();
    status(current().and_then(|c| c.sys_params.set(opt, value)))
}

/// # Safety
/// `value` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetSysParamOpt(opt: i32, value: *mut i64) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCtxGetSysParamOpt", "value", value, || current()?.sys_params.get(opt)) }
}

/// The determinism level of the process, 0 when nobody has set it.
#[unsafe(no_mangle)]
pub extern "C" fn hc_deterministic_level() -> i64 {
    PROCESS.deterministic_level()
}
