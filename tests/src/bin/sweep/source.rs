//! Operands of a block and what the operator must make of them.
//!
//! A block is a number of rows. Rows of small types hold every dividend in order and one divisor; rows of 32-bit types
//! are drawn from the block's own seed, so that a block is the same in every shard and on every machine.

use fmod_tests::DynType;
use fmod_tests::generate::Rng;
use fmod_tests::golden::{self, Golden, Mode};

use crate::class::{Class, Form};
use crate::pairs::{FLOAT_PARTS, INT_PARTS, Part};
use crate::rows::{self, BF16, Chain, F16, Format};

/// The bits of an element.
pub trait Word: Copy + Default + Eq + Send + Sync + Into<u32> {
    fn put(self, bytes: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! word {
    ($($type:ty),*) => {$(
        impl Word for $type {
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_ne_bytes());
            }

            #[inline(always)]
            fn get(bytes: &[u8]) -> Self {
                let mut word = [0; size_of::<$type>()];
                word.copy_from_slice(bytes);
                <$type>::from_ne_bytes(word)
            }
        }
    )*};
}

word!(u8, u16, u32);

pub trait Source: Sync {
    type Word: Word;

    const ROWS: usize;
    const WIDTH: usize;

    fn blocks(&self) -> u64;

    /// Classes that the blocks take turns in.
    fn parts(&self) -> Vec<&'static str>;

    fn part(&self, block: u64) -> usize {
        (block % self.parts().len() as u64) as usize
    }

    /// Operands of every element; true when the dividends changed since the last call for any block.
    fn fill(&self, block: u64, x: &mut [Self::Word], y: &mut [Self::Word]) -> bool;

    fn results(&self, x: &[Self::Word], y: &[Self::Word], want: &mut [Self::Word]);

    /// The bits from which NaN begins, sign aside; `None` for integers.
    fn infinity(&self) -> Option<Self::Word>;
}

/// All pairs of a 16-bit type.
pub struct All16 {
    arithmetic: Arithmetic16,
}

enum Arithmetic16 {
    Exact(Format),
    Chain(Format, Chain),
    Integer,
}

impl All16 {
    pub fn new(class: &Class) -> All16 {
        let arithmetic = match (class.dtype, class.mode) {
            (DynType::F16, Mode::Exact) => Arithmetic16::Exact(F16),
            (DynType::BF16, Mode::Exact) => Arithmetic16::Exact(BF16),
            (DynType::F16, Mode::Tbe) => Arithmetic16::Chain(F16, Chain::f16()),
            (DynType::BF16, Mode::Tbe) => Arithmetic16::Chain(BF16, Chain::bf16()),
            _ => Arithmetic16::Integer,
        };
        All16 { arithmetic }
    }

    /// Divisors of one magnitude follow each other: where the result does not depend on the sign, one row serves both.
    fn divisor(&self, number: u64) -> u16 {
        let (magnitude, negative) = ((number >> 1) as u16, number & 1 == 1);
        match (&self.arithmetic, negative) {
            (_, false) => magnitude,
            (Arithmetic16::Integer, true) if magnitude > 0 => magnitude.wrapping_neg(),
            (_, true) => magnitude | 0x8000,
        }
    }

    fn sign_matters(&self, a: u16, b: u16) -> bool {
        match self.arithmetic {
            Arithmetic16::Exact(_) => a | 0x8000 != b | 0x8000,
            Arithmetic16::Integer => (a as i16).unsigned_abs() != (b as i16).unsigned_abs(),
            Arithmetic16::Chain(..) => true,
        }
    }
}

impl Source for All16 {
    type Word = u16;

    const ROWS: usize = 16;
    const WIDTH: usize = 1 << 16;

    fn blocks(&self) -> u64 {
        (Self::WIDTH / Self::ROWS) as u64
    }

    fn parts(&self) -> Vec<&'static str> {
        vec!["all pairs"]
    }

    fn fill(&self, block: u64, x: &mut [u16], y: &mut [u16]) -> bool {
        let fresh = x[1] == 0;
        if fresh {
            x.iter_mut().enumerate().for_each(|(index, x)| *x = index as u16);
        }
        for (row, y) in (0..).zip(y.chunks_exact_mut(Self::WIDTH)) {
            y.fill(self.divisor(block * Self::ROWS as u64 + row));
        }
        fresh
    }

    fn results(&self, _: &[u16], y: &[u16], want: &mut [u16]) {
        for row in 0..Self::ROWS {
            let (done, rest) = want.split_at_mut(row * Self::WIDTH);
            let (row_want, divisor) = (&mut rest[..Self::WIDTH], y[row * Self::WIDTH]);
            if row > 0 && !self.sign_matters(y[(row - 1) * Self::WIDTH], divisor) {
                row_want.copy_from_slice(&done[(row - 1) * Self::WIDTH..]);
                continue;
            }
            match &self.arithmetic {
                Arithmetic16::Exact(format) => format.exact(divisor, row_want),
                Arithmetic16::Chain(_, chain) => chain.row(divisor, row_want),
                Arithmetic16::Integer => rows::int16(divisor, row_want),
            }
        }
    }

    fn infinity(&self) -> Option<u16> {
        match self.arithmetic {
            Arithmetic16::Exact(format) | Arithmetic16::Chain(format, _) => Some(format.infinity()),
            Arithmetic16::Integer => None,
        }
    }
}

/// All pairs of an 8-bit type.
pub struct All8 {
    row: fn(u8, &mut [u8]),
}

impl All8 {
    pub fn new(class: &Class) -> All8 {
        All8 { row: if class.dtype == DynType::I8 { rows::int8 } else { rows::uint8 } }
    }
}

impl Source for All8 {
    type Word = u8;

    const ROWS: usize = 256;
    const WIDTH: usize = 256;

    fn blocks(&self) -> u64 {
        1
    }

    fn parts(&self) -> Vec<&'static str> {
        vec!["all pairs"]
    }

    fn fill(&self, _: u64, x: &mut [u8], y: &mut [u8]) -> bool {
        for (index, (x, y)) in x.iter_mut().zip(y).enumerate() {
            (*x, *y) = (index as u8, (index / Self::WIDTH) as u8);
        }
        true
    }

    fn results(&self, _: &[u8], y: &[u8], want: &mut [u8]) {
        for (y, want) in y.chunks_exact(Self::WIDTH).zip(want.chunks_exact_mut(Self::WIDTH)) {
            (self.row)(y[0], want);
        }
    }

    fn infinity(&self) -> Option<u8> {
        None
    }
}

/// Drawn pairs of a 32-bit type.
pub struct Drawn32 {
    parts: &'static [Part],
    rounds: u64,
    form: Form,
    arithmetic: fn(u32, u32) -> u32,
    infinity: Option<u32>,
}

impl Drawn32 {
    /// At least 10^9 pairs for the tensor form; the scalar form has a divisor for every 2^16 pairs.
    pub fn new(class: &Class) -> Drawn32 {
        const LEAST: u64 = 1_000_000_000;
        let is_float = class.dtype == DynType::F32;
        let parts: &[Part] = if is_float { &FLOAT_PARTS } else { &INT_PARTS };
        let least = if class.form == Form::Tensor { LEAST } else { LEAST / 4 };
        let rounds = least.div_ceil((Self::ROWS * Self::WIDTH * parts.len()) as u64);
        let arithmetic = match (is_float, class.mode) {
            (false, _) => |x, y| (x as i32).fmod(y as i32, Mode::Exact) as u32,
            (true, Mode::Exact) => |x, y| golden::exact(f32::from_bits(x), f32::from_bits(y)).to_bits(),
            (true, Mode::Tbe) => |x, y| rows::tbe(f32::from_bits(x), f32::from_bits(y)).to_bits(),
        };
        let infinity = is_float.then(|| f32::INFINITY.to_bits());
        Drawn32 { parts, rounds, form: class.form, arithmetic, infinity }
    }
}

impl Source for Drawn32 {
    type Word = u32;

    const ROWS: usize = 8;
    const WIDTH: usize = 1 << 16;

    fn blocks(&self) -> u64 {
        self.rounds * self.parts.len() as u64
    }

    fn parts(&self) -> Vec<&'static str> {
        self.parts.iter().map(|part| part.name).collect()
    }

    fn fill(&self, block: u64, x: &mut [u32], y: &mut [u32]) -> bool {
        let part = &self.parts[self.part(block)];
        let mut rng = Rng::new(block);
        for (x, y) in x.chunks_exact_mut(Self::WIDTH).zip(y.chunks_exact_mut(Self::WIDTH)) {
            let shared = (self.form == Form::Scalar).then(|| (part.divisor)(&mut rng));
            for (x, y) in x.iter_mut().zip(y) {
                *y = shared.unwrap_or_else(|| (part.divisor)(&mut rng));
                *x = (part.dividend)(&mut rng, *y);
            }
        }
        true
    }

    fn results(&self, x: &[u32], y: &[u32], want: &mut [u32]) {
        for ((x, y), want) in x.iter().zip(y).zip(want) {
            *want = (self.arithmetic)(*x, *y);
        }
    }

    fn infinity(&self) -> Option<u32> {
        self.infinity
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::CLASSES;

    fn named(name: &str) -> &'static Class {
        CLASSES.iter().find(|class| class.name == name).unwrap()
    }

    #[test]
    fn every_divisor_has_one_row() {
        for name in ["f16-exact", "bf16-tbe", "i16"] {
            let source = All16::new(named(name));
            let mut seen = vec![false; 1 << 16];
            (0..1 << 16).for_each(|number| seen[usize::from(source.divisor(number))] = true);
            assert!(seen.iter().all(|seen| *seen), "{name}");
        }
    }

    #[test]
    fn rows_that_are_copied_are_right() {
        for name in ["f16-exact", "bf16-exact", "i16", "f16-tbe"] {
            let source = All16::new(named(name));
            let size = All16::ROWS * All16::WIDTH;
            let (mut x, mut y, mut want) = (vec![0; size], vec![0; size], vec![0; size]);
            for block in [0, 1, 1920, 4095] {
                assert_eq!(source.fill(block, &mut x, &mut y), block == 0);
                source.results(&x, &y, &mut want);
                let mut alone = vec![0; All16::WIDTH];
                for row in 0..All16::ROWS {
                    let range = row * All16::WIDTH..(row + 1) * All16::WIDTH;
                    match &source.arithmetic {
                        Arithmetic16::Exact(format) => format.exact(y[range.start], &mut alone),
                        Arithmetic16::Chain(_, chain) => chain.row(y[range.start], &mut alone),
                        Arithmetic16::Integer => rows::int16(y[range.start], &mut alone),
                    }
                    assert!(want[range] == alone, "{name} block {block} row {row}");
                }
            }
        }
    }

    #[test]
    fn drawn_blocks_are_enough_and_repeatable() {
        for name in ["f32-exact", "f32-tbe", "i32"] {
            let source = Drawn32::new(named(name));
            let size = Drawn32::ROWS * Drawn32::WIDTH;
            assert!(source.blocks() * size as u64 >= 1_000_000_000, "{name}");
            let draw = |block| {
                let (mut x, mut y) = (vec![0; size], vec![0; size]);
                source.fill(block, &mut x, &mut y);
                (x, y)
            };
            assert!(draw(17) == draw(17) && draw(17) != draw(31), "{name}");
        }
        let source = Drawn32::new(named("i32-scalar"));
        let size = Drawn32::ROWS * Drawn32::WIDTH;
        let (mut x, mut y) = (vec![0; size], vec![0; size]);
        source.fill(3, &mut x, &mut y);
        assert!(y.chunks(Drawn32::WIDTH).all(|row| row.iter().all(|y| *y == row[0])));
    }
}
