//! How far the model is off for launches of a kind: classes by what a launch does, and their errors by the parameter file.

use super::{
    error_classes::{BROADCAST, CHAIN, COPIES, EDGE, EMPTY, LONG, PRODUCTS, ROWS, SHORT, TILING, VALUES, WAITS},
    params::{ErrorRow, Params},
    program::{Scalar, StepKind},
    recording::Recording,
    result::{Caches, ErrorBar, LaunchTime},
};
use crate::base::{ins::Opcode, pipe::Pipe};

/// Repeats of a call from which on it is long, and calls in a row that make a chain.
const LONG_CALL: f64 = 16.0;
const IN_A_ROW: u64 = 3;

/// Values read or written one by one for an instruction, from which on they are a row's.
const VALUES_A_CALL: f64 = 0.1;

/// Part of the time that the copy of tiling data takes, from which on it makes the class: less than that is within the errors of
/// the others, however wrong its price is.
const TILING_PART: f64 = 0.05;

#[derive(Default)]
struct Seen {
    values: u64,
    vectors: u64,
    copies_in: u64,
    copies: u64,
    repeats: u64,
    waits: bool,
    broadcasts: bool,
}

fn seen(recording: &Recording) -> Seen {
    let infos = recording.program.infos.list();
    let mut seen = Seen::default();
    for op in recording.program.blocks.iter().flat_map(|b| &b.ops) {
        match &infos[op.info as usize].what {
            StepKind::Scalar(Scalar::UbRead | Scalar::UbWrite | Scalar::GmAccess) => seen.values += 1,
            StepKind::Vector(w) => {
                seen.vectors += 1;
                seen.repeats += w.repeats;
                seen.broadcasts |= matches!(w.head.op, Opcode::Brcb | Opcode::Broadcast);
            }
            StepKind::Copy(w) => {
                seen.copies += 1;
                seen.copies_in += u64::from(w.pipe == Pipe::MTE2);
            }
            StepKind::SyncAll | StepKind::CrossWait { .. } | StepKind::Until { .. } => seen.waits = true,
            _ => {}
        }
    }
    seen
}

/// `tiling`: cycles of a core for tiling data.
fn class(recording: &Recording, time: &LaunchTime, tiling: f64) -> &'static str {
    let seen = seen(recording);
    let instructions = seen.vectors + seen.copies;
    let short = || (seen.repeats as f64) < LONG_CALL * seen.vectors as f64;
    match () {
        () if recording.program.multiplies() => PRODUCTS,
        () if seen.values + instructions == 0 => EMPTY,
        () if seen.values > instructions => VALUES,
        () if seen.values as f64 > VALUES_A_CALL * instructions as f64 => ROWS,
        () if seen.waits => WAITS,
        () if time.l2_edge.is_some() => EDGE,
        () if tiling > TILING_PART * time.task_us * time.clock_mhz => TILING,
        () if seen.vectors == 0 => COPIES,
        () if seen.vectors >= IN_A_ROW * seen.copies_in.max(1) && short() => SHORT,
        () if seen.broadcasts || recording.program.reads_again() => BROADCAST,
        () if time.caches == Caches::Eager => CHAIN,
        () => LONG,
    }
}

/// The class of a launch with what is known of its error: held-out measurements where there are some, calibration otherwise.
/// Near the size of the L2 the two times say how far off it may be.
pub(super) fn error_bar(recording: &Recording, p: &Params, time: &LaunchTime, tiling: f64) -> ErrorBar {
    let class = class(recording, time, tiling);
    let of = |held_out: bool| p.errors.iter().filter(move |row| row.class == class && row.held_out == held_out);
    let worst = |rows: &mut dyn Iterator<Item = &ErrorRow>| rows.max_by(|a, b| a.mean.total_cmp(&b.mean)).cloned();
    let row = worst(&mut of(true)).or_else(|| worst(&mut of(false))).filter(|_| time.l2_edge.is_none());
    ErrorBar { class, percent: row.as_ref().map(|row| row.mean), source: row.map_or(String::new(), |row| row.source) }
}
