//! Where blocks of one launch wait for each other. A launch whose kernel waits must have all its blocks alive, and when
//! every one that is left waits for something that none of them can bring, the launch ends.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        pipe::Pipe,
        site::Site,
        switches::AtomicOrder,
    },
    machine::{
        atomic_order::Adds,
        task_type::{Place, TaskType},
    },
};
use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// Unwinds a block that waited when the launch stopped; it is no fault of its own.
pub(crate) struct Released;

/// Why a block does not get through.
pub(crate) enum Stop {
    /// Another block faulted; that fault is the launch's.
    Released,
    Fault(Raise),
}

/// The launch that a core is part of.
pub(crate) trait Grid {
    /// Waits as long as it takes for the other blocks to bring it.
    fn wait(&self, block: u32, site: Site, wait: Wait) -> Result<(), Stop>;
    /// Lets every block run that may wait for this one, or it for them.
    fn spread(&self) -> Result<(), Stop>;
    /// Atomic sums of the launch.
    fn adds(&self) -> &Adds;
    /// Does what other blocks may wait for.
    fn post(&self, block: u32, post: &Post) -> Result<(), Raise>;
}

/// Which cores meet: all vector cores or really all at the hardware barrier, the first `cores` at a software one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    Hard,
    All,
    Soft { workspace: usize, cores: u32 },
}

/// What a block waits for. Addresses are words in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Meet(Meeting),
    /// The counter of a flag of this core is not 0; it is then one less.
    Flag(usize),
    /// The word is `from`; it is then `to`: IBSet (0, 1) and IBWait (1, 0).
    Exchange {
        addr: usize,
        from: i32,
        to: i32,
    },
    /// GroupBarrier: the word has come this far.
    Reach {
        addr: usize,
        value: i32,
    },
    /// WaitPreBlock: the cores before this one have written `round` into their 32 bytes, the others 0.
    Turn {
        gm: usize,
        core: u32,
        cores: u32,
        round: i32,
    },
}

/// What another block may wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Post {
    /// CrossCoreSetFlag: it counts once all cores have set it whose flag it is (`Barrier::flagged`).
    Flag { mode: usize, flag: usize },
    /// These words get these values.
    Words(Vec<(usize, i32)>),
    /// One is added to each of these words.
    Count(Vec<usize>),
}

impl Wait {
    pub fn name(self) -> String {
        match self {
            Wait::Meet(_) => "SyncAll".to_owned(),
            Wait::Flag(flag) => format!("CrossCoreWaitFlag({flag})"),
            Wait::Exchange { from: 0, .. } => "IBSet".to_owned(),
            Wait::Exchange { .. } => "IBWait".to_owned(),
            Wait::Reach { .. } => "GroupBarrier::Wait".to_owned(),
            Wait::Turn { .. } => "WaitPreBlock".to_owned(),
        }
    }
}

struct Group {
    meeting: Meeting,
    arrived: u32,
    generation: u64,
}

#[derive(Clone, Copy)]
struct Waiting {
    wait: Wait,
    /// Of a meeting: its group and the generation that was there on arrival.
    met: (usize, u64),
    site: Site,
}

/// Flags between cores, and how far a flag's counter goes (CrossCoreSetFlag page).
const FLAGS: usize = 16;
const MOST: u32 = 15;
/// Modes of CrossCoreSetFlag.
const MODES: usize = 3;

struct State {
    groups: Vec<Group>,
    waiting: BTreeMap<u32, Waiting>,
    /// Blocks that returned from the kernel.
    ended: Vec<u32>,
    /// Per core, mode and flag: sets that not every core has made yet that has to. Per core and flag: what it can wait for.
    sets: Vec<[[u32; FLAGS]; MODES]>,
    flags: Vec<[u32; FLAGS]>,
    stopped: bool,
}

/// The waits of one launch.
pub(crate) struct Barrier {
    /// Cores of the launch.
    cores: u32,
    task: TaskType,
    blocks: u32,
    state: Mutex<State>,
    wake: Condvar,
    pub adds: Adds,
}

fn word(addr: usize) -> *mut i32 {
    addr as *mut i32
}

fn read(addr: usize) -> i32 {
    // SAFETY: the kernel's own pointer, checked not to be null; other cores may write it at the same time.
    unsafe { word(addr).read_volatile() }
}

fn write(addr: usize, value: i32) {
    // SAFETY: as for `read`.
    unsafe { word(addr).write_volatile(value) }
}

impl State {
    /// Whether a waiting block may go on.
    fn holds(&self, block: u32, w: &Waiting) -> bool {
        match w.wait {
            Wait::Meet(_) => self.groups[w.met.0].generation != w.met.1,
            Wait::Flag(flag) => self.flags[block as usize][flag] > 0,
            Wait::Exchange { addr, from, .. } => read(addr) == from,
            Wait::Reach { addr, value } => read(addr) >= value,
            Wait::Turn { gm, core, cores, round } => {
                (0..cores).all(|i| read(gm + i as usize * 32) == if i < core { round } else { 0 })
            }
        }
    }

    /// The block goes on; true if that changed what others wait for.
    fn pass(&mut self, block: u32, wait: Wait) -> bool {
        self.waiting.remove(&block);
        match wait {
            Wait::Flag(flag) => self.flags[block as usize][flag] -= 1,
            Wait::Exchange { addr, to, .. } => {
                write(addr, to);
                return true;
            }
            _ => {}
        }
        false
    }

    /// The group of a meeting, with this block counted.
    fn join(&mut self, meeting: Meeting, needed: u32) -> (usize, u64) {
        let g = match self.groups.iter().position(|g| g.meeting == meeting) {
            Some(g) => g,
            None => {
                self.groups.push(Group { meeting, arrived: 0, generation: 0 });
                self.groups.len() - 1
            }
        };
        let group = &mut self.groups[g];
        let generation = group.generation;
        group.arrived += 1;
        if group.arrived == needed {
            group.arrived = 0;
            group.generation += 1;
        }
        (g, generation)
    }
}

impl Barrier {
    pub fn new(task: TaskType, blocks: u32, order: AtomicOrder) -> Barrier {
        let state = State {
            groups: Vec::new(),
            waiting: BTreeMap::new(),
            ended: Vec::new(),
            sets: Vec::new(),
            flags: Vec::new(),
            stopped: false,
        };
        Barrier {
            cores: task.cores(blocks),
            task,
            blocks,
            state: Mutex::new(state),
            wake: Condvar::new(),
            adds: Adds::new(order),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn needed(&self, meeting: Meeting) -> u32 {
        match meeting {
            Meeting::Hard => self.task.vectors.max(1) * self.blocks,
            Meeting::All => self.cores,
            Meeting::Soft { cores, .. } => cores,
        }
    }

    /// The block is at a meeting. The last one there does the atomic sums of all, while none of them goes on.
    fn meet(&self, s: &mut State, block: u32, meeting: Meeting) -> (usize, u64) {
        self.adds.post(block);
        let (group, generation) = s.join(meeting, self.needed(meeting));
        if s.groups[group].generation != generation {
            self.adds.settle_posted();
        }
        (group, generation)
    }

    /// Waits until the block may go on, or nobody can bring that about any more.
    pub fn wait(&self, block: u32, site: Site, wait: Wait) -> Result<(), Stop> {
        let mut s = self.lock();
        self.count_flags(&mut s);
        let met = if let Wait::Meet(m) = wait { self.meet(&mut s, block, m) } else { (0, 0) };
        if let Wait::Exchange { .. } = wait {
            self.adds.post(block);
        }
        let w = Waiting { wait, met, site };
        s.waiting.insert(block, w);
        loop {
            if s.holds(block, &w) {
                let first = matches!(wait, Wait::Meet(_)) || s.pass(block, wait);
                s.waiting.remove(&block);
                if !matches!(wait, Wait::Meet(_) | Wait::Flag(_)) {
                    self.adds.settle_posted();
                }
                if first {
                    self.wake.notify_all();
                }
                return Ok(());
            }
            if let Wait::Meet(m) = wait
                && let Some(core) = s.ended.iter().filter(|i| **i < self.needed(m)).min()
            {
                return Err(Stop::Fault(left(*core, self.needed(m))));
            }
            if s.stopped {
                return Err(Stop::Released);
            }
            if self.stuck(&s) {
                // One of them reports it; the others are let go when the launch stops.
                if s.waiting.keys().next() == Some(&block) {
                    return Err(Stop::Fault(self.report(&s, wait)));
                }
                self.wake.notify_all();
            }
            s = self.wake.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn post(&self, block: u32, post: &Post) -> Result<(), Raise> {
        let mut s = self.lock();
        self.adds.post(block);
        match post {
            Post::Flag { mode, flag } => {
                self.count_flags(&mut s);
                s.sets[block as usize][*mode][*flag] += 1;
                let (setters, waiters) = self.flagged(block, *mode);
                if setters.clone().all(|core| s.sets[core][*mode][*flag] > 0) {
                    self.adds.settle_posted();
                    setters.for_each(|core| s.sets[core][*mode][*flag] -= 1);
                    waiters.clone().for_each(|core| s.flags[core][*flag] += 1);
                    if let Some(core) = waiters.into_iter().find(|core| s.flags[*core][*flag] > MOST) {
                        return Err(overflow(*flag, core));
                    }
                }
            }
            Post::Words(words) => words.iter().for_each(|(addr, value)| write(*addr, *value)),
            Post::Count(words) => words.iter().for_each(|addr| write(*addr, read(*addr).wrapping_add(1))),
        }
        self.wake.notify_all();
        Ok(())
    }

    fn count_flags(&self, s: &mut State) {
        s.sets.resize(self.cores as usize, [[0; FLAGS]; MODES]);
        s.flags.resize(self.cores as usize, [0; FLAGS]);
    }

    /// The cores that all have to set a flag before it counts, and those for which it counts then: all of a kind (mode 0), the
    /// vector cores of a block (1), the vector cores of a block for its cube core and the other way round (2).
    fn flagged(&self, core: u32, mode: usize) -> (Range<usize>, Range<usize>) {
        let place = Place { task: self.task, blocks: self.blocks, core };
        let range = |from: u32, to: u32| from as usize..to as usize;
        let (vectors, cube) = place.group();
        let (vectors, cube) = (range(vectors.start, vectors.end), range(cube, cube + 1));
        match (mode, place.is_cube()) {
            (0, true) => (range(place.vectors(), self.cores), range(place.vectors(), self.cores)),
            (0, false) => (range(0, place.vectors()), range(0, place.vectors())),
            (1, _) => (vectors.clone(), vectors),
            (_, true) => (cube, vectors),
            (_, false) => (vectors, cube),
        }
    }

    /// Nobody is left to bring what the others wait for.
    fn stuck(&self, s: &State) -> bool {
        s.waiting.len() + s.ended.len() == self.cores as usize && !s.waiting.iter().any(|(b, w)| s.holds(*b, w))
    }

    /// Every core and where it is.
    fn report(&self, s: &State, wait: Wait) -> Raise {
        let mut places: Vec<(String, Vec<u32>)> = Vec::new();
        let mut put = |text: String, core: u32| match places.iter_mut().find(|(t, _)| *t == text) {
            Some((_, cores)) => cores.push(core),
            None => places.push((text, vec![core])),
        };
        let mut lines: BTreeMap<usize, String> = BTreeMap::new();
        for (core, w) in &s.waiting {
            let line = lines.entry(w.site.0).or_insert_with(|| w.site.at());
            put(format!("{}{line}", w.wait.name()), *core);
        }
        let mut ended = s.ended.clone();
        ended.sort_unstable();
        ended.iter().for_each(|core| put("returned from the kernel".to_owned(), *core));
        let places: Vec<String> = places.iter().map(|(text, cores)| format!("{}: {text}", ranges(cores))).collect();
        let barriers = s.waiting.values().all(|w| matches!(w.wait, Wait::Meet(_)));
        let what = if barriers { "the cores wait at different barriers" } else { "the cores wait for each other" };
        fault(&wait.name(), format!("{what}, and none of them can go on"))
            .expected(
                "what each core waits for by another core: the same SyncAll, CrossCoreSetFlag, IBSet, NotifyNextBlock",
            )
            .got(places.join("; "))
            .fix("call both sides of every wait the same number of times on all cores; the device hangs here")
    }

    /// A block returned from the kernel.
    pub fn end(&self, block: u32) {
        self.adds.ended(block);
        let mut s = self.lock();
        s.ended.push(block);
        if !s.waiting.is_empty() {
            self.wake.notify_all();
        }
    }

    /// Whether a block has faulted.
    pub fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// A block faulted: the others are let go.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.wake.notify_all();
    }
}

/// `core 3`, `cores 0 to 4 and 7`.
fn ranges(cores: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for core in cores {
        match parts.last_mut() {
            Some((_, to)) if *to + 1 == *core => *to = *core,
            _ => parts.push((*core, *core)),
        }
    }
    let text = |(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from} to {to}") };
    let parts: Vec<String> = parts.iter().map(text).collect();
    format!("{} {}", if cores.len() == 1 { "core" } else { "cores" }, parts.join(" and "))
}

/// A fault of a wait.
pub(crate) fn fault(instruction: &str, what: impl Into<String>) -> Raise {
    Raise::new(FaultClass::Event, Pipe::S, instruction, what)
}

fn left(core: u32, needed: u32) -> Raise {
    let what = format!("core {core} left: it returned from the kernel without reaching the barrier this core waits at");
    fault("SyncAll", what)
        .expected(format!("all of cores 0 to {} at the barrier", needed - 1))
        .got(format!("core {core} at its end"))
        .fix("call SyncAll the same number of times on every core, also on cores without work; the device hangs here")
}

fn overflow(flag: usize, core: usize) -> Raise {
    fault("CrossCoreSetFlag", "the counter of the flag overflows: it was set too often without a wait")
        .operand("flagId")
        .expected(format!("at most {MOST} sets of all cores that a core has not waited for"))
        .got(format!("{} for flag {flag} on core {core}", MOST + 1))
        .fix("call CrossCoreWaitFlag once for every CrossCoreSetFlag")
}

/// Refused before anything waits.
pub(crate) fn too_many(instruction: &str, blocks: u32, cores: u32, soc: &str) -> Raise {
    fault(instruction, "more blocks than vector cores: the blocks that wait for a core never get here")
        .operand("blockDim")
        .expected(format!("at most {cores} on {soc}"))
        .got(blocks.to_string())
        .fix("limit SetBlockDim to GetCoreNumAiv() in the tiling function; the device hangs here")
}

/// Some blocks are left out because nobody who watches wants them.
pub(crate) fn left_out(instruction: &str) -> Raise {
    let mut r = fault(instruction, "cores wait for each other, and not all blocks run")
        .expected("a launch of which every block runs")
        .got("one of which only some are sampled")
        .fix("leave out --sampled (the word `sampled` of HOSTCANN_SIM)");
    r.owner = crate::base::fault::FaultOwner::NotImplemented;
    r
}

/// Every block needs a host thread of its own here.
pub(crate) fn no_thread(block: u32, error: &str) -> Raise {
    let mut r = fault("SyncAll", format!("no host thread for core {block}: {error}"))
        .expected("one host thread per block")
        .fix("raise the limit of threads (ulimit -u), or launch fewer blocks");
    r.owner = crate::base::fault::FaultOwner::NotImplemented;
    r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_named_in_ranges() {
        assert_eq!(ranges(&[3]), "core 3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "cores 0 to 2 and 5 and 7 to 8");
    }
}
