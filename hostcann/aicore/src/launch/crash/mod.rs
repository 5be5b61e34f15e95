//! Code that crashes or does not end: who it was, and a fault of the launch where unwinding is possible.
//!
//! A handler runs on the thread that crashed, on a stack of its own. A kernel's own instructions, and copies made for it,
//! leave by unwinding like any fault (kernels are compiled with -fnon-call-exceptions, memcpy has unwind tables). Everything
//! else is named and then meets the signal's default action.

mod report;
mod thread;

use crate::{
    base::{
        fault::{FaultClass, Raise},
        pipe::Pipe,
        site::{self, Site},
    },
    machine::core::Core,
};
use libc::{c_char, c_int, c_void, siginfo_t};
use report::{Description, Line};
use std::{
    cell::Cell,
    fmt::Write,
    mem::zeroed,
    panic::resume_unwind,
    ptr::{null, null_mut},
    sync::{
        Once, OnceLock,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
};
pub(crate) use thread::OnCore;
pub use thread::set_time_limit;

const SIGNALS: [(c_int, &str); 6] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGXCPU, "SIGXCPU"),
];

/// An access so close to the stack pointer is one of the stack's own.
const STACK_REACH: usize = 1 << 20;

/// What a crashed kernel unwinds with.
#[derive(Clone, Copy)]
pub(crate) struct Crash {
    signal: c_int,
    code: c_int,
    address: usize,
    pc: usize,
    sp: usize,
    /// The process that sent the signal; 0: nobody did
    sender: i32,
}

/// A function of an operator's host side, and the operator.
#[derive(Clone, Copy)]
struct HostWork {
    what: *const c_char,
    op: *const c_char,
    /// An address in the stack frame of who called the function.
    frame: usize,
}

thread_local! {
    static HOST: Cell<Option<HostWork>> = const { Cell::new(None) };
    /// The crash that this thread's kernel is being left for.
    static LEAVING: Cell<Option<Crash>> = const { Cell::new(None) };
}

/// Handlers that were there before, by place in [`SIGNALS`].
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();
/// Whether a handler is naming a crash already.
static DYING: AtomicBool = AtomicBool::new(false);
/// Threads that still have to say what they do.
static ASKED: AtomicI32 = AtomicI32::new(0);
/// The process that ends this one.
static SENDER: AtomicI32 = AtomicI32::new(0);

/// Puts the handlers in front of those that are there. Later handlers of the program replace them.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the structures are plain data.
        let (mut before, mut action): ([libc::sigaction; SIGNALS.len()], libc::sigaction) = unsafe { zeroed() };
        for ((signal, _), before) in SIGNALS.iter().zip(&mut before) {
            // SAFETY: it only asks.
            unsafe { libc::sigaction(*signal, null(), before) };
        }
        let _ = BEFORE.set(before);
        action.sa_sigaction = handle as *const () as usize;
        // A kernel unwinds out of the handler, so nothing would unblock the signal.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
        for (signal, _) in SIGNALS {
            // SAFETY: the handler only needs what has been set.
            unsafe { libc::sigaction(signal, &action, null_mut()) };
        }
        // SAFETY: the function may be called at exit, also after this library's statics are gone: it uses thread locals only.
        unsafe { libc::atexit(at_exit) };
        thread::prepare_thread();
    });
}

/// Names what runs on this thread until [`leave_host`]; `frame` lies in the caller's stack frame.
///
/// # Safety
/// The first two are C strings that live so long.
pub unsafe fn enter_host(what: *const c_char, op: *const c_char, frame: usize) {
    install();
    thread::prepare_thread();
    thread::start_clock();
    HOST.set(Some(HostWork { what, op, frame }));
}

pub fn leave_host() {
    HOST.set(None);
    thread::stop_clock();
}

/// si_code of a signal that the kernel sends without an address.
const SI_KERNEL: c_int = 0x80;

const TIME_FIX: &str =
    "look for a loop whose condition never changes; HOSTCANN_TIME_LIMIT=<seconds> sets the limit, 0 lifts it";

/// The fault of a kernel that has used up its processor time and calls in.
pub(crate) fn late() -> Raise {
    Raise::new(FaultClass::Event, Pipe::S, "kernel", "the time limit of the launch is over")
        .expected("a kernel that ends")
        .got("a core that still runs here")
        .fix(TIME_FIX)
}

/// A fault for a kernel that threw.
pub(crate) fn thrown(core: &Core, text: &str) -> Raise {
    let mut raise = Raise::new(FaultClass::Crash, Pipe::S, "throw", "a C++ exception left the kernel behind this call")
        .expected("no exceptions: a device has none")
        .got(text)
        .fix("return from the kernel, or use ASCENDC_ASSERT");
    // Destructors have run since.
    raise.site = Some(core.observation.site_before_close).filter(|site| site.0 != 0);
    raise
}

impl Crash {
    fn text(&self) -> Description<'_> {
        Description(self)
    }

    /// The fault of the kernel that crashed on `core` and has been left.
    pub(crate) fn raise(&self, core: &Core) -> Raise {
        LEAVING.set(None);
        let last = site::current(core.observation.site)
            .map_or("no call into the core before".to_owned(), |at| format!("last call into the core at {at}"));
        let mut raise =
            Raise::new(FaultClass::Crash, Pipe::S, "scalar code", self.text().to_string()).got(last).fix(self.fix());
        if let Some(element) = self.element(core) {
            raise = raise.operand(element);
        } else if let Some(buffer) = self.buffer(core) {
            let (got, fix) = (format!("{}; {buffer}", raise.got), raise.fix.clone());
            raise = raise.got(got).fix(format!("{fix}; GetPhyAddr of a LocalTensor gives such an offset, no address"));
        }
        // The address of the instruction itself, not of what follows it; in a copy the call's.
        raise.site = Some(Site(self.pc + 1)).filter(|own| own.location().is_some());
        raise
    }

    /// The element of a GlobalTensor that the kernel was about to use.
    fn element(&self, core: &Core) -> Option<String> {
        // The system gives no address where a pointer has more bits than the machine.
        let same = |at: usize| self.code == SI_KERNEL || self.address.abs_diff(at) < size_of::<u64>();
        let is_last = |(at, site): &(usize, Site)| *site == core.observation.site && same(*at);
        let (at, _) = core
            .observation
            .last_scalar
            .filter(is_last)
            .filter(|_| self.signal == libc::SIGSEGV && !self.is_stack())?;
        let place = core.launch.behind_arguments(at).unwrap_or_else(|| format!("address {at:#x}"));
        Some(format!("GlobalTensor, element at {place}"))
    }

    /// What the address is as an offset in the unified buffer.
    fn buffer(&self, core: &Core) -> Option<String> {
        let is_address = self.signal == libc::SIGSEGV && self.code != SI_KERNEL;
        let (site, byte) = core.machine.queues.holder(self.address).filter(|_| is_address)?;
        let at = site.location().map_or(String::new(), |at| format!(" at {at}"));
        Some(format!("as an offset in the unified buffer it is byte {byte} of the buffer of InitBuffer{at}"))
    }

    fn fix(&self) -> &'static str {
        match self.signal {
            libc::SIGFPE => "look where the divisor comes from, often a field of the tiling data that nobody set",
            _ if self.is_stack() => {
                "keep arrays in the unified buffer and write recursion as a loop; a core's stack has 32 KiB"
            }
            _ => "look where the address comes from: GM_ADDR arguments, offsets, pointers of the host",
        }
    }

    fn is_stack(&self) -> bool {
        self.signal == libc::SIGSEGV && self.address >= 4096 && self.address.abs_diff(self.sp) < STACK_REACH
    }
}

/// The register's value at the crash: instruction and stack pointer.
#[cfg(target_arch = "x86_64")]
fn registers(context: &libc::ucontext_t) -> (usize, usize) {
    let all = &context.uc_mcontext.gregs;
    (all[libc::REG_RIP as usize] as usize, all[libc::REG_RSP as usize] as usize)
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &libc::ucontext_t) -> (usize, usize) {
    (context.uc_mcontext.pc as usize, context.uc_mcontext.sp as usize)
}

unsafe extern "C-unwind" fn handle(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes valid structures.
    let mut crash = unsafe {
        let (pc, sp) = registers(&*context.cast());
        let sender = if (*info).si_code == libc::SI_USER { (*info).si_pid() } else { 0 };
        Crash { signal, code: (*info).si_code, address: (*info).si_addr() as usize, pc, sp, sender }
    };
    let core = Core::current();
    // SAFETY: null, or the core of this thread, which is stopped here.
    let mut core = unsafe { core.as_mut() };
    let ours = core.is_some() || HOST.get().is_some();
    if signal == libc::SIGXCPU && crash.code == libc::SI_TIMER {
        // SAFETY: a timer's, says its code.
        if unsafe { thread::is_still(&*info) } {
            if ours {
                report::still_runs(core.as_deref());
            }
            return;
        }
        if !spends_too_much(core.as_deref(), ours) {
            return;
        }
    }
    if let Some(core) = &mut core
        && crash.is_synchronous()
        && (core.launch.copying || site::same_object(crash.pc, core.launch.entry))
        && !DYING.load(Ordering::Relaxed)
    {
        // Destructors on the way must not touch the core any more.
        core.launch.faulted = true;
        core.launch.copying = false;
        LEAVING.set(Some(crash));
        resume_unwind(Box::new(crash));
    }
    if core.is_some() && crash.code == libc::SI_TKILL && ASKED.load(Ordering::Relaxed) > 0 {
        crash.code = libc::SI_USER;
        crash.sender = SENDER.load(Ordering::Relaxed);
        report::print(&crash, core.as_deref());
        ASKED.fetch_sub(1, Ordering::Relaxed);
        // Whoever asked ends the process.
        loop {
            // SAFETY: it only waits.
            unsafe { libc::pause() };
        }
    }
    let tells = !DYING.swap(true, Ordering::Relaxed) && (ours || before(signal).is_none_or(is_default));
    SENDER.store(crash.sender, Ordering::Relaxed);
    if tells && (ours || crash.code != libc::SI_USER || !ask_the_cores()) {
        // A function without a way out (noexcept) ends in abort; what led there is the crash.
        let first = LEAVING.get().filter(|_| signal == libc::SIGABRT);
        report::print(&first.unwrap_or(crash), core.as_deref());
    }
    // SAFETY: what the system passed to this handler.
    unsafe { give_back(&crash, info, context) };
}

/// Somebody ends this process: what do its cores do? False: there are none.
fn ask_the_cores() -> bool {
    let nap = libc::timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    for core in thread::running() {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the thread is one of this process; one that has ended is no error.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), core, libc::SIGABRT) };
    }
    let asked = ASKED.load(Ordering::Relaxed) > 0;
    for _ in 0..100 {
        if ASKED.load(Ordering::Relaxed) <= 0 {
            break;
        }
        // SAFETY: it only waits.
        unsafe { libc::nanosleep(&nap, null_mut()) };
    }
    asked
}

impl Crash {
    /// By another process: no fault of what runs here.
    fn is_sent(&self) -> bool {
        // SAFETY: no preconditions.
        self.code == libc::SI_USER && self.sender != unsafe { libc::getpid() }
    }

    /// Raised by the instruction at pc, not by somebody who sends signals.
    fn is_synchronous(&self) -> bool {
        self.code > 0 && matches!(self.signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGFPE)
    }
}

/// Whether the clock ends the process. The first time a kernel is asked to stop at its next call.
fn spends_too_much(core: Option<&Core>, ours: bool) -> bool {
    match core {
        Some(core) if core.launch.late.swap(true, Ordering::Relaxed) => true,
        Some(_) => {
            thread::grant();
            false
        }
        None => ours,
    }
}

/// What the signal did before.
fn before(signal: c_int) -> Option<&'static libc::sigaction> {
    let index = SIGNALS.iter().position(|(number, _)| *number == signal)?;
    BEFORE.get().map(|all| &all[index])
}

fn is_default(action: &libc::sigaction) -> bool {
    action.sa_sigaction == libc::SIG_DFL || action.sa_sigaction == libc::SIG_IGN
}

/// Puts the handler back that was there before and lets the signal meet it. An instruction that failed is not tried again: with
/// memory that was mapped in the meantime it would succeed, and the crash would count for nothing.
///
/// # Safety
/// `info` and `context` are those of the handler that calls.
unsafe fn give_back(crash: &Crash, info: *mut siginfo_t, context: *mut c_void) {
    type Handler = unsafe extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);
    // SAFETY: all of these may be called in a handler, and a handler takes what this one was given.
    unsafe {
        match before(crash.signal) {
            Some(before) if !is_default(before) => {
                libc::sigaction(crash.signal, before, null_mut());
                let handler = std::mem::transmute::<usize, Handler>(before.sa_sigaction);
                handler(crash.signal, info, context);
            }
            _ => {
                libc::signal(crash.signal, libc::SIG_DFL);
                libc::raise(crash.signal);
            }
        }
    }
}

/// A kernel must not end the process of its caller.
extern "C" fn at_exit() {
    // SAFETY: null, or the core of this thread, which is inside of exit().
    let Some(core) = (unsafe { Core::current().as_ref() }) else { return };
    let mut line = Line::new();
    // SAFETY: no preconditions.
    let (process, thread) = unsafe { (libc::getpid(), libc::gettid()) };
    let _ = write!(
        line,
        "[ERROR] CRASH({process},{thread}): kernel fault: kernel {}, core {}: exit() was called in the kernel",
        core.launch.kernel, core.launch.block_idx
    );
    line.flush();
    if let Some(at) = site::current(core.observation.site) {
        let _ = write!(line, ", last call into the core at {at}");
    }
    let _ = line.write_str(". Fix: return from the kernel; the process ends here because nothing can undo exit()\n");
    line.flush();
    // SAFETY: ends the process; the program that waits for the launch would wait for ever.
    unsafe { libc::_exit(1) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(signal: c_int, address: usize) -> String {
        Crash { signal, code: 1, address, pc: 0, sp: 0x7fff_0000, sender: 0 }.text().to_string()
    }

    #[test]
    fn what_a_signal_means() {
        assert_eq!(text(libc::SIGSEGV, 0x10), "signal 11 (SIGSEGV): access to address 0x10, which is not memory");
        assert_eq!(text(libc::SIGSEGV, 0x7ffe_fff8), "signal 11 (SIGSEGV): the stack overflowed");
        assert_eq!(
            text(libc::SIGFPE, 0),
            "signal 8 (SIGFPE): an integer division by zero, or one whose result does not fit"
        );
    }

    #[test]
    fn a_line_is_cut_where_it_ends() {
        let mut line = Line::new();
        (0..300).for_each(|_| line.write_str("12345").expect("it is cut"));
        assert_eq!(line.used, 1024);
    }
}
