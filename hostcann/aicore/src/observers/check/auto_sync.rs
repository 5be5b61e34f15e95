//! Where a kernel relies on the compiler's automatic synchronisation: scalar accesses that no event orders.

use super::{
    LaunchInfo,
    order::{self, InstructionKind, Relied},
};
use crate::base::{
    fault::{FaultClass, Raise},
    site::Site,
};
use std::collections::HashMap;

/// The pairs of a launch, with the lowest core that has them.
#[derive(Default)]
pub(super) struct AutoSync(HashMap<(Site, Site), (u32, InstructionKind, InstructionKind)>);

impl AutoSync {
    pub fn add(&mut self, core: u32, pairs: Relied) {
        for (sites, (now, earlier)) in pairs {
            let known = self.0.entry(sites).or_insert((core, now, earlier));
            known.0 = known.0.min(core);
        }
    }

    /// One note for a launch, for the first of its places and how many there are.
    pub fn note(&self, info: &LaunchInfo, kernel: &str) {
        if info.options.allow.contains(&FaultClass::AutoSync) {
            return;
        }
        let first = self.0.iter().min_by_key(|((now, earlier), _)| (now.0, earlier.0));
        let Some(((site, earlier), (core, what, before))) = first else { return };
        let (event, fix) = order::missing(order::index(before.pipe()), order::index(what.pipe()));
        let others = match self.0.len() - 1 {
            0 => String::new(),
            1 => "; one more place of this kernel".to_owned(),
            n => format!("; {n} more places of this kernel"),
        };
        let what_for = "only the compiler's automatic synchronisation orders these two";
        let mut raise = Raise::new(FaultClass::AutoSync, what.pipe(), what.name(), what_for)
            .note()
            .expected(format!("{event} between the two, which holds with --cce-auto-sync=off as well"))
            .got(format!("no event after {}{}{others}", before.name(), earlier.at()))
            .fix(format!("{fix}; --no-auto-sync makes an error of every such place"));
        raise.site = Some(*site);
        info.rules.add(raise, kernel, *core, *site);
    }
}
