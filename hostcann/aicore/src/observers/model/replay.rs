//! Computes the times of a recording: every core's pipes in order, the flows between cores and memory as events.

use super::{
    class,
    core::Core,
    core_sync::release_waiting,
    cost::{self, Cost},
    lines::{copies_of, lines_of},
    memory::{Flow, Flows, L2, L2_SURE, L2Access},
    params::{ParamError, Params},
    pipes::Copy,
    program::{Cache, CopyWork, LINE, NO_ARGUMENT, Program, StepKind},
    recording::Recording,
    report,
    result::{Caches, L2Edge, LaunchTime, Traffic},
};
use crate::base::site::Site;

/// What to compute.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    pub caches: Caches,
    /// Cores whose instructions are listed; an empty list means all of them.
    pub trace: Option<Vec<u32>>,
    /// As if operands never met in a bank: at these calls, or everywhere.
    pub no_conflicts_at: Vec<Site>,
    pub no_conflicts: bool,
}

impl Recording {
    /// The times under some parameters; the same for the same recording on every host.
    ///
    /// # Errors
    ///
    /// Blocks that were not recorded cannot be derived from those that were, or `p` has no row for an instruction.
    pub fn replay(&self, p: &Params, how: &Replay) -> Result<LaunchTime, ParamError> {
        let (mut time, tiling) = self.once(p, how)?;
        time.l2_edge = self.l2_edge(p, how, time.task_us)?;
        time.notes.extend(time.l2_edge.map(report::edge_note));
        time.error = class::error_bar(self, p, &time, tiling);
        Ok(time)
    }

    /// The other time of a launch that uses about as much as the L2 has: on one chip such a launch was seen to run from the L2,
    /// on another one from memory.
    fn l2_edge(&self, p: &Params, how: &Replay, fits_us: f64) -> Result<Option<L2Edge>, ParamError> {
        let part = self.program.lines() as f64 / L2::new(p, false).capacity() as f64;
        if how.caches == Caches::Cold || part <= L2_SURE || part > 1.0 / L2_SURE {
            return Ok(None);
        }
        let less = Params { l2_usable: p.l2_usable * L2_SURE, ..p.clone() };
        let misses_us = self.once(&less, &Replay { trace: None, ..how.clone() })?.0.task_us;
        Ok((misses_us > fits_us).then_some(L2Edge { part, fits_us, misses_us }))
    }

    /// And the most cycles that a core pays for tiling data.
    fn once(&self, p: &Params, how: &Replay) -> Result<(LaunchTime, f64), ParamError> {
        if let Some(problem) = &self.problem {
            return Err(ParamError(format!("{}: {problem}", self.kernel)));
        }
        let costs = self.costs(p, how)?;
        let blocks = self.program.blocks.len();
        let cores = if self.program.multiplies() { blocks } else { blocks.min(p.vector_cores.max(1) as usize) };
        let mut chip = Chip {
            p,
            program: &self.program,
            flows: Flows::new(p, cores),
            l2: L2::new(p, how.caches == Caches::Cold),
            traffic: Default::default(),
        };
        if how.caches != Caches::Cold {
            chip.warm(cores);
        }
        let traced = |core: u32| how.trace.as_ref().is_some_and(|list| list.is_empty() || list.contains(&core));
        // Blocks go to one vector core of every AI core first.
        let ai_cores = p.ai_cores();
        let mut all: Vec<Core<'_>> = (0..cores)
            .map(|c| {
                let blocks = self.program.blocks.iter().skip(c).step_by(cores).collect();
                let shared = c + ai_cores < cores || c >= ai_cores;
                let start = p.cycles(p.launch_step) * c as f64;
                Core::new(c as u32, &self.program, &costs, p, blocks, start, shared, how.caches, traced(c as u32))
            })
            .collect();
        chip.run(&mut all);
        let tiling = all.iter().map(|core| core.tiling_cycles).fold(0.0, f64::max);
        Ok((report::of(self, p, how.caches, all, chip.traffic, &costs), tiling))
    }

    fn costs(&self, p: &Params, how: &Replay) -> Result<Vec<Cost>, ParamError> {
        let infos = self.program.infos.list();
        infos.iter().map(|i| cost::of(p, i, how.no_conflicts || how.no_conflicts_at.contains(&i.site))).collect()
    }
}

/// What the cores share.
struct Chip<'a> {
    p: &'a Params,
    program: &'a Program,
    flows: Flows,
    l2: L2,
    traffic: Traffic,
}

impl Chip<'_> {
    /// The state of the L2 after a run before this one, its copies taken in turn from every core.
    fn warm(&mut self, cores: usize) {
        let program = self.program;
        let of_core = |c: usize| program.blocks.iter().skip(c).step_by(cores);
        if program.lines() <= self.l2.capacity() {
            self.l2.all_hit = true;
            return;
        }
        let mut turns: Vec<_> = (0..cores).map(|c| of_core(c).flat_map(|b| copies_of(program, b))).collect();
        loop {
            let mut some = false;
            for turn in &mut turns {
                if let Some((region, first, count, write)) = turn.next() {
                    self.l2.access(region, first, count, write);
                    some = true;
                }
            }
            if !some {
                return;
            }
        }
    }

    fn run(&mut self, cores: &mut [Core<'_>]) {
        let mut waiting: Vec<bool> = vec![true; cores.len()];
        loop {
            // Until nobody can go on without data.
            loop {
                for (c, core) in cores.iter_mut().enumerate().filter(|(c, _)| waiting[*c]) {
                    let mut copies = core.advance();
                    for out in [false, true] {
                        if let Some(copy) = copies[usize::from(out)].take() {
                            self.start(c, out, copy);
                        }
                    }
                }
                waiting.fill(false);
                if !release_waiting(self.p, cores) {
                    break;
                }
                waiting.fill(true);
            }
            let Some((c, out)) = self.flows.next() else { return };
            cores[c].arrived(out, self.flows.now);
            waiting[c] = true;
        }
    }

    /// A copy that its engine has taken up.
    fn start(&mut self, core: usize, out: bool, copy: Copy) {
        let StepKind::Copy(work) = &self.program.infos.list()[copy.info as usize].what else { return };
        let cost = copy.cost;
        let place = copy.place;
        let found = if place.region == NO_ARGUMENT && self.l2.all_hit {
            L2Access { hit: work.bytes() as f64, ..L2Access::default() }
        } else {
            self.look(work, place.region, place.offset, out)
        };
        let all = work.bytes() as f64;
        let lines = (found.hit + found.miss).max(all);
        let t = &mut self.traffic;
        if out {
            t.written += work.bytes();
        } else {
            t.read += work.bytes();
            t.l2_hit += all * (1.0 - (found.miss / lines).min(1.0));
        }
        t.hbm_read += found.miss;
        t.hbm_written += found.written_back;
        let latency = match out {
            true => 0.0,
            false => {
                // Requests follow each other without a gap: the first line that is missing holds up all after it.
                let more = if found.miss > 0.0 { self.p.mte2_latency_hbm - self.p.mte2_latency } else { 0.0 };
                copy.late + self.p.mte2_latency + more.max(0.0)
            }
        };
        let (miss, back) = (found.miss * cost.memory / cost.bytes, found.written_back * cost.memory / cost.bytes);
        let flow = Flow {
            begin: (copy.start + latency).max(copy.engine_free),
            bytes: cost.bytes,
            cap: cost.bytes / cost.data,
            miss,
            back,
            line: (place.region, place.offset / LINE),
            crowd: if work.cache == Cache::Bypass { self.p.same_line_past_l2 } else { self.p.same_line },
            ..Flow::default()
        };
        self.flows.start(core, out, flow);
    }

    fn look(&mut self, work: &CopyWork, region: u32, offset: u64, write: bool) -> L2Access {
        if work.cache == Cache::Bypass {
            let bytes = work.bytes() as f64;
            return match write {
                true => L2Access { written_back: bytes, ..L2Access::default() },
                false => L2Access { miss: bytes, ..L2Access::default() },
            };
        }
        let mut sum = L2Access::default();
        lines_of(work, offset, |first, count| {
            let found = self.l2.access(region, first, count, write);
            sum.hit += found.hit;
            sum.miss += found.miss;
            sum.written_back += found.written_back;
        });
        sum
    }
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
