//! The last instructions that used each block of the unified buffer: a scalar access waits for them. The compiler orders the scalar unit against V, MTE2
//! and MTE3 in both directions (asc-devkit, "synchronisation inserted by cce-auto-sync").

use super::{pipes, program::NOBODY};
use crate::base::{lanes::BLOCK, pipe::Pipe};

/// The last instructions that used a block of 32 bytes.
#[derive(Clone, Copy)]
struct LastUse {
    vector_write: u32,
    vector: u32,
    into: u32,
    out: u32,
}

/// An operand that the table does not have yet.
struct PendingOperand {
    first: u32,
    end: u32,
    op: u32,
    pipe: Pipe,
    write: bool,
}

#[derive(Default)]
pub(super) struct UbScoreboard {
    /// Op and pipe of the instruction whose operands follow.
    current: Option<(u32, Pipe)>,
    /// A table update costs more than a push, and few kernels read values.
    pending: Vec<PendingOperand>,
    table: Vec<LastUse>,
    /// Per pipe: the scalar unit has waited for all ops before this one.
    known: [u32; 3],
}

/// Pending operands at which the table is updated.
const PENDING: usize = 1 << 16;

impl UbScoreboard {
    pub fn begin(&mut self, op: Option<u32>, pipe: Pipe) {
        self.current = op.map(|op| (op, pipe));
    }

    pub fn operand(&mut self, addr: u32, extent: usize, write: bool) {
        let Some((op, pipe)) = self.current else { return };
        if extent == 0 {
            return;
        }
        let end = (addr as usize + extent).div_ceil(BLOCK) as u32;
        self.pending.push(PendingOperand { first: addr / BLOCK as u32, end, op, pipe, write });
        if self.pending.len() >= PENDING {
            self.apply_pending();
        }
    }

    /// The scalar unit has waited for the ops before `op` of a pipe, or of all pipes.
    pub fn waited(&mut self, pipe: Pipe, op: u32) {
        match pipes::index(pipe) {
            Some(i) => self.known[i] = self.known[i].max(op),
            None => self.known = [op; 3],
        }
    }

    /// The instructions that a scalar access waits for.
    pub fn scalar(&mut self, addr: u32, write: bool) -> impl Iterator<Item = u32> + use<> {
        self.apply_pending();
        let none = LastUse { vector_write: NOBODY, vector: NOBODY, into: NOBODY, out: NOBODY };
        let last = self.table.get(addr as usize / BLOCK).copied().unwrap_or(none);
        let found = if write { [last.vector, last.into, last.out] } else { [last.vector_write, last.into, NOBODY] };
        let mut wait = [NOBODY; 3];
        for (i, op) in found.into_iter().enumerate() {
            if op != NOBODY && op >= self.known[i] {
                self.known[i] = op + 1;
                wait[i] = op;
            }
        }
        wait.into_iter().filter(|op| *op != NOBODY)
    }

    fn apply_pending(&mut self) {
        let none = LastUse { vector_write: NOBODY, vector: NOBODY, into: NOBODY, out: NOBODY };
        for o in self.pending.drain(..) {
            if self.table.len() < o.end as usize {
                self.table.resize(o.end as usize, none);
            }
            for last in &mut self.table[o.first as usize..o.end as usize] {
                match o.pipe {
                    Pipe::MTE2 => last.into = o.op,
                    Pipe::MTE3 => last.out = o.op,
                    _ => {
                        last.vector = o.op;
                        if o.write {
                            last.vector_write = o.op;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(t: &mut UbScoreboard, addr: u32, write: bool) -> Vec<u32> {
        t.scalar(addr, write).collect()
    }

    #[test]
    fn a_read_waits_for_who_wrote_and_a_write_for_who_used() {
        let mut t = UbScoreboard::default();
        for (op, pipe, addr, write) in
            [(0, Pipe::MTE2, 0, true), (1, Pipe::V, 0, false), (1, Pipe::V, 512, true), (2, Pipe::MTE3, 512, false)]
        {
            t.begin(Some(op), pipe);
            t.operand(addr, 256, write);
        }
        assert_eq!(waits(&mut t, 256, false), []);
        assert_eq!(waits(&mut t, 764, false), [1]);
        // The scalar unit has waited for it, and for what preceded it on the pipe.
        assert_eq!(waits(&mut t, 512, false), []);
        assert_eq!(waits(&mut t, 0, false), [0]);
        assert_eq!(waits(&mut t, 512, true), [2]);
        assert_eq!(waits(&mut t, 512, true), []);
    }

    #[test]
    fn a_write_waits_for_what_still_reads() {
        let mut t = UbScoreboard::default();
        t.begin(Some(7), Pipe::V);
        t.operand(64, 32, false);
        assert_eq!(waits(&mut t, 64, false), []);
        assert_eq!(waits(&mut t, 92, true), [7]);
    }

    #[test]
    fn what_the_kernel_has_waited_for_is_done() {
        let mut t = UbScoreboard::default();
        for (op, pipe) in [(0, Pipe::V), (3, Pipe::MTE2), (5, Pipe::V)] {
            t.begin(Some(op), pipe);
            t.operand(32 * op, 32, true);
        }
        // A flag of V after op 0, set by op 1: op 5 is not done by that.
        t.waited(Pipe::V, 1);
        assert_eq!(waits(&mut t, 0, false), []);
        assert_eq!(waits(&mut t, 160, false), [5]);
        t.waited(Pipe::ALL, 6);
        assert_eq!(waits(&mut t, 96, false), []);
    }
}
