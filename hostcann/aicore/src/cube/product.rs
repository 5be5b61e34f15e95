//! Products. Each is rounded to float, then added; K ascends, or descends where the switch says so. The products of two halfs are
//! exact. Integers wrap.

use crate::base::{
    isa::{Body, dispatch},
    switches::MatmulOrder,
};

/// How many rows of B stay in the host's cache.
const ROWS: usize = 64;

struct Multiply<'a, T, F> {
    sums: &'a mut [T],
    a: &'a [T],
    b: &'a [T],
    k: usize,
    n: usize,
    order: MatmulOrder,
    add: F,
}

impl<T: Copy, F: Fn(T, T, T) -> T + Copy> Body for Multiply<'_, T, F> {
    #[inline(always)]
    fn run(self) {
        let Multiply { sums, a, b, k, n, order, add } = self;
        let parts = k.div_ceil(ROWS);
        for part in 0..parts {
            let part = if order == MatmulOrder::Ascending { part } else { parts - 1 - part };
            let (from, to) = (part * ROWS, k.min((part + 1) * ROWS));
            for (sums, a) in sums.chunks_exact_mut(n).zip(a.chunks_exact(k)) {
                for i in from..to {
                    let i = if order == MatmulOrder::Ascending { i } else { from + to - 1 - i };
                    let (x, row) = (a[i], &b[i * n..(i + 1) * n]);
                    for (sum, y) in sums.iter_mut().zip(row) {
                        *sum = add(*sum, x, *y);
                    }
                }
            }
        }
    }
}

/// Adds a (of rows of `k`) times b (of rows of `n`) to the sums.
pub(super) fn floats(sums: &mut [f32], a: &[f32], b: &[f32], (k, n): (usize, usize), order: MatmulOrder) {
    dispatch(Multiply { sums, a, b, k, n, order, add: |sum: f32, x: f32, y: f32| sum + x * y });
}

pub(super) fn integers(sums: &mut [i32], a: &[i32], b: &[i32], (k, n): (usize, usize)) {
    let order = MatmulOrder::Ascending;
    dispatch(Multiply { sums, a, b, k, n, order, add: |sum: i32, x: i32, y: i32| sum.wrapping_add(x.wrapping_mul(y)) });
}

/// A float as HF32: ten bits of fraction, to nearest; a tie goes to even, or away from zero.
pub(super) fn hf32(x: f32, away: bool) -> f32 {
    const CUT: u32 = 13;
    if !x.is_finite() {
        return x;
    }
    let bits = x.to_bits();
    let half = 1 << (CUT - 1);
    let up = if away { half } else { half - 1 + (bits >> CUT & 1) };
    f32::from_bits((bits + up) >> CUT << CUT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_k_is_kept() {
        // A one more is lost next to 2^24, two together are not.
        let (a, b) = ([16_777_216.0f32, 1.0, 1.0], [1.0f32; 3]);
        let of = |order| {
            let mut sums = [0.0f32];
            floats(&mut sums, &a, &b, (3, 1), order);
            sums[0]
        };
        assert_eq!((of(MatmulOrder::Ascending), of(MatmulOrder::Descending)), (16_777_216.0, 16_777_218.0));
    }

    #[test]
    fn hf32_rounds_to_ten_bits() {
        let tie = f32::from_bits(0x3f80_1000);
        assert_eq!((hf32(tie, false), hf32(tie, true)), (1.0, f32::from_bits(0x3f80_2000)));
        assert_eq!(hf32(f32::from_bits(0x3f80_3000), false), f32::from_bits(0x3f80_4000));
        assert_eq!(hf32(f32::NEG_INFINITY, false), f32::NEG_INFINITY);
    }
}
