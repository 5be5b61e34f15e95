//! Who touched which bytes last: the last write, and the last read of each pipe.

use super::order::Id;

/// State of some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub write: Id,
    /// Reads since that write. A read before it is ordered before whatever is ordered after the write.
    pub read: [Id; 4],
}

impl Cell {
    /// Earlier accesses that an access conflicts with, the latest first: whoever is ordered after a read is ordered
    /// after the write that the read waited for.
    pub fn conflicts(&self, write: bool) -> impl Iterator<Item = (Id, bool)> + '_ {
        let reads = if write { &self.read[..] } else { &[] };
        reads.iter().map(|r| (*r, false)).chain([(self.write, true)]).filter(|(id, _)| id.is_some())
    }

    pub fn record(&mut self, id: Id, write: bool) {
        if write {
            *self = Cell { write: id, ..Cell::default() };
        } else {
            self.read[id.pipe()] = id;
        }
    }
}

impl Cell {
    /// The instructions it refers to.
    pub fn ids(&self) -> impl Iterator<Item = Id> + '_ {
        self.read.iter().copied().chain([self.write]).filter(|id| id.is_some())
    }
}

/// Bytes of one 32-byte block of the unified buffer, which mostly share a state.
const BLOCK: usize = 32;

/// Cells of the unified buffer.
pub(crate) struct UbCells {
    blocks: Vec<Cell>,
    /// Blocks whose bytes differ.
    split: std::collections::HashMap<usize, Box<[Cell; BLOCK]>>,
    is_split: Vec<bool>,
}

impl UbCells {
    pub fn new(bytes: usize) -> UbCells {
        let n = bytes.div_ceil(BLOCK);
        UbCells { blocks: vec![Cell::default(); n], split: Default::default(), is_split: vec![false; n] }
    }

    /// The instructions that touched some byte last.
    pub fn ids(&self) -> impl Iterator<Item = Id> + '_ {
        let split = self.split.values().flat_map(|bytes| bytes.iter());
        self.blocks.iter().chain(split).flat_map(Cell::ids)
    }

    /// Calls `f` with the start, length and state of the runs of equal state in `from..from + len`, in order.
    pub fn visit<E>(
        &self,
        from: usize,
        len: usize,
        mut f: impl FnMut(usize, usize, &Cell) -> Result<(), E>,
    ) -> Result<(), E> {
        let end = (from + len).min(self.blocks.len() * BLOCK);
        let mut at = from;
        while at < end {
            let b = at / BLOCK;
            if self.is_split[b]
                && let Some(bytes) = self.split.get(&b)
            {
                let stop = end.min((b + 1) * BLOCK);
                while at < stop {
                    let cell = bytes[at % BLOCK];
                    let n = bytes[at % BLOCK..stop - b * BLOCK].iter().take_while(|c| **c == cell).count();
                    f(at, n, &cell)?;
                    at += n;
                }
                continue;
            }
            let cell = self.blocks[b];
            let mut next = b + 1;
            while next * BLOCK < end && !self.is_split[next] && self.blocks[next] == cell {
                next += 1;
            }
            let stop = end.min(next * BLOCK);
            f(at, stop - at, &cell)?;
            at = stop;
        }
        Ok(())
    }

    pub fn record(&mut self, from: usize, len: usize, id: Id, write: bool) {
        let end = (from + len).min(self.blocks.len() * BLOCK);
        let mut at = from;
        while at < end {
            let b = at / BLOCK;
            let stop = end.min((b + 1) * BLOCK);
            let whole = stop - at == BLOCK;
            if whole && (write || !self.is_split[b]) {
                self.blocks[b].record(id, write);
                if self.is_split[b] {
                    self.split.remove(&b);
                    self.is_split[b] = false;
                }
            } else {
                let cell = self.blocks[b];
                let bytes = self.split.entry(b).or_insert_with(|| Box::new([cell; BLOCK]));
                bytes[at - b * BLOCK..stop - b * BLOCK].iter_mut().for_each(|c| c.record(id, write));
                self.is_split[b] = true;
            }
            at = stop;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::order::{MTE3, S, V},
        *,
    };

    fn cells(c: &UbCells, from: usize, len: usize) -> Vec<(usize, usize, u64)> {
        let mut v = Vec::new();
        c.visit(from, len, |at, n, cell| {
            v.push((at, n, cell.write.n()));
            Ok::<(), ()>(())
        })
        .unwrap();
        v
    }

    #[test]
    fn bytes_of_a_block_are_told_apart() {
        let mut c = UbCells::new(1024);
        c.record(0, 256, Id::new(V, 1), true);
        assert_eq!(cells(&c, 0, 512), [(0, 256, 1), (256, 256, 0)]);
        c.record(40, 4, Id::new(S, 2), true);
        assert_eq!(cells(&c, 32, 64), [(32, 8, 1), (40, 4, 2), (44, 20, 1), (64, 32, 1)]);
        // A whole write joins the block again.
        c.record(0, 256, Id::new(V, 3), true);
        assert_eq!(cells(&c, 0, 256), [(0, 256, 3)]);
    }

    #[test]
    fn a_write_forgets_the_reads_before_it() {
        let mut cell = Cell::default();
        cell.record(Id::new(V, 1), true);
        cell.record(Id::new(MTE3, 4), false);
        let ids = |c: &Cell, w| c.conflicts(w).map(|(i, _)| i.n()).collect::<Vec<_>>();
        assert_eq!((ids(&cell, false), ids(&cell, true)), (vec![1], vec![4, 1]));
        cell.record(Id::new(V, 2), true);
        assert_eq!(ids(&cell, true), [2]);
    }
}
