//! The C interface: one function that answers requests, and one that frees the answers.

use std::ffi::{CStr, CString, c_char};
use std::panic::catch_unwind;

use crate::answer;

/// The answer to a request, both JSON in UTF-8 that ends with NUL; `autofuse_free` takes it back. A panic is an error
/// like any other. Any thread may call it.
///
/// # Safety
///
/// `request` is null or points to bytes that end with NUL and that nobody changes during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn autofuse_answer(request: *const c_char) -> *mut c_char {
    let text = if request.is_null() {
        error("the request is null")
    } else {
        // SAFETY: not null, and the caller promises the rest.
        let request = unsafe { CStr::from_ptr(request) };
        match request.to_str() {
            Ok(request) => guarded(|| answer(request)),
            Err(why) => error(&format!("the request is no UTF-8: {why}")),
        }
    };
    // JSON writes NUL as an escape.
    CString::new(text).unwrap_or_default().into_raw()
}

/// Frees an answer.
///
/// # Safety
///
/// `answer` is null or came from `autofuse_answer`, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn autofuse_free(answer: *mut c_char) {
    if !answer.is_null() {
        // SAFETY: it came from `into_raw`, and the caller gives it back once.
        drop(unsafe { CString::from_raw(answer) });
    }
}

/// No panic may leave a function of C.
fn guarded(work: impl FnOnce() -> String + std::panic::UnwindSafe) -> String {
    catch_unwind(work).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        error(&format!("a fault of autofuse itself: {}", said.unwrap_or("a panic")))
    })
}

fn error(why: &str) -> String {
    serde_json::json!({ "error": why }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(request: *const c_char) -> String {
        // SAFETY: null, or bytes that end with NUL and live longer than the call.
        let answer = unsafe { autofuse_answer(request) };
        // SAFETY: an answer ends with NUL.
        let text = unsafe { CStr::from_ptr(answer) }.to_str().expect("UTF-8").to_owned();
        // SAFETY: it came from `autofuse_answer`, once.
        unsafe { autofuse_free(answer) };
        text
    }

    #[test]
    fn whatever_comes_is_answered() {
        assert_eq!(ask(std::ptr::null()), r#"{"error":"the request is null"}"#);
        assert!(ask(c"\xff".as_ptr()).starts_with(r#"{"error":"the request is no UTF-8"#));
        assert!(ask(c"{}".as_ptr()).starts_with(r#"{"error":"the request cannot be read: missing field `verb`"#));
        assert!(
            ask(c"{\"verb\": \"dump\", \"graph\": \"\"}".as_ptr()).starts_with(r#"{"error":"the graph cannot be read"#)
        );
        // SAFETY: null is allowed.
        unsafe { autofuse_free(std::ptr::null_mut()) };
    }

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guarded(|| panic!("{} is odd", 3)), r#"{"error":"a fault of autofuse itself: 3 is odd"}"#);
        assert_eq!(guarded(|| panic!("odd")), r#"{"error":"a fault of autofuse itself: odd"}"#);
    }
}
