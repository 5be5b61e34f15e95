//! What a thread that runs kernels or host functions has for the worst case: a stack for the handler, a clock, and a place in
//! the list of those that are asked what they do.

use libc::c_void;
use std::{
    cell::RefCell,
    mem::zeroed,
    ptr::{null, null_mut},
    sync::atomic::{AtomicI32, AtomicU64, Ordering},
};

/// Room for the unwinder and for reading debug information.
const STACK_BYTES: usize = 512 << 10;

/// Seconds of processor time between the limit and the end of a kernel that makes no call.
const GRACE_SECONDS: u64 = 1;

/// A launch is said to run still after this part of the limit, and these seconds at the latest. Shorter ones than 1 s need
/// no such line.
const STILL_PART: u64 = 60;
const STILL_SECONDS: u64 = 5;

thread_local! {
    static STACK: RefCell<Option<AlternateStack>> = const { RefCell::new(None) };
    static CLOCKS: RefCell<Option<Clocks>> = const { RefCell::new(None) };
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
        stop_clock();
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

/// The processor time of a thread, which ends, and the time on the wall, after which it is said to run still.
struct Clocks {
    work: Timer,
    wall: Timer,
}

impl Clocks {
    fn new() -> Option<Clocks> {
        Some(Clocks {
            work: Timer::new(libc::CLOCK_THREAD_CPUTIME_ID, false)?,
            wall: Timer::new(libc::CLOCK_MONOTONIC, true)?,
        })
    }
}

/// Sends SIGXCPU to its thread.
struct Timer(libc::timer_t);

impl Timer {
    fn new(clock: libc::clockid_t, is_wall: bool) -> Option<Timer> {
        // SAFETY: the structures are plain data, and the thread is this one.
        unsafe {
            let mut event: libc::sigevent = zeroed();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = libc::SIGXCPU;
            event.sigev_notify_thread_id = libc::gettid();
            event.sigev_value.sival_ptr = is_wall as usize as *mut c_void;
            let mut timer: libc::timer_t = null_mut();
            let made = libc::timer_create(clock, &mut event, &mut timer) == 0;
            made.then_some(Timer(timer))
        }
    }

    /// 0 seconds stop it.
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

/// Starts the clocks of this thread anew. That of its work is not stopped: who has nothing to do is not asked.
pub fn start_clock() {
    with_clocks(|clocks| {
        clocks.work.start(limit());
        clocks.wall.start(still_after());
    });
}

/// What the thread does next may take as long as it likes.
pub fn stop_clock() {
    with_clocks(|clocks| clocks.wall.start(0));
}

/// Seconds on the wall after which a launch is said to run still; 0: never.
pub fn still_after() -> u64 {
    match limit() {
        0 => STILL_SECONDS,
        limit => (limit / STILL_PART).min(STILL_SECONDS),
    }
}

/// Whether the alarm is the one that ends nothing.
///
/// # Safety
/// The signal is one of a timer.
pub unsafe fn is_still(info: &libc::siginfo_t) -> bool {
    // SAFETY: by this function's contract.
    !unsafe { info.si_value() }.sival_ptr.is_null()
}

/// Once more, for a kernel that was asked to stop.
pub fn grant() {
    with_clocks(|clocks| clocks.work.start(GRACE_SECONDS));
}

fn with_clocks(f: impl FnOnce(&Clocks)) {
    // As for the stack.
    let _ = CLOCKS.try_with(|slot| {
        if let Ok(mut slot) = slot.try_borrow_mut() {
            if slot.is_none() {
                *slot = Clocks::new();
            }
            if let Some(clocks) = &*slot {
                f(clocks);
            }
        }
    });
}
