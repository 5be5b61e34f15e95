//! The timing model behind `HOSTCANN_SIM`: it watches every launch and writes what it predicts as a line of JSON.

use crate::base::failure::{Failure, Outcome, codes};
use crate::base::sim_words::Sim;
use crate::timing::advice;
use crate::timing::sim_lines::{is_work, shares};
use aicore::model::{Caches, ConflictKind, CoreTime, LaunchTime, Model, OpKind, OpTime, Params, Recording, Replay};
use aicore::{Pipe, Site, Watch};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The model, if it is asked for: who watches every launch of this process. `streams`: how many have tasks.
///
/// # Errors
///
/// `INVALID_PARAM` where a variable of the environment is invalid, the file cannot be written, or there are no
/// parameters.
pub fn watch(streams: fn() -> usize) -> Outcome<Vec<Arc<dyn Watch>>> {
    static WATCH: OnceLock<Outcome<Vec<Arc<dyn Watch>>>> = OnceLock::new();
    let sim = crate::base::env::settings()?.sim.as_ref();
    WATCH.get_or_init(|| sim.map(|sim| open(sim, streams)).transpose().map(|model| model.into_iter().collect())).clone()
}

fn open(sim: &Sim, streams: fn() -> usize) -> Outcome<Arc<dyn Watch>> {
    let file = File::options().append(true).create(true).open(&sim.file).map_err(|e| {
        let what = format!("environment variable HOSTCANN_SIM names \"{}\", which cannot be written: {e}", sim.file);
        Failure::new(codes::INVALID_PARAM, format!("{what}; name a file in a directory that exists"))
    })?;
    let predictor =
        Predictor { sim: sim.clone(), params: crate::timing::model_params::params()?, ub_size: ub_size()?, streams };
    let file = Mutex::new(file);
    let done = move |recording: Recording| {
        let lines: String =
            predictor.sim.modes().map(|caches| format!("{}\n", predictor.line(&recording, caches))).collect();
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // In one write: processes side by side share the file. A prediction that cannot be written must not change what
        // the kernel does.
        let _ = file.write_all(lines.as_bytes());
    };
    Ok(Arc::new(if sim.sampled { Model::sampled(done) } else { Model::new(done) }))
}

fn ub_size() -> Outcome<u64> {
    crate::base::soc::soc()?.required_number("AICoreSpec", "ub_size")
}

struct Predictor {
    sim: Sim,
    params: Params,
    ub_size: u64,
    streams: fn() -> usize,
}

impl Predictor {
    fn line(&self, recording: &Recording, caches: Caches) -> Value {
        let how = Replay { caches, ..Replay::default() };
        let traced: Vec<u32> = (0..recording.blocks).filter(|core| self.sim.traces(*core)).collect();
        let asked = Replay { trace: (!traced.is_empty()).then_some(traced), ..how.clone() };
        let mut time = match recording.replay(&self.params, &asked) {
            Ok(time) => time,
            Err(error) => return json!({"kernel": recording.kernel, "error": error.to_string()}),
        };
        time.notes.extend(overlap((self.streams)()));
        let mut places = Places::default();
        let mut line = self.launch(&time, &mut places);
        if let Some(op) = crate::timing::sim_launch::current() {
            line["op"] = op;
        }
        if self.sim.what_if {
            let ops = self.slowest_ops(recording, &time, &how);
            line["lines"] = lines(&ops, &mut places);
            let mut found = advice::all(recording, &self.params, &how, &time, &mut |site| places.of(site));
            found.extend(crate::timing::tiles::larger(recording, &self.params, &how, &time, &ops, self.ub_size));
            line["what_if"] = found
                .into_iter()
                .map(|a| json!({"kind": a.kind, "line": a.line, "task_us": a.task_us, "tiles": a.tiles.map(|t| json!({"factor": t.factor, "now": t.now, "then": t.then, "free": t.free}))}))
                .collect();
        }
        line
    }

    fn launch(&self, time: &LaunchTime, places: &mut Places) -> Value {
        let traffic = &time.traffic;
        let core = |c: &CoreTime| {
            json!({
                "core": c.core, "cycles": c.end - c.start, "vec": c.busy.vector, "scalar": c.busy.scalar,
                "mte2": c.busy.mte2, "mte3": c.busy.mte3,
            })
        };
        json!({
            "kernel": time.kernel,
            "tiling_key": time.tiling_key,
            "soc": time.soc,
            "mode": time.caches.name(),
            "blocks": time.blocks,
            "simulated": time.simulated_blocks,
            "ai_cores": self.params.ai_cores(),
            "mhz": time.clock_mhz,
            "ub_size": self.ub_size,
            "task_us": time.task_us,
            "launch_us": time.task_us - slowest(time).map_or(0.0, |c| (c.end - c.start) / time.clock_mhz),
            "bound": time.bound,
            "cores": time.core.iter().map(core).collect::<Vec<_>>(),
            "bytes": {
                "read": traffic.read, "write": traffic.written, "l2_hit": traffic.l2_hit.round() as u64,
                "hbm_read": traffic.hbm_read.round() as u64, "hbm_write": traffic.hbm_written.round() as u64,
            },
            "vec_ops": time.vector_lanes,
            "roofs": self.roofs(time),
            "conflicts": conflicts(time, places),
            "trace": time.core.iter().filter(|c| self.sim.traces(c.core)).map(|c| trace(time, c, places)).collect::<Vec<_>>(),
            "error": time.error,
            "l2_edge": time.l2_edge,
            "tiling_bytes": time.tiling_bytes,
            "notes": time.notes,
        })
    }

    /// What the chip can do at best.
    fn roofs(&self, time: &LaunchTime) -> Value {
        let p = &self.params;
        // A launch of kernels that do nothing: what no work can go below.
        let nothing =
            Recording::of_nothing(time.blocks).replay(p, &Replay { caches: time.caches, ..Replay::default() });
        json!({
            "vec_gops": p.vector_gops(time.cores), "l2_gbs": p.l2_gbs(time.cores), "hbm_gbs": p.hbm_gbs(),
            "empty_us": nothing.map_or(0.0, |time| time.task_us),
            "l2_read_gbs": p.l2_read * 1e3, "l2_write_gbs": p.l2_write * 1e3, "hbm_write_gbs": p.hbm_write * 1e3,
            "cores_read_gbs": p.mte2_rate * p.core_gbs(time.cores), "cores_write_gbs": p.mte3_rate * p.core_gbs(time.cores),
            "cores_gbs": p.port * p.core_gbs(time.cores), "l2_bytes": p.l2_bytes,
            "pairs_read_gbs": p.pair_read * p.core_gbs(p.ai_cores() as u32), "l2_cold_dirty": p.l2_cold_dirty,
        })
    }

    /// The instructions of the slowest core.
    fn slowest_ops(&self, recording: &Recording, time: &LaunchTime, how: &Replay) -> Vec<OpTime> {
        let Some(core) = slowest(time).map(|c| c.core) else { return Vec::new() };
        let again = recording.replay(&self.params, &Replay { trace: Some(vec![core]), ..how.clone() });
        again.ok().and_then(|time| time.core.into_iter().find(|c| c.core == core)).map_or(Vec::new(), |c| c.ops)
    }
}

/// What the lines of the kernel cost on the core of these instructions, the dearest first.
fn lines(ops: &[OpTime], places: &mut Places) -> Value {
    let mut sums: BTreeMap<(String, &str), (u64, f64)> = BTreeMap::new();
    for (op, cycles) in ops.iter().zip(shares(ops)).filter(|(op, _)| is_work(&op.kind)) {
        let Some(line) = places.of(op.site) else { continue };
        let sum = sums.entry((line, op.pipe.name())).or_default();
        *sum = (sum.0 + 1, sum.1 + cycles);
    }
    let mut all: Vec<_> = sums.into_iter().collect();
    all.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    let line = |((line, pipe), (count, cycles)): ((String, &str), (u64, f64))| json!({"line": line, "pipe": pipe, "instructions": count, "cycles": cycles});
    all.into_iter().map(line).collect()
}

/// Where more than one stream that exists has been given something to do.
fn overlap(streams: usize) -> Option<String> {
    let what = "streams have tasks: each launch is priced as if it had the chip for itself, on the chip those of different streams may overlap";
    (streams > 1).then(|| format!("{streams} {what}"))
}

fn slowest(time: &LaunchTime) -> Option<&CoreTime> {
    time.core.iter().max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start)))
}

fn conflicts(time: &LaunchTime, places: &mut Places) -> Vec<Value> {
    let conflict = |c: &aicore::model::Conflict| {
        let kind = match c.kind {
            ConflictKind::ReadRead => "read-read",
            ConflictKind::ReadWrite => "read-write",
            ConflictKind::Stride => "stride",
        };
        json!({
            "op": c.instruction, "kind": kind, "line": places.of(c.site), "operands": c.operands.map(|(name, _)| name),
            "at": c.operands.map(|(_, addr)| addr), "repeats": c.repeats, "cycles": c.cycles,
        })
    };
    time.conflicts.iter().map(conflict).collect()
}

/// A core's instructions with times from its own start on, behind them what comes before: the launch and the entry of blocks.
fn trace(time: &LaunchTime, core: &CoreTime, places: &mut Places) -> Value {
    let instructions = core.ops.iter().map(|op| event(op, core.start, places));
    let mut events: Vec<Value> = instructions.collect();
    let block = |(block, (from, to)): (&u32, &(f64, f64))| {
        let args = json!({"block": block});
        json!({"pipe": "S", "name": "entry", "start": from - core.start, "end": to - core.start, "args": args})
    };
    events.extend(core.blocks.iter().zip(&core.entries).map(block));
    let launch = time.task_us * time.clock_mhz - time.cycles + core.start;
    let args = json!({"what": "all of the task before the core begins; what comes after its end is in it, too"});
    events.push(json!({"pipe": "LAUNCH", "name": "launch", "start": -launch, "end": 0.0, "args": args}));
    let flows = core.ops.iter().enumerate().filter_map(|(to, op)| {
        let name = op.name.strip_prefix("WaitFlag ").unwrap_or(&op.name);
        op.waited_for.map(|from| json!({"name": name, "from": from, "to": to}))
    });
    json!({
        "core": core.core,
        "events": events,
        "flows": flows.collect::<Vec<_>>(),
        "ub": core.ub.iter().map(|u| json!([u.at - core.start, u.bytes])).collect::<Vec<_>>(),
        "buffers": buffers(core),
    })
}

/// Every buffer of every InitBuffer; queues and TBufs are counted from 1 in the order of their calls.
fn buffers(core: &CoreTime) -> Vec<Value> {
    let mut all = Vec::new();
    let mut count = [0, 0];
    for made in &core.buffers {
        let count = &mut count[usize::from(made.queue)];
        *count += 1;
        for i in 0..made.num {
            let what = if made.queue { "queue" } else { "TBuf" };
            let which = if made.num > 1 { format!(" [{i}]") } else { String::new() };
            let addr = made.addr + i * made.bytes;
            all.push(json!({"addr": addr, "bytes": made.bytes, "name": format!("{what} {count}{which}")}));
        }
    }
    all
}

fn event(op: &OpTime, start: f64, places: &mut Places) -> Value {
    let mut args = match &op.kind {
        OpKind::Vector { repeats, ii, fixed, conflict_cycles } => json!({
            "repeats": repeats, "cycles a repeat": ii, "fixed cycles": fixed, "cycles lost to bank conflicts": conflict_cycles,
        }),
        OpKind::Copy { bytes, bursts, argument, offset } => {
            let mut args = json!({"bytes": bytes, "bursts": bursts});
            if let Some(argument) = argument {
                args["global memory"] = json!(format!("argument {argument} + {offset}"));
            }
            args
        }
        _ => json!({}),
    };
    if op.pipe != Pipe::S {
        args["issued (cycle)"] = json!(op.issued - start);
    }
    json!({
        "pipe": op.pipe.name(), "name": op.name, "start": op.start - start, "end": op.end - start,
        "line": places.of(op.site), "args": args,
    })
}

/// Source lines of sites, each looked up once.
#[derive(Default)]
struct Places(HashMap<Site, Option<String>>);

impl Places {
    fn of(&mut self, site: Site) -> Option<String> {
        self.0.entry(site).or_insert_with(|| site.location().map(|l| l.to_string())).clone()
    }
}
