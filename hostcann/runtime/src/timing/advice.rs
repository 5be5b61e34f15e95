//! What a launch would take without one of its costs: the model again, over the same recording.

use aicore::Site;
use aicore::model::{Caches, LaunchTime, Params, Recording, Replay};
use std::collections::BTreeMap;

/// A change and the Task Duration with it.
pub struct WhatIf {
    pub kind: &'static str,
    pub line: Option<String>,
    pub task_us: f64,
    pub tiles: Option<Tiles>,
}

/// Tiles of another size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tiles {
    /// Times the size of those that there are.
    pub factor: f64,
    /// On the slowest core: so many as there are, and so many with the other size.
    pub now: u64,
    pub then: u64,
    /// Bytes of the unified buffer that no InitBuffer has taken.
    pub free: u64,
}

/// Lines whose conflicts are taken away one by one.
const LINES: usize = 5;

/// Every change that can be tried; `line` finds the kernel's line of a call.
pub fn all(
    recording: &Recording,
    params: &Params,
    how: &Replay,
    time: &LaunchTime,
    line: &mut dyn FnMut(Site) -> Option<String>,
) -> Vec<WhatIf> {
    let mut found = vec![balance(time)];
    let mut again = |kind: &'static str, line: Option<String>, params: &Params, how: &Replay| {
        // Parameters that the first replay took are good.
        let Ok(time) = recording.replay(params, how) else { return };
        found.push(WhatIf { kind, line, task_us: time.task_us, tiles: None });
    };
    let sites = conflicting(time, line);
    if !sites.is_empty() {
        again("no-bank-conflict", None, params, &Replay { no_conflicts: true, ..how.clone() });
    }
    for (line, sites) in sites {
        again("no-bank-conflict", Some(line), params, &Replay { no_conflicts_at: sites, ..how.clone() });
    }
    if how.caches != Caches::Warm {
        again("warm", None, params, &Replay { caches: Caches::Warm, ..how.clone() });
    }
    for (kind, change) in CHANGES {
        let mut other = params.clone();
        change(&mut other);
        again(kind, None, &other, how);
    }
    found
}

/// Every core ends when the mean of them does.
fn balance(time: &LaunchTime) -> WhatIf {
    let cycles = || time.core.iter().map(|core| core.end - core.start);
    let mean = cycles().sum::<f64>() / time.core.len().max(1) as f64;
    let more = cycles().fold(0.0, f64::max) - mean;
    WhatIf { kind: "balance", line: None, task_us: time.task_us - more.max(0.0) / time.clock_mhz, tiles: None }
}

/// The lines that lose most, with their calls.
fn conflicting(time: &LaunchTime, line: &mut dyn FnMut(Site) -> Option<String>) -> Vec<(String, Vec<Site>)> {
    let mut lines: BTreeMap<String, (f64, Vec<Site>)> = BTreeMap::new();
    for conflict in time.conflicts.iter().filter(|conflict| conflict.avoidable()) {
        let Some(line) = line(conflict.site) else { continue };
        let (cycles, sites) = lines.entry(line).or_default();
        *cycles += conflict.cycles;
        sites.push(conflict.site);
    }
    let mut all: Vec<_> = lines.into_iter().collect();
    all.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
    all.into_iter().take(LINES).map(|(line, (_, sites))| (line, sites)).collect()
}

type Change = (&'static str, fn(&mut Params));

/// Other parameters for the same instructions.
const CHANGES: [Change; 4] = [
    ("no-scalar", |p| scalar(p, 0.0)),
    ("no-fixed-cost", |p| {
        p.rows.iter_mut().for_each(|row| row.fixed = 0.0);
        (p.vector_count_form, p.vector_count_next, p.vector_partial) = (0.0, 0.0, 0.0);
    }),
    ("no-vector", |p| {
        p.rows.iter_mut().for_each(|row| (row.fixed, row.ii) = (0.0, 0.0));
        (p.vector_count_form, p.vector_count_next) = (0.0, 0.0);
        (p.vector_partial, p.vector_write_clash) = (0.0, 0.0);
    }),
    ("no-memory", |p| {
        let rates = [&mut p.mte2_rate, &mut p.mte3_rate, &mut p.port, &mut p.l2_read, &mut p.l2_write, &mut p.hbm_read];
        rates.into_iter().for_each(|rate| *rate = ENDLESS);
        p.hbm_write = ENDLESS;
        let times =
            [&mut p.mte2_latency, &mut p.mte2_latency_hbm, &mut p.mte2_issue, &mut p.mte3_latency, &mut p.mte3_issue];
        times.into_iter().for_each(|time| *time = 0.0);
        (p.burst, p.same_line, p.same_line_past_l2, p.latency_pair) = (0.0, 0.0, 0.0, 0.0);
    }),
];

/// A rate at which nothing takes any time.
const ENDLESS: f64 = 1e12;

fn scalar(p: &mut Params, factor: f64) {
    let all = [
        &mut p.scalar_queue,
        &mut p.scalar_vector,
        &mut p.scalar_copy,
        &mut p.scalar_flag,
        &mut p.scalar_mask,
        &mut p.scalar_ub_read,
        &mut p.scalar_ub_write,
        &mut p.scalar_gm_hit,
    ];
    all.into_iter().for_each(|cost| *cost *= factor);
}

/// What every call costs whatever it works on.
pub fn per_call(p: &mut Params, factor: f64) {
    scalar(p, factor);
    p.rows.iter_mut().for_each(|row| row.fixed *= factor);
    let all = [
        &mut p.vector_count_form,
        &mut p.vector_count_next,
        &mut p.vector_partial,
        &mut p.mte2_latency,
        &mut p.mte2_latency_hbm,
        &mut p.latency_pair,
        &mut p.mte2_issue,
        &mut p.mte3_latency,
        &mut p.mte3_issue,
    ];
    all.into_iter().for_each(|cost| *cost *= factor);
}
