//! The `hc_stats_*` functions of `hostcann/stats.h`.

use crate::base::failure::{Failure, Outcome, status};
use crate::device::engine::engine;
use aicore::abi::Opcode;
use aicore::{LaunchStats, OpcodeStats};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::sync::LazyLock;

/// Writes to a caller's structure.
///
/// # Safety
/// `to` is null or valid for writing.
unsafe fn put<T>(function: &str, to: *mut T, value: T) -> Outcome {
    if to.is_null() {
        return Err(Failure::null(function, "stats"));
    }
    // SAFETY: not null, and valid by the caller's promise.
    unsafe { to.write(value) };
    Ok(())
}

/// 0 on success, else an aclError whose text aclGetRecentErrMsg has. Launches that are running when the switch moves
/// keep the setting they started with.
#[unsafe(no_mangle)]
pub extern "C" fn hc_stats_enable(on: i32) -> i32 {
    status(engine().map(|e| e.stats().enable(on != 0)))
}

/// Forgets what was counted.
#[unsafe(no_mangle)]
pub extern "C" fn hc_stats_reset() -> i32 {
    status(engine().map(|e| e.stats().reset()))
}

/// Sums since the last reset.
///
/// # Safety
/// `stats` is null or valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_stats_read(stats: *mut LaunchStats) -> i32 {
    // SAFETY: as promised by the caller.
    status(engine().and_then(|e| unsafe { put("hc_stats_read", stats, e.stats().read().all.total) }))
}

/// The launch that finished last.
///
/// # Safety
/// `stats` is null or valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_stats_read_last(stats: *mut LaunchStats) -> i32 {
    // SAFETY: as promised by the caller.
    status(engine().and_then(|e| unsafe { put("hc_stats_read_last", stats, e.stats().read().last.total) }))
}

/// Sums of one vector instruction, by its Ascend C name: "Div".
///
/// # Safety
/// `name` is null or a C string; `stats` is null or valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_stats_read_opcode(name: *const c_char, stats: *mut OpcodeStats) -> i32 {
    let read = || {
        if name.is_null() {
            return Err(Failure::null("hc_stats_read_opcode", "name"));
        }
        // SAFETY: not null, and a C string by the caller's promise.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let code = Opcode::TABLE.iter().find(|(n, _)| *n == name).map(|(_, code)| *code);
        let Some(op) = code.and_then(Opcode::from_code) else {
            let known: Vec<_> = Opcode::TABLE.iter().map(|(n, _)| *n).collect();
            fail!(
                INVALID_PARAM,
                "hc_stats_read_opcode: there is no vector instruction \"{name}\", expected one of {}",
                known.join(", ")
            );
        };
        // SAFETY: as promised by the caller.
        unsafe { put("hc_stats_read_opcode", stats, engine()?.stats().read().all.opcode(op)) }
    };
    status(read())
}

/// Names that hc_stats_read_opcode takes, by index from 0 on; null behind the last.
#[unsafe(no_mangle)]
pub extern "C" fn hc_stats_opcode_name(index: u32) -> *const c_char {
    static NAMES: LazyLock<Vec<CString>> =
        LazyLock::new(|| Opcode::TABLE.iter().map(|(name, _)| CString::new(*name).unwrap_or_default()).collect());
    NAMES.get(index as usize).map_or(std::ptr::null(), |name| name.as_ptr())
}

/// All of it for a reader; valid until the calling thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn hc_stats_text() -> *const c_char {
    thread_local! {
        static TEXT: RefCell<CString> = RefCell::default();
    }
    let text = match engine() {
        Ok(engine) => engine.stats().read().to_string(),
        Err(failure) => failure.message,
    };
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    TEXT.with(|t| {
        *t.borrow_mut() = text;
        t.borrow().as_ptr()
    })
}
