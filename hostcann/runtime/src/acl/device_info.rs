//! Questions about the modelled device.

use crate::base::failure::{Failure, Outcome, put, status};
use crate::base::soc::soc;
use crate::device::context::{DEVICE_COUNT, current};
use std::ffi::{CStr, c_char};

fn check_device(device: u32) -> Outcome {
    if device >= DEVICE_COUNT as u32 {
        fail!(RT_INVALID_DEVICEID, "device id {device} does not exist, expected 0 to {}", DEVICE_COUNT - 1);
    }
    Ok(())
}

fn number(section: &str, key: &str) -> Outcome<i64> {
    Ok(soc()?.required_number(section, key)? as i64)
}

/// `attr`: aclrtDevAttr.
///
/// # Safety
/// `value` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceInfo(device_id: u32, attr: i32, value: *mut i64) -> i32 {
    refuse_forked!();
    let query = || {
        check_device(device_id)?;
        match attr {
            1 => number("SoCInfo", "ai_cpu_cnt"),
            101 => number("SoCInfo", "ai_core_cnt"),
            102 => number("SoCInfo", "cube_core_cnt"),
            201 => number("SoCInfo", "vector_core_cnt"),
            204 => number("AICoreSpec", "ub_size"),
            301 => number("SoCInfo", "memory_size"),
            302 => number("SoCInfo", "l2_size"),
            601 => number("version", "NpuArch"),
            _ => fail!(
                RT_FEATURE_NOT_SUPPORT,
                "aclrtGetDeviceInfo: attribute {attr} is not supported, supported: 1, 101, 102, 201, 204, 301, 302, 601"
            ),
        }
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetDeviceInfo", "value", value, query) }
}

/// `info`: ACL_DEVICE_INFO_AI_CORE_NUM 0, VECTOR_CORE_NUM 1, L2_SIZE 2.
///
/// # Safety
/// `value` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetDeviceCapability(device_id: u32, info: i32, value: *mut i64) -> i32 {
    refuse_forked!();
    let query = || {
        check_device(device_id)?;
        match info {
            0 => number("SoCInfo", "ai_core_cnt"),
            1 => number("SoCInfo", "vector_core_cnt"),
            2 => number("SoCInfo", "l2_size"),
            _ => fail!(INVALID_PARAM, "aclGetDeviceCapability: device info {info} is unknown, expected 0, 1 or 2"),
        }
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclGetDeviceCapability", "value", value, query) }
}

/// Cores that kernels launched by this thread may use: all of them. `kind`: cube 0, vector 1.
///
/// # Safety
/// `value` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetResInCurrentThread(kind: i32, value: *mut u32) -> i32 {
    refuse_forked!();
    let query = || {
        current()?;
        let cores = match kind {
            0 => number("SoCInfo", "cube_core_cnt")?,
            1 => number("SoCInfo", "vector_core_cnt")?,
            _ => fail!(INVALID_PARAM, "aclrtGetResInCurrentThread: type {kind} is unknown, expected 0 or 1"),
        };
        Ok(cores as u32)
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetResInCurrentThread", "value", value, query) }
}

/// Full name such as "Ascend910B3"; null on failure.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtGetSocName() -> *const c_char {
    match soc() {
        Ok(soc) => soc.name.as_ptr(),
        Err(failure) => {
            failure.raise();
            std::ptr::null()
        }
    }
}

/// Text of `key` in the section `label` of the SoC file, which tiling functions read: "AICoreSpec" and "l0_a_size".
///
/// # Safety
/// `label` and `key` are null or NUL-terminated strings; `value` is null or has room for `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rtGetSocSpec(
    label: *const c_char,
    key: *const c_char,
    value: *mut c_char,
    capacity: u32,
) -> i32 {
    let names = [("label", label), ("key", key), ("val", value.cast_const())];
    if let Some((name, _)) = names.iter().find(|(_, pointer)| pointer.is_null()) {
        return Failure::null("rtGetSocSpec", name).raise();
    }
    // SAFETY: checked for null, a string by this function's contract.
    let text = |pointer: *const c_char| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned();
    let query = || {
        let (label, key) = (text(label), text(key));
        let Some(found) = soc()?.get(&label, &key) else {
            fail!(RT_PARAM_INVALID, "rtGetSocSpec: the SoC file has no {key} in [{label}]");
        };
        let bytes = found.to_bytes_with_nul();
        if bytes.len() > capacity as usize {
            fail!(
                RT_PARAM_INVALID,
                "rtGetSocSpec: {key} takes {} bytes, expected room for them, got {capacity}",
                bytes.len()
            );
        }
        // SAFETY: there is room for `capacity` bytes, by this function's contract.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), value, bytes.len()) };
        Ok(())
    };
    status(query())
}
