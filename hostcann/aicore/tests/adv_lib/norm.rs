//! Normalizations against their formulas in f64. Errors are measured in units of the last place of the numbers that
//! the formula adds: a sum of n floats goes through log2(n) + 1 roundings, the other steps through a few.

#![allow(clippy::needless_range_loop)] // one index into several tensors

use super::*;

const EPSILON: f64 = 0.0009765625;

/// A tensor in or out: numbers, and whether they are half.
#[derive(Clone)]
pub struct Tensor {
    pub values: Vec<f64>,
    is_half: bool,
}

impl Tensor {
    pub fn new(is_half: bool, n: usize, value: impl Fn(usize) -> f32) -> Tensor {
        let exact = |v: f32| if is_half { f16::from_f32(v).to_f64() } else { v as f64 };
        Tensor { values: (0..n).map(|i| exact(value(i))).collect(), is_half }
    }
    pub fn float(n: usize, value: impl Fn(usize) -> f32) -> Tensor {
        Tensor::new(false, n, value)
    }
    fn bytes(&self) -> Vec<u8> {
        match self.is_half {
            true => self.values.iter().flat_map(|v| f16::from_f64(*v).to_ne_bytes()).collect(),
            false => self.values.iter().flat_map(|v| (*v as f32).to_ne_bytes()).collect(),
        }
    }
    fn read(is_half: bool, bytes: &[u8]) -> Vec<f64> {
        match is_half {
            true => bytes.chunks_exact(2).map(|b| f16::from_ne_bytes([b[0], b[1]]).to_f64()).collect(),
            false => bytes.chunks_exact(4).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]) as f64).collect(),
        }
    }
}

fn object() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("adv_norm.cpp"))
}

pub fn norm(name: &str, sizes: &[usize], inputs: &[&Tensor], outputs: &[(usize, bool)]) -> Vec<Vec<f64>> {
    let sizes: Vec<u32> = sizes.iter().map(|s| *s as u32).collect();
    let mut bytes: Vec<Vec<u8>> = inputs.iter().map(|t| t.bytes()).collect();
    bytes.extend(outputs.iter().map(|(n, is_half)| vec![0xee; n * if *is_half { 2 } else { 4 }]));
    let mut args = vec![sizes.as_ptr() as *mut c_void];
    args.extend(bytes.iter_mut().map(|b| b.as_mut_ptr().cast::<c_void>()));
    launch_of(object(), name, &args).unwrap_or_else(|f| panic!("{name}: {f}"));
    let out = bytes[inputs.len()..].iter().zip(outputs);
    out.map(|(b, (_, is_half))| Tensor::read(*is_half, b)).collect()
}

/// `scale`: the size of the numbers that were added or multiplied on the way; `steps`: roundings.
#[track_caller]
pub fn near(at: &str, i: usize, got: f64, want: f64, scale: f64, steps: f64, is_half: bool) {
    let last = if is_half { want.abs() / 2048.0 + 2f64.powi(-24) } else { 0.0 };
    let most = steps * EPS * scale.max(want.abs()) + last;
    assert!((got - want).abs() <= most, "{at} [{i}]: {got} expected {want} within {most}");
}

fn steps(n: usize) -> f64 {
    (n as f64).log2().ceil() + 8.0
}
fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}
fn variance(x: &[f64]) -> f64 {
    let m = mean(x);
    x.iter().map(|v| (v - m) * (v - m)).sum::<f64>() / x.len() as f64
}
pub fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| v.abs().max(m))
}

/// Rows of a matrix whose rows are filled to whole blocks; what fills them is 0 in the inputs.
struct Rows {
    rows: usize,
    n: usize,
    pitch: usize,
    is_half: bool,
}

impl Rows {
    fn each(is_half: bool, test: impl Fn(&Rows)) {
        for (rows, n) in [(1, 1), (2, 8), (3, 13), (9, 64), (1, 65), (2, 130), (1, 1000), (4, 512)] {
            let block = if is_half { 16 } else { 8 };
            test(&Rows { rows, n, pitch: n.next_multiple_of(block), is_half });
        }
    }
    fn matrix(&self, value: impl Fn(usize) -> f32) -> Tensor {
        Tensor::new(self.is_half, self.rows * self.pitch, |i| if i % self.pitch < self.n { value(i) } else { 0.0 })
    }
    fn row(&self, value: impl Fn(usize) -> f32) -> Tensor {
        Tensor::new(self.is_half, self.pitch, |i| if i < self.n { value(i) } else { 0.0 })
    }
    fn all(&self) -> (usize, bool) {
        (self.rows * self.pitch, self.is_half)
    }
    fn of<'a>(&self, t: &'a [f64], row: usize) -> &'a [f64] {
        &t[row * self.pitch..][..self.n]
    }
    fn name(&self, kernel: &str) -> String {
        format!("{kernel}_{}", if self.is_half { "f16" } else { "f32" })
    }
}

pub fn x(i: usize) -> f32 {
    3.0 * noise(i) + 0.5
}
pub fn gamma(i: usize) -> f32 {
    noise(i + 3) + 1.0
}
fn beta(i: usize) -> f32 {
    noise(i + 7)
}

/// Checks y = (x - mean) / root(variance + epsilon) * gamma + beta, and the two statistics of each row.
fn check_rows(
    at: &str,
    s: &Rows,
    x: &[f64],
    (gamma, beta): (&[f64], &[f64]),
    got: &[Vec<f64>],
    second: impl Fn(f64) -> f64,
    statistics_half: bool,
) {
    for row in 0..s.rows {
        let x = s.of(x, row);
        let (m, v) = (mean(x), variance(x));
        let deviation = (v + EPSILON).sqrt();
        let square = largest(x).powi(2);
        near(at, row, got[1][row], m, largest(x), steps(s.n), statistics_half);
        let scale = second(v).abs() * (1.0 + square / (v + EPSILON));
        near(at, row, got[2][row], second(v), scale.max(square), steps(s.n), statistics_half);
        for i in 0..s.n {
            let want = (x[i] - m) / deviation * gamma[i] + beta[i];
            let scale = gamma[i].abs() * largest(x) / deviation * (1.0 + square / (v + EPSILON)) + beta[i].abs();
            near(at, row * s.pitch + i, s.of(&got[0], row)[i], want, scale, steps(s.n), s.is_half);
        }
    }
}

#[test]
fn layer_norm_with_mean_and_variance() {
    for (kernel, is_half) in [("layernorm", false), ("layernorm", true), ("layernorm_reuse", false)] {
        Rows::each(is_half, |s| {
            let (x, g, b) = (s.matrix(x), s.row(gamma), s.row(beta));
            let name = s.name(kernel);
            let outputs = [s.all(), (s.rows, is_half), (s.rows, is_half)];
            let got = norm(&name, &[s.rows, s.n], &[&x, &g, &b], &outputs);
            check_rows(&name, s, &x.values, (&g.values, &b.values), &got, |v| v, is_half);
        });
    }
}

#[test]
fn layer_norm_with_mean_and_reciprocal_deviation() {
    let kernels = [
        ("rstd_f32", false, false),
        ("rstd_f16", true, true),
        ("rstd_mixed", true, false),
        ("rstd_no_gamma_f32", false, false),
        ("rstd_no_beta_f32", false, false),
    ];
    for (name, is_half, scales_half) in kernels {
        Rows::each(is_half, |s| {
            let x = s.matrix(x);
            let g = Tensor { is_half: scales_half, ..s.row(gamma) };
            let b = Tensor { is_half: scales_half, ..s.row(beta) };
            let got = norm(name, &[s.rows, s.n], &[&x, &g, &b], &[s.all(), (s.rows, false), (s.rows, false)]);
            let ones = vec![1.0; s.n];
            let zeros = vec![0.0; s.n];
            let g = if name.contains("no_gamma") { &ones } else { &g.values };
            let b = if name.contains("no_beta") { &zeros } else { &b.values };
            check_rows(name, s, &x.values, (g, b), &got, |v| 1.0 / (v + EPSILON).sqrt(), false);
        });
    }
}

#[test]
fn normalize_with_given_statistics() {
    for is_half in [false, true] {
        Rows::each(is_half, |s| {
            let (x, g, b) = (s.matrix(x), s.row(gamma), s.row(beta));
            let m = Tensor::float(s.rows, |i| 0.25 * i as f32);
            let v = Tensor::float(s.rows, |i| 1.0 + i as f32);
            let name = s.name("normalize");
            let got = norm(&name, &[s.rows, s.n], &[&x, &g, &b, &m, &v], &[s.all(), (s.rows, false)]);
            for row in 0..s.rows {
                let rstd = 1.0 / (v.values[row] + EPSILON).sqrt();
                near(&name, row, got[1][row], rstd, rstd, 4.0, false);
                for (i, x) in s.of(&x.values, row).iter().enumerate() {
                    let want = (x - m.values[row]) * rstd * g.values[i] + b.values[i];
                    let scale = (x.abs() + m.values[row]) * g.values[i].abs() + b.values[i].abs();
                    near(&name, i, s.of(&got[0], row)[i], want, scale, 8.0, is_half);
                }
            }
        });
    }
}

#[test]
fn rms_norm() {
    for is_half in [false, true] {
        Rows::each(is_half, |s| {
            let (x, g) = (s.matrix(x), s.row(gamma));
            let name = s.name("rms");
            let got = norm(&name, &[s.rows, s.n], &[&x, &g], &[s.all()]);
            for row in 0..s.rows {
                let x = s.of(&x.values, row);
                let squares: Vec<f64> = x.iter().map(|v| v * v).collect();
                let deviation = (mean(&squares) + EPSILON).sqrt();
                for i in 0..s.n {
                    let want = x[i] / deviation * g.values[i];
                    near(&name, i, s.of(&got[0], row)[i], want, 0.0, steps(s.n), is_half);
                }
            }
        });
    }
}

/// rstdLocal holds the variance (example of the DeepNorm page).
#[test]
fn deep_norm() {
    for is_half in [false, true] {
        Rows::each(is_half, |s| {
            let (x, gx, g, b) = (s.matrix(x), s.matrix(|i| noise(i + 11)), s.row(gamma), s.row(beta));
            let name = s.name("deep");
            let outputs = [s.all(), (s.rows, is_half), (s.rows, is_half)];
            let got = norm(&name, &[s.rows, s.n], &[&x, &gx, &g, &b], &outputs);
            let sum: Vec<f64> = x.values.iter().zip(&gx.values).map(|(x, gx)| 1.5 * x + gx).collect();
            check_rows(&name, s, &sum, (&g.values, &b.values), &got, |v| v, is_half);
        });
    }
}

#[test]
fn layer_norm_backwards() {
    for (kernel, is_half) in [("grad", false), ("grad_reuse", false), ("grad", true)] {
        Rows::each(is_half, |s| {
            let (dy, x, g) = (s.matrix(|i| noise(i + 5)), s.matrix(x), s.row(gamma));
            let column = |f: fn(&[f64]) -> f64| Tensor::new(is_half, s.rows, |row| f(s.of(&x.values, row)) as f32);
            let (v, m) = (column(variance), column(mean));
            let name = s.name(kernel);
            let got = norm(&name, &[s.rows, s.n], &[&dy, &x, &v, &m, &g], &[s.all(), s.all()]);
            for row in 0..s.rows {
                let h = s.n as f64;
                let d = (v.values[row] + EPSILON).sqrt();
                let x2: Vec<f64> = s.of(&x.values, row).iter().map(|x| x - m.values[row]).collect();
                let x1: Vec<f64> = s.of(&dy.values, row).iter().zip(&g.values).map(|(dy, g)| dy * g).collect();
                let terms: Vec<f64> = x1.iter().zip(&x2).map(|(a, b)| -0.5 * a * b / d.powi(3)).collect();
                let pd_var = terms.iter().sum::<f64>();
                let drift: f64 = x2.iter().map(|b| -2.0 * b).sum();
                let pd_mean = -x1.iter().sum::<f64>() / d + pd_var / h * drift;
                let size = largest(s.of(&x.values, row)) + m.values[row].abs();
                let scale = largest(&x1) / d * 2.0 + h * largest(&x1) * size / d.powi(3) * 2.0 / h * size;
                for i in 0..s.n {
                    let want = x1[i] / d + pd_var * 2.0 / h * x2[i] + pd_mean / h;
                    near(&name, i, s.of(&got[0], row)[i], want, scale, steps(s.n), is_half);
                    near(&name, i, s.of(&got[1], row)[i], x2[i] / d, size / d, 4.0, is_half);
                }
            }
        });
    }
}

#[test]
fn gradients_of_gamma_and_beta() {
    for (kernel, is_half) in [("grad_beta", false), ("grad_beta_over", false), ("grad_beta", true)] {
        Rows::each(is_half, |s| {
            let (res, dy) = (s.matrix(x), s.matrix(|i| noise(i + 5)));
            let name = s.name(kernel);
            let got = norm(&name, &[s.rows, s.n], &[&res, &dy], &[(s.pitch, is_half), (s.pitch, is_half)]);
            for i in 0..s.n {
                let column = |t: &Tensor| (0..s.rows).map(|r| t.values[r * s.pitch + i]).collect::<Vec<_>>();
                let (res, dy) = (column(&res), column(&dy));
                let products: Vec<f64> = res.iter().zip(&dy).map(|(a, b)| a * b).collect();
                let sizes: f64 = products.iter().map(|p| p.abs()).sum();
                near(&name, i, got[0][i], products.iter().sum(), sizes, s.rows as f64, is_half);
                near(&name, i, got[1][i], dy.iter().sum(), dy.iter().map(|d| d.abs()).sum(), s.rows as f64, is_half);
            }
        });
    }
}

#[test]
fn batch_norm() {
    for is_half in [false, true] {
        for (batches, features, more) in [(1, 16, 0), (8, 16, 0), (3, 48, 0), (9, 160, 0), (5, 160, 640)] {
            let x = Tensor::new(is_half, batches * features, x);
            let (g, b) = (Tensor::new(is_half, batches, gamma), Tensor::new(is_half, batches, beta));
            let name = format!("batch_{}", if is_half { "f16" } else { "f32" });
            let outputs = [(batches * features, is_half), (features, is_half), (features, is_half)];
            let got = norm(&name, &[batches, features, more], &[&x, &g, &b], &outputs);
            for f in 0..features {
                let column: Vec<f64> = (0..batches).map(|i| x.values[i * features + f]).collect();
                let (m, v, size) = (mean(&column), variance(&column), largest(&column));
                let d = (v + EPSILON).sqrt();
                let roundings = batches as f64 + 8.0;
                near(&name, f, got[1][f], m, size, roundings, is_half);
                near(&name, f, got[2][f], v, size * size, roundings, is_half);
                for (i, x) in column.iter().enumerate() {
                    let want = (x - m) / d * g.values[i] + b.values[i];
                    let scale = size / d * (1.0 + size * size / (v + EPSILON)) * g.values[i].abs() + b.values[i].abs();
                    near(&name, i, got[0][i * features + f], want, scale, roundings, is_half);
                }
            }
        }
    }
}

#[test]
fn group_norm() {
    for (kernel, is_half) in [("group_f32", false), ("group_reuse_f32", false), ("group_f16", true)] {
        for (n, c, hw, groups) in [(2, 8, 8usize, 4), (1, 6, 13, 2), (2, 4, 100, 1), (1, 3, 16, 3)] {
            let pitch = hw.next_multiple_of(if is_half { 16 } else { 8 });
            let x = Tensor::new(is_half, n * c * pitch, |i| if i % pitch < hw { x(i) } else { 77.0 });
            let (g, b) = (Tensor::new(is_half, c, gamma), Tensor::new(is_half, c, beta));
            let outputs = [(n * c * pitch, is_half), (n * groups, is_half), (n * groups, is_half)];
            let got = norm(kernel, &[n, c, hw, groups], &[&x, &g, &b], &outputs);
            let d = c / groups;
            for group in 0..n * groups {
                let at = |i: usize| (group * d + i / hw) * pitch + i % hw;
                let values: Vec<f64> = (0..d * hw).map(|i| x.values[at(i)]).collect();
                let (m, v, size) = (mean(&values), variance(&values), largest(&values));
                let deviation = (v + EPSILON).sqrt();
                let roundings = steps(d * hw) + 4.0;
                near(kernel, group, got[1][group], m, size, roundings, is_half);
                near(kernel, group, got[2][group], v, size * size, roundings, is_half);
                for (i, x) in values.iter().enumerate() {
                    let channel = group % groups * d + i / hw;
                    let (g, b) = (g.values[channel], b.values[channel]);
                    let want = (x - m) / deviation * g + b;
                    let scale = size / deviation * (1.0 + size * size / (v + EPSILON)) * g.abs() + b.abs();
                    near(kernel, at(i), got[0][at(i)], want, scale, roundings, is_half);
                }
            }
        }
    }
}

#[test]
fn a_tiling_that_was_never_made_is_refused() {
    let x = [0f32; 8];
    let sizes = [0u32; 8];
    let args = [sizes.as_ptr() as *mut c_void, x.as_ptr() as *mut c_void];
    let fault = launch_of(object(), "layernorm_zero_tiling", &args).unwrap_err();
    assert!(fault.message.contains("take the tiling from the function Get...TilingInfo"), "{fault}");
}
