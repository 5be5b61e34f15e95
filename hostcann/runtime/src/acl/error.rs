//! The last error and the messages of failed calls.

use crate::base::codes;
use crate::base::errmsg::{c_text, last_error, set_last_error, take};
use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static HANDED_OUT: RefCell<CString> = RefCell::new(CString::default());
}

#[unsafe(no_mangle)]
pub extern "C" fn aclGetRecentErrMsg() -> *const c_char {
    match take() {
        None => std::ptr::null(),
        Some(text) => HANDED_OUT.with(|slot| {
            *slot.borrow_mut() = c_text(&text);
            slot.borrow().as_ptr()
        }),
    }
}

/// `level` has one value, ACL_RT_THREAD_LEVEL.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtPeekAtLastError(level: i32) -> i32 {
    if level == 0 { last_error() } else { codes::RT_PARAM_INVALID }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtGetLastError(level: i32) -> i32 {
    if level == 0 { set_last_error(0) } else { codes::RT_PARAM_INVALID }
}
