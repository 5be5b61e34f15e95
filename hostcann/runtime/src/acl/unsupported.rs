//! Functions that programs link and the host toolkit does not have: 207000, a line on the log once per process, and a message
//! for whoever asks. The thread's last error stays what it is, so that it still names what a program has done wrong.

use crate::base::codes;
use crate::base::log::{Level, write};
use std::sync::atomic::{AtomicBool, Ordering};

fn refuse(name: &str, is_told: &AtomicBool) -> i32 {
    let text = format!("{name} is not supported by the host toolkit");
    if !is_told.swap(true, Ordering::Relaxed) {
        write(Level::Error, "ACL", &format!("[{}] {text}", codes::RT_FEATURE_NOT_SUPPORT));
    }
    crate::base::errmsg::report("EE9999", &text);
    codes::RT_FEATURE_NOT_SUPPORT
}

// Without their arguments, of which none is read: a caller of C leaves them where it likes.
macro_rules! unsupported {
    ($($name:ident)+) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> i32 {
                static IS_TOLD: AtomicBool = AtomicBool::new(false);
                refuse(stringify!($name), &IS_TOLD)
            }
        )+
    };
}

unsupported! {
    aclmdlFinalizeDump aclmdlInitDump aclmdlSetDump
    aclrtBinaryLoadFromData aclrtGetFunctionAddr
    aclrtDeviceEnablePeerAccess
    aclrtFreePhysical aclrtMallocPhysical aclrtMapMem aclrtUnmapMem aclrtReleaseMemAddress aclrtReserveMemAddress
    aclrtMemGetAllocationGranularity
    aclrtMemExportToShareableHandle aclrtMemImportFromShareableHandle aclrtMemSetPidToShareableHandle
    aclrtProcessReport
}

/// 207000 for a function that the toolkit does not have; `*is_told`, false at first, remembers that the log has it.
///
/// # Safety
/// `name` is NUL-terminated, `is_told` points to a byte of the caller's that begins as 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_unsupported(name: *const std::ffi::c_char, is_told: *mut bool) -> i32 {
    // SAFETY: by this function's contract; an AtomicBool has the layout of a bool.
    unsafe {
        let name = std::ffi::CStr::from_ptr(name).to_string_lossy();
        refuse(&name, AtomicBool::from_ptr(is_told))
    }
}
