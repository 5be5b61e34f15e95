//! Which bytes of the unified buffer hold a value: never-written bytes and what was computed from them do not.
//!
//! As in Memcheck, computing with an undefined value is no error; letting it reach a result is.

use super::order::Id;
use std::collections::HashMap;

const BLOCK: usize = 32;
const ALL: u32 = u32::MAX;

pub(crate) struct Taint {
    /// A bit per byte, set when it is defined.
    defined: Vec<u32>,
    /// Per block: the instruction that first read an undefined byte on the way to this one; none for bytes nobody wrote.
    origin: Vec<Id>,
    /// Undefined bytes that have defined bits (results of Compare).
    bits: HashMap<usize, u8>,
}

/// Bytes that an instruction moves.
pub(crate) struct Move {
    pub from: usize,
    pub to: usize,
    pub len: usize,
}

/// Bits `from..to` of a word.
fn span(from: usize, to: usize) -> u32 {
    let low = |n: usize| if n >= 32 { ALL } else { (1u32 << n) - 1 };
    low(to) & !low(from)
}

impl Taint {
    pub fn new(bytes: usize) -> Taint {
        let n = bytes.div_ceil(BLOCK);
        Taint { defined: vec![0; n], origin: vec![Id::NONE; n], bits: HashMap::new() }
    }

    /// The first undefined byte of a range; bytes with some defined bits pass when `lenient`.
    pub fn first_undefined(&self, from: usize, len: usize, lenient: bool) -> Option<usize> {
        let end = from + len;
        let mut at = from;
        while at < end {
            let b = at / BLOCK;
            let stop = end.min((b + 1) * BLOCK);
            let mut bad = !self.defined.get(b).copied().unwrap_or(0) & span(at - b * BLOCK, stop - b * BLOCK);
            while bad != 0 {
                let byte = b * BLOCK + bad.trailing_zeros() as usize;
                if !(lenient && self.bits.contains_key(&byte)) {
                    return Some(byte);
                }
                bad &= bad - 1;
            }
            at = stop;
        }
        None
    }

    /// Where undefined bytes come from.
    pub fn origins(&self) -> impl Iterator<Item = Id> + '_ {
        self.origin.iter().copied().filter(|id| id.is_some())
    }

    pub fn origin(&self, byte: usize) -> Id {
        self.origin.get(byte / BLOCK).copied().unwrap_or_default()
    }

    pub fn is_defined(&self, from: usize, len: usize) -> bool {
        self.first_undefined(from, len, false).is_none()
    }

    /// Defined bits of one byte.
    pub fn bits(&self, byte: usize) -> u8 {
        if self.defined[byte / BLOCK] >> (byte % BLOCK) & 1 != 0 {
            return u8::MAX;
        }
        self.bits.get(&byte).copied().unwrap_or(0)
    }

    pub fn set_bits(&mut self, byte: usize, bits: u8, origin: Id) {
        self.set(byte, 1, bits == u8::MAX, origin);
        if bits != u8::MAX && bits != 0 {
            self.bits.insert(byte, bits);
        }
    }

    /// Marks a range; `origin` counts for undefined bytes.
    pub fn set(&mut self, from: usize, len: usize, defined: bool, origin: Id) {
        let end = (from + len).min(self.defined.len() * BLOCK);
        let mut at = from;
        while at < end {
            let b = at / BLOCK;
            let stop = end.min((b + 1) * BLOCK);
            let mask = span(at - b * BLOCK, stop - b * BLOCK);
            if defined {
                self.defined[b] |= mask;
            } else {
                self.defined[b] &= !mask;
                self.origin[b] = origin;
            }
            at = stop;
        }
        if len < self.bits.len() {
            for byte in from..end {
                self.bits.remove(&byte);
            }
        } else if !self.bits.is_empty() {
            self.bits.retain(|byte, _| *byte < from || *byte >= end);
        }
    }

    /// Definedness of 32 bytes from `at` on, which is a block boundary.
    pub fn word(&self, at: usize) -> u32 {
        self.defined[at / BLOCK]
    }

    /// Copies the state of bytes inside the buffer.
    pub fn copy(&mut self, from: usize, to: usize, len: usize, reader: Id) {
        self.copy_all(&[Move { from, to, len }], reader);
    }

    /// Copies the state of many bytes at once: every source as it was before the first copy.
    pub fn copy_all(&mut self, moves: &[Move], reader: Id) {
        if moves.iter().all(|m| self.is_defined(m.from, m.len)) {
            return moves.iter().for_each(|m| self.set(m.to, m.len, true, Id::NONE));
        }
        let of = |b: usize| (self.bits(b), self.origin(b));
        let states: Vec<Vec<(u8, Id)>> = moves.iter().map(|m| (m.from..m.from + m.len).map(of).collect()).collect();
        for (m, state) in moves.iter().zip(states) {
            for (i, (bits, origin)) in state.into_iter().enumerate() {
                self.set_bits(m.to + i, bits, if origin.is_some() { origin } else { reader });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::order::V, *};

    #[test]
    fn bytes_and_bits() {
        let mut t = Taint::new(256);
        let id = Id::new(V, 7);
        assert_eq!(t.first_undefined(0, 1, false), Some(0));
        t.set(0, 100, true, Id::NONE);
        assert!(t.is_defined(0, 100));
        assert_eq!(t.first_undefined(0, 256, false), Some(100));
        t.set(40, 4, false, id);
        assert_eq!((t.first_undefined(0, 100, false), t.origin(41)), (Some(40), id));
        t.set_bits(40, 0x0f, id);
        assert_eq!((t.bits(40), t.bits(41), t.bits(39)), (0x0f, 0, 0xff));
        // Some defined bits are enough for a store.
        assert_eq!((t.first_undefined(40, 1, true), t.first_undefined(40, 2, true)), (None, Some(41)));
        t.copy(32, 128, 32, Id::NONE);
        assert_eq!((t.first_undefined(128, 32, false), t.bits(136), t.origin(136)), (Some(136), 0x0f, id));
        t.set(40, 4, true, Id::NONE);
        assert_eq!(t.bits(40), 0xff);
        // Bits are forgotten with the byte, however many there are.
        (64..72).for_each(|byte| t.set_bits(byte, 1, id));
        t.set(66, 2, false, id);
        assert_eq!([65, 66, 67, 68].map(|byte| t.bits(byte)), [1, 0, 0, 1]);
        t.set(64, 32, false, id);
        assert_eq!((t.bits(65), t.bits(68)), (0, 0));
    }
}
