//! Broken rules that change nothing here: kept while a launch runs, handed to the caller.

use crate::{
    fault::{Fault, FaultClass, Raise},
    site::{self, Site},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// One finding per class and call, that of the lowest core.
#[derive(Clone, Debug, Default)]
pub struct Rules(Arc<Mutex<HashMap<(FaultClass, Site), Fault>>>);

impl Rules {
    fn lock(&self) -> MutexGuard<'_, HashMap<(FaultClass, Site), Fault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `site`: the current call, unless the finding blames another one.
    pub(super) fn add(&self, raise: Raise, kernel: &str, core: u32, site: Site) {
        let key = (raise.class, raise.site.unwrap_or(site));
        if self.lock().get(&key).is_some_and(|known| known.core <= core) {
            return;
        }
        let at = raise.site.map_or_else(|| site::current(site), Site::location);
        self.lock().insert(key, raise.into_fault(kernel, core, at));
    }

    /// What was found, in the order of cores and lines.
    pub fn take(&self) -> Vec<Fault> {
        let mut all: Vec<Fault> = self.lock().drain().map(|(_, fault)| fault).collect();
        all.sort_by_cached_key(|f| (f.core, f.to_string()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipe::Pipe;

    #[test]
    fn a_call_is_listed_once_for_its_lowest_core() {
        let rules = Rules::default();
        let raise = |class| Raise::new(class, Pipe::S, "I", "w").rule();
        for core in [2, 0, 1] {
            rules.add(raise(FaultClass::Leak), "k", core, Site(1));
        }
        rules.add(raise(FaultClass::Queue), "k", 3, Site(1));
        let found: Vec<_> = rules.take().into_iter().map(|f| (f.core, f.class)).collect();
        assert_eq!(found, [(0, FaultClass::Leak), (3, FaultClass::Queue)]);
        assert!(rules.take().is_empty());
    }
}
