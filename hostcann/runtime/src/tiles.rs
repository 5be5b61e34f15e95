//! What larger tiles would gain, as far as the unified buffer has room for them.

use crate::advice::{Tiles, WhatIf, per_call};
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
    let on = |pipe: Pipe| ops.iter().filter(move |op| op.pipe == pipe && crate::sim_lines::is_work(&op.kind));
    let first = |pipe| on(pipe).map(|op| op.start).fold(f64::INFINITY, f64::min);
    let last = |pipe| on(pipe).map(|op| op.end).fold(f64::NEG_INFINITY, f64::max);
    let part = |cycles: f64, latency: f64| if cycles.is_finite() { (cycles - latency).max(0.0) } else { 0.0 };
    part(first(Pipe::V) - first(Pipe::MTE2), params.mte2_latency)
        + part(last(Pipe::MTE3) - last(Pipe::V), params.mte3_latency)
}
