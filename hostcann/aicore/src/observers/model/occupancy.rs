//! Bytes of the unified buffer that are in use, in time.
//!
//! The scalar unit issues AllocTensor and FreeTensor far ahead of the pipes. A tensor of a queue is alive from the start of the
//! first instruction after its AllocTensor until the flag of its FreeTensor is set, TBufs as long as their block runs.

use super::{
    core::Core,
    pipes::Timed,
    program::{Block, Scalar, StepKind},
    recording::Recording,
    result::UbUse,
};
use crate::base::pipe::Pipe;

/// Of a core whose steps were timed; empty for others.
pub(super) fn of(recording: &Recording, core: &Core<'_>) -> Vec<UbUse> {
    let Some(timed) = &core.timed else { return Vec::new() };
    let mut found: Vec<UbUse> = Vec::new();
    for (b, block) in core.blocks.iter().enumerate() {
        let Some((begin, _)) = core.entries.get(b).copied() else { continue };
        let end = core.entries.get(b + 1).map_or(core.end, |next| next.0);
        let mut ops: Vec<Option<&Timed>> = vec![None; block.ops.len()];
        timed.iter().filter(|t| t.block as usize == b).for_each(|t| ops[t.op as usize] = Some(t));
        let mut changes = changes(recording, block, &ops, (begin, end));
        changes.push((begin, block.tbuf_bytes() as i64));
        // At one time what is given back goes first: another tensor may be there then.
        changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut bytes = 0i64;
        for (at, change) in changes {
            bytes += change;
            push(&mut found, at, bytes.max(0) as u64);
        }
        push(&mut found, end, 0);
    }
    found
}

fn push(found: &mut Vec<UbUse>, at: f64, bytes: u64) {
    if found.last().is_some_and(|last| last.at == at) {
        found.pop();
    }
    if found.last().map_or(0, |last| last.bytes) != bytes {
        found.push(UbUse { at, bytes });
    }
}

/// When tensors of queues begin and cease to live, within the time of their block.
fn changes(recording: &Recording, block: &Block, ops: &[Option<&Timed>], (begin, end): (f64, f64)) -> Vec<(f64, i64)> {
    let infos = recording.program.infos.list();
    let info = |i: usize| block.ops.get(i).map(|op| &infos[op.info as usize]);
    let works = |i: usize| info(i).is_some_and(|info| matches!(info.what, StepKind::Vector(_) | StepKind::Copy(_)));
    let by_value =
        |i: usize| info(i).is_some_and(|info| matches!(info.what, StepKind::Scalar(Scalar::UbRead | Scalar::UbWrite)));
    let mut next = vec![end; block.ops.len() + 1];
    for i in (0..block.ops.len()).rev() {
        next[i] = ops[i].filter(|_| works(i) || by_value(i)).map_or(next[i + 1], |t| t.start);
    }
    let mut found = Vec::new();
    let mut vector_done = begin;
    for (i, op) in block.ops.iter().enumerate() {
        let bytes = i64::from(op.more);
        match &infos[op.info as usize].what {
            StepKind::Scalar(Scalar::Alloc) => found.push((next[i + 1], bytes)),
            StepKind::Scalar(Scalar::Free) => {
                let flag = info(i + 1).filter(|next| matches!(next.what, StepKind::SetFlag { .. }));
                // Without a flag it is the vector unit that has worked on it.
                let at = flag.and_then(|_| ops[i + 1]).map_or(vector_done, |t| t.end);
                let issued = ops[i].map_or(begin, |t| t.end);
                found.push((at.max(issued).min(end), -bytes));
            }
            _ => {}
        }
        if let Some(t) = ops[i].filter(|t| t.pipe == Pipe::V && works(i)) {
            vector_done = vector_done.max(t.end);
        }
    }
    found
}
