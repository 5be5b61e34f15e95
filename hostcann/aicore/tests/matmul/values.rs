//! Values of matrices, and what a product of them is.

use crate::support::Aligned;

/// A repeatable number below `n`.
pub fn number(seed: u64, i: usize, n: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i as u64).wrapping_mul(0xd129_0d3e_9b1f_5a17);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ x >> 32) % n
}

/// Whole eighths from -2 to 2: exact in every type.
pub fn eighths(seed: u64, n: usize) -> Vec<f64> {
    (0..n).map(|i| number(seed, i, 33) as f64 / 8.0 - 2.0).collect()
}

pub fn whole(seed: u64, n: usize, range: u64) -> Vec<f64> {
    (0..n).map(|i| number(seed, i, range) as f64 - (range / 2) as f64).collect()
}

pub trait Lane: Copy {
    fn of(x: f64) -> Self;
    fn value(self) -> f64;
}
macro_rules! lanes {
    ($($t:ty),*) => { $(impl Lane for $t {
        fn of(x: f64) -> $t { x as $t }
        fn value(self) -> f64 { self as f64 }
    })* };
}
lanes!(f32, i8, i32);

pub type Half = half::f16;
impl Lane for Half {
    fn of(x: f64) -> Half {
        Half::from_f64(x)
    }
    fn value(self) -> f64 {
        self.to_f64()
    }
}
/// Bits of a bfloat16.
#[derive(Clone, Copy)]
pub struct Bf(u16);
impl Lane for Bf {
    fn of(x: f64) -> Bf {
        let bits = (x as f32).to_bits();
        Bf(((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16)
    }
    fn value(self) -> f64 {
        f32::from_bits(u32::from(self.0) << 16) as f64
    }
}

pub fn tensor<T: Lane>(values: &[f64]) -> Aligned<T> {
    let mut t = Aligned::<T>::new(values.len());
    t.iter_mut().zip(values).for_each(|(t, v)| *t = T::of(*v));
    t
}

pub fn values<T: Lane>(t: &Aligned<T>) -> Vec<f64> {
    t.iter().map(|v| v.value()).collect()
}

/// A (m x k, row by row) times B (k x n), and the bias.
pub fn product(a: &[f64], b: &[f64], bias: Option<&[f64]>, (m, n, k): (usize, usize, usize)) -> Vec<f64> {
    let one = |i: usize, j: usize| {
        (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum::<f64>() + bias.map_or(0.0, |bias| bias[j])
    };
    (0..m * n).map(|i| one(i / n, i % n)).collect()
}

/// `rows` rows of `columns` from so many columns of rows.
pub fn turned(v: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns).map(|i| v[i % columns * rows + i / columns]).collect()
}

/// Row by row to fractals of 16 rows and `width` columns.
pub fn fractals(v: &[f64], rows: usize, columns: usize, width: usize) -> Vec<f64> {
    let (high, wide) = (rows.next_multiple_of(16), columns.next_multiple_of(width));
    let mut out = vec![0.0; high * wide];
    for (i, x) in v.iter().enumerate() {
        let (r, c) = (i / columns, i % columns);
        out[(c / width * high + r) * width + c % width] = *x;
    }
    out
}
