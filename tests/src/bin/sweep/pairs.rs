//! Drawn operands of the 32-bit types.
//!
//! The classes carry the names of `generate.rs`; here each is an endless sequence.

use fmod_tests::generate::Rng;

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;

/// A class of operands: a divisor, and a dividend that suits it.
pub struct Part {
    pub name: &'static str,
    pub divisor: fn(&mut Rng) -> u32,
    pub dividend: fn(&mut Rng, u32) -> u32,
}

const fn part(name: &'static str, divisor: fn(&mut Rng) -> u32, dividend: fn(&mut Rng, u32) -> u32) -> Part {
    Part { name, divisor, dividend }
}

pub const FLOAT_PARTS: [Part; 14] = [
    part("V02 near-integer-below", ordinary, |rng, y| {
        let n = integer(rng, 0, 21);
        beside(rng, n, y, -3, 0)
    }),
    part("V03 near-integer-above", ordinary_short, |rng, y| {
        let n = integer(rng, 0, 12);
        beside(rng, n, y, 0, 3)
    }),
    part("V04 half-integer", ordinary, |rng, y| {
        let n = integer(rng, 0, 21) + 0.5;
        beside(rng, n, y, -2, 2)
    }),
    part("V05 tier-edges", wide, |rng, y| {
        const EDGES: [i32; 12] = [11, 12, 13, 15, 16, 20, 21, 22, 23, 24, 25, 31];
        let n = two_to(EDGES[below(rng, 12) as usize]) + f64::from(below(rng, 5)) - 2.0;
        beside(rng, n, y, -2, 2)
    }),
    part("V06 large-quotient", |rng| float(rng, -60, 60), |rng, y| far(rng, y, 24, 60)),
    part("V07 huge-quotient", |rng| float(rng, -149, 60), |rng, y| far(rng, y, 60, 277)),
    part("V08 top-binade", |rng| float(rng, 90, 127), |rng, _| float(rng, 127, 127)),
    part("V09 big-divisor", |rng| float(rng, 116, 127), |rng, _| float(rng, 8, 127)),
    part(
        "V10 mantissa-edges",
        |rng| edge(rng, -126, 60),
        |rng, y| {
            let exponent = (y & !SIGN) >> 23;
            let gap = if below(rng, 8) == 0 { below(rng, 254) } else { below(rng, 42) };
            edge(rng, 0, 0) & (SIGN | 0x7f_ffff) | (exponent + gap).min(254) << 23
        },
    ),
    part(
        "V11 subnormal",
        |rng| float(rng, -149, -120),
        |rng, _| {
            if below(rng, 4) == 0 { float(rng, -149, 20) } else { float(rng, -149, -110) }
        },
    ),
    part("V14 special", special, |rng, _| special(rng)),
    part("V15 uniform", uniform, |rng, _| uniform(rng)),
    part("V17 mixed-tile", uniform, |rng, _| if below(rng, 4096) == 0 { float(rng, 60, 127) } else { uniform(rng) }),
    part("random bits", |rng| rng.next_u32(), |rng, _| rng.next_u32()),
];

pub const INT_PARTS: [Part; 5] = [
    part("random bits", |rng| rng.next_u32(), |rng, _| rng.next_u32()),
    part("any magnitude", magnitude, |rng, _| magnitude(rng)),
    part("near-multiple", magnitude, |rng, y| {
        let (y, off) = (i64::from(y as i32), i64::from(below(rng, 5)) - 2);
        let most = (i64::from(i32::MAX) / y.abs().max(1)) as u32;
        let x = i64::from(below(rng, most.saturating_add(1))) * y + off;
        (if below(rng, 2) == 0 { x } else { -x }) as u32
    }),
    part("V21 edges", int_edge, |rng, _| int_edge(rng)),
    part("edge divisor", int_edge, |rng, _| rng.next_u32()),
];

fn below(rng: &mut Rng, end: u32) -> u32 {
    ((u64::from(rng.next_u32()) * u64::from(end)) >> 32) as u32
}

fn between(rng: &mut Rng, low: i32, high: i32) -> i32 {
    low + below(rng, (high - low + 1) as u32) as i32
}

fn two_to(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Random sign and fraction, exponent in `low..=high`; below −126 subnormal.
fn float(rng: &mut Rng, low: i32, high: i32) -> u32 {
    let exponent = between(rng, low, high);
    let bits = rng.next_u32();
    let fraction = bits & 0x7f_ffff;
    let magnitude = if exponent < -126 {
        (fraction | 0x80_0000) >> (-126 - exponent)
    } else {
        ((exponent + 127) as u32) << 23 | fraction
    };
    bits & SIGN | magnitude
}

fn ordinary(rng: &mut Rng) -> u32 {
    float(rng, -20, 20)
}

/// Twelve significant bits: multiples by another twelve are exact.
fn ordinary_short(rng: &mut Rng) -> u32 {
    float(rng, -20, 20) & !0xfff
}

fn wide(rng: &mut Rng) -> u32 {
    float(rng, -126, 90)
}

/// An integer, its logarithm uniform in `low..=high`.
fn integer(rng: &mut Rng, low: i32, high: i32) -> f64 {
    let bit = between(rng, low, high);
    f64::from((1 << bit) + below(rng, 1 << bit))
}

/// A random sign, and `quotient · |y|` moved by some ulps and kept finite.
fn beside(rng: &mut Rng, quotient: f64, y: u32, low: i32, high: i32) -> u32 {
    let x = (quotient * f64::from(f32::from_bits(y & !SIGN))) as f32;
    let moved = x.to_bits().saturating_add_signed(between(rng, low, high)).min(f32::MAX.to_bits());
    moved | rng.next_u32() & SIGN
}

/// A quotient of `low..=high` bits, as far as the format reaches.
fn far(rng: &mut Rng, y: u32, low: i32, high: i32) -> u32 {
    let exponent = (f64::from(f32::from_bits(y & !SIGN)).to_bits() >> 52) as i32 - 1023;
    let most = high.min(127 - exponent);
    let gap = between(rng, low.min(most), most);
    float(rng, exponent + gap, exponent + gap)
}

/// Fractions of few bits or close to all ones.
fn edge(rng: &mut Rng, low: i32, high: i32) -> u32 {
    let some = below(rng, 24);
    let fraction = match below(rng, 5) {
        0 => below(rng, 4),
        1 => 0x7f_ffff - below(rng, 16),
        2 => 1 << some >> 1,
        3 => 0x7f_ffff ^ (1 << some >> 1),
        _ => 0x7f_ffff << some & 0x7f_ffff,
    };
    let exponent = (between(rng, low, high) + 127) as u32;
    rng.next_u32() & SIGN | exponent << 23 | fraction
}

fn special(rng: &mut Rng) -> u32 {
    const VALUES: [u32; 12] = [
        0,
        1,
        0x7f_ffff,
        0x80_0000,
        0x3f80_0000,
        0x4040_0000,
        0x7f7f_ffff,
        INFINITY,
        NAN,
        0x7fa0_0001,
        0x7f00_0000,
        0x0040_0000,
    ];
    match below(rng, 16) {
        12.. => rng.next_u32(),
        index => VALUES[index as usize] | rng.next_u32() & SIGN,
    }
}

/// Uniform in [-5, 5).
fn uniform(rng: &mut Rng) -> u32 {
    ((rng.unit() * 10.0 - 5.0) as f32).to_bits()
}

/// A random number of significant bits.
fn magnitude(rng: &mut Rng) -> u32 {
    let bits = rng.next_u32() >> below(rng, 32);
    if below(rng, 2) == 0 { bits } else { bits.wrapping_neg() }
}

/// Powers of two and what float quotients find hard, ± 2.
fn int_edge(rng: &mut Rng) -> u32 {
    const VALUES: [i32; 8] = [i32::MIN, i32::MAX, 46341, 65536, 0, 3, 10, 1_000_000_007];
    let value = match below(rng, 4) {
        0 => VALUES[below(rng, 8) as usize] as u32,
        1 => 3 << below(rng, 30),
        _ => 1 << below(rng, 32),
    };
    let value = value.wrapping_add(below(rng, 5)).wrapping_sub(2);
    if below(rng, 2) == 0 { value } else { value.wrapping_neg() }
}

#[cfg(test)]
mod tests {
    use fmod_tests::DataType;
    use fmod_tests::golden::{Golden, Mode};

    use super::*;
    use crate::rows::tbe;

    fn drawn(part: &Part, seed: u64, count: usize) -> Vec<(u32, u32)> {
        let mut rng = Rng::new(seed);
        let mut one = || {
            let y = (part.divisor)(&mut rng);
            ((part.dividend)(&mut rng, y), y)
        };
        (0..count).map(|_| one()).collect()
    }

    unsafe extern "C" {
        safe fn fmodf(x: f32, y: f32) -> f32;
    }

    #[test]
    fn float_results_are_those_of_libm_and_of_the_golden_model() {
        for part in FLOAT_PARTS {
            for (x, y) in drawn(&part, 1, 30_000) {
                let (a, b) = (f32::from_bits(x), f32::from_bits(y));
                let name = part.name;
                assert!(fmodf(a, b).same(a.fmod(b, Mode::Exact)), "{name} exact {a:e} {b:e}");
                assert!(tbe(a, b).same(a.fmod(b, Mode::Tbe)), "{name} tbe {a:e} {b:e}");
            }
        }
    }

    /// Least and largest binary exponent of |x / y| over finite non-zero pairs.
    fn reach(part: &Part) -> (i32, i32) {
        let quotient = |(x, y): (u32, u32)| f64::from(f32::from_bits(x)).abs() / f64::from(f32::from_bits(y)).abs();
        let exponent = |q: f64| (q.to_bits() >> 52) as i32 - 1023;
        let all = drawn(part, 2, 20_000).into_iter().map(quotient).filter(|q| q.is_normal()).map(exponent);
        all.fold((i32::MAX, i32::MIN), |(low, high), q| (low.min(q), high.max(q)))
    }

    #[test]
    fn quotients_are_where_the_class_says() {
        let named = |name: &str| FLOAT_PARTS.iter().find(|part| part.name.starts_with(name)).unwrap();
        assert_eq!(reach(named("V02")).1, 21);
        assert!(reach(named("V06")).0 >= 23 && reach(named("V06")).1 >= 59);
        assert!(reach(named("V07")).0 >= 59 && reach(named("V07")).1 >= 270);
        assert!(reach(named("V10")).1 >= 100);
        assert!(drawn(named("V08"), 1, 1000).iter().all(|(x, _)| (x & !SIGN) >> 23 == 254));
        assert!(drawn(named("V11"), 1, 1000).iter().any(|(x, y)| (x & !SIGN) >> 23 == 0 && (y & !SIGN) >> 23 == 0));
    }
}
