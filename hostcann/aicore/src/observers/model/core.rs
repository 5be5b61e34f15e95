//! One core: the scalar unit issues in program order, the pipes V, MTE2 and MTE3 execute in order of issue.
//!
//! An engine works on copies that follow each other without a gap: the latency of the second lies under the data of the
//! first. A flag of a pipe is set when everything before it is done, and what comes after it starts after that: published
//! busy times of MTE2 grow by the whole latency with every tile and not with every copy.

use super::{
    cost::{self, Cost},
    params::Params,
    pipes::{Copy, Next, PIPES, Queue, Queued, Running, Timed, index},
    program::{Block, DATA_LINE, NOBODY, Program, Scalar, StepKind},
    result::{Busy, Caches, Counts},
    signals::Signals,
};
use crate::base::pipe::Pipe;
use std::collections::HashMap;

pub(super) struct Core<'a> {
    pub number: u32,
    pub blocks: Vec<&'a Block>,
    pub start: f64,
    pub end: f64,
    pub counts: Counts,
    pub conflict_cycles: f64,
    pub read: u64,
    pub written: u64,
    /// Of the scalar unit, for lines of the tiling data.
    pub tiling_cycles: f64,
    pub timed: Option<Vec<Timed>>,
    /// From when to when every block is entered; only with `timed`.
    pub entries: Vec<(f64, f64)>,
    program: &'a Program,
    costs: &'a [Cost],
    p: &'a Params,
    entry: f64,
    latency: f64,
    /// Of a line that the scalar unit's cache does not hold.
    line_latency: f64,
    /// Of a line of the tiling data, which the host writes anew for every launch.
    tiling_latency: f64,
    /// Block that runs, and its next op.
    block: usize,
    op: usize,
    scalar: f64,
    scalar_busy: f64,
    queues: [Queue; 3],
    /// When the flag of a SetFlag was set, and an instruction done; NaN before.
    flags: Vec<f64>,
    next: Next,
    signals: Signals,
    /// Lines of the tiling data that the core has read.
    tiling_lines: u32,
    /// Lines of global memory that the scalar unit's cache holds.
    cached: HashMap<(u32, u64), ()>,
}

impl<'a> Core<'a> {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        number: u32,
        program: &'a Program,
        costs: &'a [Cost],
        p: &'a Params,
        blocks: Vec<&'a Block>,
        start: f64,
        shared: bool,
        caches: Caches,
        traced: bool,
    ) -> Core<'a> {
        let mut core = Core {
            number,
            blocks,
            start,
            end: start,
            counts: Counts::default(),
            conflict_cycles: 0.0,
            read: 0,
            written: 0,
            tiling_cycles: 0.0,
            timed: traced.then(Vec::new),
            entries: Vec::new(),
            program,
            costs,
            p,
            entry: p.entry
                + if caches == Caches::Warm { 0.0 } else { p.entry_cold }
                + if shared { p.entry_pair } else { 0.0 },
            latency: if shared { p.latency_pair } else { 0.0 },
            line_latency: if caches == Caches::Cold { p.mte2_latency_hbm } else { p.mte2_latency },
            tiling_latency: if caches == Caches::Warm { p.mte2_latency } else { p.mte2_latency_hbm },
            block: 0,
            op: 0,
            scalar: start,
            scalar_busy: 0.0,
            queues: Default::default(),
            flags: Vec::new(),
            next: Next::Data,
            signals: Signals::default(),
            tiling_lines: 0,
            cached: HashMap::new(),
        };
        core.enter();
        core
    }

    pub fn busy(&self) -> Busy {
        let [v, mte2, mte3] = [0, 1, 2].map(|i: usize| self.queues[i].busy);
        Busy { scalar: self.scalar_busy, vector: v, mte2, mte3 }
    }

    pub fn waits(&self) -> Next {
        self.next
    }

    /// Whether it sets a flag between cores at all.
    pub fn sets(&self, flag: u32) -> bool {
        let is_set = |info: u32| matches!(self.program.infos.list()[info as usize].what, StepKind::CrossSet { flag: f, .. } if f == flag);
        self.blocks.iter().flat_map(|b| &b.ops).any(|op| is_set(op.info))
    }

    pub fn signals(&self) -> &Signals {
        &self.signals
    }

    /// The block that is next begins.
    fn enter(&mut self) {
        self.op = 0;
        self.flags.clear();
        self.flags.resize(self.blocks.get(self.block).map_or(0, |b| b.ops.len()), f64::NAN);
        if self.block < self.blocks.len() {
            let at = self.scalar;
            self.work(at, self.entry);
            if self.timed.is_some() {
                self.entries.push((at, self.scalar));
            }
        }
    }

    fn work(&mut self, at: f64, cycles: f64) {
        self.scalar = at.max(self.scalar) + cycles;
        self.scalar_busy += cycles;
    }

    /// Cores that met go on.
    pub fn released(&mut self, at: f64) {
        if !matches!(self.next, Next::End) {
            self.scalar = self.scalar.max(at);
            self.op += 1;
            self.next = Next::Data;
        }
    }

    /// The data of a copy has passed.
    pub fn arrived(&mut self, out: bool, now: f64) {
        let queue = &mut self.queues[1 + usize::from(out)];
        let Some(flow) = queue.flow.take() else { return };
        let done = now + if out { self.p.mte3_latency + self.latency } else { 0.0 };
        queue.engine_free = now;
        queue.occupied(flow.start, done);
        self.flags[flow.op as usize] = done;
        let pipe = if out { Pipe::MTE3 } else { Pipe::MTE2 };
        self.note(flow.op, pipe, flow.issued, flow.start, done, NOBODY);
    }

    fn note(&mut self, op: u32, pipe: Pipe, issued: f64, start: f64, end: f64, from: u32) {
        let Some(block) = self.blocks.get(self.block) else { return };
        if let Some(timed) = &mut self.timed {
            let info = block.ops[op as usize].info;
            timed.push(Timed { op, info, block: self.block as u32, pipe, issued, start, end, from });
        }
    }

    /// Goes as far as possible without data that is still on its way; returns copies that begin.
    pub fn advance(&mut self) -> [Option<Copy>; 2] {
        let mut copies = [None, None];
        loop {
            let mut moved = self.issue();
            for i in 0..3 {
                while let Some(copy) = self.step(i) {
                    moved = true;
                    if let Some(copy) = copy {
                        copies[i - 1] = Some(copy);
                    }
                }
            }
            if !moved {
                return copies;
            }
        }
    }

    /// The head of a pipe, if it can begin. None: it cannot.
    #[allow(clippy::option_option)]
    fn step(&mut self, i: usize) -> Option<Option<Copy>> {
        let head = *self.queues[i].ops.front()?;
        if self.queues[i].flow.is_some() {
            return None;
        }
        let block = self.blocks[self.block];
        let op = block.ops[head.op as usize];
        let cost = &self.costs[op.info as usize];
        let queue = &mut self.queues[i];
        let start = head.issued.max(queue.free);
        let (mut end, mut from) = (start, NOBODY);
        match &self.program.infos.list()[op.info as usize].what {
            StepKind::Vector(_) => {
                end = start + cost.vector.cycles() + if queue.chained { 0.0 } else { cost.vector.first };
                queue.chained = true;
                queue.free = end;
                queue.occupied(start, end);
                self.counts.vector += 1;
                self.conflict_cycles += cost.vector.conflicts;
            }
            StepKind::Copy(w) if w.pipe == Pipe::V => {
                end = start + cost.vector.cycles();
                queue.free = end;
                queue.occupied(start, end);
                self.counts.vector += 1;
            }
            StepKind::Copy(w) => {
                queue.ops.pop_front();
                queue.flow = Some(Running { op: head.op, issued: head.issued, start });
                let place = block.places[op.more as usize];
                let cost = cost::copy(self.p, w, place.offset);
                queue.free = start + cost.issue;
                let copy =
                    Copy { info: op.info, place, cost, late: self.latency, start, engine_free: queue.engine_free };
                if i == 1 {
                    self.counts.mte2 += 1;
                    self.read += w.bytes();
                } else {
                    self.counts.mte3 += 1;
                    self.written += w.bytes();
                }
                return Some(Some(copy));
            }
            StepKind::SetFlag { .. } => {
                end = start.max(queue.done);
                queue.free = end;
                self.counts.flags += 1;
            }
            StepKind::WaitFlag { .. } => {
                queue.chained = false;
                from = op.more;
                if from != NOBODY {
                    let set = self.flags[from as usize];
                    if set.is_nan() {
                        return None;
                    }
                    end = start.max(set);
                }
                queue.free = end;
            }
            StepKind::CrossSet { flag, .. } => {
                end = start.max(queue.done);
                queue.free = end;
                self.signals.set(*flag, end);
            }
            // A barrier of this pipe.
            _ => {
                end = start.max(queue.done);
                queue.free = end;
            }
        }
        self.queues[i].ops.pop_front();
        self.flags[head.op as usize] = end;
        self.note(head.op, PIPES[i], head.issued, start, end, from);
        Some(None)
    }

    /// The scalar unit goes on until it has to wait; returns whether it did anything.
    fn issue(&mut self) -> bool {
        let mut moved = false;
        while let Some(block) = self.blocks.get(self.block).copied() {
            let Some(op) = block.ops.get(self.op).copied() else {
                if !self.queues.iter().all(Queue::idle) {
                    return moved;
                }
                self.finish();
                moved = true;
                continue;
            };
            if self.next != Next::Data || !self.one(op.info, op.more) {
                return moved;
            }
            self.op += 1;
            moved = true;
        }
        if self.next != Next::End {
            self.next = Next::End;
        }
        moved
    }

    fn finish(&mut self) {
        self.scalar = self.queues.iter().fold(self.scalar, |t, q| t.max(q.done));
        self.end = self.scalar;
        self.block += 1;
        self.queues[0].chained = false;
        self.enter();
    }

    fn queue(&mut self, i: usize) {
        self.queues[i].ops.push_back(Queued { op: self.op as u32, issued: self.scalar });
    }

    /// The scalar unit puts the op into a pipe's queue.
    fn give(&mut self, at: f64, cycles: f64, i: usize) {
        self.work(at, cycles);
        self.queue(i);
    }

    /// One op on the scalar unit; false when it has to wait.
    fn one(&mut self, info: u32, more: u32) -> bool {
        let cost = self.costs[info as usize].scalar;
        let (op, before) = (self.op as u32, self.scalar);
        let what = &self.program.infos.list()[info as usize].what;
        match what {
            StepKind::Vector(_) => self.give(before, cost, 0),
            StepKind::Copy(w) => self.give(before, cost, index(w.pipe).unwrap_or(0)),
            StepKind::SetFlag { event, .. } => {
                self.work(before, cost);
                match index(event.source()) {
                    Some(i) => self.queue(i),
                    None => {
                        self.flags[op as usize] = self.scalar;
                        self.counts.flags += 1;
                    }
                }
            }
            StepKind::WaitFlag { event, .. } => match index(event.destination()) {
                Some(i) => self.give(before, cost, i),
                None => return self.wait(op, more, cost),
            },
            StepKind::Await => return self.wait(op, more, cost),
            StepKind::Barrier(pipe) => match index(*pipe) {
                Some(i) => self.give(before, cost, i),
                None => {
                    if !self.queues.iter().all(Queue::idle) {
                        return false;
                    }
                    let done = self.queues.iter().fold(before, |t, q| t.max(q.done));
                    self.work(done, self.p.barrier_all);
                    let end = self.scalar;
                    self.note(op, Pipe::S, before, before, end, NOBODY);
                }
            },
            StepKind::SyncAll => {
                if !self.queues.iter().all(Queue::idle) {
                    return false;
                }
                let at = self.queues.iter().fold(before, |t, q| t.max(q.done));
                self.next = Next::SyncAll(at);
                return false;
            }
            StepKind::CrossSet { pipe, flag } => {
                self.work(before, cost);
                match index(*pipe) {
                    Some(i) => self.queue(i),
                    None => self.signals.set(*flag, before),
                }
            }
            StepKind::CrossWait { flag } => {
                self.next = self.signals.wait(*flag);
                return false;
            }
            StepKind::Until { word, count } => {
                self.next = Next::Until { word: *word, count: *count };
                return false;
            }
            StepKind::Post(word) => {
                self.work(before, cost);
                self.signals.write(*word, self.scalar);
            }
            StepKind::Product(_) => {
                self.work(before, cost);
                self.note(op, Pipe::S, before, before, self.scalar, NOBODY);
            }
            StepKind::Scalar(s) => self.scalar_op(op, *s, more, cost),
        }
        true
    }

    /// The scalar unit waits for a flag, or for an instruction.
    fn wait(&mut self, op: u32, from: u32, cost: f64) -> bool {
        let before = self.scalar;
        let done = if from == NOBODY { before } else { self.flags[from as usize] };
        if done.is_nan() {
            return false;
        }
        self.work(before.max(done), cost);
        self.note(op, Pipe::S, before, before, self.scalar, from);
        true
    }

    fn scalar_op(&mut self, op: u32, s: Scalar, more: u32, cost: f64) {
        let before = self.scalar;
        let mut cycles = cost;
        match s {
            Scalar::GmAccess => {
                let place = self.blocks[self.block].places[more as usize];
                if self.cached.insert((place.region, place.offset / DATA_LINE), ()).is_none() {
                    cycles += self.line_latency;
                }
            }
            Scalar::Tiling => {
                cycles = self.tiling(more);
                if cycles == 0.0 {
                    return;
                }
                self.tiling_cycles += cycles;
            }
            Scalar::CleanCache => self.cached.clear(),
            _ => {}
        }
        self.work(before, cycles);
        self.note(op, Pipe::S, before, before, self.scalar, NOBODY);
    }

    /// The scalar unit copies lines of the tiling data to its stack. The first lines are in the entry, and a block after the
    /// first one of a core finds all of them in the cache.
    fn tiling(&mut self, lines: u32) -> f64 {
        if self.block > 0 {
            return 0.0;
        }
        let beyond = |lines: u32| (f64::from(lines) - self.p.tiling_free / DATA_LINE as f64).max(0.0);
        let before = beyond(self.tiling_lines);
        self.tiling_lines += lines;
        (beyond(self.tiling_lines) - before) * (self.p.scalar_gm_hit + self.tiling_latency)
    }
}
