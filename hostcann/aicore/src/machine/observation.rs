//! Who watches a block, and what the core remembers of the kernel's calls for them and for reports.

use crate::{
    base::{fault::Raise, site::Site},
    machine::observe::{Observer, Step},
};
use std::collections::HashSet;

#[derive(Default)]
pub(crate) struct Observation {
    /// Whoever watches this block; nobody in fast mode.
    pub observers: Vec<Box<dyn Observer>>,
    /// The kernel's own exception registers are among the observers.
    pub watches_local: bool,
    /// The kernel's call that is being executed.
    pub site: Site,
    /// The call before the one that ended the TPipe's life; 0 while it lives.
    pub site_before_close: Site,
    /// The scalar access to global memory that the kernel was allowed last.
    pub last_scalar: Option<(usize, Site)>,
    /// The line that was cleaned last, and reads that followed such a clean.
    pub cleaned: Option<usize>,
    pub polled: HashSet<(Site, usize)>,
}

impl Observation {
    /// State at kernel entry.
    pub fn reset(&mut self) {
        self.observers.clear();
        self.watches_local = false;
        (self.site, self.site_before_close) = (Site::default(), Site::default());
        (self.last_scalar, self.cleaned) = (None, None);
        self.polled.clear();
    }

    /// Whether somebody watches. What every instruction passes asks this first: building a step costs more than the branch.
    #[inline]
    pub fn observed(&self) -> bool {
        !self.observers.is_empty()
    }

    /// Tells the observers.
    #[inline]
    pub fn observe(&mut self, step: Step<'_>) -> Result<(), Raise> {
        if self.observed() { self.tell(&step) } else { Ok(()) }
    }

    #[cold]
    fn tell(&mut self, step: &Step<'_>) -> Result<(), Raise> {
        let site = self.site;
        self.observers.iter_mut().try_for_each(|o| o.step(site, step))
    }
}
