//! Process and context parameters (aclSysParamOpt), of which the determinism level matters to executors.

use crate::device::{current, put};
use crate::failure::{Outcome, lock, status};
use std::sync::Mutex;

/// ACL_OPT_DETERMINISTIC .. ACL_OPT_ENABLE_KERNEL_EARLY_START
const OPTIONS: usize = 4;

pub struct SysParams(Mutex<[Option<i64>; OPTIONS]>);
static PROCESS: SysParams = SysParams::new();

impl SysParams {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> SysParams {
        SysParams(Mutex::new([None; OPTIONS]))
    }

    fn set(&self, option: i32, value: i64) -> Outcome {
        let index = check(option)?;
        let most = if option == 0 { 3 } else { 1 };
        if !(0..=most).contains(&value) {
            fail!(INVALID_PARAM, "value {value} of aclSysParamOpt {option} is out of range, expected 0 to {most}");
        }
        lock(&self.0)[index] = Some(value);
        Ok(())
    }

    fn get(&self, option: i32) -> Outcome<i64> {
        match lock(&self.0)[check(option)?] {
            Some(value) => Ok(value),
            None => fail!(RT_SYSPARAMOPT_NOT_SET, "aclSysParamOpt {option} was not set, set it first"),
        }
    }
}

fn check(option: i32) -> Outcome<usize> {
    match usize::try_from(option) {
        Ok(index) if index < OPTIONS => Ok(index),
        _ => fail!(INVALID_PARAM, "aclSysParamOpt {option} does not exist, expected 0 to {}", OPTIONS - 1),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetSysParamOpt(opt: i32, value: i64) -> i32 {
    status(PROCESS.set(opt, value))
}

/// # Safety
/// `value` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetSysParamOpt(opt: i32, value: *mut i64) -> i32 {
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetSysParamOpt", "value", value, || PROCESS.get(opt)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtCtxSetSysParamOpt(opt: i32, value: i64) -> i32 {
    status(current().and_then(|c| c.sys_params.set(opt, value)))
}

/// # Safety
/// `value` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCtxGetSysParamOpt(opt: i32, value: *mut i64) -> i32 {
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCtxGetSysParamOpt", "value", value, || current()?.sys_params.get(opt)) }
}

/// The determinism level of the process, 0 when nobody has set it.
#[unsafe(no_mangle)]
pub extern "C" fn hc_deterministic_level() -> i64 {
    lock(&PROCESS.0)[0].unwrap_or(0)
}
