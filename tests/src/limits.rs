//! Calls of the exact precision with all elements around one limit of the kernel's short way, alone or beside one special
//! value. In tiles with other data beyond a limit the long way hides what the short one would give.

use crate::data::Data;
use crate::dtype::DynType;
use crate::generate::Rng;
use crate::golden::Mode;
use crate::host::{Call, Divisor, Operand};
use crate::scalar::Number;

const COUNT: usize = 500;

struct Pairs {
    name: String,
    x: Data,
    y: Data,
}

/// Dividends at multiples of divisors of these exponents, at halves between them, and one bit to either side; quotients
/// in `2^low..2^high`.
fn around_multiples(name: &str, dtype: DynType, [low, high]: [i32; 2], exponents: [i32; 2]) -> Pairs {
    let mut rng = Rng::new((low as u64) << 32 | exponents[0] as u32 as u64);
    let (mut x, mut y) = (Data { dtype, bits: Vec::new() }, Data { dtype, bits: Vec::new() });
    while x.len() < COUNT {
        let divisor = dtype.encode(rng.uniform(1.0, 2.0) * 2f64.powi(rng.range(exponents[0], exponents[1])));
        let quotient = 2f64.powf(rng.uniform(low.into(), high.into())).floor() + 0.5 * f64::from(rng.range(0, 1));
        let dividend = dtype.encode(quotient * dtype.decode(divisor)).wrapping_add_signed(rng.range(-1, 1));
        let quotient = dtype.decode(dividend) / dtype.decode(divisor);
        if dtype.decode(dividend).is_finite() && quotient >= 2f64.powi(low) && quotient < 2f64.powi(high) {
            x.bits.push(dividend);
            y.bits.push(divisor);
        }
    }
    let name = format!("{dtype:?} {name}, quotients 2^{low} to 2^{high}, divisors from 2^{}", exponents[0]);
    Pairs { name, x, y }
}

/// Quotients a little above a power of two whose division may round to below it: they tell one round too few.
fn rounds(exponent: i32) -> Pairs {
    let top = exponent.min(126) + 1; // the dividend is 2^top
    let divisor = (2.0 - 2f64.powi(-23)) * 2f64.powi(top - exponent - 1);
    let x = Data::encode(DynType::F32, [2f64.powi(top)]);
    Pairs { name: format!("a quotient of 2^{exponent}"), x, y: Data::encode(DynType::F32, [divisor]) }
}

fn with(mut pairs: Pairs, dividend: f64, divisor: f64) -> Pairs {
    pairs.name = format!("{} and {dividend} mod {divisor}", pairs.name);
    for (data, number) in [(&mut pairs.x, dividend), (&mut pairs.y, divisor)] {
        data.bits.push(data.dtype.encode(number));
    }
    pairs
}

fn all_pairs() -> Vec<Pairs> {
    use DynType::{BF16, F16, F32};
    let mut all = Vec::new();
    for (dtype, limit, exponents) in [(F32, 22, [-3, 3]), (F32, 12, [-3, 3]), (F16, 13, [-9, -1]), (BF16, 16, [-3, 3])]
    {
        for low in limit - 2..limit + 2 {
            all.push(around_multiples("quotient limit", dtype, [low, low + 1], exponents));
        }
    }
    for dtype in [F32, BF16] {
        all.push(around_multiples("dividend limit", dtype, [0, 2], [126, 126]));
        all.push(around_multiples("dividend limit", dtype, [0, 1], [127, 127]));
        all.push(around_multiples("divisor limit", dtype, [0, 3], [-126, -124]));
        all.push(around_multiples("divisor limit", dtype, [0, 10], [-124, -113]));
        all.push(around_multiples("divisor limit", dtype, [0, 15], [-112, -98]));
    }
    all.extend((21..=252).map(rounds));
    all
}

/// Named calls by tensors, and by the first divisor as a scalar.
pub fn calls() -> Vec<(String, Call)> {
    let beside = |dividend: f64, divisor: f64| all_pairs().into_iter().map(move |pairs| with(pairs, dividend, divisor));
    let tensors = all_pairs().into_iter().chain(beside(f64::NAN, 3.0)).chain(beside(1.0, 0.0)).map(|pairs| {
        let call = Call::on(Operand::flat(&pairs.x), Divisor::Tensor(Operand::flat(&pairs.y)));
        (pairs.name, call.with(Mode::Exact))
    });
    let mut calls: Vec<_> = tensors.collect();
    for pairs in all_pairs() {
        let scalar = pairs.y.dtype.decode(pairs.y.bits[0]);
        let Ok(number) = Number::new(pairs.y.dtype, scalar) else { continue };
        // The quotients that the pairs have, of the one divisor.
        let quotients = pairs.x.bits.iter().zip(&pairs.y.bits).map(|(x, y)| {
            let dtype = pairs.y.dtype;
            dtype.encode((dtype.decode(*x) / dtype.decode(*y) * 2.0).round() / 2.0 * scalar)
        });
        let x = Data { dtype: pairs.x.dtype, bits: quotients.collect() };
        let mut special = x.clone();
        special.bits.push(x.dtype.encode(f64::INFINITY));
        for (name, x) in [("", x), (" and infinity", special)] {
            let call = Call::on(Operand::flat(&x), Divisor::Scalar(number)).with(Mode::Exact);
            calls.push((format!("{} by {scalar:e}{name}", pairs.name), call));
        }
    }
    calls
}
