//! The order of atomic sums of floats: their result depends on it, and host threads keep none.
//!
//! The adds of a launch count in the order of its cores, or the other way round. The first core that has not ended adds
//! at once, the adds of the others wait. They are done where the cores meet, where another access reaches their bytes and
//! at the end of the launch.

use crate::{
    base::{ins::Dtype, switches::AtomicOrder},
    machine::atomic::{Atomic, AtomicOp},
};
use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering},
    },
};

/// Bytes that wait at most; with more of them all are done, and the order is no longer that of the cores.
const MOST: usize = 256 << 20;
/// Memory is there or not by pages.
const PAGE: usize = 4096;

/// Elements that are added to those at `at`.
struct Add {
    atomic: Atomic,
    at: usize,
    bytes: Box<[u8]>,
    /// The core has told others since that it came this far.
    posted: bool,
}

impl Add {
    fn meets(&self, range: &Range<usize>) -> bool {
        self.at < range.end && range.start < self.at + self.bytes.len()
    }

    fn apply(&self) {
        // SAFETY: `touch` found memory there, and `Atomic::check` passed.
        unsafe { self.atomic.combine(self.bytes.as_ptr(), self.at as *mut u8, self.bytes.len()) };
    }
}

#[derive(Default)]
struct State {
    /// By core, in the order of its program.
    logs: BTreeMap<u32, Vec<Add>>,
    ended: Vec<u32>,
}

/// The adds of one launch.
pub(crate) struct Adds {
    order: AtomicOrder,
    /// The core whose adds count next.
    turn: AtomicU32,
    /// Bytes that wait.
    waiting: AtomicUsize,
    state: Mutex<State>,
}

/// Whether the result depends on the order.
fn ordered(atomic: Atomic) -> bool {
    atomic.op == AtomicOp::Add && matches!(atomic.dtype, Dtype::F32 | Dtype::F16 | Dtype::Bf16)
}

/// An address that is no memory faults in the copy that names it, not where the sum is done.
///
/// # Safety
/// As on the device: the kernel's own pointer.
unsafe fn touch(at: usize, len: usize) {
    let pages = (at..at + len).step_by(PAGE).chain([at + len - 1]);
    for byte in pages {
        // SAFETY: as promised by the caller; the byte stays as it is.
        unsafe { AtomicU8::from_ptr(byte as *mut u8) }.fetch_or(0, Ordering::Relaxed);
    }
}

impl Adds {
    pub fn new(order: AtomicOrder) -> Adds {
        Adds { order, turn: AtomicU32::new(0), waiting: AtomicUsize::new(0), state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_turn(&self, core: u32) -> bool {
        self.order == AtomicOrder::Ascending && self.turn.load(Ordering::Acquire) == core
    }

    /// An atomic copy of `len` bytes.
    ///
    /// # Safety
    /// As for [`Atomic::combine`].
    pub unsafe fn combine(&self, core: u32, atomic: Atomic, src: *const u8, gm: *mut u8, len: usize) {
        let at = gm as usize;
        if !ordered(atomic) {
            self.settle(at, len);
        }
        if !ordered(atomic) || self.has_turn(core) {
            // SAFETY: as promised by the caller.
            return unsafe { atomic.combine(src, gm, len) };
        }
        // SAFETY: as promised by the caller.
        let bytes: Box<[u8]> = unsafe {
            touch(at, len);
            std::slice::from_raw_parts(src, len).into()
        };
        let add = Add { atomic, at, bytes, posted: false };
        let mut state = self.lock();
        // The turn may have come meanwhile, and then what waited is done.
        if self.has_turn(core) {
            return add.apply();
        }
        state.logs.entry(core).or_default().push(add);
        if self.waiting.fetch_add(len, Ordering::Relaxed) + len > MOST {
            self.apply(&mut state, |_| true);
        }
    }

    /// Does the adds that are wanted, by core.
    fn apply(&self, state: &mut State, wanted: impl Fn(&Add) -> bool) {
        let mut done = 0;
        let mut log = |adds: &mut Vec<Add>| {
            for add in adds.extract_if(.., |add| wanted(add)) {
                add.apply();
                done += add.bytes.len();
            }
        };
        match self.order {
            AtomicOrder::Ascending => state.logs.values_mut().for_each(&mut log),
            AtomicOrder::Descending => state.logs.values_mut().rev().for_each(&mut log),
        }
        self.waiting.fetch_sub(done, Ordering::Relaxed);
    }

    fn some_wait(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Another access is about to reach these bytes.
    pub fn settle(&self, at: usize, len: usize) {
        if self.some_wait() {
            let range = at..at + len;
            self.apply(&mut self.lock(), |add| add.meets(&range));
        }
    }

    /// Whatever waits, whoever it is from.
    pub fn settle_all(&self) {
        if self.some_wait() {
            self.apply(&mut self.lock(), |_| true);
        }
    }

    /// What the core has added so far counts for cores that wait for it.
    pub fn post(&self, core: u32) {
        if self.some_wait() {
            self.lock().logs.entry(core).or_default().iter_mut().for_each(|add| add.posted = true);
        }
    }

    /// A core goes on after it waited for others.
    pub fn settle_posted(&self) {
        if self.some_wait() {
            self.apply(&mut self.lock(), |add| add.posted);
        }
    }

    /// The core has ended: the turn goes to the next one that has not.
    pub fn ended(&self, core: u32) {
        let mut state = self.lock();
        state.ended.push(core);
        if self.order == AtomicOrder::Descending {
            return;
        }
        let mut turn = self.turn.load(Ordering::Relaxed);
        while state.ended.contains(&turn) {
            turn += 1;
            let adds = state.logs.remove(&turn).unwrap_or_default();
            adds.iter().for_each(Add::apply);
            self.waiting.fetch_sub(adds.iter().map(|add| add.bytes.len()).sum(), Ordering::Relaxed);
        }
        self.turn.store(turn, Ordering::Release);
    }

    /// The launch has ended; another run of it may follow.
    pub fn finish(&self) {
        self.settle_all();
        self.lock().ended.clear();
        self.turn.store(0, Ordering::Release);
    }
}

#[cfg(test)]
#[path = "atomic_order_tests.rs"]
mod tests;
