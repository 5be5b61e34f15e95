//! Settings of the device that programs make before they use it, and what they ask about other devices.

use crate::base::failure::{Failure, Outcome, put, status};
use crate::base::soc::soc;
use crate::device::context::{DEVICE_COUNT, current};
use std::sync::atomic::{AtomicU32, Ordering};

/// aclrtFloatOverflowMode
const SATURATION: i32 = 0;
const INF_NAN: i32 = 1;

fn saturation_mode() -> Outcome<i32> {
    Ok(if crate::device::engine::saturates()? { SATURATION } else { INF_NAN })
}

/// The mode is a switch of the process, so that only the one in force can be asked for.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetDeviceSatMode(mode: i32) -> i32 {
    refuse_forked!();
    let set = || {
        current()?;
        let now = saturation_mode()?;
        let wanted = match mode {
            SATURATION => "saturate",
            INF_NAN => "infnan",
            _ => fail!(RT_PARAM_INVALID, "aclrtSetDeviceSatMode: mode {mode} is unknown, expected 0 or 1"),
        };
        if mode != now {
            fail!(
                RT_FEATURE_NOT_SUPPORT,
                "aclrtSetDeviceSatMode: mode {mode} is asked for, but {now} holds for the whole process; set \
                 HOSTCANN_SATURATION={wanted} before it starts"
            );
        }
        Ok(())
    };
    status(set())
}

/// # Safety
/// `mode` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetDeviceSatMode(mode: *mut i32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetDeviceSatMode", "mode", mode, || current().and_then(|_| saturation_mode())) }
}

/// Milliseconds; 1091 s are the documented default.
static TIME_OUT: AtomicU32 = AtomicU32::new(1_091_000);

fn set_time_out(function: &str, milliseconds: u64) -> Outcome {
    current()?;
    match u32::try_from(milliseconds) {
        Ok(milliseconds) => TIME_OUT.store(milliseconds, Ordering::Relaxed),
        Err(_) => fail!(RT_PARAM_INVALID, "{function}: {milliseconds} ms are too long"),
    }
    Ok(())
}

/// Seconds. Kept and read back: kernels here are slower than on a device, and HOSTCANN_TIME_LIMIT bounds them.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetOpExecuteTimeOut(timeout: u32) -> i32 {
    refuse_forked!();
    status(set_time_out("aclrtSetOpExecuteTimeOut", u64::from(timeout) * 1000))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSetOpExecuteTimeOutWithMs(timeout: u32) -> i32 {
    refuse_forked!();
    status(set_time_out("aclrtSetOpExecuteTimeOutWithMs", u64::from(timeout)))
}

/// # Safety
/// `timeout` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtGetOpExecuteTimeout(timeout: *mut u32) -> i32 {
    refuse_forked!();
    let get = || current().map(|_| TIME_OUT.load(Ordering::Relaxed));
    // SAFETY: by this function's contract.
    unsafe { put("aclrtGetOpExecuteTimeout", "timeoutMs", timeout, get) }
}

fn check_device(function: &str, device: i32) -> Outcome {
    if (0..DEVICE_COUNT).contains(&device) {
        return Ok(());
    }
    fail!(RT_INVALID_DEVICEID, "{function}: device id {device} does not exist, expected 0 to {}", DEVICE_COUNT - 1)
}

/// There is one device, and a device is no peer of itself.
///
/// # Safety
/// `can_access` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceCanAccessPeer(can_access: *mut i32, device: i32, peer: i32) -> i32 {
    const NAME: &str = "aclrtDeviceCanAccessPeer";
    refuse_forked!();
    let answer = || {
        check_device(NAME, device)?;
        check_device(NAME, peer)?;
        if device == peer {
            fail!(INVALID_PARAM, "{NAME}: deviceId and peerDeviceId are both {device}, expected two devices");
        }
        Ok(0)
    };
    // SAFETY: by this function's contract.
    unsafe { put(NAME, "canAccessPeer", can_access, answer) }
}

/// The process id as the system sees it outside of containers; here they are the same.
///
/// # Safety
/// `pid` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtDeviceGetBareTgid(pid: *mut i32) -> i32 {
    refuse_forked!();
    let own = || {
        soc()?;
        match i32::try_from(std::process::id()) {
            Ok(own) => Ok(own),
            Err(_) => Err(Failure::new(crate::base::codes::RT_INTERNAL_ERROR, "this process has no id of 31 bits")),
        }
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclrtDeviceGetBareTgid", "pid", pid, own) }
}
