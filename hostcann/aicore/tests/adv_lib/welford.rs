//! The Welford steps, which join the parts of a long row.

#![allow(clippy::needless_range_loop)] // one index into several tensors

use super::norm::*;

#[test]
fn welford_updates_the_elements_it_is_given_and_keeps_the_rest() {
    for (kernel, is_half) in [("update_f32", false), ("update_reuse_f32", false), ("update_f16", true)] {
        for (all, count) in [(64, 35), (16, 1), (200, 200), (72, 64)] {
            let m = Tensor::float(all, |i| i as f32 / 4.0);
            let v = Tensor::float(all, |i| i as f32);
            let x = Tensor::new(is_half, all, x);
            let got = norm(kernel, &[all, count], &[&m, &v, &x], &[(all, false), (all, false)]);
            for i in 0..all {
                let (m, v, x) = (m.values[i], v.values[i], x.values[i]);
                if i >= count {
                    assert_eq!((got[0][i], got[1][i]), (m, v), "{kernel} {i}");
                    continue;
                }
                let new = m + (x - m) * 0.125;
                let size = x.abs() + m.abs();
                near(kernel, i, got[0][i], new, size, 3.0, false);
                near(kernel, i, got[1][i], v + (x - m) * (x - new), size * size + v, 6.0, false);
            }
        }
    }
}

/// Values of the WelfordFinalize page, and of its formulas with an even row, a tail anywhere, and counts.
#[test]
fn welford_joins_the_parts() {
    let finalize = |kernel: &str, sizes: [usize; 6], m: &Tensor, v: &Tensor, counts: &[u32]| {
        // Counts are int32_t: their bits travel as those of a float.
        let counts = Tensor::float(counts.len(), |i| f32::from_bits(counts[i]));
        let got = norm(kernel, &sizes, &[m, v, &counts], &[(1, false), (1, false)]);
        (got[0][0], got[1][0])
    };
    let plain = Tensor::float(32, |i| i as f32);
    let (m, v) = finalize("finalize_counts", [32, 32, 1, 0, 0, 4096], &plain, &plain, &[4; 32]);
    assert_eq!((m as f32, v as f32), (0.484375, 9.831062));
    for (all, head) in [(32, 32), (64, 20), (104, 64), (200, 77), (200, 131)] {
        let (m, v) = (Tensor::float(all, x), Tensor::float(all, |i| gamma(i).abs()));
        let even = head == all;
        let (first, rest) = if even { (5, 5) } else { (5, 4) };
        let weights: Vec<f64> = (0..all).map(|i| if i < head { first as f64 } else { rest as f64 }).collect();
        let total: f64 = weights.iter().sum();
        let want_mean = m.values.iter().zip(&weights).map(|(m, w)| m * w).sum::<f64>() / total;
        let spread = m.values.iter().zip(&weights).map(|(m, w)| w * (m - want_mean).powi(2)).sum::<f64>();
        let want = (v.values.iter().sum::<f64>() + spread) / total;
        let sizes = [all, head, 5, first, if even { 0 } else { rest }, total as usize];
        let counts: Vec<u32> = weights.iter().map(|w| *w as u32).collect();
        for kernel in ["finalize", "finalize_counts"] {
            let (mean, variance) = finalize(kernel, sizes, &m, &v, &counts);
            near(kernel, all, mean, want_mean, largest(&m.values), 16.0, false);
            near(kernel, all, variance, want, largest(&m.values).powi(2), 16.0, false);
        }
    }
}
