//! The bytes of one operand of an instruction.

use crate::base::{
    ins::CopyIns,
    lanes::{self, Mask, Stride, Walk},
    pipe::Pipe,
};

/// Which bytes from an operand's address on an instruction touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// This many bytes, without lanes.
    Bytes(usize),
    /// `n` elements of `size` bytes, a lane each.
    Dense { n: usize, size: usize },
    /// A bit for each of `n` lanes; after `period` lanes the same bits again.
    Bits { n: usize, period: usize },
    /// `n` runs of `len` bytes that start `step` bytes apart.
    Blocks { n: usize, len: usize, step: usize },
    /// The active lanes of `n` repeats; a lane has `size` bytes, a repeat `lanes` of them.
    Lanes { n: usize, mask: Mask, stride: Stride, size: usize, lanes: usize },
}

impl Shape {
    /// The operand of a walk that has `stride` and elements of `size` bytes.
    #[inline]
    pub(crate) fn of(walk: &Walk, stride: Stride, size: usize, lanes: usize) -> Shape {
        match *walk {
            Walk::Count(n) => Shape::Dense { n, size },
            Walk::Repeats { n, mask, .. } => Shape::Lanes { n, mask, stride, size, lanes },
        }
    }

    /// Bytes from the address to the end of the last one touched; 0 when there is none.
    #[inline]
    pub fn extent(&self) -> usize {
        match *self {
            Shape::Bytes(n) => n,
            Shape::Dense { n, size } => n.saturating_mul(size),
            Shape::Bits { n, period } => n.min(period).div_ceil(8),
            Shape::Blocks { n: 0, .. } | Shape::Blocks { len: 0, .. } => 0,
            Shape::Blocks { n, len, step } => (n - 1) * step + len,
            Shape::Lanes { n, mask, stride, size, lanes } => {
                let walk = Walk::Repeats { n, mask, dst: stride, src: [stride; 3] };
                lanes::extent(&walk, stride, size, lanes)
            }
        }
    }

    /// Calls `f` with every block of a copy, however they lie.
    pub fn blocks(&self, mut f: impl FnMut(usize, usize)) {
        match *self {
            Shape::Blocks { n, len, step } => (0..n).for_each(|i| f(i * step, len)),
            _ => self.runs(f),
        }
    }

    /// Lanes of the operand, those that are masked off included; None when it has no lanes.
    pub fn lanes(&self) -> Option<usize> {
        match *self {
            Shape::Dense { n, .. } | Shape::Bits { n, .. } => Some(n),
            Shape::Lanes { n, lanes, .. } => Some(n * lanes),
            Shape::Bytes(_) | Shape::Blocks { .. } => None,
        }
    }

    /// Place of lane `l`.
    pub fn place(&self, l: usize) -> Place {
        match *self {
            Shape::Dense { size, .. } => Place::Bytes { at: l * size, size },
            Shape::Bits { period, .. } => Place::Bit { byte: l % period / 8, bit: l % period % 8 },
            Shape::Lanes { mask, stride, size, lanes, .. } => {
                let (r, i) = (l / lanes, l % lanes);
                let m = mask.at(r, lanes);
                if m[i / 64] >> (i % 64) & 1 == 0 {
                    return Place::Off;
                }
                let per = (lanes::BLOCK / size).min(lanes);
                Place::Bytes { at: r * stride.rep + i / per * stride.blk + i % per * size, size }
            }
            Shape::Bytes(_) | Shape::Blocks { .. } => Place::Off,
        }
    }

    /// Calls `f` with every run of bytes: offset from the address, length.
    pub fn runs(&self, mut f: impl FnMut(usize, usize)) {
        match *self {
            Shape::Bytes(_) | Shape::Dense { .. } | Shape::Bits { .. } => match self.extent() {
                0 => {}
                n => f(0, n),
            },
            Shape::Blocks { n: 0, .. } | Shape::Blocks { len: 0, .. } => {}
            Shape::Blocks { n, len, step } if len == step || n == 1 => f(0, n * len),
            Shape::Blocks { n, len, step } => (0..n).for_each(|i| f(i * step, len)),
            Shape::Lanes { n, mask, stride, size, lanes } => lanes::runs(n, mask, stride, size, lanes, f),
        }
    }
}

/// Where one lane of an operand is.
pub enum Place {
    /// The lane is masked off.
    Off,
    Bytes {
        at: usize,
        size: usize,
    },
    Bit {
        byte: usize,
        bit: usize,
    },
}

/// What issues operands: its text and its pipe.
pub trait Instruction {
    fn name(&self) -> String;
    fn pipe(&self) -> Pipe;
}

impl Instruction for CopyIns {
    fn name(&self) -> String {
        CopyIns::name(self)
    }
    fn pipe(&self) -> Pipe {
        CopyIns::pipe(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(s: Shape) -> Vec<(usize, usize)> {
        let mut v = Vec::new();
        s.runs(|at, n| v.push((at, n)));
        v
    }

    #[test]
    fn runs_and_extents() {
        assert_eq!((runs(Shape::Bytes(0)), Shape::Bytes(0).extent()), (vec![], 0));
        assert_eq!(runs(Shape::Bytes(20)), [(0, 20)]);
        let s = Shape::Blocks { n: 3, len: 8, step: 32 };
        assert_eq!((runs(s), s.extent()), (vec![(0, 8), (32, 8), (64, 8)], 72));
        assert_eq!(runs(Shape::Blocks { n: 3, len: 32, step: 32 }), [(0, 96)]);
        let lanes = |n, mask, blk, rep| Shape::Lanes { n, mask, stride: Stride { blk, rep }, size: 4, lanes: 64 };
        // Dense repeats are one run, also across repeats.
        assert_eq!(runs(lanes(2, Mask::Bits([u64::MAX, 0]), 32, 256)), [(0, 512)]);
        assert_eq!(runs(lanes(2, Mask::Total(70), 32, 256)), [(0, 280)]);
        // Lanes 0, 1 and 8 with blocks 64 bytes apart.
        let s = lanes(2, Mask::Bits([0x103, 0]), 64, 512);
        assert_eq!(runs(s), [(0, 8), (64, 4), (512, 8), (576, 4)]);
        assert_eq!(s.extent(), 580);
        // A broadcast block is touched once per repeat.
        assert_eq!(runs(lanes(1, Mask::Bits([u64::MAX, 0]), 0, 0)), [(0, 32)]);
    }
}
