//! Float types of the device, and values that they hold exactly.

use super::Aligned;
use half::f16;

/// A float type of the device.
pub trait Real: Copy {
    const BYTES: usize;
    const NAME: &str;
    fn of(x: f64) -> Self;
    fn get(self) -> f64;
    /// Distance of neighbours at `x`.
    fn ulp(x: f64) -> f64;
}
impl Real for f32 {
    const BYTES: usize = 4;
    const NAME: &str = "f32";
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn get(self) -> f64 {
        self as f64
    }
    fn ulp(x: f64) -> f64 {
        2f64.powi((x.abs().log2().floor() as i32).max(-126) - 23)
    }
}
impl Real for f16 {
    const BYTES: usize = 2;
    const NAME: &str = "f16";
    fn of(x: f64) -> f16 {
        f16::from_f64(x)
    }
    fn get(self) -> f64 {
        self.to_f64()
    }
    fn ulp(x: f64) -> f64 {
        2f64.powi((x.abs().log2().floor() as i32).max(-14) - 10)
    }
}

pub fn filled<T: Real>(n: usize, f: impl Fn(usize) -> f64) -> Aligned<T> {
    let mut v = Aligned::new(n);
    (0..n).for_each(|i| v[i] = T::of(f(i)));
    v
}

/// Numbers in eighths: their differences are exact in both types, so that only the functions themselves round.
pub fn eighths(i: usize, seed: usize, low: i64, high: i64) -> f64 {
    let x =
        (i as u64 + 1).wrapping_mul(6364136223846793005).wrapping_add((seed as u64).wrapping_mul(1442695040888963407));
    ((x >> 33) as i64 % (8 * (high - low)) + 8 * low) as f64 / 8.0
}

#[track_caller]
pub fn near<T: Real>(what: &str, got: f64, want: f64, ulps: f64) {
    assert!((got - want).abs() <= ulps * T::ulp(want), "{what}: {got}, expected {want} within {ulps} ulp");
}
