//! The functions of activations and of their gradients, by the formulas of their pages. A gradient takes that of the result
//! first.

use crate::kernels::{Map, real, value, wide_scalars};

/// Operands min and max.
pub static HARDTANH_BACKWARD: Map = real(|_, v| if v[1] > v[2] && v[1] < v[3] { v[0] } else { 0.0 });

pub static LEAKY_RELU: Map = wide_scalars(real(|_, v| if v[0] > 0.0 { v[0] } else { v[0] * v[1] }));
pub static LEAKY_RELU_BACKWARD: Map = wide_scalars(real(|_, v| if v[1] > 0.0 { v[0] } else { v[0] * v[2] }));

/// Operands alpha, scale and inputScale.
pub static ELU: Map = wide_scalars(real(|_, v| {
    let (x, alpha, scale, inner) = (v[0], v[1], v[2], v[3]);
    if x > 0.0 { x * scale } else { (x * inner).exp_m1() * alpha * scale }
}));
/// The last operand is the result where the one before it is true.
pub static ELU_BACKWARD: Map = wide_scalars(real(|_, v| {
    let (grad, alpha, scale, inner, is_result, x) = (v[0], v[1], v[2], v[3], v[4] != 0.0, v[5]);
    match (x > 0.0, is_result) {
        (true, _) => grad * scale,
        (false, true) => grad * inner * (x + alpha * scale),
        (false, false) => grad * inner * alpha * scale * (x * inner).exp(),
    }
}));

/// Operands beta and threshold.
pub static SOFTPLUS: Map = wide_scalars(real(|_, v| {
    let (x, beta) = (v[0], v[1]);
    if x * beta > v[2] { x } else { (x * beta).exp().ln_1p() / beta }
}));
pub static SOFTPLUS_BACKWARD: Map = wide_scalars(real(|_, v| {
    let (grad, x, beta) = (v[0], v[1], v[2]);
    if x * beta > v[3] { grad } else { grad / (1.0 + (-x * beta).exp()) }
}));

pub static THRESHOLD: Map =
    value(|v| if v[0] <= v[1] { v[2] } else { v[0] }, |_, v| if v[0] <= v[1] { v[2] } else { v[0] });

fn hardsigmoid(x: f64) -> f64 {
    if x.is_nan() { x } else { (x + 3.0).clamp(0.0, 6.0) / 6.0 }
}
pub static HARDSIGMOID: Map = real(|_, v| hardsigmoid(v[0]));
pub static HARDSIGMOID_BACKWARD: Map = real(|_, v| if v[1] > -3.0 && v[1] < 3.0 { v[0] / 6.0 } else { 0.0 });
pub static HARDSWISH: Map = real(|_, v| v[0] * hardsigmoid(v[0]));
pub static HARDSWISH_BACKWARD: Map = real(|_, v| match v[1] {
    x if x <= -3.0 => 0.0,
    x if x < 3.0 => v[0] * (x / 3.0 + 0.5),
    _ => v[0],
});

/// ln(1 + e^x), without an overflow.
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
pub static MISH: Map = real(|_, v| v[0] * softplus(v[0]).tanh());
pub static MISH_BACKWARD: Map = real(|_, v| {
    let (x, tanh) = (v[1], softplus(v[1]).tanh());
    v[0] * (tanh + x * (1.0 - tanh * tanh) / (1.0 + (-x).exp()))
});
