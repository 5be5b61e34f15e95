//! What larger tiles would gain, as far as the unified buffer has room for them.

use crate::timing::advice::{Tiles, WhatIf, per_call};
use aicore::Pipe;
use aicore::model::{BufferAt, LaunchTime, OpKind, OpTime, Params, Recording, Replay};
use std::collections::HashMap;

/// The largest tiles that fit and, where those are more than twice as large, tiles of twice the size. `ops` are those of the
/// slowest core. Nothing where larger tiles would not be fewer.
pub fn larger(
    recording: &Recording,
    params: &Params,
    how: &Replay,
    time: &LaunchTime,
    ops: &[OpTime],
    ub_size: u64,
) -> Vec<WhatIf> {
    let taken = time.core.first().map_or(0, |core| taken(&core.buffers));
    let now = tiles(ops);
    if taken == 0 || now < 2 {
        return Vec::new();
    }
    let fits = ub_size as f64 / taken as f64;
    let fewest = ((now as f64 / fits).ceil() as u64).max(1);
    let mut counts = vec![fewest];
    counts.extend(Some(now.div_ceil(2)).filter(|half| *half > fewest));
    let ends = first_and_last(ops, params);
    let try_one = |then: u64| {
        let factor = now as f64 / then as f64;
        let mut other = params.clone();
        per_call(&mut other, 1.0 / factor);
        let again = recording.replay(&other, how).ok()?;
        let task_us = again.task_us + (factor - 1.0) * ends / time.clock_mhz;
        let tiles = Tiles { factor, now, then, free: ub_size.saturating_sub(taken) };
        Some(WhatIf { kind: "larger-tiles", line: None, task_us, tiles: Some(tiles) })
    };
    counts.into_iter().filter(|then| *then < now).filter_map(try_one).collect()
}

/// Bytes that InitBuffer has taken, each once.
fn taken(buffers: &[BufferAt]) -> u64 {
    let mut ranges: Vec<(u64, u64)> = buffers
        .iter()
        .map(|b| (u64::from(b.addr), u64::from(b.addr) + u64::from(b.bytes) * u64::from(b.num)))
        .collect();
    ranges.sort_unstable();
    let mut end = 0;
    ranges.into_iter().fold(0, |sum, (from, to)| {
        let more = to.saturating_sub(from.max(end));
        end = end.max(to);
        sum + more
    })
}

/// How often the core goes round: calls of AllocTensor by one line, or copies into the unified buffer where there are no queues.
fn tiles(ops: &[OpTime]) -> u64 {
    let most = |wanted: &dyn Fn(&OpTime) -> bool| {
        let mut counts: HashMap<_, u64> = HashMap::new();
        ops.iter().filter(|op| wanted(op)).for_each(|op| *counts.entry(op.site).or_default() += 1);
        counts.into_values().max().unwrap_or(0)
    };
    match most(&|op| op.kind == OpKind::Queue && &*op.name == "AllocTensor") {
        0 => most(&|op| op.pipe == Pipe::MTE2 && matches!(op.kind, OpKind::Copy { .. })),
        count => count,
    }
}

/// Cycles of data before the first and after the last vector instruction: they grow with a tile.
fn first_and_last(ops: &[OpTime], params: &Params) -> f64 {
    let on = |pipe: Pipe| ops.iter().filter(move |op| op.pipe == pipe && crate::timing::sim_lines::is_work(&op.kind));
    let first = |pipe| on(pipe).map(|op| op.start).fold(f64::INFINITY, f64::min);
    let last = |pipe| on(pipe).map(|op| op.end).fold(f64::NEG_INFINITY, f64::max);
    let part = |cycles: f64, latency: f64| if cycles.is_finite() { (cycles - latency).max(0.0) } else { 0.0 };
    part(first(Pipe::V) - first(Pipe::MTE2), params.mte2_latency)
        + part(last(Pipe::MTE3) - last(Pipe::V), params.mte3_latency)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aicore::Site;
    use aicore::model::{CoreTime, ParamFile};

    fn params() -> Params {
        let file: ParamFile =
            toml::from_str(include_str!("../../../soc/timing/model.toml")).expect("the parameter file");
        Params::for_soc(&file, "Ascend910B3", 40, 192 << 20).expect("its parameters")
    }

    fn op(pipe: Pipe, kind: OpKind, start: f64, end: f64) -> OpTime {
        let name = if kind == OpKind::Queue { "AllocTensor" } else { "x" };
        OpTime { pipe, name: name.into(), start, end, issued: start, site: Site::default(), kind, waited_for: None }
    }

    fn copy(pipe: Pipe, start: f64, end: f64) -> OpTime {
        op(pipe, OpKind::Copy { bytes: 1024, bursts: 1, argument: None, offset: 0 }, start, end)
    }

    fn vector(start: f64, end: f64) -> OpTime {
        op(Pipe::V, OpKind::Vector { repeats: 1, ii: 1.0, fixed: 1.0, conflict_cycles: 0.0 }, start, end)
    }

    fn buffer(addr: u32, bytes: u32, num: u32) -> BufferAt {
        BufferAt { addr, bytes, num, queue: true, site: Site::default() }
    }

    /// A core with 12 tiles in 10000 bytes of the unified buffer: 200 cycles of data before the first instruction, 100 after
    /// the last, latencies left out.
    fn twelve(params: &Params) -> (LaunchTime, Vec<OpTime>) {
        let core = CoreTime { buffers: vec![buffer(0, 2500, 4)], ..CoreTime::default() };
        let time = LaunchTime { core: vec![core], clock_mhz: params.clock, ..LaunchTime::default() };
        let mut ops: Vec<OpTime> = (0..12).map(|_| op(Pipe::S, OpKind::Queue, 0.0, 1.0)).collect();
        let first = 10.0 + params.mte2_latency + 200.0;
        ops.extend([copy(Pipe::MTE2, 10.0, first), vector(first, 1000.0)]);
        ops.push(copy(Pipe::MTE3, 1000.0, 1000.0 + params.mte3_latency + 100.0));
        (time, ops)
    }

    /// Times and tiles for so much of a unified buffer.
    fn found(ub_size: u64) -> Vec<(f64, Tiles)> {
        let p = params();
        let (time, ops) = twelve(&p);
        let all = larger(&Recording::of_nothing(1), &p, &Replay::default(), &time, &ops, ub_size);
        assert!(all.iter().all(|what| what.kind == "larger-tiles" && what.line.is_none()));
        all.into_iter().map(|what| (what.task_us, what.tiles.expect("tiles"))).collect()
    }

    #[test]
    fn only_tiles_that_fit_are_offered() {
        let tiles = |ub_size| found(ub_size).into_iter().map(|(_, tiles)| tiles).collect::<Vec<_>>();
        assert_eq!(tiles(10_000), [], "no room");
        assert_eq!(tiles(10_500), [], "room that takes no tile away");
        assert_eq!(tiles(12_000), [Tiles { factor: 1.2, now: 12, then: 10, free: 2_000 }]);
        let [most, twice] = [(3.0, 4), (2.0, 6)].map(|(factor, then)| Tiles { factor, now: 12, then, free: 20_000 });
        assert_eq!(tiles(30_000), [most, twice]);
        assert_eq!(tiles(1 << 20).first().map(|tiles| tiles.then), Some(1), "one tile is the fewest");
    }

    #[test]
    fn the_first_and_the_last_copy_grow_with_the_tiles() {
        let p = params();
        let nothing = Recording::of_nothing(1).replay(&p, &Replay::default()).expect("a time").task_us;
        let us: Vec<f64> = found(30_000).into_iter().map(|(us, _)| us - nothing).collect();
        let close = |got: f64, cycles: f64| (got - cycles / p.clock).abs() < 1e-9;
        assert!(close(us[0], 2.0 * 300.0) && close(us[1], 300.0), "{us:?}");
        assert_eq!(first_and_last(&[], &p), 0.0);
        // Data that come within their latency are no reason, and waiting is not the beginning of work.
        let wait = op(Pipe::V, OpKind::WaitFlag, 0.0, 20.0);
        let ops = [wait, copy(Pipe::MTE2, 10.0, 20.0), vector(20.0, 30.0), copy(Pipe::MTE3, 30.0, 31.0)];
        assert_eq!(first_and_last(&ops, &p), 0.0);
    }

    #[test]
    fn bytes_that_several_buffers_share_are_taken_once() {
        assert_eq!(taken(&[]), 0);
        assert_eq!(taken(&[buffer(4096, 1024, 1), buffer(0, 1024, 2)]), 3072, "a gap is free");
        assert_eq!(taken(&[buffer(0, 1024, 2), buffer(1024, 2048, 1)]), 3072, "one begins in another");
        assert_eq!(taken(&[buffer(0, 4096, 1), buffer(1024, 1024, 1)]), 4096, "one lies in another");
    }

    #[test]
    fn tiles_are_allocations_or_else_copies_in() {
        let p = params();
        let (_, ops) = twelve(&p);
        assert_eq!((tiles(&ops), tiles(&ops[12..]), tiles(&[])), (12, 1, 0));
        let (time, _) = twelve(&p);
        let once = larger(&Recording::of_nothing(1), &p, &Replay::default(), &time, &ops[12..], 1 << 20);
        assert!(once.is_empty(), "one tile cannot become fewer");
    }
}
