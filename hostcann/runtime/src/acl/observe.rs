//! The `hc_observe` function of `hostcann/observe.h`.

use crate::base::failure::status;
use crate::device::engine::{engine, watchers};
use aicore::Lines;
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

type StepFn = unsafe extern "C" fn(*mut c_void, u32, *const c_char);

/// The caller's function and its argument.
struct Caller(StepFn, *mut c_void);
// SAFETY: the header says that the function is called on other threads, with what the caller gave for it.
unsafe impl Send for Caller {}
// SAFETY: as above.
unsafe impl Sync for Caller {}

impl Caller {
    fn step(&self, core: u32, line: &str) {
        let line = CString::new(line.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the function and its argument are the caller's.
        unsafe { (self.0)(self.1, core, line.as_ptr()) };
    }
}

/// # Safety
/// `step` may be called with `user` until another call replaces it and the launches that run have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_observe(step: Option<StepFn>, user: *mut c_void) -> i32 {
    let watch = || {
        let engine = engine()?;
        let mut all = watchers()?;
        if let Some(step) = step {
            let caller = Caller(step, user);
            all.push(Arc::new(Lines::new(move |core, line| caller.step(core, line))));
        }
        engine.watch(all);
        Ok(())
    };
    status(watch())
}
