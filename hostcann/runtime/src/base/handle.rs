//! Handles of streams, contexts and events.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Handles are numbers that are never used twice, so that a stale one is recognised.
pub fn new_handle() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x1000);
    NEXT.fetch_add(0x10, Ordering::Relaxed)
}
