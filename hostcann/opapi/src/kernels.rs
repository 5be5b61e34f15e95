//! The functions of element-wise operators and of reductions. Integers wrap; a step of a floating function that torch
//! rounds is rounded here, too (`Width::round`), the last one by the caller.

use crate::data_type::Width;

/// Elements at one place of the operands to one element. Operands stand in the order of the parameters.
pub struct Map {
    /// None: not for integers, which compute in float then.
    pub int: Option<fn(&[i64]) -> i64>,
    pub real: Option<fn(Width, &[f64]) -> f64>,
    pub result: Product,
    /// Scalars are floats beside 16-bit tensors; otherwise they are rounded to the type of the elements first.
    pub wide_scalars: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// A value of the type that the operator computes in, cast to that of the output.
    Value,
    /// 0 or 1.
    Truth,
    /// As the operand has it: it is only cast.
    Cast,
}

/// All elements that are reduced to one.
pub struct Reduce {
    pub int: fn(&[i64]) -> i64,
    pub real: fn(Width, &[f64]) -> f64,
    /// What integers compute in.
    pub integers: Integers,
    /// What an empty set of elements has; without it such a reduction is refused.
    pub empty: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Integers {
    /// In their own type.
    Own,
    /// In the type of the output or of parameter `dtype`.
    Wanted,
    /// As floating types.
    Real,
    /// Whether they are 0.
    Truth,
}

/// An integer bound that was not given.
pub const ABSENT: i64 = i64::MIN;

type Int = fn(&[i64]) -> i64;
type Real = fn(Width, &[f64]) -> f64;

pub const fn value(int: Int, real: Real) -> Map {
    Map { int: Some(int), real: Some(real), result: Product::Value, wide_scalars: false }
}
/// For floating types; integers are converted.
pub const fn real(real: Real) -> Map {
    Map { int: None, real: Some(real), result: Product::Value, wide_scalars: false }
}
const fn bits(int: Int) -> Map {
    Map { int: Some(int), real: None, result: Product::Value, wide_scalars: false }
}
const fn truth(int: Int, real: Real) -> Map {
    Map { int: Some(int), real: Some(real), result: Product::Truth, wide_scalars: false }
}

/// As torch multiplies and divides 16-bit tensors.
pub const fn wide_scalars(map: Map) -> Map {
    Map { wide_scalars: true, ..map }
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

pub static CAST: Map = Map { int: None, real: None, result: Product::Cast, wide_scalars: false };

pub static ADD: Map = value(|v| v[0].wrapping_add(v[1].wrapping_mul(v[2])), |_, v| v[0] + v[1] * v[2]);
pub static SUB: Map = value(|v| v[0].wrapping_sub(v[1].wrapping_mul(v[2])), |_, v| v[0] - v[1] * v[2]);
pub static RSUB: Map = value(|v| v[1].wrapping_sub(v[0].wrapping_mul(v[2])), |_, v| v[1] - v[0] * v[2]);
/// Without a factor.
pub static PLUS: Map = value(|v| v[0].wrapping_add(v[1]), |_, v| v[0] + v[1]);
pub static MINUS: Map = value(|v| v[0].wrapping_sub(v[1]), |_, v| v[0] - v[1]);
pub static MUL: Map = wide_scalars(value(|v| v[0].wrapping_mul(v[1]), |_, v| v[0] * v[1]));
pub static DIV: Map = wide_scalars(real(|_, v| v[0] / v[1]));
pub static ADDCMUL: Map = value(
    |v| v[0].wrapping_add(v[3].wrapping_mul(v[1]).wrapping_mul(v[2])),
    |w, v| v[0] + w.round(w.round(v[3] * v[1]) * v[2]),
);
pub static ADDCDIV: Map = real(|w, v| v[0] + w.round(w.round(v[3] * v[1]) / v[2]));
/// The nearer end plus what is missing, as torch's lerp.
pub static LERP: Map = real(|w, v| {
    let (start, end, weight) = (v[0], v[1], v[2]);
    let way = w.round(end - start);
    if weight.abs() < 0.5 { start + w.round(weight * way) } else { end - w.round(way * w.round(1.0 - weight)) }
});

fn floor_div(a: i64, b: i64) -> i64 {
    match b {
        0 => 0,
        _ => a.wrapping_div(b) - i64::from(a.wrapping_rem(b) != 0 && (a < 0) != (b < 0)),
    }
}
fn trunc_div(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_div(b) }
}
fn remainder(a: i64, b: i64) -> i64 {
    if b == 0 { 0 } else { a.wrapping_sub(floor_div(a, b).wrapping_mul(b)) }
}
/// The result has the sign of the divisor.
fn real_remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
}
/// By way of the remainder, so that a quotient that is rounded up to an integer does not become it.
fn real_floor_div(w: Width, a: f64, b: f64) -> f64 {
    if b == 0.0 {
        return a / b;
    }
    let rest = a % b;
    let mut quotient = w.round(w.round(a - rest) / b);
    if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0f64.copysign(a / b);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

pub static FLOOR_DIV: Map = wide_scalars(value(|v| floor_div(v[0], v[1]), |w, v| real_floor_div(w, v[0], v[1])));
/// torch truncates what a 16-bit type has of the quotient of two tensors, and the float of one by a scalar.
pub static TRUNC_DIV: Map = value(|v| trunc_div(v[0], v[1]), |w, v| w.settle(v[0] / v[1]).trunc());
pub static TRUNC_DIV_SCALAR: Map = wide_scalars(value(|v| trunc_div(v[0], v[1]), |w, v| w.round(v[0] / v[1]).trunc()));
pub static REMAINDER: Map = value(|v| remainder(v[0], v[1]), |_, v| real_remainder(v[0], v[1]));
pub static MAXIMUM: Map = value(|v| v[0].max(v[1]), |_, v| maximum(v[0], v[1]));
pub static MINIMUM: Map = value(|v| v[0].min(v[1]), |_, v| minimum(v[0], v[1]));
pub static POW: Map = value(|v| power(v[0], v[1]), |_, v| v[0].powf(v[1]));
pub static ATAN2: Map = real(|_, v| v[0].atan2(v[1]));

/// NaN wins.
pub fn maximum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
pub fn minimum(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}
fn power(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 => 1 - 2 * (exponent & 1),
            _ => 0,
        };
    }
    let (mut result, mut square, mut rest) = (1i64, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        rest >>= 1;
    }
    result
}

/// Bounds that are NaN or ABSENT were not given; the upper one wins. A value that is NaN stays.
fn clamp(v: &[i64], low: i64, high: i64) -> i64 {
    let raised = if low == ABSENT { v[0] } else { v[0].max(low) };
    if high == ABSENT { raised } else { raised.min(high) }
}
fn real_clamp(value: f64, low: f64, high: f64) -> f64 {
    let raised = if value < low { low } else { value };
    if raised > high { high } else { raised }
}
pub static CLAMP: Map = value(|v| clamp(v, v[1], v[2]), |_, v| real_clamp(v[0], v[1], v[2]));
pub static CLAMP_MIN: Map = value(|v| clamp(v, v[1], ABSENT), |_, v| real_clamp(v[0], v[1], f64::NAN));
pub static CLAMP_MAX: Map = value(|v| clamp(v, ABSENT, v[1]), |_, v| real_clamp(v[0], f64::NAN, v[1]));
/// Between tensors a NaN wins.
pub static CLAMP_LOW: Map = value(|v| v[0].max(v[1]), |_, v| maximum(v[0], v[1]));
pub static CLAMP_HIGH: Map = value(|v| v[0].min(v[2]), |_, v| minimum(v[0], v[2]));
pub static CLAMP_TENSOR: Map = value(|v| v[0].max(v[1]).min(v[2]), |_, v| minimum(maximum(v[0], v[1]), v[2]));

pub static WHERE: Map = value(|v| if v[0] != 0 { v[1] } else { v[2] }, |_, v| if v[0] != 0.0 { v[1] } else { v[2] });
pub static MASKED_FILL: Map =
    value(|v| if v[1] != 0 { v[2] } else { v[0] }, |_, v| if v[1] != 0.0 { v[2] } else { v[0] });
/// Operands nan, posinf and neginf.
pub static NAN_TO_NUM: Map = value(
    |v| v[0],
    |_, v| match v[0] {
        x if x.is_nan() => v[1],
        f64::INFINITY => v[2],
        f64::NEG_INFINITY => v[3],
        x => x,
    },
);

pub static NEG: Map = value(|v| v[0].wrapping_neg(), |_, v| -v[0]);
pub static ABS: Map = value(|v| v[0].wrapping_abs(), |_, v| v[0].abs());
pub static SIGN: Map = value(|v| v[0].signum(), |_, v| if v[0] > 0.0 { 1.0 } else { -flag(v[0] < 0.0) + 0.0 });
pub static SQUARE: Map = value(|v| v[0].wrapping_mul(v[0]), |_, v| v[0] * v[0]);
pub static TRUNC: Map = value(|v| v[0], |_, v| v[0].trunc());
pub static FLOOR: Map = value(|v| v[0], |_, v| v[0].floor());
pub static CEIL: Map = value(|v| v[0], |_, v| v[0].ceil());
pub static ROUND: Map = value(|v| v[0], |_, v| v[0].round_ties_even());
pub static ROUND_DECIMALS: Map = value(
    |v| v[0],
    |w, v| {
        if v[1] == 0.0 {
            return v[0].round_ties_even();
        }
        let scale = w.round(10f64.powf(v[1].abs()));
        match v[1] > 0.0 {
            true => w.round(v[0] * scale).round_ties_even() / scale,
            false => w.round(v[0] / scale).round_ties_even() * scale,
        }
    },
);
pub static FRAC: Map = value(|_| 0, |_, v| v[0] - v[0].trunc());
pub static RELU: Map = value(|v| v[0].max(0), |_, v| if v[0] < 0.0 { 0.0 } else { v[0] });

pub static EXP: Map = real(|_, v| v[0].exp());
pub static EXP2: Map = real(|_, v| v[0].exp2());
pub static EXPM1: Map = real(|_, v| v[0].exp_m1());
pub static LOG: Map = real(|_, v| v[0].ln());
pub static LOG2: Map = real(|_, v| v[0].log2());
pub static LOG10: Map = real(|_, v| v[0].log10());
pub static LOG1P: Map = real(|_, v| v[0].ln_1p());
pub static SQRT: Map = real(|_, v| v[0].sqrt());
pub static RSQRT: Map = real(|w, v| 1.0 / w.round(v[0].sqrt()));
pub static RECIPROCAL: Map = real(|_, v| 1.0 / v[0]);
pub static SIN: Map = real(|_, v| v[0].sin());
pub static COS: Map = real(|_, v| v[0].cos());
pub static TAN: Map = real(|_, v| v[0].tan());
pub static SINH: Map = real(|_, v| v[0].sinh());
pub static COSH: Map = real(|_, v| v[0].cosh());
pub static ASIN: Map = real(|_, v| v[0].asin());
pub static ACOS: Map = real(|_, v| v[0].acos());
pub static ATAN: Map = real(|_, v| v[0].atan());
pub static TANH: Map = real(|_, v| v[0].tanh());
pub static SIGMOID: Map = real(|_, v| sigmoid(v[0]));
pub static SILU: Map = real(|_, v| v[0] * sigmoid(v[0]));
pub static ERF: Map = real(|_, v| libm::erf(v[0]));
pub static ERFC: Map = real(|_, v| libm::erfc(v[0]));
/// The form with tanh (page aclnnGelu).
pub static GELU: Map = real(|_, v| gelu_tanh(v[0]));
/// `approximate`: 1 is the form with tanh (page aclnnGeluV2).
pub static GELU_V2: Map = real(|_, v| if v[1] == 0.0 { gelu(v[0]) } else { gelu_tanh(v[0]) });

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
fn gelu(x: f64) -> f64 {
    0.5 * x * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2))
}
fn gelu_tanh(x: f64) -> f64 {
    let scale = std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2;
    0.5 * x * (1.0 + (scale * (x + 0.044715 * x * x * x)).tanh())
}

/// Gradients: that of the result, then what the page's formula takes.
pub static SIGMOID_BACKWARD: Map = real(|w, v| v[0] * w.round(w.round(1.0 - v[1]) * v[1]));
pub static SILU_BACKWARD: Map = real(|_, v| {
    let weight = sigmoid(v[1]);
    v[0] * weight * (1.0 + v[1] * (1.0 - weight))
});
/// Of the form with tanh, as aclnnGelu's.
pub static GELU_BACKWARD: Map = real(|_, v| {
    let (x, scale) = (v[1], std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2);
    let tanh = (scale * (x + 0.044715 * x * x * x)).tanh();
    v[0] * (0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * scale * (1.0 + 3.0 * 0.044715 * x * x))
});
pub static TANH_BACKWARD: Map = real(|w, v| v[0] * w.round(1.0 - w.round(v[1] * v[1])));
pub static THRESHOLD_BACKWARD: Map =
    value(|v| if v[1] <= v[2] { 0 } else { v[0] }, |_, v| if v[1] <= v[2] { 0.0 } else { v[0] });

macro_rules! comparisons {
    ($($name:ident: $op:tt;)+) => {
        $(pub static $name: Map = truth(|v| i64::from(v[0] $op v[1]), |_, v| flag(v[0] $op v[1]));)+
    };
}
comparisons! { EQ: ==; NE: !=; GT: >; GE: >=; LT: <; LE: <=; }

macro_rules! logical {
    ($($name:ident: |$a:ident, $b:ident| $result:expr;)+) => {
        $(pub static $name: Map = truth(
            |v| { let ($a, $b) = (v[0] != 0, v.get(1).is_some_and(|x| *x != 0)); i64::from($result) },
            |_, v| { let ($a, $b) = (v[0] != 0.0, v.get(1).is_some_and(|x| *x != 0.0)); flag($result) },
        );)+
    };
}
logical! {
    LOGICAL_AND: |a, b| a & b;
    LOGICAL_OR: |a, b| a | b;
    LOGICAL_XOR: |a, b| a ^ b;
    LOGICAL_NOT: |a, _b| !a;
}

pub static IS_FINITE: Map = truth(|_| 1, |_, v| flag(v[0].is_finite()));
pub static IS_INF: Map = truth(|_| 0, |_, v| flag(v[0].is_infinite()));
pub static IS_POS_INF: Map = truth(|_| 0, |_, v| flag(v[0] == f64::INFINITY));
pub static IS_NEG_INF: Map = truth(|_| 0, |_, v| flag(v[0] == f64::NEG_INFINITY));
pub static SIGNBIT: Map = truth(|v| i64::from(v[0] < 0), |_, v| flag(v[0].is_sign_negative()));
/// |self - other| <= atol + rtol * |other|; operands rtol, atol, equalNan.
pub static IS_CLOSE: Map = truth(
    |v| i64::from(v[0] == v[1]),
    |w, v| {
        let allowed = w.round(v[3] + w.round(v[2] * v[1]).abs());
        let distance = w.round(v[0] - v[1]).abs();
        flag(
            v[0] == v[1]
                || (v[4] != 0.0 && v[0].is_nan() && v[1].is_nan())
                || (distance.is_finite() && distance <= allowed),
        )
    },
);

pub static BIT_AND: Map = bits(|v| v[0] & v[1]);
pub static BIT_OR: Map = bits(|v| v[0] | v[1]);
pub static BIT_XOR: Map = bits(|v| v[0] ^ v[1]);
pub static BIT_NOT: Map = bits(|v| !v[0]);
pub static SHIFT_LEFT: Map = bits(|v| if (0..64).contains(&v[1]) { v[0] << v[1] } else { 0 });
pub static SHIFT_RIGHT: Map = bits(|v| v[0] >> v[1].clamp(0, 63));

const fn own(int: fn(&[i64]) -> i64, real: fn(Width, &[f64]) -> f64) -> Reduce {
    Reduce { int, real, integers: Integers::Own, empty: false }
}

pub static SUM: Reduce = Reduce {
    int: |v| v.iter().fold(0, |sum, x| sum.wrapping_add(*x)),
    real: |_, v| v.iter().sum(),
    integers: Integers::Wanted,
    empty: true,
};
pub static PROD: Reduce = Reduce {
    int: |v| v.iter().fold(1, |product, x| product.wrapping_mul(*x)),
    real: |_, v| v.iter().product(),
    integers: Integers::Wanted,
    empty: true,
};
pub static MEAN: Reduce =
    Reduce { int: |_| 0, real: |_, v| v.iter().sum::<f64>() / v.len() as f64, integers: Integers::Real, empty: true };
/// The largest is taken out, so that nothing overflows; an infinite one stays, so that it is no NaN.
pub static LOG_SUM_EXP: Reduce = Reduce {
    int: |_| 0,
    real: |_, v| {
        let most = v.iter().fold(f64::NEG_INFINITY, |a, b| maximum(a, *b));
        let most = if most.is_infinite() { 0.0 } else { most };
        v.iter().map(|x| (x - most).exp()).sum::<f64>().ln() + most
    },
    integers: Integers::Real,
    empty: true,
};
pub static MAX: Reduce =
    own(|v| v.iter().fold(i64::MIN, |a, b| a.max(*b)), |_, v| v.iter().fold(f64::NEG_INFINITY, |a, b| maximum(a, *b)));
pub static MIN: Reduce =
    own(|v| v.iter().fold(i64::MAX, |a, b| a.min(*b)), |_, v| v.iter().fold(f64::INFINITY, |a, b| minimum(a, *b)));
pub static ALL: Reduce = Reduce {
    int: |v| i64::from(v.iter().all(|x| *x != 0)),
    real: |_, v| f64::from(u8::from(v.iter().all(|x| *x != 0.0))),
    integers: Integers::Truth,
    empty: true,
};
pub static ANY: Reduce = Reduce {
    int: |v| i64::from(v.iter().any(|x| *x != 0)),
    real: |_, v| f64::from(u8::from(v.iter().any(|x| *x != 0.0))),
    integers: Integers::Truth,
    empty: true,
};
