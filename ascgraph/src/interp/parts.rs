//! Rows that several cores share: every core takes its segments in a pass, then each has the lanes of all.

use std::collections::BTreeMap;

use super::tiles::{Core, fail};
use super::{Buffer, RunError};
use crate::model::NodeId;
use crate::tiling::{ceil, segment};
use crate::value::Lanes;

impl Core<'_> {
    /// One core after the other, pass after pass. Between the passes they meet.
    pub(super) fn split(mut self) -> Result<BTreeMap<i64, Buffer>, RunError> {
        let (s, tiling) = (&self.kernel.s, self.tiling);
        let (columns, parts) = (self.columns as i64, tiling.parts);
        let share = ceil(ceil(columns, segment(columns)), parts) * segment(columns);
        let mut cores = Vec::new();
        for index in 0..tiling.tiles {
            let mut core = self.clone();
            core.constants()?;
            let at = core.start(index / parts)?;
            let first = index % parts * share;
            if first >= columns || tiling.block_dim != tiling.tiles {
                return fail(&s.graph.nodes[0], format!("part {index} of a row is not one of a core"));
            }
            core.share = first as usize..columns.min(first + share) as usize;
            cores.push((core, at));
        }
        let mut begin = 0;
        for section in s.passes.sections() {
            let steps = begin..begin + s.order[begin..].iter().take_while(|id| s.section(**id) == section).count();
            begin = steps.end;
            for (core, at) in &mut cores {
                core.section(section, steps.clone(), at)?;
            }
            if section.is_multiple_of(2) {
                continue;
            }
            for row in cores.chunks_mut(parts as usize) {
                let mut all: BTreeMap<NodeId, Vec<Lanes>> = BTreeMap::new();
                for (core, _) in row.iter_mut() {
                    for (id, lanes) in std::mem::take(&mut core.lanes) {
                        match all.get_mut(&id) {
                            Some(known) => known.iter_mut().zip(&lanes).for_each(|(known, next)| known.join(next)),
                            None => drop(all.insert(id, lanes)),
                        }
                    }
                }
                for (core, _) in row {
                    core.lanes.clone_from(&all);
                    core.end_pass(steps.clone())?;
                }
            }
        }
        for (core, _) in cores {
            for (index, (buffer, written)) in core.outputs {
                let Some((all, known)) = self.outputs.get_mut(&index) else { continue };
                for at in (0..written.len()).filter(|at| written[*at]) {
                    if std::mem::replace(&mut known[at], true) {
                        return fail(&s.graph.nodes[0], format!("two cores write element {at} of output {index}"));
                    }
                    all.set(at, buffer.get(at).unwrap_or_default());
                }
            }
        }
        self.finish()
    }

    /// Is this the core that stores what a row has once?
    pub(super) fn stores(&self, id: NodeId) -> bool {
        self.share.start == 0 || self.kernel.s.is_piece(id)
    }
}
