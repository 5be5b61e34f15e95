//! What others may know of a core while it runs: where it is, and whether its time is over.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

#[derive(Debug, Default)]
pub(crate) struct Progress {
    late: AtomicBool,
    site: AtomicUsize,
}

impl Progress {
    /// The kernel calls in from here; true when it may not go on.
    #[inline]
    pub fn enter(&self, site: usize) -> bool {
        self.site.store(site, Relaxed);
        self.late.load(Relaxed)
    }

    /// A block starts, in a launch whose time may be over.
    pub fn start(&self, late: bool) {
        self.site.store(0, Relaxed);
        self.late.store(late, Relaxed);
    }

    pub fn expire(&self) {
        self.late.store(true, Relaxed);
    }

    pub fn is_late(&self) -> bool {
        self.late.load(Relaxed)
    }

    /// The last call, 0 before the first.
    pub fn site(&self) -> usize {
        self.site.load(Relaxed)
    }
}
