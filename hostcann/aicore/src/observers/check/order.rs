//! What each pipe knows to be complete: vector clocks over S, V, MTE2 and MTE3.
//!
//! Pipes run on their own; SetFlag publishes what its source pipe has done, WaitFlag lets the destination pipe know it,
//! and the scalar unit holds back everything it issues later while it waits (SetFlag/WaitFlag and PipeBarrier pages).

use crate::{
    base::{
        ins::{CopyIns, Dtype},
        pipe::Pipe,
        site::Site,
    },
    instruction::vector::Head,
    machine::event::{HardEvent, IDS},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const PIPES: usize = 4;
pub(crate) const S: usize = 0;
pub(crate) const V: usize = 1;
pub(crate) const MTE2: usize = 2;
pub(crate) const MTE3: usize = 3;

/// Per pipe: the number of its instructions that are complete.
pub(crate) type Clock = [u64; PIPES];

pub(crate) fn index(pipe: Pipe) -> usize {
    match pipe {
        Pipe::V => V,
        Pipe::MTE2 => MTE2,
        Pipe::MTE3 => MTE3,
        _ => S,
    }
}

pub(crate) fn pipe(index: usize) -> Pipe {
    [Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3][index]
}

/// What an instruction is, for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstructionKind {
    Vector(Head),
    Copy {
        direction: u8,
        kind: u8,
        dtype: u8,
    },
    UbGet,
    UbSet,
    GmGet,
    /// GlobalTensor::SetValue: the one scalar access the compiler does not order.
    GmSet,
}

impl InstructionKind {
    pub fn copy(ins: &CopyIns) -> InstructionKind {
        InstructionKind::Copy { direction: ins.direction, kind: ins.kind, dtype: ins.dtype }
    }
    /// Whether a vector instruction has operands of this type.
    pub fn has(self, t: Dtype) -> bool {
        matches!(self, InstructionKind::Vector(head) if head.dtype == t || head.stype == t)
    }
    /// Whether it gives results of this type.
    pub fn gives(self, t: Dtype) -> bool {
        matches!(self, InstructionKind::Vector(head) if head.dtype == t)
    }
    pub fn pipe(self) -> Pipe {
        match self {
            InstructionKind::Vector(_) => Pipe::V,
            InstructionKind::Copy { direction, .. } => CopyIns { direction, ..CopyIns::default() }.pipe(),
            _ => Pipe::S,
        }
    }
    pub fn name(self) -> String {
        match self {
            InstructionKind::Vector(head) => head.name(),
            InstructionKind::Copy { direction, kind, dtype } => {
                CopyIns { direction, kind, dtype, ..CopyIns::default() }.name()
            }
            InstructionKind::UbGet => "LocalTensor::GetValue".to_owned(),
            InstructionKind::UbSet => "LocalTensor::SetValue".to_owned(),
            InstructionKind::GmGet => "GlobalTensor::GetValue".to_owned(),
            InstructionKind::GmSet => "GlobalTensor::SetValue".to_owned(),
        }
    }
}

/// An instruction: pipe and number, 0 for none. The number counts from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id(u64);

impl Id {
    pub const NONE: Id = Id(0);
    pub fn new(pipe: usize, n: u64) -> Id {
        Id(n << 2 | pipe as u64)
    }
    pub fn pipe(self) -> usize {
        (self.0 & 3) as usize
    }
    pub fn n(self) -> u64 {
        self.0 >> 2
    }
    pub fn is_some(self) -> bool {
        self.n() != 0
    }
}

/// What the automatic synchronisation has ordered: the later and the earlier access, by their calls.
pub(crate) type Relied = HashMap<(Site, Site), (InstructionKind, InstructionKind)>;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// What its pipe knew when it started.
    clock: Clock,
    pub site: Site,
    pub what: InstructionKind,
}

/// The instructions of one pipe that somebody may still ask for.
#[derive(Default)]
struct History {
    /// Those before `recent` that were still referred to when it was emptied last.
    old: BTreeMap<u64, Step>,
    forgotten: u64,
    /// The ones numbered `forgotten + 1` and up.
    recent: Vec<Step>,
}

impl History {
    fn count(&self) -> u64 {
        self.forgotten + self.recent.len() as u64
    }

    fn get(&self, n: u64) -> Option<&Step> {
        match n.checked_sub(self.forgotten + 1) {
            Some(i) => self.recent.get(i as usize),
            None => self.old.get(&n),
        }
    }

    /// Keeps only the instructions numbered `live`.
    fn keep(&mut self, live: impl Iterator<Item = u64>) {
        let kept = live.filter_map(|n| Some((n, *self.get(n)?))).collect();
        (self.old, self.forgotten) = (kept, self.count());
        self.recent = Vec::new();
    }
}

/// Instructions of a pipe after which those that nobody refers to are forgotten.
const MANY: usize = 1 << 18;

pub(crate) struct Order {
    auto_sync: bool,
    clock: [Clock; PIPES],
    history: [History; PIPES],
    /// Instructions of S up to here have been published; later ones need a number of their own.
    sealed: u64,
    /// Clock and place of every flag that is set.
    flags: Vec<[(Clock, Site); IDS]>,
    /// What the automatic synchronisation has ordered.
    pub relied: Relied,
}

impl Order {
    pub fn new(auto_sync: bool) -> Order {
        Order {
            auto_sync,
            clock: [[0; PIPES]; PIPES],
            history: Default::default(),
            sealed: 0,
            flags: vec![[([0; PIPES], Site::default()); IDS]; 64],
            relied: Relied::default(),
        }
    }

    pub fn count(&self, pipe: usize) -> u64 {
        self.history[pipe].count()
    }

    /// Whether it is time to forget instructions.
    pub fn is_full(&self) -> bool {
        self.history.iter().any(|h| h.recent.len() >= MANY)
    }

    /// Forgets every instruction but these.
    pub fn keep(&mut self, live: &BTreeSet<Id>) {
        for (pipe, history) in self.history.iter_mut().enumerate() {
            history.keep(live.iter().filter(|id| id.pipe() == pipe).map(|id| id.n()));
        }
    }

    /// The next instruction of a pipe. Equal scalar accesses in a row share a number: a loop of them stays small.
    pub fn issue(&mut self, pipe: usize, what: InstructionKind, site: Site) -> Id {
        let clock = self.clock[pipe];
        let n = self.count(pipe);
        let same = |s: &Step| s.what == what && s.site == site && s.clock == clock;
        if !(pipe == S && n > self.sealed && self.history[S].recent.last().is_some_and(same)) {
            self.history[pipe].recent.push(Step { clock, site, what });
        }
        Id::new(pipe, self.count(pipe))
    }

    pub fn step(&self, id: Id) -> Option<Step> {
        self.history[id.pipe()].get(id.n()).copied()
    }

    /// Whether `earlier` is complete before the instruction that `pipe` is about to run.
    pub fn knows(&self, pipe: usize, earlier: Id) -> bool {
        let from = earlier.pipe();
        from == pipe && (pipe == S || pipe == V && self.auto_sync) || self.clock[pipe][from] >= earlier.n()
    }

    /// Lets the compiler's automatic synchronisation order `earlier` before `now` if it covers the pair; false if not.
    ///
    /// It covers LocalTensor's GetValue, SetValue and operator() and GlobalTensor::GetValue against every pipe (auto
    /// sync tables of the synchronisation overview), and only as far as the instruction they conflict with.
    pub fn auto(&mut self, now: Id, earlier: Id) -> bool {
        let scalar = |id: Id| id.pipe() == S && self.step(id).is_some_and(|s| s.what != InstructionKind::GmSet);
        if !self.auto_sync || !(scalar(now) || scalar(earlier)) {
            return false;
        }
        let Some(step) = self.step(earlier) else { return false };
        if let Some(later) = self.step(now) {
            self.relied.entry((later.site, step.site)).or_insert((later.what, step.what));
        }
        let mut known = step.clock;
        known[earlier.pipe()] = known[earlier.pipe()].max(earlier.n());
        self.join(now.pipe(), known);
        true
    }

    /// Goes on as if the event between two instructions were there.
    pub fn suppose(&mut self, now: Id, earlier: Id) {
        let mut known = self.step(earlier).map_or([0; PIPES], |step| step.clock);
        known[earlier.pipe()] = known[earlier.pipe()].max(earlier.n());
        self.join(now.pipe(), known);
    }

    fn join(&mut self, pipe: usize, known: Clock) {
        for p in 0..PIPES {
            // The scalar unit issues everything: what it waited for is done before anything later.
            if p == pipe || pipe == S {
                for (a, b) in self.clock[p].iter_mut().zip(known) {
                    *a = (*a).max(b);
                }
            }
        }
    }

    pub fn set_flag(&mut self, e: HardEvent, id: i32, site: Site) {
        if e == HardEvent::V_V {
            return self.barrier(Pipe::V);
        }
        let from = index(e.source());
        let mut clock = self.clock[from];
        clock[from] = self.count(from);
        self.sealed = self.sealed.max(if from == S { clock[S] } else { 0 });
        self.flags[e.0 as usize & 63][id as usize % IDS] = (clock, site);
    }

    pub fn wait_flag(&mut self, e: HardEvent, id: i32) {
        if e != HardEvent::V_V {
            let (clock, _) = self.flags[e.0 as usize & 63][id as usize % IDS];
            self.join(index(e.destination()), clock);
        }
    }

    /// Where a flag was set last.
    pub fn flag_site(&self, e: HardEvent, id: i32) -> Site {
        self.flags[e.0 as usize & 63][id as usize % IDS].1
    }

    /// PipeBarrier: the pipe's instructions complete before its later ones; PIPE_ALL for all pipes.
    pub fn barrier(&mut self, which: Pipe) {
        if which != Pipe::ALL {
            let p = index(which);
            self.clock[p][p] = self.count(p);
            return;
        }
        let all: Clock = std::array::from_fn(|p| self.count(p));
        self.clock = [all; PIPES];
        self.sealed = all[S];
    }
}

/// What orders two pipes: an event, or the barrier of one pipe.
pub(crate) fn missing(from: usize, to: usize) -> (String, String) {
    let (a, b) = (pipe(from), pipe(to));
    if from == to {
        let barrier = format!("PipeBarrier<PIPE_{a}>()");
        return (barrier.clone(), format!("call {barrier} between the two"));
    }
    let event = format!("HardEvent::{a}_{b}");
    let queue = match (from, to) {
        (MTE2, V) | (V, MTE3) => ", or pass the tensor through its queue (EnQue, DeQue)",
        (V, MTE2) | (MTE3, V) => ", or return the tensor to its queue (FreeTensor, AllocTensor)",
        (MTE2, MTE3) | (MTE3, MTE2) => {
            "; of the queues only TQueBind<VECIN, VECOUT> orders these two: VECIN orders MTE2 and V, VECOUT V and MTE3"
        }
        _ => "",
    };
    let fix = format!("SetFlag<{event}>(id) after the first and WaitFlag<{event}>(id) before the second{queue}");
    (event, fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: InstructionKind = InstructionKind::UbGet;

    fn event(name: &str) -> HardEvent {
        HardEvent::by_name(name).unwrap()
    }

    #[test]
    fn a_flag_carries_what_its_pipe_has_done() {
        let mut o = Order::new(true);
        let copy = o.issue(MTE2, A, Site(1));
        assert!(!o.knows(V, copy));
        o.set_flag(event("MTE2_V"), 0, Site(2));
        let later = o.issue(MTE2, A, Site(3));
        o.wait_flag(event("MTE2_V"), 0);
        assert!(o.knows(V, copy) && !o.knows(V, later) && !o.knows(MTE3, copy));
        // V passes on what it waited for.
        let add = o.issue(V, A, Site(4));
        o.set_flag(event("V_MTE3"), 0, Site(5));
        o.wait_flag(event("V_MTE3"), 0);
        assert!(o.knows(MTE3, add) && o.knows(MTE3, copy));
    }

    #[test]
    fn a_waiting_scalar_unit_holds_back_every_pipe() {
        let mut o = Order::new(true);
        let add = o.issue(V, A, Site(1));
        o.set_flag(event("V_S"), 0, Site(2));
        o.wait_flag(event("V_S"), 0);
        assert!(o.knows(S, add) && o.knows(MTE2, add) && o.knows(MTE3, add));
    }

    #[test]
    fn barriers() {
        let mut o = Order::new(false);
        let (v, m) = (o.issue(V, A, Site(1)), o.issue(MTE3, A, Site(1)));
        assert!(!o.knows(V, v) && !o.knows(MTE3, m));
        o.barrier(Pipe::V);
        assert!(o.knows(V, v) && !o.knows(MTE3, m) && !o.knows(MTE3, v));
        o.barrier(Pipe::ALL);
        assert!(o.knows(MTE3, m) && o.knows(MTE3, v) && o.knows(S, m));
        let v = o.issue(V, A, Site(1));
        o.set_flag(HardEvent::V_V, 0, Site(1));
        assert!(o.knows(V, v));
        let mut o = Order::new(true);
        let (v, m) = (o.issue(V, A, Site(1)), o.issue(MTE2, A, Site(1)));
        assert!(o.knows(V, v) && !o.knows(MTE2, m));
    }

    #[test]
    fn automatic_synchronisation_goes_as_far_as_the_conflict() {
        let mut o = Order::new(true);
        let copy = o.issue(MTE2, A, Site(1));
        o.set_flag(event("MTE2_V"), 0, Site(1));
        o.wait_flag(event("MTE2_V"), 0);
        let first = o.issue(V, A, Site(1));
        let second = o.issue(V, A, Site(1));
        let get = o.issue(S, InstructionKind::UbGet, Site(2));
        assert!(o.auto(get, first));
        assert!(o.knows(S, first) && o.knows(MTE2, first) && o.knows(S, copy) && !o.knows(S, second));
        let set = o.issue(S, InstructionKind::GmSet, Site(3));
        assert!(!o.auto(set, second) && !o.auto(second, copy));
        assert!(!Order::new(false).auto(get, first));
    }

    #[test]
    fn what_nobody_refers_to_is_forgotten() {
        let mut o = Order::new(true);
        let ids: Vec<Id> = (0..5).map(|i| o.issue(V, A, Site(i))).collect();
        let get = o.issue(S, A, Site(9));
        o.keep(&BTreeSet::from([ids[1], ids[4]]));
        let site = |o: &Order, id: Id| o.step(id).map(|s| s.site.0);
        assert_eq!(ids.iter().map(|id| site(&o, *id)).collect::<Vec<_>>(), [None, Some(1), None, None, Some(4)]);
        assert_eq!(site(&o, get), None);
        // Numbers go on, and a second time keeps what is left of the first.
        let next = o.issue(V, A, Site(6));
        assert_eq!((next.n(), site(&o, next)), (6, Some(6)));
        o.keep(&BTreeSet::from([ids[1], next]));
        assert_eq!((site(&o, ids[1]), site(&o, ids[4]), site(&o, next)), (Some(1), None, Some(6)));
        assert!(o.knows(V, ids[0]) && !o.knows(MTE3, next));
    }

    #[test]
    fn equal_scalar_accesses_share_a_number_until_a_flag_publishes_it() {
        let mut o = Order::new(true);
        let a = o.issue(S, InstructionKind::UbSet, Site(1));
        assert_eq!(o.issue(S, InstructionKind::UbSet, Site(1)), a);
        o.set_flag(event("S_V"), 0, Site(1));
        assert_ne!(o.issue(S, InstructionKind::UbSet, Site(1)), a);
        assert_ne!(o.issue(S, InstructionKind::UbSet, Site(2)).n(), 2);
    }
}
