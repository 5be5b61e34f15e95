//! What a thread that runs kernels or host functions has for the worst case: a stack for the handler, a clock, and a place in
//! the list of those that are asked what they do.

use libc::c_void;
use std::{
    cell::{Cell, RefCell},
    mem::zeroed,
    ptr::{null, null_mut},
    sync::atomic::{AtomicI32, AtomicU64, Ordering},
};

/// Room for the unwinder and for reading debug information.
const STACK_BYTES: usize = 512 << 10;

/// Seconds of processor time between the limit and the end of a kernel that makes no call.
const GRACE_SECONDS: u64 = 1;

/// The part of the limit after which a launch is said to run still: 10 s of the default. Shorter ones than 1 s need no such line.
const STILL_PART: u64 = 60;

thread_local! {
    static STACK: RefCell<Option<AlternateStack>> = const { RefCell::new(None) };
    static CLOCK: RefCell<Option<Timer>> = const { RefCell::new(None) };
    /// The next alarm is the one of [`STILL_PART`].
    static STILL: Cell<bool> = const { Cell::new(false) };
}

/// Seconds of processor time; 0: none.
static LIMIT: AtomicU64 = AtomicU64::new(0);
/// Threads that run a core; 0: a free place. Those beyond are not asked.
static RUNNING: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];

pub fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// The threads that run a core.
pub fn running() -> impl Iterator<Item = i32> {
    RUNNING.iter().map(|place| place.load(Ordering::Relaxed)).filter(|thread| *thread != 0)
}

/// This thread runs a core for as long as the value lives.
pub(crate) struct OnCore(Option<&'static AtomicI32>);

impl OnCore {
    pub fn new() -> OnCore {
        prepare_thread();
        start_clock();
        // SAFETY: no preconditions.
        let me = unsafe { libc::gettid() };
        let free = |place: &&AtomicI32| place.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        OnCore(RUNNING.iter().find(free))
    }
}

impl Drop for OnCore {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            place.store(0, Ordering::Relaxed);
        }
    }
}

/// Says how long a host thread may work on one launch or host function.
pub fn set_time_limit(seconds: u64) {
    LIMIT.store(seconds, Ordering::Relaxed);
}

/// A stack for the handler on this thread. Without one an overflow of the stack ends the process without a word.
pub fn prepare_thread() {
    // A thread that is ending has no more locals; it runs no kernels either.
    let _ = STACK.try_with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut()
            && slot.is_none()
        {
            *slot = AlternateStack::new();
        }
    });
}

struct AlternateStack(*mut c_void);

impl AlternateStack {
    /// Instead of a smaller one of somebody else. None: the thread has a large one, or there is no memory.
    fn new() -> Option<AlternateStack> {
        // SAFETY: the calls get valid structures, and the mapping is ours.
        unsafe {
            let mut old: libc::stack_t = zeroed();
            let known = libc::sigaltstack(null(), &mut old) == 0;
            if !known || (old.ss_flags & libc::SS_DISABLE == 0 && old.ss_size >= STACK_BYTES) {
                return None;
            }
            let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let memory = libc::mmap(null_mut(), STACK_BYTES, access, kind, -1, 0);
            if memory == libc::MAP_FAILED {
                return None;
            }
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: STACK_BYTES };
            libc::sigaltstack(&stack, null_mut());
            Some(AlternateStack(memory))
        }
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        // SAFETY: the thread ends; nothing runs on the stack that is given back.
        unsafe {
            let none = libc::stack_t { ss_sp: null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            libc::sigaltstack(&none, null_mut());
            libc::munmap(self.0, STACK_BYTES);
        }
    }
}

/// Counts the processor time of its thread.
struct Timer(libc::timer_t);

impl Timer {
    fn new() -> Option<Timer> {
        // SAFETY: the structures are plain data, and the thread is this one.
        unsafe {
            let mut event: libc::sigevent = zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = libc::SIGXCPU;
            event.sigev_notify_thread_id = libc::gettid();
            let mut timer: libc::timer_t = null_mut();
            let made = libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &mut event, &mut timer) == 0;
            made.then_some(Timer(timer))
        }
    }

    fn start(&self, seconds: u64) {
        let never = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let once = libc::timespec { tv_sec: seconds as libc::time_t, tv_nsec: 0 };
        let spec = libc::itimerspec { it_interval: never, it_value: once };
        // SAFETY: the timer lives as long as self.
        unsafe { libc::timer_settime(self.0, 0, &spec, null_mut()) };
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: it is deleted once.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// Starts the clock of this thread anew. It is not stopped: who has nothing to do is not asked.
pub fn start_clock() {
    let early = limit() / STILL_PART;
    STILL.set(early > 0);
    if limit() > 0 {
        alarm_after(if early > 0 { early } else { limit() });
    }
}

/// The first alarm of a long limit: sets the clock to the rest. The seconds that are over; None: the limit is.
pub fn still_runs() -> Option<u64> {
    STILL.replace(false).then(|| {
        let early = limit() / STILL_PART;
        alarm_after(limit() - early);
        early
    })
}

/// Once more, for a kernel that was asked to stop.
pub fn grant() {
    alarm_after(GRACE_SECONDS);
}

fn alarm_after(limit: u64) {
    // As for the stack.
    let _ = CLOCK.try_with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut() {
            if slot.is_none() {
                *slot = Timer::new();
            }
            if let Some(timer) = &*slot {
                timer.start(limit);
            }
        }
    });
}
