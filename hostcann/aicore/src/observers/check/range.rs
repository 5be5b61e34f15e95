//! Access states of ranges of addresses.

use super::access::Cell;
use std::collections::BTreeMap;

/// Access states of global memory: start -> (end, state); what is not listed was never touched.
#[derive(Default)]
pub(crate) struct GmCells(BTreeMap<usize, (usize, Cell)>);

impl GmCells {
    /// The instructions that touched some byte last.
    pub fn ids(&self) -> impl Iterator<Item = super::order::Id> + '_ {
        self.0.values().flat_map(|(_, cell)| cell.ids())
    }

    /// Calls `f` for the states that overlap a range.
    pub fn visit<E>(
        &self,
        start: usize,
        end: usize,
        mut f: impl FnMut(usize, usize, &Cell) -> Result<(), E>,
    ) -> Result<(), E> {
        let first = self.0.range(..=start).next_back().map_or(start, |(s, _)| *s);
        for (&s, (e, cell)) in self.0.range(first..end) {
            let (from, to) = (s.max(start), (*e).min(end));
            if from < to {
                f(from, to - from, cell)?;
            }
        }
        Ok(())
    }

    /// Cuts the entry that spans `at` in two.
    fn split(&mut self, at: usize) {
        if let Some((_, (end, cell))) = self.0.range_mut(..at).next_back()
            && *end > at
        {
            let tail = (*end, *cell);
            *end = at;
            self.0.insert(at, tail);
        }
    }

    pub fn record(&mut self, start: usize, end: usize, id: super::order::Id, write: bool) {
        if start >= end {
            return;
        }
        self.split(start);
        self.split(end);
        if write {
            while let Some((&s, _)) = self.0.range(start..end).next() {
                self.0.remove(&s);
            }
            let mut cell = Cell::default();
            cell.record(id, true);
            // Rows and tiles that follow each other are one range.
            if let Some((_, (e, before))) = self.0.range_mut(..start).next_back()
                && *e == start
                && *before == cell
            {
                *e = end;
                return;
            }
            self.0.insert(start, (end, cell));
            return;
        }
        let mut gaps = Vec::new();
        let mut at = start;
        for (&s, (e, cell)) in self.0.range_mut(start..end) {
            if s > at {
                gaps.push((at, s));
            }
            cell.record(id, false);
            at = *e;
        }
        if at < end {
            gaps.push((at, end));
        }
        for (s, e) in gaps {
            let mut cell = Cell::default();
            cell.record(id, false);
            self.0.insert(s, (e, cell));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::order::{Id, MTE2, MTE3},
        *,
    };

    #[test]
    fn states() {
        let mut m = GmCells::default();
        m.record(100, 200, Id::new(MTE3, 1), true);
        m.record(150, 250, Id::new(MTE2, 1), false);
        let mut seen = Vec::new();
        m.visit(0, 300, |at, n, c| {
            seen.push((at, n, c.write.n(), c.read[MTE2].n()));
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(seen, [(100, 50, 1, 0), (150, 50, 1, 1), (200, 50, 0, 1)]);
        m.record(120, 220, Id::new(MTE3, 2), true);
        let mut n = 0;
        m.visit(110, 230, |at, len, c| {
            n += 1;
            let want = [(110, 10, 1), (120, 100, 2), (220, 10, 0)][n - 1];
            assert_eq!((at, len, c.write.n()), want);
            Ok::<(), ()>(())
        })
        .unwrap();
        assert_eq!(n, 3);
    }
}
