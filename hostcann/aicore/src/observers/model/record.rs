//! The observer: writes down what every block does, without times.

use super::{
    extrapolate,
    program::{
        Block as BlockProgram, Cache, CopyWork, DATA_LINE, GmAddress, LINE, NO_ARGUMENT, NOBODY, Op, Scalar, StepInfo,
        StepKind, Table,
    },
    recording::Recording,
    result::BufferAt,
    signals::Calls,
    ub_scoreboard::UbScoreboard,
    work,
};
use crate::{
    base::{
        fault::{Fault, Raise},
        ins::{CopyIns, CopyKind, Dtype, Operand},
        lanes::BLOCK,
        mask::MaskRegs,
        pipe::Pipe,
        site::Site,
    },
    instruction::vector::{Head, Span, Vector},
    machine::{
        event::HardEvent,
        observe::{Access, Block, Observer, Pair, Step, TensorAt, Watch, WatchLaunch},
    },
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    hash::BuildHasherDefault,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Takes every recording.
pub type Done = dyn Fn(Recording) + Send + Sync;

/// Records launches and hands over each one when it has ended without a fault.
pub struct Model {
    done: Arc<Done>,
    sampled: bool,
}

impl Model {
    pub fn new(done: impl Fn(Recording) + Send + Sync + 'static) -> Model {
        Model { done: Arc::new(done), sampled: false }
    }

    /// Only some blocks run, unless another observer requires all of them; the others take their times. If they turn out not to be
    /// alike, the others run, too. Cores that wait for each other need all.
    pub fn sampled(done: impl Fn(Recording) + Send + Sync + 'static) -> Model {
        Model { done: Arc::new(done), sampled: true }
    }
}

impl Watch for Model {
    fn launch(&self, kernel: &str, tiling_key: u64, blocks: u32) -> Option<Arc<dyn WatchLaunch>> {
        let recording = Recording { kernel: kernel.to_owned(), tiling_key, blocks, ..Recording::default() };
        let (done, sampled) = (self.done.clone(), self.sampled);
        let (recording, others) = (Arc::new(Mutex::new(recording)), AtomicBool::new(false));
        Some(Arc::new(LaunchRecord { recording, done, sampled, others, blocks }))
    }
}

struct LaunchRecord {
    recording: Arc<Mutex<Recording>>,
    done: Arc<Done>,
    sampled: bool,
    /// The blocks that were left out at first are running.
    others: AtomicBool,
    blocks: u32,
}

impl WatchLaunch for LaunchRecord {
    fn wants(&self, index: u32) -> bool {
        let recorded = !self.sampled || extrapolate::is_recorded(index, self.blocks);
        recorded != self.others.load(Ordering::Relaxed)
    }

    fn wants_more(&self) -> bool {
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let others = recording.complete().is_some();
        self.others.store(others, Ordering::Relaxed);
        others
    }

    fn block(&self, block: &Block<'_>) -> Option<Box<dyn Observer>> {
        Some(Box::new(Recorder {
            into: self.recording.clone(),
            block: BlockProgram { index: block.index, ..BlockProgram::default() },
            infos: Table::default(),
            known: HashMap::default(),
            args: block.args.iter().map(|a| *a as usize).collect(),
            set: HashMap::default(),
            ub_scoreboard: UbScoreboard::default(),
            calls: Calls::default(),
            tiling: TilingRead::default(),
        }))
    }

    fn end(&self, fault: Option<&Fault>) -> Result<(), Fault> {
        let mut recording = std::mem::take(&mut *self.recording.lock().unwrap_or_else(PoisonError::into_inner));
        if fault.is_none() {
            recording.problem = recording.complete();
            (self.done)(recording);
        }
        Ok(())
    }
}

/// What makes two vector instructions of a block the same; comparing it is cheaper than working them out again.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Known {
    site: Site,
    head: Head,
    span: Option<Span>,
    at: [u32; 3],
    counts: [u64; 3],
    mask: (bool, [u64; 2]),
}

/// Lines of the tiling data that a block has read, counted from its first read on: no result depends on where it lies.
#[derive(Default)]
struct TilingRead {
    base: Option<usize>,
    seen: HashSet<i64>,
}

impl TilingRead {
    /// How many lines of these bytes are read for the first time.
    fn lines(&mut self, at: usize, bytes: usize) -> u32 {
        let from = at.wrapping_sub(*self.base.get_or_insert(at)) as i64;
        let line = |byte: i64| byte.div_euclid(DATA_LINE as i64);
        let new = (line(from)..=line(from + bytes as i64 - 1)).filter(|line| self.seen.insert(*line));
        new.count() as u32
    }
}

struct Recorder {
    into: Arc<Mutex<Recording>>,
    block: BlockProgram,
    infos: Table<StepInfo>,
    known: HashMap<Known, u32, BuildHasherDefault<super::program::Mix>>,
    args: Vec<usize>,
    /// Flags that are set, with the op that sets them.
    set: HashMap<(HardEvent, i32), VecDeque<u32>>,
    ub_scoreboard: UbScoreboard,
    calls: Calls,
    tiling: TilingRead,
}

impl Observer for Recorder {
    fn step(&mut self, site: Site, step: &Step<'_>) -> Result<(), Raise> {
        match *step {
            Step::Vector { ins, mask } => self.vector(site, ins, mask),
            Step::Copy { ins, gm, .. } => self.copy(site, ins, gm),
            Step::Product(product) => self.push(site, StepKind::Product(product), 0),
            Step::Matmul { ins, .. } => self.ub_scoreboard.begin(None, ins.pipe()),
            Step::Operand { operand, shape, access, .. } => {
                self.ub_scoreboard.operand(operand.addr, shape.extent(), access == Access::Write);
            }
            Step::SetFlag { event, id } if event != HardEvent::V_V => {
                let op = self.block.ops.len() as u32;
                self.set.entry((event, id)).or_default().push_back(op);
                self.push(site, StepKind::SetFlag { event, id }, 0);
            }
            Step::WaitFlag { event, id } if event != HardEvent::V_V => {
                let from = self.set.get_mut(&(event, id)).and_then(VecDeque::pop_front);
                if let (Some(set), Pipe::S) = (from, event.destination()) {
                    self.ub_scoreboard.waited(event.source(), set);
                }
                self.push(site, StepKind::WaitFlag { event, id }, from.unwrap_or(NOBODY));
            }
            Step::Barrier(pipe) => {
                if pipe == Pipe::ALL {
                    self.ub_scoreboard.waited(pipe, self.block.ops.len() as u32);
                }
                self.push(site, StepKind::Barrier(pipe), 0);
            }
            Step::SyncAll => {
                self.ub_scoreboard.waited(Pipe::ALL, self.block.ops.len() as u32);
                self.push(site, StepKind::SyncAll, 0);
            }
            Step::CrossSet { pipe, flag } => self.push(site, StepKind::CrossSet { pipe, flag }, 0),
            Step::CrossWait { flag } => self.push(site, StepKind::CrossWait { flag }, 0),
            Step::Paired(pair) => {
                self.block.bypass |= pair == Pair::Bypass;
                for what in self.calls.steps(pair) {
                    self.push(site, what, 0);
                }
            }
            Step::AllocTensor { bytes, .. } => self.scalar(site, Scalar::Alloc, bytes),
            Step::EnQue { .. } => self.scalar(site, Scalar::Enque, 0),
            Step::DeQue { .. } => self.scalar(site, Scalar::Deque, 0),
            Step::FreeTensor { bytes, .. } => self.scalar(site, Scalar::Free, bytes),
            Step::MaskMode { .. } | Step::MaskSet { .. } | Step::MaskReset => self.scalar(site, Scalar::Mask, 0),
            Step::UbScalar { operand, write } => {
                for op in self.ub_scoreboard.scalar(operand.addr, write) {
                    self.push(site, StepKind::Await, op);
                }
                self.scalar(site, if write { Scalar::UbWrite } else { Scalar::UbRead }, 0);
            }
            Step::GmScalar { addr, gm, .. } => {
                let place = self.place(addr, gm);
                self.scalar(site, Scalar::GmAccess, place);
            }
            Step::Tiling { bytes, at } if bytes > 0 => {
                self.block.tiling += bytes as u64;
                let lines = self.tiling.lines(at, bytes);
                self.scalar(site, Scalar::Tiling, lines);
            }
            Step::CleanCache { .. } => self.scalar(site, Scalar::CleanCache, 0),
            Step::InitBuffer { queue, addr, num, bytes } => {
                self.block.buffers.push(BufferAt { addr, bytes, num, queue, site });
            }
            _ => {}
        }
        Ok(())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let mut into = self.into.lock().unwrap_or_else(PoisonError::into_inner);
        into.program.add(std::mem::take(&mut self.block), std::mem::take(&mut self.infos));
    }
}

impl Recorder {
    fn push(&mut self, site: Site, what: StepKind, more: u32) {
        let info = self.infos.number(StepInfo { site, what });
        self.block.ops.push(Op { info, more });
    }

    fn scalar(&mut self, site: Site, what: Scalar, more: u32) {
        self.push(site, StepKind::Scalar(what), more);
    }

    fn vector(&mut self, site: Site, ins: &Vector, mask: MaskRegs) {
        let (at, counts) = identity(ins);
        let known =
            Known { site, head: *ins.head(), span: ins.span().copied(), at, counts, mask: (mask.counter, mask.bits) };
        let info = match self.known.get(&known) {
            Some(info) => *info,
            None => {
                let info = self.infos.number(StepInfo { site, what: StepKind::Vector(work::of(ins, mask)) });
                self.known.insert(known, info);
                info
            }
        };
        self.ub_scoreboard.begin(Some(self.block.ops.len() as u32), Pipe::V);
        self.block.ops.push(Op { info, more: 0 });
    }

    fn copy(&mut self, site: Site, ins: &CopyIns, gm: Option<TensorAt>) {
        let (len, rows) = (ins.block_len, ins.block_count);
        if len == 0 || rows == 0 {
            self.ub_scoreboard.begin(None, Pipe::V);
            return;
        }
        let kind = CopyKind::from_code(u32::from(ins.kind));
        let pad = matches!(kind, Some(CopyKind::Pad | CopyKind::PadShort));
        let pipe = ins.pipe();
        let gap = match pipe {
            Pipe::MTE2 => ins.src_stride,
            Pipe::MTE3 => ins.dst_stride,
            _ => 0,
        };
        let pitch = u64::from(len) + u64::from(gap) * if pad { 1 } else { BLOCK as u64 };
        // Rows without gaps on either side are one.
        let dense = rows > 1 && gap == 0 && len.is_multiple_of(BLOCK as u32);
        let (rows, row_bytes) = if dense { (1, len.saturating_mul(rows)) } else { (rows, len) };
        let more = if pipe == Pipe::V { 0 } else { self.place(ins.gm as usize, gm) };
        let work = CopyWork {
            pipe,
            dtype: Dtype::from_code(u32::from(ins.dtype)).unwrap_or(Dtype::U8),
            pad,
            rows,
            row_bytes,
            pitch: if rows == 1 { u64::from(row_bytes) } else { pitch },
            cache: if ins.cache == 1 { Cache::Bypass } else { Cache::Normal },
        };
        self.ub_scoreboard.begin(Some(self.block.ops.len() as u32), pipe);
        self.push(site, StepKind::Copy(work), more);
    }

    /// Notes an address; all that matters of it are the argument and the place in its line.
    fn place(&mut self, addr: usize, gm: Option<TensorAt>) -> u32 {
        let place = match gm {
            Some(at) => {
                let base = self.args.get(at.argument).copied().unwrap_or(0);
                GmAddress { region: at.argument as u32, offset: base as u64 % LINE + at.offset as u64 }
            }
            None => GmAddress { region: NO_ARGUMENT, offset: addr as u64 },
        };
        self.block.places.push(place);
        self.block.places.len() as u32 - 1
    }
}

/// What distinguishes two instructions with one span: addresses, and sizes of those that have no span.
fn identity(ins: &Vector) -> ([u32; 3], [u64; 3]) {
    let at = |a: Operand, b: Operand, c: Operand| [a.addr, b.addr, c.addr];
    let none = Operand::default();
    match ins {
        Vector::Binary(i) | Vector::Bitwise(i) | Vector::FusedCast(i) => (at(i.dst, i.src0, i.src1), [0; 3]),
        Vector::Unary(i) | Vector::Not(i) | Vector::Copy(i) => (at(i.dst, i.src, none), [0; 3]),
        Vector::Scalar(i) => (at(i.dst, i.src, none), [0; 3]),
        Vector::Shift(i) => (at(i.dst, i.src, none), [0; 3]),
        Vector::Cast(i) => (at(i.dst, i.src, none), [0; 3]),
        Vector::CastDequant(i) => (at(i.dst, i.src, none), [0; 3]),
        Vector::Compare(i) => (at(i.dst, i.src0, other(&i.src1)), [0; 3]),
        Vector::CompareRegister(i) => (at(none, i.src0, i.src1), [0; 3]),
        Vector::Select(i) => (at(i.dst, i.src0, other(&i.src1)), [0; 3]),
        Vector::SelectRegister(i) => (at(i.dst, i.src0, i.src1), [0; 3]),
        Vector::Duplicate(i) | Vector::CreateVecIndex(i) => (at(i.dst, none, none), [0; 3]),
        Vector::Brcb(i) => (at(i.dst, i.src, none), [i.repeats as u64, 0, 0]),
        Vector::Gather(i) => (at(i.dst, i.src, i.offsets), [0; 3]),
        Vector::Gatherb(i) => (at(i.dst, i.src, i.offsets), [i.repeats as u64, 0, 0]),
        // What the registers say is distinguished by the mask.
        Vector::GatherMask(i) => {
            let elements = i.taken.elements(&MaskRegs::RESET).unwrap_or(0);
            (at(i.dst, i.src, none), [i.repeats as u64, elements as u64, 0])
        }
        Vector::Reduce(i) => (at(i.dst, i.src, i.work), [0; 3]),
        Vector::ReduceRepeat(i) => (at(i.dst, i.src, none), [0; 3]),
        Vector::Sort32(i) => (at(i.dst, i.scores, i.indices), [i.repeats as u64, 0, 0]),
        Vector::MrgSort(i) => {
            (at(i.dst, i.queues[0].0, none), [i.repeats as u64, i.queues.iter().map(|q| q.1 as u64).sum(), 0])
        }
        Vector::TransDataTo5HD(i) => ([0; 3], [i.repeats as u64, 0, 0]),
        Vector::Transpose(i) => (at(i.dst, i.src, none), [i.images as u64, i.channels as u64, i.pixels as u64]),
        Vector::Math(i) => (at(i.dst, i.src0, i.src1), [0; 3]),
        Vector::Rows(i) => (at(i.dst, i.src, none), [i.rows as u64, i.columns as u64, 0]),
        Vector::Broadcast(i) => (at(i.dst, i.src, none), [i.rows as u64, i.columns as u64, 0]),
        Vector::GetCmpMask(i) | Vector::SetCmpMask(i) => (at(i.tensor, none, none), [0; 3]),
    }
}

fn other(o: &crate::instruction::vector::Other) -> Operand {
    match o {
        crate::instruction::vector::Other::Tensor(o) => *o,
        crate::instruction::vector::Other::Scalar(_) => Operand::new(u32::MAX, 0),
    }
}
