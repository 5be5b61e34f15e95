//! What a checked launch was found to do wrong: kept while it runs, handed to the caller.

use crate::base::{
    fault::{Fault, FaultClass, Raise, Severity},
    site::{self, Location, Site},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Where a finding is: its line, or the call where no line is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FindingLocation {
    Line(Location),
    Call(Site),
    /// A fault that ended its core.
    Instruction(String),
}

type Key = (FaultClass, FindingLocation, Option<String>);

#[derive(Debug, Default)]
struct FindingTable {
    /// With the number of the order in which they came.
    found: HashMap<Key, (usize, Fault)>,
    count: usize,
}

/// One finding per class, line and operand, that of the lowest core; of what has no effect one per class and line.
#[derive(Clone, Debug, Default)]
pub struct Findings(Arc<Mutex<FindingTable>>);

impl Findings {
    fn lock(&self) -> MutexGuard<'_, FindingTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `site`: the current call, unless the finding blames another one.
    pub(super) fn add(&self, raise: Raise, kernel: &str, core: u32, site: Site) {
        let (class, call) = (raise.class, raise.site.unwrap_or(site));
        // What is left over of one call is one thing.
        let told_apart = raise.severity == Severity::Error && class != FaultClass::Leak;
        let operand = raise.operand.clone().filter(|_| told_apart);
        let line = call.location();
        let place = line.clone().map_or(FindingLocation::Call(call), FindingLocation::Line);
        self.put((class, place, operand), core, || {
            // A call that is not the current one has no other place than its own.
            let at = if raise.site.is_some() { line } else { line.or_else(|| site::current(site)) };
            raise.into_fault(kernel, core, at)
        });
    }

    /// A fault that is complete: the end of a core, or what the launch as a whole has done.
    pub(crate) fn keep(&self, fault: Fault) {
        let place = fault
            .location
            .clone()
            .map_or(FindingLocation::Instruction(fault.instruction.clone()), FindingLocation::Line);
        self.put((fault.class, place, fault.said.operand.clone()), fault.core, || fault);
    }

    fn put(&self, key: Key, core: u32, fault: impl FnOnce() -> Fault) {
        if self.lock().found.get(&key).is_some_and(|(_, known)| known.core <= core) {
            return;
        }
        // Reading lines takes long: other cores go on meanwhile.
        let fault = fault();
        let mut kept = self.lock();
        kept.count += 1;
        let at = kept.count;
        let slot = kept.found.entry(key).or_insert_with(|| (at, fault.clone()));
        if fault.core < slot.1.core {
            *slot = (at, fault);
        }
    }

    /// The cause of what its core has done since: an error, and the first one.
    pub(super) fn blame(&self, fault: Fault) {
        let place = fault
            .location
            .clone()
            .map_or(FindingLocation::Instruction(fault.instruction.clone()), FindingLocation::Line);
        let key = (fault.class, place, fault.said.operand.clone());
        self.lock().found.insert(key, (0, Fault { severity: Severity::Error, ..fault }));
    }

    /// Takes some out.
    pub(super) fn remove(&self, wanted: impl Fn(&Fault) -> bool) -> Vec<Fault> {
        self.lock().found.extract_if(|_, (_, fault)| wanted(fault)).map(|(_, (_, fault))| fault).collect()
    }

    /// What was found, core by core, in the order in which a core did it.
    pub fn take(&self) -> Vec<Fault> {
        let mut all: Vec<_> = self.lock().found.drain().map(|(_, found)| found).collect();
        all.sort_by_key(|(at, fault)| (fault.core, *at));
        all.into_iter().map(|(_, fault)| fault).collect()
    }

    /// The first one of [`Findings::take`].
    pub(crate) fn first(&self) -> Option<Fault> {
        let kept = self.lock();
        let first = kept.found.values().min_by_key(|(at, fault)| (fault.core, *at))?;
        Some(first.1.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::pipe::Pipe;

    #[test]
    fn a_call_is_listed_once_for_its_lowest_core() {
        let rules = Findings::default();
        let raise = |class| Raise::new(class, Pipe::S, "I", "w").rule();
        for core in [2, 0, 1] {
            rules.add(raise(FaultClass::Leak).operand(core.to_string()), "k", core, Site(1));
        }
        rules.add(raise(FaultClass::Queue), "k", 3, Site(1));
        let found: Vec<_> = rules.take().into_iter().map(|f| (f.core, f.class)).collect();
        assert_eq!(found, [(0, FaultClass::Leak), (3, FaultClass::Queue)]);
        assert!(rules.take().is_empty());
    }

    #[test]
    fn errors_are_told_apart_by_class_call_and_operand_and_sorted_by_core() {
        let errors = Findings::default();
        let add = |class, operand: &str, core, site| {
            errors.add(Raise::new(class, Pipe::V, "I", "w").operand(operand), "k", core, Site(site));
        };
        use FaultClass::{Freed, Race};
        add(Race, "src0", 1, 7);
        add(Race, "src0", 1, 7);
        add(Race, "src1", 1, 7);
        add(Freed, "src0", 1, 7);
        add(Race, "src0", 1, 5);
        add(Race, "src1", 0, 7);
        errors.keep(Raise::new(Race, Pipe::V, "J", "ends").into_fault("k", 0, None));
        assert_eq!(errors.first().map(|f| (f.core, f.said.operand)), Some((0, Some("src1".to_owned()))));
        let found = errors.take();
        let of = |f: &Fault| (f.core, f.class, f.said.operand.clone().unwrap_or_default());
        let want = [(0, Race, "src1"), (0, Race, ""), (1, Race, "src0"), (1, Freed, "src0"), (1, Race, "src0")];
        assert_eq!(found.iter().map(of).collect::<Vec<_>>(), want.map(|(c, k, o)| (c, k, o.to_owned())));
        assert!(errors.first().is_none());
    }
}
