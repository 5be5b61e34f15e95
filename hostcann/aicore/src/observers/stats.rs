//! What launches issue: instructions, lanes and bytes, counted where every step of a core passes.

use crate::{
    base::{
        fault::{Fault, Raise},
        ins::{CopyIns, Direction, Opcode},
        lanes::{REPEAT, first},
        mask::MaskRegs,
        site::Site,
    },
    instruction::vector::{Head, MaskArg, Span, Unary, Vector},
    machine::{
        event::HardEvent,
        observe::{Block, Observer, Step, WatchLaunch},
    },
    observers::banks,
};
use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

/// Sums over one launch or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LaunchStats {
    pub launches: u64,
    pub blocks: u64,
    pub vector_instructions: u64,
    /// Active lanes over all repeats.
    pub vector_lanes: u64,
    /// In halves: a lane of an instruction whose widest operand has 32 bits or more counts 2, a narrower one 1.
    pub f32_equivalents: u64,
    /// GM to UB.
    pub mte2_bytes: u64,
    pub mte2_bursts: u64,
    /// UB to GM.
    pub mte3_bytes: u64,
    pub mte3_bursts: u64,
    /// DataCopy inside the unified buffer; not in the vector numbers.
    pub ub_copy_bytes: u64,
    pub set_flags: u64,
    pub wait_flags: u64,
    pub barriers: u64,
    /// Repeats whose two sources share a bank group.
    pub read_conflicts: u64,
    /// Repeats that write to a bank they read, out of step.
    pub write_conflicts: u64,
}

/// The vector part of `hc_launch_stats` for one opcode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct OpcodeStats {
    pub instructions: u64,
    pub lanes: u64,
    /// In halves.
    pub f32_equivalents: u64,
    pub read_conflicts: u64,
    pub write_conflicts: u64,
}

const OPCODES: usize = 256;

/// Counters of one core, one launch or many.
#[derive(Clone, Debug)]
pub struct Counters {
    pub total: LaunchStats,
    opcodes: [OpcodeStats; OPCODES],
}

impl Default for Counters {
    fn default() -> Counters {
        Counters { total: LaunchStats::default(), opcodes: [OpcodeStats::default(); OPCODES] }
    }
}

impl Counters {
    pub fn opcode(&self, op: Opcode) -> OpcodeStats {
        self.opcodes[op as usize]
    }

    fn vector(&mut self, ins: &Vector, mask: MaskRegs) {
        let head = ins.head();
        let bytes = widest(head);
        let per_repeat = lanes_per_repeat(head, bytes);
        let lanes = active_lanes(ins, mask, per_repeat);
        let conflicts = banks::conflicts(ins, mask, per_repeat);
        let halves = lanes * if bytes >= 4 { 2 } else { 1 };
        let t = &mut self.total;
        t.vector_instructions += 1;
        t.vector_lanes += lanes;
        t.f32_equivalents += halves;
        t.read_conflicts += conflicts.read;
        t.write_conflicts += conflicts.write;
        let o = &mut self.opcodes[head.op as usize];
        o.instructions += 1;
        o.lanes += lanes;
        o.f32_equivalents += halves;
        o.read_conflicts += conflicts.read;
        o.write_conflicts += conflicts.write;
    }

    fn copy(&mut self, ins: &CopyIns) {
        let bursts = if ins.block_len == 0 { 0 } else { ins.block_count as u64 };
        let bytes = bursts * ins.block_len as u64;
        let t = &mut self.total;
        match Direction::from_code(ins.direction as u32) {
            Some(Direction::GmToUb) => {
                t.mte2_bytes += bytes;
                t.mte2_bursts += bursts;
            }
            Some(Direction::UbToGm) => {
                t.mte3_bytes += bytes;
                t.mte3_bursts += bursts;
            }
            _ => t.ub_copy_bytes += bytes,
        }
    }

    pub(crate) fn add(&mut self, other: &Counters) {
        macro_rules! sum {
            ($a:expr, $b:expr, $($f:ident),+) => { $($a.$f += $b.$f;)+ };
        }
        sum!(
            self.total,
            other.total,
            launches,
            blocks,
            vector_instructions,
            vector_lanes,
            f32_equivalents,
            mte2_bytes,
            mte2_bursts,
            mte3_bytes,
            mte3_bursts,
            ub_copy_bytes,
            set_flags,
            wait_flags,
            barriers,
            read_conflicts,
            write_conflicts
        );
        for (a, b) in self.opcodes.iter_mut().zip(&other.opcodes) {
            sum!(a, b, instructions, lanes, f32_equivalents, read_conflicts, write_conflicts);
        }
    }
}

/// Bytes of the widest operand element.
pub(crate) fn widest(head: &Head) -> usize {
    let offsets = if head.op == Opcode::Gather { 4 } else { 1 };
    head.dtype.size().max(head.stype.size()).max(offsets)
}

/// Lanes of a repeat. Gather counts elements, whose offsets may be wider.
pub(crate) fn lanes_per_repeat(head: &Head, widest: usize) -> usize {
    match head.op {
        Opcode::Gather => REPEAT / head.dtype.size(),
        Opcode::Sort32 => 32,
        _ => REPEAT / widest,
    }
}

pub(crate) fn active_lanes(ins: &Vector, mask: MaskRegs, per_repeat: usize) -> u64 {
    let whole = |repeats: usize| (repeats * per_repeat) as u64;
    let span = match ins {
        // The mask is the number of elements a repeat takes, or nothing.
        Vector::GatherMask(i) => return i.taken.elements(&mask).map_or(whole(i.repeats), |n| (i.repeats * n) as u64),
        Vector::Gatherb(i) => return whole(i.repeats),
        Vector::Sort32(i) => return whole(i.repeats),
        Vector::TransDataTo5HD(i) => return (i.repeats * 512 / i.head.dtype.size().max(2)) as u64,
        Vector::Transpose(i) => return (i.images.max(1) * i.channels * i.pixels) as u64,
        Vector::MrgSort(i) => return (i.repeats * i.queues.iter().map(|(_, n)| n).sum::<usize>()) as u64,
        // The 128 bits of CMPMASK.
        Vector::GetCmpMask(_) | Vector::SetCmpMask(_) => return 128,
        Vector::Brcb(_) if mask.counter => return mask.bits[0] as u32 as u64,
        Vector::Brcb(i) => return whole(i.repeats),
        // Compare ignores its mask on A2.
        Vector::Compare(i) => match i.span {
            Span::Repeats { n, .. } => return whole(n),
            ref span => span,
        },
        // In counter mode the mask of Copy counts per repeat.
        Vector::Copy(Unary { span: Span::Repeats { mask: arg, n, .. }, .. }) if mask.counter => {
            let (MaskArg::Elements(lanes) | MaskArg::Bits([lanes, _])) = *arg else {
                return *n as u64 * mask.bits[0].min(per_repeat as u64);
            };
            return *n as u64 * lanes.min(per_repeat as u64);
        }
        Vector::CompareRegister(i) if !mask.counter => return whole(i.span.n()),
        other => match other.span() {
            Some(span) => span,
            None => return 0,
        },
    };
    let ones = |bits: [u64; 2]| {
        let all = first(per_repeat);
        ((bits[0] & all[0]).count_ones() + (bits[1] & all[1]).count_ones()) as u64
    };
    match *span {
        Span::Count(n) => n as u64,
        Span::Repeats { mask: arg, n, .. } => match (arg, mask.counter) {
            (MaskArg::Register, true) => mask.bits[0] as u32 as u64,
            (MaskArg::Elements(total) | MaskArg::Bits([total, _]), true) => total as u32 as u64,
            (MaskArg::Elements(lanes), false) => n as u64 * lanes.min(per_repeat as u64),
            (MaskArg::Bits(bits), false) => n as u64 * ones(bits),
            (MaskArg::Register, false) => n as u64 * ones(mask.bits),
        },
    }
}

impl Observer for Counters {
    fn step(&mut self, _: Site, step: &Step<'_>) -> Result<(), Raise> {
        let t = &mut self.total;
        match *step {
            Step::Enter => t.blocks += 1,
            Step::Vector { ins, mask } => self.vector(ins, mask),
            Step::Copy { ins, .. } => self.copy(ins),
            // V_V is no event of the hardware.
            Step::SetFlag { event, .. } => t.set_flags += (event != HardEvent::V_V) as u64,
            Step::WaitFlag { event, .. } => t.wait_flags += (event != HardEvent::V_V) as u64,
            Step::Barrier(_) => t.barriers += 1,
            _ => {}
        }
        Ok(())
    }
}

/// The counters of one launch, summed over its blocks.
pub(crate) struct LaunchCounters {
    kernel: String,
    sum: Arc<Mutex<Counters>>,
    stats: Arc<Stats>,
}

impl LaunchCounters {
    pub fn new(kernel: &str, stats: Arc<Stats>) -> LaunchCounters {
        LaunchCounters { kernel: kernel.to_owned(), sum: Arc::default(), stats }
    }
}

impl WatchLaunch for LaunchCounters {
    fn block(&self, _: &Block<'_>) -> Option<Box<dyn Observer>> {
        Some(Box::new(BlockCounters { own: Box::default(), sum: self.sum.clone() }))
    }

    fn end(&self, _: Option<&Fault>) -> Result<(), Fault> {
        let mut counters = std::mem::take(&mut *lock(&self.sum));
        counters.total.launches = 1;
        self.stats.launched(&self.kernel, counters);
        Ok(())
    }
}

/// Counts for itself and adds up when its block has ended.
struct BlockCounters {
    own: Box<Counters>,
    sum: Arc<Mutex<Counters>>,
}

impl Observer for BlockCounters {
    fn step(&mut self, site: Site, step: &Step<'_>) -> Result<(), Raise> {
        self.own.step(site, step)
    }
}

impl Drop for BlockCounters {
    fn drop(&mut self) {
        lock(&self.sum).add(&self.own);
    }
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = &self.total;
        let floats = |halves: u64| halves as f64 / 2.0;
        writeln!(f, "launches {}, blocks {}", t.launches, t.blocks)?;
        writeln!(
            f,
            "vector: {} instructions, {} lanes, {} f32-equivalents",
            t.vector_instructions,
            t.vector_lanes,
            floats(t.f32_equivalents)
        )?;
        for (name, code) in Opcode::TABLE {
            let o = self.opcodes[*code as usize];
            if o.instructions != 0 {
                let halves = floats(o.f32_equivalents);
                writeln!(f, "  {name:<14} {:>8} {:>12} {halves:>12}", o.instructions, o.lanes)?;
            }
        }
        writeln!(
            f,
            "bank conflicts: {} repeats of two sources, {} of source and destination",
            t.read_conflicts, t.write_conflicts
        )?;
        writeln!(f, "MTE2: {} bytes, {} bursts", t.mte2_bytes, t.mte2_bursts)?;
        writeln!(f, "MTE3: {} bytes, {} bursts", t.mte3_bytes, t.mte3_bursts)?;
        writeln!(f, "UB to UB: {} bytes", t.ub_copy_bytes)?;
        writeln!(f, "events: {} set, {} waited; barriers: {}", t.set_flags, t.wait_flags, t.barriers)
    }
}

/// The statistics of an engine: off until enabled.
#[derive(Default)]
pub struct Stats {
    on: AtomicBool,
    sums: Mutex<Sums>,
}

/// Everything since the last reset, and the launch that finished last.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    pub all: Counters,
    pub last: Counters,
    pub last_kernel: String,
}

impl Stats {
    pub fn enable(&self, on: bool) {
        self.on.store(on, Relaxed);
    }

    pub fn enabled(&self) -> bool {
        self.on.load(Relaxed)
    }

    pub fn reset(&self) {
        *self.sums() = Sums::default();
    }

    pub fn read(&self) -> Sums {
        self.sums().clone()
    }

    pub(crate) fn launched(&self, kernel: &str, counters: Counters) {
        let mut sums = self.sums();
        sums.all.add(&counters);
        sums.last = counters;
        kernel.clone_into(&mut sums.last_kernel);
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        lock(&self.sums)
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.all)?;
        if self.all.total.launches > 1 {
            write!(f, "last launch: {}\n{}", self.last_kernel, self.last)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "stats_tests.rs"]
mod tests;
