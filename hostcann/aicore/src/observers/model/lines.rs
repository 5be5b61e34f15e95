//! Lines of the L2 that the copies of a launch use.

use super::program::{Block, Cache, CopyWork, LINE, Program, StepKind, union};
use crate::base::pipe::Pipe;
use std::collections::HashMap;

impl Program {
    /// Different lines of global memory that copies use.
    pub(super) fn lines(&self) -> u64 {
        let mut regions: HashMap<u32, Vec<(u64, u64)>> = HashMap::new();
        for block in &self.blocks {
            for (region, first, count, _) in copies_of(self, block) {
                regions.entry(region).or_default().push((first, first + count));
            }
        }
        regions.values_mut().map(union).sum()
    }

    /// Whether copies read the lines of an argument more than twice in the mean.
    pub(super) fn reads_again(&self) -> bool {
        let mut regions: HashMap<u32, (u64, Vec<(u64, u64)>)> = HashMap::new();
        for block in &self.blocks {
            for (region, first, count, _) in copies_of(self, block).filter(|(.., write)| !write) {
                let (all, lines) = regions.entry(region).or_default();
                *all += count;
                lines.push((first, first + count));
            }
        }
        regions.into_values().any(|(all, mut lines)| all > 2 * union(&mut lines))
    }
}

/// The copies of a block as lines: region, first line, lines, whether they are written.
pub(super) fn copies_of<'a>(
    program: &'a Program,
    block: &'a Block,
) -> impl Iterator<Item = (u32, u64, u64, bool)> + 'a {
    block.ops.iter().flat_map(move |op| {
        let mut runs = Vec::new();
        if let StepKind::Copy(w) = &program.infos.list()[op.info as usize].what
            && w.pipe != Pipe::V
            && w.cache == Cache::Normal
        {
            let place = block.places[op.more as usize];
            lines_of(w, place.offset, |first, count| runs.push((place.region, first, count, w.pipe == Pipe::MTE3)));
        }
        runs
    })
}

/// Runs of lines that a copy touches.
pub(super) fn lines_of(w: &CopyWork, offset: u64, mut f: impl FnMut(u64, u64)) {
    let mut open: Option<(u64, u64)> = None;
    for row in 0..u64::from(w.rows) {
        let at = offset + row * w.pitch;
        let (first, end) = (at / LINE, (at + u64::from(w.row_bytes)).div_ceil(LINE));
        open = match open {
            Some((from, to)) if first <= to && first >= from => Some((from, to.max(end))),
            Some((from, to)) => {
                f(from, to - from);
                Some((first, end))
            }
            None => Some((first, end)),
        };
    }
    if let Some((from, to)) = open {
        f(from, to - from);
    }
}
