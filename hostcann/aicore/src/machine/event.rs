//! Hard events. Execution is in program order, so an event is one bit: set or not.

use crate::base::{
    fault::{FaultClass, Raise},
    pipe::Pipe,
    site::Site,
    switches::SecondSet,
};

/// Names in the order of the toolkit's `HardEvent` enum; the index is the value.
pub(crate) const EVENT_NAMES: [&str; 35] = [
    "MTE2_MTE1",
    "MTE1_MTE2",
    "MTE1_M",
    "M_MTE1",
    "MTE2_V",
    "V_MTE2",
    "MTE3_V",
    "V_MTE3",
    "M_V",
    "V_M",
    "V_V",
    "MTE3_MTE1",
    "MTE1_MTE3",
    "MTE1_V",
    "MTE2_M",
    "M_MTE2",
    "V_MTE1",
    "M_FIX",
    "FIX_M",
    "MTE3_MTE2",
    "MTE2_MTE3",
    "S_V",
    "V_S",
    "S_MTE2",
    "MTE2_S",
    "S_MTE3",
    "MTE3_S",
    "MTE2_FIX",
    "FIX_MTE2",
    "FIX_S",
    "M_S",
    "FIX_MTE3",
    "MTE1_FIX",
    "FIX_MTE1",
    "FIX_FIX",
];

/// Events a vector core has (enum HardEventAiv).
const VECTOR_CORE_EVENTS: [&str; 13] = [
    "MTE2_V",
    "V_MTE2",
    "MTE3_V",
    "V_MTE3",
    "V_V",
    "MTE3_MTE2",
    "MTE2_MTE3",
    "S_V",
    "V_S",
    "S_MTE2",
    "MTE2_S",
    "S_MTE3",
    "MTE3_S",
];

/// One (source pipe, destination pipe) pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HardEvent(pub u8);

impl HardEvent {
    pub const V_V: HardEvent = HardEvent(10);

    pub fn name(self) -> &'static str {
        EVENT_NAMES.get(self.0 as usize).copied().unwrap_or("?")
    }
    pub fn by_name(name: &str) -> Option<HardEvent> {
        EVENT_NAMES.iter().position(|n| *n == name).map(|i| HardEvent(i as u8))
    }
    /// Source pipe: the one that sets.
    pub fn source(self) -> Pipe {
        self.side(0)
    }
    /// Destination pipe: the one that waits.
    pub fn destination(self) -> Pipe {
        self.side(1)
    }
    fn side(self, i: usize) -> Pipe {
        let part = self.name().split('_').nth(i).unwrap_or("S");
        Pipe::TABLE.iter().find(|(n, _)| *n == part).map_or(Pipe::S, |(_, p)| *p)
    }
}

/// Ids that AllocEventID hands out: the toolkit counts them in a 64-bit word and looks at no limit.
pub(crate) const IDS: usize = 64;

fn first(bits: &[u64; EVENT_NAMES.len()]) -> Option<(HardEvent, i32)> {
    let e = bits.iter().position(|b| *b != 0)?;
    Some((HardEvent(e as u8), bits[e].trailing_zeros() as i32))
}

/// Flags and id allocation of one core.
pub(crate) struct Events {
    ids: u32,
    set: [u64; EVENT_NAMES.len()],
    /// Where each flag that is set was set, once for every WaitFlag that it lets through.
    sites: Vec<(HardEvent, i32, Site)>,
    allocated: [u64; EVENT_NAMES.len()],
}

impl Events {
    /// `ids` flags per event, at most 8.
    pub fn new(ids: u32) -> Events {
        Events { ids: ids.min(8), set: [0; 35], sites: Vec::new(), allocated: [0; 35] }
    }

    pub fn reset(&mut self) {
        self.set = [0; 35];
        self.sites.clear();
        self.allocated = [0; 35];
    }

    fn event(&self, code: u32, instruction: &str) -> Result<HardEvent, Raise> {
        let e = HardEvent(code.min(255) as u8);
        if VECTOR_CORE_EVENTS.contains(&e.name()) {
            return Ok(e);
        }
        Err(Raise::new(FaultClass::Event, Pipe::S, instruction, "a vector core has no such event")
            .expected(format!("one of {}", VECTOR_CORE_EVENTS.join(", ")))
            .got(format!("HardEvent::{} ({code})", e.name()))
            .fix("use an event between MTE2, V, MTE3 and S"))
    }

    fn id(&self, e: HardEvent, id: i32, instruction: &str) -> Result<u64, Raise> {
        if (0..IDS as i32).contains(&id) {
            let bit = 1 << id;
            if (id as u32) < self.ids || self.allocated[e.0 as usize] & bit != 0 {
                return Ok(bit);
            }
        }
        Err(Raise::new(FaultClass::Event, Pipe::S, instruction, "event id out of range")
            .operand("eventID")
            .expected(format!("0 to {}", self.ids - 1))
            .got(format!("{id} for HardEvent::{}", e.name()))
            .fix("take ids from GetTPipePtr()->AllocEventID or FetchEventID"))
    }

    /// With what is wrong with it when the flag is set already.
    pub fn set(
        &mut self,
        code: u32,
        id: i32,
        site: Site,
        second: SecondSet,
    ) -> Result<(HardEvent, Option<Raise>), Raise> {
        let e = self.event(code, "SetFlag")?;
        if e == HardEvent::V_V {
            return Ok((e, None));
        }
        let bit = self.id(e, id, "SetFlag")?;
        let mut twice = None;
        if self.set[e.0 as usize] & bit != 0 {
            let first = self.sites.iter().find(|(event, known, _)| (*event, *known) == (e, id));
            let first =
                first.and_then(|(.., site)| site.location()).map_or(String::new(), |at| format!(", first at {at}"));
            let raise = Raise::new(FaultClass::Event, e.source(), "SetFlag", "flag is set a second time")
                .operand("eventID")
                .expected("a WaitFlag between two SetFlag of one id")
                .got(format!("HardEvent::{} id {id} set twice{first}", e.name()))
                .fix("pair every SetFlag with one WaitFlag; FetchEventID does not reserve the id it returns");
            match second {
                SecondSet::Fault => {
                    let fix = format!("{}; HOSTCANN_SECOND_SET=counted or kept goes on", raise.fix);
                    return Err(raise.fix(fix));
                }
                SecondSet::Kept => return Ok((e, Some(raise))),
                SecondSet::Counted => twice = Some(raise),
            }
        }
        self.set[e.0 as usize] |= bit;
        self.sites.push((e, id, site));
        Ok((e, twice))
    }

    pub fn wait(&mut self, code: u32, id: i32) -> Result<HardEvent, Raise> {
        let e = self.event(code, "WaitFlag")?;
        if e == HardEvent::V_V {
            return Ok(e);
        }
        let bit = self.id(e, id, "WaitFlag")?;
        if self.set[e.0 as usize] & bit == 0 {
            return Err(Raise::new(
                FaultClass::Event,
                e.destination(),
                "WaitFlag",
                "flag was never set, the core hangs",
            )
            .operand("eventID")
            .expected(format!("an earlier SetFlag<HardEvent::{}>({id})", e.name()))
            .got("none pending")
            .fix("issue the matching SetFlag first"));
        }
        let same = |(event, known, _): &(HardEvent, i32, Site)| (*event, *known) == (e, id);
        if let Some(first) = self.sites.iter().position(same) {
            self.sites.remove(first);
        }
        if !self.sites.iter().any(same) {
            self.set[e.0 as usize] &= !bit;
        }
        Ok(e)
    }

    /// Lowest free id without reserving it.
    pub fn fetch(&self, code: u32) -> Result<i32, Raise> {
        let e = self.event(code, "FetchEventID")?;
        self.lowest(e, "FetchEventID")
    }

    pub fn alloc(&mut self, code: u32) -> Result<(HardEvent, i32), Raise> {
        let e = self.event(code, "AllocEventID")?;
        let id = self.lowest(e, "AllocEventID")?;
        self.allocated[e.0 as usize] |= 1 << id;
        Ok((e, id))
    }

    fn lowest(&self, e: HardEvent, instruction: &str) -> Result<i32, Raise> {
        let id = self.allocated[e.0 as usize].trailing_ones();
        if id < IDS as u32 {
            return Ok(id as i32);
        }
        Err(Raise::new(FaultClass::Event, Pipe::S, instruction, "no event id is free")
            .expected(format!("at most {IDS} ids of HardEvent::{} in use", e.name()))
            .got(format!("all {IDS} allocated"))
            .fix("release ids, or use fewer buffers per position: a freed queue buffer keeps its id until the next AllocTensor"))
    }

    /// The flags that are set, by event and id.
    pub fn all_set(&self) -> Vec<(HardEvent, i32)> {
        let mut set: Vec<_> = self.sites.iter().map(|(event, id, _)| (*event, *id)).collect();
        set.sort_unstable_by_key(|(event, id)| (event.0, *id));
        set.dedup();
        set
    }

    /// An id that is allocated.
    pub fn first_allocated(&self) -> Option<(HardEvent, i32)> {
        first(&self.allocated)
    }

    pub fn release(&mut self, code: u32, id: i32) -> Result<HardEvent, Raise> {
        let e = self.event(code, "ReleaseEventID")?;
        let bit = self.id(e, id, "ReleaseEventID")?;
        if self.allocated[e.0 as usize] & bit == 0 {
            return Err(Raise::new(FaultClass::Event, Pipe::S, "ReleaseEventID", "event id is not allocated")
                .operand("id")
                .expected("an id returned by AllocEventID")
                .got(format!("{id} of HardEvent::{}", e.name()))
                .fix("release each id once; ids from FetchEventID are not reserved"));
        }
        self.allocated[e.0 as usize] &= !bit;
        Ok(e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(name: &str) -> u32 {
        HardEvent::by_name(name).unwrap().0 as u32
    }

    #[test]
    fn enum_values_and_sides() {
        for (name, value) in
            [("MTE2_MTE1", 0), ("MTE2_V", 4), ("V_V", 10), ("MTE3_MTE2", 19), ("MTE3_S", 26), ("FIX_FIX", 34)]
        {
            assert_eq!(code(name), value, "{name}");
        }
        assert_eq!(HardEvent(7).source(), Pipe::V);
        assert_eq!(HardEvent(7).destination(), Pipe::MTE3);
    }

    #[test]
    fn pairing() {
        let mut e = Events::new(8);
        assert!(e.wait(code("MTE2_V"), 0).unwrap_err().what.contains("never set"));
        e.set(code("MTE2_V"), 0, Site(0), SecondSet::Fault).unwrap();
        assert!(e.set(code("MTE2_V"), 0, Site(0), SecondSet::Fault).unwrap_err().what.contains("second time"));
        e.set(code("MTE2_V"), 1, Site(0), SecondSet::Fault).unwrap();
        e.wait(code("MTE2_V"), 0).unwrap();
        e.set(code("MTE2_V"), 0, Site(0), SecondSet::Fault).unwrap();
        assert!(e.set(code("V_S"), 8, Site(0), SecondSet::Fault).is_err());
        assert!(e.set(code("V_S"), -1, Site(0), SecondSet::Fault).is_err());
        assert!(e.set(code("MTE2_MTE1"), 0, Site(0), SecondSet::Fault).unwrap_err().what.contains("no such event"));
        e.set(code("V_V"), 0, Site(0), SecondSet::Fault).unwrap();
        e.set(code("V_V"), 0, Site(0), SecondSet::Fault).unwrap();
    }

    #[test]
    fn a_second_set_is_counted_or_kept() {
        for (second, waits) in [(SecondSet::Counted, 2), (SecondSet::Kept, 1)] {
            let mut e = Events::new(8);
            let mut set = |id| e.set(code("MTE2_V"), id, Site(0), second).unwrap().1.map(|raise| raise.what.clone());
            assert_eq!((set(0), set(1)), (None, None));
            assert_eq!(set(0).as_deref(), Some("flag is set a second time"));
            for _ in 0..waits {
                e.wait(code("MTE2_V"), 0).unwrap();
            }
            assert!(e.wait(code("MTE2_V"), 0).unwrap_err().what.contains("never set"));
            assert_eq!(e.all_set().iter().map(|(_, id)| *id).collect::<Vec<_>>(), [1]);
        }
    }

    #[test]
    fn ids_run_out() {
        let mut e = Events::new(8);
        // The hardware has 8, which AllocEventID does not look at: a finding of the checker.
        assert!(e.set(code("V_MTE2"), 8, Site(0), SecondSet::Fault).is_err());
        for want in 0..64 {
            assert_eq!(e.fetch(code("V_MTE2")).unwrap(), want);
            assert_eq!(e.alloc(code("V_MTE2")).unwrap().1, want);
        }
        assert!(e.alloc(code("V_MTE2")).unwrap_err().what.contains("no event id"));
        e.set(code("V_MTE2"), 8, Site(0), SecondSet::Fault).unwrap();
        assert!(e.set(code("MTE2_V"), 8, Site(0), SecondSet::Fault).is_err());
        e.wait(code("V_MTE2"), 8).unwrap();
        e.release(code("V_MTE2"), 3).unwrap();
        assert_eq!(e.alloc(code("V_MTE2")).unwrap().1, 3);
        e.release(code("V_MTE2"), 3).unwrap();
        assert!(e.release(code("V_MTE2"), 3).is_err());
    }
}
