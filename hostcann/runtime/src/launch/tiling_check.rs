//! Tiling data that the tiling function did not write, or that does not fit the kernel's struct.

use crate::base::env::Settings;
use crate::launch::run::{Change, CheckedLaunch, Ran, brief, raise};
use crate::launch::snapshot::Snapshot;
use aicore::{Engine, Fault, FaultClass, Reads};
use std::ops::Range;

/// Ranges a message lists.
const LISTED: usize = 8;
/// Fields are looked at one by one, in units of this size, as long as there are not too many.
const UNIT: usize = 4;
const MOST_UNITS: usize = 64;

/// What the two buffers held before the tiling function ran (nnopbase, `op_impl.cpp`).
const FILLS: (u8, u8) = (0xa5, 0x5a);

/// Bytes that differ between the two data and that the kernel may have used.
fn doubtful(data: &[u8], other: &[u8], reads: &Reads) -> Vec<Range<usize>> {
    let unseen = reads.pointer || reads.end == 0;
    let used = |at: &usize| data[*at] != other[*at] && (unseen || reads.significant[*at]);
    joined((0..data.len()).filter(used).map(|at| at..at + 1))
}

/// Neighbours become one range.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}

/// The ranges cut at multiples of the unit.
fn units(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let cut = |range: &Range<usize>| {
        let (from, to) = (range.start, range.end);
        (from / UNIT..to.div_ceil(UNIT)).map(move |unit| from.max(unit * UNIT)..to.min((unit + 1) * UNIT))
    };
    ranges.iter().flat_map(cut).collect()
}

/// Runs the launch with other bytes in what was never written. Results or a fault that follow them are a finding;
/// otherwise memory is left as the first run left it.
///
/// # Errors
///
/// A fault of the class `Tiling` where results or a fault follow those bytes, unless results differ from run to run.
pub fn unset_bytes(
    launch: &CheckedLaunch<'_>,
    engine: &Engine,
    settings: &Settings,
    before: &Snapshot,
    first: &Ran,
) -> Result<(), Fault> {
    let (Some(data), Some(other)) = (launch.tiling, launch.tiling_other) else {
        return Ok(());
    };
    let ranges = doubtful(data, other, &first.reads);
    if ranges.is_empty() {
        return Ok(());
    }
    let after = launch.take();
    let again = |tiling: &[u8]| {
        let variant = (Some(tiling), engine.switches());
        launch.again(engine, settings, (before, &after), &first.result, variant)
    };
    let (ran, Some(change)) = again(other) else {
        launch.restore(&after);
        return Ok(());
    };
    if again(data).1.is_some() {
        launch.restore(&after);
        crate::base::log::note(
            "CHECK",
            &format!("{}: results differ from run to run; unwritten tiling data was not checked", launch.name),
        );
        return Ok(());
    }
    let alone = |range: &&Range<usize>| {
        let mut mixed = data.to_vec();
        mixed[(*range).clone()].copy_from_slice(&other[(*range).clone()]);
        again(&mixed).1.is_some()
    };
    let units = units(&ranges);
    let mut guilty = if units.len() <= MOST_UNITS { joined(units.iter().filter(alone).cloned()) } else { Vec::new() };
    if guilty.is_empty() {
        guilty = ranges;
    }
    launch.restore(&after);
    let filled = |data: &[u8]| format!("{:#04x}", data[guilty[0].start]);
    let (a, b) = (filled(data), filled(other));
    let effect = match change {
        Change::Result(d) => {
            format!("{} is {} when they hold {a} and {} when they hold {b}", d.place(), d.before(), d.now())
        }
        Change::Fault => {
            let outcome = |result: &Result<(), Fault>| match result {
                Ok(()) => "runs through".to_owned(),
                Err(fault) => format!("stops with «{}»", brief(fault)),
            };
            format!(
                "the kernel {} when they hold {a} and {} when they hold {b}",
                outcome(&first.result),
                outcome(&ran.result)
            )
        }
    };
    let place = format!("tiling data: {} of {}", list(&guilty), data.len());
    let unwritten = guilty.iter().flat_map(Clone::clone).all(|at| (data[at], other[at]) == FILLS);
    let (what, fix) = if unwritten {
        let what = "were never written by the tiling function, but the kernel depends on them";
        (what, "assign every field of the struct; the buffer is not cleared")
    } else {
        let fix = "keep no state between calls (static and global variables), initialise every local variable";
        ("differ between two calls of the tiling function with the same arguments", fix)
    };
    Err(launch.finding(raise(FaultClass::Tiling, "GET_TILING_DATA", format!("{place} {what}: {effect}"), fix)))
}

fn list(ranges: &[Range<usize>]) -> String {
    let one = |r: &Range<usize>| match r.len() {
        1 => format!("{}", r.start),
        _ => format!("{} to {}", r.start, r.end - 1),
    };
    let shown: Vec<String> = ranges.iter().take(LISTED).map(one).collect();
    let more = if ranges.len() > LISTED { " and more" } else { "" };
    format!("bytes {}{more}", shown.join(", "))
}

/// Tiling data that goes on behind what the kernel reads: two versions of the struct, or a part that the kernel takes
/// through a pointer of its own. TilingDef rounds up to 8 bytes.
pub fn rest(launch: &CheckedLaunch<'_>, reads: &Reads) -> Option<Fault> {
    let given = launch.tiling?.len();
    if reads.pointer || reads.end == 0 || given < reads.end + 8 {
        return None;
    }
    let what = "the kernel's struct is smaller than the tiling data";
    let rule =
        raise(FaultClass::Tiling, "GET_TILING_DATA", what, "use one header for the struct in op_host and op_kernel")
            .rule()
            .operand("tiling")
            .expected(format!("{given} bytes, the size that the tiling function declared"))
            .got(format!("{} bytes", reads.end));
    Some(launch.finding(rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_leave_out_what_is_equal_or_not_read() {
        let reads = |from: &[usize]| Reads {
            significant: (0..8).map(|i| from.contains(&i)).collect(),
            end: from.last().map_or(0, |i| i + 1),
            pointer: false,
        };
        let (data, other) = ([0xa5, 0xa5, 1, 0xa5, 0xa5, 0xa5, 2, 0xa5], [0x5a, 0x5a, 1, 0x5a, 0x5a, 0x5a, 2, 0x5a]);
        assert_eq!(doubtful(&data, &other, &reads(&[0, 1, 2, 3, 6, 7])), [0..2, 3..4, 7..8]);
        assert_eq!(doubtful(&data, &other, &reads(&[])), [0..2, 3..6, 7..8], "reads that were not seen");
        assert_eq!(doubtful(&data, &data, &reads(&[0])), []);
        assert_eq!(units(&[1..3, 6..13]), [1..3, 6..8, 8..12, 12..13]);
        assert_eq!(list(&[0..2, 3..4]), "bytes 0 to 1, 3");
    }
}
