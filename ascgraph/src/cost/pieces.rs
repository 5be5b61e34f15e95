//! What rows in pieces cost, and how many cores share one.

use super::{Cost, MOST_TICKS, PER_ROW, moved, ticks};
use crate::schedule::{Role, Scheduled};
use crate::tiling::{KEPT_BYTES, Limits, Need, Tiling, ceil, segment, split};
use crate::timing::Timing;

/// Ticks that cores spend on one another: behind each pass they meet, and read the lanes of all.
pub(super) fn meetings(s: &Scheduled, timing: &Timing) -> i64 {
    let mut cycles = 0.0;
    for pass in 0..s.passes.count {
        let sums = (0..s.roles.len()).filter(|id| s.roles[*id] == Role::Reduce && s.pass(*id) == Some(pass)).count();
        if sums > 0 {
            let read = timing.mte2.latency + timing.mte2.issue + KEPT_BYTES as f64 / timing.mte2.rate;
            cycles += timing.sync_all + timing.mte3.latency + sums as f64 * (timing.mte3.issue + read);
        }
    }
    ticks(cycles)
}

/// As [`super::price`]: a core has parts of rows one after the other, and the pieces of a part go by as tiles do.
pub fn price(cost: &Cost, need: &Need, t: &Tiling) -> i64 {
    let share = need.length.min(ceil(ceil(need.length, segment(need.length)), t.parts) * segment(need.length));
    let units = t.stride.min(share);
    let size = [units, 0, 0];
    let pair = (t.block_dim > cost.ai_cores).then_some(cost.pair_latency);
    let all = need.rows * need.row * need.length;
    let memory = all > cost.l2_bytes / (cost.read.wide + cost.write.wide).max(1);
    let (read, read_chip) = moved(&cost.read, size, t.block_dim, pair, memory);
    let (write, write_chip) = moved(&cost.write, size, t.block_dim, pair, memory);
    let (vector, scalar) = cost.tile.of(size, 0);
    let first = cost.first.of([0; 3], 0);
    let chip = if memory { read_chip + write_chip } else { read_chip.max(write_chip) };
    let longest = read.max(write).max(vector).max(chip).max(scalar).max(1);
    let more = ceil(share, units) - 1;
    let once = cost.first_read + first.0.max(first.1) + read + vector.max(scalar) + write;
    let part = once + if more > MOST_TICKS / longest { MOST_TICKS } else { more * longest };
    let parts = if t.core_tiles > MOST_TICKS / part { MOST_TICKS } else { t.core_tiles * part };
    let meet = if t.parts > 1 { cost.meet } else { 0 };
    t.block_dim * cost.step + pair.map_or(0, |_| cost.pair_entry) + parts + meet
}

/// The same of columns of which some rows go by at a time, to be turned.
pub(super) fn price_columns(cost: &Cost, need: &Need, t: &Tiling, height: i64) -> i64 {
    let rows = t.stride.min(height);
    let size = [rows * t.tile, rows, t.tile];
    let pair = (t.block_dim > cost.ai_cores).then_some(cost.pair_latency);
    let memory = need.rows * need.row * height > cost.l2_bytes / (cost.read.wide + cost.write.wide).max(1);
    let (read, read_chip) = moved(&cost.read, size, t.block_dim, pair, memory);
    let (write, write_chip) = moved(&cost.write, size, t.block_dim, pair, memory);
    let read = read.max(cost.read.fixed + rows * cost.read.burst + t.tile * cost.turned);
    let each = (PER_ROW * rows).min(ceil(t.tile, 64));
    let (vector, scalar) = cost.tile.of(size, each);
    let first = cost.first.of(size, each);
    let chip = if memory { read_chip + write_chip } else { read_chip.max(write_chip) };
    let longest = read.max(write).max(vector).max(chip).max(scalar).max(1);
    let once = t.block_dim * cost.step + pair.map_or(0, |_| cost.pair_entry) + cost.first_read + first.0.max(first.1);
    let times = |one: i64, count: i64| if count > MOST_TICKS / one { MOST_TICKS } else { count * one };
    once + read + vector.max(scalar) + write + times(times(longest, ceil(height, t.stride).max(1)), t.core_tiles)
        - longest
}

/// The cheapest number of cores for each row. Rows that no cores share cost more than all else: they run where nothing else
/// fits.
pub(super) fn solve(need: &Need, limits: Limits, cost: &Cost, plain: Tiling) -> (Tiling, i64) {
    let known = price(cost, need, &plain);
    let (mut best, mut least) = (plain, known - known / 64);
    let mut cores = limits.used();
    while cores > 1 {
        let parts = cores / (need.rows * need.row).max(1);
        if let Some(tiling) = (parts > 1).then(|| split(need, limits, parts)).flatten() {
            let ticks = price(cost, need, &tiling);
            if ticks < least {
                (best, least) = (tiling, ticks);
            }
        }
        cores = (cores + 1) / 2;
    }
    (best, if best.parts > 1 { least } else { i64::MAX })
}
