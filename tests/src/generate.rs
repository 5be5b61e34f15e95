//! Deterministic test vectors. The names of their classes are used all over the tests:
//!
//! | | |
//! |---|---|
//! | V01 | the four sign cases |
//! | V02, V03, V04 | quotients just below an integer, just above or on it, at one half |
//! | V05 | quotients at the powers of two where a shorter computation ends, 2^12 to 2^31 |
//! | V06, V07 | quotients from 2^24 to 2^60, from 2^60 to 2^277 |
//! | V08, V09 | dividends in the top binade, divisors from 2^116 on |
//! | V10 | mantissas of ones, and of a single one |
//! | V11 | subnormal operands and results |
//! | V12, V13, V14 | zero by anything, anything by zero, all pairs of zeros, ones, infinities and NaN |
//! | V15, V16 | uniform in [-5, 5], standard normal |
//! | V17 | one huge quotient in a tile of small ones |
//! | V18, V19, V22 | every pattern of half, of bfloat16, of the 8-bit types |
//! | V20, V21 | edges of int16 and int32 |
//! | V23, V24, V25 | promotion, aliases, bits of the tbe chain: ways to call and not data |

use crate::data::Data;
use crate::dtype::DynType;

/// xorshift64* seeded through splitmix64: the same vectors on every machine, no dependency.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Rng((z ^ (z >> 31)) | 1)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    /// In `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// In `low..=high`.
    pub fn range(&mut self, low: i32, high: i32) -> i32 {
        let span = (i64::from(high) - i64::from(low) + 1) as u64;
        (i64::from(low) + (self.next_u64() % span) as i64) as i32
    }

    /// Standard normal, Box-Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// A pair of operands.
pub type Pair = (f32, f32);

/// The classes of floating pairs.
pub const CLASSES: [&str; 17] = [
    "V01", "V02", "V03", "V04", "V05", "V06", "V07", "V08", "V09", "V10", "V11", "V12", "V13", "V14", "V15", "V16",
    "V17",
];

/// The fp32 vectors of a class, or `None` for a name that is not in [`CLASSES`].
pub fn class(name: &str) -> Option<Vec<Pair>> {
    class_of(name, F32)
}

/// The vectors of a class for a floating type: steps in its last place, exponents in its range.
pub fn class_data(name: &str, dtype: DynType) -> Option<(Data, Data)> {
    let format = match dtype {
        DynType::F32 => F32,
        DynType::F16 => F16,
        DynType::BF16 => BF16,
        _ => return None,
    };
    let (x, y): (Vec<f32>, Vec<f32>) = class_of(name, format)?.into_iter().unzip();
    let encode = |values: Vec<f32>| match dtype {
        DynType::F32 => Data::of(&values), // the bits of a signalling NaN survive
        _ => Data::encode(dtype, values.into_iter().map(f64::from)),
    };
    Some((encode(x), encode(y)))
}

fn class_of(name: &str, format: Format) -> Option<Vec<Pair>> {
    let seed = name.bytes().fold(u64::from(format.fraction_bits), |seed, byte| seed * 256 + u64::from(byte));
    let mut rng = Rng::new(seed);
    let any = |low: f64, high: f64, rng: &mut Rng| format.round(rng.uniform(low, high));
    Some(match name {
        "V01" => signs(vec![(5.3, 2.0), (7.0, 3.0), (1.0, 3.0), (6.0, 3.0)]),
        "V02" => signs(near_integer_below(&mut rng, format)),
        "V03" => signs(near_integer_above(&mut rng, format)),
        "V04" => signs(half_integer(&mut rng, format)),
        "V05" => signs(tier_edges(&mut rng, format)),
        "V06" => signs(large_quotient(&mut rng, format)),
        "V07" => signs(huge_quotient(&mut rng, format)),
        "V08" => signs(top_binade(&mut rng, format)),
        "V09" => signs(big_divisor(&mut rng, format)),
        "V10" => signs(mantissa_edges(format)),
        "V11" => signs(subnormal(&mut rng, format)),
        "V12" => signs(magnitudes(format).into_iter().map(|y| (0.0, y)).collect()),
        "V13" => signs(magnitudes(format).into_iter().map(|x| (x, 0.0)).collect()),
        "V14" => specials(),
        "V15" => (0..65_536).map(|_| (any(-5.0, 5.0, &mut rng), any(-5.0, 5.0, &mut rng))).collect(),
        "V16" => (0..65_536).map(|_| (format.round(rng.normal()), format.round(rng.normal()))).collect(),
        "V17" => mixed_tile(&mut rng, format),
        _ => return None,
    })
}

/// The four sign combinations of every pair.
fn signs(pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.into_iter().flat_map(|(x, y)| [(x, y), (-x, y), (x, -y), (-x, -y)]).collect()
}

/// A binary floating format; all its numbers are fp32 numbers, too.
#[derive(Clone, Copy)]
struct Format {
    dtype: DynType,
    fraction_bits: u32,
    /// Of the smallest and the largest normal numbers.
    exponents: (i32, i32),
}

const F32: Format = Format { dtype: DynType::F32, fraction_bits: 23, exponents: (-126, 127) };
const F16: Format = Format { dtype: DynType::F16, fraction_bits: 10, exponents: (-14, 15) };
const BF16: Format = Format { dtype: DynType::BF16, fraction_bits: 7, exponents: (-126, 127) };

impl Format {
    fn max(self) -> f32 {
        self.decode(self.dtype.encode(f64::INFINITY) - 1)
    }

    fn min_positive(self) -> f32 {
        two_to(self.exponents.0) as f32
    }

    fn tiny(self) -> f32 {
        self.decode(1)
    }

    fn decode(self, bits: u32) -> f32 {
        self.dtype.decode(bits) as f32
    }

    /// Nearest number of the format, kept finite.
    fn round(self, value: f64) -> f32 {
        let max = f64::from(self.max());
        self.decode(self.dtype.encode(value.clamp(-max, max)))
    }

    /// Positive `x` moved by `steps` units in the last place, the result clamped to positive and finite.
    fn step(self, x: f32, steps: i32) -> f32 {
        let bits = self.dtype.encode(x.into()).saturating_add_signed(steps);
        self.decode(bits.min(self.dtype.encode(f64::INFINITY) - 1))
    }

    /// `quotient · y`, kept finite.
    fn times(self, quotient: f64, y: f32) -> f32 {
        self.round(quotient * f64::from(y))
    }

    /// Positive, significand random, exponent in `low..=high` as far as the format has them.
    fn positive(self, rng: &mut Rng, low: i32, high: i32) -> f32 {
        let (least, most) = self.exponents;
        let exponent = rng.range(low.clamp(least, most), high.clamp(least, most));
        let fraction = f64::from(rng.next_u32() >> (32 - self.fraction_bits)) * two_to(-(self.fraction_bits as i32));
        self.round((1.0 + fraction) * two_to(exponent))
    }

    fn subnormal(self, rng: &mut Rng) -> f32 {
        self.decode(rng.next_u32() >> (32 - self.fraction_bits))
    }
}

fn two_to(exponent: i32) -> f64 {
    2f64.powi(exponent)
}

fn near_integer_below(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let known = [(5.5, 1.1), (3.3, 1.1), (6.6, 2.2), (12.0, 0.4), (9.9, 3.3), (0.3, 0.1), (1.2, 0.1)];
    let mut pairs = known.to_vec();
    let divisors = [1.0, 3.0, 1.1, 2.2, 0.4, 3.3, 0.1].map(|y: f32| format.round(y.into()));
    for y in divisors.into_iter().chain((0..16).map(|_| format.positive(rng, -20, 20))).collect::<Vec<_>>() {
        for bit in 0..=21 {
            let n = two_to(bit) + f64::from(rng.range(0, (1 << bit) - 1));
            pairs.extend((0..4).map(|k| (format.step(format.times(n, y), -k), y)));
        }
    }
    pairs
}

fn near_integer_above(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let half = format.fraction_bits.div_ceil(2);
    for _ in 0..64 {
        // half of the significant bits on each side: the product is exact
        let odd = f64::from(rng.range(1 << half, (2 << half) - 1));
        let y = format.round(odd * two_to(rng.range(-20, 20).clamp(format.exponents.0 + 12, format.exponents.1 - 12)));
        let n = f64::from(rng.range(1, (1 << half) - 1));
        pairs.extend((0..4).map(|k| (format.step(format.times(n, y), k), y)));
    }
    pairs
}

fn half_integer(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for bit in 0..=21 {
        for _ in 0..4 {
            let y = format.positive(rng, -20, 20);
            let n = two_to(bit) + f64::from(rng.range(0, (1 << bit) - 1)) + 0.5;
            pairs.extend((-2..=2).map(|k| (format.step(format.times(n, y), k), y)));
        }
    }
    pairs
}

fn tier_edges(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for exponent in [11, 12, 13, 14, 15, 16, 20, 21, 22, 23, 24, 31] {
        for offset in [-1.0, 0.0, 1.0] {
            let random = [(); 4].map(|()| format.positive(rng, -30, 30));
            for y in [1.0, 3.0, format.round(1.1), format.positive(rng, -14, -5)].into_iter().chain(random) {
                let x = format.times(two_to(exponent) + offset, y);
                pairs.extend((-2..=2).map(|k| (format.step(x, k), y)));
            }
        }
    }
    pairs
}

fn large_quotient(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let known = [(1e10, 3.0), (16777217.0 * 4.0, 3.0), (100.0, 6.1e-5), (32767.0, 1e-3)];
    let mut pairs = known.map(|(x, y)| (format.round(x), format.round(y))).to_vec();
    pairs.extend((0..256).map(|_| {
        let y = format.positive(rng, -60, 60.min(format.exponents.1 - 20));
        (format.times(rng.uniform(1.0, 2.0) * two_to(rng.range(24, 60)), y), y)
    }));
    pairs
}

fn huge_quotient(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let mut pairs = vec![(format.max(), format.tiny()), (format.max(), format.min_positive()), (1.0, format.tiny())];
    pairs.extend([(3.4e38, 7.0), (1e38, 1e-38)].map(|(x, y)| (format.round(x), format.round(y).max(format.tiny()))));
    pairs.extend((0..256).map(|_| {
        let y = format.positive(rng, -126, 60.min(format.exponents.0 / 2));
        (format.times(rng.uniform(1.0, 2.0) * two_to(rng.range(60, 253)), y), y)
    }));
    pairs.extend((0..128).map(|_| (format.positive(rng, 127, 127), format.subnormal(rng).max(format.tiny()))));
    pairs
}

fn top_binade(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let (max, top) = (format.max(), format.exponents.1);
    // −0x1.c31da6p+127, −0x1.15b08cp+127: rint(q)·b overflows
    let overflow = (0x1c3_1da6, 0x115_b08c);
    let high = |significand: i32| format.round(f64::from(significand) * two_to(top - 24));
    let mut pairs = vec![(max, two_to(top) as f32), (max, max), (high(overflow.0), high(overflow.1))];
    pairs.push((format.round(1.9e38), two_to(top.min(100)) as f32));
    pairs.push((format.round(3e38), 7.0));
    pairs.extend((0..128).map(|_| (format.positive(rng, top, top), format.positive(rng, top * 3 / 4, top))));
    pairs
}

fn big_divisor(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let mut pairs =
        [(300.0, 1e35), (1e35, 9e34), (1e30, 3e38)].map(|(x, y)| (format.round(x), format.round(y))).to_vec();
    pairs.extend((0..64).map(|_| (format.positive(rng, 8, 127), format.positive(rng, 117, 127))));
    pairs
}

fn mantissa_edges(format: Format) -> Vec<Pair> {
    // (0x1.fffffcp+16, 0x1.fffff2p+5): catches truncated-quotient shortcuts
    let mut pairs = vec![(f32::from_bits(0x47ff_fffe), f32::from_bits(0x427f_fff9))];
    pairs.iter_mut().for_each(|(x, y)| (*x, *y) = (format.round((*x).into()), format.round((*y).into())));
    let one = 1u32 << format.fraction_bits;
    let fractions = [0, 1, 2, one / 2, one - 2, one - 1];
    let number = |fraction: u32, exponent: i32| {
        format.round(f64::from(one + fraction) * two_to(exponent - format.fraction_bits as i32))
    };
    for x in fractions {
        for y in fractions {
            pairs.extend([0, 5, 11, 12, 14, 15].map(|gap| (number(x, gap), number(y, 0))));
            pairs.extend([12, 15, 22, 23].map(|gap| (number(x, gap - 10), number(y, -10))));
        }
    }
    pairs
}

fn subnormal(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let (edge, tiny) = (format.min_positive(), format.tiny());
    let below = format.step(edge, -1);
    let mut pairs = vec![(tiny, tiny), (tiny, edge), (edge, tiny), (1.0, tiny), (below, edge), (edge, below)];
    pairs.extend((-1..=1).map(|k| (1.5 * edge, format.step(edge, k))));
    for _ in 0..64 {
        let (x, y) = (format.subnormal(rng), format.subnormal(rng).max(tiny));
        let near = |rng: &mut Rng| format.positive(rng, format.exponents.0, format.exponents.0 + 26);
        pairs.extend([(x, y), (near(rng), y), (x, near(rng))]);
    }
    pairs
}

/// Positive numbers of every kind.
fn magnitudes(format: Format) -> Vec<f32> {
    let edge = format.min_positive();
    let mut numbers = vec![0.0, format.tiny(), 0.5 * edge, edge, 1.0, 3.0, format.max()];
    numbers.extend([1e-20, 0.1, 1e20].map(|value| format.round(value)));
    numbers.push(f32::INFINITY);
    numbers
}

fn specials() -> Vec<Pair> {
    let signalling = f32::from_bits(0x7fa0_0001);
    let values =
        [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, signalling, f32::from_bits(0xffc0_0000)];
    values.into_iter().flat_map(|x| values.map(|y| (x, y))).collect()
}

/// Ordinary numbers with one lane of a huge quotient per 4096.
fn mixed_tile(rng: &mut Rng, format: Format) -> Vec<Pair> {
    let ordinary = |rng: &mut Rng| (format.round(rng.uniform(-5.0, 5.0)), format.round(rng.uniform(-5.0, 5.0)));
    let pair = |index: usize| {
        if index % 4096 == 1234 { (format.round(3.4e38), format.round(7e-3)) } else { ordinary(rng) }
    };
    (0..16_384).map(pair).collect()
}

/// `count` operands of the kind that the size sweeps use: ordinary quotients, no specials, divisor never 0.
pub fn ordinary(seed: u64, count: usize) -> (Vec<f32>, Vec<f32>) {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| (rng.uniform(-100.0, 100.0) as f32, signed(&mut rng))).unzip()
}

fn signed(rng: &mut Rng) -> f32 {
    let magnitude = F32.positive(rng, -3, 3);
    if rng.next_u32() & 1 == 0 { magnitude } else { -magnitude }
}

/// Operands of a supported type that exercise everything a path can get wrong, one after the other: ordinary numbers,
/// now and then a quotient for the long way, a zero, an infinity, a NaN, the smallest integer. Integers of all sizes.
pub fn varied(seed: u64, dtype: DynType, count: usize) -> Data {
    let mut rng = Rng::new(seed);
    let width = 8 * dtype.bytes() as u32;
    let one = |rng: &mut Rng| {
        let any = rng.next_u32() >> (32 - width);
        if !dtype.is_floating() {
            // small ones often: most pairs then have a quotient beyond 1
            return dtype.encode(dtype.decode(any) / two_to(rng.range(0, width as i32 - 1)));
        }
        match rng.range(0, 63) {
            0 => dtype.encode([0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN][rng.range(0, 4) as usize]),
            1 => any,
            _ => dtype.encode(rng.uniform(-100.0, 100.0) * two_to(-rng.range(0, 6))),
        }
    };
    Data { dtype, bits: (0..count).map(|_| one(&mut rng)).collect() }
}

/// V20, V21 and V22: all pairs of the edges of an integral type, multiples ± 2, and all pairs of the 8-bit types.
pub fn integer_class(dtype: DynType) -> (Data, Data) {
    let (x, y): (Vec<i64>, Vec<i64>) = match dtype {
        DynType::I16 => {
            let edges =
                [-32768, -32767, -256, -255, -128, -127, -3, -2, -1, 0, 1, 2, 3, 127, 128, 255, 256, 32766, 32767];
            let divisors = [1, 2, 3, 7, 181, 182, -32768];
            let all = divisors.into_iter().flat_map(|y| (-32768..=32767).map(move |x| (x, y)));
            product(&edges).chain(all).unzip()
        }
        DynType::I32 => {
            let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
            let mut edges = vec![min, min + 1, max - 1, max, -3, -2, -1, 0, 1, 2, 3];
            for magnitude in [(1 << 24) - 1, 1 << 24, (1 << 24) + 1, 1 << 30, 46340, 46341, 65535, 65536, 65537] {
                edges.extend([-magnitude, magnitude]);
            }
            let mut rng = Rng::new(21);
            let mut near = Vec::new();
            for _ in 0..20_000 {
                let y = i64::from(rng.next_u32() as i32 >> rng.range(0, 30));
                let k = i64::from(rng.next_u32() as i32 >> rng.range(0, 30));
                let x = (k * y).rem_euclid(1 << 32) - (1 << 31);
                let x = if (k * y).abs() <= max { k * y } else { x };
                near.extend((-2..=2).map(|off| ((x + off).clamp(min, max), y)));
            }
            product(&edges).chain(near).unzip()
        }
        DynType::I8 => product(&(-128..=127).collect::<Vec<_>>()).unzip(),
        DynType::U8 => product(&(0..=255).collect::<Vec<_>>()).unzip(),
        other => panic!("{other:?} is not integral"),
    };
    let data = |values: Vec<i64>| Data::encode(dtype, values.into_iter().map(|value| value as f64));
    (data(x), data(y))
}

fn product(values: &[i64]) -> impl Iterator<Item = (i64, i64)> {
    values.iter().flat_map(|x| values.iter().map(|y| (*x, *y)))
}

/// V18, V19 and V20 sampled: every pattern of a 16-bit type over sixteen divisors.
pub fn every_pattern(dtype: DynType) -> (Vec<u32>, [u32; 16]) {
    let divisors = match dtype {
        DynType::I16 => [0, 1, 2, 3, 5, 7, 127, 181, 182, 255, 256, 10_007, 32_767, -1, -32_768, -12_345]
            .map(|y: i32| dtype.encode(y.into())),
        // both zeros are V13, negative divisors V01
        _ => {
            let format = if dtype == DynType::F16 { F16 } else { BF16 };
            let (edge, top, max) = (format.min_positive(), format.exponents.1, format.max());
            let numbers = [
                format.tiny(),
                format.step(edge, -1),
                edge,
                format.round(f64::from(edge) * 1.3),
                format.round(6.1e-4),
                format.round(0.1),
                1.0,
                format.round(1.1),
                -3.0,
                7.0,
                format.step(16.0, -1),
                format.round(1000.7),
                two_to(top) as f32,
                format.step(max, -1),
                max,
                f32::INFINITY,
            ];
            numbers.map(|y| dtype.encode(y.into()))
        }
    };
    ((0..=0xffff).collect(), divisors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_vectors_and_is_repeatable() {
        for (name, format) in CLASSES.iter().flat_map(|name| [F32, F16, BF16].map(|format| (*name, format))) {
            let bits = |pairs: Vec<Pair>| pairs.iter().map(|(x, y)| (x.to_bits(), y.to_bits())).collect::<Vec<_>>();
            let first = bits(class_of(name, format).unwrap());
            assert!(first.len() >= 16, "{name} has {} vectors", first.len());
            assert_eq!(first, bits(class_of(name, format).unwrap()), "{name}");
            let fits = |bits: &u32| {
                let number = f32::from_bits(*bits);
                number.is_nan() || f64::from(format.decode(format.dtype.encode(number.into()))) == f64::from(number)
            };
            let known = name == "V01" || name == "V02"; // decimal numbers, rounded later
            assert!(known || first.iter().all(|(x, y)| fits(x) && fits(y)), "{name} {:?}", format.dtype);
        }
        assert!(class("V26").is_none());
    }

    #[test]
    fn quotients_are_where_the_class_says() {
        let quotient = |(x, y): &Pair| f64::from(*x).abs() / f64::from(*y).abs();
        assert!(class("V06").unwrap().iter().all(|pair| quotient(pair) >= two_to(20)));
        assert!(class("V07").unwrap().iter().any(|pair| quotient(pair) >= two_to(270)));
        assert!(class("V08").unwrap().iter().all(|(x, _)| x.abs() >= two_to(127) as f32));
        assert!(class("V11").unwrap().iter().any(|(x, y)| x.is_subnormal() && y.is_subnormal()));
    }

    #[test]
    fn the_generator_keeps_its_sequence() {
        let mut rng = Rng::new(0);
        let first = [rng.next_u64(), rng.next_u64()];
        let mut again = Rng::new(0);
        assert_eq!(first, [again.next_u64(), again.next_u64()]);
        assert_ne!(first[0], Rng::new(1).next_u64());
        assert!((0..1000).all(|_| (0.0..1.0).contains(&again.unit())));
        assert!((0..1000).map(|_| again.range(-2, 2)).all(|value| (-2..=2).contains(&value)));
    }
}
