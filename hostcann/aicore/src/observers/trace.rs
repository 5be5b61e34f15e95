//! The trace log: one line per step, the same for the same kernel and data, so that two runs can be compared with diff.
//!
//! The format is in `docs/reference/trace.md`.

use crate::{
    base::{
        fault::{Fault, Raise},
        ins::{CopyIns, Operand},
        lanes::Stride,
        mask::MaskRegs,
        site::Site,
    },
    instruction::vector::{Blocks, MaskArg, Span, Vector},
    machine::{
        event::HardEvent,
        observe::{Access, Block, GmAccess, Observer, Step, TensorAt, Watch, WatchLaunch},
    },
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::{self, Write as _},
    io::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Takes a core's number and a line without its end.
pub type Sink = dyn Fn(u32, &str) + Send + Sync;

fn lock<T: ?Sized>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Source lines of sites, each looked up once.
#[derive(Default)]
struct Places(Mutex<HashMap<Site, String>>);

impl Places {
    /// ` @file:line`, or nothing.
    fn of(&self, site: Site) -> String {
        let text = || site.location().map_or(String::new(), |l| format!(" @{l}"));
        lock(&self.0).entry(site).or_insert_with(text).clone()
    }
}

/// Hands every line to a function at once; lines of different cores come in any order.
#[derive(Clone)]
pub struct Lines {
    sink: Arc<Sink>,
    places: Arc<Places>,
}

impl Lines {
    pub fn new(sink: impl Fn(u32, &str) + Send + Sync + 'static) -> Lines {
        Lines { sink: Arc::new(sink), places: Arc::default() }
    }
}

impl Watch for Lines {
    fn launch(&self, _: &str, _: u64, _: u32) -> Option<Arc<dyn WatchLaunch>> {
        Some(Arc::new(self.clone()))
    }
}

impl WatchLaunch for Lines {
    fn block(&self, block: &Block<'_>) -> Option<Box<dyn Observer>> {
        let (sink, core) = (self.sink.clone(), block.index);
        Some(Box::new(BlockLines::new(self.places.clone(), Box::new(move |line| sink(core, line)))))
    }
}

/// Writes the lines of a launch when it has ended, core after core.
pub struct Trace {
    to: Arc<Mutex<dyn Write + Send>>,
    places: Arc<Places>,
}

impl Trace {
    pub fn new(to: impl Write + Send + 'static) -> Trace {
        Trace { to: Arc::new(Mutex::new(to)), places: Arc::default() }
    }
}

impl Watch for Trace {
    fn launch(&self, kernel: &str, tiling_key: u64, blocks: u32) -> Option<Arc<dyn WatchLaunch>> {
        let title = format!("launch {kernel} key={tiling_key} blocks={blocks}\n");
        let (to, places) = (self.to.clone(), self.places.clone());
        Some(Arc::new(LaunchTrace { title, cores: Arc::default(), to, places }))
    }
}

struct LaunchTrace {
    title: String,
    /// Lines of every core.
    cores: Arc<Mutex<BTreeMap<u32, String>>>,
    to: Arc<Mutex<dyn Write + Send>>,
    places: Arc<Places>,
}

impl WatchLaunch for LaunchTrace {
    fn block(&self, block: &Block<'_>) -> Option<Box<dyn Observer>> {
        let (cores, core) = (self.cores.clone(), block.index);
        let keep = move |line: &str| {
            let mut cores = lock(&cores);
            // A String takes whatever is written to it.
            let _ = writeln!(cores.entry(core).or_default(), "core {core} {line}");
        };
        Some(Box::new(BlockLines::new(self.places.clone(), Box::new(keep))))
    }

    fn end(&self, fault: Option<&Fault>) -> Result<(), Fault> {
        let mut text = self.title.clone();
        lock(&self.cores).values().for_each(|lines| text += lines);
        if let Some(fault) = fault {
            text += &format!("{}: {}\n", fault.headline(), fault.message);
        }
        let mut to = lock(&self.to);
        // A log that cannot be written must not change what the kernel does.
        let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
        Ok(())
    }
}

/// Makes lines of the steps of a block. An instruction is one line: its operands are part of it.
struct BlockLines {
    places: Arc<Places>,
    out: Box<dyn Fn(&str)>,
    /// The instruction whose operands are still to come, and its place.
    open: Option<(String, String)>,
}

impl BlockLines {
    fn new(places: Arc<Places>, out: Box<dyn Fn(&str)>) -> BlockLines {
        BlockLines { places, out, open: None }
    }

    /// Ends the line of the current instruction.
    fn close(&mut self, how: &str) {
        if let Some((line, place)) = self.open.take() {
            (self.out)(&format!("{line}{how}{place}"));
        }
    }
}

impl Observer for BlockLines {
    fn step(&mut self, site: Site, step: &Step<'_>) -> Result<(), Raise> {
        if matches!(step, Step::Done) {
            self.close("");
            return Ok(());
        }
        let text = text(step);
        match (step, &mut self.open) {
            (Step::Operand { .. } | Step::Global { .. } | Step::Reserved, Some((line, _))) => *line += &text,
            (Step::Sorted { .. }, _) => {}
            (Step::Vector { .. } | Step::Copy { .. }, _) => self.open = Some((text, self.places.of(site))),
            _ => (self.out)(&format!("{text}{}", self.places.of(site))),
        }
        Ok(())
    }
}

impl Drop for BlockLines {
    fn drop(&mut self) {
        self.close(" stopped");
    }
}

/// `arg2+64`; an address that belongs to no argument differs from run to run and is left out.
struct Gm(Option<TensorAt>);

impl fmt::Display for Gm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => write!(f, "arg{}+{}", at.argument, at.offset),
            None => f.write_str("?"),
        }
    }
}

fn range(o: Operand) -> String {
    format!("{}+{}", o.addr, o.bytes)
}

fn flag(of: Option<(HardEvent, i32)>) -> String {
    of.map_or("none".to_owned(), |(event, id)| format!("{}:{id}", event.name()))
}

fn handle(h: u32) -> String {
    format!("queue={} buffer={}", h >> 16, h & 0xffff)
}

/// The text of a step, without its place. Operands begin with a space: they are added to their instruction's line.
fn text(step: &Step<'_>) -> String {
    match *step {
        Step::Enter => "enter".to_owned(),
        Step::Vector { ins, mask } => vector(ins, mask),
        Step::Copy { ins, gm, atomic } => {
            let mut line = copy(ins, gm);
            if let Some(a) = atomic {
                line += &format!(" atomic={}<{}>", a.op.name(), a.dtype.name());
            }
            line
        }
        Step::Matmul { ins, .. } => format!("{} {}", ins.pipe(), ins.name()),
        Step::Product(p) => format!("product {}x{}x{} base {:?}", p.size[0], p.size[1], p.size[2], p.base),
        Step::MatmulWaited => "matmul-wait".to_owned(),
        Step::Operand { name, operand, shape, access } => {
            let verb = if access == Access::Read { "r" } else { "w" };
            format!(" {name}={verb}:{}+{}", operand.addr, shape.extent())
        }
        Step::Global { shape, access, .. } => {
            let verb = if access == Access::Read { "r" } else { "w" };
            format!(" gm={verb}:{}", shape.extent())
        }
        Step::Sorted { .. } | Step::Done => String::new(),
        Step::Reserved => " reserved".to_owned(),
        Step::Broken(raise) => format!("broken {}", raise.what),
        Step::Call { name, operands, tmp, in_place, .. } => {
            let [dst, src0, src1] = operands.map(range);
            format!("call {name} dst={dst} src0={src0} src1={src1} tmp={} in-place={in_place}", range(tmp))
        }
        Step::MaskMode { counter } => format!("mask-mode {}", if counter { "counter" } else { "normal" }),
        Step::MaskSet { bits: [low, high] } => format!("mask-set {high:#x},{low:#x}"),
        Step::MaskReset => "mask-reset".to_owned(),
        Step::Atomic(None) => "SetAtomicNone".to_owned(),
        Step::Atomic(Some(a)) => format!("{}<{}>", a.op.name(), a.dtype.name()),
        Step::SetFlag { event, id } => format!("set-flag {}:{id}", event.name()),
        Step::WaitFlag { event, id } => format!("wait-flag {}:{id}", event.name()),
        Step::EventTaken { event, id } => format!("event-alloc {}:{id}", event.name()),
        Step::EventReleased { event, id } => format!("event-release {}:{id}", event.name()),
        Step::Barrier(pipe) => format!("barrier {pipe}"),
        Step::SyncAll => "sync-all".to_owned(),
        Step::CrossSet { pipe, flag } => format!("cross-set {pipe} id={flag}"),
        Step::CrossWait { flag } => format!("cross-wait id={flag}"),
        Step::Polled { bytes, .. } => format!("polls bytes={bytes}"),
        Step::Cleared { bytes, .. } => format!("counts-in bytes={bytes}"),
        Step::Paired(_) => "sync-cores".to_owned(),
        Step::CmpMask { bits } => format!("cmp-mask {:016x}{:016x}", bits[1], bits[0]),
        Step::LocalWatch { register, start, end, kinds } => {
            format!("local-watch {register} blocks={start}..={end} kinds={kinds:#04x}")
        }
        Step::UbScalar { operand, write } => {
            let call = if write { "SetValue" } else { "GetValue" };
            format!("{call} ub={} bytes={}", operand.addr, operand.bytes)
        }
        Step::GmScalar { gm, bytes, access, .. } => {
            let call = match access {
                GmAccess::Read => "GetValue",
                GmAccess::Write => "SetValue",
                GmAccess::Reference => "reference",
            };
            format!("{call} gm={} bytes={bytes}", Gm(gm))
        }
        Step::CleanCache { addr: None, .. } => "dcci all".to_owned(),
        Step::CleanCache { gm, .. } => format!("dcci gm={}", Gm(gm)),
        Step::Tiling { bytes, .. } => format!("tiling {bytes}"),
        Step::PipeOpen => "pipe-open".to_owned(),
        Step::PipeClose => "pipe-close".to_owned(),
        Step::InitBuffer { addr, num, bytes, .. } => format!("init-buffer ub={addr} num={num} bytes={bytes}"),
        Step::StackBuffer { addr, bytes, .. } => format!("stack-buffer ub={addr} bytes={bytes}"),
        Step::AllocTensor { handle: h, .. } => format!("alloc {}", handle(h)),
        Step::EnQue { handle: h } => format!("enque {}", handle(h)),
        Step::DeQue { handle: h } => format!("deque {}", handle(h)),
        Step::FreeTensor { handle: h, .. } => format!("free {}", handle(h)),
        Step::End { flags, event } => format!("end flag={} event={}", flag(flags.first().copied()), flag(event)),
    }
}

fn vector(ins: &Vector, registers: MaskRegs) -> String {
    let mut line = format!("V {}", ins.head().name());
    match ins.span() {
        None => {}
        Some(Span::Count(n)) => line += &format!(" count={n}"),
        Some(Span::Repeats { n, mask, dst, src }) => {
            let bits = |[low, high]: [u64; 2]| format!("{high:#x},{low:#x}");
            let mask = match *mask {
                MaskArg::Elements(n) => n.to_string(),
                MaskArg::Bits(b) => bits(b),
                MaskArg::Register => format!("register({})", bits(registers.bits)),
            };
            let mode = if registers.counter { " counter" } else { "" };
            let bytes = |s: Blocks| format!("{}:{}", Stride::from(s).blk, Stride::from(s).rep);
            let strides = [*dst, src[0], src[1]].map(bytes);
            line += &format!(" repeat={n} mask={mask}{mode} strides={}", strides.join(","));
        }
    }
    line
}

fn copy(ins: &CopyIns, gm: Option<TensorAt>) -> String {
    let mut line = format!("{} {}", ins.pipe(), ins.name());
    if ins.pipe() != crate::base::pipe::Pipe::V {
        line += &format!(" at={}", Gm(gm));
    }
    line += &format!(" blocks={} len={} gaps={},{}", ins.block_count, ins.block_len, ins.src_stride, ins.dst_stride);
    if ins.left_pad != 0 || ins.right_pad != 0 || ins.is_pad != 0 {
        line += &format!(" pad={},{}", ins.left_pad, ins.right_pad);
        if ins.is_pad != 0 {
            line += &format!(" with={:#x}", ins.pad_value);
        }
    }
    line
}
