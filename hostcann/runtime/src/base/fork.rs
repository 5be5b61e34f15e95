//! A process that was forked from one that uses the toolkit: its threads are gone, its locks may be held by them.

use crate::base::failure::{Failure, codes};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static USED: AtomicBool = AtomicBool::new(false);
static FORKED: AtomicBool = AtomicBool::new(false);

extern "C" fn in_the_child() {
    FORKED.store(USED.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// This process has a device from here on.
pub fn used() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function only touches atomics. Without the memory to register it, children go unnoticed.
        unsafe { libc::pthread_atfork(None, None, Some(in_the_child)) };
    });
    USED.store(true, Ordering::Relaxed);
}

/// The failure of every call in such a child.
pub fn failure() -> Option<Failure> {
    FORKED.load(Ordering::Relaxed).then(|| {
        Failure::new(
            codes::RT_INTERNAL_ERROR,
            "this process was forked from one that uses the device; its streams and memory belong to the parent. Fork before \
             aclInit and aclrtSetDevice, or start a new program (Python: multiprocessing.set_start_method(\"spawn\"))",
        )
    })
}

/// The status of a call that is refused.
pub fn refused() -> Option<i32> {
    failure().map(|failure| failure.raise())
}

/// First line of every acl function: nothing behind it may be touched in such a child.
macro_rules! refuse_forked {
    () => {
        if let Some(code) = $crate::base::fork::refused() {
            return code;
        }
    };
}
