//! aclInit, aclFinalize and the configuration file.

use crate::base::failure::{Failure, Outcome, codes, lock};
use std::ffi::{CStr, c_char};
use std::sync::Mutex;

struct State {
    references: u64,
    finalized: bool,
    config: Option<serde_json::Value>,
}
static STATE: Mutex<State> = Mutex::new(State { references: 0, finalized: false, config: None });

/// # Safety
/// `config_path` is null or a NUL-terminated string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclInit(config_path: *const c_char) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    match unsafe { init(config_path) } {
        Ok(code) => code,
        Err(failure) => failure.raise(),
    }
}

/// # Safety
/// As aclInit.
unsafe fn init(config_path: *const c_char) -> Outcome<i32> {
    // SAFETY: by this function's contract.
    let config = unsafe { read_config(config_path) }?;
    let mut state = lock(&STATE);
    if state.references > 0 {
        if config.is_some() && config != state.config {
            fail!(INVALID_PARAM, "aclInit: already initialised with a different configuration, call aclFinalize first");
        }
        state.references += 1;
        return Ok(codes::REPEAT_INITIALIZE);
    }
    crate::base::fork::used();
    crate::device::engine::check()
        .map_err(|e| Failure::new(codes::INVALID_PARAM, format!("aclInit: {}", e.message)))?;
    crate::base::errmsg::set_process_level(err_msg_mode(config.as_ref())?);
    state.references = 1;
    state.finalized = false;
    state.config = config;
    Ok(codes::SUCCESS)
}

/// # Safety
/// As aclInit.
unsafe fn read_config(path: *const c_char) -> Outcome<Option<serde_json::Value>> {
    if path.is_null() {
        return Ok(None);
    }
    // SAFETY: a non-null path is NUL-terminated by aclInit's contract.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    if path.is_empty() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(path.as_ref()).map_err(|e| {
        Failure::new(codes::INVALID_FILE, format!("aclInit: cannot read the configuration file {path}: {e}"))
    })?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|e| Failure::new(codes::PARSE_FILE, format!("aclInit: configuration file {path} is not JSON: {e}")))?;
    match value.as_object() {
        Some(object) if object.is_empty() => Ok(None),
        Some(_) => Ok(Some(value)),
        None => fail!(PARSE_FILE, "aclInit: configuration file {path} must hold a JSON object"),
    }
}

/// True for process level. "0" thread level (default), "1" process level.
fn err_msg_mode(config: Option<&serde_json::Value>) -> Outcome<bool> {
    match config.and_then(|c| c.get("err_msg_mode")) {
        None => Ok(false),
        Some(mode) => match mode.as_str() {
            Some("0") => Ok(false),
            Some("1") => Ok(true),
            _ => fail!(INVALID_PARAM, "aclInit: err_msg_mode is {mode}, expected \"0\" (thread) or \"1\" (process)"),
        },
    }
}

/// A second finalize without an init in between is 100037; the very first one succeeds even without an init.
#[unsafe(no_mangle)]
pub extern "C" fn aclFinalize() -> i32 {
    refuse_forked!();
    let mut state = lock(&STATE);
    if state.finalized {
        return codes::REPEAT_FINALIZE;
    }
    finish(&mut state);
    codes::SUCCESS
}

/// # Safety
/// `ref_count` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclFinalizeReference(ref_count: *mut u64) -> i32 {
    refuse_forked!();
    let mut state = lock(&STATE);
    if state.finalized {
        return codes::REPEAT_FINALIZE;
    }
    state.references = state.references.saturating_sub(1);
    if !ref_count.is_null() {
        // SAFETY: non-null and writable by contract.
        unsafe { ref_count.write(state.references) };
    }
    if state.references == 0 {
        finish(&mut state);
    }
    codes::SUCCESS
}

fn finish(state: &mut State) {
    crate::device::stream::drain_all();
    state.references = 0;
    state.finalized = true;
    state.config = None;
    crate::base::errmsg::set_process_level(false);
}
