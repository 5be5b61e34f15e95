//! What lies between the cores and their data: the L2 with its lines, and the flows that share its bandwidth.

use super::{
    params::Params,
    program::{LINE, Mix},
};
use std::{
    collections::{HashMap, VecDeque},
    hash::BuildHasherDefault,
};

/// What an access finds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct L2Access {
    pub hit: f64,
    /// Fetched from memory.
    pub miss: f64,
    /// Dirty lines that had to leave, or data that goes past the L2.
    pub written_back: f64,
}

/// Part of the L2 that a launch can surely use.
pub(super) const L2_SURE: f64 = 0.9;

/// Lines that are kept together: an address may lie anywhere, and few of a region are used.
const CHUNK: u64 = 4096;

/// Of a line's number: it holds what the memory does not.
const DIRTY: u32 = 1 << 31;

/// Lines that were used by one access.
#[derive(Clone, Copy)]
struct Run {
    region: u32,
    first: u64,
    count: u64,
    stamp: u32,
}

impl Run {
    /// Chunks and the lines in them.
    fn pieces(self) -> impl Iterator<Item = ((u32, u64), std::ops::Range<usize>)> {
        let end = self.first + self.count;
        (self.first / CHUNK..end.div_ceil(CHUNK)).map(move |chunk| {
            let within = |line: u64| (line.clamp(chunk * CHUNK, (chunk + 1) * CHUNK) - chunk * CHUNK) as usize;
            ((self.region, chunk), within(self.first)..within(end))
        })
    }
}

/// The L2: lines of 512 bytes, the one used longest ago leaves first.
pub(super) struct L2 {
    /// By region and chunk: of each line the number of its last access, 0 for one that is not there.
    lines: HashMap<(u32, u64), Vec<u32>, BuildHasherDefault<Mix>>,
    runs: VecDeque<Run>,
    stamp: u32,
    used: u64,
    capacity: u64,
    /// Lines of somebody else that are still there, and what part of them is dirty.
    foreign: u64,
    foreign_dirty: f64,
    /// Every line of the launch is there and stays.
    pub all_hit: bool,
}

impl L2 {
    pub fn new(p: &Params, cold: bool) -> L2 {
        let capacity = (p.l2_bytes as f64 * p.l2_usable) as u64 / LINE;
        L2 {
            lines: HashMap::default(),
            runs: VecDeque::new(),
            stamp: 0,
            used: 0,
            capacity: capacity.max(1),
            foreign: if cold { capacity } else { 0 },
            foreign_dirty: p.l2_cold_dirty,
            all_hit: false,
        }
    }

    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Lines `first..first + count` of a region are read or written. A write of whole lines needs nothing from memory.
    pub fn access(&mut self, region: u32, first: u64, count: u64, write: bool) -> L2Access {
        if self.all_hit {
            return L2Access { hit: (count * LINE) as f64, ..L2Access::default() };
        }
        self.stamp += 1;
        let run = Run { region, first, count, stamp: self.stamp };
        let dirty = if write { DIRTY } else { 0 };
        let mut there = 0;
        for (chunk, lines) in run.pieces() {
            for line in &mut self.lines.entry(chunk).or_insert_with(|| vec![0; CHUNK as usize])[lines] {
                there += u64::from(*line != 0);
                *line = run.stamp | *line & DIRTY | dirty;
            }
        }
        let new = count - there;
        self.used += new;
        self.runs.push_back(run);
        let gone = self.make_room(new);
        L2Access {
            hit: (there * LINE) as f64,
            miss: if write { 0.0 } else { (new * LINE) as f64 },
            written_back: gone * LINE as f64,
        }
    }

    /// Lets lines go until the rest fits; returns the dirty ones among them.
    fn make_room(&mut self, new: u64) -> f64 {
        let over = (self.used + self.foreign).saturating_sub(self.capacity).min(self.foreign).min(new);
        self.foreign -= over;
        let mut dirty = over as f64 * self.foreign_dirty;
        while self.used + self.foreign > self.capacity {
            let Some(run) = self.runs.pop_front() else { break };
            for (chunk, lines) in run.pieces() {
                let Some(all) = self.lines.get_mut(&chunk) else { continue };
                for line in all[lines].iter_mut().filter(|line| **line & !DIRTY == run.stamp) {
                    dirty += f64::from(u8::from(*line & DIRTY != 0));
                    *line = 0;
                    self.used -= 1;
                }
            }
        }
        dirty
    }
}

/// Data on its way between a core and the L2.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    /// When its data starts to move.
    pub begin: f64,
    /// Bytes that are left, and all of them.
    pub left: f64,
    pub bytes: f64,
    /// Bytes a cycle if nobody else is there.
    pub cap: f64,
    /// Of every byte: what comes from memory, and what has to go there for it.
    pub miss: f64,
    pub back: f64,
    /// First line, and how much every other core whose data moves from there slows this one down.
    pub line: (u32, u64),
    pub crowd: f64,
    pub rate: f64,
    pub state: State,
    /// Those other cores.
    pub others: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    None,
    Waiting,
    Moving,
}

/// The two flows of every core: into the unified buffer and out of it.
pub(super) struct Flows {
    pub now: f64,
    flows: Vec<[Flow; 2]>,
    /// AI cores: the vector core with this distance to another one shares its AI core.
    ai_cores: usize,
    pair_read: f64,
    port: f64,
    l2: [f64; 2],
    hbm: [f64; 2],
}

impl Flows {
    pub fn new(p: &Params, cores: usize) -> Flows {
        Flows {
            now: 0.0,
            ai_cores: p.ai_cores(),
            pair_read: p.pair_read,
            flows: vec![[Flow::default(); 2]; cores],
            port: p.port,
            l2: [p.bytes_per_cycle(p.l2_read), p.bytes_per_cycle(p.l2_write)],
            hbm: [p.bytes_per_cycle(p.hbm_read), p.bytes_per_cycle(p.hbm_write)],
        }
    }

    /// `out`: towards the L2.
    pub fn start(&mut self, core: usize, out: bool, flow: Flow) {
        let begin = flow.begin.max(self.now);
        self.flows[core][usize::from(out)] = Flow { begin, left: flow.bytes, state: State::Waiting, ..flow };
    }

    /// The data of a flow begins to move, or has ended: cores that move data of the same line now know of it.
    fn turn(&mut self, core: usize, out: usize, state: State) {
        let line = self.flows[core][out].line;
        let mut others = 0;
        let there = |f: &&mut Flow| f.state == State::Moving && f.line == line;
        for (_, both) in self.flows.iter_mut().enumerate().filter(|(c, _)| *c != core) {
            for f in both.iter_mut().filter(there) {
                others += 1;
                f.others = if state == State::Moving { f.others + 1 } else { f.others - 1 };
            }
        }
        let f = &mut self.flows[core][out];
        (f.state, f.others) = (state, others);
    }

    /// Goes on to the next flow that ends: its core and whether it went out. None when nothing is on its way.
    pub fn next(&mut self) -> Option<(usize, bool)> {
        loop {
            self.share();
            let mut next: Option<(f64, usize, usize)> = None;
            for (core, both) in self.flows.iter().enumerate() {
                for (out, f) in both.iter().enumerate() {
                    let at = match f.state {
                        State::None => continue,
                        State::Waiting => f.begin,
                        State::Moving => self.now + f.left / f.rate,
                    };
                    if next.is_none_or(|(t, ..)| at < t) {
                        next = Some((at, core, out));
                    }
                }
            }
            let (at, core, out) = next?;
            let passed = at - self.now;
            self.now = at;
            for f in self.flows.iter_mut().flatten().filter(|f| f.state == State::Moving) {
                f.left = (f.left - f.rate * passed).max(0.0);
            }
            if self.flows[core][out].state == State::Moving {
                self.turn(core, out, State::None);
                return Some((core, out == 1));
            }
            self.turn(core, out, State::Moving);
        }
    }

    /// The rates of all flows that move.
    fn share(&mut self) {
        let mut moved = [0.0; 2];
        let alone = |f: &Flow| f.cap / (1.0 + f.crowd * f64::from(f.others));
        let wants = |f: &Flow| if f.state == State::Moving { alone(f) } else { 0.0 };
        for core in 0..self.flows.len() {
            let partner = if core < self.ai_cores { core + self.ai_cores } else { core - self.ai_cores };
            let read = wants(&self.flows[core][0]);
            let other = self.flows.get(partner).map_or(0.0, |both| wants(&both[0]));
            let [read, _] = fair([read, other], self.pair_read);
            let both = &mut self.flows[core];
            let got = fair([read, wants(&both[1])], self.port);
            for i in 0..2 {
                both[i].rate = got[i];
                moved[i] += got[i];
            }
        }
        let load = moved[0] / self.l2[0] + moved[1] / self.l2[1];
        let l2 = if load > 1.0 { 1.0 / load } else { 1.0 };
        let hbm = self.hbm;
        let need = |f: &Flow| f.miss / hbm[0] + f.back / hbm[1];
        let mut memory = 0.0;
        for f in self.flows.iter_mut().flatten().filter(|f| f.state == State::Moving) {
            f.rate *= l2;
            memory += f.rate * need(f);
        }
        if memory > 1.0 {
            let moving = self.flows.iter().flatten().filter(|f| f.state == State::Moving && f.miss + f.back > 0.0);
            let wait = queueing(moving.map(|f| (f.rate, need(f))));
            for f in self.flows.iter_mut().flatten().filter(|f| f.state == State::Moving) {
                f.rate /= 1.0 + f.rate * wait * need(f);
            }
        }
    }
}

/// How long every byte waits for each cycle that it needs of the memory, so that all of them together need one a cycle: of
/// flows with rates and needs, which ask for more. Newton's method on 1 / load comes nearer from below; equal flows are exact at
/// once.
fn queueing(flows: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let mut wait = 0.0;
    for _ in 0..20 {
        let (mut load, mut slope) = (0.0, 0.0);
        for (rate, need) in flows.clone() {
            let part = need * rate / (1.0 + rate * wait * need);
            load += part;
            slope += part * part;
        }
        if load <= 1.0 + 1e-9 {
            break;
        }
        wait += load * (load - 1.0) / slope;
    }
    wait
}

/// Two that share a limit: one that needs less than half gets it, the other the rest.
fn fair(want: [f64; 2], limit: f64) -> [f64; 2] {
    let [a, b] = want;
    if a + b <= limit {
        want
    } else if a <= limit / 2.0 {
        [a, limit - a]
    } else if b <= limit / 2.0 {
        [limit - b, b]
    } else {
        [limit / 2.0; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates after waiting, and what they need of the memory together.
    fn shared(flows: &[(f64, f64)]) -> (Vec<f64>, f64) {
        let wait = queueing(flows.iter().copied());
        let rates: Vec<f64> = flows.iter().map(|(rate, need)| rate / (1.0 + rate * wait * need)).collect();
        let load = rates.iter().zip(flows).map(|(rate, (_, need))| rate * need).sum();
        (rates, load)
    }

    #[test]
    fn the_memory_gives_no_more_than_it_has() {
        // Two that ask for one and a half each of what there is get half.
        let (rates, load) = shared(&[(150.0, 0.01), (150.0, 0.01)]);
        assert!((load - 1.0).abs() < 1e-9 && rates.iter().all(|rate| (rate - 50.0).abs() < 1e-9), "{rates:?}");
        // Who needs little of it is held up little; together they need all of it and no more.
        let (rates, load) = shared(&[(100.0, 0.01), (100.0, 0.01), (100.0, 0.001)]);
        assert!((load - 1.0).abs() < 1e-8, "{load}");
        assert!(rates[2] > 89.0 && rates[0] < 46.0 && rates[0] == rates[1], "{rates:?}");
    }
}
