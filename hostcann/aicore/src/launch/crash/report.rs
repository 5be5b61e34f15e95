//! The report of a crash: first what needs no allocation, then source lines.

use super::{Crash, HOST, SI_KERNEL, SIGNALS, TIME_FIX, thread};
use crate::{
    base::site::{self, Site},
    machine::core::Core,
};
use libc::c_int;
use std::{
    ffi::CStr,
    fmt::{self, Write},
    mem::zeroed,
    ptr::null_mut,
    sync::atomic::{AtomicBool, AtomicI32, Ordering},
};

/// Seconds that naming the source lines may take: it allocates, and the crash may hold the allocator's lock.
const NAMING_SECONDS: u32 = 5;

/// The signal that is being reported.
static DEADLY: AtomicI32 = AtomicI32::new(0);

/// What happened, without allocating.
pub struct Description<'a>(pub &'a Crash);

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Crash { signal, address, .. } = *self.0;
        let name = SIGNALS.iter().find(|(number, _)| *number == signal).map_or("?", |(_, name)| name);
        write!(f, "signal {signal} ({name}): ")?;
        match signal {
            libc::SIGSEGV if self.0.is_stack() => write!(f, "the stack overflowed"),
            libc::SIGSEGV if self.0.code == SI_KERNEL => f.write_str("access to an address beyond all memory"),
            libc::SIGSEGV | libc::SIGBUS => write!(f, "access to address {address:#x}, which is not memory"),
            libc::SIGFPE => f.write_str("an integer division by zero, or one whose result does not fit"),
            libc::SIGILL => f.write_str("an instruction that traps (__builtin_trap, a function without its return)"),
            libc::SIGABRT if self.0.is_sent() => write!(f, "process {} stops this one", self.0.sender),
            libc::SIGABRT => f.write_str("abort was called (an assertion, std::terminate, damaged heap memory)"),
            _ => write!(f, "{} seconds of processor time are used up", thread::limit()),
        }
    }
}

/// Fixed memory for a line; what does not fit is lost.
pub struct Line {
    bytes: [u8; 1024],
    pub used: usize,
}

impl Line {
    pub fn new() -> Line {
        Line { bytes: [0; 1024], used: 0 }
    }

    pub fn flush(&mut self) {
        // SAFETY: the bytes are ours; an output that is closed loses them.
        unsafe { libc::write(2, self.bytes.as_ptr().cast(), self.used) };
        self.used = 0;
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let n = text.len().min(self.bytes.len() - self.used);
        self.bytes[self.used..self.used + n].copy_from_slice(&text.as_bytes()[..n]);
        self.used += n;
        Ok(())
    }
}

/// Says once in a process that something takes long, and what ends it.
pub fn still_runs(core: Option<&Core>) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut line = Line::new();
    // Writing to a line cannot fail.
    let _ = line.write_str("[NOTE] ");
    whom(&mut line, core);
    let _ = write!(line, " still runs after {} s; ", thread::still_after());
    let _ = match thread::limit() {
        0 => line.write_str("nothing stops it (HOSTCANN_TIME_LIMIT=0)\n"),
        limit => writeln!(line, "at {limit} s of processor time it is stopped (HOSTCANN_TIME_LIMIT=<seconds>)"),
    };
    line.flush();
}

/// The kernel or the host function that runs.
fn whom(line: &mut Line, core: Option<&Core>) {
    let _ = match (core, HOST.get()) {
        (Some(core), _) => write!(line, "kernel {}, core {}", core.launch.kernel, core.launch.block_idx),
        (None, Some(work)) => {
            // SAFETY: C strings while the function runs, says `enter_host`.
            let (what, op) = unsafe { (CStr::from_ptr(work.what), CStr::from_ptr(work.op)) };
            write!(line, "{} of {}", what.to_str().unwrap_or("?"), op.to_str().unwrap_or("?"))
        }
        (None, None) => write!(line, "outside of kernels and of an operator's host functions"),
    };
}

/// Says who crashed: what is certain first, source lines behind it.
pub fn print(crash: &Crash, core: Option<&Core>) {
    DEADLY.store(crash.signal, Ordering::Relaxed);
    let mut line = Line::new();
    // SAFETY: no preconditions.
    let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    // Writing to a line cannot fail.
    // Who is stopped by another process has done nothing wrong.
    let what = if crash.is_sent() { "[NOTE] STOPPED" } else { "[ERROR] CRASH" };
    let _ = write!(line, "{what}({process},{thread}): {}: ", crash.text());
    whom(&mut line, core);
    line.flush();
    limit_naming();
    if let Some(core) = core {
        match Site(crash.pc + 1).location() {
            Some(at) => drop(write!(line, ", at {at}")),
            None => drop(write!(line, ", in code without lines")),
        }
        line.flush();
        match site::current(core.observation.site) {
            Some(at) => drop(write!(line, ", last call into the core at {at}")),
            None => drop(write!(line, ", before its first call into the core")),
        }
    }
    if crash.signal == libc::SIGXCPU {
        let _ = write!(line, ". Fix: {TIME_FIX}");
    }
    let _ = line.write_str("\n");
    line.flush();
    if core.is_none() {
        frames(crash.pc, &mut line);
    }
    // SAFETY: no preconditions.
    unsafe { libc::alarm(0) };
}

/// The innermost functions, from where the crash was; those of a host function without who has called it.
fn frames(pc: usize, line: &mut Line) {
    const SHOWN: usize = 6;
    let mut addresses = Vec::new();
    // SAFETY: the frames are only looked at.
    unsafe {
        backtrace::trace_unsynchronized(|frame| {
            addresses.push((frame.ip() as usize, frame.sp() as usize));
            addresses.len() < 64
        });
    }
    // The handler's own frames come first.
    let from = addresses.iter().position(|&(address, _)| address == pc).unwrap_or(0);
    let caller = HOST.get().and_then(|work| {
        // The stack grows down: the caller's frame is the last one that begins no later.
        addresses[from..].iter().rposition(|&(_, sp)| sp <= work.frame).filter(|&caller| caller > 0)
    });
    let end = caller.map_or(addresses.len(), |caller| from + caller);
    let mut shown = 0;
    for (i, &(address, _)) in addresses[from..end].iter().enumerate() {
        // Callers are known by the address they go on at.
        let site = Site(if i == 0 { address + 1 } else { address });
        for (function, place) in site.functions() {
            let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
            let _ = writeln!(line, "    in {function}{place}");
            line.flush();
            shown += 1;
            if shown == SHOWN || function == "main" {
                return;
            }
        }
    }
}

/// Ends the process when the names take too long.
fn limit_naming() {
    extern "C" fn give_up(_: c_int) {
        let mut line = Line::new();
        let _ = line.write_str("\n");
        line.flush();
        // SAFETY: all of these may be called in a handler.
        unsafe {
            let signal = DEADLY.load(Ordering::Relaxed);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            libc::_exit(1);
        }
    }
    // SAFETY: all of these may be called in a handler.
    unsafe {
        libc::signal(libc::SIGALRM, give_up as *const () as usize);
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, null_mut());
        libc::alarm(NAMING_SECONDS);
    }
}
