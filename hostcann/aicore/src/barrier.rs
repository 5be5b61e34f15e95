//! Where blocks of one launch meet. A launch whose kernel calls SyncAll must have all its blocks alive.

use crate::{
    fault::{FaultClass, Raise},
    pipe::Pipe,
};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

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
    /// Waits until the other blocks are there too.
    fn arrive(&self, meeting: Meeting) -> Result<(), Stop>;
}

/// Which blocks meet: all of them at the hardware barrier, the first `cores` at a software one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    Hard,
    Soft { workspace: usize, cores: u32 },
}

struct Group {
    meeting: Meeting,
    arrived: u32,
    generation: u64,
}

#[derive(Default)]
struct State {
    groups: Vec<Group>,
    waiting: u32,
    /// Blocks that returned from the kernel.
    ended: Vec<u32>,
    stopped: bool,
}

/// The barriers of one launch.
pub(crate) struct Barrier {
    blocks: u32,
    state: Mutex<State>,
    wake: Condvar,
}

impl Barrier {
    pub fn new(blocks: u32) -> Barrier {
        Barrier { blocks, state: Mutex::default(), wake: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until every participant has arrived. The last one runs `meet` while the others are still held.
    pub fn arrive(&self, meeting: Meeting, meet: impl FnOnce() -> Result<(), Raise>) -> Result<(), Stop> {
        let needed = match meeting {
            Meeting::Hard => self.blocks,
            Meeting::Soft { cores, .. } => cores,
        };
        let mut s = self.lock();
        let g = match s.groups.iter().position(|g| g.meeting == meeting) {
            Some(g) => g,
            None => {
                s.groups.push(Group { meeting, arrived: 0, generation: 0 });
                s.groups.len() - 1
            }
        };
        s.groups[g].arrived += 1;
        if s.groups[g].arrived == needed {
            meet().map_err(Stop::Fault)?;
            s.groups[g].arrived = 0;
            s.groups[g].generation += 1;
            s.waiting -= needed - 1;
            self.wake.notify_all();
            return Ok(());
        }
        s.waiting += 1;
        let generation = s.groups[g].generation;
        if self.crossed(&s) {
            self.wake.notify_all();
        }
        loop {
            if s.groups[g].generation != generation {
                return Ok(());
            }
            if let Some(core) = s.ended.iter().filter(|i| **i < needed).min() {
                return Err(Stop::Fault(left(*core, needed)));
            }
            if s.stopped {
                return Err(Stop::Released);
            }
            if self.crossed(&s) {
                return Err(Stop::Fault(crossed()));
            }
            s = self.wake.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nobody is left to complete a barrier.
    fn crossed(&self, s: &State) -> bool {
        s.waiting > 0 && s.waiting as usize + s.ended.len() == self.blocks as usize
    }

    /// A block returned from the kernel.
    pub fn end(&self, block: u32) {
        let mut s = self.lock();
        s.ended.push(block);
        if s.waiting > 0 {
            self.wake.notify_all();
        }
    }

    /// A block faulted: the others are let go.
    pub fn stop(&self) {
        self.lock().stopped = true;
        self.wake.notify_all();
    }
}

/// A fault of SyncAll.
pub(crate) fn fault(what: String) -> Raise {
    Raise::new(FaultClass::Event, Pipe::S, "SyncAll", what)
}

fn left(core: u32, needed: u32) -> Raise {
    fault(format!("core {core} left: it returned from the kernel without reaching the barrier this core waits at"))
        .expected(format!("all of cores 0 to {} at the barrier", needed - 1))
        .got(format!("core {core} at its end"))
        .fix("call SyncAll the same number of times on every core, also on cores without work; the device hangs here")
}

fn crossed() -> Raise {
    fault("the cores wait at different barriers".to_owned())
        .expected("every core at the same kind of SyncAll, with the same workspace and usedCores")
        .got("no core left to complete this one")
        .fix("call the same sequence of SyncAll on every core; the device hangs here")
}

/// Refused before anything waits.
pub(crate) fn too_many(blocks: u32, cores: u32, soc: &str) -> Raise {
    fault("more blocks than vector cores: the blocks that wait for a core never reach the barrier".to_owned())
        .operand("blockDim")
        .expected(format!("at most {cores} on {soc}"))
        .got(blocks.to_string())
        .fix("limit SetBlockDim to GetCoreNumAiv() in the tiling function; the device hangs here")
}

/// Every block needs a host thread of its own here.
pub(crate) fn no_thread(block: u32, error: &str) -> Raise {
    let mut r = fault(format!("no host thread for core {block}: {error}"))
        .expected("one host thread per block")
        .fix("raise the limit of threads (ulimit -u), or launch fewer blocks");
    r.owner = crate::fault::FaultOwner::NotImplemented;
    r
}
