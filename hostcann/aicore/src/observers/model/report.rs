//! From the state of a replay to its result.

use super::{
    core::Core,
    cost::Cost,
    memory::L2_SURE,
    occupancy,
    params::Params,
    pipes::Timed,
    program::{LINE, NO_ARGUMENT, NOBODY, Scalar, StepKind},
    recording::Recording,
    result::{Bound, Caches, Conflict, ConflictKind, CoreTime, ErrorBar, L2Edge, LaunchTime, OpKind, OpTime, Traffic},
};
use std::{collections::HashMap, sync::Arc};

pub(super) fn of(
    recording: &Recording,
    p: &Params,
    caches: Caches,
    cores: Vec<Core<'_>>,
    traffic: Traffic,
    costs: &[Cost],
) -> LaunchTime {
    let mut names = Names::default();
    let end = cores.iter().fold(0.0, |t: f64, c| t.max(c.end));
    let core: Vec<CoreTime> = cores.iter().map(|c| core_time(recording, c, costs, &mut names)).collect();
    let tiling = cores.iter().map(|c| c.tiling_cycles).fold(0.0, f64::max);
    let mut time = LaunchTime {
        kernel: recording.kernel.clone(),
        tiling_key: recording.tiling_key,
        soc: p.soc.clone(),
        caches,
        blocks: recording.blocks,
        cores: core.len() as u32,
        clock_mhz: p.clock,
        task_us: p.launch_base + end / p.clock,
        cycles: end,
        extrapolated: recording.ran < recording.blocks,
        simulated_blocks: recording.ran,
        bound: Bound::Launch,
        core,
        traffic,
        vector_lanes: 0.0,
        conflicts: Vec::new(),
        error: ErrorBar::default(),
        l2_edge: None,
        tiling_bytes: recording.program.blocks.iter().map(|b| b.tiling).max().unwrap_or(0),
        notes: Vec::new(),
    };
    sums(recording, costs, &mut time);
    time.notes.extend(unpriced(recording));
    time.notes.extend(tiling_note(tiling, &time));
    if recording.program.multiplies() {
        let what = "matrix products are priced coarsely";
        time.notes.push(format!(
            "{what}: what is longest of the cube unit, its operands and its results, and what Init takes"
        ));
    }
    if recording.program.blocks.iter().any(|b| b.bypass) {
        let what = "ReadGmByPassDCache and WriteGmByPassDCache are not priced";
        time.notes.push(format!("{what}: how often a core looks until another has written is not known"));
    }
    time.bound = bound(p, &time);
    time
}

/// What is the same for every replay of the recording: lanes, and conflicts by call.
fn sums(recording: &Recording, costs: &[Cost], time: &mut LaunchTime) {
    let infos = recording.program.infos.list();
    let mut times = vec![0u64; infos.len()];
    recording.program.blocks.iter().flat_map(|b| &b.ops).for_each(|op| times[op.info as usize] += 1);
    let mut found: HashMap<_, Conflict> = HashMap::new();
    for ((info, cost), n) in infos.iter().zip(costs).zip(times) {
        let StepKind::Vector(w) = &info.what else { continue };
        time.vector_lanes += (w.half_lanes * n) as f64 / 2.0;
        let Some(kind) = cost.vector.kind else { continue };
        let passes = w.passes.unwrap_or_default();
        let operand = |i: usize| w.operands[i].unwrap_or(("dst", 0));
        let operands = match kind {
            ConflictKind::ReadRead => [1, 2],
            ConflictKind::ReadWrite => [0, passes.clashing()],
            ConflictKind::Stride => passes.widest(),
        }
        .map(operand);
        let instruction = w.head.name();
        let names = operands.map(|(name, _)| name);
        let entry =
            found.entry((info.site, instruction.clone(), kind as u8, w.one_source(), names)).or_insert_with(|| {
                Conflict { site: info.site, instruction, kind, operands, instructions: 0, repeats: 0, cycles: 0.0 }
            });
        entry.instructions += n;
        entry.repeats += n * cost.vector.conflict_repeats;
        entry.cycles += n as f64 * cost.vector.conflicts;
    }
    time.conflicts = found.into_values().collect();
    let names = |c: &Conflict| c.operands.map(|(name, _)| name);
    let order = |c: &Conflict| (c.site.0, c.instruction.clone(), c.kind as u8, c.avoidable(), names(c));
    time.conflicts.sort_by(|a, b| b.cycles.total_cmp(&a.cycles).then_with(|| order(a).cmp(&order(b))));
}

/// What the copy of a large structure takes on a core.
fn tiling_note(cycles: f64, time: &LaunchTime) -> Option<String> {
    let (bytes, us) = (time.tiling_bytes, cycles / time.clock_mhz);
    let what = "bytes of tiling data are copied by the scalar unit of every core before it begins";
    (cycles > 0.0).then(|| format!("{bytes} {what}: {us:.2} us of the time (inferred)"))
}

pub(super) fn edge_note(edge: L2Edge) -> String {
    let L2Edge { part, fits_us, misses_us } = edge;
    format!(
        "the launch uses {part:.3} of the L2: {fits_us:.2} us if all of the L2 can be used, {misses_us:.2} us if only {L2_SURE:.2} of \
         it can; the truth lies between, and the details are of the shorter time"
    )
}

/// A kernel that works on single values more than it gives instructions spends its time in C++ that the model does not see.
fn unpriced(recording: &Recording) -> Option<String> {
    let infos = recording.program.infos.list();
    let (mut values, mut instructions) = (0u64, 0u64);
    for op in recording.program.blocks.iter().flat_map(|b| &b.ops) {
        match &infos[op.info as usize].what {
            StepKind::Scalar(Scalar::UbRead | Scalar::UbWrite | Scalar::GmAccess) => values += 1,
            StepKind::Vector(_) | StepKind::Copy(_) => instructions += 1,
            _ => {}
        }
    }
    if values == 0 && instructions == 0 {
        return Some(
            "no instruction and no GetValue or SetValue was seen: plain C++ is not priced, the time is that of an empty launch"
                .to_owned(),
        );
    }
    let rest = "the plain C++ between them is not priced: take the time for a lower bound";
    (values > instructions)
        .then(|| format!("{values} values are read or written one by one, next to {instructions} instructions; {rest}"))
}

/// What a launch would have to have less of to end sooner.
fn bound(p: &Params, time: &LaunchTime) -> Bound {
    let cycles = |c: &CoreTime| c.end - c.start;
    let longest = time.core.iter().map(cycles).fold(0.0, f64::max);
    let mean = time.core.iter().map(cycles).sum::<f64>() / time.core.len().max(1) as f64;
    let work = longest - p.entry;
    if time.task_us * p.clock > 2.0 * work {
        return Bound::Launch;
    }
    if longest > 1.15 * mean {
        return Bound::Imbalance;
    }
    let sum = |f: fn(&CoreTime) -> f64| time.core.iter().map(f).sum::<f64>();
    let parts = [
        (sum(|c| c.busy.mte2.max(c.busy.mte3)), Bound::Memory),
        (sum(|c| c.busy.vector), Bound::Vector),
        (sum(|c| c.busy.scalar), Bound::Scalar),
    ];
    parts.iter().fold(parts[0], |best, part| if part.0 > best.0 { *part } else { best }).1
}

#[derive(Default)]
struct Names(HashMap<u32, Arc<str>>);

impl Names {
    fn of(&mut self, recording: &Recording, info: u32) -> Arc<str> {
        let name = || match &recording.program.infos.list()[info as usize].what {
            StepKind::Vector(w) => w.head.name(),
            StepKind::Copy(w) => {
                let call = if w.pad { "DataCopyPad" } else { "DataCopy" };
                format!("{call}<{}>", w.dtype.name())
            }
            StepKind::SetFlag { event, id } => format!("SetFlag {}:{id}", event.name()),
            StepKind::WaitFlag { event, id } => format!("WaitFlag {}:{id}", event.name()),
            StepKind::Barrier(pipe) => format!("PipeBarrier {pipe}"),
            StepKind::SyncAll => "SyncAll".to_owned(),
            StepKind::CrossSet { flag, .. } => format!("CrossCoreSetFlag {flag}"),
            StepKind::CrossWait { flag } => format!("CrossCoreWaitFlag {flag}"),
            StepKind::Post(_) => "other cores may go on".to_owned(),
            StepKind::Until { .. } => "wait for another core".to_owned(),
            StepKind::Product(_) => "Matmul".to_owned(),
            StepKind::Await => "wait of the compiler".to_owned(),
            StepKind::Scalar(s) => s.name().to_owned(),
        };
        self.0.entry(info).or_insert_with(|| name().into()).clone()
    }
}

fn core_time(recording: &Recording, core: &Core<'_>, costs: &[Cost], names: &mut Names) -> CoreTime {
    let mut buffers = Vec::new();
    core.blocks.first().iter().for_each(|b| buffers.clone_from(&b.buffers));
    CoreTime {
        core: core.number,
        blocks: core.blocks.iter().map(|b| b.index).collect(),
        start: core.start,
        end: core.end,
        busy: core.busy(),
        instructions: core.counts,
        read: core.read,
        written: core.written,
        conflict_cycles: core.conflict_cycles,
        ops: ops(recording, core, costs, names),
        entries: core.entries.clone(),
        ub: occupancy::of(recording, core),
        buffers,
    }
}

fn ops(recording: &Recording, core: &Core<'_>, costs: &[Cost], names: &mut Names) -> Vec<OpTime> {
    let Some(timed) = &core.timed else { return Vec::new() };
    let mut timed: Vec<&Timed> = timed.iter().collect();
    timed.sort_by_key(|t| (t.block, t.op));
    let at: HashMap<(u32, u32), usize> = timed.iter().enumerate().map(|(i, t)| ((t.block, t.op), i)).collect();
    let infos = recording.program.infos.list();
    let one = |t: &Timed, names: &mut Names| {
        let (info, cost) = (&infos[t.info as usize], &costs[t.info as usize]);
        let place = || {
            let block = core.blocks[t.block as usize];
            block.places[block.ops[t.op as usize].more as usize]
        };
        let kind = match &info.what {
            StepKind::Vector(_) => {
                let v = cost.vector;
                let first = if t.end - t.start > v.cycles() + v.first / 2.0 { v.first } else { 0.0 };
                OpKind::Vector { repeats: v.repeats, ii: v.ii, fixed: v.fixed + first, conflict_cycles: v.conflicts }
            }
            StepKind::Copy(w) => {
                let (argument, offset) = match w.pipe {
                    crate::base::pipe::Pipe::V => (None, 0),
                    // An address of the host is nobody's business.
                    _ if place().region == NO_ARGUMENT => (None, place().offset % LINE),
                    _ => (Some(place().region), place().offset),
                };
                OpKind::Copy { bytes: w.bytes(), bursts: w.rows, argument, offset }
            }
            StepKind::SetFlag { .. } | StepKind::CrossSet { .. } | StepKind::Post(_) => OpKind::SetFlag,
            StepKind::WaitFlag { .. } | StepKind::CrossWait { .. } | StepKind::Until { .. } | StepKind::Await => {
                OpKind::WaitFlag
            }
            StepKind::Barrier(_) => OpKind::Barrier,
            StepKind::SyncAll => OpKind::SyncAll,
            StepKind::Scalar(s) if s.is_queue() => OpKind::Queue,
            StepKind::Scalar(_) | StepKind::Product(_) => OpKind::Scalar,
        };
        OpTime {
            pipe: t.pipe,
            name: names.of(recording, t.info),
            start: t.start,
            end: t.end,
            issued: t.issued,
            site: info.site,
            kind,
            waited_for: if t.from == NOBODY { None } else { at.get(&(t.block, t.from)).copied() },
        }
    };
    timed.into_iter().map(|t| one(t, names)).collect()
}
